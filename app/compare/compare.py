"""The comparison of a view: its series at equal x, by area, at service levels and at equal load."""

from dataclasses import dataclass

from app.catalog.metrics import Metric
from app.compare.area import Areas, areas_of
from app.compare.lines import Line, Read, columns_of, read
from app.compare.matched import Matched, matched_of
from app.compare.readings import Cell, cells_at, chosen_readings
from app.compare.service import Service, service_of
from app.curve import common
from app.question import Question
from app.series import Chart, chart
from app.view import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """`columns` are what is compared, y first; `cells` go reading by reading, in the order of `lines`.

    `chosen` is true where the readings are not the reader's own, `base` is None where nothing can be compared.
    """

    question: Question
    chart: Chart
    found: Read
    lines: tuple[Line, ...]
    hidden: tuple[str, ...]
    base: Line | None
    readings: tuple[float, ...]
    chosen: bool
    columns: tuple[Metric, ...]
    cells: tuple[Cell, ...]
    areas: Areas
    service: Service | None
    matched: Matched
    notes: tuple[str, ...]
    problems: tuple[Problem, ...]
    """Parts of the view that name nothing in it."""

    def at(self, x: float) -> tuple[Cell, ...]:
        """The cells of one reading."""
        return tuple(cell for cell in self.cells if cell.x == x)


def compare(question: Question) -> Comparison:
    return compare_chart(chart(question))


def compare_chart(placed: Chart) -> Comparison:
    """The comparison of points already placed."""
    question = placed.question
    view = question.view
    columns = columns_of(question.y)
    found = read(placed, columns)
    lines = found.lines
    base, problems = _base(lines, view.base)
    readings, note = (view.at, "") if view.at else chosen_readings(lines)
    return Comparison(
        question=question,
        chart=placed,
        found=found,
        lines=lines,
        hidden=found.hidden,
        base=base,
        readings=readings,
        chosen=not view.at,
        columns=columns,
        cells=tuple(cell for x in readings for cell in cells_at(x, found, base, columns)),
        areas=areas_of(found, base, question.y),
        service=service_of(question, lines),
        matched=matched_of(question, found, base),
        notes=(*found.notes, *([note] if note and lines else []), *_notes(placed, found)),
        problems=problems,
    )


def _base(lines: tuple[Line, ...], wanted: str | None) -> tuple[Line | None, tuple[Problem, ...]]:
    """The series that ratios are against: the one asked for, else the first of those that overlap most others on x."""
    own = next((line for line in lines if line.key == wanted), None)
    usual = max(lines, key=lambda line: _shared(line, lines), default=None)
    if wanted is None or own is not None:
        return own or usual, ()
    known = ", ".join(line.key for line in lines) or "none"
    return usual, (Problem("base", wanted, f"base={wanted}: no series of this comparison; there are {known}"),)


def _shared(line: Line, lines: tuple[Line, ...]) -> tuple[int, bool]:
    overlapping = sum(common((line.span, other.span)) is not None for other in lines if other is not line)
    return overlapping, bool(line.corners)


def _notes(placed: Chart, found: Read) -> list[str]:
    notes = []
    if not placed.has_frontier:
        notes.append("One of the axes has no better side, so there are no frontiers to read.")
    definitions = sorted({word for line in found.lines for word in line.definitions})
    if len(definitions) > 1:
        notes.append(
            f"Interactivity is defined in {len(definitions)} ways among these points ({', '.join(definitions)}): "
            "no ratio is given between series that define it apart."
        )
    if found.hidden:
        count = len(found.hidden)
        notes.append("One hidden series takes no part." if count == 1 else f"{count} hidden series take no part.")
    return notes
