"""The parallel concordance: hits with the sentences that they are aligned with, compared with brute force."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import run
from hypothesis import given
from hypothesis import strategies as st
from parallel_corpora import EN_DE, make_pairs, many_pairs

import gristmill
from gristmill.annotation.table import read_annotations
from gristmill.engine import InlineEngine
from gristmill.errors import UsageError
from gristmill.operations.searched import Ordered
from gristmill.parallel.records import SIDES, beads_of, pairs_of
from gristmill.search import Context
from gristmill.search import aligned as module
from gristmill.search.aligned import open_alignment
from gristmill.search.concordance.lines import AlignedText, Line
from gristmill.search.hits import Hits
from gristmill.shards import read_rows


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> gristmill.Corpus:
    folder = make_pairs(tmp_path_factory.mktemp("parallel") / "pairs")
    gristmill.index(folder, engine=InlineEngine())
    return gristmill.Corpus(folder)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> gristmill.Corpus:
    folder = tmp_path_factory.mktemp("parallel") / "many"
    make_pairs(folder, (many_pairs(6, 1), many_pairs(5, 2), many_pairs(4, 3)))
    gristmill.index(folder, engine=InlineEngine())
    return gristmill.Corpus(folder)


@dataclass
class Sentence:
    """A sentence of a document: its block, and its words with what stands before each."""

    block: int
    words: list[str]
    spaced: list[str]


def text_of(sentences: list[Sentence]) -> str:
    """The text of sentences, with line ends between blocks."""
    found, block = "", None
    for sentence in sentences:
        gap = "" if block is None else "\n" if sentence.block != block else " "
        found += gap + "".join(sentence.spaced)
        block = sentence.block
    return found


def documents(corpus: gristmill.Corpus) -> Iterator[tuple[str, list[Sentence]]]:
    """All documents with their sentences, by their ids."""
    for shard in corpus.shards:
        for document, annotated in zip(shard.read_documents(), read_annotations(shard), strict=True):
            sentences = []
            for block, annotation in annotated.items():
                edges = [0, *accumulate(annotation.sentences)]
                for first, last in pairwise(edges):
                    words = annotation.words[first:last]
                    ends = [start + len(word) for start, word in zip(annotation.starts, annotation.words, strict=True)]
                    spaced = [
                        ("" if at == first or annotation.starts[at] == ends[at - 1] else " ") + annotation.words[at]
                        for at in range(first, last)
                    ]
                    sentences.append(Sentence(block, words, spaced))
            yield document.id, sentences


def brute_force(corpus: gristmill.Corpus, word: str, side: int) -> list[tuple[str, str, float]]:
    """For each occurrence of a word on a side: its document, the text that it is aligned with, and the score."""
    texts = dict(documents(corpus))
    beads: dict[tuple[str, int], tuple[str, float]] = {}
    for shard in corpus.shards:
        ids = [document.id for document in shard.read_documents(["id"])]
        rows = list(read_rows(pairs_of(shard)))
        for bead in read_rows(beads_of(shard)):
            own, other = SIDES[side], SIDES[1 - side]
            document, there = (ids[rows[bead["pair"]][name]] for name in (own, other))
            first, count = bead[f"{other}_first"], bead[f"{other}_count"]
            text = text_of(texts[there][first : first + count])
            for number in range(bead[f"{own}_first"], bead[f"{own}_first"] + bead[f"{own}_count"]):
                beads[document, number] = text, bead["score"] if count else 0.0
    searched = {ids[row[SIDES[side]]] for shard in corpus.shards for ids in [_ids(shard)] for row in _kept_pairs(shard)}
    return [
        (document, *beads.get((document, number), ("", 0.0)))
        for document, sentences in texts.items()
        if document in searched
        for number, sentence in enumerate(sentences)
        for form in sentence.words
        if form == word
    ]


def _ids(shard: Any) -> list[str]:
    return [document.id for document in shard.read_documents(["id"])]


def _kept_pairs(shard: Any) -> list[dict[str, Any]]:
    return [row for row in read_rows(pairs_of(shard)) if not row["dropped"]]


@pytest.mark.parametrize(("word", "lang"), [("mill", "de"), ("river", "de"), ("mahlt", "en"), (".", "en"), (".", "de")])
def test_lines_have_what_they_are_aligned_with(many: gristmill.Corpus, word: str, lang: str) -> None:
    found = many.search(f'[word=="{word}"]', aligned=lang)
    wanted = brute_force(many, word, 0 if lang == "de" else 1)
    lines = list(found)
    assert len(lines) > 20
    assert [(line.doc, line.aligned.text) for line in lines if line.aligned] == [row[:2] for row in wanted]
    scores = [line.aligned.score for line in lines if line.aligned]
    assert scores == pytest.approx([score for *_, score in wanted], abs=1e-4)
    shuffled = found.shuffle(3).page(2, 7)
    assert {(line.position, line.aligned) for line in shuffled} <= {(line.position, line.aligned) for line in lines}


@pytest.mark.parametrize(("word", "other"), [("mill", "mühle"), ("river", "rad"), ("flour", "nichts")])
def test_filters_by_the_other_side(many: gristmill.Corpus, word: str, other: str) -> None:
    wanted = brute_force(many, word, 0)
    query = f'[word="{word}"]'
    everything = many.search(query, aligned="de")
    having = everything.aligned_with(f'[word="{other}"]')
    lacking = everything.aligned_without(f'[word="{other}"]')
    with_it = [row[:2] for row in wanted if other in row[1].rstrip(".").replace(".", " ").split()]
    without = [row[:2] for row in wanted if row[1] and row[:2] not in with_it]
    assert [(line.doc, line.aligned.text) for line in having if line.aligned] == with_it
    assert [(line.doc, line.aligned.text) for line in lacking if line.aligned] == without
    for line in having:
        assert line.aligned
        assert {text for text, marked in line.aligned.pieces if marked} == {other}
        assert "".join(text for text, _ in line.aligned.pieces) == line.aligned.text
    assert having.total + lacking.total + sum(not row[1] for row in wanted) == len(wanted)
    cql = many.search(f'{query} within de: [word="{other}"]')
    assert [line.position for line in cql] == [line.position for line in having]
    assert many.search(f'{query} !within de: [word="{other}"]').total == len(wanted) - len(with_it)


def test_hits_over_several_sentences_and_whole_documents(many: gristmill.Corpus) -> None:
    for line in many.search("<doc/>", aligned="de"):
        assert line.aligned
        texts = dict(documents(many))
        assert line.aligned.text in text_of(texts[line.aligned.doc])
        assert len(line.aligned.text) > 200
    line = next(iter(many.search('"[.]" [] within <p/>', aligned="de")))
    assert line.aligned


@given(st.integers(0, 10_000), st.integers(1, 40))
def test_any_range_of_tokens(many: gristmill.Corpus, start: int, length: int) -> None:
    """What a span is aligned with is from the first to the last sentence that one of its sentences is aligned with."""
    index, alignment = many.index, open_alignment(many.index)
    document = index.structures["doc"]
    start %= index.size
    end = min(start + length, int(document.ends[document.number_at(np.array([start]))][0]))
    first, last = alignment.ranges(Hits(np.array([start]), np.array([end])))
    low, high = index.structures["s"].number_at(np.array([start, end - 1])).tolist()
    members = [
        number
        for sentence in range(low, high + 1)
        for number in range(int(alignment.first[sentence]), int(alignment.last[sentence]))
    ]
    wanted = (min(members), max(members) + 1) if members else (0, 0)
    assert (int(first[0]), int(last[0])) == wanted


def test_alignment_is_mutual(many: gristmill.Corpus) -> None:
    alignment = open_alignment(many.index)
    for number in range(len(alignment.first)):
        for other in range(int(alignment.first[number]), int(alignment.last[number])):
            assert alignment.first[other] <= number < alignment.last[other]
    assert sorted(np.unique(alignment.sides).tolist()) == [0, 1]


def test_figures_are_of_the_language_that_is_searched(pairs: gristmill.Corpus) -> None:
    english, german = pairs.search("[]", aligned="de"), pairs.search("[]", aligned="en")
    assert english.total == english.size
    assert english.total + german.total == pairs.search("[]").total
    assert pairs.search("mill", aligned="de", where='host="water.example"').documents == 1
    assert pairs.search("mill", aligned="de").frequency("lemma").rows[0].count == 7


def test_the_index_may_have_fewer_blocks(tmp_path: Path) -> None:
    folder = make_pairs(tmp_path / "pairs", [many_pairs(4, 7)])
    whole = gristmill.Corpus(folder)
    wanted = {(line.doc, line.block, line.left, line.node): line.aligned for line in whole.search("mill", aligned="de")}
    gristmill.index(folder, selection=gristmill.Selection(max_boilerplate=0.3), engine=InlineEngine())
    part = gristmill.Corpus(folder)
    lines = list(part.search("mill", aligned="de", where="words>0"))
    assert part.index.size <= whole.index.size
    for line in lines:
        assert line.aligned
        matching = [text for (doc, block, *_), text in wanted.items() if (doc, block) == (line.doc, line.block)]
        assert not line.aligned.text or any(text and line.aligned.text in text.text for text in matching)


def test_it_is_stored_beside_the_index_and_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_pairs(tmp_path / "pairs", [many_pairs(2, 5)])
    corpus = gristmill.Corpus(folder)
    before = open_alignment(corpus.index)
    (stored,) = (folder / "index").glob("aligned-*.arrays")
    assert open_alignment(corpus.index) is before
    with monkeypatch.context() as patch:
        patch.setattr(module, "_made", None)  # it is read
        again = open_alignment(gristmill.Corpus(folder).index)
    assert np.array_equal(again.first, before.first)
    stored.write_bytes(b"damaged")
    assert np.array_equal(open_alignment(gristmill.Corpus(folder).index).last, before.last)
    shutil.copy(beads_of(corpus.shards[0]), tmp_path / "beads")
    shutil.copy(tmp_path / "beads", beads_of(corpus.shards[0]))  # another time, so another state
    open_alignment(gristmill.Corpus(folder).index)
    assert len(list((folder / "index").glob("aligned-*.arrays"))) == 1


def test_a_corpus_without_pairs(indexed: gristmill.Corpus) -> None:
    for query, aligned in (("mill", "de"), ('"mill" within de: "Mühle"', None)):
        with pytest.raises(UsageError, match="has no pairs of pages and sentences"):
            indexed.search(query, aligned=aligned)
    with pytest.raises(UsageError, match="no other language is beside these hits"):
        indexed.search("mill").aligned_with("x")


@pytest.mark.parametrize(
    ("query", "aligned", "message"),
    [
        ("mill", "fr", "'fr' is not a language of these pairs, which are of en and de"),
        ('"mill" within fr: "x"', None, "'fr' is not a language of these pairs"),
        ('("mill" within de: "x")', None, "can't stand in brackets"),
        ('"mill" containing de: "x"', None, "is the language of a parallel corpus"),
    ],
)
def test_what_can_not_be_asked(pairs: gristmill.Corpus, query: str, aligned: str | None, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        pairs.search(query, aligned=aligned)


def test_a_request_that_does_not_say_which_language() -> None:
    with pytest.raises(UsageError, match="give aligned"):
        Ordered("mill", aligned_with=("x",)).check_together()


def test_lines_become_records_and_lines_again(pairs: gristmill.Corpus) -> None:
    found = pairs.search("mill", aligned="de").aligned_with("Mühle")
    for line in found:
        assert Line.from_json(json.loads(json.dumps(line.to_json()))) == line
    assert "aligned" not in next(iter(pairs.search("mill"))).to_json()
    assert AlignedText("abcd", "de", marks=((1, 2), (2, 3))).pieces == [
        ("a", False),
        ("b", True),
        ("c", True),
        ("d", False),
    ]


def test_the_command_shows_the_other_language_below(pairs: gristmill.Corpus) -> None:
    shown = run("search", pairs.folder, '[lemma="mill"]', "--aligned", "de", "--limit", "2").stdout.decode()
    assert shown == (
        "00000-000000                                The old  mill  stands by the river and has ground the\n"
        "              de: Die alte Mühle steht am Fluss und mahlt seit 200 Jahren das Korn von drei Dörfern.\n"
        "00000-000000  village remembers who built the first  mill  . The flour of the mill was sold on the\n"
        "              de: –\n"
    )
    marked = run(
        "search", pairs.folder, '[lemma="mill"]', "--aligned", "de", "--aligned-with", "Fluss", "--view", "sentence"
    ).stdout.decode()
    assert marked.count("<mill>") == marked.count("<Fluss>") == 2
    without = run("count", pairs.folder, "Mühle", "--aligned", "en", "--aligned-without", "river")
    assert b"4" in without.stdout


def test_the_command_writes_json_and_csv(pairs: gristmill.Corpus) -> None:
    answer = json.loads(run("search", pairs.folder, "mill", "--aligned", "de", "--json").stdout)
    assert answer["asked"]["aligned"] == "de"
    assert answer["rows"][0]["aligned"]["text"].startswith("Die alte Mühle")
    rows = list(
        csv.DictReader(io.StringIO(run("search", pairs.folder, "mill", "--aligned", "de", "--csv").stdout.decode()))
    )
    assert rows[0]["aligned"].startswith("Die alte Mühle")
    assert rows[0]["aligned_url"] == EN_DE[0].url("de")
    assert float(rows[0]["aligned_score"]) == 0.95


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--aligned-with", "x"], "give aligned"),
        (["--aligned-without", "x"], "give aligned"),
        (["--aligned", "fr"], "is not a language of these pairs"),
        (["--aligned", "de", "--aligned-with", "["], "["),
    ],
)
def test_the_command_says_what_is_wrong(pairs: gristmill.Corpus, options: list[str], message: str) -> None:
    ran = run("search", pairs.folder, "mill", *options)
    assert ran.returncode == 2
    assert message in ran.stderr.decode()


def test_a_notebook_shows_the_other_language(pairs: gristmill.Corpus) -> None:
    shown = pairs.search("mill", aligned="de").aligned_with("Fluss")._repr_html_()
    assert shown.count("am <b>Fluss</b> und") == 2
    assert ">–</td>" in pairs.search("Nobody", aligned="de")._repr_html_()


def test_lines_fit_a_terminal(pairs: gristmill.Corpus) -> None:
    from gristmill.cli.kwic import sentence_table, terminal_lines  # noqa: PLC0415

    found = pairs.search("mill", aligned="de").aligned_with("Mühle")
    lines = list(found.lines(context=Context(characters=100)))
    for row in terminal_lines(lines, 70):
        assert row.cell_len <= 70
    assert sentence_table(lines).row_count == 2 * len(lines)
