"""Check that a table read from a file has the entries that it must have, before anything relies on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gristmill.errors import GristmillError

Shape = type | Mapping[Any, Any] | list[Any]
"""The required form of a value: a type, a list with the form of its items, or a table with the forms of its values.

In a table, `key?` may be missing, and the type `str` as a key stands for all other keys:
`{"name": str, "size?": int, "shards": [{"name": str}]}`.
"""

_WORDS: dict[type, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "a table",
    list: "a list",
}


def check_format(found: object, wanted: int, what: str, remedy: str) -> None:
    """Raise if a file or folder is of another format than the one that this version reads, and say what to do."""
    if found != wanted:
        said = f"has format {found}" if isinstance(found, int) else "has no format"
        raise GristmillError(
            f"{what} {said}, and this version of Gristmill reads format {wanted}: {remedy}, "
            "or use the version of Gristmill that made it"
        )


def misfit(value: Any, shape: Shape, name: str) -> str:
    """Say what is wrong with a value: `shards[2].name is missing`, `size is not a table`; empty if nothing is."""
    if isinstance(shape, Mapping):
        return _misfit_in_table(value, shape, name)
    if isinstance(shape, list):
        if not isinstance(value, list):
            return f"{name} is not a list"
        return next(
            filter(None, (misfit(item, shape[0], f"{name}[{number}]") for number, item in enumerate(value))), ""
        )
    if shape is Any or type(value) is shape or (shape is float and type(value) is int):
        return ""
    return f"{name} is not {_WORDS[shape]}"


def _misfit_in_table(value: Any, shape: Mapping[Any, Any], name: str) -> str:
    if not isinstance(value, dict):
        return f"{name} is not a table"
    named = {str(key).removesuffix("?"): part for key, part in shape.items() if key is not str}
    for key in named:
        if key not in value and f"{key}?" not in shape:
            return f"{name}.{key} is missing"
    parts = ((key, item, named.get(key, shape.get(str, Any))) for key, item in value.items())
    return next(filter(None, (misfit(item, part, f"{name}.{key}") for key, item, part in parts)), "")
