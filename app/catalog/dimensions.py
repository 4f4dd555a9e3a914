"""What a point may be filtered, grouped and colored by: the words of its recipe, its workload and its offload."""

from collections.abc import Callable
from dataclasses import dataclass

from app.catalog.chips import CHIPS
from app.catalog.engines import ENGINES, ORCHESTRATORS
from app.catalog.models import MODELS
from app.catalog.offload import BACKENDS, TIERS
from app.catalog.origins import ORIGINS
from app.catalog.precisions import PRECISIONS
from app.catalog.speculation import SPECULATIONS
from app.catalog.vocabulary import Term, Vocabulary, raw_of
from app.catalog.workloads import workload_key, workload_label, workload_order

NOT_REPORTED = "not reported"
UNKNOWN = "unknown"
"""The filter value that means: the record does not say."""

MODES: Vocabulary[Term] = Vocabulary(
    "offload mode",
    [
        Term(key="on", label="offload on", text="Some kind of offload was in use."),
        Term(key="off", label="offload off", text="The record says that nothing was offloaded."),
        Term(key=UNKNOWN, label="offload not reported", text="The record does not say whether anything was offloaded."),
    ],
)

YES_NO: Vocabulary[Term] = Vocabulary(
    "answer",
    [Term(key="true", label="yes", aliases=("1", "on")), Term(key="false", label="no", aliases=("0", "off"))],
)


@dataclass(frozen=True, kw_only=True)
class Dimension(Term):
    """A named property of a point. `column` is where the store keeps it; `many` when a point has several values.

    `link` dimensions filter a view by their key. `supply` ones may be given with `--set`. `closed` ones hold no
    words beyond their vocabulary, others also `other:<word>`.
    """

    column: str
    vocabulary: Vocabulary[Term] | None = None
    reads: Callable[[str], str | None] | None = None
    closed: bool = False
    link: bool = True
    color: bool = True
    supply: bool = True
    many: bool = False
    number: bool = False
    nothing: str = NOT_REPORTED
    """What pages print where a point has no value."""

    def resolve(self, spelling: str) -> str | None:
        """The value that a spelling in a link or in `--set` means; None when it cannot mean one."""
        text = spelling.strip()
        if not text or text == UNKNOWN:
            return text or None
        if self.reads is not None:
            return self.reads(text)
        if self.vocabulary is None:
            return text
        if self.closed:
            term = self.vocabulary.resolve(text)
            return term.key if term else None
        return self.vocabulary.key_of(text)

    def label_of(self, value: str | None) -> str:
        """What a page prints for a stored value."""
        if value is None:
            return self.nothing
        if self.key == WORKLOAD:
            return workload_label(value) or value
        term = self.vocabulary.get(value) if self.vocabulary else None
        return term.label if term else raw_of(value)

    def order(self, value: str | None) -> tuple[float | str, ...]:
        """A sort key: the vocabulary's order, numbers by size, unknown words by their text, None last."""
        if self.key == WORKLOAD:
            return workload_order(value)
        if self.vocabulary is not None:
            return self.vocabulary.order(value)
        if value is None:
            return (1, 0, "")
        return (0, float(value), "") if self.number else (0, 0, value)


def _whole(text: str) -> str | None:
    # Fifteen digits are exact as the float that a column holds.
    return str(int(text)) if text.isascii() and text.isdigit() and len(text) <= 15 else None


WORKLOAD = "workload"

DIMENSIONS: Vocabulary[Dimension] = Vocabulary(
    "dimension",
    [
        Dimension(key="model", label="Model", column="model", vocabulary=MODELS),
        Dimension(key=WORKLOAD, label="Workload", column="workload", reads=workload_key),
        Dimension(key="chip", label="Chip", column="chip", aliases=("hardware", "hw", "gpu"), vocabulary=CHIPS),
        Dimension(
            key="chip_count", label="Chips", column="chip_count", aliases=("num_gpus",), number=True, reads=_whole
        ),
        Dimension(key="engine", label="Engine", column="engine", aliases=("framework",), vocabulary=ENGINES),
        Dimension(key="orchestrator", label="Orchestrator", column="orchestrator", vocabulary=ORCHESTRATORS),
        Dimension(key="engine_version", label="Engine version", column="engine_version"),
        Dimension(key="precision", label="Precision", column="precision", vocabulary=PRECISIONS),
        Dimension(key="spec", label="Speculation", column="spec", aliases=("spec_decoding",), vocabulary=SPECULATIONS),
        Dimension(key="layout", label="Parallelism", column="layout", supply=False),
        Dimension(
            key="disaggregated",
            label="Disaggregated",
            column="disaggregated",
            aliases=("disagg",),
            vocabulary=YES_NO,
            closed=True,
        ),
        # A view's `offload` takes modes and kinds alike and is read apart; as a color these two stand alone.
        Dimension(
            key="offload",
            label="Offload",
            column="offload_mode",
            vocabulary=MODES,
            closed=True,
            link=False,
            supply=False,
        ),
        Dimension(
            key="kind", label="Offload kind", column="offload_kind", link=False, supply=False, nothing="no offload"
        ),
        Dimension(
            key="backend", label="Offload backend", column="offload_backend", vocabulary=BACKENDS, nothing="none named"
        ),
        Dimension(key="tier", label="Tier", column="offload_tiers", vocabulary=TIERS, many=True, color=False),
        Dimension(key="run", label="Run", column="run", supply=False),
        Dimension(key="origin", label="Origin", column="origin", vocabulary=ORIGINS, closed=True),
        Dimension(key="source", label="Source", column="source", supply=False),
        Dimension(
            key="concurrency", label="Concurrency", column="concurrency", aliases=("conc",), number=True, reads=_whole
        ),
    ],
)
"""Every dimension, in the order that filters and tables show them. The key is the word in links and in `--set`."""

LINK_FILTERS: tuple[str, ...] = tuple(dimension.key for dimension in DIMENSIONS if dimension.link)
COLOR_CHOICES: tuple[str, ...] = tuple(dimension.key for dimension in DIMENSIONS if dimension.color)
SUPPLIED: tuple[str, ...] = tuple(dimension.key for dimension in DIMENSIONS if dimension.supply)
SERIES_DIMENSIONS = ("chip", "engine", "precision", "spec")
"""What a series is by default: one chip x engine x precision x speculation."""
