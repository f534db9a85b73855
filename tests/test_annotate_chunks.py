"""Chunks by rules over tags: what they are in several languages, and that they depend on their sentence alone."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.annotation.chunks import KINDS, Words, find_chunks

TAGS = "ADJ ADP ADV AUX CCONJ DET NOUN NUM PART PRON PROPN PUNCT VERB X".split()


def spans(words: Words, lang: str, kind: str) -> list[tuple[int, int]]:
    starts, ends = find_chunks(words, lang)[kind]
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


def chunks(lang: str, text: str, kind: str) -> list[str]:
    """The chunks of a sentence, written as words with their tags and features."""
    words, tags, feats = zip(*((*token.split("/"), "")[:3] for token in text.split()), strict=True)
    found = Words.of(list(tags), list(feats), [len(tags)])
    return [" ".join(words[start:end]) for start, end in spans(found, lang, kind)]


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        (
            "en",
            "the/DET very/ADV old/ADJ mill/NOUN grinds/VERB rye/NOUN flour/NOUN",
            ["the very old mill", "rye flour"],
        ),
        ("en", "she/PRON is/AUX very/ADV old/ADJ", ["she"]),
        ("en", "an/DET old/ADJ and/CCONJ dark/ADJ mill/NOUN and/CCONJ barn/NOUN", ["an old and dark mill", "barn"]),
        ("en", "my/PRON/Poss=Yes two/NUM mills/NOUN", ["my two mills"]),
        ("en", "gave/VERB him/PRON/Case=Acc her/PRON/Poss=Yes bread/NOUN", ["him", "her bread"]),
        ("en", "the/DET flying/VERB/VerbForm=Part bird/NOUN", ["the flying bird"]),
        ("fr", "la/DET vieille/ADJ maison/NOUN blanche/ADJ moulin/NOUN", ["la vieille maison blanche", "moulin"]),
        ("de", "das/DET Haus/NOUN alte/ADJ Frau/NOUN", ["das Haus", "alte Frau"]),
        ("cs", "starý/ADJ mlýn/NOUN otce/NOUN", ["starý mlýn", "otce"]),
        ("id", "rumah/NOUN besar/ADJ itu/DET", ["rumah besar itu"]),
        ("und", "this/DET is/AUX", []),
        ("", "", []),
    ],
)
def test_noun_chunks(lang: str, text: str, expected: list[str]) -> None:
    assert (chunks(lang, text, "nc") if text else []) == expected


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("en", "she/PRON has/AUX never/ADV been/AUX grinding/VERB rye/NOUN", ["has never been grinding"]),
        ("en", "often/ADV wants/VERB to/PART grind/VERB", ["wants", "to grind"]),
        ("en", "is/AUX not/PART here/ADV", ["is not"]),
        ("de", "weil/SCONJ er/PRON gegangen/VERB ist/AUX", ["gegangen ist"]),
        ("fr", "il/PRON est/AUX venu/VERB est/AUX", ["est venu", "est"]),
    ],
)
def test_verb_chunks(lang: str, text: str, expected: list[str]) -> None:
    assert chunks(lang, text, "vc") == expected


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("en", "out/ADP of/ADP the/DET mill/NOUN by/ADP rail/NOUN", ["out of the mill", "by rail"]),
        ("en", "mill/NOUN ,/PUNCT look/VERB up/ADP", []),
        ("tr", "ev/NOUN için/ADP", ["ev için"]),
        ("tr", "ev/NOUN için/ADP bahçe/NOUN", ["ev için"]),
        ("fi", "ennen/ADP joulua/NOUN talon/NOUN takana/ADP", ["ennen joulua", "talon takana"]),
    ],
)
def test_prepositional_chunks(lang: str, text: str, expected: list[str]) -> None:
    assert chunks(lang, text, "pc") == expected


SENTENCES = st.lists(st.lists(st.sampled_from(TAGS), min_size=1, max_size=12), max_size=6)


@given(SENTENCES, st.sampled_from(["en", "fr", "tr", "xx", "de-AT"]), st.data())
def test_chunks_depend_on_their_sentence_alone(sentences: list[list[str]], lang: str, data: st.DataObject) -> None:
    tags = [tag for sentence in sentences for tag in sentence]
    feats = [data.draw(st.sampled_from(["", "VerbForm=Part", "Poss=Yes", "Case=Acc"])) for _ in tags]
    together = Words.of(tags, feats, list(map(len, sentences)))
    for kind in KINDS:
        expected, start = [], 0
        for sentence in sentences:
            end = start + len(sentence)
            alone = Words.of(sentence, feats[start:end], [len(sentence)])
            expected += [(low + start, high + start) for low, high in spans(alone, lang, kind)]
            start = end
        found = spans(together, lang, kind)
        assert found == expected
        assert all(end <= start for (_, end), (start, _) in pairwise(found))


def test_no_words() -> None:
    assert all(not len(starts) for starts, _ in find_chunks(Words.of([], [], []), "en").values())
    assert Words.of(["NOUN", "Unknown"], ["", ""], [2]).tags.dtype == np.uint8
