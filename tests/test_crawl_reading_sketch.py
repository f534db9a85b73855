"""Sketches of texts: copies and near-duplicates share a hash, other texts don't."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.crawling.text_sketch import sketch
from gristmill.dedup.tokens import tokenise

WORDS = ["".join(random.Random(number).choices("abcdefghiklmnoprstuvz", k=3 + number % 7)) for number in range(4000)]


def text(rng: random.Random, words: int) -> list[str]:
    return rng.choices(WORDS, k=words)


def share(first: list[str], second: list[str]) -> bool:
    return not set(sketch(" ".join(first))).isdisjoint(sketch(" ".join(second)))


def resemblance(first: list[str], second: list[str]) -> float:
    one, other = ({tuple(words[at : at + 5]) for at in range(len(words) - 4)} for words in (first, second))
    return len(one & other) / len(one | other)


TEXTS = st.lists(st.sampled_from(["mill", "Mill", "river", "river,", "1", "Straße", "strasse", "。"]), max_size=80).map(
    " ".join
)


@given(TEXTS, TEXTS)
def test_first_hash_is_that_of_the_folded_text(first: str, second: str) -> None:
    one, other = sketch(first), sketch(second)
    if one and other:
        equal = tokenise([first]).hashes.tolist() == tokenise([second]).hashes.tolist()
        assert (one[0] == other[0]) == equal
    assert all(-(2**63) <= key < 2**63 for key in one)
    assert len(set(one)) == len(one)


def test_short_texts() -> None:
    rng = random.Random(1)
    assert [len(sketch(" ".join(text(rng, words)))) for words in (0, 9, 10, 49, 50, 5000)] == [0, 0, 1, 1, 7, 7]
    assert sketch("2026-11-17 12:30 " * 100) == ()


def test_text_without_spaces() -> None:
    rng = random.Random(1)
    characters = [chr(code) for code in range(0x4E00, 0x5E00)]
    one = "".join(rng.choices(characters, k=900))
    assert not set(sketch(one)).isdisjoint(sketch(one[:400] + "水" + one[401:]))
    assert set(sketch(one)).isdisjoint(sketch("".join(rng.choices(characters, k=900))))


@pytest.mark.parametrize(
    ("words", "changes", "least"), [(600, 1, 0.99), (600, 3, 0.99), (600, 6, 0.93), (100, 1, 0.9), (60, 0, 1.0)]
)
def test_near_duplicates_share_a_hash(words: int, changes: int, least: float) -> None:
    rng = random.Random(words + changes)
    found = 0
    for _ in range(100):
        one = text(rng, words)
        other = one.copy()
        for _ in range(changes):
            other[rng.randrange(words)] = rng.choice(WORDS)
        found += share(one, other)
    assert found >= 100 * least


def test_a_sentence_of_twenty() -> None:
    rng = random.Random(5)
    found = 0
    for _ in range(100):
        one = text(rng, 600)
        at = 30 * rng.randrange(20)
        found += share(one, [*one[:at], *text(rng, 30), *one[at + 30 :]])
    assert found >= 90


def test_dates_and_counters_make_no_difference() -> None:
    rng = random.Random(6)
    one = text(rng, 60)
    other = [*one[:20], "2026-11-17", "12:30", *one[20:40], "1,234", *one[40:]]
    assert sketch(" ".join(one))[1:] == sketch(" ".join(other))[1:]
    assert sketch(" ".join(one))[0] != sketch(" ".join(other))[0]


def test_different_texts_share_none() -> None:
    rng = random.Random(7)
    seen: set[int] = set()
    for _ in range(1000):
        found = sketch(" ".join(text(rng, 200)))
        assert seen.isdisjoint(found)
        seen.update(found)


def test_half_of_a_text_is_no_copy() -> None:
    rng = random.Random(8)
    found = 0
    for _ in range(100):
        one = text(rng, 600)
        other = one[:400] + text(rng, 200)
        assert 0.45 < resemblance(one, other) < 0.55
        found += share(one, other)
    assert found <= 10


def test_sketches_stay_the_same() -> None:
    assert sketch(" ".join(WORDS[:60]))[:2] == (-3872551525694403229, 8903235418307898328)
