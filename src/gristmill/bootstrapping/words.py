"""Words, phrases and tuples that users give in files."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

from gristmill.errors import UsageError
from gristmill.text.composition import compose

MAX_WORD_CHARACTERS = 100
"""Most characters of a word or phrase: more is a text, and no search engine takes it."""
MAX_TUPLE_WORDS = 10
"""Most words of a tuple that a user gives."""
_MAX_FILE_BYTES = 10_000_000
_JOINERS = "\u200c\u200d"  # invisible, but words of Persian and of scripts of India are spelt with them
_QUOTES = "\"'“”„‟‘’‚«»‹›「」"
_COMMENT = re.compile(r"(?:^|\s)#.*")
_PIECE = re.compile(r'"([^"]*)"|“([^”]*)”|«([^»]*)»|(\S+)')


def read_words(path: str | os.PathLike[str]) -> list[str]:
    """Read words and phrases, one on a line, each once; what follows ` #` is a comment.

    Phrases may stand in quotation marks. Whether letters are capital makes no difference between words.
    """
    words = unique(line for _, line in lines_of(path))
    if not words:
        raise UsageError(f"there are no words in {path}: write a word or phrase on each line")
    return words


def read_tuples(path: str | os.PathLike[str]) -> list[tuple[str, ...]]:
    """Read tuples of words, one on a line, each once, in whatever order its words are.

    Words are separated by tabs, or by commas, or else by spaces; then phrases stand in quotation marks.
    """
    found: dict[frozenset[str], tuple[str, ...]] = {}
    for number, line in lines_of(path):
        words = tuple(unique(_pieces(line)))
        if len(words) > MAX_TUPLE_WORDS:
            raise UsageError(
                f"{path}, line {number:,} has {len(words)} words: a tuple has {MAX_TUPLE_WORDS} at most "
                "(words are separated by tabs or commas)"
            )
        if words:
            found.setdefault(frozenset(map(str.casefold, words)), words)
    if not found:
        raise UsageError(f"there are no tuples in {path}: write some words on each line, with tabs or commas between")
    return list(found.values())


def unique(words: Iterable[str]) -> list[str]:
    """Keep each word once, in their order; what is empty or too long is left out."""
    found: dict[str, str] = {}
    for word in map(tidy_word, words):
        if 0 < len(word) <= MAX_WORD_CHARACTERS:
            found.setdefault(word.casefold(), word)
    return list(found.values())


def tidy_word(text: str) -> str:
    """Bring a word or phrase to its usual form: composed letters, single spaces, no quotation marks or controls."""
    visible = "".join(" " if _is_control(sign) else sign for sign in compose(text))
    return " ".join(visible.split()).strip(_QUOTES + " ")


def _pieces(line: str) -> list[str]:
    """Split a line of a file of tuples into its words."""
    for separator in "\t,;":
        if separator in line:
            return line.split(separator)
    return [next(filter(None, match.groups()), "") for match in _PIECE.finditer(line)]


def lines_of(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file without comments, with their numbers; raises if it is no text in UTF-8."""
    for number, line in enumerate(_text(Path(path)).splitlines(), 1):
        bare = _COMMENT.sub("", line, count=1).strip()
        if bare:
            yield number, bare


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_FILE_BYTES + 1)
    except OSError as error:
        raise UsageError(f"can't read {path}: {error.strerror or error}") from error
    if len(data) > _MAX_FILE_BYTES:
        raise UsageError(f"{path} has more than {_MAX_FILE_BYTES:,} bytes: it is no list of words")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _decoded(path, data, "utf-16")
    if b"\0" in data:
        raise UsageError(f"{path} is not a text file: give a file with a word or phrase on each line")
    return _decoded(path, data, "utf-8-sig")


def _decoded(path: Path, data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path} is not in UTF-8: save it as UTF-8 (byte {error.start:,} is no part of a letter)"
        ) from error


def _is_control(sign: str) -> bool:
    """Tell whether a character is not written, but changes how others are shown."""
    return unicodedata.category(sign) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"} and sign not in _JOINERS
