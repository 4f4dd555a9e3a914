"""`halo.toml`: what a folder's files do not say. It applies to everything below its folder; a nearer one wins."""

import os
import re
import stat
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

from app.catalog.offload import TIERS
from app.catalog.point import Json
from ingest.document import Document
from ingest.found import shown
from ingest.sizes import sized
from ingest.sources.companions import above, folder_of
from ingest.supplied import NOTHING, Supplied, Unsettable, over, setting, setting_name, supplied_from
from ingest.table.cells import Misread

SIDECAR = "halo.toml"
_RUN = "run"
_TIERS = ("offload", "tiers")
_AT = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)$")
_HEADER = re.compile(r"\s*\[+\s*([^\]]+?)\s*\]+\s*(?:#.*)?$")
_KEY = re.compile(r"\s*([\w.\"' -]+?)\s*=")
_SIZES = {
    "capacity": "bytes",
    "capacity_bytes": "bytes",
    "bytes": "bytes",
    "capacity_tokens": "tokens",
    "tokens": "tokens",
}


@dataclass(frozen=True, slots=True)
class Sidecar:
    """One sidecar: the folder it speaks for, and what it says. `refused` holds (where, reason)."""

    place: str
    folder: str
    supplied: Supplied = NOTHING
    run: str | None = None
    refused: tuple[tuple[str, str], ...] = ()

    @property
    def says(self) -> list[str]:
        return [*self.supplied.texts, *([_RUN] if self.run else [])]


def is_sidecar(document: Document) -> bool:
    return document.name == SIDECAR


def read_sidecar(document: Document) -> Sidecar:
    """What a sidecar says, or everything that is wrong with it: then it says nothing at all."""
    folder = folder_of(document)
    lines = _Lines(document.text)
    try:
        content = tomllib.loads(document.text)
    except tomllib.TOMLDecodeError as error:
        at = _AT.search(str(error))
        sentence = _AT.sub("", str(error)).lower()
        where = f"line {at[1]}" if at and at[1] else f"line {lines.count}"
        return Sidecar(document.place, folder, refused=((where, f"it is not TOML: {sentence}"),))
    pairs: dict[str, str] = {}
    refused: list[tuple[str, str]] = []
    for path, value in _flat(content):
        try:
            for key, text in _settings(path, value):
                name = key if key == _RUN else setting_name(key)
                if pairs.get(name, text) != text:
                    raise Misread(f"{name} is given twice, as {pairs[name]} and as {text}")
                if name != _RUN:
                    setting(key, text)
                pairs[name] = text
        except (Misread, Unsettable) as error:
            refused.append((lines.where(path), f"{'.'.join(path)}: {error}"))
    run = pairs.pop(_RUN, None)
    supplied = NOTHING
    if not refused:
        try:
            supplied = supplied_from(pairs)
        except Unsettable as error:
            refused.append((lines.where(("offload",)), str(error)))
    if refused:
        return Sidecar(document.place, folder, refused=tuple(refused))
    places = dict.fromkeys(supplied.values, document.place)
    return Sidecar(document.place, folder, replace(supplied, places=places), run)


def _flat(table: Mapping[str, Json], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Json]]:
    """Every value with the tables it stands in; the tiers of an offload stay together."""
    for key, value in table.items():
        inner = (*path, key)
        if isinstance(value, dict) and inner != _TIERS:
            yield from _flat(value, inner)
        else:
            yield inner, value


def _settings(path: tuple[str, ...], value: Json) -> Iterator[tuple[str, str]]:
    """The settings that a value means, as `--set` would take them. Raises Misread."""
    if path == _TIERS and isinstance(value, dict):
        yield from _tiers(value)
    elif isinstance(value, list):
        if path != _TIERS and path != ("offload", "kind"):
            raise Misread("a list says nothing here: write one value")
        mark = ">" if path == _TIERS else "+"
        yield "_".join(path), mark.join(_text(item) for item in value)
    else:
        yield "_".join(path), _text(value)


def _tiers(tiers: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    """`host_dram = "512 GiB per node"`, a number of bytes, or a table of them, for each memory in use."""
    media = []
    for spelling, size in tiers.items():
        medium = TIERS.resolve(spelling)
        if medium is None:
            raise Misread(f"{spelling} is no memory: write {', '.join(term.key for term in TIERS)}")
        media.append(medium.key)
        for what, text in _capacity(size):
            yield f"{medium.key}_capacity_{what}", text
    if media:
        yield "offload_tiers", ">".join(media)


def _capacity(size: Json) -> Iterator[tuple[str, str]]:
    if isinstance(size, dict):
        for key, value in size.items():
            if key == "scope":
                yield "scope", _text(value)
            elif key in _SIZES:
                what = _SIZES[key]
                yield from _capacity(value) if what == "bytes" else [(what, _text(value))]
            else:
                raise Misread(f"{key} says nothing of a memory: write capacity, capacity_tokens or scope")
        return
    if isinstance(size, bool) and size:
        return
    count, scope = sized(_text(size))
    yield "bytes", str(count)
    if scope:
        yield "scope", scope


def _text(value: Json) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, date):
        return value.isoformat()
    if not isinstance(value, str | int | float):
        raise Misread("this says nothing here: write a text or a number")
    text = str(value).strip()
    if not text:
        raise Misread("it is empty: leave it out instead")
    return text


class _Lines:
    """Finds the line that a key stands on, for those who have to mend it."""

    def __init__(self, text: str) -> None:
        self._at: dict[str, int] = {}
        table = ""
        lines = text.splitlines()
        self.count = max(len(lines), 1)
        for number, line in enumerate(lines, start=1):
            if header := _HEADER.match(line):
                table = f"{_plain(header[1])}."
                self._at.setdefault(_plain(header[1]), number)
            elif key := _KEY.match(line):
                self._at.setdefault(f"{table}{_plain(key[1])}", number)

    def where(self, path: tuple[str, ...]) -> str:
        """The line of a key, else that of the table around it."""
        for end in range(len(path), 0, -1):
            if (number := self._at.get(".".join(path[:end]))) is not None:
                return f"line {number}"
        return "file"


def _plain(key: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in key.split("."))


@dataclass(frozen=True, slots=True)
class Applied:
    """What the sidecars and the call say of the files of one folder."""

    supplied: Supplied
    run: str | None = None
    sidecars: tuple[Sidecar, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class Sidecars:
    """All sidecars of a call. `given` is what `--set` says, which wins over all of them."""

    all: list[Sidecar]
    given: Supplied = NOTHING
    uses: Counter[str] = field(default_factory=Counter)
    """How many files of results each one applied to, by place."""
    _known: dict[str, Applied] = field(default_factory=dict)

    def of(self, document: Document) -> Applied:
        """What is supplied for a file, and the run that it is said to belong to."""
        folder = folder_of(document)
        if folder not in self._known:
            self._known[folder] = self._resolved(folder) if self.all else Applied(self.given)
        applied = self._known[folder]
        self.uses.update(sidecar.place for sidecar in applied.sidecars)
        return applied

    def _resolved(self, folder: str) -> Applied:
        """From the farthest to the nearest, then the call itself. Places are told from the folder of the file."""
        by_folder = {sidecar.folder: sidecar for sidecar in self.all}
        chain: list[tuple[str, Sidecar]] = []
        at, way = folder, ""
        while True:
            if at in by_folder:
                chain.append((f"{way}{SIDECAR}", by_folder[at]))
            if not at:
                break
            at, way = above(at), f"../{way}"
        supplied, run = NOTHING, None
        for place, sidecar in reversed(chain):
            near = replace(sidecar.supplied, places=dict.fromkeys(sidecar.supplied.values, place))
            supplied, run = over(near, supplied), sidecar.run or run
        refused = tuple(
            f"{place} was refused, so what it says of this file is missing" for place, each in chain if each.refused
        )
        return Applied(over(self.given, supplied), run, tuple(sidecar for _, sidecar in chain), refused)


def sidecars_above(paths: Iterable[Path]) -> list[Document]:
    """Sidecars in the folders around the paths that were given, so that a folder and a file in it are read alike.

    A folder that everybody may write to ends the search: what lies there may be anybody's.
    """
    found: dict[str, Document] = {}
    for path in paths:
        for folder in Path(os.path.realpath(path)).parents:
            try:
                if folder.stat().st_mode & stat.S_IWOTH:
                    break
                sidecar = folder / SIDECAR
                if sidecar.is_file():
                    place = shown(sidecar if path.is_absolute() else os.path.relpath(sidecar))
                    found.setdefault(
                        str(sidecar),
                        Document(place, str(sidecar), SIDECAR, (shown(folder.name),), sidecar.read_bytes()),
                    )
            except OSError:
                break
    return [found[resolved] for resolved in sorted(found)]
