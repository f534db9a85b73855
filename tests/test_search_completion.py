"""Completion: what can be typed at a place of a query or a condition."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

import gristmill
from gristmill.condition import Condition
from gristmill.errors import PlacedError, UsageError
from gristmill.search import Index
from gristmill.search.completion import complete_condition, complete_query
from gristmill.search.cql.parsing import parse
from gristmill.search.subcorpora import save_subcorpus
from gristmill.search.suggestions import Completion


@pytest.fixture(scope="module")
def index(indexed: gristmill.Corpus) -> Index:
    return indexed.index


def _labels(found: Completion) -> list[str]:
    return [item.label for item in found.items]


@pytest.mark.parametrize(
    ("text", "kind", "label"),
    [
        ("th", "word", "the"),
        ("of th", "word", "the"),
        ("[", "attribute", "lemma"),
        ("[le", "attribute", "lemma"),
        ('[word="the" & ta', "attribute", "tag"),
        ("[!(le", "attribute", "lemma"),
        ('[lemma="th', "value", "the"),
        ("[tag=NO", "value", "NOUN"),
        ("[tag!='NO", "value", "NOUN"),
        ('1:[lemma=="th', "value", "the"),
        ('"th', "value", "the"),
        ('<s> "th', "value", "the"),
        ("<", "structure", "doc"),
        ("</", "structure", "s"),
        ("[] within <d", "structure", "doc"),
        ("<doc ho", "attribute", "host"),
        ('"a" within <doc lang="e', "value", "en"),
        ('<p kind="', "value", "p"),
        ("[str", "attribute", "strlen(…)"),
        ("[f(le", "argument", "lemma"),
        ("[lbound(", "structure", "s"),
        ("[word = _.le", "attribute", "lemma"),
        ('"the"%', "flag", "%c ignore case"),
        ('[word="the"%c', "flag", "%d ignore diacritics"),
        ('"the" wi', "keyword", "within"),
        ('"the" within ', "structure", "<s/>"),
        ('"the" !within 2 d', "structure", "<doc/>"),
        ('"the" expand left to ', "structure", "words"),
        ("1:[] b:[] & ", "label", "b"),
        ("1:[] b:[] :: di", "label", "distabs(…)"),
        ("@[] b:[] & f(", "argument", "target"),
        ("1:[] b:[] & 1.le", "attribute", "lemma"),
        ("a:[] [lemma = a.", "attribute", "lemma"),
        ('1:[] 2:[] & 1.tag = "NO', "value", "NOUN"),
        ("(?lo", "strategy", "longest"),
    ],
)
def test_queries(index: Index, text: str, kind: str, label: str) -> None:
    found = complete_query(index, text)
    assert found.kind == kind
    assert label in _labels(found)


@pytest.mark.parametrize(
    "text", ["", " ", "th ", "w*", '[lemma="the"', '[lemma="the"]', '[word="t.h', '[nothing="t', "[1"]
)
def test_where_nothing_can_be_offered(index: Index, text: str) -> None:
    assert complete_query(index, text).items == []


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("", "lang"),
        ("la", "lang"),
        ('lang="e', "en"),
        ('lang="en" & ye', "year"),
        ("(!lang=e", "en"),
        ("year>=20", "2024"),
    ],
)
def test_conditions(index: Index, text: str, label: str) -> None:
    assert label in _labels(complete_condition(index, text))


def test_the_most_frequent_come_first_with_their_counts(index: Index) -> None:
    words = index.attributes["word"]
    counts = [item.count for item in complete_query(index, "s", limit=30).items]
    expected = sorted(
        (int(words.counts[number]) for number, word in enumerate(words.lexicon.array.to_pylist()) if word[:1] in "sS"),
        reverse=True,
    )
    assert counts == expected[:30]


def test_what_is_inserted_can_be_searched(index: Index) -> None:
    for text, attribute in (
        ('[word="', "word"),
        ("[word=", "word"),
        ('"', "word"),
        ("[tag='", "tag"),
        ('[lemma=="', "lemma"),
    ):
        for item in complete_query(index, text, limit=100).items:
            found = complete_query(index, text, limit=100)
            query = text[: found.start] + item.insert + ("]" if "[" in text else "")
            hits = gristmill.search.Concordance.of(index, query)
            assert len(hits) == item.count, (query, attribute)


def test_in_the_middle_of_a_value_the_rest_is_replaced(index: Index) -> None:
    text = '[lemma="mi" & tag="NOUN"]'
    found = complete_query(index, text, at=10)
    made = [text[: found.start] + item.insert + text[found.end :] for item in found.items]
    assert '[lemma="mill" & tag="NOUN"]' in made
    inner = complete_query(index, text, at=9)
    assert (
        text[: inner.start] + inner.items[0].insert + text[inner.end :]
        == f'[lemma="{inner.items[0].label}" & tag="NOUN"]'
    )


def test_names_of_lists(indexed: gristmill.Corpus, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    shutil.copytree(indexed.folder, folder)
    (folder / "lists").mkdir()
    (folder / "lists" / "food.txt").write_text("bread\n")
    (folder / "lists" / "not a name.txt").write_text("bread\n")
    index = gristmill.Corpus(folder).index
    assert _labels(complete_query(index, "[lemma = $")) == ["food"]
    assert _labels(complete_query(index, '"a" $f')) == ["food"]
    assert complete_query(index, '[lemma = "$').items == []


def test_hostile_text_is_completed_at_once(index: Index) -> None:
    for piece in ("&", "f(", "a.", "[", '"', "1:", "within ", "%", "$", "(?", "f(,", "& a", "\\"):
        complete_query(index, '"a" ' + piece * (9_990 // len(piece)))


def test_names_of_subcorpora(indexed: gristmill.Corpus, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    shutil.copytree(indexed.folder, folder)
    save_subcorpus(folder, "english", 'lang="en"')
    save_subcorpus(folder, "new", "year>=2022")
    index = gristmill.Corpus(folder).index
    assert _labels(complete_condition(index, "@")) == ["english", "new"]
    assert _labels(complete_condition(index, "year>=2020 & @en")) == ["english"]


def test_whatever_is_typed_is_no_error(index: Index) -> None:
    chance = random.Random(1)
    pieces = [*"[]<>\"'&|()!=@{}*?.,:%/\\ ", "lemma", "doc", "lang", "the", "==", "</", "1:", "é", "\ud800", "😀"]
    for _ in range(3000):
        text = "".join(chance.choices(pieces, k=chance.randrange(12)))
        at = chance.randrange(-1, len(text) + 3)
        for complete in (complete_query, complete_condition):
            found = complete(index, text, at)
            assert 0 <= found.start <= found.end <= len(text)


@pytest.mark.parametrize(
    ("query", "at", "problem"),
    [
        ('[lemma="go" & ]', 14, "expected the name of an attribute, but there is ']' (a condition looks like"),
        ('"a" {2} "b', 8, "the query has an opening quote without a closing one"),
        ('"a" [', 5, "expected the name of an attribute"),
        ('[word="("]', 6, "this is not a regular expression"),
    ],
)
def test_errors_know_their_place(query: str, at: int, problem: str) -> None:
    with pytest.raises(PlacedError) as caught:
        parse(query)
    assert (caught.value.at, caught.value.text) == (at, query)
    assert caught.value.problem.startswith(problem)
    assert str(caught.value).splitlines()[-1].strip() == "^"


def test_errors_of_conditions_know_their_place(index: Index) -> None:
    with pytest.raises(PlacedError) as caught:
        gristmill.search.Subcorpus(index, 'lang="en" & yaer=2020')
    assert caught.value.at == 12
    with pytest.raises(UsageError):
        Condition.parse("")
