"""The beads of a pair of pages as rows of `beads.parquet`: which sentences, their texts and places."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from gristmill.alignment import Beads
from gristmill.arrays.dtypes import Ints
from gristmill.parallel.judging import highest_scores, judge
from gristmill.parallel.paired_pages import PagePairText
from gristmill.parallel.records import BEADS_SCHEMA, SIDES
from gristmill.parallel.texts import PlacedText


def bead_rows(
    first: int, pairs: Sequence[PagePairText], beads: Sequence[Beads], languages: tuple[str, str]
) -> pa.Table:
    """Make the rows of the beads of some pairs, of which the first is that of a number in its shard."""
    parts = [_of_pair(pair, found) for pair, found in zip(pairs, beads, strict=True)]
    columns: dict[str, Any] = {name: _together([part[name] for part in parts]) for name in parts[0]}
    columns["pair"] = np.repeat(np.arange(first, first + len(pairs)), list(map(len, beads)))
    columns |= judge(columns["source_text"], columns["target_text"], languages)
    columns["repeats"] = np.zeros(len(columns["pair"]), np.int64)
    return pa.Table.from_arrays([_array(columns[item.name], item.type) for item in BEADS_SCHEMA], schema=BEADS_SCHEMA)


def _together(parts: Sequence[Any]) -> Any:
    return list(chain.from_iterable(parts)) if isinstance(parts[0], list) else np.concatenate(parts)


def _of_pair(pair: PagePairText, beads: Beads) -> dict[str, Any]:
    """Return the columns of the beads of one pair that are known of its texts: scores, sentences, texts and places."""
    columns: dict[str, Any] = {"score": beads.score, "boilerplate": np.zeros(len(beads))}
    for side, text in zip(SIDES, pair.texts, strict=True):
        first, last = getattr(beads, f"{side}_start"), getattr(beads, f"{side}_end")
        columns |= _side_columns(side, text, first, last)
        is_empty = first == last
        edges = np.where(is_empty, -1, first), np.where(is_empty, -1, last - 1)
        columns["boilerplate"] = np.maximum(columns["boilerplate"], highest_scores(text.boilerplate, *edges))
    return columns


def _array(values: Any, kind: pa.DataType) -> pa.Array:
    return values if isinstance(values, pa.Array) else pa.array(values, kind, from_pandas=False)


def _side_columns(side: str, text: PlacedText, first: Ints, last: Ints) -> dict[str, Any]:
    """Return the columns of one side: which sentences, their text, and where that begins and ends; -1 for none.

    Sentences 3 and 4 of blocks 7 and 8, which begin at 0 and 0 and end at 20 and 30: block 7, start 0, end block 8,
    end 30.
    """
    is_empty, spans = first == last, zip(first.tolist(), last.tolist(), strict=True)
    begin, end = np.where(is_empty, -1, first), np.where(is_empty, -1, last - 1)
    places = {"block": (text.blocks, begin), "start": (text.starts, begin)}
    places |= {"end_block": (text.blocks, end), "end": (text.ends, end)}
    return {
        f"{side}_first": first,
        f"{side}_count": last - first,
        f"{side}_text": [" ".join(text.texts[one:other]) for one, other in spans],
        **{f"{side}_{name}": np.append(values, -1)[at] for name, (values, at) in places.items()},
    }
