"""Bytes in a known encoding, from the gold standards: what is the right text of each.

Labels of the gold standards are what people called a file. Where that is more a family than an encoding (`Latin2`,
`Cyrillic`), the bytes were looked at, and what is here is the encoding in which they are readable text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq

_NON_ASCII = re.compile(rb"[\x80-\xff]")
_UDHR = {
    "Latin1": "cp1252",
    "UTF8": "utf-8",
    "Latin2": "iso-8859-2",
    "Cyrillic": "cp1251",
    "Arabic": "cp1256",
    "GB2312": "gb18030",
    "HZ": "hz",
    "Greek": "cp1253",
    "Hebrew": "cp1255",
    "Unicode": "utf-16",
    "EUC": "euc-jp",
    "JIS": "iso2022_jp",
    "SJIS": "cp932",
    "Baltic": "iso-8859-4",
    "Turkish": "cp1254",
}
"""Labels that stand for an encoding. The others are those of fonts, or of encodings that nothing decodes."""
_UDHR_SINGLE = {
    "Mongolian_Khalkha-Cyrillic": "iso-8859-5",
    "Czech_Cesky-UTF8": "cp1250",
    "Kazakh-Cyrillic": None,
}  # the last is for a font
_ONLY_IN_1250 = bytes(
    [0x80, 0x82, 0x84, 0x85, 0x8A, 0x8E, 0x91, 0x92, 0x93, 0x94, 0x96, 0x9A, 0x9C, 0x9E, 0xA5, 0xB9, 0xBC, 0xBE]
)
_UCHARDET = {
    "iso-8859-1": "cp1252",
    "windows-1252": "cp1252",
    "iso-8859-9": "cp1254",
    "iso-8859-11": "cp874",
    "tis-620": "cp874",
    "euc-kr": "cp949",
    "shift_jis": "cp932",
    "euc-tw": None,
    "viscii": None,
}
# Of the CleanEval pages that are not UTF-8, nearly all are windows-1252 (as declared, or by their quotation marks).
# These are not:
_CLEANEVAL = {
    "final/621": "cp949",
    "final/376": "cp932",
    "final/429": "cp932",
    "final/114": "mac-roman",
    "final/583": "cp1251",
    "final/401": "iso-8859-15",
}
_CLEANEVAL_MIXED = {
    "final/222",
    "final/582",
    "final/350",
    "final/767",
}  # several encodings in one page, or none that makes sense
_FROM_THE_START = {"hz", "iso2022_jp", "iso-2022-jp", "iso-2022-kr", "utf-16", "utf-32", "utf-16be", "utf-16le"}
_SEVERAL_BYTES = {"cp932", "gb18030", "big5", "cp949", "euc-jp", "utf-8"}
WINDOWS = 3


class Case(NamedTuple):
    """Some bytes and their right text."""

    gold_set: str
    length: str
    name: str
    data: bytes
    text: str


def read_cases(gold: Path, lengths: tuple[int, ...] = (1000, 200, 50)) -> Iterator[Case]:
    """All texts, whole and in parts: some bytes from the start, and three windows around bytes that are not ASCII."""
    for gold_set, name, codec, data in (*_udhr(gold), *_uchardet(gold), *_cleaneval(gold)):
        yield Case(gold_set, "whole", name, data, right_text(codec, data))
        for length in (length for length in lengths if len(data) > length):
            for part in (data[:length], *_windows(data, codec, length)):
                yield Case(gold_set, f"{length} bytes", name, part, right_text(codec, part))


def right_text(codec: str, data: bytes) -> str:
    """Decode; in windows-1252 the five bytes that it lacks become controls, as in browsers."""
    if codec != "cp1252":
        return data.decode(codec, "replace")
    return "".join(bytes([code]).decode(codec, "ignore") or chr(code) for code in data)


def _windows(data: bytes, codec: str, length: int) -> Iterator[bytes]:
    places = [match.start() for match in _NON_ASCII.finditer(data)]
    if codec in _FROM_THE_START or not places:
        return
    for part in range(1, WINDOWS + 1):
        start = max(0, min(places[len(places) * part // (WINDOWS + 1)] - length // 2, len(data) - length))
        while codec in _SEVERAL_BYTES and start and data[start - 1] > 127:  # not in the middle of a character
            start -= 1
        yield data[start : start + length]


def _udhr(gold: Path) -> Iterator[tuple[str, str, str, bytes]]:
    for row in pq.read_table(gold / "encoding-udhr.parquet").to_pylist():
        codec = _UDHR_SINGLE.get(row["id"], _UDHR.get(row["encoding"]))
        if row["encoding"] == "Latin2" and any(code in row["bytes"] for code in _ONLY_IN_1250):
            codec = "cp1250"
        if codec:
            yield "encoding-udhr", row["id"], codec, row["bytes"]


def _uchardet(gold: Path) -> Iterator[tuple[str, str, str, bytes]]:
    for row in pq.read_table(gold / "encoding-uchardet.parquet").to_pylist():
        codec = _UCHARDET.get(row["encoding"], row["encoding"])
        if codec:
            yield "encoding-uchardet", row["id"], codec, row["bytes"]


def _cleaneval(gold: Path) -> Iterator[tuple[str, str, str, bytes]]:
    for row in pq.read_table(gold / "cleaneval.parquet", columns=["id", "html"]).to_pylist():
        if row["id"] not in _CLEANEVAL_MIXED and not _is_utf8(row["html"]):
            yield "cleaneval, not UTF-8", row["id"], _CLEANEVAL.get(row["id"], "cp1252"), row["html"]


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
