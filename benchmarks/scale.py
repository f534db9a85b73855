"""Measure what every task of every stage costs, and the driver between them, as a corpus grows.

Archives of made-up pages are written into a temporary folder (`scale_pages.py`), built into a corpus, de-duplicated,
annotated, indexed and exported by an engine that measures each task in its process (`scale_measuring.py`). The figures
go to `scale_costs.json`; `scale_model.py` fits them and says what a cluster would take, and `scale_simulation.py` what
becomes of that if nodes are slow or fail.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import subprocess
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from harness import at_least_one, command_line, tell
from scale_measuring import MeasuringEngine, Round
from scale_pages import Archive, Web

import gristmill
from gristmill.corpus.manifest import Manifest
from gristmill.dedup.reading import largest_row_group
from gristmill.pipeline.annotating import annotate
from gristmill.pipeline.indexing import index
from gristmill.shards import read_columns

COSTS = Path(__file__).with_name("scale_costs.json")
EXPORT = "export"
_MILLION = 1_000_000
_SHARDS = {1: 3, 3: 12, 10: 10, 30: 15, 100: 30}
"""Archives by millions of words: both their number and their size grow, so that the two can be told apart."""


def main() -> None:
    """Write archives, measure, and store the figures."""
    arguments = _arguments()
    found: list[dict[str, Any]] = json.loads(arguments.output.read_text("utf-8"))["scales"] if arguments.keep else []
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        for millions in arguments.words:
            web = Web(arguments.gold)
            folder = Path(name) / f"{millions}"
            folder.mkdir()
            measured = measure(web, millions, folder, arguments.workers)
            found = sorted(
                [scale for scale in found if scale["millions"] != millions] + [measured],
                key=lambda scale: scale["millions"],
            )
            _store(arguments.output, found)
            shutil.rmtree(folder)
    tell(f"figures are in {arguments.output}; python benchmarks/scale_model.py shows tables of them")


def measure(web: Web, millions: int, folder: Path, workers: int) -> dict[str, Any]:
    """Make a corpus of so many million words by all stages, and return what was measured."""
    count = _SHARDS.get(millions, max(3, millions // 3))
    begun = time.monotonic()
    archives = [
        web.write_archive(folder / f"{number:05d}.warc.gz", millions * _MILLION // count, large=number % 2 == 1)
        for number in range(count)
    ]
    tell(f"{millions} million words: wrote {count} archives in {time.monotonic() - begun:.0f} s")
    corpus, rounds = folder / "corpus", []
    for stage in ("build", "annotate", "index", "export"):
        begun = time.monotonic()
        with ProcessPoolExecutor(1, get_context("spawn")) as driver:  # so that its memory is that of the stage alone
            rounds += driver.submit(run_stage, stage, corpus, workers).result()
        tell(f"  {stage}: {time.monotonic() - begun:.0f} s")
    return {
        "millions": millions,
        "commit": _commit(),
        **_facts(corpus, archives),
        "rounds": [asdict(made) for made in rounds],
    }


def run_stage(stage: str, corpus: Path, workers: int) -> list[Round]:
    """Run a stage in this process, with tasks in others; building has de-duplication and the report in it."""
    with MeasuringEngine(corpus, workers) as engine:
        if stage == "build":
            gristmill.build(sorted(corpus.parent.glob("*.warc.gz")), corpus, engine=engine)
        elif stage == "annotate":
            annotate(corpus, engine=engine)
        elif stage == "index":
            index(corpus, engine=engine)
        else:
            gristmill.export(corpus, corpus.parent / EXPORT, "jsonl.zst", shard_size="256MB")
    engine.rounds[-1].stage = engine.rounds[-1].stage or stage
    return engine.rounds


def _facts(corpus: Path, archives: list[Archive]) -> dict[str, Any]:
    """What there is of everything that costs may depend on."""
    manifest = Manifest.read(corpus)
    if manifest.size is None or manifest.counts is None:
        raise SystemExit(f"{corpus} is not complete")
    shards = manifest.shards
    blocks = sum(sum(read_columns(shard.documents, ["text_blocks"])["text_blocks"].to_pylist()) for shard in shards)
    return {
        "shards": len(shards),
        "pages": sum(archive.pages for archive in archives),
        "html_bytes": sum(archive.html_bytes for archive in archives),
        "archive_bytes": sum(archive.path.stat().st_size for archive in archives),
        "archives": [[archive.pages, archive.html_bytes, archive.path.stat().st_size] for archive in archives],
        "documents": manifest.size["documents"],
        "words": manifest.size["words"],
        "text_bytes": manifest.size["bytes"],
        "blocks": blocks,
        "ngrams": manifest.dedup.get("ngrams", 0),
        "exported": sum(path.stat().st_size for path in (corpus.parent / EXPORT).rglob("*") if path.is_file()),
        "row_group_bytes": max(map(largest_row_group, shards)),
    }


def _store(path: Path, scales: list[dict[str, Any]]) -> None:
    machine = {"python": platform.python_version(), "processor": _processor()}
    about = {"gristmill": gristmill.__version__, **machine}
    texts = ",\n".join(map(_lines, scales))
    path.write_text(f'{json.dumps(about)[:-1]}, "scales": [\n{texts}\n]}}\n', "utf-8")


def _lines(scale: dict[str, Any]) -> str:
    """A scale as JSON, with a line for each round: so it can be read, and compared with another one."""
    facts = {name: value for name, value in scale.items() if name != "rounds"}
    short = json.loads(json.dumps(scale["rounds"]), parse_float=lambda text: round(float(text), 5))
    rounds = ",\n".join(map(json.dumps, short))
    return f'{json.dumps(facts)[:-1]}, "rounds": [\n{rounds}\n]}}'


def _commit() -> str:
    """The commit that was measured."""
    return subprocess.run(
        ["git", "describe", "--always", "--dirty"],  # noqa: S607 (whichever git there is)
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _millions(value: str) -> list[int]:
    return sorted({at_least_one(item) for item in value.split(",")})


def _arguments() -> argparse.Namespace:
    parser = command_line(__doc__.split("\n", 1)[0])
    parser.add_argument(
        "--words",
        type=_millions,
        default="1,10",
        metavar="A,B",
        help="millions of words (default: 1,10; 100 takes hours and 60 GB)",
    )
    parser.add_argument("--workers", type=at_least_one, default=1, metavar="N", help="worker processes (default: 1)")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where to work (default: a temporary folder)")
    parser.add_argument(
        "--output", type=Path, default=COSTS, metavar="FILE", help=f"default: {COSTS.name}, beside this"
    )
    parser.add_argument("--keep", action="store_true", help="keep the figures of other numbers of words that are there")
    return parser.parse_args()


if __name__ == "__main__":
    main()
