"""The corpus for `search.py`: texts of the gold standards, annotated once and repeated with other words.

A repetition has the documents in another order. A tenth of its words have changed places with words of the same tag and
language, so that sequences are new, and rare words get forms that were not there before, at a rate that lets the
lexicon grow as those of languages do (Heaps' law: with about the power 0.65 of the tokens). What is written is a corpus
as `gristmill annotate` leaves it, but for the texts of blocks, which `gristmill index` does not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from dedup_texts import paragraphs
from harness import find_gold_sets, tell

from gristmill.annotation.settings import settings_of
from gristmill.annotation.stage import AnnotateTask
from gristmill.annotation.table import TOKENS_SCHEMA
from gristmill.archive import Source
from gristmill.arrays.ragged import concatenated_ranges
from gristmill.config import Config
from gristmill.corpus.attributes import TOKEN_ATTRIBUTES
from gristmill.corpus.manifest import Manifest
from gristmill.corpus.tally import tally
from gristmill.dedup.result import NOBODY, UNIQUE, Ids, Judged, write_result
from gristmill.document import Block, Document, document_id
from gristmill.engine import silent
from gristmill.shards import Shard, ShardWriter, document_writer, read_columns
from gristmill.text.words import count_words

Numbers = npt.NDArray[np.int64]

_ROW_GROUP = 1_000_000  # tokens, as in `gristmill annotate`
_SHARD = 4  # row groups
_MOVED = 0.1
_RARE = 20
"""Words that are in the texts so many times at most get other forms."""
_GROWTH = 0.8
"""The power of the repetitions that is the number of forms; the lexicon then grows by the power 0.65 of the tokens."""
_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
_YEARS = range(2005, 2025)


@dataclass(frozen=True, slots=True)
class Spans:
    """How many members each document has, and where they begin among the members of all."""

    counts: Numbers
    starts: Numbers

    @classmethod
    def of(cls, counts: Numbers) -> Spans:
        """From the numbers alone."""
        return cls(counts, np.cumsum(counts) - counts)

    def members(self, documents: Numbers) -> Numbers:
        """The members of these documents, document after document."""
        return concatenated_ranges(self.starts[documents], self.counts[documents])


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts as they were annotated: all of them one after the other, in columns."""

    langs: list[str]
    tokens: Spans
    blocks: Spans
    sentences: Spans
    block_tokens: Numbers
    sentence_tokens: Numbers
    taggers: pa.Array
    gaps: Numbers
    """Characters between each token and the one before it in its block."""
    values: dict[str, pa.Array]
    codes: dict[str, npt.NDArray[np.int32]]
    """For each attribute the distinct values, and the number of each token's value among them."""
    kinds: Numbers
    """A number for each token: those with the same have the same tag and language."""
    rare: npt.NDArray[np.bool_]
    """Which words are rare."""

    @property
    def size(self) -> int:
        """All tokens."""
        return len(self.gaps)


def annotated_texts(gold: Path, sets: Sequence[str], folder: Path) -> Texts:
    """The texts of the gold standards, annotated in a folder if they are not there yet."""
    shard = Shard(folder)
    if not shard.tokens.exists():
        tell("annotating the texts of the gold standards: some minutes")
        with document_writer(shard) as writer:
            for row, document in enumerate(_gold_documents(gold, sets)):
                document.id = document_id(shard.name, row)
                writer.write(document)
            writer.finish({})
        AnnotateTask(shard).run(silent)
    return _read(shard)


def _gold_documents(gold: Path, sets: Sequence[str]) -> Iterator[Document]:
    for path in find_gold_sets(gold, sets):
        table = pq.read_table(path, columns=["gold", "lang"])
        for text, lang in zip(table["gold"].to_pylist(), table["lang"].to_pylist(), strict=True):
            blocks = [Block(block, "p", "", 0, 0, count_words(block), 0, 0, 0) for block in paragraphs(text or "")]
            if blocks:
                yield Document(lang=lang, blocks=blocks)


def _read(shard: Shard) -> Texts:
    table = read_columns(shard.tokens, TOKENS_SCHEMA.names)
    lists = {name: table[name].combine_chunks() for name in TOKENS_SCHEMA.names}
    numbers = {name: lists[name].flatten().to_numpy().astype(np.int64) for name in ("tokens", "sentences", "start")}
    blocks, tokens = (Spans.of(lists[name].value_lengths().to_numpy().astype(np.int64)) for name in ("blocks", "word"))
    coded = {name: lists[name].flatten().dictionary_encode() for name in TOKEN_ATTRIBUTES}
    codes = {name: array.indices.to_numpy() for name, array in coded.items()}
    langs = read_columns(shard.documents, ["lang"])["lang"].combine_chunks()
    lang_codes = np.repeat(langs.dictionary_encode().indices.to_numpy(), tokens.counts)
    words = coded["word"].dictionary
    rare = (np.bincount(codes["word"], minlength=len(words)) <= _RARE) & pc.utf8_is_alpha(words).to_numpy(
        zero_copy_only=False
    )
    ends = numbers["start"] + pc.utf8_length(words).to_numpy()[codes["word"]]
    gaps = numbers["start"] - np.append(0, ends[:-1])
    firsts = (np.cumsum(numbers["tokens"]) - numbers["tokens"])[numbers["tokens"] > 0]
    gaps[firsts] = numbers["start"][firsts]
    return Texts(
        langs.to_pylist(),
        tokens,
        blocks,
        Spans.of(lists["sentences"].value_lengths().to_numpy().astype(np.int64)),
        numbers["tokens"],
        numbers["sentences"],
        lists["taggers"].flatten(),
        gaps,
        {name: array.dictionary for name, array in coded.items()},
        codes,
        codes["tag"].astype(np.int64) * 1000 + lang_codes,
        rare,
    )


def write_corpus(texts: Texts, tokens: int, folder: Path) -> Path:
    """A corpus of at least so many tokens, if it is not there; returns its folder."""
    if (folder / "complete").exists():
        return folder / "corpus"
    tell(f"writing a corpus of {tokens:,} tokens")
    corpus = folder / "corpus"
    corpus.mkdir(parents=True)
    groups = list(_row_groups(texts, tokens))
    parts = [groups[start : start + _SHARD] for start in range(0, len(groups), _SHARD)]
    sources = [[Source("", f"made-{number}", "warc", 0)] for number in range(len(parts))]
    manifest = Manifest.begin(corpus, sources, Config(), {})
    shards, done = [], 0
    for number, part in enumerate(parts):
        shards.append(Shard.of(corpus, f"{number:05d}"))
        done += _write_shard(shards[-1], texts, part, done)
    manifest.finish(tally(shards), {})
    (folder / "complete").touch()
    return corpus


def _row_groups(texts: Texts, tokens: int) -> Iterator[Numbers]:
    """Which documents come, some at a time, until there are enough tokens; each repetition has another order."""
    left, repetition = tokens, 0
    while left > 0:
        order = np.random.default_rng([1, repetition]).permutation(len(texts.langs))
        sums = np.cumsum(texts.tokens.counts[order])
        order = order[: int(np.searchsorted(sums, left)) + 1]
        sums = sums[: len(order)]
        yield from np.split(order, np.flatnonzero(np.diff(sums // _ROW_GROUP)) + 1)
        left -= int(sums[-1])
        repetition += 1


def _write_shard(shard: Shard, texts: Texts, groups: Sequence[Numbers], done: int) -> int:
    """Write all files of a shard whose first token is the `done`th of the corpus; returns how many tokens it has."""
    chance = np.random.default_rng([2, done])
    size = 0
    with ShardWriter(shard.tokens, TOKENS_SCHEMA) as writer:
        for documents in groups:
            table = _tokens(texts, documents, chance, ((done + size) / texts.size + 1) ** _GROWTH)
            size += len(table["word"].combine_chunks().values)
            writer.write(table)
        writer.finish({"settings": settings_of(), "versions": {}, "taggers": {}, "counts": {"tokens": size}})
    documents = np.concatenate(groups)
    with document_writer(shard) as records:
        for document in _documents(texts, documents, shard.name, chance):
            records.write(document)
        records.finish({"counts": {"records": len(documents), "pages": len(documents), "passed": len(documents)}})
    _write_duplicates(shard, texts, documents, chance)
    return size


def _tokens(texts: Texts, documents: Numbers, chance: np.random.Generator, reach: float) -> pa.Table:
    """The tokens of some documents, changed; rare words have one of so many forms."""
    places = texts.tokens.members(documents)
    places = places[_moved(texts.kinds[places], chance)]
    forms = np.where(texts.rare[texts.codes["word"][places]], (chance.random(len(places)) * reach).astype(np.int64), 0)
    lists: dict[str, tuple[Spans, pa.Array]] = {}
    for name in TOKEN_ATTRIBUTES:
        changed = forms if name in {"word", "lemma"} else np.zeros_like(forms)
        lists[name] = texts.tokens, _strings(texts.values[name], texts.codes[name][places], changed)
    lists["head"] = texts.tokens, pa.array(np.zeros(len(places), np.int32))  # tokens have changed places
    blocks = texts.blocks.members(documents)
    sizes = texts.block_tokens[blocks]
    gaps = texts.gaps[texts.tokens.members(documents)]
    lists["start"] = (
        texts.tokens,
        pa.array(_starts(gaps, pc.utf8_length(lists["word"][1]).to_numpy(), sizes), pa.int32()),
    )
    lists["blocks"] = (
        texts.blocks,
        pa.array(blocks - np.repeat(texts.blocks.starts[documents], texts.blocks.counts[documents]), pa.int32()),
    )
    lists["tokens"] = texts.blocks, pa.array(sizes, pa.int32())
    lists["taggers"] = texts.blocks, texts.taggers.take(pa.array(blocks))
    lists["sentences"] = (
        texts.sentences,
        pa.array(texts.sentence_tokens[texts.sentences.members(documents)], pa.int32()),
    )
    columns = []
    for item in TOKENS_SCHEMA:
        spans, values = lists[item.name]
        offsets = pa.array(np.append(0, np.cumsum(spans.counts[documents])), pa.int32())
        columns.append(pa.ListArray.from_arrays(offsets, values, type=item.type))
    return pa.Table.from_arrays(columns, schema=TOKENS_SCHEMA)


def _moved(kinds: Numbers, chance: np.random.Generator) -> Numbers:
    """Which token comes to each place: a share of them go to places of others of their kind."""
    chosen = np.flatnonzero(chance.random(len(kinds)) < _MOVED)
    order = np.arange(len(kinds))
    order[chosen[np.argsort(kinds[chosen], kind="stable")]] = chosen[
        np.lexsort((chance.random(len(chosen)), kinds[chosen]))
    ]
    return order


def _strings(values: pa.Array, codes: npt.NDArray[np.int32], forms: Numbers) -> pa.Array:
    """Make the forms of values: form 0 is the value itself, others have a syllable or two before it."""
    most = int(forms.max(initial=0)) + 1
    keys, numbers = np.unique(codes.astype(np.int64) * most + forms, return_inverse=True)
    stems = values.take(pa.array(keys // most))
    made = pc.binary_join_element_wise(
        pa.array([_syllables(form) for form in range(most)]).take(pa.array(keys % most)), stems, ""
    )
    capital = pc.and_(pc.utf8_is_upper(pc.utf8_slice_codeunits(stems, 0, 1)), pa.array(keys % most > 0))
    return pc.if_else(capital, pc.utf8_capitalize(made), made).take(pa.array(numbers))


def _syllables(form: int) -> str:
    """A number written in syllables; nothing for 0."""
    found = ""
    while form:
        form, last = divmod(form - 1, len(_SYLLABLES))
        found = _SYLLABLES[last] + found
    return found


def _starts(gaps: Numbers, lengths: Numbers, sizes: Numbers) -> Numbers:
    """Where words begin in their blocks, from what is between them."""
    ends = np.cumsum(gaps + lengths)
    before: Numbers = np.append(0, ends)[np.cumsum(sizes) - sizes]
    starts: Numbers = ends - lengths - np.repeat(before, sizes)
    return starts


def _documents(texts: Texts, documents: Numbers, shard: str, chance: np.random.Generator) -> Iterator[Document]:
    hosts = np.minimum(chance.zipf(1.4, len(documents)), 1_000_000)
    years = chance.integers(_YEARS.start, _YEARS.stop, len(documents))
    for row, (number, host, year) in enumerate(zip(documents.tolist(), hosts.tolist(), years.tolist(), strict=True)):
        start, count = int(texts.blocks.starts[number]), int(texts.blocks.counts[number])
        words = texts.block_tokens[start : start + count].tolist()
        scores = (chance.integers(0, 6, count) / 10).tolist()
        made: dict[str, Any] = {
            "lang": texts.langs[number],
            "words": sum(words),
            "text_blocks": count,
            "method": "made",
        }
        made |= {"date": f"{year}-06-01T00:00:00Z", "title": f"Page {number}", "encoding": "utf-8", "source": shard}
        blocks = [
            Block("", "p" if size > 10 else "h", "", 0, 0, size, 0, 0, 0, score)
            for size, score in zip(words, scores, strict=True)
        ]
        yield Document(
            document_id(shard, row), f"https://site-{host}.example/{year}/{shard}-{row}.html", blocks=blocks, **made
        )


def _write_duplicates(shard: Shard, texts: Texts, documents: Numbers, chance: np.random.Generator) -> None:
    """Nothing is a duplicate; some of a block stands elsewhere."""
    blocks = int(texts.blocks.counts[documents].sum())
    nothing = np.zeros(blocks, np.int64)
    judged = Judged(
        shares=np.zeros(len(documents)),
        copies=np.full(len(documents), NOBODY),
        block_shares=np.maximum(chance.random(blocks) - 0.6, 0),
        block_verdicts=np.full(blocks, UNIQUE, np.uint8),
        block_copies=np.full(blocks, NOBODY),
        copy_blocks=np.full(blocks, NOBODY),
        words=texts.block_tokens[texts.blocks.members(documents)],
        lengths=nothing,
        sizes=nothing,
    )
    write_result(shard, judged, Ids([shard.name], [0]))
