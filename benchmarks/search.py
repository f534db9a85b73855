"""Measure the index and queries on one core, compared with DuckDB on a table of the same tokens.

The corpus is made of texts of the gold standards, annotated and repeated with other words (`search_corpus.py`). An
index is built by a process of its own, from `tokens.parquet` to an open index. Questions are asked in this process,
ours and DuckDB's in turns; both must give the same answer. The files are put out of the system's cache before the first
question; a question's first time is given beside the median of the later ones.
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

from gristmill.search import Concordance, Index, Subcorpus, find
from gristmill.search.index.building import FOLDER
from gristmill.search.statistics.collocations import collocations
from gristmill.search.statistics.keywords import keywords
from gristmill.search.statistics.ngrams import ngrams
from gristmill.search.statistics.wordlist import word_list

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
_YEAR = 2015
_ROWS = 100
_LONG_LIST = 1000


@dataclass(frozen=True, slots=True)
class Question:
    """Something to be asked, of an index and in the ways that there are of DuckDB; the answers can be compared."""

    name: str
    ours: Callable[[Index], Any]
    peers: Sequence[Callable[[Any], Any]] = ()
    asked: float | None = None
    """Milliseconds that it may take."""


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


def first_page(concordance: Concordance) -> tuple[int, list[tuple[int, str]]]:
    """The number of hits, and the first ones with their places, without spaces, which DuckDB's table does not have."""
    return len(concordance), [(line.position, "".join(line.node.split())) for line in concordance.page(1, peer.PAGE)]


def peer_page(found: peer.Page) -> tuple[int, list[tuple[int, str]]]:
    """The number of hits and the first ones with their places, as DuckDB gives them."""
    return found.count, [(start, "".join(node.split())) for start, _, node, _ in found.lines]


def paged(query: str, hits: Sequence[str], asked: float | None = None) -> Question:
    """Count a query's hits and show the first page."""

    def way(sql: str) -> Callable[[Any], Any]:
        return lambda database: peer_page(peer.page(database, sql))

    return Question(
        f"{query}, page", lambda index: first_page(Concordance.of(index, query)), list(map(way, hits)), asked
    )


def listed(
    name: str, ours: Callable[[Index], list[tuple[Any, ...]]], statements: Sequence[str], asked: float | None = None
) -> Question:
    """Make a list; a row is a value and frequencies."""

    def way(sql: str) -> Callable[[Any], Any]:
        return lambda database: database.execute(sql).fetchall()

    return Question(name, ours, list(map(way, statements)), asked)


def questions() -> Iterator[Question]:
    """The questions that are asked, first those with a limit of time."""
    for lemma in ("be", "time"):
        yield paged(f'[lemma="{lemma}"]', [peer.one_token(f"lemma = '{lemma}'")], 20)
    yield paged('[lemma="be"] [tag="VERB"]', peer.two_tokens("lemma = 'be'", "tag = 'VERB'"), 100)
    yield paged('[tag="ADJ"] [tag="NOUN"]', peer.two_tokens("tag = 'ADJ'", "tag = 'NOUN'"), 100)
    for regex in (".*ing", "(?i)un.*able", ".*[aeiou]{3}.*"):
        yield paged(f'[word="{regex}"]', [peer.one_token(f"regexp_full_match(word, '{regex}')")], 200)
    for lemma in ("time", "be"):
        yield listed(
            f"collocations of {lemma}", _collocations(lemma), peer.collocations(f"lemma = '{lemma}'", 5, _ROWS), 500
        )
    yield listed("word list of lemmas", _word_list, peer.word_list(_LONG_LIST))
    yield listed("bigrams of words", _bigrams, peer.bigrams(_LONG_LIST))
    yield listed("keywords of years", _keywords, peer.keywords(_YEAR, _ROWS))
    right = peer.sorted_right("lemma = 'be'")
    yield Question(
        '[lemma="be"] by right context, page',
        lambda index: first_page(Concordance.of(index, '[lemma="be"]').sort("right/case")),
        [lambda database: peer_page(peer.sorted_page(database, right, "word1, word2, word3, start"))],
    )
    yield Question(
        "the same, ignoring case", lambda index: first_page(Concordance.of(index, '[lemma="be"]').sort("right"))
    )
    yield listed('[lemma="be"] by host', _by_host, peer.by_host("lemma = 'be'", _ROWS))
    gap = '[lemma="have"] []{0,3} [tag="VERB"] within <s/>'
    yield paged(gap, peer.with_gap("lemma = 'have'", 3, "tag = 'VERB'"))


def _collocations(lemma: str) -> Callable[[Index], list[tuple[Any, ...]]]:
    def ask(index: Index) -> list[tuple[Any, ...]]:
        found = collocations(index, find(index, f'[lemma="{lemma}"]'), "lemma", limit=_ROWS)
        return [(row.value, row.together, row.frequency) for row in found.rows]

    return ask


def _word_list(index: Index) -> list[tuple[Any, ...]]:
    return [(row.value, row.frequency) for row in word_list(index, "lemma", limit=_LONG_LIST).rows]


def _bigrams(index: Index) -> list[tuple[Any, ...]]:
    return [(row.value, row.frequency) for row in ngrams(index, 2, "word", limit=_LONG_LIST).rows]


def _keywords(index: Index) -> list[tuple[Any, ...]]:
    found = keywords(index, attribute="lemma", subcorpus=Subcorpus(index, f"year >= {_YEAR}"), limit=_ROWS)
    return [(row.value, row.frequency, row.reference_frequency) for row in found.rows]


def _by_host(index: Index) -> list[tuple[Any, ...]]:
    found = Concordance.of(index, '[lemma="be"]').frequency("host", _ROWS)
    return [(*row.values, row.count) for row in found.rows]


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


def ask_both(question: Question, index: Index, database: Any | None, repeat: int) -> tuple[int, Taken, Taken | None]:
    """Ask a question again and again: the number of hits or rows, our times, and those of DuckDB's best way."""
    ours = Stopwatch()
    ways = [(Stopwatch(), way) for way in question.peers] if database is not None else []
    answer = ours.time(question.ours, index)
    for watch, way in ways:
        other = watch.time(way, database)
        if other != answer:
            sys.exit(f"{question.name}: DuckDB has another answer\n{str(answer)[:1000]}\n{str(other)[:1000]}")
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
        files = output.iterdir() if output.is_dir() else [output]
        found.append(Built(seconds, user, system, run.peak_memory, sum(file.stat().st_size for file in files)))
    return min(found, key=lambda built: built.cpu_seconds)


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


def measure(corpus: Path, folder: Path, *, builds: int, repeat: int, with_peer: bool) -> dict[str, Any]:
    """All figures for one corpus; index and database are gone afterwards."""
    load = os.getloadavg()[0]
    tell("building the index")
    place, file = corpus / FOLDER, folder / "tokens.duckdb"
    built = {"gristmill": build(_BUILD, corpus, place, builds)}
    if with_peer:
        tell("filling DuckDB's table")
        built["DuckDB"] = build(_FILL, corpus, file, builds)
    put_out_of_cache([*place.iterdir(), *([file] if with_peer else [])])
    answers = {}
    with one_core():
        index = Index.open(place)
        database = peer.connect(file) if with_peer else None
        for question in questions():
            tell(question.name)
            count, ours, theirs = ask_both(question, index, database, repeat)
            asked = question.asked if index.size <= _ASKED_AT * 1.1 else None
            answers[question.name] = {
                "count": count,
                "asked": asked,
                "gristmill": asdict(ours),
                "DuckDB": asdict(theirs) if theirs else None,
            }
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
        ours, theirs, asked = answer["gristmill"], answer["DuckDB"], answer["asked"]
        rows.append([name, f"{answer['count']:,}", *(f"{ours[key]:,.1f}" for key in ("first", "clock", "cpu"))])
        rows[-1] += [f"{theirs[key]:,.1f}" for key in ("first", "clock", "cpu")] if theirs else [""] * 3
        rows[-1].append(f"{theirs['cpu'] / ours['cpu']:.1f}x" if theirs else "")
        rows[-1] += [f"{asked:g}", _met(ours["clock"] <= asked)] if asked else ["", ""]
    header = [
        "milliseconds",
        "hits or rows",
        "first",
        "median",
        "CPU",
        "DuckDB first",
        "median",
        "CPU",
        "DuckDB takes",
        "asked",
        "met",
    ]
    print_table(header, rows)


def _met(met: bool) -> str:
    return "yes" if met else "no"


def main() -> None:
    """Measure and print."""
    parser = command_line(__doc__ or "")
    parser.add_argument(
        "--tokens", default="2,20", metavar="N,N", help="sizes of the corpora in million tokens (default: 2,20)"
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
            with_peer = has_peer and millions <= arguments.peer_tokens
            figures.append(
                measure(corpus, folder, builds=arguments.builds, repeat=arguments.repeat, with_peer=with_peer)
            )
            if arguments.folder is None:
                shutil.rmtree(folder)
    if arguments.json:
        print(json.dumps(figures, indent=2))
    else:
        show(figures)


if __name__ == "__main__":
    main()
