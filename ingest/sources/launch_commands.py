"""The commands that started a run, kept as text beside it: they say what its result files leave out."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Literal

from app.catalog.offload import Offload
from app.catalog.point import Cache, Json, Layout, Point
from ingest.commands import parsed
from ingest.commands.command import begins_with_command
from ingest.commands.offload import offload_of
from ingest.commands.recipe import completed, recipe_of
from ingest.connectors import proven_connector
from ingest.document import Document
from ingest.redact import redacted
from ingest.sources.companions import beside, folder_of, is_below, others_of

_LARGEST = 32 * 2**10
_KEPT = "commands"
_OWN = (None, "recipe_flag", "name")
_EXTERNAL = "external"


class LaunchCommands:
    """Texts of one folder are read together: a server's command, that of its cache, that of the benchmark."""

    key = "launch-command"
    label = "launch command"
    version = 1
    role: Literal["companion"] = "companion"

    def claims(self, document: Document) -> bool:
        data = document.data
        if len(data) > _LARGEST or b"\0" in data or data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"", b"{", b"[", b"<"):
            return False
        return begins_with_command(document.text)

    def completes(self, document: Document, others: Sequence[Document]) -> Sequence[Document]:
        """The results in its folder, else those below it."""
        own = folder_of(document)
        return beside(document, others) or [
            file for folder, files in others_of(others).by_folder.items() if is_below(folder, own) for file in files
        ]

    def complete(self, document: Document, point: Point) -> Point:
        commands = _together(point, document)
        found = [command for said in commands for command in parsed(said["command"])]
        point = completed(replace(point, facts={**point.facts, _KEPT: commands}), recipe_of(found))
        told = offload_of(found)
        if told is None:
            return point
        if point.offload.evidence in _OWN:
            return replace(point, offload=told, cache=_proven(point.cache, told, point.layout))
        if told.mode != point.offload.mode:
            return replace(point, flags=tuple(dict.fromkeys((*point.flags, "mode_contradiction"))))
        return replace(point, offload=_detailed(point.offload, told))


def _together(point: Point, document: Document) -> list[dict[str, str]]:
    """All commands of a point so far. Those in a folder nearer to it stand in for those of its sweep."""
    said = {"file": "/".join((*document.folders, document.name)), "command": str(redacted(document.text)).strip()}
    commands = [*point.facts.get(_KEPT, ()), said]
    nearest: dict[str, int] = {}
    for command in commands:
        for name in _programs(command):
            nearest[name] = max(nearest.get(name, 0), _depth(command))
    return [
        command
        for command in sorted(commands, key=lambda each: each["file"])
        if any(nearest[name] == _depth(command) for name in _programs(command))
    ]


def _programs(command: dict[str, Json]) -> list[str]:
    return [each.kind for each in parsed(command["command"])]


def _depth(command: dict[str, Json]) -> int:
    return len(PurePosixPath(command["file"]).parts)


def _proven(cache: Cache, told: Offload, layout: Layout) -> Cache:
    """A cache whose connector is now known to reach one medium alone, and no prefill peer."""
    medium = None if layout.disaggregated else proven_connector(told)
    if medium is None or medium in {tier.medium for tier in cache.tiers}:
        return cache
    tiers = tuple(replace(tier, medium=medium) if tier.medium == _EXTERNAL else tier for tier in cache.tiers)
    return replace(cache, tiers=tiers, flags=tuple(flag for flag in cache.flags if flag != "external_unspecified"))


def _detailed(known: Offload, told: Offload) -> Offload:
    """What the record says of its offload, with what the command says in addition."""
    if known.mode != "on" or (known.backend is not None and known.backend != told.backend):
        return known
    sizes = {tier.medium: tier for tier in told.tiers}
    tiers = tuple(
        sizes[tier.medium]
        if tier.medium in sizes and tier.capacity_bytes is None and tier.capacity_tokens is None
        else tier
        for tier in known.tiers
    )
    return replace(
        known,
        tiers=tiers or told.tiers,
        backend=known.backend or told.backend,
        backend_raw=known.backend_raw or told.backend_raw,
        write_policy=known.write_policy or told.write_policy,
        access_path=known.access_path or told.access_path,
        gds=known.gds or told.gds,
    )
