"""Ranked retrieval: the best documents, paragraphs, sentences or windows for some words."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from starlette.responses import Response

from gristmill.web.answers.find import MAX_ROWS, FindAsked
from gristmill.web.pages import page
from gristmill.web.rooms.forms import address, answered, downloads, read_form
from gristmill.web.visit import Visit

_UNITS = (
    ("document", "documents"),
    ("paragraph", "paragraphs"),
    ("sentence", "sentences"),
    ("window:50", "windows of 50 tokens"),
)
_KEYS = (
    ("bm25", "BM25"),
    ("date", "newest"),
    ("quality", "quality"),
    ("date,quality", "date, then quality"),
    ("yield", "yield of the host"),
    ("length", "longest"),
    ("-length", "shortest"),
    ("quality,bm25", "quality, then BM25"),
)
_MATCHES = (("", "as usual"), ("any", "any word"), ("all", "all words"))


@page("find", room="search")
async def find(visit: Visit) -> Response:
    """Show the best units for some words."""
    form = read_form(visit, FindAsked)
    asked = form.asked
    found, error, status = None, form.error, 400 if form.error else 200
    if asked.q.strip() and not error:
        found, error, status = await answered(visit, "find", form)
    for row in found["rows"] if found else ():
        row["pieces"] = _pieces(row)
    return visit.page(
        "find.html",
        status,
        tab="find",
        asked=asked,
        found=found,
        error=error,
        units=_with(asked.unit, _UNITS),
        keys=_with(asked.by, _KEYS),
        matches=_MATCHES,
        attributes=_with(asked.attribute, (("word", "words"), ("lemma", "lemmas"))),
        address=lambda **changes: address(visit, "find", asked, **changes),
        downloads=downloads(visit, "find", asked, page=1, rows=MAX_ROWS),
    )


def _with(value: str, choices: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """The choices of a field, with one that was typed into the address."""
    return choices if any(value == name for name, _ in choices) else (*choices, (value, value))


def _pieces(row: dict[str, Any]) -> list[tuple[str, bool]]:
    """The text of a unit in pieces, each with whether it is a term."""
    edges = [0, *(edge for mark in row["marks"] for edge in mark), len(row["text"])]
    return [(row["text"][low:high], bool(at % 2)) for at, (low, high) in enumerate(pairwise(edges)) if low < high]
