"""What GuideLLM was told to send: lengths of synthetic text, or the data set's own prompts."""

import json
import re
from pathlib import PurePosixPath

from app.catalog.point import Json
from app.catalog.vocabulary import other
from app.catalog.workloads import fixed_workload
from ingest.sources.fields import Fields

_PAIR = re.compile(r"([a-z_]+)\s*[=:]\s*(\d+)")


def workload_of(report: Fields) -> tuple[str | None, dict[str, Json]]:
    """The workload and the facts that go with it. Several turns are no fixed workload: their prompts grow."""
    source = _source(report)
    if isinstance(source, dict):
        said = Fields(source)
        isl, osl = said.integer("prompt_tokens"), said.integer("output_tokens")
        turns = said.integer("turns") or 1
        fixed = fixed_workload(isl, osl)
        if fixed is None:
            return None, {}
        if turns > 1:
            return other(f"{fixed} in {turns} turns"), {"turns": turns}
        return fixed, {"isl": isl, "osl": osl}
    if isinstance(source, str) and source.strip():
        name = PurePosixPath(source.strip().replace("\\", "/")).name
        return other(name.rsplit(".", 1)[0] or name), {"dataset": name}
    return None, {}


def _source(report: Fields) -> Json:
    """The first source of prompts: the settings of synthetic text, or the name of a file or data set."""
    data = report.inner("config").inner("spec").row.get("data") or report.inner("args").row.get("data")
    first = data[0] if isinstance(data, list) and data else data
    if isinstance(first, dict):
        return first if "prompt_tokens" in first else first.get("path") or first.get("source") or first.get("name")
    return _settings(first) or first if isinstance(first, str) else None


def _settings(text: str) -> dict[str, Json] | None:
    """`prompt_tokens=512,output_tokens=128`, or the same as JSON, as version 1 was given it on its command line."""
    if text.lstrip().startswith("{"):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) and "prompt_tokens" in value else None
    pairs = {name: int(number[:12]) for name, number in _PAIR.findall(text)}
    return {**pairs} if "prompt_tokens" in pairs else None
