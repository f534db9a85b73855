"""Matching against a scan over tokens, and what is special about some queries."""

from __future__ import annotations

import itertools
import tempfile
from contextlib import AbstractContextManager
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scanning import (
    ANY,
    Pattern,
    PlainCorpus,
    alternatives,
    closing,
    opening,
    related,
    repeated,
    scan,
    sequence,
    to_docs,
    to_index,
    token,
    whole,
    word,
)
from scanning_conditions import Doc, regex_rule
from scanning_queries import Query, check_answer, corpora, limits, queries

from gristmill import Corpus
from gristmill.errors import UsageError
from gristmill.search import hits
from gristmill.search.cql import bounds, compounds, selecting
from gristmill.search.cql.matching import find
from gristmill.search.hits import Hits
from gristmill.search.index.index import Index
from gristmill.search.index.plain import PlainDocument, PlainParagraph, make_index
from gristmill.search.subcorpus import Subcorpus


@settings(max_examples=50)
@given(corpora(), st.lists(queries(), min_size=5, max_size=10), limits())
def test_every_answer_is_that_of_a_scan(
    corpus: PlainCorpus, asked: list[Query], limited: AbstractContextManager[None]
) -> None:
    docs = to_docs(corpus)
    with tempfile.TemporaryDirectory() as folder, limited:
        index = to_index(folder, corpus)
        for query in asked:
            check_answer(index, docs, query)


def test_repetitions_are_limited_as_documented(tmp_path: Path) -> None:
    corpus: PlainCorpus = [([([[("a", "a", "a")] * 150], "a")], "a", "7")]
    docs, index = to_docs(corpus), to_index(tmp_path, corpus)
    a = word("a")
    hundred, many, exactly = ("+", 1, 100), ("{101,}", 101, 101), ("{120}", 120, 120)
    for pattern in (repeated(a, hundred), repeated(a, many), repeated(a, exactly), repeated(sequence([a, a]), hundred)):
        assert find(index, pattern.text).spans() == scan(pattern, docs), pattern.text
    assert len(find(index, '("a"+){2}')) == len(find(index, '"a"{2,200}'))


def regex(name: str, value: str, sign: str = "=", flags: str = "") -> Pattern:
    return token(regex_rule(name, sign, value, flags))


THE, OF, NOUN, VERB = word("the"), word("of"), regex("tag", "NOUN"), regex("tag", "VERB|AUX")
SENTENCES, HEADINGS = whole("s", None), whole("p", regex_rule("kind", "=", "h", ""))
IN_ENGLISH = whole("doc", regex_rule("lang", "=", "en", ""))
GAP = ("{0,4}", 0, 4)
ON_THE_SAMPLE = [
    THE,
    regex("word", "THE", flags="%c"),
    regex("word", ".*ing"),
    regex("tag", "NOUN", "!="),
    sequence([regex("lemma", "be"), regex("tag", "ADP")]),
    sequence([regex("tag", "ADJ"), NOUN]),
    sequence([repeated(regex("tag", "DET"), ("?", 0, 1)), repeated(regex("tag", "ADJ"), ("*", 0, 100)), NOUN]),
    related(sequence([THE, repeated(ANY, GAP), OF]), "within", SENTENCES),
    related(sequence([VERB, repeated(ANY, GAP), regex("word", "[.?!]")]), "!within", SENTENCES),
    related(SENTENCES, "containing", sequence([NOUN, OF, NOUN])),
    related(related(NOUN, "within", HEADINGS), "within", IN_ENGLISH),
    sequence([opening("s", None), regex("lemma", "the|a"), repeated(ANY, ("{0,2}", 0, 2)), VERB]),
    sequence([NOUN, regex("tag", "PUNCT"), closing("p", None)]),
    alternatives([sequence([NOUN, OF, NOUN]), sequence([NOUN, NOUN]), THE]),
    repeated(alternatives([NOUN, sequence([NOUN, OF])]), ("{2,}", 2, 100)),
    repeated(SENTENCES, ("+", 1, 100)),
    sequence([repeated(SENTENCES, ("*", 0, 100)), THE]),
]


@pytest.fixture(scope="module")
def sample_index(indexed: Corpus) -> Index:
    return indexed.index


@pytest.fixture(scope="module")
def sample_docs(sample_index: Index) -> list[Doc]:
    names = list(sample_index.attributes)
    columns = [attribute.lexicon.strings(attribute.ids) for attribute in sample_index.attributes.values()]
    tokens = [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]
    docs = [
        Doc(tokens[start:end], {}, first=start)
        for start, end in itertools.pairwise(sample_index.structures["doc"].bounds.tolist())
    ]
    for name, structure in sample_index.structures.items():
        attributes = {key: found.lexicon.strings(found.ids) for key, found in structure.attributes.items()}
        documents = sample_index.structures["doc"].number_at(structure.starts).tolist()
        for number, (start, end) in enumerate(itertools.pairwise(structure.bounds.tolist())):
            shift = int(sample_index.structures["doc"].starts[documents[number]])
            own = {key: values[number] for key, values in attributes.items()}
            docs[documents[number]].structures.setdefault(name, []).append((start - shift, end - shift, own))
    return docs


@pytest.mark.parametrize("pattern", ON_THE_SAMPLE, ids=lambda pattern: pattern.text)
def test_answers_on_the_sample_are_those_of_a_scan(
    sample_index: Index, sample_docs: list[Doc], pattern: Pattern
) -> None:
    found = find(sample_index, pattern.text).spans()
    assert found
    assert found == scan(pattern, sample_docs)


def tokens_of(text: str) -> list[tuple[str, str, str, str, bool]]:
    lemmas = {"goes": "go", "went": "go", "mills": "mill"}
    return [
        (word, "VERB" if lemmas.get(word.lower()) == "go" else "X", lemmas.get(word.lower(), word.lower()), "", False)
        for word in text.split()
    ]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    uk = [
        PlainParagraph([tokens_of("Go to the mill ."), tokens_of("She goes to sleep .")], {"kind": "p"}),
        PlainParagraph([tokens_of("We do n't go")], {"kind": "h"}),
    ]
    de = [PlainParagraph([tokens_of("go go to")], {"kind": "p"})]
    return make_index(
        tmp_path_factory.mktemp("index"),
        [
            PlainDocument(uk, {"host": "a.example.uk", "year": "2004", "lang": "en"}),
            PlainDocument(de, {"host": "b.example", "year": "2012", "lang": "de"}),
        ],
    )


@pytest.mark.parametrize(
    ("query", "spans"),
    [
        ("go to", [(0, 2), (6, 8), (15, 17)]),
        ("GOES", [(6, 7)]),
        ("don't go", [(11, 14)]),
        ('"go"', [(13, 14), (14, 15), (15, 16)]),
        ('"go"%c', [(0, 1), (13, 14), (14, 15), (15, 16)]),
        ('[word="(?i)GO" & lemma=="go"]', [(0, 1), (13, 14), (14, 15), (15, 16)]),
        ('"."%l', [(4, 5), (9, 10)]),
        ('<s> [lemma="go"]', [(0, 1), (14, 15)]),
        ('[lemma="go"] </s>', [(13, 14)]),
        ('"to" within <doc host=".*\\.uk" & year<2010/>', [(1, 2), (7, 8)]),
        ('"to" !within <doc host=".*\\.uk"/>', [(16, 17)]),
        ('<p kind="h"/>', [(10, 14)]),
        ('<s/> containing [lemma="go"]{2}', [(14, 17)]),
        ('"go"* "to"', [(1, 2), (7, 8), (14, 17), (15, 17), (16, 17)]),
        ("1:[] 2:[] & 1.word = 2.word", [(14, 16)]),
        ('"nowhere"', []),
        ('[tag="VERB"]{3,}', []),
        ('"go" []{0,5} "go"', [(14, 16)]),
    ],
)
def test_answers(index: Index, query: str, spans: list[tuple[int, int]]) -> None:
    assert find(index, query).spans() == spans


@pytest.mark.parametrize(
    ("query", "message", "place"),
    [
        ('[lema="go"]', "did you mean 'lemma'?", 1),
        ('"a" within <sent/>', "there is no structure 'sent'", 12),
        ('"a" within <doc hots="x"/>', "did you mean 'host'?", 16),
        ('<p host="x"> []', "<p> has no attribute 'host'", 3),
        ('1:"a" 2:"b" & 1.word = 2.wrod', "did you mean 'word'?", 23),
    ],
)
def test_errors_that_need_the_index_point_at_the_place(index: Index, query: str, message: str, place: int) -> None:
    with pytest.raises(UsageError) as caught:
        find(index, query)
    told, shown, mark = str(caught.value).split("\n")
    assert message in told
    assert shown == f"  {query}"
    assert mark.index("^") == place + 2


def test_a_subcorpus_is_searched(index: Index) -> None:
    assert find(index, "go", Subcorpus(index, "year>=2010")).spans() == [(14, 15), (15, 16)]


def test_hits_of_single_tokens_are_not_copied(index: Index) -> None:
    found = find(index, '[lemma="go"]')
    assert found.single
    assert np.shares_memory(found[:2]._starts, index.attributes["lemma"].inverted)
    assert found.starts.dtype == found.ends.dtype == np.int64


def test_hits_are_sorted_and_distinct() -> None:
    found = Hits.of(np.array([5, 1, 5, 1]), np.array([6, 9, 6, 2]))
    assert found.spans() == [(1, 2), (1, 9), (5, 6)]
    assert found[np.array([True, False, True])].spans() == [(1, 2), (5, 6)]
    assert Hits.union([found, Hits.none(), Hits(np.array([0, 5]))]).spans() == [(0, 1), (1, 2), (1, 9), (5, 6)]


@pytest.mark.parametrize(
    "query", ["[]", "[]*", '"to" []*', "[] []", '[tag!="Y"] [tag!="Z"]', '[word!="q" | lemma!="q"]']
)
def test_too_many_hits_are_an_error(index: Index, query: str) -> None:
    with (
        patch.object(hits, "MAX_SPANS", 8),
        patch.object(selecting, "BLOCK_TOKENS", 4),
        pytest.raises(UsageError, match="more than 8 matches"),
    ):
        find(index, query)


def test_too_many_steps_are_an_error(index: Index) -> None:
    with patch.object(bounds, "MAX_STEPS", 20_000), pytest.raises(UsageError, match="takes too long"):
        find(index, '"to" ([]{0,3} "to"?){0,9}')


def test_comparing_what_was_reached_counts_and_is_not_done_where_there_is_one_way(index: Index) -> None:
    with patch.object(compounds, "_STEPS_PER_SORTED_PAIR", bounds.MAX_STEPS):
        assert find(index, "<s/>+").spans() == [(0, 5), (0, 10), (0, 14), (5, 10), (5, 14), (10, 14), (14, 17)]
        assert find(index, '"the" "mill" "." <s/>*').spans() == [(2, 5), (2, 10), (2, 14)]
        assert find(index, '<s/>* "We"').spans() == [(0, 11), (5, 11), (10, 11)]
        with pytest.raises(UsageError, match="takes too long"):
            find(index, '("go" | "go" "to")+')


def test_what_leads_nowhere_is_not_gone_on_with(index: Index) -> None:
    with patch.object(bounds, "MAX_STEPS", 20_000):
        assert len(find(index, '("to" | "to" "go"){5000}')) == 0


def test_an_empty_index_has_no_hits(tmp_path: Path) -> None:
    empty = make_index(tmp_path, [])
    for query in ('"a"', "a b", "[] <s> []* within <s/>", "<doc/>", "1:[] & 1.word = 1.lemma"):
        assert find(empty, query).spans() == []
    with pytest.raises(UsageError, match="no attribute 'x'"):
        find(empty, '[x="a"]')
    with pytest.raises(UsageError, match="no attribute 'x'"):
        find(empty, "1:[] 2:[] & 1.word = 2.x")


@pytest.mark.parametrize("regex", ["(a*)*b", "(a|aa)+$", "(a|a?)+", "((a{30}){30})", ".*.*.*.*.*=.*", "(x+x+)+y"])
def test_no_regular_expression_takes_long(tmp_path: Path, regex: str) -> None:
    long = make_index(tmp_path, [PlainDocument([PlainParagraph([[("a" * 100_000, "X", "x" * 100_000, "", False)]])])])
    assert len(find(long, f'[word="{regex}" | lemma="{regex}"]')) <= 1
