"""The page inspector over HTTP: its operations and its pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from web_server import Client, served

import gristmill


@pytest.fixture(scope="module")
def client(indexed: gristmill.Corpus) -> Iterator[Client]:
    with served(indexed.folder) as found:
        yield found


@pytest.fixture(scope="module")
def article(indexed: gristmill.Corpus) -> str:
    return next(page.id for page in indexed.documents() if "riverpost.example/news" in page.url)


def test_pages_are_found(client: Client, indexed: gristmill.Corpus) -> None:
    found = client.get("/api/indexed/pages", reason="kept", lines=5, page=2).json()
    assert found["count"] == indexed.counts["kept"]
    assert [page["id"] for page in found["pages"]] == [page.id for page in indexed.documents()][5:10]
    assert client.get("/api/indexed/pages", text="salmon").json()["by_index"]
    everywhere = client.get("/api/indexed/pages", text="salmon", everywhere=1).json()
    assert not everywhere["by_index"]
    assert everywhere["count"] >= client.get("/api/indexed/pages", text="salmon").json()["count"] > 0
    page = client.get("/indexed/pages", host="gazette.example")
    assert page.status == 200
    assert "https://gazette.example/river/" in page.text


@pytest.mark.parametrize(
    "query", ["year=19", "page=0", "page=x", "text=%22", "nothing=1", "lines=1000", "url=a&url=b", "lang=" + "x" * 99]
)
def test_wrong_queries_are_told(client: Client, query: str) -> None:
    reply = client.get(f"/api/indexed/pages?{query}")
    assert reply.status == 400
    assert reply.json()["error"]
    page = client.get(f"/indexed/pages?{query}")
    assert page.status == 400
    assert 'role="alert"' in page.text


def test_a_page_is_inspected(client: Client, article: str) -> None:
    found = client.get("/api/indexed/page", id=article).json()
    assert found["id"] == article
    assert found["method"] == "mill"
    assert not found["missing"]
    assert [block["number"] for block in found["blocks"]] == list(range(found["totals"]["blocks"]))
    assert {"name", "decision", "passed", "detail"} == set(found["filters"][0])
    repeated = [block for block in found["blocks"] if block["first_copy"]]
    assert all(block["share"] > 0 for block in repeated)
    page = client.get(f"/indexed/pages/{article}").text
    assert 'id="block-0"' in page
    assert '<iframe sandbox=""' in page


def test_everything_is_in_the_address(client: Client, article: str) -> None:
    path = f"/indexed/pages/{article}"
    page = client.get(path, method="justext", colour="role", max_boilerplate="0.3", roles="text", look="plain")
    asked = client.get(path + "?method=justext&with=mill&colour=role&max_boilerplate=0.3&roles=text&look=plain").text
    assert page.status == 200
    assert "original?method=justext&amp;with=mill&amp;max_boilerplate=0.3&amp;roles=text&amp;colour=role" in asked
    assert "mill decides otherwise" in asked
    several = client.get(f"/api/indexed/page?id={article}&roles=text&roles=title").json()
    assert several["roles"] == ["title", "text"]


@pytest.mark.parametrize(
    "query",
    ["method=nonsense", "with=nonsense", "roles=nonsense", "colour=nonsense", "max_boilerplate=2", "look=x", "at=-1"],
)
def test_wrong_views_are_told(client: Client, article: str, query: str) -> None:
    assert client.get(f"/indexed/pages/{article}?{query}").status == 400


@pytest.mark.parametrize(
    "name", ["99999-000000", "nonsense", "..%2F..%2Fetc", "00000-999999", "00000--1", "%00", "a%0Ab"]
)
def test_pages_that_are_not_there_are_not_found(client: Client, indexed: gristmill.Corpus, name: str) -> None:
    for path in (f"/indexed/pages/{name}", f"/indexed/pages/{name}/original"):
        reply = client.get(path)
        assert reply.status == 404
        assert str(indexed.folder) not in reply.text


def test_the_stored_page_has_headers_of_its_own(client: Client, article: str) -> None:
    reply = client.get(f"/indexed/pages/{article}/original")
    assert reply.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    assert reply.headers["x-frame-options"] == "SAMEORIGIN"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    assert 'id="gm-block-0"' in reply.text
    assert client.get(f"/indexed/pages/{article}").headers["x-frame-options"] == "DENY"
    answer = client.get("/api/indexed/page-html", id=article)
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["html"] == reply.text


def test_reasons_are_told(client: Client, article: str) -> None:
    found = client.get("/api/indexed/page-reasons", id=article, block=3).json()["reasons"]
    assert set(found[0]) == {"group", "score", "change"}


def test_one_goes_through_a_list(client: Client, indexed: gristmill.Corpus) -> None:
    kept = [page.id for page in indexed.documents()]
    there = client.get("/indexed/pages/go", found="reason=kept", at=3, view="colour=role")
    assert there.status == 303
    assert there.headers["location"] == f"/indexed/pages/{kept[2]}?colour=role&found=reason%3Dkept&at=3"
    shown = client.get(there.headers["location"]).text
    assert "result 3" in shown
    assert "at=4" in shown
    for at in (0, len(kept) + 1):
        assert (
            client.get("/indexed/pages/go", found="reason=kept", at=at)
            .headers["location"]
            .startswith("/indexed/pages?reason=kept")
        )
    assert client.get("/indexed/pages/go", found="nonsense=1", at=1).status == 400
    skipped = client.get("/indexed/pages/go", found="reason=skipped", at=1)
    assert skipped.headers["location"] == "/indexed/pages?reason=skipped"
