"""Subcorpora: the list of those that have a name, and forms to save, rename and remove them."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from gristmill.operations.common import NameAsked
from gristmill.operations.subcorpora import RenameAsked, SaveAsked, SubcorporaAsked
from gristmill.web.pages import page
from gristmill.web.rooms.forms import read_form, told
from gristmill.web.visit import Visit


async def _listed(visit: Visit, status: int = 200, **values: Any) -> Response:
    found = await visit.ask("subcorpora", SubcorporaAsked())
    return visit.page("search_subcorpora.html", status, found=found, tab="subcorpora", **values)


@page("subcorpora", room="search")
async def subcorpora(visit: Visit) -> Response:
    """List the subcorpora, with a form for a new one that may be filled in."""
    form = read_form(visit, SaveAsked)
    return await _listed(
        visit, 400 if form.error else 200, error=form.error, name=form.asked.name, where=form.asked.where
    )


async def _done(visit: Visit, operation: str, kind: type) -> Response:
    """Have an operation write what a form says, and show the list again."""
    answer, form = await told(visit, operation, kind)
    if answer.status == 200:
        return visit.go(visit.link("subcorpora"))
    name, where = (str((form.get(key) or [""])[0])[:4_000] for key in ("name", "where"))
    return await _listed(visit, answer.status, error=answer.json(), name=name, where=where)


@page("subcorpora/save", room="search", method="POST", role="annotator")
async def save(visit: Visit) -> Response:
    """Save a condition under a name."""
    return await _done(visit, "save-subcorpus", SaveAsked)


@page("subcorpora/rename", room="search", method="POST", role="annotator")
async def rename(visit: Visit) -> Response:
    """Give a subcorpus another name."""
    return await _done(visit, "rename-subcorpus", RenameAsked)


@page("subcorpora/remove", room="search", method="POST", role="annotator")
async def remove(visit: Visit) -> Response:
    """Remove a subcorpus."""
    return await _done(visit, "remove-subcorpus", NameAsked)
