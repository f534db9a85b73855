"""From three words to a corpus that can be searched, on a web that is served here, with a search engine of our own."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import run
from localweb import TopicWeb
from searched_web import SearchedWeb

import gristmill

WORDS = ("hornina", "minerál", "sopka")
FORMS = "hornina\thornina,horniny\nminerál\tminerály\nsopka\tsopky,sopek\n"


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchedWeb]:
    with SearchedWeb(TopicWeb(1, 0.4), tmp_path_factory.mktemp("engine")) as searched:
        yield searched


def test_from_three_words_to_a_corpus(web: SearchedWeb, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("\n".join(WORDS), "utf-8")
    (tmp_path / "forms.txt").write_text(FORMS, "utf-8")
    options = ["--lang", "cs", "--rounds", "2", "--n", "2", "--forms-from", "forms.txt", *web.options]
    ran = run("bootstrap", "words.txt", "-o", "corpus", *options, "--json", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr.decode()
    answer = json.loads(ran.stdout)
    first, second = answer["rows"]
    assert (first["round"], first["seeds"], first["queries"], first["asked"]) == (1, 3, 3, 3)
    assert (answer["ended"], answer["not_asked"]) == ("rounds", [])
    assert second["seeds"] > 20
    assert first["kept"] > 0
    assert second["kept"] > 0, "keywords of what was found have found more"
    assert "found before" in ran.stderr.decode()

    assert any(query.startswith("(hornina OR horniny) (") for query in web.asked)
    assert max(Counter(web.asked).values()) == 1
    assert max(Counter(web.fetched()).values()) == 1
    assert len(web.fetched()) == first["addresses"] + second["addresses"]

    corpus = gristmill.Corpus(tmp_path / "corpus")
    documents = list(corpus.documents())
    assert len(documents) == first["kept"] + second["kept"]
    on_topic = web.web.on_topic("geology", "cs")
    assert sum(document.url in on_topic for document in documents) / len(documents) > 0.7
    for document in documents:
        assert document.attributes["query"] in web.asked
        assert document.attributes["round"] in {"1", "2"}
        assert 1 <= int(document.attributes["rank"]) <= 10

    found = run("search", "corpus", '[lemma="sopka"]', "--where", 'round="2"', "--json", cwd=tmp_path)
    assert found.returncode == 0, found.stderr.decode()
    assert json.loads(found.stdout)["total"] > 0


def test_keywords_of_a_sample(web: SearchedWeb, tmp_path: Path) -> None:
    """They are proposed in a file; without an editor the user is told how to go on."""
    (tmp_path / "texts").mkdir()
    for number, text in enumerate(web.web.sample("geology", "cs", 6)):
        (tmp_path / f"texts/{number}.txt").write_text(text, "utf-8")
    options = [
        "--sample",
        "texts",
        "-o",
        "corpus",
        "--lang",
        "cs",
        "--queries",
        "10",
        "--n",
        "2",
        *web.options,
        "--forms=1",
    ]
    ran = run("bootstrap", *options, cwd=tmp_path)
    assert ran.returncode == 1
    assert b"corpus-keywords.txt" in ran.stderr
    assert not (tmp_path / "corpus").exists()
    assert "hornina" in (tmp_path / "corpus-keywords.txt").read_text("utf-8")
    ran = run("bootstrap", *options, "--yes", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr.decode()
    corpus = gristmill.Corpus(tmp_path / "corpus")
    assert any(spec.startswith("topic:") and "texts" in spec for spec in corpus.config.filter.filters)
    on_topic = web.web.on_topic("geology", "cs")
    urls = [document.url for document in corpus.documents()]
    assert sum(url in on_topic for url in urls) / len(urls) > 0.7


def test_no_words(web: SearchedWeb, tmp_path: Path) -> None:
    """A corpus of general language: mid-frequency words, in all rounds, and no topic."""
    options = ["--lang", "cs", "-o", "corpus", "--queries", "30", "--n", "2", "--forms", "1", "--filter-words", "0"]
    ran = run("bootstrap", *options, "--rounds", "2", *web.options, "--csv", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr.decode()
    assert ran.stdout.splitlines()[0].startswith(b"round,seeds,queries,asked")
    corpus = gristmill.Corpus(tmp_path / "corpus")
    assert not any(spec.startswith("topic") for spec in corpus.config.filter.filters)
    kinds = {web.web.pages[document.url].kind for document in corpus.documents()}
    assert len(kinds) > 1
