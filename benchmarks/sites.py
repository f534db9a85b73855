"""Methods for all pages of a site: how good they are, how much memory a build takes, and what grouping is worth.

quality: the scores of the site methods on those pages of gold standards that have `--least` pages of their site beside
each other. memory: a build of one site, with its pages once, twice, four times...; the greatest memory of any of its
processes. grouping: a site whose pages are spread over some archives, built together and archive by archive; in how
many documents its menu stays.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from harness import command_line, find_gold_sets, print_table, tell

import gristmill
from gristmill.archive.writer import WarcWriter
from gristmill.config import Config
from gristmill.evaluation import GoldSet, by_site, evaluate, read_gold, summarise

SITE_METHODS = ["site-diff", "site-text", "site-dom", "site-style-tree", "site-pagelets"]
OPTIONS = ["prune=yes", "fromtarget=yes", "sparse=yes", "prune=yes,sparse=yes", "prune=yes,fromtarget=yes"]
METHODS = [
    *("all", "bte", "density", "mill"),
    *SITE_METHODS,
    *(f"site-diff:{options}" for options in OPTIONS),
    "site-text:unit=words,window=6,step=1,count=pages,upper=0",
    "site-dom:count=pages,upper=0",
]
_PARAGRAPHS, _ARCHIVES, _PAGES = 60, 4, 3
_MENU = (
    "<ul><li><a href=/0>All about the mill</a><li><a href=/1>Visit us on a windy day</a>"
    "<li><a href=/2>Our flour and our bread</a></ul>"
)


def measure_quality(paths: Sequence[Path], least: int, methods: Sequence[str], workers: int) -> None:
    """Print a row a method: precision, recall and F1 of words in their order as means over pages, multiset F1, time."""
    for found in read_gold(paths):
        groups = [group for group in by_site(found.pages).values() if len(group) >= least]
        pages = [page for group in groups for page in group]
        if not pages:
            tell(f"{found.name}: no site with {least} pages")
            continue
        tell(f"{found.name}: {len(pages)} pages of {len(groups)} sites")
        rows = []
        for summary in summarise(evaluate([GoldSet(found.name, pages)], methods, workers=workers)):
            of = summary.overall
            values = [of["macro"][name] for name in ("precision", "recall", "f1")] + [of["multiset"]["f1"]]
            rows.append([f"`{summary.method}`", *(f"{value * 100:.1f}" for value in values)])
        print_table([found.name, "precision", "recall", "F1", "multiset F1"], rows)


def _write_site(path: Path, first: int, pages: int, paragraphs: int) -> None:
    with path.open("wb") as file, WarcWriter(file) as writer:
        for number in range(first, first + pages):
            text = "".join(
                f"<p>Paragraph {at} of page {number} tells what happened at mill {number * at} on day {at}, at length."
                for at in range(paragraphs)
            )
            head = {"Content-Type": "text/html"}
            html = f"{_MENU}<h1>Page {number}</h1>{text}".encode()
            writer.write_response(f"http://mill.example/{number}", "2026-01-01T00:00:00Z", 200, head, html)


def build_one(archive: Path, method: str) -> None:
    """Build one archive, and print the seconds, and the greatest memory of this process and of its workers in MB."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        gristmill.build([archive], Path(folder) / "corpus", Config().replace(clean_method=method), workers=1)
    used = [resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(f"{time.perf_counter() - start:.1f} {used[0]:.0f} {used[1]:.0f}")


def measure_memory(pages: int, times: Sequence[int], methods: Sequence[str]) -> None:
    """Print a row a method and size: the pages of one site, in one archive."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for factor in times:
            archive = Path(folder) / f"{factor}.warc.gz"
            _write_site(archive, 0, pages * factor, _PARAGRAPHS)
            for method in methods:
                command = [sys.executable, __file__, "build", str(archive), "--method", method]
                shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
                rows.append([f"`{method}`", f"{pages * factor:,}", *shown])
                tell(" ".join(rows[-1]))
    print_table(["method", "pages of the site", "seconds", "MB of the process", "MB of the worker"], rows)


def measure_grouping(methods: Sequence[str]) -> None:
    """Print a row a method: in how many of the documents the menu stays, with archives together and one by one."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        archives = [Path(folder) / f"{number}.warc.gz" for number in range(_ARCHIVES)]
        for pages in (1, _PAGES):
            for number, archive in enumerate(archives):
                _write_site(archive, number * pages, pages, 8)
            for method in methods:
                name = f"{Path(folder)}/{method}-{pages}"
                together = _menus([archives], method, f"{name}-together")
                alone = _menus([[archive] for archive in archives], method, f"{name}-alone")
                rows.append([f"`{method}`", str(pages), f"{alone} of {4 * pages}", f"{together} of {4 * pages}"])
    print_table(["method", "pages in each archive", "menu stays, archive by archive", "all together"], rows)


def _menus(groups: Sequence[Sequence[Path]], method: str, folder: str) -> int:
    """Count documents with a line of the menu in their text."""
    found = 0
    for number, archives in enumerate(groups):
        config = Config().replace(clean_method=method)
        corpus = gristmill.build(list(archives), f"{folder}-{number}", config, workers=1)
        for shard in corpus.shards:
            found += sum("All about the mill" in document.text for document in shard.read_documents())
    return found


def main() -> None:
    """Measure what is asked for."""
    parser = command_line(__doc__ or "")
    parser.add_argument("what", choices=["quality", "memory", "grouping", "build"])
    parser.add_argument("archive", nargs="?", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--method", help="only these, with | between them")
    parser.add_argument("--least", type=int, default=2, help="pages of a site in the gold standard")
    parser.add_argument("--sets", default="cleanportaleval,andy-a,l3s-gn1", help="gold standards")
    parser.add_argument("--pages", type=int, default=1000, help="pages of the smallest site")
    parser.add_argument("--times", default="1,2,4,8,16", help="how many times as many")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    methods = given.method.split("|") if given.method else None
    if given.what == "build":
        build_one(given.archive, given.method)
    elif given.what == "quality":
        measure_quality(find_gold_sets(given.gold, given.sets.split(",")), given.least, methods or METHODS, given.jobs)
    elif given.what == "memory":
        measure_memory(given.pages, [int(part) for part in given.times.split(",")], methods or ["mill", *SITE_METHODS])
    else:
        measure_grouping(methods or SITE_METHODS)


if __name__ == "__main__":
    main()
