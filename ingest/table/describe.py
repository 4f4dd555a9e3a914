"""The columns of a Halo table as Markdown: `python -m ingest.table.describe` rewrites them in docs/halo_table.md."""

import re
from pathlib import Path

from ingest.table.groups import GROUPS, Column

START, END = "<!-- columns -->", "<!-- end of columns -->"
_KINDS = {
    "word": "word",
    "workload": "word",
    "text": "text",
    "number": "number",
    "count": "whole number",
    "flag": "true or false",
    "mode": "on, off or unknown",
    "kinds": "kinds",
    "tiers": "memories",
    "unused": "not read",
}
_GLOSSARY = ("Recipe", "Layout")
"""Groups whose words are many and grow; the glossary lists them."""


def columns() -> str:
    """A table for each group of columns."""
    parts = []
    for title, group in GROUPS.items():
        words = title not in _GLOSSARY
        rows = "\n".join(f"| `{c.name}` | {_holds(c)} | {_meaning(c, words=words)} |" for c in group)
        parts.append(f"### {title}\n\n| column | holds | meaning |\n|---|---|---|\n{rows}\n")
    return "\n".join(parts)


def described(page: str) -> str:
    """The page with its columns written anew."""
    return re.sub(
        f"{re.escape(START)}.*{re.escape(END)}", lambda _: f"{START}\n\n{columns()}\n{END}", page, flags=re.DOTALL
    )


def _holds(column: Column) -> str:
    return f"{_KINDS[column.reads]}, {column.unit}" if column.unit else _KINDS[column.reads]


def _meaning(column: Column, *, words: bool) -> str:
    text = column.text.replace("|", "\\|")
    if column.words is None or not words:
        return text
    return f"{text} {', '.join(f'`{term.key}`' for term in column.words)}"


if __name__ == "__main__":
    path = Path(__file__).resolve().parents[2] / "docs" / "halo_table.md"
    path.write_text(described(path.read_text(encoding="utf-8")), encoding="utf-8")
