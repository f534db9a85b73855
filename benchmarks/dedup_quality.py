"""How much of what is repeated goes, and what goes that should not, by method and by kind of near-duplicate.

Near-duplicates of all kinds are made of texts of the gold standards (`gristmill.evaluation.near_duplicates`), so that
it is known of every block of which text it is a copy. Each method runs with its defaults unless parameters are given.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from dedup_texts import dedup_command_line, gold_texts
from harness import print_table, tell

from gristmill.dedup import METHODS, parse
from gristmill.dedup.evaluation import Quality, blocks_left, measure, read_alike
from gristmill.evaluation.near_duplicates import Made, MadeBlock, make, write_shards
from gristmill.shards import Shard

_LONG = 10  # words; a shorter block has no 10-gram, and is not looked for
_PER_SHARD = 1000


@dataclass(slots=True)
class Tally:
    """Words of one kind of near-duplicates, and pairs of documents."""

    repeated: int = 0
    """Words of blocks, without the longest copy of each text."""
    left: int = 0
    """Words of blocks that are left, without the longest such copy of each text."""
    words: int = 0
    """Words of all texts, each counted once."""
    lost: int = 0
    """Words of texts of which no copy is left, nor a part."""
    line_words: int = 0
    """Words of blocks that are only a line, which go as stubs if what is around them goes."""
    lines_lost: int = 0
    """Words of such lines of which no copy is left."""
    pairs: int = 0
    found: int = 0

    def figures(self) -> dict[str, float | None]:
        """Shares of what was to be found and of what was to be kept."""
        return {
            "repeated_gone": 1 - self.left / self.repeated if self.repeated else None,
            "lost": self.lost / self.words if self.words else None,
            "lines_lost": self.lines_lost / self.line_words if self.line_words else None,
            "pairs_found": self.found / self.pairs if self.pairs else None,
        }


@dataclass(slots=True)
class Result:
    """The result of a method: its quality, and the figures of each kind of near-duplicates."""

    quality: Quality
    kinds: defaultdict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))


def kinds_of(documents: Sequence[Made]) -> list[str]:
    """The kind of each document; that of revisions by the resemblance that was aimed at."""
    lowest: dict[int, float] = {}
    for document in documents:
        lowest[document.cluster] = min(lowest.get(document.cluster, 1.0), document.resemblance)
    return [
        f"{lowest[document.cluster]:.1f}" if document.kind == "revision" else document.kind for document in documents
    ]


def examine(spec: str, documents: Sequence[Made], shards: Sequence[Shard], work: Path) -> Result:
    """Run a method, and count."""
    result = Result(measure(spec, shards, np.array([document.cluster for document in documents]), work))
    kinds = kinds_of(documents)
    left = (flags for shard in shards for flags in blocks_left(shard))
    _count_words(result.kinds, list(_occurrences(documents, kinds, left)))
    _count_pairs(result.kinds, documents, kinds, read_alike(shards).clusters(len(documents)).tolist())
    return result


def _occurrences(
    documents: Sequence[Made], kinds: Sequence[str], left: Iterator[Any]
) -> Iterator[tuple[MadeBlock, str, bool]]:
    for document, kind, flags in zip(documents, kinds, left, strict=True):
        for block, is_left in zip(document.blocks, flags.tolist(), strict=True):
            yield block, kind, is_left


def _count_words(tallies: defaultdict[str, Tally], occurrences: Sequence[tuple[MadeBlock, str, bool]]) -> None:
    copies: defaultdict[int, list[tuple[MadeBlock, str, bool]]] = defaultdict(list)
    for occurrence in occurrences:
        copies[occurrence[0].origin].append(occurrence)
    for found in copies.values():
        tally = tallies[found[0][1]]
        words = [len(block.text.split()) for block, _, _ in found]
        words_left = [count for count, (_, _, is_left) in zip(words, found, strict=True) if is_left]
        lost = round(max(words) * (1 - max((block.part for block, _, is_left in found if is_left), default=0.0)))
        if max(words) < _LONG:
            tally.line_words += max(words)
            tally.lines_lost += lost
        else:
            tally.words += max(words)
            tally.lost += lost
            tally.repeated += sum(words) - max(words)
            tally.left += sum(words_left) - max(words_left, default=0)


def _count_pairs(
    tallies: defaultdict[str, Tally], documents: Sequence[Made], kinds: Sequence[str], found: Sequence[int]
) -> None:
    true: defaultdict[int, list[int]] = defaultdict(list)
    for place, document in enumerate(documents):
        true[document.cluster].append(place)
    for places in true.values():
        tally = tallies[kinds[places[0]]]
        tally.pairs += len(places) * (len(places) - 1) // 2
        tally.found += sum(count * (count - 1) // 2 for count in Counter(found[place] for place in places).values())


def print_figures(results: Sequence[Result]) -> None:
    """Tables of methods by kinds, and the agreement of clusters."""
    kinds = sorted({kind for result in results for kind in result.kinds})
    for title, key in (
        ("repeated words gone", "repeated_gone"),
        ("words of which no copy is left", "lost"),
        ("the same of short lines", "lines_lost"),
        ("pairs of documents found", "pairs_found"),
    ):
        print_table(
            [title, *kinds],
            [[r.quality.method, *(_percent(r.kinds[kind].figures()[key]) for kind in kinds)] for r in results],
        )
        print()
    columns: dict[str, Callable[[Quality], str]] = {
        "pairs P": lambda q: f"{q.pairs.precision:.3f}",
        "pairs R": lambda q: f"{q.pairs.recall:.3f}",
        "pairs F1": lambda q: f"{q.pairs.f1:.3f}",
        "B3 P": lambda q: f"{q.b_cubed.precision:.3f}",
        "B3 R": lambda q: f"{q.b_cubed.recall:.3f}",
        "B3 F1": lambda q: f"{q.b_cubed.f1:.3f}",
        "AU-ROC": lambda q: "-" if q.au_roc is None else f"{q.au_roc:.3f}",
        "left": lambda q: f"{q.left:,}",
        "seconds": lambda q: f"{q.seconds:.1f}",
    }
    print_table(
        ["clusters", *columns], [[r.quality.method, *(show(r.quality) for show in columns.values())] for r in results]
    )


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def read_arguments() -> argparse.Namespace:
    """The options of this run."""
    parser = dedup_command_line(f"Quality of de-duplication. {__doc__}")
    parser.add_argument(
        "-m", "--method", action="append", metavar="NAME:PARAMETERS", help="a method; can be repeated (default: all)"
    )
    return parser.parse_args()


def main() -> None:
    """Make near-duplicates, run method after method, print."""
    arguments = read_arguments()
    methods = arguments.method or list(METHODS)
    for spec in methods:
        parse(spec)
    documents = list(make(gold_texts(arguments), arguments.seed))
    results = []
    with tempfile.TemporaryDirectory() as folder:
        shards = write_shards(documents, Path(folder), _PER_SHARD)
        for number, spec in enumerate(methods):
            tell(f"{spec}: {len(documents):,} documents")
            results.append(examine(spec, documents, shards, Path(folder) / f"work-{number}"))
    if arguments.json:
        figures = [
            {**r.quality.as_json(), "kinds": {kind: tally.figures() for kind, tally in sorted(r.kinds.items())}}
            for r in results
        ]
        print(json.dumps(figures, indent=2))
    else:
        print_figures(results)


if __name__ == "__main__":
    main()
