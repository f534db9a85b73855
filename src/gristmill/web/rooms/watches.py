"""Standing queries: the list of them, what each found, its feed, and forms to add, ask and remove them."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from gristmill.operations.common import NameAsked, NoParameters
from gristmill.operations.watches import FeedAsked, WatchAddAsked, WatchSetAsked, WatchShowAsked
from gristmill.parameters import read
from gristmill.search.watch.feed import FEED
from gristmill.search.watch.schedule import SCHEDULES
from gristmill.search.watch.showing import ORDERS
from gristmill.web.app import file_response
from gristmill.web.downloads import LABELS
from gristmill.web.pages import page
from gristmill.web.rooms.forms import told
from gristmill.web.rooms.statistics import pages_of
from gristmill.web.visit import Visit

_MAX_LINES = 100_000
"""Lines of one download."""


async def _listed(visit: Visit, status: int = 200, **values: Any) -> Response:
    found = await visit.ask("watch-list", NoParameters())
    given = {"q": "", "where": "", "name": "", "error": None, **values}
    lists = {"found": found["rows"], "orders": ORDERS, "schedules": SCHEDULES}
    return visit.page("search_watches.html", status, tab="watches", **lists, **given)


@page("watches", room="search")
async def watches(visit: Visit) -> Response:
    """List the standing queries; the form for a new one is filled with what the address says."""
    asked = read(WatchAddAsked, {"q": [""], **visit.given})
    return await _listed(visit, q=asked.query, where=asked.where or "", name=asked.name)


@page("watches/{name}", room="search")
async def watch(visit: Visit) -> Response:
    """Show what a standing query found."""
    asked = visit.read(WatchShowAsked, name=visit.request.path_params["name"])
    found = await visit.ask("watch-show", asked)
    return visit.page(
        "search_watch.html",
        found=found,
        asked=asked,
        labels=LABELS,
        max_lines=_MAX_LINES,
        page_number=asked.offset // asked.limit + 1,
        pages=pages_of(found["found"], asked.limit),
        page_address=lambda number: visit.link(
            f"watches/{asked.name}", offset=(number - 1) * asked.limit, limit=asked.limit
        ),
        tab="watches",
    )


@page("watches/{name}/feed.xml", room="search")
async def feed(visit: Visit) -> Response:
    """Send the Atom feed of a standing query."""
    name = visit.request.path_params["name"]
    asked = read(FeedAsked, {"name": name, "address": FEED})  # relative: a proxy may have another scheme and host
    return file_response(await visit.answer("watch-feed", asked))


async def _done(visit: Visit, operation: str, kind: type, **more: str) -> Response:
    answer, form = await told(visit, operation, kind, **more)
    if answer.status == 200:
        return visit.go(visit.link("watches"))
    given = {key: str((form.get(key) or [""])[0])[:10_000] for key in ("q", "where", "name")}
    return await _listed(visit, answer.status, error=answer.json(), **given)


@page("watches/add", room="search", method="POST", role="owner")
async def add(visit: Visit) -> Response:
    """Add a standing query."""
    return await _done(visit, "watch-add", WatchAddAsked)


@page("watches/set", room="search", method="POST", role="owner")
async def change(visit: Visit) -> Response:
    """Change how a standing query shows its lines, and how often; without a length these are sentences."""
    form = await visit.form()
    has_length = any((form.get(name) or [""])[0] for name in ("context", "tokens"))
    return await _done(visit, "watch-set", WatchSetAsked, **({} if has_length else {"sentence": "1"}))


@page("watches/remove", room="search", method="POST", role="owner")
async def remove(visit: Visit) -> Response:
    """Remove a standing query, and what it found."""
    return await _done(visit, "watch-remove", NameAsked)


@page("watches/run", room="search", method="POST", role="owner")
async def run(visit: Visit) -> Response:
    """Ask the standing queries of what is new to them."""
    return await _done(visit, "watch-run", NoParameters)
