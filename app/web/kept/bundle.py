"""Browser modules as one plain script, for a page that has no server to fetch them from.

Each module becomes a function that returns what it exports. The house's modules import by name or as a
whole and export declarations; anything else is refused here rather than broken in the reader's browser.
"""

import re
from functools import cache

from app.web.templates import STATIC, modules

_IMPORT = re.compile(r"^import (?:\{([^}]*)\}|\* as (\w+)) from '\./([\w-]+\.js)';\n", re.M)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) ([\w$]+))", re.M)


@cache
def bundle(*entries: str) -> str:
    """The modules and all they import, those that others need first."""
    order: list[str] = []
    for entry in entries:
        for name in reversed(modules(entry)):
            _place(name, order)
    return "'use strict';\nconst modules = {};\n" + "".join(_wrapped(name) for name in order)


def script(text: str) -> str:
    """A script as it may stand inside an element."""
    return text.replace("</script", "<\\/script").replace("\r", "")


def _place(name: str, order: list[str]) -> None:
    if name not in order:
        for _, _, needed in _IMPORT.findall(_source(name)):
            _place(needed, order)
        order.append(name)


def _wrapped(name: str) -> str:
    source = _source(name)
    names = _EXPORT.findall(source)
    body = _EXPORT.sub("", _IMPORT.sub(_imported, source))
    if left := re.search(r"^(?:import|export)\b.*", body, re.M):
        raise ValueError(f"{name} cannot be bundled: {left[0]}")
    return f"modules['{name}'] = (() => {{\n{body}return {{ {', '.join(names)} }};\n}})();\n"


def _imported(found: re.Match[str]) -> str:
    some, whole, name = found.groups()
    taken = whole or f"{{ {some.strip().replace(' as ', ': ')} }}"
    return f"const {taken} = modules['{name}'];\n"


def _source(name: str) -> str:
    return (STATIC / "js" / name).read_text(encoding="utf-8")
