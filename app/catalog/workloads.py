"""What was served: a fixed number of input and output tokens, or traces of agents at work."""

import re
from typing import Literal

from app.catalog.vocabulary import OTHER, other, raw_of

Kind = Literal["fixed", "agentic", "other"]

AGENTIC = "agentic"
_KIBI = 1024
_AGENTIC_SPELLINGS = (AGENTIC, "agentic-coding", "agentic-traces", "agentx", "agentic_traces", "agentic_coding")
_LOADERS = {
    # The loader's name and the data set's on Hugging Face: InferenceX agentic rows, 2026-09-23
    "semianalysis_cc_traces_weka_062126": "cc-traces-weka-062126",
}
_NUMBER = r"(\d{1,12})(k?)"
_FIXED = re.compile(rf"^(?:isl)?[_=]?{_NUMBER}\s*[/x_\-]*\s*(?:osl)?[_=]?{_NUMBER}$")


def fixed_workload(isl: int | None, osl: int | None) -> str | None:
    """`1k/1k` for 1024 input and output tokens; k means 1024, and only whole ones are written so.

    1000 input tokens stay `1000`: they are another workload than 1024, and a name must not blur it.
    """
    if not isl or not osl:
        return None
    return f"{_tokens(isl)}/{_tokens(osl)}"


def agentic_workload(dataset: str | None) -> str:
    """`agentic:<data set>`, named by the last part of its address; `agentic` when the file names none."""
    name = dataset_name(dataset)
    return f"{AGENTIC}:{name}" if name else AGENTIC


def dataset_name(raw: str | None) -> str | None:
    """`cc-traces-weka-062126` for its address on Hugging Face or the name of its loader."""
    if raw is None:
        return None
    name = raw.strip().rstrip("/").rsplit("/", 1)[-1].lower()
    return _LOADERS.get(name, name) or None


def workload_key(spelling: str | None) -> str | None:
    """The key for a spelling: `1k1k`, `1024/1024`, `agentic-coding`, `agentic: <data set>`; else `other:<raw>`."""
    if spelling is None or not spelling.strip():
        return None
    text = spelling.strip().lower()
    if text.startswith(OTHER):
        return text
    if text in _AGENTIC_SPELLINGS:
        return AGENTIC
    if text.startswith(f"{AGENTIC}:"):
        return agentic_workload(text.partition(":")[2])
    sizes = fixed_sizes(text)
    return fixed_workload(*sizes) if sizes else other(text)


def fixed_sizes(workload: str | None) -> tuple[int, int] | None:
    """Input and output tokens of a fixed workload, however it is spelled; None for any other."""
    match = _FIXED.match((workload or "").strip().lower())
    if match is None:
        return None
    isl, isl_unit, osl, osl_unit = match.groups()
    if isl.startswith("0") or osl.startswith("0"):
        return None
    split = isl_unit or re.search(r"\d[^\dk]+\d|osl", workload or "", re.IGNORECASE)
    # "10241024" could be split anywhere, so it names nothing.
    return (int(isl) * (_KIBI if isl_unit else 1), int(osl) * (_KIBI if osl_unit else 1)) if split else None


def workload_kind(workload: str | None) -> Kind | None:
    """Which rules a workload follows: interactivity of agentic work is 1/ITL, of fixed work 1/TPOT."""
    if workload is None:
        return None
    if workload == AGENTIC or workload.startswith(f"{AGENTIC}:"):
        return "agentic"
    return "fixed" if fixed_sizes(workload) else "other"


def workload_label(workload: str | None) -> str | None:
    """What a page prints for a stored key: `1k/1k`, `agentic: <data set>`, an unknown one as it came."""
    if workload is None:
        return None
    if workload.startswith(f"{AGENTIC}:"):
        return f"{AGENTIC}: {workload.partition(':')[2]}"
    return "agentic, data set not named" if workload == AGENTIC else raw_of(workload)


def workload_order(workload: str | None) -> tuple[int, int, int, str]:
    """A sort key: fixed workloads by their tokens, then agentic ones, then the unknown, then None."""
    sizes = fixed_sizes(workload)
    if sizes:
        return (0, *sizes, "")
    place = {"agentic": 1, "other": 2}.get(workload_kind(workload) or "", 3)
    return (place, 0, 0, workload or "")


def _tokens(count: int) -> str:
    return f"{count // _KIBI}k" if count % _KIBI == 0 else str(count)
