"""Questions about the texts of gold standards, which are in `answers_gold.tsv`, and indexes of these texts.

For each question, a sentence was drawn at random, and the question written before anything was asked, in words of our
own. What answers is a sentence of the same page that has all words of the answer, as in the judgements of TREC. Those
that are `seen` were used to find faults of rules and structures; those that are `unseen` were not.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from gristmill.annotation import annotate
from gristmill.search import Index, PlainDocument, PlainParagraph, make_index

_SIDES = (("src_lang", "src"), ("tgt_lang", "tgt"))
"""Columns of a gold standard of translations: languages and sentences."""


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question about a page of a gold standard."""

    part: str
    """`seen` or `unseen`."""
    lang: str
    set: str
    id: str
    """What the id of the page begins with."""
    question: str
    answer: tuple[str, ...]


def gold_questions(lang: str, part: str) -> list[GoldQuestion]:
    """Read the questions of a part in a language."""
    with Path(__file__).with_suffix(".tsv").open(encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [
            GoldQuestion(part, lang, row["set"], row["id"], row["question"], tuple(row["answer"].split("||")))
            for row in rows
            if (row["lang"], row["part"]) == (lang, part)
        ]


def gold_index(gold: Path, lang: str, sets: list[str], folder: Path) -> Index:
    """Make an index of all texts of some gold standards, tagged as a corpus would be."""
    documents = [
        PlainDocument(_paragraphs(text, lang), {"lang": lang, "id": f"{name}/{page}", "url": "", "title": ""})
        for name in sets
        for page, text in _texts(gold / f"{name}.parquet", lang)
        if text.strip()
    ]
    return make_index(folder, documents)


def _texts(file: Path, lang: str) -> Iterator[tuple[str, str]]:
    names = pq.read_schema(file).names
    columns = ["id", "gold"] if "gold" in names else ["id", *(name for side in _SIDES for name in side)]
    for row in pq.read_table(file, columns=columns).to_pylist():
        if "gold" in row:
            yield row["id"], row["gold"]
        else:
            yield from ((row["id"], "\n".join(row[side])) for code, side in _SIDES if row[code] == lang)


def _paragraphs(text: str, lang: str) -> list[PlainParagraph]:
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    return [PlainParagraph(_sentences(one), {}) for one in annotate([(line, lang) for line in lines]) if one.words]


def _sentences(annotation: Any) -> list[list[tuple[str, str, str, str, bool]]]:
    tokens, found, end = tokens_of(annotation), [], 0
    for length in annotation.sentences:
        found.append(tokens[end : end + length])
        end += length
    return found


def tokens_of(annotation: Any) -> list[tuple[str, str, str, str, bool]]:
    """The tokens of an annotation, as an index takes them."""
    ends = [start + len(word) for start, word in zip(annotation.starts, annotation.words, strict=True)]
    glued = [False, *(start == end for start, end in zip(annotation.starts[1:], ends, strict=False))]
    columns = (annotation.words, annotation.tags, annotation.lemmas, annotation.xpos, glued)
    return list(zip(*columns, strict=True))
