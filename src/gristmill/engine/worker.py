"""The main program of a worker process: takes tasks from standard input and answers on standard output.

It ends with its master: a thread notices when the pipe breaks and stops the process at once, even in the middle of a
task. What it was writing then is left under a temporary name.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import queue
import sys
import threading
from typing import IO, Any

from gristmill.engine.local import receive, send
from gristmill.engine.memory import HOUSEHOLD, keep_memory
from gristmill.engine.setup import LOGGER
from gristmill.engine.task import Job, in_words, trace_of
from gristmill.lazy import importing


def main() -> None:
    """Serve tasks until the input ends, or the process has more memory than it may keep: its master starts another."""
    keep_memory()
    given, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # On Windows, libraries that look at standard input when they are loaded would wait while a thread reads it.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what a library prints must not get between the answers
    LOGGER.addHandler(_ToMaster(answers))
    tasks: queue.SimpleQueue[Job] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(given, tasks), daemon=True).start()
    with importing():
        for function in sys.argv[1:]:
            _get_ready(function)
    while not HOUSEHOLD.is_outgrown():
        send(answers, _answer(tasks.get(), answers))


def _get_ready(function: str) -> None:
    """Call a function, given as `module:name`; an error will be seen by the task that it would have been for."""
    module, _, name = function.partition(":")
    with contextlib.suppress(Exception):
        getattr(importlib.import_module(module), name)()


def _listen(stream: IO[bytes], tasks: queue.SimpleQueue[Job]) -> None:
    try:
        while True:
            tasks.put(receive(stream))
    finally:  # whatever it was, there will be no more tasks
        os._exit(0)


def _answer(task: Job, answers: IO[bytes]) -> tuple[str, Any]:
    try:
        return "result", task.run(lambda amount: send(answers, ("progress", amount)))
    except Exception as error:  # noqa: BLE001 (whatever it is, it must fail this task only)
        return "error", (in_words(error), trace_of(error))


class _ToMaster(logging.Handler):
    """Sends what is logged here to the master, between the answers: its log is the one that the user sees."""

    def __init__(self, answers: IO[bytes]) -> None:
        super().__init__()
        self._answers = answers
        self._formatter = logging.Formatter()

    def emit(self, record: logging.LogRecord) -> None:
        """Send a record, with what can't be pickled made into text."""
        if record.exc_info:
            record.exc_text = self._formatter.formatException(record.exc_info)
        record.msg, record.args, record.exc_info = record.getMessage(), None, None
        send(self._answers, ("log", record))


if __name__ == "__main__":
    main()
