"""The history of a session: which queries were asked, and how many hits they had.

It is in the memory of the server, for each session by itself, and gone when the server ends: nobody needs an account.
Both the sessions and the queries of each are limited, and the oldest go first.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from starlette.responses import Response

from gristmill.web.pages import page
from gristmill.web.visit import Visit

if TYPE_CHECKING:
    from gristmill.web.app import Site

MAX_SESSIONS = 1_000
MAX_QUERIES = 200
MAX_CHARACTERS = 100_000
"""Of the queries of a session, with their addresses."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A query that was asked: the page that shows it, and what was found."""

    address: str
    corpus: str
    query: str
    where: str
    hits: int
    time: str


_histories: WeakKeyDictionary[Site, OrderedDict[str, OrderedDict[str, Asked]]] = WeakKeyDictionary()
"""The queries of each session by their address, the latest at the end, for each server of this process."""


def history_of(visit: Visit) -> OrderedDict[str, Asked]:
    """The queries of the session of a visit; a program has no session, and none of its queries are kept."""
    if not visit.session:
        return OrderedDict()
    sessions = _histories.setdefault(visit.site, OrderedDict())
    key = hashlib.sha256(visit.session.encode("utf-8", "replace")).hexdigest()  # whatever length the cookie has
    queries = sessions.setdefault(key, OrderedDict())
    sessions.move_to_end(key)
    while len(sessions) > MAX_SESSIONS:
        sessions.popitem(last=False)
    return queries


def remember(visit: Visit, address: str, query: str, where: str, hits: int) -> None:
    """Note that a query was asked; one that was asked before comes to the end."""
    queries = history_of(visit)
    queries.pop(address, None)
    queries[address] = Asked(address, visit.name, query, where, hits, datetime.now(UTC).strftime("%H:%M"))
    while len(queries) > MAX_QUERIES or sum(map(_size, queries.values())) > MAX_CHARACTERS:
        queries.popitem(last=False)


def _size(asked: Asked) -> int:
    return len(asked.address) + len(asked.query) + len(asked.where)


@page("history", room="search")
async def history(visit: Visit) -> Response:
    """Show the queries of this session, the latest first."""
    queries = list(reversed(history_of(visit).values()))
    return visit.page("search_history.html", queries=queries, most=MAX_QUERIES, tab="history")


@page("history/forget", room="search", method="POST")
async def forget(visit: Visit) -> Response:
    """Forget the queries of this session."""
    await visit.form()
    history_of(visit).clear()
    return visit.go(visit.link("history"))
