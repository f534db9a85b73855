"""Measure cleaning: the time of a page by its size, compared with jusText, trafilatura and resiliparse.

The cleaners take turns at batches of pages, several times each; what counts is the best time of each cleaner on each
page, in CPU time, so that other work on the machine changes little. A page on which one of them raises is left out for
all.
"""

from __future__ import annotations

import argparse
import gc
import json
import logging
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import justext
import trafilatura
from harness import GoldPage, at_least_one, command_line, find_gold_sets, print_table, read_gold_pages, tell
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding

import gristmill

Cleaner = Callable[[bytes, str], object]

_OURS = "gristmill"
_BATCH = 25
_GROWN_MEGABYTES = 100  # that are cleaned of each size of large pages, as several pages; the best time counts
_ENGLISH = justext.get_stoplist("English")


def _gristmill(html: bytes, lang: str) -> object:
    return gristmill.clean(html, lang=lang).text


def _justext(html: bytes, lang: str) -> object:
    del lang
    return justext.justext(html, _ENGLISH)


def _trafilatura(html: bytes, lang: str) -> object:
    del lang
    return trafilatura.extract(html, include_comments=False)


def _trafilatura_fast(html: bytes, lang: str) -> object:
    del lang
    return trafilatura.extract(html, include_comments=False, fast=True)


def _resiliparse(html: bytes, lang: str) -> object:
    del lang
    return extract_plain_text(bytes_to_str(html, detect_encoding(html)), main_content=True)


CLEANERS: dict[str, Cleaner] = {
    _OURS: _gristmill,
    "jusText": _justext,
    "trafilatura": _trafilatura,
    "trafilatura fast": _trafilatura_fast,
    "resiliparse": _resiliparse,
}


@dataclass(slots=True)
class Tally:
    """What was measured on a number of pages."""

    pages: int = 0
    size: int = 0
    left_out: int = 0
    seconds: Counter[str] = field(default_factory=Counter)
    raised: Counter[str] = field(default_factory=Counter)
    each: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in CLEANERS})
    """Seconds of each page."""

    def add(self, other: Tally) -> None:
        """Add the figures of other pages."""
        self.pages += other.pages
        self.size += other.size
        self.left_out += other.left_out
        self.seconds.update(other.seconds)
        self.raised.update(other.raised)
        for name, seconds in other.each.items():
            self.each[name] += seconds

    def figures(self) -> dict[str, Any]:
        """The figures by their names."""
        return {
            "pages": self.pages,
            "left_out": self.left_out,
            "kilobytes_per_page": self.size / 1000 / max(1, self.pages),
            "ms_per_page": {name: 1000 * self.seconds[name] / max(1, self.pages) for name in CLEANERS},
            "ratio": {name: self.seconds[name] / self.seconds[_OURS] for name in CLEANERS if self.seconds[_OURS]},
            "p99_to_median": {name: _spread(seconds) for name, seconds in self.each.items()},
            "raised": {name: self.raised[name] for name in CLEANERS},
        }


def _spread(seconds: Sequence[float]) -> float:
    """How much longer the slowest pages take than the one in the middle: the 99th percentile by the median."""
    ordered = sorted(seconds)
    return ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)] / ordered[len(ordered) // 2] if ordered else 0.0


def measure(pages: Sequence[GoldPage], repeat: int) -> Tally:
    """Clean a batch of pages with every cleaner, one at a time as in real use; the first one changes between runs."""
    names = list(CLEANERS)
    times: dict[str, list[list[float]]] = {name: [[] for _ in pages] for name in names}
    raised: list[set[str]] = [set() for _ in pages]
    for run in range(repeat):
        for name in names[run % len(names) :] + names[: run % len(names)]:
            gc.collect()  # no cleaner pays for another's garbage
            for at, page in enumerate(pages):
                seconds = _time(CLEANERS[name], page)
                if seconds is None:
                    raised[at].add(name)
                else:
                    times[name][at].append(seconds)
    tally = Tally()
    for at, page in enumerate(pages):
        if raised[at]:
            tally.add(Tally(left_out=1, raised=Counter(raised[at])))
        else:
            best = {name: min(times[name][at]) for name in names}
            tally.add(
                Tally(
                    1, len(page.html), seconds=Counter(best), each={name: [seconds] for name, seconds in best.items()}
                )
            )
    return tally


def _time(cleaner: Cleaner, page: GoldPage) -> float | None:
    """CPU seconds of one call, None if it raises."""
    start = time.process_time()
    try:
        cleaner(page.html, page.lang)
    except Exception:  # noqa: BLE001 (whatever it is, it is counted)
        return None
    return time.process_time() - start


def measure_set(pages: Sequence[GoldPage], repeat: int) -> Tally:
    """Clean the pages of one gold standard."""
    tally = Tally()
    for start in range(0, len(pages), _BATCH):
        tally.add(measure(pages[start : start + _BATCH], repeat))
    return tally


def print_figures(tallies: dict[str, Tally]) -> None:
    """A table of ms/page, and of the ratio of each peer's time to gristmill's."""
    rows = []
    for name, tally in tallies.items():
        figures = tally.figures()
        cells = [
            f"{figures['ms_per_page'][cleaner]:.2f} ({figures['ratio'].get(cleaner, 0):.2f}x)" for cleaner in CLEANERS
        ]
        rows.append([name, str(tally.pages), f"{figures['kilobytes_per_page']:.0f}", *cells])
    print_table(["ms/page", "pages", "kB/page", *CLEANERS], rows)
    overall = list(tallies.values())[-1]
    spread = ", ".join(f"{name} {value:.1f}" for name, value in overall.figures()["p99_to_median"].items())
    print(f"\n99th percentile by median of all pages: {spread}")
    raised = ", ".join(f"{name} on {number}" for name, number in overall.raised.items())
    print(f"\nLeft out for all: {overall.left_out} pages" + (f" (raised: {raised})" if raised else ""))


def grow(page: GoldPage, sizes: Sequence[int]) -> dict[str, float]:
    """Milliseconds a megabyte for pages of so many megabytes, made of one page again and again."""
    found = {}
    for size in sizes:
        html = page.html * max(1, size * 1_000_000 // len(page.html))
        times = []
        for _ in range(max(1, _GROWN_MEGABYTES // size)):
            start = time.process_time()
            _gristmill(html, page.lang)
            times.append(time.process_time() - start)
        found[f"{size} MB"] = 1000 * min(times) / (len(html) / 1e6)
    return found


def read_arguments() -> argparse.Namespace:
    """The options of this run."""
    parser = command_line(f"ms/page of gristmill.clean and of its peers. {__doc__}")
    parser.add_argument(
        "--sets", default="", metavar="A,B", help="gold standards, by the names of their files (default: all)"
    )
    parser.add_argument("--limit", type=at_least_one, metavar="N", help="pages of each gold standard (default: all)")
    parser.add_argument(
        "--repeat", type=at_least_one, default=3, metavar="K", help="runs of each cleaner on each page (default: 3)"
    )
    parser.add_argument(
        "--megabytes",
        type=at_least_one,
        nargs="+",
        default=[1, 5, 50],
        metavar="N",
        help="sizes of large pages to clean",
    )
    return parser.parse_args()


def main() -> None:
    """Measure set after set, then print."""
    arguments = read_arguments()
    logging.disable(logging.CRITICAL)
    tallies: dict[str, Tally] = {}
    overall = Tally()
    for path in find_gold_sets(arguments.gold, [name for name in arguments.sets.split(",") if name]):
        pages = list(read_gold_pages(path, arguments.limit))
        tell(f"{path.stem}: {len(pages)} pages")
        measure_set(pages[:2], repeat=1)  # what is loaded at the first use is loaded now
        gc.collect()
        gc.freeze()
        tallies[path.stem] = measure_set(pages, arguments.repeat)
        overall.add(tallies[path.stem])
    tallies["all"] = overall
    growth = grow(max(pages, key=lambda page: len(page.html) if len(page.html) < 200_000 else 0), arguments.megabytes)
    if arguments.json:
        print(json.dumps({name: tally.figures() for name, tally in tallies.items()} | {"growth": growth}, indent=2))
    else:
        print_figures(tallies)
        print(
            "\nms/MB of gristmill on one large page: "
            + ", ".join(f"{size} {value:.1f}" for size, value in growth.items())
        )


if __name__ == "__main__":
    main()
