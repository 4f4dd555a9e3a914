"""Closed lists of words, and how the spellings found in files lead to them."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar

OTHER = "other:"
"""Prefix of the key that a spelling gets when no term knows it. The raw text follows, so it can still be filtered."""


@dataclass(frozen=True, kw_only=True)
class Term:
    """One word: its key in files, links and JSON, its label on pages, and the other spellings it is met under."""

    key: str
    label: str
    aliases: tuple[str, ...] = ()
    text: str = ""


@lru_cache(maxsize=8192)
def folded(spelling: str) -> str:
    """The form in which spellings are compared: lower case, words joined by single hyphens."""
    return re.sub(r"[\s_\-]+", "-", spelling.strip().lower()).strip("-")


T_co = TypeVar("T_co", bound="Term", covariant=True)


class Vocabulary(Generic[T_co]):
    """Terms by key, and by every spelling they are known under.

    Raises ValueError when two terms claim one spelling: an alias that means two things means nothing.
    """

    def __init__(self, name: str, terms: Iterable[T_co]) -> None:
        self.name = name
        self._terms: dict[str, T_co] = {}
        self._spellings: dict[str, T_co] = {}
        for term in terms:
            if term.key in self._terms:
                raise ValueError(f"{name}: two terms have the key {term.key!r}")
            self._terms[term.key] = term
            for spelling in {folded(s) for s in (term.key, term.label, *term.aliases)}:
                known = self._spellings.setdefault(spelling, term)
                if known is not term:
                    raise ValueError(f"{name}: {spelling!r} is claimed by {known.key!r} and {term.key!r}")

    def __iter__(self) -> Iterator[T_co]:
        return iter(self._terms.values())

    def __len__(self) -> int:
        return len(self._terms)

    def __contains__(self, key: object) -> bool:
        return key in self._terms

    def __getitem__(self, key: str) -> T_co:
        return self._terms[key]

    def get(self, key: str | None) -> T_co | None:
        """The term with exactly this key, or None."""
        return self._terms.get(key) if key is not None else None

    def resolve(self, spelling: str) -> T_co | None:
        """The term this spelling means, or None when no term knows it."""
        return self._spellings.get(folded(spelling))

    def key_of(self, spelling: str | None) -> str | None:
        """The key to store for a spelling: a term's own, `other:<raw>` when unknown, None when empty."""
        if spelling is None or not spelling.strip():
            return None
        term = self.resolve(spelling)
        return term.key if term else other(spelling)

    def label(self, key: str | None) -> str | None:
        """What a page prints for a stored key; an unknown word is printed as it came."""
        if key is None:
            return None
        term = self._terms.get(key)
        return term.label if term else raw_of(key)

    def order(self, key: str | None) -> tuple[int, str]:
        """A sort key: terms in the order they are declared, then the unknown ones by their text, then None."""
        if key is None:
            return (len(self._terms) + 1, "")
        keys = list(self._terms)
        return (keys.index(key), "") if key in self._terms else (len(keys), key)


def other(spelling: str) -> str:
    """The key of a spelling that no term knows."""
    return OTHER + raw_of(spelling.strip().lower())


def is_other(key: str | None) -> bool:
    return key is not None and key.startswith(OTHER)


def raw_of(key: str) -> str:
    return key.removeprefix(OTHER)


def hue_of(key: str) -> int:
    """A hue in degrees that belongs to the key, whatever else is on the page."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:2], "big") % 360
