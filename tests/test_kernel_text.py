"""The kernel's text: compiled and uncompiled loops do what the functions of `text` and of the array code do."""

from __future__ import annotations

import ast
import zlib
from contextlib import suppress
from html.entities import html5
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from turbohtml import unescape

from gristmill.arrays.dtypes import Array
from gristmill.cleaning.uncompiled.blocks import _is_unusual
from gristmill.columns import Texts
from gristmill.kernel import characters, rows
from gristmill.text.composition import clean_text
from gristmill.text.units import utf16
from gristmill.text.words import count_words


def _modules(name: str) -> list[ModuleType]:
    """Give both ways to run a module of the kernel, where it is compiled."""
    found = [import_module(f"gristmill.kernel.{name}")]
    with suppress(ImportError):
        found.append(import_module(f"gristmill.kernel.compiled.{name}"))
    return found


TEXTS, REFERENCES = _modules("text"), _modules("references")
both_texts = pytest.mark.parametrize("kernel", TEXTS, ids=lambda module: module.__name__)
both_references = pytest.mark.parametrize("kernel", REFERENCES, ids=lambda module: module.__name__)

_AWKWARD = [
    *"a Z9.,:;|@©é ß\t\n\r\f\x0b\xa0\u3000\u2028\x85\x1c\x1e",
    *"\u0301\u0323\u1100\u1161\u11a8\uac00\u0e01\u0e38\u0e48\u0e4f\u1780\u1000\u0f40\u0f0b",
    *"好々かｶ。、！\u3099ﷺ\ufb1d\u0958क्ष\u0915\u093c\xad\ufeff\x01\x7f\x81\u200d\ufe0f\ufffd",
    *"😀👨🏽𝒜𐐀𠀀\U0001f100\U0001fbf3\U0001d15e\U000e0041\U0002f800\U0010ffff\U00011099\U000110ba",
    "\u0301" * 32,
    "e\u0301",
    "ab cd",
    "ไทย text 好好学习",
]
_REFERENCES = [
    *(
        "&amp;",
        "&nbsp;",
        "&nbsp",
        "&eacute;",
        "&nGt;",
        "&nLt;",
        "&copyright",
        "&notin;",
        "&noti",
        "&",
        "&&",
        "&;",
        "&#",
    ),
    *("&#x;", "&#9;", "&#x20;", "&#769;", "&#xe01;", "&#x597d", "&#129;", "&#128;", "&#0;", "&#1;", "&#xD800;"),
    *("&#x110000;", "&#99999999999999999999", "&#173;", "&shy;", "&zwj;", "&thinsp;", "&ThickSpace;", "&acE;", "&lt"),
]
texts = st.lists(st.sampled_from(_AWKWARD) | st.sampled_from(_REFERENCES) | st.characters(codec="utf-8")).map("".join)


class Piece(NamedTuple):
    text: str
    separator: int
    in_link: bool
    is_raw: bool


pieces = st.lists(
    st.builds(Piece, texts, st.integers(0, rows.BLOCK_END), st.booleans(), st.sampled_from([False] * 4 + [True])),
    max_size=8,
)


def _arrays(given_pieces: list[Piece]) -> tuple[bytes, Array]:
    """Put pieces into a page, with tags between them."""
    data = b"<p>"
    found = np.zeros((rows.PIECE_ROWS, len(given_pieces)), np.int32)
    for place, piece in enumerate(given_pieces):
        text = piece.text.encode()
        found[: rows.IS_RAW + 1, place] = len(data), len(data) + len(text), *piece[1:]
        data += text + b"<b>"
    return data, found


def _write(kernel: ModuleType, given_pieces: list[Piece]) -> tuple[list[str], list[str], list[int], list[int], bool]:
    folded, shown, offsets, counts, unusual = kernel.write(*_arrays(given_pieces))
    assert offsets.dtype == counts.dtype == np.int32
    assert (shown is folded) == (b"\n" not in shown)
    return (
        Texts(folded, offsets).tolist(),
        Texts(shown, offsets).tolist(),
        counts[rows.WORDS].tolist(),
        counts[rows.LINK_WORDS].tolist(),
        unusual,
    )


def _expected(given_pieces: list[Piece]) -> tuple[list[str], list[str], list[int], list[int], bool]:
    """Do the same with functions on strings, block by block."""
    blocks: list[list[Piece]] = []
    for piece in given_pieces:
        if not blocks or piece.separator == rows.BLOCK_END:
            blocks.append([])
        blocks[-1].append(piece)
    lines = [_lines(block) for block in blocks]
    folded = [_single_spaced(" ".join(some)) for some in lines]
    unusual = _is_unusual(" ".join(folded))
    clean = clean_text if unusual else _single_spaced
    cleaned = [list(filter(None, map(clean, some))) for some in lines]
    folded = [" ".join(some) for some in cleaned]
    shown = ["\n".join(some) for some in cleaned]
    if unusual:
        words = list(map(count_words, folded))
        link_words = [sum(count_words(_resolved(piece)) for piece in block if piece.in_link) for block in blocks]
    else:
        words = [len(text.split()) for text in folded]
        link_words = [sum(len(piece.text.encode().split()) for piece in block if piece.in_link) for block in blocks]
    return folded, shown, words, link_words, unusual


def _single_spaced(text: str) -> str:
    return " ".join(text.split())


def _resolved(piece: Piece) -> str:
    return piece.text if piece.is_raw else unescape(piece.text)


def _lines(block: list[Piece]) -> list[str]:
    lines = [""]
    for place, piece in enumerate(block):
        if place and piece.separator == rows.LINE_END:
            lines.append("")
        elif place and piece.separator == rows.SPACE:
            lines[-1] += " "
        lines[-1] += _resolved(piece)
    return lines


@both_texts
@given(some=pieces)
def test_texts_are_written_as_strings_would_be(kernel: ModuleType, some: list[Piece]) -> None:
    assert _write(kernel, some) == _expected(some)


@both_texts
def test_example(kernel: ModuleType) -> None:
    some = [
        Piece("Two  ", rows.NOTHING, False, False),
        Piece("mills", rows.NOTHING, True, False),
        Piece("&nbsp;", rows.NOTHING, False, False),
        Piece("grind", rows.LINE_END, False, False),
        Piece("flour", rows.BLOCK_END, False, False),
    ]
    assert _write(kernel, some) == (
        ["Two mills grind", "flour"],
        ["Two mills\ngrind", "flour"],
        [3, 1],
        [1, 0],
        False,
    )


@both_texts
def test_no_pieces_are_no_blocks(kernel: ModuleType) -> None:
    assert _write(kernel, []) == ([], [], [], [], False)


@both_texts
def test_words_of_scripts_without_spaces(kernel: ModuleType) -> None:
    some = [
        Piece("好好学习 and ไทย - 1", rows.NOTHING, True, False),
        Piece("well - known", rows.BLOCK_END, True, False),
    ]
    assert _write(kernel, some)[2:] == ([5, 3], [5, 3], True)


@both_texts
@given(some=st.lists(texts.map(clean_text)))
def test_measures_are_those_of_code_units(kernel: ModuleType, some: list[str]) -> None:
    found = kernel.measure(Texts.of(some).data, Texts.of(some).offsets)
    kinds = characters.kinds()
    for text, column in zip(some, found.T.tolist(), strict=True):
        here = kinds[utf16(text)]
        assert column[:8] == np.bincount(here, minlength=8).tolist()
        assert column[rows.LENGTH] == len(text)
        ends = [here[0], here[-1]] if text else [rows.SPACES] * 2
        assert column[rows.FIRST_KIND : rows.LAST_KIND + 1] == ends
        assert column[rows.ENDS_WITH_COLON :] == [text.endswith(":"), "©" in text, "@" in text]


@both_references
@given(text=texts)
def test_references_are_resolved(kernel: ModuleType, text: str) -> None:
    assert kernel.resolve(text.encode()).decode() == unescape(text)


@both_references
def test_all_names_are_resolved(kernel: ModuleType) -> None:
    for name in html5:
        for text in (f"&{name}", f"&{name}x", f"&{name[:-1]}", f"&{name}=", f"&{name};", f"a&&{name} b"):
            assert kernel.resolve(text.encode()).decode() == unescape(text)


@both_references
def test_numbers_are_resolved(kernel: ModuleType) -> None:
    numbers = [*range(0x300), *range(0xD7F0, 0xE010), *range(0xFDC0, 0x10010), *range(0x10FFF0, 0x110010), 1 << 70]
    for number in numbers:
        for text in (f"&#{number};", f"&#{number}g", f"&#x{number:x};", f"&#X{number:X} "):
            assert kernel.resolve(text.encode()).decode() == unescape(text)


@both_references
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"?a=1&copy=2", b"?a=1&copy=2"),
        (b"?a=1&copy2", b"?a=1&copy2"),
        (b"?a=1&notit;", b"?a=1&notit;"),
        (b"?a=1&copy;=2", "?a=1©=2".encode()),
        (b"&copy", "©".encode()),
        (b"&copy.", "©.".encode()),
        (b"&amp;lt;&#38=", b"&lt;&="),
    ],
)
def test_old_names_in_attributes_are_left_where_they_may_be_parameters(
    kernel: ModuleType, text: bytes, expected: bytes
) -> None:
    assert kernel.resolve(text, True) == expected


def test_table_is_that_of_the_package_text() -> None:
    """Characters that this Python's Unicode has and the table's has not are unassigned there."""
    table = np.frombuffer(zlib.decompress(Path(characters.__file__).with_name("characters.bin").read_bytes()), np.uint8)
    made = np.frombuffer(characters.make(), np.uint8)
    differ = np.flatnonzero(table != made)
    without_script = np.uint8(~(rows.SCRIPT_BITS << rows.SCRIPT_SHIFT) & 0xFF)
    unassigned = [(version[differ] & without_script == rows.OTHERS).all() for version in (table, made)]
    assert any(unassigned)  # all in the older version
    assert len(differ) < 1000


def test_rows_have_names_of_their_own() -> None:
    """A second row of the same name would silently change what the first one means."""
    assigned = [
        name.id
        for node in ast.walk(ast.parse(Path(rows.__file__).read_text("utf-8")))
        if isinstance(node, ast.Assign)
        for target in node.targets
        for name in ast.walk(target)
        if isinstance(name, ast.Name)
    ]
    assert sorted(assigned) == sorted(set(assigned))
