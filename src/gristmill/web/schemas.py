"""Describe types by JSON Schema: what operations answer, as their return annotations say.

`TypedDict`s and dataclasses become components that the description names; `dict[str, Any]` is any object.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired, Required, Union

from gristmill.table import Table

Schema = dict[str, Any]

_PLAIN: dict[Any, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
}


def schema_of(hint: Any, components: dict[str, Schema]) -> Schema:
    """Describe a type; what has a name is put among the components, and referred to. What is not known is anything."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in {Annotated, NotRequired, Required}:
        return schema_of(parts[0], components)
    if origin in {Union, types.UnionType}:
        return {"anyOf": [schema_of(part, components) for part in parts]}
    if hint is dict or origin in {dict, Mapping}:
        rest = schema_of(parts[1], components) if parts else {}
        return {"type": "object", **({"additionalProperties": rest} if rest else {})}
    if hint in {list, tuple} or origin in {list, tuple, Sequence}:
        return _array(origin, parts, components)
    if typing.is_typeddict(hint) or (dataclasses.is_dataclass(hint) and isinstance(hint, type)):
        return _named(hint, components)
    return {"enum": list(parts)} if origin is Literal else dict(_PLAIN.get(hint, {}))


def schema_of_table(kind: type[Table], components: dict[str, Schema]) -> Schema:
    """Describe the JSON of a table: what was asked, what it says of itself, and rows with the values of its columns."""
    hints = typing.get_type_hints(kind)
    row = typing.get_args(hints.get("rows")) or (None,)
    fields = typing.get_type_hints(row[0]) if row[0] else {}
    values = {name: schema_of(hint, components) for name, hint in fields.items()}
    components[kind.__name__] = {
        "type": "object",
        "description": inspect.cleandoc(kind.__doc__ or ""),
        "properties": {
            "asked": {"type": "object", "description": "The parameters that were not at their defaults."},
            "heading": {"type": "string", "description": "What the rows are, in a line."},
            "notes": {"type": "array", "items": {"type": "string"}, "description": "What one should know of them."},
            "columns": {"type": "array", "items": {"type": "object"}, "description": "Name, heading and more of each."},
            "rows": {"type": "array", "items": {"type": "object", "properties": values}},
        },
    }
    return {"$ref": f"#/components/schemas/{kind.__name__}"}


def _array(origin: Any, parts: tuple[Any, ...], components: dict[str, Schema]) -> Schema:
    if origin is tuple and parts and parts[-1] is not Ellipsis:
        items = [schema_of(part, components) for part in parts]
        alike = all(item == items[0] for item in items)
        described = {"items": items[0]} if alike else {"prefixItems": items}
        return {"type": "array", **described, "minItems": len(items), "maxItems": len(items)}
    return {"type": "array", "items": schema_of(parts[0], components) if parts else {}}


def _named(kind: type, components: dict[str, Schema]) -> Schema:
    if hasattr(kind, "to_json"):  # an account, which says itself what of it is told
        return {"type": "object", "description": inspect.cleandoc(kind.__doc__ or "")}
    name = kind.__name__
    if name not in components:
        components[name] = {}  # so that a type that has members of its own kind comes to an end
        hints = typing.get_type_hints(kind, include_extras=True)
        required = [key for key, value in hints.items() if typing.get_origin(value) is not NotRequired]
        components[name] = {
            "type": "object",
            "description": inspect.cleandoc(kind.__doc__ or ""),
            "properties": {key: schema_of(value, components) for key, value in hints.items()},
            **({"required": required} if required else {}),
        }
    return {"$ref": f"#/components/schemas/{name}"}
