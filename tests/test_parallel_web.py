"""The parallel concordance in the web app: the form, the other language beside lines, the API, downloads."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from parallel_corpora import EN_DE, PagePair, make_pairs
from web_server import Client, served

import gristmill
from gristmill.engine import InlineEngine
from gristmill.parallel.records import DESCRIPTION

ATTACK = PagePair(
    "attack",
    [
        [
            (
                ["The mill has a sign with &lt;script&gt;alert(1)&lt;/script&gt; on its old wooden door."],
                ["Die Mühle hat ein Schild mit &lt;script&gt;alert(2)&lt;/script&gt; an ihrer alten Tür."],
            )
        ]
    ],
)


@pytest.fixture(scope="module")
def client(indexed: gristmill.Corpus, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("served")
    pairs = make_pairs(folder / "pairs", [[*EN_DE, ATTACK]])
    gristmill.index(pairs, engine=InlineEngine())
    shutil.copytree(pairs, folder / "broken")
    (folder / "broken" / DESCRIPTION).write_text("languages = [")
    with served(pairs, indexed.folder, folder / "broken") as found:
        yield found


def test_a_page_offers_the_other_language(client: Client) -> None:
    page = client.get("/pairs/search")
    assert page.status == 200
    assert 'name="aligned"' in page.text
    assert "en, with de beside it" in page.text
    assert 'name="aligned"' not in client.get("/indexed/search").text


def test_lines_have_the_other_language_beside_them(client: Client) -> None:
    page = client.get("/pairs/search", q="mill", aligned="de", aligned_with='"Fluss"').text
    assert page.count('class="aligned" dir="auto" lang="de"') == 2
    assert page.count("<mark>Fluss</mark>") == 2
    assert 'href="/pairs/pages/00000-000001"' in page
    assert "with in de: &#34;Fluss&#34;" in page
    untranslated = client.get("/pairs/search", q="Nobody", aligned="de").text
    assert "not translated" in untranslated


def test_text_of_the_other_side_is_escaped(client: Client) -> None:
    page = client.get("/pairs/search", q="sign", aligned="de", view="sentence").text
    assert "alert(2)" in page
    assert "<script>alert" not in page


def test_filters_stay_in_other_pages(client: Client) -> None:
    page = client.get("/pairs/search", q="mill", aligned="de", aligned_with="Fluss").text
    assert "frequency?q=mill&amp;aligned=de&amp;aligned_with=Fluss" in page
    counted = client.get("/pairs/frequency", q="mill", aligned="de", aligned_with="Fluss", by="lemma")
    assert counted.status == 200
    assert 'name="aligned_with" value="Fluss"' in counted.text


def test_the_api(client: Client) -> None:
    answer = client.get("/api/pairs/search", q="mill", aligned="de", aligned_with="Fluss").json()
    assert answer["total"] == 2
    aligned = answer["rows"][0]["aligned"]
    start, end = aligned["marks"][0]
    assert aligned["text"][start:end] == "Fluss"
    assert aligned["doc"] == "00000-000001"
    without = client.get("/api/pairs/count", q="mill", aligned="de", aligned_without="Fluss").json()
    assert without["total"] == 5
    wrong = client.get("/api/pairs/search", q="mill", aligned="fr")
    assert wrong.status == 400
    assert "not a language of these pairs" in wrong.json()["error"]
    none = client.get("/api/indexed/search", q="mill", aligned="de")
    assert none.status == 400
    assert "has no pairs" in none.json()["error"]
    described = client.get("/api/openapi.json").text
    assert "aligned_without" in described


def test_a_filter_without_a_language_is_nothing_in_a_form(client: Client) -> None:
    assert '<b class="total">8</b>' in client.get("/pairs/search", q="mill", aligned_with="Fluss").text
    refused = client.get("/api/pairs/search", q="mill", aligned_with="Fluss")
    assert (refused.status, "give aligned" in refused.json()["error"]) == (400, True)


def test_downloads_have_the_other_language(client: Client) -> None:
    text = client.get("/pairs/search/download", q="mill", aligned="de", format="csv").text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 8
    assert rows[0]["aligned"].startswith("Die alte Mühle")
    one = client.get("/api/pairs/search", q="mill", aligned="de", context=80, format="csv").text
    assert text == one
    downloaded = client.get("/pairs/search/download", q="mill", aligned="de", format="json").json()
    assert downloaded["rows"][0]["aligned"]["lang"] == "de"


def test_nothing_found_says_why(client: Client) -> None:
    answer = client.get("/api/pairs/search", q="mill", aligned="de", aligned_with="nirgends").json()
    assert answer["hints"] == ["No hit passes the filters."]


def test_a_broken_description(client: Client, tmp_path: Path) -> None:
    del tmp_path
    assert client.get("/broken/search").status == 200
    answer = client.get("/api/broken/search", q="mill", aligned="de")
    assert answer.status >= 400
    assert "Traceback" not in answer.text
