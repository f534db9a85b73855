"""Train a tagger and say how good it is: a tenth of the sentences is left out for measuring, then all are learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from gristmill.annotation.taggers.own import OwnTagger
from gristmill.annotation.tagging.evaluating import Shares, evaluate
from gristmill.annotation.tagging.model import Model
from gristmill.annotation.tagging.training import train
from gristmill.annotation.tagging.treebank import Sentence, part_of
from gristmill.errors import UsageError
from gristmill.version import __version__

_PARTS = 10
MIN_SENTENCES = 20
"""Of a treebank that something can be learned from and measured on."""


def train_measured(
    sentences: Sequence[Sentence], lang: str, seed: int = 0, about: Mapping[str, Any] | None = None
) -> tuple[Model, Shares]:
    """Train a model on all sentences, and measure one that was trained without every tenth run of ten.

    `about` is added to the card: sources, licences.
    """
    left_out = left_out_of(sentences)
    seen = kept_of(sentences)
    if len(sentences) < MIN_SENTENCES or not left_out:
        raise UsageError(f"a tagger is learned from {MIN_SENTENCES} sentences or more; here are {len(sentences)}")
    shares = evaluate(OwnTagger(train(seen, lang, seed)), left_out)
    model = train(sentences, lang, seed)
    card = {
        "kind": "tagger",
        **model.card,
        **(about or {}),
        "held out": {name: round(value, 4) for name, value in asdict(shares).items()},
        "gristmill": __version__,
    }
    return replace(model, card=card), shares


def kept_of(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences that a model is trained on when it is measured."""
    return part_of(sentences, lambda run: run % _PARTS != _PARTS - 1, run_of(sentences))


def left_out_of(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences that a model is measured on."""
    return part_of(sentences, lambda run: run % _PARTS == _PARTS - 1, run_of(sentences))


def run_of(sentences: Sequence[Sentence]) -> int:
    """Return how many sentences beside each other are left out together: ten, or fewer of a small treebank."""
    return max(1, min(10, len(sentences) // (2 * _PARTS)))
