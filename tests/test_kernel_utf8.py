"""What the kernel says of bytes: compiled, uncompiled, and as Python's own decoder and plain regular expressions do."""

from __future__ import annotations

import importlib
import pickle
import re
from types import ModuleType

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import gristmill
from gristmill import kernel
from gristmill.decoding import Decoded, mojibake, normalisation, tidy
from gristmill.decoding.normalisation import tidy_text, tidy_utf8, untidy
from gristmill.kernel import utf8 as loops
from gristmill.text.units import count_characters

MODULES = [loops]
if kernel.COMPILED:
    MODULES.append(importlib.import_module("gristmill.kernel.compiled.utf8"))

# Characters with which something happens: line ends, controls, marks, letters they go with, Hangul, mojibake, emoji.
ODD = (
    "\r\n\t\x00\x0b\x0c\x1f\x7f\x85\x9f\xa0\xad\u0300\u0301\u0338\u0345\u0327\u0f71\u0f72\u094d\ue000\ufeff\uffff"
    "e=<>é\u1100\u1161\u11a8\uac00\u2126\u0958\ufb1d中\U0001d15e\U0001f600\U00020000\U0002f800ÃÂâ€™Å“ "
)
TEXTS = st.text(st.one_of(st.sampled_from(ODD), st.characters(exclude_categories=["Cs"])), max_size=60)
# So that bytes beyond ASCII stand at all places of the eight that are looked at together.
PADDED = st.builds(
    lambda *parts: "x" * parts[0] + parts[1] + "y" * parts[2], st.integers(0, 17), TEXTS, st.integers(0, 17)
)
BYTES = st.one_of(
    st.binary(max_size=40),
    PADDED.map(str.encode),
    st.builds(
        lambda text, at, byte: text[:at] + byte + text[at:], PADDED.map(str.encode), st.integers(0, 80), st.binary()
    ),
    st.builds(lambda text, cut: text[:cut], PADDED.map(str.encode), st.integers(0, 80)),
)


def plainly(text: str) -> str:
    """Tidy a text in the slow way: what is not to be tidied is looked at, too."""
    return normalisation._tidy_closely(text.replace("\r\n", "\n").replace("\r", "\n"))


@pytest.mark.parametrize("module", MODULES)
@given(BYTES)
@example(b"\xed\xa0\x80")
@example(b"\xc0\x80")
@example(b"\xe0\x80\x80")
@example(b"\xf0\x80\x80\x80")
@example(b"\xf4\x90\x80\x80")
@example(b"\xf8\x88\x80\x80\x80")
@example(b"12345678\xf0\x9f\x98")
def test_a_survey(module: ModuleType, data: bytes) -> None:
    characters, beyond, runs, may_be_mojibake = module.survey(data, untidy())
    try:
        text = data.decode()
    except UnicodeDecodeError:
        assert characters == -1
        return
    assert (characters, beyond) == (len(text), sum(not character.isascii() for character in text))
    assert count_characters(data) == len(text)
    flags = "".join("01"[untidy()[int.from_bytes(one.encode("utf-16-be")[:2])]] for one in text)
    assert runs == len(re.findall("1+", flags))
    assert may_be_mojibake or not mojibake.is_suspicious(data)


@pytest.mark.parametrize("module", MODULES)
@given(PADDED)
def test_runs(module: ModuleType, text: str) -> None:
    data = text.replace("\r", "").encode()
    runs = module.find_runs(data, untidy(), module.survey(data, untidy())[2])
    pieces = [data[start:end] for start, end in runs.T.tolist()]
    assert module.gather(data, runs) == b"".join(piece + b"\n" for piece in pieces)
    assert module.splice(data, runs, module.gather(data, runs)) == data
    rest = [data[end:start] for end, start in zip([0, *runs[1]], [*runs[0], len(data)], strict=True)]
    assert module.splice(data, runs, b"\n" * len(pieces)) == b"".join(rest)
    assert module.splice(data, runs, b"??\n" * len(pieces)) == b"??".join(rest)


@pytest.mark.parametrize("module", MODULES)
@given(st.text(st.sampled_from("\r\nab"), max_size=30).map(str.encode))
def test_line_ends(module: ModuleType, data: bytes) -> None:
    assert module.unix_lines(data) == data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


@given(PADDED)
@example("e\r\u0301")
@example("e\xad\u0301")
@example("=\u0338")
@example("\u0301" * 100)
@example("e" + "\u0301\xad" * 100)
def test_only_runs_are_tidied_but_all_is_tidy(text: str) -> None:
    tidied = tidy_utf8(text.encode())
    assert tidied
    assert tidied.utf8.decode() == plainly(text) == tidy(text)
    assert tidy_text(text) == tidied.utf8
    arrays = normalisation._tidy_arrays(text.encode())
    assert arrays
    assert arrays[:2] == tidied[:2]


def test_text_with_lone_surrogates() -> None:
    assert tidy_text("\ud800x\r") == "\ufffdx\n".encode()


def test_a_decoded_text_is_like_a_tuple() -> None:
    decoded = gristmill.decode("Mühle\r\n".encode())
    text, encoding, step, repaired = decoded
    assert (text, encoding, step, repaired) == ("Mühle\n", "UTF-8", "utf-8", False)
    assert decoded == ("Mühle\n", "UTF-8", "utf-8", False) == Decoded("Mühle\n", "UTF-8", "utf-8")
    assert (decoded.utf8, len(decoded), decoded[0], decoded[-1]) == ("Mühle\n".encode(), 4, text, False)
    assert repr(decoded) == "Decoded(text='Mühle\\n', encoding='UTF-8', decided_by='utf-8', repaired=False)"
    assert pickle.loads(pickle.dumps(decoded)) == decoded  # noqa: S301
    assert len({decoded, Decoded("Mühle\n", "UTF-8", "utf-8")}) == 1
