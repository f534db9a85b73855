"""Repeat the experiment of Pomikálek's thesis (2011, 3.6.4, Tables 3.4 to 3.6) on generated near-duplicates.

For n-grams of each length and kind, and for each threshold: how many duplicate n-grams have to be known, how much of
the corpus is kept, and how many of its duplicate 10-grams are left. For comparison, the same where only documents with
a resemblance above 0.9 are taken out. As in the thesis, exact copies of documents are taken out first; n-grams may go
beyond the end of a block, never beyond that of a document; every occurrence of a 10-gram that occurs twice counts.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

from dedup_texts import dedup_command_line, duplicate_occurrences, gold_texts, read_texts
from harness import print_table, tell

from gristmill.dedup import run
from gristmill.dedup.evaluation import blocks_left
from gristmill.dedup.tokens import Tokens, shingle, tokenise, without_stop_words
from gristmill.evaluation.near_duplicates import Made, make, write_shards
from gristmill.shards import Shard

_EXCLUSIONS = ("punctuation+stopwords", "stopwords", "punctuation", "none")
_PER_SHARD = 1000
_RESIDUAL_N = 10


@dataclass(frozen=True, slots=True)
class Left:
    """What a corpus is after de-duplication, or before it."""

    method: str
    tokens: int
    duplicate_10_grams: int
    duplicate_n_grams: int = 0
    """How many different ones the method has to know."""


def without_copies(documents: Iterable[Made]) -> list[Made]:
    """Documents without those whose text is the same as that of an earlier one."""
    return list({document.text: document for document in reversed(list(documents))}.values())[::-1]


def needed(shards: Sequence[Shard], n: int, exclude: str) -> int:
    """How many different n-grams occur more than once."""
    langs, texts = zip(*((lang, "\n".join(blocks)) for lang, blocks in read_texts(shards)), strict=True)
    tokens = tokenise(texts, punctuation="punctuation" not in exclude, fold=False)
    if "stopwords" in exclude:
        tokens = without_stop_words(tokens, langs, fold=False)
    return duplicate_occurrences(shingle(tokens, n).hashes)[0]


def size(method: str, texts: Sequence[str], duplicate_n_grams: int = 0) -> Left:
    """Tokens and duplicate 10-grams of texts."""
    tokens: Tokens = tokenise(texts, fold=False)
    occurrences = duplicate_occurrences(shingle(tokens, _RESIDUAL_N).hashes)[1]
    return Left(method, len(tokens.hashes), occurrences, duplicate_n_grams)


def deduplicate(spec: str, shards: Sequence[Shard], work: Path, duplicate_n_grams: int = 0) -> Left:
    """Run a method and see what is left."""
    tell(spec)
    for shard in shards:
        shard.duplicates.unlink(missing_ok=True)
    run(spec, shards, work)
    flags = (of_document for shard in shards for of_document in blocks_left(shard))
    texts = [
        "\n".join(block for block, is_left in zip(blocks, left.tolist(), strict=True) if is_left)
        for (_, blocks), left in zip(read_texts(shards), flags, strict=True)
    ]
    return size(spec, texts, duplicate_n_grams)


def experiment(
    documents: Sequence[Made], lengths: Sequence[int], thresholds: Sequence[float], level: str
) -> list[Left]:
    """All rows of the tables, the last two being resemblance and the corpus as it was."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shards = write_shards(documents, folder, _PER_SHARD)
        for exclude, n in product(_EXCLUSIONS, lengths):
            count = needed(shards, n, exclude)
            for threshold in thresholds:
                spec = f"onion:n={n},threshold={threshold:g},level={level},exclude={exclude},rules=thesis"
                rows.append(deduplicate(spec, shards, folder / "work", count))
        rows.append(deduplicate("resemblance:threshold=0.9", shards, folder / "work"))
    return [*rows, size("no de-duplication", [document.text for document in documents])]


def print_figures(rows: Sequence[Left]) -> None:
    """A row a method, with shares of the corpus as it was."""
    before = rows[-1]
    cells = [
        [
            row.method,
            f"{row.duplicate_n_grams:,}" if row.duplicate_n_grams else "-",
            f"{row.duplicate_n_grams / before.tokens:.2%}" if row.duplicate_n_grams else "-",
            f"{row.tokens:,}",
            f"{row.tokens / before.tokens:.2%}",
            f"{row.duplicate_10_grams:,}",
            f"{row.duplicate_10_grams / max(before.duplicate_10_grams, 1):.2%}",
        ]
        for row in rows
    ]
    print_table(
        ["method", "duplicate n-grams", "of tokens", "tokens after", "kept", "duplicate 10-grams after", "left"], cells
    )


def read_arguments() -> argparse.Namespace:
    """The options of this run."""
    parser = dedup_command_line(f"n-grams, exclusions and thresholds of onion. {__doc__}")
    parser.add_argument(
        "--n", type=int, nargs="+", default=[10, 7, 5, 3], help="lengths of n-grams (default: 10 7 5 3)"
    )
    parser.add_argument(
        "--threshold", type=float, nargs="+", default=[0.5, 0.25, 0.1], help="thresholds (default: 0.5 0.25 0.1)"
    )
    parser.add_argument(
        "--level", choices=["block", "document"], default="block", help="what is kept or taken out (default: block)"
    )
    return parser.parse_args()


def main() -> None:
    """Make near-duplicates, run the methods, print."""
    arguments = read_arguments()
    documents = without_copies(make(gold_texts(arguments), arguments.seed))
    rows = experiment(documents, arguments.n, arguments.threshold, arguments.level)
    if arguments.json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
    else:
        print_figures(rows)


if __name__ == "__main__":
    main()
