"""Word sketches, the thesaurus, and sketch differences."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

from markupsafe import Markup
from starlette.responses import Response

from gristmill.html.rings import Around, rings_picture
from gristmill.operations.statistics import WordlistAsked
from gristmill.web.answers.about import NoParameters
from gristmill.web.answers.sketch import MAX_ROWS, DifferenceAsked, SketchAsked, SketchQueryAsked, ThesaurusAsked
from gristmill.web.pages import page
from gristmill.web.rooms.forms import address, answered, downloads, read_form
from gristmill.web.rooms.statistics import pages_of
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


async def _form(visit: Visit, path: str, asked: Any) -> dict[str, Any]:
    """What all these pages have: languages to choose from, and how addresses are made."""
    answer = await visit.answer("sketch-languages", NoParameters())
    languages, parsed = (answer.json()[name] if answer.status == 200 else [] for name in ("languages", "parsed"))
    tags = TAGS if any(asked.tag == tag for tag, _ in TAGS) else (*TAGS, (asked.tag, asked.tag))
    return {
        "asked": asked,
        "tag_names": tags,
        "languages": [("", "largest"), *((lang, lang) for lang in languages)],
        "no_tags": answer.status == 200 and not languages,
        "address": lambda **changes: address(visit, path, asked, **changes),
        "page_address": lambda number: address(visit, path, asked, page=number),
        "sources": _SOURCES if parsed or asked.source else (),
        "chosen": {"lang": asked.lang, "where": asked.where, "source": asked.source},
    }


@page("sketch", room="search")
async def sketch(visit: Visit) -> Response:
    """Show the word sketch of a lemma; without a word, frequent words to begin with."""
    form = read_form(visit, SketchAsked)
    if form.asked.relation and "rows" not in visit.given:
        form = replace(form, asked=replace(form.asked, rows=_ROWS_OF_ONE))
    asked = form.asked
    values = await _form(visit, "sketch", asked)
    found, error, status, examples = None, form.error, 400 if form.error else 200, []
    if asked.word.strip() and not error:
        found, error, status = await answered(visit, "sketch", form)
    elif not error and len(values["languages"]) > 1:
        examples = await _frequent(visit, asked.lang or values["languages"][1][0])
    blocks = _blocks(found) if found else []
    relation = next((one for one in found["relations"] if one["name"] == asked.relation), None) if found else None
    return visit.page(
        "sketch.html",
        status,
        tab="sketch",
        found=found,
        error=error,
        examples=examples,
        blocks=blocks,
        hidden=[one for one in found["relations"] if not one["enough"]] if found else [],
        pages=pages_of(relation["enough"], asked.rows) if relation else 1,
        downloads=downloads(visit, "sketch", asked, page=1, rows=MAX_ROWS),
        **values,
    )


def _blocks(found: Any) -> list[dict[str, Any]]:
    """The rows of each relation that has any."""
    rows = {name: list(some) for name, some in itertools.groupby(found["rows"], key=lambda row: row["relation"])}
    return [{**relation, "rows": rows[relation["name"]]} for relation in found["relations"] if relation["name"] in rows]


async def _frequent(visit: Visit, lang: str) -> list[dict[str, Any]]:
    """Frequent lemmas of each part of speech, to begin with."""
    found = []
    for tag, title in _EXAMPLES:
        asked = WordlistAsked(attribute="lemma", tag=tag, where=f'lang=="{lang}"', limit=24)
        answer = await visit.answer("wordlist", asked)
        words = [row["value"] for row in answer.json()["rows"]] if answer.status == 200 else []
        found.append({"title": title, "tag": tag, "words": words})
    return found


@page("sketch/lines", room="search")
async def sketch_lines(visit: Visit) -> Response:
    """Lead from a collocate of a sketch to the concordance of exactly these pairs."""
    asked = visit.read(SketchQueryAsked)
    found = await visit.ask("sketch-query", asked)
    return visit.go(visit.link("search", q=found["query"], where=asked.where))


@page("thesaurus", room="search")
async def thesaurus(visit: Visit) -> Response:
    """Show the words that are used like a lemma."""
    form = read_form(visit, ThesaurusAsked)
    asked = form.asked
    values = await _form(visit, "thesaurus", asked)
    found, error, status, picture = None, form.error, 400 if form.error else 200, Markup("")
    if asked.word.strip() and not error:
        found, error, status = await answered(visit, "thesaurus", form)
    if found and found["rows"]:
        best = found["rows"][0]["similarity"] or 1
        around = [
            Around(
                row["word"],
                row["similarity"] / best,
                visit.link("thesaurus", word=row["word"], tag=found["tag"], **values["chosen"]),
            )
            for row in found["rows"]
        ]
        drawn = rings_picture(f"Words that are used like {found['word']}", found["word"], around)
        picture = Markup(drawn)  # noqa: S704 (drawn by us; words and addresses in it are escaped)
    return visit.page(
        "thesaurus.html",
        status,
        tab="thesaurus",
        found=found,
        error=error,
        picture=picture,
        downloads=downloads(visit, "thesaurus", asked, rows=MAX_ROWS),
        **values,
    )


@page("sketch/difference", room="search")
async def difference(visit: Visit) -> Response:
    """Show the sketches of two lemmas side by side."""
    form = read_form(visit, DifferenceAsked)
    asked = form.asked
    values = await _form(visit, "sketch/difference", asked)
    found, error, status = None, form.error, 400 if form.error else 200
    if asked.word.strip() and (asked.other.strip() or asked.other_where.strip()) and not error:
        found, error, status = await answered(visit, "sketch-difference", form)
    return visit.page(
        "sketch_difference.html",
        status,
        tab="sketch",
        found=found,
        error=error,
        blocks=_blocks(found) if found else [],
        side_class=side_class,
        downloads=downloads(visit, "sketch-difference", asked, rows=MAX_ROWS),
        **values,
    )


def side_class(side: float) -> str:
    """The class of a row by its side: one of seven steps, from the first word alone to the second alone."""
    if abs(side) >= 1:
        return "side-first" if side < 0 else "side-second"
    step = round(side * 2.49)
    return "side-both" if step == 0 else f"side-{'first' if step < 0 else 'second'}-{abs(step)}"
