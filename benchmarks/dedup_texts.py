"""The input of the de-duplication benchmarks: gold texts with nothing in common, and shards made of them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow.parquet as pq
from harness import at_least_one, command_line, find_gold_sets, spread, tell

from gristmill.dedup.tokens import Tokens, shingle, tokenise
from gristmill.shards import Shard

_MIN_WORDS = 100
_N = 10


def dedup_command_line(description: str) -> argparse.ArgumentParser:
    """A parser with the options that these benchmarks have."""
    parser = command_line(description)
    parser.add_argument(
        "--sets", default="", metavar="A,B", help="gold standards, by the names of their files (default: all)"
    )
    parser.add_argument("--limit", type=at_least_one, metavar="N", help="texts of each gold standard (default: all)")
    parser.add_argument("--seed", type=int, default=0, help="for the near-duplicates (default: 0)")
    return parser


def gold_texts(arguments: argparse.Namespace) -> list[list[str]]:
    """The texts of the gold standards, each a list of its paragraphs, without what they repeat from each other."""
    texts = []
    for path in find_gold_sets(arguments.gold, [name for name in arguments.sets.split(",") if name]):
        found = [paragraphs(text or "") for text in pq.read_table(path, columns=["gold"])["gold"].to_pylist()]
        texts += (
            found if arguments.limit is None else [found[row] for row in spread(range(len(found)), arguments.limit)]
        )
    kept = [text for text in distinct(texts) if sum(len(block.split()) for block in text) >= _MIN_WORDS]
    tell(
        f"{len(kept):,} of {len(texts):,} texts with "
        f"{sum(len(block.split()) for text in kept for block in text):,} words"
    )
    return kept


def paragraphs(text: str) -> list[str]:
    """Split a gold text into paragraphs.

    In some gold standards paragraphs are broken into lines, of which the later ones are indented or start small.
    """
    found: list[str] = []
    for line in filter(str.strip, text.split("\n")):
        if found and (line[0].isspace() or line[0].islower()):
            found[-1] += " " + line.strip()
        else:
            found.append(line.strip())
    return found


def distinct(texts: Sequence[Sequence[str]]) -> list[list[str]]:
    """Remove the blocks that share an n-gram with what came before, in the same text or in an earlier one."""
    tokens = tokenise([block for text in texts for block in text])
    ends = np.append(0, np.cumsum([len(text) for text in texts]))
    shingles = shingle(Tokens(tokens.hashes, tokens.starts[ends]), _N)
    repeats = np.ones(len(shingles.hashes), np.bool_)
    repeats[np.unique(shingles.hashes, return_index=True)[1]] = False
    edges = np.zeros(len(tokens.hashes) + _N, np.int64)
    np.add.at(edges, shingles.places[repeats], 1)
    np.add.at(edges, shingles.places[repeats] + _N, -1)
    repeated = np.append(0, np.cumsum(np.cumsum(edges) > 0))
    has_repeats = iter(np.diff(repeated[tokens.starts]).tolist())
    return [[block for block in text if not next(has_repeats)] for text in texts]


def duplicate_occurrences(hashes: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> tuple[int, int]:
    """The number of different n-grams that occur more than once, and of all their occurrences."""
    counts = np.unique(hashes, return_counts=True)[1]
    return int(np.count_nonzero(counts > 1)), int(counts[counts > 1].sum())


def read_texts(shards: Sequence[Shard]) -> Iterator[tuple[str, list[str]]]:
    """Language and blocks of each document."""
    for shard in shards:
        for document in shard.read_documents(["lang", "blocks"]):
            yield document.lang, [block.text for block in document.blocks]
