"""Go on training `mill`: trees that are learned from the user's own pages, added to those of the shipped model.

Boosting begins with the log-odds that the shipped model gives, so that what it knows stays, and the new trees are about
what it gets wrong on these pages. How many there are, and how much each counts, is chosen by cross-validation within
the pages; if no choice is better than the shipped model on pages that were held out, there are none. Which roles are
text on these pages is learned, too.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats
from gristmill.cleaning import METHODS, models
from gristmill.cleaning.methods.mill import Vocabulary, Weights, centred
from gristmill.cleaning.methods.trees import Trees
from gristmill.errors import UsageError
from gristmill.evaluation.cross_validation import by_site, folds
from gristmill.evaluation.gold import GoldPage
from gristmill.evaluation.training import mill
from gristmill.evaluation.training.boosting import Settings, boost
from gristmill.evaluation.training.mill import Example
from gristmill.evaluation.training.registry import Model, describe_pages, versions
from gristmill.progress import Progress, hidden
from gristmill.registry import part
from gristmill.roles import ROLES

_FOLDS = 5
_RATES = (0.04, 0.12)
_NUMBERS = (5, 10, 20, 40, 80, 160)
_TREES = [(0.0, 0), *((rate, number) for number in _NUMBERS for rate in _RATES)]
_CHOICES = [(*trees, own_roles) for trees in _TREES for own_roles in (False, True)]
"""Rates and numbers of trees that are tried, with roles as usual and with own ones; of equally good ones, the first is
taken. The first of all is the shipped model as it is."""
_MIN_GAIN = 0.001  # of F1: what is less is not worth another model
_SETTINGS = Settings(trees=max(_NUMBERS), depth=4, rows=0.6, columns=0.3)

_Table = list[list[tuple[float, float, float]]]
"""Precision, recall and F1 of each page with each choice."""


@part("trained method", "mill")
def train(pages: Sequence[GoldPage], gold: Path | None, seed: int) -> Model:
    """Train on gold standards and the user's pages; on pages alone, go on from the shipped model."""
    return mill.train(pages, gold, seed) if gold is not None else go_on(pages, seed)


def go_on(pages: Sequence[GoldPage], seed: int, progress: Progress = hidden) -> Model:
    """Add trees to the shipped model, as many as are good on pages that were held out."""
    base = Weights.of(models.load("mill"))
    examples = {key: example for key, example in mill.read_examples(pages).items() if example.decided.any()}
    pages = [page for page in pages if id(page) in examples]
    dealt, unit = _deal(pages, seed)
    advance = progress("training", len(dealt) + 1)
    tables = []
    for at, fold in enumerate(dealt):
        seen = [examples[id(page)] for page in _others(dealt, at)]
        tables.append(_judge(base, seen, [examples[id(page)] for page in fold], seed))
        advance(1)
    chosen, before, after = _choose(tables)
    rate, number, has_own_roles = _CHOICES[chosen]
    settings = dataclasses.replace(_SETTINGS, trees=number, rate=rate)
    weights = fit(base, list(examples.values()), settings, seed) if number else base
    usual = usual_roles()
    roles = choose_roles(list(examples.values()), weights, usual) if has_own_roles else usual
    advance(1)
    stored = weights.arrays() | ({} if roles == usual else {"roles": models.of_names(roles)})
    validation = {
        "folds of": unit,
        "pages": [len(table) for table in tables],
        "before": [_means(part) for part in before],
        "after": [_means(part) for part in after],
    }
    card = {
        "method": "mill",
        "continued_from": _checksum(base),
        "trained_on": describe_pages(pages),
        "seed": seed,
        "settings": dataclasses.asdict(settings),
        "roles": list(roles),
        "cross_validation": validation,
        "versions": versions("xxhash", "rapidfuzz"),
    }
    return Model(stored, card, _summary(chosen, unit, before, after, () if roles == usual else roles))


def fit(base: Weights, examples: Sequence[Example], settings: Settings, seed: int) -> Weights:
    """Add trees that are learned from some pages, and names of classes that are on enough of their sites.

    As from scratch, a page is described with names that were learned from other parts of the sites.
    """
    parts = range(max(example.part for example in examples) + 1)
    names = [
        Vocabulary(_with_names(base.names, [example for example in examples if example.part != part]), base.phrases)
        for part in parts
    ]
    tables = [mill.look(example, names[example.part]) for example in examples]
    start = np.concatenate([base.trees.odds(table) for table in tables])
    shares = [(example.words + 3) / (example.words + 3).sum() * example.decided for example in examples]
    weights, is_text = np.concatenate(shares), np.concatenate([example.shares for example in examples]) >= 0.5
    rows = np.concatenate([table.T for table in tables])
    more = boost(rows, is_text, weights * np.count_nonzero(weights) / weights.sum(), settings, seed, start)
    return Weights(_with_names(base.names, examples), base.phrases, joined(base.trees, more))


def usual_roles() -> tuple[str, ...]:
    """The roles that are text with the shipped model."""
    return METHODS["mill"].roles or ROLES


def choose_roles(examples: Sequence[Example], weights: Weights, roles: tuple[str, ...]) -> tuple[str, ...]:
    """Take roles in, or leave them out, where this makes F1 on these pages better."""
    words = weights.vocabulary()
    kept = [(_odds(example, weights.trees, words) >= 0) & example.decided for example in examples]

    def f1(some: tuple[str, ...]) -> float:
        pairs = zip(examples, kept, strict=True)
        return float(np.mean([example.bag.scores(text & _is_of(example, some))[2] for example, text in pairs]))

    best = f1(roles)
    for role in ROLES:
        other = tuple(name for name in ROLES if (name in roles) != (name == role))
        value = f1(other)
        if value > best + _MIN_GAIN:
            roles, best = other, value
    return roles


def _is_of(example: Example, roles: Collection[str]) -> npt.NDArray[np.bool_]:
    """Tell for each block whether its role is one of these; the usual ones depend on the kind of the page."""
    wanted = METHODS["mill"].roles_on(example.kind) if tuple(roles) == usual_roles() else roles
    return np.array([role in wanted for role in ROLES], np.bool_)[example.roles]


def joined(first: Trees, second: Trees) -> Trees:
    """Put trees together; the less deep ones get questions that nothing answers with yes."""
    depth = max(_depth(first), _depth(second))
    first, second = _deepened(first, depth), _deepened(second, depth)
    return Trees(
        np.concatenate((first.columns, second.columns)),
        np.concatenate((first.borders, second.borders)),
        np.concatenate((first.leaves, second.leaves)),
        first.start + second.start,
    )


def _depth(trees: Trees) -> int:
    return int(trees.leaves.shape[1]).bit_length() - 1


def _deepened(trees: Trees, depth: int) -> Trees:
    more, number = depth - _depth(trees), len(trees.leaves)
    columns = np.pad(trees.columns.reshape(number, -1), ((0, 0), (0, more)))
    borders = np.pad(trees.borders.reshape(number, -1), ((0, 0), (0, more)), constant_values=np.inf)
    leaves = np.pad(trees.leaves, ((0, 0), (0, (1 << depth) - trees.leaves.shape[1])))
    return Trees(columns.ravel(), borders.ravel(), leaves, trees.start)


def _with_names(names: Mapping[str, float], examples: Sequence[Example]) -> dict[str, float]:
    """Add names to those of the shipped model, which stay what they are: its trees were trained with them."""
    return mill.learn_words(examples)[0] | dict(names)


def _deal(pages: Sequence[GoldPage], seed: int) -> tuple[list[list[GoldPage]], str]:
    """Deal pages into folds that share no site; if there is only one, into folds of pages."""
    number = min(_FOLDS, len(by_site(pages)))
    if number > 1:
        return folds(pages, number, seed), "sites"
    if len(pages) < 2:
        raise UsageError("to go on from the shipped model at least two pages with text are needed, better fifty")
    shuffled = random.Random(seed).sample(list(pages), len(pages))
    number = min(_FOLDS, len(pages))
    return [shuffled[at::number] for at in range(number)], "pages"


def _others(dealt: Sequence[Sequence[GoldPage]], at: int) -> list[GoldPage]:
    return [page for number, fold in enumerate(dealt) if number != at for page in fold]


def _judge(base: Weights, seen: Sequence[Example], held_out: Sequence[Example], seed: int) -> _Table:
    """Train on some pages, and score others with each of the choices."""
    usual, words = usual_roles(), base.vocabulary()
    odds = [_odds(example, base.trees, words) for example in held_out]
    scores = {
        (0.0, 0, False): _scores(held_out, odds, usual),
        (0.0, 0, True): _scores(held_out, odds, choose_roles(seen, base, usual)),
    }
    for rate in _RATES:
        weights = fit(base, seen, dataclasses.replace(_SETTINGS, rate=rate), seed)
        roles, words = choose_roles(seen, weights, usual), weights.vocabulary()
        for number in _NUMBERS:
            trees = _first(weights.trees, len(base.trees.leaves) + number)
            odds = [_odds(example, trees, words) for example in held_out]
            scores[rate, number, False] = _scores(held_out, odds, usual)
            scores[rate, number, True] = _scores(held_out, odds, roles)
    return [[scores[choice][at] for choice in _CHOICES] for at in range(len(held_out))]


def _first(trees: Trees, number: int) -> Trees:
    questions = number * _depth(trees)
    return Trees(trees.columns[:questions], trees.borders[:questions], trees.leaves[:number], trees.start)


def _odds(example: Example, trees: Trees, words: Vocabulary) -> Floats:
    return centred(trees.odds(mill.look(example, words)), example.block_words)


def _scores(
    examples: Sequence[Example], odds: Sequence[Floats], roles: tuple[str, ...]
) -> list[tuple[float, float, float]]:
    """Precision, recall and F1 of each page if its blocks of these roles are kept; undecided ones don't count."""
    return [
        example.bag.scores((values >= 0) & example.decided & _is_of(example, roles))
        for example, values in zip(examples, odds, strict=True)
    ]


def _choose(tables: Sequence[_Table]) -> tuple[int, list[Floats], list[Floats]]:
    """Choose what is best on all folds; the scores by fold with the shipped model, and with more trees.

    The scores of a fold are with what is best on the other folds, as those with the best of all would flatter. If they
    are hardly better than before, nothing is added.
    """
    figures = [np.array(table) for table in tables]
    before = [figure[:, 0] for figure in figures]
    after = []
    for at, figure in enumerate(figures):
        others = np.concatenate([other for number, other in enumerate(figures) if number != at])
        after.append(figure[:, _best(others)])
    if _f1(after) < _f1(before) + _MIN_GAIN:
        return 0, before, before
    chosen = _best(np.concatenate(figures))
    return chosen, before, after if chosen else before


def _best(scores: Floats) -> int:
    """The number of the choice with the best mean F1."""
    return int(np.argmax(scores[:, :, 2].mean(axis=0).round(6)))


def _f1(parts: Sequence[Floats]) -> float:
    return float(np.concatenate(parts)[:, 2].mean())


def _means(scores: Floats) -> dict[str, float]:
    return dict(zip(("precision", "recall", "f1"), scores.mean(axis=0).round(4).tolist(), strict=True))


def _summary(chosen: int, unit: str, before: Sequence[Floats], after: Sequence[Floats], roles: tuple[str, ...]) -> str:
    pages = sum(map(len, before))
    if not chosen:
        return (
            f"No trees that were learned from these {pages:,} pages are better than the shipped model on {unit} that "
            f"were held out (F1 of words {_f1(before):.3f}): the model is the shipped one."
        )
    parts = [f"{_f1([old]):.3f} {_f1([new]):.3f}" for old, new in zip(before, after, strict=True)]
    return (
        f"F1 of words on {unit} that were held out ({pages:,} pages): {_f1(before):.3f} with the shipped model, "
        f"{_f1(after):.3f} with {_CHOICES[chosen][1]} more trees (by folds: {', '.join(parts)})."
        + (f" Text are blocks of the roles {', '.join(roles)}." if roles else "")
    )


def _checksum(weights: Weights) -> dict[str, Any]:
    """Say which model it was that the training began with."""
    digest = sha256()
    for name, array in sorted(weights.arrays().items()):
        digest.update(name.encode() + array.tobytes())
    return {"trees": len(weights.trees.leaves), "sha256": digest.hexdigest()}
