"""The address `/search`, which is asked and answers as SearXNG: so a corpus is a search engine for `bootstrap`."""

from __future__ import annotations

import json

from gristmill.operations.documents import DocumentsAsked
from gristmill.parameters import asked, param, parameters, read
from gristmill.web.visit import Refused, Visit
from gristmill.web.workers import Answer


@asked
class SearxAsked:
    """A page of results for a query, as SearXNG is asked for it."""

    q: str = param("What `documents` is asked for.", default="")
    page: int = param("Which page of results.", default=1, minimum=1, maximum=100_000)
    count: int = param("Results of a page.", default=10, minimum=1, maximum=100)
    lang: str | None = param("Only documents in this language.", default=None, kind="lang", max_characters=20)


async def search(visit: Visit) -> Answer:
    """Search for documents; parameters that are not known, such as `format`, are left out."""
    given = visit.given
    name = given.get("corpus", [""])[-1]
    shelf = visit.site.shelf
    if not name and len(shelf) > 1:
        raise Refused(400, f"say which corpus to search: corpus={'|'.join(item.name for item in shelf)}")
    known = {item.called for item in parameters(SearxAsked)}
    searx = read(SearxAsked, {key: values[-1] for key, values in given.items() if key in known})
    wanted = DocumentsAsked(searx.q, lang=searx.lang, limit=searx.count, offset=(searx.page - 1) * searx.count)
    answer = await visit.answer("documents", wanted, name or next(iter(shelf)).name)
    if answer.status != 200:
        return answer
    found = answer.json()
    results = [
        {"url": row["url"], "title": row["title"], "content": row["extract"], "score": round(row["score"], 6)}
        for row in found["rows"]
    ]
    record = {"query": searx.q, "number_of_results": found["total"], "results": results}
    return Answer(200, json.dumps(record, ensure_ascii=False).encode("utf-8", "replace"))
