"""The kernel of alignment: the same compiled and not, right, and safe with arrays that don't fit together."""

from __future__ import annotations

from itertools import combinations, pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
from aligned import pair
from hypothesis import given
from hypothesis import strategies as st

from gristmill.alignment import bands, by_words
from gristmill.alignment.evidence import weigh
from gristmill.alignment.known_pairs import known_pairs
from gristmill.arrays.ragged import starts_of
from gristmill.kernel import beads, chains, word_pairs
from gristmill.kernel.loading import load

MODULES = {"beads": beads, "chains": chains, "word_pairs": word_pairs}
COMPILED = {name: load(name) for name in MODULES}
KERNELS = [MODULES] + ([COMPILED] if all(COMPILED.values()) else [])
EACH = pytest.mark.parametrize("kernel", KERNELS, ids=["python", "compiled"][: len(KERNELS)])


def _texts(kernel: Any, seed: int, size: int) -> tuple[Any, tuple[int, int]]:
    source, target, _ = pair(size, seed, drop=0.2)
    left, right = by_words._side(source), by_words._side(target)
    known = known_pairs(left.encoded.forms, right.encoded.forms, None)
    evidence = weigh(left.encoded, right.encoded, known, None)
    arrays: list[Any] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(by_words, "Texts", lambda *given: arrays.extend(given))
        by_words.make_texts(left, right, evidence, by_words.Fit(1.1, 7.0, None))
    return kernel["beads"].Texts(*arrays), (len(source), len(target))


def _found(kernel: Any, texts: Any, band: bands.Band) -> tuple[list[int], list[int]]:
    costs = np.array([200, 3300, 3300, 4500, 5000, 5000, 6000, 6000], np.int32)
    given = (4000, 500, False, 150, 3000, 700, 700, 1000)
    sources, targets = kernel["beads"].find_beads(texts, band.lows, band.highs, by_words.KINDS, costs, *given)
    return sources.tolist(), targets.tolist()


@pytest.mark.skipif(len(KERNELS) < 2, reason="the kernel is not compiled")
@given(st.integers(0, 1000), st.integers(1, 25))
def test_beads_compiled_and_not(seed: int, size: int) -> None:
    results = []
    kernel: Any
    for kernel in KERNELS:
        texts, shape = _texts(kernel, seed, size)
        path = _found(kernel, texts, bands.whole(*shape))
        bounds = [starts_of(np.array(side, np.int64)) for side in path]
        results.append((path, [column.tolist() for column in kernel["beads"].measure_beads(texts, *bounds)]))
    assert results[0] == results[1]


@EACH
def test_bands_that_do_not_fit(kernel: Any) -> None:
    texts, (sources, targets) = _texts(kernel, 1, 8)
    whole = bands.whole(sources, targets)
    for lows, highs in [
        (whole.lows[1:], whole.highs),
        (whole.lows + 1, whole.highs),
        (whole.lows - 1, whole.highs),
        (whole.lows, whole.highs + 1),
        (whole.lows, whole.highs[::-1].copy() - 1),
    ]:
        with pytest.raises(ValueError, match="a band"):
            _found(kernel, texts, bands.Band(lows, highs))


@EACH
def test_arrays_that_do_not_fit(kernel: Any) -> None:
    arrays: list[Any] = [
        *(np.array([0, 1], np.int32), np.array([0, 1, 2], np.int64)),
        *(np.array([0], np.int32), np.array([0, 1], np.int64)),
        *(np.array([0, 1, 1], np.int64), np.array([0], np.int32), np.array([900], np.int32)),
        *(np.array([-5, 0], np.int32), np.array([-5], np.int32)),
        *(np.array([0, 3, 6], np.int64), np.array([0, 3], np.int64), np.zeros(9, np.int32)),
        *(np.array([0, 9, 20], np.int64), np.array([0, 21], np.int64), np.zeros(50, np.int32)),
        *(np.zeros(3, np.int64), np.zeros(2, np.int64), np.zeros(2, np.uint8), np.zeros(1, np.uint8)),
    ]
    kernel["beads"].Texts(*arrays)
    for number, array in enumerate(arrays):
        if number == 8:
            continue  # there may be more words than are used
        if number in {11, 14}:
            wrong = array[:0]  # tables of costs have any length but none
        else:
            wrong = np.append(array, array[-1:] + 1)[: len(array) + 1] if number not in {0, 2, 5} else array + 7
        with pytest.raises(ValueError, match=r"length|rows|word|starts"):
            kernel["beads"].Texts(*arrays[:number], wrong, *arrays[number + 1 :])


@EACH
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(1, 5)), max_size=8, unique_by=lambda p: p[:2])
)
def test_heaviest_chain(kernel: Any, points: list[tuple[int, int, int]]) -> None:
    points = sorted(points, key=lambda point: (point[0], -point[1]))
    columns = [np.array([point[at] for point in points], np.int64) for at in range(3)]
    chain = kernel["chains"].find_chain(*columns, 10).tolist()
    chosen = [points[number] for number in chain]
    assert all(one[0] < other[0] and one[1] < other[1] for one, other in pairwise(chosen))
    best = max(
        sum(point[2] for point in some)
        for count in range(len(points) + 1)
        for some in combinations(points, count)
        if all(one[0] < other[0] and one[1] < other[1] for one, other in pairwise(some))
    )
    assert sum(point[2] for point in chosen) == best


@EACH
def test_chains_of_wrong_points(kernel: Any) -> None:
    zeros, ones = np.zeros(2, np.int64), np.ones(2, np.int64)
    for rows, columns, width in [(zeros, ones * 5, 3), (zeros, zeros, 3), (zeros, np.zeros(1, np.int64), 3)]:
        with pytest.raises(ValueError, match="point"):
            kernel["chains"].find_chain(rows, columns, ones, width)


@EACH
def test_pairs_are_counted(kernel: Any) -> None:
    random = Random(4)
    sides = [[sorted(random.sample(range(12), random.randint(0, 6))) for _ in range(30)] for _ in range(2)]
    arrays: list[Any] = []
    for side in sides:
        arrays += [
            np.array([word for bead in side for word in bead], np.int32),
            starts_of(np.array([len(bead) for bead in side], np.int64)),
        ]
    expected: dict[int, int] = {}
    for one, other in zip(*sides, strict=True):
        for first in one:
            for second in other:
                expected[first << 31 | second] = expected.get(first << 31 | second, 0) + 1
    table = kernel["word_pairs"].PairTable(1000)
    wide = [array.astype(np.int64) for array in arrays]
    table.add_beads(*wide, 40)
    keys, counts = table.pairs()
    assert dict(zip(keys.tolist(), counts.tolist(), strict=True)) == expected
    table.add_pairs(keys, counts)
    assert table.pairs()[1].tolist() == [2 * count for _, count in sorted(expected.items())]
    keys, counts = kernel["word_pairs"].count_together(*arrays, 12, 12, 40, 2)
    found = dict(zip(keys.tolist(), counts.tolist(), strict=True))
    assert found == {key: count for key, count in expected.items() if count > 1}
    with pytest.raises(ValueError, match="two sides"):
        table.add_beads(*wide[:3], wide[3][:-1], 40)
    with pytest.raises(IndexError):
        kernel["word_pairs"].count_together(arrays[0] + 50, *arrays[1:], 12, 12, 40, 2)


@EACH
def test_rare_pairs_are_dropped(kernel: Any) -> None:
    table = kernel["word_pairs"].PairTable(3000)
    keys = np.arange(9000, dtype=np.int64) * 17
    counts = np.arange(9000, dtype=np.int64) % 7 + 1
    table.add_pairs(keys, counts)
    assert table.dropped > 0
    assert table.used + table.dropped == 9000
    kept, _ = table.pairs()
    assert len(kept) == table.used
    with pytest.raises(ValueError, match="room for a pair"):
        kernel["word_pairs"].PairTable(0)
