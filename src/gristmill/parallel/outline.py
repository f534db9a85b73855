"""Outlines: what is asked of a document to find its translation, a few kilobytes for each.

An outline is made of a row of `documents.parquet` and one of `tokens.parquet`. It has the address, declared
translations, hashes of what is the same in any language (numbers, names, beginnings of long words, links, the
picture), the kinds and lengths of blocks, and words to be looked up in a dictionary. Of lists that are long, those
items are kept whose hashes are lowest, so that two pages with the same items keep the same ones (bottom-k sketches,
Broder 1997).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import xxhash

from gristmill.document import ALTERNATE_TYPE, Alternate, Document, from_arrow
from gristmill.kept import replaced_by
from gristmill.parallel.addresses import address_key, site_of
from gristmill.shards import Shard, read_batches

Keys = npt.NDArray[np.uint64]

MAX_BLOCKS = 400
"""Blocks whose kinds and lengths are kept."""
MAX_LINKS = 200
MAX_NUMBERS = 100
MAX_NAMES = 200
MAX_WORDS = 256
"""Hashes of links, numbers and names, and words, that are kept."""
MAX_ALTERNATES = 40
"""Declared translations that are kept: those into the wanted languages, if these are given."""
_MAX_WORD = 40
_BEGINNING = 5
"""Letters that cognates share, at least (Simard, Foster and Isabelle 1992 take four)."""
_MIN_COGNATE = 6
_MIN_NAME = 3
_NUMBER = re.compile(r"\d+(?:[.,:'\u00a0\u202f]\d+)*")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d+(?:[.,:]\d+)*|[^\w\s]")
_ENDS_SENTENCE = frozenset(".!?。！？…:")
_DOCUMENT_COLUMNS = (
    "id",
    "url",
    "lang",
    "title",
    "image",
    "dropped",
    "alternates",
    "links",
    *(f"blocks.list.element.{name}" for name in ("text", "kind", "score", "dropped", "role")),
    "max_boilerplate",
    "roles",
)


def _no_keys() -> Keys:
    return np.zeros(0, np.uint64)


@dataclass(slots=True)
class Outline:
    """What is asked of a document to find its translation."""

    id: str
    url: str
    lang: str
    title: str = ""
    alternates: list[Alternate] = field(default_factory=list)
    links: Keys = field(default_factory=_no_keys)
    """Hashes of the addresses that it links to, sorted; of many the lowest."""
    numbers: Keys = field(default_factory=_no_keys)
    """Hashes of the numbers in its text."""
    names: Keys = field(default_factory=_no_keys)
    """Hashes of words with a capital within a sentence, and of the beginnings of long words."""
    image: int = 0
    """Hash of the address of its picture; 0 if it has none."""
    kinds: str = ""
    """The kinds of its kept blocks, a letter for each."""
    lengths: list[int] = field(default_factory=list)
    """Characters of each."""
    words: list[str] = field(default_factory=list)
    """Words of its text, each once, in lower case; of many the most frequent."""
    counts: list[int] = field(default_factory=list)
    """How often each is there."""
    sentences: int = 0
    length: int = 0
    """Characters of its text."""

    @property
    def site(self) -> str:
        """The site that it is of."""
        return site_of(self.url)


def _list_of(kind: pa.DataType) -> pa.DataType:
    return pa.list_(pa.field("item", kind, nullable=False))


_TYPES = {
    "id": pa.string(),
    "url": pa.string(),
    "lang": pa.string(),
    "title": pa.string(),
    "alternates": _list_of(ALTERNATE_TYPE),
    "links": _list_of(pa.uint64()),
    "numbers": _list_of(pa.uint64()),
    "names": _list_of(pa.uint64()),
    "image": pa.uint64(),
    "kinds": pa.string(),
    "lengths": _list_of(pa.int32()),
    "words": _list_of(pa.string()),
    "counts": _list_of(pa.int32()),
    "sentences": pa.int32(),
    "length": pa.int32(),
}
OUTLINE_SCHEMA: pa.Schema = pa.schema([pa.field(name, kind, nullable=False) for name, kind in _TYPES.items()])
_KEY_FIELDS = ("links", "numbers", "names")


def to_arrow(outlines: Sequence[Outline]) -> pa.RecordBatch:
    """Convert outlines to Arrow columns."""
    columns = []
    for name, kind in _TYPES.items():
        values: list[Any] = [getattr(outline, name) for outline in outlines]
        if name == "alternates":
            values = [[(alternate.lang, alternate.url) for alternate in some] for some in values]
        columns.append(pa.array(values, kind))
    return pa.RecordBatch.from_arrays(columns, schema=OUTLINE_SCHEMA)


def from_batch(batch: pa.RecordBatch | pa.Table) -> list[Outline]:
    """Make outlines of Arrow columns."""
    outlines = []
    for row in batch.to_pylist():
        row["alternates"] = [Alternate(**item) for item in row["alternates"]]
        for name in _KEY_FIELDS:
            row[name] = np.array(row[name], np.uint64)
        outlines.append(Outline(**row))
    return outlines


def read_outlines(shard: Shard, languages: Collection[str] = ()) -> Iterator[Outline]:
    """Make the outlines of the documents of a shard that are kept, in some languages or all.

    Words and sentences are those of `tokens.parquet` if it is there; if not, words are found by a simple rule.
    """
    replaced = replaced_by(shard)
    row = 0
    tokens = _token_rows(shard)
    for batch in read_batches(shard.documents, _DOCUMENT_COLUMNS):
        for document in from_arrow(batch):
            words, sentences = next(tokens) if tokens is not None else (None, None)
            if not document.dropped and row not in replaced and (not languages or document.lang in languages):
                yield outline_of(document, words, sentences, languages)
            row += 1


def _token_rows(shard: Shard) -> Iterator[tuple[list[str], list[int]]] | None:
    """Return the words and the lengths of sentences of each document, if the shard is annotated."""
    if not shard.tokens.exists():
        return None
    batches = read_batches(shard.tokens, ("word", "sentences"))
    return (
        row
        for batch in batches
        for row in zip(*(batch.column(name).to_pylist() for name in ("word", "sentences")), strict=True)
    )


def outline_of(
    document: Document,
    words: Sequence[str] | None = None,
    sentences: Sequence[int] | None = None,
    languages: Collection[str] = (),
) -> Outline:
    """Make the outline of a document; words and the number of words of each sentence are those of its annotation."""
    columns, kept = document.kept_columns()
    texts = columns.folded.some(kept)
    if words is None:
        words, sentences = _simple_words(texts)
    starts = set(accumulate(sentences or (), initial=0))
    alternates = [item for item in document.alternates if not languages or item.lang.partition("-")[0] in languages]
    kinds = columns.kind.take(kept).tolist()
    counts = Counter(word.casefold() for word in words if len(word) <= _MAX_WORD and word[:1].isalpha())
    common = counts.most_common(MAX_WORDS)
    return Outline(
        document.id,
        document.url,
        document.lang,
        document.title[:200],
        alternates[:MAX_ALTERNATES],
        _lowest((address_key(link) for link in document.links), MAX_LINKS),
        _lowest(map(_key, _numbers(words)), MAX_NUMBERS),
        _lowest(map(_key, _names(words, starts)), MAX_NAMES),
        _key(document.image) if document.image else 0,
        "".join(kinds[:MAX_BLOCKS]),
        list(map(len, texts[:MAX_BLOCKS])),
        [word for word, _ in common],
        [count for _, count in common],
        len(sentences or ()),
        sum(map(len, texts)),
    )


def _simple_words(texts: Iterable[str]) -> tuple[list[str], list[int]]:
    """Find words, numbers and signs in texts without annotation, and take each block for a sentence."""
    found: list[str] = []
    lengths = []
    for text in texts:
        words = _WORD.findall(text)
        found.extend(words)
        lengths.append(len(words))
    return found, lengths


def _numbers(words: Iterable[str]) -> set[str]:
    """Return the numbers among words, without the signs within them, in digits of ASCII."""
    found = set()
    for word in words:
        if word[:1].isdecimal() and len(word) <= _MAX_WORD and _NUMBER.fullmatch(word):
            found.add("".join(str(unicodedata.decimal(sign)) for sign in word if sign.isdecimal()))
    return found


def _names(words: Sequence[str], starts: Collection[int]) -> set[str]:
    """Return what may be the same in another language: words with a capital in sentences, beginnings of long words."""
    found = set()
    behind_stop = True
    for place, word in enumerate(words):
        is_name = word[:1].isupper() and not behind_stop and place not in starts
        behind_stop = word in _ENDS_SENTENCE
        if len(word) < _MIN_NAME or len(word) > _MAX_WORD or not word[0].isalpha():
            continue
        if is_name:
            found.add(_plain(word))
        if len(word) >= _MIN_COGNATE:
            found.add(f"{_plain(word)[:_BEGINNING]}-")
    return found


def _plain(word: str) -> str:
    """Return a word in lower case and without accents."""
    if word.isascii():
        return word.casefold()
    parts = unicodedata.normalize("NFKD", word.casefold())
    return "".join(sign for sign in parts if not unicodedata.combining(sign))


def _key(text: str) -> int:
    return xxhash.xxh3_64_intdigest(text.encode("utf-8", "replace"))


def _lowest(keys: Iterable[int], count: int) -> Keys:
    """Return the lowest different keys, in rising order."""
    return np.unique(np.fromiter(keys, np.uint64))[:count]
