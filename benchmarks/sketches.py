"""Measure word sketches: how long a sketch base takes to make, and how long sketches, thesaurus and differences take.

The corpus is that of `search.py`: texts of the gold standards, annotated and repeated with other words. Each question
is asked several times, and the median counts.
"""

from __future__ import annotations

import json
import resource
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from harness import at_least_one, command_line, milliseconds, print_table, tell
from search_corpus import annotated_texts, write_corpus

from gristmill import Corpus
from gristmill.corpus import CorpusReader
from gristmill.search import build_index
from gristmill.search.sketches.difference import sketch_difference
from gristmill.search.sketches.sketch import sketch
from gristmill.search.sketches.store import FOLDER, Sketches
from gristmill.search.sketches.thesaurus import thesaurus

_MILLION = 1_000_000
_WORDS = (("make", "VERB"), ("say", "VERB"), ("time", "NOUN"), ("idea", "NOUN"), ("good", "ADJ"))


def measure(corpus: Path, repeat: int) -> list[dict[str, Any]]:
    """Make the sketch base of English, and ask it."""
    shutil.rmtree(corpus / FOLDER, ignore_errors=True)
    opened = Corpus(corpus, build=False)
    start = time.perf_counter()
    sketches = opened.sketches(lang="en")
    seconds = time.perf_counter() - start
    size = sum(file.stat().st_size for file in (corpus / FOLDER).iterdir())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    rate = sketches.base.size / seconds / _MILLION
    tell(f"{sketches.base.size:,} tokens in {seconds:.1f} s, {rate:.2f} million a second")
    tell(f"{size / _MILLION:,.0f} MB on disk, up to {memory:.2f} GB of memory, {len(sketches.base.counts):,} triples")
    return [_asked(sketches, word, tag, repeat) for word, tag in _WORDS]


def _asked(sketches: Sketches, word: str, tag: str, repeat: int) -> dict[str, Any]:
    other = {"VERB": "do", "NOUN": "way", "ADJ": "new"}[tag]
    return {
        "word": word,
        "frequency": sketch(sketches, word, tag).frequency,
        "sketch, ms": milliseconds(lambda: sketch(sketches, word, tag), repeat),
        "thesaurus, ms": milliseconds(lambda: thesaurus(sketches, word, tag), repeat),
        "difference, ms": milliseconds(lambda: sketch_difference(sketches, word, other, tag), repeat),
    }


def main() -> None:
    """Measure and print."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--tokens", type=float, default=2, metavar="N", help="million tokens (default: 2)")
    parser.add_argument("--sets", default="l3s-gn1,dragnet-a,wcxb-a", metavar="A,B", help="gold standards")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where the corpus is made (default: nowhere)")
    parser.add_argument("--repeat", type=at_least_one, default=7, metavar="N", help="runs of a question (default: 7)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        place = (arguments.folder or Path(temporary)).absolute()
        texts = annotated_texts(arguments.gold, arguments.sets.split(","), place / "texts")
        corpus = write_corpus(texts, round(arguments.tokens * _MILLION), place / "corpus")
        build_index(CorpusReader(corpus))
        rows = measure(corpus, arguments.repeat)
    if arguments.json:
        print(json.dumps(rows, indent=1))
    else:
        print_table(list(rows[0]), [[str(cell) for cell in row.values()] for row in rows])


if __name__ == "__main__":
    main()
