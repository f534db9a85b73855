"""Conditions on attributes: what they mean, and errors that point at the place."""

from __future__ import annotations

import re
from contextlib import suppress

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.condition import Condition, matching
from gristmill.corpus import Selection
from gristmill.errors import UsageError

THING = {
    "host": "www.mill.example",
    "year": "2006",
    "lang": "en",
    "title": 'The "Mill"\\',
    "words": "0120",
    "empty": "",
    "date": "2006-05-01",
}


@pytest.mark.parametrize(
    "text",
    [
        'host="www.*"',
        "host='www.*'",
        'host="WWW.*"%c',
        'host="(?i)WWW.*"',
        'host!="www"',
        'host=="www.mill.example"',
        'host="WWW.MILL.EXAMPLE"%cl',
        'host="www.míll.example"%d',
        'host="WWW.MİLL.EXAMPLE"%ldc',
        'host!=="www.mill.e.ample"',
        'host!="www.*e.ample"%l',
        "year>=2005",
        'year > "999"',
        "words = 0120 & words <= 120.0 & words>119.5",
        'date >= "2006-05"',
        'date < "2006-06"',
        "lang=en",
        "!lang=de",
        "!!lang=en",
        'lang="en|de" & (year<2000 | year>2005)',
        "lang=de & year=1 | lang=en",
        'title=="The \\"Mill\\"\\\\"',
        'title="The .Mill.\\\\"',
        'empty=""',
        "!(empty<5) & !(empty>=5)",
        "!lang>en",
    ],
)
def test_what_holds(text: str) -> None:
    assert Condition.parse(text).holds(THING.__getitem__)
    assert not Condition.parse(f"!({text})").holds(THING.__getitem__)


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("host", "expected one of =", 4),
        ("host=", "expected a value, but the condition ends", 5),
        ('host="a', "opening quote without a closing one", 5),
        ("host=“a”", "write straight quotes", 5),
        ("host=www.mill", "needs quotes", 8),
        ('host="a" lang="b"', "expected '&', '|' or the end, but there is 'lang'", 9),
        ('host="a" &', "expected the name of an attribute", 10),
        ('(host="a"', "expected ')'", 9),
        ('host="(a"', "this is not a regular expression, missing )", 5),
        ('host="a)(b"', "this is not a regular expression, unexpected )", 5),
        ('host="\\Qa"', "this is not a regular expression", 5),
        ('host="(?=a)b"', "this regular expression has a look-ahead, (?=…), which can't be had", 5),
        ('host="(a{1000}){1000}"', "invalid repetition size", 5),
        ('host="a"%x', "expected %c (ignore case)", 8),
        ("year>5%c", "%c, %d and %l go with = and !=", 6),
        ("=5", "expected the name of an attribute", 0),
        ('host="\ud800"', "not valid Unicode", 5),
        ("(" * 100, "more than 40 brackets", 40),
    ],
)
def test_errors_point_at_the_place(text: str, message: str, place: int) -> None:
    with pytest.raises(UsageError) as caught:
        Condition.parse(text)
    told, _, mark = str(caught.value).split("\n")
    assert message in told
    assert mark.index("^") == place + 2


def test_an_unknown_attribute_is_pointed_at() -> None:
    condition = Condition.parse('lang="en" & hots="x"')
    assert condition.names() == {"lang", "hots"}
    with pytest.raises(UsageError, match="a document has no attribute 'hots'; did you mean 'host'") as caught:
        condition.check(THING, "a document")
    assert str(caught.value).endswith("\n  " + " " * 12 + "^")


def test_long_and_wide_texts_are_shown_around_the_place() -> None:
    with pytest.raises(UsageError) as caught:
        Condition.parse(f'host="{"x" * 500}" & & lang="{"y" * 500}"')
    _, shown, mark = str(caught.value).split("\n")
    assert len(shown) < 140
    assert shown[mark.index("^")] == "&"
    with pytest.raises(UsageError) as caught:
        Condition.parse('host="水車"\n&\t&')
    assert str(caught.value).endswith('host="水車" & &\n' + " " * 16 + "^")


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_condition_is_an_error(text: str) -> None:
    with pytest.raises(UsageError, match="the condition is empty"):
        Condition.parse(text)


def test_a_condition_can_be_too_long() -> None:
    with pytest.raises(UsageError, match="too long: it has 10,001 characters"):
        Condition.parse("!" * 9_996 + "a=b&c")
    assert Condition.parse("!" * 9_996 + "a=bc").holds(lambda _: "bc")


@given(
    st.text(alphabet=st.sampled_from([*"abyear\"'()&|!=<>%cl \\\n.*[]{}?^$1980", "≥", "\ud800"]), max_size=40)
    | st.text(max_size=40)
)
def test_any_text_is_a_condition_or_a_usage_error(text: str) -> None:
    with suppress(UsageError):
        assert isinstance(Condition.parse(text).holds(lambda _: "a"), bool)


@given(
    st.lists(st.text(alphabet="abB19.-", max_size=4)),
    st.sampled_from(["==", "<", "<=", ">", ">="]),
    st.text(alphabet="abB19.-", max_size=3),
)
def test_many_values_are_compared_as_one_is(values: list[str], sign: str, wanted: str) -> None:
    def number(text: str) -> float | None:
        return float(text) if re.fullmatch(r"-?\d+(\.\d+)?", text) else None

    def holds(value: str) -> bool:
        one, other = (number(value), number(wanted)) if sign != "==" and number(wanted) is not None else (value, wanted)
        return (
            one is not None
            and {"==": one == other, "<": one < other, "<=": one <= other, ">": one > other, ">=": one >= other}[sign]  # type: ignore[operator]
        )

    assert matching(pa.array(values, pa.string()), sign, wanted, ignore_case=False).tolist() == [
        holds(value) for value in values
    ]


@pytest.mark.parametrize("condition", ["year>=banana", 'words<"many"', 'lang="en" & year<"20O5"'])
def test_numbers_are_compared_with_numbers(condition: str) -> None:
    with pytest.raises(UsageError, match=r"is a number and '.*' is not, here:"):
        Selection(where=condition)
    assert Selection(where="date>='2005-03' & host<'n'").where
