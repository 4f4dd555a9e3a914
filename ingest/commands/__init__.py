"""What the commands of a run say: which server was started and how, what it offloads to, and what loaded it."""

import re
from collections.abc import Mapping, Sequence

from app.catalog.offload import Offload
from app.catalog.point import Json
from ingest.commands.command import Command, command_of, commands_in
from ingest.commands.offload import offload_of
from ingest.commands.recipe import Recipe, recipe_of

Said = str | Sequence[Json] | Mapping[str, Json]
"""A command as text, as a list of words, or as arguments by name."""

_WRITTEN = re.compile(r"(?m)^\s*host_cache_size:\s*([\d_]+)\s*$")
"""TensorRT-LLM's options, in a file that the script itself writes."""


def offload_of_command(said: Said, envars: Mapping[str, Json] | None = None) -> Offload | None:
    """The offload that a command turns on or leaves off; None where it does not tell."""
    return offload_of(parsed(said, envars))


def recipe_of_command(said: Said, envars: Mapping[str, Json] | None = None) -> Recipe:
    """Model, parallelism, numbers and speculation of a command, as far as it tells."""
    return recipe_of(parsed(said, envars))


def parsed(said: Said, envars: Mapping[str, Json] | None = None) -> list[Command]:
    """The commands in what was said."""
    found = command_of(said, envars or {})
    sizes = _WRITTEN.findall(said) if isinstance(said, str) else []
    if len(set(sizes)) != 1:
        return found
    size = {"host-cache-size": sizes[0].replace("_", "")}
    return [
        Command(each.program, {**size, **each.args}, each.envars, each.model, each.image, each.whole)
        if each.engine == "trt"
        else each
        for each in found
    ]


__all__ = ["Recipe", "commands_in", "offload_of_command", "parsed", "recipe_of_command"]
