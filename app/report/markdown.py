"""A report as Markdown for issues and pull requests: short, in GitHub's tables, with links."""

from app.compare.readings import Cell
from app.details.attributed import attributions
from app.report.document import Report, flags_of, prices_document
from app.report.gfm import cell, table
from app.report.links import links_of, point_link
from app.report.service import service
from app.report.text import ratio_text, value_text
from app.series import Series

VERDICTS, FLAGS, LINKS = 12, 8, 6
"""Most sentences of each kind, and links behind one: the document has them all."""


def markdown(found: Report, *, made: str, base: str = "") -> str:
    question, placed = found.question, found.placed
    links = links_of(question, base)
    x, y = question.x, question.y
    parts = [
        f"## {cell(question.title) or 'No points'}\n",
        f"**{y.label}** ({y.unit}) against **{x.label}** ({x.unit}), snapshot `{question.snapshot.id}`, made {made}. "
        f"{_led('live view', links['live'], base)} · {_led('as of this snapshot', links['frozen'], base)} · "
        f"{_led('JSON', links['report'], base)}\n",
        *(f"> {cell(text)}\n" for text in question.notes),
        f"{len(placed.row):,} of {placed.total:,} points are placed, {int(placed.has_halo.sum()):,} of them with "
        f"KV-cache offload.{''.join(f' {item.count:,} left out: {item.reason}.' for item in placed.left_out)}\n",
    ]
    if placed.series:
        parts.append(_series(found))
    parts += _readings(found)
    parts += service(found, base)
    parts += _verdicts(found, base)
    parts += _flags(found)
    parts += [f"[{cell(each.text)}]({each.href})\n" for each in attributions(question)]
    prices = prices_document(question.prices)
    parts.append(
        f"<sub>Frontiers never cross a model, a workload or an origin; readings between two points go straight; what "
        f"was not reported is missing, never zero. Prices {cell(str(prices['table']))}. View "
        f"`{links['frozen'].partition('?')[2]}`</sub>\n"
    )
    return "\n".join(parts)


def _led(text: str, link: str, base: str) -> str:
    return f"[{text}]({link})" if base else f"{text}: `{link}`"


def _series(found: Report) -> str:
    placed, y = found.placed, found.question.y
    best = max if y.better != "lower" else min

    def row(series: Series) -> list[str]:
        members = series.members
        return [
            cell(series.label),
            f"{len(members):,}",
            f"{int(placed.frontier[members].sum()):,}" if placed.has_frontier else "–",
            f"{int(placed.has_halo[members].sum()):,}",
            value_text(y, best(float(value) for value in placed.y[members])),
        ]

    heads = ["Series", "Points", "On the frontier", "With KV offload", f"Best {y.label} ({y.unit})"]
    return table(heads, [False, True, True, True, True], [row(series) for series in placed.series])


def _readings(found: Report) -> list[str]:
    """At equal x: the value of y, how it was come by, and its ratio to the base."""
    comparison, x, y = found.comparison, found.question.x, found.question.y
    if not comparison.readings or not comparison.lines:
        return []
    cells = {at: comparison.at(at) for at in comparison.readings}
    heads = [f"{y.label} ({y.unit}) at", *(f"{value_text(x, at)} {x.unit}" for at in comparison.readings)]
    rows = [
        [cell(line.label), *(_reading(cells[at][place], found) for at in comparison.readings)]
        for place, line in enumerate(comparison.lines)
    ]
    base = f" Ratios are to {cell(comparison.base.label)}." if comparison.base else ""
    return [
        f"### At equal {x.label}\n",
        table(heads, [False, *(True for _ in comparison.readings)], rows),
        f"m: measured there, i: interpolated between two points, –: outside the range of its frontier.{base}\n",
    ]


def _reading(item: Cell, found: Report) -> str:
    if not item.values:
        return "–"
    value = item.of(found.question.y)
    if value.value is None:
        return "–"
    ratio = f", {ratio_text(value.ratio)}" if value.ratio is not None else ""
    return f"{value_text(found.question.y, value.value)} ({'m' if item.state == 'measured' else 'i'}{ratio})"


def _verdicts(found: Report, base: str) -> list[str]:
    study = found.study
    if not study.pays:
        return []
    lines = []
    for pays in study.pays[:VERDICTS]:
        snapshot = found.question.snapshot.id
        shown = pays.evidence[:LINKS] if base else ()
        ends = ", ".join(f"[{pair.concurrency:g}]({point_link(pair.on.id, snapshot, base)})" for pair in shown)
        about = f"{cell(pays.recipe.label)}, {cell(pays.arm.label)}"
        lines.append(f"- **{about}**: {cell(pays.text)}{f' (at concurrency {ends})' if ends else ''}")
    more = len(study.pays) - len(lines)
    tail = [f"- and {more} more in the document"] if more > 0 else []
    return [f"### Did offload pay? ({len(study.pairs)} pairs)\n", "\n".join([*lines, *tail]) + "\n"]


def _flags(found: Report) -> list[str]:
    flags = flags_of(found)
    if not flags:
        return []
    lines = [f"- {cell(flag['label'])} ({len(flag['points'])}): {cell(flag['text'])}" for flag in flags[:FLAGS]]
    more = len(flags) - len(lines)
    return ["### Doubts\n", "\n".join([*lines, *([f"- and {more} more in the document"] if more > 0 else [])]) + "\n"]
