"""Lists of words that queries name, `[lemma = $animals]`: files in the folder `lists` of a corpus, or given ones.

corpus/lists/animals.txt        one word a line

WordLists.of(corpus / "lists").words("animals")     ["cat", "dog"]
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gristmill.condition import Place
from gristmill.errors import UsageError
from gristmill.registry import did_you_mean

FOLDER = "lists"
_ENDING = ".txt"
_NAME = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class WordLists:
    """Lists of words by their names: given ones, and those saved in a folder."""

    given: Mapping[str, Sequence[str]] = field(default_factory=dict)
    folder: Path | None = None

    def names(self) -> list[str]:
        """Names of all lists."""
        saved = self.folder.glob(f"*{_ENDING}") if self.folder is not None else []
        return sorted({*self.given, *(path.stem for path in saved)})

    def words(self, name: str, place: Place | None = None) -> Sequence[str]:
        """The words of a list; raises if there is none of that name, and points at the place in the query."""
        if name in self.given:
            return self.given[name]
        path = None if self.folder is None else self.folder / f"{name}{_ENDING}"
        if path is not None and path.is_file():
            return read_words(path)
        known = self.names()
        there = f"there are: {', '.join(known)}" if known else "there are none; give one with --list NAME=FILE"
        message = f"there is no list ${name}{did_you_mean(name, known)} ({there})"
        raise (place.error(f"{message}:") if place else UsageError(message))


def read_words(path: str | os.PathLike[str]) -> list[str]:
    """Read a list: a word a line, in UTF-8; white space around it and empty lines don't count."""
    try:
        lines = Path(path).read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"can't read the list of words {path}: {error}") from error
    return list(dict.fromkeys(stripped for line in lines if (stripped := line.strip())))


def parse_list(text: str) -> tuple[str, list[str]]:
    """Read what was given as `NAME=FILE`."""
    name, sign, path = text.partition("=")
    if not sign or not _NAME.fullmatch(name) or not path:
        raise UsageError(f"a list is given as NAME=FILE, such as animals=animals.txt, not {text!r}")
    return name, read_words(path)
