"""Compare a cleaned page with its gold text block by block, for people to look at in the HTML report."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from gristmill.columns import fold
from gristmill.document import Document
from gristmill.evaluation.align import pairs
from gristmill.evaluation.gold import GoldPage
from gristmill.evaluation.scores import PageScore
from gristmill.evaluation.words import words

_MAX_BLOCKS, _MAX_BLOCK_CHARACTERS, _MAX_PASSAGES = 150, 400, 40


@dataclass(frozen=True, slots=True)
class SeenBlock:
    """A block, how the method judged it, and whether most of its words are in the gold text."""

    text: str
    label: str
    score: float
    kept: bool
    in_gold: bool


@dataclass(frozen=True, slots=True)
class Inspection:
    """One cleaned page: its blocks, and what was missed."""

    gold_set: str
    url: str
    score: PageScore
    blocks: list[SeenBlock]
    more_blocks: int
    """The number of blocks that are not shown."""
    missed: list[str]
    """Passages of the gold text that are not in the output."""
    missed_words: int


def inspect(page: GoldPage, document: Document, score: PageScore) -> Inspection:
    """Align all blocks, kept and dropped, with the gold text."""
    missed = _missed(page, document)
    shown = _seen(page, document)
    return Inspection(
        page.gold_set,
        page.url or "",
        score,
        shown[:_MAX_BLOCKS],
        max(0, len(shown) - _MAX_BLOCKS),
        [_shorten(" ".join(passage)) for passage in missed[:_MAX_PASSAGES]],
        sum(map(len, missed)),
    )


def _seen(page: GoldPage, document: Document) -> list[SeenBlock]:
    kept = {id(block) for block in document.kept()}
    by_block = [words(block.text, page.lang) for block in document.blocks]
    owners = [at for at, block in enumerate(by_block) for _ in block]
    in_gold = [0] * len(by_block)
    for place, _ in pairs([word for block in by_block for word in block], words(page.gold, page.lang)):
        in_gold[owners[place]] += 1
    return [
        SeenBlock(_shorten(fold(block.text)), block.label, block.score, id(block) in kept, 2 * count >= len(own) > 0)
        for block, own, count in zip(document.blocks, by_block, in_gold, strict=True)
    ]


def _missed(page: GoldPage, document: Document) -> list[list[str]]:
    """Find runs of gold words that are not in the output."""
    gold = words(page.gold, page.lang)
    hits = [place for _, place in pairs(words(document.text, page.lang), gold)]
    runs = [gold[left + 1 : right] for left, right in pairwise([-1, *hits, len(gold)])]
    return [run for run in runs if run]


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_BLOCK_CHARACTERS else text[:_MAX_BLOCK_CHARACTERS] + "…"
