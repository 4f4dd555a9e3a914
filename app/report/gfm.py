"""Markdown as GitHub reads it: tables whose cells hold any text."""

import re
from collections.abc import Sequence

_MARKUP = re.compile(r"[\\|`*<\[~]|(?<!\w)_|_(?!\w)")
"""What Markdown reads in a text. An underscore within a word is none."""


def cell(text: str) -> str:
    """A text that stays inside its cell and is no markup."""
    return " ".join(_MARKUP.sub(r"\\\g<0>", text).split())


def line(cells: Sequence[str]) -> str:
    """A row of a table, its cells already escaped or written as markup."""
    return f"| {' | '.join(cells)} |\n"


def table(heads: Sequence[str], numbers: Sequence[bool], rows: Sequence[Sequence[str]]) -> str:
    """A whole table; columns of numbers stand to the right."""
    rule = "|" + "|".join("---:" if number else "---" for number in numbers) + "|\n"
    return line(heads) + rule + "".join(map(line, rows))
