"""Which files lie under the paths that were given. Looks at names and kinds; opens nothing."""

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


class NoSuchPath(Exception):
    """A path that was given does not exist: a wrong call."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that no source is asked about, and why. `ignored` when no result was to be expected in it."""

    place: str
    reason: str
    ignored: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """A regular file that is still to be opened."""

    path: Path
    place: str
    resolved: str
    folders: tuple[str, ...]
    size: int


class Entries(tuple[Entry | Problem, ...]):
    """Files that need not be looked for, and that have no folders around them: sent or fetched, not found."""


def found(paths: Iterable[Path]) -> list[Entry | Problem]:
    """All files under the paths, each once, in an order that does not depend on theirs. Raises NoSuchPath."""
    given = sorted(set(paths), key=lambda path: (os.path.realpath(path), str(path)))
    for path in given:
        if not os.path.lexists(path):
            raise NoSuchPath(f"{shown(path)} does not exist")
    walk = _Walk({os.path.realpath(path) for path in given})
    for path in given:
        real = Path(os.path.realpath(path))
        # A file that was given is named by itself alone: its folder lies above the argument.
        walk.visit(path, shown(path), (shown(real.name),) if real.is_dir() else ())
    walk.follow_links()
    return walk.in_order()


def shown(path: Path | str) -> str:
    """A path as text that is safe to print and to write as JSON, whatever bytes its name holds."""
    text = os.fsencode(path).decode("utf-8", "replace")
    return "".join(character if character.isprintable() else "�" for character in text)


_SEGMENTS = 4
"""Parts of a path that pages show: enough to find a file, too few to tell whose machine it lay on."""

_HOME = 2
"""Parts of an absolute path that are never shown: `/home/ann` names a person."""


def public(place: str) -> str:
    """A place as pages and the API may show it: no absolute path, and nothing above the working folder."""
    outer, bang, member = place.partition("!")
    parts = [part for part in outer.split("/") if part not in ("", ".", "..")]
    if outer.startswith(("/", "~")):
        parts = parts[max(_HOME, len(parts) - _SEGMENTS) :] or parts[-1:]
    return "/".join(parts) + bang + member


class _Walk:
    """Walks folders, remembering what was seen. Links wait until all that is really there has been read."""

    def __init__(self, given: set[str]) -> None:
        self._given = given
        self._seen: dict[str, str] = {}
        self._links: list[tuple[Path, str, tuple[str, ...]]] = []
        self._above: dict[Path, tuple[str, ...]] = {}
        self._found: list[tuple[tuple[str, ...], Entry | Problem]] = []

    def in_order(self) -> list[Entry | Problem]:
        return [item for _, item in sorted(self._found, key=lambda pair: pair[0])]

    def follow_links(self) -> None:
        while self._links:
            links, self._links = sorted(self._links), []
            for path, place, folders in links:
                if (first := self._seen.get(os.path.realpath(path))) is not None:
                    self._refuse(path, place, f"a link to what was read as {first}", ignored=True)
                else:
                    self.visit(path, place, folders)

    def visit(self, path: Path, place: str, folders: tuple[str, ...], real: str | None = None) -> None:
        """Adds a file, or what lies in a folder. `real` is where it lies, where the caller knows that it is no link."""
        real = os.path.realpath(path) if real is None else real
        if real in self._seen:
            return
        self._seen[real] = place
        try:
            status = path.stat()
            names = sorted(os.scandir(path), key=_name) if stat.S_ISDIR(status.st_mode) else None
        except OSError as error:
            self._refuse(
                path, place, "a link that leads nowhere" if path.is_symlink() else f"cannot be read: {cause(error)}"
            )
            return
        if names is not None:
            above = Path(real).parts
            for entry in names:
                self._below(entry, path / entry.name, f"{place.rstrip('/')}/{shown(entry.name)}", folders, real, above)
        elif stat.S_ISREG(status.st_mode):
            self._add(path, Entry(path=path, place=place, resolved=real, folders=folders, size=status.st_size))
        else:
            self._refuse(path, place, "not a regular file but a pipe, a socket or a device")

    def _below(
        self,
        entry: "os.DirEntry[str]",
        path: Path,
        place: str,
        folders: tuple[str, ...],
        real: str,
        above: tuple[str, ...],
    ) -> None:
        self._above[path] = above
        is_folder = path.is_dir() if entry.is_symlink() else entry.is_dir(follow_symlinks=False)
        if entry.name.startswith("."):
            if os.path.realpath(path) not in self._given:
                kind = "folder" if is_folder else "file"
                self._refuse(path, place, f"a hidden {kind}, not looked at unless it is named", ignored=True)
            return
        folders = (*folders, shown(entry.name)) if is_folder else folders
        if entry.is_symlink():
            self._links.append((path, place, folders))
        else:
            self.visit(path, place, folders, os.path.join(real, entry.name))  # noqa: PTH118  # as realpath has it

    def _refuse(self, path: Path, place: str, reason: str, *, ignored: bool = False) -> None:
        self._add(path, Problem(place, reason, ignored))

    def _add(self, path: Path, item: Entry | Problem) -> None:
        above = self._above.pop(path, None)
        if above is None:
            above = Path(os.path.realpath(path.parent)).parts
        self._found.append(((*above, path.name), item))


def _name(entry: "os.DirEntry[str]") -> str:
    return entry.name


def cause(error: OSError) -> str:
    """Why the system refused, in its own words."""
    return (error.strerror or type(error).__name__).lower()
