"""Answer operations in worker processes: a slow query keeps nobody waiting, and one that is given up is killed.

A worker keeps the corpora open that it was asked about. Before each answer it looks whether a corpus has changed, so
that a request sees one state of it, and the next may see a new one.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self

from gristmill.arguments import as_workers
from gristmill.corpus.manifest import NAME as MANIFEST
from gristmill.engine.limits import limit_memory, memory_of_machine
from gristmill.engine.memory import HOUSEHOLD
from gristmill.engine.pool import CallFailed, Pool, WorkerDied
from gristmill.errors import GristmillError, PlacedError, UsageError
from gristmill.operations.declaration import File, Operation
from gristmill.operations.kept import KeptSearches
from gristmill.parameters import to_record
from gristmill.pipeline import Corpus
from gristmill.search.index.segment import CARD
from gristmill.search.index.state import FOLDER
from gristmill.table import Table
from gristmill.web.downloads import table_answer
from gristmill.web.operations import operations
from gristmill.wording import size

MAX_ANSWER_BYTES = 128_000_000
RECORD = "record"
"""The format of answers that our own pages are made of."""
_MAX_OPEN = 16
"""Corpora that a worker keeps open."""
_TOO_MUCH = "that took longer than {:g} seconds, or too much memory: ask for less of it"
_MIN_MEMORY = 4 * 2**30
"""The least that a worker is given: allocators reserve a gigabyte and more before they use it."""
_SHARE_OF_MEMORY = 0.8
"""Of the memory of the machine, for all workers together."""
_MAX_KEPT_MEMORY = 768 * 2**20
"""What a worker may keep between two questions, besides the files that are mapped; one that has more ends."""


@dataclass(frozen=True, slots=True)
class Question:
    """An operation that is asked of a corpus; `others` are the folders of further corpora, by name."""

    folder: Path
    operation: str
    asked: Any
    user: str
    others: dict[str, Path]
    form: str = "json"
    """The format of an answer that is a table; `record` is the answer itself, for our own pages."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is answered, as bytes: JSON, a file, or a record of our own."""

    status: int
    data: bytes
    content_type: str = "application/json"
    name: str = ""

    def json(self) -> Any:
        """Read the JSON."""
        return json.loads(self.data)

    def record(self) -> Any:
        """Read the record."""
        return pickle.loads(self.data)  # noqa: S301 (it comes from our own process)


class Workers:
    """The worker processes of a server."""

    def __init__(self, count: int | None, *, max_seconds: float, folders: Sequence[Path] = ()) -> None:
        """Prepare so many processes; a question may take `max_seconds`. The corpora in `folders` are opened at once.

        If `count` is None, there is one a core, and one more: of several, the last is for those who have none, so that
        nobody waits for the slow questions of one client alone.
        """
        self.max_seconds = max_seconds
        self.count = as_workers(None) + 1 if count is None else as_workers(count)
        self._pool: Pool[Question, Answer] = Pool(
            self.count,
            answer,
            max_seconds=max_seconds,
            ahead=0,
            warm_up=partial(get_ready, _memory_of_worker(self.count), tuple(folders[:_MAX_OPEN])),
            at_most=max(1, self.count - 1),
            start_all=False,
        )

    async def __aenter__(self) -> Self:
        await self._pool.__aenter__()
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self._pool.__aexit__(*exception)

    async def ask(self, question: Question, client: Hashable = None) -> Answer:
        """Answer a question; if whoever asked goes away (the task is cancelled), its worker is stopped."""
        try:
            return await self._pool.run(question, client)
        except WorkerDied:
            return failure(503, _TOO_MUCH.format(self.max_seconds))
        except CallFailed:
            return failure(500, "this failed; the log of the server says why")


def failure(status: int, message: str, **more: Any) -> Answer:
    """Make an answer that says what is wrong, and `more` about it, such as the place in a query."""
    return Answer(status, json.dumps({"error": message, **more}).encode())


_open: OrderedDict[Path, tuple[Any, Corpus]] = OrderedDict()
"""The corpora of this worker process, the one that was asked last at the end, and the states that they have."""


def answer(question: Question) -> Answer:
    """Answer a question in this process."""
    operation = operations()[question.operation]
    try:
        corpus = opened(question.folder)
        with_others(question.others)
        found = operation.ask(
            corpus,
            question.asked,
            *((question.user,) if operation.takes_user else ()),
            **_other_corpora(operation, question.asked),
        )
        return _fitting(_written(found, operation, question))
    except PlacedError as error:
        return failure(400, str(error), place={"text": error.text, "at": error.at, "problem": error.problem})
    except UsageError as error:
        return failure(400, without_place(error, question.folder))
    except GristmillError as error:
        return failure(409, without_place(error, question.folder))
    except MemoryError:
        _open.clear()
        return failure(503, "that takes too much memory: ask for less of it")


def _written(found: Any, operation: Operation[..., Any], question: Question) -> Answer:
    """Write what was found: as a record of our own, as JSON, or as a file."""
    if question.form == RECORD:
        return Answer(200, pickle.dumps(found))
    if isinstance(found, Table):
        found = table_answer(found, question.form, operation.name, {"asked": to_record(question.asked)})
    elif hasattr(found, "to_json"):
        found = found.to_json()
    if isinstance(found, File):
        return Answer(200, found.data, found.content_type, found.name)
    text = json.dumps(found, ensure_ascii=False, allow_nan=False, default=_plain)
    return Answer(200, text.encode("utf-8", "replace"))


def _fitting(answer: Answer) -> Answer:
    """Refuse an answer that is too large for the process that serves everybody."""
    if len(answer.data) > MAX_ANSWER_BYTES:
        return failure(409, f"the answer has {size(len(answer.data))}, which is too much: ask for less of it")
    return answer


def without_place(error: GristmillError, folder: Path) -> str:
    """What went wrong; where the corpus is on this machine is nobody's business."""
    return str(error).replace(f"{folder}{os.sep}", "").replace(str(folder), folder.name)


def _plain(found: Any) -> Any:
    """Make JSON of an answer, or a part of one, that is a dataclass."""
    if is_dataclass(found) and not isinstance(found, type):
        return asdict(found)
    raise TypeError(f"{type(found).__name__} can't be written as JSON")


def get_ready(memory: int, folders: Sequence[Path]) -> None:
    """Do in a new worker process what its first questions would wait for; it may have so many bytes of memory."""
    limit_memory(memory)
    HOUSEHOLD.most = _MAX_KEPT_MEMORY
    operations()
    for folder in folders:
        with contextlib.suppress(GristmillError):  # whoever asks for it will be told
            corpus = opened(folder)
            _ = corpus.size, corpus.index.attributes


def _memory_of_worker(count: int) -> int:
    """Tell how many bytes a worker may have for what it computes; 0 if the machine does not tell what it has."""
    memory = memory_of_machine()
    return max(int(memory * _SHARE_OF_MEMORY / count), _MIN_MEMORY) if memory else 0


def _other_corpora(operation: Operation[..., Any], asked: Any) -> dict[str, Corpus | tuple[Corpus, ...]]:
    """Open the other corpora that are asked for by their names."""
    names = {item.name: getattr(asked, item.name) for item in operation.parameters if item.kind == "corpus"}
    return {
        name: tuple(map(other_corpus, given)) if isinstance(given, tuple) else other_corpus(given)
        for name, given in names.items()
        if given
    }


KEPT = KeptSearches()
"""The searches that this worker process remembers."""
_others: dict[str, Path] = {}


def with_others(others: dict[str, Path]) -> None:
    """Note which other corpora the server has, for operations that compare two."""
    _others.clear()
    _others.update(others)


def other_corpus(name: str) -> Corpus:
    """Open another corpus of the server by its name; raises if there is none."""
    if name not in _others:
        raise UsageError(f"there is no corpus {name!r} here (there are: {', '.join(_others)})")
    return opened(_others[name])


def opened(folder: Path) -> Corpus:
    """Open a corpus, or take the open one if it is as it was."""
    state = state_of(folder)
    known = _open.pop(folder, None)
    corpus = known[1] if known and known[0] == state else Corpus(folder, build=False)
    corpus.kept = KEPT
    _open[folder] = state, corpus
    while len(_open) > _MAX_OPEN:
        _open.popitem(last=False)
    return corpus


def state_of(folder: Path) -> list[tuple[int, int, int]]:
    """Tell what changes when a corpus or its index does: both are told of by files that are replaced as a whole."""
    found = []
    for file in (folder / MANIFEST, folder / FOLDER / CARD):
        try:
            about = file.stat()
        except OSError:
            found.append((0, 0, 0))
        else:
            found.append((about.st_ino, about.st_mtime_ns, about.st_size))
    return found
