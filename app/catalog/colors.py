"""Which color stands for what. A color belongs to a key, never to a place in a list, so a filter recolors nothing."""

from functools import cache

from app.catalog.chips import CHIPS, NVIDIA
from app.catalog.engines import ENGINES
from app.catalog.oklch import Color, Lch, color_of, parse_hex
from app.catalog.vocabulary import hue_of

_GREY = Lch(0.55, 0.01, 250), Lch(0.75, 0.01, 250)
_TURN = 0.6
"""How far engines turn the hue of NVIDIA's chips: there are many, so their shades have to stay nearer."""


@cache
def series_color(chip: str | None, engine: str | None) -> Color:
    """The color of one chip under one engine: the chip gives the family, the engine the shade."""
    light, dark = _chip(chip)
    hue, lift, chroma = _shade(engine)
    hue *= _TURN if (known := CHIPS.get(chip)) and known.vendor == NVIDIA else 1.0
    return color_of(_shifted(light, hue, lift, chroma, ceiling=0.67), _shifted(dark, hue, lift, chroma, ceiling=0.93))


@cache
def key_color(key: str | None) -> Color:
    """A color for any other word that points are colored by."""
    if key is None:
        return color_of(*_GREY)
    hue = hue_of(key)
    level = hue_of(f"{key} lightness") % 3
    return color_of(Lch(0.42 + 0.09 * level, 0.13, hue), Lch(0.62 + 0.12 * level, 0.12, hue))


@cache
def preview_color(key: str) -> Color:
    """A color of points that are stored nowhere: violet to pink, which no vendor has."""
    hue = 300.0 + hue_of(key) % 40
    level = hue_of(f"{key} lightness") % 2
    return color_of(Lch(0.46 + 0.09 * level, 0.22, hue), Lch(0.68 + 0.09 * level, 0.19, hue))


def _chip(key: str | None) -> tuple[Lch, Lch]:
    if key is None:
        return _GREY
    if chip := CHIPS.get(key):
        return parse_hex(chip.light), parse_hex(chip.dark)
    return Lch(0.52, 0.11, hue_of(key)), Lch(0.76, 0.11, hue_of(key))


def _shade(key: str | None) -> tuple[float, float, float]:
    """Hue shift in degrees, lift in lightness and share of chroma that an engine makes of its chip's color."""
    if key is None:
        return 0.0, 0.0, 0.4
    if engine := ENGINES.get(key):
        return engine.hue_shift, engine.lift, 1.0
    return hue_of(key) % 60 - 30.0, 0.09, 0.7


def _shifted(color: Lch, hue: float, lift: float, chroma: float, ceiling: float) -> Lch:
    lightness = color.lightness + lift if color.lightness + lift <= ceiling else color.lightness - lift
    return Lch(lightness, color.chroma * chroma, (color.hue + hue) % 360)
