"""`gristmill find`, `Corpus.find` and the web app: ranked retrieval as users have it, on the sample."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import run
from web_server import Client, served

import gristmill
from gristmill.corpus.attributes import host_of
from gristmill.errors import UsageError
from gristmill.search.ranked.found import FoundUnit
from gristmill.search.ranked.yields import host_yields


@pytest.fixture(scope="module")
def own(indexed: gristmill.Corpus, tmp_path_factory: pytest.TempPathFactory) -> gristmill.Corpus:
    """The sample with an index, to be written to."""
    folder = tmp_path_factory.mktemp("found") / "one"
    shutil.copytree(indexed.folder, folder)
    return gristmill.Corpus(folder)


@pytest.fixture(scope="module")
def client(own: gristmill.Corpus) -> Iterator[Client]:
    with served(own.folder) as found:
        yield found


def _values(rows: list[FoundUnit], name: str) -> list[Any]:
    return [row.values[name] for row in rows]


def test_the_text_of_a_sentence_is_that_of_the_corpus(own: gristmill.Corpus) -> None:
    found = own.find("bread", unit="sentence", limit=50, tokens=0)
    texts = {document.id: " ".join(document.text.split()) for document in own.documents()}
    assert found.rows
    assert all(" ".join(row.text.split()) in texts[row.id] for row in found.rows)
    assert all(("bread", True) in [(text.lower(), marked) for text, marked in row.pieces] for row in found.rows)
    assert found.terms == {"bread": len(found.rows)}


def test_lemmas_are_found_in_all_their_forms(own: gristmill.Corpus) -> None:
    lines = own.search('[lemma_lc=="go"]')
    assert sum(own.find("GO", attribute="lemma", unit="window:1").terms.values()) == len(lines)


def test_words_without_spaces_are_divided_as_the_texts_are(own: gristmill.Corpus) -> None:
    chinese = own.search("[]", where='lang="zh"')
    line = chinese.page(1, 1)[0]
    typed = (line.node + line.right)[:4].split("\n")[0]
    found = own.find(typed, lang="zh", tokens=0)
    assert typed in found.rows[0].text


def test_the_yield_of_a_host_is_the_share_of_its_words_that_was_kept(own: gristmill.Corpus) -> None:
    pages = [page for page in own.pages() if host_of(page.url) == "crumb.example"]
    words = sum(page.words + page.boilerplate_words + page.filtered_words for page in pages)
    kept = sum(page.words for page in pages if not page.dropped)
    assert host_yields(own.folder)["crumb.example"] == kept / words
    rows = own.find("the", by="yield", unit="document", limit=500).rows
    known = _values(rows, "yield")
    assert known == sorted(known, reverse=True)
    assert {row.values["yield"] for row in rows if row.host == "crumb.example"} == {round(kept / words, 4)}


def test_dates_rank_the_newest_first_and_levels_come_before_values(own: gristmill.Corpus) -> None:
    dates = _values(own.find("the", by="date", limit=100).rows, "date")
    assert dates == sorted(dates, reverse=True)
    both = _values(own.find("the", by="-date,length", limit=100).rows, "date")
    assert both != sorted(both)


def test_segments_of_pages_that_are_added_are_found(tmp_path: Path, indexed: gristmill.Corpus) -> None:
    folder = tmp_path / "more"
    shutil.copytree(indexed.folder, folder)
    corpus = gristmill.Corpus(folder)
    assert not corpus.find("zyzzyva").rows
    page = tmp_path / "page.html"
    page.write_text(f"<title>Z</title><p>{'The zyzzyva is a weevil that eats palm leaves in the tropics. ' * 8}</p>")
    gristmill.add(folder, [str(page)])
    corpus.refresh()
    found = corpus.find("zyzzyva", unit="document")
    assert [row.title for row in found.rows] == ["Z"]
    answers = [corpus.ask("What eats palm leaves in the tropics?", limit=3) for _ in range(2)]
    assert answers[0].rows[0].passage.title == "Z", "questions are asked of all segments"
    assert answers[0].to_json() == answers[1].to_json()
    assert len(list((folder / "ranked").glob("document-*"))) == 1, "files of the earlier state are removed"


def test_the_command_shows_units_as_text_json_and_csv(own: gristmill.Corpus) -> None:
    folder = str(own.folder)
    shown = run("find", folder, "bread -cake", "--unit", "sentence", "--limit", "2")
    assert shown.stdout.lstrip().startswith(b"1 BM25 ")
    assert b"bread" in shown.stdout
    everything = json.loads(run("find", folder, "the", "--json", "--limit", "0").stdout)
    assert len(everything["rows"]) == everything["terms"]["the"] > 100
    record = json.loads(run("find", folder, "bread", "--by", "date,quality", "--json", "--limit", "3").stdout)
    assert (record["by"], record["match"], record["unit"]) == ("date,quality", "all", "paragraph")
    assert [row["unit"] for row in record["rows"]] == [
        row.unit for row in own.find("bread", by="date,quality", limit=3).rows
    ]
    rows = list(
        csv.DictReader(
            io.StringIO(run("find", folder, "bread", "--csv", "--match", "any", "--offset", "1").stdout.decode())
        )
    )
    assert rows[0]["rank"] == "2"
    assert b"no unit was found" in run("find", folder, "zyzzyva").stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "Missing argument 'QUERY'"),
        (("--", "-bread"), "no word to look for"),
        (("bread", "--unit", "sentense"), "did you mean"),
        (("bread", "--by", "colour"), "can't be ranked by 'colour'"),
        (("-bread",), "No such option"),
        (("bread", "--json", "--csv"), "can't be used together"),
        (("bread", "--where", 'lang="xx"'), "no document"),
    ],
)
def test_mistakes_of_a_command_are_told(own: gristmill.Corpus, options: tuple[str, ...], message: str) -> None:
    result = run("find", str(own.folder), *options)
    assert result.returncode == 2
    assert message in result.stderr.decode()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"match": "some"}, "one of any, all"), ({"limit": -1}, "at least 0"), ({"tokens": -1}, "at least 0")],
)
def test_mistakes_of_a_call_are_told(own: gristmill.Corpus, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        own.find("bread", **wrong)


def test_the_web_app_finds_what_python_finds(client: Client, own: gristmill.Corpus) -> None:
    asked: dict[str, Any] = {"q": "bread flour", "unit": "sentence", "limit": 3}
    expected = own.find("bread flour", unit="sentence", limit=3)
    assert client.get("/api/one/find", **asked).json() == json.loads(json.dumps(expected.to_json({"asked": asked})))
    second = client.get("/api/one/find", **asked, offset=3).json()["rows"]
    assert [row["rank"] for row in second] == [4, 5, 6]
    page = client.get("/one/find", **asked)
    assert page.status == 200
    assert "<mark>" in page.text
    assert "offset=3" in page.text
    assert client.get("/api/one/find", **asked, format="csv").text == expected.to_csv()
    assert client.get("/one/find").status == 200
    assert "No unit was found" in client.get("/one/find", q="zyzzyva").text


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"unit": "page"}, "no unit"),
        ({"by": "bm25,date"}, "last key"),
        ({"where": "("}, "condition"),
        ({"q": "-x"}, "no word"),
    ],
)
def test_mistakes_are_told_in_the_page(client: Client, wrong: dict[str, Any], message: str) -> None:
    asked: dict[str, Any] = {"q": "bread", **wrong}
    reply = client.get("/one/find", **asked)
    assert reply.status == 400
    assert message in reply.text
    assert message in client.get("/api/one/find", **asked).json()["error"]
