"""Commands that serve a model, hold its cache or load it, recognised by their words; and their arguments."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from app.catalog.point import Json
from ingest.commands.shell import Started, started

Kind = Literal["serve", "cache", "bench"]


@dataclass(frozen=True, slots=True)
class Program:
    """What a command runs: the engine of a server, None for everything else."""

    name: str
    kind: Kind
    engine: str | None = None
    positional: bool = False
    """Whether the model may come first, without a flag."""


_PROGRAMS: dict[tuple[str, ...], Program] = {
    ("vllm", "bench", "serve"): Program("vllm bench serve", "bench"),
    ("vllm", "serve"): Program("vllm serve", "serve", "vllm", positional=True),
    ("-m", "vllm.entrypoints.openai.api_server"): Program("vllm serve", "serve", "vllm"),
    ("sglang", "serve"): Program("sglang serve", "serve", "sglang"),
    ("-m", "sglang.launch_server"): Program("sglang serve", "serve", "sglang"),
    ("-m", "sglang.bench_serving"): Program("sglang bench_serving", "bench"),
    ("trtllm-serve", "serve"): Program("trtllm-serve", "serve", "trt", positional=True),
    ("trtllm-serve",): Program("trtllm-serve", "serve", "trt", positional=True),
    ("-m", "atom.entrypoints.openai_server"): Program("atom", "serve", "atom"),
    ("-m", "dynamo.vllm"): Program("dynamo vllm", "serve", "vllm"),
    ("-m", "dynamo.sglang"): Program("dynamo sglang", "serve", "sglang"),
    ("-m", "dynamo.trtllm"): Program("dynamo trtllm", "serve", "trt"),
    ("lmcache", "server"): Program("lmcache server", "cache"),
    ("-m", "lmcache.v1.multiprocess.server"): Program("lmcache server", "cache"),
    ("mooncake_master",): Program("mooncake_master", "cache"),
    ("aiperf", "profile"): Program("aiperf profile", "bench"),
    ("genai-perf", "profile"): Program("genai-perf profile", "bench"),
    ("guidellm", "benchmark"): Program("guidellm benchmark", "bench"),
    ("trtllm-bench",): Program("trtllm-bench", "bench"),
    ("inference-perf",): Program("inference-perf", "bench"),
    ("benchmark_serving.py",): Program("benchmark_serving.py", "bench"),
}
_LONGEST = max(map(len, _PROGRAMS))
_IMAGES = {"vllm-openai": _PROGRAMS["vllm", "serve"]}
"""Images that serve when they are run without a command."""

_CONTAINERS = ("docker", "podman", "nerdctl")
_WRAPPERS = frozenset(
    (
        *("sudo", "exec", "nohup", "time", "timeout", "numactl", "taskset", "nice", "setsid", "stdbuf", "python"),
        *("python3", "uv", "poetry", "conda", "srun", "mpirun", "mpiexec", "trtllm-llmapi-launch", "torchrun"),
        *("singularity", "apptainer", "enroot", "kubectl", "xargs", *_CONTAINERS),
    )
)
_PREPARING = frozenset(
    ("set", "cd", "mkdir", "echo", "printf", "sleep", "source", ".", "export", "ulimit", "unset", "rm", "wait", "trap")
)
_FLAG = re.compile(r"--?[A-Za-z]")
_SWITCH = re.compile(r"(?:enable|disable|no|trust|use|skip)-")
_IMAGE = re.compile(r"[a-z0-9][\w.-]*(?::\d+)?(?:/[\w.-]+)+(?::[\w.-]+)?(?:@sha256:\w+)?")
_WORDS = {"true": True, "false": False, "yes": True, "no": False, "on": True, "off": False, "1": True, "0": False}


@dataclass(frozen=True, slots=True)
class Command:
    """One command, or the arguments of one. `whole` when a flag that is not there was not given."""

    program: Program | None = None
    args: Mapping[str, Json] = field(default_factory=dict)
    envars: Mapping[str, Json] = field(default_factory=dict)
    model: str | None = None
    image: str | None = None
    whole: bool = False

    @property
    def kind(self) -> Kind:
        return self.program.kind if self.program else "serve"

    @property
    def engine(self) -> str | None:
        return self.program.engine if self.program else None

    def value(self, *names: str) -> Json:
        """What a flag was given, under any of its names; None where it is not there, or says nothing that is known."""
        said = (self.args[name] for name in names if self.args.get(name) is not None)
        return next((value for value in said if not (isinstance(value, str) and value.startswith("$"))), None)

    def text(self, *names: str) -> str | None:
        found = self.value(*names)
        return None if found is None or isinstance(found, bool | dict | list) else str(found).strip() or None

    def number(self, *names: str) -> float | None:
        return number_of(self.value(*names))

    def integer(self, *names: str) -> int | None:
        found = self.number(*names)
        return int(found) if found is not None and found.is_integer() and 0 < found < 10**6 else None

    def switch(self, *names: str) -> bool | None:
        """Whether a switch is set; None where it is not there."""
        return truth_of(self.value(*names))

    def block(self, *names: str) -> dict[str, Json] | None:
        """The JSON object that a flag was given."""
        found = self.value(*names)
        if isinstance(found, str):
            try:
                found = json.loads(found)
            except (ValueError, RecursionError):
                return None
        return found if isinstance(found, dict) else None

    def variable(self, name: str) -> str | None:
        found = self.envars.get(name)
        text = "" if found is None else str(found).strip()
        return None if not text or text.startswith("$") else text


def number_of(value: Json) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if abs(number) < 10**18 else None


def truth_of(value: Json) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    return _WORDS.get(str(value).strip().lower())


def commands_in(text: str) -> list[Command]:
    """The commands of a text that serve, cache or load; what else it runs is left out."""
    return [command for step in started(text) if (command := _command(step)) is not None]


def begins_with_command(text: str) -> bool:
    """Whether the first thing that a text runs, after what only prepares it, is such a command."""
    first = next((step for step in started(text) if _name(step.words[0]) not in _PREPARING), None)
    return first is not None and _command(first) is not None


def command_of(said: str | Sequence[Json] | Mapping[str, Json], envars: Mapping[str, Json]) -> list[Command]:
    """The commands in a text, in a list of words, or in arguments by name."""
    if isinstance(said, Mapping):
        return [
            Command(
                args=_named((str(name), True if value is None else value) for name, value in said.items()),
                envars=envars,
            )
        ]
    if isinstance(said, str):
        found = commands_in(said)
        words: Sequence[str] = said.split() if not found else ()
    else:
        words = [str(word) for word in said]
        step = _command(Started(tuple(words)))
        found = [] if step is None else [step]
    if not found:
        return [Command(args=arguments(words)[0], envars=envars)]
    return [
        Command(each.program, each.args, {**envars, **each.envars}, each.model, each.image, each.whole)
        for each in found
    ]


def _command(step: Started) -> Command | None:
    words = list(step.words)
    wrapped = _name(words[0]) in _WRAPPERS
    for at in range(len(words) if wrapped else 1):
        for length in range(_LONGEST, 0, -1):
            start = (_name(words[at]), *words[at + 1 : at + length])
            if len(start) == length and (program := _PROGRAMS.get(start)) is not None:
                return _made(program, words, at, at + length, step)
    if _name(words[0]) not in _CONTAINERS:
        return None
    for at, word in enumerate(words):
        for image, program in _IMAGES.items():
            if _IMAGE.fullmatch(word) and image in word:
                return _made(program, words, at + 1, at + 1, step)
    return None


def _made(program: Program, words: Sequence[str], start: int, end: int, step: Started) -> Command:
    before = words[:start]
    args, rest = arguments(words[end:])
    inside = _name(words[0]) in _CONTAINERS
    model = args.get("model") or args.get("model-path") or (rest[0] if program.positional and rest else None)
    return Command(
        program=program,
        args=args,
        envars={**step.envars, **(dict(_container_variables(before)) if inside else {})},
        model=model if isinstance(model, str) and not model.startswith("$") else None,
        image=next((word for word in before if _IMAGE.fullmatch(word)), None) if inside else None,
        whole=True,
    )


def _container_variables(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    for at, word in enumerate(words):
        said = words[at + 1] if word in ("-e", "--env") and at + 1 < len(words) else word.removeprefix("--env=")
        if (word in ("-e", "--env") or said != word) and "=" in said:
            name, _, value = said.partition("=")
            yield name, value


def arguments(words: Sequence[str]) -> tuple[dict[str, Json], list[str]]:
    """Flags with their values, however they are written, and the words that belong to none."""
    given: list[tuple[str, Json]] = []
    rest: list[str] = []
    waiting: str | None = None
    for word in words:
        if _FLAG.match(word):
            if waiting is not None:
                given.append((waiting, True))
            name, equals, value = word.partition("=")
            waiting = None if equals else name
            if equals:
                given.append((name, value))
        elif waiting is not None and (not _SWITCH.match(plain(waiting)) or word.lower() in _WORDS):
            given.append((waiting, word))
            waiting = None
        else:
            if waiting is not None:
                given.append((waiting, True))
                waiting = None
            rest.append(word)
    if waiting is not None:
        given.append((waiting, True))
    return _named(given), rest


def plain(name: str) -> str:
    return name.strip().lstrip("-").replace("_", "-").lower()


def _named(given: Iterable[tuple[str, Json]]) -> dict[str, Json]:
    """Arguments by one spelling of their names; `--config.key value` is a key of an object."""
    args: dict[str, Json] = {}
    for name, value in given:
        outer, dot, inner = name.partition(".")
        key = plain(outer)
        if dot and isinstance(args.setdefault(key, {}), dict):
            args[key] = {**args[key], inner: value}
        elif not dot:
            args[key] = value
    return args


def _name(word: str) -> str:
    return word.rpartition("/")[2]
