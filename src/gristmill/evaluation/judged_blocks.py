"""The blocks of gold pages with their features, and what people said of the pieces of text in them.

On pages of Canola a piece is a text node with the verdict and the agreement of its annotators, as in Pomikálek 2011,
2.9.1; the block that it stands in is found by aligning the words of both. On other pages a piece is a block, and as
much of it is good as it shares words with the gold text, in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from gristmill.arrays.dtypes import Floats, Ints
from gristmill.cleaning.features import Features
from gristmill.cleaning.segmentation import segment
from gristmill.decoding import decode
from gristmill.engine import InlineEngine, LocalEngine, Report, silent
from gristmill.errors import GristmillError, UsageError
from gristmill.evaluation.align import common, pairs
from gristmill.evaluation.gold import GoldPage, GoldSet
from gristmill.evaluation.labels import block_labels
from gristmill.evaluation.nodes import TextNode, is_canola, text_nodes
from gristmill.evaluation.words import plain_words

FEATURES = ("link density", "words", "stop words", "characters", "tag density")
"""The features of blocks: the first three are those of jusText.

Link density is the share of words in links, `stop words` their share, and tag density the number of tags a word.
"""
_PAGES_AT_ONCE = 20
NO_BLOCK = -1


@dataclass(frozen=True, slots=True)
class JudgedBlocks:
    """The blocks of some pages, and the judged pieces of text."""

    features: Floats
    """A row for each block, a column for each of `FEATURES`."""
    block: Ints
    """The block of each piece, or -1 if the blocks of the page do not have its words."""
    good: Floats
    bad: Floats
    """Characters of each piece that are text, and that are boilerplate."""
    reliability: Ints
    """The agreement of the annotators in per cent; 0 if it is not known."""
    nodes: Ints
    """Of each piece whether it is a text node (1), or a block (0)."""


def judged_blocks(
    sets: Sequence[GoldSet], *, workers: int | None = 1, report: Report = silent
) -> dict[str, JudgedBlocks]:
    """Judge the blocks of gold standards, by their names; with one worker all happens in this process."""
    common((), ())  # raises if rapidfuzz is not installed
    tasks = [
        _Task(gold_set.name, start, tuple(gold_set.pages[start : start + _PAGES_AT_ONCE]))
        for gold_set in sets
        for start in range(0, len(gold_set.pages), _PAGES_AT_ONCE)
    ]
    if not tasks:
        raise UsageError("no page is left to evaluate on; is there one of that language, or of that split?")
    engine = InlineEngine() if workers == 1 else LocalEngine(workers)
    found: dict[str, dict[int, JudgedBlocks]] = {}
    for outcome in engine.run(tasks, report):
        if outcome.error:
            raise GristmillError(f"{outcome.task.name}: {outcome.error}")
        name, start, judged = outcome.result
        found.setdefault(name, {})[start] = judged
    names = [gold_set.name for gold_set in sets if gold_set.pages]
    return {name: together([found[name][start] for start in sorted(found[name])]) for name in names}


@dataclass(frozen=True, slots=True)
class _Task:
    gold_set: str
    start: int
    pages: tuple[GoldPage, ...]

    @property
    def name(self) -> str:
        return f"{self.gold_set} from page {self.start}"

    @property
    def cost(self) -> int:
        return len(self.pages)

    def run(self, report: Report) -> tuple[str, int, JudgedBlocks]:
        judged = []
        for page in self.pages:
            judged.append(judge_page(page))
            report(1)
        return self.gold_set, self.start, together(judged)


def judge_page(page: GoldPage) -> JudgedBlocks:
    """Judge the blocks of a page, which are cut where jusText cuts: at block-level tags."""
    features = Features(segment(decode(page.html, page.lang).text))
    stop_words = features.stop_word_density(page.lang or "en")
    table = np.stack(
        [
            features.link_density,
            features.words.astype(np.float64),
            np.where(np.isnan(stop_words), 1.0, stop_words),  # as jusText does where there is no stop list
            features.characters.astype(np.float64),
            features.tags / np.maximum(1, features.words),
        ],
        axis=1,
    )
    if is_canola(page.annotated):
        return _by_nodes(table, features.texts, text_nodes(page.annotated or ""))
    return _by_words(table, features, page.gold)


def _by_words(table: Floats, features: Features, gold: str) -> JudgedBlocks:
    shares = block_labels(features.texts, gold)
    characters = features.characters.astype(np.float64)
    none = np.zeros(len(shares), np.int64)
    return JudgedBlocks(table, np.arange(len(shares)), shares * characters, (1 - shares) * characters, none, none)


def _by_nodes(table: Floats, texts: Sequence[str], nodes: Sequence[TextNode]) -> JudgedBlocks:
    """Put each decided text node into the block that has most of its words."""
    block_words = [(word, at) for at, text in enumerate(texts) for word in plain_words(text)]
    node_words = [(word, at) for at, node in enumerate(nodes) for word in plain_words(node.text)]
    places: dict[int, Counter[int]] = {}
    for left, right in pairs([word for word, _ in block_words], [word for word, _ in node_words]):
        places.setdefault(node_words[right][1], Counter())[block_words[left][1]] += 1
    decided = [(at, node) for at, node in enumerate(nodes) if node.verdict in {"good", "bad"}]
    lengths = np.array([len(node.text) for _, node in decided], np.float64)
    is_good = np.array([node.verdict == "good" for _, node in decided], np.bool_)
    blocks = [places[at].most_common(1)[0][0] if at in places else NO_BLOCK for at, _ in decided]
    return JudgedBlocks(
        table,
        np.array(blocks, np.int64),
        np.where(is_good, lengths, 0.0),
        np.where(is_good, 0.0, lengths),
        np.array([node.reliability or 0 for _, node in decided], np.int64),
        np.ones(len(decided), np.int64),
    )


def together(judged: Sequence[JudgedBlocks]) -> JudgedBlocks:
    """Put the blocks of several pages into one, with numbers that count on."""
    before = np.cumsum([0, *(len(item.features) for item in judged)])
    blocks = [
        np.where(item.block == NO_BLOCK, NO_BLOCK, item.block + start)
        for item, start in zip(judged, before[:-1].tolist(), strict=True)
    ]
    others = {
        item.name: np.concatenate([getattr(one, item.name) for one in judged])
        for item in fields(JudgedBlocks)
        if item.name != "block"
    }
    return JudgedBlocks(block=np.concatenate(blocks), **others)
