"""Ranked retrieval: the best documents, paragraphs, sentences or windows for some words."""

from __future__ import annotations

from starlette.responses import Response

from gristmill.operations import ranked
from gristmill.web.pages import page
from gristmill.web.rooms.forms import answered, downloads, read_form
from gristmill.web.rooms.statistics import form_values
from gristmill.web.visit import MAX_ON_PAGE, Visit
from gristmill.wording import marked_pieces


@page("find", room="search")
async def find(visit: Visit) -> Response:
    """Show the best units for some words."""
    form = read_form(visit, ranked.FindAsked)
    asked = form.asked
    found, error, status = None, form.error, 400 if form.error else 200
    if asked.query.strip() and not error:
        found, error, status = await answered(visit, "find", form)
    for row in found["rows"] if found else ():
        row["pieces"] = marked_pieces(row["text"], row["marks"])
    more = {"carried": "", "downloads": downloads(visit, "find", asked, limit=MAX_ON_PAGE, offset=0)}
    return visit.page("find.html", status, found=found, error=error, **form_values(visit, ranked.find, asked) | more)
