"""Blocks stay columns from the segmenter to Parquet, and say the same as objects do."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from pathlib import Path
from typing import TypeVar
from unittest.mock import Mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xxhash
from hypothesis import given, settings
from hypothesis import strategies as st

import gristmill
import gristmill.document
from gristmill.archive import find_sources
from gristmill.cleaning.languages import Languages
from gristmill.columns import Coded, Texts, fold
from gristmill.config import CleanConfig, Config, FilterConfig
from gristmill.corpus.faults import FAILED
from gristmill.document import BLOCK_TYPE, DOCUMENT_SCHEMA, Block, Document, Page, columns_of, from_arrow, to_arrow
from gristmill.engine import silent
from gristmill.filter import BlockFilter, Chain, Fetched, chain_of, forget_blocks
from gristmill.filter.registry import BlockFinding
from gristmill.filter.repetition import RepeatedLines
from gristmill.language import Models
from gristmill.pipeline.reading import process_site
from gristmill.pipeline.shard import ShardTask
from gristmill.presets import PRESETS
from gristmill.shards import Shard, ShardWriter, document_writer, open_parquet, read_batches

T = TypeVar("T")
texts = st.text(st.sampled_from("ab \n\t\xa0é語😀"), max_size=12)
few = st.integers(0, 3)
blocks = st.builds(
    Block,
    text=texts,
    kind=st.sampled_from(["p", "h", "l"]),
    path=st.sampled_from(["", "html/body", "html/body/div/p"]),
    start=few,
    end=few,
    words=few,
    link_words=few,
    links=few,
    tags=few,
    score=st.sampled_from([0.0, 0.2, 0.5, 0.6, 1.0]),
    label=st.sampled_from(["", "text", "short, bad"]),
    lang=st.sampled_from(["", "de", "en"]),
    dropped=st.sampled_from(["", "", "foreign"]),
    row=few,
)
lists = st.lists(blocks, max_size=6)


def in_columns(made: Sequence[Block]) -> Document:
    document = Document()
    document.columns = columns_of(made)
    return document


def joined(kept: Sequence[Block]) -> str:
    """The text of blocks, joined one by one."""
    text = ""
    for number, block in enumerate(kept):
        beside = number and block.row and block.row == kept[number - 1].row
        text += ("\t" if beside else "\n" if number else "") + block.text
    return text


def old_batch(documents: list[Document]) -> pa.RecordBatch:
    """Documents as Arrow columns, converted object by object."""
    columns = []
    for item in DOCUMENT_SCHEMA:
        values = list(map(attrgetter(item.name), documents))
        if item.name == "attributes":
            values = [list(attributes.items()) for attributes in values]
        columns.append(old_blocks(values) if item.name == "blocks" else pa.array(values, item.type))
    return pa.RecordBatch.from_arrays(columns, schema=DOCUMENT_SCHEMA)


def old_blocks(of_documents: list[list[Block]]) -> pa.Array:
    offsets = np.cumsum([0, *map(len, of_documents)])
    flat = [block for made in of_documents for block in made]
    columns = [pa.array(list(map(attrgetter(item.name), flat)), item.type) for item in BLOCK_TYPE]
    struct = pa.StructArray.from_arrays(columns, fields=list(BLOCK_TYPE))
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), struct, type=DOCUMENT_SCHEMA.field("blocks").type)


def pickled(value: T) -> T:
    """A value that was written and read again."""
    found: T = pickle.loads(pickle.dumps(value))  # noqa: S301 (we wrote it)
    return found


def parquet(batch: pa.RecordBatch) -> bytes:
    file = io.BytesIO()
    with pq.ParquetWriter(file, batch.schema, compression="zstd") as writer:
        writer.write(batch)
    return file.getvalue()


class TestColumns:
    @given(st.lists(texts, max_size=5), st.data())
    def test_texts(self, strings: list[str], data: st.DataObject) -> None:
        column = Texts.of(strings)
        places = np.array(
            data.draw(st.lists(st.integers(0, len(strings) - 1), max_size=3) if strings else st.just([])), np.int64
        )
        bare = Texts(column.data, column.offsets)
        some = [strings[place] for place in places.tolist()]
        assert list(column) == list(bare) == strings
        assert column.some(places) == Texts(column.data, column.offsets).some(places) == bare.take(places)[:] == some
        assert [part.decode() for part in column.parts(places)] == some
        assert column.lengths().tolist() == list(map(len, strings))
        assert column.characters == sum(map(len, strings))
        assert list(pickled(column)) == strings

    @given(st.lists(st.sampled_from(["", "a", "b"]), max_size=6), st.lists(st.booleans(), min_size=6, max_size=6))
    def test_strings_that_repeat(self, strings: list[str], flags: list[bool]) -> None:
        column = Coded.of(strings)
        places = np.flatnonzero(flags[: len(strings)])
        assert column.take(places).tolist() == [strings[place] for place in places.tolist()]
        for value in ("a", "c"):
            changed = [value if flag else text for text, flag in zip(strings, flags, strict=False)]
            assert column.put(places, value).tolist() == changed
        assert column.tolist() == strings
        assert column.counts() == {value: strings.count(value) for value in strings if value}
        assert column.flags("a".__eq__).tolist() == [text == "a" for text in strings]

    @given(lists, st.data())
    def test_some_blocks(self, made: list[Block], data: st.DataObject) -> None:
        columns = columns_of(made)
        if data.draw(st.booleans()):
            assert columns.folded.tolist() == [fold(block.text) for block in made]
        chosen = data.draw(st.lists(st.sampled_from(range(len(made))), max_size=3)) if made else []
        taken = columns.take(np.array(chosen, np.int64))
        document = Document()
        document.columns = taken
        assert taken.folded.tolist() == [fold(made[place].text) for place in chosen]
        assert document.blocks == [made[place] for place in chosen]


class TestDocument:
    @given(lists, st.sampled_from([0.0, 0.2, 0.5, 1.0]))
    def test_columns_are_measured_as_blocks_are(self, made: list[Block], threshold: float) -> None:
        document = in_columns(made)
        document.measure(threshold)
        kept = [block for block in made if block.is_kept(threshold)]
        lines = [fold(block.text) for block in kept]
        assert document.columns is not None
        assert document.text == joined(kept)
        assert document.lines() == lines
        assert document.folded == "\n".join(lines)
        assert document.digest == xxhash.xxh3_128_digest("\n".join(lines).encode())
        assert (document.length, document.text_bytes) == (len(joined(kept)), len(joined(kept).encode()))
        assert (document.text_blocks, document.words) == (len(kept), sum(block.words for block in kept))
        assert document.boilerplate_words == sum(block.words for block in made if block.score > threshold)
        left = document.words + document.boilerplate_words + document.filtered_words
        assert left == sum(block.words for block in made)
        assert document.block_count == len(made)
        assert document.columns.link_density.tolist() == [block.link_density for block in made]
        same = Document(blocks=made)
        same.measure(threshold)
        assert document == same

    @given(lists)
    def test_copies_have_columns(self, made: list[Block]) -> None:
        document = in_columns(made)
        for twin in (pickled(document), copy.deepcopy(document)):
            assert twin.columns is not None
            assert twin.blocks == made
        assert document.columns is not None
        assert pickled(Document(blocks=made)).blocks == made

    def test_a_change_of_a_block_counts(self) -> None:
        document = in_columns([Block("one", "p", "", 0, 3, 1, 0, 0, 0), Block("two", "p", "", 3, 6, 1, 0, 0, 0)])
        document.blocks[0].text = "three"
        assert document.text == "three\ntwo"
        assert from_arrow(to_arrow([document]))[0].text == "three\ntwo"

    def test_blocks_can_be_set(self) -> None:
        document = in_columns([Block("one", "p", "", 0, 3, 1, 0, 0, 0), Block("two", "p", "", 3, 6, 1, 0, 0, 0)])
        document.blocks = document.blocks[1:]
        other = in_columns(document.blocks)
        other.blocks = []
        assert (document.text, other.text, other.columns) == ("two", "", None)
        assert from_arrow(to_arrow([document, other])) == [document, other]

    def test_replacing_a_field_keeps_the_blocks(self) -> None:
        document = in_columns([Block("one", "p", "", 0, 3, 1, 0, 0, 0)])
        assert replace(document, url="http://a.org").text == "one"
        assert document.to_json()["blocks"][0]["text"] == "one"


class TestArrow:
    @settings(max_examples=30)
    @given(st.lists(lists, max_size=4))
    def test_the_same_bytes_as_from_objects(self, pages: list[list[Block]]) -> None:
        documents = [in_columns(made) if number % 2 else Document(blocks=made) for number, made in enumerate(pages)]
        batch = to_arrow(documents)
        batch.validate(full=True)
        expected = old_batch([Document(blocks=made) for made in pages])
        assert batch.equals(expected)
        assert parquet(batch) == parquet(expected)

    @settings(max_examples=50)
    @given(st.lists(lists, max_size=4), few, few)
    def test_what_is_read_is_what_was_written(self, pages: list[list[Block]], start: int, size: int) -> None:
        documents = [Document(id=str(number), blocks=made) for number, made in enumerate(pages)]
        batch = to_arrow(documents)
        found = from_arrow(batch.slice(start, size))
        assert all(document.columns is not None for document in found)
        assert to_arrow(found).equals(to_arrow(documents[start : start + size]))
        assert found == documents[start : start + size]
        assert from_arrow(to_arrow(from_arrow(batch))) == documents

    def test_columns_that_are_not_read_are_empty(self, tmp_path: Path) -> None:
        made = [Block("text", "h", "html", 1, 2, 3, 4, 5, 6, 0.2, "a", "de", "f", 7)]
        with document_writer(Shard(tmp_path)) as writer:
            for _ in range(2):
                writer.write(Document(id="a", blocks=made))
            writer.finish({})
        for item in fields(Block):
            batch = next(read_batches(tmp_path / "documents.parquet", ["id", f"blocks.list.element.{item.name}"]))
            found = from_arrow(batch)[1]
            empty = Block("", "", "", 0, 0, 0, 0, 0, 0)  # type: ignore[arg-type]
            setattr(empty, item.name, getattr(made[0], item.name))
            assert found.blocks == [empty]

    def test_half_a_surrogate_pair_is_no_text(self) -> None:
        with pytest.raises(UnicodeEncodeError):
            to_arrow([Document(blocks=[Block("\ud800", "p", "", 0, 0, 0, 0, 0, 0)])])

    def test_too_much_text_is_an_error(self, monkeypatch: pytest.MonkeyPatch) -> None:
        documents = [Document(blocks=[Block("1234567", "p", "", 0, 0, 0, 0, 0, 0)])] * 3
        to_arrow(documents)
        monkeypatch.setattr(gristmill.document, "_MAX_OFFSET", 20)
        to_arrow(documents[:2])
        with pytest.raises(OverflowError, match="21"):
            to_arrow(documents)


@pytest.fixture
def no_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make it an error to make a block."""
    monkeypatch.setattr(Block, "__init__", Mock(side_effect=AssertionError("a block was made")))
    with pytest.raises(AssertionError, match="a block was made"):
        gristmill.clean("<p>One block").blocks  # noqa: B018 (asking makes it)


@pytest.mark.usefixtures("no_blocks")
class TestBuilding:
    @pytest.mark.parametrize("method", ["mill", "justext", "site-text"])
    def test_no_block_is_made_by_methods(self, tmp_path: Path, method: str) -> None:
        sources = tuple(find_sources(["sample"]))
        counts = ShardTask(Shard(tmp_path), sources, Config(clean=CleanConfig(method=method))).run(silent)
        assert counts["passed"] > 50
        assert f"dropped.{FAILED}" not in counts

    @pytest.mark.parametrize("preset", sorted(PRESETS))
    def test_no_block_is_made_by_filters(self, sample_pages: dict[str, Page], preset: str) -> None:
        config = Config(filter=FilterConfig(PRESETS[preset]))
        made = process_site(list(sample_pages.values())[::3], config)
        documents = [document for of_page in made for document in of_page]
        assert any(not document.dropped for document in documents)
        to_arrow(documents)


@dataclass(frozen=True)
class EveryOther(BlockFilter):
    """A filter as a plugin may have it: it looks at objects, and even changes them."""

    def judge(self, document: Document) -> BlockFinding:
        """Drop every other block."""
        kept = document.kept()
        for block in kept:
            block.label = "seen"
        return BlockFinding(list(range(0, len(kept), 2)), "")


class TestFilters:
    def test_filters_see_the_same_in_objects_and_in_columns(self, sample_pages: dict[str, Page]) -> None:
        languages = Languages(Models.load())
        specs = {spec.partition(":")[0]: spec for name in PRESETS for spec in PRESETS[name]}
        chain = chain_of(FilterConfig(tuple(specs.values())))
        for page in sample_pages.values():
            one, other = (gristmill.clean(page) for _ in range(2))
            assert len(one.blocks) == other.block_count
            chain.apply(one, languages)
            chain.apply(other, languages)
            assert (one.columns is None, other.columns is None) == (True, False)
            assert Fetched.of_document(one).is_html() == Fetched.of_document(other).is_html()
            assert list(chain.verdicts(one, languages)) == list(chain.verdicts(other, languages))
            assert other.columns is not None
            assert one == other

    def test_a_filter_may_ask_for_objects(self, sample_pages: dict[str, Page]) -> None:
        languages = Languages(Models.load())
        chain = Chain((("every-other", EveryOther()), ("repeated-lines", RepeatedLines())))
        document = max(map(gristmill.clean, sample_pages.values()), key=lambda page: page.text_blocks)
        before = document.text_blocks
        chain.apply(document, languages)
        stored = from_arrow(to_arrow([document]))[0]
        assert stored.text_blocks == len(stored.kept()) == before // 2
        assert {block.label for block in stored.kept()} == {"seen"}
        assert stored.columns is None
        forget_blocks(stored, languages)
        assert stored.text_blocks == before


def test_columns_that_vary_are_stored_without_a_dictionary(tmp_path: Path) -> None:
    shard = Shard(tmp_path / "00000")
    document = gristmill.clean("<h1>The mill</h1><p>The mill stands by the river. <p>It grinds the corn.", "en")
    with document_writer(shard) as writer:
        for _ in range(3):
            writer.write(document)
        writer.finish({})
    with open_parquet(shard.documents) as file:
        group = file.metadata.row_group(0)
        columns = {column.path_in_schema: column for column in map(group.column, range(group.num_columns))}
        varied = {path for path, column in columns.items() if not column.has_dictionary_page}
    blocks = {f"blocks.list.element.{name}" for name in ("start", "end", "score")}
    assert varied - {"repaired"} == blocks | {"links.list.element"}
    assert [read.blocks for read in shard.read_documents()] == [document.blocks] * 3


def test_batches_that_a_thread_writes_are_all_there_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gristmill.shards._BATCH_RECORDS", 2)
    shard = Shard(tmp_path / "00000")
    with document_writer(shard) as writer:
        for number in range(7):
            writer.write(gristmill.Document(id=str(number)))
        writer.finish({})
    assert [document.id for document in shard.read_documents(["id"])] == list("0123456")


def test_a_batch_that_can_not_be_written_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr("gristmill.shards._BATCH_RECORDS", 2)
    monkeypatch.setattr(ShardWriter, "write", full)
    shard = Shard(tmp_path / "00000")
    with pytest.raises(OSError, match="full"), document_writer(shard) as writer:  # noqa: PT012 (any write may raise it)
        for number in range(3):
            writer.write(gristmill.Document(id=str(number)))
        writer.finish({})
    assert list(shard.folder.iterdir()) == []
