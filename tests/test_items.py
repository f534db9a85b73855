"""Pages of several items, cut into items: the example of the paper, its rules, and what a build makes of them."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest
from cases import case
from command import run
from hypothesis import given
from hypothesis import strategies as st

import gristmill
from gristmill.cleaning.items import Splitting, cut, split_page, splitting_of
from gristmill.cleaning.items.entities import BY_RULES, Entities
from gristmill.cleaning.items.labelling import (
    BEGIN,
    INSIDE,
    OFFSETS,
    OUTSIDE,
    by_field,
    by_titles,
    most_probable,
    shape_of,
    spans,
    states,
)
from gristmill.cleaning.items.lists import entities_in, read_lists
from gristmill.cleaning.items.names import names_in
from gristmill.cleaning.items.nodes import are_titles
from gristmill.cleaning.items.region import main_region
from gristmill.cleaning.items.splitting import forget_weights
from gristmill.cleaning.items.vectors import WORD_NAMES, common_words, feature_names, vectors
from gristmill.cleaning.languages import Languages
from gristmill.cleaning.segmentation import segment
from gristmill.config import CleanConfig, Config
from gristmill.consent import allowed_here, forget
from gristmill.document import Page
from gristmill.engine import InlineEngine
from gristmill.errors import UsageError
from gristmill.evaluation.gold import GoldPage
from gristmill.evaluation.item_pages import gold_labels, made_up
from gristmill.evaluation.items import compare_items
from gristmill.evaluation.training import TRAINERS
from gristmill.language import Models

WORDS = "the old mill by the river grinds wheat and rye for all the villages of the valley as it did in former times"
RYE = f"In Hartwell Jane Miller said that {WORDS}. Jane Miller has worked there since 1987."
FERRY = f"The ferry of Samuel Brook goes to Eastwick again, and {WORDS} when Samuel Brook was young."
BEES = f"Bees were stolen in Upper Dale on 3 May, and nobody saw it, while {WORDS}. Upper Dale is shocked."
MENU = "<ul><li><a href=/a>Home</a><li><a href=/b>News</a><li><a href=/c>Weather</a></ul>"


def page_of(*items: tuple[str, str]) -> str:
    shown = "".join((f"<h3>{title}</h3>" if title else "") + f"<p>{text}</p>" for title, text in items)
    return f"<title>News</title><table><tr><td>{MENU}</td><td>{shown}</td></tr></table><p>All rights reserved</p>"


THREE = page_of(("Mill reopens", RYE), ("The ferry is back", FERRY), ("Bees stolen", BEES))


def test_titles_and_paragraphs() -> None:
    """Up to 5 words a title; more than 20 a paragraph; from 6 to 20, a paragraph if it ends with a dot."""
    words = [1, 5, 6, 6, 20, 20, 21, 300]
    texts = ["Mill", "Mill.", "no dot", "a dot.", "no dot", "a dot. ", "no dot", "no dot"]
    assert are_titles(texts, np.array(words)).tolist() == [True, True, True, False, True, False, False, False]


def test_the_vectors_of_figure_2() -> None:
    """The title and the four paragraphs that the paper shows, and the numbers that it writes down for them."""
    lists = {
        "athlete": ["Richards", "Sanya Richards", "Lashawn Merritt", "Angelo Taylor"],
        "sport": ["400m", "400 Hurdles"],
        "gender": ["men", "women"],
    }
    texts = [
        "Richards",
        "Sanya Richards won the 400m of the women",
        "Richards led",
        "and Richards said so",
        "Lashawn Merritt in the 400m and Angelo Taylor in the 400 Hurdles of the men",
    ]
    recogniser = Entities.of_lists(lists, whole=("sport",))
    names = feature_names(recogniser)
    found = vectors(texts, [True, False, False, False, False], recogniser)
    assert names[:4] == ("title", "#athlete", "#sport", "#gender")
    assert found[:, :10].tolist() == [  # then athletes, sports, gender in common with the title, and with paragraphs
        [1, 1, 0, 0, 0, 0, 0, 0, 0, 0],  # 1 athlete
        [0, 1, 1, 1, 1, 0, 0, 0, 0, 0],  # 1 athlete, 1 sport, 1 gender; common with the title: athlete 1
        [0, 1, 0, 0, 1, 0, 0, 1, 0, 0],  # common with the title: athlete 1; with previous paragraphs: athlete 2
        [0, 1, 0, 0, 1, 0, 0, 2, 0, 0],  # with previous paragraphs: athletes 2 and 3
        [0, 2, 2, 1, 0, 0, 0, 0, 1, 0],  # 2 athletes, 2 sports, 1 gender; with the title nothing, paragraphs: sport 1
    ]
    nodes_before = found[:, [names.index(f"athlete in common with {at} before") for at in (1, 2, 3)]]
    assert nodes_before.tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 0, 0]]
    assert found[4, names.index("sport in common with 3 before")] == 1


def test_names_and_numbers_by_rules() -> None:
    found = BY_RULES.find("Yesterday Jane Miller and Élan Ölmez ran 400m. He won, in 49.5, at Hartwell.")
    assert [(one.type, sorted(one.words)) for one in found] == [
        ("name", ["jane", "miller", "yesterday"]),
        ("name", ["élan", "ölmez"]),
        ("name", ["hartwell"]),
        ("number", ["400m"]),
        ("number", ["49.5"]),
    ]
    assert BY_RULES.find("") == BY_RULES.find("风车在河边。") == []


def test_names_of_a_page() -> None:
    """A capital makes a name only where the page has no other reason for it; what stands elsewhere on it tells."""
    for texts, expected in (
        (["Miller's mill burns", "We saw Jane Miller. The mill burnt."], [["miller"], ["jane miller"]]),
        (["Burnt by Miller", "“Miller,” she said. “Who?” Nobody."], [["miller"], ["miller"]]),
        (["I’m sure that I saw it.", 'He said: "The Ouse is high." She did, too.'], [[], ["ouse the"]]),
        (["The Mill Burns Again", "the mill of Ann burns again"], [[], ["ann"]]),
        (["in the U.S. and at O’Neill’s"], [["u.s.", "o’neill"]]),
        (["At last, Émile! (Perhaps) they said of Ærø."], [["émile", "ærø"]]),
        ([], []),
    ):
        with case(texts):
            assert [[" ".join(sorted(words)) for words in own] for own in names_in(texts)] == expected


def test_words_in_common() -> None:
    """Of four letters or more, with each of the last three nodes; a word of more than three nodes and a quarter says
    nothing."""
    texts = ["grain and mill", "The Mill, grain", "nothing", "grain ferry"]
    assert common_words(texts).tolist() == [[0, 0, 0], [2, 0, 0], [0, 0, 0], [0, 1, 1]]
    assert common_words(["mill"] * 4).tolist() == [[0, 0, 0]] * 4
    found = vectors(texts, [False] * 4, BY_RULES, words=True)
    assert found.shape[1] == len(feature_names(BY_RULES)) + len(WORD_NAMES)
    assert found[:, -3:].tolist() == common_words(texts).tolist()


def test_lists_of_entities_in_a_file(tmp_path: Path) -> None:
    """Longer entries come first, none is inside of a word or of another, and numbers of no list are found by rules."""
    file = tmp_path / "names.toml"
    file.write_text(
        'mill = ["Old Mill", "mill of the old", "C++"]\nsport = ["400m", "400 hurdles"]\nnumber = ["eleven"]\n'
        'place = ["風車"]\nwhole = ["sport"]\n'
    )
    assert read_lists(str(file)).types == ("mill", "sport", "number", "place")
    found = entities_in(str(file)).find("The old mill, not the old millers, ran 400 Hurdles in 49.5, c++ and eleven.")
    assert [(one.type, sorted(one.words)) for one in found] == [
        *(("name", words) for words in (["mill", "old"], ["400 hurdles"], ["c++"])),
        *(("number", words) for words in (["eleven"], ["49.5"])),
    ]
    assert [sorted(one.words) for one in entities_in(str(file)).find("風車 the mill of the old mill")] == [
        ["風車"],
        ["mill", "of", "old", "the"],
    ]


def test_thousands_of_entries_cost_as_much_as_some() -> None:
    some, many = (Entities.of_lists({"name": [f"the mill {at}" for at in range(number)]}) for number in (10, 20_000))
    text = "The mill 7 is not the mill at all. " * 200
    times = []
    for recogniser in (some, many):
        begin = time.process_time()
        assert len(recogniser.find(text)) == 200
        times.append(time.process_time() - begin)
    assert times[1] < 20 * times[0] + 0.1


def test_wrong_lists_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "names.toml"
    for text, message in (
        ("", "has no lists of names"),
        ("person = []", "has no lists of names"),
        ('person = "Jane"', "person must be a list of strings"),
        ("person = [1]", "person must be a list of strings"),
        ('person = ["Jane"]\nwhole = ["sport"]', "of which there is no list"),
        ('person = ["..."]', "letters or digits"),
        (f'person = ["{"x" * 201}"]', "at most 200 characters"),
        ("person", "not valid TOML"),
    ):
        file.write_text(text)
        forget_weights()
        with case(text), pytest.raises(UsageError, match=message):
            splitting_of(f"crf:entities={file}")
    with pytest.raises(UsageError, match=r"can't read the named entities in .*none.toml: No such file or directory$"):
        splitting_of(f"crf:entities={tmp_path / 'none.toml'}")
    for spec in (f"rules:entities={file}", "rules:words=yes"):
        with case(spec), pytest.raises(UsageError, match="only crf knows named entities"):
            splitting_of(spec)


PLAIN = "an item without capitals tells what was done there and by whom and why it took so long to be done at all"
NAMELESS = f"""<html lang=en><body><p>about the mill of the north in a long first line of an item that has {PLAIN}.
<p>the mill of the north again, {PLAIN}.<p>the ferry of the south is another item, and {PLAIN}.
<p>the ferry of the south again, {PLAIN}.</body></html>"""


def test_lists_of_a_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists are in the settings of a corpus by their whole path, change what is found, and need trust."""
    monkeypatch.setenv("GRISTMILL_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    Path("page.html").write_text(NAMELESS)
    Path("names.toml").write_text('subject = ["mill of the north", "ferry of the south"]\n')
    page = Page("http://a.example/", NAMELESS.encode())
    vectors_of = []
    for items in ("crf", "crf:entities=names.toml"):
        settings = Config().replace(clean_items=items, clean_method="all").clean
        document, found = split_page(page, "en", config=settings)
        assert len([*found.rest, *(at for item in found.items for at in item.places)]) == document.block_count
        how = splitting_of(items)
        recogniser = entities_in(how.entities) if how.entities else BY_RULES
        texts = [block.text for block in document.blocks]
        vectors_of.append(vectors(texts, [False] * len(texts), recogniser)[:, 1].tolist())
    assert vectors_of == [[0, 0, 0, 0], [1, 1, 1, 1]]  # names
    config = Config().replace(clean_items="crf:entities=names.toml", clean_method="all", filter_filters=())
    gristmill.build(["page.html"], "corpus", config, engine=InlineEngine())
    assert gristmill.Corpus("corpus").reader.config.clean.items == f"crf:entities={tmp_path / 'names.toml'}"
    assert gristmill.add("corpus", ["page.html"], engine=InlineEngine()) is not None
    monkeypatch.setenv("GRISTMILL_HOME", str(tmp_path / "another"))
    forget(allowed_here())
    with pytest.raises(UsageError, match=r"(?s)names what was not allowed here.*names\.toml"):
        gristmill.add("corpus", ["page.html"], engine=InlineEngine())
    shown = run("clean", "page.html", "--items", "crf:entities=names.toml", "--format", "json")
    assert json.loads(shown.stdout)["items"] is not None
    assert b"can't read the named entities" in run("clean", "page.html", "--items", "crf:entities=no.toml").stderr


def test_items_by_titles_alone() -> None:
    """Title, paragraph, paragraph, title, title, paragraph: two items, the second of which has two titles."""
    labels = by_titles(np.array([True, False, False, True, True, False]))
    assert spans(labels) == [(0, 3), (3, 6)]
    assert spans(by_titles(np.array([False, False, True]))) == [(0, 2), (2, 3)]
    assert spans(np.array([BEGIN, INSIDE, OUTSIDE, BEGIN])) == [(0, 2), (3, 4)]
    assert spans(by_titles(np.zeros(0, np.bool_))) == []


def test_the_most_probable_labels() -> None:
    """Begin has 2 and 1, inside 0, but begin after begin -5: 2 + 0 is more than 2 + 1 - 5, and than 0 + 1."""
    scores = np.array([[2.0, 0.0, -9.0], [1.0, 0.0, -9.0]])
    transitions = np.array([[-5.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    assert most_probable(scores, transitions).tolist() == [BEGIN, INSIDE]
    weights = {"states": np.zeros(shape_of(5)), "transitions": np.zeros((3, 3))}
    weights["states"][OFFSETS.index(0), 0, :, OUTSIDE] = [1, 0, 0, 0]
    weights["states"][OFFSETS.index(0), 0, :, INSIDE] = [0, 1, 0, 0]
    titles = np.array([[0, 0, 0, 0, 0], [1, 0, 0, 0, 0], [1, 9, 9, 9, 9]])
    assert by_field(titles, weights).tolist() == [OUTSIDE, BEGIN, INSIDE]
    assert by_field(titles[:0], weights).tolist() == []


def test_the_nodes_around_count() -> None:
    """Three nodes of the numbers 1, 2 and 3, with weights of 1, 10, 100, 1000 and 10000 from two before on."""
    weights = np.zeros(shape_of(1))
    weights[:, 0, :, BEGIN] = np.outer([1, 10, 100, 1000, 10_000], range(4))
    assert states(np.array([[1], [2], [3]]), weights)[:, BEGIN].tolist() == [32_100, 3_210, 321]
    assert states(np.array([[1]]), weights)[:, BEGIN].tolist() == [100]


def region(html: str) -> str:
    found = segment(html)
    weights = np.where(found.columns.link_words >= found.columns.words, 0, found.columns.folded.lengths())
    first, end = main_region(found, weights)
    return " ".join(found.texts[first:end])


def test_the_main_region() -> None:
    """The cell with a significant share of the text, or the innermost container with nearly all of it."""
    assert region(f"<table><tr><td>{MENU}<td><p>{RYE}<p>x<td>short</table><p>foot") == f"{RYE} x"
    inner = f"<table><tr><td>left<td><table><tr><td><p>{RYE}<p>{BEES}</table></table>"
    assert region(inner) == f"{RYE} {BEES}"
    assert region(f"{MENU}<div id=a><div><p>{RYE}</div><div><p>{BEES}</div></div><div>foot</div>") == f"{RYE} {BEES}"
    assert region("<p>a<p>b") == "a b"
    assert region("") == region(MENU[:0]) == ""


@pytest.mark.parametrize("way", ["rules", "crf"])
def test_a_page_of_three_items(way: str) -> None:
    document, items = split_page(Page("http://a.example/", THREE.encode()), config=CleanConfig(items=way))
    assert [item.title for item in items.items] == ["Mill reopens", "The ferry is back", "Bees stolen"]
    texts = document.as_columns().folded.tolist()
    assert [[texts[at] for at in item.places][1:] for item in items.items] == [[RYE], [FERRY], [BEES]]
    places = [*items.rest, *(at for item in items.items for at in item.places)]
    assert sorted(places) == list(range(document.block_count))
    assert len(items.reasons) == len(items.rest)


def test_the_field_tells_items_without_titles() -> None:
    """By titles there is one item; names that change tell that there are more."""
    html = page_of(("Mill reopens", "<p>".join([RYE] * 3)), ("", f"{FERRY}<p>{FERRY}"))
    found = {
        way: split_page(Page("", html.encode()), config=CleanConfig(items=way))[1].items for way in ("rules", "crf")
    }
    assert len(found["rules"]) == 1
    assert [len(item.places) for item in found["crf"]] == [4, 2]


def test_news_in_brief() -> None:
    """Items of a title and a paragraph are items, though the first two have a day in common."""
    rest = "and it was said that the old wheel will be turning before the end of the year if nothing else happens."
    items = (
        ("Mill opens", f"The mill of Hartwell was opened on Sunday by Jane Miller, {rest}"),
        ("Ferry sinks", f"The ferry of Eastwick sank on Sunday, Samuel Brook said, {rest}"),
        ("Bees stolen", f"Bees of Tom Reed were stolen in Upper Dale on Monday, {rest}"),
    )
    found = split_page(Page("", page_of(*items).encode()), config=CleanConfig(items="crf"))[1].items
    assert [item.title for item in found] == ["Mill opens", "Ferry sinks", "Bees stolen"]


def test_links_and_captions_are_in_no_item_unless_titles_may_be_links() -> None:
    linked = THREE.replace("<h3>Bees stolen</h3>", "<h3><a href=/bees>Bees stolen</a></h3>")
    page = Page("", linked.encode())
    for spec, count in (("rules", 2), ("rules:linked_titles=yes", 3)):
        assert len(split_page(page, config=CleanConfig("all", items=spec))[1].items) == count


def test_documents_of_items() -> None:
    document, items = split_page(Page("http://a.example/news#top", THREE.encode()), config=CleanConfig(items="rules"))
    document.attributes = {"query": "mill"}
    rest, *made = cut(document, items, Languages(Models.load()))
    assert [(one.url, one.title) for one in made] == [
        ("http://a.example/news#item-1", "Mill reopens"),
        ("http://a.example/news#item-2", "The ferry is back"),
        ("http://a.example/news#item-3", "Bees stolen"),
    ]
    assert made[1].attributes == {"query": "mill", "page_item": "2", "page_items": "3"}
    assert made[1].text == f"The ferry is back\n{FERRY}"
    assert (made[1].lang, made[1].words) == ("en", len(made[1].text.split()))
    assert (rest.url, rest.dropped) == ("http://a.example/news#top", "items")
    assert rest.detail.startswith("cut into 3 items; blocks in none of them: ")
    assert rest.block_count + sum(one.block_count for one in made) == document.block_count
    assert len({one.digest for one in made}) == 3


def test_a_build_counts_pages_and_items(tmp_path: Path) -> None:
    (tmp_path / "three.html").write_text(THREE)
    (tmp_path / "one.html").write_text(page_of(("Mill reopens", RYE + RYE)))
    config = Config().replace(clean_items="rules", dedup_method="none").with_filters("length:min=10")
    made = gristmill.build(
        [tmp_path / "one.html", tmp_path / "three.html"], tmp_path / "corpus", config, engine=InlineEngine()
    )
    counts = made.counts
    assert (counts["records"], counts["items"], counts["pages"]) == (2, 3, 5)
    assert counts["dropped"] == {"items": 1}
    assert counts["pages"] == counts["passed"] + sum(counts["dropped"].values())
    assert sorted(document.url.rpartition("/")[2] for document in made.documents()) == [
        "one.html", "three.html#item-1", "three.html#item-2", "three.html#item-3",
    ]  # fmt: skip
    shown = run("stats", tmp_path / "corpus").stdout.decode()
    assert "items cut out of pages" in shown
    assert run("export", tmp_path / "corpus", "-o", tmp_path / "out.md").returncode == 0
    again = gristmill.build([tmp_path / "three.html"], tmp_path / "whole", engine=InlineEngine())
    assert again.counts["pages"] == 1
    assert "items" not in again.counts


def test_the_command(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(THREE)
    shown = run("clean", page, "--items", "crf")
    assert shown.stdout.decode().split("\n\n")[1] == f"The ferry is back\n{FERRY}"
    assert b"3 items; blocks in none of them: " in shown.stderr
    found = json.loads(run("clean", page, "--items", "rules", "--format", "json").stdout)
    assert [item["title"] for item in found["items"]] == ["Mill reopens", "The ferry is back", "Bees stolen"]
    assert {row["reason"] for row in found["rest"]} <= {"boilerplate", "region", "link", "caption", "outside"}
    assert b"text or json" in run("clean", page, "--items", "crf", "--format", "html").stderr
    assert b"crf or rules, not 'rule'" in run("clean", page, "--items", "rule").stderr
    assert b"not listings" in run("clean", page, "--items", "crf:kinds=listings").stderr
    assert b"0 items; " in run("clean", page, "--items", "crf:kinds=forum,documentation").stderr
    assert b"has no parameter" in run("clean", page, "--items", "crf:a=1").stderr
    with pytest.raises(UsageError, match="--items-model"):
        splitting_of("crf:model=x")
    with pytest.raises(UsageError, match="not 'x'"):
        gristmill.build([page], tmp_path / "corpus", Config().replace(clean_items="x"), engine=InlineEngine())


def test_labels_of_a_gold_text() -> None:
    assert gold_labels(["a", "x", "b", "c"], "a\n\nb c").tolist() == [BEGIN, OUTSIDE, BEGIN, INSIDE]
    assert gold_labels(["a", "x", "b"], "a\nb").tolist() == [BEGIN, INSIDE, INSIDE]
    assert gold_labels([], "a").tolist() == gold_labels([], "").tolist() == []
    assert gold_labels(["a"], "").tolist() == [OUTSIDE]


def test_precision_and_recall_of_items() -> None:
    """Found 0-2 and 2-4, true are 0-2, 2-3 and 3-4: one of two is right, and one of three is found."""
    own, gold = np.array([BEGIN, INSIDE, BEGIN, INSIDE]), np.array([BEGIN, INSIDE, BEGIN, BEGIN])
    scores = compare_items([(own, gold, [True, False, False, False])])
    assert (scores.precision, scores.recall) == (1 / 2, 1 / 3)
    assert scores.f_measure == pytest.approx(0.4)
    assert compare_items([]).to_json() == {"precision": 0.0, "recall": 0.0, "f_measure": 0.0}


def test_training(tmp_path: Path) -> None:
    pytest.importorskip("pycrfsuite")
    texts = [RYE, FERRY, BEES, f"Tom Reed of Northam writes that {WORDS}."]
    pages = [GoldPage("own", f"{number}", b"", f"Title {number}\n{text}\n{text}") for number, text in enumerate(texts)]
    made = made_up(pages, 12, 1)
    assert made == made_up(pages, 12, 1)
    own = [GoldPage("own", page.id, page.html, page.gold, url=f"http://{page.id}.example/") for page in made]
    model, again = (TRAINERS["items"](own, None, 0) for _ in range(2))
    assert all((model.arrays[name] == again.arrays[name]).all() for name in model.arrays)
    assert model.card["scores"]["heuristics and field"]["f_measure"] > 0.5
    model.save(tmp_path / "my.items")
    (tmp_path / "page.html").write_text(THREE)
    shown = run("clean", tmp_path / "page.html", "--items-model", tmp_path / "my.items")
    assert shown.stdout.count(b"\n\n") == 2
    with pytest.raises(UsageError, match="no items in these pages"):
        TRAINERS["items"]([], None, 0)


@given(st.text("<>/abdiptrv .h3\n", max_size=200))
def test_nothing_raises(html: str) -> None:
    for way in ("rules", "crf"):
        document, items = split_page(Page("", html.encode()), config=CleanConfig(items=way))
        cut(document, items, Languages(Models.load()))


def test_a_page_that_is_deep_or_long_is_no_trouble() -> None:
    for html in ("<div>" * 5_000 + "a", "<p>one two three." * 20_000, "<p>" + "Aa " * 50_000):
        assert split_page(Page("", html.encode()))[1].reasons is not None
    assert Splitting().way == "crf"
