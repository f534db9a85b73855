"""Results that were found by other means: files with addresses for queries, and pages that were saved."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from provider_asking import GUITAR, ask

from gristmill.bootstrapping.providers import ProviderError, provider_of
from gristmill.bootstrapping.providers.file import FileProvider
from gristmill.bootstrapping.query import Query
from gristmill.errors import UsageError
from gristmill.fetching.access import Access
from gristmill.fetching.session import Session


def written(tmp_path: Path, text: str | bytes, name: str = "results.tsv") -> str:
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return f"file:{tmp_path / name}"


def test_a_file_with_addresses_for_queries(tmp_path: Path) -> None:
    spec = written(
        tmp_path,
        "\ufeff# found by hand\n"
        "guitar fret\thttp://a.example/\tTitle A\n"
        "Fret guitar\thttp://a.example/#again\n"
        "guitar fret\thttp://b.example/\r\n"
        "guitar fret\tjavascript:alert(1)\n"
        "guitar fret\thttp://10.0.0.1/\n"
        '"bass drum" snare\thttp://c.example/\n',
    )
    found, left_out = ask(spec)
    assert [(result.url, result.title) for result in found] == [
        ("http://a.example/", "Title A"),
        ("http://b.example/", ""),
    ]
    assert left_out == {"no web address": 1, "private network": 1}
    assert [result.url for result in ask(spec, count=1)[0]] == ["http://a.example/"]
    assert ask(spec, GUITAR)[0] == found  # the file knows only the first forms, without filter words
    assert [result.url for result in ask(spec, Query((("snare",), ("Bass Drum",))))[0]] == ["http://c.example/"]
    with pytest.raises(ProviderError, match="no addresses for the query banjo") as raised:
        ask(spec, Query((("banjo",),)))
    assert raised.value.retry_seconds is None
    assert not raised.value.is_fatal


def test_a_file_with_blocks_of_addresses(tmp_path: Path) -> None:
    spec = written(
        tmp_path, "(guitar OR guitars) fret and\nhttp://a.example/\n  http://b.example/\n\nbass\nhttp://c.example/"
    )
    assert [result.url for result in ask(spec, GUITAR)[0]] == ["http://a.example/", "http://b.example/"]
    assert [result.url for result in ask(spec, Query((("bass",),)))[0]] == ["http://c.example/"]

    async def queries() -> list[str]:
        async with Session.open(Access()) as session:
            provider = provider_of(spec, session, lang="")
            assert isinstance(provider, FileProvider)
            return provider.queries

    assert asyncio.run(queries()) == ["(guitar OR guitars) fret and", "bass"]


def test_a_folder_with_a_file_for_each_query(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "guitar fret.txt").write_text("http://a.example/\nhttp://b.example/\tB\n")
    (folder / "2.txt").write_text("bass drum\nhttp://c.example/\n")
    (folder / ".hidden").write_text("http://d.example/\n")
    assert [result.url for result in ask(f"file:{folder}")[0]] == ["http://a.example/", "http://b.example/"]
    assert [result.url for result in ask(f"file:{folder}", Query((("bass",), ("drum",))))[0]] == ["http://c.example/"]


def test_files_that_are_wrong(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="line 2: an address with no query"):
        ask(written(tmp_path, "# mine\nhttp://a.example/\n"))
    long = "x" * 100_000
    spec = written(
        tmp_path, f"guitar fret\t{long}\n\x00\xff\nguitar fret\tnothing\nguitar fret\thttp://a.example/".encode()
    )
    found, left_out = ask(spec)
    assert len(found) == 1
    assert left_out == {"line too long": 1, "no web address": 1}


SAVED = """<!DOCTYPE html>
<!-- saved from url=(0052)https://www.search.example/find?client=x&q=Fret+guitar -->
<html><body><a href="https://www.search.example/settings">Settings</a> <a href="/images?q=guitar">Images</a>
<a href="https://a.example/frets">Frets</a> <a href="https://a.example/frets#more">More</a>
<a href="/url?sa=t&amp;url=https%3A%2F%2Fb.example%2Fguitar%3Fx%3D1&amp;ved=7">Guitars</a>
<a href="https://help.search.example/">Help</a> <a href="javascript:void(0)">Close</a>
<a href="//search.example/l/?uddg=http://10.0.0.1/">Private</a> <a href="mailto:me@a.example">Mail</a>"""


@pytest.mark.parametrize("name", ["1.html", "2.HTM"])
def test_pages_of_results_that_were_saved(tmp_path: Path, name: str) -> None:
    spec = written(tmp_path, SAVED, name)
    for place in (spec, f"file:{tmp_path}"):
        found, left_out = ask(place)
        assert [result.url for result in found] == ["https://a.example/frets", "https://b.example/guitar?x=1"]
        assert left_out == {"private network": 1}


def test_a_saved_page_without_its_address_has_its_query_in_its_name(tmp_path: Path) -> None:
    text = SAVED.replace("saved from", "from")
    found, _ = ask(written(tmp_path, text, "guitar fret.html"))
    assert found[0].url == "https://www.search.example/settings"  # nobody knows which engine it was


@pytest.mark.parametrize("data", [b"", b"\x00\xff" * 1000, b"<a href=" * 10_000, b"<!-- saved from url=(1)http://[x"])
def test_saved_pages_that_are_broken(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(ProviderError, match="no addresses"):
        ask(written(tmp_path, data, "x.html"))
