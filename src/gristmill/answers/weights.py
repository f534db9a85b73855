"""What counts how much when passages are ranked: the levels of GReG, and their weights.

Delmonte prints no formula, but the scores of three snippets for one question (section 4): 31, 62, 62 for words and
tags, heads, and Partial Logical Form; 33, 66, 66; and 35, 70, 0 for a snippet that repeats the question. So the score
of heads is twice that of words and tags, and so is that of the Partial Logical Form, or it is nothing; the snippets are
ordered by the sum. That is what is done here. What a word and a tag are worth is not told; 10 and 1 are ours, with
which the best of these snippets, which has all three content words and all three tags, gets its 33, 66, 66.
"""

from __future__ import annotations

from dataclasses import dataclass

LEVELS = ("words", "heads", "relations")
"""How deep passages are looked at: only words; also tags and heads; also predicates with what they govern."""
QUESTION_WORDS = ("anywhere", "questions")
"""Where a question word speaks against a passage: wherever it stands, or only in a sentence with a question mark."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Points and factors of the score."""

    word: float = 10.0
    """For a content word or name of the question."""
    tag: float = 1.0
    """For such a word with the same tag."""
    item: float = 10.0
    """For something that may stand in place of the question word: the further match of section 3.2."""
    heads: float = 2.0
    """Factor of the score for heads of constituents, of that for words and tags."""
    relations: float = 2.0
    """Factor of the score for predicates with what they govern."""
    modality: float = 0.5
    """What a pair counts if only one of the predicates is under a modal or opaque operator."""
    question_words: str = "anywhere"
    """One of `QUESTION_WORDS`."""


DEFAULT = Weights()
