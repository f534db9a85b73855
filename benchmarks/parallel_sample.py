"""Measure parallel corpora end to end, from HTML to sentence pairs, on the bundled multilingual sample.

Its truth is known. Pairs of pages, and beads with sentences on both sides: precision, recall and F1 for each pair of
languages. A bead is right if the texts of both sides are; those of pages that were not paired are missing.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from harness import print_table, tell

import gristmill
from gristmill import sample
from gristmill.parallel.records import beads_of, pairs_of
from gristmill.shards import read_rows

_LANGUAGE_PAIRS = (("en", "de"), ("en", "cs"), ("de", "cs"))

Page = tuple[str, str]
Bead = tuple[Page, str, str]


def main() -> None:
    """Build the sample, pair its pages, and print a table."""
    truth = sample.parallel_truth()
    languages = {url: page["lang"] for url, page in truth["pages"].items()}
    rows = []
    with tempfile.TemporaryDirectory() as name:
        corpus = gristmill.build(["sample-parallel"], Path(name) / "corpus")
        sums = [[0, 0, 0], [0, 0, 0]]
        for source, target in _LANGUAGE_PAIRS:
            tell(f"{source}-{target}")
            pages, beads = found_in(gristmill.build_parallel(corpus, source, target))
            right = {pair for pair in truth["pairs"] if (languages[pair[0]], languages[pair[1]]) == (source, target)}
            right_beads = {
                (pair, squeezed(ours), squeezed(theirs))
                for pair in right
                for ours, theirs in truth["beads"][pair]
                if ours and theirs
            }
            counts = [[len(pages & right), len(pages), len(right)]]
            counts.append([len(beads & right_beads), len(beads), len(right_beads)])
            rows.append([f"{source}-{target}", *(cell for count in counts for cell in figures(*count))])
            sums = [[a + b for a, b in zip(one, other, strict=True)] for one, other in zip(sums, counts, strict=True)]
    rows.append(["all", *(cell for count in sums for cell in figures(*count))])
    head = ["languages", "pages", "precision", "recall", "F1", "beads", "precision", "recall", "F1"]
    print_table(head, rows)


def found_in(pairs: gristmill.ParallelCorpus) -> tuple[set[Page], set[Bead]]:
    """Return the pairs of pages of a parallel corpus by their addresses, and the beads with both sides."""
    pages: set[Page] = set()
    beads: set[Bead] = set()
    for shard in pairs.shards:
        urls = [document.url for document in shard.read_documents(["url"])]
        rows = [pair for pair in read_rows(pairs_of(shard)) if not pair["dropped"]]
        pages |= {(urls[pair["source"]], urls[pair["target"]]) for pair in rows}
        for bead in read_rows(beads_of(shard)):
            if bead["source_count"] and bead["target_count"]:
                pair = rows[bead["pair"]]
                page = urls[pair["source"]], urls[pair["target"]]
                beads.add((page, squeezed([bead["source_text"]]), squeezed([bead["target_text"]])))
    return pages, beads


def squeezed(sentences: list[str]) -> str:
    """Put sentences together without spaces."""
    return "".join("".join(sentences).split())


def figures(both: int, found: int, right: int) -> list[str]:
    """Return how many are right, precision, recall and F1."""
    shares = (both / max(found, 1), both / max(right, 1), 2 * both / max(found + right, 1))
    return [f"{right}", *(f"{share:.3f}" for share in shares)]


if __name__ == "__main__":
    main()
