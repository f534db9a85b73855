"""A pool of worker processes that one function is called in, many times a second, from an asyncio program.

The workers are those of `local.py`. Each gets the function once, and then call after call, one or two ahead of what it
is doing, so that it never waits. It answers in the order of the calls.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import pickle
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Generic, Self, TypeVar, cast

from gristmill.arguments import as_workers
from gristmill.engine.local import COMMAND, LENGTH, Order, how_ended, packed, process_options
from gristmill.engine.task import Report, in_words, trace_of
from gristmill.engine.turns import Turns
from gristmill.errors import GristmillError

A = TypeVar("A")
R = TypeVar("R")

_LOG = logging.getLogger(__name__)
_AHEAD = 2  # calls on their way to a worker besides the one that it works on
_MAX_FORSAKEN_SECONDS = 1.0  # that a call may last nobody waits for any more
_MAX_START_SECONDS = 120.0
_CLOSED = "the worker processes were ended"
_CHECK_SECONDS = 1.0  # between two looks for workers that hang, or less if calls may last less


class CallFailed(GristmillError):  # noqa: N818 (it says what happened)
    """The function raised an error; its traceback is in the log."""


class WorkerDied(GristmillError):  # noqa: N818 (as above)
    """The worker process ended during the call, twice, or was ended since the call took too long."""


class Pool(Generic[A, R]):
    """Calls a function in worker processes; a worker that dies is replaced."""

    def __init__(
        self,
        workers: int | None,
        function: Callable[[A], R],
        *,
        max_seconds: float = 60.0,
        ahead: int = _AHEAD,
        warm_up: Callable[[], object] | None = None,
        at_most: int | None = None,
        start_all: bool = True,
    ) -> None:
        """Prepare a pool of `workers`, one a core if None; `function` must be picklable, and so must what it takes.

        A call that lasts longer than `max_seconds` fails, and its worker is killed; so is that of a call which was
        cancelled, if it goes on for more than a second. `ahead` calls are sent to a worker before it is done with the
        one before: with 0, no call waits for a slow one while another worker is free. `warm_up` is called in each
        worker before it gets calls. One client has `at_most` calls with the workers at a time. Unless `start_all`, the
        pool is ready with its first worker, and the others are started one after the other meanwhile.
        """
        self.workers = as_workers(workers)
        self._function = function
        self._warm_up = warm_up
        self._start_all = start_all
        self._max_seconds = max_seconds
        self._turns = Turns(self.workers * (1 + ahead), at_most)
        self._lanes: list[_Lane] = []
        self._watch: asyncio.Task[None] | None = None
        self._others: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Start the workers, and wait until all, or the first, have the function."""
        order = packed(Order.of(_Install(self._function, self._warm_up)))
        self._lanes = [_Lane(order) for _ in range(self.workers)]
        self._watch = asyncio.create_task(self._kill_hanging())
        try:
            first = self._lanes if self._start_all else self._lanes[:1]
            await asyncio.gather(*(lane.start() for lane in first))
        except BaseException:
            await self._end()
            raise
        self._others = asyncio.create_task(self._start_others())
        return self

    async def _start_others(self) -> None:
        for lane in self._lanes:
            await lane.get_ready()

    async def __aexit__(self, *exception: object) -> None:
        await self._end()

    async def run(self, argument: A, client: Hashable = None) -> R:
        """Call the function in a worker process; waits while all workers have enough to do.

        Clients that wait get their turns one after the other, however many calls each of them has. Raises `CallFailed`
        or `WorkerDied`, and whatever pickling the argument raises.
        """
        await self._turns.take(client)
        try:
            lane = self._lane(client)
            answer = asyncio.get_running_loop().create_future()
            release = partial(self._turns.give_back, client)
            call = _Call(packed(_Argument(argument)), answer, self._max_seconds, release)
        except BaseException:
            self._turns.give_back(client)
            raise
        lane.give(call)
        return cast("R", await call.answer)

    def _lane(self, client: Hashable) -> _Lane:
        """The worker that is next to be free; of several, the one that may remember what this client asked before."""
        if not self._lanes:
            raise WorkerDied(_CLOSED)
        lane = min(self._lanes, key=lambda lane: lane.rank(client))
        lane.client = client
        return lane

    async def _kill_hanging(self) -> None:
        while True:
            await asyncio.sleep(min(_CHECK_SECONDS, self._max_seconds / 4))
            for lane in self._lanes:
                lane.check()

    async def _end(self) -> None:
        for task in (self._watch, self._others):
            if task:
                task.cancel()
        lanes, self._lanes = self._lanes, []
        await asyncio.gather(*(lane.end() for lane in lanes))


@dataclass(frozen=True, slots=True)
class _Install:
    """Gives a worker process the function, and has it get ready; the first job that it gets."""

    function: Callable[[Any], Any]
    warm_up: Callable[[], object] | None

    def run(self, report: Report) -> None:
        del report
        _Argument.function = self.function
        if self.warm_up:
            self.warm_up()


@dataclass(frozen=True, slots=True)
class _Argument:
    """Has the function called: the job of all later messages."""

    function: ClassVar[Callable[[Any], Any]]
    """The function of this worker process."""
    argument: Any

    def run(self, report: Report) -> Any:
        del report
        return _Argument.function(self.argument)


@dataclass(slots=True, eq=False)
class _Call:
    """A call that waits for its answer."""

    message: bytes
    answer: asyncio.Future[Any]
    max_seconds: float
    release: Callable[[], None]
    """Gives back its place in the pool; called once, when no worker has it any more."""
    alone: bool = False
    """Whether it was with a worker that died, and is tried a last time, while that worker has nothing else to do."""

    def fail(self, error: GristmillError) -> None:
        if not self.answer.done():  # whoever waited for it may have given up
            self.answer.set_exception(error)


class _Lane:
    """A worker process, or one after the other, with the calls that it has and those that it will get."""

    def __init__(self, order: bytes) -> None:
        self._order = order
        self.client: Hashable = None
        """Whose call it got last."""
        self._waiting: deque[_Call] = deque()
        self._sent: deque[_Call] = deque()
        self._begun = 0.0
        """When the worker began with the first of the calls that were sent."""
        self._worker: _Worker | None = None
        self._ready = False
        """Whether the worker has the function."""
        self._starting: asyncio.Task[None] | None = None
        self._ending: set[_Worker] = set()

    def load(self) -> int:
        """The number of calls that it has."""
        return len(self._waiting) + sum(call.message is not self._order for call in self._sent)

    def rank(self, client: Hashable) -> tuple[int, bool, bool]:
        """How far it is from a client's call: calls that it has, whether its worker has yet to start, whom it knows."""
        return self.load(), not self._ready, self.client != client

    def give(self, call: _Call) -> None:
        """Take on a call."""
        self._waiting.append(call)
        self._send()

    def _send(self, *, restart: bool = False) -> None:
        """Send the worker what it can have now; start one if there is none, and something to do, or with `restart`."""
        if not self._worker:
            if (self._waiting or restart) and not self._starting:
                self._starting = asyncio.create_task(self._restart())
            return
        while self._waiting:
            if self._sent and (self._waiting[0].alone or self._sent[0].alone):
                return
            call = self._waiting.popleft()
            if call.answer.done():
                call.release()
                continue
            if not self._sent:
                self._begun = asyncio.get_running_loop().time()
            self._sent.append(call)
            self._worker.write(call.message)

    async def start(self) -> None:
        """Start a worker, and wait until it has the function."""
        loop = asyncio.get_running_loop()
        try:
            _, worker = await loop.subprocess_exec(
                lambda: _Worker(self._take, self._lost), *COMMAND, stderr=None, **process_options()
            )
        except OSError as error:
            raise WorkerDied(f"a worker process can't be started: {error.strerror or error}") from error
        self._ending.add(worker)
        self._worker = worker
        order = _Call(self._order, loop.create_future(), _MAX_START_SECONDS, release=_nothing, alone=True)
        self._begun = loop.time()
        self._sent.append(order)
        worker.write(order.message)
        await order.answer
        self._ready = True
        self._send()

    async def get_ready(self) -> None:
        """Start a worker, if there is none and none is being started."""
        if not self._worker and not self._starting:
            self._starting = asyncio.create_task(self._restart())
        if self._starting:
            await asyncio.shield(self._starting)

    async def _restart(self) -> None:
        """Start another worker; if that is not possible, the calls that wait for it fail."""
        try:
            await self.start()
        except GristmillError as error:
            self._drop()
            while self._waiting:
                call = self._waiting.popleft()
                call.fail(error)
                call.release()
        finally:
            self._starting = None
        self._send()

    def _take(self, worker: _Worker, kind: str, value: Any) -> None:
        """Take an answer or a log record of a worker."""
        if kind == "log":
            logging.getLogger(value.name).handle(value)
        elif worker is self._worker and kind in {"result", "error"}:
            call = self._sent.popleft()
            if kind == "error":
                _LOG.error("a call in a worker process failed: %s\n%s", *value)
                call.fail(CallFailed(value[0]))
            elif not call.answer.done():
                call.answer.set_result(value)
            call.release()
            self._begun = asyncio.get_running_loop().time()
            self._send()

    def _lost(self, worker: _Worker, said: str) -> None:
        """Take note that a worker ended: the calls that it had are tried again, or failed if they were already."""
        self._ending.discard(worker)
        if worker is self._worker:
            self._try_again(f"its worker process {said}")

    def _try_again(self, said: str) -> None:
        """Start another worker at once, if this one did not die of its start, so that no call has to wait for it."""
        self._worker, was_ready, self._ready = None, self._ready, False
        for call in reversed(self._sent):
            if call.alone:
                call.fail(WorkerDied(said))
                call.release()
            else:
                call.alone = True
                self._waiting.appendleft(call)
        self._sent.clear()
        self._send(restart=was_ready)

    def check(self) -> None:
        """Kill the worker if it hangs, or works for nobody."""
        if not self._sent:
            return
        most = _MAX_FORSAKEN_SECONDS if self._sent[0].answer.cancelled() else self._sent[0].max_seconds
        if asyncio.get_running_loop().time() - self._begun > most:
            call = self._sent.popleft()
            call.fail(WorkerDied(f"it took longer than {call.max_seconds:g} seconds: its worker process was killed"))
            call.release()
            self._drop()
            self._try_again("")

    def _drop(self) -> None:
        """Kill the worker."""
        worker, self._worker = self._worker, None
        if worker:
            worker.kill()

    async def end(self) -> None:
        """Kill the worker, and wait until it and all before have ended; calls that have no answer fail."""
        if self._starting:
            self._starting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._starting
        self._worker, self._ready = None, False
        for call in (*self._sent, *self._waiting):
            call.fail(WorkerDied(_CLOSED))
            call.release()
        for worker in self._ending:
            worker.kill()
        await asyncio.gather(*(worker.ended for worker in self._ending))


class _Worker(asyncio.SubprocessProtocol):
    """The pipes to a worker process: gives on each of its messages, and tells when it has ended."""

    def __init__(self, take: Callable[[_Worker, str, Any], None], lost: Callable[[_Worker, str], None]) -> None:
        self._take = take
        self._lost = lost
        self._received = bytearray()
        self.ended = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.SubprocessTransport", transport)
        self._stdin = cast("asyncio.WriteTransport", self._transport.get_pipe_transport(0))

    def write(self, message: bytes) -> None:
        """Send a message, now or when the pipe has room."""
        self._stdin.write(message)

    def kill(self) -> None:
        """End the process, whatever it is doing."""
        self._transport.close()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        del fd
        received = self._received
        received += data
        while len(received) >= LENGTH.size:
            end = LENGTH.size + LENGTH.unpack_from(received)[0]
            if len(received) < end:
                return
            message = received[LENGTH.size : end]
            del received[:end]
            self._take(self, *_unpickled(message))

    def connection_lost(self, error: Exception | None) -> None:
        """Hear that the process has ended, and that there is no more to read."""
        del error
        self._transport.close()
        self._lost(self, how_ended(self._transport.get_returncode() or 0))
        if not self.ended.done():
            self.ended.set_result(None)


def _nothing() -> None:
    """Release nothing: the order to get ready has no place in the pool."""


def _unpickled(message: bytearray) -> tuple[str, Any]:
    try:
        kind, value = pickle.loads(message)  # noqa: S301 (both ends are ours)
    except Exception as error:  # noqa: BLE001 (what unpickling calls may raise anything)
        return "error", (f"its result can't be read: {in_words(error)}", trace_of(error))
    return kind, value
