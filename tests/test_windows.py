"""Windows imitated on this system: its locks, folders that can't be opened, open files that can't be replaced.

Which files are open, or mapped into memory, by whatever library, is what Linux says in /proc.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from command import run
from killing import contents

import gristmill
from gristmill import Config, Corpus, Selection, annotate, deduplicate, drafts, index, locks
from gristmill.arrays import storing
from gristmill.corpus.formats import FORMATS
from gristmill.drafts import move, temporary_name
from gristmill.engine import InlineEngine, LocalEngine
from gristmill.engine.local import _Worker
from gristmill.errors import GristmillError, UsageError
from gristmill.pipeline import add, build, run_watches, unwatch, watch
from gristmill.search.index.plain import PlainDocument, PlainParagraph, make_index
from gristmill.shards import exclusive, write_atomically

pytestmark = pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs /proc to see which files are open")

ENGINE = InlineEngine()
FORMS = Config().replace(annotate_taggers=("forms",))


class Msvcrt:
    """The locks of Windows: a byte of a file, by whoever has opened it, until it is unlocked."""

    LK_NBLCK, LK_UNLCK = 2, 0

    def __init__(self) -> None:
        self.holders: dict[int, int] = {}

    def locking(self, descriptor: int, mode: int, count: int) -> None:
        assert (os.lseek(descriptor, 0, os.SEEK_CUR), count) == (0, 1)
        file = os.fstat(descriptor).st_ino
        if mode == self.LK_UNLCK:
            assert self.holders.pop(file) == descriptor
        elif file in self.holders:
            raise PermissionError(errno.EACCES, "Permission denied")
        else:
            self.holders[file] = descriptor


def _open_files() -> set[str]:
    """All files that this process has open or mapped."""
    opened = {str(link.readlink()) for link in list(Path("/proc/self/fd").iterdir()) if link.exists()}
    return opened | {
        line.split(maxsplit=5)[5] for line in Path("/proc/self/maps").read_text("utf-8").splitlines() if "/" in line
    }


def _is_open(path: str | os.PathLike[str]) -> bool:
    """Whether a file is open, or one below a folder."""
    name = os.path.realpath(path)
    return any((file == name or file.startswith(f"{name}/")) and not Path(file).is_dir() for file in _open_files())


def _refusing(change: Callable[..., Any]) -> Callable[..., Any]:
    """A change of files that are not open."""

    def checked(*arguments: Any, **options: Any) -> Any:
        for path in arguments[:2]:
            if isinstance(path, str | os.PathLike) and _is_open(path):
                raise PermissionError(
                    errno.EACCES, "The process cannot access the file because it is being used by another process", path
                )
        return change(*arguments, **options)

    return checked


def _opening(path: Any, flags: int, *options: Any, **more: Any) -> int:
    if (
        isinstance(path, str | os.PathLike) and Path(path).is_dir() and flags & os.O_TMPFILE != os.O_TMPFILE
    ):  # `tempfile` has its own way
        raise PermissionError(errno.EACCES, "Permission denied", path)
    return _os_open(path, flags, *options, **more)


def _flushing(descriptor: int) -> None:
    access = next(
        line
        for line in Path(f"/proc/self/fdinfo/{descriptor}").read_text("ascii").splitlines()
        if line.startswith("flags")
    )
    if int(access.split()[1], 8) & os.O_ACCMODE == os.O_RDONLY:
        raise OSError(errno.EBADF, "Bad file descriptor")


_os_open = os.open


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> Msvcrt:
    """The differences."""
    fake = Msvcrt()
    monkeypatch.setattr(locks, "WINDOWS", True)
    monkeypatch.setattr(locks, "_fcntl", None)
    monkeypatch.setattr(locks, "_msvcrt", fake)
    monkeypatch.setattr(drafts, "_MAX_RETRY_SECONDS", 0.1)
    monkeypatch.setattr(storing, "_MAX_READ_BYTES", 0)  # all are mapped, as large ones are
    monkeypatch.setattr(shutil, "_use_fd_functions", False)
    for name in ("replace", "rename", "unlink", "remove"):
        monkeypatch.setattr(os, name, _refusing(getattr(os, name)))
    monkeypatch.setattr(os, "open", _opening)
    monkeypatch.setattr(os, "fsync", _flushing)
    monkeypatch.delattr(signal, "SIGKILL")
    return fake


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    for subject in ("mill", "bridge"):
        text = " ".join(
            f"In chapter {number} the {subject} stood by the river, as {subject}s do." for number in range(1, 20)
        )
        (folder / f"{subject}.html").write_text(f"<html lang=en><body><p>{text}</p></body></html>", "utf-8")
    return folder


def _leftovers(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.name.endswith((".tmp", ".lock"))]


def test_the_fakes_refuse_what_windows_refuses(windows: Msvcrt, tmp_path: Path) -> None:
    file, folder = tmp_path / "file", tmp_path / "folder"
    file.touch()
    folder.mkdir()
    with pytest.raises(PermissionError):
        os.open(folder, os.O_RDONLY)
    with file.open("rb"):
        for change in (
            file.unlink,
            lambda: file.rename(tmp_path / "other"),
            lambda: (tmp_path / "folder").rename(file),
        ):
            with pytest.raises(PermissionError):
                change()
        with pytest.raises(OSError, match="Bad file descriptor"), file.open("rb") as again:
            os.fsync(again.fileno())
    assert windows.holders == {}


def test_from_pages_to_lines(windows: Msvcrt, tmp_path: Path, pages: Path) -> None:
    folder = tmp_path / "corpus"
    build(pages / "mill.html", folder, FORMS, engine=ENGINE)
    watch(folder, "river", everything=True)
    add(folder, pages, engine=ENGINE)
    for method in ("onion:n=5", "onion:n=5,finder=suffix", "minhash", "onion"):
        deduplicate(folder, method, engine=ENGINE)
    annotate(folder, ["en=forms"], engine=ENGINE)
    assert len(Corpus(folder).search("mill")) == 19
    index(folder, Selection(languages=("en",)), engine=ENGINE)
    assert len(Corpus(folder).search("mill")) == 19
    run_watches(folder, engine=ENGINE)
    for name, made in FORMATS.items():
        gristmill.export(Corpus(folder), tmp_path / f"x-{name}{made.suffixes[0]}")
    assert run("stoplist", "--from", folder, "-o", tmp_path / "en.stoplist.txt").returncode == 0
    unwatch(folder, "river")
    assert _leftovers(tmp_path) == []
    assert windows.holders == {}
    files = ["corpus.toml", "index", "ngrams", "report.html", "shards", "watches"]
    assert sorted(path.name for path in folder.iterdir()) == files


def test_the_same_bytes_as_elsewhere(
    windows: Msvcrt, tmp_path: Path, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(pages, tmp_path / "there", FORMS, engine=ENGINE)
    assert windows.holders == {}
    monkeypatch.undo()
    build(pages, tmp_path / "here", FORMS, engine=ENGINE)
    assert contents(tmp_path / "there") == contents(tmp_path / "here")


def test_an_index_that_is_open_stays_until_it_is_closed(windows: Msvcrt, tmp_path: Path, pages: Path) -> None:
    corpus = build(pages, tmp_path / "corpus", FORMS, engine=ENGINE)
    assert len(corpus.search("mill")) == 19
    old = set((corpus.folder / "index/segments").iterdir())
    index(corpus.folder, Selection(languages=("cs",)), engine=ENGINE)
    assert len(corpus.search("mill")) == 19
    assert len(Corpus(corpus.folder).search("mill")) == 0
    assert old < set((corpus.folder / "index/segments").iterdir())  # they can't be removed while they are open
    del corpus
    index(tmp_path / "corpus", Selection(languages=("cs",)), engine=ENGINE)
    assert not old & set((tmp_path / "corpus/index/segments").iterdir())
    assert len(Corpus(tmp_path / "corpus").search("mill")) == 0
    assert _leftovers(tmp_path) == []
    assert windows.holders == {}


def test_a_file_that_is_read_for_a_moment_is_replaced_then(
    windows: Msvcrt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pages: Path
) -> None:
    path = tmp_path / "card.toml"
    write_atomically(path, b"old")
    reader = path.open("rb")
    monkeypatch.setattr(time, "sleep", lambda _: reader.close())
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    monkeypatch.setattr(time, "sleep", lambda _: None)
    with path.open("rb"), pytest.raises(GristmillError, match=r"card.toml: a program has it open"):
        write_atomically(path, b"newer")
    assert path.read_bytes() == b"new"
    assert _leftovers(tmp_path) == []
    with (pages / "mill.html").open("rb"), pytest.raises(GristmillError, match="pages: a program has it open"):
        move(pages, tmp_path / "elsewhere")
    assert windows.holders == {}


def test_locks(windows: Msvcrt, tmp_path: Path) -> None:
    with exclusive(tmp_path):
        with pytest.raises(GristmillError, match="another command is writing"), exclusive(tmp_path):
            pytest.fail("both are in")
        assert len(windows.holders) == 1
    assert windows.holders == {}
    assert list(tmp_path.iterdir()) == []


def test_what_killed_commands_left(windows: Msvcrt, tmp_path: Path) -> None:
    """The draft of a living process is held open, so that it can't be removed."""
    dead, living = temporary_name(tmp_path / "x"), temporary_name(tmp_path / "x")
    dead.write_bytes(b"half")
    held = locks.claim(living)
    assert held is not None
    write_atomically(tmp_path / "x", b"whole")
    assert {path.name for path in tmp_path.iterdir()} == {"x", living.name}
    locks.remove(living, held)
    assert {path.name for path in tmp_path.iterdir()} == {"x"}
    assert windows.holders == {}


def test_workers(windows: Msvcrt, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers have a process group of their own, so that Ctrl-C is for the command; exit codes are never of signals."""
    flags: list[int] = []
    start = subprocess.Popen

    def popen(*arguments: Any, creationflags: int, start_new_session: bool, **options: Any) -> subprocess.Popen[bytes]:
        assert start_new_session
        flags.append(creationflags)
        return start(*arguments, **options)

    monkeypatch.setattr(subprocess, "Popen", popen)
    monkeypatch.setattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0x200, raising=False)
    worker = _Worker()
    os.kill(worker.process.pid, 9)
    assert worker.end() == "was killed by SIGKILL (out of memory?)"
    worker.process = SimpleNamespace(wait=lambda: 0xC0000005)  # type: ignore[assignment]
    assert worker.end() == "ended with exit code 3221225477"
    assert flags == [0x200]
    assert [outcome.error for outcome in LocalEngine(1).run([], lambda _: None)] == []
    assert windows.holders == {}


@pytest.mark.parametrize("name", ["con", "NUL", "com1", "a:b", "a?"])
def test_names_that_windows_can_not_have(tmp_path: Path, pages: Path, name: str) -> None:
    corpus = build(pages, tmp_path / "corpus", FORMS, engine=ENGINE)
    with pytest.raises(UsageError, match="can't be the name of a watch"):
        watch(corpus.folder, "mill", name=name)
    assert watch(corpus.folder, "con").name == "con-"


def test_an_index_of_ones_own_can_be_made_again(windows: Msvcrt, tmp_path: Path) -> None:
    document = PlainDocument([PlainParagraph([[("We", "PRON", "we", "", False)]])])
    temporary_name(tmp_path / "glue.arrays").touch()
    for _ in range(2):
        assert make_index(tmp_path, [document]).size == 1
    assert _leftovers(tmp_path) == []
    assert windows.holders == {}
