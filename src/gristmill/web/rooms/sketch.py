"""Word sketches, the thesaurus, and sketch differences."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

from markupsafe import Markup
from starlette.responses import Response

from gristmill.html.rings import Around, rings_picture
from gristmill.operations import sketches
from gristmill.operations.common import NoParameters
from gristmill.operations.statistics import WordlistAsked
from gristmill.web.pages import page
from gristmill.web.rooms.forms import Filled, address, answered, read_form
from gristmill.web.rooms.statistics import form_values, pages_of
from gristmill.web.visit import Visit

TAGS = (
    ("", "any"),
    ("NOUN", "noun"),
    ("VERB", "verb"),
    ("ADJ", "adjective"),
    ("ADV", "adverb"),
    ("PROPN", "name"),
    ("ADP", "preposition"),
)
_EXAMPLES = (("NOUN", "Nouns"), ("VERB", "Verbs"), ("ADJ", "Adjectives"))
_SOURCES = (("", "dependencies if known"), ("dependencies", "dependencies"), ("tags", "tags"))
_ROWS_OF_ONE = 100
"""Collocates on a page that shows one relation."""


def _read(visit: Visit, operation: Any) -> Filled[Any]:
    """Read a form; a page of one relation has more rows, if nobody says how many."""
    form: Filled[Any] = read_form(visit, operation.asks)
    if getattr(form.asked, "relation", None) and "limit" not in visit.given:
        return replace(form, asked=replace(form.asked, limit=_ROWS_OF_ONE))
    return form


async def _asked(visit: Visit, operation: Any) -> tuple[int, dict[str, Any]]:
    """Ask what the form of one of these pages says; returns the status of the page, and what all of them show."""
    form = _read(visit, operation)
    asked = form.asked
    languages, parsed = await languages_of(visit)
    found, error, status = None, form.error, 400 if form.error else 200
    alone = operation is sketches.sketch_difference and not (asked.other or asked.other_where)
    if asked.word.strip() and not alone and not error:
        found, error, status = await answered(visit, operation.name, form)
    relations = found.get("relations", ()) if found else ()
    of_one = next((one for one in relations if one["name"] == getattr(asked, "relation", None)), None)
    total = of_one.get("enough", of_one["collocates"]) if of_one else found.get("types", 0) if found else 0
    known = {
        "tag": TAGS if any((asked.tag or "") == tag for tag, _ in TAGS) else (*TAGS, (asked.tag, asked.tag)),
        "lang": language_choices(languages, asked.lang),
        "source": _SOURCES if parsed or asked.source else (),
    }
    return status, {
        "found": found,
        "error": error,
        "languages": languages or {},
        "no_tags": languages == {},
        "chosen": {"lang": asked.lang, "where": asked.where, "source": asked.source},
        "blocks": _blocks(found) if relations else [],
        "rows_of_one": _ROWS_OF_ONE,
        "page_number": asked.offset // asked.limit + 1,
        "pages": pages_of(total, asked.limit),
        "page_address": lambda number: address(visit, operation.name, asked, offset=(number - 1) * asked.limit),
        **form_values(visit, operation, asked, known),
    }


async def languages_of(visit: Visit) -> tuple[dict[str, int] | None, list[str]]:
    """The languages with tags and their tokens, or None if they can't be told; and those that were parsed."""
    answer = await visit.answer("sketch-languages", NoParameters())
    return (answer.json()["languages"], answer.json()["parsed"]) if answer.status == 200 else (None, [])


def language_choices(languages: dict[str, int] | None, chosen: str | None) -> list[tuple[str, str]]:
    """What the field for the language offers; nothing if there is no choice."""
    if not chosen and len(languages or ()) < 2:
        return []
    return [("", "largest"), *((lang, lang) for lang in dict.fromkeys([*(languages or ()), *filter(None, [chosen])]))]


@page("sketch", room="search")
async def sketch(visit: Visit) -> Response:
    """Show the word sketch of a lemma; without a word, frequent words to begin with."""
    status, values = await _asked(visit, sketches.sketch)
    examples = [] if values["found"] or values["error"] else await _frequent(visit, **values)
    return visit.page("sketch.html", status, examples=examples, **values)


@page("thesaurus", room="search")
async def thesaurus(visit: Visit) -> Response:
    """Show the words that are used like a lemma."""
    status, values = await _asked(visit, sketches.thesaurus)
    return visit.page("thesaurus.html", status, picture=_picture(visit, **values), **values)


@page("sketch-difference", room="search")
async def difference(visit: Visit) -> Response:
    """Show the sketches of two lemmas side by side."""
    status, values = await _asked(visit, sketches.sketch_difference)
    return visit.page("sketch_difference.html", status, side_class=side_class, **values | {"tab": "sketch"})


def _blocks(found: Any) -> list[dict[str, Any]]:
    """The rows of each relation that has any."""
    rows = {name: list(some) for name, some in itertools.groupby(found["rows"], key=lambda row: row["relation"])}
    return [{**relation, "rows": rows[relation["name"]]} for relation in found["relations"] if relation["name"] in rows]


def _picture(visit: Visit, *, found: Any, chosen: dict[str, Any], **_: Any) -> Markup:
    """Draw the words around the one that was asked for."""
    if not found or not found["rows"]:
        return Markup("")
    best = found["rows"][0]["similarity"] or 1
    around = [
        Around(
            row["word"],
            row["similarity"] / best,
            visit.link("thesaurus", word=row["word"], tag=found["tag"], **chosen),
        )
        for row in found["rows"]
    ]
    drawn = rings_picture(f"Words that are used like {found['word']}", found["word"], around)
    return Markup(drawn)  # noqa: S704 (drawn by us; words and addresses in it are escaped)


async def _frequent(
    visit: Visit, *, chosen: dict[str, Any], languages: dict[str, int], **_: Any
) -> list[dict[str, Any]]:
    """Frequent lemmas of each part of speech, to begin with."""
    lang = chosen["lang"] or next(iter(languages), None)
    found = []
    for tag, title in _EXAMPLES if lang else ():
        asked = WordlistAsked(attribute="lemma", tag=tag, where=f'lang=="{lang}"', limit=24)
        answer = await visit.answer("wordlist", asked)
        words = [row["value"] for row in answer.json()["rows"]] if answer.status == 200 else []
        found.append({"title": title, "tag": tag, "words": words})
    return found


@page("sketch/lines", room="search")
async def sketch_lines(visit: Visit) -> Response:
    """Lead from a collocate of a sketch to the concordance of exactly these pairs."""
    asked = visit.read(sketches.SketchQueryAsked)
    found = await visit.ask("sketch-query", asked)
    return visit.go(visit.link("search", q=found["query"], where=asked.where))


def side_class(side: float) -> str:
    """The class of a row by its side: one of seven steps, from the first word alone to the second alone."""
    if abs(side) >= 1:
        return "side-first" if side < 0 else "side-second"
    step = round(side * 2.49)
    return "side-both" if step == 0 else f"side-{'first' if step < 0 else 'second'}-{abs(step)}"
