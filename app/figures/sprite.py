"""The marks as SVG shapes, once a page: the first frame, legends, cards and table rows refer to them by name."""

from functools import cache
from math import sqrt

from app.figures import marks
from app.figures.figure import Plain


def mark_id(role: str, symbol: str, meta: Plain) -> str:
    """The sprite's name of a mark; `-o` is hollow, `-s` small."""
    if role in ("ring", "notch", "meets"):
        return f"m-{role}"
    return f"m-{symbol}{'-o' if meta.get('hollow') else ''}{'-s' if meta['standing'] == 'dominated' else ''}"


@cache
def sprite() -> str:
    """Every mark there is, in every form it is drawn in."""
    # plotly.js draws the arms of a thin cross 1.4 times as long as the mark's half size.
    arm = marks.MEETS_SIZE / 2 * 1.4
    dash = marks.ring_dash().replace("px", "").replace(",", " ")
    shapes = [
        f'<circle id="m-ring" r="{marks.RING_SIZE / 2}" fill="none" stroke="currentColor" '
        f'stroke-width="{marks.RING_WIDTH}" stroke-dasharray="{dash}"/>',
        f'<path id="m-meets" d="M{-arm:g} 0H{arm:g}M0 {-arm:g}V{arm:g}" fill="none" stroke="currentColor" '
        f'stroke-width="{marks.MEETS_WIDTH}"/>',
        '<path id="m-notch" d="M3-7.5h4.5v4.5H3Z" fill="currentColor"/>',
    ]
    for symbol, size in marks.SIZE.items():
        for small, scale in (("", 1.0), ("-s", marks.DOMINATED_SCALE)):
            full, hollow = size * scale / 2, (size * scale - 1.2) / 2
            shapes.append(
                f'<path id="m-{symbol}{small}" d="{_outline(symbol, full)}" fill="currentColor" '
                'stroke="var(--paper)" stroke-width=".8"/>'
                f'<path id="m-{symbol}-o{small}" d="{_outline(symbol, hollow)}" fill="var(--paper)" '
                'stroke="currentColor" stroke-width="1.7"/>'
            )
    return f'<svg class="sprite" aria-hidden="true"><defs>{"".join(shapes)}</defs></svg>'


def _outline(symbol: str, r: float) -> str:
    """plotly.js src/components/drawing/symbol_defs.js, 4.1.1: the same marks before and after Plotly has drawn."""
    if symbol == "circle":
        return f"M{_n(-r)} 0a{_n(r)} {_n(r)} 0 1 0 {_n(2 * r)} 0a{_n(r)} {_n(r)} 0 1 0 {_n(-2 * r)} 0Z"
    corners: dict[str, list[tuple[float, float]]] = {
        "square": [(r, r), (-r, r), (-r, -r), (r, -r)],
        "diamond": [(1.3 * r, 0), (0, 1.3 * r), (-1.3 * r, 0), (0, -1.3 * r)],
        "triangle-up": [(-2 * r / sqrt(3), r / 2), (2 * r / sqrt(3), r / 2), (0, -r)],
        "triangle-down": [(-2 * r / sqrt(3), -r / 2), (2 * r / sqrt(3), -r / 2), (0, r)],
        "pentagon": [
            (0.951 * r, -0.309 * r),
            (0.588 * r, 0.809 * r),
            (-0.588 * r, 0.809 * r),
            (-0.951 * r, -0.309 * r),
            (0, -r),
        ],
        "hexagon": [
            (r * sqrt(3) / 2 * side, r * up)
            for side, up in ((1, -0.5), (1, 0.5), (0, 1), (-1, 0.5), (-1, -0.5), (0, -1))
        ],
    }
    return "M" + "L".join(f"{_n(a)} {_n(b)}" for a, b in corners[symbol]) + "Z"


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
