"""What a de-duplication method is, and the registry of methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from gristmill.dedup.job import Job
from gristmill.registry import Registry, format_spec, parameters_of, parse_spec, parts_of, with_parameters
from gristmill.shards import Shard


class Method(Protocol):
    """A de-duplication method: a frozen dataclass whose fields are its parameters."""

    def check(self, job: Job) -> None:
        """Raise `UsageError` if the method can't do that with these means."""

    def run(self, job: Job) -> dict[str, int]:
        """Write `duplicates.parquet`, row-aligned with the documents, into every shard; returns what was counted.

        Settled shards of the job are compared with, and stay as they are.
        """


METHODS: Registry[type[Method]] = parts_of("de-duplication method")

T = TypeVar("T")


def parse(spec: str) -> Method:
    """The method that a line of text names, with parameters: `onion`, `onion:n=7,threshold=0.25`, `minhash:k=6`."""
    name, parameters = parse_spec(spec)
    return replace(METHODS[name](), name, parameters)


def run(spec: str, shards: Sequence[Shard], work: Path, workers: int = 1) -> dict[str, int]:
    """De-duplicate shards by the method that a line of text names; `work` is a folder for what is put aside."""
    return parse(spec).run(Job(tuple(shards), work, workers))


def replace(method: T, name: str, parameters: Mapping[str, str]) -> T:
    """The method with some parameters changed, which are given as text."""
    return with_parameters(method, f"the de-duplication method {name!r}", parameters)


def spec_of(name: str, method: Any) -> str:
    """The line of text that stands for a method and those of its parameters that are not as they are by default."""
    default = parameters_of(METHODS[name]())
    return format_spec(name, {key: value for key, value in parameters_of(method).items() if value != default[key]})
