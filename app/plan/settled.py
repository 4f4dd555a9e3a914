"""Inputs made whole: each number is the reader's, a point's, the catalog's, or an assumption, and says which."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from app.catalog.chips import CHIPS, EXAMPLE_CHIP, Chip
from app.catalog.geometry import KV_FORMATS, Geometry, KvFormat
from app.catalog.links import USUAL_DRAM_LINK, USUAL_DRIVE
from app.catalog.metrics import (
    COMPUTED_SHARE,
    HBM_POOL_TOKENS,
    INPUT_TOKENS_MEAN,
    INPUT_TPUT,
    OUTPUT_TOKENS_MEAN,
    OUTPUT_TPUT,
)
from app.catalog.models import EXAMPLE_MODEL, MODELS, Model
from app.catalog.offload import TIERS
from app.catalog.precisions import PRECISIONS
from app.plan import formulas
from app.plan.inputs import AMOUNTS, PICKS, Inputs

Row = Mapping[str, Any]
Origin = Literal["yours", "point", "catalog", "derived", "estimated", "assumed", "example", "unknown"]

HBM, DRAM, NVME = (TIERS[key].key for key in ("hbm", "host_dram", "local_nvme"))
_UNPROVEN = ("external", "unattributed")
_COPYING = ("write_through", "write_through_selective")
_MOVING = ("write_back", "on_evict", "lazy")
_USUAL_PRECISION = "fp8"
_MOST_RANKS = 8
_SERVER_DRAM_GB = 3000
_DRIVE_TB = 7.68
_WEIGHT_BITS = {4: 4.5}
"""Formats of four bits carry scales: about 4.5 bits a parameter."""


@dataclass(frozen=True, slots=True)
class Known:
    """A value with where it comes from, in a word and in words. None where nobody said."""

    value: float | str | None
    origin: Origin
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """Every input with its value. `estimate` says why the HBM pool is what it is."""

    inputs: Inputs
    known: Mapping[str, Known]
    model: Model | None
    chip: Chip | None
    form: KvFormat
    title: str | None = None
    point_id: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def geometry(self) -> Geometry | None:
        return self.model.geometry if self.model else None

    def number(self, name: str) -> float | None:
        value = self.known[name].value
        return value if isinstance(value, int | float) else None

    def word(self, name: str) -> str:
        return str(self.known[name].value or "")

    @property
    def stored_per_token(self) -> float | None:
        """Bytes below HBM for one distinct token, copies and the state checkpoints of a mean conversation included."""
        return _stored(self.known)


def settle(inputs: Inputs, row: Row | None = None, title: str | None = None) -> Settled:
    """The inputs with what follows from a point's stored row, or from model and chip where there is none."""
    made = _Making(inputs, row)
    made.words()
    made.load()
    made.state()
    made.server()
    made.pools()
    made.compute()
    made.prices()
    order = [*(pick.name for pick in PICKS), *(amount.name for amount in AMOUNTS)]
    return Settled(
        inputs=inputs,
        known={name: made.known[name] for name in order},
        model=made.model,
        chip=made.chip,
        form=made.form,
        title=title,
        point_id=row["id"] if row else None,
        notes=tuple(made.notes),
    )


@dataclass(slots=True)
class _Making:
    """The table in the making: later entries read earlier ones."""

    inputs: Inputs
    row: Row | None
    known: dict[str, Known] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    model: Model | None = None
    chip: Chip | None = None
    form: KvFormat = "fp8"

    def put(self, name: str, value: float | str | None, origin: Origin, said: str) -> None:
        """The reader's own value, else this one."""
        own: float | str | None = self.inputs.word(name)
        own = self.inputs.number(name) if own is None else own
        if own is not None:
            self.known[name] = Known(own, "yours", "yours")
        else:
            usual = value if value is None or isinstance(value, str) else float(value)
            self.known[name] = Known(usual, origin if value is not None else "unknown", said)

    def get(self, name: str) -> float | None:
        value = self.known[name].value
        return value if isinstance(value, int | float) else None

    def changed(self, *names: str) -> bool:
        """Whether the reader departs from what the point was measured with."""
        return any(self.known[name].origin == "yours" for name in names if name in self.known)

    def words(self) -> None:
        row = self.row
        self.put("model", *_from(row, "model", EXAMPLE_MODEL, MODELS))
        self.put("chip", *_from(row, "chip", EXAMPLE_CHIP, CHIPS))
        self.model = MODELS.get(str(self.known["model"].value))
        self.chip = CHIPS.get(str(self.known["chip"].value))
        self.put("precision", *_from(row, "precision", _USUAL_PRECISION, PRECISIONS, "assumed"))
        self.put("kv", *self._format())
        self.form = cast("KvFormat", self.known["kv"].value)
        self.put("policy", *self._policy())
        self.put("copies", "each", "assumed", "assumed: most connectors keep one for each rank")
        host = self.chip.links.host if self.chip and self.chip.links else None
        self.put(
            "link", host or USUAL_DRAM_LINK, "catalog" if host else "assumed", "of the chip" if host else "assumed"
        )
        self.put("drive", USUAL_DRIVE, "assumed", "assumed")

    def _format(self) -> tuple[str, Origin, str]:
        forms = self.model.geometry.formats if self.model and self.model.geometry else tuple(KV_FORMATS)
        precision = PRECISIONS.get(str(self.known["precision"].value))
        usual = "bf16" if precision and precision.bits >= 16 else "fp8"
        found = usual if usual in forms else forms[0]
        return found, "assumed", "assumed, as results rarely say it" if len(forms) > 1 else "the one that is documented"

    def _policy(self) -> tuple[str, Origin, str]:
        key = self.row["detail"]["offload"].get("write_policy") if self.row else None
        if key in _COPYING:
            return "inclusive", "point", "from the point: written through"
        if key in _MOVING:
            return "exclusive", "point", "from the point: written when HBM lets go"
        return "inclusive", "assumed", "assumed: written through"

    def load(self) -> None:
        row = self.row
        self.put("sessions", *_number(row, "concurrency", 32))
        lengths = [row[INPUT_TOKENS_MEAN], row[OUTPUT_TOKENS_MEAN]] if row else []
        mean = sum(value for value in lengths if value) if lengths and lengths[0] else None
        self.put("context", *_or_example(mean, "from the point: mean prompt and answer", 64_000))
        self.put("write", *self._written())
        self.put("read", *self._reloaded())

    def _written(self) -> tuple[float | None, Origin, str]:
        if self.row is None:
            return 20_000, "example", "an example"
        prompt, output, share = (self.row[key] for key in (INPUT_TPUT, OUTPUT_TPUT, COMPUTED_SHARE))
        if prompt is None or output is None:
            return None, "unknown", "the point does not report throughput of prompt and answer"
        if share is None:
            return (
                prompt + output,
                "point",
                f"from the point{self._load()}, as if no cache had served: no share reported",
            )
        return prompt * share + output, "point", f"from the point{self._load()}: prompt · computed share + output"

    def _reloaded(self) -> tuple[float | None, Origin, str]:
        if self.row is None:
            return None, "unknown", "not known: give it, and the links are checked against it"
        offload, flags = self.row["detail"]["offload"], self.row["detail"]["cache"]["flags"]
        hidden = {HBM, *(_UNPROVEN if "kv" not in offload["kinds"] else ())}
        hidden |= {"external"} if "external_includes_pd" in flags else set()
        below = {medium.share_metric: medium for medium in TIERS if medium.key not in hidden}
        known = {metric: share for metric in below if (share := self.row[metric]) is not None}
        if self.row[INPUT_TPUT] is None or not known:
            return None, "unknown", "the point does not report what tiers below HBM served"
        vague = [below[metric].label for metric in known if below[metric].key in _UNPROVEN and known[metric] > 0]
        said = f"; all of {' and of '.join(vague)} counts, though the record does not prove the memory" if vague else ""
        read = self.row[INPUT_TPUT] * sum(known.values())
        return read, "point", f"from the point{self._load()}: prompt · shares below HBM{said}"

    def _load(self) -> str:
        """Rates hold for the load that they were measured at."""
        return ", at its own load" if self.changed("sessions", "context") else ""

    def state(self) -> None:
        found = self.model.geometry if self.model else None
        source = f"{found.source}, {found.date}" if found else "no geometry is known for this model: give it"
        self.put("chips", *_number(self.row, "chip_count", 8))
        self.put("tp", *self._ranks())
        tp = int(self.get("tp") or 1)
        whole = found.kv_bytes_per_token(self.form) if found else None
        rank = found.per_rank(tp, self.form) if found else None
        self.put(
            "bytes", whole, "catalog", source if whole is not None or not found else "not documented in this format"
        )
        given = self.get("bytes")
        if self.known["bytes"].origin == "yours" and given is not None:
            rank = given * rank / whole if rank and whole else given
        said = f"on each of {tp} ranks" if found else "as if nothing were cut over ranks"
        self.put("rank_bytes", rank, "derived" if found else "assumed", said if rank is not None else source)
        state = found.state if found else None
        size = state.checkpoint / 1e6 if state and state.checkpoint is not None else None
        if state is None:
            self.put("state", 0, "catalog", "no recurrent state")
        else:
            self.put("state", size, "catalog", source if size is not None else "not documented: give it")
        self.put(
            "checkpoints", 1 if state else 0, "assumed", "assumed: the last one" if state else "no recurrent state"
        )

    def _ranks(self) -> tuple[float, Origin, str]:
        layout = self.row["detail"]["layout"] if self.row else {}
        role = layout.get("whole") or layout.get("prefill") or {}
        if role.get("dp_attention"):
            return 1, "point", "from the point: data-parallel attention"
        if role.get("tp"):
            return role["tp"], "point", "from the point"
        return min(_MOST_RANKS, self.get("chips") or 1), "assumed", "assumed: all chips, 8 at most"

    def server(self) -> None:
        chip, precision = self.chip, PRECISIONS.get(str(self.known["precision"].value))
        memory = chip.memory if chip else None
        self.put("hbm_gb", memory.usable_gb if memory else None, "catalog", "of the chip" if memory else "not listed")
        total = self.model.geometry.total if self.model and self.model.geometry else None
        bits = _WEIGHT_BITS.get(precision.bits, precision.bits) if precision else 8
        weights = total * bits / 8 / 1e9 if total else None
        said = f"{total / 1e9:,.0f} billion parameters at {bits:g} bits, one copy" if total else "not known: give it"
        self.put("weights_gb", weights, "derived", said)
        self.put("util", 0.9, "assumed", "assumed: the usual setting")
        self.put("reserve_gb", 5, "assumed", "assumed")
        self.put("hbm_tokens", *self._hbm())

    def _hbm(self) -> tuple[float | None, Origin, str]:
        """Reported where the point still applies; estimated, and said to be; refused where that would mislead."""
        logged = _tier(self.row, HBM, "capacity_tokens") or (self.row[HBM_POOL_TOKENS] if self.row else None)
        others = self.changed("model", "chip", "precision", "kv", "bytes", "rank_bytes", "chips", "tp")
        if logged and not (others or self.changed("hbm_gb", "weights_gb", "util", "reserve_gb")):
            return logged, "point", "reported by the point"
        lead = "The point's own pool no longer applies. " if logged else ""
        found = self.model.geometry if self.model else None
        if found is not None and found.is_hybrid:
            return None, "unknown", f"{lead}Not estimated for this model: {found.pool_note} Give what the engine logs."
        parts = [self.get(name) for name in ("hbm_gb", "weights_gb", "util", "reserve_gb", "rank_bytes", "chips", "tp")]
        if any(part is None for part in parts):
            return None, "unknown", f"{lead}Not known: give it, or what it follows from."
        hbm, weights, util, reserve, rank, chips, tp = (part or 0.0 for part in parts)
        free = hbm * util - weights / chips - reserve
        if free <= 0:
            return (
                None,
                "unknown",
                f"{lead}The weights leave no room: {weights:,.0f} GB on {chips:g} chips of {hbm:g} GB.",
            )
        tokens = formulas.pool_tokens(free * 1e9, rank, max(1.0, chips / tp))
        return (
            tokens,
            "estimated",
            f"{lead}Estimated: what weights and reserve leave of HBM, over the bytes of a token.",
        )

    def pools(self) -> None:
        own = self.changed("model", "kv", "bytes", "rank_bytes", "tp", "chips", "copies")
        budget = _SERVER_DRAM_GB * (self.get("chips") or 1) / 8
        said = "assumed: the AgentX budget, 3 TB for a server of 8 chips"
        reported = self._bytes_of(DRAM)
        self.put("dram_gb", *(reported or (budget, "assumed", said)))
        self.put("drives", 1, "assumed", "assumed")
        flash = self._bytes_of(NVME)
        usual = (self.get("drives") or 1) * _DRIVE_TB
        self.put(
            "nvme_tb",
            *(
                (flash[0] / 1e3, flash[1], flash[2])
                if flash
                else (usual, "assumed", f"assumed: {_DRIVE_TB} TB a drive")
            ),
        )
        for tier, name, size, scale in ((DRAM, "dram_tokens", "dram_gb", 1e9), (NVME, "nvme_tokens", "nvme_tb", 1e12)):
            logged = _tier(self.row, tier, "capacity_tokens")
            if logged and not own and not self.changed(size):
                self.put(name, logged, "point", "reported by the point")
                continue
            each = self.stored_per_token()
            held = (self.get(size) or 0) * scale
            tokens = held / each if each else None
            self.put(name, tokens, "derived", "bytes of the pool over bytes stored for a token")

    def stored_per_token(self) -> float | None:
        return _stored(self.known)

    def _bytes_of(self, medium: str) -> tuple[float, Origin, str] | None:
        """Gigabytes of a tier in the point, all ranks together."""
        size, scope = _tier(self.row, medium, "capacity_bytes"), _tier(self.row, medium, "scope")
        if not size:
            return None
        per_rank = scope in ("per_rank", "per_process")
        chips = self.get("chips") or 1
        said = f"from the point, {chips:g} ranks together" if per_rank else "from the point"
        return float(size) * (chips if per_rank else 1) / 1e9, "point", said

    def compute(self) -> None:
        found = self.model.geometry if self.model else None
        source = f"{found.source}, {found.date}" if found else "not known: give it"
        active = found.active / 1e9 if found and found.active else None
        self.put("active", active, "catalog", source)
        attention = found.attention if found else None
        said = source if attention else "0: sparse or not documented, so weights alone count"
        self.put("attention", attention or 0, "catalog", said)
        self.put("tflops", *self._peak())
        self.put("eta", 0.4, "assumed", "assumed: 0.35 to 0.5 are usual")
        self.put("trec", None, "unknown", "not measured")
        self.put("start_ms", 10, "assumed", "assumed")
        self.put("ports", self.get("chips"), "assumed", "assumed: one a chip")

    def _peak(self) -> tuple[float | None, Origin, str]:
        """The rate for the weights' format, or for the next wider one that the chip has."""
        precision = PRECISIONS.get(str(self.known["precision"].value))
        if self.chip is None or precision is None:
            return None, "unknown", "not known: give it"
        if found := self.chip.rates.of(precision):
            name, rate = found
            return rate, "catalog", f"of the chip, dense {name}"
        return None, "unknown", "not listed for this chip: give it"

    def prices(self) -> None:
        placeholder = "a placeholder, no quote: put your own"
        self.put("dram_usd_gb", 10, "assumed", placeholder)
        self.put("nvme_usd_gb", 0.2, "assumed", placeholder)
        self.put("years", 4, "assumed", "assumed")
        self.put("dwpd", 1, "assumed", "assumed: read-intensive drives")


def _stored(known: Mapping[str, Known]) -> float | None:
    values = {name: known[name].value for name in ("rank_bytes", "bytes", "context", "tp", "state", "checkpoints")}
    rank, whole, context, tp, state, kept = (
        float(value) if isinstance(value, int | float) else None for value in values.values()
    )
    if rank is None or whole is None or not context:
        return None
    copied = rank * (tp or 1) if known["copies"].value == "each" else whole
    return copied + (state or 0) * 1e6 * (kept or 0) / context


def _from(
    row: Row | None, name: str, usual: str, vocabulary: Any, otherwise: Origin = "example"
) -> tuple[str | None, Origin, str]:
    if row is None:
        return usual, otherwise, "assumed" if otherwise == "assumed" else "an example"
    key = row[name]
    if key in vocabulary:
        return key, "point", "from the point"
    return None, "unknown", "the point does not say" if key is None else "the point's is not in the catalog"


def _number(row: Row | None, name: str, example: float) -> tuple[float | None, Origin, str]:
    return _or_example(row[name] if row else None, "from the point", example)


def _or_example(value: float | None, said: str, example: float) -> tuple[float | None, Origin, str]:
    return (value, "point", said) if value else (example, "example", "an example, as nothing reports it")


def _tier(row: Row | None, medium: str, name: str) -> Any:
    tiers: Sequence[Mapping[str, Any]] = row["detail"]["offload"]["tiers"] if row else ()
    return next((tier[name] for tier in tiers if tier["medium"] == medium), None)
