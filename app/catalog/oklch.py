"""Colors as the eye orders them: lightness, chroma and hue (OKLCH), and the contrast a color has on paper."""

import math
from dataclasses import dataclass

PAPER_LIGHT = "#fbfbfa"
PAPER_DARK = "#111417"
LINE_CONTRAST = 3.0
TEXT_CONTRAST = 4.5
_MARGIN = 0.05
"""Kept above the limits, so that rounding to eight bits never falls below them."""


@dataclass(frozen=True, slots=True)
class Color:
    """One color in both themes. The `ink` twins carry text: same hue, at least 4.5:1 on the paper."""

    light: str
    dark: str
    light_ink: str
    dark_ink: str


@dataclass(frozen=True, slots=True)
class Lch:
    """Lightness 0 to 1, chroma from 0, hue in degrees."""

    lightness: float
    chroma: float
    hue: float


def parse_hex(color: str) -> Lch:
    """The OKLCH value of `#rrggbb`."""
    red, green, blue = (_to_linear(int(color[i : i + 2], 16) / 255) for i in (1, 3, 5))
    # Matrices: B. Ottosson, "A perceptual color space for image processing", 2020-12-23
    long = math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    medium = math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    lightness = 0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short
    a = 1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short
    b = 0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short
    return Lch(lightness, math.hypot(a, b), math.degrees(math.atan2(b, a)) % 360)


def to_hex(color: Lch) -> str:
    """`#rrggbb` for a color; what a screen cannot show loses chroma, never lightness or hue."""
    chroma = color.chroma
    while True:
        channels = _linear(Lch(color.lightness, chroma, color.hue))
        if chroma <= 0 or all(-1e-4 <= c <= 1 + 1e-4 for c in channels):
            return "#" + "".join(f"{round(255 * _from_linear(min(1.0, max(0.0, c)))):02x}" for c in channels)
        chroma = max(0.0, chroma - 0.002)


def contrast(color: str, paper: str) -> float:
    """WCAG 2 contrast ratio of two `#rrggbb` colors, 1 to 21."""
    high, low = sorted((_luminance(color), _luminance(paper)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def distance(one: str, two: str) -> float:
    """How far apart two colors look (OKLab); about 0.02 can just be told apart side by side."""
    first, second = parse_hex(one), parse_hex(two)
    angle = math.radians(first.hue - second.hue)
    across = first.chroma**2 + second.chroma**2 - 2 * first.chroma * second.chroma * math.cos(angle)
    return math.sqrt((first.lightness - second.lightness) ** 2 + max(0.0, across))


def readable(color: Lch, paper: str, limit: float) -> str:
    """The color as near to the one asked for as stands out `limit`:1 on the paper."""
    step = -0.005 if _luminance(paper) > 0.5 else 0.005
    lightness = color.lightness
    while 0.0 < lightness < 1.0:
        text = to_hex(Lch(lightness, color.chroma, color.hue))
        if contrast(text, paper) >= limit + _MARGIN:
            return text
        lightness += step
    return "#000000" if step < 0 else "#ffffff"


def color_of(light: Lch, dark: Lch) -> Color:
    """A color in both themes, with twins for text, all of them readable."""
    return Color(
        light=readable(light, PAPER_LIGHT, LINE_CONTRAST),
        dark=readable(dark, PAPER_DARK, LINE_CONTRAST),
        light_ink=readable(light, PAPER_LIGHT, TEXT_CONTRAST),
        dark_ink=readable(dark, PAPER_DARK, TEXT_CONTRAST),
    )


def _linear(color: Lch) -> tuple[float, float, float]:
    a = color.chroma * math.cos(math.radians(color.hue))
    b = color.chroma * math.sin(math.radians(color.hue))
    long = (color.lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (color.lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (color.lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )


def _to_linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


def _from_linear(channel: float) -> float:
    return 12.92 * channel if channel <= 0.0031308 else 1.055 * channel ** (1 / 2.4) - 0.055


def _luminance(color: str) -> float:
    red, green, blue = (_to_linear(int(color[i : i + 2], 16) / 255) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
