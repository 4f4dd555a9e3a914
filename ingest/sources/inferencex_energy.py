"""Measured power and energy of an InferenceX row: GPU boards only, and only as the second schema defines them.

Rows without a schema version used the same names for energy of one role, so theirs are not read.
"""

from app.catalog.metrics import POWER_PER_CHIP_W
from app.catalog.point import Json
from ingest.sources.fields import Fields
from ingest.sources.measures import JOULES

_SCHEMA = 2
_SLACK = 0.02
_FACTS = (
    "avg_total_gpu_power_w",
    "total_gpu_energy_j",
    "joules_per_successful_query",
    "prefill_gpu_energy_j",
    "decode_gpu_energy_j",
    "prefill_avg_power_w",
    "decode_avg_power_w",
    "prefill_joules_per_input_token",
    "decode_joules_per_output_token",
)


def energy_of(row: Fields, chip_count: int | None) -> tuple[dict[str, float], dict[str, Json], tuple[str, ...]]:
    """Metrics, facts and flags. Total over mean power is the number of boards, which checks the chip count for free."""
    if row.integer("power_metric_schema_version") != _SCHEMA:
        return {}, {}, ("power_unversioned",) if any(key in row for key in JOULES.values()) else ()
    if row.boolean("power_valid") is not True:
        reasons = row.row.get("power_invalid_reasons")
        return {}, {"power": {"valid": False, "reasons": reasons}} if reasons else {}, ("power_invalid",)
    metrics = {key: value for key in JOULES.values() if (value := row.number(key)) is not None and value > 0}
    mean, total = row.number("avg_power_w"), row.number("avg_total_gpu_power_w")
    if mean is not None and mean > 0:
        metrics[POWER_PER_CHIP_W] = mean
    facts: dict[str, Json] = {key: value for key in _FACTS if (value := row.number(key)) is not None}
    flags: tuple[str, ...] = ()
    if mean and total:
        boards = total / mean
        facts["boards"] = round(boards, 2)
        if chip_count and abs(boards - chip_count) > _SLACK * chip_count:
            flags = ("chip_count_disputed",)
    return metrics, {"power": facts}, flags
