"""What an AIPerf run was asked to do: model, load and workload, from its config and the command that launched it."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from app.catalog.models import MODELS
from app.catalog.point import Json
from app.catalog.vocabulary import other
from app.catalog.workloads import agentic_workload, dataset_name, fixed_workload
from ingest.sources.fields import Fields

_AGENTIC = re.compile(r"agentx|agentic|cc[-_]traces")
_FLAGS = {
    "model": ("--model", "--model-names", "-m"),
    "concurrency": ("--concurrency",),
    "request_rate": ("--request-rate",),
    "dataset": ("--public-dataset",),
    "scenario": ("--scenario",),
    "isl": ("--isl", "--synthetic-input-tokens-mean", "--prompt-input-tokens-mean"),
    "osl": ("--osl", "--output-tokens-mean", "--prompt-output-tokens-mean"),
    "file": ("--input-file",),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """The request behind a run. None where neither config nor command says."""

    model: str | None
    spelling: str | None
    concurrency: float | None
    workload: str | None
    facts: dict[str, Json]


def asked(record: Fields) -> Asked:
    """Reads `input_config` in its older and its newer shape, and the command line for what both leave out."""
    config, run = record.inner("input_config"), record.inner("run_info")
    command = config.text("cli_command") or run.text("cli_command")
    flags = Fields(_flags(command))
    phase = _phase(config)
    spelling = _model(config) or flags.text("model")
    loadgen = config.inner("loadgen")
    concurrency = next(
        (
            number
            for number in (
                loadgen.number("concurrency"),
                phase.number("concurrency"),
                _varied(run, "concurrency"),
                flags.number("concurrency"),
            )
            if number
        ),
        None,
    )
    workload, facts = _workload(record, config, flags)
    rates = (loadgen.number("request_rate"), phase.number("rate"), flags.number("request_rate"))
    facts["request_rate"] = next((rate for rate in rates if rate), None)
    facts["command"] = command
    facts["sweep"] = run.text("sweep_id")
    facts["trial"] = run.integer("trial")
    told = {key: value for key, value in facts.items() if value is not None}
    return Asked(MODELS.key_of(spelling), spelling, concurrency, workload, told)


def _model(config: Fields) -> str | None:
    """The one model that was asked; several are a mixture, which no single name describes."""
    names = config.inner("endpoint").row.get("model_names") or config.row.get("models") or config.row.get("model")
    if isinstance(names, list):
        names = names[0] if len(names) == 1 else None
    if isinstance(names, dict):
        names = names.get("name")
    return names.strip() or None if isinstance(names, str) else None


def _phase(config: Fields) -> Fields:
    """The measured phase of the newer shape, which lists warm-up and profiling one after the other."""
    phases = config.row.get("phases")
    held = [phase for phase in phases if isinstance(phase, dict)] if isinstance(phases, list) else []
    measured = [phase for phase in held if "warm" not in str(phase.get("name", "")).lower()]
    return Fields((measured or held)[-1], config, "phases") if held else Fields({})


def _varied(run: Fields, name: str) -> float | None:
    """A swept parameter of the run, named by its path in the config."""
    values = run.inner("variation_values")
    return next((values.number(path) for path in values.row if path.rpartition(".")[2] == name), None)


def _workload(record: Fields, config: Fields, flags: Fields) -> tuple[str | None, dict[str, Json]]:
    given = config.inner("input")
    listed = _dataset(config)
    dataset = given.text("public_dataset") or listed.text("public_dataset") or flags.text("dataset")
    loader = given.text("detected_loader")
    scenario = config.text("scenario") or record.inner("metadata").text("scenario") or flags.text("scenario")
    facts: dict[str, Json] = {"scenario": scenario, "dataset": dataset}
    if _AGENTIC.search(f"{scenario or ''} {dataset or ''} {loader or ''}".lower()):
        return agentic_workload(dataset or loader), facts
    if dataset is not None:
        return other(dataset_name(dataset) or dataset), facts
    if given.text("file") or listed.text("path") or flags.text("file"):
        return None, facts
    prompt = given.inner("prompt")
    sizes = prompt.inner("input_tokens"), prompt.inner("output_tokens")
    if not sizes[0].row and listed.row:
        prompts = listed.inner("prompts")
        sizes = prompts.inner("isl"), prompts.inner("osl")
    isl, osl = (size.integer("mean") or flags.integer(name) for size, name in zip(sizes, ("isl", "osl"), strict=True))
    facts |= {"isl": isl, "osl": osl}
    facts |= {f"{name}_stddev": size.number("stddev") or None for size, name in zip(sizes, ("isl", "osl"), strict=True)}
    turns = given.inner("conversation").inner("turn").number("mean")
    return (None if turns and turns > 1 else fixed_workload(isl, osl)), facts


def _dataset(config: Fields) -> Fields:
    """The one data set of the newer shape."""
    listed = config.row.get("datasets")
    one = listed[0] if isinstance(listed, list) and len(listed) == 1 else None
    if not isinstance(one, dict):
        return Fields({})
    named = {"public_dataset": one.get("name") if one.get("type") == "public" else None}
    return Fields({**one, **{key: value for key, value in named.items() if value}}, config, "datasets")


def _flags(command: str | None) -> Mapping[str, Json]:
    """The values of the flags above in a command line, written `--flag value` or `--flag=value`."""
    try:
        words = shlex.split(command or "")
    except ValueError:
        return {}
    values: dict[str, Json] = {}
    for at, word in enumerate(words):
        flag, equals, value = word.partition("=")
        for name, spellings in _FLAGS.items():
            if flag in spellings and (equals or at + 1 < len(words)):
                values[name] = value if equals else words[at + 1]
    return values
