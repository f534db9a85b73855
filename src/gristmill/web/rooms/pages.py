"""The page inspector: find pages, see each as it was judged, and the stored page itself in a sandboxed frame."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import parse_qs, urlencode

from starlette.responses import HTMLResponse, Response

from gristmill.corpus.inspecting import NO_PAGE
from gristmill.errors import UsageError
from gristmill.html.sandboxed import POLICY
from gristmill.operations.common import NoParameters
from gristmill.parameters import param, read, to_query
from gristmill.roles import ROLES
from gristmill.web.answers.pages import MAX_BLOCKS, FrameAsked, PageAsked, PagesAsked
from gristmill.web.pages import page
from gristmill.web.visit import Refused, Visit

FRAME_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Frame-Options": "SAMEORIGIN",
    "X-DNS-Prefetch-Control": "off",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "accelerometer=(), autoplay=(), camera=(), display-capture=(), encrypted-media=(), "
    "fullscreen=(), geolocation=(), gyroscope=(), microphone=(), midi=(), payment=(), usb=()",
}
"""Headers of the stored page, beside those of all answers: nothing runs, loads, is sent, or leaves the frame."""
KINDS = ("article", "forum", "listing", "product", "documentation", "home", "other")
_MAX_PASSED_OVER = 20
"""Records without a page that are passed over on the way to the next page."""


@dataclass(frozen=True, slots=True)
class InspectorAsked(FrameAsked):
    """How a page is looked at, and of which list of results it is."""

    found: str = param("The query of the list that one came from.", default="", max_characters=8_000)
    at: int = param("The place of the page in that list, from 1.", default=0, minimum=0, maximum=200_000_000)


@dataclass(frozen=True, slots=True)
class StepAsked:
    """Which page of a list one goes to."""

    at: int = param(about="The place in the list, from 1.", minimum=0, maximum=200_000_000)
    found: str = param("The query of the list.", default="", max_characters=8_000)
    step: int = param("Where to go on from there if that is no page.", default=1, minimum=-1, maximum=1)
    view: str = param("How pages are looked at, as a query.", default="", max_characters=8_000)


@page("pages", room="pages")
async def find(visit: Visit) -> Response:
    """Find pages."""
    choices = await visit.ask("page-choices", NoParameters())
    try:
        asked = visit.read(PagesAsked)
        found, error = await visit.ask("pages", asked), ""
    except (Refused, UsageError) as refused:
        asked, found, error = _as_given(visit), None, str(refused)
    listed = to_query(replace(asked, page=1, lines=50))

    def link_of(number: int) -> str:
        return visit.link("pages") + f"?{to_query(asked, page=number)}"

    return visit.page(
        "pages.html",
        status_code=400 if error else 200,
        asked=asked,
        found=found,
        error=error,
        choices=choices,
        kinds=KINDS,
        first=(asked.page - 1) * asked.lines,
        last_page=-(-found["count"] // asked.lines) if found else 0,
        link_of=link_of,
        listed=listed,
    )


def _as_given(visit: Visit) -> PagesAsked:
    """Return what can be shown again of parameters that could not be read."""
    texts = [item.name for item in fields(PagesAsked) if item.default == ""]
    given = {name: visit.given[name][0][:200] for name in texts if name in visit.given}
    return replace(PagesAsked(), **given)  # type: ignore[arg-type]


@page("pages/go", room="pages")
async def go(visit: Visit) -> Response:
    """Go to the page at a place of a list of results, or back to the list if there is none."""
    asked = visit.read(StepAsked)
    wanted = _list_of(asked.found)
    at = asked.at
    for _ in range(_MAX_PASSED_OVER):
        if at < 1:
            break
        found = await visit.ask("pages", replace(wanted, page=at, lines=1))
        if not found["pages"]:
            break
        if found["pages"][0]["id"]:
            query = {**_query(asked.view), "found": to_query(wanted), "at": at}
            return visit.go(visit.link(f"pages/{found['pages'][0]['id']}") + f"?{urlencode(query, doseq=True)}")
        at += asked.step or 1
    return visit.go(visit.link("pages") + f"?{to_query(wanted, page=max(1, -(-asked.at // 50)))}")


def _list_of(query: str) -> PagesAsked:
    """Read the query of a list of results, which is a parameter of its own."""
    return replace(read(PagesAsked, _query(query)), page=1, lines=50)


def _query(text: str) -> dict[str, list[str]]:
    try:
        return parse_qs(text, keep_blank_values=True, max_num_fields=100)
    except ValueError as error:
        raise UsageError("too many parameters in the query of a list") from error


@page("pages/{id}", room="pages")
async def inspect(visit: Visit) -> Response:
    """Show a page as it was judged."""
    asked = _asked(visit, InspectorAsked)
    found = await _ask(visit, "page", _only(PageAsked, asked))
    choices = await visit.ask("page-choices", NoParameters())
    view = _without_id(to_query(asked, found="", at=0, first=0))
    frame = visit.link(f"pages/{found['id']}/original") + (f"?{view}" if view else "")

    def step(by: int) -> str:
        return visit.link("pages/go", found=asked.found, at=asked.at + by, step=by, view=view) if asked.at else ""

    def blocks_from(first: int) -> str:
        return visit.link(f"pages/{found['id']}") + f"?{_without_id(to_query(asked, first=first))}"

    return visit.page(
        "pages_one.html",
        asked=asked,
        found=found,
        frame=frame,
        choices=choices,
        all_roles=ROLES,
        step=step,
        blocks_from=blocks_from,
        most=MAX_BLOCKS,
    )


@page("pages/{id}/original", room="pages")
async def original(visit: Visit) -> Response:
    """Send the stored page, harmless and with a policy of its own: it is for the frame of the inspector."""
    asked = _asked(visit, FrameAsked)
    found = await _ask(visit, "page-html", asked)
    return HTMLResponse(found["html"], headers=FRAME_HEADERS)


async def _ask(visit: Visit, operation: str, asked: PageAsked) -> Any:
    """Ask for a page; one that is not there is not found, whatever else is asked."""
    try:
        return await visit.ask(operation, asked)
    except Refused as refused:
        raise Refused(404 if refused.message.startswith(NO_PAGE) else refused.status, refused.message) from refused


def _asked(visit: Visit, kind: Any) -> Any:
    """Read the parameters of a page whose id is in the path."""
    return read(kind, {**visit.given, "id": [visit.request.path_params["id"]]})


def _only(kind: Any, asked: Any) -> Any:
    """Take the parameters of an operation from those of a page."""
    return kind(**{item.name: getattr(asked, item.name) for item in fields(kind)})


def _without_id(query: str) -> str:
    return "&".join(part for part in query.split("&") if not part.startswith("id="))
