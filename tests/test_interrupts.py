"""Ctrl-C and SIGTERM at all moments of a command: one message, the right exit code, and what is finished is kept."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import gristmill

PAGE = (
    f"<title>T</title><h1>A "
    f"mill</h1><p>{'It was the miller who said that the river would rise in the night, and it did. ' * 5}</p>"
)
GRISTMILL = [sys.executable, "-m", "gristmill"]
PATIENCE = 120  # seconds, on a machine that has much else to do

# A filter that waits at one page, for as long as there is a file "wait".
_WAITING = """
import time
from dataclasses import dataclass
from pathlib import Path
from gristmill import part
from gristmill.filter import DocumentFilter, Finding


@part("filter", "waiting")
@dataclass(frozen=True)
class Waiting(DocumentFilter):
    def judge(self, document):
        if document.url.endswith("last.html") and Path("wait").exists():
            Path("waits").touch()
            time.sleep(600)
        return Finding(True, "")
"""

# Sends itself a signal when a module is imported: as soon as a command begins its work, it imports what does it.
_STOPPED = """
import os, sys
from gristmill.__main__ import main

number, module = int(sys.argv[1]), sys.argv[2]


class Stop:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            os.kill(os.getpid(), number)


sys.meta_path.insert(0, Stop())
sys.argv = ["gristmill", *sys.argv[3:]]
main()
"""

# Sends itself an interrupt when all is done: when exit functions are called, and when its modules are taken apart.
_STOPPED_AT_THE_END = """
import atexit, os, signal, sys
from gristmill.__main__ import main


class Stop:
    def __del__(self, kill=os.kill, pid=os.getpid(), number=signal.SIGINT):
        kill(pid, number)


stop = Stop()
atexit.register(os.kill, os.getpid(), signal.SIGINT)
sys.argv[0] = "gristmill"
main()
"""

# Sends itself an interrupt where Python can only ignore what is raised.
_FINALIZED = """
import os, signal, time


class Last:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)


Last()
time.sleep(30)
"""


def _hear_interrupts() -> None:
    """Before a process becomes another program: ignore interrupts, as background jobs of a shell do."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _run(command: list[str], folder: Path, prepare: Callable[[], None] = _hear_interrupts) -> tuple[int, str, str]:
    ended = subprocess.run(
        command,
        input=PAGE,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        preexec_fn=prepare,
    )
    return ended.returncode, ended.stdout, ended.stderr


def test_an_interrupt_keeps_what_is_finished(tmp_path: Path) -> None:
    (tmp_path / "plugin.py").write_text(_WAITING)
    (tmp_path / "last.html").write_text(PAGE)
    (tmp_path / "wait").touch()
    command = [*GRISTMILL, *"build sample last.html -o corpus -j 1 --plugin plugin.py --filter waiting".split()]
    begun = time.monotonic()
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        text=True,
        preexec_fn=_hear_interrupts,  # noqa: PLW1509 (no other thread is at work)
    ) as process:
        while (
            not (waits := (tmp_path / "waits").exists())
            and process.poll() is None
            and time.monotonic() < begun + PATIENCE
        ):
            time.sleep(0.01)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT if waits else signal.SIGKILL)
        output, errors = process.communicate(timeout=PATIENCE)
    told = f"waits: {waits}, after {sent - begun:.2f} s; ended {time.monotonic() - sent:.2f} s later: {errors}{output}"
    assert process.returncode == 130, told
    assert errors.startswith("gristmill: interrupted; what is finished is kept"), told
    finished = {path: path.stat().st_mtime_ns for path in (tmp_path / "corpus").rglob("documents.parquet")}
    assert len(finished) == 1
    (tmp_path / "wait").unlink()
    code, _, errors = _run(command, tmp_path)
    assert code == 0, errors
    assert {path: path.stat().st_mtime_ns for path in finished} == finished
    assert "file:last.html" in {document.url for document in gristmill.Corpus(tmp_path / "corpus").documents()}


@pytest.mark.parametrize("way", ["exec", "eval"])
def test_an_interrupt_in_code_that_is_made_from_text(tmp_path: Path, way: str) -> None:
    """Python remembers an interrupt there after it was handled, and kills itself at the end of `python -m`."""
    (tmp_path / "plugin.py").write_text(f"import os, signal\n{way}('os.kill(os.getpid(), signal.SIGINT)')\n")
    code, output, errors = _run([*GRISTMILL, *"build sample -o corpus --plugin plugin.py".split()], tmp_path)
    assert (code, output) == (130, ""), errors
    assert errors.startswith("gristmill: interrupted")


def test_an_interrupt_in_a_finalizer_is_not_lost(tmp_path: Path) -> None:
    (tmp_path / "plugin.py").write_text(_FINALIZED)
    code, output, errors = _run([*GRISTMILL, *"build sample -o corpus --plugin plugin.py".split()], tmp_path)
    assert (code, output) == (130, ""), errors
    assert errors.startswith("gristmill: interrupted")


def test_an_interrupt_while_the_command_line_is_imported(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _STOPPED, str(int(signal.SIGINT)), "typer", "--help"]
    assert _run(command, tmp_path) == (130, "", "gristmill: interrupted\n")


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("gristmill.search.cql.matching", ["search", "CORPUS", "bread"]),
        ("gristmill.corpus.formats", ["export", "CORPUS", "-o", "out.jsonl"]),
        ("gristmill.cleaning.segmentation", ["clean", "-"]),
    ],
)
@pytest.mark.parametrize(
    ("number", "code", "message"), [(signal.SIGINT, 130, "gristmill: interrupted\n"), (signal.SIGTERM, 143, "")]
)
def test_signals_end_all_commands(
    corpus: gristmill.Corpus, tmp_path: Path, module: str, arguments: list[str], number: int, code: int, message: str
) -> None:
    given = [str(corpus.folder) if argument == "CORPUS" else argument for argument in arguments]
    assert _run([sys.executable, "-c", _STOPPED, str(int(number)), module, *given], tmp_path) == (code, "", message)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("arguments", "code"), [(["--version"], 0), (["clean", "none.html"], 2)])
def test_an_interrupt_when_all_is_done_changes_nothing(tmp_path: Path, arguments: list[str], code: int) -> None:
    ended, output, errors = _run([sys.executable, "-c", _STOPPED_AT_THE_END, *arguments], tmp_path)
    assert (ended, "Exception" in errors) == (code, False), errors
    assert bool(output) == (code == 0)


def test_a_job_in_the_background_of_a_script_is_not_interrupted(tmp_path: Path) -> None:
    """Its shell has it ignore interrupts: they are meant for what runs in front."""
    command = [sys.executable, "-c", _STOPPED, str(int(signal.SIGINT)), "gristmill.cleaning.segmentation", "clean", "-"]
    code, output, errors = _run(command, tmp_path, _ignore_interrupts)
    assert (code, errors) == (0, "")
    assert "miller" in output
