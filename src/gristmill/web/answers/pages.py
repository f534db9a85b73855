"""Pages of a corpus: found by what is known of them, and shown block by block as they were judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gristmill.cleaning import METHODS
from gristmill.corpus.copies import FirstCopy
from gristmill.corpus.explain import KINDS, decision
from gristmill.corpus.finding import KEPT, PageQuery, find_pages
from gristmill.corpus.inspecting import Inspected, SeenBlock, View, inspect_page, is_reasoned, reasons_for
from gristmill.errors import GristmillError
from gristmill.html.colouring import COLOURINGS, Colouring
from gristmill.html.inspected import inspected_page
from gristmill.operations.common import NoParameters
from gristmill.operations.declaration import operation
from gristmill.parameters import param
from gristmill.pipeline import Corpus
from gristmill.roles import from_text
from gristmill.search.page_text import rows_with
from gristmill.search.terms import Terms, parse_terms
from gristmill.wording import one_line

MAX_BLOCKS = 6_000
"""Blocks that are shown at once."""
_MAX_TEXT_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class PagesAsked:
    """Which pages are looked for."""

    url: str = param("A part of the address, whatever the case.", default="")
    host: str = param("The host; with a dot before it, also its subdomains.", default="", max_characters=300)
    reason: str = param(
        "What became of the page: `kept`, the name of the filter that dropped it, `duplicate`, `replaced`, `skipped` "
        "for records that gave no page, or `skipped:broken` for some of them.",
        default="",
        max_characters=100,
    )
    lang: str = param("The language, as a code: `en`.", default="", max_characters=20)
    kind: str = param("The kind of page: `article`, `forum`...", default="", max_characters=30)
    year: str = param("The year in which it was published, or else fetched.", default="", max_characters=4)
    text: str = param('Words that the page has, all of them: `mill (corn OR grain) "slide guitar"`.', default="")
    everywhere: bool = param(
        "Look for the words in all text of all pages, boilerplate too, not in the index.", default=False
    )
    page: int = param("Which page of the results.", default=1, minimum=1, maximum=1_000_000)
    lines: int = param("Results on a page.", default=50, minimum=1, maximum=200)


@operation(PagesAsked, room="pages")
def pages(corpus: Corpus, asked: PagesAsked) -> dict[str, Any]:
    """Find pages by address, host, reason, language, kind, year and text, in the order of the corpus.

    `count` is how many were found. Large corpora are not searched to the end: then `complete` is false, and `looked_at`
    of `total` pages and records were looked at. `by_index` says whether text was looked up in the index, which has kept
    text only.
    """
    terms: Terms = parse_terms(asked.text) if asked.text.strip() else ()
    among = None
    if terms and not asked.everywhere and asked.reason in {"", KEPT}:
        try:
            among = rows_with(corpus.index, terms)
        except GristmillError:  # there is no index: pages are read
            among = None
    query = PageQuery(
        asked.url, asked.host, asked.reason, asked.lang, asked.kind, asked.year, () if among is not None else terms
    )
    found = find_pages(corpus.reader, query, first=(asked.page - 1) * asked.lines, limit=asked.lines, among=among)
    return {**found.to_json(), "by_index": among is not None}


@operation(NoParameters, room="pages")
def page_choices(corpus: Corpus, asked: NoParameters) -> dict[str, Any]:
    """Say which reasons, languages and methods there are to choose from."""
    del asked
    counts = corpus.counts
    reasons = [[KEPT, counts["kept"]], *([name, count] for name, count in counts["dropped"].items())]
    reasons += [["duplicate", counts["duplicates"]], ["replaced", counts["replaced"]]]
    reasons += [[f"skipped:{name}", count] for name, count in counts["skipped"].items() if name != "other"]
    return {
        "reasons": [[name, count] for name, count in reasons if count],
        "languages": list(corpus.size["languages"])[:200],
        "methods": list(METHODS),
        "has_index": _has_index(corpus),
    }


def _has_index(corpus: Corpus) -> bool:
    try:
        return bool(corpus.index.size)
    except GristmillError:
        return False


@dataclass(frozen=True, slots=True)
class PageAsked:
    """Which page, and how it is looked at."""

    id: str = param(about="The id of the page: `00000-000017`.", max_characters=100)
    method: str = param("The cleaning method; that of the corpus if it is empty.", default="", max_characters=100)
    other: str = param("A second method to compare with.", default="", max_characters=100, name="with")
    max_boilerplate: float | None = param("The highest score of text.", default=None, minimum=0, maximum=1)
    roles: tuple[str, ...] = param(
        "The roles that count as text; as built if there are none.", default=(), max_characters=200
    )
    colour: str = param("What the blocks are coloured by.", default="score", choices=COLOURINGS)
    first: int = param("The first block that is listed.", default=0, minimum=0, maximum=10_000_000)

    def view(self) -> View:
        """How the page is looked at."""
        roles = ",".join(role for role in self.roles if role.strip())
        return View(self.method, self.other, self.max_boilerplate, roles or None)


@operation(PageAsked, room="pages")
def page(corpus: Corpus, asked: PageAsked) -> dict[str, Any]:
    """Show a page as a method judges it: what is known of it, what filters found, and every block with its verdict.

    `missing` says why the original can't be shown, and is empty if it can. Up to 6,000 blocks are listed from `first`
    on, and of each text up to 2,000 characters.
    """
    found = inspect_page(corpus.reader, asked.id, asked.view())
    document, explained = found.document, found.explained
    colouring = Colouring(found.blocks, asked.colour)
    findings = {verdict.name: verdict.detail for verdict in explained.verdicts}
    listed = found.blocks[asked.first : asked.first + MAX_BLOCKS]
    return {
        "id": explained.document.id,
        "url": explained.document.url,
        "title": one_line(explained.document.title, 300),
        "lang": explained.document.lang,
        "reason": explained.reason,
        "detail": explained.detail,
        "facts": {name: value for name, value in explained.facts().items() if value},
        "repeated": explained.duplicates(),
        "copy_of": explained.repeated.copy_of,
        "filters": [
            {"name": verdict.name, "decision": decision(verdict), "passed": verdict.passed, "detail": verdict.detail}
            for verdict in explained.verdicts
        ],
        "method": document.method,
        "built_by": explained.document.method,
        "max_boilerplate": document.max_boilerplate,
        "roles": list(from_text(document.roles)),
        "missing": found.missing,
        "notes": found.notes,
        "reasoned": is_reasoned(document) and not found.missing,
        "legend": colouring.legend(found),
        "totals": _totals(found),
        "first": asked.first,
        "blocks": [_block(seen, colouring, findings) for seen in listed],
    }


def _totals(found: Inspected) -> dict[str, int]:
    kept = [seen for seen in found.blocks if seen.kept]
    return {
        "blocks": len(found.blocks),
        "kept": len(kept),
        "words": sum(seen.block.words for seen in found.blocks),
        "kept_words": sum(seen.block.words for seen in kept),
        "repeated": sum(seen.is_repeated for seen in kept),
        "differs": sum(seen.differs for seen in found.blocks),
    }


def _block(seen: SeenBlock, colouring: Colouring, findings: dict[str, str]) -> dict[str, Any]:
    block, traced = seen.block, seen.traced
    return {
        "number": seen.number,
        "text": block.text[:_MAX_TEXT_CHARACTERS],
        "cut": max(0, len(block.text) - _MAX_TEXT_CHARACTERS),
        "score": round(block.score, 4),
        "quantile": block.quantile,
        "label": block.label,
        "role": block.role,
        "kind": KINDS.get(block.kind, block.kind),
        "words": block.words,
        "link_density": round(block.link_density, 3),
        "links": block.links,
        "path": block.path[:300],
        "lang": block.lang,
        "kept": seen.kept,
        "state": seen.state,
        "filter": block.dropped,
        "finding": findings.get(block.dropped, "") if block.dropped else "",
        "verdict": traced.verdict if traced else "",
        "share": round(traced.share, 3) if traced else 0.0,
        "first_copy": _copy(traced.copy) if traced and traced.copy else None,
        "key": colouring.key(seen),
        "other_score": None if seen.other_score is None else round(seen.other_score, 4),
        "other_kept": seen.other_kept,
        "differs": seen.differs,
    }


def _copy(copy: FirstCopy) -> dict[str, Any]:
    """Where the first copy stands; in another corpus its id has the name of that before it."""
    return {"id": copy.id, "block": copy.block, "url": copy.url, "guessed": copy.guessed, "here": "/" not in copy.id}


@dataclass(frozen=True, slots=True)
class FrameAsked(PageAsked):
    """How the stored page is shown."""

    look: str = param("Its own look, or plain, in which all text is shown.", default="own", choices=("own", "plain"))


@operation(FrameAsked, room="pages")
def page_html(corpus: Corpus, asked: FrameAsked) -> dict[str, str]:
    """Give the stored page as harmless HTML, its blocks marked as elements `gm-block-0`, `gm-block-1`...

    Show it in a sandboxed frame only, with the Content-Security-Policy of `/CORPUS/pages/ID/original`. `missing` says
    why it is made of its blocks, if its original is gone.
    """
    found = inspect_page(corpus.reader, asked.id, asked.view())
    return {"html": inspected_page(found, asked.colour, plain=asked.look == "plain"), "missing": found.missing}


@dataclass(frozen=True, slots=True)
class BlockAsked:
    """Which block of which page."""

    id: str = param(about="The id of the page.", max_characters=100)
    block: int = param(about="The number of the block, from 0.", minimum=0, maximum=10_000_000)


@operation(BlockAsked, room="pages")
def page_reasons(corpus: Corpus, asked: BlockAsked) -> dict[str, Any]:
    """Say by which properties `mill` gives a block its score.

    Each group of properties comes with the score that the block would have if it were in that like the blocks on the
    other side of the threshold; `change` is the difference. The list is empty if the original page is gone.
    """
    return {"reasons": [reason.to_json() for reason in reasons_for(corpus.reader, asked.id, asked.block)]}
