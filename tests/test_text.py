"""Facts about characters, scripts and words that every part relies on."""

from __future__ import annotations

import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.text.characters import Characters, character_class, characters_are, code_points_are, runs_of, unit_table
from gristmill.text.composition import compose, needs_care
from gristmill.text.folding import fold_units, folded_form
from gristmill.text.scripts import (
    COMMON_UNSPACED,
    COMMON_UNSPACED_AND_SIGNS,
    FIRST_UNSPACED,
    SEGMENTED,
    UNSPACED,
    are_unspaced,
    characters_of,
    characters_per_word,
    has_unspaced_script,
)
from gristmill.text.units import SURROGATES, are_second_halves, first_halves, places_in_units, utf16
from gristmill.text.words import count_words, find_words, pieces

# The same sentence, "all human beings are born free", in scripts with and without spaces.
SPACED = {
    "Latin": "All human beings are born free",
    "Cyrillic": "Все люди рождаются свободными",
    "Greek": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι",
    "Arabic": "يولد جميع الناس أحرارا",
    "Devanagari": "सभी मनुष्यों को जन्मजात स्वतन्त्रता",
    "Hangul": "모든 인간은 태어날 때부터 자유로우며",
    "Ethiopic": "የሰው ልጅ ሁሉ ሲወለድ ነጻ",
}
UNSPACED_TEXTS = {
    "Han": ("人人生而自由", 2),
    "rare Han": ("𠀀𠀁𪜶", 2),
    "kana": ("すべてのひとびとは", 2),
    "half-width kana": ("ｽﾍﾞﾃ", 2),
    "bopomofo": ("ㄖㄣㄕㄥ", 2),
    "Yi": ("ꊿꂷꃅ", 2),
    "Thai": ("มนุษย์ทั้งหลายเกิดมามีอิสระ", 5),
    "Lao": ("ມະນຸດທຸກຄົນເກີດມາ", 5),
    "Khmer": ("មនុស្សទាំងអស់កើតមក", 5),
    "Burmese": ("လူတိုင်းသည်တူညီ", 6),
    "Tibetan": ("འགྲོ་བ་མིའི་རིགས", 6),
    "Javanese": ("ꦱꦧꦼꦤ", 6),
}
TEXTS = st.text(st.one_of(st.characters(), st.sampled_from("aÉ ß漢ไ😀\u0301𠀀\n")), max_size=30)


@pytest.mark.parametrize("text", SPACED.values(), ids=SPACED)
def test_scripts_with_spaces(text: str) -> None:
    assert not has_unspaced_script(text)
    assert not are_unspaced(utf16(text))
    assert count_words(text) == len(text.split())
    assert [item for item in pieces(text) if item.strip()] == [
        (" " if at else "") + item for at, item in enumerate(text.split())
    ]


@pytest.mark.parametrize(("text", "per_word"), UNSPACED_TEXTS.values(), ids=UNSPACED_TEXTS)
def test_scripts_without_spaces(text: str, per_word: int) -> None:
    assert has_unspaced_script(text)
    assert are_unspaced(utf16(text))
    codes = utf16(text)
    lengths = characters_per_word()[codes[~are_second_halves(codes)]]
    assert set(lengths.tolist()) - {0} == {per_word}
    assert count_words(text) == -(-len(text) // per_word)
    assert "".join(pieces(text)) == text
    assert min(text) >= FIRST_UNSPACED


def test_sets_of_scripts_without_spaces_are_nested() -> None:
    def points(ranges: str) -> set[int]:
        return {
            code
            for characters in characters_of(ranges)
            for code in characters
            if unicodedata.category(chr(code)) != "Cn"
        }

    unspaced, segmented, common = map(points, (UNSPACED, SEGMENTED, COMMON_UNSPACED))
    assert min(unspaced | segmented) >= ord(FIRST_UNSPACED)
    assert common <= unspaced
    assert common < points(COMMON_UNSPACED_AND_SIGNS)
    # What is segmented are letters, marks and numbers that are written as letters.
    assert {unicodedata.category(chr(code))[0] for code in segmented & unspaced} <= set("LMNPS")
    assert set(map(ord, "漢かカーไລកမཀ々")) <= segmented & unspaced
    assert not segmented & set(map(ord, "。、「」๐໑០၁ "))
    assert not unspaced & set(map(ord, "。、「」ａ１ 가א"))
    assert list(characters_of("a-cx")) == [range(97, 100), range(120, 121)]


@given(st.characters())
def test_categories_are_those_of_unicode(character: str) -> None:
    category = unicodedata.category(character)
    code = ord(character)
    for name in ("L", "M", "N", "P", "S", "Lu", "Co"):
        if code < 0x10000:
            assert characters_are(name)[code] == category.startswith(name)
        if code < 0x20000:
            assert code_points_are(name)[code] == category.startswith(name)
    if code < 0x20000:
        assert bool(re.match(f"[{character_class('L', 'M')}]", character)) == (category[0] in "LM")
    if code < 0x10000:
        assert characters_are("Z")[code] == character.isspace()


def test_half_a_character_has_no_category() -> None:
    assert not any(characters_are(name)[SURROGATES].any() for name in "LMNPSZC")


def test_tables_of_units() -> None:
    table = unit_table(9, {"L": 1, "Lu": 2}, {"!?": 3})
    assert table[utf16("aÉ漢!?., ")].tolist() == [1, 2, 1, 3, 3, 9, 9, 9]
    assert list(runs_of(np.array([0, 1, 1, 0, 1], bool))) == [(1, 2), (4, 4)]


@given(st.lists(TEXTS, max_size=5))
def test_characters_of_several_texts(texts: list[str]) -> None:
    characters = Characters(texts)
    for at, text in enumerate(texts):
        start, length = characters.starts[at], characters.lengths[at]
        assert characters.codes[start : start + length].tobytes().decode("utf-16-le", "surrogatepass") == text
    basic = [[one for one in text if ord(one) < 0x10000] for text in texts]
    assert characters.count(characters.are("L")).tolist() == [
        sum(unicodedata.category(one)[0] == "L" for one in text) for text in basic
    ]
    assert characters.count(characters.among("a\n")).tolist() == [text.count("a") + text.count("\n") for text in texts]


@given(TEXTS.filter(lambda text: not re.search("[\ud800-\udfff]", text)))  # decoded text has no lone surrogates
def test_places_in_units(text: str) -> None:
    codes = utf16(text)
    assert len(codes) - np.count_nonzero(are_second_halves(codes)) == len(text)
    expected = [len(utf16(text[:place])) for place in range(len(text))]
    assert places_in_units(codes, np.arange(len(text))).tolist() == expected


def test_first_halves_of_pairs() -> None:
    assert first_halves(0x1F000, 0x1FBFF) == slice(utf16("\U0001f000")[0], utf16("\U0001fbff")[0] + 1)
    assert first_halves(0x20000, 0x3FFFF) == slice(0xD840, 0xD8C0)


@given(TEXTS)
def test_a_text_that_needs_no_care_is_composed(text: str) -> None:
    assert needs_care(utf16(text)) or unicodedata.is_normalized("NFC", text)
    assert compose(text) == unicodedata.normalize("NFC", text)


def test_long_runs_of_marks_are_cut() -> None:
    assert compose("a" + "\u0308" * 1000) == "ä" + "\u0308" * 29


def test_words_are_letters_with_their_marks() -> None:
    assert find_words("well-known, 2nd!") == ["well-known", "nd"]
    assert find_words("x² Ⅷ a_b 10") == ["x²", "Ⅷ", "a", "b"]
    assert count_words("well-known, 2nd!") == count_words("好好学习") == 2
    assert pieces("เด็กๆ 123 好好学习。") == ["เด็กๆ", " 123", " 好好", "学习。"]


def test_folded_texts_in_a_row() -> None:
    folded, starts = fold_units(utf16("MaßNo."), np.array([0, 3]))
    assert folded.tobytes().decode("utf-16-le") == "massno."
    assert starts.tolist() == [0, 4]
    assert [folded_form(character) for character in "ﬁＡ’…\u200b"] == ["fi", "a", "'", ".", ""]
