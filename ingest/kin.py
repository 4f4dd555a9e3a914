"""Runs of one sweep, as their names tell: what one of them says plainly holds for those of the others that do not.

Where some name the chip and the others a host, it is the same chip. Where the record or the launch command of one says
which backend its name means by a word, the word means the same in the names of the others.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.catalog.point import Point
from app.catalog.vocabulary import is_other
from ingest.document import Document
from ingest.name_words import said_in

BACKENDS = "backends"
"""Under this name it is told which backend each word of the sweep's names means."""
_LOAD = re.compile(r"(?<![a-z])(?:conc|concurrency|users)[_=-]?\d+", re.IGNORECASE)
_OFFLOAD = re.compile(r"(?<![a-z])(?:offload|kvdram|kvnone)[a-z0-9-]*", re.IGNORECASE)
_Key = tuple[str, str]


class Kin:
    """What the runs of a sweep agree on. They lie in one folder, and their names differ in load, offload and in what
    follows the load, which is the machine that ran them."""

    def __init__(self, documents: Iterable[tuple[Document, Sequence[Point]]]) -> None:
        chips: dict[_Key, set[str]] = defaultdict(set)
        meant: dict[_Key, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for document, points in documents:
            for key, name in _sweeps(document):
                said = said_in(name.lower())
                if (chip := said.get("chip")) is not None:
                    chips[key].add(chip)
                if (word := getattr(said.get("offload"), "backend_raw", None)) is not None:
                    meant[key][word].update(_proven(points))
        self._chips = {key: next(iter(found)) for key, found in chips.items() if len(found) == 1}
        self._meant = {
            key: {word: next(iter(found)) for word, found in words.items() if len(found) == 1}
            for key, words in meant.items()
        }

    def of(self, document: Document) -> Mapping[str, Any]:
        """What the other runs of its sweep say of a file, where its own names are silent or use a word for several."""
        keys = [key for key, _ in _sweeps(document)]
        chip = next((self._chips[key] for key in keys if key in self._chips), None)
        meant = next((self._meant[key] for key in keys if self._meant.get(key)), None)
        return {**({"chip": chip} if chip else {}), **({BACKENDS: meant} if meant else {})}


def _proven(points: Sequence[Point]) -> set[str]:
    """The backends that these points have from better sources than a name."""
    return {
        offload.backend
        for offload in (point.offload for point in points)
        if offload.mode == "on" and offload.evidence in ("field", "recipe_flag") and offload.backend
        if not is_other(offload.backend)
    }


def _sweeps(document: Document) -> Iterable[tuple[_Key, str]]:
    """The sweeps that a file may belong to, with the name in each: its own, or that of a folder it lies in."""
    names = (*document.folders, document.name)
    for at, name in enumerate(names):
        found = list(_LOAD.finditer(name))
        if found:
            common = _OFFLOAD.sub("", _LOAD.sub("", name[: found[-1].end()]))
            folder = document.place.replace("!", "/").rsplit("/", len(names) - at)[0]
            yield (folder, common), name
