"""The report over HTTP: its operations and its pages."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from web_server import Client, served

import gristmill
from gristmill.engine import InlineEngine
from gristmill.report.storing import NAME as FIGURES

PAGES = ("report", "report/breakdown", "report/threshold", "report/repeated", "report/samples")
EVIL = "</script><script>alert(1)</script>\"'<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def folders(corpus: gristmill.Corpus, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("served")
    shutil.copytree(corpus.folder, root / "sample")
    (root / "empty.html").write_text("")
    gristmill.build([root / "empty.html"], root / "empty", engine=InlineEngine())
    (root / "pages").mkdir()
    for number in range(2):
        text = f"{'The miller said so, and so it was done. ' * 20}{EVIL.replace('<', '&lt;')}"
        page = f"<title>{EVIL.replace('<', '&lt;')}</title><p>{text}</p>"
        (root / "pages" / f"{number}{EVIL.replace('/', '')}.html").write_text(page)
    gristmill.build([root / "pages"], root / "hostile", engine=InlineEngine())
    return {name: root / name for name in ("sample", "empty", "hostile")}


@pytest.fixture(scope="module")
def client(folders: dict[str, Path]) -> Iterator[Client]:
    with served(*folders.values()) as found:
        yield found


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("name", ["sample", "empty", "hostile"])
def test_pages(client: Client, name: str, path: str) -> None:
    reply = client.get(f"/{name}/{path}")
    assert reply.status == 200, reply.text
    assert "style=" not in reply.text
    assert "<img" not in reply.text
    assert "<script>" not in reply.text
    assert re.findall(r'<script (?!src="/static/|type="application/json")', reply.text) == []
    assert reply.text.count("<h1>") == 1


def test_stages_lead_to_pages(client: Client) -> None:
    text = client.get("/sample/report").text
    assert 'href="/sample/pages?reason=status"' in text
    assert "24,922" in text
    assert 'href="/api/sample/report-file"' in text


@pytest.mark.parametrize(
    ("by", "link"),
    [("host", "host=crumb.example"), ("lang", "lang=cs"), ("year", "year=2021"), ("kind", "kind=article")],
)
def test_groups_lead_to_pages(client: Client, by: str, link: str) -> None:
    text = client.get("/sample/report/breakdown", by=by).text
    assert f'href="/sample/pages?{link}"' in text


def test_groups_are_sorted_by_links(client: Client) -> None:
    text = client.get("/sample/report/breakdown", by="host", order="kept", lines=5, page=2).text
    assert 'aria-sort="descending"' in text
    assert "page 2 of 3" in text
    assert "by=" not in text.split("<table>")[1].split("</thead>")[0]  # the default
    assert "order=value&amp;ascending=1" in text
    again = client.get("/sample/report/breakdown?order=kept&ascending=1").text
    assert 'aria-sort="ascending"' in again


def test_thresholds_without_a_script(client: Client) -> None:
    """The form sends what the slider and boxes are at."""
    text = client.get("/sample/report/threshold?max_boilerplate=0.3&roles=text&roles=heading").text
    found = client.get("/api/sample/threshold?max_boilerplate=0.3&roles=text&roles=heading").json()
    assert f'data-cut="after words">{found["after"]["words"]:,}<' in text
    assert 'value="0.3"' in text
    assert 'value="text" checked' in text
    assert 'value="list" checked' not in text
    assert found["roles"] == ["heading", "text"]


def test_operations(client: Client, folders: dict[str, Path]) -> None:
    size = gristmill.Corpus(folders["sample"]).size
    assert client.get("/api/sample/report").json()["stages"][-1]["words"] == size["words"]
    assert client.get("/api/sample/threshold").json()["after"]["words"] == size["words"]
    assert client.get("/api/sample/breakdown", by="role").json()["sums"]["kept_words"] == size["words"]
    assert len(client.get("/api/sample/scores").json()["pages"][0]) == 101
    assert client.get("/api/sample/repetition", most=3).json()["repeated"][0]["copies"] == 6
    assert len(client.get("/api/sample/repetition", most=2).json()["repeated"]) == 2
    samples = client.get("/api/sample/samples", seed=4, reason="kept").json()
    assert [item["reason"] for item in samples["reasons"]] == ["kept"]
    assert len(samples["known"]) > 10
    assert samples == client.get("/api/sample/samples", seed=4, reason="kept").json()


def test_the_file(client: Client) -> None:
    reply = client.get("/api/sample/report-file")
    assert reply.headers["content-disposition"] == 'attachment; filename="report.html"'
    assert "Report of sample" in reply.text


@pytest.mark.parametrize(
    "query",
    [
        "threshold?max_boilerplate=2",
        "threshold?max_boilerplate=x",
        "threshold?roles=nonsense",
        "breakdown?by=nothing",
        "breakdown?order=nothing",
        "breakdown?page=0",
        "samples?seed=-1",
        "samples?count=1000",
        "samples?what=1",
        "repetition?most=0",
    ],
)
def test_wrong_parameters(client: Client, query: str) -> None:
    assert client.get(f"/api/sample/{query}").status == 400
    page = query.replace("repetition", "repeated")
    reply = client.get(f"/sample/report/{page}")
    assert reply.status == 400
    assert "<h1>" in reply.text


def test_reasons_that_are_not_there_have_no_samples(client: Client) -> None:
    assert client.get("/api/sample/samples", reason=EVIL).json()["reasons"] == []
    assert client.get("/sample/report/samples", reason=EVIL).status == 200


def test_samples_are_others_with_another_seed(client: Client) -> None:
    text = client.get("/sample/report/samples", seed=7).text
    assert "/sample/report/samples?seed=8" in text
    assert re.search(r'href="/sample/pages/00000-\d{6}#block-\d+"', text)
    again = client.get("/sample/report/samples", seed=7).text
    assert text.split("<main", 1)[1] == again.split("<main", 1)[1]


def test_the_report_sees_a_corpus_that_has_changed(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    folder = shutil.copytree(corpus.folder, tmp_path / "sample")
    (folder / "shards/00000" / FIGURES).unlink()  # as in a corpus that is older than these
    with served(folder) as client:
        before = client.get("/api/sample/threshold").json()
        gristmill.deduplicate(folder, "exact", engine=InlineEngine())
        after = client.get("/api/sample/threshold").json()
    assert before["before"] == after["before"]
    assert before["after"] != after["after"]
    assert after["after"]["words"] == gristmill.Corpus(folder).size["words"]
