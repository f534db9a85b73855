"""Word lists, n-grams, collocations, keywords, comparisons: a form of each operation, and its table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from starlette.responses import Response

from gristmill.operations.statistics import collocations, compare, keywords, wordlist
from gristmill.parameters import Parameter
from gristmill.search.statistics.queries import condition_on_label, query_of_value
from gristmill.web.pages import page
from gristmill.web.rooms.forms import Filled, address, answered, downloads, read_form
from gristmill.web.visit import Visit

_ATTRIBUTES = ("word", "lemma", "tag", "word+tag", "lemma+tag", "xpos", "feats", "lc", "lemma_lc", "lempos")
_OF_PAGES = frozenset({"limit", "offset"})
"""Parameters that the links to other pages set."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a form, as the template needs it."""

    name: str
    """How requests call it."""
    field: str
    """The name of the field of the parameters."""
    label: str
    about: str
    kind: str
    is_first: bool
    """Whether it stands in the first row: what must be given or mostly is."""
    is_check: bool
    is_number: bool
    is_fraction: bool
    minimum: float | None
    options: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, parameter: Parameter, known: Sequence[tuple[str, str]] = ()) -> Field:
        """Make the field of a parameter; `known` are its values where the corpus tells which there are."""
        options = tuple((choice, choice.replace("_", " ")) for choice in parameter.choices)
        if known:
            options = tuple(known)
        elif parameter.type is bool and parameter.default:  # a box that is not ticked would not be sent
            options = (("1", "yes"), ("0", "no"))
        elif options and parameter.optional:
            options = (("", "as usual"), *options)
        return cls(
            parameter.called,
            parameter.name,
            parameter.name.replace("_", " "),
            parameter.about,
            parameter.kind,
            parameter.by_place or parameter.kind in {"query", "condition", "corpus", "attribute"},
            parameter.type is bool and not parameter.default,
            parameter.type in {int, float},
            parameter.type is float,
            parameter.declared.minimum,
            options,
        )


def form_values(
    visit: Visit, operation: Any, asked: Any, known: Mapping[str, Sequence[tuple[str, str]]] | None = None
) -> dict[str, Any]:
    """What the page of a form has: the fields, and how addresses are made of them.

    `known` are the values of fields of which the corpus tells which there are; one without any is left out.
    """
    known = {item.name: _suggested(item, asked) for item in operation.parameters if item.declared.suggested} | (
        dict(known or {})
    )
    attributes = list(_ATTRIBUTES)
    if getattr(asked, "attribute", "word") not in attributes:
        attributes.append(asked.attribute)
    name = operation.name
    in_pages = any(item.name == "offset" for item in operation.parameters)
    return {
        "tab": name,
        "title": name.capitalize(),
        "about": " ".join(operation.about.split("\n\n")[1].split()) if "\n\n" in operation.about else operation.summary,
        "carried": _search_of(asked),
        "asked": asked,
        "form_fields": [
            Field.of(item, known.get(item.name, ()))
            for item in sorted(operation.parameters, key=_rank)
            if _is_field(item, in_pages) and known.get(item.name, True)
        ],
        "attributes": attributes,
        "corpora": [item.name for item in visit.site.shelf if item.name != visit.name],
        "address": lambda **changes: address(visit, name, asked, **changes),
        "downloads": downloads(visit, name, asked, **({"limit": 0, "offset": 0} if in_pages else {})),
    }


def _suggested(item: Parameter, asked: Any) -> list[tuple[str, str]]:
    """The values that are suggested for a field, and that which was typed into the address."""
    return [(value, value) for value in dict.fromkeys([*item.declared.suggested, str(getattr(asked, item.name))])]


def _is_field(item: Parameter, in_pages: bool) -> bool:
    return not item.is_local and not (in_pages and item.name in _OF_PAGES)


def _rank(item: Parameter) -> int:
    """Where a field stands: what is searched, of which documents, compared with what, and the rest as declared."""
    if item.name == "where":
        return 1
    return {"corpus": 2, "condition": 3, "attribute": 4}.get(item.kind, 0 if item.by_place else 5)


def _search_of(asked: Any) -> str:
    """The query of an address with the search of a page that has one, which other pages take over."""
    given = {"q": getattr(asked, "query", ""), "where": asked.where}
    return urlencode({name: value for name, value in given.items() if value}) if given["q"] else ""


def pages_of(total: int, rows: int) -> int:
    """How many pages so many rows have."""
    return max(-(-total // rows), 1)


async def _ranked(visit: Visit, operation: Any, is_asked: Callable[[Any], bool], lines: Any) -> Response:
    """Show the form of an operation, and its table if anything was asked."""
    form: Filled[Any] = read_form(visit, operation.asks)
    asked = form.asked
    found, error, status = None, form.error, 400 if form.error else 200
    if not error and is_asked(asked):
        found, error, status = await answered(visit, operation.name, form)
    columns = found["columns"] if found else []
    order = getattr(asked, "order", "frequency")
    orders = next((item.choices for item in operation.parameters if item.name == "order"), ())
    bar_of = order if any(column["name"] == order for column in columns[1:]) else "frequency"
    return visit.page(
        "ranked.html",
        status,
        found=found,
        error=error,
        lines=lambda value: lines(asked, found, value),
        orders=orders,
        all_lines=visit.link("search", q=found.get("tree", asked.query), where=asked.where or "")
        if found and hasattr(asked, "query")
        else "",
        bar_of=bar_of,
        largest=max((row[bar_of] or 0 for row in found["rows"]), default=0) or 1 if found else 1,
        explained=[column for column in columns if column["about"]],
        page_number=asked.offset // asked.limit + 1,
        pages=pages_of(found["types"], asked.limit) if found else 1,
        page_address=lambda number: address(visit, operation.name, asked, offset=(number - 1) * asked.limit),
        **form_values(visit, operation, asked),
    )


def _always(asked: Any) -> bool:
    """A word list needs nothing to be asked."""
    del asked
    return True


@page("wordlist", room="search")
async def words(visit: Visit) -> Response:
    """Show the list of words, or of n-grams."""

    def lines(asked: Any, found: Any, value: str) -> str:
        del found
        within = (asked.within or "s") if asked.n > 1 else ""
        query = query_of_value(
            asked.attribute, value, n=asked.n, ignore_case=asked.ignore_case, tag=asked.tag, within=within
        )
        return visit.link("search", q=query, where=asked.where or "")

    return await _ranked(visit, wordlist, _always, lines)


@page("collocations", room="search")
async def collocates(visit: Visit) -> Response:
    """Show what stands near a word."""

    def lines(asked: Any, found: Any, value: str) -> str:
        near = query_of_value(asked.attribute, value, ignore_case=asked.ignore_case)
        where = asked.where or ""
        if found and asked.relation:
            return visit.link("search", q=found["tree"].removesuffix("[]") + near, where=where)
        if asked.of:
            at = condition_on_label(asked.of, asked.attribute, value, ignore_case=asked.ignore_case)
            return visit.link("search", q=f"{asked.query} & {at}", where=where)
        return visit.link("search", q=asked.query, where=where, having=near, window=asked.window or asked.within or "5")

    return await _ranked(visit, collocations, lambda asked: bool(asked.query.strip()), lines)


@page("keywords", room="search")
async def typical(visit: Visit) -> Response:
    """Show what is typical of a corpus, or of a part of it."""

    def lines(asked: Any, found: Any, value: str) -> str:
        del found
        query = query_of_value(asked.attribute, value, ignore_case=asked.ignore_case, tag=asked.tag)
        return visit.link("search", q=query, where=asked.where or "")

    return await _ranked(
        visit, keywords, lambda asked: bool(asked.where or asked.reference or asked.reference_where), lines
    )


@page("compare", room="search")
async def compared(visit: Visit) -> Response:
    """Show the words most typical of two corpora, or of two parts of one, side by side."""
    form: Filled[Any] = read_form(visit, compare.asks)
    asked = form.asked
    found, error, status = None, form.error, 400 if form.error else 200
    if not error and (asked.where or asked.other or asked.other_where):
        found, error, status = await answered(visit, "compare", form)

    def lines(value: str, tag: str, there: bool) -> str:
        where = (asked.other_where or (f"!({asked.where})" if not asked.other else "")) if there else asked.where
        query = query_of_value(asked.attribute, value, ignore_case=asked.ignore_case, tag=tag)
        corpus = asked.other if there and asked.other else visit.name
        return _link(visit, corpus, q=query, where=where or "")

    here = visit.name if asked.other and not asked.where else "chosen"
    names = (here, asked.other or ("the others" if asked.other_where else "the rest"))
    values = form_values(visit, compare, asked)
    return visit.page("compare.html", status, found=found, error=error, lines=lines, names=names, **values)


def _link(visit: Visit, corpus: str, **parameters: str) -> str:
    """Make an address of the concordance of this corpus or of another."""
    own = visit.link("search", **parameters)
    if corpus == visit.name:
        return own
    return f"/{quote(corpus, safe='')}{own[len(visit.link()) :]}"
