"""What a reader gives a plan, as a value. Its text form is the query string; what is left out follows from the rest."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qsl, urlencode

from app.catalog.chips import CHIPS
from app.catalog.geometry import KV_FORMATS
from app.catalog.links import DRAM_LINKS, DRIVES, LINKS
from app.catalog.models import MODELS
from app.catalog.precisions import PRECISIONS
from app.view import Pair, Problem, number_text, short

Group = Literal["Where from", "Load", "Model", "Server", "Memory below HBM", "Compute and links", "Prices and wear"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """A number that a reader may give. `least` is allowed, and so is `most`; zero only where `least` is zero."""

    name: str
    label: str
    unit: str
    group: Group
    text: str
    least: float = 0.0
    most: float = 1e15
    whole: bool = False
    above_zero: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """A word that a reader may choose, with its label."""

    name: str
    label: str
    group: Group
    text: str
    words: Mapping[str, str]


POLICIES = {"inclusive": "inclusive: a copy of what HBM has", "exclusive": "exclusive: what HBM has let go"}
COPIES = {"each": "one for each rank", "once": "one for all ranks"}

PICKS: tuple[Pick, ...] = (
    Pick(
        name="model",
        label="Model",
        group="Where from",
        text="Its attention decides the bytes of a token.",
        words={model.key: model.label for model in MODELS},
    ),
    Pick(
        name="chip",
        label="Chip",
        group="Where from",
        text="Its memory, its compute and its way to host memory.",
        words={chip.key: chip.label for chip in CHIPS},
    ),
    Pick(
        name="precision",
        label="Weights in",
        group="Model",
        text="Decides the size of the weights and which rate of the chip counts.",
        words={precision.key: precision.label for precision in PRECISIONS},
    ),
    Pick(name="kv", label="KV cache in", group="Model", text="The format of attention state.", words=KV_FORMATS),
    Pick(
        name="policy",
        label="Tiers are",
        group="Memory below HBM",
        text="Write-through tiers repeat what HBM holds; tiers written on eviction add to it.",
        words=POLICIES,
    ),
    Pick(
        name="copies",
        label="Copies of what is not cut",
        group="Memory below HBM",
        text="Latent attention lies whole on every rank; most connectors park a copy for each.",
        words=COPIES,
    ),
    Pick(
        name="link",
        label="Host memory by",
        group="Compute and links",
        text="The link from host memory to each chip.",
        words={key: LINKS[key].label for key in DRAM_LINKS},
    ),
    Pick(
        name="drive",
        label="Drives",
        group="Compute and links",
        text="The generation of the server's drives.",
        words={key: LINKS[key].label for key in DRIVES},
    ),
)

AMOUNTS: tuple[Amount, ...] = (
    Amount(
        name="sessions", label="Open conversations", unit="", group="Load", text="Agents or users at once.", least=1
    ),
    Amount(name="context", label="Context of one", unit="tokens", group="Load", text="Mean length.", least=1),
    Amount(
        name="write",
        label="Tokens computed",
        unit="tok/s",
        group="Load",
        text="Prompt tokens that no cache served, plus output: what is written.",
        above_zero=False,
    ),
    Amount(
        name="read",
        label="Tokens reloaded",
        unit="tok/s",
        group="Load",
        text="Prompt tokens that tiers below HBM serve.",
        above_zero=False,
    ),
    Amount(name="bytes", label="KV bytes", unit="B/token", group="Model", text="One full copy of a token's state."),
    Amount(name="rank_bytes", label="KV bytes a rank", unit="B/token", group="Model", text="What each rank holds."),
    Amount(
        name="state",
        label="State checkpoint",
        unit="MB",
        group="Model",
        text="Recurrent state over all ranks, at any length.",
        above_zero=False,
    ),
    Amount(
        name="checkpoints",
        label="Checkpoints kept",
        unit="each",
        group="Model",
        text="State checkpoints of one conversation.",
        above_zero=False,
        whole=True,
    ),
    Amount(name="active", label="Active parameters", unit="billion", group="Model", text="Of one token."),
    Amount(
        name="attention",
        label="Attention",
        unit="FLOP/token²",
        group="Model",
        text="For one token and one token before it: 2 · layers · query heads · width. 0 counts weights alone.",
        above_zero=False,
    ),
    Amount(name="chips", label="Chips", unit="", group="Server", text="All of them.", least=1, most=1e6, whole=True),
    Amount(
        name="tp",
        label="Ranks a conversation",
        unit="",
        group="Server",
        text="Chips that serve one conversation together; 1 with data-parallel attention.",
        least=1,
        most=1e6,
        whole=True,
    ),
    Amount(name="hbm_tokens", label="HBM pool", unit="tokens", group="Server", text="As the engine logs it."),
    Amount(name="hbm_gb", label="HBM a chip", unit="GB", group="Server", text="Usable."),
    Amount(
        name="weights_gb", label="Weights", unit="GB", group="Server", text="On all chips together.", above_zero=False
    ),
    Amount(name="util", label="HBM in use", unit="fraction", group="Server", text="What the engine may take.", most=1),
    Amount(
        name="reserve_gb",
        label="Kept free a chip",
        unit="GB",
        group="Server",
        text="Activations and graphs.",
        above_zero=False,
    ),
    Amount(name="dram_gb", label="DRAM pool", unit="GB", group="Memory below HBM", text="All ranks.", above_zero=False),
    Amount(
        name="dram_tokens",
        label="DRAM pool",
        unit="tokens",
        group="Memory below HBM",
        text="Where it is logged.",
        above_zero=False,
    ),
    Amount(
        name="drives",
        label="Drives",
        unit="",
        group="Memory below HBM",
        text="In the server.",
        whole=True,
        least=1,
        most=64,
    ),
    Amount(
        name="nvme_tb", label="NVMe pool", unit="TB", group="Memory below HBM", text="All drives.", above_zero=False
    ),
    Amount(
        name="nvme_tokens",
        label="NVMe pool",
        unit="tokens",
        group="Memory below HBM",
        text="Where it is logged.",
        above_zero=False,
    ),
    Amount(name="tflops", label="Peak a chip", unit="TFLOPS", group="Compute and links", text="Dense."),
    Amount(
        name="eta", label="Reached in prefill", unit="fraction", group="Compute and links", text="Of the peak.", most=1
    ),
    Amount(
        name="trec",
        label="Recompute, measured",
        unit="µs/token",
        group="Compute and links",
        text="Instead of what follows from parameters and peak.",
    ),
    Amount(
        name="start_ms",
        label="Before the first byte",
        unit="ms",
        group="Compute and links",
        text="Lookup, scheduling, queue.",
        above_zero=False,
    ),
    Amount(
        name="ports",
        label="400G ports",
        unit="",
        group="Compute and links",
        text="Of the server.",
        least=1,
        most=1e6,
        whole=True,
    ),
    Amount(name="dram_usd_gb", label="DRAM", unit="$/GB", group="Prices and wear", text="Bought.", above_zero=False),
    Amount(name="nvme_usd_gb", label="NVMe", unit="$/GB", group="Prices and wear", text="Bought.", above_zero=False),
    Amount(name="years", label="In use for", unit="years", group="Prices and wear", text="Straight line."),
    Amount(
        name="dwpd", label="Drives rated for", unit="writes/day", group="Prices and wear", text="Whole drive writes."
    ),
)

PARAMETERS: tuple[str, ...] = (
    "point",
    *(pick.name for pick in PICKS),
    *(amount.name for amount in AMOUNTS),
    "snapshot",
    "preview",
)
GROUPS: tuple[Group, ...] = (
    "Where from",
    "Load",
    "Model",
    "Server",
    "Memory below HBM",
    "Compute and links",
    "Prices and wear",
)

_PICK = {pick.name: pick for pick in PICKS}
_AMOUNT = {amount.name: amount for amount in AMOUNTS}
_RESOLVED = {"model": MODELS, "chip": CHIPS, "precision": PRECISIONS, "link": LINKS, "drive": LINKS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What was given, and nothing else: `words` and `numbers` in the order of PICKS and AMOUNTS."""

    point: str | None = None
    words: tuple[tuple[str, str], ...] = ()
    numbers: tuple[tuple[str, float], ...] = ()
    snapshot: str | None = None
    preview: str | None = None

    def word(self, name: str) -> str | None:
        return dict(self.words).get(name)

    def number(self, name: str) -> float | None:
        return dict(self.numbers).get(name)

    def pairs(self) -> list[Pair]:
        """The shortest parameters that parse back to these inputs, in a fixed order."""
        return [
            *([("point", self.point)] if self.point else []),
            *self.words,
            *((name, number_text(value)) for name, value in self.numbers),
            *([("snapshot", self.snapshot)] if self.snapshot else []),
            *([("preview", self.preview)] if self.preview else []),
        ]

    def query(self) -> str:
        return urlencode(self.pairs())


def parse(pairs: Iterable[Pair]) -> tuple[Inputs, list[Problem]]:
    """The inputs that parameters give, and what could not be read of them. Never raises."""
    problems: list[Problem] = []
    given: dict[str, str] = {}
    for name, value in pairs:
        text = value.strip()
        if name not in PARAMETERS:
            problems.append(
                Problem(name, value, f"there is no parameter {short(name)!r}; there are {', '.join(PARAMETERS)}")
            )
        elif text and given.setdefault(name, text) != text:
            problems.append(
                Problem(
                    name, value, f"{name} is given twice, as {short(given[name])!r} and {short(text)!r}: give it once"
                )
            )
    words = [(name, _word(_PICK[name], given[name], problems)) for name in _PICK if name in given]
    numbers = [(name, _number(_AMOUNT[name], given[name], problems)) for name in _AMOUNT if name in given]
    return (
        Inputs(
            point=given.get("point"),
            words=tuple((name, word) for name, word in words if word is not None),
            numbers=tuple((name, number) for name, number in numbers if number is not None),
            snapshot=given.get("snapshot"),
            preview=given.get("preview"),
        ),
        problems,
    )


def parse_query(text: str) -> tuple[Inputs, list[Problem]]:
    return parse(parse_qsl(text, keep_blank_values=True))


def _word(pick: Pick, value: str, problems: list[Problem]) -> str | None:
    if value in pick.words:
        return value
    vocabulary = _RESOLVED.get(pick.name)
    term = vocabulary.resolve(value) if vocabulary is not None else None
    if term is not None and term.key in pick.words:
        return term.key
    problems.append(_problem(pick.name, value, f"expected one of {', '.join(pick.words)}"))
    return None


def _number(amount: Amount, value: str, problems: list[Problem]) -> float | None:
    try:
        number = float(value.replace(",", "").replace("_", ""))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        problems.append(_problem(amount.name, value, "a number is expected"))
    elif number < amount.least or number > amount.most or (amount.above_zero and number <= 0):
        problems.append(_problem(amount.name, value, f"expected {bounds_text(amount)}"))
    elif amount.whole and not number.is_integer():
        problems.append(_problem(amount.name, value, "a whole number is expected"))
    else:
        return number
    return None


def _problem(name: str, value: str, detail: str) -> Problem:
    return Problem(name, value, f"{name}={short(value)}: {detail}")


def bounds_text(amount: Amount) -> str:
    low = "more than 0" if amount.above_zero and amount.least == 0 else f"at least {number_text(float(amount.least))}"
    return low if amount.most == 1e15 else f"{low} and at most {number_text(float(amount.most))}"


def amounts_of(group: Group) -> Sequence[Amount]:
    return [amount for amount in AMOUNTS if amount.group == group]


def picks_of(group: Group) -> Sequence[Pick]:
    return [pick for pick in PICKS if pick.group == group]
