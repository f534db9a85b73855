"""The concordance: a query, its lines, and the same query in other corpora beside them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, TypeVar
from urllib.parse import parse_qsl, quote

from starlette.responses import Response, StreamingResponse

from gristmill.errors import GristmillError
from gristmill.operations.search import SearchAsked
from gristmill.operations.searched import Ordered, Searched
from gristmill.parallel.reader import is_parallel, languages_of
from gristmill.parameters import asked, param, parameters, to_query, to_record
from gristmill.search.concordance.labelled import pieces_of
from gristmill.search.concordance.lines import line_fields
from gristmill.search.concordance.shown import Lines
from gristmill.search.concordance.wider import MAX_TOKENS
from gristmill.web.answers.search import ContextAsked, LinesAsked
from gristmill.web.downloads import LABELS, Writer, content_type, file_name
from gristmill.web.pages import page
from gristmill.web.rooms.forms import Filled, read_form, recorded
from gristmill.web.rooms.search_history import remember
from gristmill.web.visit import Gone, Refused, Visit

S = TypeVar("S", bound=Searched)

MAX_BESIDE = 4
"""Other corpora that a query is asked of at once."""
MAX_DOWNLOAD_LINES = 1_000_000
_PIECE_LINES, _LONG_PIECE_LINES = 20_000, 4_000
"""Lines that are asked of a worker at once, so that others can ask between them; fewer if lines are long."""
_LONG_CHARACTERS, _LONG_TOKENS = 200, 50
_CHARACTERS = 80
"""Characters to each side of a hit that a page has room for."""
_ORDERS = (
    ("", "text order"),
    ("left", "left"),
    ("node", "hit"),
    ("right", "right"),
    ("year", "year"),
    ("host", "host"),
)
"""Orders that are offered as links."""
_SORTS = (*_ORDERS[1:], ("-1:lemma", "lemma before"), ("1:lemma", "lemma after"), ("word/retrograde", "from word ends"))
"""Keys that are offered in the form; others can be typed."""
_STRATEGIES = (
    ("", "all"),
    ("longest", "longest: in no other"),
    ("shortest", "shortest: with no other in it"),
    ("standard", "standard, as in CQP"),
    ("traditional", "traditional, as in CQP"),
)
"""Which matches of a query count."""
_COUNTED_BY = (
    ("word", "word form"),
    ("lemma", "lemma"),
    ("-1:lemma", "lemma before"),
    ("1:lemma", "lemma after"),
    ("host", "host"),
)


@asked
class SearchPage(SearchAsked):
    """What the page takes: a search, and the corpora that are searched beside this one."""

    beside: tuple[str, ...] = param("Names of other corpora of the server.", default=())


def address(visit: Visit, path: str, asked: Any, of: Any = None, corpus: str = "", **changes: Any) -> str:
    """Make the address of a page of a corpus with parameters, or those that `of` has, some of them changed."""
    query = to_query(asked, of, **changes)
    base = f"/{quote(corpus or visit.name, safe='')}/{path}"
    return f"{base}?{query}" if query else base


def read_search(visit: Visit, kind: type[S]) -> Filled[S]:
    """Read the form of a search, without what is empty or does nothing: a form sends all its fields."""
    form = read_form(visit, kind)
    several = [item.name for item in parameters(kind) if item.many]
    given: dict[str, Any] = {name: tuple(filter(str.strip, getattr(form.asked, name))) for name in several}
    asked: Any = replace(form.asked, **given)
    idle: dict[str, Any] = {}
    if not (asked.having or asked.lacking):
        idle["window"] = None
    if not asked.aligned:
        idle |= {"aligned_with": (), "aligned_without": ()}
    if isinstance(asked, Ordered):
        idle |= {"shuffle": False} if asked.sort else {"collation": None}
    if isinstance(asked, SearchAsked) and asked.tokens is not None:
        idle["context"] = None
    if not (asked.sample or idle.get("shuffle", getattr(asked, "shuffle", False))):
        idle["seed"] = None
    return replace(form, asked=replace(asked, **idle))


@page("search", room="search")
async def search(visit: Visit) -> Response:
    """Show a query and its lines; without a query, what one can ask."""
    form = read_search(visit, SearchPage)
    asked, error, status = form.asked, form.error, 400 if form.error else 200
    found: Lines | None = None
    others: list[tuple[str, Lines | None, str]] = []
    if not error and asked.query.strip():
        beside = _beside(visit, asked)
        wanted = asked if asked.tokens is not None else replace(asked, context=_characters(asked))
        (found, error, status), *rest = await asyncio.gather(
            recorded(visit, "search", wanted),
            *(recorded(visit, "search", wanted, name) for name in beside),
        )
        others = [
            (name, there, wrong["error"] if wrong else "") for name, (there, wrong, _) in zip(beside, rest, strict=True)
        ]
    values = form_values(visit, asked, "search")
    if found:
        page = address(visit, "search", asked, offset=0)
        remember(visit, page, asked.query, asked.where or "", found.found.total)
        keys = [(f"{label}.lemma", f"lemma of {label}") for label in found.labels]
        values |= {"sorts": (*_SORTS, *keys), "counted_by": (*_COUNTED_BY, *keys)}
        longest = max(there.shown for _, there, _ in [("", found, ""), *others] if there)
        values["pages"] = -(-longest // asked.limit)
    return visit.page(
        "search.html",
        status,
        found=found,
        error=error,
        sections=[(visit.name, found, ""), *others],
        characters=_characters(asked),
        download=lambda form: address(visit, "search/download", asked, LinesAsked, offset=0, limit=None, format=form),
        pieces_of=pieces_of,
        **values,
    )


def _characters(asked: SearchAsked) -> int:
    """Characters to each side of a hit: as many as a page has room for, if nobody says how many."""
    return _CHARACTERS if asked.context is None else asked.context


def form_values(visit: Visit, asked: Any, tab: str) -> dict[str, Any]:
    """What all pages that show a search are filled with; `asked` has what all searches have, and more."""
    return {
        "asked": asked,
        "tab": tab,
        "filters": _filters(visit, asked, tab),
        "page_address": lambda number: address(visit, tab, asked, offset=(number - 1) * asked.limit),
        "carried": to_query(asked, Searched),
        "kept_fields": parse_qsl(to_query(asked, Searched, query="", where=None)),
        "page_number": getattr(asked, "offset", 0) // asked.limit + 1,
        "sorts": _SORTS,
        "orders": _ORDERS,
        "strategies": _STRATEGIES,
        "corpora": [item.name for item in visit.site.shelf if item.name != visit.name],
        "address": lambda path, corpus="", **changes: address(visit, path, asked, None, corpus, **changes),
        "elsewhere": lambda path, **changes: address(visit, path, asked, Searched, **changes),
        "labels": LABELS,
        "max_download": MAX_DOWNLOAD_LINES,
        "pair": _languages(visit),
    }


def _languages(visit: Visit) -> tuple[str, ...]:
    """The two languages of a parallel corpus; none if it is not one."""
    shelved = visit.site.shelf.get(visit.name)
    try:
        return languages_of(shelved.folder) if shelved and is_parallel(shelved.folder) else ()
    except GristmillError:  # a search for its pairs says what is wrong
        return ()


def _filters(visit: Visit, asked: Any, tab: str) -> list[tuple[str, str]]:
    """What is asked for besides the query, in words, each with the address of the page without it."""
    found: list[tuple[str, dict[str, Any]]] = []
    if asked.where:
        found.append((f"where {asked.where}", {"where": None}))
    if asked.aligned:
        found.append((f"beside: {asked.aligned}", {"aligned": None, "aligned_with": (), "aligned_without": ()}))
    of_other = f"in {asked.aligned}: "
    for name, word in (
        ("having", "with "),
        ("lacking", "without "),
        ("only", ""),
        ("aligned_with", f"with {of_other}"),
        ("aligned_without", f"without {of_other}"),
    ):
        given = getattr(asked, name) if asked.aligned or not name.startswith("aligned") else ()
        found += [
            (f"{word}{text}", {name: given[:place] + given[place + 1 :]}) for place, text in enumerate(given) if text
        ]
    if asked.first_in:
        found.append((f"first in each {asked.first_in}", {"first_in": None}))
    if asked.strategy:
        found.append((f"{asked.strategy} matches", {"strategy": None}))
    if asked.sample:
        found.append((f"a sample of {asked.sample:,}", {"sample": None, "seed": None}))
    sort = getattr(asked, "sort", None)
    if sort and sort not in dict(_ORDERS):
        found.append((f"sorted by {sort}", {"sort": None, "collation": None}))
    return [(label, address(visit, tab, asked, offset=0, **changes)) for label, changes in found]


def _beside(visit: Visit, asked: SearchPage) -> list[str]:
    names = [name for name in dict.fromkeys(asked.beside) if name and name != visit.name]
    if len(names) > MAX_BESIDE:
        raise Refused(400, f"a query can be asked of {MAX_BESIDE} other corpora at once, not of {len(names)}")
    for name in names:
        if visit.site.shelf.get(name) is None:
            raise Refused(400, f"there is no corpus {name[:100]!r} here")
    return names


@page("search/context", room="search")
async def context(visit: Visit) -> Response:
    """Show the text around a hit, for browsers that don't open it in its place."""
    asked = visit.read(ContextAsked)
    found = await visit.ask("context", asked)
    block = next((block["number"] for block in found["blocks"] if block["hit"]), None)
    return visit.page("search_context.html", found=found, asked=asked, hit_block=block, most=MAX_TOKENS, tab="search")


@page("search/download", room="search")
async def download(visit: Visit) -> Response:
    """Send all lines of a concordance, a million at most, piece by piece as they are made."""
    asked = read_search(visit, LinesAsked)
    if asked.error:
        raise Refused(400, asked.error["error"])
    given = asked.asked if asked.asked.tokens is not None else replace(asked.asked, context=_characters(asked.asked))
    head, error, status = await recorded(visit, "search", replace(given, offset=0, limit=1))
    if error:
        raise Refused(status, error["error"])
    total = min(head.shown, MAX_DOWNLOAD_LINES)
    cut = "" if total == head.shown else f"-first-{total}"
    name = file_name(f"concordance-{visit.name}{cut}", given.format)
    return StreamingResponse(
        _pieces(visit, given, head, total),
        headers={"Content-Disposition": f'attachment; filename="{name}"', "X-Lines": f"{total} of {head.shown}"},
        media_type=content_type(given.format),
    )


async def _pieces(visit: Visit, asked: LinesAsked, head: Lines, total: int) -> AsyncIterator[bytes]:
    """Ask for one piece after the other; all are of one state of the corpus, or the download breaks off."""
    if asked.format == "json":
        facts = {"asked": to_record(asked), **head.found.to_json(), "given": total}
        yield json.dumps(facts, ensure_ascii=False).removesuffix("}").encode() + b', "rows": [\n'
    else:
        yield Writer(asked.format).head(line_fields(aligned=head.aligned)).encode()
    is_long = asked.view == "sentence" or _characters(asked) > _LONG_CHARACTERS or (asked.tokens or 0) > _LONG_TOKENS
    most = _LONG_PIECE_LINES if is_long else _PIECE_LINES
    for first in range(0, total, most):
        count = min(most, total - first)
        try:
            answer = await visit.answer("lines", replace(asked, limit=count, offset=first, state=head.state))
        except Gone:
            return
        if answer.status != 200:
            raise RuntimeError(f"a download broke off: {answer.json()['error']}")
        yield answer.data + (b",\n" if asked.format == "json" and first + count < total else b"")
    if asked.format == "json":
        yield b"\n]}\n"
