"""How long questions take to an index of many segments, next to the same index merged into one, in turns on one core.

The corpus and the questions are those of `search.py`. The merged index is divided by documents into segments of about
the same size; both must give the same answers.
"""

from __future__ import annotations

import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from harness import at_least_one, command_line, print_table, tell
from search import one_core
from search_corpus import annotated_texts, write_corpus
from search_questions import questions

from gristmill.corpus import CorpusReader
from gristmill.engine import InlineEngine
from gristmill.search import Index, build_index
from gristmill.search.index.building import FOLDER
from gristmill.search.index.joining import write_joined
from gristmill.search.index.segment import read_card
from gristmill.search.index.state import JOINED, SEGMENTS, SegmentEntry, State
from gristmill.search.index.writing import Coded, Columns, StructureColumns, recode, write_index

_ASKED_RATIO = 1.3
_MILLION = 1_000_000


def divide(index: Index, count: int, folder: Path) -> Index:
    """An index of so many segments, with the documents of another one."""
    documents = index.structures["doc"].bounds.astype(np.int64)
    places = np.searchsorted(documents, np.arange(1, count) * index.size // count)
    cuts = [0, *documents[places].tolist(), index.size]
    entries = []
    for number, (start, stop) in enumerate(pairwise(cuts)):
        place = folder / SEGMENTS / f"{number:05d}"
        write_index(place, _columns(index, start, stop))
        about = read_card(place)["index"]
        entries.append(SegmentEntry(place.name, about["tokens"], about["bytes"], {place.name: ""}))
    write_joined(folder / JOINED / "all", [folder / SEGMENTS / entry.name for entry in entries], InlineEngine())
    State({}, tuple(entries), "all").write(folder)
    return Index.open(folder)


def _columns(index: Index, start: int, stop: int) -> Columns:
    """The tokens from `start` to before `stop`, which are edges of documents."""
    attributes = {
        name: recode(attribute.lexicon.array, attribute.ids[start:stop])
        for name, attribute in index.attributes.stored.items()
    }
    structures = {}
    for name, structure in index.structures.items():
        first, last = np.searchsorted(structure.bounds, np.array([start, stop], structure.bounds.dtype)).tolist()
        values: dict[str, Coded] = {
            key: recode(found.lexicon.array, found.ids[first:last]) for key, found in structure.attributes.items()
        }
        structures[name] = StructureColumns(structure.bounds[first : last + 1].astype(np.int64) - start, values)
    return Columns(attributes, index.is_glued(np.arange(start, stop)), structures)


def measure(merged: Index, divided: Index, repeat: int) -> Iterator[dict[str, Any]]:
    """Ask both in turns: the least CPU time of each, which other work on the machine changes least, and their ratio."""
    with one_core():
        for question in questions():
            tell(question.name)
            times: list[list[float]] = [[], []]
            answers: list[Any] = [None, None]
            for _ in range(repeat + 1):
                for number, index in enumerate((merged, divided)):
                    before = time.process_time()
                    answers[number] = question.ours(index)
                    times[number].append((time.process_time() - before) * 1000)
            if answers[0] != answers[1]:
                sys.exit(f"{question.name}: segments have another answer")
            one, many = map(min, times)
            yield {"question": question.name, "merged": one, "segments": many, "ratio": many / one}


def _opening(folder: Path, repeat: int) -> float:
    """Milliseconds that it takes to open an index."""
    times = []
    for _ in range(repeat):
        before = time.perf_counter()
        Index.open(folder)
        times.append((time.perf_counter() - before) * 1000)
    return statistics.median(times)


def main() -> None:
    """Measure and print."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--tokens", default="2,20", metavar="N,N", help="million tokens (default: 2,20)")
    parser.add_argument("--segments", type=at_least_one, default=30, metavar="N", help="segments (default: 30)")
    parser.add_argument("--sets", default="", metavar="A,B", help="gold standards, by name (default: all)")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where corpora are made, and used again")
    parser.add_argument("--repeat", type=at_least_one, default=15, metavar="N", help="runs (default: 15)")
    arguments = parser.parse_args()
    figures: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as temporary:
        place = (arguments.folder or Path(temporary)).absolute()
        texts = annotated_texts(arguments.gold, [name for name in arguments.sets.split(",") if name], place / "texts")
        for millions in map(float, arguments.tokens.split(",")):
            folder = place / str(round(millions * _MILLION))
            corpus = write_corpus(texts, round(millions * _MILLION), folder)
            tell("building the index")
            merged = build_index(CorpusReader(corpus))
            tell("dividing it")
            divided = divide(merged, arguments.segments, folder / "divided")
            opening = [_opening(of, arguments.repeat) for of in (corpus / FOLDER, folder / "divided")]
            rows = list(measure(merged, divided, arguments.repeat))
            figures.append({"tokens": merged.size, "segments": len(divided.segments), "opening": opening, "rows": rows})
            shutil.rmtree(folder / "divided")
    if arguments.json:
        print(json.dumps(figures, indent=2))
        return
    for found in figures:
        print(f"\n{found['tokens']:,} tokens in {found['segments']} segments", end="; ")
        print(f"opened in {found['opening'][1]:.1f} ms, merged in {found['opening'][0]:.1f} ms\n")
        header = ["milliseconds of CPU", "merged", "segments", "ratio", "asked", "met"]
        lines = [
            [
                row["question"],
                f"{row['merged']:,.2f}",
                f"{row['segments']:,.2f}",
                f"{row['ratio']:.2f}",
                str(_ASKED_RATIO),
                "yes" if row["ratio"] <= _ASKED_RATIO else "no",
            ]
            for row in found["rows"]
        ]
        totals = [sum(row[name] for row in found["rows"]) for name in ("merged", "segments")]
        lines.append(["all", *(f"{total:,.2f}" for total in totals), f"{totals[1] / totals[0]:.2f}", "", ""])
        print_table(header, lines)


if __name__ == "__main__":
    main()
