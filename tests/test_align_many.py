"""Many short texts that are aligned together: each has all its sentences in its own beads, whatever is beside it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gristmill.alignment import Beads, Sentences, align, align_many
from gristmill.alignment import many as many_module

_WORDS = "mill river bread Mühle Fluss Brot 12 1999 Anna the die and und".split()
_texts = st.lists(st.lists(st.lists(st.sampled_from(_WORDS), max_size=5), max_size=3), max_size=4)
"""Blocks of sentences of words."""


def _sentences(blocks: list[list[list[str]]]) -> Sentences:
    lists = [words for block in blocks for words in block]
    return Sentences(
        [word for words in lists for word in words],
        np.array([len(words) for words in lists], np.int64),
        np.array([len(" ".join(words)) for words in lists], np.int64),
        np.array([number for number, block in enumerate(blocks) for _ in block], np.int64),
        ["p"] * len(lists),
    )


def _covers(beads: Beads, source: Sentences, target: Sentences) -> bool:
    """Whether beads have all sentences of two texts, one behind the other."""
    edges = [
        [0, *getattr(beads, f"{side}_end").tolist()] == [*getattr(beads, f"{side}_start").tolist(), len(text)]
        for side, text in (("source", source), ("target", target))
    ]
    return all(edges)


@given(st.lists(st.tuples(_texts, _texts), max_size=6))
def test_each_has_its_own_beads(given_texts: list[tuple[list[list[list[str]]], list[list[list[str]]]]]) -> None:
    pairs = [(_sentences(source), _sentences(target)) for source, target in given_texts]
    found = align_many(pairs)
    assert len(found) == len(pairs)
    for beads, (source, target) in zip(found, pairs, strict=True):
        assert _covers(beads, source, target)


@given(_texts, _texts)
def test_a_single_pair_is_as_if_aligned_alone(source: list[list[list[str]]], target: list[list[list[str]]]) -> None:
    pair = _sentences(source), _sentences(target)
    assert list(align_many([pair])[0]) == list(align(*pair))


def test_long_texts_are_aligned_alone() -> None:
    text = _sentences([[["mill", str(number)], ["river", str(number)]] for number in range(60)])
    short = _sentences([[["bread", "12"], ["Anna"]]])
    pairs = [(short, short), (text, text), (short, short)]
    found = align_many(pairs)
    assert [len(beads) for beads in found] == [2, 120, 2]
    assert all(_covers(beads, *pair) for beads, pair in zip(found, pairs, strict=True))


def test_what_is_learned_is_learned_from_all() -> None:
    """A word without any likeness finds its translation by the other texts."""
    known = [["mill", "river"], ["bread"], ["and", "the", "mill"]]
    other = [["Mühle", "Fluss"], ["Brot"], ["und", "die", "Mühle"]]
    pairs = [(_sentences([known]), _sentences([other]))] * 12
    pairs.append((_sentences([[["bread"], ["mill", "river"]]]), _sentences([[["Brot"], ["Mühle", "Fluss"]]])))
    beads = align_many(pairs)[-1]
    assert [tuple(bead[:4]) for bead in beads] == [(0, 1, 0, 1), (1, 2, 1, 2)]


def test_groups() -> None:
    short = _sentences([[["bread"]] * 40])
    groups = many_module._groups([(short, short)] * 600, list(range(600)))
    assert [number for group in groups for number in group] == list(range(600))
    assert max(map(len, groups)) <= many_module.MAX_SENTENCES // 80
