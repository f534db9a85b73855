"""Search phrases of a tree, ranked: `"a * that drives * ball"` of nouns that are the subject of drive with ball.

After RoDEO (section 3.3). Sentences of a parsed corpus that match the tree with parts of speech in place of words are
forms, sequences of categories. Those that are short and have many non-content words come first: these make a phrase
specific. Then the words of the query are put in, and non-content words that stood there. The rest is wildcards.

    a golfer that hits the ball         DET NOUN PRON VERB DET NOUN       length 6, 3 non-content words
    a man that kicks a ball             a * that drives the ball, a * that drives a ball, a * that drives * ball
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gristmill.errors import UsageError
from gristmill.registry import did_you_mean
from gristmill.search.classes.pattern import TREE, exact
from gristmill.search.classes.pattern_files import patterns_for
from gristmill.search.index.derived import NO_RELATIONS
from gristmill.search.index.index import Index
from gristmill.search.phrases.fitting import Fitting, InUse, nothing_in_use
from gristmill.search.phrases.graph import read_graph
from gristmill.search.phrases.subclass import subclasses
from gristmill.search.phrases.ways import Finder
from gristmill.search.phrases.writing import ANY, Form, Pattern, written
from gristmill.search.text_languages import TextLanguages, no_tags
from gristmill.table import Column, Table
from gristmill.wording import plural

WILDCARD = "*"
MAX_WORDS = 10
"""Words of a phrase."""
_MAX_COMBINATIONS = 100


@dataclass(frozen=True, slots=True)
class PhraseRow:
    """A search phrase, and the form of the sentences that it is made of."""

    phrase: str
    """As it is typed to a search engine, with quotation marks."""
    count: int
    """How many sentences of the corpus are so, with other words in place of those of the tree."""
    form: str
    length: int
    """Words of the form."""
    non_content: int
    """Non-content words of the form."""
    words: tuple[str, ...]
    """The phrase without quotation marks; without wildcards, its parts between them."""


@dataclass(frozen=True, slots=True, repr=False)
class Phrases(Table):
    """Search phrases of a tree, the first the most specific."""

    tree: str
    lang: str
    ways: int
    """Ways in which sentences match the tree with parts of speech in place of words."""
    too_long: int
    """Ways that were left out, since they have too many words, or signs between them."""
    unfit: int
    """Ways that were left out, since no form of a word of the tree is known that fits there."""
    left_out: dict[str, int]
    """Sentences that were left out, by the reason."""
    types: int
    """All phrases, of which the rows are the first."""
    query: str
    """The query for the tree in what is found, without questions, negated and conditional sentences."""
    rows: list[PhraseRow] = field(default_factory=list)

    @property
    def columns(self) -> list[Column]:
        """The phrase, its count, the form."""
        return [Column("phrase"), Column("count"), Column("form"), Column("length"), Column("non_content")]

    @property
    def tuples(self) -> list[tuple[str, ...]]:
        """The phrases as `tuples` of `gristmill.bootstrap`."""
        return [row.words for row in self.rows]

    @property
    def heading(self) -> str:
        """What the rows are, in a line."""
        return f"{len(self.rows):,} of {plural(self.types, 'search phrase')} for {self.tree}"

    def notes(self) -> list[str]:
        """Say what they are made of, and what was left out."""
        ways = plural(self.ways, "way")
        notes = [f"{ways} to match the tree with parts of speech in place of words in {self.lang}"]
        if left_out := ", ".join(f"{count:,} {reason}" for reason, count in self.left_out.items() if count):
            notes.append(f"sentences left out: {left_out}")
        if self.too_long:
            notes.append(f"left out, as too long or with signs between words: {self.too_long:,}")
        if self.unfit:
            given = 'give it: [word="drove"]'
            notes.append(f"left out, as no form of a word is known that fits there: {self.unfit:,}; {given}")
        if not self.types:
            notes.append("No sentence of this corpus shows how to say it: try a larger one, max_words, a simpler tree")
        return notes

    def lines(self) -> list[str]:
        """Return a phrase a line, and behind # after how many sentences of which form it is made."""
        width = max((len(row.phrase) for row in self.rows), default=0)
        return [f"{row.phrase:{width}}  # {row.count:,} {row.form}" for row in self.rows]


def phrases_of(
    index: Index,
    tree: str,
    *,
    lang: str | None = None,
    where: str | None = None,
    limit: int | None = 50,
    min_frequency: int = 1,
    max_words: int = MAX_WORDS,
    wildcard: str = WILDCARD,
    in_use: InUse = nothing_in_use,
) -> Phrases:
    """Make search phrases of a tree, after sentences of an index in a language.

    `wildcard` is what a search engine takes for any word; if it is empty, phrases are divided there. `in_use` gives
    the frequent words of a language.
    """
    if not 2 <= max_words <= 50:
        raise UsageError("a phrase has 2 to 50 words")
    if len(wildcard) > 10 or any(sign.isspace() or sign == '"' for sign in wildcard):
        raise UsageError("a wildcard is a sign such as *, without spaces and quotation marks")
    graph = read_graph(tree)
    if np.prod([max(1, len(place.words)) for place in graph.places]) > _MAX_COMBINATIONS:
        raise UsageError(f"the words of the tree have more than {_MAX_COMBINATIONS} combinations: give fewer")
    texts = TextLanguages(index)
    lang = _language(index, texts, lang)
    part = texts.part(lang, where or "")
    left_out = patterns_for(lang, TREE).left_out
    finder = Finder(index, part, max_words, left_out)
    fitting = Fitting(index, part, lang, in_use)
    forms: dict[Form, Counter[Pattern]] = defaultdict(Counter)
    unfit = 0
    for ways in finder.ways(subclasses(index, graph)):
        for form, words in written(index, ways, fitting, lang):
            if "" in form.given:
                unfit += 1
            else:
                forms[form][words] += 1
    rows = _ranked(forms, wildcard, min_frequency)
    query = _query(tree, left_out)
    return Phrases(tree, lang, finder.found, finder.long, unfit, finder.counts, len(rows), query, rows[:limit])


def query_of_tree(index: Index, tree: str, lang: str | None = None) -> str:
    """Write the query for a tree that leaves out what its phrases do: questions, negated and conditional sentences."""
    read_graph(tree)
    return _query(tree, patterns_for(_language(index, TextLanguages(index), lang), TREE).left_out)


def _query(tree: str, left_out: Mapping[str, str]) -> str:
    return exact([tree], list(left_out.values()))


def _language(index: Index, texts: TextLanguages, lang: str | None) -> str:
    """The language that is meant: the largest that has trees; raises if there are none."""
    if index.heads is None:
        raise UsageError(NO_RELATIONS)
    tagged = texts.tagged()
    if not tagged:
        raise no_tags(index, "search phrases")
    parsed = [one for one in tagged if texts.have_relations(one)]
    if not parsed:
        raise UsageError(NO_RELATIONS)
    if lang is not None and lang not in parsed:
        raise UsageError(f"no text with relations is in the language {lang!r}{did_you_mean(lang, parsed)}")
    return parsed[0] if lang is None else lang


def _ranked(forms: Mapping[Form, Counter[Pattern]], wildcard: str, min_frequency: int) -> list[PhraseRow]:
    """Rank phrases by the share of non-content words in their forms, then by how many sentences are so."""
    best: dict[tuple[str, ...], PhraseRow] = {}
    for form, patterns in forms.items():
        for pattern, count in _with_wildcards(form, patterns).items():
            words = _parts(pattern, form, wildcard)
            if count >= min_frequency and words:
                text = " ".join(f'"{part}"' if " " in part else part for part in words)
                row = PhraseRow(text, count, " ".join(form.tags), len(form.tags), form.non_content, words)
                best[words] = min(best.get(words, row), row, key=_rank)
    return sorted(best.values(), key=_rank)


def _rank(row: PhraseRow) -> tuple[Any, ...]:
    return -row.non_content / row.length, -row.count, row.length, row.phrase.count(WILDCARD), row.phrase


def _with_wildcards(form: Form, patterns: Counter[Pattern]) -> Counter[Pattern]:
    """Add phrases with a wildcard in place of a non-content word, where sentences differ in that word alone."""
    given = set(form.given) - {ANY}
    found = Counter(patterns)
    for at in range(len(form.tags)):
        merged: dict[Pattern, list[int]] = defaultdict(list)
        for pattern, count in patterns.items():
            if at < len(pattern) and pattern[at] is not ANY and pattern[at] not in given:
                merged[(*pattern[:at], ANY, *pattern[at + 1 :])].append(count)
        for pattern, counts in merged.items():
            if len(counts) > 1:
                found[pattern] = max(found[pattern], sum(counts))
    return found


def _parts(pattern: Pattern, form: Form, wildcard: str) -> tuple[str, ...]:
    """The phrase of a pattern, without wildcards at its ends; if there is no wildcard, its parts between them.

    Of the parts, single words that the query does not give say nothing, and are left out.
    """
    words = list(pattern)
    while words and words[0] is ANY:
        words.pop(0)
    while words and words[-1] is ANY:
        words.pop()
    if wildcard:
        return (" ".join(wildcard if word is None else word for word in words),) if words else ()
    parts = " ".join("\0" if word is None else word for word in words).split("\0")
    given = {word for word in form.given if word is not ANY}
    kept = [part.strip() for part in parts if " " in part.strip() or part.strip() in given]
    return tuple(dict.fromkeys(kept))
