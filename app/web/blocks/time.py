"""The run of a point over time: its figures as the server draws them, and what to keep where there are none."""

from dataclasses import dataclass

from markupsafe import Markup

from app.details.recorded import happened_of, keep
from app.details.row import Row
from app.figures.figure import Figure, Plain
from app.figures.plain import frame
from app.figures.recorded import figures_of
from app.store.happened import Happened, Totals
from app.store.read import Snapshot
from app.web.blocks.numbers import number

_WIDE = "conversations"
_SPREAD = "_distribution"
_FRAME, _LANE, _LEAST, _MOST = 34, 22, 44, 400
"""Pixels around the lanes of the conversations, of each, and of all together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A line of the legend: what is drawn, in the colors of both themes."""

    label: str
    color: str
    shape: str
    """line, dashed, dotted or area."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    name: str
    title: str
    x: str
    y: str
    note: str
    keys: tuple[Key, ...]
    svg: Markup
    height: int | None
    """Pixels of the plot, where what it holds decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeBlock:
    """`keep` says what further files would tell, `problem` why recorded ones cannot."""

    words: str
    over_time: tuple[Panel, ...]
    spread: tuple[Panel, ...]
    conversations: Panel | None
    keep: tuple[str, ...]
    problem: str

    @property
    def is_empty(self) -> bool:
        return not (self.over_time or self.spread or self.conversations)


def time_block(row: Row, snapshot: Snapshot) -> TimeBlock:
    """The block of a point. `row` is its document, whose facts name what was recorded."""
    run, problem = happened_of(snapshot, row["facts"])
    drawn = figures_of(run) if run else {}
    panels = {name: _panel(name, figure) for name, figure in drawn.items()}
    return TimeBlock(
        words=_words(run) if run else "",
        over_time=tuple(panel for name, panel in panels.items() if name != _WIDE and not name.endswith(_SPREAD)),
        spread=tuple(panel for name, panel in panels.items() if name.endswith(_SPREAD)),
        conversations=panels.get(_WIDE),
        keep=tuple(keep(row["provenance"]["source"], run)),
        problem=problem,
    )


def _panel(name: str, figure: Figure) -> Panel:
    layout, dark = figure.layout, figure.meta["dark"]
    keys = tuple(_key(trace, dark) for trace in figure.data if trace["showlegend"])
    return Panel(
        name=name,
        title=figure.meta["title"],
        x=layout["xaxis"]["title"]["text"],
        y=layout["yaxis"]["title"]["text"],
        note=figure.meta["note"],
        keys=keys if len(keys) > 1 else (),
        svg=Markup(frame(figure, name)),  # its texts are escaped where it is drawn
        height=_height(figure) if name == _WIDE else None,
    )


def _height(figure: Figure) -> int:
    """Room for each lane."""
    low, high = map(float, figure.layout["yaxis"]["range"])
    return round(_FRAME + max(_LEAST, min(_LANE * (high - low), _MOST)))


def _key(trace: Plain, dark: Plain) -> Key:
    color = trace["line"]["color"]
    dash = trace["line"].get("dash", "")
    shape = "area" if trace["meta"]["role"] == "area" else "dotted" if dash[:1] == "1" else "dashed" if dash else "line"
    return Key(label=trace["name"], color=f"light-dark({color},{dark.get(color, color)})", shape=shape)


def _words(run: Happened) -> str:
    """The accounts of the run in a line."""
    if run.totals is None:
        return "No request was recorded by itself; this is what the slices of time tell."
    totals = run.totals
    parts = [f"{number(totals.measured, 0)} measured requests"]
    parts += [f"{number(totals.warmup, 0)} of the warm-up (shaded)"] if totals.warmup else []
    parts += [f"{number(totals.cooldown, 0)} of the cool-down"] if totals.cooldown else []
    parts += [_failed(totals)] if totals.failed else []
    if totals.conversations:
        parts.append(f"{number(totals.conversations, 0)} conversation{'' if totals.conversations == 1 else 's'}")
    parts += [f"{number(totals.sub_agents, 0)} requests of sub-agents"] if totals.sub_agents else []
    if totals.start_s is not None and totals.end_s is not None:
        parts.append(f"{number(totals.end_s - totals.start_s, 0)} s")
    return " · ".join(parts)


def _failed(totals: Totals) -> str:
    kinds = [f"{name} {number(count, 0)}" for name, count in list(totals.errors.items())[:3]]
    return f"{number(totals.failed, 0)} failed ({', '.join(kinds)})"
