"""`gristmill serve`: what it serves, to whom, and what it says."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import pytest
from command import run
from web_server import Client, served

import gristmill
from gristmill.engine import InlineEngine
from gristmill.web.security.users import Users


@contextmanager
def serving(*arguments: str | Path, **variables: str) -> Iterator[tuple[Client, str, list[str]]]:
    """Run the command until it is interrupted: gives a client, the address that it says, and what it says before."""
    process = subprocess.Popen(
        [sys.executable, "-m", "gristmill", "serve", *map(str, arguments), "--port", "0", "--workers", "1"],
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONUNBUFFERED": "1", **variables},
    )
    assert process.stderr
    with process.stderr as errors:
        said = []
        for line in errors:
            said.append(line.decode())
            if found := re.search(r"is at (http://\S+?:\d+)(/\S*) \(Ctrl-C", line.decode()):
                break
        else:
            pytest.fail("".join(said))
        yield Client(found[1].replace("0.0.0.0", "127.0.0.1")), found[2], said  # noqa: S104 (that it listens at)
        process.send_signal(signal.SIGINT)
        rest = errors.read().decode()
    assert process.wait(timeout=120) == 0
    assert "Traceback" not in rest
    assert "ended" in rest


def test_it_serves_until_it_is_interrupted(indexed: gristmill.Corpus) -> None:
    with serving(indexed.folder) as (client, path, said):
        assert path == "/"
        assert len(said) == 1
        assert client.get("/search?q=mill").json()["results"]
        assert client.get("/").headers["location"] == "/indexed"
        held = http.client.HTTPConnection(client.address.removeprefix("http://"))  # it ends all the same
        held.request("GET", "/search?q=mill")
        assert json.loads(held.getresponse().read())["results"]
    held.close()


def test_the_sample_is_built_once(tmp_path: Path) -> None:
    for time in (1, 2):
        with serving("sample", GRISTMILL_HOME=str(tmp_path)) as (client, _, said):
            assert client.get("/api/sample/about").json()["tokens"] > 0
            assert client.get("/search?q=mill").json()["results"]
            assert any("building" in line for line in said) == (time == 1)


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A corpus of a page, without an index."""
    (tmp_path / "page.txt").write_text("A mill that was built later grinds rye and oats for the bread. " * 20)
    return gristmill.build(tmp_path / "page.txt", tmp_path / "corpora" / "bare", engine=InlineEngine()).folder


def test_a_missing_index_is_made_first(bare: Path) -> None:
    with serving(bare) as (client, _, said):
        assert any("indexing" in line for line in said)
        assert client.get("/search?q=mill").json()["results"]


def test_a_stale_index_is_told(indexed: gristmill.Corpus, tmp_path: Path) -> None:
    folder = tmp_path / "stale"
    shutil.copytree(indexed.folder, folder)
    (tmp_path / "more.txt").write_text("A mill that was added later grinds rye and oats for the bread. " * 40)
    gristmill.add(folder, tmp_path / "more.txt", engine=InlineEngine())
    with serving(folder) as (client, _, said):
        assert any("searched as it was" in line for line in said)
        assert "Pages were added or changed" in client.get("/stale/duplicates").text
        before = client.get("/search?q=mill").json()["number_of_results"]
        gristmill.index(folder, engine=InlineEngine())
        assert client.get("/search?q=mill").json()["number_of_results"] > before  # without a restart


def test_a_server_for_others_needs_a_token_or_users(indexed: gristmill.Corpus) -> None:
    ran = run("serve", indexed.folder, "--host", "0.0.0.0", "--port", "0")  # noqa: S104 (refused)
    assert ran.returncode == 2
    assert b"--token" in ran.stderr
    with serving(indexed.folder, "--host", "0.0.0.0", "--token") as (client, path, _said):  # noqa: S104 (the test)
        assert client.get("/api/indexed/about").status == 401
        token = path.partition("=")[2]
        assert len(token) == 32
        assert client.get(path).status == 303
        assert client.get("/api/indexed/about", {"Authorization": f"Bearer {token}"}).status == 200


def test_several_corpora_and_a_token_of_ones_own(indexed: gristmill.Corpus, bare: Path) -> None:
    shutil.copytree(indexed.folder, bare.parent / "whole")
    allowed = {"Authorization": f"Bearer {'x' * 16}"}
    with serving(bare.parent, "--token", GRISTMILL_TOKEN="x" * 16) as (client, path, said):
        assert path == "/login?token=" + "x" * 16
        assert [("no index" in line, "bare" in line) for line in said[:-1]] == [(True, True)]
        assert all(f'href="/{name}"' in client.get("/", allowed).text for name in ("bare", "whole"))
        assert client.get("/search?q=mill&corpus=whole", allowed).json()["results"]
    with mock.patch.dict(os.environ, {"GRISTMILL_TOKEN": "short"}):
        assert b"at least 16" in run("serve", indexed.folder, "--token").stderr


def test_users_are_added(tmp_path: Path) -> None:
    file = tmp_path / "users"
    with mock.patch.dict(os.environ, {"GRISTMILL_PASSWORD": "a long one"}):
        assert run("serve", "--add-user", "ada", "--role", "annotator", "--users", file).returncode == 0
        assert b"changed" in run("serve", "--add-user", "ada", "--role", "owner", "--users", file).stderr
        assert run("serve", "--add-user", "a:b", "--users", file).returncode == 2
        assert run("serve", "--add-user", "bob", "--role", "boss", "--users", file).returncode == 2
        assert b"--users" in run("serve", "--add-user", "bob").stderr
    assert b"no terminal" in run("serve", "--add-user", "bob", "--users", file).stderr
    user = Users(file).check("ada", "a long one")
    assert user
    assert user.role == "owner"


@pytest.mark.parametrize(("second", "code"), [("a long one", 0), ("another one", 2)])
def test_the_password_is_asked_for_twice(tmp_path: Path, second: str, code: int) -> None:
    with (
        mock.patch("getpass.getpass", side_effect=["a long one", second]),
        mock.patch("gristmill.cli.serve._at_terminal", return_value=True),
    ):
        ran = run("serve", "--add-user", "ada", "--users", tmp_path / "users")
    assert ran.returncode == code
    assert (tmp_path / "users").exists() == (code == 0)


def test_a_port_that_is_taken_is_told(indexed: gristmill.Corpus) -> None:
    with served(indexed.folder) as client:
        ran = run("serve", indexed.folder, "--port", client.address.rpartition(":")[2])
    assert ran.returncode == 2
    assert b"--port" in ran.stderr


@pytest.mark.parametrize("arguments", [[], ["nothing"], ["."]])
def test_what_is_no_corpus_is_told(tmp_path: Path, arguments: list[str]) -> None:
    ran = run("serve", *arguments, "--port", "0", cwd=tmp_path)  # whoever else has the usual one
    assert ran.returncode == 2
    assert b"corpus" in ran.stderr


@pytest.mark.parametrize("package", ["starlette", "uvicorn", "jinja2"])
def test_what_has_to_be_installed_is_told(indexed: gristmill.Corpus, package: str) -> None:
    with mock.patch.dict(sys.modules, {package: None}):
        ran = run("serve", indexed.folder)
    assert ran.returncode == 2
    assert b"pip install 'gristmill[web]'" in ran.stderr
    assert package.encode() in ran.stderr
