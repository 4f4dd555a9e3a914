"""The chips of a point by the job they do, and how the model is spread over each."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.catalog.dimensions import DIMENSIONS
from app.catalog.point import Json

ROLES = {"whole": "All work", "prefill": "Prefill", "decode": "Decode"}
PARALLELISM = {"tp": "TP", "pp": "PP", "pcp": "PCP", "dcp": "DCP", "ep": "EP"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleLine:
    """`chips` and `workers` are None where the record does not say; `silent` names the parallelism left unsaid."""

    role: str
    chip: str | None
    chips: int | None
    workers: int | None
    spread: str
    silent: str


def role_lines(layout: Mapping[str, Json], chip: str | None, chip_count: int | None) -> tuple[RoleLine, ...]:
    """One line a role that the record describes; one for all chips where it describes none."""
    roles = [(key, layout[key]) for key in ROLES if layout[key]] or [("whole", {})]
    return tuple(_line(key, role, chip, chip_count) for key, role in roles)


def _line(key: str, role: Mapping[str, Json], chip: str | None, chip_count: int | None) -> RoleLine:
    own = role.get("chip") or chip
    stated = [f"{name} {role[kind]}" for kind, name in PARALLELISM.items() if role.get(kind) is not None]
    silent = [name for kind, name in PARALLELISM.items() if role.get(kind) is None]
    attention = role.get("dp_attention")
    if attention is None:
        silent.append("attention")
    else:
        stated.append("attention data parallel" if attention else "attention not data parallel")
    return RoleLine(
        role=ROLES[key],
        chip=DIMENSIONS["chip"].label_of(own) if own else None,
        chips=role.get("chips") or (chip_count if key == "whole" else None),
        workers=role.get("workers"),
        spread=" · ".join(stated),
        silent=", ".join(silent),
    )
