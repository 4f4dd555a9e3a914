"""Shell text as the commands that it starts: words as a shell splits them, and the variables set for each."""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_COMMENT = re.compile(r"(?m)^[ \t]*#.*$")
_CONTINUED = re.compile(r"\\[ \t]*\r?\n")
_UNSEEN = re.compile(r"\$\([^()]*\)|`[^`]*`")
_REDIRECTED = re.compile(r"(?:\d|&)?>&?\d?(?=\s|$)")
_SEPARATORS = ";&|()\n"
_ASSIGNED = re.compile(r"(\w+)=(.*)", re.DOTALL)
_VARIABLE = re.compile(r"\$(?:\{(\w+)(?::?-([^}]*))?\}|(\w+))")
_SHELLS = ("bash", "sh", "zsh")
_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class Started:
    """One command of a script. Only variables that the text itself sets are known; others stay as `$NAME`."""

    words: tuple[str, ...]
    envars: Mapping[str, str] = field(default_factory=dict)


def started(text: str, depth: int = 0) -> Iterator[Started]:
    """Every command of the text in order, those in `bash -c "..."` too."""
    known: dict[str, str] = {}
    for quoted in _commands(text):
        words = [_expanded(word, known) for word in quoted]
        rest, own = _assignments(words)
        if not rest:
            known |= own
        elif rest[0] in ("export", "declare"):
            known |= _assignments(rest[1:])[1]
        elif depth < _DEEPEST and (inner := _inner(rest)) is not None:
            for command in started(inner, depth + 1):
                yield Started(command.words, {**known, **own, **command.envars})
        else:
            yield Started(tuple(rest), {**known, **own})


def _commands(text: str) -> Iterator[list[str]]:
    command: list[str] = []
    commented = False
    for word in [*_words(text), "\n"]:
        if word and not word.strip(_SEPARATORS):
            if command and not (commented and "\n" not in word):
                yield command
                command = []
            commented = commented and "\n" not in word
        elif word.startswith("#") or commented:
            commented = True
        else:
            command.append(word)


def _words(text: str) -> list[str]:
    plain = _REDIRECTED.sub(" ", _UNSEEN.sub("$_", _CONTINUED.sub(" ", _COMMENT.sub("", text))))
    lexer = shlex.shlex(plain, posix=True, punctuation_chars=_SEPARATORS)
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:
        # A quote that is never closed: the words are told apart by space alone.
        return plain.replace("\n", " \n ").split(" ")


def _assignments(words: list[str]) -> tuple[list[str], dict[str, str]]:
    """The words after `A=1 B=2` and `env A=1`, and what was assigned."""
    own: dict[str, str] = {}
    at = 0
    for at, word in enumerate(words):  # the place is wanted after the loop
        if match := _ASSIGNED.fullmatch(word):
            own[match[1]] = match[2]
        elif word != "env":
            return words[at:], own
    return [], own


def _expanded(word: str, known: Mapping[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        return known.get(match[1] or match[3], match[0] if match[2] is None else match[2])

    return _VARIABLE.sub(value, word) if "$" in word else word


def _inner(words: list[str]) -> str | None:
    """The script in `bash -c "..."`, wherever in the command it stands."""
    for at, word in enumerate(words[:-2]):
        if word.rpartition("/")[2] in _SHELLS and re.fullmatch(r"-[a-z]*c", words[at + 1]):
            return words[at + 2]
    return None
