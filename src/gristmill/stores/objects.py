"""Objects of a store as a whole: list, read, write, create and remove them.

A store has no rename, so what must appear in one step is created: `create` writes an object only if there is none of
that name (`If-None-Match: *` in S3, `ifGenerationMatch=0` in Google's store, `O_EXCL` on disks). Of two who create the
same one, exactly one succeeds.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from gristmill.errors import UsageError
from gristmill.stores.address import Address
from gristmill.stores.errors import ChangedError, MissingError, StoreError
from gristmill.stores.filesystem import filesystem_of, path_of
from gristmill.stores.patience import retried

_LOCAL = frozenset({"file", "local"})
S3 = frozenset({"s3", "s3a"})
"""The schemes of S3 and stores that speak like it."""
CONFLICT = "ConditionalRequestConflict"
"""The code of S3 for a request that is refused since another one is creating the same object."""
_REMOVERS = 8
"""Objects that are removed at the same time."""


class TakenError(ChangedError):
    """The error that an object can't be created, as there is one of that name."""


class UnguardedError(StoreError, UsageError):
    """The error that a store does not keep two writers apart."""


def exists(address: Address) -> bool:
    """Whether there is an object, or a folder with objects in it."""
    fs, path = filesystem_of(address), path_of(address)
    return bool(retried(lambda: fs.exists(path), address))


def read(address: Address) -> bytes:
    """Read a small object; raises `MissingError` if there is none."""
    fs, path = filesystem_of(address), path_of(address)
    return bytes(retried(lambda: fs.cat_file(path), address))


def sizes(folder: Address) -> dict[str, int]:
    """List all objects below a folder: their names, as they go on behind it, and their sizes in bytes."""
    fs, base = filesystem_of(folder), path_of(folder).rstrip("/") + "/"

    def listed() -> dict[str, Any]:
        try:
            found: dict[str, Any] = fs.find(base, detail=True, withdirs=False)
        except FileNotFoundError as error:
            if error.__cause__ is not None:  # the bucket is missing; folders that are not there are empty
                raise
            return {}
        return found

    found = retried(listed, folder)
    return {path.removeprefix(base): int(info["size"]) for path, info in found.items() if path.startswith(base)}


def write(address: Address, data: bytes) -> None:
    """Write a small object, in place of one that may be there."""
    fs, path = filesystem_of(address), path_of(address)
    make_parents(address)
    retried(lambda: fs.pipe_file(path, data), address)


def create(address: Address, data: bytes) -> None:
    """Write a small object that is not there; raises `TakenError` if there is another one.

    An answer that gets lost on the way leaves open who has created it; it was this call if it has this content.
    """
    try:
        _create(address, data)
    except TakenError:
        if read(address) != data:
            raise


def remove(addresses: Iterable[Address]) -> None:
    """Remove objects; those that are gone already are passed over."""
    with ThreadPoolExecutor(_REMOVERS) as pool:
        list(pool.map(_remove, addresses))


def check_exclusive(probe: Address) -> None:
    """Raise `UnguardedError` if a store does not refuse to create what is there; `probe` is an object to try it with.

    Some servers that speak like S3 ignore the condition and overwrite, or don't know it.
    """
    for _ in range(2):
        try:
            _create(probe, b"An object that is never replaced: by it writers see that the store keeps them apart.\n")
        except TakenError:
            return
    raise UnguardedError(
        f"the store of {probe} overwrites objects that it should only create (If-None-Match: *), so it can't keep two "
        "writers apart: give --unguarded if nobody else writes there"
    )


def make_parents(address: Address) -> None:
    """Make the folders above an object, where a store has such."""
    if address.scheme not in S3:
        fs, path = filesystem_of(address), path_of(address)
        retried(lambda: fs.makedirs(path.rpartition("/")[0], exist_ok=True), address)


def answer_code(error: BaseException | None) -> str:
    """The code in S3's answer that an error was raised for; empty if it has none."""
    while error is not None:
        response = getattr(error, "response", None)
        if isinstance(response, dict):
            return str((response.get("Error") or {}).get("Code", ""))
        error = error.__cause__
    return ""


class BusyError(TimeoutError):
    """The error that something can't be done just now: `retried` does it a little later.

    It must not be raised while another one is handled, which would be taken for what is wrong.
    """


def _create(address: Address, data: bytes) -> None:
    """Write an object if there is none; raises `TakenError`, which may be for what this very call has written."""
    make_parents(address)
    action = _create_file if address.scheme in _LOCAL else _create_object

    def attempt() -> None:
        try:
            action(address, data)
        except FileExistsError as error:
            raise TakenError(f"{address} is there already") from error
        except Exception as error:
            code = answer_code(error)
            if code in {"PreconditionFailed", "412"}:
                raise TakenError(f"{address} is there already") from error
            if code in {"NotImplemented", "501"}:
                raise UnguardedError(
                    f"the store of {address} does not know conditional requests (If-None-Match: *), so it can't keep "
                    "two writers apart: give --unguarded if nobody else writes there"
                ) from error
            if code != CONFLICT:
                raise
        else:
            return
        raise BusyError(f"{address} is just being written")

    retried(attempt, address)


def _create_object(address: Address, data: bytes) -> None:
    filesystem_of(address).pipe_file(path_of(address), data, mode="create")


def _create_file(address: Address, data: bytes) -> None:
    """Create a file with all its content at once: a link to one that is complete."""
    path = Path(path_of(address))
    draft = path.with_name(f"{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        draft.write_bytes(data)
        os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _remove(address: Address) -> None:
    fs, path = filesystem_of(address), path_of(address)
    try:
        retried(lambda: fs.rm_file(path), address)
    except MissingError:
        return
