"""Rows of different lengths in one array, and arrays in files."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.arrays.dtypes import Array, Hashes, Ints
from gristmill.arrays.hashing import BASE, mix, prefix_sums
from gristmill.arrays.ragged import changes, chunks, concatenated_ranges, distinct, padded, spread, starts_of
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.errors import GristmillError

ROWS = st.lists(st.lists(st.integers(0, 4), max_size=5), max_size=8)


def joined(rows: list[list[int]]) -> tuple[Hashes, Ints]:
    counts = np.array(list(map(len, rows)), np.int64)
    return np.array(list(itertools.chain(*rows)), np.uint64), starts_of(counts)


def rows_of(values: Hashes, starts: Ints) -> list[list[int]]:
    return [values[start:end].tolist() for start, end in itertools.pairwise(starts.tolist())]


def test_the_example_of_rows() -> None:
    starts = starts_of(np.array([2, 0, 3]))
    assert starts.tolist() == [0, 2, 2, 5]
    values = np.array([7, 7, 5, 6, 7])
    assert np.diff(starts_of(values == 7)[starts]).tolist() == [2, 0, 1]
    assert concatenated_ranges(np.array([10, 40, 20]), np.array([2, 0, 3])).tolist() == [10, 11, 20, 21, 22]
    rows, places = spread(np.array([10, 40, 20]), np.array([2, 0, 3]))
    assert (rows.tolist(), places.tolist()) == ([0, 0, 2, 2, 2], [10, 11, 20, 21, 22])


def test_sums_of_small_numbers_do_not_overflow() -> None:
    assert starts_of(np.full(3, 200, np.uint8)).tolist() == [0, 200, 400, 600]  # type: ignore[arg-type]
    assert starts_of(np.array([], np.int64)).tolist() == [0]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), max_size=8))
def test_ranges_behind_each_other(ranges: list[tuple[int, int]]) -> None:
    starts, counts = np.array(ranges, np.int64).reshape(-1, 2).T
    expected = [number for start, count in ranges for number in range(start, start + count)]
    assert concatenated_ranges(starts, counts).tolist() == expected
    rows, places = spread(starts, counts)
    assert places.tolist() == expected
    assert rows.tolist() == [row for row, (_, count) in enumerate(ranges) for _ in range(count)]


@given(ROWS)
def test_rows_of_a_plain_loop(rows: list[list[int]]) -> None:
    values, starts = joined(rows)
    assert rows_of(values, starts) == rows
    assert rows_of(*distinct(values, starts)) == [sorted(set(row)) for row in rows]
    assert rows_of(*changes(values, starts)) == [[value for value, _ in itertools.groupby(row)] for row in rows]
    filled = [row + [9] * (3 - len(row)) if row else [] for row in rows]
    assert rows_of(*padded(values, starts, 3, 9)) == filled


@given(st.lists(st.integers(0, 9), max_size=20), st.integers(1, 12))
def test_chunks_are_as_large_as_they_may_be(counts: list[int], limit: int) -> None:
    made = [counts[part] for part in chunks(np.array(counts, np.int64), limit)]
    assert list(itertools.chain(*made)) == counts
    assert all(sum(part) <= limit or len(part) == 1 for part in made)
    assert all(sum(part) + after[0] > limit for part, after in itertools.pairwise(made))


@pytest.mark.parametrize("length", [3, 1 << 18])
def test_files_of_arrays(tmp_path: Path, length: int) -> None:
    wide = np.arange(length * 2).reshape(2, length)
    arrays: dict[str, Array] = {"empty": np.zeros(0, np.uint8), "wide": wide, "flags": np.ones(3, np.bool_)}
    save_arrays(tmp_path / "new" / "file", arrays, durable=True)
    found = load_arrays(tmp_path / "new" / "file")
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        assert np.array_equal(found[name], array)
        assert not found[name].flags.writeable
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["file"]


def test_what_is_no_file_of_arrays(tmp_path: Path) -> None:
    path = tmp_path / "file"
    save_arrays(path, {"a": np.arange(100)})
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    with pytest.raises(GristmillError, match="is cut off: delete it and run the command again"):
        load_arrays(path)
    path.write_bytes(b"something else")
    with pytest.raises(GristmillError, match="is not a file of arrays"):
        load_arrays(path)
    header = json.dumps({"arrays": {"a": ["|O", [1], 0]}, "size": 0}).encode()
    path.write_bytes((b"gristmill arrays" + len(header).to_bytes(8, "little") + header).ljust(128, b"\0"))
    with pytest.raises(GristmillError, match="no array has the type"):
        load_arrays(path)
    with pytest.raises(GristmillError, match="can't read"):
        load_arrays(tmp_path / "nowhere")


@given(st.lists(st.integers(0, 2**64 - 1), max_size=20), st.data())
def test_the_hash_of_a_run_depends_on_nothing_around_it(values: list[int], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(values)))
    end = data.draw(st.integers(start, len(values)))
    sums, inverses = prefix_sums(np.array(values, np.uint64))
    found = (sums[end : end + 1] - sums[start]) * inverses[start]
    expected = sum(value * BASE**place for place, value in enumerate(values[start:end]))
    assert found.tolist() == [expected % 2**64]


def test_mixing_is_that_of_splitmix64() -> None:
    state = np.arange(1, 4, dtype=np.uint64) * np.uint64(BASE)  # of the generator with seed 0
    assert mix(state).tolist() == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
