"""The band: which part of the table of all pairs of sentences is searched for the best alignment.

Anchors are words that are rare on both sides and may be translations of each other: the heaviest chain of them that
goes up in both texts is a first rough alignment, which also jumps over long passages that have no translation. The band
follows it, and is wider where anchors are far apart. Where the best alignment touches the border of the band, the band
is widened there, and the search repeated.

Small tables are searched as a whole. A band has at most `MAX_CELLS` cells, or `CELLS_PER_SENTENCE` for each sentence
if that is more, one byte each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.alignment.vocabulary import Encoded
from gristmill.arrays.dtypes import Flags, Ints
from gristmill.arrays.ragged import concatenated_ranges, starts_of
from gristmill.kernel import find_chain

WHOLE_CELLS = 1 << 13
"""Tables that are not larger are searched as a whole."""
MARGIN = 6
"""Sentences of the target on both sides of the path that are always searched."""
RARE = (3, 12, 48)
"""In how many sentences a word is at most to be an anchor; the later ones are for what earlier ones leave open."""
OPEN_CELLS = 1 << 12
"""A box between two anchors is looked at again for anchors if it is larger."""
MAX_POINTS_PER_SENTENCE = 8
"""Possible anchors that are looked at, for each sentence of the shorter side and round."""
FAR = 24
"""Sentences from one diagonal to another that is far."""
BOX_CELLS = 1 << 20
BOX_CELLS_PER_SENTENCE = 32
"""Cells of larger boxes between anchors that are searched as a whole, all together."""
MAX_DRIFT = 100
"""Cells beside the diagonal of a larger box that are searched at first."""
MAX_CELLS = 1 << 24
CELLS_PER_SENTENCE = 128
MAX_WIDENINGS = 8

_Int32 = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Band:
    """The cells that are searched: those from `lows[i]` to `highs[i]`, both included, of each row."""

    lows: _Int32
    highs: _Int32

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return int(np.sum(self.highs.astype(np.int64) - self.lows + 1))


@dataclass(frozen=True, slots=True)
class Postings:
    """The sentences that have each word: those of word w are from `starts[w]` on."""

    sentences: Ints
    starts: Ints

    @classmethod
    def of(cls, text: Encoded, wanted: Flags) -> Postings:
        """Find the sentences of the words that are wanted and rare enough to be anchors; others have none."""
        chosen = (wanted & (text.frequencies <= RARE[-1]))[text.words]
        words = text.words[chosen]
        rows = np.repeat(np.arange(len(text.starts) - 1), np.diff(text.starts))[chosen]
        order = np.argsort(words, kind="stable")
        return cls(rows[order], starts_of(np.bincount(words, minlength=len(text.frequencies))))


def whole(sources: int, targets: int) -> Band:
    """The whole table."""
    return Band(np.zeros(sources + 1, np.int32), np.full(sources + 1, targets, np.int32))


def boxes(sources: Ints, targets: Ints) -> Band:
    """Make the band for texts that were put together, with a sentence between two of them.

    Texts of 2 and 1 sentences of the source, and 1 and 2 of the target: the table has 4 sentences on both sides, and
    5 rows, of which 3 have the columns 0 to 1, and the others 2 to 4. From one box to the next leads one step alone,
    from sentence to sentence between the texts.
    """
    starts, ends = starts_of(targets + 1)[:-1], starts_of(targets + 1)[1:] - 1
    return Band(np.repeat(starts, sources + 1).astype(np.int32), np.repeat(ends, sources + 1).astype(np.int32))


def is_small(sources: int, targets: int) -> bool:
    """Tell whether a table is searched as a whole."""
    return (sources + 1) * (targets + 1) <= WHOLE_CELLS


def find_anchors(source: Postings, target: Postings, pairs: tuple[Ints, Ints, Ints], size: tuple[int, int]) -> Ints:
    """Find anchors, as rows of a source sentence and a target sentence, both ascending.

    `pairs` are numbers of a word of the source, of one of the target, and their weight.
    """
    sources, targets, weights = pairs
    source_counts, target_counts = np.diff(source.starts)[sources], np.diff(target.starts)[targets]
    anchors = np.array([[-1, -1], list(size)], np.int64)
    for most in RARE:
        box_rows, box_columns = np.diff(anchors[:, 0]), np.diff(anchors[:, 1])
        wide = box_rows * box_columns > OPEN_CELLS
        if not wide.any():
            break
        chosen = np.flatnonzero((source_counts <= most) & (target_counts <= most) & (source_counts * target_counts > 0))
        products = source_counts[chosen] * target_counts[chosen]
        order = np.argsort(products, kind="stable")  # the rarest first
        limit = MAX_POINTS_PER_SENTENCE * (min(size) + 1)
        chosen = chosen[order[np.cumsum(products[order]) <= limit]]
        points = _points(source, target, sources[chosen], targets[chosen], weights[chosen])
        points = _open(points, anchors, wide)
        if len(points):
            rows, columns, weights_of = (np.ascontiguousarray(column) for column in points.T)
            chain = find_chain(rows, columns, weights_of, size[1])
            anchors = np.concatenate([anchors, _supported(points[chain, :2])])
            anchors = anchors[np.argsort(anchors[:, 0], kind="stable")]
    return anchors[1:-1]


def _points(source: Postings, target: Postings, sources: Ints, targets: Ints, weights: Ints) -> Ints:
    """List all pairs of sentences of pairs of words, with the sum of the weights of those that are of one pair."""
    firsts, counts = source.starts[sources], np.diff(source.starts)[sources]
    others = np.diff(target.starts)[targets]
    rows = np.repeat(source.sentences[concatenated_ranges(firsts, counts)], np.repeat(others, counts))
    places = concatenated_ranges(np.repeat(target.starts[targets], counts), np.repeat(others, counts))
    columns = target.sentences[places]
    scale = np.int64(1) << np.int64(32)
    keys = rows * scale + (scale - 1 - columns)  # columns of a row from the last to the first
    different, inverse = np.unique(keys, return_inverse=True)
    sums = np.zeros(len(different), np.int64)
    np.add.at(sums, inverse, np.repeat(weights // np.maximum(counts, others), counts * others))
    return np.stack([different // scale, scale - 1 - different % scale, sums], axis=1)


def _open(points: Ints, anchors: Ints, wide: Flags) -> Ints:
    """Keep points that are inside of boxes between anchors that are looked at again."""
    box = np.searchsorted(anchors[:, 0], points[:, 0], side="left") - 1
    inside = (points[:, 0] < anchors[box + 1, 0]) & (points[:, 1] > anchors[box, 1])
    inside &= (points[:, 1] < anchors[box + 1, 1]) & wide[box]
    return points[np.flatnonzero(inside)]


def _supported(anchors: Ints) -> Ints:
    """Leave out anchors that are far from the diagonals of both of their neighbours."""
    for _ in range(2):
        if len(anchors) < 3:
            break
        offsets = anchors[:, 1] - anchors[:, 0]
        far = np.abs(np.diff(offsets)) > FAR
        anchors = anchors[~(np.append(True, far) & np.append(far, True))]
    return anchors


def band_of(anchors: Ints, sources: int, targets: int) -> Band:
    """Make the band that follows anchors: rows of a source sentence and a target sentence, both ascending."""
    ends = np.concatenate([[[0, 0]], anchors, [[sources, targets]]]).astype(np.int64)
    rows, columns = np.diff(ends[:, 0]), np.diff(ends[:, 1])
    budget = max(BOX_CELLS, BOX_CELLS_PER_SENTENCE * (sources + targets))
    # A box between two anchors is searched as a whole if that is cheap, or if its path may be anything.
    cheap = np.cumsum(np.where(rows * columns <= 64 * (rows + columns) + OPEN_CELLS, 0, rows * columns)) <= budget
    # Else along its diagonal: the path goes away from it as a random walk does, and the band is widened if it must be.
    shorter = np.minimum(rows, columns)
    drift = np.minimum(2 * np.sqrt(shorter), MAX_DRIFT).astype(np.int64)
    slack = np.where(cheap, columns, np.minimum(drift + 4 * MARGIN, columns))
    lows = np.full(sources + 1, targets, np.int64)
    highs = np.zeros(sources + 1, np.int64)
    box = np.repeat(np.arange(len(rows)), rows)
    at = np.arange(sources) - np.repeat(ends[:-1, 0], rows)
    middle = ends[box, 1] + at * columns[box] // np.maximum(rows[box], 1)
    lows[:-1] = np.maximum(middle - slack[box], ends[box, 1]) - MARGIN
    highs[:-1] = np.minimum(middle + slack[box], ends[box + 1, 1]) + MARGIN
    lows[-1], highs[-1] = (ends[-1, 1] - slack[-1] - MARGIN) if len(slack) else 0, targets
    # A box without rows is a run of sentences of the target: the row before and behind it have all of them.
    for number in np.flatnonzero((rows == 0) & (columns > 0)).tolist():
        row = int(ends[number, 0])
        lows[row] = min(lows[row], ends[number, 1] - MARGIN)
        highs[row] = max(highs[row], ends[number + 1, 1] + MARGIN)
    return tidied(lows, highs, targets)


def band_around(sources: Ints, targets: Ints) -> Band:
    """Make the band around a path, given where its beads begin, and at the end where the last one ends."""
    rows, columns = int(sources[-1]), int(targets[-1])
    lows, highs = np.full(rows + 1, columns, np.int64), np.zeros(rows + 1, np.int64)
    np.minimum.at(lows, sources, targets - MARGIN)
    np.maximum.at(highs, sources, targets + MARGIN)
    return tidied(lows, highs, columns)


def union(first: Band, second: Band) -> Band:
    """All cells of two bands of the same table."""
    return Band(np.minimum(first.lows, second.lows), np.maximum(first.highs, second.highs))


def search(
    find: Callable[[Band], tuple[Ints, Ints]], band: Band, size: int, tolerated: float = 0.0
) -> tuple[Ints, Ints]:
    """Find the best path in a band, and widen the band where the path touches its border until it does not.

    A path is where beads begin in both texts, and at the end where the last one ends. `tolerated` is the share of rows
    in which it may touch.
    """
    path = find(band)
    for _ in range(MAX_WIDENINGS):
        rows = touched_rows(band, *path, size)
        wider = widened(band, rows, size) if len(rows) > tolerated * len(band.lows) else None
        if wider is None:
            break
        band = wider
        path = find(band)
    return path


def touched_rows(band: Band, sources: Ints, targets: Ints, size: int) -> Ints:
    """Find the rows in which a path touches a border of the band that is not one of the table."""
    lows, highs = band.lows[sources], band.highs[sources]
    return np.unique(sources[((targets == lows) & (targets > 0)) | ((targets == highs) & (targets < size))])


def widened(band: Band, rows: Ints, size: int) -> Band | None:
    """Make a band three times as wide around some rows; None if it would have too many cells."""
    widths = band.highs.astype(np.int64) - band.lows + 1
    more = np.zeros(len(band.lows) + 1, np.int64)
    reach = np.maximum(2 * widths[rows], 8)
    np.add.at(more, np.maximum(rows - reach, 0), 1)
    np.add.at(more, np.minimum(rows + reach + 1, len(more) - 1), -1)
    wider = np.where(np.cumsum(more)[:-1] > 0, widths, 0)
    made = tidied(band.lows.astype(np.int64) - wider, band.highs.astype(np.int64) + wider, size)
    return made if fits(made, len(band.lows), size) and made.cells > band.cells else None


def fits(band: Band, sources: int, targets: int) -> bool:
    """Tell whether a band has no more cells than are searched."""
    return band.cells <= max(MAX_CELLS, CELLS_PER_SENTENCE * (sources + targets))


def tidied(lows: Ints, highs: Ints, size: int) -> Band:
    """Bring a band into the table, and see that it never goes back and is not broken."""
    lows, highs = np.clip(lows, 0, size), np.clip(highs, 0, size)
    lows[0], highs[-1] = 0, size
    lows = np.minimum.accumulate(lows[::-1])[::-1]
    highs = np.maximum.accumulate(highs)
    lows[1:] = np.minimum(lows[1:], highs[:-1])
    highs = np.maximum(highs, lows)
    return Band(lows.astype(np.int32), highs.astype(np.int32))
