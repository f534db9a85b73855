"""The page on which a corpus is asked questions."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from gristmill.answers.weights import LEVELS
from gristmill.web.answers.about import NoParameters
from gristmill.web.answers.ask import QuestionAsked
from gristmill.web.pages import page
from gristmill.web.rooms.forms import address, answered, read_form
from gristmill.web.visit import Visit

_LEVELS = dict(zip(LEVELS, ("words", "words, tags, heads", "all"), strict=True))


@page("ask", room="search")
async def ask(visit: Visit) -> Response:
    """Show a question, and the passages that may answer it."""
    form = read_form(visit, QuestionAsked)
    languages = await visit.answer("ask-languages", NoParameters())
    known: dict[str, Any] = languages.json() if languages.status == 200 else {"languages": {}, "rules": []}
    found, error, status = None, form.error, 400 if form.error else 200
    if form.asked.q.strip() and not error:
        found, error, status = await answered(visit, "ask", form)
    return visit.page(
        "ask.html",
        status,
        tab="ask",
        asked=form.asked,
        found=found,
        error=error,
        rows=[{**row, "pieces": pieces(row["text"], row["marks"])} for row in found["rows"]] if found else [],
        languages=[("", "by its words"), *((lang, lang) for lang in known["languages"])],
        with_rules=known["rules"],
        levels=list(_LEVELS.items()),
        address=lambda **changes: address(visit, "ask", form.asked, **changes),
    )


def pieces(text: str, marks: list[list[int]]) -> list[tuple[str, bool]]:
    """Cut a text into pieces, each with whether it is marked; marks that overlap are one."""
    found, end = [], 0
    for start, stop in marks:
        if start >= end:
            found += [(text[end:start], False), (text[start:stop], True)]
            end = stop
    return [(piece, marked) for piece, marked in [*found, (text[end:], False)] if piece]
