"""What became of every file, as the contract prints it: one entry a file found, and the totals."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from app.catalog.point import Json
from ingest.finish import NEEDS

NO_RESULT = ": not a result"
"""End of what is said of a record that was never meant as one, such as a warm-up. It is no doubt about the others."""

Role = Literal["results", "companion", "ignored", "refused"]
Verdict = Literal["new", "duplicate", "superseded"]


@dataclass(slots=True)
class FileReport:
    """The fate of one file. `refused` holds (where, reason)."""

    path: str
    source: str | None = None
    role: Role = "results"
    of: str | None = None
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    refused: list[tuple[str, str]] = field(default_factory=list)
    needs: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def points(self) -> int:
        return self.verdicts.total()

    def need(self, names: Iterable[str]) -> None:
        """Adds missing fields, in the order that the documentation lists them."""
        have = {*self.needs, *names}
        self.needs = [*(name for name in NEEDS if name in have), *sorted(have.difference(NEEDS))]

    def warn(self, warnings: Iterable[str]) -> None:
        self.warnings = list(dict.fromkeys((*self.warnings, *warnings)))

    def document(self) -> dict[str, Json]:
        return {
            "path": self.path,
            "source": self.source,
            "role": self.role,
            "of": self.of,
            "points": self.points,
            "new": self.verdicts["new"],
            "duplicates": self.verdicts["duplicate"],
            "superseded": self.verdicts["superseded"],
            "refused": [{"where": where, "reason": reason} for where, reason in self.refused],
            "needs": self.needs,
            "warnings": self.warnings,
        }


@dataclass(slots=True)
class Report:
    """What an ingest did. `offload` counts accepted results by mode, duplicates left out."""

    snapshot: str | None
    files: list[FileReport]
    offload: Counter[str] = field(default_factory=Counter)
    dry_run: bool = False

    def totals(self) -> dict[str, Json]:
        return {
            "files": len(self.files),
            "points": sum(file.points for file in self.files),
            "new": self._count("new"),
            "duplicates": self._count("duplicate"),
            "superseded": self._count("superseded"),
            "refused": sum(len(file.refused) for file in self.files),
            "offload": {mode: self.offload[mode] for mode in ("on", "off", "unknown")},
        }

    def document(self) -> dict[str, Json]:
        return {"snapshot": self.snapshot, "files": [file.document() for file in self.files], "totals": self.totals()}

    def exit_code(self, *, strict: bool) -> int:
        """0, or 1 when anything was refused and that was to count."""
        return 1 if strict and any(file.refused for file in self.files) else 0

    def _count(self, verdict: Verdict) -> int:
        return sum(file.verdicts[verdict] for file in self.files)


def report_of(document: Mapping[str, Json]) -> Report:
    """The report that a document was printed from: what another Halo answers is shown like one of our own."""
    files = [
        FileReport(
            path=file["path"],
            source=file["source"],
            role=file["role"],
            of=file["of"],
            verdicts=Counter({"new": file["new"], "duplicate": file["duplicates"], "superseded": file["superseded"]}),
            refused=[(each["where"], each["reason"]) for each in file["refused"]],
            needs=list(file["needs"]),
            warnings=list(file["warnings"]),
        )
        for file in document["files"]
    ]
    return Report(snapshot=document["snapshot"], files=files, offload=Counter(document["totals"]["offload"]))
