"""Block lists: domains with their subdomains, beginnings of addresses, and words in addresses."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import gristmill
from gristmill.config import Config, FilterConfig
from gristmill.corpus import Selection
from gristmill.document import Page
from gristmill.engine import InlineEngine
from gristmill.errors import UsageError
from gristmill.filter import chain_of, files_of
from gristmill.filter.addresses import place_of, read_addresses
from gristmill.pipeline import process


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    """In the form of UT1: a folder for each category, with other files beside."""
    folder = tmp_path / "lists"
    for name, text in {
        "adult/domains": "bad.example\nSub.Worse.example\n10.1.2.3\n",
        "adult/urls": "mixed.example/dark\nhttp://www.paths.example/a/b.html\nmixed.example/q?id=1\n",
        "adult/expressions": "(good|fine)\n",
        "gambling/domains": "# a comment\n\n.dots.example # why\n*.stars.example\nhttps://whole.example/\nmüller.example\n",
        "mine.txt": "\ufeff0.0.0.0 hosts.example\n127.0.0.1\ttabs.example\nxxx\n",
        "README": "good.example\n",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def fault(spec: str, url: str) -> str | None:
    found = chain_of(FilterConfig((spec,))).fault_of_page(Page(url, b"x"))
    assert found is None or found.reason == "blocklist"
    return found.detail if found else None


@pytest.mark.parametrize(
    ("url", "entry", "name"),
    [
        ("http://bad.example/", "bad.example", "adult/domains"),
        ("https://user:pass@WWW.Bad.Example.:8080/x?y", "bad.example", "adult/domains"),
        ("http://sub.worse.example", "sub.worse.example", "adult/domains"),
        ("http://10.1.2.3/x", "10.1.2.3", "adult/domains"),
        ("http://mixed.example/dark", "mixed.example/dark", "adult/urls"),
        ("http://www.mixed.example/dark/corner.html", "mixed.example/dark", "adult/urls"),
        ("http://mixed.example/q?id=1&x=2", "mixed.example/q?id=1", "adult/urls"),
        ("http://www.paths.example/a/b.html#c", "www.paths.example/a/b.html", "adult/urls"),
        ("http://dots.example/", "dots.example", "gambling/domains"),
        ("http://a.stars.example/", "stars.example", "gambling/domains"),
        ("http://whole.example/x", "whole.example", "gambling/domains"),
        ("http://xn--mller-kva.example/", "xn--mller-kva.example", "gambling/domains"),
        ("http://www.müller.example/", "xn--mller-kva.example", "gambling/domains"),
        ("http://hosts.example/", "hosts.example", "mine.txt"),
        ("http://tabs.example/", "tabs.example", "mine.txt"),
        ("http://any.xxx/", "xxx", "mine.txt"),
    ],
)
def test_listed(lists: Path, url: str, entry: str, name: str) -> None:
    assert fault(f"blocklist:lists={lists}", url) == f"{entry} is in the list {name}"


@pytest.mark.parametrize(
    "url",
    "http://good.example/ http://notbad.example/ http://worse.example/ http://bad.example.org/ http://mixed.example/ "
    "http://mixed.example/darkness http://mixed.example/q?id=12 http://paths.example/a/b.html "
    "http://www.paths.example/a/ "
    "http://fine.example/ http://10.1.2.34/ file:bad.example http:// http://[::1]/ //".split(),
)
def test_not_listed(lists: Path, url: str) -> None:
    assert fault(f"blocklist:lists={lists}", url) is None


def test_some_categories_or_one_file(lists: Path) -> None:
    assert fault(f"blocklist:lists={lists},categories=gambling,mine", "http://bad.example/") is None
    assert fault(f"blocklist:lists={lists},categories=gambling,mine", "http://tabs.example/")
    assert (
        fault(f"blocklist:lists={lists / 'adult' / 'domains'}", "http://a.bad.example/")
        == "bad.example is in the list domains"
    )
    with pytest.raises(UsageError, match=r"there is no list 'gamblin' in .* \(there are: adult, gambling, mine\)"):
        fault(f"blocklist:lists={lists},categories=gamblin", "http://a.example/")


def test_words(tmp_path: Path) -> None:
    for name, text in {
        "words": "# comment\nCasino\n",
        "soft": "free\npoker\nhot\n",
        "parts": "fleshmarket\nдурно\n",
    }.items():
        (tmp_path / name).write_text(text, "utf-8")
    spec = f"blocklist:words={tmp_path / 'words'},soft_words={tmp_path / 'soft'},parts={tmp_path / 'parts'}"
    assert fault(spec, "http://a.example/casinos/free-lunch") is None
    assert fault(spec, "http://my-CASINO.example/") == f"the word 'casino' of the list {tmp_path / 'words'}"
    assert fault(spec, "http://a.example/free_Poker") == f"2 words of the list {tmp_path / 'soft'}: free, poker"
    assert fault(f"{spec},soft=3", "http://a.example/free_Poker") is None
    assert fault(spec, "http://the-flesh-markets.example/") == f"'fleshmarket' of the list {tmp_path / 'parts'}"
    assert (
        fault(spec, "http://a.example/%D0%94%D1%83%D1%80%D0%BD%D0%BE%D0%B9")
        == f"'дурно' of the list {tmp_path / 'parts'}"
    )


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("blocklist", "the filter 'blocklist' needs a list"),
        ("blocklist:lists=nowhere", "can't read the list nowhere"),
        ("blocklist:words=nowhere", "can't read the word list nowhere"),
        ("blocklist:words=nowhere,soft=0", "blocklist: soft must be at least 1"),
    ],
)
def test_wrong(spec: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        chain_of(FilterConfig((spec,)))
    assert message in str(error.value)


def test_nothing_in_the_lists(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there are no domains or addresses in"):
        chain_of(FilterConfig((f"blocklist:lists={tmp_path}",)))


def test_a_build_counts_them_and_an_export_asks_anew(lists: Path, tmp_path: Path) -> None:
    (lists / "mine.txt").write_text("spokes.example\ngazette.example/river\n")
    spec = f"blocklist:lists={lists}"
    built = gristmill.build(["sample"], tmp_path / "corpus", Config().with_filters(spec), engine=InlineEngine())
    gone = [document for document in built.pages() if document.dropped == "blocklist"]
    assert len(gone) == built.counts["dropped"]["blocklist"] > 8
    assert {document.detail for document in gone} == {
        f"{name} is in the list mine.txt" for name in ("spokes.example", "gazette.example/river")
    }
    assert not any(document.method for document in gone), "they are not cleaned"
    assert built.out_of_reach(Selection(filters=("no-blocklist",))) == len(
        [page for page in gone if page.status == 200]
    )
    whole = gristmill.build(["sample"], tmp_path / "whole", engine=InlineEngine())
    kept = [document.url for document in whole.documents(Selection(filters=(spec,), max_duplicate=1.0))]
    assert kept == [document.url for document in built.documents(Selection(max_duplicate=1.0))]
    assert files_of(built.config.filter) == [str(lists)]


def test_long_addresses_and_many_entries(tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    path.write_text(
        "".join(f"d{number}.example\nhost.example/{'x' * (number % 300)}/{number}\n" for number in range(20_000))
    )
    found = read_addresses(str(path))
    assert len(found) == 40_000
    assert found.find(place_of("http://a.d19999.example/")) == ("d19999.example", "many.txt")
    start = time.process_time()
    found.find(place_of("http://" + "a." * 100_000 + "host.example/" + "x/" * 100_000))
    assert time.process_time() - start < 20


def test_pages_without_an_address_are_no_fault(lists: Path) -> None:
    assert (
        process(Page("", b"<p>x"), Config().with_filters(f"blocklist:lists={lists}", preset="none")).dropped
        != "blocklist"
    )
