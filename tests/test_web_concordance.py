"""The concordancer over HTTP: operations, pages, downloads, forms, what is wrong with a query and where."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import atom
import pytest
from web_server import Client, Reply, served

import gristmill
from gristmill.operations.kept import KeptSearches
from gristmill.operations.searched import Ordered
from gristmill.pipeline import set_mail
from gristmill.search.concordance.lines import LINE_FIELDS
from gristmill.search.cql import parsing
from gristmill.search.cql.parsing import parse
from gristmill.search.cql.query import Query
from gristmill.search.subcorpora import read_subcorpora, save_subcorpus
from gristmill.search.watch.watches import read_watches
from gristmill.web.rooms import search as room
from gristmill.web.rooms import search_help, search_history


@pytest.fixture(scope="module")
def folder(indexed: gristmill.Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus that may be written to."""
    place = tmp_path_factory.mktemp("served") / "own"
    shutil.copytree(indexed.folder, place)
    return place


@pytest.fixture(scope="module")
def client(indexed: gristmill.Corpus, folder: Path) -> Iterator[Client]:
    with served(indexed.folder, folder) as found:
        yield found


class Browser:
    """Asks as a browser does: with the cookie of a session, and the token of a page in forms."""

    def __init__(self, client: Client) -> None:
        page = client.get("/own/subcorpora")
        self.client = client
        self.cookie = {"Cookie": page.headers["set-cookie"].partition(";")[0]}
        self.token = str(re.search(r'name="csrf" content="([^"]+)"', self.get("/own/subcorpora").text)[1])  # type: ignore[index]

    def get(self, path: str, **parameters: Any) -> Reply:
        return self.client.get(path, self.cookie, **parameters)

    def send(self, path: str, **fields: str) -> Reply:
        body = urlencode({"csrf": self.token, **fields}).encode()
        headers = {**self.cookie, "Content-Type": "application/x-www-form-urlencoded", "Origin": self.client.address}
        return self.client.request("POST", path, body, headers)


@pytest.fixture(scope="module")
def browser(client: Client) -> Browser:
    return Browser(client)


def test_a_concordance_is_that_of_python(client: Client, indexed: gristmill.Corpus) -> None:
    asked: dict[str, Any] = {
        "q": '[tag="NOUN"]',
        "where": 'lang="en"',
        "having": ['[tag="ADJ"]'],
        "window": "2,0",
        "sort": "right",
    }
    found = client.get("/api/indexed/search", **asked, limit=7, offset=7).json()
    same = indexed.search('[tag="NOUN"]', where='lang="en"').having('[tag="ADJ"]', "2,0").sort("right")
    assert (found["total"], found["shown"], found["documents"]) == (len(same), len(same), same.documents)
    assert [line["position"] for line in found["rows"]] == [line.position for line in same.page(2, 7)]
    assert found["first"] == 7
    assert "hints" not in found
    counted = client.get("/api/indexed/count", q='[tag="NOUN"]', where='lang="en"').json()
    assert counted["total"] == len(indexed.search('[tag="NOUN"]', where='lang="en"'))


def test_what_finds_nothing_says_why(client: Client) -> None:
    found = client.get("/api/indexed/search", q="xyzzy").json()
    assert 'No token has the word "xyzzy"' in found["hints"][0]
    found = client.get("/api/indexed/search", q="the", having="xyzzy").json()
    assert found["hints"] == ["No hit passes the filters."]
    assert "No token has the word" in unescape(client.get("/indexed/search", q="xyzzy").text)
    assert 'straight double quotes: "go" "to".' in unescape(client.get("/indexed/search", q="'go' 'to'").text)


@pytest.mark.parametrize(
    ("asked", "text", "at"),
    [
        ({"q": '[lemma="go" & ]'}, '[lemma="go" & ]', 14),
        ({"q": "the", "where": "lang=en & yaer>2000"}, "lang=en & yaer>2000", 10),
        ({"q": "the", "having": '"a" ['}, '"a" [', 5),
        ({"q": '[word="é" nothing'}, '[word="é" nothing', 10),
        ({"q": "the", "where": "@nothing"}, "@nothing", 0),
    ],
)
def test_an_error_points_at_its_place(client: Client, asked: dict[str, Any], text: str, at: int) -> None:
    found = client.get("/api/indexed/search", **asked)
    assert found.status == 400
    assert (found.json()["place"]["text"], found.json()["place"]["at"]) == (text, at)
    page = client.get("/indexed/search", **asked)
    assert page.status == 400
    assert f"at character {at + 1}" in page.text
    assert ("data-place" in page.text) == ("having" not in asked), "the field is marked that has the mistake"


@pytest.mark.parametrize(
    "asked",
    [
        {"q": "the", "sort": "nothing"},
        {"q": "the", "limit": "0"},
        {"q": "the", "view": "x"},
        {"q": "the", "only": "word"},
        {"q": "the", "having": "a", "window": "x"},
        {"q": "the", "sample": "-1"},
        {"q": "[]{99999"},
        {"q": "[lemma = $nothing]"},
        {"q": "the", "strategy": "nothing"},
        {"q": '(?longest) "the"+', "strategy": "shortest"},
        {"q": '1:"the" []', "sort": "2.lemma"},
        {"q": "the", "nothing": "1"},
        {"q": "the", "beside": "nothing"},
        {"q": "x" * 20_000},
        {"q": "the", "offset": "99999999999999999"},
    ],
)
def test_bad_input_is_told_of(client: Client, asked: dict[str, Any]) -> None:
    found = client.get("/indexed/search", **asked)
    assert found.status == 400
    assert "error" in found.text


@pytest.mark.parametrize("path", ["search", "frequency", "distribution"])
def test_a_wrong_number_does_not_clear_the_form(client: Client, path: str) -> None:
    found = client.get(f"/indexed/{path}", q="the mill", where='lang="en"', sample="-1")
    assert found.status == 400
    assert "sample must be at least" in found.text
    assert 'value="the mill"' in found.text
    assert "lang=&#34;en&#34;" in found.text


@pytest.mark.parametrize("path", ["search", "frequency", "distribution"])
def test_pages_without_a_query_show_a_form(client: Client, path: str) -> None:
    found = client.get(f"/indexed/{path}")
    assert found.status == 200
    assert 'name="q"' in found.text


def test_hostile_text_stays_text(client: Client) -> None:
    query = '"<script>alert(1)</script>" | "\'><img src=x onerror=alert(1)>"'
    for path in ("search", "frequency", "distribution", "watches"):
        found = client.get(f"/indexed/{path}", q=query, where='title="<b>"')
        assert found.status == 200
        assert "<script>alert" not in found.text
        assert "<img" not in found.text
        assert "<b>" not in found.text.replace('<b class="total">', "").replace("<b>0</b>", "")


def test_a_page_says_what_is_shown_of_how_many(client: Client, indexed: gristmill.Corpus) -> None:
    total = len(indexed.search("the"))
    text = client.get("/indexed/search", q="the", limit=10, offset=20).text
    assert f"Lines 21–30 of {total}" in text
    assert f"page 3 of {-(-total // 10)}" in text
    assert f"Download all {total} lines" in text
    beyond = client.get("/indexed/search", q="the", offset=20 * (10**6 - 1))
    assert beyond.status == 200
    assert "There is no page 1,000,000" in beyond.text
    assert "A random sample of 5 of the" in client.get("/indexed/search", q="the", sample=5).text


def test_a_line_leads_to_its_block(client: Client, indexed: gristmill.Corpus) -> None:
    line = indexed.search("mill").page(1, 1)[0]
    text = client.get("/indexed/search", q="mill").text
    assert f"/indexed/pages/{line.doc}#block-{line.block}" in text
    found = client.get("/indexed/search/context", position=line.position)
    assert "<mark>mill</mark>" in found.text
    assert f"/indexed/pages/{line.doc}#block-{line.block}" in found.text
    assert client.get("/indexed/search/context").status == 400
    assert client.get("/indexed/search/context", position=10**9).status == 400


def test_corpora_side_by_side(client: Client, indexed: gristmill.Corpus) -> None:
    text = client.get("/indexed/search", q="mill", beside=["own", "own"], limit=3).text
    assert "The same query in 2 corpora" in text
    assert text.count('<ol class="kwic') == 2
    assert 'data-corpus="own"' in text
    total = len(indexed.search("mill"))
    assert text.count(f'<td class="n">{total}</td>') == 2


@pytest.mark.parametrize("form", ["csv", "excel", "tsv", "json"])
def test_all_lines_can_be_downloaded(
    client: Client, indexed: gristmill.Corpus, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_PIECE_LINES", 100)
    found = client.get("/indexed/search/download", q="the", sort="left", format=form)
    same = [line.position for line in indexed.search("the").sort("left")]
    assert found.status == 200
    assert "attachment" in found.headers["content-disposition"]
    if form == "json":
        record = found.json()
        assert [line["position"] for line in record["rows"]] == same
        assert (record["total"], record["given"]) == (len(same), len(same))
        return
    text = found.body.decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text, newline=""), "excel-tab" if form == "tsv" else "excel"))
    assert tuple(rows[0]) == LINE_FIELDS
    assert [int(row[LINE_FIELDS.index("position")]) for row in rows[1:]] == same


def test_a_download_says_when_it_is_cut_off(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MAX_DOWNLOAD_LINES", 50)
    found = client.get("/indexed/search/download", q="the", format="csv")
    assert found.body.count(b"\n") == 51
    assert "first-50" in found.headers["content-disposition"]
    assert found.headers["x-lines"].startswith("50 of ")
    assert "the first 50 of" in client.get("/indexed/search", q="the").text


def test_pieces_are_of_one_state(client: Client) -> None:
    found = client.get("/api/indexed/lines", q="the", state="another")
    assert (found.status, found.json()["error"]) == (409, "the corpus has changed meanwhile: begin again")
    state = client.get("/api/indexed/search", q="the").json()["state"]
    assert client.get("/api/indexed/lines", q="the", state=state, limit=2, format="tsv").body.count(b"\n") == 2


def test_frequencies_lead_to_their_lines(client: Client, indexed: gristmill.Corpus) -> None:
    asked: dict[str, Any] = {"q": '[tag="NOUN"]', "by": "lemma,-1:word"}
    found = client.get("/api/indexed/frequency", **asked, limit=5, offset=5).json()
    same = indexed.search('[tag="NOUN"]').frequency("lemma,-1:word", 10)
    assert [row["count"] for row in found["rows"]] == [row.count for row in same.rows[5:]]
    assert (found["distinct"], found["total"]) == (same.distinct, same.total)
    text = client.get("/indexed/frequency", **asked, limit=5).text
    links = [unescape(link) for link in re.findall(r'<td dir="auto"><a href="([^"]+)"', text)]
    assert len(links) == 5
    for link, row in zip(links, same.rows, strict=False):
        assert f'<b class="total">{row.count:,}</b>' in client.get(link).text
    rows = client.get("/api/indexed/frequency", **asked, format="csv", limit=0).text.splitlines()
    assert len(rows) == same.distinct + 1


def test_distribution_and_dispersion(client: Client, indexed: gristmill.Corpus) -> None:
    found = client.get("/api/indexed/distribution", q="the", by="host").json()
    assert sum(row["hits"] for row in found["rows"]) == len(indexed.search("the")) == found["total"]
    spread = client.get("/api/indexed/dispersion", q="the", parts=50).json()
    assert sum(spread["counts"]) == found["total"]
    assert 0 < spread["dp"] < 1
    for by in ("year", "month", "host", "doc", "lang"):
        page = client.get("/indexed/distribution", q="the", by=by)
        assert page.status == 200
        assert ('<svg class="chart columns"' in page.text) == (by in {"year", "month"})
        assert '<svg class="chart strip"' in page.text
    assert client.get("/indexed/distribution", q="the", by="nothing").status == 400
    empty = client.get("/indexed/distribution", q="xyzzy")
    assert (empty.status, "chart strip" in empty.text) == (200, False)


def test_rows_of_a_distribution_lead_to_their_hits(client: Client) -> None:
    for by in ("year", "host", "doc"):
        rows = client.get("/api/indexed/distribution", q="mill", by=by).json()["rows"]
        text = client.get("/indexed/distribution", q="mill", by=by).text
        links = [unescape(link) for link in re.findall(r'<th scope="row" dir="auto"><a href="([^"]+)"', text)]
        counts = [row["hits"] for row in rows if row["hits"]]
        assert len(links) == len(counts)
        for link, count in zip(links, counts, strict=True):
            assert f'<b class="total">{count}</b>' in client.get(link).text


def test_completion_is_asked_by_the_api(client: Client) -> None:
    found = client.get("/api/indexed/complete", text='[lemma="mi', at=10).json()
    assert "mill" in [item["label"] for item in found["items"]]
    where = client.get("/api/indexed/complete", text="la", kind="where").json()
    assert where["items"][0]["insert"] == 'lang="'


def test_subcorpora_are_saved_renamed_and_removed(browser: Browser, folder: Path) -> None:
    saved = browser.send("/own/subcorpora/save", name="english", where='lang="en"')
    assert (saved.status, saved.headers["location"]) == (303, "/own/subcorpora")
    listed = browser.get("/api/own/subcorpora").json()["rows"]
    assert [(item["name"], item["where"]) for item in listed] == [("english", 'lang="en"')]
    assert 0 < listed[0]["tokens"] < 30_000
    assert "@english" in unescape(browser.get("/own/subcorpora").text.replace("%40", "@"))
    assert browser.send("/own/subcorpora/rename", name="english", new="anglais").status == 303
    inside = browser.get("/api/own/count", q="the", where="@anglais").json()
    assert inside["tokens"] == listed[0]["tokens"]
    again = browser.send("/own/subcorpora/save", name="anglais", where='lang="cs"')
    assert again.status == 400
    assert "already" in again.text
    assert browser.send("/own/subcorpora/save", name="anglais", where='lang="cs"', replace="1").status == 303
    changed = browser.get("/api/own/count", q="[]", where="@anglais").json()
    assert changed["tokens"] != inside["tokens"], "a search that is kept is not that of the old condition"
    assert browser.send("/own/subcorpora/remove", name="anglais").status == 303
    assert read_subcorpora(folder) == {}


def test_mistakes_in_a_form_are_shown_beside_it(browser: Browser) -> None:
    found = browser.send("/own/subcorpora/save", name="x", where="yaer>2000")
    assert found.status == 400
    assert "at character 1" in found.text
    assert 'value="yaer&gt;2000"' in found.text
    assert browser.send("/own/subcorpora/save", name="a b", where="year>2000").status == 400
    assert browser.send("/own/subcorpora/save").status == 400
    assert browser.send("/own/subcorpora/rename", name="nothing", new="x").status == 400


@pytest.mark.parametrize(
    "path", ["subcorpora/save", "subcorpora/remove", "watches/add", "watches/set", "watches/run", "history/forget"]
)
def test_nobody_else_can_write(client: Client, browser: Browser, path: str) -> None:
    forged = client.request("POST", f"/own/{path}", b"name=x&where=year>0&q=x", browser.cookie)
    assert forged.status == 403


def test_a_subcorpus_that_can_not_be_used_any_more_is_listed(browser: Browser, folder: Path) -> None:
    save_subcorpus(folder, "old", "colour=red")
    page = browser.get("/own/subcorpora")
    assert page.status == 200
    assert "has no attribute" in unescape(page.text)
    assert browser.send("/own/subcorpora/remove", name="old").status == 303


def test_standing_queries(browser: Browser) -> None:
    assert browser.send("/own/watches/add", q='[lemma="mill"]', name="mills", everything="1").status == 303
    listed = browser.get("/api/own/watch-list").json()["rows"]
    assert [(item["name"], item["found"], item["pending"]) for item in listed] == [("mills", 0, 1)]
    assert "1 pending" in browser.get("/own/watches").text
    manner = {"sort": "right", "context": "", "tokens": "4", "limit": "9", "every": "weekly"}
    assert browser.send("/own/watches/set", name="mills", **manner).status == 303
    (changed,) = browser.get("/api/own/watch-list").json()["rows"]
    assert [changed[key] for key in manner] == ["right", None, 4, 9, "weekly"]
    assert '<option value="weekly" selected>' in browser.get("/own/watches").text
    assert browser.send("/own/watches/set", name="mills").status == 303
    assert browser.send("/own/watches/run").status == 303
    found = browser.get("/api/own/watch-show", name="mills").json()
    assert (found["found"], found["pending"], len(found["rows"])) == (6, 0, 6)
    page = browser.get("/own/watches/mills", offset="2", limit="2")
    assert "Lines 3–4 of 6" in page.text
    assert "offset=4" in page.text
    page = browser.get("/own/watches/mills")
    assert "Lines 1–6 of 6" in page.text
    feed = browser.get("/own/watches/mills/feed.xml")
    assert feed.headers["content-type"].startswith("application/atom+xml")
    assert feed.body.count(b"<entry>") == 6
    assert list(atom.faults(feed.body, "https://a.example/own/watches/mills/feed.xml")) == []
    asked = browser.get("/api/own/watch-feed", name="mills")
    assert list(atom.faults(asked.body, "https://a.example/api/own/watch-feed?name=mills")) == []
    assert browser.get("/api/own/watch-show", name="mills", format="csv").body.count(b"\n") == 7
    assert browser.send("/own/watches/add", q="mill", name="mills").status == 400
    assert browser.send("/own/watches/add", q='[lemma="', name="x").status == 400
    assert browser.send("/own/watches/remove", name="mills").status == 303
    assert browser.get("/own/watches/mills").status == 400
    assert browser.get("/own/watches/..%2f..%2fcorpus.toml/feed.xml").status in {400, 404}


@pytest.mark.parametrize("given", [{"mail": "me@a.org"}, {"mail_every": "weekly"}, {"feed_url": "https://a.example/f"}])
def test_mail_and_feeds_are_for_the_owner_of_the_machine(browser: Browser, folder: Path, given: dict[str, str]) -> None:
    assert browser.send("/own/watches/add", q="mill", name="m", **given).status == 400
    assert read_watches(folder) == []
    assert browser.send("/own/watches/add", q="mill", name="m").status == 303
    set_mail(folder, "m", "you@a.org")
    before = read_watches(folder)
    assert browser.send("/own/watches/set", name="m", **given).status == 400
    assert read_watches(folder) == before
    for path in ("/own/watches", "/own/watches/m", "/api/own/watch-list", "/api/own/watch-show?name=m"):
        assert "you@a.org" not in browser.get(path).text
    assert browser.send("/own/watches/remove", name="m").status == 303


def test_a_session_has_a_history_of_its_own(client: Client) -> None:
    one, other = Browser(client), Browser(client)
    for query in ("the", "mill", "the"):
        one.get("/own/search", q=query)
    one.get("/own/search", q="[")
    text = one.get("/own/history").text
    assert re.findall(r'<a href="/own/search\?q=(\w+)">', text) == ["the", "mill"]
    assert '<td class="n">7</td>' in text
    assert "No query was asked yet" in other.get("/own/history").text
    assert one.send("/own/history/forget").status == 303
    assert "No query was asked yet" in one.get("/own/history").text


def test_a_history_is_limited(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_history, "MAX_QUERIES", 3)
    one = Browser(client)
    for number in range(5):
        one.get("/own/search", q="mill", limit=number + 1)
    assert re.findall(r"limit=(\d)", one.get("/own/history").text) == ["5", "4", "3"]
    monkeypatch.setattr(search_history, "MAX_SESSIONS", 1)
    Browser(client).get("/own/search", q="mill")
    assert "No query was asked yet" in one.get("/own/history").text


def test_searches_are_kept_within_bounds(indexed: gristmill.Corpus) -> None:
    kept = KeptSearches(max_bytes=10_000_000, max_searches=3)
    request = Ordered("the", sort="right")
    found = kept.find(indexed, request)
    assert kept.find(indexed, request) is found
    for query in ("mill", "water", "a"):
        kept.find(indexed, Ordered(query))
    assert len(kept) <= 3
    assert kept.find(indexed, request) is not found
    assert kept.find(indexed, request).order is not None
    small = KeptSearches(max_bytes=8 * len(found))
    small.find(indexed, Ordered("mill"))
    small.find(indexed, request)  # its hits and their order are more than that
    assert len(small) == 1
    again = gristmill.Corpus(indexed.folder)
    assert kept.find(again, request).spans.index is again.index, "another index, another search"


def test_each_query_is_parsed_once(indexed: gristmill.Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, texts = gristmill.Corpus(indexed.folder), []

    def noted(text: str) -> Query:
        texts.append(text)
        return parse(text)

    monkeypatch.setattr(parsing, "parse", noted)
    corpus.kept = KeptSearches()
    near, nothing = '[tag="ADJ"]', '"xyzzy"'
    for ask in (corpus.concordance, corpus.count, corpus.frequency, corpus.distribution, corpus.dispersion):
        ask('1:"the"', having=(near,), lacking=("a",))
    assert texts == ['1:"the"', near, "a"]
    assert corpus.concordance(nothing).notes()
    assert corpus.concordance(nothing, offset=20).notes()
    assert corpus.concordance("the", having=(nothing,)).notes() == ["No hit passes the filters."]
    assert texts[3:] == [nothing, "the", nothing]
    alone = gristmill.Corpus(indexed.folder)
    assert alone.concordance('2:"mill"', aligned=None, sort="right").labels == ("2",)
    assert texts[6:] == ['2:"mill"']


def test_labelled_tokens_are_marked_in_lines(client: Client) -> None:
    query = '1:[tag="ADJ"] 2:[tag="NOUN"]'
    (line, *_) = client.get("/api/indexed/search", q=query).json()["rows"]
    label = line["labels"]["2"]
    assert label["position"] == line["position"] + 1
    assert (line["left"] + line["node"] + line["right"])[label["at"] :].startswith(label["word"])
    for view in ("kwic", "sentence"):
        page = client.get("/indexed/search", q=query, view=view).text
        assert f'<span class="visually-hidden">label 2: </span>{label["word"]}<sub aria-hidden="true">2</sub>' in page
        assert "by=2.lemma" in page
    counted = client.get("/api/indexed/frequency", q=query, by="1.lemma", limit=1_000).json()
    assert sum(row["count"] for row in counted["rows"]) == counted["total"]
    assert 'class="labelled"' not in client.get("/indexed/search", q="mill").text


def test_saved_lists_are_used_and_seen_when_they_change(client: Client, folder: Path) -> None:
    (folder / "lists").mkdir()
    path = folder / "lists" / "food.txt"
    path.write_text("bread\n")
    count = {word: client.get("/api/own/count", q=f'[lemma="{word}"]').json()["total"] for word in ("bread", "flour")}
    assert client.get("/api/own/count", q="[lemma = $food]").json()["total"] == count["bread"]
    path.write_text("bread\nflour\n")
    assert client.get("/api/own/count", q="[lemma = $food]").json()["total"] == sum(count.values())
    assert client.get("/api/own/lists").json() == {"lists": [{"name": "food", "bytes": 12}]}
    assert "[lemma = $food]" in client.get("/own/search/help").text
    refused = client.get("/api/own/count", q="[lemma = $fod]")
    assert (refused.status, refused.json()["place"]["at"]) == (400, 9)


def test_all_examples_of_the_help_can_be_asked(client: Client) -> None:
    page = client.get("/indexed/search/help").text
    for title, examples in search_help.FORMS:
        assert f"<h2>{title}</h2>" in page
        for query, _ in examples:
            assert f"<code>{query}</code>" in unescape(page)
            assert client.get("/api/indexed/count", q=query).status == 200, query


def test_strategies_choose_among_matches(client: Client) -> None:
    totals = {
        strategy: client.get("/api/indexed/count", q='[tag="ADJ"]+', strategy=strategy).json()["total"]
        for strategy in ("", "longest", "shortest")
    }
    assert totals["longest"] < totals["shortest"] < totals[""]
    page = client.get("/indexed/search", q='[tag="ADJ"]+', strategy="longest").text
    assert "longest matches" in page


def test_the_api_describes_the_place_of_an_error(client: Client) -> None:
    described = client.get("/api/openapi.json").json()
    assert "place" in described["components"]["schemas"]["Error"]["properties"]
    assert {"search", "frequency", "distribution", "dispersion", "context", "complete"} <= {
        path.rpartition("/")[2] for path in described["paths"]
    }
    assert json.dumps(described)


def test_what_is_missing_is_said_beside_the_count(client: Client, indexed: gristmill.Corpus) -> None:
    query = '[tag="NOUN"]'
    note = indexed.search(query).notes()[0]
    found = client.get("/api/indexed/search", q=query).json()
    assert (found["notes"], found["per_million"]) == ([note], indexed.search(query).per_million)
    assert found["missing"][0]["attribute"] == "tag"
    for page in ("search", "frequency", "distribution"):
        assert note in client.get(f"/indexed/{page}", q=query).text
    english = client.get("/indexed/search", q=query, where='lang="en"').text
    assert "is missing for" not in english
