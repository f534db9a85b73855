"""Record what the user trusts: programs, models, plugins and files that settings name.

A corpus from elsewhere may name any of these in its files. What the user gives as an option or an argument is allowed
and remembered; all else is refused until the user says otherwise (`--trust`, `gristmill trust`), however it is written
and wherever it is from. Things are allowed by their real paths, so that neither a link nor a relative path stands for
another one.
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import tomli_w

from gristmill.drafts import Draft
from gristmill.errors import GristmillError, UsageError

FILE = "trusted.toml"
"""The file in the folder of settings that lists what the user has allowed for good."""


class Named(NamedTuple):
    """Something that settings name: its kind, and which one it is."""

    kind: str
    """`program`, `model`, `plugin`, `file` (or a folder of such, which is read), `folder` (that is written to), `mail`,
    `store` (that is asked for pages).
    """
    what: str
    """Its real path, or its name if it is found by that, or an address of e-mail that mail goes to, or of a store."""

    @classmethod
    def at(cls, kind: str, path: str | os.PathLike[str]) -> Named:
        """Name what is at a path, by its real path; one that can't be a path (with a zero byte) stays as it is."""
        try:
            return cls(kind, os.path.realpath(path))
        except ValueError:
            return cls(kind, str(path))


class UntrustedError(UsageError):
    """The error that a file names something that the user has not allowed."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The file or corpus that settings were read from."""

    file: str
    """The name for messages and for `gristmill trust`: the folder of a corpus, or a file of settings."""
    folder: str = ""
    """The folder of the corpus, or empty; plain data in it is its own, and may be read."""

    @classmethod
    def of(cls, path: Path) -> Origin:
        """Make the origin of settings: the folder of a corpus, its `corpus.toml`, or another file."""
        if path.name == "corpus.toml":
            path = path.parent
        return cls(str(path), str(path) if path.is_dir() else "")


_allowed: set[Named] = set()


def allowed_here() -> frozenset[Named]:
    """The things that were allowed in this process, for good or not; worker processes are given them."""
    return frozenset(_allowed)


def allow(named: Iterable[Named], *, remember: bool = True) -> None:
    """Allow things in this process, and for good if the folder of settings can be written to."""
    given = set(named)
    _allowed.update(given)
    if remember and given:
        known = _remembered()
        if not given <= known:
            _write(known | given)


def forget(named: Iterable[Named]) -> None:
    """Withdraw what was allowed."""
    gone = set(named)
    _allowed.difference_update(gone)
    known = _remembered()
    if known & gone:
        _write(known - gone)


def not_allowed(named: Iterable[Named], origin: Origin | None = None) -> list[Named]:
    """Find those things that the user has not allowed and that are not data of the corpus itself."""
    asked = [item for item in dict.fromkeys(named) if item not in _allowed and not (origin and _is_own(item, origin))]
    known = _remembered() if asked else set()
    return [item for item in asked if item not in known]


def check(named: Iterable[Named], origin: Origin) -> None:
    """Raise `UntrustedError` if settings name something that the user has not allowed."""
    refused = not_allowed(named, origin)
    if refused:
        raise UntrustedError(
            f"{origin.file} names what was not allowed here:\n{listed(refused)}\n"
            f"Nothing of it was run, read or written to. "
            f"If you know where it is from and want this, give --trust (in Python, trust=True), "
            f"or allow it from now on with `gristmill trust {origin.file}`."
        )


def listed(named: Iterable[Named]) -> str:
    """Format things as lines of text."""
    return "\n".join(f"  {item.kind:8}{item.what}" for item in named)


def remembered() -> list[Named]:
    """Everything that was allowed for good."""
    return sorted(_remembered())


def _is_own(item: Named, origin: Origin) -> bool:
    """Whether something is plain data in the folder of the corpus, without links to elsewhere."""
    if item.kind != "file" or not origin.folder:
        return False
    folder, place = Path(os.path.realpath(origin.folder)), Path(item.what)
    inside = (Path(root, name) for root, folders, names in os.walk(place) for name in (*folders, *names))
    return all(Path(os.path.realpath(path)).is_relative_to(folder) for path in (place, *inside))


def settings_folder() -> Path | None:
    """The user's own folder for settings of Gristmill; None if there is no home to have one in."""
    if given := os.environ.get("GRISTMILL_HOME"):
        return Path(given)
    base = os.environ.get("APPDATA" if sys.platform == "win32" else "XDG_CONFIG_HOME")
    try:
        return (Path(base) if base else Path.home() / ".config") / "gristmill"
    except RuntimeError:
        return None


def _remembered() -> set[Named]:
    folder = settings_folder()
    if folder is None:
        return set()
    path = folder / FILE
    try:
        table = tomllib.loads(path.read_text("utf-8"))
        return {Named(kind, what) for kind, places in table.items() for what in list[str](places)}
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return set()
    except (OSError, ValueError, TypeError) as error:
        raise GristmillError(f"can't read {path}: {error}; mend or delete it") from error


def _write(named: Iterable[Named]) -> None:
    """Write what is allowed to the user's file; if it can't be written, it is allowed for this time only."""
    folder = settings_folder()
    if folder is None:
        return
    table: dict[str, list[str]] = {}
    for kind, what in sorted(named):
        table.setdefault(kind, []).append(what)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with Draft(folder / FILE) as draft, open(draft.descriptor, "wb", closefd=False) as file:
            file.write(tomli_w.dumps(table, multiline_strings=False).encode())
    except (OSError, GristmillError):
        return
