"""Queries in CQL for what word lists, collocations and keywords count, so that each row leads to its lines."""

from __future__ import annotations

from gristmill.search.statistics.values import JOINT


def query_of_value(
    attribute: str, value: str, *, n: int = 1, ignore_case: bool = False, tag: str | None = None, within: str = ""
) -> str:
    """Write the query that finds a value of an attribute, or of several joined (`bread+NOUN` of `lemma+tag`).

    With `n`, the value is an n-gram, whose tokens have a space between them; it stays `within` a structure. `tag` is
    a regular expression for the tags of its tokens.
    """
    names = [name.strip() for name in attribute.split(JOINT)]
    tokens = value.split(" ") if n > 1 else [value]
    query = " ".join(_token(names, token, ignore_case, tag) for token in tokens)
    return f"{query} within <{within}/>" if within else query


def condition_on_label(label: str, attribute: str, value: str, *, ignore_case: bool = False) -> str:
    """Write the condition that a labelled token has a value of an attribute, or of several joined."""
    names = [name.strip() for name in attribute.split(JOINT)]
    return " & ".join(f"{label}.{one}" for one in _comparisons(names, value, ignore_case))


def quoted(value: str) -> str:
    """Write a value as CQL wants it after `==`."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _token(names: list[str], value: str, ignore_case: bool, tag: str | None) -> str:
    conditions = _comparisons(names, value, ignore_case)
    if tag:
        escaped = tag.replace('"', '\\"')
        conditions.append(f'tag="{escaped}"')
    return f"[{' & '.join(conditions)}]"


def _comparisons(names: list[str], value: str, ignore_case: bool) -> list[str]:
    """Write what a token with a value has, attribute by attribute."""
    values = value.rsplit(JOINT, len(names) - 1) if len(names) > 1 else [value]
    return [
        f"{name}=={quoted(one)}{'%c' if ignore_case and name in {'word', 'lemma'} else ''}"
        for name, one in zip(names, values, strict=False)
    ]
