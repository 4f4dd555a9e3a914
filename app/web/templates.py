"""The page templates: one Jinja environment, autoescaping, with the few filters that pages share."""

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from app.catalog.oklch import Color
from app.figures.sprite import sprite
from app.web.blocks.numbers import byte_text, compact, number, percent, points

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "static"


@cache
def fingerprint() -> str:
    """Changes exactly when a static file does, so that addresses under it may be cached for ever."""
    digest = hashlib.sha256()
    for path in sorted(STATIC.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(STATIC).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def static(path: str) -> str:
    """The address of a file under static/."""
    return f"/static/{fingerprint()}/{path}"


@cache
def modules(entry: str) -> tuple[str, ...]:
    """A browser module and all it imports, so that a page can ask for them at once rather than one after another."""
    found, open_names = [], [entry]
    while open_names:
        name = open_names.pop(0)
        if name not in found:
            found.append(name)
            open_names += re.findall(r"from '\./([\w-]+\.js)'", (STATIC / "js" / name).read_text(encoding="utf-8"))
    return tuple(found)


def mark_style(color: Color) -> Markup:
    """The inline style that gives a mark its series' color in both themes."""
    return Markup(
        f"--mark:light-dark({color.light},{color.dark});--mark-ink:light-dark({color.light_ink},{color.dark_ink})"
    )


FROZEN = frozenset({"dashboard", "offload", "point", "config", "compare", "history", "data"})
"""Pages that show what is stored, so that a link may hold on to its snapshot. A plan does where it has a point."""


def freezes(current: str, page: Any) -> bool:
    return current in FROZEN or (current == "plan" and bool(page.point))


@cache
def environment() -> Environment:
    env = Environment(
        loader=FileSystemLoader(ROOT / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    env.globals.update(
        as_of=None, card=None, freezes=freezes, static=static, modules=modules, sprite=lambda: Markup(sprite())
    )
    env.filters.update(
        mark_style=mark_style, num=number, percent=percent, points=points, size=byte_text, compact=compact
    )
    return env


def render(name: str, **context: object) -> str:
    return environment().get_template(name).render(**context)
