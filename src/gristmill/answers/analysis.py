"""A text, analysed: its words with their tags, names, heads of constituents, and predicates with their arguments.

The three levels of GReG (Delmonte, section 3): words and names; word-tag pairs and heads of constituents; the Partial
Logical Form, of which only pairs of a predicate and what it governs are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from gristmill.annotation import Annotation, annotate
from gristmill.answers.constituents import by_chunks, by_relations
from gristmill.answers.names import Name, find_names
from gristmill.answers.rules_file import Rules

CLOSED = frozenset("ADP AUX CCONJ DET INTJ PART PRON PUNCT SCONJ SYM".split())
"""Parts of speech that are no content words."""
BY_RELATIONS = "relations"
"""What the structure of a parsed text comes from."""


class Link(NamedTuple):
    """Two words of which one governs the other."""

    head: int
    dependent: int
    functor: str
    """As in the Partial Logical Form: `arg`, `adj` or `mod`."""


@dataclass(frozen=True, slots=True)
class Structure:
    """What heads what in a text."""

    labels: dict[int, str]
    """The words that head a constituent, each with its label: `n`, `v` or `a`."""
    links: tuple[Link, ...]
    source: str
    """Where it comes from: `relations` or `chunks`."""


@dataclass(frozen=True)
class Analysis:
    """A text with what is known of its words."""

    text: str
    lang: str
    words: tuple[str, ...]
    lemmas: tuple[str, ...]
    tags: tuple[str, ...]
    feats: tuple[str, ...]
    starts: tuple[int, ...]
    """Where each word begins in the text."""
    sentences: tuple[tuple[int, int], ...]
    """The first word of each sentence, and the one after its last."""
    annotation: Annotation
    rules: Rules

    @classmethod
    def of(cls, text: str, lang: str, annotation: Annotation, rules: Rules) -> Analysis:
        """Take the annotation of a text."""
        bounds, end = [], 0
        for length in annotation.sentences:
            bounds.append((end, end + length))
            end += length
        return cls(
            text,
            lang,
            tuple(annotation.words),
            tuple(annotation.lemmas),
            tuple(annotation.tags),
            tuple(annotation.feats),
            tuple(annotation.starts),
            tuple(bounds),
            annotation,
            rules,
        )

    @cached_property
    def folded(self) -> tuple[str, ...]:
        """The words without regard to case."""
        return tuple(word.casefold() for word in self.words)

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The lemmas without regard to case; the words where there are no lemmas."""
        pairs = zip(self.lemmas, self.words, strict=True)
        return tuple((lemma or word).casefold() for lemma, word in pairs)

    @property
    def has_tags(self) -> bool:
        """Whether parts of speech are known."""
        return any(tag not in {"", "X", "PUNCT", "NUM", "SYM"} for tag in self.tags)

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """Names of several words, and single ones."""
        dates = self.rules.months | self.rules.days
        tags = ["" if word in dates else tag for word, tag in zip(self.folded, self.tags, strict=True)]
        return find_names(self.words, tags, [start for start, _ in self.sentences], self.rules.names)

    def around(self, words: Iterable[int]) -> set[int]:
        """Words, and with each the name that it is part of: a name is one word to the structure, whichever heads it."""
        found = set(words)
        for name in self.names:
            places = range(name.start, name.end)
            if not found.isdisjoint(places):
                found.update(places)
        return found

    @cached_property
    def structure(self) -> Structure:
        """Heads and what they govern: by the relations of a parser, or by chunks where there are none."""
        if any(self.annotation.deprels):
            labels, links = by_relations(self.tags, self.annotation.heads, self.annotation.deprels)
            return Structure(labels, tuple(Link(*link) for link in links), BY_RELATIONS)
        lengths = [end - start for start, end in self.sentences]
        labels, links = by_chunks(list(self.tags), list(self.feats), lengths, self.lang)
        return Structure(labels, tuple(Link(*link) for link in links), "chunks")

    def is_content(self, at: int) -> bool:
        """Tell whether a word is a content word: of an open part of speech, and in no list of stop words.

        Where there are no tags, every word with a letter or digit that is in no such list is one.
        """
        word, root, tag = self.folded[at], self.roots[at], self.tags[at]
        if not any(map(str.isalnum, word)) or word in self.rules.stop or root in self.rules.stop:
            return False
        return word not in self.rules.question_words and (tag not in CLOSED or not self.has_tags)


def analyse(
    texts: Sequence[tuple[str, str]],
    rules: Rules,
    choices: Sequence[str] = (),
    known: Sequence[Annotation | None] = (),
) -> list[Analysis]:
    """Tag, and parse where there is a parser, texts in their languages, unless their annotations are known.

    `choices` are taggers as a build has them.
    """
    annotations = list(known) or [None] * len(texts)
    made = iter(annotate([text for text, own in zip(texts, annotations, strict=True) if own is None], choices))
    return [
        Analysis.of(text, lang, next(made) if own is None else own, rules)
        for (text, lang), own in zip(texts, annotations, strict=True)
    ]
