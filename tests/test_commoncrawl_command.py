"""`gristmill commoncrawl`, from the index to a corpus."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import Ran, run
from commoncrawl_server import CRAWL, ArchiveServer, Reply, sample_server

LOCAL = ("--allow-network", "127.0.0.0/16")


@pytest.fixture
def server() -> Iterator[ArchiveServer]:
    with sample_server() as served:
        yield served


@pytest.fixture
def settings(server: ArchiveServer, tmp_path: Path) -> Path:
    """A file of settings with the server on loopback instead of the real ones."""
    path = tmp_path / "settings.toml"
    servers = "".join(f'{name} = "{server.address}"\n' for name in ("data", "index", "wayback"))
    path.write_text(f"[servers]\n{servers}[pace]\nrate = 0.0\ndelay = 0.0\nback_off = 0.001\nretries = 2\n")
    return path


def commoncrawl(*arguments: str | Path) -> Ran:
    return run("commoncrawl", *arguments, *LOCAL)


def test_from_the_index_to_a_corpus(settings: Path, tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    ran = commoncrawl("-c", settings, "--domain", "horal.example", "--lang", "cs", "--crawl", CRAWL, "-o", pages)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.decode().splitlines()[1].split() == ["stored", "stored", "7", "stored"]
    assert f"Next: gristmill build {pages} -o corpus" in ran.stderr.decode()
    assert commoncrawl(pages).returncode == 0
    built = run("build", pages, "-o", tmp_path / "corpus", "-j", "1")
    assert built.returncode == 0, built.stderr
    stats = run("commoncrawl", "stats", pages, "--json")
    assert (json.loads(stats.stdout)["found"], json.loads(stats.stdout)["stored"]) == (7, 7)
    assert b"7 found, 7 stored" in run("commoncrawl", "stats", pages).stderr
    assert run("commoncrawl", "stats", pages, "--csv").stdout == b"outcome,reason,count,what\nstored,stored,7,stored\n"


def test_other_archives_and_limits(server: ArchiveServer, settings: Path, tmp_path: Path) -> None:
    ran = commoncrawl("-c", settings, "--wayback", "gazette.example", "--to", "2024", "-o", tmp_path / "w", "--json")
    assert json.loads(ran.stdout)["stored"] == 10
    ran = commoncrawl("-c", settings, "--url", "https://gazette.example/*", "--latest", "1", "--sample", "3",
                      "--index", "cdx", "-o", tmp_path / "u", "--json")  # fmt: skip
    assert (json.loads(ran.stdout)["found"], json.loads(ran.stdout)["stored"]) == (10, 3)
    (tmp_path / "list").write_text("\n".join(path for path in server.files if ".warc" in path))
    ran = commoncrawl("-c", settings, "--files", tmp_path / "list", "-o", tmp_path / "f", "--json")
    assert json.loads(ran.stdout)["stored"] == 1
    assert commoncrawl("crawls", "-c", settings).stdout == b"CC-MAIN-2026-42\nCC-MAIN-2026-38\n"


def test_what_went_wrong(server: ArchiveServer, settings: Path, tmp_path: Path) -> None:
    server.fault = lambda path, _: Reply(404) if ".warc" in path else None
    ran = commoncrawl("-c", settings, "--domain", "horal.example", "-o", tmp_path / "pages")
    assert ran.returncode == 1
    assert "the server has no such file" in ran.stdout.decode()
    assert "nothing was stored: see above" in ran.stderr.decode()
    ran = commoncrawl("-c", settings, "--domain", "nobody.example", "-o", tmp_path / "nobody")
    assert ran.returncode == 1
    assert "the index has nothing of what is wanted" in ran.stderr.decode()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--domain", "a.example"], "say where the pages go, with -o FOLDER"),
        (["-o", "new"], "this would fetch all of a crawl"),
        (["nowhere"], "there are no pages of an archive in nowhere"),
        (["--lang", "xyzzy", "-o", "new"], "'xyzzy' is not a language code of ISO 639"),
        (["--wayback", "a.example", "--index", "cdx", "-o", "new"], "leave --index out"),
        (["--files", "nowhere.gz", "-o", "new"], "there is no list of files 'nowhere.gz'"),
        (["stats", "nowhere"], "there are no pages of an archive in nowhere"),
    ],
)
def test_wrong_usage(tmp_path: Path, arguments: list[str], message: str) -> None:
    ran = run("commoncrawl", *arguments, *([] if arguments[0] == "stats" else LOCAL), cwd=tmp_path)
    assert ran.returncode == 2
    assert message in ran.stderr.decode()
    assert list(tmp_path.iterdir()) == []


def test_who_asks_must_be_said(tmp_path: Path) -> None:
    ran = run("commoncrawl", "--domain", "a.example", "-o", tmp_path / "new")
    assert ran.returncode == 2
    assert "say who asks for pages: --contact" in ran.stderr.decode()


def test_what_is_wanted_stays(settings: Path, tmp_path: Path) -> None:
    assert commoncrawl("-c", settings, "--domain", "horal.example", "-o", tmp_path / "pages").returncode == 0
    ran = commoncrawl(tmp_path / "pages", "--domain", "b.example")
    assert ran.returncode == 2
    assert "what is wanted can't be changed" in ran.stderr.decode()
    assert commoncrawl(tmp_path / "pages", "--parallel", "2").returncode == 0
