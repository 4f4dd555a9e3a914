"""Markdown as GitHub reads it: tables whose cells hold any text."""

import re
from collections.abc import Sequence

_MARKUP = re.compile(r"[\\|`*<\[~]|(?<!\w)_|_(?!\w)")
"""What Markdown reads in a text. An underscore within a word is none."""
_LINKING = re.compile(
    r"(?<![A-Za-z0-9_])@(?=\w)|@(?=[\w.-]*\.)|#(?=\d)|(?i:\bGH)-(?=\d)"
    r"|(?i:https?|ftp):(?=//)|(?i:www)\.|(?i:mailto|xmpp):"
)
"""Where GitHub would make a link or call somebody: a name, the number of an issue, a bare address."""
_APART = "\u200b"
"""A space of no width: GitHub honours no backslash before these."""


def cell(text: str) -> str:
    """A text that stays inside its cell, is no markup, calls nobody and links nowhere."""
    told = _LINKING.sub(lambda found: f"{found[0]}{_APART}", text)
    return " ".join(_MARKUP.sub(r"\\\g<0>", told).split())


def line(cells: Sequence[str]) -> str:
    """A row of a table, its cells already escaped or written as markup."""
    return f"| {' | '.join(cells)} |\n"


def table(heads: Sequence[str], numbers: Sequence[bool], rows: Sequence[Sequence[str]]) -> str:
    """A whole table; columns of numbers stand to the right."""
    rule = "|" + "|".join("---:" if number else "---" for number in numbers) + "|\n"
    return line(heads) + rule + "".join(map(line, rows))
