"""Statistics of a corpus: word lists, n-grams, collocations, keywords, comparisons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gristmill.errors import UsageError
from gristmill.pipeline import Corpus
from gristmill.search.concordance.hints import why_nothing
from gristmill.search.statistics.collocations import Collocations
from gristmill.search.statistics.collocations import collocations as find_collocations
from gristmill.search.statistics.compare import split_tags
from gristmill.search.statistics.keywords import KEYNESS, WITH_LETTER
from gristmill.search.statistics.listing import ListRequest
from gristmill.search.statistics.measures import ASSOCIATION
from gristmill.search.statistics.ngrams import MAX_N
from gristmill.search.statistics.wordlist import ORDERS
from gristmill.web.answers.search import COLLATION
from gristmill.web.downloads import format_param, rows_file, table_answer
from gristmill.web.operations import File, operation
from gristmill.web.parameters import param
from gristmill.web.workers import other_corpus

MAX_ROWS = 200_000
"""Rows of one answer; the pages that stand behind each other give all."""
ROWS = 50
"""Rows of a page, if nothing else is said."""
_MAX_TAGS = 12
_WITHIN = ("", "s", "p", "doc")
_ATTRIBUTE = "word, lemma, tag, xpos, feats, lc, lemma_lc, lempos; or several joined, such as lemma+tag."
_WHERE = 'Only documents for which this holds: lang="en" & year>=2010, or @name of a subcorpus.'
_DISPERSION = "Also in how many documents, how unevenly (DP), and the average reduced frequency (ARF)."
_MATCHING = "Only values that this regular expression matches as a whole."


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """What all lists have: which page of them, and in which format."""

    page: int = param(1, "Which page of the rows, from 1.", minimum=1, maximum=10**6)
    rows: int = param(ROWS, "Rows on a page.", minimum=1, maximum=MAX_ROWS)
    format: str = format_param()

    @property
    def first(self) -> int:
        """Number of the first row of the page, from 0."""
        return (self.page - 1) * self.rows

    @property
    def limit(self) -> int:
        """Rows up to the end of the page."""
        return self.page * self.rows


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsAsked(Ranked):
    """Which words or n-grams are listed, and how."""

    attribute: str = param("word", _ATTRIBUTE, max_characters=100)
    n: int = param(1, "Tokens of each value: 1 for words, 2 to 6 for n-grams.", minimum=1, maximum=MAX_N)
    where: str = param("", _WHERE)
    matching: str = param("", _MATCHING, max_characters=1_000)
    tag: str = param("", "Only tokens with such a tag, a regular expression: NOUN, or VERB|AUX.", max_characters=300)
    ignore_case: bool = param(False, "Count words and lemmas in lower case.")
    punctuation: bool = param(False, "Also what has no letter or digit.")
    without_stop_words: bool = param(False, "Without the most frequent words of each language.")
    min_frequency: int | None = param(None, "Only values that occur at least so often; 1, or 2 for n-grams.", minimum=1)
    order: str = param("frequency", "What the list is sorted by.", choices=ORDERS)
    collation: str = param("", COLLATION, max_characters=40)
    dispersion: bool = param(False, _DISPERSION)
    within: str = param("", "N-grams stay within a sentence (s), paragraph or document.", choices=_WITHIN)

    def request(self) -> ListRequest:
        """Put the list together; what is left empty in a form is not asked for."""
        return ListRequest(
            self.attribute.strip() or "word",
            self.n,
            ignore_case=self.ignore_case,
            matching=self.matching or None,
            tag=self.tag.strip() or None,
            punctuation=self.punctuation,
            min_frequency=self.min_frequency,
            stop_words=not self.without_stop_words,
            order=self.order,
            collation=(self.collation.strip() or None) if self.order == "value" else None,
            dispersion=self.dispersion,
            within=self.within or None,
        )


@operation("words", room="search")
def words(corpus: Corpus, asked: WordsAsked) -> dict[str, Any] | File:
    """List the most frequent values of an attribute, or the most frequent n-grams.

    `types` is the number of all rows, `occurrences` how often these values occur, `size` the number of tokens they are
    counted in, `left_out` how much was punctuation. Rows have `value`, `frequency`, `per_million`, and with
    `dispersion` `documents`, `dp` and `arf`. Tokens whose tagger does not provide the attribute are not counted: then
    `missing` says how many they are (`attribute`, `tokens`, `langs`), and `notes` say so in words.
    """
    part = corpus.subcorpus(asked.where.strip() or None)
    found = asked.request().run(corpus.index, part, limit=asked.limit)
    return table_answer(found, asked.format, "words" if asked.n == 1 else f"{asked.n}-grams", first=asked.first)


@dataclass(frozen=True, slots=True, kw_only=True)
class CollocationsAsked(Ranked):
    """What collocations are of, and which of them are shown."""

    q: str = param("", "Whose collocations: words, in which * and ? are wildcards, or CQL.", max_characters=10_000)
    where: str = param("", _WHERE)
    attribute: str = param("lemma", _ATTRIBUTE, max_characters=100)
    window: str = param("", "How far to look: 5 tokens, or 3,0 (left, right), or s, p, doc.", max_characters=30)
    within: str = param("", "Windows stay within a sentence (s), paragraph or document.", choices=_WITHIN)
    relation: str = param("", "In a parsed corpus: words in this relation to it, obj or <obj.", max_characters=200)
    of: str = param("", "In a parsed corpus, if the query is a tree: words at this label of it.", max_characters=50)
    order: str = param("logdice", "The measure that the list is sorted by.", choices=tuple(ASSOCIATION))
    matching: str = param("", _MATCHING, max_characters=1_000)
    ignore_case: bool = param(False, "Count words and lemmas in lower case.")
    punctuation: bool = param(False, "Also what has no letter or digit.")
    min_frequency: int = param(5, "Only words that occur at least so often in the corpus.", minimum=1)
    min_together: int = param(3, "Only words that are near at least so many hits.", minimum=1)


@operation("collocations", room="search")
def collocations(corpus: Corpus, asked: CollocationsAsked) -> dict[str, Any] | File:
    """Find what stands near the hits of a query more often than by chance.

    `hits` is the number of hits, `types` that of all collocates. A row has `value`, `together` (hits that have it near
    them), `frequency`, and five measures of association: `logdice`, `t`, `mi`, `mi3`, `ll`. If the query has no hits,
    `hints` say why. `missing` and `notes` are as in `words`. With `relation` or `of`, rows are words in a relation, or
    at a place of a tree: `size` is the number of all pairs of the relation, `frequency` that of the word in it.
    """
    if asked.relation.strip() or asked.of.strip():
        related = _in_relation(corpus, asked)
        given = {"query": asked.q, "order": asked.order, "hints": []}
        return table_answer(related, asked.format, "collocations", given, asked.first)
    search = corpus.search(asked.q, where=asked.where.strip() or None)
    found = find_collocations(
        corpus.index,
        search.spans.hits,
        asked.attribute.strip() or "lemma",
        window=asked.window.strip() or None,
        within=asked.within or None,
        subcorpus=search.part,
        asked=search.asked,
        spelt=search.spelt,
        ignore_case=asked.ignore_case,
        matching=asked.matching or None,
        punctuation=asked.punctuation,
        min_frequency=asked.min_frequency,
        min_together=asked.min_together,
        order=asked.order,
        limit=asked.limit,
    )
    hints = [] if found.hits else why_nothing(search, asked.q)
    given = {"query": asked.q, "order": asked.order, "hints": hints}
    return table_answer(found, asked.format, "collocations", given, asked.first)


def _in_relation(corpus: Corpus, asked: CollocationsAsked) -> Collocations:
    return corpus.collocations(
        asked.q,
        asked.attribute.strip() or "lemma",
        where=asked.where.strip() or None,
        relation=asked.relation.strip() or None,
        of=asked.of.strip() or None,
        ignore_case=asked.ignore_case,
        matching=asked.matching or None,
        punctuation=asked.punctuation,
        min_frequency=asked.min_frequency,
        min_together=asked.min_together,
        order=asked.order,
        limit=asked.limit,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class KeywordsAsked(Ranked):
    """What keywords are typical of, and what they are compared with."""

    where: str = param("", _WHERE)
    reference: str = param("", "Name of another corpus of this server; without it, this one.", max_characters=200)
    reference_where: str = param("", "Only documents of the reference for which this holds; without it, all others.")
    attribute: str = param("lemma", _ATTRIBUTE, max_characters=100)
    order: str = param("simple_maths", "The measure that the list is sorted by.", choices=KEYNESS)
    smoothing: float = param(1.0, "Constant of simple maths: 1 for rare words, 100 for common ones.", minimum=1e-6)
    matching: str = param("", f"{_MATCHING} Without it, those with a letter.", max_characters=1_000)
    tag: str = param("", "Only tokens with such a tag, a regular expression: NOUN, or VERB|AUX.", max_characters=300)
    ignore_case: bool = param(False, "Count words and lemmas in lower case.")
    punctuation: bool = param(False, "Also what has no letter or digit.")
    min_frequency: int = param(3, "Only values that occur at least so often in both together.", minimum=1)
    dispersion: bool = param(False, _DISPERSION)


@operation("keywords", room="search")
def keywords(corpus: Corpus, asked: KeywordsAsked) -> dict[str, Any] | File:
    """Find what is typical of a corpus or a part of it, compared with another or with the rest.

    `size` and `reference_size` are tokens. Rows have `value`, its frequencies in both, absolute and per million, and
    two measures: `simple_maths`, and log-likelihood `ll`, which is negative for what is rarer here; with
    `dispersion` `documents`, `dp` (null for what is not here) and `arf` of this corpus. `missing`, `reference_missing`
    and `notes` are as in `words`.
    """
    reference = other_corpus(asked.reference) if asked.reference else None
    found = corpus.keywords(
        reference,
        asked.attribute.strip() or "lemma",
        where=asked.where.strip() or None,
        reference_where=asked.reference_where.strip() or None,
        ignore_case=asked.ignore_case,
        matching=asked.matching or WITH_LETTER,
        tag=asked.tag.strip() or None,
        punctuation=asked.punctuation,
        min_frequency=asked.min_frequency,
        smoothing=asked.smoothing,
        order=asked.order,
        dispersion=asked.dispersion,
        limit=asked.limit,
    )
    return table_answer(found, asked.format, "keywords", {"order": asked.order}, asked.first)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareAsked:
    """Which two corpora, or parts of one, are compared."""

    other: str = param("", "Name of another corpus of this server; without it, this one.", max_characters=200)
    where: str = param("", _WHERE)
    other_where: str = param("", "Only documents of the other for which this holds; without it, all others.")
    tags: str = param("NOUN,VERB,ADJ", "Parts of speech, with commas between them: NOUN,VERB|AUX.", max_characters=300)
    attribute: str = param("word", "word or lemma.", max_characters=100)
    match_case: bool = param(False, "Count words as they are written, not in lower case.")
    matching: str = param("", f"{_MATCHING} Without it, those with a letter.", max_characters=1_000)
    min_frequency: int = param(1, "Only values that occur at least so often in both together.", minimum=1)
    rows: int = param(20, "Words of each list.", minimum=1, maximum=10_000)
    format: str = format_param()


@operation("compare", room="search")
def compare(corpus: Corpus, asked: CompareAsked) -> dict[str, Any] | File:
    """Find the words most typical of each of two corpora, by part of speech and log-likelihood.

    `documents`, `tokens`, `types` and `shared_tokens` are pairs: of the corpus, and of the other. `typical` has for
    each part of speech the lists `corpus` and `other`; `totals` how many words are typical of each.
    `missing`, `other_missing` and `notes` are as in `words`.
    """
    tags = split_tags(asked.tags)
    if len(tags) > _MAX_TAGS:
        raise UsageError(f"tags: at most {_MAX_TAGS} parts of speech are compared at once, and there are {len(tags)}")
    found = corpus.compare(
        other_corpus(asked.other) if asked.other else None,
        asked.attribute.strip() or "word",
        where=asked.where.strip() or None,
        other_where=asked.other_where.strip() or None,
        tags=tags,
        ignore_case=not asked.match_case,
        matching=asked.matching or WITH_LETTER,
        min_frequency=asked.min_frequency,
        limit=asked.rows,
    )
    if asked.format != "json":
        return rows_file(*found.table(), asked.format, "comparison")
    totals = {part.tag: {"corpus": part.corpus_types, "other": part.other_types} for part in found.typical}
    return {**found.to_json(), "totals": totals, "facts": [list(map(str, row)) for row in found.vocabulary.rows()]}
