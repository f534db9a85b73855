"""Word lists, n-grams, collocations, keywords, comparisons: a form each, and its table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urlencode

from starlette.responses import Response

from gristmill.search.statistics.keywords import KEYNESS
from gristmill.search.statistics.measures import ASSOCIATION
from gristmill.search.statistics.queries import condition_on_label, query_of_value
from gristmill.web.answers.about import NoParameters
from gristmill.web.answers.statistics import MAX_ROWS, CollocationsAsked, CompareAsked, KeywordsAsked, WordsAsked
from gristmill.web.pages import page
from gristmill.web.rooms.forms import address, answered, downloads, read_form
from gristmill.web.visit import Visit

MEASURES = {
    "logdice": (
        "logDice",
        "The share of both words that stands together: 14 if they always do, 1 less for half of it.",
    ),
    "t": ("T-score", "How sure it is that they stand together more often than by chance; favours frequent words."),
    "mi": ("MI", "How many times as often as by chance, in bits; favours rare words."),
    "mi3": ("MI³", "MI with the frequency cubed, so that rare words do not come first."),
    "ll": ("log-likelihood", "How unlikely it is by chance; above 6.63 in one of a hundred cases."),
    "simple_maths": ("simple maths", "The ratio of both frequencies per million, with a constant added to both."),
}
"""Names of measures, and what they say, in a line each."""
KEYNESS_LL = "How sure the difference is: above 6.63 by chance in one of a hundred cases; negative if it is rarer here."
_ATTRIBUTES = ("word", "lemma", "tag", "word+tag", "lemma+tag", "xpos", "feats", "lc", "lemma_lc", "lempos")


def form_values(visit: Visit, path: str, operation: str, asked: Any) -> dict[str, Any]:
    """What all these pages have: the form, and how addresses are made of it."""
    attributes = list(_ATTRIBUTES)
    if asked.attribute not in attributes:
        attributes.append(asked.attribute)
    return {
        "tab": path,
        "carried": _search_of(asked),
        "asked": asked,
        "attributes": attributes,
        "corpora": [item.name for item in visit.site.shelf if item.name != visit.name],
        "address": lambda **changes: address(visit, path, asked, **changes),
        "page_address": lambda number: address(visit, path, asked, page=number),
        "downloads": downloads(visit, operation, asked, **({"page": 1, "rows": MAX_ROWS} if path != "compare" else {})),
        "measures": MEASURES,
    }


def _search_of(asked: Any) -> str:
    """The query of an address with the search of a page that has one, which other pages take over."""
    given = {name: getattr(asked, name, "") for name in ("q", "where")}
    return urlencode({name: value for name, value in given.items() if value}) if given["q"] else ""


def pages_of(total: int, rows: int) -> int:
    """How many pages so many rows have."""
    return max(-(-total // rows), 1)


@page("words", room="search")
async def words(visit: Visit) -> Response:
    """Show the list of words, or of n-grams."""
    form = read_form(visit, WordsAsked)
    asked = form.asked
    found, error, status = await answered(visit, "words", form)

    def lines(value: str) -> str:
        query = query_of_value(
            asked.attribute,
            value,
            n=asked.n,
            ignore_case=asked.ignore_case,
            tag=asked.tag or None,
            within=(asked.within or "s") if asked.n > 1 else "",
        )
        return visit.link("search", q=query, where=asked.where)

    values = form_values(visit, "words", "words", asked)
    return visit.page("words.html", status, found=found, error=error, lines=lines, **_paged(asked, found), **values)


@page("collocations", room="search")
async def collocations(visit: Visit) -> Response:
    """Show what stands near a word."""
    form = read_form(visit, CollocationsAsked)
    asked = form.asked
    found, error, status = None, form.error, 400 if form.error else 200
    if asked.q.strip() and not error:
        found, error, status = await answered(visit, "collocations", form)

    def lines(value: str) -> str:
        near = query_of_value(asked.attribute, value, ignore_case=asked.ignore_case)
        if found and asked.relation:
            return visit.link("search", q=found["tree"].removesuffix("[]") + near, where=asked.where)
        if asked.of:
            at = condition_on_label(asked.of.strip(), asked.attribute, value, ignore_case=asked.ignore_case)
            return visit.link("search", q=f"{asked.q} & {at}", where=asked.where)
        window = asked.window or (asked.within or "5")
        return visit.link("search", q=asked.q, where=asked.where, having=near, window=window)

    values = form_values(visit, "collocations", "collocations", asked)
    languages = await visit.answer("sketch-languages", NoParameters())
    return visit.page(
        "collocations.html",
        status,
        parsed=languages.status == 200 and languages.json()["parsed"],
        found=found,
        error=error,
        lines=lines,
        orders=tuple(ASSOCIATION),
        largest=_largest(found, ASSOCIATION),
        **_paged(asked, found),
        **values,
    )


@page("keywords", room="search")
async def keywords(visit: Visit) -> Response:
    """Show what is typical of a corpus, or of a part of it."""
    form = read_form(visit, KeywordsAsked)
    asked = form.asked
    found, error, status = None, form.error, 400 if form.error else 200
    if not error and (asked.where.strip() or asked.reference or asked.reference_where.strip()):
        found, error, status = await answered(visit, "keywords", form)
    values = form_values(visit, "keywords", "keywords", asked)
    return visit.page(
        "keywords.html",
        status,
        found=found,
        error=error,
        lines=_lines(visit, asked.attribute, asked.where, asked.ignore_case, asked.tag),
        orders=KEYNESS,
        keyness_ll=KEYNESS_LL,
        largest=_largest(found, KEYNESS),
        **_paged(asked, found),
        **values,
    )


@page("compare", room="search")
async def compare(visit: Visit) -> Response:
    """Show the words most typical of two corpora, or of two parts of one, side by side."""
    form = read_form(visit, CompareAsked)
    asked = form.asked
    found, error, status = None, form.error, 400 if form.error else 200
    if not error and (asked.where.strip() or asked.other or asked.other_where.strip()):
        found, error, status = await answered(visit, "compare", form)
    values = form_values(visit, "compare", "compare", asked)

    def lines(value: str, tag: str, there: bool) -> str:
        where = (asked.other_where or (f"!({asked.where})" if not asked.other else "")) if there else asked.where
        query = query_of_value(asked.attribute, value, ignore_case=not asked.match_case, tag=tag)
        corpus = asked.other if there and asked.other else visit.name
        return _link(visit, corpus, q=query, where=where)

    here = visit.name if asked.other and not asked.where.strip() else "chosen"
    names = (here, asked.other or ("the others" if asked.other_where.strip() else "the rest"))
    return visit.page("compare.html", status, found=found, error=error, lines=lines, names=names, **values)


def _lines(visit: Visit, attribute: str, where: str, ignore_case: bool, tag: str) -> Callable[[str], str]:
    def lines(value: str) -> str:
        query = query_of_value(attribute, value, ignore_case=ignore_case, tag=tag or None)
        return visit.link("search", q=query, where=where)

    return lines


def _link(visit: Visit, corpus: str, **parameters: str) -> str:
    """Make an address of the concordance of this corpus or of another."""
    own = visit.link("search", **parameters)
    if corpus == visit.name:
        return own
    return f"/{quote(corpus, safe='')}{own[len(visit.link()) :]}"


def _paged(asked: Any, found: Any) -> dict[str, Any]:
    total = found["types"] if found else 0
    return {"total": total, "pages": pages_of(total, asked.rows), "first": asked.first, "max_rows": MAX_ROWS}


def _largest(found: Any, names: Any) -> dict[str, float]:
    """The largest value of each measure on the page, for bars."""
    rows = found["rows"] if found else []
    return {name: max((row[name] for row in rows), default=0) or 1 for name in names}
