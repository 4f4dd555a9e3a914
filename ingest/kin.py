"""Runs of one sweep, as their names tell: where some name the chip and the others a host, it is the same chip."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from ingest.document import Document
from ingest.name_words import said_in

_LOAD = re.compile(r"(?<![a-z])(?:conc|concurrency|users)[_=-]?\d+", re.IGNORECASE)
_OFFLOAD = re.compile(r"(?<![a-z])(?:offload|kvdram|kvnone)[a-z0-9-]*", re.IGNORECASE)
_Key = tuple[str, str]


class Kin:
    """What the names of a sweep's runs agree on. Runs of one sweep lie in one folder, and their names differ in load,
    offload and in what follows the load, which is the machine that ran them."""

    def __init__(self, documents: Iterable[Document]) -> None:
        chips: dict[_Key, set[str]] = defaultdict(set)
        for document in documents:
            for key, name in _sweeps(document):
                if (chip := said_in(name.lower()).get("chip")) is not None:
                    chips[key].add(chip)
        self._chips = {key: next(iter(found)) for key, found in chips.items() if len(found) == 1}

    def of(self, document: Document) -> Mapping[str, Any]:
        """What the other runs of its sweep say of a file, where its own names are silent."""
        known = (self._chips.get(key) for key, _ in _sweeps(document))
        chip = next((chip for chip in known if chip is not None), None)
        return {} if chip is None else {"chip": chip}


def _sweeps(document: Document) -> Iterable[tuple[_Key, str]]:
    """The sweeps that a file may belong to, with the name in each: its own, or that of a folder it lies in."""
    names = (*document.folders, document.name)
    for at, name in enumerate(names):
        found = list(_LOAD.finditer(name))
        if found:
            common = _OFFLOAD.sub("", _LOAD.sub("", name[: found[-1].end()]))
            folder = document.place.replace("!", "/").rsplit("/", len(names) - at)[0]
            yield (folder, common), name
