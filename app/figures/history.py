"""What each series reached, run after run; a thin upright mark where the version of an engine changed."""

from dataclasses import replace

from app.changes.history import History, Track, history, level_words
from app.figures import marks
from app.figures.figure import Figure, Plain
from app.figures.panel import panel
from app.figures.pareto import axis_title
from app.figures.study.board import DARK, Y_MARKS, axis, band, dots, trace, value_text
from app.question import Question
from app.store.changed import Run

_DATES = 6
"""Most runs that are named below the axis."""

_THIN = 0.001
"""Half the width of an upright mark, as a part of the plot."""
_NO_DATE = "no date"


def figure(question: Question) -> Figure:
    return figure_of(history(question))


def figure_of(found: History) -> Figure:
    question = found.question
    data: list[Plain] = []
    for track in found.tracks:
        data += _track(track, found)
    values = [reading.value for track in found.tracks for reading in track.readings if reading.value is not None]
    half = _THIN * len(found.runs)
    title = f"{question.title}: {question.y.label}, {level_words(question)}"
    made = panel(
        title,
        data,
        _runs(found),
        axis(
            axis_title(question.y, question.prices.name_version),
            values or [1.0],
            count=Y_MARKS,
            share=question.y.is_share,
        ),
        f"{question.y.label} of {len(found.tracks)} series over {len(found.runs)} runs, {level_words(question)}",
        shapes=[band(at - half, at + half, marks.RULE_2) for at in upgrades(found)],
        twins={track.series.color.light: track.series.color.dark for track in found.tracks},
    )
    layout = {**made.layout, "hovermode": "closest"}
    meta = {**made.meta, "snapshot": question.snapshot.id, "points": len(values), "dark": {**DARK, **made.meta["dark"]}}
    return replace(made, layout=layout, meta=meta)


def upgrades(found: History) -> list[float]:
    """Where on x some series went over to another version: halfway between two runs."""
    return sorted(
        {
            reading.place + 0.5
            for track in found.tracks
            for reading in track.readings
            if reading.version_from is not None and reading.versions
        }
    )


def date_text(run: Run) -> str:
    """The day of a run, as its own file has it."""
    return (run.time or "")[: len("2026-01-31")] or _NO_DATE


def _runs(found: History) -> Plain:
    count = len(found.runs)
    step = max(1, -(-count // _DATES))
    named = list(range(0, count, step))
    plain = axis("Runs, oldest first", [], count=_DATES, bounds=(0.5, max(1, count) + 0.5))
    days = [date_text(found.runs[place]) for place in named]
    one_year = len({day[:4] for day in days if day != _NO_DATE}) < 2
    texts = [day[5:] if one_year and day != _NO_DATE else day for day in days]
    return {**plain, "tickvals": [place + 1 for place in named], "ticktext": texts}


def _track(track: Track, found: History) -> list[Plain]:
    y, label = found.question.y, track.series.label
    known = [reading for reading in track.readings if reading.value is not None]
    color = track.series.color.light
    line = {"color": color, "width": 1.75}
    drawn = trace(
        "line",
        label,
        *_joined(track),
        mode="lines",
        line=line,
        hoverinfo="skip",
        connectgaps=False,
    )
    data = [{**drawn, "showlegend": True}]
    for halo in (False, True):
        places = [
            (reading.points[0], float(reading.place + 1), reading.value, _words(label, reading.place, found, text))
            for reading in known
            if reading.halo == halo
            and reading.value is not None
            and (text := f"{value_text(y, reading.value)}{', interpolated' if reading.how == 'interpolated' else ''}")
        ]
        data += dots(label, places, track.series.symbol, color, hollow=track.hollow, halo=halo)
    return data


def _joined(track: Track) -> tuple[list[float | None], list[float | None]]:
    """What the line goes through, with a gap before a run that nothing before can be compared with."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for reading in track.readings:
        if reading.unlike:
            xs.append(None)
            ys.append(None)
        xs.append(float(reading.place + 1))
        ys.append(reading.value)
    return xs, ys


def _words(label: str, place: int, found: History, value: str) -> str:
    run = found.runs[place]
    return f"{label} · {value} · run {run.label}, {date_text(run)}"
