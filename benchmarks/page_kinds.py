"""How often the kind of a page is right, with and without its address, and how long it takes to tell it.

On the gold standard whose pages have types, by trees that were trained on other sites; on pages that were judged by
hand and on news, by the trees that come with the package. `page_kinds_ceed.tsv` has the judgements.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from harness import command_line, print_table

from gristmill.cleaning.cleaner import clean_page
from gristmill.cleaning.markup import markup_of
from gristmill.cleaning.page_kind import PAGE_KINDS, kind_of, shipped
from gristmill.cleaning.segmentation import segment_markup
from gristmill.cleaning.signs import read_signs
from gristmill.decoding import decode
from gristmill.document import Page
from gristmill.evaluation.gold import GoldPage, read_gold
from gristmill.evaluation.training.page_kind import (
    ALL_PAGES,
    TYPED,
    TYPES,
    Told,
    a_few_of_each_site,
    cross_validate,
    judged_kinds,
    read_examples,
    tell,
)

_JUDGED = "ceed-a"
_NEWS = ("l3s-gn1", "dragnet-a", "andy-a", "daniel-a")
_UNSEEN_NEWS = ("l3s-gn1", "dragnet-a")
_RUNS = 5
_TIMED = 100  # pages of each set


def main() -> None:
    """Print how many pages of each kind are told right, what is confused with what, and the time."""
    options = command_line(__doc__ or "").parse_args()
    kinds = judged_kinds()
    lines = Path(__file__).with_name("page_kinds_ceed.tsv").read_text("utf-8").splitlines()
    kinds[_JUDGED] = {page: kind for page, _, kind in (line.partition("\t") for line in lines)}
    kinds |= {name: {ALL_PAGES: "article"} for name in _UNSEEN_NEWS}
    pages = {name: _pages(options.gold, name) for name in dict.fromkeys([TYPED, *kinds])}
    trained = [page for name, found in pages.items() if name not in {_JUDGED, *_UNSEEN_NEWS} for page in found]
    told = [
        one
        for one in cross_validate(a_few_of_each_site(read_examples(trained, kinds)), 0)
        if one.example.gold.gold_set == TYPED
    ]
    judged = [tell(shipped(), example) for example in read_examples(pages[_JUDGED], kinds)]
    news = {name: [tell(shipped(), example) for example in read_examples(pages[name], kinds)] for name in _NEWS}
    result = {
        TYPED: {"right": _right(told), "by its own types": _right_by_types(told), "confused": _confused(told)},
        _JUDGED: {"right": _right(judged), "confused": _confused(judged)},
        "articles among news": {name: _right(found) for name, found in news.items()},
        "confidence": _confidence([*told, *judged]),
        "microseconds": _time([page for name in (TYPED, "dragnet-a", "daniel-a") for page in pages[name][:_TIMED]]),
    }
    if options.json:
        print(json.dumps(result))
        return
    _print(result)


def _pages(gold: Path, name: str) -> list[GoldPage]:
    path = gold / f"{name}.parquet"
    if not path.is_file():
        sys.exit(f"There is no {path}. Name the folder of gold standards with --gold DIR.")
    return read_gold([path])[0].pages


def _right(found: Sequence[Told]) -> dict[str, float]:
    """The share of pages whose kind is right, with the address and without."""
    kinds = [one.example.kind for one in found]
    return {
        "with address": float(np.mean([one.with_address.argmax() for one in found] == np.array(kinds))),
        "without": float(np.mean([one.without_address.argmax() for one in found] == np.array(kinds))),
    }


def _right_by_types(found: Sequence[Told]) -> float:
    """The share of pages whose kind is that of the type that the gold standard gives, with the address."""
    right = [TYPES[one.example.gold.split or ""] == PAGE_KINDS[int(one.with_address.argmax())] for one in found]
    return float(np.mean(right))


def _confused(found: Sequence[Told]) -> list[list[int]]:
    """Count pages by what they are (a row) and what they are told to be, with the address."""
    table = np.zeros((len(PAGE_KINDS), len(PAGE_KINDS)), np.int64)
    for one in found:
        table[one.example.kind, int(one.with_address.argmax())] += 1
    return table.tolist()


def _confidence(found: Sequence[Told]) -> dict[str, tuple[int, float]]:
    """How many pages have a confidence, and how many of these are right."""
    sure = np.array([one.with_address.max() for one in found])
    right = np.array([one.with_address.argmax() == one.example.kind for one in found])
    bounds = {"below 0.5": (0.0, 0.5), "0.5 to 0.8": (0.5, 0.8), "from 0.8": (0.8, 1.1)}
    return {
        name: (int(((sure >= low) & (sure < high)).sum()), float(right[(sure >= low) & (sure < high)].mean()))
        for name, (low, high) in bounds.items()
    }


def _time(pages: Sequence[GoldPage]) -> dict[str, float]:
    """The median over pages of the time to read the signs, to tell the kind, and to clean the page."""
    times = []
    for page in pages:
        markup, length = markup_of(decode(page.html).utf8)
        segmented = segment_markup(markup, length)
        whole = Page(page.url or "", page.html)
        steps = (
            lambda markup=markup: read_signs(markup),
            lambda segmented=segmented, url=page.url or "": kind_of(segmented, url),
            lambda whole=whole: clean_page(whole),
        )
        times.append([min(_seconds(step) for _ in range(_RUNS)) for step in steps])
    medians = np.median(times, axis=0) * 1e6
    return dict(zip(("signs", "kind", "clean"), medians.tolist(), strict=True))


def _seconds(step: Any) -> float:
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def _print(result: dict[str, Any]) -> None:
    for name in (TYPED, _JUDGED):
        print(f"\n{name}: " + ", ".join(f"{share:.1%} {how}" for how, share in result[name]["right"].items()))
        rows = [[kind, *map(str, row)] for kind, row in zip(PAGE_KINDS, result[name]["confused"], strict=True)]
        print_table(["is", *PAGE_KINDS], rows)
    print(
        f"\n{TYPED} by its own types, with home pages as what they are there: {result[TYPED]['by its own types']:.1%}\n"
    )
    news = result["articles among news"].items()
    print_table(
        ["news", "article", "without address"], [[name, *(f"{x:.1%}" for x in found.values())] for name, found in news]
    )
    print()
    rows = [[name, str(number), f"{right:.1%}"] for name, (number, right) in result["confidence"].items()]
    print_table(["confidence", "pages", "right"], rows)
    print(
        "\nmicroseconds a page (median): " + ", ".join(f"{what} {x:.0f}" for what, x in result["microseconds"].items())
    )


if __name__ == "__main__":
    main()
