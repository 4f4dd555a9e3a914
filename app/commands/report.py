"""`halo report`: a view as a file that travels."""

import sys
from dataclasses import dataclass
from pathlib import Path

import orjson

from app.addresses import split_address
from app.commands import Told
from app.commands.chromium import pdf
from app.question import ask
from app.report.document import Report, report, report_document
from app.report.markdown import markdown
from app.series import Chart
from app.store.read import SnapshotNotFound, Store
from app.view import parse_query
from app.web.exports.stamp import now
from app.web.kept.page import kept_page
from app.web.loosen import ways_out

FORMS = ("html", "md", "json", "pdf")
OUT = "-"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a link says: the query, and the address of the Halo that it was copied from, empty where it names none."""

    query: str
    base: str


def asked_of(link: str) -> Asked:
    """Reads a full address, a path with a query, or a bare query."""
    text = link.strip()
    parts = split_address(text)
    if parts.scheme in ("http", "https") and parts.netloc:
        return Asked(parts.query, f"{parts.scheme}://{parts.netloc}")
    if text.startswith(("/", "?")):
        return Asked(parts.query, "")
    return Asked(text.partition("#")[0], "")


def form_of(output: str, form: str | None) -> str:
    """Which form to write. Raises Told."""
    given = form or (Path(output).suffix.removeprefix(".").lower() if output != OUT else "md")
    found = {"htm": "html", "markdown": "md"}.get(given, given)
    if found not in FORMS:
        raise Told(f"-o {output}: a name ending in {', '.join('.' + one for one in FORMS)} is expected, or --format")
    return found


def run_report(link: str, db: Path, *, output: str, form: str | None = None, base: str | None = None) -> list[str]:
    """Writes the report of a view, and says in sentences what a reader of it should know. Raises Told."""
    kind = form_of(output, form)
    asked = asked_of(link)
    store = Store(db)
    if store.live_name() is None:
        raise Told(f"{db} holds no store yet: halo ingest PATH puts results there, and --db names another folder")
    view, problems = parse_query(asked.query, store.prices)
    if problems:
        # Whoever reads the report in a pull request would take another view for the one that was meant.
        raise Told(f"the view cannot be read: {problems[0].detail}")
    try:
        snapshot = store.snapshot(view.snapshot)
    except SnapshotNotFound as error:
        raise Told(str(error)) from error
    made = report(ask(view, snapshot))
    write(output, content(made, kind, asked.base if base is None else base))
    told = [_of_here(asked, db)] if asked.base else []
    if not len(made.placed.row):
        told.append(_nothing_placed(made.placed))
    return told


def _of_here(asked: Asked, db: Path) -> str:
    """That the figures are this store's, and how to have those of the server that the link names."""
    page = f"{asked.base}/report.html{'?' if asked.query else ''}{asked.query}"
    return f"read from {db}; for that server's data: halo pull halo {asked.base}, or {page}"


def _nothing_placed(placed: Chart) -> str:
    """Why a report has no point, and what would mend it."""
    if placed.left_out:
        reasons = "; ".join(f"{item.count:,} of {placed.total:,} left out: {item.reason}" for item in placed.left_out)
        return (
            f"the report has no point: {reasons}. Another x or y places them, or --set at ingest says what is missing"
        )
    ways = ways_out(placed.question)
    if not ways:
        return "the report has no point: the store holds none. halo ingest PATH puts results there"
    mends = ", or ".join(f"{way.label[:1].lower()}{way.label[1:]} ({way.count:,} points)" for way in ways[:3])
    return f"the report has no point: none matches the view. What would bring some: {mends}"


def content(found: Report, kind: str, base: str) -> bytes:
    """The bytes of a report in one of its forms."""
    made = now()
    if kind == "json":
        options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS
        return orjson.dumps(report_document(found, made=made, base=base), option=options)
    if kind == "md":
        return markdown(found, made=made, base=base).encode()
    page = kept_page(found, made=made, base=base)
    return pdf(page) if kind == "pdf" else page.encode()


def write(output: str, data: bytes) -> None:
    """Into a file in one step, or to the standard output."""
    if output == OUT:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    path = Path(output)
    if not path.parent.is_dir():
        raise Told(f"-o {output}: there is no folder {path.parent}")
    staged = path.with_name(f".{path.name}.part")
    staged.write_bytes(data)
    staged.replace(path)
