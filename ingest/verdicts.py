"""The report for people: what was taken from where, what was refused and why, and what is still missing."""

import os
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ingest.reading import UNREAD
from ingest.report import NO_RESULT, FileReport, Report
from ingest.sources import SOURCES
from ingest.strangers import ANYTHING_ELSE

_ROWS = 30
"""More files than this are told by folder."""
_SENTENCES = 12
_EXAMPLES = 2
_FOLDED = 4
"""From so many run folders below one parent, they are one line."""
_LEAST_NAME = 24


def show(report: Report, console: Console, *, verbose: bool = False) -> None:
    """Prints the verdict of an ingest; `verbose` names every folder of runs, at full length."""
    taken = [file for file in report.files if file.points]
    if taken:
        console.print(_table(taken, console, verbose=verbose))
    _refusals(console, report.files)
    _grouped(console, "Left aside", [(w, f.path) for f in report.files if f.role == "ignored" for w in f.warnings])
    said = [(warning, file.path) for file in taken for warning in file.warnings]
    _grouped(console, "Passed over", [one for one in said if one[0].endswith(NO_RESULT)])
    _grouped(console, "Read with a doubt", [one for one in said if not one[0].endswith(NO_RESULT)])
    told = [file for file in report.files if file.role == "companion" and file.of is None]
    _grouped(console, "Sidecars", [(warning, file.path) for file in told for warning in file.warnings])
    _needs(console, report.files)
    console.print(Text(_summary(report), style="bold"))


def _table(files: list[FileReport], console: Console, *, verbose: bool) -> Table:
    """What was taken, with only the columns that say something."""
    by_folder = len(files) > _ROWS
    names = [file.path.rpartition("/")[0] or "." if by_folder else file.path for file in files]
    shared = _shared_folder(names)
    groups: dict[tuple[str, str], list[FileReport]] = defaultdict(list)
    for file, name in zip(files, names, strict=True):
        groups[name.removeprefix(shared), file.source or ""].append(file)
    lines = [_Line(name, source, _counts(members)) for (name, source), members in groups.items()]
    if not verbose:
        lines = _folded(lines, by_folder=by_folder)
    shown = [heading for heading in _HEADINGS if any(line.counts[heading] > (heading == "Files") for line in lines)]
    place = "Folder" if by_folder else "File"
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(f"{place} in {shared}" if shared else place, overflow="fold", ratio=1)
    table.add_column("Source", no_wrap=True)
    for heading in shown:
        table.add_column(heading, justify="right", no_wrap=True)
    sources = max(len("Source"), *(len(line.source) for line in lines))
    room = console.width - sources - sum(len(heading) + 3 for heading in shown) - 5
    for line in lines:
        name = line.name if verbose or not console.is_terminal else _elided(line.name, max(_LEAST_NAME, room))
        table.add_row(Text(name), Text(line.source), *(str(line.counts[heading] or "·") for heading in shown))
    return table


_HEADINGS = ("Files", "New", "Superseded", "Known", "Refused")


@dataclass(frozen=True, slots=True)
class _Line:
    name: str
    source: str
    counts: Counter[str]

    @property
    def verdict(self) -> tuple[str, ...]:
        """What became of its files, whatever their number."""
        return (self.source, *(heading for heading in _HEADINGS[1:] if self.counts[heading]))


def _counts(files: Sequence[FileReport]) -> Counter[str]:
    return Counter(
        {
            "Files": len(files),
            "New": sum(file.verdicts["new"] for file in files),
            "Superseded": sum(file.verdicts["superseded"] for file in files),
            "Known": sum(file.verdicts["duplicate"] for file in files),
            "Refused": sum(len(file.refused) for file in files),
        }
    )


def _folded(lines: Sequence[_Line], *, by_folder: bool) -> list[_Line]:
    """Run folders of one parent and one verdict as one line with their number, in the order of the first of each."""
    below: Counter[tuple[str, tuple[str, ...]]] = Counter()
    for line in lines:
        below.update((parent, line.verdict) for parent in _parents(line.name, by_folder=by_folder))
    groups: dict[tuple[str, tuple[str, ...]], list[_Line]] = defaultdict(list)
    for line in lines:
        parents = _parents(line.name, by_folder=by_folder)
        fold = next((parent for parent in parents if below[parent, line.verdict] >= _FOLDED), None)
        groups[f"{fold}*" if fold is not None else line.name, line.verdict].append(line)
    return [
        members[0]
        if len(members) == 1
        else _Line(
            f"{name} ({len(members)} folders)",
            members[0].source,
            Counter({heading: sum(line.counts[heading] for line in members) for heading in _HEADINGS}),
        )
        for (name, _), members in groups.items()
    ]


def _parents(name: str, *, by_folder: bool) -> list[str]:
    """Folders that a folder of runs lies in, with their slash, the nearest first; a file's own folder is none."""
    parts = name.split("/")[:-1]
    found = ["".join(f"{part}/" for part in parts[:depth]) for depth in range(len(parts), -1, -1)]
    return found if by_folder else found[1:]


def _elided(name: str, room: int) -> str:
    """A name that fits, cut in its middle: sweeps differ in their ends."""
    if len(name) <= room:
        return name
    end = (room - 1) * 2 // 3
    return f"{name[: room - 1 - end]}…{name[-end:]}"


def _shared_folder(names: Sequence[str]) -> str:
    """The folder that all names lie in, with its slash; empty when they share none, or are one."""
    parents = [name.rpartition("/")[0] for name in set(names)]
    if len(parents) < 2 or not all(parents) or len({parent.startswith("/") for parent in parents}) > 1:
        return ""
    shared = os.path.commonpath(parents)
    return f"{shared.rstrip('/')}/" if shared else ""


def _refusals(console: Console, files: list[FileReport]) -> None:
    said = [(reason, _spot(file.path, where)) for file in files for where, reason in file.refused]
    _grouped(console, "Refused", said)
    if any(reason.startswith(UNREAD) for reason, _ in said):
        labels = ", ".join(source.label for source in SOURCES if source.role == "results")
        console.print(Text(f"  Formats that Halo reads: {labels}. {ANYTHING_ELSE}", style="dim"), soft_wrap=True)
        console.print()


def _grouped(console: Console, heading: str, said: Sequence[tuple[str, str]]) -> None:
    """Each sentence once, with how many places it is about and the first of them."""
    places: dict[str, list[str]] = defaultdict(list)
    for sentence, place in said:
        places[sentence].append(place)
    if not places:
        return
    console.print(Text(f"{heading}: {len(said)}", style="bold"))
    most_first = sorted(places.items(), key=lambda item: -len(item[1]))
    for sentence, where in most_first[:_SENTENCES]:
        console.print(Text(f"  {len(where):>4} × {sentence}"), soft_wrap=True)
        for place in where[:_EXAMPLES]:
            console.print(Text(f"         {place}", style="dim"), soft_wrap=True)
        if len(where) > _EXAMPLES:
            console.print(Text(f"         and {len(where) - _EXAMPLES} more", style="dim"))
    if rest := most_first[_SENTENCES:]:
        count = sum(len(where) for _, where in rest)
        console.print(Text(f"  {count:>4} × for {len(rest)} other reasons: --json lists them all"))
    console.print()


def _needs(console: Console, files: list[FileReport]) -> None:
    counts: dict[str, int] = defaultdict(int)
    for file in files:
        for name in file.needs:
            counts[name] += 1
    if not counts:
        return
    missing = ", ".join(f"{name} ({count} {_plural('file', count)})" for name, count in counts.items())
    console.print(Text("Not in the files:", style="bold"), Text(missing))
    console.print(Text(f"  say it when you ingest them again: --set {next(iter(counts))}=…", style="dim"))
    console.print(Text("  or in a halo.toml beside them, which `halo init FOLDER` starts for you", style="dim"))
    console.print()


def _summary(report: Report) -> str:
    totals = report.totals()
    offload = totals["offload"]
    words = [
        f"{totals['new']} new",
        *([f"{totals['superseded']} superseded"] if totals["superseded"] else []),
        f"{totals['duplicates']} known already",
        f"{totals['refused']} refused",
    ]
    text = f"{totals['files']} {_plural('file', totals['files'])}: {', '.join(words)}."
    if any(offload.values()):
        text += f" Offload on {offload['on']}, off {offload['off']}, not reported {offload['unknown']}."
    if report.dry_run:
        return f"{text} A dry run: nothing was written."
    return f"{text} Snapshot {report.snapshot}." if report.snapshot else text


def _spot(path: str, where: str) -> str:
    return path if where == "file" else f"{path}, {where}"


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"
