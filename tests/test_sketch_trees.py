"""Word sketches from dependencies: counted is what a plain look at random trees counts, and what queries find."""

from __future__ import annotations

import random
import re
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
RELATIONS = tuple(
    "obj nsubj nsubj:pass amod conj obl nmod case cop advmod xcomp nmod:poss iobj obl:arg obl:agent compound"
    " compound:prt acl acl:relcl ccomp nmod:gen".split()
)
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
    return [tree(rng, rng.choice([1, 4, 9, 14, 90])) for _ in range(500)]


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


Pair = tuple[str, str, str, str, str]
"""A relation, the lemma and tag of its head, and those of the collocate."""


NOUN, ANY = "NOUN|PROPN", ".*"
PLAIN = [  # name, tag of the head, relation, tag of the dependent, whether it may have a preposition
    ("object", "VERB", "obj(:.*)?|nsubj:pass", NOUN, True),
    ("indirect_object", "VERB", "iobj(:.*)?|obl:arg", NOUN, False),
    ("subject", "VERB", "nsubj|nsubj:outer|nsubj:caus|obl:agent", NOUN, True),
    ("modifier", NOUN, "amod(:.*)?", "ADJ", True),
    ("noun_modifier", NOUN, "compound|compound:nn|nmod:att", NOUN, True),
    ("and_or", NOUN, "conj(:.*)?", NOUN, True),
    *(("and_or", tag, "conj(:.*)?", tag, True) for tag in ("ADJ", "VERB", "ADV")),
    ("adverb", "VERB|ADJ|ADV", "advmod(:.*)?", "ADV", True),
    ("possessor", NOUN, "nmod:poss", NOUN, True),
    ("possessor", NOUN, "nmod|nmod:gen", NOUN, False),
    ("particle", "VERB", "compound:prt", ANY, True),
    ("infinitive", "VERB|ADJ|NOUN", "xcomp|acl", "VERB", True),
    ("complement_adjective", "VERB", "xcomp(:.*)?", "ADJ", True),
    ("clause", "VERB|ADJ|NOUN", "ccomp(:.*)?", "VERB", True),
]


def related(word: Word, head: Word, sentence: list[Word]) -> Iterator[tuple[str, Word, Word, list[Word]]]:
    """The relations of a sketch that a token makes with its head: name, head, collocate, what else is in the span."""
    below = [[other for other in sentence if other.head == one.at and other is not one] for one in (word, head)]
    cases = [other for other in below[0] if other.relation == "case"]
    for name, head_tag, relation, tag, with_case in PLAIN:
        tags = re.fullmatch(head_tag, head.tag) and re.fullmatch(tag, word.tag)
        if tags and re.fullmatch(relation, word.relation) and (with_case or not cases):
            yield name, head, word, []
            if name == "and_or":
                yield name, word, head, []
    main = word.relation.partition(":")[0]
    predicate = {"ADJ": "predicate_adjective", "NOUN": "predicate_noun"}.get(head.tag)
    if predicate and main == "nsubj" and word.tag in NOUNS:
        yield from ((predicate, word, head, [other]) for other in below[1] if other.relation == "cop")
    if main in {"obl", "nmod"} and word.tag in NOUNS and head.tag in {*NOUNS, "VERB", "ADJ"}:
        yield from ((f"pp_{case.lemma}", head, word, [case]) for case in cases if case.tag == "ADP")


def counted(sentences: list[list[Word]]) -> Counter[Pair]:
    """Look at each token and its head: how many different spans each pair has, of 60 tokens or fewer."""
    spans: set[tuple[Pair, int, int, int]] = set()
    for number, sentence in enumerate(sentences):
        for word in sentence:
            if word.head == word.at:
                continue
            for name, one, other, more in related(word, sentence[word.head], sentence):
                places = [each.at for each in (one, other, *more)]
                if max(places) - min(places) < 60:
                    pair = (name, one.lemma, one.tag, other.lemma, other.tag)
                    spans.add((pair, number, min(places), max(places)))
    return Counter(pair for pair, *_ in spans)


def test_counts_are_those_of_a_plain_look(sketches: Sketches, sentences: list[list[Word]]) -> None:
    """All relations of the grammar, from both sides."""
    expected = counted(sentences)
    relations = {pair[0] for pair in expected}
    found: Counter[Pair] = Counter()
    mirrored: Counter[str] = Counter()
    for tag, lemmas in WORDS.items():
        for lemma in lemmas:
            if sketches.base.find(lemma, tag) < 0:
                continue
            for row in sketch(sketches, lemma, tag, min_together=1, limit=None).rows:
                if row.relation in relations:
                    found[row.relation, lemma, tag, row.collocate, row.tag] += row.count
                else:
                    mirrored[row.relation] += row.count
    assert found == expected
    assert len(relations) == len(dependency_grammar().relations) - 1 + 2  # a pp for each of two prepositions
    total = Counter(pair[0] for pair in expected.elements())
    assert sum(mirrored.values()) == total.total() - total["and_or"]
    assert (mirrored["object_of"], mirrored["pp_of_of"]) == (total["object"], total["pp_of"])


def test_counts_are_those_of_queries(sketches: Sketches, index: Index) -> None:
    seen = set()
    for lemma, tag in (("bake", "VERB"), ("mill", "NOUN"), ("old", "ADJ")):
        one = sketch(sketches, lemma, tag, min_together=1, limit=4)
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
