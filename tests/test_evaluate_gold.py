"""Readers of gold standards: what is read, what is left out and why, and folds that share no site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill import UsageError
from gristmill.evaluation import GoldPage, by_site, folds, read_gold

ROW: dict[str, Any] = {
    "id": "1",
    "lang": "en",
    "url": None,
    "split": None,
    "html": b"<p>a",
    "gold": "a",
    "annotated": None,
}


def write(path: Path, *rows: dict[str, Any]) -> Path:
    binary = {"html", "annotated"}
    schema = pa.schema([(name, pa.binary() if name in binary else pa.string()) for name in ROW])
    pq.write_table(pa.Table.from_pylist([ROW | row for row in rows], schema), path)
    return path


def page(page_id: str, url: str | None = None, html: bytes = b"<p>a", gold_set: str = "set") -> GoldPage:
    return GoldPage(gold_set, page_id, html, "a", "en", url)


def test_parquet(tmp_path: Path) -> None:
    path = write(
        tmp_path / "mine.parquet", {"url": "http://a.example/", "split": "dev"}, {"id": "2", "annotated": b"<p>a"}
    )
    [gold_set] = read_gold([path])
    assert gold_set.name == "mine"
    assert gold_set.pages == [
        GoldPage("mine", "1", b"<p>a", "a", "en", "http://a.example/", "dev"),
        GoldPage("mine", "2", b"<p>a", "a", "en", annotated="<p>a"),
    ]
    assert not gold_set.left_out


def test_what_cannot_be_used_is_left_out_and_counted(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"html": None},
        {"html": b""},
        {"gold": " \n"},
        {"gold": None},
        {"id": "final/103"},
        {"id": "final/250"},
        {"id": "final/251"},
    ]
    [gold_set] = read_gold([write(tmp_path / "cleaneval.parquet", *rows)])
    assert [page.id for page in gold_set.pages] == ["final/251"]
    assert gold_set.left_out == {"no page": 2, "empty gold": 2, "bad gold": 2}
    [other] = read_gold([write(tmp_path / "other.parquet", {"id": "final/103"})])
    assert len(other.pages) == 1


def test_a_page_that_is_all_boilerplate_is_of_use(tmp_path: Path) -> None:
    annotated = b'<p><kw class="krdwrd-tag-1-100">menu</kw>'
    [gold_set] = read_gold([write(tmp_path / "canola.parquet", {"gold": "", "annotated": annotated})])
    assert len(gold_set.pages) == 1


def test_addresses_are_found_where_cleaneval_wrote_them(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"annotated": b"\xef\xbb\xbfURL: http://a.example/x\n\n<p>a"},
        {"html": b'<text id="http://b.example/y?z=1" title="t">\n<p>a', "annotated": b"<p>a"},
        {"id": "20120117_www.c.example_123"},
        {"html": b'<link rel="canonical" href="https://www.d.example/z"><p>a'},
    ]
    [gold_set] = read_gold([write(tmp_path / "cleaneval.parquet", *rows)])
    assert [page.url for page in gold_set.pages] == ["http://a.example/x", "http://b.example/y?z=1", None, None]
    assert [page.site for page in gold_set.pages] == ["a.example", "b.example", "c.example", "d.example"]


def test_a_folder_of_pairs(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("a.html", "sub/b.htm", "no-text.html"):
        (tmp_path / name).write_text("<p>x")
    for name in ("a.txt", "sub/b.txt", "no-page.txt"):
        (tmp_path / name).write_bytes("\ufeffgöld".encode())
    [gold_set] = read_gold([tmp_path])
    assert gold_set.name == tmp_path.name
    assert [(page.id, page.gold, page.lang) for page in gold_set.pages] == [
        ("a", "göld", None),
        ("sub/b", "göld", None),
    ]
    assert gold_set.left_out == {"no gold": 1, "no page": 1}


def test_a_folder_of_parquet_files(tmp_path: Path) -> None:
    write(tmp_path / "b.parquet", {})
    write(tmp_path / "a.parquet", {})
    pq.write_table(pa.table({"features": [1]}), tmp_path / "other.parquet")
    assert [gold_set.name for gold_set in read_gold([tmp_path])] == ["a", "b"]


def test_wrong_files(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": ["1"], "gold": ["a"]}), tmp_path / "no-html.parquet")
    pq.write_table(pa.table({"id": ["1"], "gold": ["a"], "html": ["text"]}), tmp_path / "text.parquet")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and no more")
    (tmp_path / "page.html").write_text("<p>x")
    (tmp_path / "empty").mkdir()
    for name, message in {
        "none.parquet": "there is no gold standard",
        "no-html.parquet": "has no column html",
        "text.parquet": "html must be bytes",
        "broken.parquet": "can't read",
        "page.html": "a gold standard is a Parquet file, or a folder",
        "empty": "no page.html beside a page.txt",
    }.items():
        with pytest.raises(UsageError, match=message):
            read_gold([tmp_path / name])
    path = write(tmp_path / "good.parquet", {})
    with pytest.raises(UsageError, match="two gold standards have the name 'good'"):
        read_gold([path, path])


def test_select(tmp_path: Path) -> None:
    rows = [
        {"id": str(number), "lang": "en" if number % 2 else "cs", "split": "dev" if number < 4 else None}
        for number in range(10)
    ]
    [gold_set] = read_gold([write(tmp_path / "set.parquet", *rows)])
    assert [page.id for page in gold_set.select(["cs"]).pages] == list("02468")
    assert [page.id for page in gold_set.select(["cs"], "dev").pages] == list("02")
    assert [page.id for page in gold_set.select(limit=3).pages] == list("036")
    assert len(gold_set.select(limit=100).pages) == 10


def test_sites() -> None:
    pages = [
        page("1", "http://www.a.example:80/x"),
        page("2", "https://A.example/y"),
        page("3", "http://news.a.example/"),
        page("4", "http://[/"),
        page("5"),
    ]
    assert {name: [page.id for page in group] for name, group in by_site(pages).items()} == {
        "a.example": ["1", "2"],
        "news.a.example": ["3"],
        "set/4": ["4"],
        "set/5": ["5"],
    }


@given(st.lists(st.sampled_from("abcdefgh"), min_size=8, max_size=60), st.integers(1, 8), st.integers(0, 99))
def test_folds_never_share_a_site(hosts: list[str], k: int, seed: int) -> None:
    pages = [page(str(number), f"http://{host}.example/{number}") for number, host in enumerate(hosts)]
    k = min(k, len(set(hosts)))
    dealt = folds(pages, k, seed)
    assert dealt == folds(pages, k, seed)
    assert sorted(page.id for fold in dealt for page in fold) == sorted(page.id for page in pages)
    sites = [{page.site for page in fold} for fold in dealt]
    assert all(fold for fold in sites)
    assert sum(map(len, sites)) == len(set.union(*sites))


def test_folds_are_balanced() -> None:
    pages = [page(str(number), f"http://{number % 37}.example/{number}") for number in range(200)]
    sizes = sorted(map(len, folds(pages, 5, seed=1)))
    assert sizes[-1] - sizes[0] <= 6
    assert folds(pages, 5, seed=1) != folds(pages, 5, seed=2)
    with pytest.raises(UsageError, match="37 sites can't be dealt into 38 folds"):
        folds(pages, 38)


def test_the_gold_standards(gold: Path) -> None:
    sets = {gold_set.name: gold_set for gold_set in read_gold([gold])}
    assert sets["cleaneval"].left_out == {"empty gold": 7, "bad gold": 2}
    assert all(page.url for page in sets["cleaneval"].pages)
    assert len(by_site(sets["cleanportaleval"].pages)) == 4
    assert len(sets["canola"].pages) == 208


def test_marks_of_annotators_are_removed() -> None:
    """Thesis, 2.9: the tags `<kw>` are stripped, and methods run on the stripped pages."""
    html = b'<a href=x><kw class="krdwrd-tag-1-100">Home</kw></a><KW>x</KW><kwd>y</kwd>'
    assert GoldPage("canola", "1", html, "").unmarked == b"<a href=x>Home</a>x<kwd>y</kwd>"
