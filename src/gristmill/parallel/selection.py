"""Which sentence pairs are wanted: thresholds on what alignment and cleaning found, and counts of what they leave out.

Nothing is deleted by them: each export can have others, and says how many beads each threshold left out.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Mask
from gristmill.config import check_share
from gristmill.errors import UsageError
from gristmill.parallel.languages import may_be
from gristmill.parallel.records import SIDES

_KIND = re.compile(r"[0-9]{1,3}-[0-9]{1,3}")
_SHORT_CHARACTERS = 20
"""Differences of length that are never too large: `FAQ` is `Häufige Fragen`."""
_MAX_COUNT = 1000
"""More sentences than one side of a bead has."""


@dataclass(frozen=True, slots=True)
class PairSelection:
    """Thresholds for reading sentence pairs. A bead must meet all of them; None asks for nothing."""

    min_score: float | None = 0.3
    """Of the aligner, from 0 to 1: how sure it is of the bead. Below, it is more often wrong than right."""
    min_page_score: float | None = None
    """Of the pair of pages that the bead is of: those that count were good enough already."""
    max_length_ratio: float | None = 3.0
    """How many times longer, in characters, one side may be than is usual in this corpus.

    What is usual is the median, so Chinese and English can be compared. Differences of up to 20 characters always pass.
    """
    right_languages: bool = True
    """Whether each side must be in its language, if it is long enough to tell.

    Languages that are taken for each other, such as Danish and Norwegian, pass as each other.
    """
    max_copied: float | None = 0.6
    """Share of the words, without names and numbers, that are the same on both sides: above, it is not translated."""
    min_numbers: float | None = 0.5
    """Share of the numbers of both sides that agree."""
    max_boilerplate: float | None = None
    """The highest boilerplate score of its blocks; pairs are made of the text of a corpus, so most are low already."""
    max_repeats: int | None = 0
    """How many equal sentence pairs may have come before it: 0 keeps one of each."""
    kinds: tuple[str, ...] = ()
    """Kinds of beads by their sentences on each side, such as `1-1`, `1-2`; by default all that have both sides."""
    expected: tuple[str, str] | None = None
    """The languages of the sides, and the usual ratio of their lengths; who reads a corpus fills them in."""
    usual_ratio: float = 1.0

    def __post_init__(self) -> None:
        for name in ("min_score", "min_page_score", "max_copied", "min_numbers", "max_boilerplate"):
            value = getattr(self, name)
            if value is not None:
                check_share(value, name)
        if self.max_length_ratio is not None and self.max_length_ratio < 1:
            raise UsageError(
                f"max_length_ratio is how many times longer a side may be: at least 1, not {self.max_length_ratio}"
            )
        if self.max_repeats is not None and self.max_repeats < 0:
            raise UsageError(f"max_repeats must not be negative, but it is {self.max_repeats}")
        for kind in self.kinds:
            if not _KIND.fullmatch(kind):
                raise UsageError(
                    f"{kind!r} is no kind of bead: write how many sentences each side has, such as 1-1 or 1-2"
                )

    def kept(self, beads: pa.RecordBatch) -> Mask:
        """Tell which beads meet all thresholds; these are columns of `BEADS_SCHEMA`, or more of them."""
        return self.judge(beads)[0]

    def judge(self, beads: pa.RecordBatch) -> tuple[Mask, Counter[str]]:
        """Tell which beads meet all thresholds, and count the others, each under the first one that it does not meet.

        beads 1-1 with score .9, 1-0 with score .1, 1-1 with score .1: kept [1, 0, 0], one-sided 1, min_score 1
        """
        kept = np.ones(beads.num_rows, np.bool_)
        reasons: Counter[str] = Counter()
        for name, fails in _RULES.items():
            if name in {"one-sided", "kinds"} or getattr(self, name) is not None:
                failing = kept & fails(self, beads)
                if failing.any():
                    reasons[name] = int(np.count_nonzero(failing))
                    kept &= ~failing
        return kept, reasons

    def to_table(self) -> dict[str, Any]:
        """Write the thresholds that are set as a table, for the file beside an export."""
        table = dataclasses.asdict(self)
        for name in ("expected", "usual_ratio"):
            del table[name]
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in table.items()
            if value not in {None, ()}
        }


_Rule = Callable[[PairSelection, pa.RecordBatch], Mask]


def _numbers(beads: pa.RecordBatch, name: str) -> npt.NDArray[Any]:
    found: npt.NDArray[Any] = beads.column(name).to_numpy(zero_copy_only=False)
    return found


def _sides(beads: pa.RecordBatch) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    source, target = (_numbers(beads, f"{side}_count").astype(np.int64) for side in SIDES)
    return source, target


def _one_sided(selection: PairSelection, beads: pa.RecordBatch) -> Mask:
    if selection.kinds:
        return np.zeros(beads.num_rows, np.bool_)
    source, target = _sides(beads)
    one_sided: Mask = (source == 0) | (target == 0)
    return one_sided


def _other_kinds(selection: PairSelection, beads: pa.RecordBatch) -> Mask:
    if not selection.kinds:
        return np.zeros(beads.num_rows, np.bool_)
    source, target = _sides(beads)
    wanted = [int(one) * _MAX_COUNT + int(other) for one, _, other in (kind.partition("-") for kind in selection.kinds)]
    return ~np.isin(source * _MAX_COUNT + target, wanted)


def _below(column: str, threshold: str) -> _Rule:
    def fails(selection: PairSelection, beads: pa.RecordBatch) -> Mask:
        failing: Mask = _numbers(beads, column) < np.float32(getattr(selection, threshold))
        return failing

    return fails


def _above(column: str, threshold: str) -> _Rule:
    def fails(selection: PairSelection, beads: pa.RecordBatch) -> Mask:
        failing: Mask = _numbers(beads, column) > np.float32(getattr(selection, threshold))
        return failing

    return fails


def _uneven(selection: PairSelection, beads: pa.RecordBatch) -> Mask:
    """Tell whether one side is too long; a bead with one side has no ratio, and is not too long."""
    ratio = _numbers(beads, "length_ratio").astype(np.float64) / selection.usual_ratio
    most = selection.max_length_ratio or np.inf
    uneven: Mask = (ratio > 0) & ((ratio > most) | (ratio * most < 1))
    if uneven.any():
        lengths = [pc.utf8_length(beads.column(f"{side}_text")).to_numpy(zero_copy_only=False) for side in SIDES]
        uneven &= np.abs(lengths[1] - selection.usual_ratio * lengths[0]) > _SHORT_CHARACTERS
    return uneven


def _in_other_languages(selection: PairSelection, beads: pa.RecordBatch) -> Mask:
    """Tell whether a side is in another language than it should be; each distinct answer is looked at once."""
    failing = np.zeros(beads.num_rows, np.bool_)
    if not selection.right_languages or selection.expected is None:
        return failing
    for side, own, other in zip(SIDES, selection.expected, selection.expected[::-1], strict=True):
        coded = beads.column(f"{side}_lang").dictionary_encode()
        wrong = np.array([not may_be(found, own, other) for found in coded.dictionary.to_pylist()], np.bool_)
        if wrong.any():
            failing |= wrong[coded.indices.to_numpy(zero_copy_only=False)]
    return failing


_RULES: dict[str, _Rule] = {
    "one-sided": _one_sided,
    "kinds": _other_kinds,
    "min_page_score": _below("page_score", "min_page_score"),
    "min_score": _below("score", "min_score"),
    "max_length_ratio": _uneven,
    "right_languages": _in_other_languages,
    "max_copied": _above("copied", "max_copied"),
    "min_numbers": _below("numbers", "min_numbers"),
    "max_boilerplate": _above("boilerplate", "max_boilerplate"),
    "max_repeats": _above("repeats", "max_repeats"),
}
"""What a bead may fail by, in the order in which it is asked."""
REASONS: Sequence[str] = tuple(_RULES)
"""Names under which beads that are left out are counted."""
