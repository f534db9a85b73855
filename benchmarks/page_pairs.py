"""Measures how many pairs of pages are found, with and without some of the evidence, and how the work grows.

    python benchmarks/page_pairs.py                        quality on made-up sites, and without each kind of evidence
    python benchmarks/page_pairs.py --growth 1000,10000    time and memory
    python benchmarks/page_pairs.py --udhr FILE            comparable documents: articles of the Declaration of Human
                                                           Rights, with a dictionary of other articles

Made-up sites say what evidence is good for what shape of site, not how good it is on the web: they are as regular as
their program. The two greedy and best sums of scores compare the matching that is used with the best one there is.
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from gristmill.cleaning.cleaner import clean_page
from gristmill.document import Page
from gristmill.parallel.comparable import comparable
from gristmill.parallel.evidence import WEIGHTS
from gristmill.parallel.matching import match
from gristmill.parallel.outline import Outline, outline_of
from gristmill.parallel.pages import pair_pages

sys.path.pop(0)
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from made_up_sites import SHAPES, MadeUpSite, WordByWord, made_up_site

_ITERATIONS, _LEAST = 8, 0.05
"""Rounds of learning a dictionary, and the least probability in it."""
GROUPS = {
    "declared": ("declared",),
    "addresses": ("address", "ids"),
    "structure": ("structure", "length"),
    "numbers, names": ("numbers", "names"),
    "links, pictures": ("links", "picture"),
    "best": ("best",),
}
"""Evidence that is left out together."""


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=100, help="pages of a made-up site in each language")
    parser.add_argument("--sites", type=int, default=5, help="made-up sites of each shape")
    parser.add_argument("--growth", default="", help="sizes of sites, with commas between them")
    parser.add_argument("--udhr", type=Path, help="a Parquet file with the texts of the declaration by language")
    arguments = parser.parse_args()
    if arguments.growth:
        growth([int(size) for size in arguments.growth.split(",")])
    elif arguments.udhr:
        declaration(arguments.udhr)
    else:
        quality(arguments.pages, arguments.sites)
        matching()


def quality(pages: int, count: int) -> None:
    """Print F1 for each shape of site, with all evidence and without each kind."""
    print(f"F1 of pairs, {count} made-up sites of {pages} pages a language")
    columns: dict[str, tuple[str, ...]] = {"with a dictionary": (), "without": ("words",)}
    columns |= {f"and no {name}": ("words", *group) for name, group in GROUPS.items()}
    print(f"{'':10}" + "".join(f"{name:>20}" for name in columns))
    for shape in SHAPES:
        sites = [made_up_site(shape, pages, random.Random(f"{shape} {number}")) for number in range(count)]
        figures = [np.mean([f1(site, without) for site in sites]) for without in columns.values()]
        print(f"{shape:10}" + "".join(f"{figure:20.3f}" for figure in figures), flush=True)


def f1(site: MadeUpSite, without: tuple[str, ...]) -> float:
    """Pair the pages of a site, and return F1."""
    unknown = set(without) - set(WEIGHTS)
    if unknown:
        raise ValueError(f"no such evidence: {unknown}")
    found = {
        (pair.source, pair.target)
        for pair in pair_pages(site.source, site.target, WordByWord(), without=without)
        if not pair.dropped
    }
    return 2 * len(found & site.truth) / max(len(found) + len(site.truth), 1)


def matching() -> None:
    """Compare greedy matching with the best one on random scores and on those of the hardest made-up sites."""
    chance = np.random.default_rng(1)
    for name, matrices in (
        ("random scores", [chance.random((40, 40)) for _ in range(20)]),
        ("one good score a row", [np.maximum(chance.random((40, 40)) * 0.5, np.eye(40) * 0.9) for _ in range(20)]),
    ):
        greedy = best = 0.0
        for matrix in matrices:
            rows, columns = (places.ravel() for places in np.indices(matrix.shape))
            greedy += float(matrix.ravel()[match(rows, columns, matrix.ravel(), 0.0)].sum())
            best += assignment(matrix)
        print(f"greedy matching, {name}: {greedy / best:.4f} of the best sum")


def assignment(matrix: np.ndarray) -> float:
    """Return the best sum of a square matrix with one item of each row and column (Kuhn 1955, Jonker and Volgenant)."""
    size = len(matrix)
    cost = -matrix
    row_potential, column_potential = np.zeros(size + 1), np.zeros(size + 1)
    row_of = np.zeros(size + 1, int)
    for row in range(1, size + 1):
        row_of[0] = row
        column = 0
        least = np.full(size + 1, np.inf)
        used = np.zeros(size + 1, bool)
        way = np.zeros(size + 1, int)
        while row_of[column]:
            used[column] = True
            current = row_of[column]
            reduced = cost[current - 1] - row_potential[current] - column_potential[1:]
            better = ~used[1:] & (reduced < least[1:])
            least[1:][better] = reduced[better]
            way[1:][better] = column
            open_columns = np.flatnonzero(~used[1:]) + 1
            following = open_columns[np.argmin(least[open_columns])]
            step = least[following]
            row_potential[row_of[used]] += step
            column_potential[used] -= step
            least[~used] -= step
            column = following
        while column:
            row_of[column] = row_of[way[column]]
            column = way[column]
    return float(sum(matrix[row_of[column] - 1, column - 1] for column in range(1, size + 1)))


def growth(sizes: list[int]) -> None:
    """Print time, comparisons and memory for sites of several sizes."""
    print(f"{'pages':>9}{'seconds':>10}{'ms a page':>11}{'comparisons':>13}{'candidates':>12}{'MB':>8}{'F1':>7}")
    for size in sizes:
        site = made_up_site("folder", size, random.Random(1))
        counts: Counter[str] = Counter()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.process_time()
        found = pair_pages(site.source, site.target, WordByWord(), counts=counts)
        seconds = time.process_time() - start
        memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        pairs = {(pair.source, pair.target) for pair in found if not pair.dropped}
        quality = 2 * len(pairs & site.truth) / (len(pairs) + len(site.truth))
        print(
            f"{size:9,}{seconds:10.1f}{seconds / size * 1e3:11.2f}{counts['comparisons']:13,}"
            f"{counts['candidates']:12,}{memory:8.0f}{quality:7.3f}",
            flush=True,
        )


class _Learned:
    """A dictionary learned from paragraphs of two languages by expectation maximisation (IBM model 1, Brown 1993)."""

    def __init__(self, pairs: list[tuple[list[str], list[str]]]) -> None:
        beads = [(sorted(set(one)), sorted(set(other))) for one, other in pairs]
        table: dict[tuple[str, str], float] = defaultdict(lambda: 1.0)
        for _ in range(_ITERATIONS):
            counts: Counter[tuple[str, str]] = Counter()
            totals: Counter[str] = Counter()
            for source, target in beads:
                for other in target:
                    norm = sum(table[one, other] for one in source)
                    for one in source:
                        share = table[one, other] / norm
                        counts[one, other] += share  # type: ignore[assignment]
                        totals[one] += share  # type: ignore[assignment]
            table = defaultdict(float, {(one, other): count / totals[one] for (one, other), count in counts.items()})
        self._found: dict[str, list[tuple[str, float]]] = defaultdict(list)
        for (one, other), probability in table.items():
            if probability >= _LEAST:
                self._found[one].append((other, probability))
        for likely in self._found.values():
            likely.sort(key=lambda item: (-item[1], item[0]))

    def translations(self, word: str) -> list[tuple[str, float]]:
        """Return the most likely translations of a word."""
        return self._found.get(word, [])


def declaration(path: Path) -> None:
    """Rank the articles of a third of the declaration among these, with a dictionary of the others, in three folds."""
    table = {row["lang"]: row["text"] for row in pq.read_table(path).to_pylist()}
    print(f"{'':8}{'articles':>9}{'P@1':>8}{'R@5':>8}{'MRR':>8}{'P@1 without dictionary':>24}")
    for one, other in (
        ("eng", "deu"),
        ("eng", "fra"),
        ("eng", "ces"),
        ("deu", "ces"),
        ("eng", "rus"),
        ("eng", "fin"),
    ):
        texts = [articles(table.get(lang, "")) for lang in (one, other)]
        sides = [
            {number: outline(body, lang, number) for number, body in some.items()}
            for some, lang in zip(texts, (one, other), strict=True)
        ]
        shared = sorted(set(sides[0]) & set(sides[1]))
        if not shared:
            print(f"{one}-{other}: not there")
            continue
        ranks: list[int] = []
        without: list[int] = []
        for fold in range(3):
            held = [number for number in shared if number % 3 == fold]
            learned = _Learned(
                [
                    pair
                    for number in shared
                    if number not in held
                    for pair in paragraphs(texts[0][number], texts[1][number])
                ]
            )
            for dictionary, found in ((learned, ranks), (None, without)):
                lists = comparable(
                    [sides[0][number] for number in held], [sides[1][number] for number in held], dictionary, 10
                )
                for number, some in zip(held, lists, strict=True):
                    places = [item.rank for item in some if item.target.endswith(f" {number}")]
                    found.append(places[0] if places else 0)
        first, fifth = np.mean([rank == 1 for rank in ranks]), np.mean([0 < rank <= 5 for rank in ranks])
        reciprocal = np.mean([1 / rank if rank else 0 for rank in ranks])
        alone = np.mean([rank == 1 for rank in without])
        print(
            f"{one[:3]}-{other[:3]:4}{len(ranks):9}{first:8.3f}{fifth:8.3f}{reciprocal:8.3f}{alone:24.3f}", flush=True
        )


def articles(text: str) -> dict[int, str]:
    """Divide the declaration into its articles, without their headings."""
    parts = re.split(r"\n\s*[^\n\d]{0,20}\b(\d{1,2}|premier)\b[^\n]{0,12}\n", f"\n{text}\n")
    found: dict[int, str] = {}
    for number, body in zip(parts[1::2], parts[2::2], strict=True):
        value = 1 if number == "premier" else int(number)
        if value == len(found) + 1:
            found[value] = body
    return found


def outline(body: str, lang: str, number: int) -> Outline:
    """Make the outline of an article."""
    page = clean_page(Page("", body.encode(), is_text=True), lang[:2], max_boilerplate=1.0)
    page.id = f"{lang} {number}"
    return outline_of(page)


def paragraphs(one: str, other: str) -> list[tuple[list[str], list[str]]]:
    """Return the words of the paragraphs of two articles, of those that have as many; else of the whole articles."""
    sides = [[re.findall(r"\w+", line.lower()) for line in text.split("\n") if line.strip()] for text in (one, other)]
    if len(sides[0]) == len(sides[1]):
        return list(zip(*sides, strict=True))
    return [([word for line in sides[0] for word in line], [word for line in sides[1] for word in line])]


if __name__ == "__main__":
    main()
