"""The report as a page to keep: figures, tables, study, provenance and method, with all that draws them inside."""

import base64
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from markupsafe import Markup

from app.catalog.metrics import Metric
from app.compare.service import levels_of
from app.details.row import Document
from app.figures.pareto import figure_of
from app.figures.plain import frame
from app.figures.study import OF_STUDY
from app.figures.svg import first_frame
from app.report.document import Report, report_document
from app.series import drawn
from app.view import View
from app.web.blocks.figures import FigurePart, inline
from app.web.compare.service import ServiceLine, own_heads, service_lines
from app.web.kept.bundle import bundle, script
from app.web.kept.words import Compared, compared
from app.web.legend import Entry, entry_of
from app.web.remarks import Remark, badge_of, demo_note, keys, left_out, remarks
from app.web.study.pairs import PairTable, pair_table
from app.web.study.parts import RecipeVerdict, WaterfallPart, verdicts, waterfall_part
from app.web.study.places import Place
from app.web.table import Table, table
from app.web.templates import STATIC, render

ROWS = 500
"""Most rows of the table: the chart's own points, best first."""

ENTRIES = ("bar.js", "figures.js", "report.js")
STYLES = ("site.css", "pages.css", "study.css", "report.css")
_PLOTLY = "vendor/plotly-basic/plotly-basic-4.1.1.min.js"
_POINT = re.compile(r' href="/points/')


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Everything that templates/report.html prints. `base` is where its links lead, empty where nobody said."""

    document: Document
    title: tuple[str, ...]
    badges: tuple[str, ...]
    notes: tuple[str, ...]
    base: str
    view: View
    entries: tuple[Entry, ...]
    frame: Markup
    figure: Markup | None
    state: Markup
    keys: tuple[tuple[str, str], ...]
    left_out: tuple[Remark, ...]
    remarks: tuple[Remark, ...]
    compared: Compared
    levels: tuple[str, ...]
    service: tuple[ServiceLine, ...]
    level_heads: tuple[Metric, ...]
    own_heads: tuple[Metric, ...]
    verdicts: tuple[RecipeVerdict, ...]
    pairs: PairTable
    figures: dict[str, FigurePart]
    """Figures of the study that have content, by name."""
    waterfall: WaterfallPart | None
    waterfall_of: str
    table: Table | None
    points: int
    policy: str
    scripts: tuple[Markup, ...]
    styles: Markup


def kept_page(found: Report, *, made: str, base: str = "", problems: Sequence[str] = ()) -> str:
    """The file as HTML. `problems` say what could not be read of the link."""
    return render("report.html", page=_page(found, made, base.rstrip("/"), problems))


def _page(found: Report, made: str, base: str, problems: Sequence[str]) -> Kept:
    question = found.question
    figure = figure_of(found.placed)
    shown = drawn(found.placed)
    has_points = len(found.placed.row) > 0
    document = figure.document()
    document["meta"] = {**document["meta"], "base": base or None}
    scripts = _scripts()
    levels = levels_of(question.view)
    drawn_shares = found.study.waterfall
    return Kept(
        document=report_document(found, made=made, base=base),
        title=tuple(part for part in question.title.split(" · ") if part),
        badges=tuple(badge for key in question.origins if (badge := badge_of(key))),
        notes=(*problems, *question.notes, *demo_note(question, has_filters=False)),
        base=base,
        view=question.view,
        entries=tuple(
            entry_of(found.placed, place, series, question.view) for place, series in enumerate(figure.meta["series"])
        ),
        frame=_linked(first_frame(figure, question.view), base) if has_points else Markup(),
        figure=_json(document) if has_points else None,
        state=_json(_state(question.view)),
        keys=keys(found.placed),
        left_out=left_out(found.placed),
        remarks=remarks(found.placed, figure),
        compared=compared(found.comparison),
        levels=tuple(level.text for level in levels),
        service=service_lines(found.comparison),
        level_heads=tuple(level.metric for level in levels),
        own_heads=own_heads(found.comparison, levels),
        verdicts=verdicts(found.study),
        pairs=pair_table(found.study, Place(view=replace(question.view, sort=None, rows="all"), own=())),
        figures={name: part for name in OF_STUDY if (part := _figure(name, found, base))},
        waterfall=waterfall_part(drawn_shares) if drawn_shares else None,
        waterfall_of=_arm_words(found),
        table=_table(found) if has_points else None,
        points=len(shown),
        policy=_policy(scripts),
        scripts=tuple(Markup(text) for text in scripts),
        styles=Markup("\n".join((STATIC / "css" / name).read_text(encoding="utf-8") for name in STYLES)),
    )


def _table(found: Report) -> Table:
    """The points that are drawn, all in one table; a view's own length of the table is no matter here."""
    question = replace(found.question, view=replace(found.question.view, rows="all"))
    placed = replace(found.placed, question=question)
    whole = table(placed, drawn(placed))
    return replace(whole, lines=whole.lines[:ROWS])


def _arm_words(found: Report) -> str:
    """The config whose shares are drawn, in words."""
    chosen = found.study.waterfall
    return next(
        (f"{recipe.label} · {arm.short}" for recipe, arm in found.study.arms if chosen and arm == chosen.arm), ""
    )


def _figure(name: str, found: Report, base: str) -> FigurePart | None:
    figure = OF_STUDY[name](found.study)
    if not figure.meta["points"]:
        return None
    return FigurePart(
        name=name,
        frame=_linked(frame(figure, name.replace("_", "-")), base),
        document=_json(figure.document()),
        x=figure.layout["xaxis"]["title"]["text"],
        y=figure.layout["yaxis"]["title"]["text"],
        points=figure.meta["points"],
    )


def _state(view: View) -> Document:
    """What the browser keeps by itself, as static/js/url.js reads it off an address."""
    return {
        "all": view.all,
        "logX": "x" in view.log,
        "logY": "y" in view.log,
        "xr": view.xr,
        "yr": view.yr,
        "hide": list(view.hide),
        "point": list(view.point),
        "at": list(view.at),
    }


def _json(value: Document) -> Markup:
    return Markup(inline(value))


def _linked(frame: str, base: str) -> Markup:
    """A frame whose points lead to that Halo, or nowhere."""
    return Markup(_POINT.sub(f' href="{base}/points/', frame) if base else re.sub(r' href="/points/[^"]*"', "", frame))


@cache
def _scripts() -> tuple[str, str, str]:
    """What runs before anything is painted, Plotly, and the house's modules in one."""
    boot, plotly = ((STATIC / name).read_text(encoding="utf-8") for name in ("js/boot.js", _PLOTLY))
    return script(boot), script(plotly), script(bundle(*ENTRIES))


def _policy(scripts: Sequence[str]) -> str:
    """Runs the scripts that are inside, by their checksums, and talks to nobody. Plotly adds a style element."""
    sums = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in scripts)
    return (
        f"default-src 'none'; script-src {sums}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
