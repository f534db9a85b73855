"""Measure the index and queries on one core, compared with DuckDB on a table of the same tokens.

The corpus is made of texts of the gold standards, annotated and repeated with other words (`search_corpus.py`). An
index is built by a process of its own, from `tokens.parquet` to an open index. Questions are asked in this process,
ours and DuckDB's in turns; both must give the same answer. The files are put out of the system's cache before the first
question; a question's first time is given beside the median of the later ones. A question that is refused, or answered
otherwise than by DuckDB, is said to be so, and the program ends with 1.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import search_duckdb as peer
from dedup import on_one_core
from harness import at_least_one, command_line, print_table, tell
from search_corpus import annotated_texts, write_corpus
from search_questions import Question, questions

from gristmill.errors import GristmillError
from gristmill.search import Index
from gristmill.search.index.building import FOLDER

_TIMED = """
import json, os, sys, time
from pathlib import Path
import pyarrow
pyarrow.set_cpu_count(1); pyarrow.set_io_thread_count(1)
pyarrow.array([0])  # with its first array it loads pandas, if that is installed
{imports}
corpus, output = Path(sys.argv[1]), Path(sys.argv[2])
before = time.perf_counter(), *os.times()[:2]
{work}
after = time.perf_counter(), *os.times()[:2]
Path(sys.argv[3]).write_text(json.dumps([end - start for start, end in zip(before, after)]))
"""
_BUILD = _TIMED.format(
    imports="""
from gristmill.corpus import CorpusReader
from gristmill.engine.memory import keep_memory
from gristmill.search import build_index
keep_memory()
""",
    work="build_index(CorpusReader(corpus))",
)
_FILL = _TIMED.format(
    imports=f"""
sys.path.insert(0, {str(Path(__file__).parent)!r})
import duckdb
from search_duckdb import write_database
""",
    work="write_database(corpus, output)",
)
_BYTES_A_TOKEN = 100
"""Of disk: the corpus, the parts of the index, the index, and the database."""
_MILLION = 1_000_000
_BUILT_ASKED = 1_000_000  # tokens/s
_ASKED_AT = 20 * _MILLION  # tokens: what is asked of questions is asked of a corpus of this size


@dataclass(frozen=True, slots=True)
class Taken:
    """Milliseconds: the first time by the clock, and the median of the later ones by the clock and of CPU."""

    first: float
    clock: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Built:
    """The cost of an index or a table: elapsed, user and system seconds, bytes of memory and of disk."""

    seconds: float
    user_seconds: float
    system_seconds: float
    peak_memory: int
    size: int

    @property
    def cpu_seconds(self) -> float:
        """Both together."""
        return self.user_seconds + self.system_seconds


class Stopwatch:
    """Times of something that is done again and again."""

    def __init__(self) -> None:
        self._times: list[tuple[float, float]] = []

    def time(self, ask: Callable[[Any], Any], of: Any) -> Any:
        """Ask once more, and note the times."""
        clock, cpu = time.perf_counter(), time.process_time()
        answer = ask(of)
        self._times.append(((time.perf_counter() - clock) * 1000, (time.process_time() - cpu) * 1000))
        return answer

    @property
    def last(self) -> float:
        """The CPU time of the last question, in milliseconds."""
        return self._times[-1][1]

    @property
    def taken(self) -> Taken:
        """The time of the first question, and the medians of the later ones."""
        later = self._times[1:] or self._times
        clock, cpu = (statistics.median(times) for times in zip(*later, strict=True))
        return Taken(self._times[0][0], clock, cpu)


class OtherAnswerError(Exception):
    """DuckDB answers otherwise than we do."""


def ask_both(question: Question, index: Index, database: Any | None, repeat: int) -> tuple[int, Taken, Taken | None]:
    """Ask a question again and again: the number of hits or rows, our times, and those of DuckDB's best way."""
    ours = Stopwatch()
    ways = [(Stopwatch(), way) for way in question.peers] if database is not None else []
    answer = ours.time(question.ours, index)
    for watch, way in ways:
        other = watch.time(way, database)
        if other != answer:
            raise OtherAnswerError(f"DuckDB has another answer\n{str(answer)[:500]}\n{str(other)[:500]}")
    for turn in range(repeat):
        ours.time(question.ours, index)
        for watch, way in ways:
            watch.time(way, database)
        if turn == 0:
            ways = sorted(ways, key=lambda way: way[0].last)[:1]
    count = answer[0] if isinstance(answer, tuple) else len(answer)
    return count, ours.taken, ways[0][0].taken if ways else None


def build(script: str, corpus: Path, output: Path, builds: int) -> Built:
    """Make an index or a table so many times; the fastest counts."""
    found = []
    for _ in range(builds):
        shutil.rmtree(output) if output.is_dir() else output.unlink(missing_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            times = Path(folder) / "times.json"
            run = on_one_core([sys.executable, "-c", script, str(corpus), str(output), str(times)], Path(folder))
            seconds, user, system = json.loads(times.read_text())
        size = sum(file.stat().st_size for file in files_in(output))
        found.append(Built(seconds, user, system, run.peak_memory, size))
    return min(found, key=lambda built: built.cpu_seconds)


def files_in(place: Path) -> list[Path]:
    """All files of a folder, or the file that it is."""
    return [file for file in place.rglob("*") if file.is_file()] if place.is_dir() else [place]


@contextmanager
def one_core() -> Iterator[None]:
    """Let this process have one core only."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    pa.set_cpu_count(1)
    yield
    os.sched_setaffinity(0, cores)


def put_out_of_cache(files: Sequence[Path]) -> None:
    """Let the system forget what it has of files in memory."""
    for file in files:
        with file.open("rb") as opened:
            os.fsync(opened.fileno())
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def answer_of(question: Question, index: Index, database: Any | None, repeat: int) -> dict[str, Any]:
    """What is reported of a question: its times, or why there are none."""
    try:
        count, ours, theirs = ask_both(question, index, database, repeat)
    except (GristmillError, OtherAnswerError) as error:
        tell(f"{question.name}: {error}")
        return {"failed": "other answer" if isinstance(error, OtherAnswerError) else "refused", "ratio": question.ratio}
    return {
        "count": count,
        "asked": question.asked if index.size <= _ASKED_AT * 1.1 else None,
        "ratio": question.ratio,
        "gristmill": asdict(ours),
        "DuckDB": asdict(theirs) if theirs else None,
    }


def measure(corpus: Path, folder: Path, *, builds: int, repeat: int, with_peer: bool, only: str = "") -> dict[str, Any]:
    """All figures for one corpus; index and database are gone afterwards."""
    load = os.getloadavg()[0]
    tell("building the index")
    place, file = corpus / FOLDER, folder / "tokens.duckdb"
    built = {"gristmill": build(_BUILD, corpus, place, builds)}
    if with_peer:
        tell("filling DuckDB's table")
        built["DuckDB"] = build(_FILL, corpus, file, builds)
    put_out_of_cache([*files_in(place), *([file] if with_peer else [])])
    answers = {}
    with one_core():
        index = Index.open(place)
        database = peer.connect(file) if with_peer else None
        for question in questions():
            if only in question.name:
                tell(question.name)
                answers[question.name] = answer_of(question, index, database, repeat)
    if database is not None:
        database.close()
    found = {
        "tokens": index.size,
        "documents": index.documents,
        "words": len(index.attributes["word"].lexicon),
        "lemmas": len(index.attributes["lemma"].lexicon),
        "load": [load, os.getloadavg()[0]],
        "built": {name: asdict(one) | {"cpu_seconds": one.cpu_seconds} for name, one in built.items()},
        "questions": answers,
    }
    del index
    shutil.rmtree(place)
    file.unlink(missing_ok=True)
    return found


def show(figures: Sequence[dict[str, Any]]) -> None:
    """Print all tables."""
    for found in figures:
        sizes = ", ".join(f"{found[name]:,} {name}" for name in ("tokens", "documents", "words", "lemmas"))
        print(f"\n{sizes}; load {' to '.join(f'{load:.1f}' for load in found['load'])}\n")
        _show_built(found)
        print(
            ""
            if "DuckDB" in found["built"]
            else "\nDuckDB was left out: it is not installed, or this is more than --peer-tokens.\n"
        )
        _show_answers(found)


def _show_built(found: dict[str, Any]) -> None:
    rows = []
    for name, one in found["built"].items():
        speeds = [f"{found['tokens'] / one[key]:,.0f}" for key in ("seconds", "cpu_seconds")]
        rows.append([name, *(f"{one[key]:.1f}" for key in ("seconds", "cpu_seconds", "system_seconds")), *speeds])
        rows[-1] += [f"{one['size'] / found['tokens']:.1f}", f"{one['peak_memory'] / 1e6:.0f}"]
        met = found["tokens"] / one["cpu_seconds"] >= _BUILT_ASKED
        rows[-1] += [f"{_BUILT_ASKED:,}", _met(met)] if name == "gristmill" else ["", ""]
    header = [
        "built",
        "s",
        "CPU s",
        "of the system",
        "tokens/s",
        "tokens/CPU s",
        "bytes/token",
        "peak MB",
        "asked",
        "met",
    ]
    print_table(header, rows)


def _show_answers(found: dict[str, Any]) -> None:
    rows = []
    for name, answer in found["questions"].items():
        if "failed" in answer:
            rows.append([name, answer["failed"], *[""] * 9, f"{answer['ratio']:g}x", "no"])
            continue
        ours, theirs, asked = answer["gristmill"], answer["DuckDB"], answer["asked"]
        rows.append([name, f"{answer['count']:,}", *(f"{ours[key]:,.1f}" for key in ("first", "clock", "cpu"))])
        rows[-1] += [f"{asked:g}", _met(ours["clock"] <= asked)] if asked else ["", ""]
        rows[-1] += [f"{theirs[key]:,.1f}" for key in ("first", "clock", "cpu")] if theirs else [""] * 3
        ratio = theirs["cpu"] / ours["cpu"] if theirs else 0
        rows[-1] += [f"{ratio:.1f}x", f"{answer['ratio']:g}x", _met(ratio >= answer["ratio"])] if theirs else [""] * 3
    times = ["first", "median", "CPU"]
    header = ["milliseconds", "hits or rows", *times, "asked", "met", "DuckDB first", *times[1:], "takes"]
    print_table([*header, "asked", "met"], rows)


def _met(met: bool) -> str:
    return "yes" if met else "no"


def main() -> None:
    """Measure and print."""
    parser = command_line(__doc__ or "")
    parser.add_argument(
        "--tokens", default="3,20", metavar="N,N", help="sizes of the corpora in million tokens (default: 3,20)"
    )
    parser.add_argument(
        "--sets", default="", metavar="A,B", help="gold standards, by the names of their files (default: all)"
    )
    parser.add_argument(
        "--folder",
        type=Path,
        metavar="DIR",
        help="where corpora are made, and used again if they are there (default: nowhere)",
    )
    parser.add_argument(
        "--repeat", type=at_least_one, default=7, metavar="N", help="the median of so many runs counts (default: 7)"
    )
    parser.add_argument(
        "--builds", type=at_least_one, default=1, metavar="N", help="the best of so many builds counts (default: 1)"
    )
    parser.add_argument(
        "--peer-tokens", type=float, default=20, metavar="N", help="largest corpus that DuckDB gets (default: 20)"
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="only questions with this in their names")
    arguments = parser.parse_args()
    has_peer = importlib.util.find_spec("duckdb") is not None
    if not has_peer:
        tell("duckdb is not installed: left out")
    figures = []
    with tempfile.TemporaryDirectory() as temporary:
        place = (arguments.folder or Path(temporary)).absolute()
        texts = annotated_texts(arguments.gold, [name for name in arguments.sets.split(",") if name], place / "texts")
        for millions in map(float, arguments.tokens.split(",")):
            tokens = round(millions * _MILLION)
            folder = place / str(tokens)
            if shutil.disk_usage(place).free < tokens * _BYTES_A_TOKEN:
                tell(f"{tokens:,} tokens are left out: they take {tokens * _BYTES_A_TOKEN / 1e9:.0f} GB of disk")
                continue
            corpus = write_corpus(texts, tokens, folder)
            chosen = {"builds": arguments.builds, "repeat": arguments.repeat, "only": arguments.only}
            with_peer = has_peer and millions <= arguments.peer_tokens
            figures.append(measure(corpus, folder, with_peer=with_peer, **chosen))
            if arguments.folder is None:
                shutil.rmtree(folder)
    if arguments.json:
        print(json.dumps(figures, indent=2))
    else:
        show(figures)
    if any("failed" in answer for found in figures for answer in found["questions"].values()):
        sys.exit(1)


if __name__ == "__main__":
    main()
