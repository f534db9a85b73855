"""A worker process: takes tasks from standard input and answers on standard output, until the input ends.

It ends with its master: a thread notices when the pipe breaks and stops the process at once, even in the middle of a
task. What it was writing then is left under a temporary name.
"""

from __future__ import annotations

import os
import queue
import threading
from typing import IO, Any

from gristmill.engine.local import Order, receive, send
from gristmill.engine.memory import keep_memory
from gristmill.errors import GristmillError


def main() -> None:
    """Serve tasks."""
    keep_memory()
    given, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(
        os.open(os.devnull, os.O_RDONLY), 0
    )  # on Windows, libraries that look at it when they are loaded wait while a thread reads it
    os.dup2(2, 1)  # what a library prints must not get between the answers
    tasks: queue.SimpleQueue[Order] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(given, tasks), daemon=True).start()
    while True:
        send(answers, _answer(tasks.get(), answers))


def _listen(stream: IO[bytes], tasks: queue.SimpleQueue[Order]) -> None:
    try:
        while True:
            tasks.put(receive(stream))
    finally:  # whatever it was, there will be no more tasks
        os._exit(0)


def _answer(task: Order, answers: IO[bytes]) -> tuple[str, Any]:
    try:
        return "result", task.run(lambda amount: send(answers, ("progress", amount)))
    except (GristmillError, OSError) as error:
        return "error", str(error)
    except Exception as error:  # noqa: BLE001 (whatever it is, it must fail this task only)
        return "error", f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    main()
