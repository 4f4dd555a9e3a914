"""`halo check`: the points of a view against a baseline, as a table and an exit status that CI understands."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.addresses import split_address
from app.catalog.metrics import METRICS, Metric
from app.catalog.prices import OF_HALO, Prices
from app.catalog.vocabulary import raw_of
from app.changes.check import Baseline, Check, Line, check, of_any_run
from app.commands import Told
from app.question import Question, ask
from app.store.read import Row, Snapshot, SnapshotNotFound, Store
from app.view import View, parse_query
from app.web.blocks.heading import chips_name, concurrency_name, engine_name, precision_name
from app.web.blocks.metrics import metric_text
from app.web.blocks.numbers import percent

if TYPE_CHECKING:
    from rich.console import Console

REGRESSION = 1
_WORDS = {
    "regression": "worse",
    "noise": "within noise",
    "better": "better",
    "same": "same",
    "missing": "not comparable",
}


def run_check(link: str, db: Path, *, baseline: str, fail_on: str, metrics: Sequence[str], strict: bool) -> Check:
    """The check that a call asks for. Raises Told where a part of the call cannot mean anything."""
    store = Store(db)
    view = view_of(link, store.prices)
    snapshot = _snapshot(store, view.snapshot)
    question = ask(view, snapshot)
    against = _baseline(store, snapshot, baseline, question)
    chosen = tuple(_metric(key) for key in metrics) or (_metric(question.y.key),)
    found = check(question, against, chosen, threshold_of(fail_on), strict=strict)
    if not (found.again or found.still or found.vanished):
        raise Told(f"{against.name} has no point of this view, so there is nothing to check against")
    return found


def view_of(link: str, prices: Prices = OF_HALO) -> View:
    """The view that a link or a query asks for. Raises Told for one that cannot be read."""
    parts = split_address(link.strip())
    text = parts.query if parts.query or parts.scheme or parts.path.startswith("/") else parts.path
    view, problems = parse_query(text, prices)
    if problems:
        raise Told(f"the view cannot be read: {problems[0].detail}")
    return view


def threshold_of(text: str) -> float:
    """`3%` as a fraction. Raises Told."""
    number = text.strip().removesuffix("%")
    try:
        value = float(number) / 100
    except ValueError:
        value = -1.0
    if not text.strip().endswith("%") or not 0 <= value < 10:
        raise Told(f"--fail-on {text}: a percentage is expected, such as 3%")
    return value


def _metric(key: str) -> Metric:
    metric = METRICS.get(key)
    if metric is None:
        raise Told(f"--metric {key}: unknown metric; /glossary lists those there are")
    if metric.better == "none":
        raise Told(f"{key} is neither better higher nor lower, so it cannot get worse: name another with --metric")
    return metric


def _snapshot(store: Store, snapshot_id: str | None) -> Snapshot:
    try:
        return store.snapshot(snapshot_id)
    except SnapshotNotFound as error:
        raise Told(str(error)) from error


def _baseline(store: Store, snapshot: Snapshot, name: str, question: Question) -> Baseline:
    """A snapshot of that id, else a run of that name in the view."""
    seq = snapshot.seq_of(name)
    if seq is not None:
        return Baseline(snapshot=store.snapshot(name))
    runs = snapshot.runs(of_any_run(question.selection))
    if any(name in (run.run, run.label) for run in runs):
        return Baseline(run=name)
    known = ", ".join(dict.fromkeys(run.label for run in runs[-5:])) or "none"
    raise Told(
        f"--baseline {name}: neither a snapshot of this store nor a run of this view; the newest runs are {known}, "
        "and /data lists the snapshots"
    )


def document(found: Check) -> dict[str, object]:
    """The check as one JSON object."""
    return {
        "ok": not found.failed,
        "snapshot": found.question.snapshot.id,
        "baseline": found.baseline,
        "group": found.question.title,
        "fail_on": found.threshold,
        "strict": found.strict,
        "metrics": [metric.key for metric in found.metrics],
        "counts": {
            "measured_again": found.again,
            "not_measured_again": found.still,
            "added": found.added,
            "vanished": len(found.vanished),
            **{verdict: found.count(verdict) for verdict in ("regression", "noise", "better", "same", "missing")},
        },
        "points": [
            {
                "id": line.now_row["id"],
                "baseline_id": line.before_row["id"],
                "title": title_of(line.now_row),
                "metric": line.metric.key,
                "unit": line.metric.unit,
                "before": line.before,
                "now": line.now,
                "change": line.change,
                "before_range": line.before_range,
                "now_range": line.now_range,
                "verdict": line.verdict,
                "versions": [line.before_row["engine_version"], line.now_row["engine_version"]],
            }
            for line in found.lines
        ],
        "vanished": [{"id": row["id"], "title": title_of(row), "run": row["run_label"]} for row in found.vanished],
        "frontiers": [
            {"series": front.key, "label": front.label, "from": front.low, "to": front.high, "change": front.change}
            for front in found.fronts
        ],
    }


def title_of(row: Row, without: Sequence[str] = ()) -> str:
    """What tells a point from others, in words; those that all of a table share may be left out."""
    return " · ".join(part for part in _parts(row) if part and part not in without)


def _parts(row: Row) -> tuple[str, ...]:
    offload = row["offload_label"] if row["offload_mode"] == "on" else "no offload"
    return (chips_name(row), engine_name(row), precision_name(row), offload, concurrency_name(row))


MOST = 40
"""Lines of the table; `--json` has all."""

GOOD = 5
"""Lines of the table about what got better."""

WIDE = 160
"""Columns where the output is no terminal, so that a log has one line a point."""


def show(found: Check, console: "Console") -> None:
    """What got worse first, then what is in doubt, then some of what got better, and the whole in a line."""
    from rich.table import Table
    from rich.text import Text

    if not console.is_terminal:
        console.width = WIDE
    told = _told(found)
    parts = [_parts(line.now_row)[:-1] for line in told]
    common = [one for one, *rest in zip(*parts, strict=True) if all(other == one for other in rest)] if told else []
    head = " · ".join([found.question.title, *common])
    console.print(f"{head}: snapshot {found.question.snapshot.id} against {found.baseline}", highlight=False)
    if told:
        table = Table(box=None, pad_edge=False)
        for name in ("Point", "Metric", "Before", "Now", "Change", "", "Repeats"):
            table.add_column(name, justify="right" if name in ("Before", "Now", "Change") else "left")
        style = {"regression": "red", "noise": "yellow", "missing": "yellow", "better": "green"}
        for line in told:
            word = Text(_WORDS[line.verdict], style=style[line.verdict])
            table.add_row(title_of(line.now_row, common), line.metric.label, *_numbers(line), word, _ranges(line))
        console.print(table)
    for old, new in sorted(_upgrades(found)):
        console.print(f"Engine version {old} before, {new} now", highlight=False)
    for front in found.fronts:
        x = found.question.x
        console.print(
            f"Frontier of {front.label}: {signed(front.change)} over {_value(x, front.low)} to {_value(x, front.high)} "
            f"{x.unit}",
            highlight=False,
        )
    for row in found.vanished[:MOST]:
        console.print(f"Gone: {title_of(row)}, run {raw_of(row['run_label'] or row['run'])}", highlight=False)
    console.print(summary(found), highlight=False)


def _told(found: Check) -> list[Line]:
    by_verdict = {
        verdict: [line for line in found.lines if line.verdict == verdict] for verdict in _WORDS if verdict != "same"
    }
    by_verdict["better"] = by_verdict["better"][:GOOD]
    return [line for lines in by_verdict.values() for line in lines][:MOST]


def _upgrades(found: Check) -> set[tuple[str, str]]:
    versions = {(line.before_row["engine_version"], line.now_row["engine_version"]) for line in found.lines}
    return {(old or "not reported", new or "not reported") for old, new in versions if old != new}


def summary(found: Check) -> str:
    parts = [
        f"{found.again or 'no'} point{'' if found.again == 1 else 's'} measured again",
        f"{found.count('regression')} worse by more than {percent(found.threshold)}",
        *([f"{found.count('better')} better"] if found.count("better") else []),
        *([f"{found.count('noise')} within noise"] if found.count("noise") else []),
        *([f"{found.count('missing')} not comparable"] if found.count("missing") else []),
        *([f"{len(found.vanished)} gone"] if found.vanished else []),
        *([f"{found.still} not measured again"] if found.still else []),
        *([f"{found.added} new"] if found.added else []),
    ]
    return f"{'FAILED' if found.failed else 'ok'}: {', '.join(parts)}."


def _numbers(line: Line) -> tuple[str, str, str]:
    change = signed(line.change) if line.change is not None else ""
    return _value(line.metric, line.before), f"{_value(line.metric, line.now)} {line.metric.unit}", change


def _value(metric: Metric, value: float | None) -> str:
    return metric_text(metric, value) or "not reported"


def _ranges(line: Line) -> str:
    told = [
        f"{word} {_value(line.metric, bounds[0])} to {_value(line.metric, bounds[1])}"
        for word, bounds in (("before", line.before_range), ("now", line.now_range))
        if bounds
    ]
    return ", ".join(told)


def signed(change: float) -> str:
    return f"+{percent(change)}" if change > 0 else percent(change)
