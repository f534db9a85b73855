"""Bytes become the right text, whatever is declared, and never an exception."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import gristmill
from gristmill.decoding import tidy
from gristmill.decoding.labels import canonical
from gristmill.decoding.normalisation import is_tidy
from gristmill.document import Document

CZECH = "Příliš žluťoučký kůň úpěl ďábelské ódy. " * 20
RUSSIAN = "Съешь же ещё этих мягких французских булок да выпей чаю. " * 20
JAPANESE = "いろはにほへと散りぬるを、我が世誰ぞ常ならむ。" * 20


@pytest.mark.parametrize(
    ("data", "declared", "encoding", "step"),
    [
        ("\ufeffé".encode(), None, "UTF-8", "bom"),
        ("\ufeffé".encode("utf-16-le"), "utf-8", "UTF-16LE", "bom"),
        ("\ufeffé".encode("utf-16-be"), None, "UTF-16BE", "bom"),
        (CZECH.encode("cp1250"), "windows-1250", "windows-1250", "http"),
        (CZECH.encode("cp1250"), "CP1250", "windows-1250", "http"),
        (b'<meta charset="x-sjis">' + JAPANESE.encode("cp932"), None, "Shift_JIS", "meta"),
        (
            b'<meta http-equiv=Content-Type content="text/html; charset=koi8-r">' + RUSSIAN.encode("koi8-r"),
            None,
            "KOI8-R",
            "meta",
        ),
        (b'<?xml version="1.0" encoding="windows-1251"?>' + RUSSIAN.encode("cp1251"), None, "windows-1251", "xml"),
        (CZECH.encode(), None, "UTF-8", "utf-8"),
        (CZECH.encode(), "utf8", "UTF-8", "http"),
        (b'<meta charset="iso-8859-1">' + CZECH.encode(), None, "UTF-8", "utf-8"),
        (b'<!-- <meta charset="koi8-r"> -->' + CZECH.encode("iso-8859-2"), None, "ISO-8859-2", "model"),
        (b'<meta charset="utf-8">' + RUSSIAN.encode("cp1251"), None, "windows-1251", "model"),
        (b'<meta charset="no-such-thing">' + RUSSIAN.encode("koi8-r"), "another", "KOI8-R", "model"),
        (JAPANESE.encode("euc-jp"), None, "EUC-JP", "model"),
        (JAPANESE.encode("iso-2022-jp"), "iso-2022-jp", "ISO-2022-JP", "http"),
    ],
)
def test_each_step_decides_where_it_should(data: bytes, declared: str | None, encoding: str, step: str) -> None:
    decoded = gristmill.decode(data, declared=declared)
    assert (decoded.encoding, decoded.decided_by) == (encoding, step)
    for text in (CZECH, RUSSIAN, JAPANESE, "é"):
        assert text in decoded.text or text[:20] not in decoded.text


def test_one_garbled_character_does_not_disprove_a_declaration() -> None:
    data = RUSSIAN.encode() + b"\xff" + RUSSIAN.encode()
    decoded = gristmill.decode(data, declared="utf-8")
    assert (decoded.encoding, decoded.decided_by) == ("UTF-8", "http")
    assert decoded.text.count("\ufffd") == 1


@pytest.mark.parametrize(
    ("head", "declared"),
    [
        ("<meta charset=utf-16>", None),
        ("<meta charset=unicode>", None),
        ('<?xml version="1.0" encoding="utf-16"?>', None),
        ("", "utf-16"),
    ],
)
def test_a_page_that_can_be_read_is_not_utf_16(head: str, declared: str | None) -> None:
    for text in ("even", "odd"):
        assert gristmill.decode(f"{head}{text}".encode(), declared=declared).text == head + text
    assert gristmill.decode("<p>é".encode("utf-16-le"), declared="utf-16").text == "<p>é"


def test_long_runs_of_marks_are_cut() -> None:
    """Putting them in order takes time that grows with the square of their number."""
    text = gristmill.decode(("e" + "\u0301\u0323" * 300_000).encode()).text
    assert text == unicodedata.normalize("NFC", "e" + "\u0301\u0323" * 15)
    assert len(gristmill.clean("<p>e" + "&#x301;&#x323;" * 100_000).blocks[0].text) < 40
    assert tidy("e\u0301" * 100) == "é" * 100


def test_windows_1252_is_what_latin_1_means_on_the_web() -> None:
    assert gristmill.decode("“don’t”".encode("cp1252"), declared="iso-8859-1").text == "“don’t”"


def test_labels() -> None:
    assert canonical(" ISO-8859-1 ") == canonical("latin1") == "windows-1252"
    assert canonical("gb2312") == "GBK"
    assert [canonical(label) for label in ("", "utf-7", "replacement", "é", "x" * 99)] == [None] * 5


def test_characters_are_tidied() -> None:
    assert gristmill.decode(b"a\x00b\x0bc\r\nd\re\x7f").text == "ab c\nd\ne"
    assert gristmill.decode("e\u0301\x85\x9b".encode()).text == "é "
    assert tidy("\ud800x") == "\ufffdx"
    assert gristmill.decode("co\xadop \ufeffx".encode()).text == "coop x"


@given(st.binary(max_size=2000), st.sampled_from([None, "utf-8", "shift_jis", "utf-16", "iso-2022-jp", "gb18030", "x"]))
@example(b"\xff\xfe\x00", None)
@example(b"\xef\xbb\xbf\xed\xa0\x80", None)
def test_any_bytes_become_clean_text(data: bytes, declared: str | None) -> None:
    text, encoding, step, _ = gristmill.decode(data, declared=declared)
    assert encoding
    assert step
    text.encode()
    assert unicodedata.is_normalized("NFC", text)
    assert not any(unicodedata.category(character) == "Cc" and character not in "\n\t\f" for character in text)


@given(st.text(max_size=200))
def test_what_is_called_tidy_is(text: str) -> None:
    plain = text.encode("utf-8", "replace").decode()
    if is_tidy(plain.encode(), plain):
        assert tidy(plain) == plain.replace("\r\n", "\n").replace("\r", "\n")


def test_the_sample(sample_documents: dict[str, Document], truth: dict[str, dict[str, Any]]) -> None:
    """All pages are decoded right, also the Greek one of which its server says ISO-8859-1."""
    assert [url for url, document in sample_documents.items() if not _shows(document, truth[url])] == []


def _shows(document: Document, facts: dict[str, Any]) -> bool:
    blocks = document.as_columns().folded.tolist()
    return all(block["text"] in blocks for block in facts["blocks"] if block["role"] == "content")
