"""`gristmill duplicates`: a document by id or address, beside the first copies of its blocks, with differences."""

from __future__ import annotations

import dataclasses
import io
import json
import re
import time
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import run
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

import gristmill
from gristmill.cli.sidebyside import print_table
from gristmill.cli.table import write_account
from gristmill.config import Config
from gristmill.corpus import CorpusReader, Manifest
from gristmill.corpus.copies import FirstCopy, Relative, TracedDocument, trace
from gristmill.corpus.differences import Comparison, Cut, Piece, Side, _common_runs, _numbers, compare, excerpt
from gristmill.corpus.lookup import find_document
from gristmill.corpus.manifest import FORMAT
from gristmill.corpus.repeaters import repeaters_of
from gristmill.corpus.side_by_side import SideBySide, compared
from gristmill.corpus.similar import most_similar
from gristmill.dedup.result import DUPLICATES_SCHEMA
from gristmill.document import Block, Document, document_id
from gristmill.errors import GristmillError, UsageError
from gristmill.html.compared import compared_page
from gristmill.shards import Shard, ShardWriter, document_writer

NAV = "Home News Contact"
RIVER = (
    "It was the miller who said that the river would rise in the night, and it was the river that did what he had said."
)
WHEEL = (
    "The wheel turns as long as there is water, and when there is none the miller sits by the door and mends his sacks."
)
FLOUR = (
    "Flour that is ground slowly keeps its taste; flour that is ground in haste tastes of the stone and not of the "
    "grain."
)
SHORT = "Read on"
HEBREW = "הטוחן אמר שהנהר יעלה בלילה, והנהר עשה את מה שאמר."
SOME_HEBREW = "סוף"
JAPANESE = "粉屋は夜に川があふれると言いました。そして川はその通りになりました。"
HOSTILE = "</p><script>alert(1)</script> \"'><img src=x onerror=y> \x1b[31m red \u202e"

Mark = tuple[str, float, str, int]
UNIQUE: Mark = ("unique", 0.0, "", -1)


def block(text: str, score: float = 0.0) -> Block:
    return Block(text, "p", "html/body/p", 0, len(text), len(text.split()), 0, 0, 0, score=score, label="text")


def row(document: Document, marks: Sequence[Mark], copy_of: str = "", share: float | None = None) -> dict[str, Any]:
    """A row of `duplicates.parquet`; a mark for each block that is kept, or none at all."""
    kept = {id(block) for block in document.kept()}
    given = iter(marks)
    all_marks = [next(given) if id(block) in kept and marks else ("", 0.0, "", -1) for block in document.blocks]
    left = [block for block, mark in zip(document.blocks, all_marks, strict=True) if mark[0] == "unique"]
    repeated = sum(mark[1] * block.words for block, mark in zip(document.blocks, all_marks, strict=True))
    return {
        "share": repeated / document.words if share is None and document.words else share or 0.0,
        "copy_of": copy_of,
        "text_blocks": len(left),
        "words": sum(block.words for block in left),
        "length": sum(len(block.text) for block in left),
        "text_bytes": sum(len(block.text.encode()) for block in left),
        "blocks": [dict(zip(("verdict", "share", "copy_of", "copy_block"), mark, strict=True)) for mark in all_marks],
    }


class Maker:
    """Writes a corpus by hand, document by document."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shards: list[list[tuple[Document, dict[str, Any]]]] = [[]]

    def add(
        self,
        url: str,
        texts: Sequence[str],
        marks: Sequence[Mark] = (),
        copy_of: str = "",
        dropped: str = "",
        share: float | None = None,
    ) -> str:
        """A document with some boilerplate before its text; gives back its id."""
        document = Document(url=url, title=f"Title of {url}", lang="en", dropped=dropped, detail=dropped and "cs")
        document.id = document_id(f"{len(self.shards) - 1:05d}", len(self.shards[-1]))
        document.blocks = [block(NAV, 0.9), *map(block, texts)]
        document.measure()
        self.shards[-1].append((document, row(document, marks, copy_of, share)))
        return document.id

    def corpus(self, batch: int = 1000) -> CorpusReader:
        """All that was added, in files with so many rows in a row group."""
        for number, shard in enumerate(self.shards):
            place = Shard.of(self.folder, f"{number:05d}")
            with document_writer(place) as documents, ShardWriter(place.duplicates, DUPLICATES_SCHEMA) as found:
                for start in range(0, len(shard), batch):
                    for document, _ in shard[start : start + batch]:
                        documents.write(document)
                    documents._flush()
                    found.write(
                        pa.Table.from_pylist([row for _, row in shard[start : start + batch]], DUPLICATES_SCHEMA)
                    )
                documents.finish({})
                found.finish({})
        about = {"first": "", "files": 1, "bytes": 0, "fingerprint": ""}
        shards = [{"name": f"{number:05d}", **about} for number in range(len(self.shards))]
        counts = dict.fromkeys(("records", "pages", "text_blocks", "passed", "replaced", "duplicates", "kept"), 0)
        size = dict.fromkeys(("documents", "words", "bytes", "characters", "boilerplate_words", "filtered_words"), 0)
        table = {
            "corpus": {"format": FORMAT, "gristmill": ""},
            "versions": {},
            "settings": Config().to_table(),
            "files": {},
            "shards": shards,
            "counts": {**counts, "skipped": {}, "dropped": {}, "dropped_blocks": {}, "attributes": {}},
            "size": {**size, "languages": {}},
        }
        Manifest.from_table(self.folder, table).write()
        return CorpusReader(self.folder)


CHANGED = RIVER.replace("miller", "old miller").replace("night", "morning")


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> CorpusReader:
    maker = Maker(tmp_path_factory.mktemp("corpora") / "old")
    maker.add("http://old.example/flour", [FLOUR])
    return maker.corpus()


@pytest.fixture(scope="module")
def mill(tmp_path_factory: pytest.TempPathFactory) -> CorpusReader:
    maker = Maker(tmp_path_factory.mktemp("corpora") / "mill")
    first = maker.add("http://mill.example/river", [RIVER, WHEEL, HEBREW, JAPANESE, HOSTILE], [UNIQUE] * 5)
    maker.add(
        "http://mill.example/index?page=2",
        [CHANGED, SHORT, FLOUR, WHEEL + " " + FLOUR, "Nothing of this stands anywhere else, and so it stays."],
        [
            ("duplicate", 0.8, first, 1),
            ("stub", 0.0, "", -1),
            ("duplicate", 1.0, "old/00000-000000", 1),
            ("unique", 0.4, first, 2),
            UNIQUE,
        ],
    )
    maker.add("http://other.example/mirror", [WHEEL, RIVER, SHORT], [("duplicate", 1.0, first, -1)] * 3, first)
    maker.add("http://mill.example/cs", [RIVER], dropped="language")
    maker.add(
        "http://mill.example/scripts",
        [f"{HEBREW} {SOME_HEBREW}", JAPANESE.replace("夜", "朝"), HOSTILE],
        [("duplicate", 0.9, first, 3), ("duplicate", 0.9, first, 4), ("duplicate", 1.0, first, 5)],
    )
    maker.add(
        "http://mill.example/twice", [WHEEL, RIVER, WHEEL], [UNIQUE, UNIQUE, ("duplicate", 1.0, "00000-000005", 1)]
    )
    maker.shards.append([])
    maker.add("http://mill.example/empty", [])
    maker.add(
        "http://far.example/a", [RIVER, RIVER + " " + WHEEL], [("duplicate", 1.0, first, 1), ("unique", 0.5, first, 1)]
    )
    return maker.corpus(batch=2)


def raised(corpus: CorpusReader, name: str) -> str:
    with pytest.raises(UsageError) as error:
        find_document(corpus, name)
    return str(error.value)


def test_a_document_is_found_by_id_address_or_a_part_that_no_other_has(mill: CorpusReader) -> None:
    for name in ("00000-000001", "http://mill.example/index?page=2", "example/INDEX", "page=2"):
        assert find_document(mill, name) == "00000-000001"
    assert find_document(mill, "far.example") == "00001-000001"
    assert find_document(mill, "mill.example/cs") == "00000-000003"  # dropped, but there is no other


def test_a_whole_address_comes_before_parts_and_a_kept_document_before_dropped_ones(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "corpus")
    maker.add("http://a.example/", ["one"])
    maker.add("http://a.example/more", ["two"])
    maker.add("http://a.example/more", [], dropped="status")
    corpus = maker.corpus()
    assert find_document(corpus, "http://a.example/") == "00000-000000"
    assert find_document(corpus, "http://a.example/more") == find_document(corpus, "more") == "00000-000001"


def test_several_matches_are_listed(tmp_path: Path, mill: CorpusReader) -> None:
    message = raised(mill, "mill.example")
    assert "5 documents match 'mill.example'" in message
    assert "  00000-000000  http://mill.example/river\n" in message
    assert "00000-000003" not in message
    maker = Maker(tmp_path / "corpus")
    for number in range(25):
        maker.add(f"http://a.example/{number}", [])
    message = raised(maker.corpus(batch=3), "a.example")
    assert message.count("http://a.example/") == 10
    assert message.endswith("and 15 more")


def test_no_match_names_the_closest(mill: CorpusReader) -> None:
    message = raised(mill, "http://mill.example/rivers")
    assert "no address" in message
    assert message.splitlines()[1] == "  00000-000000  http://mill.example/river"
    assert "closest" not in raised(mill, "zzzzzz")
    assert "the last one of its shard is 00000-000005" in raised(mill, "00000-000006")
    assert "its shards are 00000 to 00001" in raised(mill, "00002-000000")
    assert "another corpus; look there for 00000-000000" in raised(mill, "old/00000-000000")


def test_blocks_are_traced_to_their_first_copies(mill: CorpusReader, old: CorpusReader) -> None:
    traced = trace(mill, "00000-000001")
    assert (traced.url, traced.title, traced.not_kept) == (
        "http://mill.example/index?page=2",
        f"Title of {traced.url}",
        1,
    )
    assert [block.number for block in traced.blocks] == [1, 2, 3, 4, 5]
    assert [block.verdict for block in traced.blocks] == ["duplicate", "stub", "duplicate", "unique", "unique"]
    assert [block.share for block in traced.blocks] == [0.8, 0.0, 1.0, 0.4, 0.0]
    url = "http://mill.example/river"
    assert [block.copy for block in traced.blocks] == [
        FirstCopy("00000-000000", 1, url, RIVER),
        None,
        FirstCopy("old/00000-000000", 1),
        FirstCopy("00000-000000", 2, url, WHEEL),
        None,
    ]
    assert (traced.blocks_left, traced.words_left, traced.words) == (2, 57, 108)
    assert traced.relatives == [Relative("00000-000000", url, 2, 40), Relative("old/00000-000000", "", 1, 23)]
    looked_up = trace(mill, "00000-000001", [old])
    assert looked_up.blocks[2].copy == FirstCopy("old/00000-000000", 1, "http://old.example/flour", FLOUR)
    assert looked_up.relatives[1].url == "http://old.example/flour"
    with pytest.raises(UsageError, match="the same name"):
        trace(mill, "00000-000001", [old, old])


def test_where_documents_were_compared_blocks_stand_beside_the_most_similar_ones(mill: CorpusReader) -> None:
    traced = trace(mill, "00000-000002")
    assert (traced.copy_of, traced.copy_url, traced.blocks_left) == ("00000-000000", "http://mill.example/river", 0)
    wheel, river, short = [block.copy for block in traced.blocks]
    assert wheel == FirstCopy("00000-000000", 2, "http://mill.example/river", WHEEL, guessed=True)
    assert river == FirstCopy("00000-000000", 1, "http://mill.example/river", RIVER, guessed=True)
    assert short == FirstCopy("00000-000000", -1, "http://mill.example/river", None)


def test_a_block_that_has_nothing_in_common_with_the_one_named_stands_beside_a_better_one(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "corpus")
    first = maker.add("http://a.example/1", [RIVER, SHORT, WHEEL], [UNIQUE] * 3)
    maker.add(
        "http://a.example/2",
        [SHORT, FLOUR, CHANGED],
        [("duplicate", 1.0, first, 1), ("duplicate", 0.6, first, 1), ("duplicate", 0.9, first, 9)],
    )
    copies = [block.copy for block in trace(maker.corpus(), "00000-000001").blocks]
    assert [copy and (copy.block, copy.text, copy.guessed) for copy in copies] == [
        (2, SHORT, True),
        (1, RIVER, False),
        (1, RIVER, True),
    ]


def test_a_method_that_says_nothing_of_blocks(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "corpus")
    first = maker.add("http://a.example/1", [RIVER, WHEEL], [UNIQUE] * 2)
    maker.add("http://a.example/2", [WHEEL, RIVER], [], first, share=1.0)
    for _, found in maker.shards[0]:
        found["blocks"] = []
    corpus = maker.corpus()
    assert [block.verdict for block in trace(corpus, first).blocks] == ["", ""]
    blocks = trace(corpus, "00000-000001").blocks
    assert [(block.verdict, block.share, block.copy and block.copy.text) for block in blocks] == [
        ("duplicate", 1.0, WHEEL),
        ("duplicate", 1.0, RIVER),
    ]
    assert repeaters_of(corpus, first) == [Relative("00000-000001", "http://a.example/2", 2, 49)]


def test_documents_that_repeat_a_document(mill: CorpusReader) -> None:
    assert repeaters_of(mill, "00000-000000") == [
        Relative("00000-000002", "http://other.example/mirror", 3, 51),
        Relative("00001-000001", "http://far.example/a", 2, 50),
        Relative("00000-000001", "http://mill.example/index?page=2", 2, 40),
        Relative("00000-000004", "http://mill.example/scripts", 3, 18),
    ]
    assert repeaters_of(mill, "00000-000005") == []  # itself does not count


def test_only_the_row_groups_are_read_that_are_needed(mill: CorpusReader, monkeypatch: pytest.MonkeyPatch) -> None:
    read = pq.ParquetFile.read_row_group
    seen: list[tuple[int, tuple[str, ...]]] = []

    def noted(self: pq.ParquetFile, group: int, columns: Sequence[str]) -> pa.Table:
        seen.append((group, tuple(columns)))
        return read(self, group, columns=columns)

    monkeypatch.setattr(pq.ParquetFile, "read_row_group", noted)
    trace(mill, "00000-000004")
    assert [group for group, _ in seen] == [2, 2, 0]
    assert not any("path" in column for _, columns in seen for column in columns)


def test_damaged_and_foreign_files_are_a_message(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "corpus")
    maker.add("http://a.example/1", [RIVER], [UNIQUE])
    corpus = maker.corpus()
    file = corpus.shards[0].duplicates
    short = pa.table({"share": [0.0], "copy_of": [""]})
    with ShardWriter(file, short.schema) as writer:
        writer.write(short)
        writer.finish({})
    with pytest.raises(GristmillError, match="it is damaged, or no file of this corpus"):
        trace(corpus, "00000-000000")
    maker.shards[0][0][1]["blocks"] *= 3
    corpus = maker.corpus()
    with pytest.raises(GristmillError, match="don't belong together"):
        trace(corpus, "00000-000000")
    for path in (corpus.shards[0].duplicates, corpus.shards[0].documents):
        path.write_bytes(b"no such thing")
        with pytest.raises(GristmillError, match=f"can't read .*{path.name}"):
            trace(corpus, "00000-000000")


def test_most_similar_texts() -> None:
    assert most_similar([], []) == []
    assert most_similar([RIVER], []) == [-1]
    assert most_similar([], [RIVER]) == []
    assert most_similar([CHANGED, SHORT, "something else", WHEEL], [WHEEL, RIVER, SHORT, SHORT, WHEEL]) == [1, 2, -1, 0]
    assert most_similar([f"{RIVER} {WHEEL}"], [RIVER, f"{RIVER} {WHEEL} {FLOUR}", WHEEL]) == [1]
    many = [f"the miller has {number} sacks of flour to mend today" for number in range(2000)]
    assert most_similar(many[::-1], many) == list(range(2000))[::-1]


def joined(comparison: Comparison, side: Side) -> str:
    return "".join(piece.text for piece in comparison.of(side)).strip()


def marked(here: str, there: str) -> list[tuple[str, str]]:
    return [(piece.side, piece.text) for piece in compare(here, there).pieces]


def test_differences_are_marked_by_words() -> None:
    assert marked("a b c d e f", "a b c d e f") == [("both", "a b c d e f")]
    assert marked("one two three four five six", "one two three seven five six eight") == [
        ("both", "one two three "),
        ("there", "seven"),
        ("here", "four"),
        ("both", " five six "),
        ("there", "eight"),
    ]
    assert marked("", "") == []
    assert marked("x y", "") == [("here", "x y")]
    assert marked("粉屋は夜に", "粉屋は朝に") == [("both", "粉屋は"), ("there", "朝"), ("here", "夜"), ("both", "に")]
    assert marked("ผมกินข้าวที่ตลาด", "ผมกินน้ำที่ตลาด") == [
        ("both", "ผมกิน"),
        ("there", "น้ำ"),
        ("here", "ข้าว"),
        ("both", "ที่ตลาด"),
    ]


def test_a_passage_stays_together_and_words_by_chance_are_not_matched() -> None:
    assert marked(RIVER, f"{WHEEL} {RIVER} and so it was that night he had said.") == [
        ("there", WHEEL),
        ("both", f" {RIVER} "),
        ("there", "and so it was that night he had said."),
    ]
    assert [side for side, _ in marked("we saw the old man near it", "they fed the young dog with hay")] == [
        "there",
        "here",
    ]


words = st.lists(st.sampled_from(["a", "b", "c", "the", "of", "漢", "字x"]), max_size=30).map(" ".join)


@given(words, words)
def test_both_texts_can_be_read_from_their_comparison(here: str, there: str) -> None:
    comparison = compare(here, there)
    assert joined(comparison, "here").replace(" ", "") == here.replace(" ", "")
    assert joined(comparison, "there").replace(" ", "") == there.replace(" ", "")
    assert "  " not in joined(comparison, "here") + joined(comparison, "there")
    assert not any(one.side == two.side for one, two in zip(comparison.pieces, comparison.pieces[1:], strict=False))
    assert (comparison.here, comparison.there) == (Cut(), Cut())


@given(st.lists(st.sampled_from("abcd"), max_size=14), st.lists(st.sampled_from("abcd"), max_size=14))
def test_the_alignment_is_the_best_there_is(here: list[str], there: list[str]) -> None:
    """Against all alignments, each word two and each run one less."""
    left, right = _numbers(here, there)
    runs = _common_runs(left, right)
    assert all(here[start : start + count] == there[other : other + count] for start, other, count in runs)
    best: dict[tuple[int, int, bool], int] = {}
    for row in range(len(here), -1, -1):
        for column in range(len(there), -1, -1):
            for inside in (False, True):
                score = 0
                if row < len(here):
                    score = max(score, best[row + 1, column, False])
                if column < len(there):
                    score = max(score, best[row, column + 1, False])
                if row < len(here) and column < len(there) and here[row] == there[column]:
                    score = max(score, best[row + 1, column + 1, True] + 1 + inside)
                best[row, column, inside] = score
    assert sum(2 * count - 1 for _, _, count in runs) == best[0, 0, False]


def test_of_long_texts_the_surroundings_of_the_passage_are_shown() -> None:
    long = [f"w{number * number % 7919}.{number % 13}" for number in range(30_000)]
    comparison = compare(" ".join(long[20_000:20_050]), " ".join(long))
    assert (comparison.here, comparison.there) == (Cut(), Cut(19_980, 9_930))
    assert [(piece.side, len(piece.text.split())) for piece in comparison.pieces] == [
        ("there", 20),
        ("both", 50),
        ("there", 20),
    ]
    comparison = compare(" ".join(["x"] * 3000 + long), " ".join(long), limit=100)
    assert (comparison.here, comparison.there) == (Cut(2980, 29_920), Cut(0, 29_900))
    assert [(piece.side, len(piece.text.split())) for piece in comparison.pieces] == [
        ("here", 20),
        ("both", 80),
        ("there", 20),
    ]
    assert compare(" ".join(["x"] * 3000), " ".join(["y"] * 3000)).here == Cut(0, 2000)
    assert excerpt(" ".join(long)) == Comparison([Piece("both", " ".join(long[:1000]))], Cut(0, 29_000))


@pytest.mark.parametrize("text", ["a b " * 150_000, "x " * 300_000, "漢" * 300_000, "y" * 300_000])
def test_time_does_not_grow_with_the_square(text: str) -> None:
    start = time.process_time()
    comparison = compare(text, text[::-1])
    assert sum(len(piece.text) for piece in comparison.pieces) <= 2 * 100 * 1000
    assert comparison.here.after > 0
    assert time.process_time() - start < 30


def read_plain(document: TracedDocument, copies: Sequence[Relative] | None = None) -> str:
    return "".join(f"{line}\n" for line in SideBySide(document, copies).lines())


def test_plain_text_has_marks_like_wdiff(mill: CorpusReader) -> None:
    shown = read_plain(trace(mill, "00000-000001"))
    assert "repeated   58% of its text\nleft       2 of 5 blocks, 57 of 108 words\nnot shown  1 block that" in shown
    assert "repeats text of\n  40 words in 2 blocks  00000-000000      http://mill.example/river\n" in shown
    assert "block 1: duplicate, 80% repeated, first in block 1 of 00000-000000, http://mill.example/river\n" in shown
    assert "It was the {+old+} miller who said that the river would rise in the [-night,-] {+morning,+} and it" in shown
    assert "block 2: stub\nRead on\n" in shown
    assert (
        "first in block 1 of old/00000-000000, of another corpus: --against with its folder shows the text\n" in shown
    )
    assert NAV not in shown


def test_plain_text_without_spaces(mill: CorpusReader) -> None:
    assert "\n粉屋は[-夜-] {+朝+}に川が" in read_plain(trace(mill, "00000-000004"))


def test_plain_text_of_other_kinds_of_documents(mill: CorpusReader) -> None:
    assert "copy of    00000-000000 http://mill.example/river\n" in read_plain(trace(mill, "00000-000002"))
    assert "of 00000-000000, http://mill.example/river, the most similar block there\n" in read_plain(
        trace(mill, "00000-000002")
    )
    dropped = read_plain(trace(mill, "00000-000003"))
    assert "dropped    by the filter language (cs), so it was not compared with others\n" in dropped
    assert "repeated" not in dropped
    assert "block 1: not compared\n" in dropped
    assert "first in block 1 of this document\n" in read_plain(trace(mill, "00000-000005"))
    empty = read_plain(trace(mill, "00001-000000"), [])
    assert empty.endswith("\n\nis repeated by no document of this corpus\n")
    many = [Relative(f"00000-{number:06d}", "", 1, 2) for number in range(12)]
    assert read_plain(trace(mill, "00001-000000"), many).endswith("  and 2 more documents\n")


def test_what_a_page_says_does_not_steer_the_terminal(
    mill: CorpusReader, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    traced = trace(mill, "00000-000004")
    write_account(SideBySide(traced), "table")
    for shown in (capfdbinary.readouterr().out.decode(), table(traced, 100, "truecolor")):
        assert "\u202e" not in shown
        assert "\x1b[31m red" not in shown
        assert "[31m red" in shown


def table(
    document: TracedDocument, width: int, colours: str | None = None, copies: Sequence[Relative] | None = None
) -> str:
    file = io.StringIO()
    system: Any = colours
    print_table(
        Console(file=file, width=width, force_terminal=True, color_system=system, highlight=False), document, copies
    )
    return file.getvalue()


@pytest.mark.parametrize("width", [40, 61, 80, 133])
@pytest.mark.parametrize("name", ["00000-000001", "00000-000002", "00000-000003", "00000-000004", "00001-000000"])
def test_no_line_of_the_table_is_wider_than_the_terminal(mill: CorpusReader, name: str, width: int) -> None:
    shown = table(trace(mill, name), width, copies=[Relative("00000-000099", "http://a.example/" + "x" * 200, 3, 4)])
    assert max(map(cell_len, shown.splitlines())) <= width
    assert shown.count("x") >= 200


def test_the_table_has_both_texts_side_by_side(mill: CorpusReader) -> None:
    shown = table(trace(mill, "00000-000001"), 120)
    assert re.search(r"^block +this document +first copy", shown, re.MULTILINE)
    assert re.search(r"^1 +It was the \{\+old\+\} miller .* block 1 of 00000-000000", shown, re.MULTILINE)
    assert re.search(r"^80% ", shown, re.MULTILINE)
    assert "[-night,-]" in shown
    coloured = table(trace(mill, "00000-000001"), 120, "standard")
    assert "{+" not in coloured
    assert re.search(r"\x1b\[[\d;]*32mold\x1b", coloured)
    lines = [
        line.partition("block ") for line in table(trace(mill, "00000-000004"), 100).splitlines() if "block " in line
    ]
    assert {cell_len(left) for left, _, _ in lines[2:]} == {9 + 2 + 43 + 2}


class Reader(HTMLParser):
    """All tags with their attributes, and the text inside of each kind of tag."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in {"meta", "br"}:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.setdefault(self._open[-1] if self._open else "", []).append(data)


def test_the_page_marks_differences_and_escapes_everything(mill: CorpusReader, old: CorpusReader) -> None:
    page = Reader(compared_page(trace(mill, "00000-000001", [old]), repeaters_of(mill, "00000-000001")))
    assert page.text["ins"][1:3] == ["old", "morning,"]
    assert page.text["del"][1:] == ["night,"]
    assert {"old/00000-000000", "http://old.example/flour"} <= set(page.text["td"])
    boxes = [given["class"] for tag, given in page.tags if tag == "div" and (given.get("class") or "").startswith("b ")]
    assert boxes == ["b top", "b duplicate", "b stub", "b duplicate", "b unique", "b unique"]
    assert all(given.get("dir") == "auto" for tag, given in page.tags if tag == "p" and "class" not in given)
    hostile = trace(mill, "00000-000004")
    hostile = dataclasses.replace(hostile, url=HOSTILE, title=HOSTILE, lang=HOSTILE, copy_of=HOSTILE, copy_url=HOSTILE)
    page = Reader(compared_page(hostile, [Relative(HOSTILE, HOSTILE, 1, 1)]))
    assert {tag for tag, _ in page.tags} <= set(
        "html head meta title style body h1 h2 dl dt dd table tr td div b br small p ins del".split()
    )
    assert not any(name.startswith("on") or name in {"src", "href"} for _, given in page.tags for name in given)


def test_a_page_without_blocks(mill: CorpusReader) -> None:
    page = compared_page(trace(mill, "00001-000000"), [])
    assert "Cleaning kept no block" in page
    assert "Is repeated by no document" in page


def called(*arguments: str | Path) -> tuple[Any, str, str]:
    """What the command ends with: exit code, standard output, standard error."""
    ran = run("duplicates", *arguments)
    return ran.returncode, ran.stdout.decode(), ran.stderr.decode()


def test_the_command(mill: CorpusReader, old: CorpusReader, tmp_path: Path) -> None:
    code, output, _ = called(
        mill.folder, "page=2", "--against", old.folder, "--copies", "--json", "--html", tmp_path / "page.html"
    )
    found = json.loads(output)
    assert (code, found["id"], found["copies"], len(found["blocks"])) == (0, "00000-000001", [], 5)
    assert found["blocks"][0]["copy"]["text"] == RIVER
    assert found["blocks"][2]["copy"]["text"] == FLOUR
    assert {"side": "here", "text": "old"} in found["blocks"][0]["differences"]["pieces"]
    assert "<ins>old</ins>" in (tmp_path / "page.html").read_text("utf-8")
    code, output, errors = called(mill.folder, "00000-000004")
    assert (code, errors) == (0, "")
    assert f"{{+{SOME_HEBREW}+}}" in output
    code, output, errors = called(mill.folder, "00000-000004", "--html", tmp_path / "page.html")
    assert (code, output, errors.split()[:2]) == (0, "", ["written", "to"])


def test_a_page_of_html(mill: CorpusReader, tmp_path: Path) -> None:
    code, page, _ = called(mill.folder, "page=2", "--html", "-")
    assert (code, page[:15]) == (0, "<!DOCTYPE html>")
    assert called(mill.folder, "page=2", "--html", tmp_path / "page.html")[:2] == (0, "")
    assert (tmp_path / "page.html").read_text("utf-8") == page


def test_python(mill: CorpusReader, old: CorpusReader) -> None:
    corpus = gristmill.Corpus(mill.folder)
    found = corpus.duplicates("page=2", copies=True, against=(str(old.folder),))
    assert (found.document, found.copies) == (trace(mill, "00000-000001", [old]), [])
    assert corpus.duplicates(document="page=2", against=(gristmill.Corpus(old.folder),)).document == found.document
    ask: Any = corpus.duplicates
    with pytest.raises(UsageError, match="against must be a list of values"):
        ask("page=2", against="old")


def test_wrong_calls(mill: CorpusReader, tmp_path: Path) -> None:
    code, output, errors = called(mill.folder, "mill.example")
    assert (code, output) == (2, "")
    assert "Give its id:\n  00000-000000  http" in errors
    assert called(mill.folder, "page=2", "--html", tmp_path / "no" / "page.html")[0] == 2
    assert called(tmp_path, "page=2")[0] == 2


def test_a_terminal_that_knows_ascii_only(mill: CorpusReader) -> None:
    result = run("duplicates", mill.folder, "page=2", encoding="ascii")
    assert (result.returncode, result.stderr) == (0, b"")
    assert b"It was the {+old+} miller who" in result.stdout


def test_a_corpus_as_it_is_built(corpus: gristmill.Corpus) -> None:
    found = [name for shard in corpus.shards for name in _repeating(shard)]
    for name in found[:30]:
        for block in trace(corpus.reader, name).blocks:
            if block.copy and block.share == 1.0 and block.words >= 10:
                assert block.copy.url
                assert any(piece.side == "both" for piece in compared(block).pieces)


def _repeating(shard: Shard) -> list[str]:
    shares = pq.read_table(shard.duplicates, columns=["share"])["share"].to_pylist()
    return [document_id(shard.name, row) for row, share in enumerate(shares) if share]
