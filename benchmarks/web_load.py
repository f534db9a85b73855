"""Measure the web app under load: a class of people who search a large corpus at once, each in a browser.

A server of its own process is asked by many people, each with a session and a connection: they search a word, turn the
page, sort, search another word, look at its frequencies and collocations, write CQL, and look at the wider context of a
hit. Between two steps they think for some seconds (`--think`); without, it is a stress. What the answers must be is
computed beforehand by the Python API: the number of hits, which lines are on the page, the first collocates. The memory
of the server and its workers is that of the kernel's `smaps_rollup`: PSS, in which shared pages count in parts, and the
part of it that is no file. The corpus is that of `search_corpus.py`. The people take part of the same cores.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
from harness import at_least_one, command_line, print_table, tell
from search_corpus import annotated_texts, write_corpus

from gristmill.corpus import CorpusReader
from gristmill.operations.searched import Ordered
from gristmill.pipeline import Corpus
from gristmill.search import build_index
from gristmill.search.index.building import FOLDER
from gristmill.search.index.index import Index
from gristmill.search.statistics.collocations import collocations
from gristmill.search.statistics.wordlist import word_list

_MILLION = 1_000_000
_WORDS, _RANKS = 40, (30, 3_000)
"""Words that people search for, of these ranks of frequency."""
_LINES = 20
_CQL = ('[lemma="be"] [tag="VERB"]', '[tag="ADJ"] [lemma="{}"]', '"the" [] "of"', '[lemma="{}"] []{{0,3}} [tag="VERB"]')
_HITS = re.compile(r"([\d,]+)(?:</b>)?\s+hits?\b")
_POSITIONS = re.compile(r'data-position="(\d+)"')
_SIMPLE = frozenset({"search", "next page"})
_IDLE_SECONDS = 10.0  # after which a connection is not used again
_WAIT_SECONDS = 60.0
_SAMPLE_SECONDS = 5.0
_MAX_MEDIAN, _MAX_P95 = 0.3, 2.0  # seconds that are asked for
Check = Callable[[bytes], bool]


@dataclass(frozen=True, slots=True)
class Step:
    """A request, its kind, and whether an answer to it is right."""

    kind: str
    path: str
    is_right: Check


@dataclass(slots=True)
class Results:
    """What the people found: seconds by kind of request, and what went wrong."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def add(self, step: Step, seconds: float, status: int, body: bytes) -> None:
        """Take note of an answer."""
        self.seconds.setdefault(step.kind, []).append(seconds)
        if status != 200:
            self.failed.append(f"{status} {step.path}")
        elif not step.is_right(body):
            self.wrong.append(step.path)


class Person:
    """Somebody with a browser: a session, a connection, and a plan of what to look for."""

    def __init__(self, port: int, plan: list[list[Step]], think: float, chance: random.Random) -> None:
        self._port, self._plan, self._think, self._chance = port, plan, think, chance
        self._cookie = ""
        self._connection: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._used = 0.0

    async def work(self, end: float, results: Results) -> None:
        """Take one plan after the other until the time is over."""
        await asyncio.sleep(self._chance.random() * self._think)
        while True:
            for step in self._chance.choice(self._plan):
                if time.monotonic() > end:
                    self._leave()
                    return
                start = time.perf_counter()
                try:
                    status, body = await asyncio.wait_for(self._get(step.path), _WAIT_SECONDS)
                except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
                    results.failed.append(f"{type(error).__name__} {step.path}")
                    self._leave()
                else:
                    results.add(step, time.perf_counter() - start, status, body)
                if self._think:
                    await asyncio.sleep(self._chance.expovariate(1 / self._think))

    def _leave(self) -> None:
        if self._connection:
            self._connection[1].close()
        self._connection = None

    async def _get(self, path: str) -> tuple[int, bytes]:
        if time.monotonic() - self._used > _IDLE_SECONDS:
            self._leave()
        if self._connection is None:
            self._connection = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._connection
        cookie = f"Cookie: {self._cookie}\r\n" if self._cookie else ""
        writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n{cookie}\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head.split("\r\n")[1:])}
        if "set-cookie" in headers:
            self._cookie = headers["set-cookie"].partition(";")[0]
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self._used = time.monotonic()
        return int(head.split()[1]), body


def plans(index: Index, name: str) -> list[list[Step]]:
    """What people look for, with what they must find: two words and a query each."""
    words = [row.value for row in word_list(index, "word", limit=_RANKS[1]).rows][_RANKS[0] :]
    words = [word for word in words if word.isascii() and word.isalpha() and word.islower()]
    chosen = words[:: max(1, len(words) // _WORDS)][:_WORDS]
    tell(f"computing what is right for {len(chosen)} words")
    found = []
    for number, word in enumerate(chosen):
        other = chosen[(number + 7) % len(chosen)]
        query = _CQL[number % len(_CQL)].format(other)
        found.append(
            [
                _search(index, name, "search", word),
                _search(index, name, "next page", word, page=2),
                _search(index, name, "sorted", word, sort="right"),
                _context(index, name, word),
                _search(index, name, "search", other),
                _counted(index, name, "frequency", other),
                _collocations(index, name, other),
                _search(index, name, "CQL", query),
            ]
        )
    return found


def _search(index: Index, name: str, kind: str, query: str, page: int = 1, sort: str = "") -> Step:
    hits = Ordered(query, sort=sort or None).find(index)
    lines = list(dict.fromkeys(str(line.position) for line in hits.page(page, _LINES)))  # hits may overlap
    total = f"{len(hits):,}"
    given = {"q": query, "sort": sort, "offset": (page - 1) * _LINES or ""}
    path = f"/{name}/search?{urlencode({key: value for key, value in given.items() if value})}"
    return Step(kind, path, lambda body: _hits(body) == total and _positions(body) == lines)


def _positions(body: bytes) -> list[str]:
    return list(dict.fromkeys(_POSITIONS.findall(body.decode())))


def _hits(body: bytes) -> str:
    found = _HITS.search(body.decode())
    return found[1] if found else ""


def _counted(index: Index, name: str, kind: str, word: str) -> Step:
    total = f"{len(Ordered(word).find(index)):,}"
    return Step(kind, f"/{name}/frequency?{urlencode({'q': word})}", lambda body: total in body.decode())


def _collocations(index: Index, name: str, word: str) -> Step:
    hits = Ordered(word).find(index)
    rows = collocations(index, hits.spans.hits, "lemma", limit=10).rows
    total, values = f"{len(hits):,}", [f">{row.value}</a>" for row in rows if row.value.isalnum()]

    def is_right(body: bytes) -> bool:
        text = body.decode()
        return _hits(body) == total and all(value in text for value in values)

    return Step("collocations", f"/{name}/collocations?{urlencode({'q': word})}", is_right)


def _context(index: Index, name: str, word: str) -> Step:
    line = Ordered(word).find(index).page(1, 1)[0]
    asked = urlencode({"position": line.position, "length": 1})
    return Step("context", f"/api/{name}/context?{asked}", lambda body: json.dumps(line.node).encode() in body)


class Memory:
    """What a server and its workers take, again and again."""

    def __init__(self, server: int) -> None:
        self._server = server
        self.samples: list[tuple[float, float, float]] = []
        """Seconds, PSS and what of it is no file, in megabytes."""

    async def watch(self) -> None:
        """Take samples until the task is cancelled."""
        start = time.monotonic()
        while True:
            found = [_rollup(process) for process in (self._server, *_children(self._server))]
            both = [sum(one.get(key, 0) for one in found) / 1e3 for key in ("Pss", "Pss_Anon")]
            self.samples.append((time.monotonic() - start, both[0], both[1]))
            await asyncio.sleep(_SAMPLE_SECONDS)

    def slopes(self) -> tuple[float, float]:
        """Megabytes a minute in the second half of the time, of both."""
        later = np.array(self.samples[len(self.samples) // 2 :])
        if len(later) < 3:
            return 0.0, 0.0
        pss, anonymous = (float(np.polyfit(later[:, 0] / 60, later[:, at], 1)[0]) for at in (1, 2))
        return pss, anonymous


def _children(process: int) -> list[int]:
    tasks = Path(f"/proc/{process}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def _rollup(process: int) -> dict[str, int]:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()[1:]
    except OSError:
        return {}
    return {name: int(value.split()[0]) for name, _, value in (line.partition(":") for line in lines)}


@contextmanager
def server(corpus: Path, workers: int | None) -> Iterator[tuple[int, int]]:
    """Serve a corpus by `gristmill serve`; gives the process and the port."""
    command = [sys.executable, "-m", "gristmill", "serve", str(corpus), "--port", "0", "--no-open"]
    command += ["--workers", str(workers)] if workers else []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            assert process.stdout
            for line in process.stdout:
                found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
                if found:
                    break
            else:
                sys.exit("the server does not start")
            yield process.pid, int(found[1])
        finally:
            process.terminate()


async def load(port: int, process: int, plan: list[list[Step]], arguments: Any) -> tuple[Results, Memory]:
    """Let all people work."""
    results, memory = Results(), Memory(process)
    watching = asyncio.create_task(memory.watch())
    end = time.monotonic() + arguments.minutes * 60
    people = [Person(port, plan, arguments.think, random.Random(number)) for number in range(arguments.people)]
    await asyncio.gather(*(person.work(end, results) for person in people))
    watching.cancel()
    return results, memory


def figures(results: Results, memory: Memory, arguments: Any) -> dict[str, Any]:
    """All figures of a run."""
    everything = [seconds for times in results.seconds.values() for seconds in times]
    simple = [seconds for kind in _SIMPLE for seconds in results.seconds.get(kind, [])]
    pss, anonymous = memory.slopes()
    return {
        "people": arguments.people,
        "think": arguments.think,
        "minutes": arguments.minutes,
        "requests": len(everything),
        "requests_per_second": len(everything) / (arguments.minutes * 60),
        "failed": len(results.failed),
        "wrong": len(results.wrong),
        "median_simple": statistics.median(simple),
        "p95": float(np.percentile(everything, 95)),
        "max": max(everything),
        "megabytes": [round(sample[1]) for sample in memory.samples[:: max(1, len(memory.samples) // 10)]],
        "megabytes_a_minute": {"pss": pss, "no_file": anonymous},
        "kinds": {
            kind: {
                "requests": len(times),
                "median": statistics.median(times),
                "p95": float(np.percentile(times, 95)),
                "max": max(times),
            }
            for kind, times in sorted(results.seconds.items())
        },
        "problems": [*results.failed[:5], *results.wrong[:5]],
    }


def show(found: dict[str, Any]) -> None:
    """Print tables."""
    rows = [
        [kind, f"{one['requests']:,}", *(f"{one[key]:.3f}" for key in ("median", "p95", "max"))]
        for kind, one in found["kinds"].items()
    ]
    print_table(["seconds", "requests", "median", "95%", "longest"], rows)
    print()
    met = {True: "yes", False: "no"}
    rows = [
        ["all answered", f"{found['failed']} of {found['requests']:,} not", met[not found["failed"]]],
        ["none wrong", f"{found['wrong']} wrong", met[not found["wrong"]]],
        ["median of simple searches", f"{found['median_simple']:.3f} s", met[found["median_simple"] < _MAX_MEDIAN]],
        ["95% of all", f"{found['p95']:.3f} s", met[found["p95"] < _MAX_P95]],
    ]
    print_table(["asked", "measured", "met"], rows)
    slopes = found["megabytes_a_minute"]
    print(
        f"\n{found['people']} people, {found['requests_per_second']:.1f} requests/s; memory {found['megabytes']} MB, "
        f"in the second half {slopes['pss']:+.2f} MB a minute, {slopes['no_file']:+.2f} of it no file"
    )
    for problem in found["problems"]:
        print(f"  {problem}")


def main() -> None:
    """Measure and print."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--tokens", type=float, default=20, metavar="MILLIONS", help="size (default: 20)")
    parser.add_argument("--sets", default="", metavar="A,B", help="gold standards that texts are of (default: all)")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where the corpus is made, or is (default: nowhere)")
    parser.add_argument("--people", type=at_least_one, default=50, metavar="N", help="at once (default: 50)")
    parser.add_argument("--think", type=float, default=5.0, metavar="S", help="seconds between steps (default: 5)")
    parser.add_argument("--minutes", type=float, default=3.0, metavar="N", help="how long (default: 3)")
    parser.add_argument("--workers", type=at_least_one, metavar="N", help="of the server (default: its own)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        place = (arguments.folder or Path(temporary)).absolute()
        tokens = round(arguments.tokens * _MILLION)
        folder = place / str(tokens) / "corpus"
        if not folder.is_dir():
            texts = annotated_texts(arguments.gold, [one for one in arguments.sets.split(",") if one], place / "texts")
            write_corpus(texts, tokens, place / str(tokens))
        if not (folder / FOLDER).is_dir():
            tell("building the index")
            build_index(CorpusReader(folder))
        plan = plans(Corpus(folder, build=False).index, folder.name)
        with server(folder, arguments.workers) as (process, port):
            tell(f"{arguments.people} people for {arguments.minutes:g} minutes")
            results, memory = asyncio.run(load(port, process, plan, arguments))
        found = figures(results, memory, arguments)
    if arguments.json:
        print(json.dumps(found, indent=2))
    else:
        show(found)


if __name__ == "__main__":
    main()
