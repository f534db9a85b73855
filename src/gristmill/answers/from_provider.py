"""Ask a search provider: its snippets, and titles where it has none, are the passages (Delmonte, GReG, section 1)."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from gristmill.answers.asking import Answers, Asking
from gristmill.answers.passages import PHRASE, PLAIN, Asked, Passage
from gristmill.answers.question import Question
from gristmill.answers.rewriting import GAP, Form
from gristmill.bootstrapping.asking import opened
from gristmill.bootstrapping.providers import ProviderError, Result, trusted_of
from gristmill.bootstrapping.query import Query
from gristmill.errors import GristmillError, UsageError
from gristmill.fetching.access import Access

RESULTS = 10
"""Results of a query, as in the paper."""
_MAX_FORMS = 4
"""Forms of answers that are asked for, each a request."""
_DELAY_SECONDS = 1.0
_WITHOUT_TEXT = frozenset(("commoncrawl",))
"""Providers that give addresses alone."""


def query_of(form: Form) -> Query:
    """Write the form of an answer as a query: a phrase for what stands before, and after, the answer."""
    phrases: list[list[tuple[str, ...]]] = [[]]
    for place in form.places:
        if place == (GAP,):
            phrases.append([])
        else:
            phrases[-1].append(place)
    words: list[tuple[str, ...]] = []
    for phrase in filter(None, phrases):
        if all(len(place) == 1 for place in phrase):
            words.append((" ".join(place[0] for place in phrase),))
        else:
            words += phrase
    return Query(tuple(words))


def check_provider(spec: str) -> None:
    """Raise if there is no such provider, or if it has no texts in which an answer could be; nothing is sent."""
    name = spec.partition(":")[0].strip()
    if name in _WITHOUT_TEXT:
        raise UsageError(f"{name} can't be asked questions: it gives addresses of pages, without titles and snippets")
    trusted_of(spec)


def ask_provider(
    asking: Asking,
    spec: str,
    text: str,
    *,
    access: Access | None = None,
    limit: int | None = 10,
    rewriting: bool = True,
    delay: float = _DELAY_SECONDS,
) -> Answers:
    """Ask a provider, such as `searxng:http://localhost:8888`, the question as it is and the forms of its answers."""
    check_provider(spec)
    question = asking.understand(text)
    queries = [(PLAIN, "", Query(tuple((word,) for word in _words(question))))]
    if rewriting:
        queries += [(PHRASE, form.text, query_of(form)) for form in question.forms[:_MAX_FORMS]]
    all_queries = [query for _, _, query in queries]
    results, failures = asyncio.run(_search(spec, all_queries, access or Access(), asking.lang, delay))
    passages: dict[str, Passage] = {}
    asked: list[Asked] = []
    without = 0
    for (way, form, query), found in zip(queries, results, strict=True):
        asked.append(Asked(way, form, query.text, len(found)))
        for result in found:
            without += not (result.snippet or result.title)
            _add(passages, result, way, form, asking.lang)
    answers = asking.rank(question, list(passages.values()), asked, limit=limit)
    if failures:
        answers.remarks.append(
            f"queries without an answer of the provider: {len(failures)} of {len(queries)}: {failures[0]}"
        )
    if without:
        answers.remarks.append(f"results without a snippet or a title, which can't be ranked: {without:,}")
    return answers


def _words(question: Question) -> list[str]:
    """The question as people type it, without marks."""
    return [word for word in question.analysis.words if any(map(str.isalnum, word))]


def _add(passages: dict[str, Passage], result: Result, way: str, form: str, lang: str) -> None:
    """Add a result, or say of one that is there already in which other way it was found."""
    text = result.snippet or result.title
    if not text:
        return
    before = passages.get(result.url)
    rank = result.rank if way == PLAIN else None
    if before is None:
        passages[result.url] = Passage(
            text, result.url, result.title, lang=lang, plain_rank=rank, found_by=way, form=form
        )
    elif before.found_by == PLAIN:
        passages[result.url] = replace(before, found_by=way, form=form)


async def _search(
    spec: str, queries: list[Query], access: Access, lang: str, delay: float
) -> tuple[list[list[Result]], list[str]]:
    """Ask all queries, and say why some failed; raises if nothing was found before the first that did."""
    async with opened(spec, access, lang, delay) as provider:
        found: list[list[Result]] = []
        failures: list[str] = []
        for query in queries:
            try:
                found.append(await provider.search(query, RESULTS))
            except ProviderError as error:
                if not any(found):
                    raise GristmillError(str(error)) from error
                found.append([])
                failures.append(str(error))
        return found, failures
