"""Requests that none of our pages makes, and corpora that nobody should trust: each is answered, and does no harm."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from web_server import Client, served

import gristmill
from gristmill.judgements.duplicates.store import Reviews
from gristmill.web import workers
from gristmill.web.operations import operations
from gristmill.web.rooms.search_history import MAX_CHARACTERS
from gristmill.web.security.access import Access
from gristmill.web.security.users import Users, add_user
from gristmill.web.visit import MAX_ON_PAGE
from gristmill.web.workers import Question

PASSWORD = "correct horse"  # noqa: S105 (of nobody)


@pytest.fixture(scope="module")
def folder(indexed: gristmill.Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sample that is written to."""
    return Path(shutil.copytree(indexed.folder, tmp_path_factory.mktemp("misused") / "own"))


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[Client]:
    with served(folder) as found:
        yield found


@pytest.fixture(scope="module")
def guarded(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    path = tmp_path_factory.mktemp("users") / "users.txt"
    for name in ("rita", "rosa"):
        add_user(path, name, "reader", PASSWORD)
    with served(folder, access=Access(users=Users(path))) as found:
        yield found


def bearer(client: Client, name: str) -> dict[str, str]:
    token = client.post("/login", {"name": name, "password": PASSWORD}).json()["token"]
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize("token", [[1], {"a": 1}, [[]], 7, None])
def test_a_token_of_another_type_is_a_wrong_one(client: Client, token: object) -> None:
    reply = client.post("/api/own/annotate-cancel", {"csrf": token}, {"Origin": client.address, "Cookie": "a=b"})
    assert reply.status == 403


@pytest.mark.parametrize(
    "path",
    [
        "subcorpora/save",
        "subcorpora/remove",
        "watches/add",
        "annotate/page/00000-000003?annotator=ann",
        "annotate/list",
        "annotate/training",
        "duplicates/review",
    ],
)
def test_pages_take_forms_and_no_json(client: Client, path: str) -> None:
    reply = client.post(f"/own/{path}", {"name": 5, "where": 7, "q": 5, "first": 5, "pages": [5]})
    assert reply.status == 415
    assert "JSON is for the API" in reply.text


@pytest.mark.parametrize("view", ["path=x", "self=x", "found=1&at=7", "visit=1"])
def test_the_view_of_a_list_may_have_any_names(client: Client, view: str) -> None:
    reply = client.get("/own/pages/go", at=1, view=view)
    assert reply.status == 303
    assert reply.headers["location"].startswith("/own/pages/00000-")


@pytest.mark.parametrize(
    "path",
    [
        "wordlist?limit=",
        "search?q=bread&limit=",
        "frequency?q=bread&limit=",
        "distribution?q=bread&limit=",
        "keywords?limit=",
    ],
)
def test_a_page_has_only_so_many_rows(client: Client, path: str) -> None:
    assert client.get(f"/own/{path}{MAX_ON_PAGE}").status == 200
    reply = client.get(f"/own/{path}{MAX_ON_PAGE + 1}")
    assert reply.status == 400
    assert "a page shows up to 1,000" in reply.text
    assert client.get(f"/api/own/{path.replace('search', 'concordance')}{MAX_ON_PAGE + 1}").status != 500


def test_the_lines_of_a_watch_are_limited_too(client: Client) -> None:
    assert client.post("/api/own/watch-add", {"q": "bread", "name": "bread"}).status == 200
    assert client.get("/own/watches/bread", limit=MAX_ON_PAGE).status == 200
    assert client.get("/own/watches/bread", limit=MAX_ON_PAGE + 1).status == 400


def test_many_filters_are_refused_at_once(client: Client) -> None:
    reply = client.get("/own/search", q="x", having=["a"] * 600, lacking=["b"] * 600, only=["c"] * 600)
    assert reply.status == 400
    assert "at most 30 values" in reply.text


def test_few_parts_of_speech_are_compared_at_once(client: Client) -> None:
    reply = client.get("/api/own/compare", where='lang="en"', tags=",".join(["NOUN"] * 13))
    assert reply.status == 400
    assert "at most 12" in reply.text


@pytest.mark.parametrize("given", [{"name": "𝟎" * 64, "q": "bread"}, {"q": "𝟎" * 64}])
def test_names_of_watches_fit_file_systems(client: Client, given: dict[str, str]) -> None:
    assert client.post("/api/own/watch-add", given).status in {200, 400}


def test_users_do_not_see_what_programs_of_others_asked(guarded: Client) -> None:
    rita, rosa = bearer(guarded, "rita"), bearer(guarded, "rosa")
    assert guarded.get("/own/search", rita, q="bread").status == 200
    assert "No query was asked yet" in guarded.get("/own/history", rosa).text


def test_a_program_can_log_out(guarded: Client) -> None:
    rita, other = bearer(guarded, "rita"), bearer(guarded, "rita")
    assert guarded.get("/api/own/about", rita).status == 200
    assert guarded.post("/logout", {}, rita).status == 303
    assert guarded.get("/api/own/about", rita).status == 401
    assert guarded.get("/api/own/about", other).status == 200


def test_a_history_does_not_grow_without_end(client: Client) -> None:
    cookie = {"Cookie": client.get("/own/search").headers["set-cookie"].partition(";")[0]}
    for number in range(12):
        assert client.get("/own/search", cookie, q=f"bread{number} " + "x" * 9_000).status == 200
    shown = client.get("/own/history", cookie).text
    assert "bread11 " in shown
    assert "bread0 " not in shown
    assert len(shown) < MAX_CHARACTERS + 20_000


def test_nobody_learns_where_a_corpus_is(folder: Path, tmp_path: Path) -> None:
    bare = Path(shutil.copytree(folder, tmp_path / "bare", ignore=shutil.ignore_patterns("index")))
    with served(bare) as client:
        about = client.get("/api/bare/about").json()
        assert "there is no index" in about["hint"]
        assert str(tmp_path) not in about["hint"]


def test_an_answer_that_is_too_large_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = operations()["wordlist"].asks(limit=200)
    question = Question(folder, "wordlist", asked, "", {})
    whole = workers.answer(question)
    assert whole.status == 200
    monkeypatch.setattr(workers, "MAX_ANSWER_BYTES", len(whole.data) - 1)
    refused = workers.answer(question)
    assert refused.status == 409
    assert "ask for less" in refused.json()["error"]
    file = workers.answer(Question(folder, "wordlist", operations()["wordlist"].asks(limit=2000), "", {}, "csv"))
    assert file.status == 409


def test_duplicates_are_shown_where_nothing_can_be_written(folder: Path, tmp_path: Path) -> None:
    fixed = Path(shutil.copytree(folder, tmp_path / "fixed"))
    with served(fixed) as client:
        pair = client.get("/api/fixed/duplicate-pairs", lines=1).json()["pairs"][0]
        first, second = pair["first"]["id"], pair["second"]["id"]
        with Reviews(fixed) as reviews:
            reviews.judge((first, second), "ann", "yes")
        (fixed / "reviews.sqlite-wal").mkdir()  # as good as a read-only folder, also for the superuser
        found = client.get("/api/fixed/duplicate-pair", first=first, second=second)
        assert found.json()["verdicts"] == {"ann": "yes"}
        assert client.get("/fixed/duplicates").status == 200
        refused = client.post("/api/fixed/judge-duplicates", {"first": first, "second": second, "verdict": "no"})
        assert refused.status == 409
        assert "read-only" in refused.json()["error"]


@pytest.mark.parametrize("link", ["models", "models/training.log", "models/training.lock"])
def test_a_training_does_not_write_to_where_a_corpus_links(folder: Path, tmp_path: Path, link: str) -> None:
    strange = Path(shutil.copytree(folder, tmp_path / "strange"))
    mine = tmp_path / "mine"
    if link == "models":
        mine.mkdir()
    else:
        mine.write_text("mine")
        (strange / "models").mkdir()
    (strange / link).symlink_to(mine)
    with served(strange) as client:
        reply = client.post("/api/strange/annotate-train", {"name": "new"})
    assert reply.status == 400
    assert "names what was not allowed here" in reply.json()["error"]
    assert not list(mine.iterdir()) if mine.is_dir() else mine.read_text() == "mine"


def test_sketches_and_names_are_not_written_to_where_a_corpus_links(folder: Path, tmp_path: Path) -> None:
    strange, mine = Path(shutil.copytree(folder, tmp_path / "strange")), tmp_path / "mine"
    mine.mkdir()
    (mine / "old-x-y.arrays").write_text("mine")
    shutil.rmtree(strange / "sketches", ignore_errors=True)
    (strange / "sketches").symlink_to(mine)
    with served(strange) as client:
        assert client.get("/api/strange/sketch", word="bread").status == 200
        (strange / "sketches").unlink()
        (strange / ".subcorpora.lock").symlink_to(mine / "made")
        reply = client.post("/api/strange/save-subcorpus", {"name": "english", "where": 'lang="en"'})
        assert reply.status == 400
    assert [path.name for path in mine.iterdir()] == ["old-x-y.arrays"]


def test_a_training_with_more_annotators_than_a_command_line_takes(client: Client) -> None:
    names = [f"{'😀' * 50}{number}" for number in range(1000)]
    reply = client.post("/api/own/annotate-train", {"name": "new", "annotators": names})
    assert reply.status == 409
    assert "the training does not start" in reply.json()["error"]


_STATES = [
    {"run": "x", "name": 5, "state": "done", "folds": [1, 2], "before": "a"},
    {"state": "done", "after": float("nan")},
    {"state": "done", "folds": [{"pages": 1}]},
    {"unknown": 1},
    [],
]
_ROWS = [
    "INSERT INTO visits VALUES (x'ff', 'p', 1, 1, 0)",
    "UPDATE visits SET finished = 'x'",
    "UPDATE judgements SET verdict = '<b>'",
    "UPDATE judgements SET block = 'x'",
    "UPDATE judgements SET block = -1",
    "UPDATE judgements SET page = x'00'",
    "INSERT INTO listed VALUES (1, x'ff')",
]


def _answers(client: Client, name: str, page: str) -> list[int]:
    paths = ("annotate", "annotate/agreement", "annotate/training", f"annotate/page/{page}", "annotate/next")
    found = [client.get(f"/{name}/{path}", annotator="ann").status for path in paths]
    names = ("annotate-gold", "annotate-training", "annotate-overview", "annotate-disagreements")
    return found + [client.get(f"/api/{name}/{operation}").status for operation in names]


def test_files_of_strangers_are_answered_in_words(folder: Path, tmp_path: Path) -> None:
    strange = Path(shutil.copytree(folder, tmp_path / "strange"))
    with served(strange) as client:
        page = client.get("/api/strange/annotate-next", annotator="ann").json()["page"]
        digest = client.get("/api/strange/annotate-page", page=page, annotator="ann").json()["digest"]
        marked = {"page": page, "digest": digest, "marks": ["0:good"], "annotator": "ann", "finish": True}
        assert client.post("/api/strange/annotate-mark", marked).status == 200
        (strange / "models").mkdir(exist_ok=True)
        for state in _STATES:
            (strange / "models/training.json").write_text(json.dumps(state))
            assert max(_answers(client, "strange", page)) == 409, state
        (strange / "models/training.json").unlink()
        assert max(_answers(client, "strange", page)) <= 303
        for statement in _ROWS:
            shutil.copy(strange / "annotations.sqlite", tmp_path / "kept")
            with closing(sqlite3.connect(strange / "annotations.sqlite")) as database:
                database.execute(statement)
                database.commit()
            assert max(_answers(client, "strange", page)) <= 409, statement
            shutil.copy(tmp_path / "kept", strange / "annotations.sqlite")


def test_a_feed_that_is_gone(client: Client, folder: Path) -> None:
    assert client.post("/api/own/watch-add", {"q": "corn", "name": "corn"}).status == 200
    (folder / "watches/corn/feed.xml").unlink()
    assert client.get("/own/watches/corn/feed.xml").status == 409
