"""Texts that are plainly in a language are told by their letters, and others are not."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.cleaning.languages import Languages
from gristmill.cleaning.segmentation import segment_text
from gristmill.columns import Texts
from gristmill.config import DEFAULT_IDENTIFIER
from gristmill.kernel import add_scores, count_letters
from gristmill.kernel import letters as uncompiled
from gristmill.language import IDENTIFIERS, Models, triplescores
from gristmill.language.lettertriples import STORED, scores_of
from gristmill.language.plain import add_scores_by_arrays, plain

TEXTS = {
    "en": "The miller grinds the corn and sells the flour to the baker in the village.",
    "de": "Der Müller mahlt das Korn und verkauft am Morgen das Mehl an den Bäcker im Dorf.",
    "fr": "Le meunier moud le grain et vend la farine au boulanger du village chaque matin.",
    "ru": "Мельник мелет зерно и каждое утро продаёт муку пекарю, который живёт в деревне.",
    "uk": "Мельник меле зерно і щоранку продає борошно пекареві, який живе в цьому селі.",
    "el": "Ο μυλωνάς αλέθει το σιτάρι και πουλάει το αλεύρι στον φούρναρη του χωριού.",
    "zh": "磨坊主每天早上把谷物磨成面粉，然后卖给村里的面包师。",
    "ja": "粉屋は毎朝穀物を挽いて、その粉を村のパン屋に売っています。",
    "ko": "방앗간 주인은 매일 아침 곡식을 빻아 마을의 빵집 주인에게 밀가루를 판다.",
}


def told(lang: str, texts: list[str]) -> list[bool]:
    column = Texts.of(texts)
    test = plain(lang)
    assert test is not None
    found: list[bool] = test.tell(column.data, column.offsets[:-1], column.offsets[1:]).tolist()
    return found


@pytest.mark.parametrize("lang", TEXTS)
def test_only_texts_in_the_language_are_plainly_in_it(lang: str) -> None:
    assert told(lang, list(TEXTS.values())) == [other == lang for other in TEXTS]
    assert told(lang, ["", "12.3.2024", TEXTS[lang][:2]]) == [False] * 3


def test_letters_of_another_script_count_against_a_language() -> None:
    assert told("en", [f"{TEXTS['en'][:40]} {TEXTS['ru']}", f"{TEXTS['en'][:40]} {TEXTS['zh']}"]) == [False, False]
    assert told("ru", [f"{TEXTS['ru'][:30]} {TEXTS['en']}", TEXTS["ru"]]) == [False, True]


def test_languages_that_are_not_told_so() -> None:
    assert plain("und") is plain("xx") is plain("ar") is None
    assert Models().plain("en") is not None
    assert Models(IDENTIFIERS[DEFAULT_IDENTIFIER]([])).plain("en") is not None


def test_where_most_texts_are_in_a_language_less_is_asked_of_others() -> None:
    short = "Employee Onboarding Checklist"
    assert told("en", [short, TEXTS["fr"]]) == [False, False]
    assert told("en", [short, TEXTS["en"], 2 * TEXTS["en"]]) == [True] * 3


def test_blocks_get_the_language_of_the_page_or_their_own() -> None:
    lines = [TEXTS["en"], f"{TEXTS['en']} {TEXTS['en']}", TEXTS["de"], "Read the terms of use here", TEXTS["el"]]
    columns = segment_text("\n".join(lines)).columns
    Languages(Models()).label_blocks(columns)
    assert columns.lang.tolist() == ["en", "en", "de", "en", "el"]


@given(st.lists(st.one_of(st.text(), st.sampled_from(list(TEXTS.values())))), st.sampled_from(["en", "cs", "ru"]))
def test_loops_and_arrays_add_up_the_same(texts: list[str], lang: str) -> None:
    column, scores = Texts.of(texts), scores_of(lang)
    assert scores is not None
    given_texts = column.data, column.offsets[:-1], column.offsets[1:]
    by_letters = scores.alphabet.numbers, scores.of_triples, scores.alphabet.step
    found = add_scores_by_arrays(*given_texts, *by_letters)
    assert np.array_equal(found, add_scores(*given_texts, *by_letters))
    assert np.array_equal(found, uncompiled.add_scores(*given_texts, *by_letters))


def test_stored_scores_are_those_of_the_models_of_encodings() -> None:
    made = triplescores.make()
    with np.load(STORED) as stored:
        assert set(made) == set(stored)
        for name, values in made.items():
            difference = values.astype(np.int64) - stored[name].astype(np.int64)
            assert np.abs(difference).max() <= name.endswith(
                ("scores", "limits")
            )  # logarithms may be rounded otherwise


@given(st.lists(st.text("aZ é磨3 -\t", max_size=12), max_size=5))
def test_letters_and_their_runs_are_counted(texts: list[str]) -> None:
    column = Texts.of(texts)
    is_letter = bytes(code > 127 or chr(code).isalpha() for code in range(256))
    runs = [re.findall(rb"[a-zA-Z\x80-\xff]+", text.encode()) for text in texts]
    expected = [sum(map(len, found)) + len(found) for found in runs]
    for count in (count_letters, uncompiled.count_letters):
        assert count(column.data, column.offsets[:-1], column.offsets[1:], is_letter).tolist() == expected
