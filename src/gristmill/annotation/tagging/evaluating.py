"""How many tags, features and lemmas of a treebank a tagger gets right, with the treebank's own words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gristmill.annotation.tagger import Tagger
from gristmill.annotation.tagging.treebank import Sentence


@dataclass(frozen=True, slots=True)
class Shares:
    """The shares of words that are right."""

    words: int
    tags: float
    feats: float
    lemmas: float
    """Of words whose lemma is known; 0 if none is."""
    lemmas_without_case: float


def evaluate(tagger: Tagger, sentences: Sequence[Sentence]) -> Shares:
    """Compare a tagger with a treebank."""
    found = tagger.tag([[token.word for token in sentence.words] for sentence in sentences])
    gold = [token for sentence in sentences for token in sentence.words]
    pairs = list(zip(gold, found.lemmas, strict=True))
    known = [(token.lemma, lemma) for token, lemma in pairs if token.lemma]
    return Shares(
        len(gold),
        _share([token.tag == tag for token, tag in zip(gold, found.tags, strict=True)]),
        _share([token.feats == feats for token, feats in zip(gold, found.feats, strict=True)]),
        _share([right == lemma for right, lemma in known]),
        _share([right.lower() == lemma.lower() for right, lemma in known]),
    )


def _share(right: Sequence[bool]) -> float:
    return sum(right) / len(right) if right else 0.0
