"""A series' frontier now over its frontier before, as far as both reach."""

from dataclasses import dataclass

from app.catalog.metrics import Metric
from app.compare.lines import Line, columns_of, read
from app.compare.readings import apart
from app.curve import area_under, common
from app.series import Chart


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """The relative change of the area under a frontier over the common range of x, as `/compare` has it."""

    key: str
    label: str
    low: float
    high: float
    change: float


def fronts(before: Chart, now: Chart) -> tuple[Front, ...]:
    """Of each series that has a line on both sides and a stretch of x in common; none where there is no frontier.

    Series that define interactivity apart on the two sides are left out.
    """
    y = now.question.y
    former, lines = (read(placed, columns_of(y)).lines for placed in (before, now))
    by = {line.key: line for line in former}
    found = [_front(by[line.key], line, y) for line in lines if line.key in by and not apart(by[line.key], line)]
    return tuple(front for front in found if front is not None)


def _front(old: Line, new: Line, y: Metric) -> Front | None:
    over = common((old.span, new.span))
    was = area_under(old.corners, over, y) if over else 0.0
    if over is None or was == 0:
        return None
    low, high = over
    return Front(key=new.key, label=new.label, low=low, high=high, change=area_under(new.corners, over, y) / was - 1)
