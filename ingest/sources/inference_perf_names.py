"""What the names of inference-perf's files say: which run and stage a file is of. The files themselves do not."""

import re

_PART = re.compile(r"(?:stage_(?P<stage>\d{1,6})|summary)_(?:session_)?(?:lifecycle|prometheus)_metrics")


def stage_number(name: str) -> int | None:
    match = _PART.search(name)
    return int(match["stage"]) if match and match["stage"] else None


def run_prefix(name: str) -> str | None:
    """What the files of one run in one folder have in common; None for a file that was renamed."""
    match = _PART.search(name)
    return name[: match.start()] if match else None


def part_of(name: str) -> tuple[str, int | None] | None:
    """The run and the stage of a file, None for the stage of a summary."""
    match = _PART.search(name)
    return (name[: match.start()], stage_number(name)) if match else None
