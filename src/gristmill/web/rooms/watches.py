"""Standing queries: the list of them, what each found, its feed, and forms to add, ask and remove them."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from gristmill.operations.common import NoParameters
from gristmill.operations.subcorpora import NameAsked
from gristmill.parameters import read
from gristmill.search.watch.feed import FEED
from gristmill.search.watch.schedule import SCHEDULES
from gristmill.search.watch.showing import ORDERS
from gristmill.web.answers.watches import MAX_LINES, FeedAsked, WatchAdded, WatchAsked, WatchSet
from gristmill.web.app import file_response
from gristmill.web.downloads import LABELS
from gristmill.web.pages import page
from gristmill.web.rooms.forms import told
from gristmill.web.visit import Visit


async def _listed(visit: Visit, status: int = 200, **values: Any) -> Response:
    found = await visit.ask("watches", NoParameters())
    given = {"q": "", "where": "", "name": "", "error": None, **values}
    lists = {"found": found["watches"], "orders": ORDERS, "schedules": SCHEDULES}
    return visit.page("search_watches.html", status, tab="watches", **lists, **given)


@page("watches", room="search")
async def watches(visit: Visit) -> Response:
    """List the standing queries; the form for a new one is filled with what the address says."""
    asked = read(WatchAdded, {"q": [""], **visit.given})
    return await _listed(visit, q=asked.q, where=asked.where, name=asked.name)


@page("watches/{name}", room="search")
async def watch(visit: Visit) -> Response:
    """Show what a standing query found."""
    asked = visit.read(WatchAsked, name=visit.request.path_params["name"])
    found = await visit.ask("watch", asked)
    return visit.page(
        "search_watch.html",
        found=found,
        asked=asked,
        labels=LABELS,
        max_lines=MAX_LINES,
        pages=-(-found["lines"] // asked.lines),
        page_address=lambda number: visit.link(f"watches/{found['name']}", page=number),
        tab="watches",
    )


@page("watches/{name}/feed.xml", room="search")
async def feed(visit: Visit) -> Response:
    """Send the Atom feed of a standing query."""
    name = visit.request.path_params["name"]
    asked = read(FeedAsked, {"name": name, "address": FEED})  # relative: a proxy may have another scheme and host
    return file_response(await visit.answer("watch-feed", asked))


async def _done(visit: Visit, operation: str, kind: type) -> Response:
    answer, form = await told(visit, operation, kind)
    if answer.status == 200:
        return visit.go(visit.link("watches"))
    given = {key: str((form.get(key) or [""])[0])[:10_000] for key in ("q", "where", "name")}
    return await _listed(visit, answer.status, error=answer.json(), **given)


@page("watches/add", room="search", method="POST", role="owner")
async def add(visit: Visit) -> Response:
    """Add a standing query."""
    return await _done(visit, "watch-add", WatchAdded)


@page("watches/set", room="search", method="POST", role="owner")
async def change(visit: Visit) -> Response:
    """Change how a standing query shows its lines, and how often."""
    return await _done(visit, "watch-set", WatchSet)


@page("watches/remove", room="search", method="POST", role="owner")
async def remove(visit: Visit) -> Response:
    """Remove a standing query, and what it found."""
    return await _done(visit, "watch-remove", NameAsked)


@page("watches/run", room="search", method="POST", role="owner")
async def run(visit: Visit) -> Response:
    """Ask the standing queries of what is new to them."""
    return await _done(visit, "watch-run", NoParameters)
