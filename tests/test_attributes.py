"""Attributes of pages: from the archive through documents and the index to conditions and exports."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from attributed import Given, archive, story
from command import run

import gristmill
from gristmill import Config, Corpus, Selection
from gristmill.corpus.attributes import DOC_ATTRIBUTES, PAGE_ATTRIBUTES
from gristmill.corpus.explain import read_document
from gristmill.document import DOCUMENT_SCHEMA, Document, Page, from_arrow, to_arrow
from gristmill.engine import InlineEngine
from gristmill.errors import UsageError
from gristmill.pipeline import build

ENGINE = InlineEngine()
PAGES = (
    Given("mill", (story("mill"),), {"query": "mill river", "round": "1", "rank": "3", "headline": "Mills"}),
    Given("bridge", (story("bridge"),), {"query": "bridge", "round": "2", "rank": "10"}),
    Given("tower", (story("tower"),)),
)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """A corpus of pages that queries found, and one that none did."""
    folder = tmp_path_factory.mktemp("found")
    config = Config().replace(annotate_taggers=("forms",))
    return build([archive(folder / "found.warc", *PAGES)], folder / "corpus", config, engine=ENGINE)


def test_documents_have_them(found: Corpus) -> None:
    assert [document.attributes for document in found.documents()] == [dict(page.attributes) for page in PAGES]
    assert read_document(found.reader, "00000-000000").attributes == PAGES[0].attributes
    assert next(found.pages()).to_json()["attributes"] == PAGES[0].attributes
    assert found.counts["attributes"] == {"headline": 1, "query": 2, "rank": 2, "round": 2}
    table = pq.read_table(found.shards[0].documents, columns=["attributes"])
    assert table["attributes"].type == pa.map_(pa.string(), pa.string())


def test_the_same_attributes_give_the_same_file(found: Corpus, tmp_path: Path) -> None:
    turned = [page._replace(attributes=dict(reversed(list(page.attributes.items())))) for page in PAGES]
    again = build([archive(tmp_path / "found.warc", *turned)], tmp_path / "corpus", found.config, engine=ENGINE)
    columns = [name for name in DOCUMENT_SCHEMA.names if name != "source"]
    there, here = (pq.read_table(corpus.shards[0].documents, columns=columns) for corpus in (found, again))
    assert there.equals(here)


@pytest.mark.parametrize(
    ("where", "names"),
    [
        ('query="mill.*"', ["mill"]),
        ("round>=2", ["bridge"]),
        ("rank<9", ["mill"]),
        ('query="" & version=""', ["tower"]),
        ('query!="" & round=1', ["mill"]),
        ('feed=="mills"', []),
    ],
)
def test_conditions(found: Corpus, where: str, names: list[str]) -> None:
    assert [document.title for document in found.documents(Selection(where=where))] == names
    lines = found.search("river", where=where).lines()
    assert {line.url.rpartition("/")[2] for line in lines} == set(names)


def test_numbers_are_compared_as_numbers(found: Corpus) -> None:
    with pytest.raises(UsageError, match="round is a number and 'two' is not"):
        found.search("river", where='round>="two"')


def test_searches_and_frequencies(found: Corpus) -> None:
    ran = run("count", found.folder, "river", "--where", 'query="bridge" & round=2')
    assert ran.returncode == 0
    counted = {row.values[0]: row.count for row in found.search("river").frequency("doc.query").rows}
    assert counted == {"mill river": 9, "bridge": 9, "": 9}


def test_a_watch_may_ask_for_them(found: Corpus) -> None:
    gristmill.watch(found, "river", where='query="bridge"', name="bridge", everything=True)
    assert gristmill.run_watches(found, engine=ENGINE) == {"bridge": 9}
    gristmill.unwatch(found, "bridge")


def test_vertical_text_and_its_registry(found: Corpus, tmp_path: Path) -> None:
    gristmill.export(found, tmp_path / "out.vert")
    assert (
        ' query="mill river" round="1" rank="3" feed="" item="" version="" country="" badness="">'
        in (tmp_path / "out.vert").read_text()
    )
    assert "    ATTRIBUTE query\n" in (tmp_path / "out.registry").read_text()
    gristmill.export(found, tmp_path / "out.vrt")
    assert "+query+round+rank+feed+item+version+country+badness" in (tmp_path / "out.cwb.sh").read_text()


def test_parquet(found: Corpus, tmp_path: Path) -> None:
    gristmill.export(found, tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet")["query"].to_pylist() == ["mill river", "bridge", ""]


def test_why_shows_them(found: Corpus) -> None:
    said = run("why", found.folder, "00000-000000").stdout.decode()
    assert "attributes headline='Mills', query='mill river', rank='3', round='1'" in said
    assert "attributes" not in run("why", found.folder, "00000-000002").stdout.decode()


def test_hostile_attributes() -> None:
    given = {
        "query": "a\x1b[31m\x00b\ud800\u2028c\n",
        "item": "x" * 100_000,
        "feed": "x" * 100_000 + "y",
        "Bad name": "x",
        "": "x",
        "n" * 40: "x",
        "empty": "\x00",
        **{f"z{number}": "x" for number in range(100)},
    }
    found = Document.of(Page("http://mill.example/", b"", attributes=given)).attributes
    assert found["query"] == "a [31m b c"
    assert len(found["item"]) == len(found["feed"]) == 1000
    assert found["item"] != found["feed"]
    assert "empty" not in found
    assert len(found) <= 32
    assert from_arrow(to_arrow([Document(attributes=found)]))[0].attributes == found


def test_all_have_a_getter() -> None:
    document = Document(attributes=dict(zip(PAGE_ATTRIBUTES, "abcdef", strict=True)))
    assert "".join(DOC_ATTRIBUTES[name](document) for name in PAGE_ATTRIBUTES) == "abcdef"
    assert {DOC_ATTRIBUTES[name](Document()) for name in PAGE_ATTRIBUTES} == {""}
