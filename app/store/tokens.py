"""Who may send results here: names with the SHA-256 of a token each. The tokens themselves are kept nowhere.

They lie in a file of the store's folder that its owner alone may read, or in HALO_TOKENS. Why a plain hash
is right for them: docs/decisions/0008-tokens-and-uploads.md
"""

import contextlib
import fcntl
import hashlib
import hmac
import os
import re
import secrets
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import orjson

from app.store.files import StoreError

FILE = "tokens.json"
VARIABLE = "HALO_TOKENS"
NAMES = "letters, digits, dots, dashes and underscores, 40 at most"
_LOCK = "tokens.lock"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_HASHED = re.compile(r"sha256:([0-9a-f]{64})")
_BYTES = 32
_START = "halo_"
_LEAST = 24
"""Letters of a token that somebody made up: fewer can be guessed from its hash."""


class WrongToken(StoreError):
    """A name or a list of tokens that cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Token:
    """A sender: the name that provenance shows, and the hash that a token is compared with. `added` is a date."""

    name: str
    sha256: str
    added: str | None = None


def hashed(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def tokens_of(folder: Path, environment: Mapping[str, str] = os.environ) -> list[Token]:
    """All senders, those of the file first. Raises StoreError where they cannot be trusted or read."""
    return [*_in_file(folder), *_in_variable(environment.get(VARIABLE, ""))]


def sender(token: str, known: list[Token]) -> str | None:
    """Whose token it is. Every hash is compared, each in the same time, so that the time tells nothing."""
    given, found = hashed(token), None
    for each in known:
        if hmac.compare_digest(given, each.sha256):
            found = each.name
    return found


def add(folder: Path, name: str) -> str:
    """Makes a token for a name and returns it: this is the only time that it is known. Raises WrongToken."""
    if not _NAME.fullmatch(name):
        raise WrongToken(f"{name!r} cannot be the name of a token: write {NAMES}")
    with _changing(folder) as known:
        if any(token.name == name for token in known):
            raise WrongToken(f"there is a token {name!r} already; `halo token remove {name}` first, or choose another")
        token = f"{_START}{secrets.token_urlsafe(_BYTES)}"
        known.append(Token(name, hashed(token), datetime.now(UTC).date().isoformat()))
    return token


def remove(folder: Path, name: str) -> None:
    """Forgets a token. Raises WrongToken where the file has none of that name."""
    with _changing(folder) as known:
        left = [token for token in known if token.name != name]
        if len(left) == len(known):
            raise WrongToken(f"there is no token {name!r} in {folder / FILE}; `halo token list` shows those there are")
        known[:] = left


def _in_file(folder: Path) -> list[Token]:
    path = folder / FILE
    try:
        if path.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise WrongToken(f"others may write to {FILE}, so it is not believed: chmod 600 it in the store's folder")
        found = orjson.loads(path.read_bytes())
        return [Token(str(each["name"]), str(each["sha256"]), each.get("added")) for each in found["tokens"]]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise WrongToken(f"{FILE} in the store's folder cannot be read: {type(error).__name__}") from error


def _in_variable(text: str) -> list[Token]:
    """`ci=<token> ann=sha256:<hash>`, apart by spaces or commas."""
    found = []
    for part in text.replace(",", " ").split():
        name, _, value = part.partition("=")
        told = _HASHED.fullmatch(value)
        if not _NAME.fullmatch(name) or (told is None and len(value) < _LEAST):
            raise WrongToken(
                f"{VARIABLE} holds something that is no name=token: write names of {NAMES}, "
                f"and tokens of {_LEAST} letters or more, or sha256: and the hash of one"
            )
        found.append(Token(name, told[1] if told else hashed(value)))
    return found


@contextlib.contextmanager
def _changing(folder: Path) -> Iterator[list[Token]]:
    """The tokens of the file, written back in one step when the block ends well."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _LOCK).open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = _in_file(folder)
        yield known
        document = {"tokens": [{"name": each.name, "sha256": each.sha256, "added": each.added} for each in known]}
        # Not *.tmp: a publish that goes on meanwhile sweeps those away.
        staged = folder / f"{FILE}.next"
        staged.unlink(missing_ok=True)
        with os.fdopen(os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(orjson.dumps(document, option=orjson.OPT_INDENT_2))
            file.flush()
            os.fsync(file.fileno())
        staged.replace(folder / FILE)
