"""Measure building: time and memory by the size of the input, compared with a loop over warcio and trafilatura.

Archives are written from pages of the gold standards into a temporary folder. For larger and larger input, the text of
these pages is replaced by words that follow each other as words do, so that no page is a copy of another. Everything
measured is a process of its own, started afresh. Memory is the largest sum of resident memory of the process and its
children, looked at fifty times a second with psutil; pages that processes share count once for each.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from add_pages import Chain, Shell
from harness import GoldPage, at_least_one, command_line, find_gold_sets, print_table, read_gold_pages, tell

import gristmill
from gristmill.archive import WarcWriter

psutil: Any = importlib.import_module("psutil")  # so, because it comes without types

_BUILD = "import sys, gristmill; gristmill.build(sys.argv[2:], sys.argv[1], workers=1)"
_PLAIN_LOOP = Path(__file__).with_name("plain_loop.py")
_DATE = "2024-01-01T00:00:00Z"
_BODY = re.compile(rb"<body[^>]*>", re.IGNORECASE)
_TEXT_END = re.compile(rb"(?=</p>|<br\b)", re.IGNORECASE)
_MARK = (
    "<p>This is page number {number}, and this paragraph is here so that no page of any of the archives has the same "
    "text as another one, "
    "because what is the same to the letter would be found to be a copy of what was there before it.</p>"
)
_SAMPLES_A_SECOND = 50
_FEWEST_PAGES = 20


@dataclass(frozen=True, slots=True)
class Run:
    """What one process took: seconds by the clock, seconds of CPU (with its children), bytes of memory at most."""

    seconds: float
    cpu_seconds: float
    peak_memory: int

    def best(self, other: Run | None) -> Run:
        """The shorter times of two runs, and the larger memory."""
        if other is None:
            return self
        return Run(
            min(self.seconds, other.seconds),
            min(self.cpu_seconds, other.cpu_seconds),
            max(self.peak_memory, other.peak_memory),
        )


class MemoryWatch(threading.Thread):
    """Looks at the resident memory of a process and its children until it ends."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.peak = 0
        self._process = psutil.Process(pid)
        self._ended = threading.Event()
        self.start()

    def run(self) -> None:
        """Look again and again."""
        while not self._ended.wait(1 / _SAMPLES_A_SECOND):
            self.peak = max(self.peak, self._sum())

    def end(self) -> int:
        """Stop looking; the largest sum that was seen, in bytes."""
        self._ended.set()
        self.join()
        return self.peak

    def _sum(self) -> int:
        total = 0
        try:
            for process in (self._process, *self._process.children(recursive=True)):
                total += process.memory_info().rss
        except psutil.NoSuchProcess:  # it ended between two looks
            return 0
        return total


Program = Callable[[Path, Sequence[Path]], list[str]]
"""The command line that turns archives into an output."""


def gristmill_build(output: Path, archives: Sequence[Path]) -> list[str]:
    """A script that calls `gristmill.build`."""
    return [sys.executable, "-c", _BUILD, str(output), *map(str, archives)]


def plain_loop(output: Path, archives: Sequence[Path]) -> list[str]:
    """A script with warcio and trafilatura in it."""
    return [sys.executable, str(_PLAIN_LOOP), str(output), *map(str, archives)]


class Bench:
    """Runs programs on archives, in a folder whose content is thrown away after each run."""

    def __init__(self, folder: Path, repeat: int) -> None:
        self.repeat = repeat
        self._output = folder / "output"

    def compare(self, tasks: Sequence[tuple[Program, Sequence[Path], int]]) -> list[Run]:
        """The best run of every task (a program, its archives, their pages), the tasks taking turns."""
        best: dict[int, Run] = {}
        for _ in range(self.repeat):
            for number, task in enumerate(tasks):
                best[number] = self.run(*task).best(best.get(number))
        return [best[number] for number in range(len(tasks))]

    def run(self, program: Program, archives: Sequence[Path], pages: int) -> Run:
        """Run a program once and see that it made something of every page."""
        cpu = _cpu_of_children()
        start = time.perf_counter()
        with subprocess.Popen(program(self._output, archives)) as process:
            watch = MemoryWatch(process.pid)
            code = process.wait()
            seconds = time.perf_counter() - start
        found = Run(seconds, _cpu_of_children() - cpu, watch.end())
        if code:
            sys.exit(f"{program.__name__} ended with exit code {code}")
        if _count_pages(self._output) != pages:
            sys.exit(f"{program.__name__} read {_count_pages(self._output)} of {pages} pages")
        self._clear()
        return found

    def _clear(self) -> None:
        if self._output.is_dir():
            shutil.rmtree(self._output)
        else:
            self._output.unlink()


def _cpu_of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _count_pages(output: Path) -> int:
    """Pages in a corpus, or lines in a file."""
    if output.is_file():
        with output.open("rb") as file:
            return sum(1 for _ in file)
    return int(gristmill.Corpus(output).counts["pages"])


def choose_pages(gold: Path, number: int) -> list[GoldPage]:
    """Pages of all gold standards in turn, about as many of each."""
    sets = find_gold_sets(gold)
    share = -(-number // len(sets))
    turns = itertools.zip_longest(*(read_gold_pages(path, share) for path in sets))
    return [page for page in itertools.chain.from_iterable(turns) if page][:number]


def write_archive(path: Path, pages: Sequence[GoldPage], archive: int) -> Path:
    """Write pages into a WARC file, each with something in it that no other page has."""
    with path.open("wb") as stream, WarcWriter(stream) as writer:
        for number, page in enumerate(pages):
            url = f"http://{page.gold_set}.example/{archive}/{number}"
            writer.write_response(
                url, _DATE, 200, {"Content-Type": "text/html"}, mark(page.html, f"{archive}-{number}")
            )
    return path


def write_growing(path: Path, shells: Sequence[Shell], chain: Chain, archive: int) -> Path:
    """Write the same pages into a WARC file with text that no other page has."""
    with path.open("wb") as stream, WarcWriter(stream) as writer:
        for number, shell in enumerate(shells):
            url = f"http://site{number % 97}.example/{archive}/{number}"
            writer.write_response(url, _DATE, 200, {"Content-Type": "text/html; charset=utf-8"}, shell.filled(chain))
    return path


def mark(html: bytes, number: str) -> bytes:
    """Put a number into a page, as a paragraph and at the end of all paragraphs and lines, so that no two are equal."""
    html = _TEXT_END.sub(f" {number}".encode(), html)
    body = _BODY.search(html)
    at = body.end() if body else len(html)
    return html[:at] + _MARK.format(number=number).encode() + html[at:]


def join_archives(path: Path, parts: Sequence[Path]) -> Path:
    """One archive with the records of several: they can simply be put one behind the other."""
    with path.open("wb") as whole:
        for part in parts:
            with part.open("rb") as file:
                shutil.copyfileobj(file, whole)
    return path


@dataclass(frozen=True, slots=True)
class Speed:
    """A program on the archive of scale 1; `startup` is what it takes on an archive of one page."""

    program: str
    pages: int
    run: Run
    startup: Run

    @property
    def pages_per_second(self) -> float:
        """With everything, from the start of the process to its end."""
        return self.pages / self.run.seconds

    @property
    def without_startup(self) -> float:
        """Pages per second of what more pages add."""
        return (self.pages - 1) / max(0.001, self.run.seconds - self.startup.seconds)


@dataclass(frozen=True, slots=True)
class Growth:
    """`gristmill.build` on a multiple of the archive, as several archives or as one."""

    scale: int
    archives: int
    pages: int
    run: Run
    page_seconds: float
    """CPU seconds per page, without startup: they change less than elapsed time with other work on the machine."""


def measure_speed(bench: Bench, pages: int, archive: Path, tiny: Path) -> list[Speed]:
    """Gristmill and the plain loop, on an archive and on one with a single page."""
    programs = (gristmill_build, plain_loop)
    runs = bench.compare(
        [(program, [path], count) for path, count in ((archive, pages), (tiny, 1)) for program in programs]
    )
    return [Speed(program.__name__, pages, runs[at], runs[at + 2]) for at, program in enumerate(programs)]


def measure_growth(
    bench: Bench, pages: int, scales: Sequence[int], archives: Sequence[Path], startup: float
) -> list[Growth]:
    """Gristmill on more and more archives, and on one archive that is larger and larger."""
    inputs: list[tuple[int, list[Path]]] = []
    for scale in scales:
        parts = list(archives[:scale])
        inputs.append((scale, parts))
        if scale > 1:
            inputs.append((scale, [join_archives(parts[0].with_name(f"joined-{scale}.warc.gz"), parts)]))
    runs = bench.compare([(gristmill_build, paths, pages * scale) for scale, paths in inputs])
    return [
        Growth(scale, len(paths), pages * scale, run, (run.cpu_seconds - startup) / (pages * scale))
        for (scale, paths), run in zip(inputs, runs, strict=True)
    ]


def print_speed(speeds: Sequence[Speed]) -> None:
    """A table of pages per second, and the ratios to the plain loop."""
    header = [
        f"{speeds[0].pages} pages",
        "seconds",
        "CPU seconds",
        "pages/s",
        "pages/s without startup",
        "startup s",
        "peak MB",
    ]
    rows = [
        [
            speed.program,
            f"{speed.run.seconds:.2f}",
            f"{speed.run.cpu_seconds:.2f}",
            f"{speed.pages_per_second:.1f}",
            f"{speed.without_startup:.1f}",
            f"{speed.startup.seconds:.2f}",
            _megabytes(speed.run),
        ]
        for speed in speeds
    ]
    print_table(header, rows)
    ours, plain = speeds
    with_startup, without = ours.pages_per_second / plain.pages_per_second, ours.without_startup / plain.without_startup
    print(f"\ngristmill makes {with_startup:.2f} times as many pages a second, {without:.2f} times without startup")
    print(f"and takes {ours.run.cpu_seconds / plain.run.cpu_seconds:.3f} of the CPU time\n")


def print_growth(growth: Sequence[Growth]) -> None:
    """A table of time and memory by the size of the input, relative to its first row."""
    first = growth[0]
    rows = [
        [
            f"{row.scale}x in {row.archives} archive{'s' if row.archives > 1 else ''}",
            str(row.pages),
            f"{row.run.seconds:.2f}",
            f"{row.run.cpu_seconds:.2f}",
            f"{1000 * row.page_seconds:.2f}",
            f"{row.page_seconds / first.page_seconds:.2f}",
            _megabytes(row.run),
            f"{row.run.peak_memory / first.run.peak_memory:.2f}",
        ]
        for row in growth
    ]
    print_table(
        ["gristmill_build", "pages", "seconds", "CPU seconds", "CPU ms/page", "relative", "peak MB", "relative"], rows
    )


def _megabytes(run: Run) -> str:
    return f"{run.peak_memory / 1e6:.0f}"


def figures(speeds: Sequence[Speed], growth: Sequence[Growth]) -> dict[str, object]:
    """All figures by their names."""
    ours, plain = speeds
    return {
        "speed": [
            asdict(speed)
            | {"pages_per_second": speed.pages_per_second, "pages_per_second_without_startup": speed.without_startup}
            for speed in speeds
        ],
        "ratio": ours.pages_per_second / plain.pages_per_second,
        "ratio_without_startup": ours.without_startup / plain.without_startup,
        "cpu_ratio": ours.run.cpu_seconds / plain.run.cpu_seconds,
        "growth": [asdict(row) for row in growth],
    }


def scales(value: str) -> list[int]:
    """The sizes of the input, in order."""
    return sorted({at_least_one(item) for item in value.split(",")})


def read_arguments() -> argparse.Namespace:
    """The options of this run."""
    parser = command_line(f"Pages per second from WARC to corpus. {__doc__}")
    parser.add_argument(
        "--pages", type=at_least_one, default=600, metavar="N", help="pages at scale 1, about (default: 600)"
    )
    parser.add_argument(
        "--scale", type=scales, default="1,4,16", metavar="A,B", help="multiples of the input (default: 1,4,16)"
    )
    parser.add_argument(
        "--repeat", type=at_least_one, default=2, metavar="K", help="runs of everything; the best counts (default: 2)"
    )
    arguments = parser.parse_args()
    if arguments.pages < _FEWEST_PAGES:
        parser.error(f"--pages must be {_FEWEST_PAGES} or more: startup would be all that is measured")
    return arguments


def main() -> None:
    """Write the archives, measure, print."""
    arguments = read_arguments()
    pages = choose_pages(arguments.gold, arguments.pages)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tell(f"writing {max(arguments.scale) + 1} archives of {len(pages)} pages")
        real = write_archive(folder / "real.warc.gz", pages, 0)
        chain = Chain([gristmill.clean(page.html).text for page in pages if page.lang == "en"])
        shells = [Shell.of(gristmill.decode(page.html).text) for page in pages]
        archives = [
            write_growing(folder / f"{number:03d}.warc.gz", shells, chain, number)
            for number in range(max(arguments.scale))
        ]
        tiny = write_archive(folder / "tiny.warc.gz", pages[:1], 0)
        bench = Bench(folder, arguments.repeat)
        tell("gristmill and the plain loop")
        speeds = measure_speed(bench, len(pages), real, tiny)
        tell("larger and larger input")
        growth = measure_growth(bench, len(pages), arguments.scale, archives, speeds[0].startup.cpu_seconds)
    if arguments.json:
        print(json.dumps(figures(speeds, growth), indent=2))
    else:
        print_speed(speeds)
        print_growth(growth)


if __name__ == "__main__":
    main()
