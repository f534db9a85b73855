"""Count the key strokes that a practised annotator needs for ten real pages, and press them in a real browser.

    python benchmarks/annotating.py GOLD.parquet [--pages 10]

The pages are of a gold standard, evenly spaced over it, with 10 to 250 blocks. Of each the fewest keys are computed
that make every block what the gold text says: marks of single blocks, of all blocks up to a number, of the rest; moves;
and `Enter`, after which what is left is bad, or as suggested. These keys are pressed in Chromium, and what the server
has stored must be the gold standard. Needs playwright and Chromium.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from statistics import mean, median

from playwright.sync_api import Page, sync_playwright

import gristmill
from gristmill.engine import InlineEngine
from gristmill.evaluation import GoldPage, read_gold
from gristmill.evaluation.labels import block_labels
from gristmill.judgements.blocks.pages import JudgedPage, read_page
from gristmill.judgements.blocks.store import BlockStore
from gristmill.web.app import Site
from gristmill.web.serving import running
from gristmill.web.shelf import Shelf

SECONDS_A_KEY = 0.28
"""Of an average typist (Card, Moran and Newell 1980)."""
SECONDS_A_PAGE = 18.0
"""What 200 pages an hour leave for each."""
UNSURE = 0.35
"""As in annotate.js: so near to 0.5 is the score of a block that the key `w` goes to."""
_MIN_BLOCKS, _MAX_BLOCKS = 10, 250


def keys_for(truth: list[str], left_as: list[str], unsure: list[bool] | None = None) -> list[str]:
    """Compute the fewest keys that judge a page, from its first block on.

    `left_as` is what blocks become that are not judged; `unsure` those that `w` goes to, if there are suggestions.
    Going back from the end: `best[at]` are the keys if the block `at` is the current one and all before it are right.
    """
    size = len(truth)
    best: list[list[str]] = [[] for _ in range(size + 1)]
    best[size] = ["Enter"]
    for at in range(size - 1, -1, -1):
        ways = [[truth[at][0], *best[at + 1]]]
        if truth[at:] == left_as[at:]:
            ways.append(["Enter"])
        if len(set(truth[at:])) == 1:
            ways.append([truth[at][0].upper(), "Enter"])
        end = at
        while end + 1 < size and truth[end + 1] == truth[at]:
            end += 1
            ways.append([*str(end + 1), truth[at][0], *best[end + 1]])
        end = at
        while end + 1 < size and truth[end] == left_as[end]:
            end += 1
            ways.append([*str(end + 1), ".", *best[end]])
            if end == at + 1:
                ways.append(["j", *best[end]])
            if unsure and unsure[end] and not any(unsure[at + 1 : end]):
                ways.append(["w", *best[end]])
        best[at] = min(ways, key=len)
    return best[0]


def truth_of(page: JudgedPage, gold: GoldPage) -> list[str]:
    """Say of each block whether more than half of its words stand in the gold text."""
    shares = block_labels(page.document.as_columns().folded.tolist(), gold.gold)
    return ["good" if share > 0.5 else "bad" for share in shares.tolist()]


def judge(
    browser: Page, address: str, corpus: gristmill.Corpus, truths: dict[str, list[str]], suggest: bool
) -> list[int]:
    """Judge all pages by keys, and return how many each took; raises if what is stored is not the truth."""
    name = "with" if suggest else "without"
    counts = []
    browser.goto(f"{address}/corpus/annotate/next?annotator={name}&order=list&suggest={int(suggest)}")
    for identifier, truth in truths.items():
        browser.wait_for_url(f"**/page/{identifier}?**")
        browser.wait_for_selector("#judging[data-ready]")
        page = read_page(corpus.reader, identifier)
        scores = page.document.as_columns().score.tolist()
        suggested = ["good" if good else "bad" for good in page.suggested().tolist()]
        unsure = [abs(round(score, 3) - 0.5) < UNSURE for score in scores]
        keys = keys_for(truth, suggested, unsure) if suggest else keys_for(truth, ["bad"] * len(truth))
        for key in keys:
            browser.keyboard.press(key)
        browser.wait_for_function("identifier => !location.pathname.includes(identifier)", arg=identifier)
        with BlockStore(corpus.folder) as store:
            stored = store.of_page(identifier, page.outline)[name]
        if [stored[at].verdict for at in range(len(truth))] != truth:
            sys.exit(f"{identifier}: what is stored is not what the keys should give")
        counts.append(len(keys))
    return counts


def build(pages: list[GoldPage], folder: Path) -> tuple[gristmill.Corpus, dict[str, GoldPage]]:
    """Build a corpus of gold pages, and return it with the pages by the ids of their documents."""
    (folder / "site").mkdir()
    for number, page in enumerate(pages):
        (folder / "site" / f"{number:05}.html").write_bytes(page.html)
    corpus = gristmill.build([folder / "site"], folder / "corpus", engine=InlineEngine())
    numbers = {document.id: int(Path(document.source).stem) for document in corpus.pages()}
    return corpus, {identifier: pages[number] for identifier, number in numbers.items()}


def main() -> None:
    """Measure, and print a line for each page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("--pages", type=int, default=10)
    asked = parser.parse_args()
    # Worker processes get the path of this one, and a file of this folder has the name of a module of Python.
    sys.path[:] = [place for place in sys.path if Path(place or ".").resolve() != Path(__file__).resolve().parent]
    with tempfile.TemporaryDirectory() as place:
        corpus, gold = build(read_gold([asked.gold])[0].pages, Path(place))
        sizes = {document.id: document.block_count for document in corpus.pages()}
        fit = [identifier for identifier, size in sizes.items() if _MIN_BLOCKS <= size <= _MAX_BLOCKS]
        chosen = [fit[number * len(fit) // asked.pages] for number in range(min(asked.pages, len(fit)))]
        truths = {identifier: truth_of(read_page(corpus.reader, identifier), gold[identifier]) for identifier in chosen}
        with BlockStore(corpus.folder) as store:
            store.list_pages(chosen)
        began = time.perf_counter()
        with running(Site(Shelf([corpus.folder]), workers=1)) as address, sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            browser = chromium.new_page()
            without, suggested = (judge(browser, address, corpus, truths, suggest) for suggest in (False, True))
            chromium.close()
        seconds = (time.perf_counter() - began) / 2 / len(chosen)
    _show(truths, without, suggested, seconds)


def _show(truths: dict[str, list[str]], without: list[int], suggested: list[int], seconds: float) -> None:
    print("page  blocks  good  borders  keys without  keys with suggestions")
    for (identifier, truth), first, second in zip(truths.items(), without, suggested, strict=True):
        borders = sum(one != other for one, other in pairwise(truth))
        print(f"{identifier}  {len(truth):6}  {truth.count('good'):4}  {borders:7}  {first:12}  {second:21}")
    blocks = [len(truth) for truth in truths.values()]
    print(f"mean blocks a page {mean(blocks):.1f}; the browser and the server took {seconds:.1f} s a page")
    for name, counts in (("without suggestions", without), ("with suggestions", suggested)):
        left = SECONDS_A_PAGE - SECONDS_A_KEY * mean(counts)
        share = mean(counts) / mean(blocks)
        print(
            f"{name}: {mean(counts):.1f} keys a page (median {median(counts):g}), {share:.2f} a block; "
            f"{SECONDS_A_KEY * mean(counts):.1f} s of pressing, which leaves {left:.1f} s of 18 s to read"
        )


if __name__ == "__main__":
    main()
