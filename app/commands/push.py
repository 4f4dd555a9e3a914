"""`halo push`: send results to a Halo elsewhere, for jobs that measure where no store is."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

TOKEN = "HALO_TOKEN"


def push(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Files and folders; a halo.toml goes along.")],
    to: Annotated[str, typer.Option("--to", metavar="URL", help="Address of the Halo that takes them.")],
    run: Annotated[str | None, typer.Option(metavar="NAME", help="Name of the run, where a file states none.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="What files do not say: chip_count=8")
    ] = None,
    token_file: Annotated[
        Path | None, typer.Option("--token-file", metavar="FILE", help=f"Where the token stands, if not in {TOKEN}.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if anything was refused.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict as one JSON object.")] = False,
) -> None:
    """Send result files to another Halo, and say what became of each there."""
    from rich.console import Console

    from app.commands import Told
    from ingest.report import report_of
    from ingest.sending import NotSent, said_first, send
    from ingest.supplied import parse_sets
    from ingest.verdicts import show

    parse_sets(settings or [])
    token = _token(token_file)

    def tell(text: str) -> None:
        print(f"halo: {text}", file=sys.stderr)

    try:
        if warning := said_first(to):
            tell(warning)
        verdict = send(paths, to, token, run=run, settings=settings or [], tell=tell)
    except NotSent as error:
        raise Told(str(error).replace(token, "…")) from None
    report = report_of(verdict)
    if as_json:
        import orjson

        print(orjson.dumps(verdict, option=orjson.OPT_INDENT_2).decode())
    else:
        show(report, Console())
    raise typer.Exit(report.exit_code(strict=strict))


def _token(file: Path | None) -> str:
    """The token to send with; it is never an argument, since those stand in the list of processes. Raises Told."""
    from app.commands import Told

    text = file.read_text(encoding="utf-8") if file is not None else os.environ.get(TOKEN, "")
    token = text.strip()
    if not token or not token.isascii() or any(letter.isspace() for letter in token):
        where = str(file) if file is not None else TOKEN
        raise Told(f"{where} holds no token: `halo token add NAME` in front of the other store makes one")
    return token
