"""Labelled tokens in lines and keys, lists of words, and matching strategies: what users see of them."""

from __future__ import annotations

import tempfile
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gristmill.errors import UsageError
from gristmill.operations.searched import Ordered
from gristmill.search.concordance.concordance import Concordance
from gristmill.search.concordance.hints import why_nothing
from gristmill.search.concordance.labelled import pieces_of, with_labels_written
from gristmill.search.concordance.lines import Context, Line, lines_csv
from gristmill.search.cql import labels, listed
from gristmill.search.cql.matching import parse_with
from gristmill.search.cql.parsing import parse
from gristmill.search.index.index import Index
from gristmill.search.index.plain import PlainDocument, PlainParagraph, Token, make_index
from gristmill.search.wordlists import MAX_WORDS, WordLists, parse_list, parse_lists, read_words

QUERIES = (
    '1:"a" 2:[]',
    '1:"a" []{0,2} 2:"b"',
    '(1:"a" | 2:"b") 3:[]? "a"',
    "1:[] []{0,3} 2:[] & 1.lemma = 2.lemma",
    '(meet 1:"a" 2:"b" -2 2)',
    '(meet 1:"a" (meet 2:"b" 3:"A" s) -3 3)',
    'x:[word="a"] [word = x.word]',
    '@"a" b:[]{1,2} within <s/>',
)


def _token(word: str, glued: bool = False) -> Token:
    return word, "N" if word in "aA" else "V", word.lower(), "", glued


words = st.builds(_token, st.sampled_from(["a", "A", "b", "café", "c"]), st.booleans())
paragraphs = st.lists(
    st.builds(PlainParagraph, st.lists(st.lists(words, min_size=1, max_size=6), min_size=1, max_size=2)),
    min_size=1,
    max_size=2,
)
documents = st.lists(st.builds(PlainDocument, paragraphs), min_size=1, max_size=3)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """An index of three sentences, in a folder that has saved lists beside it."""
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "lists").mkdir()
    (folder / "lists" / "saved.txt").write_text("\ufeffb\n\n a \nb\n", "utf-8")
    texts = ["a b A c a", "café CAFÉ cafe a", "ı I i"]
    sentences = [[_token(word) for word in text.split()] for text in texts]
    return make_index(folder / "index", [PlainDocument([PlainParagraph(sentences)], {"lang": "en", "id": "d"})])


@settings(max_examples=25)
@given(documents, st.sampled_from(QUERIES), st.sampled_from([1, 3, 1 << 17]))
def test_labels_are_where_lines_say(texts: list[PlainDocument], query: str, together: int) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        patched.setattr(labels, "_MAX_HITS_AT_ONCE", together)
        patched.setattr(labels, "_MAX_STRETCH_TOKENS", together)
        found = Concordance.of(make_index(folder, texts), query)
        word = found.spans.index.attributes["word"]
        for one in (found, found.shuffle(3)):
            for context in (Context(), Context("sentence"), Context(tokens=1), Context(characters=3)):
                for line in one.lines(context=context):
                    shown = line.left + line.node + line.right
                    for label in line.labels.values():
                        assert label.word == word.lexicon[int(word.ids[label.position])]
                        assert label.at is None or shown[label.at :].startswith(label.word)
                        inside = label.position in range(line.position, line.position + len(line.node.split()))
                        assert not inside or label.at is not None
                    pieces = pieces_of(line)
                    assert [("".join(piece.text for piece in part)) for part in pieces] == [
                        line.left,
                        line.node,
                        line.right,
                    ]
                    marked = {name for part in pieces for piece in part for name in piece.labels}
                    assert marked == {name for name, label in line.labels.items() if label.at is not None}
                    assert Line.from_json(line.to_json()) == line


def test_labelled_tokens_meet_their_conditions(index: Index) -> None:
    found = Concordance.of(index, '1:[word="a"%c] []{0,3} 2:[word="a"%c] & 1.word != 2.word')
    lines = list(found)
    assert [(line.node, line.labels["1"].word, line.labels["2"].word) for line in lines] == [
        ("a b A", "a", "A"),
        ("A c a", "A", "a"),
    ]
    assert with_labels_written(lines[0]).node == "1:a b 2:A"
    assert with_labels_written(lines[0]).left == lines[0].left
    assert lines_csv(lines).splitlines()[1].endswith(",1=a 2=A")
    (beside,) = Concordance.of(index, '(meet 1:"c" 2:"b" -3 3)')
    assert (beside.node, with_labels_written(beside).left) == ("c", "a 2:b A ")
    assert Concordance.of(index, '1:"a" expand to s').spans.labels == []
    assert "labels" not in next(iter(Concordance.of(index, "a"))).to_json()


def test_keys_of_labels_count_and_sort(index: Index) -> None:
    found = Concordance.of(index, '1:[word="a"%c]? 2:[]')
    seen = Counter(line.labels["2"].word for line in found)
    assert {row.values[0]: row.count for row in found.frequency("2.word").rows} == seen
    without = sum("1" not in line.labels for line in found)
    assert {row.values[0]: row.count for row in found.frequency("1.lemma").rows}[""] == without
    order = [line.labels["2"].word for line in found.sort("2.word/case")]
    assert sum(one != other for one, other in pairwise(order)) == len(seen) - 1, "the same words come together"
    assert len(found.only("2.word", "b")) == seen["b"]
    first = Concordance.of(index, '"a" "b"').frequency("match.word,matchend.word").rows[0]
    assert first.values == ("a", "b")
    with pytest.raises(UsageError, match=r"no token of the query has the label '3' \(labels of the query: 1, 2\)"):
        found.sort("3.lemma")
    with pytest.raises(UsageError, match="there is no attribute"):
        found.sort("1.nothing")


def test_lists_of_words(index: Index) -> None:
    def count(query: str, **lists: list[str]) -> int:
        return len(Concordance.of(index, query, lists=lists))

    assert count("[word = $saved]") == 4
    assert count("[word != $saved]") == index.size - 4
    assert count("[word = $x]", x=["a", "zzz", "\ud800"]) == 3
    assert count("[word = $x]", x=[*map(str, range(1000)), "a", "\ud800"]) == 3
    assert count("[word = $x %c]", x=["A", "CAFé"]) == 6
    assert count("[word = $x %d]", x=["cafe"]) == 2
    assert count("[word = $x %cd]", x=["cafÉ"]) == 3
    assert count("[word = $x %c]", x=["I"]) == 2, "without a dot it is another letter"
    assert count("[word = RE($x)]", x=["[bc]", "caf.*"]) == 4
    assert count("[word = RE($x) %cd]", x=["[bc]", "CAF.*"]) == 5
    assert count('[word = $x] "b"', x=["a"]) == 1
    found = Concordance.of(index, "[lemma = $x]", lists={"x": ["b", "c"]})
    assert len(found.having("[lemma = $x]", 2)) == 2
    assert len(found.lacking("[lemma = $saved]", 1)) == 0
    for lists in ({"x": "ab"}, {"1": ["a"]}, {"x": [1]}):
        with pytest.raises(UsageError, match="list"):
            Concordance.of(index, "[word = $x]", lists=lists)  # type: ignore[arg-type]


def test_wrong_lists_are_refused_in_words(index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"no list \$savde; did you mean 'saved'\? \(there are: saved\)"):
        Concordance.of(index, "[word = $savde]")
    with pytest.raises(UsageError, match="is not a regular expression"):
        Concordance.of(index, "[word = RE($x)]", lists={"x": ["("]})
    monkeypatch.setattr(listed, "MAX_EXPRESSIONS", 2)
    with pytest.raises(UsageError, match="at most 2 can be expressions"):
        Concordance.of(index, "[word = RE($x)]", lists={"x": ["a", "b", "c"]})
    with pytest.raises(UsageError, match="2,000,001 words"):
        WordLists({"x": ["a"] * (MAX_WORDS + 1)})
    path = tmp_path / "words.txt"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="can't read the list of words"):
        read_words(path)
    monkeypatch.setattr("gristmill.search.wordlists.MAX_BYTES", 10)
    path.write_bytes(b"a\n" * 6)
    with pytest.raises(UsageError, match="is too long"):
        parse_list(f"x={path}")
    path.write_bytes(b"a\r\nb\n")
    assert parse_lists([f"x={path}"]) == {"x": ["a", "b"]}
    with pytest.raises(UsageError, match="given twice"):
        parse_lists([f"x={path}", f"x={path}"])
    for wrong in ("x", "=f", "1=f", f"x y={path}"):
        with pytest.raises(UsageError, match="NAME=FILE"):
            parse_list(wrong)


def test_a_request_has_a_strategy_and_lists(index: Index) -> None:
    def nodes(query: str, strategy: Any) -> list[str]:
        request = Ordered(query, strategy=strategy, lists={"x": ["a", "b"]})
        return [line.node for line in request.find(index)]

    assert nodes('[word = $x]+ "A"', "shortest") == ["b A"]
    assert nodes('[word = $x]+ "A"', "longest") == ["a b A"]
    assert nodes('(?longest) [word = $x]+ "A"', "longest") == ["a b A"]
    assert len(nodes('[word = $x]+ "A"', None)) == len(nodes('[word = $x]+ "A"', "all")) == 2
    with pytest.raises(UsageError, match="did you mean 'longest'"):
        parse_with("a", "long")
    with pytest.raises(UsageError, match="the query itself asks for the longest matches"):
        Ordered('(?longest) "a"', strategy="shortest").check_together()


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        ('(meet "a" "zz" -3 3)', 'No token has the word "zz"'),
        ('<s/> containing "zz"', 'No token has the word "zz"'),
        ('"a" [: word="zz" :]', 'No token has the word "zz"'),
        ('[_.word = "zz"]', 'No token has the word "zz"'),
        ('"a" within <doc lang="zz"/>', 'No <doc> has lang="zz".'),
        ('<doc_lang="zz"> []', 'No <doc> has lang="zz".'),
        ("[word = $none]", "No token has a word that is in the list $none."),
        ("$none", "a list of words is [lemma = $none]"),
        ('"zz" within !"a"', 'No token has the word "zz"'),
        ('"a" !containing "a"', "Every value of the query occurs"),
        ("1:[] 2:[] & f(1.word) > 100", "Every value of the query occurs"),
        ("[strlen(word) > 99]", "Every value of the query occurs"),
        ('[#99] | [lbound(s) & word = "zz"]', "Every value of the query occurs"),
        ('(?longest) (union "zz" "zy") cut 5 expand to s', 'No token has the word "zz"'),
    ],
)
def test_why_new_forms_find_nothing(index: Index, query: str, hint: str) -> None:
    lists = {"none": ["zz", "zy"]}
    assert hint in " ".join(why_nothing(Concordance.of(index, query, lists=lists)))
    elsewhere = Concordance.of(index, query, 'lang="en"', lists=lists)
    assert hint in " ".join(why_nothing(elsewhere))


def test_places_do_not_depend_on_how_they_are_found(index: Index) -> None:
    found = Concordance.of(index, '1:"a" 2:[] within <s/>')
    fixed = labels.Labelling(index, parse('1:"a" 2:[] within <s/>'), WordLists()).places(found.spans.hits)
    again = labels.Labelling(index, parse('(1:"a" 2:[]) within <s/>'), WordLists()).places(found.spans.hits)
    assert fixed.keys() == again.keys() == {"1", "2"}
    assert all(np.array_equal(fixed[name], again[name]) for name in fixed)
