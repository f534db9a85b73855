"""Valid intervals: which parts of two documents are copied, worked out by hand, and which documents go for it."""

from __future__ import annotations

import io
import json
import time
from pathlib import Path

import numpy as np
import pytest
from command import run
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import gristmill
from gristmill.cli.sidebyside import print_table
from gristmill.corpus import CorpusReader
from gristmill.corpus.copies import trace
from gristmill.corpus.passages import passages
from gristmill.dedup.documents import Pairs, Sketches
from gristmill.dedup.documents.intervals import Intervals, Parts, plagiarised
from gristmill.dedup.tokens import Tokens, tokenise
from gristmill.engine import InlineEngine


def letters(*texts: str) -> Sketches:
    """Documents whose chunks are letters."""
    counts = np.array([len(text) for text in texts], np.int64)
    values = np.array([ord(letter) for text in texts for letter in text], np.uint64)
    return Sketches(values, np.append(0, np.cumsum(counts)), counts)


def listed(parts: Parts) -> list[tuple[int, tuple[int, int], tuple[int, int]]]:
    columns = (parts.pairs, *parts.starts, *parts.ends)
    found = zip(*(column.tolist() for column in columns), strict=True)
    return sorted((pair, (one, one_end), (other, other_end)) for pair, one, other, one_end, other_end in found)


def found(pairs: Pairs) -> dict[tuple[int, int], float]:
    ends = zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
    return dict(zip(ends, pairs.scores.tolist(), strict=True))


def test_the_same_chunks_must_be_dense_in_both() -> None:
    """The example of `plagiarised`: a b c are near each other in both documents, d is alone in the first."""
    parts = plagiarised(letters("abxcyzd"), letters("dqabc"), 1, 1)
    assert listed(parts) == [(0, (0, 4), (2, 5)), (0, (6, 7), (0, 1))]
    assert parts.covered(0, 1).tolist() == [5]
    assert parts.covered(1, 1).tolist() == [4]


def test_cuts_in_the_one_document_cut_the_other() -> None:
    """Dense in the first, a c are far from b d in the second; so a and b go with none of their neighbours."""
    parts = plagiarised(letters("abcd", "aa"), letters("ac-----bd", "a"), 1, 1)
    assert listed(parts) == [(0, (0, 3), (0, 2)), (0, (1, 4), (7, 9)), (1, (0, 2), (0, 1))]
    parts = plagiarised(letters("ab12cd"), letters("ac34567bd"), 1, 1)
    assert listed(parts) == [(0, (at, at + 1), (to, to + 1)) for at, to in ((0, 0), (1, 7), (4, 1), (5, 8))]


def test_gaps_of_fifty_tokens() -> None:
    """Two copied passages of 20 words, with 50 or with 51 words of their own between them: 5-grams in the passages."""
    words = [f"w{number}" for number in range(40)]
    source = words[:20] + words[20:]
    for gap, parts in ((50, [(0, 90)]), (51, [(0, 20), (71, 91)])):
        own = [f"u{number}" for number in range(gap)]
        made = Intervals().sketch(tokenise([" ".join(words[:20] + own + words[20:]), " ".join(source)]))
        one, other = (
            Sketches(part, np.array([0, len(part)]), made.sizes[:1])
            for part in np.split(made.features, made.starts[1:2])
        )
        assert [part for _, part, _ in listed(plagiarised(one, other, 5, 50))] == parts


def test_pairs_share_twenty_chunks() -> None:
    """24 words in a row are 20 chunks; 23 are 19. The score is the share of the shorter document."""
    words = [f"w{number}" for number in range(24)]
    own = [f"u{number}" for number in range(40)]
    for count, expected in ((24, {(0, 1): 24 / 32}), (23, {})):
        texts = [" ".join(words[:count] + own[: 32 - count]), " ".join(own[10:] * 1 + words[:count] + ["x"] * 9)]
        method = Intervals()
        assert found(method.match(method.sketch(tokenise([texts[0], texts[1].replace("u1", "v1")])))) == expected


def test_overlapping_parts_count_once() -> None:
    parts = Parts(np.array([0, 0, 0, 0, 2]), (np.array([0, 20, 4, 3, 1]),) * 2, (np.array([5, 22, 6, 9, 2]),) * 2)
    assert parts.covered(0, 3).tolist() == [11, 0, 1]


@given(
    st.lists(st.tuples(st.text("abcdef", max_size=12), st.text("abcdef", max_size=12)), max_size=4), st.integers(0, 3)
)
def test_parts_are_dense_and_of_common_chunks(pairs: list[tuple[str, str]], gap: int) -> None:
    parts = plagiarised(letters(*(one for one, _ in pairs)), letters(*(other for _, other in pairs)), 1, gap)
    covered = [set[int]() for _ in pairs]
    for pair, (start, end), (other_start, other_end) in listed(parts):
        one, other = pairs[pair]
        assert {one[start], one[end - 1]} <= set(other)
        assert set(one[start:end]) & set(other[other_start:other_end])
        covered[pair] |= set(range(start, end))
    assert parts.covered(0, len(pairs)).tolist() == list(map(len, covered))
    for (one, other), places in zip(pairs, covered, strict=True):
        assert {at for at, letter in enumerate(one) if letter in other} <= places


def test_hostile_documents_cost_no_square() -> None:
    """The same chunks again and again, far from each other."""
    own = np.random.default_rng(1).integers(0, 2**64, (2, 2000, 60), dtype=np.uint64)
    own[:, :, :8] = np.arange(8)
    start = time.process_time()
    method = Intervals(least=1, threshold=0.0)
    pairs = method.match(method.sketch(Tokens(own.ravel(), np.arange(3) * 120_000)))
    assert pairs.scores.tolist() == [pytest.approx(8 / 60, abs=0.01)]
    assert time.process_time() - start < 10


SHARED = [" ".join(f"Shared{at}-{number}," for number in range(30)) for at in range(2)]


def own(name: str, length: int = 30) -> str:
    return " ".join(f"{name}{number}" for number in range(length))


def test_parts_are_places_in_texts() -> None:
    """A passage from the middle of block 0 to that of block 2, which is in two blocks there; marks are no tokens."""
    here = {0: f"{own('a')} {SHARED[0]}", 2: f"{SHARED[1]} {own('b')}", 3: own("c")}
    there = {1: own("d"), 4: SHARED[0], 5: SHARED[1]}
    (found,) = passages(Intervals(), here, there, ("en", "en"))
    assert found.tokens == 60
    assert (found.here.first, found.here.last, found.here.text) == (0, 2, f"{SHARED[0]}\n{SHARED[1]}")
    assert (found.there.first, found.there.last, found.there.text) == (4, 5, f"{SHARED[0]}\n{SHARED[1]}")
    apart = {0: f"{SHARED[1]} {own('e', 51)} {SHARED[0]}"}
    assert [part.there.text for part in passages(Intervals(), here, apart, ("", ""))] == SHARED
    assert passages(Intervals(min_block=100), here, there, ("", "")) == passages(Intervals(), {}, there, ("", "")) == []


def test_parts_of_documents_that_are_shorter_than_a_chunk() -> None:
    (found,) = passages(Intervals(), {0: "one two."}, {0: "... One  two"}, ("", ""))
    assert (found.tokens, found.here.text, found.there.text) == (2, "one two.", "One  two")


def test_parts_without_stop_words() -> None:
    words = " ".join(f"the w{at} of" for at in range(30))
    (found,) = passages(Intervals(stop_words=False), {0: words}, {0: words}, ("en", "en"))
    assert (found.tokens, found.here.text) == (30, words.removeprefix("the ").removesuffix(" of"))


def test_parts_are_shown(tmp_path: Path) -> None:
    first, second = (
        f"<p>{own(name)}.</p><p>{SHARED[0]}</p><p>{SHARED[1]}</p>" for name in ("The-mill-and-the-", "Of-a-ferry-")
    )
    pages = {"http://a.example/1": first, "http://b.example/2": second}
    source = tmp_path / "pages.jsonl"
    source.write_text("".join(json.dumps({"url": url, "html": html}) + "\n" for url, html in pages.items()))
    config = gristmill.Config().replace(clean_method="all", filter_filters=(), dedup_method="intervals")
    gristmill.build([source], tmp_path / "corpus", config, engine=InlineEngine())
    shown = run("duplicates", tmp_path / "corpus", "b.example").stdout.decode()
    assert "parts that are in its copy, too\n  60 tokens  blocks 1 to 2, there blocks 1 to 2  Shared0-0," in shown
    record = json.loads(run("duplicates", tmp_path / "corpus", "b.example", "--json").stdout)
    assert [part["here"]["text"] for part in record["passages"]] == ["\n".join(SHARED)]
    assert (
        b"Parts that are in its copy, too" in run("duplicates", tmp_path / "corpus", "b.example", "--html", "-").stdout
    )
    assert "parts that" not in run("duplicates", tmp_path / "corpus", "a.example").stdout.decode()
    console = Console(width=120, file=io.StringIO())
    print_table(console, trace(CorpusReader(tmp_path / "corpus"), record["id"]), None)
    assert "60 tokens" in console.file.getvalue()  # type: ignore[attr-defined]
