"""Whether de-duplication keeps its promise in every language: one copy of every text is left, and nothing else is lost.

Near-duplicates of all kinds are made of texts in many languages, so that it is known of every block of which text it is
a copy. What is counted is described in `gristmill.evaluation.near_duplicates.measuring`. The program fails if a figure
is beyond its bound.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from dedup_languages import texts_by_language
from harness import at_least_one, command_line, print_table, tell

from gristmill import dedup
from gristmill.evaluation.near_duplicates import (
    BOUNDS,
    EVERY_KIND,
    Made,
    Tally,
    make_by_language,
    measures,
    missed,
    read_verdicts,
    total,
    write_shards,
)
from gristmill.text.words import count_words

_PER_SHARD = 1000
_MIXED = 50_000  # documents that are mixed: all there are
_IN_EVERY_LANGUAGE = ("unique_words_lost",)
_ENOUGH = 5_000  # unique words of a language in which a bound must hold: with fewer, a paragraph is too large a share
_HEADINGS = {
    "copies_gone": "copies gone",
    "revisions_gone": "revisions gone",
    "texts_lost": "texts lost",
    "unique_words_lost": "unique words lost",
    "first_blocks_lost": "first blocks lost",
    "parts_gone": "parts gone",
    "stub_words": "stubs",
}


@dataclass(slots=True)
class Result:
    """What came of a run, or of several over the same languages."""

    title: str
    languages: dict[str, Tally] = field(default_factory=dict)
    kinds: dict[str, Tally] = field(default_factory=dict)
    all: Tally = field(default_factory=Tally)
    words: int = 0
    seconds: float = 0.0

    def add(self, other: Result) -> None:
        """Take in the result for other languages."""
        self.languages |= other.languages
        for kind, tally in other.kinds.items():
            self.kinds.setdefault(kind, Tally()).take(tally)
        self.all.take(other.all)
        self.words += other.words
        self.seconds += other.seconds

    def missed(self) -> list[str]:
        """What does not hold: over all, and in every language what must hold there."""
        found = [f"{self.title}: {miss}" for miss in missed(self.all)]
        large = {
            lang: tally for lang, tally in self.languages.items() if tally.counts["unique_words_lost"].all >= _ENOUGH
        }
        for lang, tally in large.items():
            found += [f"{self.title}, {lang}: {miss}" for miss in missed(tally, _IN_EVERY_LANGUAGE)]
        return found


def examine(title: str, documents: Sequence[Made], method: str) -> Result:
    """De-duplicate documents, and count."""
    with tempfile.TemporaryDirectory() as folder:
        shards = write_shards(documents, Path(folder), _PER_SHARD)
        start = time.perf_counter()
        dedup.run(method, shards, Path(folder) / "work")
        seconds = time.perf_counter() - start
        tallies = measures(documents, read_verdicts(shards))
    words = sum(count_words(block.text) for document in documents for block in document.blocks)
    languages = {
        wanted: total(tallies, lambda _, lang, wanted=wanted: lang == wanted)  # type: ignore[misc]
        for wanted in sorted({lang for _, lang in tallies})
    }
    kinds = {
        wanted: total(tallies, lambda kind, _, wanted=wanted: kind == wanted)  # type: ignore[misc]
        for wanted in sorted({kind for kind, _ in tallies})
    }
    return Result(title, languages, kinds, total(tallies), words, seconds)


def print_figures(result: Result) -> None:
    """Tables by language and by kind, with the bounds; what is beyond its bound has a mark."""
    print(f"{result.title}: {result.words:,} words in {result.seconds:.1f} seconds")
    bounds = ["must be", "", *(str(BOUNDS[name]) if name in BOUNDS else "" for name in _HEADINGS)]
    for title, tallies in (("language", result.languages), ("kind", result.kinds)):
        rows = [_row(name, tally) for name, tally in tallies.items()]
        print_table([title, "texts", *_HEADINGS.values()], [*rows, _row("all", result.all), bounds])
        print()
    others = [name for name in result.all.figures() if name not in _HEADINGS]
    print_table(["gone", *others], [["all", *(_percent(result.all.share(name)) for name in others)]])
    print()


def _row(name: str, tally: Tally) -> list[str]:
    cells = []
    for key in _HEADINGS:
        share = tally.share(key)
        cells.append(_percent(share) + ("!" if key in BOUNDS and not BOUNDS[key].holds(share) else " "))
    return [name, f"{tally.counts['texts_lost'].all:,}", *cells]


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.2%}"


def read_arguments() -> argparse.Namespace:
    """The options of this run."""
    parser = command_line(__doc__ or "")
    parser.add_argument(
        "-m", "--method", default="onion", metavar="NAME:PARAMETERS", help="de-duplication method (default: onion)"
    )
    parser.add_argument(
        "--texts",
        type=Path,
        metavar="DIR",
        help="texts in files LANGUAGE.jsonl or LANGUAGE.txt (default: gold standards)",
    )
    parser.add_argument("--langs", default="", metavar="A,B", help="only these languages (default: all there are)")
    parser.add_argument(
        "--words",
        type=at_least_one,
        default=60_000,
        metavar="N",
        help="about so many words a language (default: 60000)",
    )
    parser.add_argument("--seed", type=int, default=0, help="for the near-duplicates (default: 0)")
    parser.add_argument("--mixed-only", action="store_true", help="do not also de-duplicate each language alone")
    return parser.parse_args()


def main() -> None:
    """Make the truth, de-duplicate all languages together and each alone, print."""
    arguments = read_arguments()
    dedup.parse(arguments.method)
    texts = texts_by_language(arguments)
    documents = list(make_by_language(texts, arguments.seed, replace(EVERY_KIND, window=_MIXED)))
    tell(f"{len(documents):,} documents of {sum(map(len, texts.values())):,} texts in {len(texts)} languages")
    results = [examine("all languages together", documents, arguments.method)]
    if not arguments.mixed_only and len(texts) > 1:
        alone = Result("each language alone")
        for lang in texts:
            alone.add(examine(lang, [document for document in documents if document.lang == lang], arguments.method))
        results.append(alone)
    if arguments.json:
        print(json.dumps([_as_json(result) for result in results], indent=2))
    else:
        for result in results:
            print_figures(result)
    if misses := [miss for result in results for miss in result.missed()]:
        sys.exit("\n".join(["Beyond its bound:", *misses]))


def _as_json(result: Result) -> dict[str, object]:
    by = {
        name: {key: tally.as_json() for key, tally in part.items()}
        for name, part in (("languages", result.languages), ("kinds", result.kinds))
    }
    return {
        "title": result.title,
        "words": result.words,
        "seconds": result.seconds,
        "all": result.all.as_json(),
        **by,
        "missed": result.missed(),
    }


if __name__ == "__main__":
    main()
