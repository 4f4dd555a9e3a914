"""Ratios as bands of heat. The style sheet gives each a ground and an ink that contrast in both themes."""

from dataclasses import dataclass

BANDS = (1.03, 1.25, 2.0)
"""Ratios from which on a band begins, and their inverses below one: more than noise may be, large, a multiple."""


@dataclass(frozen=True, slots=True)
class Heat:
    """`css` is h-worse3 to h-better3, h-even near one."""

    css: str
    words: str


NONE = Heat("", "")


def heat(ratio: float, better: str) -> Heat:
    """The band of a ratio to the base; without a better side there is none."""
    if better == "none" or ratio <= 0:
        return NONE
    good = ratio if better == "higher" else 1 / ratio
    size = max(good, 1 / good)
    band = sum(size >= bound for bound in BANDS)
    if band == 0:
        return Heat("h-even", "about the same")
    side = "better" if good > 1 else "worse"
    return Heat(f"h-{side}{band}", side)


KEYS = tuple(
    (css, text)
    for css, text in (
        ("h-worse3", f"{BANDS[2]:g}× worse or more"),
        ("h-worse2", f"{BANDS[1]:g}×"),
        ("h-worse1", f"{BANDS[0]:g}×"),
        ("h-even", "about the same"),
        ("h-better1", f"{BANDS[0]:g}×"),
        ("h-better2", f"{BANDS[1]:g}×"),
        ("h-better3", f"{BANDS[2]:g}× better or more"),
    )
)
