"""Characters that text should not have: control characters, odd line ends, decomposed letters."""

from __future__ import annotations

import functools
import re
import unicodedata

import numpy as np
import numpy.typing as npt

# Controls that stand between words become a space; the others carry nothing. Tab, line feed and form feed are white space already.
_SEPARATORS = "\x0b\x1c\x1d\x1e\x1f\x85"
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_ASCII_CONTROLS = {code: " " if chr(code) in _SEPARATORS else "" for code in (*range(9), 11, *range(14, 32), 127)}


def tidy(text: str) -> str:
    """Unix line ends, no control characters or lone surrogates, Unicode normal form C."""
    text = unix_lines(text)
    if text.isascii():
        return text if text.isprintable() else text.translate(_ASCII_CONTROLS)
    if _CONTROLS.search(text):
        text = _CONTROLS.sub(_replacement, text)
    return unicodedata.normalize("NFC", text)


def unix_lines(text: str) -> str:
    """Lines that end with a line feed alone."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def is_tidy(utf8: bytes) -> bool:
    """Whether UTF-8 bytes surely need no tidying, but for line ends: much faster than looking at the characters.

    Characters are judged by the first two of their bytes; where these may begin a character that needs care, the answer is no.
    """
    data = np.frombuffer(utf8, np.uint8)
    if not _WHITE_SPACE[data[data < 0x20]].all() or b"\x7f" in utf8:
        return False
    leads = np.flatnonzero(data > 0xC1)
    pairs = data[leads].astype(np.uint32) << 8 | data[leads + 1]
    careless, exceptions = _careless_pairs()
    if not careless[pairs].all():
        return False
    common = leads[np.isin(pairs, _COMMON_PAIRS)]
    triples = data[common].astype(np.uint32) << 16 | data[common + 1].astype(np.uint32) << 8 | data[common + 2]
    return not np.isin(triples, exceptions).any()


_WHITE_SPACE = np.isin(np.arange(0x20), [ord(character) for character in "\n\r\t\f"])
# First two bytes of quotes and dashes, of letter-like symbols, and of kana: common, with a few characters among them that need care.
_COMMON_PAIRS = np.array([0xE280, 0xE284, 0xE382], np.uint32)


@functools.cache
def _careless_pairs() -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.uint32]]:
    """For the first two bytes of a character: none of these characters is a control or takes part in composition.

    The second array has the characters that do among those with common pairs.
    """
    careless = np.zeros(1 << 16, np.bool_)
    careless[0xC280:0xEFC0] = True
    careless[0xF09F] = True  # emoji; the rest beyond the basic plane is rare enough to be looked at closely
    composing = {pair[1] for pair in map(_canonical_pair, range(0x10000)) if pair} | set(range(0x1100, 0x1200))
    exceptions = []
    for code in (*range(0x80, 0xD800), *range(0xE000, 0x10000)):
        character = chr(code)
        if code < 0xA0 or code in composing or unicodedata.combining(character) or not unicodedata.is_normalized("NFC", character):
            encoded = character.encode()
            pair = encoded[0] << 8 | encoded[1]
            if pair in _COMMON_PAIRS:
                exceptions.append(int.from_bytes(encoded))
            else:
                careless[pair] = False
    return careless, np.array(exceptions, np.uint32)


def _canonical_pair(code: int) -> tuple[int, int] | None:
    parts = unicodedata.decomposition(chr(code)).split()
    return (int(parts[0], 16), int(parts[1], 16)) if len(parts) == 2 and not parts[0].startswith("<") else None


def _replacement(match: re.Match[str]) -> str:
    return " " if match[0] in _SEPARATORS else "\ufffd" if match[0] >= "\ud800" else ""
