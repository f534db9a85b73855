"""Quick reading of option values that need no casting.

Typer casts values with pydantic, and importing that takes as long as importing NumPy: a third of the time of a small
search.
"""

from __future__ import annotations

from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_type_hints

from gristmill.arguments import check_local

_PLAIN = (str, int, float, bool)


def cast_quickly(command: Any) -> None:
    """Replace Typer's casting in a command, or in all commands of a group, where it would change nothing."""
    for inner in getattr(command, "commands", {}).values():
        cast_quickly(inner)
    kinds = get_type_hints(command.callback) if command.callback else {}
    for parameter in command.params:
        parameter.process_value = _Quick(parameter, kinds.get(parameter.name))
    help_option = command.get_help_option

    def quick_help_option(context: Any) -> Any:
        option = help_option(context)
        if option is not None and not isinstance(option.process_value, _Quick):
            option.process_value = _Quick(option, bool)
        return option

    command.get_help_option = quick_help_option


class _Quick:
    """A stand-in for the `process_value` of a parameter, which it calls only if there is something to cast."""

    def __init__(self, parameter: Any, kind: Any) -> None:
        self._parameter = parameter
        self._kinds = [
            part for part in (get_args(kind) if NoneType in get_args(kind) else [kind]) if part is not NoneType
        ]
        self._is_local = any(part in {Path, list[Path]} for part in self._kinds)
        self._name = parameter.opts[0] if parameter.opts[0].startswith("-") else parameter.metavar or parameter.name
        self._slowly = parameter.process_value

    def __call__(self, context: Any, value: Any) -> Any:
        parameter = self._parameter
        if self._is_local:
            for given in value if isinstance(value, list | tuple) else [value]:
                if isinstance(given, str):  # a default is a path already
                    check_local(given, self._name)
        if value is None and not parameter.required:
            cast: Any = () if parameter.multiple or parameter.nargs == -1 else None
        elif len(self._kinds) == 1 and (cast := _cast(value, self._kinds[0])) is not None:
            pass
        else:
            return self._slowly(context, value)
        return cast if parameter.callback is None else parameter.callback(context, parameter, cast)


def _cast(value: Any, kind: Any) -> Any:
    """Cast a value if that is trivial; None if Typer has to do it."""
    if kind in _PLAIN and type(value) is kind:
        return value
    if kind is Path and isinstance(value, str):
        return Path(value)
    return list(value) if kind == list[str] and value and isinstance(value, list | tuple) else None
