"""Tokens and n-grams of arrays of characters are those of a plain loop."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gristmill.dedup import tokens as module
from gristmill.dedup.tokens import Tokens, shingle, tokenise, without_stop_words
from gristmill.text.folding import fold_units, folded_form
from gristmill.text.words import count_words

SHARES = {2: Fraction(5, 8), 5: Fraction(11, 50), 6: Fraction(11, 60)}
SCRIPTS = {
    2: re.compile(
        r"[\u3005-\u3007\u3040-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua48f\uf900-\ufaff\U00020000-\U0003ffff]"
    ),
    5: re.compile(r"[\u0e01-\u0e5b\u0e81-\u0eff\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf]"),
    6: re.compile(
        r"[\u0f00\u0f0b\u0f18-\u0f39\u0f3e-\u0fbc\u1000-\u109f\u1b00-\u1b59\ua980-\ua9c0\ua9d0-\ua9d9\ua9e0-\ua9ff\uaa60-\uaa7f]"
    ),
}


def kind(character: str) -> str | int:
    category = unicodedata.category(character)
    for length, script in SCRIPTS.items():
        if script.match(character) and (category[0] in "LM" or category == "Nl" or character == "\u0f0b"):
            return length
    if character.isspace() or character == "\u1361":
        return "space"
    if ord(character) > 0xFFFF:
        return "word" if 0x1F000 <= ord(character) < 0x1FC00 else "letter"
    if character in "'-.,:@_·":
        return "joiner"
    return {"L": "letter", "M": "word", "N": "word", "P": "mark", "S": "mark"}.get(
        category[0], "word" if category == "Co" else "space"
    )


def mix(number: int) -> int:
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    number = (number ^ number >> 27) * 0x94D049BB133111EB % 2**64
    return number ^ number >> 31


def is_cut(before: str, after: str, length: int) -> bool:
    last, first = (
        int.from_bytes(before.encode("utf-16-le")[-2:], "little"),
        int.from_bytes(after.encode("utf-16-le")[:2], "little"),
    )
    return last != first and mix(923 * 2**32 + 2**16 * last + first) < SHARES[length] * 2**64


COMPOSED = re.compile(
    "[^\\W\u0300-\u036f][\u0300-\u036f]{1,30}|[\u3040-\u30ff\uff66-\uff9d][\u3099\u309a\uff9e\uff9f]"
    "|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?"
)


def plain_fold(text: str) -> str:
    text = COMPOSED.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    text = re.sub("(?<=[\u0370-\u03ff\u1f00-\u1fff])[\u0300-\u0344\u0346-\u036f]+", "", text)
    return "".join(map(folded_form, text))


def plain_tokens(text: str, *, punctuation: bool = True) -> list[str]:
    """The tokens of a text, cut by the rules that the documentation gives."""
    folded = plain_fold(text)
    kinds = [kind(character) for character in folded]
    for at, own in enumerate(kinds):
        if own == "joiner":
            around = kinds[max(at - 1, 0) : at] + kinds[at + 1 : at + 2]
            kinds[at] = "word" if len(around) == 2 and set(around) <= {"word", "letter"} and at else "mark"
    folded = folded.replace("—", "-")
    found: list[str] = []
    last: str | int = "space"
    for at, (character, own) in enumerate(zip(folded, kinds, strict=True)):
        words = {own, last} <= {"word", "letter"}
        if words or (isinstance(own, int) and own == last and not is_cut(folded[at - 1], character, own)):
            found[-1] += character
        elif own == "mark":
            if punctuation and not (last == "mark" and folded[at - 1] == character):
                found.append(character)
        elif own != "space":
            found.append(character)
        last = own
    return found


CHARACTERS = (
    "ab'-., "
    "\u00e9\u0301\u200c日本哈語ไทยก็ๆ😀𠀀𠀁Ж1\n!\ue000AＡßﬁｶﾞﾟー…—–’«½𝐁\u00ad\u200b\ufe0fລາວမြန်ខ្មែརབོད་།ꦗꦮᬩꆈ\u1361Ըῷİ"
)
TEXTS = st.lists(st.text(st.sampled_from(CHARACTERS), max_size=16), max_size=6)


def hashes(text: str, **options: bool) -> list[int]:
    found: list[int] = tokenise([text], **options).hashes.tolist()
    return found


@given(TEXTS, st.booleans())
def test_tokens_of_a_plain_loop(texts: list[str], punctuation: bool) -> None:
    found = tokenise(texts, punctuation=punctuation)
    expected = [plain_tokens(text, punctuation=punctuation) for text in texts]
    assert found.counts.tolist() == list(map(len, expected))
    flat = [token for text in expected for token in text]
    by_hash = dict(zip(found.hashes.tolist(), flat, strict=True))
    assert [by_hash[number] for number in found.hashes.tolist()] == flat
    assert len(by_hash) == len(set(flat))
    assert found.lettered.tolist() == [
        any(isinstance(own := kind(sign), int) or own == "letter" for sign in token) for token in flat
    ]


@given(TEXTS, st.booleans())
def test_what_a_token_is_does_not_depend_on_its_neighbours(texts: list[str], fold: bool) -> None:
    together = tokenise(texts, fold=fold)
    for number, text in enumerate(texts):
        alone = hashes(text, fold=fold)
        assert alone == together.hashes[together.starts[number] : together.starts[number + 1]].tolist()


def test_folding_is_idempotent_and_that_of_the_table() -> None:
    for code in [*range(0xD800), *range(0xE000, 0x20000), *range(0x2F000, 0x30000), *range(0xE0000, 0xE1000)]:
        form = folded_form(chr(code))
        assert "".join(map(folded_form, form)) == form
    units = [*range(0xD800), *range(0xE000, 0xFFFF)]
    folded, starts = fold_units(np.array(units, np.uint16), np.arange(len(units)))
    forms = [folded_form(chr(code)).encode("utf-16-le") for code in units]
    assert folded.tobytes() == b"".join(forms)
    assert starts.tolist() == [0, *np.cumsum([len(form) // 2 for form in forms])[:-1]]


@given(st.text(max_size=30))
def test_a_folded_text_has_the_same_words(text: str) -> None:
    assume(plain_fold(plain_fold(text)) == plain_fold(text))  # what was between a letter and its accent may have gone
    assert hashes(plain_fold(text), punctuation=False) == hashes(text, punctuation=False)


@pytest.mark.parametrize(
    ("text", "variant"),
    [
        ("the mill by the stream", "THE MILL by The Stream"),
        ("the mill by the stream", "ｔｈｅ ＭＩＬＬ　by the stream"),
        ("the mill by the stream", "the m\u200bill b\u00ady the\ufeff st\u2060re\u200dam\u200e"),
        ("the mill by the stream", "𝐭𝐡𝐞 𝕞𝕚𝕝𝕝 𝖻𝗒 𝓉𝒽ℯ 𝚜𝚝𝚛𝚎𝚊𝚖"),
        ("die Straße", "DIE STRASSE"),
        ("the first office", "the ﬁrst oﬃce"),
        ("istanbul'da ılık", "İSTANBUL'DA ILIK"),
        ("ο μύλος της Αθήνας", "Ο ΜΥΛΟΣ ΤΗΣ ΑΘΗΝΑΣ"),
        ("мельница у ручья", "МЕЛЬНИЦА У РУЧЬЯ"),
        ("“It's — well–known…” he said", '"It’s - well-known..." he said'),
        ("об'єкт", "обʼєкт"),
        ("می‌خواهم", "میخواهم"),
        ("كتاب", "كتـــاب"),
        ("ガイドをパンで読む", "ｶﾞｲﾄﾞをﾊﾟﾝで読む"),
        ("đường về ガイド", unicodedata.normalize("NFD", "đường về ガイド")),
        ("αὐτῷ τοῦ μύλου", "αὐτῷ τοῦ μύλου".upper()),
        ("ο μύλος", unicodedata.normalize("NFD", "ο μύλος")),
        ("맷돌과 방앗간", unicodedata.normalize("NFD", "맷돌과 방앗간")),
        ("葛飾区の水車", "葛\U000e0100飾区の水車"),
        ("ប្រទេស កម្ពុជា", "ប្រ\u200bទេស កម្ពុជា\u200b"),
        ("the mill 😀", "the mill 😀\ufe0f"),
        ("བོད་ཡིག", "བོད༌ཡིག"),
        ("m2 1/2 No. 5", "m² ½ No. 5"),
    ],
)
def test_variants_are_the_same(text: str, variant: str) -> None:
    assert hashes(text) == hashes(variant)
    assert hashes(text, fold=False) != hashes(variant, fold=False)


def test_a_long_dash_does_not_join_words() -> None:
    assert hashes("the mill—the stream") == hashes("the mill - the stream") == hashes("the mill -- the stream")
    assert len(hashes("1990–1995")) == 1


@pytest.mark.parametrize("text", ["哈" * 40, "ー" * 40, "ๆ" * 40, "★" * 40, "!" * 40])
def test_repeated_characters_are_one_token(text: str) -> None:
    assert len(hashes(text)) == 1


def test_stars_and_numbers_have_no_letters() -> None:
    found = tokenise(["★★★★★ (1) 3.14 😀 x1 1x 日 don't ๒๕๔๐"])
    assert found.lettered.tolist() == [False] * 6 + [True] * 4 + [False]
    kept = found.only(found.lettered)
    assert kept.lettered.all()
    assert kept.counts.tolist() == [4]
    assert Tokens(found.hashes, found.starts).lettered.all()


def test_marks_between_words_and_syllables() -> None:
    assert hashes("ሰላም፡ለዓለም") == hashes("ሰላም ለዓለም")
    syllables = SENTENCES["bo"].count("་")
    assert len(hashes(SENTENCES["bo"])) < syllables  # the mark behind each syllable is no token, but part of one


SENTENCES = {
    "th": "น้ำในลำธารไหลผ่านล้อไม้ใหญ่ของโรงสีเก่าแก่แห่งนี้มานานหลายร้อยปีและชาวบ้านยังคงนำข้าวมาสีที่นี่ทุกฤดูเก็บเกี่ยวเหมือนที่ปู่ย่าตายายเคยทำ",
    "lo": "ນ້ຳໃນຫ້ວຍໄຫຼຜ່ານກົງລໍ້ໄມ້ໃຫຍ່ຂອງໂຮງສີເກົ່າແກ່ແຫ່ງນີ້ມາຫຼາຍຮ້ອຍປີແລະຊາວບ້ານຍັງເອົາເຂົ້າມາສີຢູ່ທີ່ນີ້ທຸກລະດູເກັບກ່ຽວ",
    "km": "ទឹកក្នុងអូរហូរកាត់កង់ឈើធំរបស់រោងម៉ាស៊ីនកិនស្រូវចាស់នេះអស់រយៈពេលរាប់រយឆ្នាំមកហើយហើយអ្នកភូមិនៅតែយកស្រូវមកកិននៅទីនេះ",
    "my": "ချောင်းထဲကရေတွေဟာဒီရှေးဟောင်းဆန်စက်ရဲ့ကြီးမားတဲ့သစ်သားဘီးကိုနှစ်ပေါင်းများစွာဖြတ်သန်းစီးဆင်းခဲ့ပြီးရွာသားတွေကလည်းစပါးကိုယူလာကြတယ်",
    "bo": "ཆུ་མིག་གི་ཆུ་འདི་རང་འཐག་རྙིང་པའི་ཤིང་གི་འཁོར་ལོ་ཆེན་པོ་བརྒྱུད་ནས་ལོ་མང་པོའི་རིང་བཞུར་ཡོད་པ་དང་གྲོང་པའི་མི་རྣམས་ཀྱིས་འབྲུ་འཁྱེར་ཡོང་གི་འདུག",
    "zh": (
        "溪水流过这座古老磨坊的大木轮已经有几百年了村民们仍然像他们的祖父母一样在每个收获季节把粮食运到这里来磨成面粉"
        "再带回家去做成面包"
    ),
    "ja": (
        "小川の水は何百年もの間この古い水車小屋の大きな木の車輪を回し続けており村の人々は収穫の季節に穀物をここに運ん"
        "でくる"
    ),
    "jv": "ꦧꦚꦸꦏꦭꦶꦩꦶꦭꦶꦔꦸꦠꦼꦂꦫꦺꦴꦢꦏꦪꦸꦒꦼꦢꦺꦲꦶꦁꦥꦔ꧀ꦒꦶꦭꦶꦔꦤ꧀ꦏꦸꦤꦲꦶꦏꦶꦱꦮꦶꦱꦲꦠꦸꦱꦤ꧀ꦠꦲꦸꦤ꧀",
}


@pytest.mark.parametrize("lang", SENTENCES)
def test_pseudo_words_are_about_as_many_as_words(lang: str) -> None:
    text = SENTENCES[lang]
    assert count_words(text) * 0.5 < len(hashes(text)) < count_words(text) * 2


@pytest.mark.parametrize("lang", SENTENCES)
def test_an_edit_changes_only_the_pseudo_words_it_touches(lang: str) -> None:
    text = SENTENCES[lang]
    own = hashes(text)
    for at in range(1, len(text) - 1):
        for edited in (text[:at] + "水" + text[at + 1 :], text[:at] + text[at + 1 :], text[:at] + text[at] + text[at:]):
            other = hashes(edited)
            before = next(
                (place for place, (one, two) in enumerate(zip(own, other, strict=False)) if one != two), len(own)
            )
            after = next(
                (place for place, (one, two) in enumerate(zip(own[::-1], other[::-1], strict=False)) if one != two),
                len(own),
            )
            assert before + after >= len(own) - 3


def test_long_texts_come_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [f"word{number}'s, 😀 Straße" for number in range(300)]
    texts = [
        "",
        "a b",
        " ".join(words),
        "c",
        "。。".join([SENTENCES["zh"]] * 9),
        "d e f",
        " ".join(SENTENCES.values()),
        "x" * 1000,
    ]
    whole = tokenise(texts)
    monkeypatch.setattr(module, "_PIECE_CHARACTERS", 200)
    parts = tokenise(texts)
    assert parts.counts.tolist()[:-1] == whole.counts.tolist()[:-1]
    assert parts.hashes[: parts.starts[-2]].tolist() == whole.hashes[: whole.starts[-2]].tolist()
    assert parts.lettered[: parts.starts[-2]].tolist() == whole.lettered[: whole.starts[-2]].tolist()
    assert parts.counts[-1] == 5  # one word that is longer than a part is cut


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
    assert found.places.tolist() == [
        int(first[number]) + at for number, grams in enumerate(expected) for at in range(len(grams))
    ]


EXPECTED = [
    11469020329213407588,
    11736378211197585255,
    8004214583788206411,
    15275295269878016145,
    17881907180475007429,
    1943281074254793113,
]
EXPECTED_PAIRS = [14123340208326429444, 4806746590661465761]


def test_hashes_are_the_same_everywhere() -> None:
    """They are stored in indexes, so they must not change from one machine or version to the next."""
    assert tokenise(["The mill.", "Жернова 石臼"]).hashes.tolist() == EXPECTED
    assert shingle(tokenise(["The mill."]), 2).hashes.tolist() == EXPECTED_PAIRS


def test_without_folding_texts_are_as_they_stand() -> None:
    assert hashes("the mill. 3.14", fold=False) == hashes("the mill. 3.14")
    assert len(hashes("wait... don\u2019t", fold=False)) == 5
    assert len(set(hashes("The the THE", fold=False))) == 3
    assert hashes("石臼 ภาษาไทย", fold=False) == hashes("石臼 ภาษาไทย")


def test_stop_words_go_by_language() -> None:
    texts = ["the mill and the stream", "the mill and the stream"]
    assert without_stop_words(tokenise(texts), ["en", "und"]).counts.tolist() == [2, 5]
    assert without_stop_words(tokenise(["The Mill AND the stream"]), ["en"]).counts.tolist() == [2]
    assert without_stop_words(
        tokenise(["the mill aNd the stream"], fold=False), ["en"], fold=False
    ).counts.tolist() == [3]
    assert without_stop_words(tokenise([]), []).counts.tolist() == []
