"""Treebanks as texts: paragraphs, with where their tokens and sentences stand.

Tokens are the surface tokens of the CoNLL 2018 evaluation: what UD takes apart (French `de` and `le` for `du`) is one
token. `ud-train.parquet` says which these are (`mwt`). `ud-dev.parquet` does not: where the words of a stretch can't be
found in its text, the whole stretch between word boundaries is one token, but words that together spell their stretch
(`dar` and `se` in `darse`) count as tokens each.
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

Span = tuple[int, int]

LANGUAGES = {
    "Chinese": "zh",
    "Czech": "cs",
    "English": "en",
    "Finnish": "fi",
    "French": "fr",
    "German": "de",
    "Japanese": "ja",
    "Russian": "ru",
    "Slovenian": "sl",
    "Spanish": "es",
    "Turkish": "tr",
}
"""The languages of the treebanks of `ud-dev.parquet`, by the first parts of their names."""
_UNSPACED = frozenset({"ja", "zh"})
_MOST_SENTENCES = 10  # of a paragraph; several treebanks do not say where paragraphs begin
_MOST_WORDS = 4
_COLUMNS = ("lang", "treebank", "text", "tokens", "mwt", "newpar", "upos", "lemma")
_MAX_GROUP_CHARACTERS = 40


@dataclass(slots=True)
class Paragraph:
    """Sentences with spaces between them, and where they and their tokens stand."""

    lang: str
    text: str = ""
    tokens: list[Span] = field(default_factory=list)
    sentences: list[Span] = field(default_factory=list)

    def add(self, text: str, words: Sequence[str]) -> None:
        """Add a sentence."""
        if self.text and self.lang not in _UNSPACED:
            self.text += " "
        start = len(self.text)
        self.text += text
        self.tokens += [(start + first, start + last) for first, last in align(text, words)]
        self.sentences.append((start, len(self.text)))


def read_treebanks(gold: Path, name: str = "ud-dev") -> dict[str, list[dict[str, Any]]]:
    """The sentences of each treebank of a file; ends the program if there are none."""
    path = gold / f"{name}.parquet"
    if not path.is_file():
        sys.exit(f"There is no {path}. Name the folder that has it with --gold DIR.")
    treebanks: dict[str, list[dict[str, Any]]] = {}
    columns = [column for column in _COLUMNS if column in pq.read_schema(path).names]
    for row in pq.read_table(path, columns=columns).to_pylist():
        treebanks.setdefault(row["treebank"].removeprefix("UD_"), []).append(row)
    return treebanks


def read_paragraphs(gold: Path, name: str = "ud-dev") -> dict[str, list[Paragraph]]:
    """The paragraphs of each treebank of a file."""
    return {
        treebank: list(_paragraphs(rows[0].get("lang") or LANGUAGES[treebank.partition("-")[0]], rows))
        for treebank, rows in read_treebanks(gold, name).items()
    }


def _paragraphs(lang: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[Paragraph]:
    paragraph = Paragraph(lang)
    for row in rows:
        if paragraph.text and (row.get("newpar") or len(paragraph.sentences) == _MOST_SENTENCES):
            yield paragraph
            paragraph = Paragraph(lang)
        paragraph.add(row["text"].strip(), surface_tokens(row["tokens"], row.get("mwt") or ()))
    yield paragraph


def surface_tokens(words: Sequence[str], multiwords: Sequence[Mapping[str, Any]]) -> list[str]:
    """The tokens of a sentence as they are in its text: words, but those of multiword tokens as one."""
    forms = {multiword["start"]: multiword for multiword in multiwords}
    tokens = []
    reached = 0
    for number, word in enumerate(words, 1):
        if number in forms:
            tokens.append(forms[number]["form"])
            reached = forms[number]["end"]
        elif number > reached:
            tokens.append(word)
    return tokens


def align(text: str, words: Sequence[str]) -> list[Span]:
    """Where words stand in a text."""
    return _align_exactly(text, words) or _align_roughly(text, words)


def _align_exactly(text: str, words: Sequence[str]) -> list[Span]:
    """Where words stand in a text that has nothing but them and spaces between them; empty if it has."""
    spans = []
    at = 0
    for word in words:
        while at < len(text) and text[at].isspace():
            at += 1
        if not text.startswith(word, at):
            return []
        spans.append((at, at + len(word)))
        at += len(word)
    return spans if at == len(text) else []


def _align_roughly(text: str, words: Sequence[str]) -> list[Span]:
    """Where words stand in a text that has not all of them: the cheapest way through both, by Dijkstra's algorithm."""
    order = count()
    waiting: list[tuple[float, int, int, int, tuple[Span, ...]]] = [(0.0, next(order), 0, 0, ())]
    seen: set[tuple[int, int]] = set()
    while waiting:
        cost, _, number, at, spans = heapq.heappop(waiting)
        while at < len(text) and text[at].isspace():
            at += 1
        if (number, at) in seen:
            continue
        seen.add((number, at))
        if number == len(words) and at == len(text):
            return list(spans)
        for more, taken, end in _steps(text, words, number, at):
            heapq.heappush(waiting, (cost + more, next(order), number + taken, end, (*spans, (at, end))))
    raise ValueError(f"words do not fit their text: {text!r}")


def _steps(text: str, words: Sequence[str], number: int, at: int) -> Iterator[tuple[float, int, int]]:
    """Ways on from a word and a place: cost, words taken, end."""
    if number == len(words) or at == len(text):
        return
    if text.startswith(words[number], at):
        yield 0, 1, at + len(words[number])
    end = _over_spaces(text, words[number], at)
    if end:
        yield 0.5, 1, end
    if at and text[at - 1].isalnum() and text[at].isalnum():
        return
    for taken in range(1, min(_MOST_WORDS, len(words) - number) + 1):
        length = sum(map(len, words[number : number + taken]))
        for end in range(at + 1, min(len(text), at + _MAX_GROUP_CHARACTERS) + 1):
            if text[end - 1].isspace():
                break
            if end == len(text) or not (text[end - 1].isalnum() and text[end].isalnum()):
                yield 1 + taken + 0.3 * abs(end - at - length), taken, end


def _over_spaces(text: str, word: str, at: int) -> int:
    """The end of a word whose spaces differ from those of the text, as in large numbers; 0 if it is not there."""
    for character in "".join(word.split()):
        while at < len(text) and text[at].isspace():
            at += 1
        if at == len(text) or text[at] != character:
            return 0
        at += 1
    return at
