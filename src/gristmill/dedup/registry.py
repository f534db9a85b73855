"""What a de-duplication method is, and where methods are filed."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from gristmill.dedup.job import Job
from gristmill.errors import UsageError
from gristmill.registry import Registry


class Method(Protocol):
    """A de-duplication method: a frozen dataclass whose fields are its parameters."""

    def check(self, job: Job) -> None:
        """Raise `UsageError` if the method can't do that with these means."""

    def run(self, job: Job) -> dict[str, int]:
        """Write `duplicates.parquet`, row-aligned with the documents, into every shard; returns what it has counted on the way."""


METHODS: Registry[type[Method]] = Registry("de-duplication method")

T = TypeVar("T")

_KINDS = {int: "a whole number", float: "a number", bool: "yes or no", str: "text"}


def parse(spec: str) -> Method:
    """The method that a line of text names, with parameters: `onion`, `onion:n=7,threshold=0.25`, `minhash:k=6,s=14,r=2`."""
    name, _, given = spec.partition(":")
    method = METHODS[name.strip()]()
    parameters = {}
    for item in filter(str.strip, given.split(",")):
        key, equals, value = item.partition("=")
        if not equals:
            raise UsageError(f"{spec!r}: {item.strip()!r} is not of the form parameter=value")
        parameters[key.strip()] = value.strip()
    return replace(method, name, parameters)


def run(spec: str, shards: Sequence[Path], work: Path, workers: int = 1) -> dict[str, int]:
    """De-duplicate shards by the method that a line of text names; `work` is a folder for what is put aside."""
    return parse(spec).run(Job(tuple(shards), work, workers))


def replace(method: T, name: str, parameters: dict[str, str]) -> T:
    """The method with some parameters changed, which are given as text."""
    known = {field.name: getattr(method, field.name) for field in dataclasses.fields(method)}  # type: ignore[arg-type]
    values = {}
    for key, text in parameters.items():
        if key not in known:
            raise UsageError(f"the de-duplication method {name!r} has no parameter {key!r} (it has: {', '.join(known) or 'none'})")
        values[key] = _value(text, known[key], f"{name}: {key}")
    return dataclasses.replace(method, **values)  # type: ignore[type-var]


def spec_of(name: str, method: Any) -> str:
    """The line of text that stands for a method and those of its parameters that are not as they are by default."""
    default = METHODS[name]()
    fields = [field.name for field in dataclasses.fields(method)]
    changed = [f"{key}={getattr(method, key)}" for key in fields if getattr(method, key) != getattr(default, key)]
    return f"{name}:{','.join(changed)}" if changed else name


def _value(text: str, default: Any, name: str) -> Any:
    try:
        if isinstance(default, bool):
            return {"true": True, "false": False, "yes": True, "no": False}[text.lower()]
        return type(default)(text)
    except (ValueError, KeyError):
        raise UsageError(f"{name} must be {_KINDS[type(default)]}, not {text!r}") from None
