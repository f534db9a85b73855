"""The search for documents at `/search`: in the form of SearXNG's JSON, whatever it is asked, by many at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from web_server import Client, served

import gristmill


@pytest.fixture(scope="module")
def client(indexed: gristmill.Corpus) -> Iterator[Client]:
    with served(indexed.folder) as found:
        yield found


def ask(client: Client, target: str) -> tuple[int, Any]:
    found = client.get(target)
    return found.status, found.json()


def test_documents_come_in_the_form_of_searxng(client: Client) -> None:
    status, answer = ask(client, "/search?q=" + quote('("rye bread" OR bread) flour') + "&count=5&format=json")
    assert status == 200
    assert answer["query"] == '("rye bread" OR bread) flour'
    assert answer["number_of_results"] >= len(answer["results"]) > 0
    assert all(set(result) == {"url", "title", "content", "score"} for result in answer["results"])
    assert all(re.search(r"(?i)\b(flour|bread)\b", result["content"]) for result in answer["results"])
    scores = [result["score"] for result in answer["results"]]
    assert scores == sorted(scores, reverse=True)


def test_the_api_has_the_same(client: Client) -> None:
    found = ask(client, "/api/indexed/documents?q=mill&limit=3&offset=1")[1]
    same = ask(client, "/search?q=mill")[1]
    assert found["total"] == same["number_of_results"]
    assert [row["url"] for row in found["rows"]] == [result["url"] for result in same["results"][1:4]]
    assert client.get("/api/indexed/documents?q=mill&limit=0&format=csv").text.count("\n") > found["total"]


def test_pages_follow_each_other(client: Client) -> None:
    whole = ask(client, "/search?q=the&count=30")[1]["results"]
    pages = [ask(client, f"/search?q=the&count=10&page={page}")[1]["results"] for page in (1, 2, 3)]
    assert [result for page in pages for result in page] == whole
    assert ask(client, "/search?q=the&page=99999")[1]["results"] == []


def test_only_a_language(client: Client, indexed: gristmill.Corpus) -> None:
    english = {document.url for document in indexed.documents() if document.lang == "en"}
    found = ask(client, "/search?q=the&count=100&lang=en")[1]["results"]
    assert {result["url"] for result in found} <= english
    assert found


@pytest.mark.parametrize(
    ("target", "status", "message"),
    [
        ("/search", 400, "no word"),
        ("/search?q=", 400, "no word"),
        ("/search?q=%22%22+OR", 400, "no word"),
        ("/search?q=" + "a" * 4_001, 400, "too long"),
        ("/search?q=" + "+".join(f"w{number}" for number in range(300)), 400, "more than 200 words"),
        ("/search?q=mill&page=0", 400, "page must be"),
        ("/search?q=mill&page=-1", 400, "page must be"),
        ("/search?q=mill&count=101", 400, "count must be"),
        ("/search?q=mill&count=%C2%B2", 400, "count must be"),
        ("/search?q=mill&count=99999999999999999999", 400, "too large"),
        ("/search?q=mill" + "&a=1" * 3_000, 400, "parameters"),
        ("/search?q=mill&corpus=nothing", 404, "no corpus"),
    ],
)
def test_what_is_wrong_is_told(client: Client, target: str, status: int, message: str) -> None:
    found, answer = ask(client, target)
    assert found == status
    assert list(answer) == ["error"]
    assert message in answer["error"]


@pytest.mark.parametrize("text", ["%FF%FE mill", "%00mill", "%ED%A0%80", "(((((mill", "\x1b[2Jmill", "%F0%9F%98%80"])
def test_odd_bytes_are_a_query_or_wrong(client: Client, text: str) -> None:
    status, answer = ask(client, "/search?q=" + quote(text, safe="%"))
    assert (status, "results" in answer) in {(200, True), (400, False)}


def test_many_ask_at_a_time(client: Client) -> None:
    targets = [f"/search?q={word}&count=20" for word in ("the", "mill", "bread", "(mill+OR+flour)")] * 15
    with ThreadPoolExecutor(20) as pool:
        together = list(pool.map(lambda target: ask(client, target), targets))
    assert together == [ask(client, target) for target in targets]


def test_one_of_several_corpora_is_searched(indexed: gristmill.Corpus, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.symlink_to(indexed.folder)
    with served(indexed.folder, other) as client:
        status, answer = ask(client, "/search?q=mill")
        assert (status, "corpus=" in answer["error"]) == (400, True)
        assert ask(client, "/search?q=mill&corpus=indexed-2")[1]["results"]
