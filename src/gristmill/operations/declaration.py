"""What can be asked of a corpus or done to one: declared once, and all faces are made of it.

    @asked
    class FrequencyAsked:
        query: str = param("What to count: words, or CQL.", kw_only=False, kind="query")
        limit: int = param("How many rows; 0 for all.", default=50, minimum=0, short="-l")

    @operation(FrequencyAsked, room="search", group="search")
    def frequency(corpus: Corpus, asked: FrequencyAsked) -> Frequency:
        '''Count the hits of a query by a key.'''

This is the command `gristmill frequency CORPUS QUERY --limit`, the method `corpus.frequency(query, limit=...)` with
these types, `/api/{corpus}/frequency` with its schema, an entry in the reference, and a tool for assistants. A function
with a third argument `user` gets the name of who asks. What it raises as `GristmillError` is told to whoever asked.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
import sys
import types
import typing
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Concatenate, Generic, Literal, ParamSpec, Protocol, TypeVar, overload

from gristmill.parameters import Parameter, check, parameters

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")

Effect = Literal["reads", "writes", "fetches", "runs"]
"""What an operation does beside answering: nothing, change a corpus, get something from elsewhere, start programs."""
Role = Literal["reader", "annotator", "owner"]
"""Who may do what: a reader looks, an annotator judges blocks and duplicates, an owner changes the corpus."""
ROLES: tuple[Role, ...] = typing.get_args(Role)
Group = Literal["", "make", "get", "look", "search", "translate", "judge", "run", "watch"]
"""Where a command stands in `gristmill --help`; without a group there is no command.

`watch` is a command itself: those of its operations, `watch-add`, stand below it, `gristmill watch add`.
"""


@dataclass(frozen=True, slots=True)
class File:
    """An answer that is a file to be downloaded, or bytes to be shown."""

    data: bytes
    content_type: str
    name: str = ""
    """Under which name it is saved; empty if it is shown."""


class Account(Protocol):
    """An answer that is no table: lines for a reader, a record for programs. A table with lines is shown by them."""

    def lines(self) -> Iterable[str]:
        """Yield it line by line, for a terminal."""

    def to_json(self) -> dict[str, Any]:
        """Return it as one record."""


class Operation(Generic[P, R]):
    """A function from a corpus and its parameters to an answer. On `Corpus` it is a method with these parameters."""

    def __init__(
        self,
        asks: Callable[P, Any],
        function: Callable[..., R],
        *,
        room: str,
        name: str = "",
        group: Group = "",
        effect: Effect = "reads",
        role: Role | None = None,
        table: bool = False,
        needs_index: bool = True,
        tool: bool = False,
        needs_complete: bool = True,
        examples: tuple[str, ...] = (),
        content_types: tuple[str, ...] = (),
    ) -> None:
        self.asks = asks
        self.function = function
        self.name = name or function.__name__.replace("_", "-")
        self.room = room
        self.group = group
        self.effect = effect
        self.role: Role = role or ("reader" if effect == "reads" else "owner")
        self.is_table = table
        """Whether the answer is a `Table`, which can be had as CSV, too."""
        self.is_tool = tool
        """Whether assistants have it as a tool, if it only reads: they choose better among few."""
        self.needs_index = needs_index
        """Whether it looks into the index, which the command makes first if it is not up to date."""
        self.needs_complete = needs_complete
        """Whether the build must have come to its end; if it need not, the command gives the folder alone."""
        self.examples = examples
        """Commands, as a user would type them."""
        self.content_types = content_types
        """The media types of the files that it answers, if it does."""

    @property
    def about(self) -> str:
        """What it does, by its docstring."""
        return inspect.cleandoc(self.function.__doc__ or "")

    @property
    def summary(self) -> str:
        """What it does, in a line."""
        return self.about.partition("\n")[0]

    @property
    def command(self) -> str:
        """What follows `gristmill` on the command line."""
        return self.name.replace("-", " ", 1) if self.name.startswith(f"{self.group}-") else self.name

    @property
    def writes(self) -> bool:
        """Whether it changes anything; then the web asks it by POST, with a token against forgery."""
        return self.effect != "reads"

    @property
    def is_local(self) -> bool:
        """Whether something of this machine must be given or does the work, so that nobody can ask it over the web."""
        return self.is_work or any(parameter.required and parameter.is_local for parameter in self.parameters)

    @property
    def is_work(self) -> bool:
        """Whether it is work for which workers of this machine can be chosen."""
        return any(parameter.kind == "machine" for parameter in self.parameters)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What can be given."""
        return parameters(self.asks)

    @cached_property
    def answers(self) -> Any:
        """The type of its answer. What its module imports for type checkers only is imported to know it."""
        module = sys.modules[self.function.__module__]
        return typing.get_type_hints(self.function, localns=_imported_for_types(module))["return"]

    @property
    def takes_user(self) -> bool:
        """Whether it wants to know who asks."""
        return bool(self.function.__code__.co_argcount > 2)

    def __call__(self, corpus: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Ask it of a corpus."""
        return self.function(corpus, check(self.asks(*args, **kwargs)))

    def ask(self, corpus: Any, asked: Any, *more: Any, **objects: Any) -> R:
        """Ask with parameters that were read from a request, in which objects such as other corpora take their place.

        `more` is who asks, if the operation wants to know it.
        """
        return self.function(corpus, dataclasses.replace(asked, **objects) if objects else asked, *more)

    @overload
    def __get__(self, corpus: None, owner: type) -> Callable[Concatenate[Any, P], R]: ...
    @overload
    def __get__(self, corpus: object, owner: type) -> Callable[P, R]: ...
    def __get__(self, corpus: object | None, owner: type) -> Callable[..., R]:
        """Return the method of a corpus: it shows its parameters to notebooks and `help`."""
        if corpus is None:

            def method(*args: Any, **kwargs: Any) -> R:
                return self(*args, **kwargs)
        else:

            def method(*args: Any, **kwargs: Any) -> R:
                return self(corpus, *args, **kwargs)

        method.__name__ = method.__qualname__ = self.function.__name__
        method.__doc__ = self.documentation
        method.__signature__ = self.signature(bound=corpus is not None)  # type: ignore[attr-defined]
        return method

    @property
    def documentation(self) -> str:
        """The docstring of the method: what it does, and each parameter in a line."""
        lines = [f"    {item.name}: {item.about}" for item in self.parameters]
        return "\n".join([self.about, "", "Parameters:", *lines] if lines else [self.about])

    def signature(self, *, bound: bool) -> inspect.Signature:
        """The signature of the method."""
        asks = inspect.signature(self.asks)
        first = [] if bound else [inspect.Parameter("corpus", inspect.Parameter.POSITIONAL_ONLY)]
        answers = inspect.signature(self.function).return_annotation
        return asks.replace(parameters=[*first, *asks.parameters.values()], return_annotation=answers)


_FOR_TYPES = re.compile(r"^    from ([\w.]+) import (?:\(([^)]*)\)|(.+))$", re.MULTILINE)


def _imported_for_types(module: types.ModuleType) -> dict[str, Any]:
    """Import what a module imports under `if TYPE_CHECKING:`, by name."""
    block = inspect.getsource(module).partition("\nif TYPE_CHECKING:\n")[2].partition("\n\n\n")[0]
    found: dict[str, Any] = {}
    for home, several, names in _FOR_TYPES.findall(block):
        for name in filter(None, map(str.strip, (several or names).split(","))):
            original, _, called = name.partition(" as ")
            found[called or original] = getattr(importlib.import_module(home), original)
    return found


_OPERATIONS: dict[str, Operation[..., Any]] = {}


def operation(
    asks: Callable[P, C],
    *,
    room: str,
    name: str = "",
    group: Group = "",
    effect: Effect = "reads",
    role: Role | None = None,
    table: bool = False,
    needs_index: bool = True,
    tool: bool = False,
    needs_complete: bool = True,
    examples: tuple[str, ...] = (),
    content_types: tuple[str, ...] = (),
) -> Callable[[Callable[Concatenate[Any, C, ...], R]], Operation[P, R]]:
    """Declare an operation: a function `(corpus, asked) -> answer`, with the class of what is asked."""

    def declare(function: Callable[Concatenate[Any, C, ...], R]) -> Operation[P, R]:
        declared = Operation(
            asks,
            function,
            room=room,
            name=name,
            group=group,
            effect=effect,
            role=role,
            table=table,
            needs_index=needs_index,
            tool=tool,
            needs_complete=needs_complete,
            examples=examples,
            content_types=content_types,
        )
        _OPERATIONS[declared.name] = declared
        return declared

    return declare


def declared() -> dict[str, Operation[..., Any]]:
    """The operations of all modules that are imported, by name."""
    return dict(sorted(_OPERATIONS.items()))
