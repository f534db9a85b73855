"""The command classes, `corpus.classes`, and the pages and operations of the web app, on pages written for the test."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from command import run
from web_server import Client, served
from wordnet_files import write_wordnet

import gristmill
from gristmill.search.classes.classes import Classes

PAGE = """<html lang="en"><title>Ada Lovelace</title><body>
<p>Ada Lovelace was an English mathematician and a writer of many letters. Her notes were printed in the year 1843.</p>
<p>The book tells of early programmers such as Ada Lovelace and Grace Hopper. It was read by very many people then.</p>
<p>Ada Lovelace, the mathematician, wrote the notes in nine months. They are longer than the paper itself.</p>
<p>Was Ada Lovelace a singer? Ada Lovelace was not a dancer, as all of her letters from these years clearly show us.</p>
<p>We read Ada Lovelace and other writers of the century. Their letters are kept in a library in the city.</p>
"""
NOUNS = {"person": "", "scientist": "person", "mathematician": "scientist", "programmer": "person", "writer": "person"}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> gristmill.Corpus:
    folder = tmp_path_factory.mktemp("classes")
    (folder / "ada.html").write_text(PAGE)
    options = ("--preset", "none", "--method", "all", "--dedup", "none")
    ran = run("build", folder / "ada.html", "-o", folder / "ada", *options)
    assert ran.returncode == 0, ran.stderr.decode()
    made = gristmill.Corpus(folder / "ada")
    made.sketches()  # with the index
    return made


@pytest.fixture(scope="module")
def wordnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wordnet")
    write_wordnet(folder, NOUNS, {})
    return folder


@pytest.fixture(scope="module")
def client(corpus: gristmill.Corpus) -> Iterator[Client]:
    with served(corpus.folder) as found:
        yield found


def test_python(corpus: gristmill.Corpus, wordnet: Path) -> None:
    found = corpus.classes("Ada Lovelace", wordnet=wordnet)
    assert isinstance(found, Classes)
    assert {row.noun: row.count for row in found.best} == {"mathematician": 2, "programmer": 1, "writer": 1}
    assert (found.frequency, found.sentences, found.clusters) == (6, 6, ["person"])
    for row in found.rows:
        assert corpus.search(found.query(row.noun)).total == row.count
    assert found.to_json()["patterns"][0] == {"name": "predicate", "title": "… is a class", "found": 1}
    assert found.to_csv().startswith("noun,count,documents,share,cluster,hypernyms,patterns,example\n")
    with pytest.raises(gristmill.UsageError, match="which name"):
        corpus.classes(" ")
    assert repr(found).startswith("<Classes: Ada Lovelace, 6 times: mathematician")


def test_command(corpus: gristmill.Corpus, wordnet: Path, tmp_path: Path) -> None:
    ran = run("classes", corpus.folder, "Ada Lovelace")
    assert ran.returncode == 0, ran.stderr.decode()
    assert "predicate 1, appositive 1" in ran.stdout.decode()
    assert b"sentences left out: 1 interrogative, 1 negated" in ran.stderr
    query = run("classes-query", corpus.folder, "Ada Lovelace", "mathematician").stdout.decode().strip()
    assert corpus.search(query).total == 2
    names = json.loads(run("classes", corpus.folder, "--min-frequency", "1", "--wordnet", wordnet, "--json").stdout)
    assert [(row["name"], row["cluster"]) for row in names["rows"]] == [
        ("Ada Lovelace", "person"),
        ("Grace Hopper", "person"),
    ]
    few = run("classes", corpus.folder, "--min-frequency", "2")
    assert b"1 name that occurs 2 times or more (en): 1 with classes, 0 without, by " in few.stderr
    assert b"; a lower min_frequency takes rarer ones" in few.stderr
    expected = tmp_path / "types.tsv"
    expected.write_text("Ada Lovelace\tmathematician\n")
    ran = run("classes-evaluation", corpus.folder, expected, "--wordnet", wordnet, "--json")
    judged = json.loads(ran.stdout)
    assert judged["names"][0]["correct"] == ["mathematician", "programmer", "writer"]
    assert judged["rows"][0]["accuracy"] == 1
    assert corpus.classes_evaluation(expected, wordnet=wordnet).to_json()["rows"] == judged["rows"]
    without = run("classes-evaluation", corpus.folder, expected)
    assert (without.returncode, b"give its folder by wordnet" in without.stderr) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["classes-evaluation"], "Missing argument 'FILE'"),
        (["classes-evaluation", "x.tsv", "--wordnet", "nowhere"], "can't read the expected types in x.tsv"),
        (["classes-evaluation", __file__], "write a name, a tab, and types"),
        (["classes-query"], "Missing argument 'NAME'"),
        (["classes", "Ada", "--hypernyms", "x.toml"], "hypernyms are those of a WordNet"),
        (["classes", "Ada", "--wordnet", "nowhere"], "nowhere"),
        (["classes", "Ada", "--patterns", "nowhere.toml"], "nowhere.toml"),
        (["classes", "Ada", "--lang", "xx"], "no text with tags is in the language 'xx'"),
        (["classes-query", " "], "which name?"),
        (["classes-query", "Ada Lovelace", "dog"], "Ada Lovelace has no class 'dog'"),
    ],
)
def test_mistakes_are_told_of(corpus: gristmill.Corpus, arguments: list[str], message: str) -> None:
    ran = run(arguments[0], corpus.folder, *arguments[1:])
    assert ran.returncode == 2
    assert message in ran.stderr.decode()
    assert b"Traceback" not in ran.stderr


def test_web(client: Client, corpus: gristmill.Corpus) -> None:
    found = client.get("/api/ada/classes", name="Ada Lovelace").json()
    assert {row["noun"]: row["count"] for row in found["rows"]} == {"mathematician": 2, "programmer": 1, "writer": 1}
    given = client.get("/api/ada/classes-query", name="Ada Lovelace", noun="mathematician").json()
    assert corpus.search(given["query"]).total == 2
    page = client.get("/ada/classes", name="Ada Lovelace")
    links = [unescape(link) for link in re.findall(r'href="([^"]*/classes/lines\?[^"]*)"', page.text)]
    led = client.get(links[0])
    assert led.status == 303
    shown = client.get(led.headers["location"])
    assert shown.status == 200
    assert "2 hits" in re.sub(r"<[^>]*>", "", shown.text)
    assert "without 1 interrogative, 1 negated" in page.text
    names = client.get("/api/ada/classes", min_frequency=1).json()
    assert [row["name"] for row in names["rows"]] == ["Ada Lovelace", "Grace Hopper"]
    assert "mathematician 2" in client.get("/ada/classes").text
    assert client.get("/api/ada/classes", format="csv").text.startswith("name,frequency,found,cluster,classes")
    second = client.get("/api/ada/classes", min_frequency=1, limit=1, offset=1).json()
    assert [row["name"] for row in second["rows"]] == ["Grace Hopper"]
    assert client.get("/api/ada/classes", patterns="/etc/passwd").status == 400
    assert client.get("/api/ada/classes-evaluation", expected="/etc/passwd").status == 404
    assert client.get("/ada/classes", name="Ada", where="lang=").status == 400
