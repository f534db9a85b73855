"""Queries in quotes that are not those of CQL: which they are, and what was perhaps meant."""

from __future__ import annotations

import pytest

from gristmill.search.cql.parsing import parse
from gristmill.search.cql.query import Words
from gristmill.search.cql.quotes import in_other_quotes


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("'go'", '"go"'),
        (" 'go'  'to' ", '"go"  "to"'),
        ("'go to'", '"go" "to"'),
        ("“go” „to“", '"go" "to"'),
        ("«aller» ‹à›", '"aller" "à"'),
        ("'go.*'%c ('to'|'for')+", ""),  # what follows a bracket is not read
        ("('go.*'%c|'went')", '("go.*"%c|"went")'),
        ("'go'?", '"go"?'),
    ],
)
def test_what_stands_in_other_quotes(query: str, meant: str) -> None:
    assert in_other_quotes(query) == meant
    assert parse(query).node == Words(query)


@pytest.mark.parametrize(
    "query",
    ["don't", "'tis", "rock 'n' roll", "the 'go'", "''", "' '", "()", "'go", "rock'n'roll", "dogs' dinner"],
)
def test_what_are_words(query: str) -> None:
    assert in_other_quotes(query) == ""
    assert parse(query).node == Words(query)
