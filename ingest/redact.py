"""Keys, tokens and passwords are taken out of records before anything is stored."""

import re
from functools import lru_cache

from app.catalog.point import Json
from ingest.document import Document

REDACTED = "[redacted]"

_NEEDLES = (
    *(b"key", b"secret", b"passw", b"pwd", b"passphrase", b"bearer", b"authorization", b"credential", b"cookie"),
    *(b'token"', b"token=", b"token ", b"token'", b"token:", b"sk-", b"hf_", b"ghp_", b"github_pat_", b"@"),
)
"""One of these stands in every text that the patterns below would change. Searching for them is cheap."""

_HARMLESS = {
    b"hf_": (b'"hf_dataset_name"', b'"hf_split"'),
    b'token"': (
        *(b'per_input_token"', b'per_output_token"', b'per_total_token"'),
        *(b'first_token"', b'second_token"', b'first_output_token"'),
    ),
}
"""What benchmarks write in every record around such a text, and what is no secret."""

_TOKENS = "api|auth|access|refresh|bearer|session|id|hf|hub|github|gitlab|wandb|ngc|user|client|service"
_NAME = (
    r"(?:[a-z0-9]+[-_])*?(?:api[-_]?key|access[-_]?key(?:[-_]id)?|secret(?:[-_][a-z0-9]+)*|private[-_]?key|ssh[-_]?key"
    rf"|license[-_]?key|password|passwd|pwd|passphrase|authorization|credentials?|cookie|(?:{_TOKENS})[-_]?token)|token"
)
_VALUE = r"""(?:"[^"]*"|'[^']*'|[^\s,;&]+)"""
_FIELD = re.compile(_NAME, re.IGNORECASE)
_FLAG = re.compile(rf"--?(?:{_NAME})", re.IGNORECASE)
_PATTERNS = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"\b((?:bearer|basic)\s+)[\w.~+/=-]{6,}", rf"\1{REDACTED}"),
        (rf"(?<![\w-])(--?(?:{_NAME})\s+)(?!-)\S+", rf"\1{REDACTED}"),
        (rf"(?<![\w-])((?:--?)?(?:{_NAME})\s*[=:]\s*)(?!bearer|basic){_VALUE}", rf"\1{REDACTED}"),
        (r"\b(?:sk|pk|rk)-[\w-]{12,}", REDACTED),
        (r"\b(?:hf_|gh[pos]_|github_pat_|glpat-|xox[abp]-|nvapi-|AKIA|AIza)[\w-]{10,}", REDACTED),
        (r"(\b[a-z][a-z0-9+.-]*://)[^\s/@:]*:[^\s/@]+@", rf"\1{REDACTED}@"),
    )
)


_BETWEEN = '"\n"'
"""Stands between words that are looked at together: each is in quotes, as in JSON."""
_SHORT = 200
_STRETCH, _MARGIN = 8 << 20, 64


def document_may_hold_secrets(document: Document) -> bool:
    """The same of a document, of whose JSON only the different words are looked at where it is parsed already."""
    parsed = document.__dict__.get("parsed")
    if parsed is None or parsed.shape == "none" or parsed.problems:
        return may_hold_secrets(document.data)
    return _may_hold_secrets(f'"{_BETWEEN.join(_words(parsed.value))}"'.encode("utf-8", "replace").lower())


def _words(value: Json) -> set[str]:
    """Every different key and text of a value."""
    words: set[str] = set()
    left = [value]
    while left:
        item = left.pop()
        if type(item) is dict:
            words.update(item)
            item = item.values()
        for inner in item:
            kind = type(inner)
            if kind is str:
                words.add(inner)
            elif kind is dict or kind is list:
                left.append(inner)
    return words


def may_hold_secrets(data: bytes) -> bool:
    """Whether a file is worth going through value by value. Looks at a stretch of it at a time, each with a margin."""
    view = memoryview(data)
    return any(
        _may_hold_secrets(bytes(view[at : at + _STRETCH + _MARGIN]).lower()) for at in range(0, len(data), _STRETCH)
    )


def _may_hold_secrets(lower: bytes) -> bool:
    return any(
        lower.count(needle) > sum(map(lower.count, _HARMLESS[needle])) if needle in _HARMLESS else needle in lower
        for needle in _NEEDLES
    )


def redacted(value: Json) -> Json:
    """The value with every secret replaced. What holds none comes back as it is, not as a copy."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        made = value
        for key, item in value.items():
            if (new := _field(key, item)) is not item:
                made = {**made, key: new}
        return {**made, "value": REDACTED} if _names_a_secret(value) else made
    if isinstance(value, list):
        items = _arguments(value)
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    return value


def _field(key: str, item: Json) -> Json:
    is_number = isinstance(item, int | float)
    if _is_secret(key) and item not in (None, "", True, False) and not (is_number and key.lower().endswith("token")):
        return REDACTED
    return item if is_number or item is None else redacted(item)


@lru_cache(maxsize=4096)
def _is_secret(name: str) -> bool:
    """Whether a field of that name holds a secret. Records of a sweep share their few names."""
    return _FIELD.fullmatch(name) is not None


def _names_a_secret(value: dict[str, Json]) -> bool:
    """Environment variables are often written {"name": "HF_TOKEN", "value": "..."}."""
    name = value.get("name")
    return isinstance(name, str) and isinstance(value.get("value"), str) and _is_secret(name)


def _arguments(values: list[Json]) -> list[Json]:
    """A list in which a flag such as --api-key hides the value after it."""
    made = []
    after_flag = False
    for item in values:
        made.append(REDACTED if after_flag and isinstance(item, str) else redacted(item))
        after_flag = isinstance(item, str) and _FLAG.fullmatch(item) is not None
    return made


def _text(text: str) -> str:
    return _short_text(text) if len(text) <= _SHORT else _searched(text)


@lru_cache(maxsize=4096)
def _short_text(text: str) -> str:
    """Names of chips, images and engines, which a sweep repeats in every record."""
    return _searched(text)


def _searched(text: str) -> str:
    found = text
    for pattern, replacement in _PATTERNS:
        found = pattern.sub(replacement, found)
    return text if found == text else found
