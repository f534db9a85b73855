"""The positional index: what it says is what is in the tokens, merged or not; and half of one is never opened."""

from __future__ import annotations

import dataclasses
import pickle
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gristmill.annotation.annotation import Annotation
from gristmill.annotation.table import TOKENS_SCHEMA, to_arrow
from gristmill.arrays.storing import Stream, load_arrays, save_arrays
from gristmill.corpus import CorpusReader, Selection
from gristmill.corpus.attributes import DOC_ATTRIBUTES, P_ATTRIBUTES
from gristmill.document import Block, Document
from gristmill.engine import InlineEngine, Outcome, Report, Task
from gristmill.errors import GristmillError, UsageError
from gristmill.search.index import attribute as attribute_module
from gristmill.search.index import index as index_module
from gristmill.search.index import merging
from gristmill.search.index import shard as shard_module
from gristmill.search.index.building import FOLDER, PlainDocument, PlainParagraph, build_index, make_index
from gristmill.search.index.compaction import all_merged, tiers_merged
from gristmill.search.index.index import CARD, Index
from gristmill.search.index.lexicon import Lexicon
from gristmill.search.index.merging import merge
from gristmill.search.index.plain import Token
from gristmill.search.index.segment import FORMAT, read_card
from gristmill.search.index.writing import MAX_TOKENS, check_size
from gristmill.shards import Shard, ShardWriter

# -------------------------------------------------------------------------------------------------------------------
# the lexicon

VALUES = ["", "Go", "a", "a.b", "aab", "ab", "b", "go", "goes", "going", "straße", "É", "é", "日本", "😀"]


def _lexicon(values: Sequence[str] = VALUES) -> Lexicon:
    return Lexicon.of(pa.array(sorted(values, key=str.encode)))


def test_a_lexicon_knows_its_values() -> None:
    lexicon = _lexicon()
    assert len(lexicon) == len(VALUES)
    assert [lexicon[number] for number in range(len(lexicon))] == VALUES
    assert [lexicon.find(value) for value in VALUES] == list(range(len(VALUES)))
    assert lexicon.strings([8, 8, 0]) == ["goes", "goes", ""]
    assert [lexicon.find(value) for value in ("zz", "g", "\ud800", "\0", "日")] == [-1] * 5
    for number in (-1, len(lexicon)):
        with pytest.raises(IndexError):
            lexicon[number]


@pytest.mark.parametrize(
    ("regex", "found"),
    [
        ("go", ["go"]),
        ("go.*", ["go", "goes", "going"]),
        ("go|G.", ["Go", "go"]),
        ("goe?s?", ["go", "goes"]),
        ("gox*", ["go"]),
        ("gox{0}", ["go"]),
        ("go(?:es|ing)", ["goes", "going"]),
        (r"a\.b", ["a.b"]),
        (r"\Qa.b\E", ["a.b"]),
        ("a.b", ["a.b", "aab"]),
        ("^go$", ["go"]),
        ("(?i)GO", ["Go", "go"]),
        ("..", ["Go", "ab", "go", "日本"]),
        (r"\p{Lu}.*", ["Go", "É"]),
        ("", [""]),
        ("x.*", []),
    ],
)
def test_regular_expressions_match_whole_values(regex: str, found: list[str]) -> None:
    lexicon = _lexicon()
    assert lexicon.strings(lexicon.matching(regex)) == found


def test_case_can_be_ignored() -> None:
    lexicon = _lexicon()
    assert lexicon.strings(lexicon.matching("GO", ignore_case=True)) == ["Go", "go"]
    assert lexicon.strings(lexicon.matching("É.*", ignore_case=True)) == ["É", "é"]


@pytest.mark.parametrize(
    ("regex", "reason"),
    [
        ("[", r"missing \]"),
        ("a)(b", r"unexpected \)"),
        (r"\Qgo", "missing"),
        ("a\\", "trailing"),
        ("(a", r"missing \)"),
        ("\ud800.", "Unicode"),
    ],
    ids=["bracket", "turned", "quote", "backslash", "open", "surrogate"],
)
def test_what_is_wrong_with_an_expression_is_said(regex: str, reason: str) -> None:
    with pytest.raises(UsageError, match=f"is not a regular expression: .*{reason}"):
        _lexicon().matching(regex)


PIECES = st.sampled_from(["a", "b", "ab", ".", "[ab]", "a*", "b?", "(ab)+", "a{2}", "(?:a|b)", "|", "é"])


@given(st.lists(st.text("abé|", max_size=5), max_size=12, unique=True), st.lists(PIECES, max_size=5).map("".join))
def test_expressions_find_what_a_scan_finds(values: list[str], regex: str) -> None:
    lexicon = _lexicon(values)
    found = lexicon.strings(lexicon.matching(regex))
    assert found == [value for value in sorted(values, key=str.encode) if re.fullmatch(regex, value)]


# --------------------------------------------------------------------------------------------------------- an index,
# and its parts

WORDS = st.text("abcdé日", min_size=1, max_size=2)
TOKENS_OF_TESTS: st.SearchStrategy[Token] = st.tuples(
    WORDS, st.sampled_from("NVX"), WORDS, st.sampled_from(["", "NN"]), st.booleans()
)
SENTENCES = st.lists(TOKENS_OF_TESTS, max_size=4)
PARAGRAPHS = st.builds(
    PlainParagraph, st.lists(SENTENCES, max_size=3), st.fixed_dictionaries({"kind": st.sampled_from("ph")})
)
DOCUMENTS = st.lists(
    st.builds(
        PlainDocument, st.lists(PARAGRAPHS, max_size=3), st.fixed_dictionaries({"host": WORDS, "year": st.just("2005")})
    ),
    max_size=6,
)
A_SENTENCE: list[Token] = [("a", "N", "a", "", False)]


class _Flat(NamedTuple):
    """What an index must say, made the simple way."""

    tokens: list[Token]
    lengths: dict[str, list[int]]
    attributes: dict[str, list[dict[str, str]]]


def _flat(documents: Sequence[PlainDocument]) -> _Flat:
    lengths: dict[str, list[int]] = {"doc": [], "p": [], "s": []}
    attributes: dict[str, list[dict[str, str]]] = {"doc": [], "p": [], "s": []}
    tokens: list[Token] = []
    for document in documents:
        before = len(tokens)
        for paragraph in document.paragraphs:
            begin = len(tokens)
            for sentence in filter(None, paragraph.sentences):
                tokens += sentence
                lengths["s"].append(len(sentence))
            if len(tokens) > begin:
                lengths["p"].append(len(tokens) - begin)
                attributes["p"].append(dict(paragraph.attributes))
        if len(tokens) > before:
            lengths["doc"].append(len(tokens) - before)
            attributes["doc"].append(dict(document.attributes))
    return _Flat(tokens, lengths, attributes)


def _check(index: Index, truth: _Flat) -> None:
    """Everything that an index says, against lists."""
    assert index.size == len(truth.tokens)
    for place, (name, attribute) in enumerate(index.attributes.stored.items()):
        values = [str(token[place]) for token in truth.tokens]
        assert attribute.lexicon.array.to_pylist() == sorted(set(values), key=str.encode), name
        assert attribute.lexicon.strings(attribute.ids) == values
        places: dict[str, list[int]] = {}
        for position, value in enumerate(values):
            places.setdefault(value, []).append(position)
        for number, value in enumerate(attribute.lexicon.array.to_pylist()):
            assert attribute.positions(number).tolist() == places[value]
            assert attribute.counts[number] == len(places[value])
    assert index.is_glued(np.arange(index.size)).tolist() == [token[4] for token in truth.tokens]
    for name, lengths in truth.lengths.items():
        structure = index.structure(name)
        assert structure.ends.tolist() == list(accumulate(lengths))
        assert structure.starts.tolist() == [
            end - length for end, length in zip(accumulate(lengths), lengths, strict=True)
        ]
        owners = [number for number, length in enumerate(lengths) for _ in range(length)]
        assert structure.number_at(np.arange(index.size)).tolist() == owners
        for key, attribute_of in structure.attributes.items():
            assert attribute_of.values(range(len(structure))) == [given[key] for given in truth.attributes[name]]
            assert attribute_of.counts.sum() == len(structure)


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@settings(max_examples=30)
@given(DOCUMENTS)
def test_an_index_says_what_is_in_the_tokens(documents: list[PlainDocument]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _check(make_index(folder, documents), _flat(documents))


@settings(max_examples=30)
@given(st.lists(DOCUMENTS, min_size=1, max_size=4), st.sampled_from([8, 16, 1024]), st.integers(2, 5))
def test_merged_parts_are_the_whole(parts: list[list[PlainDocument]], block: int, at_once: int) -> None:
    parts = [part for part in parts if _flat(part).tokens] or [[PlainDocument([PlainParagraph([A_SENTENCE])])]]
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "_BLOCK_TOKENS", block)
        patch.setattr(merging, "MAX_OPEN_PARTS", at_once)
        folder = Path(name)
        for number, part in enumerate(parts):
            make_index(folder / str(number), part)
        documents = [document for part in parts for document in part]
        make_index(folder / "at-once", documents)
        merge([folder / str(number) for number in range(len(parts))], folder / "merged")
        assert _files(folder / "merged") == _files(folder / "at-once")
        _check(Index.open(folder / "merged"), _flat(documents))
        assert len(list(folder.iterdir())) == len(parts) + 2


@settings(max_examples=30)
@given(DOCUMENTS, st.data(), st.sampled_from([1, 10**9]))
def test_positions_of_several_values(documents: list[PlainDocument], data: st.DataObject, scan: int) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(attribute_module, "_MIN_TOKENS_PER_HIT_TO_SORT", scan)
        patch.setattr(attribute_module, "_BLOCK_TOKENS", 3)
        attribute = make_index(folder, documents).attribute("word")
        ids = (
            data.draw(st.lists(st.sampled_from(range(len(attribute.lexicon))), unique=True))
            if len(attribute.lexicon)
            else []
        )
        expected = [position for position, number in enumerate(attribute.ids.tolist()) if number in ids]
        assert attribute.positions_of(np.array(ids, np.int64)).tolist() == expected
        assert attribute.count(np.array(ids, np.int64)) == len(expected)


def test_ids_are_as_small_as_the_lexicon_allows(tmp_path: Path) -> None:
    sentence: list[Token] = [
        (f"w{number}", "X", f"l{number % 256}", f"x{number % 257}", False) for number in range(66_000)
    ]
    index = make_index(tmp_path, [PlainDocument([PlainParagraph([sentence])])])
    kinds = {name: attribute.ids.dtype for name, attribute in index.attributes.stored.items()}
    assert kinds == {"word": np.uint32, "tag": np.uint8, "lemma": np.uint8, "xpos": np.uint16}
    word = index.attribute("word")
    assert word.lexicon.strings(word.ids[:3]) == ["w0", "w1", "w2"]
    assert word.positions(word.lexicon.find("w65999")).tolist() == [65_999]


def test_wrong_names_are_answered_with_the_right_ones(tmp_path: Path) -> None:
    index = make_index(tmp_path, [PlainDocument([PlainParagraph([A_SENTENCE])], {"host": "b"})])
    with pytest.raises(UsageError, match="'lema'; did you mean 'lemma'"):
        index.attribute("lema")
    with pytest.raises(UsageError, match="there are: doc, p, s"):
        index.structure("paragraph")
    with pytest.raises(UsageError, match="'hots'; did you mean 'host'"):
        index.structure("doc").attribute("hots")


def test_an_index_that_is_replaced_while_it_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = PlainDocument([PlainParagraph([A_SENTENCE])])
    make_index(tmp_path, [document])
    read, calls = read_card, []

    def read_and_replace(folder: Path) -> dict[str, Any]:
        card = read(folder)
        calls.append(card)
        if len(calls) == 1:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(index_module, "read_card", read)
                make_index(folder, [document, document])
        return card

    monkeypatch.setattr(index_module, "read_card", read_and_replace)
    index = Index.open(tmp_path)
    assert index.size == len(index.attribute("word").ids) == index.structure("doc").bounds[-1] == 2


def test_a_segment_that_is_merged_away_while_its_index_is_opened(annotated: CorpusReader) -> None:
    _grow(annotated)
    index = Index.open(annotated.folder / FOLDER)
    assert len(index.segments) == 2
    read, calls = read_card, []

    def read_and_compact(folder: Path) -> dict[str, Any]:
        calls.append(folder)
        if len(calls) == 1:
            build_index(annotated, compaction=all_merged)
        return read(folder)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_module, "_VERIFIED_BYTES", 0)
        patch.setattr(index_module, "read_card", read_and_compact)
        opened = Index.open(annotated.folder / FOLDER)
    assert (len(opened.segments), opened.size) == (1, index.size)
    assert len(calls) == 3  # of the first segment, by the build of the one that took its place, and of this one
    assert not calls[0].exists()


def test_an_open_index_stays_what_it_was(annotated: CorpusReader) -> None:
    _grow(annotated)
    index = Index.open(annotated.folder / FOLDER)
    word = index.attribute("word")
    before = word.lexicon.array.to_pylist(), word.ids.tolist(), word.positions(5).tolist()
    build_index(annotated, compaction=all_merged)
    build_index(annotated, Selection(languages=("cs",)))
    assert (word.lexicon.array.to_pylist(), word.ids.tolist(), word.positions(5).tolist()) == before


def test_arrays_may_come_in_pieces(tmp_path: Path) -> None:
    pieces = [np.arange(3), np.arange(0), np.arange(3, 5)]
    save_arrays(
        tmp_path / "file",
        {"before": np.ones(1), "pieces": Stream(np.dtype(np.uint16), 5, pieces), "after": np.zeros(1)},
    )
    found = load_arrays(tmp_path / "file")
    assert found["pieces"].dtype == np.uint16
    assert {name: array.tolist() for name, array in found.items()} == {
        "before": [1],
        "pieces": [0, 1, 2, 3, 4],
        "after": [0],
    }
    with pytest.raises(ValueError, match="a stream of 12 bytes had 10"):
        save_arrays(tmp_path / "other", {"pieces": Stream(np.dtype(np.uint16), 6, pieces)})
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_positions_have_a_limit() -> None:
    check_size(MAX_TOKENS)
    with pytest.raises(GristmillError, match="a segment of an index holds at most 4,294,967,295 tokens"):
        check_size(MAX_TOKENS + 1)


# ------------------------------------------------------------------------------------------------------------ the index
# of a corpus


def _annotation(text: str) -> Annotation:
    """Tokens and tags that are told by simple rules, so that tests need no tagger."""
    found = list(re.finditer(r"\w+|[^\w\s]", text))
    words = [match[0] for match in found]
    ends = [number + 1 for number, word in enumerate(words) if word == "." or number + 1 == len(words)]
    lengths = [end - start for start, end in zip([0, *ends], ends, strict=False)]
    starts = [match.start() for match in found]
    tags = ["X" if word.isalnum() else "PUNCT" for word in words]
    return Annotation(
        words, starts, lengths, list(map(str.lower, words)), tags, [f"x{len(word)}" for word in words], "rules"
    )


def _kept(document: Document) -> list[tuple[int, Block]]:
    kept = [] if document.dropped else document.kept()
    return [(number, block) for number, block in enumerate(document.blocks) if block in kept]


def _annotate(shard: Shard, mark: str = "", dictionary_bytes: int | None = None) -> None:
    """Write tokens of the blocks that cleaning keeps, a few documents in each row group."""
    rows = [
        {number: _annotation(block.text) for number, block in _kept(document)} for document in shard.read_documents()
    ]
    with ShardWriter(shard.tokens, TOKENS_SCHEMA, dictionary_bytes) as writer:
        for start in range(0, len(rows), 16):
            writer.write(to_arrow(rows[start : start + 16]))
        writer.finish({"settings": {"taggers": [], "mark": mark}})


@pytest.fixture(scope="module")
def built(corpus: CorpusReader, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of two shards, which are the same but for what de-duplication says of them."""
    folder = tmp_path_factory.mktemp("corpora") / "two"
    shutil.copytree(corpus.folder, folder, ignore=shutil.ignore_patterns(FOLDER))
    _annotate(Shard.of(folder, "00000"))
    shutil.copytree(folder / "shards" / "00000", folder / "shards" / "00001")
    manifest = CorpusReader(folder).manifest
    manifest.entries.append(dataclasses.replace(manifest.entries[0], name="00001"))
    manifest.write()
    return folder


@pytest.fixture
def annotated(built: Path, tmp_path: Path) -> CorpusReader:
    shutil.copytree(built, tmp_path / "corpus")
    return CorpusReader(tmp_path / "corpus")


def _truth(corpus: CorpusReader, selection: Selection | None) -> _Flat:
    documents = []
    for chosen in corpus.select(selection):
        paragraphs = []
        for number, paragraph in zip(chosen.numbers, chosen.paragraphs(), strict=True):
            annotation = _annotation(paragraph.block.text)
            ends = [start + len(word) for start, word in zip(annotation.starts, annotation.words, strict=True)]
            glued = [False, *(start == end for start, end in zip(annotation.starts[1:], ends, strict=False))]
            tokens: list[Token] = list(
                zip(annotation.words, annotation.tags, annotation.lemmas, annotation.xpos, glued, strict=False)
            )
            places = [0, *accumulate(annotation.sentences)]
            sentences = [tokens[start:end] for start, end in pairwise(places)]
            known = {name: get(paragraph) for name, get in P_ATTRIBUTES.items()}
            known |= {"number": str(number), "tagger": annotation.tagger}
            paragraphs.append(PlainParagraph(sentences, known))
        documents.append(
            PlainDocument(paragraphs, {name: get_doc(chosen.document) for name, get_doc in DOC_ATTRIBUTES.items()})
        )
    return _flat(documents)


def _arrays(corpus: CorpusReader) -> dict[str, bytes]:
    """The files of the index but for cards, whatever its segment is called."""
    return {path.name: path.read_bytes() for path in (corpus.folder / FOLDER).rglob("*.arrays")}


def _grow(corpus: CorpusReader) -> None:
    """Make an index of two segments: of a corpus that has one shard at first."""
    entries = list(corpus.manifest.entries)
    del corpus.manifest.entries[1:]
    build_index(corpus)
    corpus.manifest.entries[:] = entries
    build_index(corpus)


class _Backwards:
    """An engine that runs tasks in the other order, as others would get them: pickled."""

    def run(self, tasks: Sequence[Task], report: Report) -> Iterator[Outcome]:
        return InlineEngine().run([pickle.loads(pickle.dumps(task)) for task in reversed(tasks)], report)  # noqa: S301


@pytest.mark.parametrize(
    "selection",
    [
        None,
        Selection(max_duplicate=1.0),
        Selection(max_boilerplate=0.9),
        Selection(languages=("cs", "de")),
        Selection(min_length=999_999),
    ],
    ids=["as-built", "repeats", "boilerplate", "languages", "nothing"],
)
def test_the_index_of_a_corpus(
    annotated: CorpusReader, selection: Selection | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def annotate_blocks(blocks: Sequence[Block], lang: str, choices: Sequence[str]) -> list[Annotation]:
        assert lang
        assert not choices
        return [_annotation(block.text) for block in blocks]

    monkeypatch.setattr(shard_module, "annotate_blocks", annotate_blocks)
    done: list[int] = []
    index = build_index(annotated, selection, report=done.append)
    _check(index, _truth(annotated, selection))
    assert sum(done) == sum(shard.tokens.stat().st_size for shard in annotated.shards)
    assert index.selection == (selection or Selection())
    assert index.is_current(annotated)
    sizes = [path.stat().st_size for path in (annotated.folder / FOLDER).rglob("*.arrays")]
    assert index.bytes_per_token == (round(sum(sizes) / index.size, 2) if index.size else 0)
    assert index.documents == len(index.structure("doc"))


def test_the_index_does_not_depend_on_how_it_was_built(annotated: CorpusReader) -> None:
    build_index(annotated)
    expected = _files(annotated.folder / FOLDER)
    for part_tokens in (1, 5000):
        build_index(annotated, engine=_Backwards(), part_tokens=part_tokens)
        assert _files(annotated.folder / FOLDER) == expected


def test_tokens_with_more_than_a_dictionary_are_read(annotated: CorpusReader) -> None:
    build_index(annotated)
    expected = _arrays(annotated)
    for shard in annotated.shards:
        _annotate(shard, dictionary_bytes=100)
    build_index(annotated)
    assert _arrays(annotated) == expected


def test_tokens_must_be_of_the_documents(annotated: CorpusReader) -> None:
    with ShardWriter(annotated.shards[0].tokens, TOKENS_SCHEMA) as writer:
        writer.finish({"settings": {"taggers": []}})
    with pytest.raises(GristmillError, match=r"tokens\.parquet is not of these documents: annotate the corpus"):
        build_index(annotated)


def test_a_wrong_selection_is_an_error_before_anything_is_done(annotated: CorpusReader) -> None:
    with pytest.raises(UsageError, match="min must not be more than max"):
        build_index(annotated, Selection(min_length=10**9))
    assert not list(annotated.folder.glob(f"{FOLDER}*"))


def test_a_block_without_tokens_and_without_text_is_an_error(annotated: CorpusReader) -> None:
    for shard in annotated.shards:
        with ShardWriter(shard.tokens, TOKENS_SCHEMA) as writer:
            writer.write(to_arrow([{} for _ in shard.read_documents()]))
            writer.finish({"settings": {"taggers": []}})
    with pytest.raises(GristmillError, match=r"tokens of document .* are missing: annotate the corpus"):
        build_index(annotated)


# -------------------------------------------------------------------------------------------------------------------
# old and broken


def _anew(corpus: CorpusReader) -> None:
    _annotate(corpus.shards[0], "anew")


def _otherwise_deduplicated(corpus: CorpusReader) -> None:
    corpus.manifest.settings["dedup"]["method"] = "onion:n=7"


def _shorter(corpus: CorpusReader) -> None:
    corpus.manifest.entries.pop()


def _not_annotated(corpus: CorpusReader) -> None:
    corpus.shards[1].tokens.unlink()


@pytest.mark.parametrize("change", [_anew, _otherwise_deduplicated, _shorter, _not_annotated])
def test_an_index_of_another_corpus_is_not_current(
    annotated: CorpusReader, change: Callable[[CorpusReader], None]
) -> None:
    index = build_index(annotated)
    assert index.is_current(annotated)
    change(annotated)
    assert not index.is_current(annotated)


def test_a_corpus_that_is_not_annotated_has_no_index(annotated: CorpusReader) -> None:
    _not_annotated(annotated)
    with pytest.raises(
        GristmillError, match=r"tokens\.parquet is missing: annotate the corpus with `gristmill annotate`"
    ):
        build_index(annotated)


@pytest.mark.parametrize("segments", [1, 2])
def test_what_is_not_whole_is_not_opened(annotated: CorpusReader, segments: int) -> None:
    folder = annotated.folder / FOLDER
    with pytest.raises(UsageError, match=r"no index in .*: make one with `gristmill index`"):
        Index.open(folder)
    build_index(annotated) if segments == 1 else _grow(annotated)
    assert len(Index.open(folder).segments) == segments
    paths = sorted(folder.rglob("*.arrays"))
    assert len(paths) == (8 if segments == 1 else 23)
    for path in paths:
        data = path.read_bytes()
        for broken in (data[:-1], data[: len(data) // 2], data + b"\0"):
            path.write_bytes(broken)
            with pytest.raises(GristmillError, match=rf"damaged \({path.name} has .* bytes, not .*\): make it again"):
                Index.open(folder)
        path.unlink()
        with pytest.raises(GristmillError, match=rf"damaged \({path.name} is missing\): make it again"):
            Index.open(folder)
        path.write_bytes(data)
    for file in folder.rglob(CARD):
        card = file.read_text("utf-8")
        file.write_text(card.replace(f"format = {FORMAT}", "format = 99"), "utf-8")
        with pytest.raises(GristmillError, match=rf"has format 99, and .* reads format {FORMAT}: make it anew"):
            Index.open(folder)
        for chosen in range(0, len(card) - 1, 50):
            file.write_text(card[:chosen], "utf-8")
            with pytest.raises(GristmillError):
                Index.open(folder)
        file.unlink()
        with pytest.raises(UsageError, match="no index in"):
            Index.open(folder)
        file.write_text(card, "utf-8")
    assert Index.open(folder).size


class _Killed(BaseException):
    """What nothing catches."""


def _kill_at(patch: pytest.MonkeyPatch, step: int) -> None:
    """End a build when it is about to give a file or folder its name for that time."""
    steps: list[Path] = []

    def wrapped(move: Callable[[Path, Path], Path]) -> Callable[[Path, Path], Path]:
        def counted(path: Path, target: Path) -> Path:
            steps.append(path)
            if len(steps) > step:
                raise _Killed
            return move(path, target)

        return counted

    patch.setattr(Path, "replace", wrapped(Path.replace))
    patch.setattr(Path, "rename", wrapped(Path.rename))


def _build_killed(corpus: CorpusReader, selection: Selection, step: int) -> bool:
    with pytest.MonkeyPatch.context() as patch:
        _kill_at(patch, step)
        try:
            build_index(corpus, selection)
        except _Killed:
            return True
    return False


@pytest.mark.parametrize(
    ("shards", "steps"),
    [
        (
            1,
            13,
        ),  # nine files and a folder of the part, which are the segment with another card; its folder; and the card
        (2, 31),  # both parts, nine files and the folder of the segment, and the card
    ],
)
def test_a_killed_build_leaves_the_old_index(annotated: CorpusReader, shards: int, steps: int) -> None:
    folder = annotated.folder / FOLDER
    del annotated.manifest.entries[shards:]
    annotated.manifest.write()
    old, new = Selection(where='lang="de"'), Selection(where='lang="ja"')
    whole = {}
    for selection in (new, old):
        build_index(annotated, selection)
        whole[selection] = _files(folder)
    found: list[str] = []
    while _build_killed(annotated, new, len(found)):
        found.append("old" if Index.open(folder).selection == old else "new")
        assert whole[old if found[-1] == "old" else new].items() <= _files(folder).items()
        build_index(annotated, new)  # goes on, and clears up
        assert _files(folder) == whole[new]
        old, new = new, old
    assert found == ["old"] * len(found)
    assert len(found) == steps


@pytest.mark.parametrize("compaction", [tiers_merged, all_merged])
def test_a_killed_addition_leaves_the_old_index(
    annotated: CorpusReader, compaction: Callable[[Sequence[int]], list[range]]
) -> None:
    folder = annotated.folder / FOLDER
    entries = list(annotated.manifest.entries)
    del annotated.manifest.entries[1:]
    build_index(annotated)
    size = Index.open(folder).size
    first = _files(folder)
    annotated.manifest.entries[:] = entries
    build_index(annotated, compaction=compaction)
    whole = _files(folder)
    steps = 0
    while True:
        shutil.rmtree(folder)
        for name, data in first.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        with pytest.MonkeyPatch.context() as patch:
            _kill_at(patch, steps)
            try:
                build_index(annotated, compaction=compaction)
                break
            except _Killed:
                steps += 1
        assert Index.open(folder).size == size
        build_index(annotated, compaction=compaction)
        assert _files(folder) == whole
    assert steps > 20


def test_what_was_done_before_a_kill_is_not_done_again(
    annotated: CorpusReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_index(annotated)
    expected = _files(annotated.folder / FOLDER)
    shutil.rmtree(annotated.folder / FOLDER)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "load_arrays", _fail)
        with pytest.raises(_Killed):
            build_index(annotated)
    monkeypatch.setattr("gristmill.search.index.building.IndexTask", _fail)
    build_index(annotated)
    assert _files(annotated.folder / FOLDER) == expected


def test_parts_that_did_not_reach_the_disk_are_made_again(annotated: CorpusReader) -> None:
    build_index(annotated)
    expected = _files(annotated.folder / FOLDER)
    shutil.rmtree(annotated.folder / FOLDER)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "load_arrays", _fail)
        with pytest.raises(_Killed):
            build_index(annotated)
    lost = next(annotated.folder.glob(f"{FOLDER}/parts/*/*/attribute-word.arrays"))
    lost.write_bytes(bytes(lost.stat().st_size))
    build_index(annotated)
    assert _files(annotated.folder / FOLDER) == expected


def _fail(*_: Any) -> Any:
    raise _Killed


def test_leftovers_are_cleared(annotated: CorpusReader) -> None:
    build_index(annotated)
    expected = _files(annotated.folder)
    for left in (f"{FOLDER}/parts/x/y", f"{FOLDER}/segments/z", f"{FOLDER}/joined/z"):
        (annotated.folder / left).mkdir(parents=True)
    for left in (f"{FOLDER}/attribute-word.arrays", f"{FOLDER}/{CARD}.123.tmp"):
        (annotated.folder / left).touch()
    build_index(annotated)
    assert _files(annotated.folder) == expected
    assert {path.name for path in annotated.folder.glob(f"{FOLDER}*")} == {FOLDER}
    assert {path.name for path in (annotated.folder / FOLDER).iterdir()} == {CARD, "segments"}


def test_only_what_is_missing_is_indexed(annotated: CorpusReader, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = list(annotated.manifest.entries)
    del annotated.manifest.entries[1:]
    build_index(annotated)
    annotated.manifest.entries[:] = entries
    indexed: list[str] = []
    task = shard_module.IndexTask

    def noted(corpus: str, shard: Shard, *others: Any) -> Any:
        indexed.append(shard.name)
        return task(corpus, shard, *others)

    monkeypatch.setattr("gristmill.search.index.building.IndexTask", noted)
    index = build_index(annotated)
    assert (indexed, len(index.segments)) == (["00001"], 2)
    _check(index, _truth(annotated, None))
    _anew(annotated)  # the first of them
    index = build_index(annotated)
    assert (indexed, len(index.segments)) == (["00001", "00000"], 2)
    _check(index, _truth(annotated, None))
    index = build_index(annotated, compaction=all_merged)
    assert (indexed, len(index.segments)) == (["00001", "00000"], 1)
    _check(index, _truth(annotated, None))
    _annotate(annotated.shards[0], "once more")  # a segment of which a shard is stale is made again
    _check(build_index(annotated), _truth(annotated, None))
    assert indexed == ["00001", "00000", "00000", "00001"]
