"""`gristmill bootstrap`: ways in, going on, and what is said about mistakes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from command import Ran, run
from loopback import Loopback, Reply
from search_server import Asked, SearchEngine
from search_server import Reply as Answer

import gristmill
from gristmill import consent
from gristmill.bootstrapping.config import BootstrapConfig
from gristmill.bootstrapping.providers import Result
from gristmill.bootstrapping.store import Store
from gristmill.errors import UsageError
from gristmill.pipeline.bootstrapping import bootstrap

TEXT = "<p>" + "The miller grinds the rye and the wheat between two stones, and bakes bread of it. " * 20
QUICK = ["--set=manners.delay=0", "--set=manners.ip_delay=0", "--set=manners.answer_delay=0", "--set=queries.delay=0"]


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Loopback]:
    """Five hosts, with a page each."""
    pages = {
        f"h{number}.example/": Reply(
            headers={"Content-Type": "text/html"},
            body=f"<html><body><h1>Mill {number}</h1>{TEXT * (number + 1)}".encode(),
        )
        for number in range(5)
    }
    with Loopback(pages) as server:
        names = "".join(f"127.0.0.1:{server.port} h{number}.example\n" for number in range(5))
        (tmp_path / "hosts").write_text(names)
        yield server


def begin(folder: Path, *arguments: str) -> Ran:
    """Run the command with what it needs to reach the web of the test."""
    network = ["--allow-network", "127.0.0.0/8", "--hosts", "hosts", "-j", "1"]
    return run("bootstrap", *arguments, *network, *QUICK, cwd=folder)


@pytest.mark.usefixtures("web")
def test_own_addresses(tmp_path: Path) -> None:
    """No provider and no language are needed."""
    (tmp_path / "urls.txt").write_text("http://h1.example/\nhttp://h2.example/\nhttp://h1.example/#top\n")
    ran = begin(tmp_path, "--urls", "urls.txt", "-o", "corpus", "--topic", "0")
    assert ran.returncode == 0, ran.stderr.decode()
    documents = {document.url: document for document in gristmill.Corpus(tmp_path / "corpus").documents()}
    assert sorted(documents) == ["http://h1.example/", "http://h2.example/"]
    assert documents["http://h2.example/"].attributes == {"round": "1", "rank": "2"}


def test_local_files(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(f"<html><body>{TEXT}")
    ran = begin(tmp_path, "--local", "a.html", "-o", "corpus", "--topic", "0")
    assert ran.returncode == 0, ran.stderr.decode()
    assert gristmill.Corpus(tmp_path / "corpus").size["documents"] == 1


@pytest.mark.usefixtures("web")
def test_local_results(tmp_path: Path) -> None:
    """The queries are those of the file."""
    lines = [f"rye bread\thttp://h{number}.example/\n" for number in range(3)]
    lines += ["stone (mill OR mills)\thttp://h3.example/\n", "stone (mill OR mills)\thttp://h3.example/a.pdf\n"]
    (tmp_path / "results.tsv").write_text("".join(lines))
    ran = begin(tmp_path, "--results", "results.tsv", "-o", "corpus", "--lang", "en", "--json")
    assert ran.returncode == 0, ran.stderr.decode()
    (row,) = json.loads(ran.stdout)["rows"]
    assert (row["queries"], row["asked"], row["results"], row["addresses"]) == (2, 2, 5, 4)
    assert b"no page, by its suffix" in ran.stderr


@pytest.mark.usefixtures("web")
def test_own_tuples(tmp_path: Path) -> None:
    (tmp_path / "tuples.txt").write_text("rye bread\nstone mill wheat\n")
    with _engine() as engine:
        options = ["--tuples", "tuples.txt", "-o", "corpus", "--lang", "en", "--forms", "1", "--filter-words", "0"]
        ran = begin(tmp_path, *options, "--provider", f"searxng:{engine.address}")
        assert ran.returncode == 0, ran.stderr.decode()
        assert set(engine.queries) == {"rye bread", "stone mill wheat"}


@pytest.mark.usefixtures("web")
def test_goes_on_with_what_was_given_up(tmp_path: Path) -> None:
    """Nothing is lost if the provider wants a pause; when it is back, what was stored is not asked again."""
    limit = 1
    asked: list[str] = []

    def answer(query: str) -> Answer | None:
        asked.append(query)
        return Answer("", 503, {"Retry-After": "9999"}) if len(set(asked)) > limit else None

    with _engine(answer) as engine:
        options = ["-o", "corpus", "--lang=en", "--n=2", "--forms=1", "--filter-words=0", "--topic=0"]
        ran = begin(tmp_path, "rye", "bread", "mill", *options, "--provider", f"searxng:{engine.address}")
        assert ran.returncode == 0, ran.stderr.decode()
        assert b"2 queries were not answered" in ran.stderr
        assert b"asks to wait" in ran.stderr
        first, second = dict.fromkeys(asked)
        asked.clear()
        limit = 3
        ran = begin(tmp_path, "corpus", "--rounds", "2", "--json")
        assert ran.returncode == 0, ran.stderr.decode()
        assert json.loads(ran.stdout)["not_asked"] == []
        assert set(asked) == {"rye bread", "rye mill", "bread mill"} - {first}
        assert second in asked


@pytest.mark.usefixtures("web")
def test_a_provider_that_answers_nothing(tmp_path: Path) -> None:
    with _engine(lambda _: Answer("", 403)) as engine:
        options = [
            "-o",
            "corpus",
            "--lang",
            "en",
            "--n",
            "2",
            "--forms",
            "1",
            "--provider",
            f"searxng:{engine.address}",
        ]
        ran = begin(tmp_path, "rye", "bread", "mill", *options)
    assert ran.returncode == 1
    assert b"this goes on: gristmill bootstrap corpus" in ran.stderr
    with Store(tmp_path / "corpus") as store:
        assert store.states(1) == {"to ask": 3}
    with _engine() as engine:
        ran = begin(tmp_path, "rye", "bread", *options[:-1], f"searxng:{engine.address}")
    assert ran.returncode == 0, ran.stderr.decode()  # another can begin there, as nothing was found
    with Store(tmp_path / "corpus") as store:
        assert store.words(1) == ["rye", "bread"]


def test_hostile_results(web: Loopback, tmp_path: Path) -> None:
    """None of them is fetched, none spoils the terminal, and all are counted."""
    evil = [
        "javascript:alert(1)", "file:///etc/passwd", "http://10.0.0.1/", "http://169.254.169.254/latest",
        "http://h1.example/x.exe", "http://u:p@h1.example/", "\x1b[31mhttp://h1.example/", None, 5, {"url": "x"},
        "http://h1.example/" + "a" * 100_000,
        "http://[::ffff:10.0.0.1]/", "http://h1.example/\u202e", "data:text/html,x",
    ]  # fmt: skip
    results = [
        {"url": url, "title": "\x1b]0;evil\x07" * 1000} for url in [*evil, "http://h1.example/", "http://h2.example/"]
    ]
    with _engine(lambda _: Answer({"results": results})) as engine:
        ran = begin(
            tmp_path, "rye", "bread", "mill", "-o", "corpus", "--lang=en", "--forms=1", "--per-query=50", "--topic=0",
            "--provider", f"searxng:{engine.address}",
        )  # fmt: skip
    assert ran.returncode == 0, ran.stderr.decode()
    assert b"\x1b" not in ran.stdout + ran.stderr
    wanted = {"h1.example/", "h2.example/", "h1.example/robots.txt", "h2.example/robots.txt"}
    assert {path for path in web.paths() if "%E2%80%AE" not in path} <= wanted
    assert {document.url for document in gristmill.Corpus(tmp_path / "corpus").documents()} == {
        "http://h1.example/",
        "http://h2.example/",
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rye", "bread", "mill", "-o", "corpus", "--lang", "en", "--provider", "bing:x"], "searxng"),
        (["rye", "-o", "corpus", "--lang", "en", "--provider", "http://h"], "searxng:http://h, or gristmill:http://h"),
        (["rye", "bread", "-o", "corpus", "--provider", "file:hosts"], "in which language"),
        (["rye", "bread", "--lang", "en"], "say where the corpus goes"),
        (["words.txt", "-o", "corpus", "--lang", "en", "--provider", "file:hosts"], "words.txt"),
        (["rye", "bread", "-o", "corpus", "--lang", "en", "--provider", "file:hosts"], "queries of 2 words (--n 2)"),
        (["rye", "bread", "-o", "corpus", "--lang", "english", "--provider", "file:hosts"], "english"),
        (["rye", "-o", "corpus", "--lang", "en", "--n", "7", "--provider", "file:hosts"], "--n must be at most 4"),
        (["used"], "has no bootstrap to go on with"),
        (["used", "-o", "corpus"], "is a folder"),
        (["rye", "bread", "mill", "-o", "used", "--lang", "en", "--provider", "file:hosts"], "is not empty"),
        (["--results", "hosts", "--provider", "x:y", "-o", "corpus"], "leave --provider out"),
        (["rye", "-o", "corpus", "--set", "queries.nn=3"], "there is no setting 'nn'"),
        (["rye", "-o", "corpus", "--json", "--csv"], "can't be used together"),
    ],
)
def test_mistakes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str) -> None:
    monkeypatch.delenv("GRISTMILL_PROVIDER", raising=False)
    (tmp_path / "used").mkdir()
    (tmp_path / "used/file").touch()
    (tmp_path / "hosts").touch()
    ran = begin(tmp_path, *arguments)
    assert ran.returncode == 2, ran.stderr.decode()
    assert message in ran.stderr.decode()
    assert not (tmp_path / "corpus").exists()


@pytest.mark.usefixtures("web")
def test_the_same_command_again_changes_nothing(tmp_path: Path) -> None:
    """Not even without words, where only settings are given."""
    (tmp_path / "results.tsv").write_text("rye bread\thttp://h1.example/\n")
    command = ["--results", "results.tsv", "-o", "corpus", "--lang", "en", "--topic", "0"]
    assert begin(tmp_path, *command).returncode == 0
    before = (tmp_path / "corpus/bootstrap.toml").read_bytes()
    for arguments in (command, ["--sample", "texts", "-o", "corpus", "--lang", "cs"]):
        ran = begin(tmp_path, *arguments)
        assert ran.returncode == 2
        assert b"To go on: gristmill bootstrap corpus" in ran.stderr
    assert (tmp_path / "corpus/bootstrap.toml").read_bytes() == before


def test_the_provider_if_none_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is one that needs no server, unless the environment has another; addresses alone need none."""
    monkeypatch.delenv("GRISTMILL_PROVIDER", raising=False)
    (tmp_path / "hosts").write_text("127.0.0.1:1 index.commoncrawl.org\n127.0.0.1:1 data.commoncrawl.org\n")
    ran = run("bootstrap", "--lang", "is", "-o", "corpus", "--contact", "a@b.example", "--hosts", "hosts", cwd=tmp_path)
    assert ran.returncode == 1
    assert b"no --provider is given, so commoncrawl:latest is asked" in ran.stderr
    assert b"Common Crawl" in ran.stderr
    (tmp_path / "urls.txt").write_text("http://index.commoncrawl.org/\n")
    ran = begin(tmp_path, "--urls", "urls.txt", "-o", "given", "--set=manners.retries=0")
    assert b"--provider" not in ran.stderr
    monkeypatch.setenv("GRISTMILL_PROVIDER", "file:results.tsv")
    ran = begin(tmp_path, "--lang", "is", "-o", "other")
    assert ran.returncode == 2
    assert b"there is no file results.tsv" in ran.stderr


def test_addresses_that_give_no_page(tmp_path: Path) -> None:
    """The user is told where the reasons are, not to try other words."""
    (tmp_path / "hosts").write_text("127.0.0.1:1 h1.example\n")
    (tmp_path / "urls.txt").write_text("http://h1.example/\n")
    ran = begin(tmp_path, "--urls", "urls.txt", "-o", "corpus", "--set=manners.retries=0")
    assert ran.returncode == 1
    assert b"1 address found, and none gave a page: `gristmill crawl stats corpus/pages/bootstrap-1`" in ran.stderr
    assert run("crawl", "stats", "corpus/pages/bootstrap-1", cwd=tmp_path).returncode == 0
    with Loopback({"h2.example/": Reply(headers={"Content-Type": "text/html"}, body=TEXT.encode())}) as server:
        (tmp_path / "hosts").write_text(f"127.0.0.1:{server.port} h2.example\n")
        (tmp_path / "urls.txt").write_text("http://h2.example/\n")
        ran = begin(tmp_path, "--urls", "urls.txt", "-o", "corpus", "--topic", "0")
    assert ran.returncode == 0, ran.stderr.decode()  # another can begin there
    assert [document.url for document in gristmill.Corpus(tmp_path / "corpus").documents()] == ["http://h2.example/"]


@pytest.mark.usefixtures("web")
def test_one_with_answers_is_not_forgotten(tmp_path: Path) -> None:
    """They may have cost money."""
    with _engine(lambda _: Answer("", 403)) as engine:
        options = ["-o", "corpus", "--lang", "en", "--n", "2", "--provider", f"searxng:{engine.address}"]
        assert begin(tmp_path, "rye", "bread", *options).returncode == 1
        with Store(tmp_path / "corpus") as store:
            store.answer(store.to_ask(1)[0].id, [Result("http://h1.example/", 1)])
        ran = begin(tmp_path, "rye", "mill", *options)
    assert ran.returncode == 2
    assert b"corpus has begun already" in ran.stderr
    with Store(tmp_path / "corpus") as store:
        assert store.outcomes(1)


def test_nobody_says_who_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRISTMILL_CONTACT", raising=False)
    ran = run("bootstrap", "rye", "bread", "-o", "corpus", "--lang", "en", cwd=tmp_path)
    assert ran.returncode == 2
    assert b"--contact" in ran.stderr


@pytest.mark.usefixtures("web")
def test_what_can_not_change(tmp_path: Path) -> None:
    (tmp_path / "urls.txt").write_text("http://h1.example/\n")
    assert begin(tmp_path, "--urls", "urls.txt", "-o", "corpus", "--topic", "0").returncode == 0
    for arguments in (["--lang", "cs"], ["--topic", "0.5"], ["--urls", "urls.txt"], ["--preset", "none"]):
        ran = begin(tmp_path, "corpus", *arguments)
        assert ran.returncode == 2, arguments
        assert b"begin a new corpus" in ran.stderr


@pytest.mark.usefixtures("web")
def test_a_provider_of_a_corpus_from_elsewhere(tmp_path: Path) -> None:
    """It is not asked until the user has typed it."""
    is_down = True
    with _engine(lambda _: Answer("", 403) if is_down else None) as engine:
        provider = f"searxng:{engine.address}"
        options = ["-o", "corpus", "--lang=en", "--n=2", "--forms=1", "--provider", provider]
        assert begin(tmp_path, "rye", "bread", "mill", *options).returncode == 1
        consent.forget([consent.Named("provider", provider)])
        is_down = False
        asked = len(engine.asked)
        ran = begin(tmp_path, "corpus", "--rounds", "2")
        assert ran.returncode == 2
        assert f"{provider}, which was not allowed here" in ran.stderr.decode()
        assert len(engine.asked) == asked
        ran = begin(tmp_path, "corpus", "--provider", provider)
        assert ran.returncode == 0, ran.stderr.decode()
        assert len(engine.asked) > asked


@pytest.mark.usefixtures("web")
def test_nothing_of_the_user_is_stored(tmp_path: Path) -> None:
    (tmp_path / "urls.txt").write_text("http://h1.example/\n")
    options = ["--urls", "urls.txt", "-o", "corpus", "--contact", "me@example.org"]
    assert begin(tmp_path, *options).returncode == 0
    stored = (tmp_path / "corpus/bootstrap.toml").read_text("utf-8")
    assert "me@example.org" not in stored
    assert "127.0.0.0" not in stored
    with pytest.raises(UsageError, match="is not stored in a corpus"):
        BootstrapConfig.from_table({"manners": {"contact": "me@example.org"}})


def test_settings() -> None:
    config = BootstrapConfig.from_table({"addresses": {"domains": ["uk"]}, "stop": {"rounds": 3}})
    assert BootstrapConfig.from_table(config.to_table()) == config
    for wrong in (
        {"queries": {"n": 5}}, {"queries": {"count": 0}}, {"seeds": {"measure": "x"}}, {"addresses": {"order": "x"}},
        {"topic": {"min": 2.0}}, {"queries": {"delay": float("nan")}}, {"addresses": {"per_host": -1}},
        {"stop": {"rounds": -1}},
    ):  # fmt: skip
        with pytest.raises(UsageError):
            BootstrapConfig.from_table(wrong)


def test_arguments_of_the_function(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="in which folder"):
        bootstrap(["rye"])
    with pytest.raises(TypeError, match="words must be"):
        bootstrap(5, tmp_path / "x")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="config must be"):
        bootstrap([], tmp_path / "x", {"n": 3})  # type: ignore[arg-type]


def _engine(answer: Callable[[str], Answer | None] = lambda _: None) -> SearchEngine:
    """A search engine whose results are the five hosts, unless a function of the query says otherwise."""
    usual = {"results": [{"url": f"http://h{number}.example/", "title": "x"} for number in range(5)]}

    def reply(asked: Asked) -> Answer:
        given = answer(asked.parameters.get("q", ""))
        first = asked.parameters.get("pageno", "1") == "1"
        return given or Answer(usual if first else {"results": []})

    return SearchEngine(reply)
