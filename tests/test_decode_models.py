"""Encodings are told by models, models are trained from samples, and mojibake is repaired only where it is certain."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from command import run
from hypothesis import example, given, settings
from hypothesis import strategies as st

import gristmill
from gristmill.cleaning import clean_page
from gristmill.decoding import Detector, labels, mojibake, tidy
from gristmill.decoding.detector import default_detector
from gristmill.decoding.model import SHIPPED, Model, shipped
from gristmill.decoding.training import convert, train
from gristmill.decoding.triples import all_ascii, triples
from gristmill.decoding.usual import USUAL, usual_encodings
from gristmill.document import Page
from gristmill.errors import UsageError
from gristmill.language import Models

TEXTS = {
    "cs": "Mlynář otevřel stavidlo a kolo se dalo do pohybu. Před žněmi řečeno, šlo všechno pomaleji, než čekali.",
    "de": (
        "Der Müller öffnete das Wehr, und das große Rad begann sich zu drehen; „früher“, sagte er, „ging es schneller“."
    ),
    "el": "Ο μυλωνάς άνοιξε το νερό και η ρόδα άρχισε να γυρίζει αργά μπροστά στα μάτια των παιδιών.",
    "en": "The miller’s daughter – she had “never” seen it – opened the sluice; it cost £3 and the café was closed.",
    "fr": (
        "Le meunier ouvrit l’écluse, et la roue se mit à tourner lentement, comme elle l’avait toujours fait dès l’été."
    ),
    "he": "הטוחן פתח את הסכר והגלגל החל להסתובב לאט לאט מול עיניהם של הילדים",
    "hu": "A molnár kinyitotta a zsilipet, és a kerék lassan forogni kezdett; őszre minden búzát megőröltek.",
    "ja": "粉屋が水門を開けると、水車はゆっくりと回り始めた。子どもたちはそれを黙って見ていた。",
    "ko": "방앗간 주인이 수문을 열자 물레방아가 천천히 돌기 시작했다. 아이들은 말없이 바라보았다.",
    "pl": "Młynarz otworzył śluzę i koło zaczęło się powoli obracać, choć wcześniej nikt już w to nie wierzył.",
    "ru": "Мельник открыл шлюз, и колесо начало медленно вращаться на глазах у детей, стоявших на берегу.",
    "th": "คนโรงสีเปิดประตูน้ำ และกังหันก็เริ่มหมุนช้า ๆ ต่อหน้าเด็ก ๆ ที่ยืนอยู่ริมฝั่ง",
    "tr": "Değirmenci savağı açtı ve çark, kıyıda duran çocukların gözleri önünde ağır ağır dönmeye başladı.",
    "uk": "Мельник відчинив шлюз, і колесо почало повільно обертатися на очах у дітей, що стояли на березі.",
    "vi": "Người thợ xay mở cửa cống và bánh xe bắt đầu quay chậm rãi trước mắt lũ trẻ.",
    "zh-cn": "磨坊主打开水闸，水轮开始慢慢转动，孩子们站在岸边静静地看着。",
    "zh-tw": "磨坊主人打開水閘，水輪開始慢慢轉動，孩子們站在岸邊靜靜地看著。",
}


@pytest.mark.parametrize(("lang", "encoding"), [(lang, encoding) for lang in TEXTS for encoding in USUAL[lang]])
def test_a_sentence_is_enough(lang: str, encoding: str) -> None:
    """One sentence, in every encoding in use for its language, nothing said about it. The text counts, not the name."""
    data = convert(TEXTS[lang], encoding)
    text = labels.decode(encoding, data)
    assert gristmill.decode(data).text == tidy(text)


def test_the_shipped_models() -> None:
    """Forty-five languages or more, in four megabytes at most, each in all encodings in use for it."""
    model = shipped()
    languages = {lang for lang, _ in model.pairs}
    assert len(languages) >= 45
    assert SHIPPED.stat().st_size <= 4_000_000
    assert all((lang, encoding) in model.pairs for lang in languages for encoding in usual_encodings(lang))
    assert all(labels.is_known(encoding) for encodings in USUAL.values() for encoding in encodings)


def test_the_language_decides_where_bytes_do_not() -> None:
    """The same bytes are words in one language in one encoding, and in another in another."""
    data = "þór".encode("cp1252")
    assert default_detector().judge(data, "is").encoding == "windows-1252"
    judged = default_detector().judge("při".encode("cp1250"), "cs")
    assert judged.encoding in {"windows-1250", "ISO-8859-2"}


def test_a_declaration_that_the_bytes_contradict() -> None:
    russian = TEXTS["ru"].encode("koi8-r")
    assert gristmill.decode(russian, declared="iso-8859-1").encoding == "KOI8-R"
    assert gristmill.decode(russian, declared="windows-1251").encoding == "KOI8-R"
    english = TEXTS["en"].encode("cp1252")
    assert gristmill.decode(english, declared="iso-8859-1").decided_by == "http"
    assert gristmill.decode(b'<meta charset="euc_kr">' + TEXTS["ko"].encode("euc-kr")).encoding == "EUC-KR"


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_unicode_without_a_mark(codec: str) -> None:
    for text in (TEXTS["en"], TEXTS["ru"], TEXTS["ja"] + "\n" + TEXTS["en"]):
        decoded = gristmill.decode(text.encode(codec))
        assert (decoded.text, decoded.decided_by) == (text, "zeros")
    marked = gristmill.decode(("\ufeff" + TEXTS["ja"]).encode(codec))
    assert (marked.text, marked.decided_by) == (TEXTS["ja"], "bom")


@pytest.mark.parametrize("data", [b"abcdefghi\0" * 100, b"<p>Name: John Smith, Esq\0\n" * 40])
def test_zeros_in_a_page_do_not_make_it_utf_16(data: bytes) -> None:
    assert gristmill.decode(data).text == data.replace(b"\0", b"").decode()


@pytest.mark.parametrize("code", [0xA7, 0xAE, 0xB0, 0xB7, 0xBB, 0xD8, 0xF0])
def test_a_line_of_signs_is_no_foreign_language(code: int) -> None:
    english = b"</p><p>This is an English page with some words.</p>"
    for data in ((b"<p>" + bytes([code]) * 5 + english) * 10, (b"<p>" + bytes([code]) + b" item" + english) * 10):
        assert gristmill.decode(data).encoding == "windows-1252"
        assert gristmill.decode(data, declared="iso-8859-1").decided_by == "http"


def test_controls_speak_against_an_encoding() -> None:
    decoded = gristmill.decode(b"tree grid\x85 and if it's X\xd7Y, I can 300 \xd7 ")
    assert "grid… and" in decoded.text


def test_utf8_that_is_cut_or_has_a_stray_byte() -> None:
    data = TEXTS["ru"].encode()
    for part in (data[1:], data[:-1], data[:40] + b"\xe9" + data[40:]):
        decoded = gristmill.decode(part)
        assert (decoded.encoding, decoded.decided_by) == ("UTF-8", "utf-8")
    assert gristmill.decode("the café’s".encode("cp1252")).encoding == "windows-1252"


@pytest.mark.parametrize(
    ("codec", "encoding"), [("iso2022_jp", "ISO-2022-JP"), ("iso2022_kr", "iso2022_kr"), ("hz", "hz")]
)
def test_seven_bits(codec: str, encoding: str) -> None:
    text = {"iso2022_jp": TEXTS["ja"], "iso2022_kr": TEXTS["ko"], "hz": TEXTS["zh-cn"]}[codec]
    decoded = gristmill.decode(f"<p>{text}</p>".encode(codec))
    assert (decoded.text, decoded.encoding, decoded.decided_by) == (f"<p>{text}</p>", encoding, "escapes")
    assert gristmill.decode(b"a ~{ b ~} c, $HOME and ~{x~}").text == "a ~{ b ~} c, $HOME and ~{x~}"


def test_triples() -> None:
    found, around = triples("a1é<b".encode("cp1252"))
    assert [key.to_bytes(3, "big") for key in found.tolist()] == [b"a0\xe9", b"0\xe9 ", b"\xe9 b"]
    assert around.size == 0
    found, around = triples(b"miller \xe9")
    assert [key.to_bytes(3, "big") for key in around.tolist()] == [b" mi", b"mil", b"ill", b"lle", b"ler", b"er "]
    assert triples(b"")[0].size == triples(b"ascii")[0].size == 0
    assert b"mil" in {key.to_bytes(3, "big") for key in all_ascii(b"miller").tolist()}


def test_what_an_encoding_lacks_is_written_as_people_do() -> None:
    assert convert("„Štěstí“ – 5 €…", "ISO-8859-2") == b'"\xa9t\xecst\xed" - 5 EUR...'
    assert convert("știință", "windows-1250") == "ştiinţă".encode("cp1250")
    vietnamese = convert(TEXTS["vi"], "windows-1258")
    assert gristmill.decode(vietnamese, declared="windows-1258").text == TEXTS["vi"]


def test_a_trained_language(tmp_path: Path, corpus: gristmill.Corpus) -> None:
    """A model is the same file for the same sample, can be read again, and tells the encodings that it was given."""
    sample = "\n".join(document.text for document in corpus.documents() if document.lang == "cs")
    (tmp_path / "sample.txt").write_text(sample, "utf-8")
    for name in ("a", "b"):
        ran = run(
            "train",
            "encoding",
            "--lang",
            "hsb",
            "--sample",
            tmp_path / "sample.txt",
            "-o",
            tmp_path / name,
            "--encodings",
            "CP852,koi8-r",
        )
        assert ran.returncode == 0, ran.stderr
        assert b"--models" in ran.stderr
    path = tmp_path / "a" / "hsb.encoding.npz"
    assert path.read_bytes() == (tmp_path / "b" / "hsb.encoding.npz").read_bytes()
    model = Model.load(path)
    assert model.pairs == (("hsb", "cp852"), ("hsb", "KOI8-R"), ("hsb", "ASCII"))
    assert 0.5 < model.frequencies[: model.starts[1]].sum() < 1.05
    alone = SimpleNamespace(detector=Detector(model))
    assert gristmill.decode(TEXTS["cs"].encode("cp852"), models=alone).text == TEXTS["cs"]
    models = Models.load(str(tmp_path / "a"))
    assert ("hsb", "KOI8-R") in models.detector._pairs
    document = clean_page(Page("", b"<p>" + TEXTS["cs"].encode("cp852")), models=models)
    assert (document.blocks[0].text, document.encoding, document.encoding_from) == (TEXTS["cs"], "cp852", "model")


def test_models_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="5 characters beyond ASCII"):
        train("cs", "ěščřž and nothing more")
    with pytest.raises(UsageError, match=r"'latin7'.*such are"):
        train("cs", TEXTS["cs"] * 9, ["latin7"])
    (tmp_path / "hsb.encoding.npz").write_bytes(b"nothing")
    with pytest.raises(UsageError, match="not a model of encodings"):
        Models.load(str(tmp_path)).detector.judge(b"\xe9")
    path = train("cs", TEXTS["cs"] * 9).save(tmp_path / "hsb.encoding.npz")
    whole = path.read_bytes()
    for broken in (whole[:-40], whole[:40], whole.replace(b"PK", b"XX")):
        path.write_bytes(broken)
        with pytest.raises(UsageError, match="not a model of encodings"):
            Model.load(path)
    np.savez(path, other=np.zeros(3))
    with pytest.raises(UsageError, match="not a model of encodings"):
        Model.load(path)
    dataclasses.replace(train("cs", TEXTS["cs"] * 9, ["cp852"]), pairs=(("cs", "no-such"), ("cs", "ASCII"))).save(path)
    with pytest.raises(UsageError, match="with errors"):
        Model.load(path)


@pytest.mark.parametrize(
    "text", [TEXTS["de"], TEXTS["fr"], TEXTS["en"], TEXTS["ru"], TEXTS["pl"], "Ångström, façade, naïveté, São Paulo"]
)
def test_mojibake_is_repaired_and_recorded(text: str) -> None:
    damaged = "".join(bytes([code]).decode("cp1252", "ignore") or chr(code) for code in text.encode())
    page = f"<p>{damaged}</p>\n<p>{TEXTS['en']}</p>".encode()
    decoded = gristmill.decode(page)
    assert (decoded.text, decoded.repaired) == (f"<p>{text}</p>\n<p>{TEXTS['en']}</p>", True)
    assert clean_page(Page("", page)).repaired


@pytest.mark.parametrize("lang", ["cs", "de", "fr", "ru"])
def test_a_long_line_is_repaired_to_its_end(lang: str) -> None:
    text = TEXTS[lang] * 30
    damaged = "".join(bytes([code]).decode("cp1252", "ignore") or chr(code) for code in text.encode())
    assert gristmill.decode(damaged.encode()).text == text


@pytest.mark.parametrize(
    "text",
    [*TEXTS.values(), "AÇÃO, SÃO PAULO, «PÃO»", "l’été»", "Ã© is how é looks, and Ã¨ is è", "Â§", "Â", "Ã", "â€"],
)
def test_what_is_not_certain_is_left_as_it_is(text: str) -> None:
    decoded = gristmill.decode(f"<p>{text}</p>".encode())
    assert (decoded.text, decoded.repaired) == (f"<p>{text}</p>", False)


@given(
    st.lists(
        st.sampled_from(
            [b"\xc3\x83\xc2\xa9", b"\xc3\xa2\xe2\x82\xac\xe2\x84\xa2", b"\xc3\x83", b"a", b"<", b"\n", b"\xc3\xa9"]
        ),
        max_size=60,
    )
)
def test_repair_gives_text(parts: list[bytes]) -> None:
    mojibake.repair(b"".join(parts)).decode()


@settings(max_examples=300)
@given(
    st.one_of(
        st.binary(max_size=300),
        st.lists(
            st.sampled_from(
                [
                    b"\x1b$B",
                    b"\x1b$)C",
                    b"~{",
                    b"~}",
                    b"\0",
                    b"\xff\xfe",
                    b"\xe9",
                    b"\x81@",
                    b"<meta charset=",
                    b"hz",
                    b">",
                    b"ab",
                ]
            )
        ).map(b"".join),
    ),
    st.sampled_from([None, "utf-8", "utf-16", "hz", "iso-2022-kr", "cp852", "euc_kr", "johab", "utf-32"]),
    st.sampled_from([None, "cs", "no", "xx", "zh"]),
)
@example(b"\x80", None, None)
@example(b"\0\0\0\0", None, None)
def test_any_bytes_decode(data: bytes, declared: str | None, lang: str | None) -> None:
    decoded = gristmill.decode(data, lang, declared)
    decoded.text.encode()
    assert labels.is_known(decoded.encoding) or decoded.encoding.startswith("UTF-")
    assert decoded == gristmill.decode(data, lang, declared)


@pytest.mark.parametrize(
    "piece",
    [
        b"\xe9",
        b"\xe9 ",
        b"\xc3\x83\xc2\xa9",
        b"\xc3\x83",
        b"\x81\x40",
        b"~{",
        b"~{!!~}",
        b"\x1b$B",
        b"\x1b$B!!",
        b"\0a",
        b"\xe2\x80",
        b"\x00\xd8",
        b"<!--",
    ],
)
def test_a_large_page_of_it_comes_to_an_end(piece: bytes) -> None:
    """What would take the square of the time, or go on for ever, does not get through here."""
    decoded = gristmill.decode(piece * (4_000_000 // len(piece)))
    assert decoded.text
    assert decoded.text.isprintable() or set(decoded.text) & set("\n\t\f\u3000\xa0")
