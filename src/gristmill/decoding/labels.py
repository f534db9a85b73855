"""Names and decoders of encodings: those of the WHATWG Encoding Standard, and a few more that only old pages use."""

from __future__ import annotations

import codecs
import functools
import re

_LABEL = re.compile(r"[\w:.+-]{1,40}", re.ASCII)
_UNICODE = {
    "utf-8": "UTF-8",
    "utf8": "UTF-8",
    "utf-16": "UTF-16LE",
    "utf-16le": "UTF-16LE",
    "utf-16be": "UTF-16BE",
    "unicode": "UTF-16LE",
    "ucs-2": "UTF-16LE",
    "utf-32": "UTF-32LE",
    "utf-32le": "UTF-32LE",
    "utf-32be": "UTF-32BE",
}
_NO_ANSWERS = {None, "replacement", "x-user-defined", "windows-1252"}  # the last is what any unknown label gives
_WINDOWS_1252 = frozenset(
    "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 "
    "iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252".split()
)
# Beyond the standard: code pages of DOS and the Macintosh, and 7-bit forms of Chinese and Korean. Python's names.
_MORE = frozenset(
    "cp437 cp737 cp775 cp850 cp852 cp855 cp857 cp858 cp860 cp861 cp862 cp863 cp865 cp869 kz1048 koi8-t ptcp154 "
    "mac-latin2 mac-greek mac-turkish mac-iceland mac-croatian mac-romanian hz iso2022_kr johab".split()
)
_WIDE = frozenset({"Shift_JIS", "EUC-JP", "EUC-KR", "gb18030", "GBK", "Big5", "johab"})
_PYTHON = {
    "macintosh": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
    "IBM866": "cp866",
    "windows-874": "cp874",
    "EUC-KR": "cp949",
    "Shift_JIS": "cp932",
    "Big5": "big5hkscs",
    "ISO-8859-8-I": "iso-8859-8",
}


@functools.lru_cache(maxsize=512)
def canonical(label: str) -> str | None:
    """The name of the encoding that a label stands for, or None if it stands for none."""
    label = label.strip().strip("\"'").lower()
    if not _LABEL.fullmatch(label):
        return None
    if label in _UNICODE:
        return _UNICODE[label]
    from turbohtml.detect import detect  # noqa: PLC0415 (most pages are in UTF-8)

    try:
        codecs.lookup(f"whatwg-{label}")
    except LookupError:
        return _canonical_of_more(label)
    # The standard's own table is inside the parser: a page that declares the label is read with the encoding it stands
    # for.
    for spelling in (label, label.replace("_", "-")):
        name = detect(f'<meta charset="{spelling}">'.encode()).encoding
        if name not in _NO_ANSWERS or spelling in _WINDOWS_1252:
            return name
    return _canonical_of_more(label)


def _canonical_of_more(label: str) -> str | None:
    try:
        codec = codecs.lookup(label).name
    except LookupError:
        return None
    return next((name for name in _MORE if codecs.lookup(name).name == codec), None)


def is_known(name: str) -> bool:
    """Whether a name is canonical, as `canonical` gives them."""
    return canonical(name) == name


def is_wide(encoding: str) -> bool:
    """Whether characters of an encoding take a varying number of bytes, as those of East Asia do."""
    return encoding in _WIDE


def python_codec(encoding: str) -> str:
    """The name of the codec in Python that is nearest to an encoding."""
    return _PYTHON.get(encoding, encoding)


def decode(encoding: str, data: bytes) -> str:
    """Decode as browsers do; what can't be decoded becomes U+FFFD."""
    if encoding == "UTF-8" or encoding.startswith(("UTF-16", "UTF-32")) or encoding in _MORE:
        return data.decode(encoding, "replace")
    return _decoder(encoding)(data)[0]


@functools.lru_cache(maxsize=64)
def _decoder(encoding: str) -> codecs._Decoder:
    import turbohtml.detect  # noqa: F401, PLC0415 (it makes the codecs known; as above)

    return codecs.lookup(f"whatwg-{encoding}").decode
