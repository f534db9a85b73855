"""How many heads and relations of a treebank a parser gets right, with the treebank's own words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gristmill.annotation.parsing.parser import Parser
from gristmill.annotation.tagging.treebank import Sentence


@dataclass(frozen=True, slots=True)
class Scores:
    """Attachment scores: the shares of words that are right, punctuation among them."""

    words: int
    uas: float
    """The share of words with the right head."""
    las: float
    """The share of words with the right head and the right relation, with its subtype."""


def evaluate(parser: Parser, sentences: Sequence[Sentence]) -> Scores:
    """Compare a parser with a treebank, whose tags are given to the parser."""
    gold = [token for sentence in sentences for token in sentence.words]
    readings = [(token.word, token.lemma, token.tag, token.feats) for token in gold]
    heads, deprels = parser.parse(readings, [len(sentence.words) for sentence in sentences])
    right = [token.head == head for token, head in zip(gold, heads, strict=True)]
    named = [hit and token.deprel == deprel for hit, token, deprel in zip(right, gold, deprels, strict=True)]
    size = max(len(gold), 1)
    return Scores(len(gold), sum(right) / size, sum(named) / size)
