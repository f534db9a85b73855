"""How many blocks mix text and boilerplate, so that no method that keeps or drops whole blocks can be right.

Pomikálek 2011, 2.9.4: of 18,126 blocks in 197 files of Canola, 6 have both a good and a bad text node if only nodes
count on which all annotators agree, and 218 (1.2%) if all nodes count. On gold standards that have no judged text nodes
a block is mixed if between a tenth and nine tenths of its words stand in the gold text (our choice: single words are
aligned by chance).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gristmill.arrays.dtypes import Flags
from gristmill.engine import Report, silent
from gristmill.evaluation.feature_thresholds import reliabilities
from gristmill.evaluation.gold import GoldSet
from gristmill.evaluation.judged_blocks import NO_BLOCK, JudgedBlocks, judged_blocks
from gristmill.experiment import Experiment, Section
from gristmill.notebook import Value
from gristmill.table import Column

_LEAST = 0.1
_COLUMNS = (
    *(Column(name) for name in ("gold", "reliability", "pages", "blocks", "mixed")),
    Column("share", "of blocks", "{:.2%}".format),
    Column("characters", "characters in mixed", "{:,.0f}".format),
    Column("wrong", "lost at least", "{:.2%}".format),
)


def are_mixed(judged: JudgedBlocks, reliability: int = 0) -> Flags:
    """Tell of each block whether it has good and bad pieces of at least this reliability."""
    here = (judged.reliability >= reliability) & (judged.block != NO_BLOCK)
    good, bad = (
        np.bincount(judged.block[here], amount[here], len(judged.features)) for amount in (judged.good, judged.bad)
    )
    if judged.nodes.any():
        mixed: Flags = (good > 0) & (bad > 0)
        return mixed
    share = good / np.maximum(good + bad, 1)
    partly: Flags = (share > _LEAST) & (share < 1 - _LEAST)
    return partly


def coherence(sets: Sequence[GoldSet], *, workers: int | None = 1, report: Report = silent) -> Experiment:
    """Count the blocks of gold standards that mix text and boilerplate, by the reliability of the judgements.

    `lost at least` is the share of judged characters that are wrong however such blocks are decided: the smaller of the
    good and the bad part of each.
    """
    rows: list[list[Value]] = []
    pages = {gold_set.name: len(gold_set.pages) for gold_set in sets}
    for name, judged in judged_blocks(sets, workers=workers, report=report).items():
        for reliability in reliabilities(judged):
            mixed, number = are_mixed(judged, reliability), len(judged.features)
            here = (judged.reliability >= reliability) & (judged.block != NO_BLOCK)
            good, bad = (np.bincount(judged.block[here], amount[here], number) for amount in (judged.good, judged.bad))
            total = float((good + bad).sum())
            lost = float(np.minimum(good, bad)[mixed].sum())
            found = int(np.count_nonzero(mixed))
            rows.append(
                [
                    *(name, reliability, pages[name], number, found),
                    found / number if number else None,
                    float((good + bad)[mixed].sum()),
                    lost / total if total else None,
                ]
            )
    return Experiment(
        "coherence", "Blocks that mix text and boilerplate", [Section("coherence", "Mixed blocks", _COLUMNS, rows)]
    )
