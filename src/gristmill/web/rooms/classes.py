"""Classes of names."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

from starlette.responses import Response

from gristmill.operations.classes import ClassesQueryAsked
from gristmill.operations.classes import classes as operation
from gristmill.web.pages import page
from gristmill.web.rooms.forms import Filled, address, answered, read_form
from gristmill.web.rooms.sketch import language_choices, languages_of
from gristmill.web.rooms.statistics import form_values, pages_of
from gristmill.web.visit import Visit

_NAMES = 30
"""Names on a page: each takes some time."""


@page("classes", room="search")
async def classes(visit: Visit) -> Response:
    """Show the classes of a name; without one, frequent names with theirs."""
    form: Filled[Any] = read_form(visit, operation.asks)
    if "limit" not in visit.given:
        form = replace(form, asked=replace(form.asked, limit=_NAMES))
    asked = form.asked
    languages, _ = await languages_of(visit)
    found, error, status = None, form.error, 400 if form.error else 200
    if not error and (asked.name or languages):
        found, error, status = await answered(visit, "classes", form)
    rows = found["rows"] if found and asked.name else []
    known = {"lang": language_choices(languages, asked.lang), "senses": ()}
    return visit.page(
        "classes.html",
        status,
        found=found if asked.name else None,
        names=None if asked.name else found,
        error=error,
        clusters=[(number, list(some)) for number, some in itertools.groupby(rows, key=lambda row: row["cluster"])],
        no_tags=languages == {},
        chosen={"lang": asked.lang, "where": asked.where},
        page_number=asked.offset // asked.limit + 1,
        pages=pages_of(found["names"], asked.limit) if found and not asked.name else 1,
        page_address=lambda number: address(visit, "classes", asked, offset=(number - 1) * asked.limit),
        **form_values(visit, operation, asked, known),
    )


@page("classes/lines", room="search")
async def class_lines(visit: Visit) -> Response:
    """Lead from a class of a name to the concordance of what says so."""
    asked = visit.read(ClassesQueryAsked)
    found = await visit.ask("classes-query", asked)
    return visit.go(visit.link("search", q=found["query"], where=asked.where))
