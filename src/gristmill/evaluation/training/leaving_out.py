"""Measure how `mill` does on pages from elsewhere: on each gold standard with a model that was trained without it.

Pages of a gold standard resemble each other, even those of different sites: they are from the same years and search
engines, and judged by the same people. So folds within a set say how well a model knows the set, and only a set that
is left out says how it does on pages that it has never seen. Languages can be left out in the same way.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from gristmill.arrays.dtypes import Flags, Floats
from gristmill.cleaning.methods import METHODS
from gristmill.evaluation.cross_validation import folds
from gristmill.evaluation.training.mill import Example, fit, score
from gristmill.roles import ROLES

Odds = list[tuple[Example, Floats]]
"""Pages with the log-odds of content of their blocks, by models that have not seen them."""
Split = tuple[list[Example], list[Example]]
"""Pages to train on, and pages that are held out."""
Result = tuple[float, float, float]
"""Precision, recall and F1 of words."""

_MIN_GAIN = 0.0005  # of F1, for which a role is left out


def leave_out_sets(examples: Sequence[Example], trained_on: Sequence[str], seed: int) -> Odds:
    """Score each gold standard with a model of all others; those that are never trained on, with a model of all."""
    return _score_all(splits_by_set(examples, trained_on), seed)


def leave_out_languages(examples: Sequence[Example], name: str, trained_on: Sequence[str], seed: int) -> Odds:
    """Score the pages of each language of a gold standard with a model of no page in this language, of any set."""
    return _score_all(splits_by_language(examples, name, trained_on), seed)


def cross_validate(examples: Sequence[Example], trained_on: Sequence[str], seed: int, k: int = 5) -> Odds:
    """Score pages with models of the other sites of all sets: how well a model knows the sets."""
    return _score_all(splits_by_site(examples, trained_on, seed, k), seed)


def splits_by_set(examples: Sequence[Example], trained_on: Sequence[str]) -> list[Split]:
    """Divide pages for `leave_out_sets`."""
    splits = []
    for name in trained_on:
        seen = [example for example in examples if example.gold_set in trained_on and example.gold_set != name]
        splits.append((seen, [example for example in examples if example.gold_set == name]))
    others = [example for example in examples if example.gold_set not in trained_on]
    splits.append(([example for example in examples if example.gold_set in trained_on], others))
    return [split for split in splits if split[1]]


def splits_by_language(examples: Sequence[Example], name: str, trained_on: Sequence[str]) -> list[Split]:
    """Divide pages for `leave_out_languages`."""
    known = [example for example in examples if example.gold_set in trained_on]
    of_set = [example for example in examples if example.gold_set == name]
    return [
        (
            [example for example in known if example.gold.lang != lang],
            [example for example in of_set if example.gold.lang == lang],
        )
        for lang in sorted({example.gold.lang or "" for example in of_set})
    ]


def splits_by_site(examples: Sequence[Example], trained_on: Sequence[str], seed: int, k: int = 5) -> list[Split]:
    """Divide pages for `cross_validate`."""
    by_page = {id(example.gold): example for example in examples}
    dealt = [[by_page[id(page)] for page in fold] for fold in folds([example.gold for example in examples], k, seed)]
    return [
        (
            [example for other in dealt[:at] + dealt[at + 1 :] for example in other if example.gold_set in trained_on],
            held_out,
        )
        for at, held_out in enumerate(dealt)
    ]


def score_split(split: Split, seed: int) -> Odds:
    """Score the pages that are held out with a model of those that are seen."""
    seen, held_out = split
    weights = fit(seen, seed)
    words = weights.vocabulary()
    return [(example, score(weights, words, example)) for example in held_out]


def _score_all(splits: Iterable[Split], seed: int) -> Odds:
    return [scored for split in splits for scored in score_split(split, seed)]


def with_default_roles(scored: Odds) -> dict[str, list[Result]]:
    """The results of each gold standard with the roles that are text by default, which depend on the kind of page."""
    roles_on = METHODS["mill"].roles_on
    found: defaultdict[str, list[Result]] = defaultdict(list)
    for item in scored:
        for name, results in with_roles([item], roles_on(item[0].kind)).items():
            found[name] += results
    return dict(found)


def with_roles(scored: Odds, roles: Iterable[str]) -> dict[str, list[Result]]:
    """The results of each gold standard if blocks of these roles are text."""
    wanted = _flags(roles)
    found: defaultdict[str, list[Result]] = defaultdict(list)
    for example, odds in scored:
        if example.bag.gold_words:
            found[example.gold_set].append(example.bag.scores((odds >= 0) & wanted[example.roles]))
    return dict(found)


def with_own_roles(scored: Odds) -> tuple[dict[str, list[Result]], dict[str, list[tuple[str, ...]]]]:
    """The results of each gold standard with the roles of its own guideline, and which roles these leave out."""
    results: dict[str, list[Result]] = {}
    choices: dict[str, list[tuple[str, ...]]] = {}
    for name in sorted({example.gold_set for example, _ in scored}):
        results[name], choices[name] = [], []
        for left_out, pages in own_roles([item for item in scored if item[0].gold_set == name]):
            choices[name].append(left_out)
            results[name] += with_roles(pages, [role for role in ROLES if role not in left_out]).get(name, [])
    return results, choices


def own_roles(scored: Odds) -> list[tuple[tuple[str, ...], Odds]]:
    """Return two halves of the pages of a gold standard, each with the roles that its guideline leaves out.

    They are chosen on one half of the pages and used for the other half, so that no page has a say in its own score.
    """
    pages = [item for item in scored if item[0].bag.gold_words]
    halves = [[item for item in pages if zlib.crc32(item[0].gold.id.encode()) % 2 == half] for half in (0, 1)]
    return [(choose_roles(chosen_on), used_for) for chosen_on, used_for in (halves, halves[::-1])]


def choose_roles(scored: Odds) -> tuple[str, ...]:
    """Return the roles to leave out, one after the other as long as the mean F1 of these pages gets better."""
    left_out: list[str] = []
    best = _f1(scored, left_out)
    while True:
        others = [role for role in ROLES if role not in (*left_out, "text")]
        value, role = max((_f1(scored, [*left_out, role]), role) for role in others)
        if value <= best + _MIN_GAIN:
            return tuple(role for role in ROLES if role in left_out)
        left_out.append(role)
        best = value


def _f1(scored: Odds, left_out: Sequence[str]) -> float:
    wanted = _flags(role for role in ROLES if role not in left_out)
    values = [example.bag.scores((odds >= 0) & wanted[example.roles])[2] for example, odds in scored]
    return float(np.mean(values)) if values else 0.0


def _flags(roles: Iterable[str]) -> Flags:
    chosen = set(roles)
    return np.array([role in chosen for role in ROLES], np.bool_)
