"""Subcorpora: the list of those that have a name, and forms to save, rename and remove them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from gristmill.parameters import param
from gristmill.web.answers.about import NoParameters
from gristmill.web.answers.subcorpora import NameAsked, RenameAsked, SaveAsked
from gristmill.web.pages import page
from gristmill.web.rooms.forms import told
from gristmill.web.visit import Visit


@dataclass(frozen=True, slots=True)
class SubcorporaPage:
    """What the form for a new subcorpus is filled with."""

    name: str = param("A name.", default="", max_characters=64)
    where: str = param("A condition on documents.", default="")


async def _listed(visit: Visit, status: int = 200, **values: Any) -> Response:
    found = await visit.ask("subcorpora", NoParameters())
    given = {"name": "", "where": "", "error": None, **values}
    return visit.page("search_subcorpora.html", status, found=found, tab="subcorpora", **given)


@page("subcorpora", room="search")
async def subcorpora(visit: Visit) -> Response:
    """List the subcorpora."""
    asked = visit.read(SubcorporaPage)
    return await _listed(visit, name=asked.name, where=asked.where)


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
    return await _done(visit, "subcorpus-save", SaveAsked)


@page("subcorpora/rename", room="search", method="POST", role="annotator")
async def rename(visit: Visit) -> Response:
    """Give a subcorpus another name."""
    return await _done(visit, "subcorpus-rename", RenameAsked)


@page("subcorpora/remove", room="search", method="POST", role="annotator")
async def remove(visit: Visit) -> Response:
    """Remove a subcorpus."""
    return await _done(visit, "subcorpus-remove", NameAsked)
