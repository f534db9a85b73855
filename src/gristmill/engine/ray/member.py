"""What runs on a node of a Ray cluster: an actor with one worker process of ours, to which it hands on messages.

So a task has the same surroundings as on one machine, whatever Ray does in its own processes, and how it ended is
known. The worker process ends with the actor: the pipe between them breaks.

This module goes to the nodes as code, not as a name: there it has to say that gristmill is missing, if it is. So it
imports nothing of it before it is asked to, and takes plain values.
"""

from __future__ import annotations

import os
import pickletools
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

BUSY, DONE = "busy", "done"
"""What became of a task, where its worker has not ended."""
_SEEN_SECONDS = 10.0  # that a file system may take to show a file to all nodes


class Member:
    """An actor that has a worker process for tasks, one at a time."""

    def __init__(self, path: Sequence[str], environment: Mapping[str, str], folder: str) -> None:
        """Take what the driver's process has: the places of modules, some of its environment, its current folder."""
        sys.path.extend(place for place in path if place not in sys.path)
        os.environ.update(environment)
        self._folder = folder if Path(folder).is_dir() else None
        self._lock = threading.Lock()
        self._is_stopped = False
        self._process: subprocess.Popen[bytes] | None = None
        self._messages: queue.SimpleQueue[bytes | str] = queue.SimpleQueue()

    def open(self, versions: Mapping[str, str], seen: Sequence[str]) -> dict[str, Any]:
        """Start the worker process, if this node is like the driver's and sees its files; say where it is."""
        import ray  # noqa: PLC0415 (it is there, or this would not run)

        fault = self._fault(versions) or self._unseen(seen)
        if not fault:
            self._start()
        node = ray.get_runtime_context().get_node_id()
        return {"node": node, "host": ray.util.get_node_ip_address(), "pid": os.getpid(), "fault": fault}

    def _fault(self, versions: Mapping[str, str]) -> str:
        """Say what is other here than it has to be for the same results."""
        try:
            from gristmill.engine.ray.versions import versions_here  # noqa: PLC0415 (it may not be there)
        except ImportError as error:
            return f"has no gristmill {versions['gristmill']}: install it on all nodes ({error})"
        here = versions_here()
        other = [f"{name} {here[name]}, not {version}" for name, version in versions.items() if here[name] != version]
        return f"has {' and '.join(other)}: all nodes must have the same" if other else ""

    def _unseen(self, seen: Sequence[str]) -> str:
        """Say which file is not there that the driver has just made."""
        end = time.monotonic() + _SEEN_SECONDS
        for file in seen:
            while not Path(self._folder or "/", file).exists():
                if time.monotonic() > end:
                    return f"does not see {Path(file).parent}, which must be in a file system that all nodes share"
                time.sleep(0.2)
        return ""

    def _start(self) -> None:
        from gristmill.engine.local import COMMAND, process_options  # noqa: PLC0415 (as above)

        with self._lock:
            if self._is_stopped:
                raise RuntimeError("stopped")
            self._messages = queue.SimpleQueue()
            options = {**process_options(), "cwd": self._folder}
            self._process = subprocess.Popen(COMMAND, **options)  # noqa: S603 (our own program)
            threading.Thread(target=_listen, args=(self._process, self._messages), daemon=True).start()

    def run(self, order: bytes, seconds: float) -> tuple[list[bytes], str]:
        """Give the worker process a task, and wait for it, as `more` does."""
        if self._process is None or self._process.poll() is not None:
            self._start()
        assert self._process and self._process.stdin  # noqa: PT018 (it was started with a pipe)
        try:
            self._process.stdin.write(order)
            self._process.stdin.flush()
        except OSError:
            self._process.kill()  # its pipe is broken: that it ended is the next message
        return self.more(seconds)

    def more(self, seconds: float) -> tuple[list[bytes], str]:
        """Give the messages of the worker process until the task is done, for so many seconds at most.

        The second value is `busy`, `done`, or says how the worker process ended.
        """
        from gristmill.engine.local import how_ended  # noqa: PLC0415 (as above)

        end = time.monotonic() + seconds
        messages: list[bytes] = []
        while True:
            try:
                message = self._messages.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                return messages, BUSY
            if isinstance(message, str):
                return messages, how_ended(int(message))
            messages.append(message)
            if _kind(message) in {"result", "error"}:
                return messages, DONE

    def stop(self) -> None:
        """End the worker process, whatever it is doing, and start none any more."""
        with self._lock:
            self._is_stopped = True
            process = self._process
        if process:
            process.kill()
            process.wait()


def _kind(message: bytes) -> str:
    """Tell the kind of a message, which is the first text in it, without making what it holds."""
    return next(value for _, value, _ in pickletools.genops(message) if isinstance(value, str))


def _listen(process: subprocess.Popen[bytes], messages: queue.SimpleQueue[bytes | str]) -> None:
    """Take all messages of a worker process as they are; the last one is its exit code, as text."""
    from gristmill.engine.local import LENGTH  # noqa: PLC0415 (as above)

    assert process.stdout  # it was started with a pipe
    while len(head := process.stdout.read(LENGTH.size)) == LENGTH.size:
        size = LENGTH.unpack(head)[0]
        message = process.stdout.read(size)
        if len(message) < size:
            break
        messages.put(message)
    messages.put(str(process.wait()))
