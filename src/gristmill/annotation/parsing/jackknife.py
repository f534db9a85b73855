"""Sentences of treebanks with the tags that a tagger gives them which has never seen them.

A parser that learns from the tags of a treebank trusts them too much: those of running text have errors. So tags,
features and lemmas of each part of a treebank are predicted by a tagger that was trained on the other parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from gristmill.annotation.tagger import Tagged, Tagger
from gristmill.annotation.taggers.own import OwnTagger
from gristmill.annotation.tagging.measured import kept_of, left_out_of, run_of
from gristmill.annotation.tagging.training import train
from gristmill.annotation.tagging.treebank import Sentence, Token, part_of

_PARTS = 4


@dataclass(frozen=True, slots=True)
class Predicted:
    """The sentences of a treebank with predicted tags: those that are kept, and those that are left out."""

    kept: list[Sentence]
    left_out: list[Sentence]


def predict(sentences: Sequence[Sentence], lang: str, seed: int = 0) -> Predicted:
    """Predict the tags of all sentences.

    A tagger that was trained on the kept ones tags those that are left out; the kept ones are tagged in `_PARTS` parts,
    each by a tagger that was trained on the other parts.
    """
    kept, left_out = kept_of(sentences), left_out_of(sentences)
    run, found = run_of(sentences), list[Sentence]()
    for part in range(_PARTS):
        others = part_of(kept, partial(_is_other, part), run)
        own = part_of(kept, lambda number, part=part: not _is_other(part, number), run)  # type: ignore[misc]
        found += retag(OwnTagger(train(others, lang, seed)), own)
    return Predicted(found, retag(OwnTagger(train(kept, lang, seed)), left_out))


def _is_other(part: int, number: int) -> bool:
    return number % _PARTS != part


def retag(tagger: Tagger, sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return sentences with the tags, features and lemmas of a tagger, and with the relations that they have."""
    versions = [version for sentence in sentences for version in sentence.versions()]
    tagged = tagger.tag([[token.word for token in version] for version in versions])
    end = 0
    made = []
    for sentence in sentences:
        found: list[list[Token]] = []
        for version in sentence.versions():
            start, end = end, end + len(version)
            found.append(_retagged(version, tagged, start))
        made.append(replace(sentence, words=found[0], tokens=found[1] if len(found) > 1 else []))
    return made


def _retagged(tokens: Sequence[Token], tagged: Tagged, start: int) -> list[Token]:
    return [
        replace(token, lemma=tagged.lemmas[at], tag=tagged.tags[at], feats=tagged.feats[at])
        for at, token in enumerate(tokens, start)
    ]
