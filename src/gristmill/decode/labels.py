"""Encoding labels and decoders of the WHATWG Encoding Standard."""

from __future__ import annotations

import codecs
import functools
import re

from turbohtml.detect import detect

_LABEL = re.compile(r"[\w:.+-]{1,40}", re.ASCII)
_UTF16 = {"utf-16": "UTF-16LE", "utf-16le": "UTF-16LE", "utf-16be": "UTF-16BE", "unicode": "UTF-16LE", "ucs-2": "UTF-16LE"}


@functools.lru_cache(maxsize=512)
def canonical(label: str) -> str | None:
    """The name of the encoding that a label stands for, or None if it stands for none."""
    label = label.strip().strip("\"'").lower()
    if not _LABEL.fullmatch(label):
        return None
    if label in _UTF16:
        return _UTF16[label]
    try:
        codecs.lookup(f"whatwg-{label}")
    except LookupError:
        return None
    # The standard's own table is inside the parser: a page that declares the label is read with the encoding it stands for.
    name = detect(f'<meta charset="{label}">'.encode()).encoding
    return None if name in {None, "replacement", "x-user-defined"} else name


def decode(encoding: str, data: bytes) -> str:
    """Decode as browsers do; what can't be decoded becomes U+FFFD."""
    if encoding == "UTF-8":
        return data.decode("utf-8", "replace")
    if encoding in {"UTF-16LE", "UTF-16BE"}:
        return data.decode(encoding, "replace")
    return _decoder(encoding)(data)[0]


@functools.lru_cache(maxsize=64)
def _decoder(encoding: str) -> codecs._Decoder:
    return codecs.lookup(f"whatwg-{encoding}").decode
