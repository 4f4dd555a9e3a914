"""Which results a companion is about, and where what it adds is kept."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from app.catalog.point import Json, Point
from ingest.document import Document

_KEPT = "companions"


class Others(tuple[Document, ...]):
    """The files with results, found by folder or by name without going through all of them."""

    @cached_property
    def by_folder(self) -> dict[str, list[Document]]:
        folders: dict[str, list[Document]] = defaultdict(list)
        for document in self:
            folders[folder_of(document)].append(document)
        return dict(folders)

    @cached_property
    def by_name(self) -> dict[str, list[Document]]:
        names: dict[str, list[Document]] = defaultdict(list)
        for document in self:
            names[document.name].append(document)
        return dict(names)


def others_of(documents: Sequence[Document]) -> Others:
    return documents if isinstance(documents, Others) else Others(documents)


def folder_of(document: Document) -> str:
    """The folder or archive that a file lies in, as something to compare."""
    folder, slash, _ = document.resolved.rpartition("/")
    archive, mark, _ = document.resolved.rpartition("!")
    # `x.zip!a.json` lies in the archive itself, `x.zip!runs/a.json` in a folder of it.
    return f"{archive}!" if mark and len(archive) > len(folder) else f"{folder}{slash}".rstrip("/")


def beside(document: Document, others: Sequence[Document]) -> list[Document]:
    """The files in the same folder."""
    return others_of(others).by_folder.get(folder_of(document), [])


def nearest(document: Document, others: Sequence[Document]) -> list[Document]:
    """The files in the same folder; else those below it; else those in the nearest folder above that has any."""
    folders = others_of(others).by_folder
    own = folder_of(document)
    if own in folders:
        return folders[own]
    below = [file for folder, files in folders.items() if is_below(folder, own) for file in files]
    if below:
        return below
    while own:
        own = above(own)
        if own in folders:
            return folders[own]
    return []


def is_below(folder: str, above: str) -> bool:
    """Whether a folder lies somewhere in another one, or in an archive in it."""
    return folder.startswith((f"{above}/", f"{above}!")) or (above.endswith("!") and folder.startswith(above))


def above(folder: str) -> str:
    """The folder around a folder; that around an archive is the folder that the archive lies in."""
    if folder.endswith("!"):
        return folder[:-1].rpartition("/")[0]
    outer, slash, _ = folder.rpartition("/")
    archive, mark, _ = folder.rpartition("!")
    return f"{archive}!" if mark and len(archive) > len(outer) else outer if slash else ""


def with_companion(point: Point, key: str, facts: dict[str, Json]) -> Point:
    """The point with the facts that a companion gives, under its key."""
    known = point.facts.get(_KEPT, {})
    return replace(point, facts={**point.facts, _KEPT: {**known, key: facts}})
