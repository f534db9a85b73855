"""Parameters of requests: read from queries and JSON, written as queries, described; whatever is given, in words."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.errors import UsageError
from gristmill.parameters import MAX_VALUES, body_schema, param, parameters, read, schemas, to_query


@dataclass(frozen=True, slots=True)
class Asked:
    """One of each kind."""

    q: str = param(about="What to search for.", max_characters=50, example="bread")
    lines: int = param("Lines on a page.", default=20, minimum=1, maximum=500)
    share: float = param("At least so much.", default=0.5, minimum=0.0, maximum=1.0)
    order: str = param("By which measure.", default="logdice", choices=("logdice", "mi", ""))
    is_sorted: bool = param("Whether it is sorted.", default=False, name="sorted")
    having: tuple[str, ...] = param("What must be near.", default=())
    ids: tuple[int, ...] = param("Numbers of documents.", default=(), minimum=0)
    sample: int | None = param("A sample.", default=None, minimum=1)
    tokens: int | None = param("Tokens to each side.", default=5, minimum=0)


_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=50)
_NATURAL = st.integers(0, 2**53)
ASKED = st.builds(
    Asked,
    q=_TEXT,
    lines=st.integers(1, 500),
    share=st.floats(0, 1),
    order=st.sampled_from(["logdice", "mi", ""]),
    is_sorted=st.booleans(),
    having=st.lists(_TEXT, max_size=5).map(tuple),
    ids=st.lists(_NATURAL, max_size=5).map(tuple),
    sample=st.none() | st.integers(1, 2**53),
    tokens=st.none() | _NATURAL,
)


@given(asked=ASKED)
def test_what_is_written_as_a_query_is_read_again(asked: Asked) -> None:
    query = to_query(asked)
    assert read(Asked, parse_qs(query, keep_blank_values=True) | ({} if "q=" in query else {"q": ""})) == asked


@given(asked=ASKED, other=ASKED)
def test_changes_are_written_instead(asked: Asked, other: Asked) -> None:
    changed = replace(asked, lines=other.lines, having=other.having)
    assert to_query(asked, lines=other.lines, having=other.having) == to_query(changed)


@given(asked=ASKED)
def test_the_same_as_json(asked: Asked) -> None:
    sent = {name: getattr(asked, name) for name in Asked.__slots__}
    sent["sorted"] = sent.pop("is_sorted")
    assert read(Asked, json.loads(json.dumps(sent))) == asked


def test_defaults_are_not_written() -> None:
    assert to_query(Asked(q="bread", lines=20, having=("a b", "ü"))) == "q=bread&having=a+b&having=%C3%BC"
    assert to_query(Asked(q="bread", tokens=None)) == "q=bread&tokens="


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "the parameter q is missing: What to search for."),
        ({"q": "a", "lins": "3"}, "there is no parameter 'lins'; did you mean 'lines'?"),
        ({"q": "a", "is_sorted": "1"}, "there is no parameter 'is_sorted'; did you mean 'sorted'?"),
        ({"q": ["a", "b"]}, "q is given 2 times, and it can have one value only"),
        ({"q": []}, "q is given 0 times, and it can have one value only"),
        ({"q": 3}, "q must be text"),
        ({"q": None}, "q must be text"),
        ({"q": {"a": 1}}, "q must be text"),
        ({"q": "a" * 51}, "q is too long: at most 50 characters are allowed"),
        ({"q": "\ud800"}, "q has half of a character (a lone surrogate)"),
        ({"q": "a", "lines": "0"}, "lines must be at least 1, not 0"),
        ({"q": "a", "lines": 501}, "lines must be at most 500, not 501"),
        ({"q": "a", "lines": "1.5"}, "lines must be a whole number, not '1.5'"),
        ({"q": "a", "lines": 1.5}, "lines must be a whole number, not 1.5"),
        ({"q": "a", "lines": True}, "lines must be a whole number"),
        ({"q": "a", "lines": "9" * 4_000}, "lines is too large"),
        ({"q": "a", "lines": "9" * 5_000}, "lines must be a whole number, not '" + "9" * 99),
        ({"q": "a", "lines": 10**400}, "lines is too large"),
        ({"q": "a", "share": "nan"}, "share is too large"),
        ({"q": "a", "share": float("inf")}, "share is too large"),
        ({"q": "a", "share": 10**400}, "share is too large"),
        ({"q": "a", "share": "half"}, "share must be a number, not 'half'"),
        ({"q": "a", "order": "MI"}, "order must be one of logdice, mi, empty, not 'MI'"),
        ({"q": "a", "sorted": "perhaps"}, "sorted must be true or false"),
        ({"q": "a", "sorted": 0.0}, "sorted must be true or false"),
        ({"q": "a", "ids": ["1", "x"]}, "ids must be a whole number, not 'x'"),
        ({"q": "a", "having": "a" * 4_001}, "having is too long: at most 4,000 characters are allowed"),
        (
            {"q": "a", "having": ["b"] * (MAX_VALUES + 1)},
            "having: at most 1,000 values are allowed, and there are 1,001",
        ),
    ],
)
def test_what_is_wrong_is_said_in_words(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        read(Asked, given)
    assert str(raised.value) == message


@dataclass(frozen=True, slots=True)
class Place:
    """A number that must be given."""

    position: int = param(about="Where it is.", minimum=0)


def test_a_number_that_is_left_empty_is_missing() -> None:
    with pytest.raises(UsageError, match="the parameter position is missing: Where it is"):
        read(Place, {"position": ""})


def test_fields_of_forms_that_are_left_empty_have_their_defaults() -> None:
    asked = read(Asked, {"q": [""], "lines": [""], "share": "", "sample": "", "sorted": [""]})
    assert asked == Asked(q="")


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(given=st.dictionaries(st.sampled_from([*Asked.__slots__, "sorted", "x\ud800"]), _JSON, max_size=6))
def test_whatever_is_given_is_read_or_refused(given: dict[str, Any]) -> None:
    try:
        asked = read(Asked, given)
    except UsageError as error:
        assert json.dumps(str(error))  # noqa: PT017 (that it is raised is not the point)
    else:
        assert 1 <= asked.lines <= 500
        assert 0 <= asked.share <= 1


def test_parameters_are_described() -> None:
    found = {item["name"]: item for item in schemas(parameters(Asked))}
    assert found["q"] == {
        "name": "q",
        "in": "query",
        "description": "What to search for.",
        "required": True,
        "schema": {"type": "string", "maxLength": 50},
        "example": "bread",
    }
    assert found["sorted"]["schema"] == {"type": "boolean", "default": False}
    assert found["sample"]["schema"] == {"type": "integer", "minimum": 1, "maximum": 2**53}
    assert found["ids"]["schema"]["items"] == {"type": "integer", "minimum": 0, "maximum": 2**53}
    assert found["order"]["schema"] == {"type": "string", "enum": ["logdice", "mi", ""], "default": "logdice"}
    body = body_schema(parameters(Asked))
    assert body["required"] == ["q"]
    assert body["additionalProperties"] is False
    assert body["properties"]["sample"]["anyOf"][1] == {"type": "null"}
