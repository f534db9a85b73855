"""Measure ranked retrieval: how long `gristmill find` takes for the ten best of many units, beside SQLite's FTS5.

The corpus is that of `search.py`: texts of the gold standards, annotated and repeated with other words. Units are made
of the token index once. Each question is asked several times, and the median of the CPU time counts. FTS5, of Python's
own library, gets the same units, with tokens between spaces, and ranks by its BM25.
"""

from __future__ import annotations

import json
import resource
import sqlite3
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from harness import at_least_one, command_line, milliseconds, print_table, tell
from search_corpus import annotated_texts, write_corpus

from gristmill import Corpus
from gristmill.corpus import CorpusReader
from gristmill.search import build_index
from gristmill.search.index.index import Index
from gristmill.search.ranked.store import FOLDER

_MILLION = 1_000_000
_QUERIES = (
    *("the", "time", "flour", "of the", "bread flour", "the of and", "make new time", '"of the"'),
    *("the of and to in flour", "the of and to in", "the of and to in a is that for it"),
    *("how do I make a new start in the morning", "what is the best way to get to the city in time"),
)
_KEYS = ("bm25", "date", "date,quality", "length", "quality,bm25")


def measure(folder: Path, unit: str, repeat: int) -> list[dict[str, Any]]:
    """Make an index of units, and ask it and its peer."""
    corpus = Corpus(folder, build=False)
    index = corpus.index
    start, cpu = time.perf_counter(), time.process_time()
    corpus.find("the", unit=unit)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    size = max(file.stat().st_size for file in (folder / FOLDER).glob(f"{unit}-*"))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    tell(
        f"{unit}: {index.size:,} tokens in {seconds:.1f} s ({cpu:.1f} s of CPU), {size / index.size:.1f} bytes a token"
    )
    tell(f"up to {memory:.2f} GB of memory")
    peer = _fts5(index, corpus.find("the", unit=unit).units, unit)
    return [_asked(corpus, peer, unit, query, repeat) for query in _QUERIES]


def _asked(corpus: Corpus, peer: sqlite3.Connection, unit: str, query: str, repeat: int) -> dict[str, Any]:
    row: dict[str, Any] = {"unit": unit, "query": query}
    for by in _KEYS:
        row[f"{by}, ms"] = milliseconds(partial(corpus.find, query, unit=unit, by=by), repeat, time.process_time)
    again = partial(corpus.find, query, unit=unit, k1=0.9, b=0.4)  # for which no bounds are stored
    row["k1=0.9 b=0.4, ms"] = milliseconds(again, repeat, time.process_time)
    words = query if query.startswith('"') else " OR ".join(query.split())
    asked = "SELECT rowid FROM units WHERE units MATCH ? ORDER BY rank LIMIT 10"
    row["FTS5 bm25, ms"] = milliseconds(
        lambda: peer.execute(asked, (words,)).fetchall(), min(repeat, 3), time.process_time
    )
    row["ratio"] = round(row["FTS5 bm25, ms"] / row["bm25, ms"], 1)
    return row


def _fts5(index: Index, units: int, unit: str) -> sqlite3.Connection:
    """Make the index of the peer, in memory, of the words of each unit."""
    structure = index.structure({"sentence": "s", "paragraph": "p", "document": "doc"}[unit])
    peer = sqlite3.connect(":memory:")
    peer.execute("CREATE VIRTUAL TABLE units USING fts5(text, content='', tokenize='unicode61 remove_diacritics 0')")
    words = index.attribute("word")
    bounds = structure.bounds.astype(np.int64).tolist()
    start = time.process_time()
    for first in range(0, units, 10_000):
        last = min(first + 10_000, units)
        texts = words.lexicon.strings(words.ids[bounds[first] : bounds[last]])
        spans = (
            (number, bounds[number] - bounds[first], bounds[number + 1] - bounds[first])
            for number in range(first, last)
        )
        rows = ((number, " ".join(texts[low:high])) for number, low, high in spans)
        peer.executemany("INSERT INTO units(rowid, text) VALUES (?, ?)", rows)
    peer.execute("INSERT INTO units(units) VALUES ('optimize')")
    tell(f"FTS5: indexed in {time.process_time() - start:.1f} s of CPU")
    return peer


def main() -> None:
    """Measure and print."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--tokens", type=float, default=20, metavar="N", help="million tokens (default: 20)")
    parser.add_argument("--sets", default="l3s-gn1,dragnet-a", metavar="A,B", help="gold standards")
    parser.add_argument("--units", default="sentence,paragraph,document", metavar="A,B", help="units")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where the corpus is made (default: nowhere)")
    parser.add_argument("--repeat", type=at_least_one, default=7, metavar="N", help="runs of a question (default: 7)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        place = (arguments.folder or Path(temporary)).absolute()
        texts = annotated_texts(arguments.gold, arguments.sets.split(","), place / "texts")
        corpus = write_corpus(texts, round(arguments.tokens * _MILLION), place / "corpus")
        build_index(CorpusReader(corpus))
        rows = [row for unit in arguments.units.split(",") for row in measure(corpus, unit, arguments.repeat)]
    if arguments.json:
        print(json.dumps(rows, indent=1))
    else:
        print_table(list(rows[0]), [[str(cell) for cell in row.values()] for row in rows])


if __name__ == "__main__":
    main()
