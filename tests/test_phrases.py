"""Search phrases of trees: RoDEO's example worked by hand, forms that fit, ranking, the command, mistakes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from command import run
from web_server import served

import gristmill
from gristmill.bootstrapping.forms import forms_in_dictionary
from gristmill.bootstrapping.queries import make_query
from gristmill.bootstrapping.words import read_tuples
from gristmill.errors import UsageError
from gristmill.search import Index, find
from gristmill.search.documents import DocumentSearch
from gristmill.search.index.plain import PlainDocument, PlainParagraph, Token, make_index
from gristmill.search.phrases.graph import read_graph
from gristmill.search.phrases.phrases import Phrases, phrases_of
from gristmill.search.phrases.subclass import subclasses

TREE = '1:[tag="NOUN"] <nsubj ([lemma="drive"] >obj [lemma="ball"])'
# word/TAG/how far the head is/relation/features; the lemma is the word, or what stands before it with =.
RELATIVE = (
    (
        "a/DET/1/det golfer/NOUN/0/root that/PRON/1/nsubj/PronType=Rel arrive=arrives/VERB/-2/acl:relcl/Tense=Pres "
        "a/DET/1/det wall/NOUN/-2/obj/Number=Sing ./PUNCT/-5/punct"
    ),
    (
        "A/DET/1/det man/NOUN/0/root that/PRON/1/nsubj/PronType=Rel kick=kicks/VERB/-2/acl:relcl/Tense=Pres "
        "the/DET/1/det ball/NOUN/-2/obj/Number=Sing ./PUNCT/-5/punct"
    ),
)
PLAIN = (
    "men/NOUN/1/nsubj hit=hit/VERB/0/root/Tense=Past wall=walls/NOUN/-1/obj/Number=Plur ./PUNCT/-2/punct",
    (
        "Dogs/NOUN/3/nsubj in/ADP/1/case Rome/PROPN/-2/nmod like=liked/VERB/0/root/Tense=Past "
        "wall=walls/NOUN/-1/obj/Number=Plur ./PUNCT/-2/punct"
    ),
)
LEFT_OUT = (
    "Men/NOUN/1/nsubj like=like/VERB/0/root his/PRON/1/nmod:poss hat/NOUN/-2/obj ?/PUNCT/-3/punct",
    "Men/NOUN/2/nsubj never/ADV/1/advmod like=like/VERB/0/root her/PRON/1/nmod:poss hat/NOUN/-2/obj ./PUNCT/-3/punct",
    "If/SCONJ/2/mark men/NOUN/1/nsubj like=like/VERB/0/root my/PRON/1/nmod:poss hat/NOUN/-2/obj ./PUNCT/-3/punct",
)


def sentence(text: str) -> list[Token]:
    tokens: list[Token] = []
    for part in text.split():
        form, tag, head, relation, *feats = part.split("/")
        lemma, _, word = form.rpartition("=")
        tokens.append((word, tag, lemma or word.lower(), "", word in {".", "?"}, "".join(feats), int(head), relation))
    return tokens


def index_of(folder: Path, texts: Sequence[str], lang: str = "en") -> Index:
    documents = [PlainDocument([PlainParagraph([sentence(text)], {"kind": "p"})], {"lang": lang}) for text in texts]
    return make_index(folder / "index", documents)


def texts_of(found: Phrases) -> list[str]:
    return [row.phrase for row in found.rows]


def test_example_of_rodeo(tmp_path: Path) -> None:
    # Section 3.3: [Determiner.Noun-Subject.Pronoun.Verb.Determiner.Noun-Object], "length of 6 words, where 3 of them
    # are non-content words", becomes "a * that drives * ball". `drives` is made as `arrives` is.
    index = index_of(tmp_path, RELATIVE)
    found = phrases_of(index, TREE)
    first = found.rows[0]
    assert first.phrase == '"a * that drives * ball"'
    assert (first.count, first.form) == (2, "DET NOUN PRON VERB DET NOUN")
    assert (first.length, first.non_content) == (6, 3)
    assert texts_of(found)[1:] == ['"a * that drives a ball"', '"a * that drives the ball"']
    assert found.tuples[0] == ("a * that drives * ball",)
    assert (found.ways, found.types, found.too_long, found.unfit) == (2, 3, 0, 0)


def test_same_tree_from_another_token(tmp_path: Path) -> None:
    index = index_of(tmp_path, [*RELATIVE, *PLAIN])
    other = '[lemma="drive"] >nsubj 1:[tag="NOUN"] >obj [lemma=="ball"]'
    assert phrases_of(index, other).rows == phrases_of(index, TREE).rows
    objects = phrases_of(index, '[lemma="drive"] >obj [lemma="ball"]', limit=1)
    assert texts_of(objects) == ['"that drives * ball"']  # the pronoun is its subject here, and belongs to it


def test_ranked_by_share_of_non_content_words(tmp_path: Path) -> None:
    found = phrases_of(index_of(tmp_path, [*PLAIN, *RELATIVE]), TREE)
    shares = [row.non_content / row.length for row in found.rows]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] == 0.5
    assert texts_of(found)[-2:] == ['"in * drived balls"', '"drived balls"']
    short = index_of(tmp_path / "b", PLAIN)
    assert texts_of(phrases_of(short, TREE, max_words=4)) == ['"drived balls"']
    assert phrases_of(short, TREE, max_words=4).too_long == 1
    assert texts_of(phrases_of(short, TREE, min_frequency=2)) == []


def test_forms_must_be_in_use(tmp_path: Path) -> None:
    index = index_of(tmp_path, [*PLAIN[1:], *RELATIVE])
    shares = {"drive": 1e-3, "drives": 1e-4, "drove": 1e-4, "ball": 1e-3, "balls": 1e-4, "bake": 2e-5, "rare": 1e-5}
    found = phrases_of(index, TREE, in_use=lambda _: shares)
    assert found.unfit == 1
    assert not any("drived" in text for text in texts_of(found))
    assert '"a * that drives * ball"' in texts_of(found)
    seldom = phrases_of(index, TREE.replace("drive", "bake"), in_use=lambda _: shares)
    assert '"in * baked balls"' in texts_of(seldom)  # too rare for all its forms to be known
    given = phrases_of(index, '1:[tag="NOUN"] <nsubj ([word="drove"] >obj [lemma="ball"])')
    assert '"in * drove balls"' in texts_of(given)


def test_words_of_a_place_and_articles(tmp_path: Path) -> None:
    index = index_of(tmp_path, RELATIVE)
    found = phrases_of(index, '1:[] <nsubj ([lemma="like"] >obj [lemma="wall|apple"])', limit=None)
    assert {'"a * that likes a wall"', '"a * that likes an apple"'} <= set(texts_of(found))
    either = phrases_of(index, '1:[] <nsubj ([lemma="like"] >obj [lemma="wall" | lemma="apple"])', limit=None)
    assert either.rows == found.rows


def test_from_the_phrase_to_the_sentence(tmp_path: Path) -> None:
    phrase = phrases_of(index_of(tmp_path, RELATIVE), TREE).tuples[0]
    query = make_query(phrase, forms_in_dictionary("en", phrase))
    assert query.text == '"a * that drives * ball"'  # as a provider gets it
    web = "He has a swing that drives the ball", "The swing that drives balls", "A ball that drives a swing"
    documents = [PlainDocument([PlainParagraph([[(w, "", w, "", False) for w in text.split()]])]) for text in web]
    found = DocumentSearch(make_index(tmp_path / "web", documents)).search(query.text)
    assert [document.number for document in found.documents] == [0]


def test_without_wildcards(tmp_path: Path) -> None:
    index = index_of(tmp_path, RELATIVE)
    found = phrases_of(index, TREE, wildcard="")
    assert texts_of(found)[0] == '"that drives" ball'
    assert found.tuples[0] == ("that drives", "ball")
    assert texts_of(phrases_of(index, TREE, wildcard="~"))[0] == '"a ~ that drives ~ ball"'


def test_sentences_that_are_not_factual_are_left_out(tmp_path: Path) -> None:
    index = index_of(tmp_path, [*LEFT_OUT, *RELATIVE])
    found = phrases_of(index, TREE)
    assert found.left_out == {"interrogative": 1, "negated": 1, "conditional": 1}
    assert found.rows == phrases_of(index_of(tmp_path / "b", RELATIVE), TREE).rows
    # The same are left out of what is found: the query of section 3.4.
    query = phrases_of(index, '1:[] <nsubj ([lemma="like"] >obj [lemma="hat"])').query
    assert len(find(index, '1:[] <nsubj ([lemma="like"] >obj [lemma="hat"])')) == 3
    assert len(find(index, query)) == 0


def test_part_of_speech_of_words(tmp_path: Path) -> None:
    index = index_of(tmp_path, [*RELATIVE, "drive/NOUN/0/root"])
    whole = subclasses(index, read_graph(TREE))[0]
    tags = [next(place.condition.comparisons()).value for place in whole.places]
    assert tags == ["NOUN", "VERB", "NOUN"]  # though drive is a noun wherever it stands: what has an object is a verb
    known = subclasses(index, read_graph('[lemma="drive"] > [lemma="a"]'))[0]
    assert [next(place.condition.comparisons()).value for place in known.places] == ["NOUN", "DET"]
    with pytest.raises(UsageError, match="'zebra' is not in this corpus, so its part of speech is not known"):
        phrases_of(index, '[lemma="zebra"] > []')


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (" ", "which tree?"),
        ("drive ball", "search phrases are made of a tree"),
        ('[lemma="drive"]', "search phrases are made of a tree"),
        ('([lemma="drive"] >obj []) within <s/>', "without further conditions"),
        ('[lemma="drive"] !>obj []', "need a relation to another one"),
        ('[tag="VERB"] >obj [tag="NOUN"]', "no word to search for"),
        ('[lemma="dr.*"] >obj []', "can't be put into a search phrase"),
        ('[lemma="drive" | tag="VERB"] >obj []', "can't be put into a search phrase"),
        ('[lempos="drive-v"] >obj []', "can't be put into a search phrase"),
        ('[lemma="drive"] >obj [lemma=$balls]', "can't be put into a search phrase"),
        ('[lemma="drive"] >obj [', "expected|end"),
        ("|".join(["[lemma='a"] + ["b"] * 30) + "'] >obj []", "can't be put into a search phrase"),
        ('[lemma="a|b|c|d|e|f"] >obj [lemma="a|b|c|d|e|f"] >nsubj [lemma="a|b|c"]', "more than 100 combinations"),
    ],
)
def test_mistakes_in_trees(tmp_path: Path, tree: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        phrases_of(index_of(tmp_path, RELATIVE), tree)


def test_other_mistakes(tmp_path: Path) -> None:
    index = index_of(tmp_path, RELATIVE)
    for options, message in (
        ({"max_words": 1}, "2 to 50 words"),
        ({"wildcard": '" OR "'}, "a wildcard is a sign"),
        ({"lang": "eng"}, "no text with relations is in the language 'eng'.*en"),
    ):
        with pytest.raises(UsageError, match=message):
            phrases_of(index, TREE, **options)
    plain: list[Token] = [("Men", "NOUN", "man", "", False), ("drive", "VERB", "drive", "", False)]
    without = make_index(tmp_path / "plain", [PlainDocument([PlainParagraph([plain])], {"lang": "en"})])
    with pytest.raises(UsageError, match="no token of this index has a relation"):
        phrases_of(without, TREE)
    nothing = phrases_of(index, '[lemma="drive"] >iobj [lemma="ball"]')
    assert (nothing.rows, nothing.ways) == ([], 0)


def test_command(indexed: gristmill.Corpus, tmp_path: Path) -> None:
    ran = run("phrases", indexed.folder, TREE, "--limit", "0")
    assert ran.returncode == 0, ran.stderr.decode()
    assert '"a * who drives his ball"' in ran.stdout.decode()
    assert b"ways to match the tree with parts of speech" in ran.stderr
    assert b"sentences left out: " in ran.stderr
    (tmp_path / "phrases.txt").write_bytes(ran.stdout)
    found = indexed.phrases(TREE, limit=0)
    assert read_tuples(tmp_path / "phrases.txt") == found.tuples  # what bootstrap reads
    rows = json.loads(run("phrases", indexed.folder, TREE, "--json", "-l", "2").stdout)["rows"]
    assert [row["phrase"] for row in rows] == texts_of(found)[:2]
    query = run("phrases-query", indexed.folder, TREE).stdout.decode().strip()
    assert query == found.query
    assert indexed.search(query).total == 0
    assert indexed.phrases_query(TREE).query == query
    assert indexed.phrases(TREE, limit=2, offset=3).rows == found.rows[3:5]
    divided = json.loads(run("phrases", indexed.folder, TREE, "--wildcard", "none", "--json").stdout)
    assert divided["rows"]
    assert not any("*" in row["phrase"] for row in divided["rows"])


def test_api(indexed: gristmill.Corpus) -> None:
    with served(indexed.folder) as client:
        found = client.get("/api/indexed/phrases", q=TREE, limit=2).json()
        assert [row["phrase"] for row in found["rows"]] == texts_of(indexed.phrases(TREE, limit=2))
        assert client.get("/api/indexed/phrases-query", q=TREE).json() == {"query": found["query"]}
        assert client.get("/api/indexed/phrases", q="bread [").status == 400


def test_command_without_a_match(indexed: gristmill.Corpus) -> None:
    ran = run("phrases", indexed.folder, '[lemma="drive" & tag="VERB"] >vocative [lemma="ball" & tag="ADP"]')
    assert (ran.returncode, ran.stdout) == (0, b"")
    assert b"No sentence of this corpus shows how to say it" in ran.stderr
    wrong = run("phrases-query", indexed.folder, TREE, "--lang", "eng")
    assert wrong.returncode == 2
    assert b"no text with relations is in the language 'eng'" in wrong.stderr
