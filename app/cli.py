"""The `halo` command: ingest result files, serve the dashboard, show the demo."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands import pull, push, token

if TYPE_CHECKING:
    from app.web.main import Halo

DEBUG = "HALO_DEBUG"
HALO_DB = "HALO_DB"
_STORE = Path("data/db")
_DEMO_STORE = Path("data/demo-db")

app = typer.Typer(
    name="halo",
    help="An interactive Pareto dashboard for LLM-inference benchmarks.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

app.add_typer(token.app)
app.add_typer(pull.app)
app.command()(push.push)

Store = Annotated[Path, typer.Option("--db", envvar=HALO_DB, metavar="DIR", help="Folder of the store.")]
Host = Annotated[str, typer.Option(help="Address to listen on.")]
Port = Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")]


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"halo {version('halo-dashboard')}")
        raise typer.Exit


@app.callback()
def halo(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """An interactive Pareto dashboard for LLM-inference benchmarks."""


@app.command()
def ingest(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Files, folders, zips, .gz and .zst.")],
    db: Store = _STORE,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="What files do not say, or say wrongly: chip_count=8"),
    ] = None,
    run: Annotated[str | None, typer.Option(metavar="NAME", help="Name of the run, where a file states none.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read and judge everything, write nothing.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if anything was refused.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as one JSON object.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Name every folder of runs.")] = False,
) -> None:
    """Read result files into the store, and say what became of each."""
    from rich.console import Console

    from app.progress import progress_on

    _prices(db)
    with progress_on(Console(stderr=True), bar=not as_json) as progress:
        # These take a second to load, in which there is something to see already.
        from ingest.pipeline import ingest as read_into
        from ingest.supplied import parse_sets

        supplied = parse_sets(settings or [])
        report = read_into(paths, db, supplied=supplied, run=run, dry_run=dry_run, progress=progress)
    from ingest.verdicts import show

    if as_json:
        import orjson

        print(orjson.dumps(report.document(), option=orjson.OPT_INDENT_2).decode())
    else:
        show(report, Console(), verbose=verbose)
    raise typer.Exit(report.exit_code(strict=strict))


@app.command()
def init(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", exists=True, file_okay=False, help="Where the results lie.")
    ],
) -> None:
    """Write a halo.toml into a folder of results, to say what their files do not."""
    from rich.console import Console

    from app.progress import progress_on
    from ingest.pipeline import gather
    from ingest.starter import write_starter

    with progress_on(Console(stderr=True), bar=True) as progress:
        points = [arrival.point for arrival in gather([folder], progress=progress).arrivals]
    path, filled = write_starter(folder, points)
    said = (
        f"filled in from names, to be checked: {', '.join(filled)}" if filled else "everything in it is commented out"
    )
    print(f"{path} was written for {len(points)} results; {said}.")


@app.command()
def template(
    every: Annotated[bool, typer.Option("--all", help="Every column that is read, not only the usual ones.")] = False,
    example: Annotated[bool, typer.Option("--example", help="With a row that shows what the columns hold.")] = False,
) -> None:
    """Print the header of a Halo table, for figures that no file of a known format holds."""
    from ingest.table.template import template as header

    print(header(every=every, example=example), end="")


@app.command()
def gc(db: Store = _STORE) -> None:
    """Drop requests and time series that no snapshot refers to."""
    from app.store.series import collect

    found = collect(db)
    print(f"{found.dropped} files with {found.freed / 1e6:.1f} MB were dropped from {db}; {found.kept} are in use.")


@app.command()
def check(
    link: Annotated[str, typer.Argument(metavar="VIEW", help="A link of the dashboard, or its query.")],
    baseline: Annotated[str, typer.Option(metavar="NAME", help="A snapshot, or a run, to compare with.")],
    fail_on: Annotated[str, typer.Option(metavar="PERCENT", help="How much worse is a failure.")] = "3%",
    metric: Annotated[
        list[str] | None, typer.Option(metavar="KEY", help="What to compare; default: the vertical axis of the view.")
    ] = None,
    db: Store = _STORE,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail on noise, on what is not comparable and on points that are gone too.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Compare the points of a view with a baseline; exit with 1 if something got worse."""
    from rich.console import Console

    from app.commands.check import REGRESSION, document, run_check, show

    found = run_check(link, db, baseline=baseline, fail_on=fail_on, metrics=metric or [], strict=strict)
    if as_json:
        import orjson

        print(orjson.dumps(document(found), option=orjson.OPT_INDENT_2).decode())
    else:
        show(found, Console())
    raise typer.Exit(REGRESSION if found.failed else 0)


@app.command()
def report(
    link: Annotated[str, typer.Argument(metavar="VIEW", help="A link of the dashboard, or its query.")],
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="out.html, .md, .json or .pdf; - prints Markdown.")
    ] = "-",
    form: Annotated[
        str | None, typer.Option("--format", help="html, md, json or pdf, where the name says none.")
    ] = None,
    base: Annotated[
        str | None, typer.Option(metavar="URL", help="Where links lead; default: the address that VIEW begins with.")
    ] = None,
    db: Store = _STORE,
) -> None:
    """Write a view as one file: HTML that opens offline, Markdown, JSON or PDF."""
    from app.commands.report import run_report

    for sentence in run_report(link, db, output=output, form=form, base=base):
        print(f"halo: {sentence}", file=sys.stderr)


@app.command()
def serve(
    db: Store = _STORE,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    workers: Annotated[int, typer.Option(min=1, help="Processes that answer.")] = 1,
    seed: Annotated[bool, typer.Option("--seed", help="Put the demo data into a store that is empty.")] = False,
) -> None:
    """Serve the dashboard."""
    _free(host, port)
    if seed:
        _seed(db)
    _serve(db, host, port, workers)


@app.command()
def demo(
    db: Annotated[Path | None, typer.Option("--db", metavar="DIR", help="Folder of the store.")] = None,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    remove: Annotated[
        bool,
        typer.Option("--remove", help="Take the demo data out of the store instead; default: that of `halo serve`."),
    ] = False,
) -> None:
    """Serve the demo data from a store of its own."""
    if remove:
        from app.catalog.origins import SYNTHETIC
        from app.store.publish import retire

        folder = db or Path(os.environ.get(HALO_DB) or _STORE)
        gone = retire(folder, SYNTHETIC)
        print(f"{gone} demo points were taken out of {folder}.")
        return
    _free(host, port)
    folder = db or _DEMO_STORE
    _seed(folder)
    _serve(folder, host, port, workers=1)


def application() -> "Halo":
    """The web application over the store that HALO_DB names; each worker process calls this."""
    from app.web.main import create_app

    return create_app(Path(os.environ[HALO_DB]))


def _free(host: str, port: int) -> None:
    """Raises Told where nothing can listen there, before anything is written or said."""
    import errno
    import socket

    from app.commands import Told

    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise Told(
                f"port {port} of {host} is taken: stop what listens there, or name another with --port"
            ) from error
        raise Told(f"nothing can listen on {host}:{port}: {error.strerror or error}") from error


def _serve(db: Path, host: str, port: int, workers: int) -> None:
    import uvicorn

    os.environ[HALO_DB] = str(db.resolve())
    _prices(db)
    print(f"Halo shows {db} on http://{host}:{port} (Ctrl+C stops it)", flush=True)
    uvicorn.run(
        "app.cli:application",
        factory=True,
        host=host,
        port=port,
        workers=workers,
        log_level="warning",
        access_log=False,
        server_header=False,
    )


def _prices(db: Path) -> None:
    """Keeps the price tables of the store, and says which cannot be taken."""
    from app.store.prices import keep_prices

    for sentence in keep_prices(db).problems:
        print(f"halo: {sentence}", file=sys.stderr)


def _seed(db: Path) -> None:
    """Puts the demo and the published figures into an empty store."""
    from app.store.files import live_file
    from ingest.demo import demo_tables, published_tables
    from ingest.pipeline import ingest as read_into

    if live_file(db) is None:
        read_into([*demo_tables(), *published_tables()], db)


def main() -> None:
    """The console command. What goes wrong is told in a sentence; HALO_DEBUG=1 shows where."""
    try:
        app()
    except Exception as error:
        _fail(_sentence(error), error)


def _sentence(error: Exception) -> str:
    # What knows these errors takes a second to load, which nobody should wait for before something goes wrong.
    from app.commands import Told
    from app.store.files import StoreError
    from ingest.found import NoSuchPath
    from ingest.starter import AlreadyThere
    from ingest.supplied import WrongCall

    if isinstance(error, AlreadyThere | NoSuchPath | Told | WrongCall | StoreError):
        return str(error)
    if isinstance(error, OSError):
        return f"{error.filename or 'the system'}: {error.strerror or error}"
    return f"{type(error).__name__}: {error}. This is a bug; HALO_DEBUG=1 shows where it happened"


def _fail(sentence: str, error: Exception) -> None:
    if os.environ.get(DEBUG):
        raise error
    print(f"halo: {sentence}", file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    main()
