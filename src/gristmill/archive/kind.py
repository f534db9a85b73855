"""Recognise the kind of a file by its content: archive, data set, page, document, or none that can be read.

`sniff` is used when sources are found and when members of a ZIP file are read; `looks_like_html` also by the filters.
"""

from __future__ import annotations

import json
import re
import zipfile
import zlib
from typing import BinaryIO, Literal

from gristmill.archive.foreign import foreign_by_content, foreign_by_name
from gristmill.archive.packed import GZIP_MAGIC, UNPACKING_ERRORS, is_packed, plain_name, unpacked

Kind = Literal[
    "warc", "arc", "zip", "wacz", "jsonl", "parquet", "page", "mhtml", "pdf", "docx", "odt", "epub", "foreign"
]
ARCHIVES: frozenset[Kind] = frozenset(("warc", "arc", "zip", "wacz", "jsonl", "parquet"))
"""Kinds of files that hold many pages; a file of any other kind is one page."""
GROWING: frozenset[Kind] = frozenset(("warc", "arc", "jsonl"))
"""Kinds of files to which pages may be appended without changing what comes before."""

_HEAD_BYTES = 4096
_SNIFFED_BYTES = 65536  # of a page, in which tags and control characters are looked for
_ZSTD_SKIPPABLE = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")
_ARC_LINE = re.compile(rb"(?:filedesc|https?|ftp|dns):\S* \S+ \d{8,18} \S+ \S+[ \t\r]*(?:\n|$)")
_ARCHIVE_NAME = re.compile(r"\.(warc|wet|arc)(?:\.(?:gz|zst|lz4|bad))*$")
_JSON_NAME = re.compile(r"\.(?:jsonl|ndjson|jl)$")
_OBJECT = re.compile(rb'\{\s*"(?:[^"\\\n]|\\.)*"\s*:')
_MIME = re.compile(rb"(?:[!-9;-~]+:[^\n]*\n(?:[ \t][^\n]*\n)*)+", re.IGNORECASE)
_MULTIPART = re.compile(rb"^content-type:\s*multipart/(?:related|mixed|alternative)", re.IGNORECASE | re.MULTILINE)
_TAG = re.compile(
    rb"<(?:!doctype html|(?:html|head|body|title|meta|link|script|style|div|p|span|a|br|table|tr|td|ul|ol|li|h[1-6]"
    rb"|article|section|main|nav|header|footer|form|frameset|center|font|pre|b|i|img)(?=[\s/>]))",
    re.IGNORECASE,
)
_PAGE_ENDINGS = (".html", ".htm", ".xhtml", ".txt", ".md")
_KINDS_OF_NAMES: dict[str, Kind] = {
    **dict.fromkeys((ending.removeprefix(".") for ending in _PAGE_ENDINGS), "page"),
    **dict.fromkeys(("mhtml", "mht"), "mhtml"),
    "zip": "zip",
    "wacz": "wacz",
    "parquet": "parquet",
    "pdf": "pdf",
    "docx": "docx",
    "odt": "odt",
    "epub": "epub",
}
_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\f\r\x1b\x08") + b"\x7f"
_BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")


def sniff(file: BinaryIO, name: str) -> Kind:
    """Recognise what a file is by its first bytes, compressed or not, and by its name where these don't decide.

    An archive whose beginning is damaged is recognised by its name, so that the records after the damage can be read.
    """
    file.seek(0)
    head = file.read(_HEAD_BYTES)
    if head.startswith(b"PK\x03\x04"):
        return _kind_of_zip(file, head)
    if head.startswith(b"PAR1"):
        return "parquet"
    start = _unpacked_head(file, head)
    begin = start.lstrip()
    if begin.startswith(b"WARC/"):
        return "warc"
    if _ARC_LINE.match(begin):
        return "arc"
    named = _ARCHIVE_NAME.search(name.lower())
    if named:
        return "arc" if named[1] == "arc" else "warc"
    return _kind_of_page(start, plain_name(name))


def kind_by_name(name: str) -> Kind | None:
    """The kind of file that its name promises; None if the name may be that of anything."""
    lower = name.lower()
    if named := _ARCHIVE_NAME.search(lower):
        return "arc" if named[1] == "arc" else "warc"
    plain = plain_name(lower)
    if _JSON_NAME.search(plain):
        return "jsonl"
    _, dot, ending = (plain if plain.endswith(_PAGE_ENDINGS) else lower).rpartition(".")
    return (_KINDS_OF_NAMES.get(ending) if dot else None) or ("foreign" if foreign_by_name(plain) else None)


def _kind_of_page(head: bytes, name: str) -> Kind:
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if _is_json_lines(head, name):
        return "jsonl"
    headers = _MIME.match(head.lstrip())
    if headers and _MULTIPART.search(headers[0]):
        return "mhtml"
    return "foreign" if _what_foreign(head, name) else "page"


def _what_foreign(head: bytes, name: str) -> str:
    return foreign_by_content(head) or ("" if _TAG.match(head.lstrip()) else foreign_by_name(name))


def foreign_kind(file: BinaryIO, name: str) -> str:
    """Say in words what a file is that can't be read."""
    file.seek(0)
    head = file.read(_HEAD_BYTES)
    return _what_foreign(_unpacked_head(file, head), plain_name(name)) or "a file of Office that is no text"


def _kind_of_zip(file: BinaryIO, head: bytes) -> Kind:
    if b"mimetypeapplication/epub+zip" in head[:128]:
        return "epub"
    if b"mimetypeapplication/vnd.oasis.opendocument.text" in head[:128]:
        return "odt"
    try:
        with zipfile.ZipFile(file) as packed:
            names = set(packed.namelist())
    except (OSError, EOFError, ValueError, NotImplementedError, zipfile.BadZipFile):
        return "zip"  # its reader says what is wrong
    known: dict[str, Kind] = {
        "word/document.xml": "docx",
        "xl/workbook.xml": "foreign",
        "ppt/presentation.xml": "foreign",
    }
    if found := next((kind for name, kind in known.items() if name in names), None):
        return found
    is_wacz = "datapackage.json" in names and any(name.startswith("archive/") for name in names)
    return "wacz" if is_wacz else "zip"


def _is_json_lines(head: bytes, name: str) -> bool:
    begin = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if _JSON_NAME.search(name):
        return True
    if not _OBJECT.match(begin):
        return False
    line, end, _ = begin.partition(b"\n")
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return not end and len(head) >= _HEAD_BYTES  # the line goes on


def looks_like_html(data: bytes) -> bool:
    """Whether an HTML tag stands in the first 64 kB (as ASCII or as UTF-16)."""
    head = data[:_SNIFFED_BYTES]
    return bool(_TAG.search(head) or (b"\0" in head and _TAG.search(head.replace(b"\0", b""))))


def begins_like_html(data: bytes) -> bool:
    """Whether the first characters, white space aside, are an HTML tag."""
    return bool(_TAG.match(data[:_SNIFFED_BYTES].replace(b"\0", b"").removeprefix(b"\xef\xbb\xbf").lstrip()))


def looks_like_text(data: bytes) -> bool:
    """Whether it has next to no control characters, whatever its encoding."""
    head = data[:_SNIFFED_BYTES]
    if head.startswith(_BYTE_ORDER_MARKS):
        head = head.replace(b"\0", b"")
    return bool(head) and len(head) - len(head.translate(None, _CONTROLS)) <= len(head) // 200


def _unpacked_head(file: BinaryIO, head: bytes) -> bytes:
    """Decompress the first bytes of a file, as far as they can be; those of an uncompressed file as they are."""
    if _ZSTD_SKIPPABLE.match(head):
        return _skippable_head(file)
    if not is_packed(head):
        return head
    try:
        if head.startswith(GZIP_MAGIC):  # works on a truncated file too
            return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, _HEAD_BYTES)
        return unpacked(file).read(_HEAD_BYTES)
    except UNPACKING_ERRORS:
        return b""


def _skippable_head(file: BinaryIO) -> bytes:
    """Decompress the first bytes of a zstd file that begins with a skippable frame, which holds a dictionary."""
    from fastwarc.stream_io import ZstdReader  # noqa: PLC0415 (only these need it)

    file.seek(0)
    try:
        return ZstdReader(file).read(_HEAD_BYTES)
    except OSError:
        return b""
