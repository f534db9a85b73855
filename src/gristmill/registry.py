"""Registries: parts such as cleaning methods, filters and formats by name, with their parameters in one syntax."""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import functools
import importlib
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar, cast

from gristmill.errors import UsageError

T = TypeVar("T")
ENTRY_POINTS = "gristmill.plugins"
"""The group of entry points by which installed packages name modules that register parts."""


def did_you_mean(name: str, known: Iterable[str], prefix: str = "") -> str:
    """The end of a message about an unknown name: the known name that is most like it, if there is one."""
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {prefix + close[0]!r}?" if close else ""


class Kind(NamedTuple):
    """A kind of parts: where those of the package are, what takes them, and which of them comes first."""

    use: str
    """A command that takes the name of one, or where else it is given."""
    places: tuple[str, ...]
    """The packages and modules of Gristmill that have parts of this kind."""
    default: str = ""
    """The part that is taken if none is named."""
    everyday: tuple[str, ...] = ()
    """The parts that help texts show if there are many; else the first ones."""


KINDS = {
    "alignment method": Kind("align --method", ("gristmill.alignment.aligning",), "words"),
    "cleaning method": Kind("build --method", ("gristmill.cleaning.methods", "gristmill.literature.cleaning"), "mill"),
    "corpus manager": Kind("export --for", ("gristmill.corpus.formats.dialects",), "sketchengine"),
    "de-duplication method": Kind(
        "build --dedup",
        ("gristmill.dedup", "gristmill.dedup.onion", "gristmill.dedup.documents", "gristmill.literature.dedup"),
        "onion",
        ("onion", "exact", "minhash", "none"),
    ),
    "embedder": Kind("align --embedder", ()),
    "experiment": Kind("experiment corpus NAME", ("gristmill.literature.experiments",)),
    "export format": Kind(
        "export --format", ("gristmill.corpus.formats",), "vertical", ("vertical", "jsonl", "parquet", "text")
    ),
    "filter": Kind("build --filter", ("gristmill.filter",)),
    "finder of duplicate n-grams": Kind("dedup --method onion:finder=NAME", ("gristmill.dedup.onion",)),
    "format of sentence pairs": Kind(
        "parallel --format", ("gristmill.parallel.formats",), "tmx", ("tmx", "tsv", "jsonl", "moses")
    ),
    "kind of near-duplicates": Kind("evaluate dedup sample", ("gristmill.evaluation.near_duplicates",), "unique"),
    "language identifier": Kind("build --config, identifier in [language]", ("gristmill.language",), "cld2"),
    "metric": Kind("evaluate --metric", ("gristmill.evaluation.table",), "words"),
    "output format": Kind("clean --format", ("gristmill.cli.page",), "text"),
    "preset": Kind("build --preset", ("gristmill.presets",), "default", ("default", "fineweb", "gopher", "ukwac")),
    "search provider": Kind("bootstrap --provider", ("gristmill.bootstrapping.providers",), "searxng"),
    "tagger": Kind("annotate --tagger", ("gristmill.annotation.taggers",)),
    "trained method": Kind("train NAME", ("gristmill.evaluation.training", "gristmill.literature.training"), "mill"),
}
"""All kinds of parts."""


def part(kind: str, name: str, **options: Any) -> Callable[[T], T]:
    """Make a decorator that registers a function, a class or an object as a part of a kind, by its name.

    Which options there are depends on the kind. In this package, kind and name are literal strings at the begin of a
    line: so the names are known without importing anything.
    """
    registry, module = parts_of(kind), str(sys._getframe(1).f_globals["__name__"])  # noqa: SLF001 (who registers it)
    owner = "" if _is_own(module) or not _loading else _loading[-1]

    def file(what: T) -> T:
        registry.file(name, Registered(what, options, module, owner))
        return what

    return file


def parts_of(kind: str, make: Callable[..., Any] | None = None) -> Registry[Any]:
    """Return the registry of a kind.

    The module that says what such parts are gives `make`, which makes them of what is registered, and its options.
    """
    if kind not in KINDS:
        raise UsageError(
            f"there is no kind of parts {kind!r}{did_you_mean(kind, KINDS)} (there are: {', '.join(KINDS)})"
        )
    registry = _registries.setdefault(kind, Registry(kind))
    registry.make = make or registry.make
    return registry


@dataclasses.dataclass(slots=True)
class Registered:
    """What was registered, by which module and plugin, and what was made of it."""

    what: Any
    options: dict[str, Any]
    module: str
    owner: str = ""
    made: Any = None


class Registry(Generic[T]):
    """The parts of one kind by name: the default, others by the alphabet, those of the literature, those of plugins.

    Parts of the package are found by their text, and imported when they are first used.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.make: Callable[..., Any] | None = None
        self._parts: dict[str, Registered] = {}

    @property
    def default(self) -> str:
        """The name of the part that is taken if none is named; empty if there is none."""
        return KINDS[self.kind].default

    @property
    def everyday(self) -> str:
        """The names that help texts show: all if they are few, else some, and the command that lists all."""
        if len(self.homes) <= _FEW:
            return ", ".join(self.homes)
        names = [name for name, module in self.homes.items() if not is_literature(module)]
        shown = ", ".join(KINDS[self.kind].everyday or names[: _FEW - 1])
        return f"{shown}; `gristmill parts {self.kind.replace(' ', '-')}` lists all"

    @functools.cached_property
    def homes(self) -> dict[str, str]:
        """The names of the parts of the package, and the modules that register them."""
        found = [
            (name, module)
            for place in KINDS[self.kind].places
            for kind, name, module in _declared(place)
            if kind == self.kind
        ]
        return dict(sorted(found, key=lambda one: (one[0] != self.default, is_literature(one[1]), one)))

    def file(self, name: str, made: Registered) -> None:
        """Register a part."""
        if name in self._parts or (not _is_own(made.module) and name in self.homes):
            raise ValueError(f"two {self.kind}s named {name!r}")
        self._parts[name] = made

    def owner(self, name: str) -> str:
        """The plugin that registered a part; empty if none did, or the part is not known."""
        return self._parts[name].owner if name in self._parts else ""

    def package(self, name: str) -> str:
        """The installed package that a part is of, with its version; empty if it is of none."""
        if name not in self or name not in self._parts:  # the first asks for what is installed
            return ""
        return _packages().get(self._parts[name].module.partition(".")[0], "")

    def check_for_workers(self, name: str) -> None:
        """Raise if a part is registered in this process alone, where worker processes don't find it."""
        if name not in self._parts or self.owner(name) or self.package(name) or _is_own(self._parts[name].module):
            return
        module = self._parts[name].module
        place = "this script or notebook" if module == "__main__" else f"the module {module}"
        raise UsageError(
            f"the {self.kind} {name!r} is registered by {place} alone, so worker processes don't know it: make it a "
            f"plugin, by putting it into a file of its own that is loaded with gristmill.load_plugin('my_parts.py') or "
            f"--plugin my_parts.py; or do all work in this process, with engine=gristmill.engine.InlineEngine()"
        )

    def forget(self, owner: str) -> None:
        """Remove the parts of a plugin."""
        self._parts = {name: made for name, made in self._parts.items() if made.owner != owner}

    def __contains__(self, name: object) -> bool:
        """Whether there is a part of that name, here or in an installed package."""
        if name not in self._parts and name not in self.homes:
            load_installed()
        return name in self._parts or name in self.homes

    def registered(self, name: str) -> Registered:
        """What was registered under that name; the error for a wrong name lists the right ones."""
        if name not in self:
            raise UsageError(
                f"there is no {self.kind} {name!r}{did_you_mean(name, self)} (there are: {', '.join(self)})"
            )
        if name not in self._parts:
            importlib.import_module(self.homes[name])
        return self._parts[name]

    def __getitem__(self, name: str) -> T:
        """The part of that name."""
        found = self.registered(name)
        if found.made is None:
            found.made = self._made(name, found)
        return cast("T", found.made)

    def _made(self, name: str, found: Registered) -> Any:
        try:
            return (self.make or _as_it_is)(found.what, **found.options)
        except TypeError as error:
            raise UsageError(f"the {self.kind} {name!r} of {found.module} is wrong: {error}") from error

    def __iter__(self) -> Iterator[str]:
        """The names of all parts."""
        return iter(dict.fromkeys([*self.homes, *self._parts]))

    def items(self) -> Iterator[tuple[str, T]]:
        """The names and the parts."""
        return ((name, self[name]) for name in self)


_OWN = "gristmill"
_FEW = 5
"""So many names are shown whole in a help text."""
_DECLARATION = re.compile(rb'\n@?part\(\s*"([^"]+)", "([^"]+)"')


def _as_it_is(what: T) -> T:
    return what


def is_literature(module: str) -> bool:
    """Whether a module is of the literature: few need its parts today."""
    return module.startswith(f"{_OWN}.literature.")


def _is_own(module: str) -> bool:
    return module.partition(".")[0] == _OWN


@functools.cache
def _declared(place: str) -> list[tuple[str, str, str]]:
    """Read in the code of a package or module which parts it registers: their kinds, names and modules.

    A list of names could differ from what is there, and an import takes a hundred times as long.
    """
    root = Path(__file__).parents[1]
    path = root.joinpath(*place.split("."))
    return [
        (kind.decode(), name.decode(), ".".join(file.relative_to(root).with_suffix("").parts))
        for file in (sorted(path.glob("*.py")) if path.is_dir() else [path.with_suffix(".py")])
        for kind, name in _DECLARATION.findall(file.read_bytes())
    ]


@functools.cache
def _packages() -> dict[str, str]:
    """The names and versions of installed packages with parts, by the top-level modules that these are in."""
    import importlib.metadata  # noqa: PLC0415 (most commands need none)

    return {
        entry.module.partition(".")[0]: f"{entry.dist.name} {entry.dist.version}"
        for entry in importlib.metadata.entry_points(group=ENTRY_POINTS)
        if entry.dist
    }


_registries: dict[str, Registry[Any]] = {}
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
    for registry in _registries.values():
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
