"""Train a parser, and measure how good it is: a tenth of the sentences is left out for measuring, then all are learned.

Tags are those of taggers that have not seen the sentences (`jackknife.py`), both in learning and in measuring.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from gristmill.annotation.parsing.evaluating import Scores, evaluate
from gristmill.annotation.parsing.jackknife import Predicted, predict
from gristmill.annotation.parsing.model import Model
from gristmill.annotation.parsing.parser import Parser
from gristmill.annotation.parsing.training import train
from gristmill.annotation.relations import as_tree
from gristmill.annotation.tagging.measured import MIN_SENTENCES, left_out_of
from gristmill.annotation.tagging.treebank import Sentence
from gristmill.errors import UsageError
from gristmill.version import __version__


@dataclass(frozen=True, slots=True)
class Measured:
    """How good a parser is on what was left out: with predicted tags, and with those of the treebank."""

    predicted: Scores
    gold: Scores


def train_measured(
    sentences: Sequence[Sentence], lang: str, seed: int = 0, about: Mapping[str, Any] | None = None
) -> tuple[Model, Measured]:
    """Train a model on all sentences, and measure one that was trained without every tenth run of ten.

    `about` is added to the card: sources, licences.
    """
    check_trees(sentences)
    left_out = left_out_of(sentences)
    if len(sentences) < MIN_SENTENCES or not left_out:
        raise UsageError(f"a parser is learned from {MIN_SENTENCES} sentences or more; here are {len(sentences)}")
    predicted = predict(sentences, lang, seed)
    measured = measure(predicted, left_out, lang, seed)
    return train_all(predicted, measured, lang, seed, about), measured


def measure(predicted: Predicted, left_out: Sequence[Sentence], lang: str, seed: int = 0) -> Measured:
    """Measure a model of the sentences that are kept on those that are left out, which are also given as they are."""
    parser = Parser(train(predicted.kept, lang, seed))
    return Measured(evaluate(parser, predicted.left_out), evaluate(parser, left_out))


def train_all(
    predicted: Predicted, measured: Measured, lang: str, seed: int = 0, about: Mapping[str, Any] | None = None
) -> Model:
    """Train a model on all sentences; its card says how good one of nine tenths of them was."""
    model = train([*predicted.kept, *predicted.left_out], lang, seed)
    card = {
        "kind": "parser",
        **model.card,
        **(about or {}),
        "held out": _rounded(measured.predicted),
        "held out, tags of the treebank": _rounded(measured.gold),
        "gristmill": __version__,
    }
    return replace(model, card=card)


def _rounded(scores: Scores) -> dict[str, float]:
    return {name: round(value, 4) for name, value in asdict(scores).items()}


def check_trees(sentences: Sequence[Sentence]) -> None:
    """Raise `UsageError`, which says which sentence and what is wrong, if the words of one have no tree."""
    for number, sentence in enumerate(sentences, 1):
        words = sentence.words
        heads, deprels = [word.head for word in words], [word.deprel for word in words]
        where = f"sentence {number} of the treebank ({' '.join(word.word for word in words[:5])}...)"
        if not all(deprels):
            raise UsageError(f"{where} has words without a head or relation; a parser is learned from whole trees")
        for at, head in enumerate(heads):
            if not 0 <= at + head < len(words):
                raise UsageError(f"{where}: word {at + 1} has the head {at + head + 1}, which there is not")
        if heads.count(0) != 1:
            raise UsageError(f"{where} has {heads.count(0)} words without a head; a tree has one")
        if as_tree(heads, deprels)[0] != heads:
            raise UsageError(f"{where} has heads that go in a circle")
