"""Prometheus' text format: what a server's /metrics page says at one moment, and what two such pages make."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ingest.scrape import Scrape, Series

_HEAD = 1 << 16
_ENOUGH = 3
_COMMENT = re.compile(r"^# (?:HELP|TYPE|UNIT|EOF)\b")
_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
_LABEL = re.compile(r'\s*([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"\s*,?')
_SAMPLE = re.compile(rf"^({_NAME})(?:\{{(.*)\}})?\s+(\S+)(?:\s+-?\d+)?(?:\s*#.*)?$")
_ESCAPED = re.compile(r"\\(.)")
_LEFT_OUT = ("_bucket", "_created")
_COUNTERS = ("counter", "histogram", "summary")
_MP, _MP_DOTTED = "lmcache_mp_", "lmcache_mp."
"""OpenTelemetry's exporter writes dots as underscores."""

Key = tuple[str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True, slots=True)
class Page:
    """Samples by name and labels, and the type that each name was given."""

    samples: Mapping[Key, float]
    types: Mapping[str, str]

    def counts(self, name: str) -> bool:
        """Whether it only ever grows: then two pages have a difference."""
        for ending in ("", "_total", "_sum", "_count"):
            kind = self.types.get(name.removesuffix(ending)) if name.endswith(ending) else None
            if kind is not None:
                return kind in _COUNTERS
        return name.endswith("_total")


def is_exposition(data: bytes) -> bool:
    """Whether a file is such a page: comments and samples, and nothing else."""
    head = data[:_HEAD].lstrip(b"\xef\xbb\xbf \t\r\n")
    if not (head[:1] in (b"#", b"_", b":") or head[:1].isalpha()):
        return False
    lines = [line for line in head.decode("utf-8", "replace").splitlines() if line.strip()]
    lines = lines if len(data) <= _HEAD else lines[:-1]
    samples = sum(1 for line in lines if _sample(line) is not None)
    told = sum(1 for line in lines if _COMMENT.match(line))
    rest = sum(1 for line in lines if line.startswith("#")) - told
    return samples >= 1 and samples + told >= _ENOUGH and samples + told + rest == len(lines)


def page_of(text: str) -> Page:
    """The page. Buckets of histograms are left out, and so is a sample that is no number."""
    samples: dict[Key, float] = {}
    types: dict[str, str] = {}
    for line in text.splitlines():
        if line.startswith("#"):
            words = line.split(None, 3)
            if len(words) == 4 and words[1] == "TYPE":
                types[words[2]] = words[3].strip()
        elif (sample := _sample(line)) is not None:
            name, labels, value = sample
            if not name.endswith(_LEFT_OUT) and math.isfinite(value):
                samples[name, tuple(sorted(_labels(labels)))] = value
    return Page(samples, types)


def between(before: Page, after: Page) -> Scrape:
    """What happened between two pages: by how much counters grew, and the values of gauges at both ends.

    A series that only the later page has began at zero, since engines add a label when it first occurs.
    """
    return Scrape(tuple(_series(before, after)))


def _series(before: Page, after: Page) -> Iterator[Series]:
    for (name, pairs), late in after.samples.items():
        labels = dict(pairs)
        early = before.samples.get((name, pairs))
        if after.counts(name):
            yield Series(name=_plain(name), labels=labels, total=late - (early or 0.0))
            continue
        both = [late] if early is None else [early, late]
        yield Series(name=_plain(name), labels=labels, mean=sum(both) / len(both), peak=max(both), least=min(both))


def _plain(name: str) -> str:
    """A histogram goes by the sum of what it observed."""
    dotted = _MP_DOTTED + name.removeprefix(_MP) if name.startswith(_MP) else name
    return dotted.removesuffix("_sum")


def _labels(text: str) -> Iterator[tuple[str, str]]:
    for match in _LABEL.finditer(text):
        yield match[1], _ESCAPED.sub(lambda found: {"n": "\n"}.get(found[1], found[1]), match[2])


def _sample(line: str) -> tuple[str, str, float] | None:
    match = _SAMPLE.match(line.strip())
    if match is None:
        return None
    try:
        return match[1], match[2] or "", float(match[3])
    except ValueError:
        return None
