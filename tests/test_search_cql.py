"""The parser of CQL: what it reads, and errors that point at the place."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.condition import AllOf, Always, AnyOf, Comparison, Negation
from gristmill.errors import UsageError
from gristmill.search.cql.parsing import parse
from gristmill.search.cql.query import (
    Alternatives,
    Boundary,
    Constrained,
    Node,
    Relation,
    Repeat,
    Sequence,
    Token,
    Whole,
    Words,
)
from gristmill.search.cql.terms import Compared, Value


def word(value: str) -> Comparison:
    return Comparison("word", "=", value)


A, B, C = (Token(word(value)) for value in "abc")
ANY = Token(Always())
S = Whole("s", Always())


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("go to", Words("go to")),
        ("don't (go)", Words("don't (go)")),
        ('"a"', A),
        ("[word='a']", A),
        ('[word="a"]', A),
        ('"a"%c', Token(Comparison("word", "=", "a", ignore_case=True))),
        ('[lemma=="a.b"%c]', Token(Comparison("lemma", "==", "a.b", ignore_case=True))),
        ('[word!="a"]', Token(Negation(word("a")))),
        ('[word="a" & !word="b" | word="c"]', Token(AnyOf((AllOf((word("a"), Negation(word("b")))), word("c"))))),
        ('"a" [] "b"', Sequence((A, ANY, B))),
        ('("a" "b") "c"', Sequence((A, B, C))),
        ('"a" []{0,3}"b"', Sequence((A, Repeat(ANY, 0, 3), B))),
        ('"a"? "b"* "c"+', Sequence((Repeat(A, 0, 1), Repeat(B, 0, 100), Repeat(C, 1, 100)))),
        ('"a"{2} "b"{2,} "c"{,2}', Sequence((Repeat(A, 2, 2), Repeat(B, 2, 100), Repeat(C, 0, 2)))),
        ('"a"{120,}', Repeat(A, 120, 120)),
        ('("a"+)*', Repeat(A, 0, 10_000)),
        ('("a"{2})*', Repeat(Repeat(A, 2, 2), 0, 100)),
        ('("a" "b")+', Repeat(Sequence((A, B)), 1, 100)),
        ('"a" | "b"', Token(AnyOf((word("a"), word("b"))))),
        ('"a" "b" | "c"', Alternatives((Sequence((A, B)), C))),
        ('"a" within <s/>', Relation(A, "within", S, negated=False)),
        ('"a" | "b" "c" within <s/>', Relation(Alternatives((A, Sequence((B, C)))), "within", S, negated=False)),
        (
            '"a" !within <s/> containing "b"',
            Relation(Relation(A, "within", S, negated=True), "containing", B, negated=False),
        ),
        (
            '"a" not containing ("b" within <s/>)',
            Relation(A, "containing", Relation(B, "within", S, negated=False), negated=True),
        ),
        ('<s> "a" </s>', Sequence((Boundary("s", Always(), closing=False), A, Boundary("s", Always(), closing=True)))),
        ("<doc year>=2005/>", Whole("doc", Comparison("year", ">=", "2005"))),
        ('<doc year>2005> "a"', Sequence((Boundary("doc", Comparison("year", ">", "2005"), closing=False), A))),
        ('<p kind="h" & dup<0.5/>', Whole("p", AllOf((Comparison("kind", "=", "h"), Comparison("dup", "<", "0.5"))))),
        ('1:"a" 2:[]', Sequence((Token(word("a"), "1"), Token(Always(), "2")))),
    ],
)
def test_queries(text: str, node: Node) -> None:
    assert parse(text).node == node


def test_conditions_on_labelled_tokens() -> None:
    query = parse("1:[] 2:[] & 1.word != 2.lemma")
    assert query.node == Constrained(
        Sequence((Token(Always(), "1"), Token(Always(), "2"))),
        Compared(Value("1", "word"), "=", Value("2", "lemma"), negated=True),
    )
    assert query.labels == ["1", "2"]


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ('say "go"', 'in CQL a word is written in quotes: "say"', 0),
        ('"go" to', 'in CQL a word is written in quotes: "to"', 5),
        ('[word="a"', "expected ']', but the query ends", 9),
        ('[word="a" "b"]', "expected ']', but there is '\"b\"'", 10),
        ("[word]", "expected one of =", 5),
        ('["a"]', "expected the name of an attribute", 1),
        ('"a" within', "expected a token, but the query ends", 10),
        ('"a" within <s>', "whole sentences are <s/>", 11),
        ('"a" ! "b"', "expected 'within' or 'containing'", 6),
        ("<s>", "this can match no token", 0),
        ("[]{0}", "this can match no token", 0),
        ('"a"{3,1}', "at least 3 and at most 1", 3),
        ('"a"{', "repetitions are written {2}", 4),
        ('"a"{1,2', "expected '}'", 7),
        ('"a"{1.5}', "whole number", 4),
        ('"a"{-1}', "whole number", 4),
        ('"a"{9999999}', "whole number", 4),
        ('(<s> | "a"){51}', "wanted 50 times at most", 0),
        ('"a" | ', "expected a token, but the query ends", 6),
        ('("a"', "expected ')', but the query ends", 4),
        ('"a")', "or the end, but there is ')'", 3),
        ('"a', "opening quote without a closing one", 0),
        ('< "a"', "expected the name of a structure", 2),
        ('<s "a"', "expected the name of an attribute", 3),
        ('</s/> "a"', "expected '>', but there is '/>'", 3),
        ('"a" 5', "a number here is the label", 5),
        ('1:"a" 1:"b"', "two tokens with the label 1", 6),
        ('1:"a" & 2.word = 1.word', "no token with the label 2", 8),
        ("(" * 60 + '"', "more than 40 brackets", 40),
        ('"[a"', "this is not a regular expression", 0),
    ],
)
def test_errors_point_at_the_place(text: str, message: str, place: int) -> None:
    with pytest.raises(UsageError) as caught:
        parse(text)
    told, _, mark = str(caught.value).split("\n")
    assert message in told
    assert mark.index("^") == place + 2


@pytest.mark.parametrize("text", ["", " \t"])
def test_an_empty_query_is_an_error(text: str) -> None:
    with pytest.raises(UsageError, match="the query is empty"):
        parse(text)


@pytest.mark.parametrize("text", ["a " * 6_000, '"a" ' * 3_000])
def test_a_query_can_be_too_long(text: str) -> None:
    with pytest.raises(UsageError, match="too long: it has 12,000 characters"):
        parse(text)


@given(
    st.lists(
        st.sampled_from(
            (
                '"a" [ ] ( ) { } < > </ /> s word lemma = != == & | ! within containing not ? * + {2} {1,} , 1 : . '
                "1.word %c ' \" \\ ü"
            ).split(" ")
        )
    ).map(" ".join)
)
def test_any_signs_are_a_query_or_a_usage_error(text: str) -> None:
    with suppress(UsageError):
        assert parse(text).node.longest > 0


@given(st.text() | st.text().map('"{}"'.format) | st.text().map("[{}".format))
def test_any_text_is_a_query_or_a_usage_error(text: str) -> None:
    with suppress(UsageError):
        assert parse(text).node.longest > 0
