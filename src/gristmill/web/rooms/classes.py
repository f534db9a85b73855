"""Classes of names."""

from __future__ import annotations

import itertools

from starlette.responses import Response

from gristmill.web.answers.about import NoParameters
from gristmill.web.answers.classes import MAX_NAMES, ClassesAsked, ClassQueryAsked, NamesAsked
from gristmill.web.pages import page
from gristmill.web.rooms.forms import address, answered, downloads, read_form
from gristmill.web.visit import Visit


@page("classes", room="search")
async def classes(visit: Visit) -> Response:
    """Show the classes of a name; without one, frequent names with theirs."""
    form = read_form(visit, ClassesAsked)
    asked = form.asked
    answer = await visit.answer("sketch-languages", NoParameters())
    languages = answer.json()["languages"] if answer.status == 200 else {}
    found, error, status, names = None, form.error, 400 if form.error else 200, None
    if asked.name.strip() and not error:
        found, error, status = await answered(visit, "classes", form)
    elif not error and languages:
        listed = await visit.answer("classes-names", NamesAsked(lang=asked.lang, where=asked.where))
        names = listed.json() if listed.status == 200 else None
    rows = found["rows"] if found else []
    clusters = [(number, list(some)) for number, some in itertools.groupby(rows, key=lambda row: row["cluster"])]
    whole = "classes" if asked.name.strip() else "classes-names"
    everything = asked if asked.name.strip() else NamesAsked(lang=asked.lang, where=asked.where, rows=MAX_NAMES)
    return visit.page(
        "classes.html",
        status,
        tab="classes",
        asked=asked,
        found=found,
        names=names,
        error=error,
        clusters=clusters,
        no_tags=answer.status == 200 and not languages,
        languages=[("", "largest"), *((lang, lang) for lang in languages)],
        address=lambda **changes: address(visit, "classes", asked, **changes),
        chosen={"lang": asked.lang, "where": asked.where},
        downloads=downloads(visit, whole, everything),
    )


@page("classes/lines", room="search")
async def class_lines(visit: Visit) -> Response:
    """Lead from a class of a name to the concordance of what says so."""
    asked = visit.read(ClassQueryAsked)
    found = await visit.ask("classes-query", asked)
    return visit.go(visit.link("search", q=found["query"], where=asked.where))
