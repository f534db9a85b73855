"""Faults that a crawl lives with: the network goes, the disk is full, it is interrupted, files are not as they were."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from crawl_runs import Forked, SwitchedWeb, on_disk, settings, stored
from localweb import ServedWeb, UniformWeb
from waiting import wait_until

import gristmill
from gristmill.consent import UntrustedError
from gristmill.corpus import CorpusReader
from gristmill.crawling import CrawlConfig, CrawlProgress, crawler, outage, resume
from gristmill.engine import InlineEngine
from gristmill.errors import GristmillError
from gristmill.fetching.exchange import Endpoint
from gristmill.fetching.resolver import HostsFile, Resolver, SystemResolver
from gristmill.leases import locked

resource = pytest.importorskip("resource")

WEB = UniformWeb(30, 300, 8_000, 12)
PAGES = {WEB.url(number) for number in range(WEB.pages)}


@pytest.fixture(scope="module")
def served() -> Iterator[ServedWeb]:
    with ServedWeb(WEB) as web:
        yield web


@pytest.fixture
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a crawl wait for less long."""
    monkeypatch.setattr(crawler, "_COMMIT_SECONDS", 0.05)
    monkeypatch.setattr(crawler, "HELD_SECONDS", 0.05)
    monkeypatch.setattr(outage, "_FIRST_WAIT_SECONDS", 0.2)


def _urls(folder: Path) -> list[str]:
    return sorted(url for url, _ in stored(folder))


def _done(folder: Path) -> Counter[str]:
    with closing(sqlite3.connect(folder / "frontier.sqlite")) as db:
        assert db.execute("SELECT count(*) FROM host WHERE dead <> ''").fetchone() == (0,)
        return Counter(outcome for (outcome,) in db.execute("SELECT outcome FROM done"))


class _Switch:
    """Takes the network away when some pages are there, and gives it back when the crawl waits for it."""

    def __init__(self, web: SwitchedWeb, pages: int) -> None:
        self._web = web
        self._pages = pages
        self.states: list[str] = []

    def __call__(self, progress: CrawlProgress) -> None:
        if self.states[-1:] != [progress.state]:
            self.states.append(progress.state)
            if progress.state == "waiting for the network":
                self._web.start()
        if self._pages and progress.pages >= self._pages:
            self._pages = 0
            self._web.stop()


@pytest.mark.usefixtures("_quick")
@pytest.mark.parametrize("hosts", [30, 1])
def test_a_crawl_waits_for_the_network(tmp_path: Path, hosts: int) -> None:
    """Also that of one site, which could be the site's fault as well."""
    web = UniformWeb(hosts, 300, 8_000, 12)
    with SwitchedWeb(web, tmp_path) as switched:
        switch = _Switch(switched, 60)
        summary = gristmill.crawl([web.url(0)], tmp_path / "crawl", settings(switched), workers=1, progress=switch)
    assert "waiting for the network" in switch.states
    assert summary.ended == "nothing left"
    assert _urls(tmp_path / "crawl") == sorted(web.url(number) for number in range(300))
    assert _done(tmp_path / "crawl") == {"stored": 300}


class _Names:
    """A resolver whose name servers are gone for a while."""

    def __init__(self, behind: Resolver, found: int) -> None:
        self._behind = behind
        self._found = found
        self.states: set[str] = set()

    async def resolve(self, host: str, port: int) -> list[Endpoint]:
        if self._found <= 0 and "waiting for the network" not in self.states:
            raise OSError(socket.EAI_AGAIN, "no answer")
        self._found -= 1
        return await self._behind.resolve(host, port)

    def __call__(self, progress: CrawlProgress) -> None:
        self.states.add(progress.state)


@pytest.mark.usefixtures("_quick")
@pytest.mark.parametrize("found", [0, 5])
def test_a_crawl_waits_for_name_servers(served: ServedWeb, tmp_path: Path, found: int) -> None:
    names = _Names(HostsFile(served.hosts_file, SystemResolver()), found)
    config = settings(served, fetch={"hosts_file": ""})
    summary = gristmill.crawl([WEB.url(0)], tmp_path / "crawl", config, workers=1, resolver=names, progress=names)
    assert "waiting for the network" in names.states
    assert summary.ended == "nothing left"
    assert _urls(tmp_path / "crawl") == sorted(PAGES)
    assert _done(tmp_path / "crawl") == {"stored": 300}


@pytest.mark.usefixtures("_quick")
def test_a_dead_host_is_given_up(served: ServedWeb, tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text(f"{served.hosts_file.read_text()}127.0.0.1:1 mrtvy.cz\n", "utf-8")
    config = settings(served, strategy={"name": "yield"}, manners={"back_off": 0.05}, fetch={"hosts_file": str(hosts)})
    seeds = [WEB.url(0), *(f"http://mrtvy.cz/{number}" for number in range(9))]
    assert gristmill.crawl(seeds, tmp_path / "crawl", config, workers=1).ended == "nothing left"
    assert _urls(tmp_path / "crawl") == sorted(PAGES)
    with closing(sqlite3.connect(tmp_path / "crawl/frontier.sqlite")) as db:
        assert db.execute("SELECT name, dead FROM host WHERE dead <> ''").fetchall() == [("mrtvy.cz", "connect")]
        # Five failures are enough; on a busy machine one or two more may be under way by then, but not all nine.
        assert 5 <= db.execute("SELECT count FROM outcome WHERE name = 'connect'").fetchone()[0] < 9


def _options(served: ServedWeb) -> list[str]:
    local = f"--allow-network 127.0.0.0/16 --strategy breadth-first -j 1 --hosts {served.hosts_file}".split()
    return [*local, "--delay", "0", "--ip-delay", "0", "--set", "manners.answer_delay=0"]


@contextmanager
def _command(cwd: Path, *arguments: object, most_bytes: int = -1) -> Iterator[subprocess.Popen[str]]:
    """Run a command; files that it writes can't be larger than so many bytes."""
    with subprocess.Popen(
        [sys.executable, "-m", "gristmill", *map(str, arguments)],
        cwd=cwd,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes)),  # noqa: PLW1509
    ) as process:
        yield process


def _end(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, errors = process.communicate(timeout=300)
    assert "Traceback" not in errors
    return process.returncode, errors


def _go_on(folder: Path) -> None:
    """Go on with a crawl whose pages were not yet all there, and then are, each once."""
    assert 0 < len(_urls(folder)) < len(PAGES)
    assert resume(folder, {"manners": {"delay": 0.0}}, workers=1).ended == "nothing left"
    assert _urls(folder) == sorted(PAGES)
    assert _done(folder) == {"stored": 300}


FULL = [(500_000, 10**9, "pages-00000"), (120_000, 50_000, "")]


@pytest.mark.parametrize(("most_bytes", "warc_bytes", "where"), FULL)
def test_a_full_disk(served: ServedWeb, tmp_path: Path, most_bytes: int, warc_bytes: int, where: str) -> None:
    """Whether it is the archive that can't be written or the frontier."""
    options = [*_options(served), "--set", f"fetch.warc_bytes={warc_bytes}", "--delay", "0.3"]
    with _command(tmp_path, "crawl", WEB.url(0), "-o", "crawl", *options, most_bytes=most_bytes) as process:
        code, errors = _end(process)
    assert code == 1
    assert where in errors
    assert "go on" in errors
    _go_on(tmp_path / "crawl")


def _wait_for_pages(folder: Path) -> None:
    wait_until(lambda: on_disk(folder))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(served: ServedWeb, tmp_path: Path, number: signal.Signals) -> None:
    slow = ["--delay", "0.3"]
    with _command(tmp_path, "crawl", WEB.url(0), "-o", "crawl", *_options(served), *slow) as process:
        _wait_for_pages(tmp_path / "crawl")
        process.send_signal(number)
        code, errors = _end(process)
    assert code == (130 if number == signal.SIGINT else 143)
    assert ("gristmill crawl crawl" in errors) == (number == signal.SIGINT)
    with closing(sqlite3.connect(tmp_path / "crawl/frontier.sqlite")) as db:
        in_flight = len(_urls(tmp_path / "crawl")) - db.execute("SELECT count(*) FROM done").fetchone()[0]
    assert number == signal.SIGTERM or not in_flight
    _go_on(tmp_path / "crawl")


def test_a_second_interrupt_ends_at_once(tmp_path: Path) -> None:
    with ServedWeb(WEB) as served:
        with _command(tmp_path, "crawl", WEB.url(0), "-o", "crawl", *_options(served), "--delay", "0.2") as process:
            _wait_for_pages(tmp_path / "crawl")
            os.kill(served.pid, signal.SIGSTOP)  # now requests hang
            wait_until(lambda: _is_asked(served.port))
            process.send_signal(signal.SIGINT)
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(1)
            process.send_signal(signal.SIGINT)
            code, _ = _end(process)
        os.kill(served.pid, signal.SIGCONT)
        assert code == 130
        _go_on(tmp_path / "crawl")


def _is_asked(port: int) -> bool:
    """Whether something was sent to a server that it has not read."""
    for line in Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]:
        _, local, _, state, queues, *_ = line.split()
        if int(local.rpartition(":")[2], 16) == port and state == "01" and int(queues.rpartition(":")[2], 16):
            return True
    return False


@pytest.fixture(scope="module")
def stopped(served: ServedWeb, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl that was stopped; not to be written to."""
    folder = tmp_path_factory.mktemp("stopped") / "crawl"
    gristmill.crawl([WEB.url(0)], folder, settings(served, stop={"pages": 20}), workers=1)
    return folder


def _remove_archive(folder: Path) -> None:
    (folder / "pages-00000.warc.gz").unlink()


def _link_archive(folder: Path) -> None:
    elsewhere = folder.parent / "precious"
    elsewhere.write_text("something")
    (folder / "pages-00001.warc.gz").symlink_to(elsewhere)


def _remove_frontier(folder: Path) -> None:
    (folder / "frontier.sqlite").unlink()


def _damage_frontier(folder: Path) -> None:
    (folder / "frontier.sqlite").write_bytes(b"garbage" * 1000)


def _make_newer(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "frontier.sqlite")) as db:
        db.execute("UPDATE state SET value = 99 WHERE name = 'format'")
        db.commit()


def _add_setting(folder: Path) -> None:
    path = folder / "crawl.toml"
    path.write_text(path.read_text("utf-8").replace("[fetch]", "[fetch]\ncolour = 'red'"), "utf-8")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_remove_archive, "pages-00000.warc.gz is missing, which the crawl was writing: put it back"),
        (_remove_frontier, "frontier.sqlite is missing"),
        (_damage_frontier, "frontier.sqlite: file is not a database; the crawl can't go on without it"),
        (_make_newer, "has format 99"),
        (_add_setting, "there is no setting 'colour'"),
        (lambda folder: (folder / "crawl.toml").unlink(), "is not a crawl"),
        (_link_archive, "is a link"),
    ],
)
def test_a_folder_that_is_not_as_it_was(
    stopped: Path, tmp_path: Path, change: Callable[[Path], None], message: str
) -> None:
    folder = shutil.copytree(stopped, tmp_path / "crawl")
    change(folder)
    with pytest.raises(GristmillError, match=message):
        resume(folder, {"fetch": {"networks": ["127.0.0.0/8"]}}, workers=1)


def test_a_folder_does_not_say_what_may_be_reached(stopped: Path, tmp_path: Path) -> None:
    """Also not one that was allowed in another folder; who gives it again is believed, and it is remembered."""
    folder = shutil.copytree(stopped, tmp_path / "crawl")
    before = (folder / "crawl.toml").read_bytes()
    with pytest.raises(UntrustedError, match=r"network 127\.0\.0\.0/"):
        gristmill.crawl(folder, workers=1)
    hosts = folder / "hosts"
    hosts.write_text("127.0.0.1:1 u.test")
    for spelling in (str(hosts), f"{folder}/./hosts", os.path.relpath(hosts)):
        changed = CrawlConfig.from_file(folder / "crawl.toml").replace({"fetch": {"hosts_file": spelling}})
        changed.write(folder / "crawl.toml")
        with pytest.raises(UntrustedError, match=r"hosts   .*hosts"):
            resume(folder, {"fetch": {"networks": ["127.0.0.0/8"]}}, workers=1)
    (folder / "crawl.toml").write_bytes(before)
    with pytest.raises(UntrustedError, match="network"):
        resume(folder, {"stop": {"pages": 1}}, workers=1)
    (folder / "frontier.sqlite").write_bytes(b"damaged")
    with pytest.raises(GristmillError, match="not a database"):  # so it was believed
        resume(folder, {"fetch": {"networks": CrawlConfig.from_file(folder / "crawl.toml").fetch.networks}}, workers=1)
    with pytest.raises(GristmillError, match="not a database"):
        gristmill.crawl(folder, workers=1)


def test_a_crawl_runs_once_at_a_time(stopped: Path) -> None:
    with locked(stopped), pytest.raises(GristmillError, match="another command is writing"):
        gristmill.crawl(stopped, workers=1)


def test_a_corpus_is_built_while_the_crawl_runs(served: ServedWeb, tmp_path: Path) -> None:
    """And added to again and again: in the end it has each page once, as one that is built in the end."""
    config = settings(served, manners={"delay": 0.2}, fetch={"warc_bytes": 300_000})
    folder = tmp_path / "crawl"
    run = Forked(lambda: gristmill.crawl([WEB.url(0)], folder, config, workers=1), "build")
    _wait_for_pages(folder)
    os.kill(run.pid, signal.SIGSTOP)  # however long the build takes, it is one of a part
    corpus = gristmill.build(folder, tmp_path / "corpus", engine=InlineEngine()).folder
    os.kill(run.pid, signal.SIGCONT)
    counts = [CorpusReader(corpus).counts["pages"]]
    running = True
    while running:
        running = run.is_running()
        gristmill.add(corpus, folder, engine=InlineEngine())
        counts.append(CorpusReader(corpus).counts["pages"])
    assert run.code == 0
    assert counts[0] < counts[-1]
    found = Counter(page.url for page in CorpusReader(corpus).pages())
    assert found == Counter(PAGES)
    whole = gristmill.build(folder, tmp_path / "whole", engine=InlineEngine()).folder
    assert _texts(whole) == _texts(corpus)


def _texts(corpus: Path) -> set[tuple[str, str]]:
    return {(document.url, document.text) for document in CorpusReader(corpus).pages()}
