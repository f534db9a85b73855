"""Word sketches from dependencies: counted is what a plain look at random trees counts, and what queries find."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from gristmill.errors import UsageError
from gristmill.search import Index, PlainDocument, PlainParagraph, find, make_index
from gristmill.search.index.plain import Token
from gristmill.search.sketches import extract
from gristmill.search.sketches.grammar import dependency_grammar, read_grammar
from gristmill.search.sketches.sketch import sketch
from gristmill.search.sketches.store import Sketches, open_sketches
from gristmill.search.sketches.thesaurus import thesaurus

WORDS = {
    "NOUN": ("bread", "mill", "flour"),
    "VERB": ("grind", "bake"),
    "ADJ": ("old", "fine"),
    "ADP": ("of", "in"),
    "AUX": ("be",),
    "ADV": ("well",),
}
RELATIONS = ("obj", "nsubj", "nsubj:pass", "amod", "conj", "obl", "nmod", "case", "cop", "advmod", "xcomp", "nmod:poss")
NOUNS = {"NOUN", "PROPN"}


class Word(NamedTuple):
    """A token: its place, the place of its head, and its relation."""

    lemma: str
    tag: str
    at: int
    head: int
    relation: str


def tree(rng: random.Random, size: int) -> list[Word]:
    """A sentence with a random tree."""
    heads, attached = {0: 0}, [0]
    for at in rng.sample(range(1, size), size - 1):
        heads[at] = rng.choice(attached)
        attached.append(at)
    words = []
    for at in range(size):
        tag = rng.choice(["NOUN", "NOUN", "VERB", "ADJ", "ADP", "ADP", "AUX", "ADV"])
        relation = "root" if at == 0 else "case" if tag == "ADP" else rng.choice(RELATIONS)
        words.append(Word(rng.choice(WORDS[tag]), tag, at, heads[at], relation))
    return words


def tokens(sentence: list[Word]) -> list[Token]:
    return [(word.lemma, word.tag, word.lemma, "", False, "", word.head - word.at, word.relation) for word in sentence]


@pytest.fixture(scope="module")
def sentences() -> list[list[Word]]:
    rng = random.Random(7)
    return [tree(rng, rng.choice([1, 4, 9, 14, 90])) for _ in range(250)]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory, sentences: list[list[Word]]) -> Index:
    documents = [
        PlainDocument(
            [PlainParagraph(list(map(tokens, sentences[at : at + 5])), {"kind": "p"})], {"lang": "en", "year": "2001"}
        )
        for at in range(0, len(sentences), 5)
    ]
    return make_index(tmp_path_factory.mktemp("corpus") / "index", documents)


@pytest.fixture(scope="module")
def sketches(index: Index) -> Iterator[Sketches]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(extract, "BLOCK_TOKENS", 500)
        yield open_sketches(index, index.folder.parent)


def near(*words: Word) -> bool:
    """Whether words are in a span of 60 tokens, which is as long as a pair may be."""
    places = [word.at for word in words]
    return max(places) - min(places) < 60


def counted(sentence: list[Word]) -> Iterator[tuple[str, str, str]]:
    """Pairs of some relations, told one by one: relation, head, collocate."""
    for word in sentence:
        head = sentence[word.head]
        top = sentence[head.head]
        if head is word or not near(word, head):
            continue
        if head.tag == "VERB" and word.tag in NOUNS and word.relation in {"obj", "nsubj:pass"}:
            yield "object", head.lemma, word.lemma
        elif head.tag in NOUNS and word.tag == "ADJ" and word.relation == "amod":
            yield "modifier", head.lemma, word.lemma
        elif (
            (word.relation, word.tag, head.tag) == ("case", "ADP", "NOUN")
            and head.relation in {"obl", "nmod", "nmod:poss"}
            and top.tag in {"NOUN", "VERB", "ADJ"}
            and near(word, head, top)
        ):
            yield f"pp_{word.lemma}", top.lemma, head.lemma


def test_counts_are_those_of_a_plain_look(sketches: Sketches, sentences: list[list[Word]]) -> None:
    expected = Counter(pair for sentence in sentences for pair in counted(sentence))
    found: Counter[tuple[str, str, str]] = Counter()
    for tag, lemmas in WORDS.items():
        for lemma in lemmas:
            if sketches.base.find(lemma, tag) < 0:
                continue
            for row in sketch(sketches, lemma, tag, min_count=1, limit=None).rows:
                if row.relation in {"object", "modifier", "pp_of", "pp_in"}:
                    found[row.relation, lemma, row.collocate] += row.count
    for key, count in expected.items():
        assert found[key] <= count, key
        if not key[0].startswith("pp_"):  # two prepositions of the same noun make one span
            assert found[key] == count, key
    assert set(found) == set(expected)


def test_counts_are_those_of_queries(sketches: Sketches, index: Index) -> None:
    seen = set()
    for lemma, tag in (("bake", "VERB"), ("mill", "NOUN"), ("old", "ADJ")):
        one = sketch(sketches, lemma, tag, min_count=1, limit=4)
        for relation in one.relations:
            found = len(find(index, one.query(relation.name)))  # pairs of three tokens can have a span in common
            assert found == relation.pairs if relation.name.count("_") < 2 else found <= relation.pairs, relation
            seen.add(relation.name)
        for row in one.rows:
            assert len(find(index, one.query(row.relation, row.collocate, row.tag))) == row.count, row
    assert {"object", "object_of", "subject", "modifier", "and_or", "pp_of", "pp_in_of", "predicate_noun"} <= seen


def test_queries_and_thesaurus_go_by_dependencies(sketches: Sketches, index: Index) -> None:
    assert sketches.source == "dependencies"
    assert sketch(sketches, "bake").facts()["source"] == "dependencies"
    heads = find(index, '[ws("bake-v", "object", "bread-n")]')
    pairs = find(index, '1:[lemma="bake" & tag="VERB"] >"obj|nsubj:pass" [lemma="bread" & tag="NOUN"] within 60')
    assert 0 < len(heads) <= len(pairs)
    assert thesaurus(sketches, "bread", "NOUN", min_shared=1, min_frequency=1).rows


def test_the_source_can_be_chosen(index: Index, tmp_path: Path) -> None:
    assert open_sketches(index, tmp_path, source="tags").source == "tags"
    with pytest.raises(UsageError, match="dependencies or by tags"):
        open_sketches(index, tmp_path, source="trees")
    plain = [("bread", "NOUN", "bread", "", False), ("bake", "VERB", "bake", "", False)]
    other = make_index(tmp_path / "index", [PlainDocument([PlainParagraph([plain])], {"lang": "en"})])
    assert open_sketches(other, tmp_path).source == "tags"
    for options in ({"source": "dependencies"}, {"grammar": dependency_grammar()}):
        with pytest.raises(UsageError, match="relation to its head"):
            open_sketches(other, tmp_path, **options)


def test_a_tree_is_a_pattern_by_itself(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text("[[relation]]\nname = 'x'\npatterns = ['1:[] >obj 2:[] []']\n")
    with pytest.raises(UsageError, match="a tree is a pattern by itself"):
        read_grammar(file)
