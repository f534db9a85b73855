"""Word lists, collocations, keywords, comparisons and sketches over HTTP: operations, pages, files, mistakes."""

from __future__ import annotations

import csv
import io
import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any, Literal

import pytest
from web_server import Client, Reply, served

import gristmill
from gristmill.errors import GristmillError
from gristmill.search.statistics.queries import query_of_value

ENGLISH = 'lang="en"'
PAGES = ("wordlist", "collocations", "keywords", "compare", "sketch", "thesaurus", "sketch-difference")


@pytest.fixture(scope="module")
def own(indexed: gristmill.Corpus, tmp_path_factory: pytest.TempPathFactory) -> gristmill.Corpus:
    """The sample with an index, to be written to."""
    folder = tmp_path_factory.mktemp("statistics") / "one"
    shutil.copytree(indexed.folder, folder)
    return gristmill.Corpus(folder)


@pytest.fixture(scope="module")
def client(own: gristmill.Corpus, indexed: gristmill.Corpus) -> Iterator[Client]:
    with served(own.folder, indexed.folder) as found:
        yield found


def links_of(page: Reply, path: str) -> list[str]:
    """Addresses of a page that begin with a path."""
    assert page.status == 200, page.text
    return [unescape(link) for link in re.findall(r'href="([^"]*)"', page.text) if unescape(link).startswith(path)]


def test_words(client: Client, own: gristmill.Corpus) -> None:
    found = client.get("/api/one/wordlist", attribute="lemma", tag="NOUN", where=ENGLISH, limit=5, offset=5).json()
    expected = own.wordlist("lemma", tag="NOUN", where=ENGLISH, limit=10)
    assert found["rows"] == expected.to_json()["rows"][5:]
    assert (found["types"], found["size"]) == (expected.types, expected.size)
    grams = client.get("/api/one/wordlist", n=3, limit=4).json()
    assert grams["rows"] == own.wordlist(n=3, limit=4).to_json()["rows"]
    page = client.get("/one/wordlist", attribute="lemma", tag="NOUN", where=ENGLISH)
    assert f"of {expected.types:,} rows" in page.text
    assert "notes" not in found
    assert "is missing" not in page.text
    note = client.get("/api/one/wordlist", attribute="tag").json()["notes"][0]
    assert note.startswith("tag is missing for ")
    assert note in client.get("/one/wordlist", attribute="tag").text
    assert len(links_of(page, "/one/search?q=")) == 50


@pytest.mark.parametrize(
    ("options", "attribute", "n"),
    [
        ({}, "word", 1),
        ({"ignore_case": True}, "word", 1),
        ({"tag": "NOUN|PROPN"}, "lemma", 1),
        ({}, "lemma+tag", 1),
        ({"punctuation": True}, "word+xpos", 1),
        ({"ignore_case": True}, "word", 3),
        ({}, "tag", 2),
    ],
)
def test_rows_lead_to_as_many_lines(own: gristmill.Corpus, options: dict[str, Any], attribute: str, n: int) -> None:
    listed = own.wordlist(attribute, n=n, limit=40, **options)
    given = {name: value for name, value in options.items() if name != "punctuation"}
    for row in listed.rows:
        query = query_of_value(attribute, row.value, n=n, within="s" if n > 1 else "", **given)
        assert own.search(query).total == row.frequency, query


def test_collocations(client: Client, own: gristmill.Corpus) -> None:
    given: dict[str, Any] = {"q": "mill", "window": "3,3", "order": "t", "min_together": 2}
    found = client.get("/api/one/collocations", limit=10, **given).json()
    expected = own.collocations("mill", window="3,3", order="t", min_together=2, limit=10)
    assert found["rows"] == expected.to_json()["rows"]
    assert found["hits"] == expected.hits
    page = client.get("/one/collocations", **given)
    assert any("order=mi3" in link for link in links_of(page, "/one/collocations?"))
    lines = links_of(page, "/one/search?q=mill&having=")
    assert len(lines) == min(expected.types, 50)
    nothing = client.get("/api/one/collocations", q="xyzzy").json()
    assert (nothing["hits"], nothing["rows"]) == (0, [])
    assert nothing["hints"]
    assert nothing["hints"][0] in unescape(client.get("/one/collocations", q="xyzzy").text)
    assert client.get("/one/collocations").status == 200


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"q": "make", "relation": "obj"}, {"file": 2, "home": 1}),
        ({"q": "stone", "relation": "<obj", "attribute": "lemma+tag"}, {"mesh+VERB": 3}),
        ({"q": '1:[tag="VERB"] >obj [lemma="stone"]', "of": "1"}, {"mesh": 3}),
        ({"q": '1:[tag="VERB"] >obj [lemma="stone"]', "of": "1", "attribute": "lemma+tag"}, {"mesh+VERB": 3}),
    ],
)
def test_collocations_by_relation(client: Client, given: dict[str, Any], words: dict[str, int]) -> None:
    """The sample is parsed; each word leads to the lines in which it stands in the relation."""
    found = client.get("/api/one/collocations", min_together=1, min_frequency=1, **given).json()
    assert words.items() <= {row["value"]: row["together"] for row in found["rows"]}.items()
    assert found["missing"][-1]["attribute"] == "lemma"
    page = client.get("/one/collocations", min_together=1, min_frequency=1, **given)
    assert 'name="relation"' in page.text
    assert "pairs of the relation" in page.text
    whole, *lines = links_of(page, "/one/search?q=")[-len(found["rows"]) - 1 :]  # before these are tabs
    assert client.get(f"/api{whole}").json()["total"] == found["hits"]
    for row, link in zip(found["rows"], lines, strict=True):
        concordance = client.get(f"/api{link}").json()
        assert concordance["total"] == row["together"], link
        assert row["value"].partition("+")[0] in client.get(link).text


def test_keywords_and_comparisons(client: Client, own: gristmill.Corpus, indexed: gristmill.Corpus) -> None:
    found = client.get("/api/one/keywords", where=ENGLISH, limit=7).json()
    assert found["rows"] == own.keywords(where=ENGLISH, limit=7).to_json()["rows"]
    spread = client.get("/api/one/keywords", where=ENGLISH, limit=7, dispersion=1).json()
    assert [list(row)[-3:] for row in spread["rows"]] == [["documents", "dp", "arf"]] * 7
    assert "ARF" in client.get("/one/keywords", where=ENGLISH, dispersion=1).text
    listed = client.get("/api/one/wordlist", attribute="lemma", order="arf", limit=7).json()
    assert listed["rows"] == own.wordlist("lemma", order="arf", limit=7).to_json()["rows"]
    assert "ARF" in client.get("/one/wordlist", dispersion=1).text
    against = client.get("/api/one/keywords", where=ENGLISH, reference="indexed", limit=7).json()
    assert against["reference_size"] + against["reference_missing"][0]["tokens"] == indexed.index.size
    assert against["notes"][0].startswith("reference: lemma is missing for ")
    assert against["notes"][0] in client.get("/one/keywords", where=ENGLISH, reference="indexed").text
    compared = client.get("/api/one/compare", where=ENGLISH, other="indexed", other_where='lang="de"', limit=3).json()
    expected = own.compare(indexed, where=ENGLISH, other_where='lang="de"', limit=3)
    assert compared["typical"] == expected.to_json()["typical"]
    assert compared["totals"]["NOUN"]["corpus"] > 3
    page = client.get("/one/compare", where=ENGLISH, other="indexed", other_where='lang="de"')
    assert links_of(page, "/indexed/search?q=")
    assert links_of(page, "/one/search?q=")
    for path in ("keywords", "compare"):
        assert client.get(f"/one/{path}").status == 200
        missing = client.get(f"/api/one/{path}")
        assert (missing.status, "nothing to compare with" in missing.json()["error"]) == (400, True)


def test_sketch_and_its_lines(client: Client, own: gristmill.Corpus) -> None:
    found = client.get("/api/one/sketch", word="stone", min_together=1).json()
    assert (found["word"], found["tag"], found["lang"]) == ("stone", "NOUN", "en")
    for row in found["rows"][::3]:
        given = {"word": "stone", "tag": "NOUN", "relation": row["relation"], "collocate": row["collocate"]}
        query = client.get("/api/one/sketch-query", collocate_tag=row["tag"], **given).json()["query"]
        assert own.search(query).total == row["count"]
    page = client.get("/one/sketch", word="stone", min_together=1)
    first = links_of(page, "/one/sketch/lines?")[0]
    moved = client.get(first)
    assert moved.status == 303
    assert moved.headers["location"].startswith("/one/search?q=")
    assert client.get(moved.headers["location"]).status == 200
    one = client.get("/one/sketch", word="stone", relation="modifier", min_together=1)
    assert "adjectives with stone" in one.text
    assert "verbs with" not in one.text
    assert links_of(client.get("/one/sketch", word="stone", relation="modifier", limit=2), "/one/sketch?")[-1].endswith(
        "limit=2&offset=2"
    )
    behind = client.get("/one/thesaurus", word="take", min_shared=1, min_frequency=1, offset=5000)
    assert any("offset" not in link for link in links_of(behind, "/one/thesaurus?word=take"))
    assert "Nouns" in client.get("/one/sketch").text
    assert client.get("/api/one/sketch-languages").json()["languages"]["en"] > 1000


@pytest.mark.parametrize(
    ("source", "found_by"), [("", "dependencies"), ("dependencies", "dependencies"), ("tags", "tags")]
)
def test_sketch_source(
    client: Client, own: gristmill.Corpus, source: str, found_by: Literal["dependencies", "tags"]
) -> None:
    found = client.get("/api/one/sketch", word="stone", min_together=1, source=source).json()
    assert found["source"] == found_by
    expected = own.sketch("stone", min_together=1, source=found_by)
    assert [row["collocate"] for row in found["rows"]] == [row.collocate for row in expected.rows]
    page = client.get("/one/sketch", word="stone", min_together=1, source=source)
    assert ("dependencies that a parser found" in page.text) == (found_by == "dependencies")
    assert f'<option value="{source}" selected' in page.text
    line = client.get(links_of(page, "/one/sketch/lines?")[0])
    assert client.get(line.headers["location"]).status == 200


def test_thesaurus_and_difference(client: Client) -> None:
    found = client.get("/api/one/thesaurus", word="take", min_shared=1, min_frequency=1).json()
    assert found["rows"]
    page = client.get("/one/thesaurus", word="take", min_shared=1, min_frequency=1)
    assert '<svg class="rings"' in page.text
    assert links_of(page, "/one/sketch-difference?word=take")
    compared = client.get("/api/one/sketch-difference", word="take", other="come", min_together=1).json()
    assert {row["side"] for row in compared["rows"]} >= {-1, 1}
    page = client.get("/one/sketch-difference", word="take", other="come", min_together=1)
    assert "side-first" in page.text
    assert links_of(page, "/one/sketch/lines?word=come")


@pytest.mark.parametrize(
    ("operation", "given"),
    [
        ("wordlist", {"limit": 200}),
        ("collocations", {"q": "mill"}),
        ("keywords", {"where": ENGLISH}),
        ("compare", {"where": ENGLISH}),
        ("sketch", {"word": "stone"}),
        ("thesaurus", {"word": "take", "min_shared": 1, "min_frequency": 1}),
        ("sketch-difference", {"word": "take", "other": "come"}),
    ],
)
def test_downloads(client: Client, operation: str, given: dict[str, Any]) -> None:
    for form in ("csv", "tsv", "excel"):
        found = client.get(f"/api/one/{operation}", format=form, **given)
        assert found.status == 200
        assert "attachment" in found.headers["content-disposition"]
        text = found.body.decode("utf-8-sig")
        rows = list(csv.reader(io.StringIO(text), delimiter="\t" if form == "tsv" else ","))
        assert len(rows) > 1
        assert len({len(row) for row in rows}) == 1


@pytest.mark.parametrize(
    ("path", "given", "message"),
    [
        ("wordlist", {"n": "2", "tag": "NOUN"}, "tag is for lists of words, not for n-grams"),
        ("wordlist", {"matching": "(["}, "is not a regular expression"),
        ("wordlist", {"attribute": "wrod"}, "tokens have no attribute"),
        ("wordlist", {"where": "lang="}, "a value"),
        ("wordlist", {"n": "9"}, "n must be at most 6"),
        ("wordlist", {"offset": "-1"}, "offset must be at least 0"),
        ("wordlist", {"pgae": "1"}, "there is no parameter"),
        ("collocations", {"q": "[lemma="}, "a value"),
        ("collocations", {"q": "mill", "window": "x"}, "window"),
        ("collocations", {"q": "mill", "order": "best"}, "order must be one of"),
        ("keywords", {"reference": "nowhere"}, "there is no corpus"),
        ("keywords", {"where": ENGLISH, "smoothing": "nan"}, "smoothing"),
        ("compare", {"other": "../etc"}, "there is no corpus"),
        ("compare", {"where": ENGLISH, "tags": "([)"}, "is not a regular expression"),
        ("sketch", {"word": "xyzzy"}, "stands in no grammatical relation"),
        ("sketch", {"word": "stone", "lang": "pl"}, "have no tags for parts of speech"),
        ("sketch", {"word": "stone", "relation": "none"}, "has no relation"),
        ("thesaurus", {"word": "stone", "where": 'lang="fr"'}, "no document of the corpus meets the condition"),
        ("sketch-difference", {"word": "stone", "other": "stone"}, "the same word"),
    ],
)
def test_mistakes_stand_in_the_form(client: Client, path: str, given: dict[str, Any], message: str) -> None:
    page = client.get(f"/one/{path}", **given)
    assert page.status == 400
    alert = re.search(r'<div class="error problem" role="alert"[^>]*>(.*?)</div>', page.text, re.DOTALL)
    assert alert, page.text
    assert message in unescape(alert[1])
    assert "<form" in page.text
    if "q" in given:
        assert f'value="{given["q"]}"' in unescape(page.text)


HOSTILE = "\"><script>alert(1)</script>'\\{{7*7}}\x00\u202e"


@pytest.mark.parametrize("path", PAGES)
def test_hostile_values_are_escaped(client: Client, path: str) -> None:
    for name in ("q", "word", "other", "where", "matching", "tag", "attribute", "relation", "lang"):
        given: dict[str, Any] = {name: HOSTILE}
        page = client.get(f"/one/{path}", **given)
        assert page.status in {200, 400}, page.text
        assert "<script>alert" not in page.text


def test_a_corpus_that_is_too_large_says_what_to_do(
    indexed: gristmill.Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(indexed.folder, tmp_path / "large")
    monkeypatch.setattr("gristmill.search.sketches.store.AUTOMATIC_TOKENS", 1_000)
    with pytest.raises(GristmillError, match="run gristmill sketches large --lang en"):
        gristmill.Corpus(tmp_path / "large", build=False).sketch("stone")
