from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.annotation import Tokens, tokenise
from gristmill.annotation import tokeniser as module
from gristmill.annotation.abbreviations import abbreviations
from gristmill.annotation.segmenters import segmenter_for

_LANGUAGES = (
    "ar ca cs cy de el en es fi fr ga he hi it ja km ko mt my pl ro ru sl sv th tr und zh xx en-GB zh-Hant".split()
)
_PIECES = (
    "a don't l' qu' dell'anno n't ' ’ - -- – . ... … , ; : ! ? !! ?! ( ) [ ] \" « » “ ” `` '' http:// "
    "https://a.org/b_(c). www. a@b.org @a "
    "#a #1 :) :-( <3 ))) 😀 🏄🏾‍♀️ 🇫🇮 5⃣ 1 1,5 1.5 3. 12:30 1/2 1990 II. A. J.-C. U.S. e.g. z.B. etc. т.д. No. Mr. "
    "km² 20h30 "
    '漢字 かな。 「は」 ไทย ລາວ ខ្មែរ မြန်မာ नमस्ते। مرحبا؟ שלום צה"ל 한국어 é\u0301 \u200b \u200d \ufeff \x00 \ud800 '
    "\u3000 \u00a0 \u2028 "
    "& % $ € / _ * \\ | EU:n touko-/kesäkuussa"
).split(" ")


def sentences(text: str, lang: str) -> list[str]:
    tokens = check(text, lang)
    found = []
    reached = 0
    for number in tokens.sentences:
        last = reached + number - 1
        found.append(text[tokens.starts[reached] : tokens.starts[last] + len(tokens.words[last])])
        reached += number
    return found


def check(text: str, lang: str) -> Tokens:
    """The promises that hold for any text: places, order, and sentences that add up."""
    tokens = tokenise(text, lang)
    assert sum(tokens.sentences) == len(tokens.words) == len(tokens.starts)
    assert all(tokens.sentences)
    reached = 0
    for word, start in zip(tokens.words, tokens.starts, strict=True):
        assert text[start : start + len(word)] == word
        assert start >= reached
        assert not any(character.isspace() for character in word)
        reached = start + len(word)
    return tokens


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("en", "She didn't see Ann's dog.", "She did n't see Ann 's dog ."),
        ("en", "I cannot; we're gonna, y'all DON'T", "I can not ; we 're gon na , y' all DO N'T"),
        ("en", "O'Neill paid $3.50 (12%)!", "O'Neill paid $ 3.50 ( 12 % ) !"),
        (
            "en",
            "a 15-year-old F-16, an e-mail, anti-war, 212-848-8400",
            "a 15 - year - old F - 16 , an e-mail , anti-war , 212-848-8400",
        ),
        (
            "en",
            "Mr. J. R. Smith of the U.S. Army, etc., at 10:30 a.m.",
            "Mr. J. R. Smith of the U.S. Army , etc. , at 10:30 a.m.",
        ),
        ("en", "See No. 5. I said no.", "See No. 5 . I said no ."),
        ("en", "Go to https://a.org/b_(c)?d=1, or www.a.org.", "Go to https://a.org/b_(c)?d=1 , or www.a.org ."),
        ("en", "mail <jo.b+x@mail.a.org>, @jo or #tag #1", "mail < jo.b+x@mail.a.org > , @jo or #tag # 1"),
        ("en", "fun :-) yes!!! wait... what?! <3", "fun :-) yes !!! wait ... what ?! <3"),
        ("en", "👍🏻😋 🏄🏾‍♀️ 🇫🇮🇸🇪", "👍🏻 😋 🏄🏾‍♀️ 🇫🇮 🇸🇪"),
        ("en", "and/or 02/13/2001 km/h C++ '90s", "and / or 02/13/2001 km/h C++ '90s"),
        ("fr", "Qu'est-ce que l'homme qu'il a vu, dit-il ?", "Qu' est -ce que l' homme qu' il a vu , dit -il ?"),
        (
            "fr",
            "Va-t-il aujourd'hui au rendez-vous à 20h30, c'est-à-dire ici",
            "Va -t-il aujourd'hui au rendez-vous à 20 h 30 , c'est-à-dire ici",
        ),
        ("fr", "l'«ami» de Saint-Omer", "l' « ami » de Saint-Omer"),
        ("it", "dell'anno, un po' d'acqua, c'è", "dell' anno , un po' d' acqua , c' è"),
        ("ca", "l'home que n'hi ha, dona'm", "l' home que n' hi ha , dona 'm"),
        ("ro", "s-a dus, l-am văzut-o", "s- a dus , l- am văzut -o"),
        ("de", "z.B. am 3. Oktober in der EU-Kommission!!", "z.B. am 3. Oktober in der EU - Kommission ! !"),
        ("cs", "tzv. česko-německý, 3. května", "tzv . česko - německý , 3 . května"),
        ("fi", "EU:n Itä-Suomi -lehden touko-/kesäkuussa 1–0", "EU:n Itä-Suomi -lehden touko-/kesäkuussa 1–0"),
        ("ru", "Как-то А.С.Пушкин и т.д. 5-10 кг )))", "Как-то А. С. Пушкин и т. д. 5 - 10 кг )))"),
        ("tr", "Ankara'da Play-Off", "Ankara'da Play - Off"),
        ("sl", "dr. TAM-u 7-letni", "dr. TAM-u 7 - letni"),
        ("hi", "यह घर है। वह राम है॥", "यह घर है । वह राम है ॥"),
        ("ar", "ما هذا؟ كتاب، وقلم.", "ما هذا ؟ كتاب ، وقلم ."),
        ("he", 'צה"ל כאן', 'צה"ל כאן'),
        ("ko", "나는 학교에 간다.", "나는 학교에 간다 ."),
        ("und", "Ωραία, тест!", "Ωραία , тест !"),
        ("und", "漢字とABC", "漢 字 と ABC"),
        ("en", "in 日本 and กิน", "in 日 本 and กิ น"),
    ],
)
def test_tokens_by_language(lang: str, text: str, expected: str) -> None:
    assert " ".join(check(text, lang).words) == expected


@pytest.mark.parametrize(
    ("lang", "expected"),
    [
        ("en", ["Dr. Who is in the U.S. now.", "He left.", "i stayed!", "we won?", "Yes..."]),
        (
            "en",
            [
                "He came at 10 p.m. and left.",
                '"Really?" she asked.',
                '" Really? " she asked.',
                "(Yes.)",
                "Then [...] it ended.",
            ],
        ),
        ("en", ["J. R. R. Tolkien wrote it, etc.", "It sold well.", "See No. 5.", "Yes."]),
        ("en", ["1. First we go.", "2. Then we sleep; they wake.", "P.S. I wrote."]),
        ("en", ["Thanks :)", "We loved it. 😀", "Bye"]),
        ("de", ["Am 3. Oktober 1990 war er hier.", "Das war 1990.", "Der 2. Weltkrieg endete.", "Wilhelm II. ging."]),
        ("fr", ["« Bonjour. »", "Il sort.", "Au temps de J.-C. on écrivait.", "M. Le Pen sort."]),
        ("fi", ["Kyllä, hän sanoi.", "– Ei! – hän sanoi.", "– No niin."]),
        ("el", ["Τι κάνεις;", "Καλά."]),
        ("hi", ["यह घर है।", "वह राम है॥", "अच्छा"]),
        ("ar", ["ما هذا؟", "هذا كتاب."]),
        ("ru", ["Это было в XIX в. и т. д.", "Потом всё."]),
    ],
)
def test_sentences(lang: str, expected: list[str]) -> None:
    assert sentences(" ".join(expected), lang) == expected


def test_sentences_without_a_space_between_them() -> None:
    assert sentences("好。“走吧！”他说。「は」再见", "und") == ["好。", "“走吧！”", "他说。", "「は」再见"]
    assert sentences("It was late.Then it rained.", "en") == ["It was late.", "Then it rained."]


@pytest.mark.parametrize(
    ("lang", "expected"),
    [
        ("ja", ["本当ですか?", "はい。", "行こう!", "早く!!", "え?!", "そう。"]),
        ("ja", ["「本当?」と聞いた。", "「そうですか!」", "彼は言った。"]),
        ("ja", ["Yahoo!ニュースを見た?", "a?b=cと検索?q=1だ。", "OK?", "はい。", "100!", "すごい。"]),
        ("ja", ["ラブライブ!の歌は３．１４です．", "次に進む．", "彼(本当?)は来た。"]),
        ("ja", ["疲れた…", "明日だ。", "でも…それは!♪", "次です.", "報告書.pdfだ。"]),
        ("zh", ["真的吗?", "是的。", "你好!", "什么?!", "他……走了。", "“走吧!”", '他说:"真的?"', "好。"]),
        ("zh", ["《你好!李焕英》很好。", "他用Yahoo!奇摩吗?", "蜱、?或跳蚤。"]),
    ],
)
def test_half_width_marks_end_sentences_without_a_space(lang: str, expected: list[str]) -> None:
    if lang == "ja":
        pytest.importorskip("fugashi", reason="needs the extra `segment`")
    assert sentences("".join(expected), lang) == expected


def test_nothing_in_nothing() -> None:
    for text in ("", " ", "\n\t\u3000", "\u200b\ufeff", "\x00"):
        assert tokenise(text, "en") == Tokens([], [], [])


def test_places_with_any_spaces() -> None:
    assert check("  a \t b.\n\nc\u00a0d ", "en").starts == [2, 6, 7, 10, 12]
    assert check("a\u200bb \x00c", "en").words == ["a", "b", "c"]


def test_codes_of_languages_are_read_as_wholes_are() -> None:
    assert tokenise("don't", "en-GB").words == tokenise("don't", "EN_us").words == ["do", "n't"]


@given(st.lists(st.sampled_from([*_PIECES, " ", " ", " "]), max_size=30).map("".join), st.sampled_from(_LANGUAGES))
def test_promises_hold_for_any_pieces(text: str, lang: str) -> None:
    check(text, lang)


@given(st.text(max_size=60), st.sampled_from(_LANGUAGES))
def test_promises_hold_for_any_text(text: str, lang: str) -> None:
    check(text, lang)


@given(st.lists(st.sampled_from(_PIECES), max_size=40))
def test_what_was_seen_before_changes_nothing(pieces: list[str]) -> None:
    text = " ".join(pieces)
    before = tokenise(text, "de")
    module.forget()
    assert tokenise(text, "de") == before


def test_memory_of_chunks_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_CHUNKS", 10)
    module.forget()
    text = " ".join(f"w{number}, x." for number in range(100))
    assert tokenise(text, "en").words[:3] == ["w0", ",", "x"]
    assert len(module._tokeniser("en")._cache) <= 10
    tokenise("x" * 10_000, "en")
    assert max(map(len, module._tokeniser("en")._cache)) < 100
    module.forget()


@pytest.mark.parametrize("lang", ["en", "fi", "fr", "ja"])
@pytest.mark.parametrize(
    "piece",
    ["a", ".", "http://", "'", "@", "1,1,", "a-", "a'", "l'", "(:", "a.a@", "A. ", '. " ', "ก", "http://(", "-/"],
)
def test_long_texts_take_linear_time(piece: str, lang: str) -> None:
    """Anything that is not linear takes hours here."""
    text = piece * (30_000 // len(piece))
    tokens = tokenise(text, lang)
    assert sum(map(len, tokens.words)) == len(text.replace(" ", ""))


def test_abbreviations_are_written_as_they_are_looked_up() -> None:
    for lang in _LANGUAGES:
        assert all(word == word.lower() and not word.endswith(".") for word in abbreviations(lang))


def test_characters_where_no_segmenter_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("icu4py", "icu4py.breakers", "fugashi", "unidic_lite"):
        monkeypatch.setitem(sys.modules, name, None)
    segmenter_for.cache_clear()
    try:
        for lang in ("zh", "ja", "th"):
            assert segmenter_for(lang).segment(["中国", "กิน"]) == [["中", "国"], ["กิ", "น"]]
        module.forget()
        assert sentences("本当ですか?はい。", "ja") == ["本当ですか?", "はい。"]
    finally:
        module.forget()
        segmenter_for.cache_clear()


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("zh", "我们买这个苹果，他的书在北京。", "我们 买 这 个 苹果 ， 他 的 书 在 北京 。"),
        ("th", "สวัสดีครับ", "สวัสดี ครับ"),
        ("km", "សួស្តីពិភពលោក", "សួស្តី ពិភពលោក"),
        ("lo", "ສະບາຍດີ", "ສະບາຍດີ"),
        ("my", "မြန်မာစာ", "မြန်မာ စာ"),
    ],
)
def test_icu_segments(lang: str, text: str, expected: str) -> None:
    pytest.importorskip("icu4py", reason="needs the extra `segment`")
    assert " ".join(check(text, lang).words) == expected


def test_mecab_segments_as_universal_dependencies_do() -> None:
    pytest.importorskip("fugashi", reason="needs the extra `segment`")
    pytest.importorskip("unidic_lite", reason="needs the extra `segment`")
    assert (
        " ".join(check("姉と同じ先生だったので、20cmです。", "ja").words)
        == "姉 と 同じ 先生 だっ た の で 、 20 cm です 。"
    )


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("W zabawie pt. Kto to był grali wszyscy.", "pl"),
        ("Fot. Jan Kowalski.", "pl"),
        ("Η κ. Παπαδοπούλου ήρθε.", "el"),
    ],
)
def test_what_a_name_follows_ends_no_sentence(text: str, lang: str) -> None:
    assert len(tokenise(text, lang).sentences) == 1
