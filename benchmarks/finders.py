"""Measure the finders of duplicate n-grams: time and memory by the size of the corpus.

The corpus is the gold texts in a random order. Where that is not enough, they come again and again, each time with
other words in a third of the places. Finders get the hashes of the words from a file; so what is measured is finding
alone. Each is a process of its own.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import xxhash
from build import MemoryWatch, psutil
from harness import at_least_one, command_line, find_gold_sets, print_table, tell

from gristmill import sample
from gristmill.dedup.onion import spex, suffix
from gristmill.dedup.onion.finders import FINDERS
from gristmill.dedup.tokens import Tokens, tokenise

_ALL_IN_MEMORY = {"spex"}
_PLENTY = 1 << 36
_BATCH = 1 << 18
_REPLACED = 1 / 3
_MB = 1e6


@dataclass(frozen=True, slots=True)
class Run:
    """What finding took: CPU seconds; bytes of memory at most, beyond those before it began; bytes written to disk."""

    finder: str
    words: int
    seconds: float
    memory: int
    disk: int
    found: int
    digest: str


class CorpusFile:
    """Documents as hashes of words, in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._starts = path.with_suffix(".starts.npy")

    def write(self, copies: Iterator[Tokens], words: int) -> int:
        """Write documents until there are so many words; returns how many there are."""
        starts = [np.zeros(1, np.int64)]
        with self.path.open("wb") as file:
            for tokens in copies:
                end = int(np.searchsorted(tokens.starts, words - starts[-1][-1]))
                ends = tokens.starts[1 : end + 1]
                tokens.hashes[: ends[-1]].tofile(file)
                starts.append(ends + starts[-1][-1])
                if starts[-1][-1] >= words:
                    break
        np.save(self._starts, np.concatenate(starts))
        return int(starts[-1][-1])

    def batches(self) -> Iterator[Tokens]:
        """Read some documents at a time."""
        starts = np.load(self._starts)
        first = 0
        while first < len(starts) - 1:
            last = max(int(np.searchsorted(starts, starts[first] + _BATCH, side="right")) - 1, first + 1)
            size = int(starts[last] - starts[first])
            hashes = np.fromfile(self.path, np.uint64, size, offset=8 * int(starts[first]))
            yield Tokens(hashes, starts[first : last + 1] - starts[first])
            first = last


def read_texts(gold: Path) -> list[str]:
    """The texts of the gold standards, or of the sample if there are none."""
    if not gold.is_dir():
        tell(f"There is no folder {gold}: the texts are those of the sample, which are few.")
        return ["\n".join(block["text"] for block in page["blocks"]) for page in sample.truth().values()]
    return [
        text or ""
        for path in find_gold_sets(gold)
        for text in pq.read_table(path, columns=["gold"])["gold"].to_pylist()
    ]


def perturbed(texts: Sequence[str]) -> Iterator[Tokens]:
    """The words of the texts as they are, then with some of them replaced by words from anywhere, without end."""
    random = np.random.default_rng(1)
    tokens = tokenise([texts[at] for at in random.permutation(len(texts))])
    yield tokens
    while True:
        places = np.flatnonzero(random.random(len(tokens.hashes)) < _REPLACED)
        hashes = tokens.hashes.copy()
        hashes[places] = tokens.hashes[random.integers(0, len(hashes), len(places))]
        yield Tokens(hashes, tokens.starts)


def measure(finder: str, corpus: CorpusFile, words: int, n: int, memory: int) -> Run:
    """Find once, in this process."""
    process = psutil.Process()
    next(corpus.batches(), None)
    before = process.memory_info().rss
    written = process.io_counters().write_chars
    watch = MemoryWatch(process.pid)
    start = time.process_time()
    found = FINDERS[finder](corpus.batches, n, _PLENTY if finder in _ALL_IN_MEMORY else memory, corpus.path.parent)
    seconds = time.process_time() - start
    peak = watch.end() - before
    disk = process.io_counters().write_chars - written
    return Run(finder, words, seconds, peak, disk, len(found), xxhash.xxh64_hexdigest(found.tobytes()))


def measure_apart(finder: str, corpus: CorpusFile, words: int, n: int, memory: int) -> Run:
    """Find once, in a process of its own."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(measure, finder, corpus, words, n, memory).result()


def print_runs(runs: Sequence[Run]) -> None:
    """A row a finder and size."""
    rows = [
        [
            run.finder,
            f"{run.words / 1e6:.1f}",
            f"{run.seconds:.1f}",
            f"{run.words / 1e6 / run.seconds:.2f}",
            f"{run.memory / _MB:.0f}",
            f"{run.memory / run.words:.1f}",
            f"{run.disk / run.words:.1f}",
            f"{run.found:,}",
        ]
        for run in runs
    ]
    print_table(
        ["finder", "million words", "CPU s", "million/s", "MB", "bytes/word", "on disk", "duplicate types"], rows
    )
    print(
        f"\nStated bytes in memory: spex {spex.BYTES_PER_SHINGLE} for an n-gram that is not pruned and "
        f"{spex.BYTES_PER_DUPLICATE} for a "
        f"duplicate (n-1)-gram; suffix {suffix.BYTES_PER_WORD} for a word of a chunk and "
        f"{suffix.BYTES_PER_DIFFERENT_WORD} for a "
        "different word"
    )


def print_iterations(iterations: Sequence[spex.Iteration]) -> None:
    """Table 3.1 of the thesis."""
    rows = [[f"{number:,}" for number in asdict(iteration).values()] for iteration in iterations]
    print_table(["n", "N unq", "N prn", "T dup", "N dup", "M"], rows)


def check(runs: Sequence[Run]) -> None:
    """See that all found the same."""
    if len({(run.found, run.digest) for run in runs}) > 1:
        sys.exit(f"The finders differ: {', '.join(f'{run.finder} {run.found:,}' for run in runs)}")


def read_arguments() -> argparse.Namespace:
    """The options of this run."""
    parser = command_line(f"Finders of duplicate n-grams. {__doc__}")
    parser.add_argument(
        "--words",
        type=at_least_one,
        nargs="+",
        default=[1_000_000, 4_000_000, 16_000_000],
        metavar="N",
        help="sizes of the corpus",
    )
    parser.add_argument("--n", type=at_least_one, default=10, metavar="N", help="length of n-grams (default: 10)")
    parser.add_argument(
        "--memory",
        type=at_least_one,
        default=128,
        metavar="MB",
        help="memory of finders that work within a bound (default: 128)",
    )
    parser.add_argument("--finder", default="", metavar="A,B", help="only these (default: all)")
    return parser.parse_args()


def main() -> None:
    """Measure size after size, then print."""
    arguments = read_arguments()
    finders = [name for name in arguments.finder.split(",") if name] or list(FINDERS)
    unknown = sorted(set(finders) - set(FINDERS))
    if unknown:
        sys.exit(f"There is no finder {', '.join(unknown)}. There are: {', '.join(FINDERS)}.")
    texts = read_texts(arguments.gold)
    runs: list[Run] = []
    tables: dict[str, list[spex.Iteration]] = {}
    with tempfile.TemporaryDirectory() as folder:
        corpus = CorpusFile(Path(folder) / "corpus")
        for words in arguments.words:
            size = corpus.write(perturbed(texts), words)
            tell(f"{size:,} words")
            found = [measure_apart(finder, corpus, size, arguments.n, arguments.memory << 20) for finder in finders]
            check(found)
            runs += found
        once = next(perturbed(texts))
        for words in (len(once.hashes) // 10, len(once.hashes)):
            size = corpus.write(iter([once]), words)
            tables[f"{size:,} words"] = spex.iterations(corpus.batches, arguments.n, _PLENTY)
    if arguments.json:
        print(json.dumps(figures(runs, tables), indent=2))
        return
    print_runs(runs)
    for title, iterations in tables.items():
        print(f"\nSPEX on the texts as they are, {title}:")
        print_iterations(iterations)


def figures(runs: Sequence[Run], tables: dict[str, list[spex.Iteration]]) -> dict[str, Any]:
    """All that was measured, for programs."""
    return {
        "runs": [asdict(run) for run in runs],
        "spex": {title: [asdict(line) for line in lines] for title, lines in tables.items()},
    }


if __name__ == "__main__":
    main()
