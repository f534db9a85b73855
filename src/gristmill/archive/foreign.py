"""Recognise files that hold no pages, or none that can be read, by their first bytes or else by their names.

Used by `kind.py`; the words are for the message that tells the user why a file was skipped.
"""

from __future__ import annotations

import re

_PICTURE = "a picture"
_SOUND = "a sound or video file"
_FONT = "a font"
_PROGRAM = "a program"
_ARCHIVE = "archive: unpack it, and give the folder"
_MAGIC: tuple[tuple[re.Pattern[bytes], str], ...] = tuple(
    (re.compile(pattern, re.DOTALL), what)
    for pattern, what in (
        (rb".{257}ustar", f"a tar {_ARCHIVE}"),
        (rb"7z\xbc\xaf\x27\x1c", f"a 7z {_ARCHIVE}"),
        (rb"Rar!\x1a\x07", f"a rar {_ARCHIVE}"),
        (
            rb"\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a|RIFF....WEBP|BM.{4}\0\0\0\0|\0\0\x01\0[\x01-\x40]\0|II\*\0|MM\0\*",
            _PICTURE,
        ),
        (rb"ID3[\x02-\x04]|OggS\0|fLaC|RIFF....(?:WAVE|AVI )|\x1aE\xdf\xa3|....ftyp|\xff[\xfb\xf3\xf2]", _SOUND),
        (rb"wOF[F2]|\0\x01\0\0\0.{7}|OTTO\0", _FONT),
        (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document: save it as .docx or .odt"),
        (rb"\{\\rtf", "an RTF document: save it as .docx or .odt"),
        (rb"SQLite format 3\0", "a database"),
        (rb"\x7fELF|MZ.{6,30}\0\0\0", _PROGRAM),
    )
)
_NAMES = {
    **dict.fromkeys((".tar", ".tgz", ".tbz", ".tbz2", ".txz"), f"a tar {_ARCHIVE}"),
    **dict.fromkeys(
        (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".ico", ".bmp", ".tif", ".tiff", ".avif"), _PICTURE
    ),
    **dict.fromkeys((".mp3", ".mp4", ".ogg", ".webm", ".wav", ".avi", ".mov", ".m4a"), _SOUND),
    **dict.fromkeys((".woff", ".woff2", ".ttf", ".otf", ".eot"), _FONT),
    ".css": "a style sheet",
    **dict.fromkeys((".js", ".mjs"), "a script"),
    **dict.fromkeys((".json", ".map", ".webmanifest"), "JSON data, not lines of JSON"),
    **dict.fromkeys(
        (".csv", ".tsv", ".xlsx", ".xls", ".ods"), "a table: save it as Parquet or lines of JSON, with a column `text`"
    ),
    **dict.fromkeys((".pptx", ".ppt", ".odp"), "a presentation"),
}


def foreign_by_content(head: bytes) -> str:
    """Say what a file is that begins with these bytes and can't be read; empty if it may be one that can."""
    return next((what for pattern, what in _MAGIC if pattern.match(head)), "")


def foreign_by_name(name: str) -> str:
    """Say what a file with this name is that can't be read; the name in lower case, without `.gz` and the like."""
    _, dot, ending = name.rpartition(".")
    return _NAMES.get(dot + ending, "")
