"""Tokens and n-grams of arrays of characters are those of a plain loop."""

from __future__ import annotations

import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.dedup import tokens as module
from gristmill.dedup.tokens import shingle, tokenise, without_stop_words

_UNSPACED = re.compile(r"[\u0e01-\u0e5b\u0e81-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_JOINERS = "'’ʼ-‐‑.,:@_·"


def kind(character: str) -> str:
    category = unicodedata.category(character)
    if character.isspace():
        return "space"
    if ord(character) > 0xFFFF:
        return "word"
    if _UNSPACED.match(character) and category[0] not in "PS":
        return "single"
    if character in _JOINERS or category == "Cf":
        return "joiner"
    return {"L": "word", "M": "word", "N": "word", "P": "mark", "S": "mark"}.get(category[0], "word" if category == "Co" else "space")


def plain_tokens(text: str, *, punctuation: bool = True) -> list[str]:
    kinds = [kind(character) for character in text]
    settled = list(kinds)
    for at, own in enumerate(kinds):
        if own == "joiner":
            settled[at] = "word" if kinds[max(at - 1, 0) : at] == ["word"] and kinds[at + 1 : at + 2] == ["word"] else "mark"
    found: list[str] = []
    for at, (character, own) in enumerate(zip(text, settled, strict=True)):
        if own == "word" and at and settled[at - 1] == "word":
            found[-1] += character
        elif own in {"word", "single"} or (own == "mark" and punctuation):
            found.append(character)
    return found


TEXTS = st.lists(st.text(st.sampled_from("ab'-., \u00e9\u0301\u200c日本ไทย😀𠀀Ж1\n!\ue000"), max_size=12), max_size=6)


@given(TEXTS, st.booleans())
def test_tokens_of_a_plain_loop(texts: list[str], punctuation: bool) -> None:
    found = tokenise(texts, punctuation=punctuation)
    expected = [plain_tokens(text, punctuation=punctuation) for text in texts]
    assert found.counts.tolist() == list(map(len, expected))
    flat = [token for text in expected for token in text]
    by_hash = dict(zip(found.hashes.tolist(), flat, strict=True))
    assert [by_hash[number] for number in found.hashes.tolist()] == flat
    assert len(by_hash) == len(set(flat))


@given(TEXTS)
def test_what_a_token_is_does_not_depend_on_its_neighbours(texts: list[str]) -> None:
    together = tokenise(texts)
    for number, text in enumerate(texts):
        alone = tokenise([text]).hashes
        assert alone.tolist() == together.hashes[together.starts[number] : together.starts[number + 1]].tolist()


def test_long_texts_come_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [f"word{number}'s, 😀" for number in range(300)]
    texts = ["", "a b", " ".join(words), "c", "日" * 500, "d e f", "x" * 1000]
    whole = tokenise(texts)
    monkeypatch.setattr(module, "_PIECE", 100)
    parts = tokenise(texts)
    assert parts.counts.tolist()[:-1] == whole.counts.tolist()[:-1]
    assert parts.hashes[: parts.starts[-2]].tolist() == whole.hashes[: whole.starts[-2]].tolist()
    assert parts.counts[-1] == 10  # one word that is longer than a part is cut


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=8), max_size=5), st.integers(1, 4))
def test_shingles_of_a_plain_loop(texts: list[list[str]], n: int) -> None:
    found = shingle(tokenise([" ".join(words) for words in texts]), n)
    expected = [[" ".join(words[at : at + n]) for at in range(len(words) - n + 1)] for words in texts]
    assert np.diff(found.starts).tolist() == list(map(len, expected))
    flat = [gram for text in expected for gram in text]
    assert len(dict.fromkeys(found.hashes.tolist())) == len(set(flat))
    by_hash = dict(zip(found.hashes.tolist(), flat, strict=True))
    assert [by_hash[number] for number in found.hashes.tolist()] == flat
    first = np.cumsum([0, *map(len, texts)])
    assert found.places.tolist() == [int(first[number]) + at for number, grams in enumerate(expected) for at in range(len(grams))]


EXPECTED = [953970727889938581, 11736378211197585255, 8004214583788206411, 14888540220499313224, 17881907180475007429, 1943281074254793113]
EXPECTED_PAIRS = [6964348096104108999, 4806746590661465761]


def test_hashes_are_the_same_everywhere() -> None:
    """They are stored in indexes, so they must not change from one machine or version to the next."""
    assert tokenise(["The mill.", "Жернова 石臼"]).hashes.tolist() == EXPECTED
    assert shingle(tokenise(["The mill."]), 2).hashes.tolist() == EXPECTED_PAIRS


def test_stop_words_go_by_language() -> None:
    texts = ["the mill and the stream", "the mill and the stream"]
    assert without_stop_words(tokenise(texts), ["en", "und"]).counts.tolist() == [2, 5]
    assert without_stop_words(tokenise([]), []).counts.tolist() == []
