"""Leases: locks that hold between machines that share a file system, NFS among them.

A lease is a file that says who has it (`.lock` in the folder that is written to). It appears at once and whole: it is
written under a temporary name, to which its own is added as a hard link, which fails if there is one. As long as its
owner lives, a thread renews it: the time of its last change is its sign of life. Whoever wants to have it, and finds it
there,

- is refused if its owner is alive: a process of this machine that runs, or one elsewhere whose last sign of life is not
  older than the lease. Ages are differences between two files on the same server, so that clocks of machines are not
  compared; as some file systems take the time from the writer's machine after all, a file that looks old is watched for
  a while first.
- takes it over otherwise. The process of an owner on this machine can be looked up: it need not be waited for.

A lease with the token X is only replaced or removed by whoever has made the file `.lock.X.next`, again by a hard link,
and has seen that the lease is still X then. A successor is its own lease already: renamed, it takes the place of the
old one. So one of many takers wins, and an owner that comes to life again never removes what is not its own. A taker
that dies on the way is succeeded in the same manner.

An owner that was silent for so long that another one took over must not write any more. Each file that is put in place
below the folder (`gristmill.drafts`) is checked by `check_fence`, also in worker processes, which get the fences of the
process that they work for.
"""

from __future__ import annotations

import errno
import json
import logging
import math
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from gristmill import locks
from gristmill.errors import GristmillError
from gristmill.locks import LOCK
from gristmill.nodes import ATTEMPT, attempt, is_running, node_mark, node_name, process_space, process_start
from gristmill.parts import Part

SECONDS = "GRISTMILL_LEASE"
"""The environment variable that says after how many seconds without a sign of life an owner counts as dead."""
_DEFAULT_SECONDS = 60.0
_BEATS = 12
"""How often an owner gives a sign of life in the time of its lease."""
_WATCHED_BEATS = 3
"""For how many signs of life an old lease is watched before it is taken over."""
_MAX_BYTES = 4096
_NEW_SECONDS = 10
"""How old a lease is at most that is just being written, on file systems without hard links."""
_MOMENT_SECONDS = 2
"""How old a lease is at most that is put in place and not yet locked, on Windows."""
_TURN_SECONDS = 0.05
_UNKNOWN = "unknown-"
"""How the token of a lease begins that does not say whose it is."""
_PART = re.compile(rf"{re.escape(LOCK)}-(\d+)-of-(\d+)")
_BINARY: int = getattr(os, "O_BINARY", 0)
_UNFOLLOWED: int = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | _BINARY
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Owner:
    """Who has a lease."""

    node: str
    space: str
    """Where the number of the process means something."""
    process: int
    started: str
    command: str
    since: str
    seconds: float
    """For how long the lease holds without a sign of life."""
    token: str

    @classmethod
    def here(cls) -> Self:
        """This process, with a token that was never used before."""
        process = os.getpid()
        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        return cls(
            node_name(), process_space(), process, process_start(process), _command(), now, _seconds(), attempt()
        )

    @property
    def is_on_this_node(self) -> bool:
        """Whether it is a process whose number means something here."""
        return (self.node, self.space) == (node_name(), process_space())

    def __str__(self) -> str:
        return f"{self.command} on {self.node}, process {self.process}, since {self.since}"


def _command() -> str:
    """The name of the program and of its command, without what it works on."""
    program = Path(sys.argv[0]) if sys.argv and sys.argv[0] not in {"", "-c"} else Path("python")
    name = program.parent.name if program.name == "__main__.py" else program.name
    command = sys.argv[1] if name == "gristmill" and len(sys.argv) > 1 else ""
    return f"{name} {command}".strip()[:100]


def _seconds() -> float:
    try:
        return max(float(os.environ[SECONDS]), 0.1)
    except KeyError:
        return _DEFAULT_SECONDS
    except ValueError:
        raise GristmillError(f"{SECONDS} must be a number of seconds, not {os.environ[SECONDS]!r}") from None


class BusyError(GristmillError):
    """A lease can't be had, as its owner is alive."""


class LostLeaseError(GristmillError):
    """A command has been silent for so long that another one has taken its place."""


@dataclass(frozen=True, slots=True)
class Fence:
    """What must hold while files are put in place below a folder: a lease has still this token."""

    folder: str
    path: str
    token: str

    def check(self) -> None:
        """Raise if the lease is another's."""
        try:
            found = _read(Path(self.path))[1]
        except FileNotFoundError:
            found = None
        if found is None or found.token != self.token:
            who = f"{found} has taken it over" if found else f"the file {self.path} is gone"
            raise LostLeaseError(
                f"this command has lost its lock on {self.folder}: {who}. Nothing more is written; "
                "run the same command again when nobody else writes there"
            )

    def holds_for(self, path: str) -> bool:
        """Tell whether a path is below the folder."""
        return path.startswith(os.path.join(self.folder, "")) or path == self.folder  # noqa: PTH118 (ends with a slash)


_fences: tuple[Fence, ...] = ()
_changing = threading.Lock()


def fences() -> tuple[Fence, ...]:
    """Return what must hold for files that this process puts in place; its workers are given it."""
    return _fences


def put_up(given: tuple[Fence, ...]) -> None:
    """Take the fences of the process that this one works for, in the place of its own; raises if one is down."""
    _change(given)
    for fence in given:
        fence.check()


def check_fence(path: Path) -> None:
    """Raise if a file may not be put in place, as the lease of its folder was lost."""
    if _fences:
        place = os.path.abspath(path)  # noqa: PTH100 (links are not followed)
        for fence in _fences:
            if fence.holds_for(place):
                fence.check()


def _change(given: tuple[Fence, ...]) -> None:
    global _fences  # noqa: PLW0603 (they are of the process)
    _fences = given


class Lease:
    """A lease that this process has, and renews until it gives it up."""

    def __init__(self, path: Path, *, watching: bool = True) -> None:
        """Take a lease; raises `BusyError` if its owner is alive.

        If it is not `watching`, one that looks old is not waited for and counts as alive.
        """
        self.path = path
        self._watching = watching
        path.parent.stat()  # a folder that is missing is an error, not a reason to try again
        while True:
            self._owner = Owner.here()
            with suppress(FileNotFoundError):  # its temporary file was taken for that of a dead process
                self._take()
                break
        self._tidy()
        self._fence = Fence(os.path.abspath(path.parent), os.path.abspath(path), self._owner.token)  # noqa: PTH100
        with _changing:
            _change((*_fences, self._fence))
        self._ending = threading.Event()
        self._renewing = threading.Thread(target=self._renew, daemon=True, name=f"lease of {path}")
        self._renewing.start()

    def _take(self) -> None:
        """Write the lease under a temporary name, and put it in place."""
        self._file = _File(self.path.with_name(f"{self.path.name}.{self._owner.token}.tmp"), self._owner)
        try:
            self._put(self.path)
        except BaseException:
            self._file.close()
            raise
        finally:
            self._file.forget()
        self._file.hold(self.path)

    def _put(self, path: Path) -> None:
        """Give the temporary file another name, which is taken from a dead owner if need be."""
        while not self._file.link(path):
            try:
                found = judge(path, self.now, watching=self._watching)
            except FileNotFoundError:
                continue
            successor = self._successor(found.token)
            self._put(successor)
            if _token(path) != found.token:  # somebody was faster
                successor.unlink(missing_ok=True)
                continue
            with suppress(FileNotFoundError):  # somebody took this process for dead, in the middle of it
                successor.replace(path)
            if _token(path) == self._owner.token:
                return

    def _successor(self, token: str) -> Path:
        return self.path.with_name(f"{self.path.name}.{token}.next")

    def now(self) -> float:
        """Tell the time by the clock that the file system has."""
        return self._file.touch()

    def _tidy(self) -> None:
        """Remove what killed processes have left of their attempts to take this lease."""
        left = re.compile(rf"{re.escape(self.path.name)}\.({ATTEMPT}|{_UNKNOWN}\d+)\.(next|tmp)")
        with os.scandir(self.path.parent) as entries:
            found = [match for entry in entries if (match := left.fullmatch(entry.name))]
        for name, token, kind in ((match[0], match[1], match[2]) for match in found):
            path = self.path.with_name(name)
            with suppress(OSError):
                # Who has the lease need not fear for successors of others; but one who is about to ask for it may live.
                if token != self._owner.token and (kind == "next" or self._is_abandoned(path, token)):
                    path.unlink(missing_ok=True)

    def _is_abandoned(self, temporary: Path, token: str) -> bool:
        if self.now() - temporary.stat().st_mtime > self._owner.seconds:
            return True
        return token.startswith(f"{node_mark()}-") and _probe(temporary) == "locked" and not locks.WINDOWS

    def _renew(self) -> None:
        """Give signs of life, until the end or until another one has taken over."""
        failing = False
        while not self._ending.wait(self._owner.seconds / _BEATS):
            try:
                self._fence.check()
                self._file.touch()
                failing = False
            except LostLeaseError as error:
                _log.error("%s", error)
                return
            except OSError as error:
                if not failing:
                    _log.warning("can't renew %s, which is tried again: %s", self.path, error.strerror or error)
                failing = True

    def release(self) -> None:
        """Give the lease up, if it is still there."""
        with _changing:
            _change(tuple(fence for fence in _fences if fence != self._fence))
        self._ending.set()
        self._renewing.join()
        try:
            with suppress(OSError):  # the folder is gone, or another user's
                self._remove()
        finally:
            self._file.close()

    def _remove(self) -> None:
        """Remove the lease, as its own successor: so nobody else becomes one meanwhile."""
        owner, successor = Owner.here(), self._successor(self._owner.token)
        try:
            last = _File(self.path.with_name(f"{self.path.name}.{owner.token}.tmp"), owner)
        except OSError as error:
            if error.errno in {errno.ENOSPC, errno.EDQUOT} and _token(self.path) == self._owner.token:
                self.path.unlink(missing_ok=True)  # without room for more, this is as good as it gets
            raise
        try:
            if last.link(successor):
                if _token(self.path) == self._owner.token:
                    if locks.WINDOWS:  # which can't remove an open file
                        self._file.close()
                    self.path.unlink(missing_ok=True)
                successor.unlink(missing_ok=True)
        finally:
            last.forget()
            last.close()


class _File:
    """A lease as a file, first under a temporary name; other processes of this machine see that it is locked."""

    def __init__(self, path: Path, owner: Owner) -> None:
        self._path = self._temporary = path
        self._owner = owner
        self._descriptor = _written(path, owner)

    def link(self, path: Path) -> bool:
        """Add a name, at once and for a whole file; false if there is such a name already."""
        try:
            os.link(self._temporary, path)
        except FileExistsError:
            return False
        except FileNotFoundError:
            raise
        except OSError:  # a file system without hard links
            try:
                descriptor = _written(path, self._owner)
            except FileExistsError:
                return False
            self.close()
            self._descriptor = descriptor
        return True

    def hold(self, path: Path) -> None:
        """Take note of the name that it has now; on Windows it can't be renamed while it is open, but now it is."""
        self._path = path
        if locks.WINDOWS:
            self._descriptor = os.open(path, os.O_RDWR | _BINARY)
            locks.lock(self._descriptor)

    def touch(self) -> float:
        """Give it the present time of the file system, and tell that."""
        if self._descriptor >= 0 and os.utime in os.supports_fd:
            os.utime(self._descriptor)
            return os.fstat(self._descriptor).st_mtime
        os.utime(self._path)
        return self._path.stat().st_mtime

    def forget(self) -> None:
        """Remove its temporary name."""
        with suppress(OSError):
            self._temporary.unlink(missing_ok=True)

    def close(self) -> None:
        """Unlock it."""
        if self._descriptor >= 0:
            descriptor, self._descriptor = self._descriptor, -1
            locks.release(descriptor)


def judge(path: Path, now: Callable[[], float], *, watching: bool = True) -> Owner:
    """Return the owner of a lease, if it is dead; raises `BusyError` if it is alive, or `FileNotFoundError`.

    `now` tells the time by the clock of the file system.
    """
    changed, owner = _read(path)
    state = _probe(path)
    age = now() - changed
    if owner.token.startswith(_UNKNOWN):
        # It is damaged, or on the way, where it can't appear at once.
        if state == "held" or 0 <= age < _NEW_SECONDS:
            raise BusyError("its name is not known")
        return owner
    if owner.is_on_this_node:
        if state == "held":
            raise BusyError(str(owner))
        if _has_ended(owner, state, age):
            _log.debug("%s was left by a process that has ended: %s", path, owner)
            return owner
    said = f"{owner}; its last sign of life was {max(age, 0):.0f} seconds ago"
    if -owner.seconds < age < owner.seconds:
        raise BusyError(f"{said}, and after {owner.seconds:.0f} seconds it counts as dead")
    if not watching:
        raise BusyError(said)
    # A time in the future is of another clock: then nothing is known of its age.
    _watch(path, owner, owner.seconds if age < 0 else owner.seconds / _BEATS * _WATCHED_BEATS, changed)
    silent = f"{age:.0f} seconds" if age > 0 else "a while"
    _log.warning("%s is taken over from %s, which gave no sign of life for %s", path, owner, silent)
    return owner


def _has_ended(owner: Owner, state: str, age: float) -> bool:
    """Tell whether a process of this machine that has not locked its lease, as far as that is known, has ended."""
    if locks.WINDOWS:  # where a lease is locked a moment after it was put in place
        return state == "locked" and age > _MOMENT_SECONDS
    return not is_running(owner.process, owner.started)


def _watch(path: Path, owner: Owner, seconds: float, changed: float) -> None:
    """Wait, and raise if the owner of a lease gives a sign of life meanwhile."""
    _log.warning("%s is of %s, which may be dead: it is watched for %.0f seconds", path, owner, seconds)
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(owner.seconds / _BEATS / 2, left))
        if _read(path) != (changed, owner):
            raise BusyError(str(owner))


def _read(path: Path) -> tuple[float, Owner]:
    """Read when a lease was last changed, and who has it; raises if there is none.

    It is opened for that, as only then NFS asks the server. The first byte is left out: on Windows, nobody can read it
    while the file is locked.
    """
    descriptor = os.open(path, os.O_RDONLY | _UNFOLLOWED)
    try:
        status = os.fstat(descriptor)
        os.lseek(descriptor, 1, os.SEEK_SET)
        found = json.loads(os.read(descriptor, _MAX_BYTES))
        owner = Owner(**{field.name: _KINDS[field.name](found[field.name]) for field in fields(Owner)})
    except (ValueError, TypeError, LookupError):
        owner = Owner("", "", 0, "", "a command", "an unknown time", 0, f"{_UNKNOWN}{status.st_ino}")
    finally:
        os.close(descriptor)
    return status.st_mtime, owner


def _token(path: Path) -> str:
    """Read the token of a lease; empty if there is none."""
    try:
        return _read(path)[1].token
    except FileNotFoundError:
        return ""


_KINDS: dict[str, Any] = {field.name: str for field in fields(Owner)} | {"process": int, "seconds": float}


def _written(path: Path, owner: Owner) -> int:
    """Write a new file that says who has the lease, and lock it; on Windows it is closed again."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
    try:
        if not locks.WINDOWS:
            locks.lock(descriptor)
        writing = os.open(path, os.O_WRONLY | _BINARY)
        try:
            os.write(writing, b" " + json.dumps(asdict(owner)).encode())
        finally:
            os.close(writing)  # upon which NFS sends it to the server
    except BaseException:
        os.close(descriptor)
        with suppress(OSError):
            path.unlink()
        raise
    if locks.WINDOWS:
        os.close(descriptor)
        return -1
    return descriptor


def _probe(path: Path) -> str:
    """Tell whether a process of this machine has locked a file: `held`, `locked` by nobody but us, or `unknown`."""
    try:
        descriptor = os.open(path, os.O_RDWR | _UNFOLLOWED)
    except FileNotFoundError:
        raise
    except OSError:  # another user's
        return "unknown"
    state = locks.lock(descriptor)
    if state == "locked":
        locks.release(descriptor)
    else:
        os.close(descriptor)
    return state


@contextmanager
def leased(path: Path, said: str = "", *, watching: bool = True) -> Iterator[Lease]:
    """Have a lease; raises if another process has it, which is said in front of its name."""
    try:
        lease = Lease(path, watching=watching)
    except BusyError as busy:
        raise BusyError(f"{said} ({busy})" if said else str(busy)) from None
    except OSError as error:
        raise GristmillError(f"can't write to {path.parent}: {error.strerror or error}") from error
    try:
        yield lease
    finally:
        lease.release()


@contextmanager
def in_turn(path: Path, seconds: float = math.inf) -> Iterator[None]:
    """Have a lease that others have for a while only: wait for it as long as they live, or at most so many seconds."""
    lease = None
    end = time.monotonic() + seconds
    while lease is None:
        try:
            lease = Lease(path)
        except BusyError:
            if time.monotonic() > end:
                raise
            time.sleep(_TURN_SECONDS)
        except OSError as error:
            raise GristmillError(f"can't write to {path.parent}: {error.strerror or error}") from error
    try:
        yield
    finally:
        lease.release()


def has_traces(path: Path) -> bool:
    """Tell whether there is a lease, or what killed processes have left of one."""
    with os.scandir(path.parent) as entries:
        return any(entry.name == path.name or entry.name.startswith(f"{path.name}.") for entry in entries)


def is_leased(path: Path) -> bool:
    """Tell whether somebody has a lease, as far as that can be told at once."""
    if not path.exists():
        return False
    try:
        with leased(path, watching=False):
            return False
    except BusyError:
        return True


def lock_path(folder: Path, part: Part | None = None) -> Path:
    """Return the path of the lease under which a command writes to a folder, or a part of it does."""
    return folder / (f"{LOCK}-{part.number}-of-{part.count}" if part else LOCK)


@contextmanager
def locked(folder: Path, part: Part | None = None, *, watching: bool = True) -> Iterator[None]:
    """Lock a folder against other commands; raises if one has locked it.

    Parts of a command can write at the same time, but not the same part twice, and no other command.
    """
    said = f"another command is writing to {folder}: wait until it is done"
    with leased(lock_path(folder, part), said, watching=watching) as lease:
        # Each says first that it is there, and then looks for the others: so no two can miss each other.
        try:
            _look_for_others(folder, part, lease, watching=watching)
        except BusyError as busy:
            raise BusyError(f"{said} ({busy})") from None
        yield


def _look_for_others(folder: Path, part: Part | None, lease: Lease, *, watching: bool) -> None:
    """Raise if a command has locked the folder that can't be there at the same time."""
    if part is not None:
        with suppress(FileNotFoundError):
            judge(folder / LOCK, lease.now, watching=watching)
    for found in filter(None, map(_PART.fullmatch, os.listdir(folder))):  # noqa: PTH208 (names are enough)
        path = folder / found[0]
        if part is None:
            if path.exists():
                with leased(path, watching=watching):  # it was left by a dead process: so it goes
                    pass
        elif int(found[2]) != part.count:
            with suppress(FileNotFoundError):
                judge(path, lease.now, watching=watching)
