"""Parameters of requests as typed dataclasses: read from the query of an address or from JSON, described by a schema.

A field is made by `param`, which says what it is about and within which limits it is:

    @dataclass(frozen=True, slots=True)
    class Asked:
        query: str = param("", "What to search for: words, or CQL.")
        lines: int = param(20, "Lines on a page.", minimum=1, maximum=500)
        order: str = param("logdice", "The measure to order by.", choices=("logdice", "mi"))
        having: tuple[str, ...] = param((), "Queries that must match near a hit.")
        sample: int | None = param(None, "A random sample of so many hits.", minimum=1)
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields
from functools import cache
from typing import Any, TypeVar
from urllib.parse import urlencode

from gristmill.errors import UsageError
from gristmill.registry import did_you_mean

T = TypeVar("T")

MAX_TEXT_CHARACTERS = 4_000
MAX_VALUES = 1_000
"""Values of a parameter that may be given several times."""
_MAX_INTEGER = 2**53
_TRUE, _FALSE = frozenset({"1", "true", "on", "yes"}), frozenset({"", "0", "false", "off", "no"})
_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}


def param(
    default: Any = MISSING,
    about: str = "",
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: Sequence[str] = (),
    max_characters: int = MAX_TEXT_CHARACTERS,
    max_values: int = MAX_VALUES,
    name: str = "",
    example: Any = None,
) -> Any:
    """Make a field of a class of parameters; without a default, a request must give it.

    `name` is what requests call it, if that can't be the name of a field: `with`, `from`. `example` stands in the
    examples of the API.
    """
    limits = {"about": about, "min": minimum, "max": maximum, "choices": tuple(choices), "characters": max_characters}
    limits |= {"values": max_values, "name": name, "example": example}
    return dataclasses.field(default=default, metadata=limits)


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _called(item: Field[Any]) -> str:
    """How requests call a field."""
    return item.metadata.get("name") or item.name


def _type_of(kind: type, item: Field[Any]) -> tuple[type, bool, bool]:
    """The type of the values of a field, whether it may be None, and whether it has many values."""
    hint = _hints(kind)[item.name]
    parts = typing.get_args(hint)
    if typing.get_origin(hint) is tuple:
        return parts[0], False, True
    if isinstance(hint, types.UnionType):
        return next(part for part in parts if part is not type(None)), True, False
    return hint, False, False


def read(kind: type[T], given: Mapping[str, Any]) -> T:
    """Make parameters of what a request gives: texts or lists of texts, or the values of JSON.

    Raises `UsageError` for a name that is not known, a value that is not of its type, or one beyond its limits.
    """
    known = {_called(item): item for item in fields(kind)}  # type: ignore[arg-type]
    for name in given:
        if name not in known:
            raise UsageError(f"there is no parameter {name[:100]!r}{did_you_mean(name[:100], known)}")
    values = {}
    for name, item in known.items():
        if name in given:
            values[item.name] = _value(kind, item, given[name])
        elif item.default is MISSING:
            raise _missing(item)
    return kind(**values)


def _missing(item: Field[Any]) -> UsageError:
    return UsageError(f"the parameter {_called(item)} is missing: {item.metadata['about']}")


def _value(kind: type, item: Field[Any], given: Any) -> Any:
    of_type, optional, many = _type_of(kind, item)
    values = list(given) if isinstance(given, list | tuple) else [given]
    if many:
        most = item.metadata["values"]
        if len(values) > most:
            raise UsageError(f"{_called(item)}: at most {most:,} values are allowed, and there are {len(values):,}")
        return tuple(_single(of_type, item, value) for value in values)
    if len(values) != 1:
        raise UsageError(f"{_called(item)} is given {len(values)} times, and it can have one value only")
    value = values[0]
    if optional and (value is None or value == ""):
        return None
    if value == "" and of_type is not str and of_type is not bool:  # a field of a form that was left empty
        if item.default is MISSING:
            raise _missing(item)
        return item.default
    return _single(of_type, item, value)


def _single(of_type: type, item: Field[Any], value: Any) -> Any:
    limits = item.metadata
    made: Any = _converted(of_type, _called(item), value)
    if isinstance(made, str):
        if len(made) > limits["characters"]:
            raise UsageError(f"{_called(item)} is too long: at most {limits['characters']:,} characters are allowed")
        if any("\ud800" <= character <= "\udfff" for character in made):
            raise UsageError(f"{_called(item)} has half of a character (a lone surrogate)")
        if limits["choices"] and made not in limits["choices"]:
            choices = ", ".join(choice or "empty" for choice in limits["choices"])
            raise UsageError(f"{_called(item)} must be one of {choices}, not {made[:100]!r}")
        return made
    if limits["min"] is not None and made < limits["min"]:
        raise UsageError(f"{_called(item)} must be at least {limits['min']:,}, not {made:,}")
    if limits["max"] is not None and made > limits["max"]:
        raise UsageError(f"{_called(item)} must be at most {limits['max']:,}, not {made:,}")
    return made


def _converted(of_type: type, name: str, value: Any) -> Any:
    if of_type is bool:
        text = str(value).lower() if isinstance(value, str | bool | int) else ""
        if isinstance(value, str | bool | int) and text in _TRUE | _FALSE:
            return text in _TRUE
        raise UsageError(f"{name} must be true or false")
    if of_type is str:
        if isinstance(value, str):
            return value
        raise UsageError(f"{name} must be text")
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise UsageError(f"{name} must be a {'whole ' if of_type is int else ''}number")
    try:
        number = float(value) if of_type is float else int(value) if not isinstance(value, float) else _whole(value)
    except ValueError:
        raise UsageError(f"{name} must be a {'whole ' if of_type is int else ''}number, not {value!r:.100}") from None
    except OverflowError:
        number = math.inf
    if not abs(number) <= _MAX_INTEGER:  # nor is it, if it is no number
        raise UsageError(f"{name} is too large")
    return number


def _whole(value: float) -> int:
    if not value.is_integer():
        raise ValueError(value)
    return int(value)


@cache
def _written(kind: type) -> tuple[tuple[str, str, Any, bool], ...]:
    """The fields of a class, as addresses need them: name, name in requests, default, whether it may be None."""
    items = fields(kind)
    return tuple((item.name, _called(item), item.default, _type_of(kind, item)[1]) for item in items)


def to_query(asked: Any, **changes: Any) -> str:
    """Write parameters as the query of an address, without those that have their defaults.

    `changes` are other values for some of them; None is the default, where a parameter can't be None.
    """
    pairs: list[tuple[str, str]] = []
    for name, called, default, optional in _written(type(asked)):  # type: ignore[arg-type]
        value = changes[name] if name in changes else getattr(asked, name)
        if value == default or (value is None and not optional):
            continue
        texts = value if isinstance(value, tuple | list) else ["" if value is None else value]
        pairs += [(called, str(int(text) if isinstance(text, bool) else text)) for text in texts]
    return urlencode(pairs)


def schemas(kind: type) -> list[dict[str, Any]]:
    """Describe the parameters of a query as OpenAPI does."""
    return [
        {
            "name": _called(item),
            "in": "query",
            "description": item.metadata["about"],
            "required": item.default is MISSING,
            "schema": _schema(kind, item),
            **_example(item),
        }
        for item in fields(kind)
    ]


def _example(item: Field[Any]) -> dict[str, Any]:
    example = item.metadata["example"]
    return {} if example is None else {"example": example}


def body_schema(kind: type) -> dict[str, Any]:
    """Describe parameters that are sent as a JSON object."""
    items = fields(kind)
    required = [_called(item) for item in items if item.default is MISSING]
    properties = {}
    for item in items:
        schema = _schema(kind, item)
        if _type_of(kind, item)[1]:
            schema = {"anyOf": [schema, {"type": "null"}]}
        properties[_called(item)] = {"description": item.metadata["about"], **schema}
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        **({"required": required} if required else {}),
    }


def _schema(kind: type, item: Field[Any]) -> dict[str, Any]:
    """Describe the values of a field, but for null, which no query can say."""
    of_type, _, many = _type_of(kind, item)
    limits = item.metadata
    found: dict[str, Any] = {"type": _TYPES[of_type]}
    if of_type is str:
        found |= {"enum": list(limits["choices"])} if limits["choices"] else {"maxLength": limits["characters"]}
    elif of_type is not bool:
        found["minimum"] = -_MAX_INTEGER if limits["min"] is None else limits["min"]
        found["maximum"] = _MAX_INTEGER if limits["max"] is None else limits["max"]
    if many:
        found = {"type": "array", "items": found, "maxItems": limits["values"]}
    if item.default is not MISSING and item.default is not None:
        found["default"] = list(item.default) if many else item.default
    return found
