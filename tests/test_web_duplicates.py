"""The room of duplicates over HTTP: lists, pairs, judgements, figures, files; who may do what."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from web_server import Client, served

import gristmill
from gristmill.engine import InlineEngine
from gristmill.judgements.duplicates import read_reviews
from gristmill.web.security import users
from gristmill.web.security.access import Access
from gristmill.web.security.users import Users, add_user

API = "/api/copy"
PASSWORD = "correct horse"  # noqa: S105 (of nobody)


@pytest.fixture(scope="module")
def folder(corpus: gristmill.Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("web") / "copy"
    shutil.copytree(corpus.folder, folder)
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Client]:
    with served(folder) as found:
        yield found


@pytest.fixture
def client(server: Client, folder: Path) -> Client:
    for file in folder.glob("reviews.sqlite*"):
        file.unlink()
    return server


def ask(client: Client, operation: str, **parameters: Any) -> Any:
    found = client.get(f"{API}/{operation}", **parameters)
    assert found.status == 200, found.text
    return found.json()


def judge(client: Client, pair: Any, verdict: str, name: str = "ada") -> Any:
    value = {"first": pair[0], "second": pair[1], "verdict": verdict, "judge": name}
    found = client.post(f"{API}/judge-duplicates", value)
    assert found.status == 200, found.text
    return found.json()


def test_pairs_are_listed(client: Client) -> None:
    found = ask(client, "duplicate-pairs", order="similar", lines=5)
    assert len(found["pairs"]) == 5
    assert found["total"] == sum(stratum["pairs"] for stratum in found["strata"] if stratum["name"] != "title")
    assert found["pairs"][0]["score"] > 0.9
    assert found["pairs"][0]["first"]["url"].startswith("http")
    second = ask(client, "duplicate-pairs", order="similar", lines=5, page=2)["pairs"]
    assert second[0]["score"] <= found["pairs"][4]["score"]


def test_only_pairs_in_a_state(client: Client) -> None:
    first, second = (
        (row["first"]["id"], row["second"]["id"]) for row in ask(client, "duplicate-pairs", lines=2)["pairs"]
    )
    judge(client, first, "yes")
    judge(client, first, "no", "bob")
    judge(client, second, "near")
    total = ask(client, "duplicate-pairs")["total"]
    assert ask(client, "duplicate-pairs", state="open", judge="ada")["total"] == total - 2
    assert ask(client, "duplicate-pairs", state="open", judge="bob")["total"] == total - 1
    assert ask(client, "duplicate-pairs", state="judged")["total"] == 2
    disputed = ask(client, "duplicate-pairs", state="disputed", judge="ada")["pairs"]
    assert [(row["verdict"], row["others"]) for row in disputed] == [("yes", {"bob": "no"})]


def test_judging_one_after_the_other(client: Client, folder: Path) -> None:
    seen: list[list[str]] = []
    for verdict in ("yes", "near", "no"):
        ahead = ask(client, "duplicate-next", judge="ada")
        assert ahead["judged"] == len(seen)
        assert ahead["pair"] not in seen
        seen.append(ahead["pair"])
        judge(client, ahead["pair"], verdict)
    assert [read_reviews(folder).of((pair[0], pair[1]))["ada"] for pair in seen] == ["yes", "near", "no"]
    undone = client.post(f"{API}/undo-duplicates", {"judge": "ada"}).json()
    assert undone["pair"] == seen[-1]
    assert ask(client, "duplicate-next", judge="ada")["pair"] == seen[-1]
    assert client.post(f"{API}/undo-duplicates", {"judge": "nobody"}).json()["pair"] is None


def test_a_pair_is_shown_with_its_differences(client: Client) -> None:
    row = ask(client, "duplicate-pairs", order="similar", lines=1)["pairs"][0]
    found = ask(client, "duplicate-pair", first=row["second"]["id"], second=row["first"]["id"])  # in any order
    assert found["first"]["id"] == row["first"]["id"]
    assert {piece["side"] for piece in found["here"]["pieces"]} <= {"both", "here"}
    assert {piece["side"] for piece in found["there"]["pieces"]} == {"both", "there"}
    assert found["common"] > 0.8


def test_clusters(client: Client) -> None:
    found = ask(client, "duplicate-clusters")
    assert found["total"] == len(found["clusters"]) > 0
    first = found["clusters"][0]
    cluster = ask(client, "duplicate-cluster", id=first["first"]["id"])
    assert cluster["documents"] == first["documents"] == len(cluster["pairs"]) + 1
    assert client.get("/copy/duplicates/clusters").status == 200
    assert client.get("/copy/duplicates/cluster", id=first["first"]["id"]).status == 200


def test_figures_and_files(client: Client) -> None:
    for number in range(20):
        ahead = ask(client, "duplicate-next", judge="ada")["pair"]
        pair = ask(client, "duplicate-pair", first=ahead[0], second=ahead[1])
        judge(client, ahead, "yes" if pair["found"] else "near" if number % 5 == 0 else "no")
    figures = ask(client, "duplicate-figures")
    assert figures["judged"] == 20
    assert figures["counts"]["wrong"] == 0
    assert figures["precision"]["value"] == 1
    assert 0 < figures["recall"]["value"] < 1
    strict = ask(client, "duplicate-figures", near="0")
    assert strict["recall"]["value"] == 1
    page = client.get("/copy/duplicates/figures", counted="1").text
    assert re.search(r"100\.0% <small>", page)
    lines = client.get(f"{API}/export-duplicates").text.splitlines()
    assert all(set(json.loads(line)) == {"id", "text", "cluster"} for line in lines)
    rows = client.get(f"{API}/export-duplicates", format="csv")
    assert rows.headers["content-disposition"] == 'attachment; filename="judged-pairs.csv"'
    assert len(rows.text.splitlines()) == 21
    assert len(client.get(f"{API}/export-duplicates", format="json").text.splitlines()) == 20


def test_figures_of_nothing(client: Client) -> None:
    assert ask(client, "duplicate-figures")["judged"] == 0
    assert "No pair is judged yet" in client.get("/copy/duplicates/figures").text
    assert client.get(f"{API}/export-duplicates").status == 409


@pytest.mark.parametrize(
    ("operation", "parameters"),
    [
        ("duplicate-pair", {"first": "x", "second": "y"}),
        ("duplicate-pair", {"first": "00000-000000", "second": "00000-000000"}),
        ("duplicate-pair", {"first": "00000-000000", "second": "00099-000000"}),
        ("duplicate-pair", {"first": "00000-000000"}),
        ("duplicate-cluster", {"id": "../../etc/passwd"}),
        ("duplicate-cluster", {"id": "00000-\0"}),
        ("duplicate-next", {"judge": "\u202e"}),
        ("duplicate-next", {"first": "00000-000000"}),
        ("duplicate-pairs", {"order": "best"}),
        ("duplicate-pairs", {"page": "0"}),
        ("duplicate-pairs", {"judge": "x" * 61}),
    ],
)
def test_wrong_questions(client: Client, operation: str, parameters: dict[str, str]) -> None:
    found = client.get(f"{API}/{operation}", None, **parameters)
    assert found.status == 400
    assert found.json()["error"]


@pytest.mark.parametrize(
    "changes",
    [{"verdict": "maybe"}, {"first": "x"}, {"second": "00099-000000"}, {"judge": "a\0b"}, {"judge": ["a", "b"]}],
)
def test_wrong_judgements(client: Client, folder: Path, changes: dict[str, Any]) -> None:
    value = {"first": "00000-000000", "second": "00000-000001", "verdict": "yes", "judge": "ada", **changes}
    assert client.post(f"{API}/judge-duplicates", value).status == 400
    assert not (folder / "reviews.sqlite").exists()


def test_forged_judgements_are_refused(client: Client, folder: Path) -> None:
    value = {"first": "00000-000000", "second": "00000-000001", "verdict": "yes"}
    assert client.post(f"{API}/judge-duplicates", value, {"Origin": "http://evil.example"}).status == 403
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    for path in (f"{API}/judge-duplicates", "/copy/duplicates/review"):
        assert client.request("POST", path, urlencode(value).encode(), form).status == 403
        assert client.request("POST", path, urlencode({**value, "csrf": "0" * 64}).encode(), form).status == 403
    assert not (folder / "reviews.sqlite").exists()


def test_forms_work_without_scripts(client: Client, folder: Path) -> None:
    page = client.get("/copy/duplicates/review")
    assert page.status == 303
    page = client.get(page.headers["location"])
    token = re.search(r'name="csrf" value="(\w+)"', page.text)
    ids = re.search(r'name="first" value="([\d-]+)"><input type="hidden" name="second" value="([\d-]+)"', page.text)
    assert token
    assert ids
    cookie = page.headers["set-cookie"].partition(";")[0]
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": cookie, "Origin": client.address}
    fields = {"csrf": token[1], "first": ids[1], "second": ids[2], "order": "random", "judge": "Ada & <b>"}
    done = client.request("POST", "/copy/duplicates/review", urlencode({**fields, "verdict": "near"}).encode(), headers)
    assert done.status == 303
    assert ids[2] not in done.headers["location"]
    assert read_reviews(folder).of((ids[1], ids[2])) == {"Ada & <b>": "near"}
    after = client.get(done.headers["location"]).text
    assert "Ada &amp; &lt;b&gt;" in after
    assert "<b>" not in after
    undone = client.request(
        "POST", "/copy/duplicates/review", urlencode({**fields, "verdict": "undo"}).encode(), headers
    )
    assert ids[2] in undone.headers["location"]
    assert read_reviews(folder).judges == {}


def test_two_judges_at_once(client: Client, folder: Path) -> None:
    rows = ask(client, "duplicate-pairs", lines=40)["pairs"]
    pairs = [(row["first"]["id"], row["second"]["id"]) for row in rows]
    work = [(pair, name) for pair in pairs for name in ("ada", "bob")]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda item: judge(client, item[0], "yes" if item[1] == "ada" else "no", item[1]), work))
    assert read_reviews(folder).verdicts == {pair: {"ada": "yes", "bob": "no"} for pair in pairs}


def test_users_judge_in_their_own_names(
    folder: Path, tmp_path: Path, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(users, "_N", 2**8)
    file = tmp_path / "users"
    add_user(file, "anna", "annotator", PASSWORD)
    add_user(file, "rita", "reader", PASSWORD)
    pair = ask(client, "duplicate-next")["pair"]
    value = {"first": pair[0], "second": pair[1], "verdict": "yes", "judge": "somebody else"}
    with served(folder, access=Access(users=Users(file))) as guarded:
        headers = {
            name: {
                "Authorization": "Bearer "
                + guarded.post("/login", {"name": name, "password": PASSWORD}).json()["token"]
            }
            for name in ("anna", "rita")
        }
        assert guarded.post(f"{API}/judge-duplicates", value).status == 401
        assert guarded.post(f"{API}/judge-duplicates", value, headers["rita"]).status == 403
        assert guarded.post(f"{API}/undo-duplicates", {}, headers["rita"]).status == 403
        assert guarded.post(f"{API}/judge-duplicates", value, headers["anna"]).status == 200
        assert (
            'value="yes"'
            not in guarded.get(f"/copy/duplicates/review?first={pair[0]}&second={pair[1]}", headers["rita"]).text
        )
    assert read_reviews(folder).of((pair[0], pair[1])) == {"anna": "yes"}


_EVIL = '"><script>alert(1)</script><img src=x onerror=alert(1)>'


def test_hostile_pages_are_escaped(tmp_path: Path) -> None:
    text = " ".join(f"The mill{word} ground the corn slowly and the miller slept." for word in range(60))
    for number in (1, 2):
        body = f"<title>{_EVIL.replace('<', '&lt;')} long title</title><h1>x</h1><p>{text} &lt;script&gt;{number}"
        (tmp_path / f"{number}.html").write_text(f"<html lang=en>{body}", "utf-8")
    built = gristmill.build([tmp_path / "1.html", tmp_path / "2.html"], tmp_path / "evil", engine=InlineEngine())
    assert built.size["documents"] >= 1
    with served(tmp_path / "evil") as client:
        for path in ("duplicates?order=similar", "duplicates/clusters"):
            found = client.get(f"/evil/{path}").text
            assert "<script>alert" not in found
            assert "<img" not in found
        location = client.get("/evil/duplicates/review?order=similar").headers["location"]
        page = client.get(location).text
        assert "&lt;script&gt;" in page
        assert "<script>alert" not in page
