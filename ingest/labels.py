"""Labels of runs whose files are all called alike: the folder that tells them apart."""

import re

from ingest.document import Document

_ALIKE = re.compile(
    r"(?:profile_export(?:_aiperf)?|results?|summary|benchmarks?|metrics|output|report|benchmark_report)\.\w+"
)
"""Names that a tool gives to the file of every run."""
_PLAIN = re.compile(
    r"(?:aiperf[_-]?)?artifacts?|results?|outputs?|logs?|data|profile_runs|runs?|benchmarks?|json", re.IGNORECASE
)
_TELLS_LITTLE = 16
_LONGEST = 73
_HEAD = 50


def telling_label(document: Document) -> str | None:
    """The folders that tell a run apart whose file's own name does not; None where its name does, or none does."""
    if not _ALIKE.fullmatch(document.name.lower()):
        return None
    telling = [folder for folder in document.folders if not _PLAIN.fullmatch(folder)]
    if not telling:
        return None
    label = telling[-1]
    if len(label) < _TELLS_LITTLE and len(telling) > 1:
        label = f"{telling[-2]}/{label}"
    return label if len(label) <= _LONGEST else f"{label[:_HEAD]}..{label[_HEAD + 2 - _LONGEST :]}"
