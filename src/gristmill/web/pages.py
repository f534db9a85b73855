"""The pages of the app: functions from a visit to an answer, each with its address."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache

from starlette.responses import Response

from gristmill.web.visit import Visit

Handler = Callable[[Visit], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Room:
    """A part of the app that stands in the menu: its name, its title, and the address that it begins at."""

    name: str
    title: str
    path: str
    role: str = "reader"


ROOMS = (
    Room("report", "Report", "report"),
    Room("pages", "Pages", "pages"),
    Room("annotate", "Annotate", "annotate", "annotator"),
    Room("duplicates", "Duplicates", "duplicates"),
    Room("search", "Search", "search"),
)
"""The rooms, in the order of the menu."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its address below that of a corpus, its room, and what answers."""

    path: str
    room: str
    handler: Handler
    method: str = "GET"
    role: str = "reader"


_PAGES: list[Page] = []


def page(path: str, *, room: str, method: str = "GET", role: str = "reader") -> Callable[[Handler], Handler]:
    """Register a function as a page of a corpus: `@page("pages/{id}", room="pages")` is `/corpus/pages/00001-3`."""

    def register(handler: Handler) -> Handler:
        _PAGES.append(Page(path, room, handler, method, role))
        return handler

    return register


@cache
def pages() -> tuple[Page, ...]:
    """All pages: those of the modules in `gristmill.web.rooms`."""
    import gristmill.web.rooms as package  # noqa: PLC0415 (its modules import this one)

    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return tuple(_PAGES)
