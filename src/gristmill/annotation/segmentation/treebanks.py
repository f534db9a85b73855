"""Sentences with their words, from treebanks in CoNLL-U (`.conllu`) or in Parquet files with a row for each sentence.

Words are surface tokens: a multiword token counts as one. The columns of Parquet files are `text`, `tokens` and, if
there are any, `mwt` (start, end, form), `sent_id` and `lang`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from gristmill.errors import UsageError

_ID = re.compile(r"(\d+)(?:-(\d+))?")


class Sentence(NamedTuple):
    """A sentence, and where its words begin."""

    id: str
    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]


def read_sentences(path: Path, lang: str) -> list[Sentence]:
    """Read the sentences of a language; those whose words are not those of their text are left out."""
    try:
        rows = _parquet_rows(path, lang) if path.suffix == ".parquet" else _conllu_rows(path)
        found = [_sentence(str(number), *row) for number, row in enumerate(rows)]
    except (OSError, ValueError, KeyError, TypeError, pa.ArrowException) as error:
        raise UsageError(f"can't read sentences from {path}: {getattr(error, 'strerror', None) or error}") from error
    sentences = [sentence for sentence in found if sentence is not None]
    if not sentences:
        raise UsageError(f"there are no sentences of {lang} with their words in {path}")
    return sentences


def _sentence(number: str, name: str, text: str, words: Sequence[str]) -> Sentence | None:
    """Find the words in a text, one after the other; None if they are not there."""
    text = text.strip()
    starts, ends = [], []
    at = 0
    for word in words:
        start = text.find(word, at)
        if start < 0 or text[at:start].strip():
            return None
        at = start + len(word)
        starts.append(start)
        ends.append(at)
    return None if text[at:].strip() or not starts else Sentence(name or number, text, tuple(starts), tuple(ends))


def _parquet_rows(path: Path, lang: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield id, text and words of each sentence."""
    names = set(pq.read_schema(path).names) & {"lang", "sent_id", "text", "tokens", "mwt"}
    filters = [("lang", "==", lang)] if "lang" in names else None
    for row in pq.read_table(path, columns=sorted(names), filters=filters).to_pylist():
        yield str(row.get("sent_id") or ""), row["text"], _surface(row["tokens"], row.get("mwt") or ())


def _surface(words: Sequence[str], multiword: Sequence[Mapping[str, Any]]) -> list[str]:
    """Replace the words of multiword tokens by these."""
    forms = list(words)
    for token in sorted(multiword, key=lambda token: -token["start"]):
        forms[token["start"] - 1 : token["end"]] = [token["form"]]
    return forms


def _conllu_rows(path: Path) -> Iterator[tuple[str, str, list[str]]]:
    """Yield id, text and words of each sentence of a CoNLL-U file."""
    lines = path.read_text("utf-8-sig").splitlines()
    for filled, group in groupby(lines, lambda line: bool(line.strip())):
        if filled:
            sentence = list(group)
            comments = dict(line[1:].partition("=")[::2] for line in sentence if line.startswith("#") and "=" in line)
            facts = {key.strip(): value.strip() for key, value in comments.items()}
            yield facts.get("sent_id", ""), facts["text"], list(_conllu_words(sentence))


def _conllu_words(lines: Sequence[str]) -> Iterator[str]:
    """Yield the surface tokens of a sentence."""
    last = 0  # of the words that are part of a multiword token
    for line in lines:
        cells = line.split("\t")
        found = _ID.fullmatch(cells[0])
        if found is None or len(cells) < 2:
            continue
        if found.group(2):
            last = int(found.group(2))
            yield cells[1]
        elif int(found.group(1)) > last:
            yield cells[1]
