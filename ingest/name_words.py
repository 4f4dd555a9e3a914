"""What one name of a file or folder says of a run: chip, numbers, parallelism, load, model, engine, speculation.

A word counts where it stands alone between separators. What a name says twice and differently, it does not say.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any, TypeVar

from app.catalog.chips import CHIPS
from app.catalog.engines import ENGINES
from app.catalog.models import MODELS
from app.catalog.offload import BACKENDS, TIERS, Offload, kv_tiers, resolve_backend
from app.catalog.precisions import PRECISIONS
from app.catalog.speculation import SPECULATIONS
from app.catalog.vocabulary import Term, Vocabulary

T = TypeVar("T", bound=Term)

DEGREES = ("tp", "pp", "pcp", "dcp", "ep")
_BETWEEN = re.compile(r"[_./~!+ -]+")
_LOOSELY = re.compile(r"[_/~!+ -]+")
"""Separators where a dot belongs to the word, as in the versions of models."""
_START, _END = r"(?:^|[_./+ -])", r"(?=[_./~!+ ]|-(?!\d)|$)"
_WORD_ENDS = r"(?=[_.~!/ ]|$)"
_KV_NONE = re.compile(rf"(?:^|[_/ -])kvnone{_WORD_ENDS}")
_KV_DRAM = re.compile(rf"(?:^|[_/ -])kvdram-(?P<what>[a-z][a-z0-9-]*){_WORD_ENDS}")
_OFFLOADED = re.compile(rf"(?:^|[_/ -])offload[-_]?(?P<what>[a-z][a-z0-9-]*){_WORD_ENDS}")
_SIZES = (
    re.compile(r"(?:^|[_/ -])isl[_-]?(?P<isl>\d+k?)[_-]osl[_-]?(?P<osl>\d+k?)(?=[_.~!/ -]|$)"),
    re.compile(r"(?:^|[_/ -])(?P<isl>\d+k)(?P<osl>\d+k)(?=[_.~!/ -]|$)"),
)
_OFF = ("none", "off", "no")
_CONCURRENCY = re.compile(rf"{_START}(?:conc|concurrency|users)[_=-]?([1-9]\d{{0,5}}){_END}")
_DEGREE = {key: re.compile(rf"{_START}{key}[_=-]?(\d{{1,3}}){_END}") for key in (*DEGREES, "dp")}
_DP_ATTENTION = re.compile(rf"{_START}dpa[_=-]?(true|false){_END}")
_APART = re.compile(rf"{_START}disagg[_=-]?(true|false){_END}")
_SPEC = re.compile(rf"{_START}spec[_=-]?([a-z][a-z0-9]*){_END}")
_SPEC_WORDS = ("mtp", "eagle", "eagle2", "eagle3", "nextn")
_ROLES = re.compile(r"prefill|decode|disagg[_-]?true|(?:^|[_-])\d*p\d+x|(?:^|[_-])\d+p\d*[_-]?\d+d")
"""Names of deployments with roles: there, one parallelism is not that of the whole."""
_CUT = re.compile(r"[^_.~-]*~[0-9a-f]{6,}~[^_.~-]*")
"""A name made short: the words on both sides of the cut are not whole."""
_LONGEST_MODEL = 5
_TRUE = {"true": True, "false": False}


def names_of(name: str, folders: Iterable[str]) -> tuple[str, ...]:
    """Names from the nearest to the farthest. Folders joined into one name by `__` count as folders."""
    parts = [part for whole in (*folders, name) for part in _CUT.sub("__", whole.lower()).split("__")]
    return tuple(part for part in reversed(parts) if part)


@lru_cache(maxsize=8192)
def said_in(name: str) -> Mapping[str, Any]:
    """What one name says once and plainly, by the field that it says it of."""
    words = [part for part in _BETWEEN.split(name) if part]
    pairs = ["-".join(pair) for pair in pairwise(words)]
    said: dict[str, set[Any]] = {
        "chip": _keys(CHIPS, (*words, *pairs)),
        "precision": _keys(PRECISIONS, (*words, *pairs)),
        "engine": _engines(words),
        "model": _keys(MODELS, _runs([part for part in _LOOSELY.split(_stem(name)) if part])),
        "spec": _keys(SPECULATIONS, (*_SPEC.findall(name), *(word for word in words if word in _SPEC_WORDS))),
        "concurrency": {float(number) for number in _CONCURRENCY.findall(name)},
        "disaggregated": {_TRUE[word] for word in _APART.findall(name)},
    }
    if not _ROLES.search(name):
        said |= {key: {int(n) for n in _DEGREE[key].findall(name) if int(n)} for key in DEGREES}
        said["dp_attention"] = {_TRUE[word] for word in _DP_ATTENTION.findall(name)}
        said["workers"] = _replicas(name, said)
    found = {key: next(iter(values)) for key, values in said.items() if len(values) == 1}
    if (sizes := sizes_named((name,))) is not None:
        found["sizes"] = sizes
    if (mode := offload_named((name,), found.get("engine"))) is not None:
        found["offload"] = mode
    return found


def _stem(name: str) -> str:
    return re.sub(r"\.(json|jsonl|csv|txt|ya?ml|parquet|zip|tar)$", "", name)


def _engines(words: list[str]) -> set[str]:
    """Engines, but not the benchmarks that are named after them."""
    return {
        term.key
        for word, after in zip(words, [*words[1:], ""], strict=True)
        if (term := ENGINES.resolve(word)) is not None and not after.startswith("bench")
    }


def _keys(terms: Vocabulary[T], words: Iterable[str]) -> set[str]:
    return {term.key for word in words if (term := terms.resolve(word)) is not None}


def _runs(words: list[str]) -> Iterator[str]:
    """Every run of a few words: names of models hold hyphens themselves."""
    for at in range(len(words)):
        for size in range(1, min(_LONGEST_MODEL, len(words) - at) + 1):
            yield "-".join(words[at : at + size])


def _replicas(name: str, said: Mapping[str, set[Any]]) -> set[int]:
    """Data parallelism counts copies of a worker, unless attention is spread over the chips of one."""
    counts = {int(n) for n in _DEGREE["dp"].findall(name) if int(n) > 1}
    inside = True in said["dp_attention"] or counts == said["tp"]
    return set() if inside else counts


def offload_named(names: Iterable[str], engine: str | None) -> Offload | None:
    """The offload that names such as `..._offloadssd_...` or `..._kvdram-hicache` speak of."""
    for name in names:
        if _KV_NONE.search(name):
            return Offload(mode="off", evidence="name")
        if match := (_KV_DRAM.search(name) or _OFFLOADED.search(name)):
            what = match["what"]
            if what in _OFF:
                return Offload(mode="off", evidence="name")
            medium = "host_dram" if match.re is _KV_DRAM else None
            if offload := _on(what, medium, engine):
                return offload
    return None


def _on(what: str, medium: str | None, engine: str | None) -> Offload | None:
    """Offload to a medium or through a backend of that name; None for a word that is neither."""
    if what == "on":
        return Offload(mode="on", kinds=("kv",), use="prefix_reuse", evidence="name")
    if (tier := TIERS.resolve(what)) is not None:
        return Offload(mode="on", kinds=("kv",), use="prefix_reuse", tiers=kv_tiers(None, [tier.key]), evidence="name")
    backend = BACKENDS.get(resolve_backend(what, engine))
    if backend is None:
        return None
    return Offload(
        mode="on",
        kinds=(backend.kind,),
        use=backend.use or None,
        backend=backend.key,
        backend_raw=what,
        tiers=kv_tiers(backend.key, [medium] if medium else ()),
        evidence="name",
    )


def sizes_named(names: Iterable[str]) -> tuple[int, int] | None:
    """Input and output tokens out of `_1k8k_` or `isl1024_osl1024`."""
    for name in names:
        for pattern in _SIZES:
            if match := pattern.search(name):
                return _tokens(match["isl"]), _tokens(match["osl"])
    return None


def _tokens(text: str) -> int:
    return int(text[:-1]) * 1024 if text.endswith("k") else int(text)
