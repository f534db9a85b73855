"""Registries: parts such as cleaning methods, filters and formats by name, with their parameters in one syntax."""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import functools
import importlib
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FrameType
from typing import Any, Generic, TypeVar

from gristmill.errors import UsageError

T = TypeVar("T")
ENTRY_POINTS = "gristmill.plugins"
"""The group of entry points by which installed packages name modules that register parts."""


def did_you_mean(name: str, known: Iterable[str], prefix: str = "") -> str:
    """The end of a message about an unknown name: the known name that is most like it, if there is one."""
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {prefix + close[0]!r}?" if close else ""


class Registry(Generic[T]):
    """Parts of one kind by name, in the order in which they were registered.

    `homes` maps names of parts to the modules that register them: these are imported when the part is first used.
    """

    def __init__(self, kind: str, homes: Mapping[str, str] | None = None) -> None:
        self.kind = kind
        self._homes = dict(homes or {})
        self._parts: dict[str, T] = {}
        self._owners: dict[str, str] = {}
        self._modules: dict[str, str] = {}
        _registries.append(self)

    def register(self, name: str) -> Callable[[T], T]:
        """Make a decorator that registers its function or class under `name`."""

        def file(part: T) -> T:
            if name in self._parts or (name in self._homes and part.__module__ != self._homes[name]):
                raise ValueError(f"two {self.kind}s named {name!r}")
            self._parts[name] = part
            self._modules[name] = _registering_module()
            if _loading and self._modules[name] != _OWN:  # a plugin that imports our own parts does not own them
                self._owners[name] = _loading[-1]
            return part

        return file

    def owner(self, name: str) -> str:
        """The plugin that registered a part; empty if none did, or the part is not known."""
        return self._owners.get(name, "")

    def package(self, name: str) -> str:
        """The installed package that a part is of, with its version; empty if it is of none."""
        if name not in self or self._modules.get(name, _OWN) == _OWN:  # the first asks for what is installed
            return ""
        return _packages().get(self._modules[name].partition(".")[0], "")

    def check_for_workers(self, name: str) -> None:
        """Raise if a part is registered in this process alone, where worker processes don't find it."""
        module = self._modules.get(name, _OWN)
        if module == _OWN or self.owner(name) or self.package(name):
            return
        place = "this script or notebook" if module == "__main__" else f"the module {module}"
        raise UsageError(
            f"the {self.kind} {name!r} is registered by {place} alone, so worker processes don't know it: make it a "
            f"plugin, by putting it into a file of its own that is loaded with gristmill.load_plugin('my_parts.py') or "
            f"--plugin my_parts.py; or do all work in this process, with engine=gristmill.engine.InlineEngine()"
        )

    def forget(self, owner: str) -> None:
        """Remove the parts of a plugin."""
        for name in [name for name, other in self._owners.items() if other == owner]:
            del self._parts[name], self._owners[name], self._modules[name]

    def __contains__(self, name: object) -> bool:
        """Whether there is a part of that name, here or in an installed package."""
        if name not in self._parts and name not in self._homes:
            load_installed()
        return name in self._parts or name in self._homes

    def __getitem__(self, name: str) -> T:
        """The part of that name; the error for a wrong name lists the right ones."""
        if name not in self:
            raise UsageError(
                f"there is no {self.kind} {name!r}{did_you_mean(name, self)} (there are: {', '.join(self)})"
            )
        if name not in self._parts:
            importlib.import_module(self._homes[name])
        return self._parts[name]

    def __iter__(self) -> Iterator[str]:
        """The names of all parts."""
        return iter(dict.fromkeys([*self._homes, *self._parts]))

    def items(self) -> Iterator[tuple[str, T]]:
        """The names and the parts."""
        return ((name, self[name]) for name in self)


_OWN = "gristmill"


def _registering_module() -> str:
    """The module whose code registers a part just now: the first caller outside of this package.

    A part of the package itself is registered when Python imports its module, so there the import is the caller.
    """
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 (there is no other way to know)
    while frame and str(frame.f_globals.get("__name__")).partition(".")[0] == _OWN:
        frame = frame.f_back
    module = str(frame.f_globals.get("__name__")) if frame else _OWN
    return _OWN if module.partition(".")[0] == "importlib" else module


@functools.cache
def _packages() -> dict[str, str]:
    """The names and versions of installed packages with parts, by the top-level modules that these are in."""
    import importlib.metadata  # noqa: PLC0415 (most commands need none)

    return {
        entry.module.partition(".")[0]: f"{entry.dist.name} {entry.dist.version}"
        for entry in importlib.metadata.entry_points(group=ENTRY_POINTS)
        if entry.dist
    }


_registries: list[Registry[Any]] = []
_loading: list[str] = []
"""The plugins that are being loaded, the innermost last."""


@contextlib.contextmanager
def owned_by(plugin: str) -> Iterator[None]:
    """Attribute parts that are registered meanwhile to a plugin, in place of its former ones; none if it fails."""
    forget_plugin(plugin)
    _loading.append(plugin)
    try:
        yield
    except BaseException:
        forget_plugin(plugin)
        raise
    finally:
        _loading.pop()


def forget_plugin(plugin: str) -> None:
    """Remove all parts of a plugin from all registries."""
    for registry in _registries:
        registry.forget(plugin)


def is_installed(package: str) -> bool:
    """Whether a package with parts is installed."""
    return any(found.partition(" ")[0] == package for found in _packages().values())


@functools.cache
def load_installed() -> None:
    """Import the modules that installed packages name as entry points: whoever installed them wants that."""
    import importlib.metadata  # noqa: PLC0415 (most commands need none)

    for entry in importlib.metadata.entry_points(group=ENTRY_POINTS):
        try:
            entry.load()
        except Exception as error:
            package = entry.dist.name if entry.dist else entry.value
            raise UsageError(
                f"the plugin {entry.name!r} of the package {package} can't be loaded: {type(error).__name__}: {error}"
            ) from error


_KINDS = {int: "a whole number", float: "a number", bool: "yes or no", str: "text", tuple: "a list"}
_YES_OR_NO = {"true": True, "false": False, "yes": True, "no": False}


def parse_spec(spec: str) -> tuple[str, dict[str, str]]:
    """Split a line of text such as `onion:n=7,threshold=0.25` into the name and the parameters.

    Text between commas without an equals sign, or with a slash before it, belongs to the value before it, so values may
    be lists: `content-type:types=text/html,text/plain`, `site-diff:reference=http://a.example,http://b.example/?id=7`.
    """
    name, _, given = spec.partition(":")
    parameters: dict[str, str] = {}
    key = ""
    for item in filter(str.strip, given.split(",")):
        before, equals, value = item.partition("=")
        if equals and not (key and "/" in before):
            key = before.strip()
            if key in parameters:
                raise UsageError(f"{spec!r}: {key} is given twice")
            parameters[key] = value.strip()
        elif key:
            parameters[key] += f",{item.rstrip()}"
        else:
            raise UsageError(f"{spec!r}: {item.strip()!r} is not of the form parameter=value")
    return name.strip(), parameters


def split_specs(specs: str) -> list[str]:
    """Split a list of parts with commas between them, of which each may have parameters.

    What has an equals sign and no name before it is one more parameter: `justext:length_low=7,length_high=20,bte`
    are the parts `justext:length_low=7,length_high=20` and `bte`.
    """
    found: list[str] = []
    for item in filter(None, map(str.strip, specs.split(","))):
        before, equals, _ = item.partition("=")
        if equals and ":" not in before and found:
            found[-1] += f",{item}"
        else:
            found.append(item)
    return found


def format_spec(name: str, parameters: Mapping[str, Any]) -> str:
    """Write a name and its parameters as a line of text, which `parse_spec` reads."""
    given = ",".join(f"{key}={_text(value)}" for key, value in parameters.items())
    return f"{name}:{given}" if given else name


def parameters_of(part: Any) -> dict[str, Any]:
    """The parameters of a part, which are the fields of its dataclass, and their values."""
    return {field.name: getattr(part, field.name) for field in dataclasses.fields(part)}


_SHARE = {"share": True}


def a_share(default: float) -> float:
    """Declare a parameter of a part that is a share, from 0 to 1: users who give more get an error.

    In the dataclass of the parameters it is `threshold: float = a_share(0.5)`.
    """
    declared: float = dataclasses.field(default=default, metadata=_SHARE)
    return declared


def with_parameters(part: T, what: str, parameters: Mapping[str, str]) -> T:
    """Make a copy of a part with some parameters changed, which are given as text; `what` names the part in errors."""
    known = parameters_of(part)
    shares = {field.name for field in dataclasses.fields(part) if field.metadata == _SHARE}  # type: ignore[arg-type]
    values = {}
    for key, text in parameters.items():
        if key not in known:
            raise UsageError(
                f"{what} has no parameter {key!r}{did_you_mean(key, known)} (it has: {', '.join(known) or 'none'})"
            )
        values[key] = _value(text, known[key], f"{what}: {key}")
        if isinstance(values[key], int | float) and values[key] < 0:
            raise UsageError(f"{what}: {key} must not be negative, but it is {text}")
        if key in shares and values[key] > 1:
            raise UsageError(f"{what}: {key} is a share, from 0 to 1, and can't be {text}")
    return dataclasses.replace(part, **values)  # type: ignore[type-var]


def _value(text: str, default: Any, name: str) -> Any:
    try:
        if isinstance(default, bool):
            return _YES_OR_NO[text.lower()]
        if isinstance(default, tuple):
            return tuple(filter(None, map(str.strip, text.split(","))))
        if isinstance(default, float):
            return _finite(float(text))
        return type(default)(text)
    except (ValueError, KeyError):
        raise UsageError(f"{name} must be {_KINDS[type(default)]}, not {text!r}") from None


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(value)
    return value


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(value) if isinstance(value, tuple) else str(value)
