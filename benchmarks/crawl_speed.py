"""CPU time a page of crawls on the loopback: ours by both strategies, and Scrapy following the same links, in one run.

The server is a process of its own and not counted. Every crawl is a process of its own too; what counts is its CPU
time, user and system, with that of its workers, less what a crawl of one page takes.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil
from harness import at_least_one, print_table, tell

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from localweb import ServedWeb, UniformWeb
from localweb.resolver import WebResolver

import gristmill
from gristmill.crawling.config import CrawlConfig
from gristmill.crawling.progress import CrawlProgress

_OURS = ("breadth-first", "yield")
_PEERS = ("scrapy", "scrapy-fast")
_PEER_PROGRAM = Path(__file__).with_name("crawl_speed_scrapy.py")
_ASKED_RATIO = 8.0
_ASKED_PAGES_A_SECOND = 400.0
_MEGABYTE = 1_000_000


def main() -> None:
    """Run all crawls in turn and print what they cost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=at_least_one, default=5_000, help="pages to crawl (default: 5,000)")
    parser.add_argument(
        "--hosts", type=at_least_one, help="hosts they are on (default: one for 25 pages, at least 200)"
    )
    parser.add_argument("--only", help=f"some of {', '.join((*_OURS, *_PEERS))}, with commas between (default: all)")
    parser.add_argument("--workers", type=at_least_one, default=2, help="processes of ours, as for gristmill.crawl")
    parser.add_argument("--peer-python", default=sys.executable, help="the Python that has Scrapy (default: this one)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON instead of tables")
    parser.add_argument("--crawl", help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    web = UniformWeb(options.hosts or max(200, options.pages // 25), options.pages)
    if options.crawl:
        print(json.dumps(crawl(options.crawl, web, options.port, options.folder, options.workers)))
        return
    names = options.only.split(",") if options.only else [*_OURS, *_PEERS]
    unknown = sorted(set(names) - {*_OURS, *_PEERS})
    if unknown:
        sys.exit(f"There is no {', '.join(unknown)}. There are: {', '.join((*_OURS, *_PEERS))}.")
    figures = {}
    for name in names:
        tell(f"{name}: {web.pages:,} pages of {web.page_bytes:,} bytes on {web.host_count} hosts...")
        startup = measure(name, UniformWeb(web.host_count, 1), options)
        figures[name] = measure(name, web, options)
        figures[name]["startup"] = startup["main"] + startup["workers"]
        for who in ("main", "workers"):
            figures[name][who] -= startup[who]
    if options.json:
        print(json.dumps(figures))
    else:
        show(figures)


def measure(name: str, web: UniformWeb, options: argparse.Namespace) -> dict[str, Any]:
    """The figures of one crawl, made in a process of its own."""
    folder = Path(tempfile.mkdtemp(prefix="crawl-speed-"))
    try:
        with ServedWeb(web) as served:
            if name in _PEERS:
                command = [options.peer_python, str(_PEER_PROGRAM), name, str(served.port), str(web.host_count)]
            else:
                command = [sys.executable, __file__, "--crawl", name, "--port", str(served.port)]
                command += ["--pages", str(web.pages), "--hosts", str(web.host_count)]
                command += ["--folder", str(folder / "crawl"), "--workers", str(options.workers)]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
            figures["served"] = sum(visit.status == 200 for visit in served.visits())
    finally:
        shutil.rmtree(folder)
    return figures


def crawl(name: str, web: UniformWeb, port: int, folder: Path, workers: int) -> dict[str, Any]:
    """Crawl the web in this process; main process and workers are counted apart."""
    languages = ["cs"] if name == "yield" else []
    config = CrawlConfig().replace(
        {
            "scope": {"languages": languages},
            "strategy": {"name": name},
            "manners": {"delay": 0.0, "ip_delay": 0.0, "answer_delay": 0.0},
            "fetch": {"networks": ["127.0.0.0/8"]},
        }
    )
    process = psutil.Process()
    memory: list[tuple[int, int, int]] = []

    def watch(progress: CrawlProgress) -> None:
        others = sum(child.memory_info().rss for child in process.children())
        memory.append((progress.pages, process.memory_info().rss, others))

    before = _cpu(resource.RUSAGE_SELF)
    started = time.perf_counter()
    summary = gristmill.crawl(
        [web.url(0)], folder, config, workers=workers, resolver=WebResolver(web, port), progress=watch
    )
    seconds = time.perf_counter() - started
    return {
        "pages": summary.pages,
        "seconds": seconds,
        "main": _cpu(resource.RUSAGE_SELF) - before,
        "workers": _cpu(resource.RUSAGE_CHILDREN),
        "memory": memory,
    }


def _cpu(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def show(figures: dict[str, dict[str, Any]]) -> None:
    """Print the figures, and beside those of others how many times ours they are."""
    costs = {name: 1000 * (each["main"] + each["workers"]) / each["pages"] for name, each in figures.items()}
    first = costs[next(iter(costs))]
    rows = []
    for name, each in figures.items():
        pages = each["pages"]
        rows.append(
            [
                name,
                f"{pages:,}",
                f"{costs[name]:.2f}",
                f"{1000 * each['main'] / pages:.2f}",
                f"{1000 * each['workers'] / pages:.2f}",
                f"{1000 / costs[name]:,.0f}",
                f"{pages / each['seconds']:,.0f}",
                f"{each['startup']:.1f}",
                f"{costs[name] / first:.1f}x",
            ]
        )
    print_table(
        ["crawl", "pages", "CPU ms/page", "main", "workers", "pages/s of CPU", "pages/s", "startup s", "to first"], rows
    )
    print(f"Asked: Scrapy at least {_ASKED_RATIO:g}x, and {_ASKED_PAGES_A_SECOND:g} pages a second of CPU.")
    for name, each in figures.items():
        if each.get("memory"):
            show_memory(name, each["memory"])


def show_memory(name: str, memory: list[tuple[int, int, int]]) -> None:
    """Print how memory grew: at about ten points, and the slope over the last three quarters."""
    print(f"\nMemory of {name}:")
    points = memory[:: max(1, len(memory) // 10)]
    rows = [[f"{pages:,}", f"{main / _MEGABYTE:.0f}", f"{others / _MEGABYTE:.0f}"] for pages, main, others in points]
    print_table(["pages", "main MB", "workers MB"], rows)
    later = memory[len(memory) // 4 :]
    pages = [point[0] for point in later]
    mean = sum(pages) / len(pages)
    spread = sum((count - mean) ** 2 for count in pages)
    if spread:
        for column, who in ((1, "main process"), (2, "workers")):
            slope = sum((point[0] - mean) * point[column] for point in later) / spread
            print(f"slope, {who}: {slope:,.0f} bytes a page")


if __name__ == "__main__":
    main()
