"""Texts of others in one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.wording import one_line


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        ("  a\n b\tc ", None, "a b c"),
        ("a\x1b[31mb", None, "a [31mb"),
        ("a\u202eb\u2066c\ud800d", None, "a b c d"),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", None, "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"),
        ("one two", 4, "one"),
        ("", 5, ""),
    ],
)
def test_one_line(text: str, most: int | None, expected: str) -> None:
    assert one_line(text, most) == expected


@given(st.text())
def test_any_text_becomes_a_line_that_can_be_stored(text: str) -> None:
    line = one_line(text, 20)
    assert len(line) <= 20
    assert len(line.splitlines()) <= 1
    line.encode()
    assert one_line(line, 20) == line
