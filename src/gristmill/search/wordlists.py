"""Lists of words that queries name, `[lemma = $animals]`: files in the folder `lists` of a corpus, or given ones.

corpus/lists/animals.txt        one word a line

WordLists(folder=corpus / "lists").words("animals")     ["cat", "dog"]
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gristmill.condition import Place
from gristmill.errors import UsageError
from gristmill.registry import did_you_mean

FOLDER = "lists"
MAX_BYTES = 64_000_000
"""Size of the file of a list."""
MAX_WORDS = 2_000_000
"""Words of a list."""
_ENDING = ".txt"
_NAME = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class WordLists:
    """Lists of words by their names: given ones, and those saved in a folder."""

    given: Mapping[str, Sequence[str]] = field(default_factory=dict)
    folder: Path | None = None

    def __post_init__(self) -> None:
        for name, words in self.given.items():
            _check(name, words)

    def names(self) -> list[str]:
        """Names of all lists."""
        return sorted({*self.given, *saved_lists(self.folder)})

    def words(self, name: str, place: Place | None = None) -> Sequence[str]:
        """The words of a list; raises if there is none of that name, and points at the place in the query."""
        if name in self.given:
            return self.given[name]
        path = saved_lists(self.folder).get(name)
        if path is not None:
            return read_words(path)
        known = self.names()
        there = f" (there are: {', '.join(known)})" if known else ""
        message = (
            f"there is no list ${name}{did_you_mean(name, known)}{there}; a list is a file {FOLDER}/{name}{_ENDING} "
            f"of the corpus with a word in each line, or given with --list {name}=FILE"
        )
        raise (place.error(f"{message}:") if place else UsageError(message))

    def state(self) -> tuple[tuple[str, int, int], ...]:
        """What tells the saved lists from those of another time: name, size and time of change of each."""
        found = ((name, path.stat()) for name, path in saved_lists(self.folder).items())
        return tuple((name, facts.st_size, facts.st_mtime_ns) for name, facts in found)


Lists = Mapping[str, Sequence[str]] | WordLists
"""Lists of words that are given with a query by their names; or all lists that there are."""


def saved_lists(folder: Path | None) -> dict[str, Path]:
    """Find the files of the lists in a folder, by their names."""
    paths = sorted(folder.glob(f"*{_ENDING}")) if folder is not None else []
    return {path.stem: path for path in paths if _NAME.fullmatch(path.stem) and path.is_file()}


def read_words(path: str | os.PathLike[str]) -> list[str]:
    """Read a list: a word a line, in UTF-8; white space around it and empty lines don't count."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise UsageError(f"the list of words {path} is too long: a list has at most {MAX_BYTES // 10**6} MB")
        lines = data.decode("utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"can't read the list of words {path}: {getattr(error, 'strerror', None) or error}") from error
    words = list(dict.fromkeys(stripped for line in lines if (stripped := line.strip())))
    _check_size(str(path), len(words))
    return words


def parse_list(text: str) -> tuple[str, list[str]]:
    """Read what was given as `NAME=FILE`."""
    name, sign, path = text.partition("=")
    if not sign or not _NAME.fullmatch(name) or not path:
        raise UsageError(f"a list is given as NAME=FILE, such as animals=animals.txt, not {text!r}")
    return name, read_words(path)


def parse_lists(texts: Iterable[str]) -> dict[str, list[str]]:
    """Read all that was given as `NAME=FILE`; no name may come twice."""
    found: dict[str, list[str]] = {}
    for text in texts:
        name, words = parse_list(text)
        if name in found:
            raise UsageError(f"the list {name} is given twice: give each a name of its own")
        found[name] = words
    return found


def _check(name: str, words: Sequence[str]) -> None:
    """Raise if what was given is no list with a name."""
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} can't be the name of a list: use letters, digits and _, and no digit at its start")
    if isinstance(words, str) or not all(isinstance(word, str) for word in words):
        raise UsageError(f"the list {name} must be a list of words, such as ['cat', 'dog']")
    _check_size(name, len(words))


def _check_size(name: str, words: int) -> None:
    if words > MAX_WORDS:
        raise UsageError(f"the list {name} has {words:,} words, and at most {MAX_WORDS:,} are allowed")
