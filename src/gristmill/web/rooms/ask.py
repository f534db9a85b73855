"""The page on which a corpus is asked questions."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from gristmill.operations import questions
from gristmill.operations.common import NoParameters
from gristmill.web.pages import page
from gristmill.web.rooms.forms import answered, read_form
from gristmill.web.rooms.statistics import form_values
from gristmill.web.visit import Visit
from gristmill.wording import marked_pieces


@page("ask", room="search")
async def ask(visit: Visit) -> Response:
    """Show a question, and the passages that may answer it."""
    form = read_form(visit, questions.AskAsked)
    languages = await visit.answer("ask-languages", NoParameters())
    known: dict[str, Any] = languages.json() if languages.status == 200 else {"languages": {}, "rules": []}
    found, error, status = None, form.error, 400 if form.error else 200
    if form.asked.question.strip() and not error:
        found, error, status = await answered(visit, "ask", form)
    choices = [("", "by its words"), *((lang, lang) for lang in known["languages"])]
    for row in found["rows"] if found else ():
        row["pieces"] = marked_pieces(row["text"], row["marks"])
    return visit.page(
        "ask.html",
        status,
        found=found,
        error=error,
        with_rules=known["rules"],
        **form_values(visit, questions.ask, form.asked, {"lang": choices if len(choices) > 2 else []}),
    )
