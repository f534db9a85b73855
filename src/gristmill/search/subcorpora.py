"""Subcorpora with names that last: conditions on documents, kept in the corpus, to be used as `@name`.

They are in `subcorpora.toml` in the folder of the corpus, which is replaced as a whole. Wherever a condition stands,
`@name` stands for the condition of that name: `@news & year>=2010`. What is saved has no names of others in it, so that
renaming or removing one changes no other.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import tomli_w

from gristmill.condition import Condition, Place
from gristmill.corpus.links import check_links
from gristmill.errors import GristmillError, UsageError
from gristmill.leases import BusyError, in_turn
from gristmill.registry import did_you_mean
from gristmill.shapes import misfit
from gristmill.shards import write_atomically
from gristmill.wording import one_line

NAME = "subcorpora.toml"
_LOCK = ".subcorpora.lock"
_WAIT_SECONDS = 5.0
_MAX_BYTES = 8_000_000
MAX_SUBCORPORA = 1_000
_MAX_BY_CHARACTERS = 100
_NAME = re.compile(r"\w[\w-]{0,63}")
_REFERENCE = re.compile(r""""(?:[^"\\]++|\\.)*+"?|'(?:[^'\\]++|\\.)*+'?|@(?P<name>[\w-]*+)""", re.DOTALL)
"""A value in quotes, in which a name means nothing, or a name after its sign."""
_SHAPE = {"where": str, "by?": str, "saved?": str}


@dataclass(frozen=True, slots=True)
class NamedSubcorpus:
    """A condition that was saved under a name."""

    name: str
    where: str
    by: str = ""
    """Who saved it, if that is known."""
    saved: str = ""
    """When, in UTC."""

    def lines(self) -> Iterator[str]:
        """Yield what the name stands for."""
        yield f"@{self.name} stands for {self.where}"

    def to_json(self) -> dict[str, Any]:
        """All fields."""
        return asdict(self)


def read_subcorpora(folder: Path) -> dict[str, NamedSubcorpus]:
    """Read the subcorpora of a corpus, by name; raises if their file is damaged."""
    path = folder / NAME
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise GristmillError(f"{path} is too large to be a list of subcorpora: remove it")
        table: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise GristmillError(f"can't read {path}: {error}; mend or remove it") from error
    found = {}
    for name, about in sorted(table.items()):
        fault = misfit(about, _SHAPE, name)
        if fault or not _NAME.fullmatch(name):
            raise GristmillError(f"{path} is damaged ({name!r:.100}: {fault or 'no name'}): mend or remove it")
        found[name] = NamedSubcorpus(name, about["where"], about.get("by", ""), about.get("saved", ""))
    return found


def save_subcorpus(folder: Path, name: str, where: str, *, by: str = "", replace: bool = False) -> NamedSubcorpus:
    """Save a condition under a name; raises if it is none, or if the name is taken and not to be replaced."""
    _check_name(name)
    with _changing(folder) as known:
        if name in known and not replace:
            raise UsageError(f"there is a subcorpus {name!r} already: choose another name, or remove it first")
        if name not in known and len(known) >= MAX_SUBCORPORA:
            raise UsageError(f"a corpus can have {MAX_SUBCORPORA:,} subcorpora: remove one first")
        condition = expanded(where, known)
        Condition.parse(condition)
        saved = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        known[name] = NamedSubcorpus(name, condition, one_line(by, _MAX_BY_CHARACTERS), saved)
        return known[name]


def rename_subcorpus(folder: Path, name: str, new: str) -> NamedSubcorpus:
    """Give a subcorpus another name, which must be free."""
    _check_name(new)
    with _changing(folder) as known:
        old = known_subcorpus(known, name)
        if new in known and new != name:
            raise UsageError(f"there is a subcorpus {new!r} already: choose another name")
        del known[name]
        known[new] = NamedSubcorpus(new, old.where, old.by, old.saved)
        return known[new]


def remove_subcorpus(folder: Path, name: str) -> None:
    """Remove a subcorpus: its name, and not the documents that are in it."""
    with _changing(folder) as known:
        del known[known_subcorpus(known, name).name]


def expanded(where: str, known: Mapping[str, NamedSubcorpus] | Path) -> str:
    """Replace the names in a condition by what they stand for: `@news & year>=2010` by `(host="...") & year>=2010`.

    `known` are the subcorpora by name, or the folder of the corpus. Errors point at the place.
    """
    if "@" not in str(where):
        return where
    found = read_subcorpora(known) if isinstance(known, Path) else known

    def replacement(match: re.Match[str]) -> str:
        name = match["name"]
        if name is None:
            return match[0]
        if name not in found:
            names = f" (there are: {', '.join(found)})" if found else ", and no other"
            hint = did_you_mean(name, found)
            raise Place(where, match.start()).error(f"there is no subcorpus {name!r}{hint}{names}:")
        return f"({found[name].where})"

    return _REFERENCE.sub(replacement, where)


def known_subcorpus(known: Mapping[str, NamedSubcorpus], name: str) -> NamedSubcorpus:
    """Take the subcorpus of a name; raise if there is none."""
    if name not in known:
        raise UsageError(f"there is no subcorpus {name!r:.100}{did_you_mean(name, known)}")
    return known[name]


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r:.100} can't be the name of a subcorpus: use letters, digits, - and _, at most 64")


@contextmanager
def _changing(folder: Path) -> Iterator[dict[str, NamedSubcorpus]]:
    """Read all subcorpora, and write them again as they are changed; nobody else does so meanwhile.

    The corpus itself is not locked: it may grow while somebody saves a name.
    """
    check_links(folder)
    with _alone(folder):
        known = read_subcorpora(folder)
        yield known
        table = {
            item.name: {
                "where": item.where,
                **{key: getattr(item, key) for key in ("by", "saved") if getattr(item, key)},
            }
            for item in sorted(known.values(), key=lambda item: item.name)
        }
        write_atomically(folder / NAME, tomli_w.dumps(table).encode())


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Lock the list of subcorpora; who else has it locked needs it for a moment only."""
    try:
        with in_turn(folder / _LOCK, _WAIT_SECONDS):
            yield
    except BusyError as busy:
        raise GristmillError(f"another command is writing to {folder / NAME}: wait until it is done ({busy})") from None
    except OSError as error:
        raise GristmillError(f"can't write to {folder}: {error.strerror or error}") from error
