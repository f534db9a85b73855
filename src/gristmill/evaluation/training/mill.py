"""Train `mill`: the names of classes and ids first, then the trees that use them.

Sites are divided into parts, and the names that a page is described with are learned from the other parts: trees must
not be trained on values that were learned from the same page.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import xxhash

from gristmill.arrays.dtypes import Floats, Matrix
from gristmill.cleaning.cleaner import prepare
from gristmill.cleaning.features import Features
from gristmill.cleaning.languages import Languages
from gristmill.cleaning.methods.mill import NameValues, Weights
from gristmill.cleaning.methods.mill_features import Described, describe, name_words
from gristmill.cleaning.roles import roles_of
from gristmill.cleaning.segmented import Elements
from gristmill.columns import Coded
from gristmill.document import Page
from gristmill.evaluation.cross_validation import folds
from gristmill.evaluation.gold import GoldPage, read_gold
from gristmill.evaluation.metrics import f_score
from gristmill.evaluation.training.boosting import Settings, boost
from gristmill.evaluation.training.registry import Model, describe_pages, gold_file, need, versions
from gristmill.evaluation.training.registry import describe as describe_file
from gristmill.evaluation.words import plain_words
from gristmill.language import Models

TRAINED_ON = ("canola", "cleaneval", "cleanportaleval", "daniel-a", "dragnet-a", "wcxb-a")
ONLY_TESTED_ON = ("l3s-gn1",)
_SITE_PARTS = 3
_FOLDS = 5
_SETTINGS = Settings()
_MIN_SITES = 5  # on which a word must be to be learned
_PRIOR_SITES = 2.0  # with the mean share of text, added for each word (smoothing)
_SHIFTS = np.linspace(-1, 1, 41)


@dataclass(slots=True)
class Bag:
    """The words of a page and of its gold text as numbers: `metrics.by_bag` for any choice of blocks, but faster."""

    words: npt.NDArray[np.intp]
    blocks: npt.NDArray[np.intp]
    """The number of the block in which each word stands."""
    gold: npt.NDArray[np.intp]
    """The count of each word in the gold text."""
    gold_words: int

    @classmethod
    def of(cls, texts: Sequence[str], gold: str) -> Bag:
        """Number the words of the blocks and of the gold text."""
        numbers: dict[str, int] = {}
        words = [[numbers.setdefault(word, len(numbers)) for word in plain_words(text)] for text in texts]
        wanted = plain_words(gold)
        counts = np.bincount([numbers[word] for word in wanted if word in numbers] or [0], minlength=len(numbers) + 1)
        counts[0] -= not any(word in numbers for word in wanted)
        blocks = np.repeat(np.arange(len(texts)), list(map(len, words)))
        return cls(np.array(list(chain.from_iterable(words)), np.intp), blocks, counts, len(wanted))

    def scores(self, kept: npt.NDArray[np.bool_]) -> tuple[float, float, float]:
        """Precision, recall and F1 of bags of words if these blocks are kept."""
        counts = np.bincount(self.words[kept[self.blocks]], minlength=len(self.gold))
        hits = int(np.minimum(counts, self.gold).sum())
        if not hits:
            return 0.0, 0.0, 0.0
        precision, recall = hits / int(counts.sum()), hits / self.gold_words
        return precision, recall, f_score(precision, recall)


@dataclass(slots=True)
class Example:
    """A gold page with the features of `mill`, to train on."""

    gold: GoldPage
    bag: Bag
    elements: Elements
    described: Described
    words: Floats
    """The words of each block, at least 1."""
    shares: Floats
    """The share of each block that stands in the gold text."""
    roles: Coded
    """The role of each block."""
    name_shares: dict[str, float]
    """For each word in the names of elements, the share of text in these elements."""
    site: str
    part: int
    """The part of the sites that the page belongs to."""


def train(own: Sequence[GoldPage], gold: Path, seed: int) -> Model:
    """Train on six gold standards and the user's pages; the scores are of a cross-validation on folds of sites."""
    files = [gold_file(gold, f"{name}.parquet") for name in TRAINED_ON]
    tests = [path for name in ONLY_TESTED_ON if (path := gold / f"{name}.parquet").is_file()]
    pages = [*(page for gold_set in read_gold([*files, *tests]) for page in gold_set.pages), *own]
    trained_on = {*TRAINED_ON, *(page.gold_set for page in own)}
    examples = read_examples(pages)
    shift, scores = cross_validate(pages, examples, trained_on, seed)
    weights = fit([example for example in examples.values() if example.gold.gold_set in trained_on], seed)
    trees = dataclasses.replace(weights.trees, start=weights.trees.start + shift)
    card = {
        "method": "mill",
        "trained_on": [*(describe_file(path) for path in files), *describe_pages(own)],
        "seed": seed,
        "settings": dataclasses.asdict(_SETTINGS) | {"shift": round(shift, 3)},
        "cross_validation": scores,
        "versions": versions("xxhash", "rapidfuzz"),
    }
    summary = f"F1 of words on sites that were held out, mean of {len(scores) - 1} sets: {scores['mean']['f1']:.3f}."
    return Model(dataclasses.replace(weights, trees=trees).arrays(), card, summary)


def read_examples(pages: Sequence[GoldPage]) -> dict[int, Example]:
    """Compute the features of all pages that have blocks, by the identity (`id`) of their gold page."""
    labels = need("gristmill.evaluation.labels", "evaluate")
    examples = {}
    for page in pages:
        features = Features(prepare(Page(page.url or "", page.html), Languages(Models.load(), page.lang or ""))[1])
        if len(features):
            elements, words = features.page.elements, np.maximum(features.words, 1).astype(np.float64)
            shares = labels.block_labels(features.texts, page.gold)
            bag, names = Bag.of(features.texts, page.gold), _name_shares(elements, words, shares)
            part = xxhash.xxh64_intdigest(page.site.encode()) % _SITE_PARTS
            described, roles = describe(features), roles_of(features)
            examples[id(page)] = Example(page, bag, elements, described, words, shares, roles, names, page.site, part)
    return examples


def fit(examples: Sequence[Example], seed: int) -> Weights:
    """Train on all pages.

    Pages of a set have equal weights, those of a smaller set larger ones; blocks of a page weigh by their words.
    """
    parts = range(_SITE_PARTS)
    names = [NameValues(learn_names(example for example in examples if example.part != part)) for part in parts]
    rows = np.concatenate([look(example, names[example.part]).T for example in examples])
    sizes = Counter(example.gold.gold_set for example in examples)
    shares = [
        (example.words + 3) / (example.words + 3).sum() / math.sqrt(sizes[example.gold.gold_set])
        for example in examples
    ]
    weights = np.concatenate(shares)
    is_text = np.concatenate([example.shares for example in examples]) >= 0.5
    return Weights(learn_names(examples), boost(rows, is_text, weights * len(weights) / weights.sum(), _SETTINGS, seed))


def look(example: Example, names: NameValues) -> Matrix:
    """The features of a page for the trees; the table is valid until the next look at the page."""
    return example.described.with_names(names.of(example.elements.names))


def _name_shares(elements: Elements, words: Floats, shares: Floats) -> dict[str, float]:
    weights = np.sqrt(words)
    totals = np.concatenate(([[0.0, 0.0]], np.cumsum(np.stack((weights * shares, weights), axis=1), axis=0)))
    text, whole = (totals[elements.end] - totals[elements.first]).T
    found: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for names, part, all_of_it in zip(elements.names, text.tolist(), whole.tolist(), strict=True):
        if names and all_of_it:
            for word in name_words(names):
                found[word][0] += part
                found[word][1] += all_of_it
    return {word: part / all_of_it for word, (part, all_of_it) in found.items()}


def learn_names(examples: Iterable[Example]) -> dict[str, float]:
    """Learn for each word that is on enough sites the log odds that its elements hold text, less those of all words.

    Sites have equal weights.
    """
    sites: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for example in examples:
        for word, share in example.name_shares.items():
            sites[word][example.site].append(share)
    means = {
        word: [sum(shares) / len(shares) for shares in found.values()]
        for word, found in sites.items()
        if len(found) >= _MIN_SITES
    }
    everything = [mean for found in means.values() for mean in found]
    if not everything:
        return {}
    usual = sum(everything) / len(everything)
    names = {}
    for word in sorted(means):
        text, number = sum(means[word]), len(means[word])
        odds = (text + _PRIOR_SITES * usual) / (number - text + _PRIOR_SITES * (1 - usual))
        names[word] = math.log(odds) - math.log(usual / (1 - usual))
    return names


def cross_validate(
    pages: Sequence[GoldPage], examples: dict[int, Example], trained_on: AbstractSet[str], seed: int
) -> tuple[float, dict[str, Any]]:
    """Find the shift of the log odds with the best mean F over the sets, and the scores with it.

    The shift is chosen on the same folds as the scores are of; a single number can't overfit much.
    """
    odds: list[tuple[GoldPage, Floats | None]] = []
    dealt = folds(pages, _FOLDS, seed)
    for at, held_out in enumerate(dealt):
        seen = [examples[id(page)] for other in dealt[:at] + dealt[at + 1 :] for page in other if id(page) in examples]
        weights = fit([example for example in seen if example.gold.gold_set in trained_on], seed)
        odds += [(page, score(weights, examples[id(page)]) if id(page) in examples else None) for page in held_out]
    tables = [_scores(odds, examples, shift) for shift in _SHIFTS]
    best = max(range(len(tables)), key=lambda at: float(tables[at]["mean"]["f1"]))
    return float(_SHIFTS[best]), tables[best]


def score(weights: Weights, example: Example) -> Floats:
    """The log odds of text for each block of a page."""
    return weights.trees.odds(look(example, NameValues(weights.names)))


def _scores(
    odds: Sequence[tuple[GoldPage, Floats | None]], examples: dict[int, Example], shift: float
) -> dict[str, Any]:
    """Precision, recall and F1 of bags of words for each set, as means over pages."""
    found: defaultdict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for page, values in odds:
        if values is None:
            found[page.gold_set].append((0.0, 0.0, 0.0))
        elif examples[id(page)].bag.gold_words:
            found[page.gold_set].append(examples[id(page)].bag.scores(values + shift >= 0))
    table = {name: np.mean(found[name], axis=0) for name in sorted(found)}
    table["mean"] = np.mean(list(table.values()), axis=0)
    return {
        name: dict(zip(("precision", "recall", "f1"), np.round(values, 4).tolist(), strict=True))
        for name, values in table.items()
    }
