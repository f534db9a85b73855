"""Train `mill`: the words that names and blocks have first, then the trees that use them.

Sites are divided into parts, and the words that a page is described with are learned from the other parts: trees must
not be trained on values that were learned from the same page. Nothing is learned from blocks of which only the
guideline of a gold standard says whether they are text (`guidelines`).
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import xxhash

from gristmill.arrays.dtypes import Flags, Floats, Matrix
from gristmill.cleaning.cleaner import prepare
from gristmill.cleaning.features import Features
from gristmill.cleaning.languages import Languages
from gristmill.cleaning.methods.mill import Phrases, Vocabulary, Weights, centred
from gristmill.cleaning.methods.mill_features import Described, describe
from gristmill.cleaning.roles import roles_of
from gristmill.cleaning.segmented import Elements
from gristmill.columns import Int32
from gristmill.document import Page
from gristmill.evaluation.gold import GoldPage, read_gold
from gristmill.evaluation.labels import block_labels
from gristmill.evaluation.training.bags import Bag
from gristmill.evaluation.training.boosting import Settings, boost
from gristmill.evaluation.training.decided import decided_blocks
from gristmill.evaluation.training.guidelines import counted_blocks, shares_of_roles
from gristmill.evaluation.training.learned_words import (
    PhraseShares,
    learn_names,
    learn_phrases,
    name_shares,
    phrase_shares,
)
from gristmill.evaluation.training.registry import Model, describe_pages, gold_file, versions
from gristmill.evaluation.training.registry import describe as describe_file
from gristmill.language import Models

TRAINED_ON = (
    "andy-a",
    "canola",
    "cleaneval",
    "cleanportaleval",
    "daniel-a",
    "dragnet-a",
    "googletrends-a",
    "wcxb-a",
)
ONLY_TESTED_ON = ("ceed-a", "l3s-gn1")
SETTINGS = Settings()
_SITE_PARTS = 3


@dataclass(slots=True)
class Example:
    """A gold page with the features of `mill`, to train on."""

    gold: GoldPage
    bag: Bag
    elements: Elements
    described: Described
    block_words: Int32
    """The words of each block."""
    shares: Floats
    """The share of each block that stands in the gold text."""
    roles: Int32
    """The number of the role of each block, in `gristmill.roles.ROLES`."""
    kind: str
    """The kind of the page."""
    site: str
    part: int
    """The part of the sites that the page belongs to."""
    counted: Flags = field(default_factory=lambda: np.zeros(0, np.bool_))
    """Whether a block can be learned from."""
    decided: Flags = field(default_factory=lambda: np.zeros(0, np.bool_))
    """Whether annotators have decided on a block; only `continued` asks."""
    name_shares: dict[str, float] = field(default_factory=dict)
    phrase_shares: PhraseShares = field(default_factory=lambda: (np.zeros(0, np.uint32), np.zeros(0)))

    @property
    def words(self) -> Floats:
        """The words of each block, at least 1."""
        return np.maximum(self.block_words, 1).astype(np.float64)

    @property
    def gold_set(self) -> str:
        """The gold standard that the page is from."""
        return self.gold.gold_set

    def learn_only(self, counted: Flags) -> None:
        """Set which blocks can be learned from."""
        self.counted = counted
        self.name_shares = name_shares(self.elements, self.words * counted, self.shares)
        self.phrase_shares = phrase_shares(*self.described.phrases, self.shares, counted)


def train(own: Sequence[GoldPage], gold: Path, seed: int) -> Model:
    """Train on eight gold standards and the user's pages."""
    files = [gold_file(gold, f"{name}.parquet") for name in TRAINED_ON]
    pages = [*(page for gold_set in read_gold(files) for page in gold_set.pages), *own]
    examples = list(read_examples(pages).values())
    weights = fit(examples, seed)
    guidelines = shares_of_roles(examples)
    card = {
        "method": "mill",
        "trained_on": [*(describe_file(path) for path in files), *describe_pages(own)],
        "seed": seed,
        "settings": dataclasses.asdict(SETTINGS),
        "guidelines": {
            name: {role: round(share, 3) for role, share in found.items()} for name, found in guidelines.items()
        },
        "names": len(weights.names),
        "phrases": len(weights.phrases.keys),
        "figures": "docs/evaluation.md: each set with a model that was trained without it",
        "versions": versions("xxhash", "rapidfuzz"),
    }
    return Model(weights.arrays(), card, f"Trained on {len(examples):,} pages of {len(guidelines)} gold standards.")


def read_examples(pages: Sequence[GoldPage]) -> dict[int, Example]:
    """Compute the features of all pages that have blocks, by the identity (`id`) of their gold page."""
    examples = {}
    for page in pages:
        document, segmented = prepare(Page(page.url or "", page.html), Languages(Models.load(), page.lang or ""))
        features = Features(segmented)
        if len(features):
            features.columns.role = roles_of(features, document.page_kind)
            examples[id(page)] = Example(
                page,
                Bag.of(features.texts, page.gold),
                features.page.elements,
                describe(features),
                features.columns.words,
                block_labels(features.texts, page.gold),
                features.columns.role.codes,
                document.page_kind,
                page.site,
                xxhash.xxh64_intdigest(page.site.encode()) % _SITE_PARTS,
                decided=decided_blocks(features.texts, page.annotated),
            )
    guidelines = shares_of_roles(examples.values())
    for example in examples.values():
        example.learn_only(counted_blocks(example.roles, guidelines[example.gold_set]))
    return examples


def fit(examples: Sequence[Example], seed: int, settings: Settings | None = None) -> Weights:
    """Train on all pages.

    Pages of a set have equal weights, those of a smaller set larger ones; blocks of a page weigh by their words.
    """
    parts = [
        Vocabulary(*learn_words([example for example in examples if example.part != part]))
        for part in range(_SITE_PARTS)
    ]
    rows = np.concatenate([look(example, parts[example.part]).T for example in examples])
    sizes = Counter(example.gold_set for example in examples)
    weights = np.concatenate(
        [
            (example.words + 3) / (example.words + 3).sum() * example.counted / math.sqrt(sizes[example.gold_set])
            for example in examples
        ]
    )
    is_text = np.concatenate([example.shares for example in examples]) >= 0.5
    trees = boost(rows, is_text, weights * np.count_nonzero(weights) / weights.sum(), settings or SETTINGS, seed)
    names, phrases = learn_words(examples)
    return Weights(names, phrases, trees)


def learn_words(examples: Sequence[Example]) -> tuple[dict[str, float], Phrases]:
    """Learn the names and phrases of some pages."""
    names = learn_names((example.site, example.name_shares) for example in examples)
    return names, learn_phrases((example.site, example.phrase_shares) for example in examples)


def look(example: Example, words: Vocabulary) -> Matrix:
    """The features of a page for the trees; the table is valid until the next look at the page."""
    return words.look(example.described, example.elements.names)


def score(weights: Weights, words: Vocabulary, example: Example) -> Floats:
    """The log-odds of content for each block of a page, with the threshold of the page at 0."""
    return centred(weights.trees.odds(look(example, words)), example.block_words)
