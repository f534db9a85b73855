"""Answers of workers that take long, much memory, or die; for tests of what a server does about it."""

from __future__ import annotations

import json
import os
import signal
import time
from functools import partial
from pathlib import Path

from gristmill.engine.pool import Pool
from gristmill.operations.documents import DocumentsAsked
from gristmill.web.app import Site
from gristmill.web.workers import Answer, Question, answer, get_ready

_MEMORY = 4 * 2**30


def misbehave(question: Question) -> Answer:
    """Do what the query says: `slow FILE` works on for a minute and notes that in a file, `die`, `memory`, `pid`."""
    assert isinstance(question.asked, DocumentsAsked)
    what, _, rest = question.asked.query.partition(" ")
    if what == "slow":
        for _ in range(600):
            time.sleep(0.1)
            with Path(rest).open("a", encoding="utf-8") as file:
                file.write("x")
    if what == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "memory":
        return answer(_too_much(question))
    if what == "pid":
        return Answer(200, json.dumps({"total": os.getpid(), "rows": []}).encode())
    return answer(question)


class _Hungry:
    """A question whose answer takes more memory than there is."""

    query, limit, offset = "mill", 10, 0

    @property
    def lang(self) -> str:
        return str(len(bytes(_MEMORY + 2**30)))


def _too_much(question: Question) -> Question:
    return Question(question.folder, question.operation, _Hungry(), question.user, question.others)


def let_misbehave(site: Site, workers: int = 1, max_seconds: float = 30.0) -> Site:
    """Have the workers of a site misbehave."""
    ready = partial(get_ready, _MEMORY, ())
    site.workers._pool = Pool(workers, misbehave, max_seconds=max_seconds, ahead=0, warm_up=ready)
    return site
