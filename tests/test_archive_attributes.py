"""Attributes of pages in WARC files: written and read, whatever stands there."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.archive import find_sources, read
from gristmill.archive.attributes import FIELD, from_field, to_field
from gristmill.archive.writer import HTTP_RESPONSE, make_record
from gristmill.document import Page

_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=50)


@given(st.dictionaries(st.from_regex(r"\A[a-z][a-z0-9_]{0,31}\Z"), _TEXT, max_size=8))
def test_what_is_written_is_read(attributes: dict[str, str]) -> None:
    text = to_field(attributes)
    assert text.isascii()
    expected = {
        name: " ".join("".join(c if c.isprintable() else " " for c in value).split())
        for name, value in attributes.items()
    }
    assert {name: value for name, value in from_field(text).items() if value} == {
        name: value for name, value in expected.items() if value
    }


@given(st.one_of(st.text(), st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps)))
def test_anything_may_stand_there(text: str) -> None:
    assert isinstance(from_field(text), dict)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("[" * 100_000, {}),
        ('{"a": 1, "b": "x", "C": "y", "d e": "z"}', {"b": "x"}),
        ('{"a": "x\\u001b[31m\\ny"}', {"a": "x [31m y"}),
        ('{"a": "\\ud800x"}', {"a": "x"}),
        (
            '{"a": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"}',
            {"a": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"},
        ),
        ('"text"', {}),
        ('{"a": ""}', {}),
    ],
)
def test_what_is_no_attribute_is_left_out(text: str, expected: dict[str, str]) -> None:
    assert from_field(text) == expected


@pytest.mark.parametrize("character", ["x", "ý", "\U0001f33e", '"'])
def test_readers_take_the_longest_field(character: str, tmp_path: Path) -> None:
    attributes = dict.fromkeys(("query", "summary", "title"), character * 100000)
    fields = {"WARC-Target-URI": "http://example.org/", FIELD: to_field(attributes)}
    record = make_record("response", "2026-11-17T00:00:00Z", b"HTTP/1.1 200 OK\r\n\r\nx", HTTP_RESPONSE, fields)
    path = tmp_path / "a.warc.gz"
    path.write_bytes(gzip.compress(record))
    (page,) = read(find_sources([path])[0], 1_000_000)
    assert isinstance(page, Page)
    assert all(set(value) == {character} and len(value) > 400 for value in page.attributes.values())


def test_long_values_are_cut() -> None:
    assert len(from_field(to_field({"a": "x" * 100_000}))["a"]) == 10_000
    assert len(from_field(json.dumps({f"a{number}": "x" for number in range(1_000)}))) == 32


@pytest.mark.parametrize("kind", ["response", "conversion"])
def test_pages_have_the_attributes_of_their_records(kind: str, tmp_path: Path) -> None:
    fields = {"WARC-Target-URI": "http://example.org/", FIELD: to_field({"query": "mlýn voda", "round": "2"})}
    html = b"<p>hello"
    content, content_type = (
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + html, HTTP_RESPONSE)
        if kind == "response"
        else (html, "text/html")
    )
    record = make_record(kind, "2026-11-17T00:00:00Z", content, content_type, fields)  # type: ignore[arg-type]
    path = tmp_path / "a.warc.gz"
    path.write_bytes(gzip.compress(record))
    (page,) = read(find_sources([path])[0], 1_000_000)
    assert isinstance(page, Page)
    assert (page.body, page.attributes) == (html, {"query": "mlýn voda", "round": "2"})
