"""A page as it was judged, block by block: by its own method or another one, by any threshold, or by two methods.

The page inspector shows it. What was stored is shown as it was stored; another method reads the page again, from its
original bytes if they can be had, or else from a page that is made of its blocks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace

import numpy as np

from gristmill.archive.kind import looks_like_html, looks_like_text
from gristmill.cleaning.cleaner import clean_alone, decode_page, prepare, settings_of
from gristmill.cleaning.features import Features
from gristmill.cleaning.languages import Languages
from gristmill.cleaning.methods.chosen import is_known, method_named
from gristmill.cleaning.methods.mill_reasons import Reason, reasons
from gristmill.cleaning.roles import roles_of
from gristmill.consent import UntrustedError
from gristmill.corpus.copies import TracedBlock, trace
from gristmill.corpus.explain import Explained, block_state, explain_document, read_document
from gristmill.corpus.lookup import has_document, replaced_document
from gristmill.corpus.originals import NoOriginalError, read_original
from gristmill.corpus.reader import CorpusReader
from gristmill.corpus.rebuilt import rebuilt_page
from gristmill.document import Block, Document, Page
from gristmill.errors import UsageError
from gristmill.language import Models
from gristmill.roles import Names, as_text, chosen

NO_PAGE = "there is no page"
"""How the message begins that there is no page of an id."""
_UNIQUE = "unique"
_MAX_BYTES = 10_000_000
"""So much of a page is read at most, as `build` does if nothing else is said."""
_HTML = {"content-type": "text/html; charset=utf-8"}
_REASONED = "mill"
"""The method whose scores can be explained feature by feature."""


@dataclass(frozen=True, slots=True)
class View:
    """How a page is looked at; by default as it was judged when the corpus was built."""

    method: str = ""
    other: str = ""
    """A second method to compare with."""
    max_boilerplate: float | None = None
    roles: Names | None = None


@dataclass(frozen=True, slots=True)
class SeenBlock:
    """A block, what decided on it, and what de-duplication and a second method say."""

    number: int
    block: Block
    kept: bool
    """Whether cleaning and filters keep it; de-duplication comes later."""
    state: str
    """What decided, in words."""
    traced: TracedBlock | None
    """What de-duplication found; None if it was not compared."""
    other_score: float | None = None
    other_kept: bool | None = None

    @property
    def differs(self) -> bool:
        """Whether the second method decides otherwise."""
        return self.other_kept is not None and self.other_kept != self.kept

    @property
    def is_repeated(self) -> bool:
        """Whether de-duplication left it out."""
        return self.traced is not None and self.traced.verdict not in {"", _UNIQUE}


@dataclass(slots=True)
class Inspected:
    """A page, its blocks as a view shows them, and its source, in which they stand."""

    explained: Explained
    document: Document
    """The page as it is judged in this view."""
    blocks: list[SeenBlock]
    text: str
    """The source of the page, decoded, or a page made of its blocks."""
    places: list[tuple[int, int]]
    """Where each block begins and ends in it, in characters."""
    is_text: bool
    """Whether the source is plain text."""
    missing: str = ""
    """Why this is not the original; empty if it is."""
    notes: list[str] = field(default_factory=list)
    """What one should know of what is shown."""


@dataclass(slots=True)
class _Source:
    """What a method can read: the original page, or one made of blocks."""

    page: Page
    text: str
    missing: str = ""
    places: list[tuple[int, int]] | None = None
    """Where the stored blocks stand, if that is not where they stood."""


def inspect_page(corpus: CorpusReader, identifier: str, view: View | None = None) -> Inspected:
    """Look at a page by its id; raises `UsageError` if there is none, or a method or role is not known."""
    view = view or View()
    for method in filter(None, (view.method, view.other)):
        method_named(method)
    _check(corpus, identifier)
    notes: list[str] = []
    explained = _explained(corpus, identifier, notes)
    stored, languages = explained.document, languages_of(corpus)
    source = _source(corpus, stored, languages, min(explained.limit, _MAX_BYTES))
    document = _judged(corpus, source, stored, languages, view, notes)
    is_stored = document.method == stored.method and view.method in {"", stored.method}
    if is_stored and source.places is None and not _fits(stored, source, languages):
        notes.append("This version of Gristmill divides the page in another way than the one that built the corpus.")
    places = source.places if is_stored and source.places is not None else _places(document)
    traced = _traced(explained, document, same=is_stored)
    others = _judged(corpus, source, stored, languages, replace(view, method=view.other), []) if view.other else None
    opinions = _opinions(places, others, source.places if others.method == stored.method else None) if others else None
    blocks = _seen(document, traced, opinions)
    return Inspected(explained, document, blocks, source.text, places, source.page.is_text, source.missing, notes)


def reasons_for(corpus: CorpusReader, identifier: str, number: int) -> list[Reason]:
    """Say by which properties `mill` judges a block of a page as it does; empty if its original is gone."""
    _check(corpus, identifier)
    document = read_document(corpus, identifier)
    languages = languages_of(corpus)
    try:
        page = read_original(corpus, document)
    except NoOriginalError:
        return []
    prepared, segmented = prepare(page, languages)
    features = Features(segmented, languages.models)
    segmented.columns.role = roles_of(features, prepared.page_kind)
    return reasons(features, number)


def _check(corpus: CorpusReader, identifier: str) -> None:
    if not has_document(corpus, identifier):
        raise UsageError(f"{NO_PAGE} {identifier[:100]!r} in this corpus")


def is_reasoned(document: Document) -> bool:
    """Whether `reasons_for` can say something of the blocks of a document."""
    return document.method == _REASONED


def languages_of(corpus: CorpusReader) -> Languages:
    """What identifies languages, as when the corpus was built, or by what is shipped if its models are not allowed."""
    try:
        return corpus.languages
    except UntrustedError:
        return Languages(Models.load(), corpus.config.clean.lang)


def _explained(corpus: CorpusReader, identifier: str, notes: list[str]) -> Explained:
    try:
        return explain_document(corpus, identifier)
    except UntrustedError as error:
        notes.append(f"Filters were not asked again: {error}")
        document = read_document(corpus, identifier)
        return Explained(document, [], trace(corpus, identifier), _MAX_BYTES, replaced_document(corpus, identifier))


def _source(corpus: CorpusReader, stored: Document, languages: Languages, limit: int) -> _Source:
    try:
        page = read_original(corpus, stored, limit)
        _check_showable(page)
        return _Source(page, decode_page(page, languages).text)
    except NoOriginalError as error:
        text, places = rebuilt_page(stored.blocks)
        page = Page(stored.url, text.encode("utf-8", "replace"), stored.date, headers=_HTML)
        return _Source(page, text, str(error), places)


def _check_showable(page: Page) -> None:
    """Raise if there is nothing that could be shown as text."""
    kind = page.content_type
    if not page.body.strip():
        raise NoOriginalError("it has no content")
    is_page = kind.startswith("text/") or "html" in kind or looks_like_html(page.body) or looks_like_text(page.body)
    if not is_page:
        raise NoOriginalError(f"it is no page, but {kind or 'of an unknown type'}")


def _judged(
    corpus: CorpusReader, source: _Source, stored: Document, languages: Languages, view: View, notes: list[str]
) -> Document:
    """Return the page as a method judges it: what is stored if that is by this method, or else judged now."""
    method = view.method or stored.method or corpus.config.clean.method
    if stored.method and method == stored.method:
        document = copy(stored)  # its threshold and roles may change
    else:
        document = clean_alone(source.page, languages, settings_of(method, None, (), stored.max_boilerplate))
        document.id = stored.id
        notes += _notes_on(method, stored, source)
    if view.max_boilerplate is not None:
        document.max_boilerplate = view.max_boilerplate
    if view.roles is not None:
        document.roles = as_text(chosen(view.roles))
    return document


def _notes_on(method: str, stored: Document, source: _Source) -> list[str]:
    notes: list[str] = []
    if not stored.method and source.missing:
        return notes
    if not stored.method:
        notes.append(f"The page was dropped before it was cleaned. This is what {method} makes of it now.")
    if source.missing:
        notes.append("The method read a page that was made of the stored blocks, so its scores are not exact.")
    if method_named(method).score_site:
        notes.append(f"{method} compares the pages of a site; here it sees this page alone.")
    return notes


def _places(document: Document) -> list[tuple[int, int]]:
    return [(block.start, block.end) for block in document.blocks]


def _fits(stored: Document, source: _Source, languages: Languages) -> bool:
    """Whether the blocks stand where they stood, if the page is divided again."""
    if not stored.method or not is_known(stored.method):
        return True
    _, segmented = prepare(source.page, languages, method_named(stored.method).segmentation)
    starts = [block.start for block in stored.blocks]
    return bool(segmented.columns.start.tolist() == starts)


def _traced(explained: Explained, document: Document, *, same: bool) -> dict[int, TracedBlock]:
    """What de-duplication found on the blocks of a document: by number, or if they were divided anew, by place."""
    found = {block.number: block for block in explained.repeated.blocks}
    if same:
        return found
    stored = explained.document.blocks
    by_place = {(stored[number].start, stored[number].end): block for number, block in found.items()}
    places = enumerate(_places(document))
    return {number: by_place[place] for number, place in places if place in by_place}


def _seen(
    document: Document, traced: Mapping[int, TracedBlock], opinions: Sequence[tuple[float, bool]] | None
) -> list[SeenBlock]:
    blocks = []
    for number, block in enumerate(document.blocks):
        kept = block.is_kept(document.max_boilerplate, document.roles)
        score, other = opinions[number] if opinions is not None else (None, None)
        state = block_state(block, document)
        blocks.append(SeenBlock(number, block, kept, state, traced.get(number), score, other))
    return blocks


def _opinions(
    places: Sequence[tuple[int, int]], other: Document, others: Sequence[tuple[int, int]] | None
) -> list[tuple[float, bool]]:
    """What another judgement of the page says of what stands at some places: its score there, and whether it keeps it.

    Its own blocks stand at `others`, if not where they say. They may be divided in another way: then the mean counts,
    by the characters that both have.
    """
    there = _places(other) if others is None else others
    starts = np.array([start for start, _ in there], np.int64)
    ends = np.array([end for _, end in there], np.int64)
    scores = np.array([block.score for block in other.blocks])
    kept = np.array([block.is_kept(other.max_boilerplate, other.roles) for block in other.blocks], np.float64)
    found = []
    for start, end in places:
        first, last = np.searchsorted(ends, start, "right"), np.searchsorted(starts, end, "left")
        if first >= last:
            found.append((1.0, False))
            continue
        shared = np.minimum(ends[first:last], end) - np.maximum(starts[first:last], start)
        weights = shared / shared.sum()
        found.append((float(scores[first:last] @ weights), bool(kept[first:last] @ weights >= 0.5)))
    return found
