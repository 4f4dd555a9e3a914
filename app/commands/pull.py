"""`halo pull`: results that others publish, fetched politely into the store and named as theirs."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.catalog.models import EXAMPLE_MODEL

if TYPE_CHECKING:
    from ingest.pull.fetch import Fetcher
    from ingest.pull.state import Basket, Pulls

app = typer.Typer(name="pull", help="Fetch results that others publish.", no_args_is_help=True)

_STORE = Path("data/db")
_Store = Annotated[Path, typer.Option("--db", envvar="HALO_DB", metavar="DIR", help="Folder of the store.")]
_Delay = Annotated[float, typer.Option("--delay", min=0.0, metavar="SECONDS", help="Between two requests.")]
_Strict = Annotated[bool, typer.Option("--strict", help="Exit with 1 if anything was refused.")]
_Json = Annotated[bool, typer.Option("--json", help="Print the report as one JSON object.")]


@app.command()
def inferencex(
    models: Annotated[list[str], typer.Option("--model", metavar="NAME", help="As the site calls it; repeatable.")],
    since: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="First day whose runs are wanted; without it the newest run of each."),
    ] = None,
    url: Annotated[str, typer.Option(metavar="URL", help="Where the API is.")] = "",
    db: _Store = _STORE,
    delay: _Delay = 1.0,
    strict: _Strict = False,
    as_json: _Json = False,
) -> None:
    """Rows of the InferenceX site's public API. Their attribution is shown wherever their points are."""
    from ingest.pull import inferencex as site

    day = since.date() if since else None
    where = url or site.URL
    what = f"inferencex {where} {' '.join(sorted(models))} {day or ''}"
    with _pulling(db, what, delay) as (fetcher, pulls, basket):
        asked = site.collect(fetcher, pulls, basket, models, url=where, since=day, tell=_tell)
        for note in asked.notes:
            _tell(note)
        for address in asked.unchanged:
            _tell(f"nothing new at {address}")
        _read(db, pulls, basket, strict=strict, as_json=as_json)


@app.command()
def halo(
    url: Annotated[str, typer.Argument(metavar="URL", help="Address of the other Halo, or a link into it.")],
    view: Annotated[str, typer.Argument(metavar="VIEW", help=f'What of it: "model={EXAMPLE_MODEL}&offload=kv".')] = "",
    db: _Store = _STORE,
    delay: _Delay = 0.2,
    strict: _Strict = False,
    as_json: _Json = False,
) -> None:
    """Points of another Halo, each with a link to where it stands there."""
    from ingest.pull import halo as other

    base, first = other.address_of(url, view)
    with _pulling(db, f"halo {first}", delay) as (fetcher, pulls, basket):
        if not other.collect(fetcher, pulls, basket, url, view, tell=_tell):
            _tell(f"nothing new at {base}")
        _read(db, pulls, basket, strict=strict, as_json=as_json)


@contextmanager
def _pulling(db: Path, what: str, delay: float) -> Iterator[tuple["Fetcher", "Pulls", "Basket"]]:
    """A connection, the memory of pulls and the basket of this one; failures told. Raises Told, StoreBusy."""
    from app.commands import Told
    from ingest.pull.fetch import Fetcher, NotFetched
    from ingest.pull.state import pulls

    with pulls(db) as memory, Fetcher(delay_s=delay, tell=_tell) as fetcher:
        basket = memory.basket(what)
        if basket.kept:
            _tell(f"{len(basket.kept)} answers of an earlier try are here already")
        try:
            yield fetcher, memory, basket
        except NotFetched as error:
            left = f". {len(basket.kept)} answers are kept: the same call goes on from there" if basket.kept else ""
            raise Told(f"{error}{left}") from None


def _read(db: Path, pulls: "Pulls", basket: "Basket", *, strict: bool, as_json: bool) -> None:
    """Reads what is in the basket into the store, and says what became of it."""
    from rich.console import Console

    from ingest.pipeline import ingest
    from ingest.verdicts import show

    report = ingest(basket.entries(), db, refusals_alone=False)
    refused = any(file.refused for file in report.files) and not any(file.points for file in report.files)
    if refused:
        # A later Halo may read it, so it is to be asked for again.
        basket.drop()
    else:
        pulls.finish(basket)
    if as_json:
        import orjson

        print(orjson.dumps(report.document(), option=orjson.OPT_INDENT_2).decode())
    else:
        show(report, Console())
    if refused:
        _tell("everything that came was refused: nothing was stored")
    raise typer.Exit(report.exit_code(strict=strict or refused))


def _tell(text: str) -> None:
    print(f"halo: {text}", file=sys.stderr, flush=True)
