"""The search server: answers in the form of SearXNG's JSON, whatever it is asked, by many at a time."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from command import run

import gristmill
from gristmill.search.documents import DocumentSearch
from gristmill.search.http import SearchServer


@pytest.fixture(scope="module")
def server(indexed: gristmill.Corpus) -> Iterator[SearchServer]:
    started = SearchServer(DocumentSearch(indexed.index), port=0)
    with started.running():
        yield started


def ask(server: SearchServer, target: str, host: str = "127.0.0.1", method: str = "GET") -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    try:
        connection.request(method, target, headers={"Host": host})
        response = connection.getresponse()
        body = response.read()
        return response.status, json.loads(body) if body else None
    finally:
        connection.close()


def test_documents_come_in_the_form_of_searxng(server: SearchServer) -> None:
    status, answer = ask(server, "/search?q=" + quote('("rye bread" OR bread) flour') + "&count=5")
    assert status == 200
    assert answer["query"] == '("rye bread" OR bread) flour'
    assert answer["number_of_results"] >= len(answer["results"]) > 0
    assert all(set(result) == {"url", "title", "content", "score"} for result in answer["results"])
    assert all(re.search(r"(?i)\b(flour|bread)\b", result["content"]) for result in answer["results"])
    scores = [result["score"] for result in answer["results"]]
    assert scores == sorted(scores, reverse=True)


def test_pages_follow_each_other(server: SearchServer) -> None:
    whole = ask(server, "/search?q=the&count=30")[1]["results"]
    pages = [ask(server, f"/search?q=the&count=10&page={page}")[1]["results"] for page in (1, 2, 3)]
    assert [result for page in pages for result in page] == whole
    assert ask(server, "/search?q=the&page=99999")[1]["results"] == []


def test_only_a_language(server: SearchServer, indexed: gristmill.Corpus) -> None:
    english = {document.url for document in indexed.documents() if document.lang == "en"}
    found = ask(server, "/search?q=the&count=100&lang=en")[1]["results"]
    assert {result["url"] for result in found} <= english


@pytest.mark.parametrize(
    ("target", "status", "message"),
    [
        ("/search", 400, "no word"),
        ("/search?q=", 400, "no word"),
        ("/search?q=%22%22+OR", 400, "no word"),
        ("/search?q=" + "a" * 4_001, 400, "longer"),
        ("/search?q=" + "+".join(f"w{number}" for number in range(300)), 400, "more than 200 words"),
        ("/search?q=mill&page=0", 400, "page must be"),
        ("/search?q=mill&page=-1", 400, "page must be"),
        ("/search?q=mill&count=101", 400, "count must be"),
        ("/search?q=mill&count=%C2%B2", 400, "count must be"),
        ("/search?q=mill&count=99999999999999999999", 400, "count must be"),
        ("/search?q=mill" + "&a=1" * 30, 400, "parameters"),
        ("http://[x/search?q=mill", 400, "the address of the request is none"),
        ("/", 404, "/search"),
        ("/../../etc/passwd", 404, "/search"),
    ],
)
def test_what_is_wrong_is_told(server: SearchServer, target: str, status: int, message: str) -> None:
    found, answer = ask(server, target)
    assert found == status
    assert list(answer) == ["error"]
    assert message in answer["error"]


@pytest.mark.parametrize("text", ["%FF%FE mill", "%00mill", "%ED%A0%80", "(((((mill", "\x1b[2Jmill", "%F0%9F%98%80"])
def test_odd_bytes_are_a_query_or_wrong(server: SearchServer, text: str) -> None:
    status, answer = ask(server, "/search?q=" + quote(text, safe="%"))
    assert (status, "results" in answer) in {(200, True), (400, False)}


def test_what_goes_wrong_inside_is_told_without_details(indexed: gristmill.Corpus) -> None:
    class Broken(DocumentSearch):
        def search(self, *_: Any, **__: Any) -> Any:
            raise ZeroDivisionError("a secret")

    started = SearchServer(Broken(indexed.index), port=0)
    with started.running():
        status, answer = ask(started, "/search?q=mill")
        assert status == 500
        assert "secret" not in answer["error"]
        assert ask(started, "/other")[0] == 404  # it goes on


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "[2001:db8::1]", ""])
def test_pages_of_the_web_cannot_ask_by_a_name_of_their_own(server: SearchServer, host: str) -> None:
    assert ask(server, "/search?q=mill", host)[0] == 403


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]:8080"])
def test_this_machine_may_ask(server: SearchServer, host: str) -> None:
    assert ask(server, "/search?q=mill", host)[0] == 200


def test_other_methods(server: SearchServer) -> None:
    assert ask(server, "/search?q=mill", method="HEAD") == (200, None)
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    connection.request("POST", "/search?q=mill", b"x")
    assert connection.getresponse().status == 501
    connection.close()


def test_many_ask_at_a_time(server: SearchServer) -> None:
    targets = [f"/search?q={word}&count=20" for word in ("the", "mill", "bread", "(mill+OR+flour)")] * 15
    with ThreadPoolExecutor(20) as pool:
        together = list(pool.map(lambda target: ask(server, target), targets))
    assert together == [ask(server, target) for target in targets]


def test_clients_too_many_are_told_to_come_again(server: SearchServer) -> None:
    places = range(server._free._initial_value)  # type: ignore[attr-defined]
    assert all(server._free.acquire(timeout=10) for _ in places)
    assert ask(server, "/search?q=mill") == (503, None)
    server._free.release(len(places))
    assert ask(server, "/search?q=mill")[0] == 200


@pytest.mark.parametrize(
    "sent", [b"", b"\x00\xff\x00\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET " + b"/" * 70_000 + b"\r\n\r\n"]
)
def test_what_is_no_http_harms_nobody(server: SearchServer, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as client:
        client.sendall(sent)
    assert ask(server, "/search?q=mill")[0] == 200


def test_the_command_serves_until_it_is_interrupted(indexed: gristmill.Corpus) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "gristmill", "serve", str(indexed.folder), "--port", "0"],
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stderr
    with process.stderr as errors:
        line = errors.readline().decode()
        port = re.search(r"http://127\.0\.0\.1:(\d+)/search", line)
        assert port, line
        connection = http.client.HTTPConnection("127.0.0.1", int(port[1]), timeout=10)
        connection.request("GET", "/search?q=mill")
        assert json.loads(connection.getresponse().read())["results"]
        process.send_signal(signal.SIGINT)
        rest = errors.read().decode()
        connection.close()
    assert process.wait(timeout=20) == 0
    assert "Traceback" not in rest


def test_a_port_that_is_taken_is_told(server: SearchServer, indexed: gristmill.Corpus) -> None:
    ran = run("serve", indexed.folder, "--port", str(server.server_port))
    assert ran.returncode == 2
    assert b"--port" in ran.stderr


def test_a_folder_that_is_no_corpus_is_told(tmp_path: Path) -> None:
    ran = run("serve", tmp_path)
    assert ran.returncode == 2
    assert b"corpus" in ran.stderr


def test_slow_clients_are_cut_off(server: SearchServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gristmill.search.http.REQUEST_SECONDS", 0.3)
    with socket.create_connection(("127.0.0.1", server.server_port)) as slow:
        slow.settimeout(0.05)
        came = None
        for _ in range(200):
            with suppress(TimeoutError, ConnectionError):
                slow.sendall(b"x")
                came = slow.recv(100)
            if came is not None:
                break
        assert came == b""
    assert ask(server, "/search?q=the")[0] == 200
