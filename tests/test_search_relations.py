"""Collocations by dependency: counts and measures are those of a plain look at random trees."""

from __future__ import annotations

import math
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gristmill.errors import UsageError
from gristmill.search import Index, PlainDocument, PlainParagraph, Subcorpus, make_index
from gristmill.search.index.plain import Token
from gristmill.search.statistics.relations import relation_collocations

LEMMAS = ("eat", "drink", "child", "milk", "bread", "red")
RELATIONS = ("obj", "nsubj", "nsubj:pass", "amod")


def made(rng: random.Random) -> list[Token]:
    """A sentence with a random tree; all tokens are verbs."""
    size = rng.randint(1, 8)
    heads = [0, *(rng.randrange(at) - at for at in range(1, size))]
    words = [rng.choice(LEMMAS) for _ in heads]
    relations = ["root", *(rng.choice(RELATIONS) for _ in heads[1:])]
    rows = zip(words, heads, relations, strict=True)
    return [(word, "X", word, "", False, "", head, relation) for word, head, relation in rows]


@pytest.fixture(scope="module")
def sentences() -> list[list[Token]]:
    rng = random.Random(3)
    return [made(rng) for _ in range(300)]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory, sentences: list[list[Token]]) -> Index:
    years = ("2001", "2002")
    documents = [
        PlainDocument([PlainParagraph([sentence], {"kind": "p"})], {"lang": "en", "year": years[at % 2]})
        for at, sentence in enumerate(sentences)
    ]
    return make_index(tmp_path_factory.mktemp("index"), documents)


def pairs(sentence: list[Token]) -> list[tuple[int, str, int]]:
    """Head, relation and dependent, as places."""
    found = []
    for at, token in enumerate(sentence):
        *_, head, relation = token
        if isinstance(head, int) and head:
            found.append((at + head, str(relation), at))
    return found


def test_a_relation_of_a_word(index: Index, sentences: list[list[Token]]) -> None:
    everything = [
        (sentence[head][2], sentence[at][2], name) for sentence in sentences for head, name, at in pairs(sentence)
    ]
    objects = [(head, word) for head, word, name in everything if name == "obj"]
    together = Counter(word for head, word in objects if head == "eat")
    general = Counter(word for _, word in objects)
    for query in ("eat", '[lemma="eat"]'):
        found = relation_collocations(index, query, relation="obj", min_together=1, min_frequency=1, order="mi")
        assert {row.value: (row.together, row.frequency) for row in found.rows} == {
            word: (count, general[word]) for word, count in together.items()
        }
        assert (found.hits, found.size) == (together.total(), len(objects))
        for row in found.rows:  # Lin (1998), section 2
            lin = math.log2(row.together * found.size / (found.hits * row.frequency))
            assert row.mi == pytest.approx(lin)
    subjects = Counter(head for head, word, name in everything if name.startswith("nsubj") and word == "child")
    heads = relation_collocations(index, "child", relation="<nsubj", min_together=1, min_frequency=1)
    assert {row.value: row.together for row in heads.rows} == dict(subjects)


def test_an_open_place_of_a_tree(index: Index, sentences: list[list[Token]]) -> None:
    expected: Counter[str] = Counter()
    for sentence in sentences:
        related = pairs(sentence)
        for verb, name, child in related:
            if (sentence[verb][2], name, sentence[child][2]) == ("drink", "nsubj", "child"):
                expected.update(sentence[at][2] for head, other, at in related if (head, other) == (verb, "obj"))
    tree = '[lemma="drink"] >"nsubj" [lemma="child"] >obj 1:[]'
    found = relation_collocations(index, tree, of="1", min_together=1, min_frequency=1)
    assert {row.value: row.together for row in found.rows} == dict(expected)
    assert found.rows == relation_collocations(index, tree, min_together=1, min_frequency=1).rows
    verbs = relation_collocations(index, '1:[] >obj [lemma="milk"]', min_together=1, min_frequency=1)
    assert verbs.size == found.size
    part = relation_collocations(
        index, tree, subcorpus=Subcorpus(index, 'year="2001"'), min_together=1, min_frequency=1
    )
    assert 0 < part.hits < found.hits


@pytest.mark.parametrize(
    ("query", "options", "message"),
    [
        ("eat bread", {"relation": "obj"}, "single token"),
        ("eat", {"relation": "obj", "of": "1"}, "name one of the two"),
        ("eat", {"relation": "!>obj"}, "no label"),
        ("[]", {"of": "1"}, "must be a tree"),
        ("[] > []", {}, "name a label"),
        ("1:[] > 2:[]", {"of": "3"}, "there are: 1, 2"),
        ("1:[] > [lemma = 1.lemma]", {}, "without further conditions"),
    ],
)
def test_what_can_not_be_counted(index: Index, query: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        relation_collocations(index, query, **options)  # type: ignore[arg-type]


def test_an_index_without_relations_says_so(tmp_path: Path) -> None:
    plain = make_index(tmp_path, [PlainDocument([PlainParagraph([[("a", "X", "a", "", False)]])])])
    with pytest.raises(UsageError, match="relation to its head"):
        relation_collocations(plain, "a", relation="obj")


def test_tokens_without_the_attribute_are_told(tmp_path: Path) -> None:
    """Where a tagger knows no lemmas, tokens don't count, unless all matches are there."""

    def document(verb: str, thing: str, tagger: str, lang: str) -> PlainDocument:
        tokens: list[Token] = [
            (verb, "VERB", verb, "", False, "", 0, "root"),
            (thing, "NOUN", thing, "", False, "", -1, "obj"),
        ]
        return PlainDocument([PlainParagraph([tokens], {"lang": lang, "tagger": tagger})], {"lang": lang})

    said = [("eat", "bread", "own", "en"), ("eat", "pain", "forms", "fr"), ("boire", "pain", "forms", "fr")]
    index = make_index(tmp_path, [document(*one) for one in said])
    options: dict[str, Any] = {"relation": "obj", "min_together": 1, "min_frequency": 1}
    found = relation_collocations(index, "eat", **options)
    assert [row.value for row in found.rows] == ["bread"]
    assert (found.hits, found.size) == (1, 1)
    assert found.notes() == ["lemma is missing for 4 of 6 tokens (fr); only the others are counted"]
    words = relation_collocations(index, "eat", "word", **options)
    assert ({row.value for row in words.rows}, words.size, words.notes()) == ({"bread", "pain"}, 3, [])
    there = relation_collocations(index, "boire", **options)
    assert ([row.value for row in there.rows], there.size) == (["pain"], 3)
    assert there.notes() == ["lemma is missing for 4 of 6 tokens (fr); all hits are there, so all tokens are counted"]
    french = relation_collocations(index, "eat", subcorpus=Subcorpus(index, 'lang="fr"'), **options)
    assert ([row.value for row in french.rows], french.size) == (["pain"], 2)
