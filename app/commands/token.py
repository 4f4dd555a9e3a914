"""`halo token`: who may send results to this store. The first token switches uploads on, the last one off."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(name="token", help="Say who may send results to this store.", no_args_is_help=True)

_Store = Annotated[Path, typer.Option("--db", envvar="HALO_DB", metavar="DIR", help="Folder of the store.")]
_Name = Annotated[str, typer.Argument(metavar="NAME", help="Who or what sends with it: shown with what was sent.")]
_STORE = Path("data/db")


@app.command()
def add(name: _Name, db: _Store = _STORE) -> None:
    """Make a token. It is printed once and kept nowhere: the store holds its hash."""
    from app.store import tokens

    token = tokens.add(db, name)
    typer.echo(f"{name} may now send results to {db}. Its token, which is not shown again:", err=True)
    print(token)
    typer.echo(f"Use it as HALO_TOKEN with `halo push`. In {tokens.VARIABLE} it stands as", err=True)
    typer.echo(f"{name}=sha256:{tokens.hashed(token)}", err=True)


@app.command("list")
def listed(db: _Store = _STORE) -> None:
    """Names of the tokens, and since when there are. The tokens themselves nobody knows."""
    from app.store import tokens

    known = tokens.tokens_of(db)
    for token in known:
        print(f"{token.name}\t{f'since {token.added}' if token.added else f'from {tokens.VARIABLE}'}")
    if not known:
        typer.echo("There is no token, so nothing can be sent here: `halo token add NAME` makes one.", err=True)


@app.command()
def remove(name: _Name, db: _Store = _STORE) -> None:
    """Forget a token: what it sent stays, and nothing more can be sent with it."""
    from app.store import tokens

    tokens.remove(db, name)
    print(f"{name} may no longer send results to {db}.")
