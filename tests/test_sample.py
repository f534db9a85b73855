"""The bundled sample is what the sources give, and as rich as it is meant to be."""

from __future__ import annotations

from collections import Counter
from typing import Any

from gristmill import sample
from gristmill.archive import Skip, find_sources, read
from sample import pack, web


def test_the_archive_and_the_truth_are_made_again_from_the_sources() -> None:
    sites = web.load()
    assert pack.same_pages(pack.warc(sites), sample.WARC.read_bytes())
    assert pack.truth(sites) == sample.TRUTH.read_bytes()


def test_making_it_twice_gives_the_same_bytes() -> None:
    assert pack.warc(web.load()) == pack.warc(web.load())


def test_a_changed_source_is_noticed() -> None:
    sites = web.load()
    sites[3].pages[1].html += " "
    assert not pack.same_pages(pack.warc(sites), sample.WARC.read_bytes())


def test_it_is_small_enough_to_ship() -> None:
    assert sample.WARC.stat().st_size <= 1_000_000


def test_it_is_as_varied_as_promised(truth: dict[str, dict[str, Any]]) -> None:
    pages = truth.values()
    assert len(pages) >= 80
    assert len({page["url"].split("/")[2] for page in pages}) >= 12
    assert {"en", "de", "fr", "cs", "pl", "el", "ru", "ja", "zh"} <= {page["lang"] for page in pages}
    assert {page["type"] for page in pages} == {
        "article",
        "blog",
        "forum",
        "product",
        "listing",
        "documentation",
        "home",
    }
    encodings = {page["encoding"] for page in pages}
    assert {
        "utf-8",
        "cp1250",
        "iso-8859-1",
        "iso-8859-2",
        "iso-8859-7",
        "koi8-r",
        "cp1251",
        "shift_jis",
        "gb18030",
    } <= encodings
    undeclared = [
        page
        for page in pages
        if not page["http_charset"] and not page["meta_charset"] and page["encoding"] != "utf-8-sig"
    ]
    assert len(undeclared) >= 5
    relations = Counter(
        block.get("relation") for page in pages for block in page["blocks"] if block["role"] != "boilerplate"
    )
    assert relations["same"] >= 20
    assert relations["revised"] >= 10
    assert relations["teaser"] >= 20
    assert sum("copy_of" in page for page in pages) >= 4


def test_every_copy_points_at_a_block_that_exists(truth: dict[str, dict[str, Any]]) -> None:
    for page in truth.values():
        for block in page["blocks"]:
            if block.get("relation") == "same":
                url, number = block["copy_of"]
                assert truth[url]["blocks"][number]["text"] == block["text"]


def test_the_crawl_around_the_pages_is_there_too() -> None:
    items = list(read(find_sources(["sample"])[0]))
    assert {item.reason for item in items if isinstance(item, Skip)} == {"other", "revisit"}
    assert {item.status for item in items if not isinstance(item, Skip)} == {200, 301, 404}
