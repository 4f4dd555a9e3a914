"""YAML as reports are written in it, read as JSON would be: plain data only, and nothing that can grow on its own.

A tag that would build a Python object refuses the file, as do depth, merges and aliases that no report needs.
Times stay text, so that a report means the same in YAML and in JSON.
"""

import math
import re
from collections.abc import Hashable

import yaml

from app.catalog.point import Json
from ingest.jsontext import utf8

_DEEPEST = 64
_LARGEST = 32 * 2**20
_MOST_VALUES = 500_000
_WIDEST_MERGE = 10_000
_PYTHON = re.compile(r"tag:yaml\.org,2002:(python/[\w./:]+)")
_TIMESTAMP = "tag:yaml.org,2002:timestamp"


class YamlFlaw(Exception):
    """Why a text cannot be taken, as a sentence."""


class _Loader(yaml.CSafeLoader):
    """The safe loader, which tells of keys given twice and stops at merges that multiply."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Json]:
        given = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode) and key.value != "<<"]
        if len(set(given)) != len(given):
            twice = next(key for key in given if given.count(key) > 1)
            raise YamlFlaw(f"the key {twice!r} is given more than once, so its value is in doubt{_at(node.start_mark)}")
        return super().construct_mapping(node, deep=deep)

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        super().flatten_mapping(node)
        if len(node.value) > _WIDEST_MERGE:
            raise YamlFlaw(f"its merges make a mapping of more than {_WIDEST_MERGE:,} keys, which no report has")


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != _TIMESTAMP]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def documents(data: bytes) -> list[Json]:
    """Every document of a YAML text. Raises YamlFlaw."""
    if len(data) > _LARGEST:
        raise YamlFlaw(
            f"it is {len(data) / 2**20:.0f} MiB of YAML, and Halo reads up to {_LARGEST // 2**20}: save it as JSON"
        )
    try:
        return [_Plain().value(document, 0) for document in yaml.load_all(utf8(data), Loader=_Loader)]
    except yaml.MarkedYAMLError as error:
        raise YamlFlaw(_why(error)) from None
    except yaml.YAMLError as error:
        raise YamlFlaw(f"it is not YAML that can be read: {' '.join(str(error).split())}") from None
    except (ValueError, OverflowError, RecursionError):
        raise YamlFlaw("it is not YAML that can be read: a value in it is too long or nested too deeply") from None


def _why(error: yaml.MarkedYAMLError) -> str:
    problem = error.problem or "it cannot be read"
    mark = error.problem_mark or error.context_mark
    if made := _PYTHON.search(problem):
        return (
            f"it holds the tag !!{made.group(1)}, which asks a reader to build a Python object{_at(mark)}; "
            "only plain data is read: write the report anew as JSON"
        )
    return f"it is not plain YAML: {problem}{_at(mark)}"


def _at(mark: "yaml.Mark | None") -> str:
    return f" (line {mark.line + 1})" if mark is not None else ""


class _Plain:
    """Turns what YAML can hold into what JSON can hold, counting as it goes: aliases repeat what they name."""

    def __init__(self) -> None:
        self._values = 0

    def value(self, value: Json, depth: int) -> Json:
        self._values += 1
        if self._values > _MOST_VALUES:
            raise YamlFlaw("its aliases unfold into more values than any report holds")
        if depth > _DEEPEST:
            raise YamlFlaw("it is nested too deeply to be a result")
        if isinstance(value, dict):
            return {str(key): self.value(item, depth + 1) for key, item in value.items()}
        if isinstance(value, list | tuple | set):
            return [self.value(item, depth + 1) for item in value]
        if isinstance(value, float):
            return value if math.isfinite(value) else None
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**63:
            return float(value)
        return value if isinstance(value, str | int | None) else str(value)
