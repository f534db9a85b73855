"""Templates and the files that pages need: scripts, styles, pictures. All text in templates is escaped."""

from __future__ import annotations

import gzip
import mimetypes
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import chain
from typing import Any

import xxhash
from jinja2 import Environment, PackageLoader, StrictUndefined

from gristmill.corpus.funnel import reason_words
from gristmill.parameters import to_query
from gristmill.version import __version__
from gristmill.web.pages import ROOMS
from gristmill.web.visit import MAX_ON_PAGE
from gristmill.wording import plural, size

_MIME = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file of the package that browsers load; its address has its hash, so that they may keep it for ever."""

    data: bytes
    content_type: str
    digest: str
    gzipped: bytes
    """The same compressed; empty if that is not much smaller."""


@cache
def static_files() -> dict[str, StaticFile]:
    """All files in the folders `static`, by name; those of `gristmill.html` are also in files that stand alone."""
    found = {}
    folders = [resources.files(package).joinpath("static") for package in ("gristmill.web", "gristmill.html")]
    for file in chain.from_iterable(folder.iterdir() for folder in folders):
        data = file.read_bytes()
        suffix = "." + file.name.rpartition(".")[2]
        kind = _MIME.get(suffix) or mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        gzipped = gzip.compress(data, mtime=0)
        gzipped = gzipped if len(gzipped) < 0.9 * len(data) else b""
        found[file.name] = StaticFile(data, kind, xxhash.xxh3_64_hexdigest(data), gzipped)
    return found


def _static(name: str) -> str:
    return f"/static/{name}?{static_files()[name].digest}"


@cache
def environment() -> Environment:
    """Make what renders templates: everything is escaped, and a name that is not given is an error."""
    made = Environment(
        loader=PackageLoader("gristmill.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(number=_number, percent=_percent, size=size, plural=plural, reason=_reason)
    made.globals.update(static=_static, rooms=ROOMS, version=__version__, to_query=to_query, max_on_page=MAX_ON_PAGE)
    return made


def _number(value: float | None, decimals: int = 0) -> str:
    """Write a number with commas: 1,234; nothing as a dash."""
    return "–" if value is None else f"{value:,.{decimals}f}"


def _percent(value: float | None, decimals: int = 1) -> str:
    """Write a share as percents: 12.3%."""
    return "–" if value is None else f"{value:.{decimals}%}"


def _reason(name: str) -> str:
    """Say in words what became of a page or a record, as the report does."""
    return reason_words(name.removeprefix("skipped:"))


def render(template: str, values: dict[str, Any]) -> str:
    """Fill a template."""
    return environment().get_template(template).render(values)


def compile_templates() -> None:
    """Read all templates, so that nobody waits for it who sees a page first."""
    for name in environment().list_templates(["html"]):
        environment().get_template(name)
