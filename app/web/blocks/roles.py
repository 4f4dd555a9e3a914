"""The chips of a point by the job they do, and how the model is spread over each."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.catalog.dimensions import DIMENSIONS
from app.catalog.point import Json

ROLES = {"whole": "All work", "prefill": "Prefill", "decode": "Decode"}
PARALLELISM = {"tp": "TP", "pp": "PP", "pcp": "PCP", "dcp": "DCP", "ep": "EP"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleLine:
    """`chips` is None where the record does not say; `spread` holds one text for each kind of parallelism."""

    role: str
    chip: str | None
    chips: int | None
    workers: int | None
    spread: tuple[int | None, ...]
    dp_attention: str | None


def role_lines(layout: Mapping[str, Json], chip: str | None, chip_count: int | None) -> tuple[RoleLine, ...]:
    """One line a role that the record describes; one for all chips where it describes none."""
    lines = []
    for key, name in ROLES.items():
        role = layout.get(key)
        if role is None:
            continue
        own = role.get("chip") or chip
        alone = key == "whole"
        attention = role.get("dp_attention")
        lines.append(
            RoleLine(
                role=name,
                chip=DIMENSIONS["chip"].label_of(own) if own else None,
                chips=role.get("chips") or (chip_count if alone else None),
                workers=role.get("workers"),
                spread=tuple(role.get(kind) for kind in PARALLELISM),
                dp_attention=None if attention is None else "yes" if attention else "no",
            )
        )
    return tuple(lines) or (
        RoleLine(
            role=ROLES["whole"],
            chip=DIMENSIONS["chip"].label_of(chip) if chip else None,
            chips=chip_count,
            workers=None,
            spread=(None,) * len(PARALLELISM),
            dp_attention=None,
        ),
    )
