"""What was pulled before and how far a pull came: a file in the store's folder, and the answers not yet read."""

import contextlib
import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import orjson

from app.catalog.point import Json
from app.store.files import StoreBusy
from ingest.found import Entries, Entry
from ingest.pull.fetch import Validators

_STATE = "pulls.json"
_LOCK = "pulls.lock"
_BASKETS = "pulls"


@dataclass(slots=True)
class Basket:
    """Answers of one pull that wait to be read together, in the order in which they were kept.

    It outlives the process: a pull that broke off goes on where it stood.
    """

    folder: Path
    kept: list[dict[str, Json]] = field(default_factory=list)

    def keep(self, url: str, data: bytes, validators: Validators, **told: Json) -> None:
        """Puts an answer by, with what there is to know of it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        name = f"{len(self.kept):05d}"
        _write(self.folder / name, data)
        self.kept.append(
            {"name": name, "url": url, "etag": validators.etag, "last_modified": validators.last_modified, **told}
        )
        _write(self.folder / "index.json", orjson.dumps(self.kept))

    def entries(self) -> Entries:
        """The answers for the pipeline, by the addresses that they are from."""
        found = []
        for each in self.kept:
            url = urlsplit(each["url"])
            place = f"{url.netloc}{url.path}{f'?{url.query}' if url.query else ''}"
            path = self.folder / each["name"]
            found.append(Entry(path=path, place=place, resolved=f"pull:{place}", folders=(), size=path.stat().st_size))
        return Entries(found)

    def drop(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.kept.clear()


@dataclass(slots=True)
class Pulls:
    """The memory of all pulls into one store, held by one process at a time."""

    folder: Path
    done: dict[str, dict[str, Json]]

    def validators(self, url: str) -> Validators:
        known = self.done.get(url, {})
        return Validators(known.get("etag"), known.get("last_modified"))

    def basket(self, what: str) -> Basket:
        """The basket of a pull, with what an earlier try left in it."""
        folder = self.folder / _BASKETS / hashlib.sha256(what.encode()).hexdigest()[:16]
        try:
            kept = orjson.loads((folder / "index.json").read_bytes())
            if all((folder / each["name"]).is_file() for each in kept):
                return Basket(folder, kept)
        except (OSError, orjson.JSONDecodeError, TypeError, KeyError):
            pass
        shutil.rmtree(folder, ignore_errors=True)
        return Basket(folder)

    def finish(self, basket: Basket) -> None:
        """Remembers the answers of a basket as read, and lets them go."""
        for each in basket.kept:
            if "cursor=" in each["url"]:
                continue
            self.done[each["url"]] = {name: value for name, value in each.items() if name not in ("name", "url")}
        _write(self.folder / _STATE, orjson.dumps(self.done, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS))
        basket.drop()


@contextlib.contextmanager
def pulls(folder: Path) -> Iterator[Pulls]:
    """The memory of pulls into the store in `folder`. Raises StoreBusy while another process pulls."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _LOCK).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreBusy("another process is pulling into this store; try again when it is done") from None
        yield Pulls(folder, _read(folder / _STATE))


def _read(path: Path) -> dict[str, dict[str, Json]]:
    """What was remembered. A damaged memory is none: then everything is asked anew, and known results are known."""
    try:
        found = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return {}
    return {url: told for url, told in found.items() if isinstance(told, dict)} if isinstance(found, dict) else {}


def _write(path: Path, data: bytes) -> None:
    # Not *.tmp: a publish that goes on meanwhile sweeps those away.
    staged = path.with_name(f"{path.name}.next")
    with staged.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    staged.replace(path)
