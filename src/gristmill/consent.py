"""Record what the user trusts: programs, models, plugins and files that settings name.

A corpus from elsewhere may name any of these in its files. What the user gives as an option or an argument is allowed
and remembered; all else is refused until the user says otherwise (`--trust`, `gristmill trust`), however it is written
and wherever it is from. Things are allowed by their real paths, so that neither a link nor a relative path stands for
another one. What is run or loaded is allowed as it is: when its content has changed, it has to be allowed again.
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import tomli_w

from gristmill.contents import digest_of, module_files
from gristmill.drafts import Draft
from gristmill.errors import GristmillError, UsageError

FILE = "trusted.toml"
"""The file in the folder of settings that lists what the user has allowed for good."""
_WITH_CONTENT = frozenset({"plugin", "program", "model", "hosts"})
"""Kinds of things that are allowed with what they hold. All others are a place or an address that may be used."""


class Named(NamedTuple):
    """Something that settings name: its kind, and which one it is."""

    kind: str
    """`program`, `model`, `plugin`, `file` (or a folder of such, which is read), `folder` (that is written to), `mail`,
    `store` (that is asked for pages), `provider` (that is asked for addresses), `network` (that one crawl may connect
    to), `hosts` (a file that a crawl looks names up in).
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


_allowed: dict[Named, str] = {}
"""What was allowed in this process, each with the hash of what it held then."""


def allowed_here() -> Mapping[Named, str]:
    """The things that were allowed in this process, for good or not, with their hashes; workers are given them."""
    return dict(_allowed)


def allow_as(allowed: Mapping[Named, str]) -> None:
    """Allow things in this process as they were in another one."""
    _allowed.update(allowed)


def allow(named: Iterable[Named], *, remember: bool = True) -> None:
    """Allow things as they are now in this process, and for good if the folder of settings can be written to."""
    given = {item: _content(item) for item in named}
    _allowed.update(given)
    if remember and given:
        known = _remembered()
        if not given.items() <= known.items():
            _write(known | given)


def forget(named: Iterable[Named]) -> None:
    """Withdraw what was allowed."""
    gone = set(named)
    for item in gone & _allowed.keys():
        del _allowed[item]
    known = _remembered()
    if known.keys() & gone:
        _write({item: digest for item, digest in known.items() if item not in gone})


def forget_inside(folder: Path) -> None:
    """Withdraw what was allowed of all that is in a folder: something else comes to be there."""
    real = Path(os.path.realpath(folder))
    forget(item for item in _remembered().keys() | _allowed.keys() if Path(item.what).is_relative_to(real))


def not_allowed(named: Iterable[Named], origin: Origin | None = None) -> list[Named]:
    """Find those things that the user has not allowed as they are now, and that are not data of the corpus itself."""
    asked = [item for item in dict.fromkeys(named) if not (origin and _is_own(item, origin))]
    known = _remembered() if any(item not in _allowed for item in asked) else {}
    return [item for item in asked if not _is_as_allowed(item, known)]


def _is_as_allowed(item: Named, known: Mapping[Named, str]) -> bool:
    """Whether something was allowed, and holds what it held then. What was not allowed is not even looked at."""
    digests = [allowed[item] for allowed in (_allowed, known) if item in allowed]
    return bool(digests) and _content(item) in digests


def _content(item: Named) -> str:
    """Hash what something holds, if it is of a kind that is run or loaded; those found by their names hold nothing."""
    if item.kind not in _WITH_CONTENT:
        return ""
    if (place := Path(item.what)).is_absolute():
        return digest_of([place])
    return digest_of(module_files(item.what)) if item.kind == "plugin" else "by its name"


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
    """Format things as lines of text; those that were allowed say if they have changed since."""
    known = _remembered() | _allowed
    return "\n".join(f"  {item.kind:8}{item.what}{_changed(item, known)}" for item in named)


def _changed(item: Named, known: Mapping[Named, str]) -> str:
    if item not in known or _is_as_allowed(item, known):
        return ""
    return f"  ({'has changed since it was allowed' if known[item] else 'was allowed by an earlier version'})"


def remembered() -> list[Named]:
    """Everything that was allowed for good."""
    return sorted(_remembered())


def _is_own(item: Named, origin: Origin) -> bool:
    """Whether something is plain data in the folder of the corpus, without links to elsewhere."""
    if item.kind != "file" or not origin.folder:
        return False
    folder, place = Path(os.path.realpath(origin.folder)), Path(item.what)
    if not place.is_relative_to(folder):
        return False  # what is elsewhere is not even looked through
    inside = (Path(root, name) for root, folders, names in os.walk(place) for name in (*folders, *names))
    return all(Path(os.path.realpath(path)).is_relative_to(folder) for path in inside)


def settings_folder() -> Path | None:
    """The user's own folder for settings of Gristmill; None if there is no home to have one in."""
    if given := os.environ.get("GRISTMILL_HOME"):
        return Path(given)
    base = os.environ.get("APPDATA" if sys.platform == "win32" else "XDG_CONFIG_HOME")
    try:
        return (Path(base) if base else Path.home() / ".config") / "gristmill"
    except RuntimeError:
        return None


def _remembered() -> dict[Named, str]:
    """Read the user's file: kinds with content have tables of hashes; others, and in earlier files all, have lists."""
    folder = settings_folder()
    if folder is None:
        return {}
    path = folder / FILE
    try:
        table = tomllib.loads(path.read_text("utf-8"))
        return {
            Named(kind, what): str(places[what]) if isinstance(places, dict) else ""
            for kind, places in table.items()
            for what in list[str](places)
        }
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return {}
    except (OSError, ValueError, TypeError) as error:
        raise GristmillError(f"can't read {path}: {error}; mend or delete it") from error


def _write(allowed: Mapping[Named, str]) -> None:
    """Write what is allowed to the user's file; if it can't be written, it is allowed for this time only."""
    folder = settings_folder()
    if folder is None:
        return
    table: dict[str, dict[str, str]] = {}
    for (kind, what), digest in sorted(allowed.items()):
        table.setdefault(kind, {})[what] = digest
    written = {kind: found if kind in _WITH_CONTENT else list(found) for kind, found in table.items()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with Draft(folder / FILE) as draft, open(draft.descriptor, "wb", closefd=False) as file:
            file.write(tomli_w.dumps(written, multiline_strings=False).encode())
    except (OSError, GristmillError):
        return
