"""Questions asked of the bundled sample and of search providers: in Python, by the command, in the web app."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from command import run
from search_server import Asked, Reply, SearchEngine
from web_server import Client, served

import gristmill
from gristmill.answers import Asking, ask_provider
from gristmill.answers.asking import Answers
from gristmill.answers.languages import language_of_question
from gristmill.answers.stored import stored_annotations
from gristmill.corpus import Manifest
from gristmill.engine import InlineEngine
from gristmill.errors import GristmillError
from gristmill.fetching.access import Access

QUESTIONS = Path(__file__).parents[1] / "benchmarks" / "answers_sample.tsv"
TUNNEL = "Who dug a tunnel under the middle pier?"
FLOORS = {"en": (40, 43), "de": (20, 22)}
"""Questions of each language that have an answer among the first two, and four, at least."""


@pytest.fixture(scope="module")
def own(indexed: gristmill.Corpus, tmp_path_factory: pytest.TempPathFactory) -> gristmill.Corpus:
    """The sample with an index, to be written to."""
    folder = tmp_path_factory.mktemp("ask") / "one"
    shutil.copytree(indexed.folder, folder)
    return gristmill.Corpus(folder)


@pytest.fixture
def engine() -> Iterator[SearchEngine]:
    """A search engine that knows three pages."""
    pages = [
        ("https://a.example/", "A question", "Who invented the telephone? Ask here who invented the telephone."),
        ("https://b.example/", "Shops", "We sell every telephone that was ever invented."),
        ("https://c.example/", "History", "Alexander Graham Bell invented the telephone in Boston."),
        ("https://d.example/", "", ""),
    ]

    def answer(asked: Asked) -> Reply:
        rows = [{"url": url, "title": title, "content": text} for url, title, text in pages]
        return Reply({"results": rows if asked.parameters["pageno"] == "1" else []})

    with SearchEngine(answer) as found:
        yield found


def _place(answers: Answers, passages: list[str], *, plain: bool) -> int:
    rows = sorted(
        (row for row in answers.rows if row.passage.plain_rank or not plain),
        key=lambda row: (row.passage.plain_rank or 0) if plain else row.rank,
    )
    texts = [" ".join(row.passage.text.split()) for row in rows]
    return next((at for at, text in enumerate(texts, 1) if any(part in text for part in passages)), 1000)


def test_a_question_is_parsed_as_the_corpus_was(own: gristmill.Corpus, tmp_path: Path) -> None:
    assert all(own.ask(TUNNEL).question.analysis.annotation.deprels)
    shutil.copytree(own.folder, tmp_path / "one")
    manifest = Manifest.read(tmp_path / "one")
    manifest.settings["annotate"]["parsers"] = ["none"]
    manifest.write()
    assert not any(gristmill.Corpus(tmp_path / "one").ask(TUNNEL).question.analysis.annotation.deprels)


@pytest.mark.parametrize("lang", FLOORS)
def test_more_answers_are_at_the_top_than_by_bm25(own: gristmill.Corpus, lang: str) -> None:
    with QUESTIONS.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["lang"] == lang]
    assert len(rows) >= {"en": 40, "de": 20}[lang]
    places: dict[bool, list[int]] = {True: [], False: []}
    for row in rows:
        answers = own.ask(row["question"], limit=0)
        assert answers.lang == lang, row["question"]
        for plain, found in places.items():
            found.append(_place(answers, row["passages"].split("||"), plain=plain))
    for most, floor in zip((2, 4), FLOORS[lang], strict=True):
        ours, theirs = (sum(place <= most for place in places[plain]) for plain in (False, True))
        assert ours >= floor
        assert ours >= theirs


def test_answers_say_why(own: gristmill.Corpus) -> None:
    answers = own.ask("Wie viele Bände fasst der Bus?", limit=2)
    best = answers.rows[0]
    assert best.passage.text == "Der Bus fasst etwa 3500 Bände."
    assert (best.passage.found_by, best.candidates) == ("phrase", ["3500"])
    assert best.passage.url == "https://lesesaal.example/meldungen/buecherbus.html"
    assert best.score.total == sum(
        getattr(best.score, part) for part in ("words", "tags", "answer", "heads", "relations")
    )
    assert {one.way for one in answers.queries} == {"phrase", "loose", "plain"}
    record = json.loads(json.dumps(answers.to_json()))
    assert record["rows"][0]["score"]["matched"] == ["Bände", "fasst", "Bus"]
    assert record["rows"][0]["candidates"] == ["3500"]
    plain = own.ask("Wie viele Bände fasst der Bus?", rewriting=False)
    assert [one.way for one in plain.queries] == ["plain"]
    elsewhere = own.ask("Wie viele Bände fasst der Bus?", where='host!="lesesaal.example"')
    assert not elsewhere.rows


def test_languages_of_questions(own: gristmill.Corpus) -> None:
    languages = {"en": 10, "de": 5, "pl": 90}
    assert language_of_question("Who was it?", languages) == "en"
    assert language_of_question("Was ist das?", languages) == "de"
    assert language_of_question("Gdzie jest młyn?", languages) == "pl"
    large = {"en": 900, "de": 300, "fr": 200, "ru": 90, "cs": 80, "uk": 70, "nl": 60, "pt": 50, "el": 40, "ja": 2}
    for lang, question in {
        "ru": "Где живут пчёлы?",
        "uk": "Де живуть бджоли?",
        "cs": "Kdo postavil most?",
        "nl": "Wie heeft de brug gebouwd?",
        "pt": "Que horas são?",  # begins with a question word of French, too
        "fr": "Que mange le renard ?",
        "de": "Wie hoch waren die Kosten?",  # which looks like Dutch
        "el": "Πού ζουν οι μέλισσες;",
        "ja": "ミツバチはどこに住んでいますか",
        "en": "Bees?",
    }.items():
        assert language_of_question(question, large) == lang
    assert language_of_question("Пчёлы зимой?", {"en": 9, "de": 8, "ru": 1}) == "ru"
    assert language_of_question("???", {"en": 3, "de": 9}) == "de"
    assert language_of_question("Who?", {}) == "en"
    found = own.ask("Kde žijí včely?", lang="cs")
    assert "no rules for questions in 'cs'" in found.notes()[0]
    assert found.lang == "cs"


def test_a_question_in_a_language_without_rules_is_asked_of_its_texts(tmp_path: Path) -> None:
    pages = {
        "ru": "Дикие пчёлы живут в старых деревьях у реки, а домашние живут в ульях, которые стоят в саду за домом.",
        "en": "Wild bees live in old trees near the river, and honey bees live in hives that stand in the garden.",
        "more": "The river runs through the old town, and people walk along its banks in the evening if it is warm.",
    }
    (tmp_path / "pages").mkdir()
    for name, text in pages.items():
        (tmp_path / "pages" / f"{name}.html").write_text(f"<title>{name}</title><p>{text}</p><p>{text}</p>", "utf-8")
    corpus = gristmill.build([tmp_path / "pages"], tmp_path / "one", engine=InlineEngine())
    assert corpus.ask("Где живут пчёлы?").rows[0].passage.lang == "ru"
    asked = run("ask", corpus.folder, "Где живут пчёлы?", "--limit", "1")
    assert "живут" in asked.stdout.decode()
    with served(corpus.folder) as client:
        found = client.get("/api/one/ask", q="Где живут пчёлы?").json()
        assert (found["lang"], {row["lang"] for row in found["rows"]}) == ("ru", {"ru"})
        assert "живут" in client.get("/one/ask", q="Где живут пчёлы?").text


def test_command(own: gristmill.Corpus, tmp_path: Path) -> None:
    ran = run("ask", own.folder, TUNNEL, "--limit", "1")
    assert ran.returncode == 0, ran.stderr.decode()
    first, where = ran.stdout.decode().splitlines()
    assert "beavers had dug a tunnel under its middle pier" in first
    assert "https://gazette.example/river/footbridge-closed.html  score " in where
    explained = run("ask", own.folder, TUNNEL, "--explain").stdout.decode()
    for part in (
        "rule: who did it (asks for: person)",
        "phrase: * dug a tunnel",
        "words 40:",
        "heads ",
        "relations ",
        "found by:",
    ):
        assert part in explained, part
    marked = run("ask", own.folder, "When was the gauge at the road bridge put up?", "--limit", "1").stdout.decode()
    assert "put up in **1934**" in marked
    record = json.loads(run("ask", own.folder, TUNNEL, "--json", "--limit", "0", "--lang", "en").stdout)
    assert record["type"] == "person"
    assert len(record["rows"]) == record["passages"] > 5
    table = list(csv.DictReader(run("ask", own.folder, TUNNEL, "--csv", "--limit", "0").stdout.decode().splitlines()))
    assert [row["url"] for row in table] == [row["url"] for row in record["rows"]]
    assert float(table[0]["score"]) == record["rows"][0]["score"]["total"]
    rules = tmp_path / "rules.toml"
    rules.write_text('languages = ["en"]\n[[question]]\nname = "own"\npatterns = ["tell me R+"]\nforms = ["{R} *"]\n')
    told = run("ask", own.folder, "Tell me the swan", "--rules", rules, "--explain")
    assert "rule: own (asks for: thing)" in told.stdout.decode()
    nothing = run("ask", own.folder, "Who xyzzied the plugh?")
    assert nothing.returncode == 0
    assert b"nothing was found" in nothing.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("",), b"the question is empty"),
        (("???",), b"the question is empty"),
        ((TUNNEL, "--json", "--csv"), b"can't be used together"),
        ((TUNNEL, "--level", "deep"), b"level must be one of words, heads, relations"),
        ((TUNNEL, "--rules", "nowhere.toml"), b"nowhere.toml"),
        ((TUNNEL, "--where", "lang=="), b":\n  lang==\n"),
        ((), b"Missing argument 'QUESTION'"),
    ],
)
def test_command_refuses(own: gristmill.Corpus, arguments: tuple[str, ...], message: bytes) -> None:
    ran = run("ask", own.folder, *arguments)
    assert ran.returncode == 2
    assert message in ran.stderr


def test_passages_have_the_annotation_of_the_corpus(own: gristmill.Corpus) -> None:
    passages = [row.passage for row in own.ask(TUNNEL, limit=0).rows]
    for passage, stored in zip(passages, stored_annotations(own.index, passages), strict=True):
        assert stored is not None
        place = np.arange(len(stored.words)) + (passage.position or 0)
        for name, values in (("tag", stored.tags), ("lemma", stored.lemmas), ("deprel", stored.deprels)):
            attribute = own.index.attribute(name)
            assert values == attribute.lexicon.strings(attribute.ids[place])
        assert any(stored.deprels)
        cut = [passage.text[start : start + len(word)] for start, word in zip(stored.starts, stored.words, strict=True)]
        assert cut == stored.words
        assert sum(stored.sentences) == len(stored.words)


def test_corpus_without_an_index(corpus: gristmill.Corpus) -> None:
    with pytest.raises(GristmillError, match="index"):
        gristmill.Corpus(corpus.folder, build=False).ask(TUNNEL)


def test_provider(engine: SearchEngine) -> None:
    spec = f"searxng:{engine.address}"
    asking = Asking(lang="en")
    answers = ask_provider(
        asking, spec, "Who invented the telephone?", access=Access(networks=("127.0.0.0/8",)), delay=0
    )
    assert [row.passage.url[8] for row in answers.rows] == ["c", "b", "a"], "the question itself is no answer"
    assert answers.rows[0].passage.plain_rank == 3
    assert answers.rows[0].candidates[0] == "Alexander Graham Bell"
    assert answers.rows[2].score.against == "question word"
    assert "without a snippet or a title" in answers.notes()[0]
    assert engine.queries[0] == "Who invented the telephone"
    assert '"invented the telephone"' in engine.queries
    engine.asked.clear()
    ask_provider(asking, spec, "Who invented the telephone?", access=Access(networks=("127.0.0.0/8",)), rewriting=False)
    assert set(engine.queries) == {"Who invented the telephone"}


def test_a_provider_that_fails_in_between_is_told_of() -> None:
    def answer(asked: Asked) -> Reply:
        if asked.parameters["q"].startswith('"'):
            return Reply("busy", status=500)
        row = {"url": "https://c.example/", "title": "History", "content": "Bell invented the telephone."}
        return Reply({"results": [row] if asked.parameters["pageno"] == "1" else []})

    with SearchEngine(answer) as engine:
        access = Access(networks=("127.0.0.0/8",))
        answers = ask_provider(
            Asking(lang="en"), f"searxng:{engine.address}", "Who invented the telephone?", access=access, delay=0
        )
    assert [row.passage.url for row in answers.rows] == ["https://c.example/"]
    assert any("queries without an answer of the provider" in note for note in answers.notes())


def test_provider_by_the_command(engine: SearchEngine) -> None:
    options = (
        f"searxng:{engine.address}",
        "--allow-network",
        "127.0.0.0/8",
        "--limit",
        "1",
        "--no-rewriting",
    )
    ran = run("ask-provider", *options, "Who invented the telephone?")
    assert ran.returncode == 0, ran.stderr.decode()
    assert ran.stdout.decode().startswith("1. **Alexander Graham Bell** invented the telephone")
    crawl = run("ask-provider", "commoncrawl:latest", "Who was it?")
    assert crawl.returncode == 2
    assert b"without titles and snippets" in crawl.stderr
    assert b"no search provider 'nosuch'" in run("ask-provider", "nosuch:x", "Who was it?").stderr
    gone = run("ask-provider", "searxng:http://127.0.0.1:9", "--allow-network", "127.0.0.0/8", "Who was it?")
    assert gone.returncode == 1
    assert b"can't be asked" in gone.stderr


def test_a_corpus_that_is_served_is_a_provider(own: gristmill.Corpus) -> None:
    with served(own.folder) as client:
        answers = ask_provider(
            Asking(lang="en"),
            f"gristmill:{client.address}",
            "Who repairs tractors?",
            access=Access(networks=("127.0.0.0/8",)),
            rewriting=False,
            delay=0,
        )
        assert "repairs tractors" in answers.rows[0].passage.text
        _check_page(client)


def _check_page(client: Client) -> None:
    """The page and the operation of the web app."""
    found = client.get("/api/one/ask", q="When was the gauge at the road bridge put up?", limit=3).json()
    assert found["rows"][0]["candidates"] == ["1934"]
    page = client.get("/one/ask", q="When was the gauge at the road bridge put up?")
    assert page.status == 200
    assert "<mark>1934</mark>" in page.text
    assert "relations" in page.text
    empty = client.get("/one/ask")
    assert empty.status == 200
    assert "There are rules for questions in: de, en, fr" in empty.text
    assert client.get("/api/one/ask", q="").status == 400
    assert client.get("/one/ask", q="???").status == 400
    languages = client.get("/api/one/ask-languages").json()
    assert languages["languages"]["en"] > languages["languages"]["de"]
