"""Keys, tokens and passwords are taken out of records before anything is stored."""

import re

from app.catalog.point import Json

REDACTED = "[redacted]"

_NEEDLES = (
    *(b"key", b"secret", b"passw", b"pwd", b"passphrase", b"bearer", b"authorization", b"credential", b"cookie"),
    *(b'token"', b"token=", b"token ", b"token'", b"token:", b"sk-", b"hf_", b"ghp_", b"github_pat_", b"@"),
)
"""One of these stands in every text that the patterns below would change. Searching for them is cheap."""

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


def may_hold_secrets(data: bytes) -> bool:
    """Whether a file is worth going through value by value."""
    lower = data.lower()
    return any(needle in lower for needle in _NEEDLES)


def redacted(value: Json) -> Json:
    """The value with every secret replaced. What holds none comes back as it is, not as a copy."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        made = {key: _field(key, item) for key, item in value.items()}
        if _names_a_secret(value):
            made["value"] = REDACTED
        return made if any(made[key] is not item for key, item in value.items()) else value
    if isinstance(value, list):
        items = _arguments(value)
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    return value


def _field(key: str, item: Json) -> Json:
    secret = item not in (None, "", True, False) and _FIELD.fullmatch(key) is not None
    if secret and not (isinstance(item, int | float) and key.lower().endswith("token")):
        return REDACTED
    return redacted(item)


def _names_a_secret(value: dict[str, Json]) -> bool:
    """Environment variables are often written {"name": "HF_TOKEN", "value": "..."}."""
    name = value.get("name")
    return isinstance(name, str) and isinstance(value.get("value"), str) and _FIELD.fullmatch(name) is not None


def _arguments(values: list[Json]) -> list[Json]:
    """A list in which a flag such as --api-key hides the value after it."""
    made = []
    after_flag = False
    for item in values:
        made.append(REDACTED if after_flag and isinstance(item, str) else redacted(item))
        after_flag = isinstance(item, str) and _FLAG.fullmatch(item) is not None
    return made


def _text(text: str) -> str:
    for pattern, replacement in _PATTERNS:
        text = pattern.sub(replacement, text)
    return text
