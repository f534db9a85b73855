"""The web app as a whole: addresses, headers, forgery, errors, corpora that grow."""

from __future__ import annotations

import gzip
import html
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from waiting import wait_until
from web_server import Client, Reply, served

import gristmill
from gristmill.engine import InlineEngine
from gristmill.web.app import Site
from gristmill.web.pages import ROOMS, pages
from gristmill.web.serving import running
from gristmill.web.shelf import Shelf


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
    assert '<a href="/indexed/search"' in found.text, "one can go on in the corpus"
    assert "default-src 'none'" in found.headers["content-security-policy"]


def test_another_host_is_refused(client: Client) -> None:
    found = client.get("/api/indexed/about", headers={"Host": "evil.example"})
    assert found.status == 403


PAGES = sorted({page.path for page in pages() if page.method == "GET"})
MENU = [room.path for room in ROOMS if room.path in PAGES]


@pytest.fixture(scope="module")
def others(corpus: gristmill.Corpus, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A server with the sample, a corpus without an index, an empty one, and one that can't be read."""
    folder = tmp_path_factory.mktemp("others")
    shutil.copytree(corpus.folder, folder / "unindexed")
    (folder / "empty.html").write_text("<p>no", "utf-8")
    gristmill.build([folder / "empty.html"], folder / "empty", engine=InlineEngine())
    gristmill.index(folder / "empty", engine=InlineEngine())
    shutil.copytree(corpus.folder, folder / "broken")
    (folder / "broken" / "corpus.toml").write_text("[corpus", "utf-8")
    with running(Site(Shelf.of_folder(folder), workers=2)) as address:
        yield Client(address)


def _filled(path: str) -> str:
    """The address of a page whose parts are filled in."""
    return path.replace("{id}", "00000-000000").replace("{name}", "nothing")


def _told(found: Reply) -> str:
    """What an answer says is wrong: a page, or JSON."""
    if found.headers.get("content-type") == "application/json":
        return str(found.json().get("error", ""))
    return html.unescape("".join(re.findall(r'role="alert"[^>]*>(.*?)</', found.text, re.DOTALL)))


def _arrived(client: Client, path: str) -> Reply:
    """What a browser shows in the end."""
    found = client.get(path)
    for _ in range(3):
        if found.status not in {303, 307}:
            break
        found = client.get(found.headers["location"])
    return found


@pytest.mark.parametrize("path", PAGES)
def test_every_page_answers(client: Client, path: str) -> None:
    """Without parameters: a page, or, if it needs one, what that is. Those of the menu need none."""
    found = _arrived(client, f"/indexed/{_filled(path)}")
    assert found.status in {200, 400, 404}, (found.status, _told(found))
    assert found.status == 200 or (path not in MENU and _told(found)), (found.status, _told(found))


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("name", ["unindexed", "empty"])
def test_every_page_answers_for_a_corpus_that_lacks_something(others: Client, name: str, path: str) -> None:
    """What can't be shown is told, with what to do: never a failure."""
    found = _arrived(others, f"/{name}/{_filled(path)}")
    assert found.status in {200, 400, 404, 409}, (found.status, _told(found))
    assert found.status == 200 or _told(found)


@pytest.mark.parametrize("path", MENU)
def test_a_corpus_that_can_not_be_read_is_told_of(others: Client, path: str) -> None:
    found = _arrived(others, f"/broken/{path}")
    assert found.status in {200, 409}, (found.status, _told(found))
    assert found.status == 200 or "corpus.toml" in _told(found)


def test_the_home_page_lists_the_corpora(others: Client) -> None:
    found = others.get("/")
    assert found.status == 200
    for name in ("broken", "empty", "unindexed"):
        assert f'href="/{name}"' in found.text
    assert "no index yet" in found.text
    assert "corpus.toml" in found.text  # what is wrong with the broken one


def test_a_corpus_that_comes_to_be_is_found(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    shutil.copytree(corpus.folder, tmp_path / "one")
    with running(Site(Shelf.of_folder(tmp_path), workers=1)) as address:
        client = Client(address)
        assert client.get("/api/two/about").status == 404
        shutil.copytree(corpus.folder, tmp_path / "two")
        wait_until(lambda: client.get("/api/two/about").status == 200)
        assert client.get("/api").json()["corpora"] == ["one", "two"]
        shutil.rmtree(tmp_path / "one")
        wait_until(lambda: client.get("/").status == 307)  # to the only one that is left


def test_files_are_kept_by_browsers(client: Client) -> None:
    found = client.get("/static/style.css", headers={"Accept-Encoding": "gzip"})
    assert found.headers["content-encoding"] == "gzip"
    assert "immutable" in found.headers["cache-control"]
    assert gzip.decompress(found.body) == client.get("/static/style.css").body
    again = client.get("/static/style.css", headers={"If-None-Match": found.headers["etag"]})
    assert (again.status, again.body) == (304, b"")
