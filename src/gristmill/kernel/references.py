"""Character references by the HTML standard: `resolve` replaces all of a text, `reference_at` reads one.

    &eacute;   é                &#233;  &#xE9;   é
    &copy      © (an old name, which needs no semicolon), so `&copyright` is ©right
    &copy=1    in an attribute it stays as it is: it is a parameter of an address
    &#128;     €, as it was meant: what the standard's table says for numbers of Windows' code page

A number that stands for no character (a control, or U+FFFE and the like) is replaced by nothing.
"""

from __future__ import annotations

from html.entities import html5

_NAMES = {name.encode(): text.encode() for name, text in html5.items()}
"""All names, those that need a semicolon with it."""
_MAX_NAME = max(map(len, _NAMES))
_MAX_OLD_NAME = max(len(name) for name in _NAMES if not name.endswith(b";"))
_MIN_NAME = 2
_LAST_CODE_POINT = 0x10FFFF
_LOWER = 32
"""The bit that makes a letter lower-case."""
_NUMBER_SIGN = ord("#")
_SEMICOLON = ord(";")
_EQUALS = ord("=")
_DIGIT_0 = ord("0")
_DIGIT_9 = ord("9")
_LETTER_A = ord("a")
_LETTER_F = ord("f")
_LETTER_X = ord("x")
_LETTER_Z = ord("z")
_SPACE = ord(" ")
_DELETE = 0x7F
_NO_DIGIT = 16
# Numbers 128 to 159 are meant as in Windows' code page 1252, which leaves five of them without a character.
_WINDOWS = [bytes([number]).decode("cp1252", "ignore").encode() or chr(number).encode() for number in range(0x80, 0xA0)]
_REPLACEMENT = "\ufffd".encode()


def reference_at(data: bytes, at: int, end: int, in_attribute: bool = False) -> tuple[bytes, int]:
    """Read the reference that begins at a `&`: its text in UTF-8, and the place behind it.

    If there is none, it is the `&` itself.
    """
    if at + 1 < end and data[at + 1] == _NUMBER_SIGN:
        return _number_at(data, at, end)
    begin = at + 1
    stop = begin
    last = min(end, begin + _MAX_NAME)
    while stop < last and _is_alphanumeric(data[stop]):
        stop += 1
    if stop < end and data[stop] == _SEMICOLON:
        text = _NAMES.get(data[begin : stop + 1])
        if text is not None:
            return text, stop + 1
    stop = min(stop, begin + _MAX_OLD_NAME)
    while stop >= begin + _MIN_NAME:
        text = _NAMES.get(data[begin:stop])
        if text is not None:
            if in_attribute and stop < end and (data[stop] == _EQUALS or _is_alphanumeric(data[stop])):
                break
            return text, stop
        stop -= 1
    return b"&", begin


def _number_at(data: bytes, at: int, end: int) -> tuple[bytes, int]:
    """Read the reference that begins with `&#`."""
    place = at + 2
    is_hexadecimal = place < end and data[place] | _LOWER == _LETTER_X
    base = 16 if is_hexadecimal else 10
    place += is_hexadecimal
    number = 0
    begin = place
    while place < end:
        digit = _digit(data[place])
        if digit >= base:
            break
        number = min(number * base + digit, _LAST_CODE_POINT + 1)
        place += 1
    if place == begin:
        return b"&", at + 1
    if place < end and data[place] == _SEMICOLON:
        place += 1
    return _text_of_number(number), place


def _text_of_number(number: int) -> bytes:
    """Give what a number stands for, in UTF-8."""
    if number == 0 or number > _LAST_CODE_POINT or 0xD800 <= number < 0xE000:
        return _REPLACEMENT
    if 0x80 <= number < 0xA0:
        return _WINDOWS[number - 0x80]
    is_control = (number < _SPACE and chr(number) not in "\t\n\f\r") or number == _DELETE
    if is_control or 0xFDD0 <= number < 0xFDF0 or number & 0xFFFE == 0xFFFE:
        return b""
    return chr(number).encode()


def _is_alphanumeric(byte: int) -> bool:
    """Tell whether a byte is a letter or a digit of ASCII."""
    return _DIGIT_0 <= byte <= _DIGIT_9 or _LETTER_A <= byte | _LOWER <= _LETTER_Z


def _digit(byte: int) -> int:
    """Give the value of a hexadecimal digit; `_NO_DIGIT` if it is none."""
    if _DIGIT_0 <= byte <= _DIGIT_9:
        return byte - _DIGIT_0
    letter = byte | _LOWER
    return letter - _LETTER_A + 10 if _LETTER_A <= letter <= _LETTER_F else _NO_DIGIT


def resolve(data: bytes, in_attribute: bool = False) -> bytes:
    """Resolve all character references of a text in UTF-8."""
    at = data.find(b"&")
    if at < 0:
        return data
    parts = []
    copied = 0
    while at >= 0:
        text, behind = reference_at(data, at, len(data), in_attribute)
        parts.append(data[copied:at])
        parts.append(text)
        copied = behind
        at = data.find(b"&", behind)
    parts.append(data[copied:])
    return b"".join(parts)
