"""What can be asked of a corpus: operations, each a function from a corpus and typed parameters to JSON.

    @operation("frequency", room="search")
    def frequency(corpus: Corpus, asked: FrequencyAsked) -> dict[str, Any]:
        '''Count the hits of a query by a key.'''

The API has an address for each, `/api/{corpus}/frequency`, and the pages ask the same operations. They run in worker
processes, so they may take their time, and may be killed at any moment. What an operation raises as `GristmillError`
is told to whoever asked.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import typing
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from gristmill.pipeline import Corpus

F = TypeVar("F", bound=Callable[..., Any])

ROLES = ("reader", "annotator", "owner")
"""Who may do what: a reader looks, an annotator judges blocks and duplicates, an owner changes the corpus."""


@dataclass(frozen=True, slots=True)
class Operation:
    """A function that is asked over the web."""

    name: str
    room: str
    function: Callable[[Corpus, Any], Any]
    parameters: type
    role: str = "reader"
    writes: bool = False
    """Whether it changes anything; then it is asked by POST, with a token against forgery."""
    answers: Any = None
    """The type of its answer: of JSON, `File`, or both."""
    content_types: tuple[str, ...] = ()
    """The media types of the files that it answers."""

    @property
    def about(self) -> str:
        """What it does, by its docstring."""
        return inspect.cleandoc(self.function.__doc__ or "")


@dataclass(frozen=True, slots=True)
class File:
    """An answer that is a file to be downloaded, or bytes to be shown, instead of JSON."""

    data: bytes
    content_type: str
    name: str = ""
    """Under which name it is saved; empty if it is shown."""


_OPERATIONS: dict[str, Operation] = {}


def operation(
    name: str, *, room: str, role: str = "reader", writes: bool = False, content_types: tuple[str, ...] = ()
) -> Callable[[F], F]:
    """Register a function `(corpus, parameters) -> JSON` under a name.

    The types of its parameters and of its answer are in its signature; `content_types` are those of its files. A
    function that takes a third argument `user` gets the name of who asks.
    """

    def register(function: F) -> F:
        hints = typing.get_type_hints(function)
        parameters, answers = hints[list(inspect.signature(function).parameters)[1]], hints["return"]
        _OPERATIONS[name] = Operation(name, room, function, parameters, role, writes, answers, content_types)
        return function

    return register


@cache
def operations() -> dict[str, Operation]:
    """All operations by name: those of the modules in `gristmill.web.answers`."""
    import gristmill.web.answers as package  # noqa: PLC0415 (its modules import this one)

    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return dict(sorted(_OPERATIONS.items()))
