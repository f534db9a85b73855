"""Helpers for taggers that users install: errors, input that they can process, and how programs are run."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence

from gristmill.errors import GristmillError, UsageError

_MAX_SENTENCE_WORDS = 1000  # longer ones are lists without full stops, for which neural taggers need much memory


_PLACEHOLDER = "_"  # for words that can't be on a line
_MAX_LINE_CHARACTERS = 100


def missing(name: str, install: str, then: str) -> UsageError:
    """Make the error that a tagger is not installed."""
    return UsageError(f"the tagger {name} is not installed; run `{install}`, and get {then}")


def split_long(sentences: Sequence[Sequence[str]]) -> Iterator[Sequence[str]]:
    """Yield sentences of at most `_MAX_SENTENCE_WORDS` words: long ones are split, empty ones are left out."""
    for words in sentences:
        for start in range(0, len(words), _MAX_SENTENCE_WORDS):
            yield words[start : start + _MAX_SENTENCE_WORDS]


def encodable(word: str) -> str:
    """Replace lone surrogates in a word, which C libraries do not accept."""
    return word if word.isascii() else word.encode("utf-8", "replace").decode("utf-8")


def as_line(word: str) -> str:
    """Return a word as it can be on a line of its own: one with spaces or control characters, or a long one, is `_`."""
    return word if word.isprintable() and " " not in word and len(word) <= _MAX_LINE_CHARACTERS else _PLACEHOLDER


def run_program(name: str, command: Sequence[str], text: str) -> str:
    """Run a program on a text and return what it writes; raises `GristmillError` with its last words if it fails."""
    done = subprocess.run(list(command), input=text.encode(), capture_output=True, check=False)  # noqa: S603
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or [f"exit code {done.returncode}"]
        raise GristmillError(f"{name} failed: {said[-1]} ({' '.join(command)})")
    return done.stdout.decode("utf-8", "replace")
