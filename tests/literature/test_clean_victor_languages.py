"""How well text nodes fit a language: by hand, and against the identifiers that look at one text after the other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.language.beesley import Beesley, logarithms
from gristmill.language.cavnar_trenkle import CavnarTrenkle
from gristmill.language.profile import profile_of_library
from gristmill.literature.cleaning.victor_languages import fits

LETTERS = st.text(st.sampled_from("aeinrst thäß'ЖжЙ水車İ1-.\n\ud800"), max_size=60)
MANY_LETTERS = st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x5E00), min_size=100, max_size=300)


def one_by_one(texts: list[str], lang: str) -> tuple[list[float], list[float]]:
    profile = profile_of_library(lang)
    assert profile is not None
    pairs, ranks = Beesley([profile]), CavnarTrenkle([profile])
    return [float(np.exp(pairs.fit(text)[0])) for text in texts], [float(ranks.fit(text)[0]) for text in texts]


@given(st.lists(st.one_of(LETTERS, st.just("the miller of the mill"), MANY_LETTERS), max_size=30))
def test_against_the_identifiers(texts: list[str]) -> None:
    for lang in ("en", "ru"):
        found, expected = fits(texts, lang), one_by_one(texts, lang)
        assert found is not None
        assert found[0].tolist() == pytest.approx(expected[0])
        assert found[1].tolist() == pytest.approx(expected[1])


def test_by_hand() -> None:
    """Beesley (1988): " a " has the pairs " a" and "a "; the mean of their logarithms is that of the text."""
    profile = profile_of_library("en")
    assert profile is not None
    values = logarithms(profile)
    found = fits(["a", "", "a"], "en")
    assert found is not None
    assert found[0][0] == pytest.approx(np.exp((values[" a"] + values["a "]) / 2))
    # Cavnar and Trenkle (1994): of equal counts, the n-grams of " a " are ranked " a", " a ", "a", "a ".
    ranks = profile.grams.tolist()
    distances = [abs(ranks.index(gram) - at) for at, gram in enumerate([" a", " a ", "a", "a "])]
    assert found[1].tolist() == pytest.approx([1 - sum(distances) / (4 * 400), 0.0, 1 - sum(distances) / (4 * 400)])


def test_languages_that_are_not_known() -> None:
    assert fits(["a"], "") is None
    assert fits(["a"], "xx") is None
    assert fits([], "en") is not None
