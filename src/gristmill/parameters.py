"""Parameters as typed dataclasses, declared once: checked, read from texts or JSON, written as addresses, described.

A class of parameters is what an operation asks for. Each field says what it is about, its default and its limits:

    @asked
    class SearchAsked:
        query: str = param("What to search for: words, or CQL.", kw_only=False)
        limit: int = param("How many lines.", default=50, minimum=1, short="-l")
        order: Literal["logdice", "mi"] = param("The measure to order by.", default="logdice")
        having: tuple[str, ...] = param("Queries that must match near a hit.", default=())
        sample: int | None = param("A random sample of so many hits.", default=None, minimum=1)

Python, the command line, the web app and assistants all get their side of it from here.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass
from typing import Any, Literal, TypeVar, dataclass_transform, overload
from urllib.parse import urlencode

from gristmill.errors import UsageError
from gristmill.registry import did_you_mean

T = TypeVar("T")
C = TypeVar("C")

MAX_TEXT_CHARACTERS = 4_000
MAX_VALUES = 1_000
"""Values of a parameter that may be given several times."""
_MAX_INTEGER = 2**53
_TRUE, _FALSE = frozenset({"1", "true", "on", "yes"}), frozenset({"", "0", "false", "off", "no"})
_JSON_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}
_METADATA = "parameter"

_Local = Literal["file", "lists", "owner", "path"]
Kind = Literal["", "query", "words", "condition", "regex", "attribute", "lang", "corpus", "names", "roles"] | _Local
"""What a text stands for. `query` is CQL, `words` are a question or words to look for. `corpus` is another corpus: an
object or a folder in Python, a folder for a command, a name for a server. `file` is a file of this machine, and `lists`
are files with lists of words, `NAME=FILE` for a command; what only the `owner` of this machine may say is text, such as
who gets mail: for these nobody can ask over the web. Settings have a `path` of this machine, as text, `names`, which a
command also takes from a file, and `roles` of blocks.
"""
_OBJECTS: frozenset[Kind] = frozenset({"corpus", "file", "lists"})
"""Kinds that may be other things than text in Python."""
_LOCAL: frozenset[Kind] = frozenset(typing.get_args(_Local))


@dataclass(frozen=True, slots=True)
class _Declared:
    """What `param` was told."""

    about: str
    minimum: float | None
    maximum: float | None
    choices: tuple[str, ...]
    max_characters: int
    max_values: int
    called: str
    example: Any
    kind: Kind
    short: str
    argument: bool
    suggested: tuple[str, ...]


@overload
def param(
    about: str = ...,
    *,
    default: T,
    kw_only: bool = ...,
    minimum: float | None = ...,
    maximum: float | None = ...,
    choices: Sequence[str] = ...,
    max_characters: int = ...,
    max_values: int = ...,
    name: str = ...,
    example: Any = ...,
    kind: Kind = ...,
    short: str = ...,
    argument: bool | None = ...,
    suggested: Sequence[str] = ...,
) -> T: ...
@overload
def param(
    about: str = ...,
    *,
    kw_only: bool = ...,
    minimum: float | None = ...,
    maximum: float | None = ...,
    choices: Sequence[str] = ...,
    max_characters: int = ...,
    max_values: int = ...,
    name: str = ...,
    example: Any = ...,
    kind: Kind = ...,
    short: str = ...,
    argument: bool | None = ...,
    suggested: Sequence[str] = ...,
) -> Any: ...
def param(
    about: str = "",
    *,
    default: Any = MISSING,
    kw_only: bool | None = None,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: Sequence[str] = (),
    max_characters: int = MAX_TEXT_CHARACTERS,
    max_values: int = MAX_VALUES,
    name: str = "",
    example: Any = None,
    kind: Kind = "",
    short: str = "",
    argument: bool | None = None,
    suggested: Sequence[str] = (),
) -> Any:
    """Declare a parameter: what it is about, its default and its limits; its type is the annotation of the field.

    Without a default it must be given. `name` is what requests call it, if that can't be the name of a field (`from`).
    With `kw_only=False` Python takes it by its place, and so does the command, unless `argument` is False. `short` is
    the short name of the command's option, `example` stands in the examples of the API. Forms and shells offer what is
    `suggested`, where other values are allowed, too.
    """
    declared = _Declared(
        about,
        minimum,
        maximum,
        tuple(choices),
        max_characters,
        max_values,
        name,
        example,
        kind,
        short,
        kw_only is False if argument is None else argument,
        tuple(suggested),
    )
    by_place: Any = MISSING if kw_only is None else kw_only  # as the class says
    return dataclasses.field(default=default, kw_only=by_place, metadata={_METADATA: declared})


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(param,))
def asked(cls: type[C]) -> type[C]:
    """Make a class of parameters."""
    return dataclass(frozen=True, kw_only=True)(cls)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter, as whoever asks sees it."""

    name: str
    """The name of the field, and of the argument in Python."""
    type: type
    """The type of its values: text, a number, yes or no."""
    default: Any
    optional: bool
    """Whether it may be None."""
    many: bool
    """Whether it may have several values."""
    choices: tuple[str, ...]
    declared: _Declared
    by_place: bool
    """Whether Python takes it by its place, too."""

    @property
    def called(self) -> str:
        """How requests call it."""
        return self.declared.called or self.name

    @property
    def about(self) -> str:
        """What it is about, in a sentence."""
        return self.declared.about

    @property
    def kind(self) -> Kind:
        """What its text stands for."""
        return self.declared.kind

    @property
    def is_local(self) -> bool:
        """Whether it is something of this machine, which nobody can ask for over the web."""
        return self.kind in _LOCAL

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is MISSING

    @property
    def missing(self) -> UsageError:
        """The error that it was not given."""
        return UsageError(f"the parameter {self.called} is missing: {self.about}")

    def check(self, value: Any) -> Any:
        """Check a value that Python code or TOML gave; texts are taken as they are. Returns it, as its type."""
        if value is None and (self.optional or value == self.default):
            return None
        if self.many and (isinstance(value, str) or not isinstance(value, Sequence)):
            raise UsageError(f"{self.called} must be a list of values, not {value!r:.100}")
        if self.kind in _OBJECTS:
            return value
        if self.many:
            return self.read(list(value))
        if self.type is not bool and isinstance(value, bool):
            raise UsageError(f"{self.called} must be {_WORDS[self.type]}, not {value!r}")
        if self.type is float and isinstance(value, int):
            return self._single(value)
        if not isinstance(value, self.type):
            raise UsageError(f"{self.called} must be {_WORDS[self.type]}, not {value!r:.100}")
        return self._within(value)

    def named(self, name: str) -> Parameter:
        """The same parameter with another name in messages."""
        return dataclasses.replace(self, declared=dataclasses.replace(self.declared, called=name))

    def read(self, given: Any) -> Any:
        """Make a value of what a request gives: texts or lists of texts, or the values of JSON."""
        values = list(given) if isinstance(given, list | tuple) else [given]
        if self.many:
            most = self.declared.max_values
            if len(values) > most:
                raise UsageError(f"{self.called}: at most {most:,} values are allowed, and there are {len(values):,}")
            return tuple(self._single(value) for value in values)
        if len(values) != 1:
            raise UsageError(f"{self.called} is given {len(values)} times, and it can have one value only")
        value = values[0]
        if self.optional and (value is None or (isinstance(value, str) and not value.strip())):
            return None
        if value == "" and self.type is not str and self.type is not bool:  # a field of a form that was left empty
            if self.required:
                raise self.missing
            return self.default
        return self._single(value)

    def _single(self, value: Any) -> Any:
        return self._within(_converted(self.type, self.called, value))

    def _within(self, value: Any) -> Any:
        """Check the limits of a value."""
        limits = self.declared
        if isinstance(value, str):
            if len(value) > limits.max_characters:
                raise UsageError(f"{self.called} is too long: at most {limits.max_characters:,} characters are allowed")
            if any("\ud800" <= character <= "\udfff" for character in value):
                raise UsageError(f"{self.called} has half of a character (a lone surrogate)")
            if self.choices and value not in self.choices:
                choices = ", ".join(choice or "empty" for choice in self.choices)
                raise UsageError(
                    f"{self.called} must be one of {choices}, not {value[:100]!r}{did_you_mean(value, self.choices)}"
                )
            return value
        if limits.minimum is not None and not value >= limits.minimum:
            raise UsageError(f"{self.called} must be at least {limits.minimum:,}, not {value:,}")
        if limits.maximum is not None and not value <= limits.maximum:
            raise UsageError(f"{self.called} must be at most {limits.maximum:,}, not {value:,}")
        if isinstance(value, float) and not math.isfinite(value):
            raise UsageError(f"{self.called} must be a finite number, not {value}")
        return value

    def schema(self) -> dict[str, Any]:
        """Describe its values by JSON Schema, but for null, which no query can say."""
        limits = self.declared
        found: dict[str, Any] = {"type": _JSON_TYPES[self.type]}
        if self.type is str:
            found |= {"enum": list(self.choices)} if self.choices else {"maxLength": limits.max_characters}
        elif self.type is not bool:
            found["minimum"] = -_MAX_INTEGER if limits.minimum is None else limits.minimum
            found["maximum"] = _MAX_INTEGER if limits.maximum is None else limits.maximum
        if self.many:
            found = {"type": "array", "items": found, "maxItems": limits.max_values}
        if not self.required and self.default is not None:
            found["default"] = list(self.default) if self.many else self.default
        return found


_WORDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def parameters(kind: Any) -> tuple[Parameter, ...]:
    """The parameters of a class, read from its annotations.

    Those that have a place come first, as they stand; then its own ones, and those that it takes over.
    """
    if kind not in _parameters:
        hints = typing.get_type_hints(kind)
        own = list(dict.fromkeys(name for base in kind.__mro__[:-1] for name in inspect.get_annotations(base)))
        items = sorted(dataclasses.fields(kind), key=lambda item: item.kw_only and 1 + own.index(item.name))
        _parameters[kind] = tuple(_parameter(item, hints[item.name]) for item in items)
    return _parameters[kind]


_parameters: dict[Any, tuple[Parameter, ...]] = {}


def _parameter(item: dataclasses.Field[Any], hint: Any) -> Parameter:
    parts = typing.get_args(hint)
    optional = typing.get_origin(hint) in {types.UnionType, typing.Union} and types.NoneType in parts
    many = typing.get_origin(hint) is tuple
    declared: _Declared = item.metadata.get(_METADATA) or _UNDECLARED
    if declared.kind in _OBJECTS:
        hint = str
    elif optional or many:
        hint = next(part for part in parts if part is not types.NoneType)
    choices = declared.choices
    if typing.get_origin(hint) is Literal:
        hint, choices = str, typing.get_args(hint)
    return Parameter(item.name, hint, item.default, optional, many, choices, declared, by_place=not item.kw_only)


_UNDECLARED = _Declared(
    "", None, None, (), MAX_TEXT_CHARACTERS, MAX_VALUES, "", None, "", "", argument=False, suggested=()
)


def check(asked: T) -> T:
    """Check the values of parameters that Python code gave; returns them."""
    for parameter in parameters(type(asked)):
        parameter.check(getattr(asked, parameter.name))
    return asked


def read(kind: Callable[..., T], given: Mapping[str, Any], **local: Any) -> T:
    """Make parameters of what a request gives: texts or lists of texts, or the values of JSON.

    `local` are things of this machine, by the names of their fields; no request can give them.
    Raises `UsageError` for a name that is not known, a value that is not of its type, or one beyond its limits.
    """
    known = {item.called: item for item in parameters(kind) if not item.is_local}
    for name in given:
        if name not in known:
            raise UsageError(f"there is no parameter {name[:100]!r}{did_you_mean(name[:100], known)}")
    values = {}
    for name, parameter in known.items():
        if name in given:
            values[parameter.name] = parameter.read(given[name])
        elif parameter.required:
            raise parameter.missing
    return kind(**values, **local)


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
        raise UsageError(f"{name} must be {_WORDS[of_type]}")
    try:
        number = float(value) if of_type is float else int(value) if not isinstance(value, float) else _whole(value)
    except ValueError:
        raise UsageError(f"{name} must be {_WORDS[of_type]}, not {value!r:.100}") from None
    except OverflowError:
        number = math.inf
    if not abs(number) <= _MAX_INTEGER:  # nor is it, if it is no number
        raise UsageError(f"{name} is too large")
    return number


def _whole(value: float) -> int:
    if not value.is_integer():
        raise ValueError(value)
    return int(value)


def to_query(asked: Any, of: Any = None, **changes: Any) -> str:
    """Write parameters as the query of an address, without those that have their defaults.

    `of` is another class of parameters, which has some of them, too. `changes` are other values for some of them; None
    is the default, where a parameter can't be None.
    """
    pairs: list[tuple[str, str]] = []
    for parameter in parameters(of or type(asked)):
        name = parameter.name
        value = changes[name] if name in changes else getattr(asked, name, parameter.default)
        if value == parameter.default or (value is None and not parameter.optional):
            continue
        texts = value if isinstance(value, tuple | list) else ["" if value is None else value]
        pairs += [(parameter.called, str(int(text) if isinstance(text, bool) else text)) for text in texts]
    return urlencode(pairs)


def to_record(asked: Any) -> dict[str, Any]:
    """Parameters as JSON: those that are not at their defaults, by the names that requests use."""
    found = {}
    for parameter in parameters(type(asked)):
        value = getattr(asked, parameter.name)
        if value != parameter.default:
            found[parameter.called] = (
                value if isinstance(value, str | int | float) or parameter.many else value and str(value)
            )
    return found


def schemas(shown: Sequence[Parameter]) -> list[dict[str, Any]]:
    """Describe the parameters of a query as OpenAPI does."""
    return [
        {
            "name": parameter.called,
            "in": "query",
            "description": parameter.about,
            "required": parameter.required,
            "schema": parameter.schema(),
            **({} if parameter.declared.example is None else {"example": parameter.declared.example}),
        }
        for parameter in shown
        if not parameter.is_local
    ]


def body_schema(given: Sequence[Parameter]) -> dict[str, Any]:
    """Describe parameters that are sent as a JSON object."""
    shown = [parameter for parameter in given if not parameter.is_local]
    required = [parameter.called for parameter in shown if parameter.required]
    properties = {}
    for parameter in shown:
        schema = parameter.schema()
        if parameter.optional:
            schema = {"anyOf": [schema, {"type": "null"}]}
        properties[parameter.called] = {"description": parameter.about, **schema}
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        **({"required": required} if required else {}),
    }
