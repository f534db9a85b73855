"""Measure the search for documents, ranked by BM25, beside SQLite's FTS5 over the same documents.

The corpus is random: words by Zipf's law, documents of some 400 tokens. Both are asked the same queries, in turns, for
the ten best documents and how many there are in all. The BM25 of FTS5 has another logarithm, and counts forms one by
one, so the documents are compared, not the scores.
"""

from __future__ import annotations

import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from harness import at_least_one, command_line, print_table, tell

from gristmill.search.documents import DocumentSearch
from gristmill.search.index.index import Index
from gristmill.search.index.writing import Columns, StructureColumns, code, recode, write_index

Numbers = npt.NDArray[np.int64]

_DOCUMENT_TOKENS = 400
_VOCABULARY = 400_000
_ZIPF = 1.1
_QUERIES = {
    "a common word": "w1",
    "three words": "w10 w60 w200",
    "two rare words": "w2000 w3000",
    "forms": "(w10 OR w11 OR w12) (w60 OR w61) w200",
    "a phrase": '"w1 w2" w60',
    "three words, filter words": "w10 w60 w200 w1 w2 w3",
}


def main() -> None:
    """Print a table of times."""
    parser = command_line("Measure the search for documents.")
    parser.add_argument("--tokens", type=at_least_one, default=20, metavar="MILLIONS", help="size (default: 20)")
    parser.add_argument("--runs", type=at_least_one, default=7, metavar="N", help="runs of a query (default: 7)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        _measure(Path(folder), options.tokens * 1_000_000, options.runs)


def _measure(folder: Path, tokens: int, runs: int) -> None:
    ids = (np.random.default_rng(0).zipf(_ZIPF, tokens) - 1) % _VOCABULARY
    bounds = np.arange(0, tokens + 1, _DOCUMENT_TOKENS)
    tell("writing the index ...")
    index = _write(folder / "index", ids, bounds)
    seconds, search = _timed(lambda: DocumentSearch(index))
    tell(f"opened in {seconds * 1000:.0f} ms; writing FTS5 ...")
    database = _fill(folder / "peer.sqlite", ids, bounds)
    rows = []
    for name, query in _QUERIES.items():
        peer = query.replace(" w", " AND w").replace("OR AND", "OR").replace(") (", ") AND (")
        peer = peer.replace('"w1 AND w2"', '"w1 w2"')
        ours, theirs = [], []
        for _ in range(runs):
            seconds, found = _timed(partial(search.search, query))
            ours.append(seconds)
            seconds, (total, best) = _timed(partial(_ask_peer, database, peer))
            theirs.append(seconds)
        if found.total != total:
            raise SystemExit(f"{query}: {found.total} documents here, {total} there")
        same = len({item.number for item in found.rows} & set(best))
        times = statistics.median(ours) * 1000, statistics.median(theirs) * 1000
        rows.append([name, f"{total:,}", f"{times[0]:.1f}", f"{times[1]:.1f}", f"{times[1] / times[0]:.1f}", f"{same}"])
    database.close()
    print_table(["query", "documents", "ms", "FTS5 ms", "ratio", "same of ten"], rows)


def _write(folder: Path, ids: Numbers, bounds: Numbers) -> Index:
    words = pa.array([f"w{number}" for number in range(_VOCABULARY)])
    nothing = recode(pa.array([""]), np.zeros(len(ids), np.int64))
    urls = code(pa.array([f"http://{number}.example/" for number in range(len(bounds) - 1)]))
    plain = StructureColumns(bounds)
    columns = Columns(
        {"word": recode(words, ids), "tag": nothing, "lemma": nothing, "xpos": nothing},
        np.zeros(len(ids), np.bool_),
        {"doc": StructureColumns(bounds, {"url": urls}), "p": plain, "s": plain},
    )
    write_index(folder, columns)
    return Index.open(folder)


def _fill(path: Path, ids: Numbers, bounds: Numbers) -> sqlite3.Connection:
    database = sqlite3.connect(path)
    database.execute("CREATE VIRTUAL TABLE docs USING fts5(text, content='')")
    documents = (
        (number, " ".join(f"w{word}" for word in ids[bounds[number] : bounds[number + 1]].tolist()))
        for number in range(len(bounds) - 1)
    )
    database.executemany("INSERT INTO docs(rowid, text) VALUES (?, ?)", documents)
    database.execute("INSERT INTO docs(docs) VALUES ('optimize')")
    database.commit()
    return database


def _ask_peer(database: sqlite3.Connection, query: str) -> tuple[int, list[int]]:
    total = database.execute("SELECT count(*) FROM docs WHERE docs MATCH ?", (query,)).fetchone()[0]
    best = database.execute("SELECT rowid FROM docs WHERE docs MATCH ? ORDER BY rank LIMIT 10", (query,)).fetchall()
    return total, [number for (number,) in best]


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


if __name__ == "__main__":
    main()
