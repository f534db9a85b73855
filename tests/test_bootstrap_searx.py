"""The real searx asks a corpus by its `json_engine`, and our provider asks searx."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from web_server import served

import gristmill
from gristmill.bootstrapping.providers import Provider, ProviderError, provider_of, trusted_of
from gristmill.bootstrapping.query import Query
from gristmill.fetching.access import Access
from gristmill.fetching.session import Session
from gristmill.search.documents import DocumentSearch

PYTHON = "/usr/bin/python3"
SHARE = Path("/usr/share/python3-searx")
START_SECONDS = 60.0
SETTINGS = """
general: {debug: false, instance_name: test, contact_url: false, enable_stats: false}
brand: {git_url: "", git_branch: "", issue_url: "", docs_url: "", public_instances: "", wiki_url: "", twitter_url: ""}
search: {safe_search: 0, autocomplete: "", default_lang: "", ban_time_on_fail: 0, max_ban_time_on_fail: 0}
server:
  port: PORT
  bind_address: 127.0.0.1
  secret_key: for tests
  base_url: false
  image_proxy: false
  http_protocol_version: "1.1"
  method: GET
  default_http_headers: {}
ui: {static_path: SHARE/static, templates_path: SHARE/templates, default_theme: oscar, default_locale: ""}
outgoing: {request_timeout: 10.0, useragent_suffix: "", pool_connections: 10, pool_maxsize: 10}
checker: {off_when_debug: true}
doi_resolvers: {none: "https://doi.invalid/"}
default_doi_resolver: none
locales: {en: English}
engines:
  - name: corpus
    engine: json_engine
    shortcut: co
    categories: general
    enable_http: true
    paging: true
    search_url: "CORPUS/search?q={query}&page={pageno}&count=5"
    results_query: results
    url_query: url
    title_query: title
    content_query: content
  - name: nobody
    engine: json_engine
    shortcut: nb
    categories: files
    enable_http: true
    search_url: "http://127.0.0.1:1/?q={query}"
    results_query: results
    url_query: url
    title_query: title
    content_query: content
"""


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _searx(folder: Path, corpus: str) -> Iterator[str]:
    """Debian's searx, with a corpus as its only engine."""
    port = _free_port()
    text = SETTINGS.replace("PORT", str(port)).replace("SHARE", str(SHARE)).replace("CORPUS", corpus)
    (folder / "settings.yml").write_text(text, "utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [PYTHON, "-m", "searx.webapp"],
            env={**environment, "SEARX_SETTINGS_PATH": str(folder / "settings.yml")},
            cwd=folder,
            stdout=log,
            stderr=log,
        )
        try:
            _wait(process, port, folder / "log")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()


def _wait(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Wait until it answers."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail(f"searx did not start: {log.read_text('utf-8', 'replace')[-2000:]}")


@pytest.fixture(scope="module")
def search(indexed: gristmill.Corpus) -> DocumentSearch:
    return DocumentSearch(indexed.index)


@pytest.fixture(scope="module")
def searx(indexed: gristmill.Corpus, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    probe = "import importlib.util, sys; sys.exit(importlib.util.find_spec('searx') is None)"
    if not SHARE.is_dir() or subprocess.run([PYTHON, "-I", "-c", probe], check=False).returncode:
        pytest.skip("searx is not installed (Debian: apt-get install searx)")
    with served(indexed.folder) as client, _searx(tmp_path_factory.mktemp("searx"), client.address) as address:
        yield address


def _ask(spec: str, query: Query, count: int) -> tuple[list[str], Provider]:
    async def asking() -> tuple[list[str], Provider]:
        async with Session.open(Access(), delay=0, trusted=trusted_of(spec)) as session:
            provider = provider_of(spec, session, lang="en")
            return [result.url for result in await provider.search(query, count)], provider

    return asyncio.run(asking())


def test_pages_of_a_corpus_come_through_searx(searx: str, search: DocumentSearch) -> None:
    query = Query((("the",),), ("of",))
    expected = {item.url for item in search.search(query.text, limit=1000).rows}
    whole, provider = _ask(f"searxng:{searx}", query, 1000)
    some, _ = _ask(f"searxng:{searx}", query, 7)
    assert len(expected) > 10  # more than two pages of five
    assert set(whole) == expected
    assert len(whole) == len(expected)
    assert whole[:7] == some
    assert not provider.left_out


def test_forms_and_phrases_come_through_searx(searx: str, search: DocumentSearch) -> None:
    query = Query((("bread", "loaf", "of the"), ("flour",)))
    expected = {item.url for item in search.search(query.text, limit=1000).rows}
    alternatives, _ = _ask(f"searxng:{searx},forms=or", query, 1000)
    one_by_one, _ = _ask(f"searxng:{searx}", query, 1000)
    first, _ = _ask(f"searxng:{searx},forms=first", query, 1000)
    assert set(alternatives) == expected
    assert set(one_by_one) == expected
    assert 0 < len(first) < len(expected)


def test_nothing_is_found(searx: str) -> None:
    assert _ask(f"searxng:{searx}", Query((("qwertyuiop",),)), 10)[0] == []


def test_engines_that_do_not_answer_are_told(searx: str) -> None:
    with pytest.raises(ProviderError, match="nobody") as raised:
        _ask(f"searxng:{searx},categories=files", Query((("bread",),)), 10)
    assert raised.value.retry_seconds
