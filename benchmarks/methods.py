"""Measure all page methods: the time of a whole page with each, as a multiple of the time with `mill`.

The methods take turns at each page, several times; what counts is the best time of each method on each page, in CPU
time, so that other work on the machine changes little. Ends with 1 if a method takes more than five times as long.
"""

from __future__ import annotations

import argparse
import gc
import json
import logging
import sys
import time
from collections import Counter
from collections.abc import Sequence

from harness import GoldPage, at_least_one, command_line, find_gold_sets, print_table, read_gold_pages, tell

import gristmill
from gristmill.cleaning import METHODS
from gristmill.cleaning.methods.chosen import method_named

_BESIDE = "mill"
_MOST = 5.0  # times as long as that
VARIANTS = (
    "cedar:by=maxent",
    "chakrabarti:smoothing=no",
    "density:addtitle=yes",
    "hofmann:by=heuristic",
    "hofmann:by=title",
    "hofmann:by=genetic",
    "hofmann:by=baseline",
    "justext:remove_select=yes",
    "justext:stop_words=319",
    "maxsub:trained=no",
    "victor:langid=yes",
    "victor:trained_on=canola",
)
"""Methods with parameters by which they do something else, not the same with other numbers. Rendering is left out."""


def methods() -> list[str]:
    """All methods for one page, each followed by its variants."""
    alone = [name for name, method in METHODS.items() if method.score_site is None]
    return [spec for name in alone for spec in (name, *(v for v in VARIANTS if v.split(":")[0] == name))]


def measure(pages: Sequence[GoldPage], specs: Sequence[str], repeat: int) -> Counter[str]:
    """Seconds of all pages with each method; the method that comes first changes from run to run."""
    seconds: Counter[str] = Counter()
    for page in pages:
        times: dict[str, list[float]] = {spec: [] for spec in specs}
        for run in range(repeat):
            first = run * len(specs) // repeat
            for spec in [*specs[first:], *specs[:first]]:
                start = time.process_time()
                _ = gristmill.clean(page.html, lang=page.lang, method=spec).text
                times[spec].append(time.process_time() - start)
        seconds.update({spec: min(found) for spec, found in times.items()})
    return seconds


def read_arguments() -> argparse.Namespace:
    """The options of this run."""
    parser = command_line(f"Time of a page with each cleaning method. {__doc__}")
    parser.add_argument(
        "--sets", default="canola,cleaneval,l3s-gn1,wcxb-a", metavar="A,B", help="gold standards, by name of file"
    )
    parser.add_argument("--limit", type=at_least_one, default=25, metavar="N", help="pages of each (default: 25)")
    parser.add_argument("--repeat", type=at_least_one, default=3, metavar="K", help="runs of each (default: 3)")
    return parser.parse_args()


def main() -> None:
    """Measure all methods on the same pages, then print."""
    arguments = read_arguments()
    logging.disable(logging.CRITICAL)
    specs = methods()
    for spec in specs:
        method_named(spec)  # a variant that is not there is told before anything is measured
    pages = [
        page
        for path in find_gold_sets(arguments.gold, [name for name in arguments.sets.split(",") if name])
        for page in read_gold_pages(path, arguments.limit)
    ]
    tell(f"{len(specs)} methods on {len(pages)} pages")
    measure(pages[:2], specs, repeat=1)  # what is loaded at the first use is loaded now
    gc.collect()
    gc.freeze()
    seconds = measure(pages, specs, arguments.repeat)
    ratios = {spec: seconds[spec] / seconds[_BESIDE] for spec in specs}
    each = {spec: 1000 * seconds[spec] / len(pages) for spec in specs}
    if arguments.json:
        print(json.dumps({"pages": len(pages), "ms_per_page": each, "ratio": ratios}, indent=2))
    else:
        rows = [[spec, f"{each[spec]:.2f}", f"{ratios[spec]:.2f}"] for spec in sorted(specs, key=lambda s: ratios[s])]
        print_table(["method", "ms/page", f"times {_BESIDE}"], rows)
    slow = [spec for spec, ratio in ratios.items() if ratio > _MOST]
    if slow:
        sys.exit(f"More than {_MOST:g} times as long as {_BESIDE}: {', '.join(slow)}")


if __name__ == "__main__":
    main()
