"""The web app as a whole: addresses, headers, forgery, errors, corpora that grow."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from web_server import Client, served

import gristmill


@pytest.fixture(scope="module")
def client(indexed: gristmill.Corpus) -> Iterator[Client]:
    with served(indexed.folder) as found:
        yield found


def test_what_a_corpus_is(client: Client, indexed: gristmill.Corpus) -> None:
    found = client.get("/api/indexed/about")
    assert found.status == 200
    assert found.json()["size"]["documents"] == indexed.size["documents"]
    assert found.json()["tokens"] == indexed.index.size


def test_an_unknown_parameter_is_named(client: Client) -> None:
    found = client.get("/api/indexed/about", lnag="en")
    assert (found.status, found.json()) == (400, {"error": "there is no parameter 'lnag'"})


def test_an_unknown_corpus_is_named(client: Client) -> None:
    found = client.get("/api/nothing/about")
    assert (found.status, found.json()) == (404, {"error": "there is no corpus 'nothing' here"})


def test_a_page_that_is_not_there(client: Client) -> None:
    found = client.get("/indexed/nothing")
    assert found.status == 404
    assert "There is no such page here." in found.text
    assert "default-src 'none'" in found.headers["content-security-policy"]


def test_another_host_is_refused(client: Client) -> None:
    found = client.get("/api/indexed/about", headers={"Host": "evil.example"})
    assert found.status == 403
