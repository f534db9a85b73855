"""What adding pages to a corpus costs, next to building it: from archives to a corpus that can be searched.

A corpus is built and indexed; then one per cent of its size is added and indexed, several times.
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
from dataclasses import asdict, dataclass
from pathlib import Path

from add_pages import Pages
from harness import at_least_one, command_line, print_table, tell

_MILLION = 1_000_000
_ARCHIVE_WORDS = 1_000_000
_ADDED_SHARE = 0.01
_ASKED_SHARE = 0.03
_BUILD = "import sys, gristmill as g; g.build(sys.argv[2:], sys.argv[1]); g.index(sys.argv[1])"
_ADD = "import sys, gristmill as g; g.add(sys.argv[1], sys.argv[2:]); g.index(sys.argv[1])"
_SIZE = "import sys, gristmill as g; print(g.Corpus(sys.argv[1]).index.size)"


@dataclass(frozen=True, slots=True)
class Cost:
    """What a program took: seconds by the clock, and of CPU with its worker processes."""

    seconds: float
    cpu_seconds: float


@dataclass(frozen=True, slots=True)
class Result:
    """What building a corpus and each addition to it took."""

    tokens: int
    build: Cost
    additions: list[Cost]

    @property
    def share(self) -> float:
        """The CPU time of an addition, of that of building: the mean of all additions."""
        return sum(cost.cpu_seconds for cost in self.additions) / len(self.additions) / self.build.cpu_seconds


def run(script: str, folder: Path, *archives: Path) -> Cost:
    """Run a script on a corpus, and see what it takes."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-c", script, str(folder), *map(str, archives)], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(time.perf_counter() - start, cpu)


def measure(pages: Pages, words: int, additions: int, work: Path) -> Result:
    """Build a corpus of about so many words, and add one per cent to it, so many times."""
    sizes = [min(_ARCHIVE_WORDS, words - start) for start in range(0, words, _ARCHIVE_WORDS)]
    tell(f"writing archives with {words:,} words")
    archives = [work / f"{number:04d}.warc.gz" for number in range(len(sizes) + additions)]
    for archive, size in zip(archives, [*sizes, *[int(words * _ADDED_SHARE)] * additions], strict=True):
        pages.write_archive(archive, size)
    corpus = work / "corpus"
    tell("building")
    built = run(_BUILD, corpus, *archives[: len(sizes)])
    found = subprocess.run([sys.executable, "-c", _SIZE, str(corpus)], check=True, capture_output=True)
    tell("adding")
    added = [run(_ADD, corpus, archive) for archive in archives[len(sizes) :]]
    return Result(int(found.stdout), built, added)


def main() -> None:
    """Print what was measured; fails if an addition costs more than is asked."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--tokens", default="2,20", metavar="N,N", help="millions of words (default: 2,20)")
    parser.add_argument("--additions", type=at_least_one, default=3, metavar="N", help="how many (default: 3)")
    parser.add_argument(
        "--work", type=Path, metavar="DIR", help="where archives and corpora go, instead of a temporary folder"
    )
    arguments = parser.parse_args()
    results = [measure_in(arguments, int(float(size) * _MILLION)) for size in arguments.tokens.split(",")]
    if arguments.json:
        print(json.dumps([asdict(result) | {"share": result.share} for result in results], indent=2))
    else:
        show(results)
    if results[-1].share > _ASKED_SHARE:
        sys.exit(f"Adding 1% costs {results[-1].share:.1%} of building; asked is {_ASKED_SHARE:.0%}.")


def measure_in(arguments: argparse.Namespace, words: int) -> Result:
    """Measure one size in a folder that is removed afterwards."""
    work = Path(tempfile.mkdtemp(dir=arguments.work))
    try:
        return measure(Pages(arguments.gold), words, arguments.additions, work)
    finally:
        shutil.rmtree(work)


def show(results: list[Result]) -> None:
    """Print a row a size."""
    header = ("tokens", "build, CPU s", "by the clock", "add 1%, CPU s", "by the clock", "share of CPU")
    rows = []
    for result in results:
        cpu, clock = (
            [f"{getattr(cost, name):.1f}" for cost in result.additions] for name in ("cpu_seconds", "seconds")
        )
        build = (f"{result.build.cpu_seconds:.0f}", f"{result.build.seconds:.0f}")
        rows.append((f"{result.tokens:,}", *build, ", ".join(cpu), ", ".join(clock), f"{result.share:.1%}"))
    print_table(header, rows)


if __name__ == "__main__":
    main()
