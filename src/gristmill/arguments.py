"""Check and convert arguments of public functions; errors say what is wanted."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gristmill.errors import UsageError

A_PATH = "a path, as text or a pathlib.Path"
_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)
"""A scheme has two letters or more: one letter is a drive of Windows."""
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?", re.IGNORECASE)


def wrong_type(name: str, wanted: str, value: object) -> TypeError:
    """Make the error for an argument of a wrong type."""
    return TypeError(f"{name} must be {wanted}, not {type(value).__name__}")


def is_address(text: str) -> bool:
    """Whether a text is the address of something in a store, such as `s3://bucket/key`; `C:\\pages` is a path."""
    return bool(_ADDRESS.match(text))


def check_local(value: str, name: str) -> None:
    """Raise if an address is given where only a file or a folder on this machine can be; it may have secrets in it."""
    if found := _ADDRESS.match(value):
        raise UsageError(
            f"{name} must be a file or a folder on this machine, not an address ({found[1]}://...). What writes to a "
            "store: the option --mirror of build and add, `gristmill push CORPUS ADDRESS`, `gristmill export -o "
            "ADDRESS`. What brings a corpus from there: `gristmill pull ADDRESS -o FOLDER`"
        )


def as_path(value: Any, name: str, wanted: str = A_PATH) -> Path:
    """Convert a path that may be given as text."""
    if isinstance(value, str | os.PathLike):
        found = os.fspath(value)
        if isinstance(found, str):
            check_local(found, name)
            return Path(found)
    raise wrong_type(name, wanted, value)


def read_bytes(path: Path) -> bytes:
    """Read a file that a user named."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"can't read {path}: {error.strerror}") from error


def as_paths(value: Any, name: str) -> list[str | os.PathLike[str]]:
    """Convert one path, or several, to a list of paths."""
    wanted = f"{A_PATH}, or a list of these"
    if isinstance(value, str | os.PathLike):
        return [value]
    if not isinstance(value, Iterable) or isinstance(value, bytes | bytearray | memoryview | io.IOBase):
        raise wrong_type(name, wanted, value)
    given = list(value)
    for item in given:
        if not isinstance(item, str | os.PathLike):
            raise TypeError(f"{name} must be {wanted}, but there is {type(item).__name__} in it")
    return given


def as_texts(value: Any, name: str) -> tuple[str, ...]:
    """Convert one text, or several, to a tuple of texts."""
    given = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else None
    if given is None or not all(isinstance(item, str) for item in given):
        raise TypeError(f"{name} must be text, or a list of texts, not {value!r}")
    return given


def as_codes(value: str | None) -> tuple[str, ...] | None:
    """Split codes of languages with commas between them."""
    return tuple(code.strip().lower() for code in value.split(",") if code.strip()) if value is not None else None


def as_workers(value: Any) -> int:
    """Check a number of worker processes; by default one for each core."""
    if value is None:
        return os.cpu_count() or 1
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong_type("workers", "a number of processes", value)
    if value < 1:
        raise UsageError(f"workers must be at least 1, but there are {value}")
    return value


def check_type(value: Any, kinds: type | tuple[type, ...], name: str, wanted: str) -> None:
    """Raise if an argument is given, but of a wrong type."""
    if value is not None and not isinstance(value, kinds):
        raise wrong_type(name, wanted, value)


def as_bytes(value: Any, what: str) -> int:
    """Convert a size to bytes: a number, or text with a unit such as `500MB`; `what` it is the size of, for errors."""
    if isinstance(value, str):
        match = _SIZE.fullmatch(value.strip())
        if not match:
            raise UsageError(f"{value!r} is not a size of {what}: say 500MB or 4GB")
        value = int(float(match[1]) * _UNITS[match[2].upper()])
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong_type(f"the size of {what}", "a number of bytes, or text such as 500MB", value)
    if value < 1:
        raise UsageError(f"the size of {what} must be at least one byte, but it is {value}")
    return value
