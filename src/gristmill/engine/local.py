"""The engine that runs tasks on this machine's cores, in worker processes.

A worker is a fresh interpreter that takes pickled tasks on its standard input and answers on its standard output. A
thread for each worker (a lane) hands it task after task from a queue. (Not `multiprocessing`: its workers import the
user's main module again, so that a plain script that calls `gristmill.build` would start itself over and over.)
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import queue
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any, Self, cast

from gristmill.arguments import as_workers
from gristmill.engine.setup import Setup
from gristmill.engine.task import Job, Outcome, Report, Task, trace_of


class LocalEngine:
    """Runs tasks in a number of worker processes; a worker that dies fails its task and is replaced.

    Workers end with the run, or, within `with LocalEngine(...) as engine`, stay for the next one: a start takes longer
    than many a task.
    """

    def __init__(self, workers: int | None = None) -> None:
        self.workers = as_workers(workers)
        self._idle = _Idle()
        self._entered = False

    def at_most(self, workers: int) -> LocalEngine:
        """Make an engine with fewer workers at a time, which uses those of this one."""
        if workers >= self.workers:
            return self
        fewer = LocalEngine(workers)
        fewer._idle, fewer._entered = self._idle, self._entered
        return fewer

    def __enter__(self) -> Self:
        self._entered = True
        return self

    def __exit__(self, *exception: object) -> None:
        self._entered = False
        self._idle.end()

    def run(self, tasks: Sequence[Task], report: Report) -> Iterator[Outcome]:
        """Run tasks, and yield their outcomes as they end; if the caller stops listening, the workers are killed."""
        todo: queue.SimpleQueue[Task] = queue.SimpleQueue()
        # The longest first, so that none is left alone at the end.
        for task in sorted(tasks, key=lambda task: -task.cost):
            todo.put(task)
        done: queue.SimpleQueue[Outcome | int] = queue.SimpleQueue()
        lanes = [_Lane(todo, done, self._idle) for _ in range(min(self.workers, len(tasks)))]
        left = len(tasks)
        try:
            while left:
                message = done.get()
                if isinstance(message, Outcome):
                    left -= 1
                    yield message
                else:
                    report(message)
        finally:
            for lane in lanes:
                if left:
                    lane.kill()
                lane.join()
            if not self._entered:
                self._idle.end()


class _Idle:
    """The workers that have nothing to do, shared by all lanes."""

    def __init__(self) -> None:
        self._workers: queue.SimpleQueue[_Worker] = queue.SimpleQueue()

    def put(self, worker: _Worker) -> None:
        self._workers.put(worker)

    def get(self) -> _Worker:
        """Take one that is alive, or start a new one."""
        for worker in self._all():
            if worker.process.poll() is None:
                return worker
            worker.end()
        return _take_early() or _Worker()

    def end(self) -> None:
        for worker in self._all():
            worker.end()

    def _all(self) -> Iterator[_Worker]:
        with contextlib.suppress(queue.Empty):
            while True:
                yield self._workers.get_nowait()


class _Lane(threading.Thread):
    """Feeds one worker after another with tasks, from a thread of its own."""

    def __init__(self, todo: queue.SimpleQueue[Task], done: queue.SimpleQueue[Outcome | int], idle: _Idle) -> None:
        super().__init__(daemon=True)
        self._todo = todo
        self._done = done
        self._idle = idle
        self._lock = threading.Lock()
        self._worker: _Worker | None = None
        self._killed = False
        self.start()

    def run(self) -> None:
        while not self._killed:
            try:
                task = self._todo.get_nowait()
            except queue.Empty:
                break
            self._done.put(self._run(task))
        with self._lock:
            if self._worker and not self._killed:
                self._idle.put(self._worker)
                self._worker = None
        self._end_worker()

    def kill(self) -> None:
        """End the worker, whatever it is doing; the thread then comes to its own end."""
        with self._lock:
            self._killed = True
            if self._worker:
                self._worker.process.kill()

    def _run(self, task: Task) -> Outcome:
        begun = time.monotonic()
        try:
            order = Order.of(task)
        except Exception as error:  # noqa: BLE001 (what pickling calls may raise anything)
            said = f"it can't be sent to a worker process: {type(error).__name__}: {error}"
            return Outcome(task, error=said, traceback=trace_of(error))
        try:
            worker = self._ready_worker()
            send(worker.stdin, order)
            while True:
                kind, value = receive(worker.stdout)
                if kind == "result":
                    return Outcome(task, value, seconds=time.monotonic() - begun)
                if kind == "error":
                    return Outcome(task, error=value[0], traceback=value[1])
                if kind == "log":
                    logging.getLogger(value.name).handle(value)
                else:
                    self._done.put(value)
        except Exception as error:  # noqa: BLE001 (a lane that died of it would leave everyone waiting)
            ended = self._end_worker()
            said = ended or f"could not be used: {error}"
            return Outcome(task, error=f"its worker process {said}", traceback=trace_of(error), died=bool(ended))

    def _ready_worker(self) -> _Worker:
        with self._lock:
            if self._killed:
                raise OSError("stopped")
            self._worker = self._worker or self._idle.get()
            return self._worker

    def _end_worker(self) -> str:
        with self._lock:
            worker, self._worker = self._worker, None
        return worker.end() if worker else ""


class _Worker:
    """A worker process and the pipes to it."""

    def __init__(self, get_ready: str = "") -> None:
        """Start it; `get_ready`, a function as `module:name`, is called there before the first task comes."""
        self.path = [*sys.path]
        command = (*COMMAND, get_ready) if get_ready else COMMAND
        self.process = subprocess.Popen(command, **process_options())  # noqa: S603 (our own program)
        self.stdin = cast("IO[bytes]", self.process.stdin)
        self.stdout = cast("IO[bytes]", self.process.stdout)

    def end(self) -> str:
        """Close the pipes, which ends it if it has not ended, and say how it ended."""
        with contextlib.suppress(OSError):
            self.stdin.close()
        code = self.process.wait()
        self.stdout.close()
        return how_ended(code)


_early: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
"""Workers that were started before an engine asked for them."""


@contextlib.contextmanager
def early_worker(get_ready: str) -> Iterator[None]:
    """Start a worker that gets ready while this process does so itself; the next engine that needs one takes it.

    `get_ready` is a function as `module:name`. A worker that nobody took is ended.
    """
    with contextlib.suppress(OSError):  # without it, the engine starts one, and says what is wrong
        _early.put(_Worker(get_ready))
    try:
        yield
    finally:
        with contextlib.suppress(queue.Empty):
            _early.get_nowait().end()


def _take_early() -> _Worker | None:
    """Take a worker that was started early, if it is like those that would be started now."""
    try:
        worker = _early.get_nowait()
    except queue.Empty:
        return None
    if worker.process.poll() is None and worker.path == sys.path:
        return worker
    worker.end()
    return None


COMMAND = (sys.executable, "-P", "-m", "gristmill.engine.worker")  # -P: not from the current folder
"""The command that starts a worker process."""


def process_options() -> dict[str, Any]:
    """How a worker process is started, in the words of `subprocess.Popen`."""
    return {
        "stdin": subprocess.PIPE,
        "stdout": subprocess.PIPE,
        "start_new_session": True,  # an interrupt is for the master, which then ends its workers
        "creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same on Windows
        # There is a worker for each core: threads within one, for small matrices, would only wait for each other.
        "env": {
            "OPENBLAS_NUM_THREADS": "1",
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        },
    }


def how_ended(code: int) -> str:
    """Say how a process ended that has this return code."""
    if code >= 0:
        return f"ended with exit code {code}"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    return f"was killed by {name}" + (" (out of memory?)" if name == "SIGKILL" else "")


@dataclass(frozen=True, slots=True)
class Order:
    """A task for a worker, pickled by itself: it may have parts of a plugin, which the worker has to load first."""

    setup: Setup
    task: bytes

    @classmethod
    def of(cls, task: Job) -> Order:
        """Pickle a task, with what this process knows now."""
        return cls(Setup.of_this_process(), pickle.dumps(task, pickle.HIGHEST_PROTOCOL))

    def run(self, report: Report) -> Any:
        """Make this process like the one that gave the order, and do the task."""
        self.setup.apply()
        task: Job = pickle.loads(self.task)  # noqa: S301 (as below)
        return task.run(report)


LENGTH = struct.Struct("<Q")
"""What comes before each message: its length in bytes."""


def packed(message: Any) -> bytes:
    """Make the bytes that go through a pipe of a message."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(data)) + data


def send(stream: IO[bytes], message: Any) -> None:
    """Write one message to a pipe, in one piece: what another thread writes does not get between."""
    stream.write(packed(message))
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read one message from a pipe; EOFError at its end."""
    head = stream.read(LENGTH.size)
    data = stream.read(LENGTH.unpack(head)[0]) if len(head) == LENGTH.size else b""
    return pickle.loads(data)  # noqa: S301 (both ends are ours); a message that was cut off raises EOFError
