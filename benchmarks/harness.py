"""Helpers of all benchmarks: pages of the gold standards to work on, and tables to print."""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

_COLUMNS = {"html", "lang", "gold"}
_DEFAULT_GOLD = Path(__file__).resolve().parents[2] / "shared" / "gold"


@dataclass(frozen=True, slots=True)
class GoldPage:
    """A page as crawled, its language, and the gold standard it is from."""

    gold_set: str
    html: bytes
    lang: str


def command_line(description: str) -> argparse.ArgumentParser:
    """A parser with the options that all benchmarks have."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--gold",
        type=Path,
        default=_DEFAULT_GOLD,
        metavar="DIR",
        help="folder of gold standards (default: ../shared/gold)",
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON instead of tables")
    return parser


def at_least_one(value: str) -> int:
    """A whole number from 1 up, for options that count something."""
    number = int(value)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


def find_gold_sets(folder: Path, names: Sequence[str] = ()) -> list[Path]:
    """The Parquet files of pages in a folder, or those of them that are named; ends the program if there are none."""
    if not folder.is_dir():
        sys.exit(f"There is no folder {folder}. Name the folder of gold standards with --gold DIR.")
    found = {
        path.stem: path for path in sorted(folder.glob("*.parquet")) if set(pq.read_schema(path).names) >= _COLUMNS
    }
    if not found:
        sys.exit(
            f"No Parquet file with the columns {', '.join(sorted(_COLUMNS))} in {folder}. Name another folder "
            f"with --gold DIR."
        )
    unknown = sorted(set(names) - set(found))
    if unknown:
        sys.exit(f"No gold standard {', '.join(unknown)} in {folder}. There are: {', '.join(found)}.")
    return [found[name] for name in names or found]


def read_gold_pages(path: Path, limit: int | None = None) -> Iterator[GoldPage]:
    """The pages of one gold standard; with a limit, so many of them from all over it."""
    table = pq.read_table(path, columns=["html", "lang"])
    rows = range(table.num_rows)
    for row in rows if limit is None else spread(rows, limit):
        yield GoldPage(path.stem, table["html"][row].as_py(), table["lang"][row].as_py())


def spread(rows: range, number: int) -> list[int]:
    """A number of the rows, evenly spaced."""
    number = min(number, len(rows))
    return [rows[at * len(rows) // number] for at in range(number)]


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print columns, the first to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    for row in (header, *rows):
        first, *others = [
            f"{cell:{'<' if at == 0 else '>'}{width}}" for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join([first, *others]).rstrip(), flush=True)


def milliseconds(question: Callable[[], object], repeat: int, clock: Callable[[], float] = time.perf_counter) -> float:
    """The median of what a question takes, asked some times."""
    times = []
    for _ in range(repeat):
        start = clock()
        question()
        times.append(1000 * (clock() - start))
    return round(statistics.median(times), 1)


def tell(message: str) -> None:
    """Say what goes on, apart from the figures."""
    print(message, file=sys.stderr, flush=True)
