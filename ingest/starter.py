"""`halo init`: a first sidecar for a folder, with what could be guessed filled in and the rest explained."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.catalog.chips import CHIPS
from app.catalog.engines import ENGINES
from app.catalog.models import MODELS
from app.catalog.offload import ACCESS_PATHS, BACKENDS, GDS_STATES, KINDS, PAGE_CACHE_STATES, TIERS, WRITE_POLICIES
from app.catalog.point import Point
from app.catalog.precisions import PRECISIONS
from app.catalog.speculation import SPECULATIONS
from app.catalog.vocabulary import Term, Vocabulary
from ingest.finish import NEEDS
from ingest.names import NAMED
from ingest.sidecar import SIDECAR

_SOME = 8
_FIELDS = {"tp": "layout"}
"""Fields of a point that are not called as the key that sets them."""


class AlreadyThere(Exception):
    """The folder has a sidecar, which is never overwritten."""


@dataclass(frozen=True, slots=True)
class _Key:
    """A line of the sidecar: its key, an example of a value as TOML, and what it means."""

    name: str
    example: str
    text: str
    read: Callable[[Point], Any] = lambda _: None


def _words(terms: Vocabulary[Term]) -> str:
    keys = [term.key for term in terms]
    return ", ".join(keys[:_SOME]) + (" ..." if len(keys) > _SOME else "")


def _example(terms: Vocabulary[Term]) -> str:
    return json.dumps(next(iter(terms)).key)


def _tp(point: Point) -> int | None:
    return point.layout.whole.tp if point.layout.whole else None


_KEYS = (
    _Key("model", _example(MODELS), "By key, name, or repository address.", lambda point: point.model),
    _Key("chip", _example(CHIPS), f"{_words(CHIPS)}", lambda point: point.chip),
    _Key(
        "chip_count", "8", "All chips of the deployment, prefill and decode together.", lambda point: point.chip_count
    ),
    _Key("prefill_chips", "4", "Where prefill and decode have chips of their own: those of prefill,"),
    _Key("decode_chips", "4", "and those of decode."),
    _Key("engine", _example(ENGINES), f"{_words(ENGINES)}", lambda point: point.engine),
    _Key("engine_version", '"0.1.0"', "Its version.", lambda point: point.engine_version),
    _Key("precision", _example(PRECISIONS), f"Of the weights: {_words(PRECISIONS)}", lambda point: point.precision),
    _Key("spec", '"none"', f"Speculative decoding: {_words(SPECULATIONS)}", lambda point: point.spec),
    _Key("tp", "8", "Tensor parallelism of a worker; pp, pcp, dcp, ep likewise, prefill_tp for a role.", _tp),
    _Key(
        "workload",
        '"1k/1k"',
        'Input and output tokens of a request, or "agentic:<data set>".',
        lambda point: point.workload,
    ),
    _Key("concurrency", "16", "Users at once, or requests in flight.", lambda point: point.concurrency),
    _Key("run", '"nightly"', "A name that the files below share, where they name no run."),
    _Key("timezone", '"Europe/Berlin"', "The zone of times that are written without one."),
)

_OFFLOAD = (
    _Key("mode", '"on"', "Left out, the lines below tell, and no run that says it was off is overruled."),
    _Key("kind", '"kv"', f"{_words(KINDS)}, or both with a +"),
    _Key("backend", _example(BACKENDS), f"{_words(BACKENDS)}"),
    _Key("version", '"0.1.0"', "Its version."),
    _Key("write_policy", _example(WRITE_POLICIES), f"{_words(WRITE_POLICIES)}"),
    _Key("access_path", _example(ACCESS_PATHS), f"{_words(ACCESS_PATHS)}"),
    _Key("gds", _example(GDS_STATES), f"State of GPUDirect Storage: {_words(GDS_STATES)}. Configured is not active."),
    _Key("page_cache", _example(PAGE_CACHE_STATES), f"State of the page cache: {_words(PAGE_CACHE_STATES)}"),
)


def write_starter(folder: Path, points: Iterable[Point]) -> tuple[Path, list[str]]:
    """Writes the sidecar and returns its path and the keys that were filled in. Raises AlreadyThere."""
    path = folder / SIDECAR
    text, filled = starter(list(points))
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise AlreadyThere(f"{path} is there already, and what somebody wrote is not overwritten") from None
    return path, filled


def starter(points: list[Point]) -> tuple[str, list[str]]:
    """The text of a sidecar for these points, and the keys that it fills in."""
    needs = Counter(name for point in points for name in point.needs)
    lines = [
        "# What the result files in this folder and below do not say. A line counts once its # is taken away.",
        "# A halo.toml further down wins over this one, key by key; `halo ingest --set key=value` wins over both.",
        "",
    ]
    filled = []
    for key in _KEYS:
        guess = _guess(key, points, needs)
        lines += [f"# {key.text}", *_told(key.name, needs, len(points))]
        if guess is not None:
            filled.append(key.name)
            lines.append(f"{key.name} = {guess}  # guessed from names of files and folders: check it")
        else:
            lines.append(f"# {key.name} = {key.example}")
        lines.append("")
    lines += ["# How KV cache or parameters were parked in slower memory.", "# [offload]"]
    lines += [line for key in _OFFLOAD for line in (f"# {key.name} = {key.example}", f"#     {key.text}")]
    lines += [
        "",
        "# The memories in use and their sizes: as text, or true where the size is not known.",
        "# [offload.tiers]",
    ]
    lines += [f'# {term.key} = "512 GiB per node"' for term in list(TIERS)[1:3]]
    return "\n".join(lines) + "\n", filled


def _guess(key: _Key, points: list[Point], needs: Mapping[str, int]) -> str | None:
    """The value that names alone gave, and gave alike, for every point."""
    values = {key.read(point) for point in points}
    if len(values) != 1 or (value := values.pop()) is None or needs.get(key.name):
        return None
    field = _FIELDS.get(key.name, key.name)
    if not all(field in point.facts.get(NAMED, ()) for point in points):
        return None
    return f"{value:g}" if isinstance(value, float) else json.dumps(value)


def _told(name: str, needs: Mapping[str, int], points: int) -> list[str]:
    if name not in NEEDS or not needs.get(name):
        return []
    return [f"# Missing in {needs[name]} of {points} result{'s' if points > 1 else ''}."]
