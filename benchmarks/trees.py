"""Measure trees: what relations add to an index, and how long tree queries, relations and sketches of them take.

Sentences of a treebank are repeated, in another order each time, and a tenth of the tokens change places with tokens of
the same tag, so that pairs are new. The segment is written twice, without relations and with them; to read the tokens
of a corpus is not counted, so that the ratio is that of the index alone. Each question is asked several times, and the
median counts.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from harness import at_least_one, command_line, milliseconds, print_table, tell

from gristmill.arrays.ragged import concatenated_ranges, starts_of
from gristmill.corpus.attributes import DEPREL, FEATS
from gristmill.search.cql.matching import find
from gristmill.search.index.index import Index
from gristmill.search.index.writing import Columns, StructureColumns, code, recode, write_index
from gristmill.search.sketches.sketch import sketch
from gristmill.search.sketches.store import Sketches, open_sketches
from gristmill.search.sketches.thesaurus import thesaurus
from gristmill.search.statistics.relations import relation_collocations

_MILLION = 1_000_000
_DOCUMENT_SENTENCES = 40
_MOVED = 0.1
_NAMES = {"word": "tokens", "tag": "upos", "lemma": "lemma", "xpos": "xpos", FEATS: "feats", DEPREL: "deprel"}
_QUERIES = (
    '[lemma="make"] >obj [tag="NOUN"]',
    '[lemma="make"] >nsubj [] >obj ([] >amod [])',
    '[tag="NOUN"] <obj [lemma="say"]',
    '[lemma="idea"] < []',
    '[lemma="time"] >> [tag="VERB"]',
    '[tag="VERB"] !>nsubj [] >obj [lemma="time"]',
    '[tag="VERB"] >obj [tag="NOUN"]',
    "[] >amod []",
)
_VERBS = ("make", "say", "take")


def treebank(path: Path, lang: str, tokens: int) -> Columns:
    """The columns of so many tokens, of the sentences of a language."""
    table = pq.read_table(path, filters=[("lang", "=", lang)])
    counts = pc.list_value_length(table["tokens"]).to_numpy()
    order = _repeated(len(counts), counts, tokens)
    places = concatenated_ranges(starts_of(counts)[:-1][order], counts[order])
    rng = np.random.default_rng(1)
    tags = code(table["upos"].combine_chunks().flatten()).ids[places]
    moved = _exchanged(places, tags, rng)
    attributes = {}
    for name, column in _NAMES.items():
        coded = pc.fill_null(table[column].combine_chunks().flatten(), "").dictionary_encode()
        own = places if name == DEPREL else moved
        attributes[name] = recode(coded.dictionary, coded.indices.to_numpy()[own])
    heads = table["heads"].combine_chunks().flatten().to_numpy()
    at = np.arange(len(heads)) - np.repeat(starts_of(counts)[:-1], counts)
    offsets = np.where(heads > 0, heads - 1 - at, 0)[places]
    sentences = starts_of(counts[order])
    documents = np.append(sentences[:-1:_DOCUMENT_SENTENCES], sentences[-1])
    langs = code(pa.array([lang] * (len(documents) - 1), pa.string()))
    structures = {
        "doc": StructureColumns(documents, {"lang": langs}),
        "p": StructureColumns(documents, {}),
        "s": StructureColumns(sentences, {}),
    }
    return Columns(attributes, np.zeros(len(places), np.bool_), structures, offsets)


def _repeated(sentences: int, counts: Any, tokens: int) -> Any:
    rng = np.random.default_rng(0)
    times = -(-tokens // int(counts.sum()))
    order = np.concatenate([rng.permutation(sentences) for _ in range(times)])
    return order[: int(np.searchsorted(np.cumsum(counts[order]), tokens)) + 1]


def _exchanged(places: Any, tags: Any, rng: np.random.Generator) -> Any:
    """The places with a tenth of them exchanged among those of the same tag."""
    found = places.copy()
    for tag in np.unique(tags).tolist():
        own = np.flatnonzero((tags == tag) & (rng.random(len(tags)) < _MOVED))
        found[own] = places[rng.permutation(own)]
    return found


def _written(folder: Path, columns: Columns) -> tuple[float, int]:
    """Processor time for writing a segment, and its bytes."""
    shutil.rmtree(folder, ignore_errors=True)
    start = time.process_time()
    write_index(folder, columns)
    return time.process_time() - start, sum(file.stat().st_size for file in folder.iterdir())


def main() -> None:
    """Measure and print."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--tokens", type=float, default=2, metavar="N", help="million tokens (default: 2)")
    parser.add_argument("--lang", default="en", metavar="CODE", help="language of the treebank (default: en)")
    parser.add_argument("--repeat", type=at_least_one, default=5, metavar="N", help="runs of a question (default: 5)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        columns = treebank(arguments.gold / "ud-train.parquet", arguments.lang, round(arguments.tokens * _MILLION))
        plain = {name: coded for name, coded in columns.attributes.items() if name != DEPREL}
        before = _written(place / "without", replace(columns, attributes=plain, heads=None))
        after = _written(place / "index", columns)
        shutil.rmtree(place / "without")
        tokens = len(columns.glued)
        tell(f"{tokens:,} tokens: without relations {before[0]:.1f} s, {before[1] / tokens:.1f} bytes a token")
        tell(f"with relations {after[0]:.1f} s, {after[1] / tokens:.1f} bytes a token")
        tell(f"ratios: {after[0] / before[0]:.2f} in time, {after[1] / before[1]:.2f} in size")
        del columns, plain
        measure(place, arguments.repeat)


def measure(place: Path, repeat: int) -> None:
    """Ask queries, relations and sketches."""
    index = Index.open(place / "index")
    print_table(("query", "hits", "ms"), [_asked(index, query, repeat) for query in _QUERIES])
    start = time.perf_counter()
    sketches = open_sketches(index, place)
    seconds = time.perf_counter() - start
    rate = index.size / seconds / _MILLION
    tell(f"sketches made by {sketches.source} in {seconds:.1f} s, {rate:.2f} million tokens a second")
    heading = ("verb", "frequency", "sketch, ms", "thesaurus, ms", "objects, ms")
    print_table(heading, [_verb(sketches, verb, repeat) for verb in _VERBS])


def _asked(index: Index, query: str, repeat: int) -> list[str]:
    return [query, f"{len(find(index, query)):,}", str(milliseconds(lambda: find(index, query), repeat))]


def _verb(sketches: Sketches, verb: str, repeat: int) -> list[str]:
    """The times of a verb: its sketch, its thesaurus, its objects by relation."""
    questions: list[Callable[[], Any]] = [
        lambda: sketch(sketches, verb, "VERB"),
        lambda: thesaurus(sketches, verb, "VERB"),
        lambda: relation_collocations(sketches.index, f'[lemma="{verb}"]', relation="obj"),
    ]
    frequency = sketch(sketches, verb, "VERB").frequency
    return [verb, f"{frequency:,}", *(str(milliseconds(question, repeat)) for question in questions)]


if __name__ == "__main__":
    main()
