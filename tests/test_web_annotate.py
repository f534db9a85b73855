"""The annotator over HTTP: operations, pages and forms, clicks that survive kills, training in the background."""

from __future__ import annotations

import re
import shutil
import threading
import time
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from waiting import wait_until
from web_process import server_process
from web_server import Client, Reply, served

import gristmill
from gristmill.corpus import CorpusReader
from gristmill.evaluation import read_gold
from gristmill.judgements.blocks.gold import Choice
from gristmill.judgements.blocks.marks import VERDICTS
from gristmill.judgements.blocks.pages import read_page
from gristmill.judgements.blocks.store import BlockStore
from gristmill.judgements.blocks.training import cancel, model_path, start, status
from gristmill.roles import ROLES
from gristmill.web.answers.annotate import annotator_of
from gristmill.web.rooms.annotate import ROLE_KEYS
from gristmill.web.security.access import Access
from gristmill.web.security.users import Users, add_user

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def folder(corpus: gristmill.Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(corpus.folder, tmp_path_factory.mktemp("annotated") / "mills"))


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[Client]:
    with served(folder, workers=2) as found:
        yield found


def _ask(client: Client, operation: str, **asked: Any) -> Any:
    reply = client.get(f"/api/mills/annotate-{operation}", **asked)
    assert reply.status == 200, reply.text
    return reply.json()


def _tell(client: Client, operation: str, **asked: Any) -> Reply:
    return client.post(f"/api/mills/annotate-{operation}", asked)


def _finish(client: Client, annotator: str, page: str, verdict: str | None = None) -> None:
    """Judge a page: all blocks alike, or as suggested."""
    found = _ask(client, "page", page=page, annotator=annotator, suggest=1)
    marks = [f"{block['number']}:{verdict or block['suggestion']['verdict']}" for block in found["blocks"]]
    reply = _tell(client, "mark", page=page, annotator=annotator, digest=found["digest"], marks=marks, finish=True)
    assert reply.status == 200, reply.text


def test_a_page_is_judged(client: Client) -> None:
    page = _ask(client, "next", annotator="Ada")["page"]
    found = _ask(client, "page", page=page, annotator="Ada")
    assert [block["number"] for block in found["blocks"]] == list(range(len(found["blocks"])))
    reply = _tell(client, "mark", page=page, annotator="Ada", digest=found["digest"], marks=["0-1:good", "1::list"])
    assert reply.json() == {"judged": 2, "finished": False}
    stored = _ask(client, "stored", page=page, annotator="Ada")["judgements"]
    assert stored == [{"block": 0, "verdict": "good", "role": ""}, {"block": 1, "verdict": "good", "role": "list"}]
    assert _ask(client, "stored", page=page, annotator="Bob")["judgements"] == []
    assert _ask(client, "page", page=found["url"], annotator="Ada")["page"] == page
    assert _ask(client, "next", annotator="Ada")["page"] == page
    assert _ask(client, "next", annotator="Ada", after=page)["page"] != page
    _finish(client, "Ada", page)
    assert _ask(client, "next", annotator="Ada")["page"] != page
    overview = _ask(client, "overview")
    assert overview["annotators"][0]["finished"] == 1
    assert overview["changed"] == []


def test_hidden_suggestions_are_nowhere(client: Client) -> None:
    page = _ask(client, "next", annotator="Hid", order="random")["page"]
    hidden = client.get("/api/mills/annotate-page", page=page, annotator="Hid").text
    assert "score" not in hidden
    assert "suggestion" not in hidden
    shown = client.get(f"/mills/annotate/page/{page}", annotator="Hid").text
    assert "data-suggestion=" not in shown
    assert "data-score" not in shown
    assert not re.search(r'class="suggestion"', shown)
    assert 'data-suggestion="' in client.get(f"/mills/annotate/page/{page}", annotator="Hid", suggest=1).text


def test_names_are_escaped(client: Client) -> None:
    name = "<script>alert(1)</script>\"'&"
    page = _ask(client, "next", annotator=name, order="random", seed=5)["page"]
    _finish(client, name, page)
    _finish(client, "Bob", page, "good")
    known = {"Cookie": Browser(client).cookie}
    for path in ("annotate", "annotate/agreement", "annotate/training", f"annotate/page/{page}"):
        reply = client.get(f"/mills/{path}", known, annotator=name)
        assert reply.status == 200
        assert "<script>alert" not in reply.text
        assert "&lt;script&gt;" in reply.text
        assert "gristmill_annotator=%3Cscript%3E" in reply.headers["set-cookie"]


def test_who_judges() -> None:
    assert annotator_of("ada", "") == "ada"
    assert annotator_of("ada", "ada") == "ada"
    assert annotator_of("", " Ada ") == "Ada"
    with pytest.raises(gristmill.UsageError, match="you are ada"):
        annotator_of("ada", "bob")
    with pytest.raises(gristmill.UsageError, match="who judges"):
        annotator_of("", "")


def test_users_judge_under_their_own_names(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "users"
    for name, role in (("rea", "reader"), ("ann", "annotator"), ("own", "owner")):
        add_user(file, name, role, "correct horse")
    with served(folder, access=Access(users=Users(file))) as client:

        def headers(name: str) -> dict[str, str]:
            token = client.post("/login", {"name": name, "password": "correct horse"}).json()["token"]
            return {"Authorization": f"Bearer {token}"}

        reader, annotator, owner = map(headers, ("rea", "ann", "own"))
        assert client.get("/api/mills/annotate-next", reader).status == 403
        assert client.get("/mills/annotate", reader).status == 403
        page = client.get("/api/mills/annotate-next", annotator, order="random").json()["page"]
        found = client.get("/api/mills/annotate-page", annotator, page=page).json()
        assert found["annotator"] == "ann"
        asked = {"page": page, "digest": found["digest"], "marks": ["0:good"]}
        assert client.post("/api/mills/annotate-mark", asked, annotator).status == 200
        assert client.post("/api/mills/annotate-mark", {**asked, "annotator": "ann"}, annotator).status == 200
        assert client.post("/api/mills/annotate-mark", {**asked, "annotator": "own"}, annotator).status == 400
        for name, sent in (("train", {"name": "x"}), ("cancel", {}), ("list", {"pages": []})):
            assert client.post(f"/api/mills/annotate-{name}", sent, annotator).status == 403
        assert client.post("/api/mills/annotate-list", {"pages": []}, owner).status == 200
        assert "Change the list" not in client.get("/mills/annotate", annotator).text
        assert "Change the list" in client.get("/mills/annotate", owner).text


@pytest.mark.parametrize(
    ("operation", "asked"),
    [
        ("next", {"annotator": ""}),
        ("next", {"annotator": "a\x07b"}),
        ("next", {"annotator": "Ada", "order": "best"}),
        ("next", {"annotator": "Ada", "seed": -1}),
        ("page", {"annotator": "Ada", "page": "nothing.example"}),
        ("page", {"annotator": "Ada", "page": "00000-999999"}),
        ("page", {"annotator": "Ada", "page": "../../etc/passwd"}),
        ("stored", {"annotator": "Ada", "page": "00000-999999"}),
        ("agreement", {"subject": "colour"}),
        ("disagreements", {"count": 100_000}),
        ("gold", {"min_agreement": 101}),
        ("gold", {"annotators": "Nobody at all"}),
    ],
)
def test_questions_that_make_no_sense(client: Client, operation: str, asked: dict[str, Any]) -> None:
    reply = client.get(f"/api/mills/annotate-{operation}", **asked)
    assert reply.status == 400, reply.text
    assert reply.json()["error"]


def test_marks_that_make_no_sense(client: Client) -> None:
    page = _ask(client, "next", annotator="Eve", order="random", seed=9)["page"]
    digest = _ask(client, "page", page=page, annotator="Eve")["digest"]
    asked = {"page": page, "annotator": "Eve", "digest": digest}
    assert _tell(client, "mark", **asked, marks=["0:fine"]).status == 400
    assert _tell(client, "mark", **asked, marks=["0-999999:good"]).status == 400
    assert _tell(client, "mark", **asked, marks=["0:good"] * 1001).status == 400
    assert _tell(client, "mark", **{**asked, "annotator": ""}, marks=["0:good"]).status == 400
    assert _tell(client, "mark", **{**asked, "digest": "0" * 16}, marks=["0:good"]).status == 409
    forged = client.post("/api/mills/annotate-mark", {**asked, "marks": ["0:good"]}, {"Origin": "http://evil.example"})
    assert forged.status == 403
    assert _ask(client, "stored", page=page, annotator="Eve")["judgements"] == []


def test_two_annotators_at_once(client: Client) -> None:
    page = _ask(client, "next", annotator="One", order="random", seed=11)["page"]
    found = _ask(client, "page", page=page, annotator="One")
    number = len(found["blocks"])
    failed: list[str] = []

    def click(name: str, verdict: str) -> None:
        for block in range(number):
            asked = {"page": page, "annotator": name, "digest": found["digest"], "marks": [f"{block}:{verdict}"]}
            reply = _tell(client, "mark", **asked)
            if reply.status != 200:
                failed.append(reply.text)

    threads = [threading.Thread(target=click, args=two) for two in (("One", "good"), ("Two", "bad"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    for name, verdict in (("One", "good"), ("Two", "bad")):
        stored = _ask(client, "stored", page=page, annotator=name)["judgements"]
        assert [item["verdict"] for item in stored] == [verdict] * number


def test_agreement_and_disagreements(client: Client) -> None:
    page = _ask(client, "next", annotator="Cyd", order="random", seed=21)["page"]
    _finish(client, "Cyd", page)
    _finish(client, "Dan", page, "good")
    found = _ask(client, "agreement", annotators=["Cyd", "Dan"])
    assert found["pages"] == 1
    assert found["pairs"][0]["by_blocks"]["percent"] == found["by_blocks"]["percent"]
    dispute = _ask(client, "disagreements", annotators=["Cyd", "Dan"])
    assert dispute["total"] == round(found["blocks"] * (1 - found["by_blocks"]["percent"]))
    row = dispute["rows"][0]
    assert row["classes"] == {"Cyd": "bad", "Dan": "good"}
    assert row["merged"]["verdict"] == "tie"
    shown = client.get("/mills/annotate/agreement").text
    assert f"/mills/annotate/page/{row['page']}#b{row['block'] + 1}" in shown.replace("&amp;", "&")
    assert client.get("/mills/annotate/agreement", subject="role").status == 200
    assert client.get("/mills/annotate/agreement", page=0).status == 400


def test_the_list_of_the_owner(client: Client) -> None:
    overview = _ask(client, "overview")
    assert overview["listed"] == []
    first = _ask(client, "next", annotator="Fay", order="random", seed=31)["page"]
    url = _ask(client, "page", page=first, annotator="Fay")["url"]
    assert _tell(client, "list", pages=["00000-000051", url, ""]).json() == {"listed": ["00000-000051", first]}
    assert _tell(client, "list", pages=["nothing.example"]).status == 400
    assert _ask(client, "next", annotator="Fay", order="list")["page"] == "00000-000051"
    _tell(client, "list", pages=[])
    assert _ask(client, "next", annotator="Fay", order="list")["page"] is None
    reply = client.get("/mills/annotate/next", annotator="Fay", order="list")
    assert (reply.status, reply.headers["location"]) == (303, "/mills/annotate?annotator=Fay&order=list&done=1")


def test_the_gold_standard_is_downloaded(client: Client, tmp_path: Path) -> None:
    page = _ask(client, "next", annotator="Gil", order="random", seed=41)["page"]
    assert client.get("/api/mills/annotate-gold", annotators="Gil").status == 400
    _finish(client, "Gil", page)
    reply = client.get("/api/mills/annotate-gold", annotators="Gil")
    assert "judged.parquet" in reply.headers["content-disposition"]
    (tmp_path / "judged.parquet").write_bytes(reply.body)
    assert [item.id for item in read_gold([tmp_path / "judged.parquet"])[0].pages] == [page]


class Browser:
    """Sends forms with the cookie and the token that a page gives."""

    def __init__(self, client: Client) -> None:
        self._client = client
        page = client.get("/mills/annotate")
        cookies = [part.partition(";")[0] for part in page.headers["set-cookie"].split(", ")]
        self.cookie = next(part for part in cookies if part.startswith("gristmill_session"))
        found = re.search(r'name="csrf" content="(\w+)"', page.text)
        assert found
        self._token = found[1]

    def send(self, path: str, **fields: str) -> Reply:
        headers = {**FORM, "Cookie": self.cookie, "Origin": self._client.address}
        body = urlencode({"csrf": self._token, **fields}).encode()
        return self._client.request("POST", path, body, headers)


def test_pages_are_judged_without_a_script(client: Client) -> None:
    page = _ask(client, "next", annotator="Ina", order="random", seed=51)["page"]
    number = len(_ask(client, "page", page=page, annotator="Ina")["blocks"])
    browser = Browser(client)
    path = f"/mills/annotate/page/{page}?annotator=Ina"
    sent = browser.send(path, first="1", last="2", verdict="good", role="list")
    assert (sent.status, sent.headers["location"]) == (303, f"/mills/annotate/page/{page}?annotator=Ina#b3")
    for fields in (
        {"first": "0", "verdict": "good"},
        {"first": "9" * 5000, "verdict": "good"},
        {"first": "1", "last": str(number + 1), "verdict": "good"},
        {"first": "1", "verdict": "fine"},
        {},
    ):
        assert browser.send(path, **fields).status == 400
    assert browser.send(path, finish="1").headers["location"] == "/mills/annotate/next?annotator=Ina"
    stored = _ask(client, "stored", page=page, annotator="Ina")["judgements"]
    assert [item["verdict"] for item in stored] == ["good"] * 2 + ["bad"] * (number - 2)
    listed = browser.send("/mills/annotate/list", pages=f"{page}\r\n\r\n00000-000051")
    assert listed.status == 303
    assert _ask(client, "overview")["listed"] == [page, "00000-000051"]
    browser.send("/mills/annotate/list", pages="")


def test_who_has_no_name_is_asked(client: Client) -> None:
    assert client.get("/mills/annotate/next").headers["location"] == "/mills/annotate"
    assert client.get("/mills/annotate/page/00000-000051").headers["location"] == "/mills/annotate?page=00000-000051"
    remembered = {"Cookie": "gristmill_annotator=Ada"}
    assert "/page/" in client.get("/mills/annotate/next", remembered).headers["location"]
    assert client.get("/mills/annotate", {"Cookie": "gristmill_annotator=%00%00"}).status == 200


def test_a_page_that_was_asked_for_waits_for_the_name(client: Client) -> None:
    start = client.get("/mills/annotate?page=00000-000051").text
    assert '<input type="hidden" name="page" value="00000-000051">' in start
    then = client.get("/mills/annotate/next?annotator=Joy&page=00000-000051").headers["location"]
    assert then == "/mills/annotate/page/00000-000051?annotator=Joy"


def test_every_role_has_a_key() -> None:
    assert set(ROLE_KEYS) == set(ROLES)
    assert len(set(ROLE_KEYS.values())) == len(ROLES)


def test_kills_lose_no_click(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(corpus.folder, tmp_path / "mills"))
    page = "00000-000051"
    outline = read_page(CorpusReader(folder), page).outline
    answered: dict[int, str] = {}
    for turn in range(2):
        with server_process(folder) as (client, process):
            digest = _ask(client, "page", page=page, annotator="Ada")["digest"]
            enough = threading.Event()

            def click(
                client: Client = client, turn: int = turn, digest: str = digest, enough: threading.Event = enough
            ) -> None:
                for number in range(10_000):
                    block, verdict = number % len(outline.hashes), VERDICTS[(number + turn) % 3]
                    asked = {"page": page, "annotator": "Ada", "digest": digest, "marks": [f"{block}:{verdict}"]}
                    answered.pop(block, None)  # not known, until it is answered
                    try:
                        reply = _tell(client, "mark", **asked)
                    except (OSError, HTTPException):
                        return
                    assert reply.status == 200
                    answered[block] = verdict
                    if number > 12 + 7 * turn:
                        enough.set()

            thread = threading.Thread(target=click)
            thread.start()
            assert enough.wait(120)
            process.kill()
            thread.join()
        with BlockStore(folder) as store:
            stored = store.of_page(page, outline)["Ada"]
        assert len(answered) > 10
        assert {block: stored[block].verdict for block in answered} == answered


def _wait(client: Client, *states: str) -> Any:
    end = time.monotonic() + 300
    while time.monotonic() < end:
        found = _ask(client, "training")
        if found["state"] in states:
            return found
        time.sleep(0.1)
    raise AssertionError(found)


def test_training_in_the_background(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(corpus.folder, tmp_path / "mills"))
    with served(folder, workers=2) as client:
        assert _ask(client, "training")["state"] == "none"
        for _ in range(3):
            _finish(client, "Ada", _ask(client, "next", annotator="Ada", order="random")["page"])
        assert _tell(client, "train", name="../x").status == 400
        begun = _tell(client, "train", name="mine")
        assert begun.status == 200, begun.text
        assert begun.json()["state"] == "running"
        assert _tell(client, "train", name="other").status == 409
        assert client.get("/mills/annotate/training").status == 200
        assert _tell(client, "cancel").json()["state"] == "cancelled"
        assert not list((folder / "models").glob("*.mill"))
        assert _tell(client, "train", name="mine").status == 200
        seen = _wait(client, "done")
        assert (seen["pages"], seen["step"], seen["steps"]) == (3, 4, 4)
        assert [set(fold) for fold in seen["folds"]] == [{"pages", "before", "after"}] * 3
        assert seen["before"] <= seen["after"] + 0.001
        assert seen["models"] == ["mine"]
        assert _tell(client, "train", name="mine").status == 400
        shown = client.get("/mills/annotate/training").text
        assert "models/mine.mill" in shown
        assert f"{seen['before']:.3f}" in shown
        assert gristmill.clean("<p>too short", model=model_path(folder, "mine")).blocks
        assert _tell(client, "train", name="other", annotators=["Nobody"]).status == 200
        assert "Nobody" in _wait(client, "failed")["message"]


def test_a_killed_server_ends_its_training(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(corpus.folder, tmp_path / "mills"))
    with server_process(folder) as (client, process):
        for _ in range(3):
            _finish(client, "Ada", _ask(client, "next", annotator="Ada", order="random")["page"])
        assert _tell(client, "train", name="mine").status == 200
        process.kill()
        process.wait()
        wait_until(lambda: status(folder).state != "running")
    assert status(folder).state in {"cancelled", "ended"}
    assert not list((folder / "models").glob("*.mill"))
    assert start(folder, "mine", Choice()).state == "running"
    assert cancel(folder).state == "cancelled"
