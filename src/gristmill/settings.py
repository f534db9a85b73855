"""Settings in TOML files as typed dataclasses: declared once, for the file, for Python, for commands and for the docs.

A section of settings is a dataclass, and all sections together are another one:

    @dataclass(frozen=True, slots=True)
    class StopConfig:
        pages: int = setting("Pages that are stored; 0 is no limit.", default=0, group="When it stops")

    @dataclass(frozen=True, slots=True)
    class CrawlConfig(Sections):
        stop: StopConfig = field(default_factory=StopConfig)

What is not given keeps its default; what is unknown, of a wrong type or beyond its limits is an error.
"""

from __future__ import annotations

import dataclasses
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

import tomli_w

from gristmill.drafts import Draft
from gristmill.errors import UsageError
from gristmill.parameters import Kind, Parameter, param, parameters
from gristmill.registry import did_you_mean

T = TypeVar("T")
Section = TypeVar("Section")

MORE = "More"
"""The group of options that are in no other."""
_OPTION, _OPTIONS = "option", "options"
"""Keys of the metadata of fields."""


@dataclass(frozen=True, slots=True)
class Option:
    """How a setting is given to a command."""

    group: str
    """The group of the help; empty if it is no option of its own, which most settings are not."""
    name: str
    """What it is called there, if that is not the name of the setting."""
    metavar: str
    environment: str
    """A variable of the environment that is taken, if the option is not given."""
    part: str
    """The kind of parts that it names, such as cleaning methods."""
    fixed: bool
    """Whether it holds for the whole of what was begun with it."""


def setting(
    about: str,
    *,
    default: T,
    minimum: float | None = 0,
    maximum: float | None = None,
    choices: Sequence[str] = (),
    kind: Kind = "",
    group: str = "",
    option: str = "",
    short: str = "",
    metavar: str = "",
    environment: str = "",
    part: str = "",
    fixed: bool = False,
) -> T:
    """Declare a setting: what it is about, its default and its limits; numbers are not below 0 if nothing else is said.

    One that has a `group` is an option of the command, in that group of its help: `option` is its name there, if it is
    not that of the setting, and `short` a short one. `part` is the kind of parts of which it names one. What is `fixed`
    can't change while what was begun with it goes on.
    """
    declared: Any = param(
        about,
        default=default,
        minimum=minimum,
        maximum=maximum,
        choices=choices,
        kind=kind,
        short=short,
        max_characters=sys.maxsize,
        max_values=sys.maxsize,
    )
    more = {_OPTION: Option(group, option, metavar, environment, part, fixed)}
    return dataclasses.field(default=default, metadata={**declared.metadata, **more})


def only(*options: str) -> dict[str, Any]:
    """Metadata of a section: of its options, the command has these alone."""
    return {_OPTIONS: options}


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting in its section."""

    section: str
    parameter: Parameter
    declared: Option
    is_option: bool

    @property
    def name(self) -> str:
        """Its name with that of the section: `stop.pages`."""
        return f"{self.section}.{self.parameter.name}"

    @property
    def option(self) -> str:
        """The option that sets it: `--pages`."""
        name = self.declared.name or self.parameter.name
        return f"--{name.replace('_', '-')}"


def settings_in(kind: Any) -> Iterator[Setting]:
    """Go through the settings of a class whose fields are sections."""
    for part in dataclasses.fields(kind):
        section: Any = part.default_factory
        if section is dataclasses.MISSING:
            continue
        chosen = part.metadata.get(_OPTIONS)
        fields = {item.name: item for item in dataclasses.fields(section)}
        for parameter in parameters(section):
            declared = fields[parameter.name].metadata[_OPTION]
            is_option = bool(declared.group) and (chosen is None or parameter.name in chosen)
            yield Setting(part.name, parameter, declared, is_option)


class Sections:
    """Base of frozen dataclasses whose fields are sections of settings, each a dataclass itself."""

    __slots__ = ()

    def __post_init__(self) -> None:
        """Check all settings, also those that Python code gave."""
        for item in settings_in(type(self)):
            item.parameter.named(f"[{item.section}] {item.parameter.name}").check(
                getattr(getattr(self, item.section), item.parameter.name)
            )

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """Read settings from a TOML file."""
        return cls.from_table(read_toml(path), str(path))

    @classmethod
    def from_table(cls, table: Mapping[str, Any], name: str = "settings") -> Self:
        """Make settings of tables; what is not in them keeps its default, what is unknown is an error."""
        return cls().replace(table, name)

    def replace(self, table: Mapping[str, Any], name: str = "settings") -> Self:
        """Make a copy with some settings changed, given as tables: `replace({"stop": {"pages": 100}})`."""
        sections = {item.name: getattr(self, item.name) for item in dataclasses.fields(self)}  # type: ignore[arg-type]
        refuse_unknown(table, sections, name)
        changed = {key: section_of(sections[key], given, f"{name}: [{key}]") for key, given in table.items()}
        return dataclasses.replace(self, **changed)  # type: ignore[type-var]

    def to_table(self) -> dict[str, dict[str, Any]]:
        """Tables that `from_table` turns back into the same settings."""
        return {
            section: {key: plain(value) for key, value in values.items()}
            for section, values in dataclasses.asdict(self).items()  # type: ignore[call-overload]
        }

    def write(self, path: Path) -> None:
        """Write all settings to a TOML file."""
        with Draft(path) as draft, open(draft.descriptor, "wb", closefd=False) as file:
            tomli_w.dump(self.to_table(), file)


def read_toml(path: str | Path) -> dict[str, Any]:
    """Read a TOML file; raises with the reason if that can't be done."""
    try:
        return tomllib.loads(Path(path).read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"can't read the settings in {path}: {_in_words(error)}") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not valid TOML: {error}") from error


def section_of(default: Section, given: Mapping[str, Any], name: str) -> Section:
    """Make a copy of a dataclass with the values of a table, each checked."""
    if not isinstance(given, Mapping):
        raise UsageError(f"{name} is not a table of settings")
    known = {item.name: item for item in parameters(type(default))}
    refuse_unknown(given, known, name)
    changes = {key: known[key].named(f"{name} {key}").check(value) for key, value in given.items()}
    return dataclasses.replace(default, **changes)  # type: ignore[type-var]


def list_of_strings(value: Any, name: str) -> tuple[str, ...]:
    """Convert a list of strings to a tuple; raises for anything else, such as a single string."""
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise UsageError(f"{name} must be a list of strings, not {value!r}")


def refuse_unknown(given: Mapping[str, Any], known: Mapping[str, Any], name: str) -> None:
    """Raise for the first key that is no known setting, with a suggestion."""
    for key in given:
        if key not in known:
            hint = did_you_mean(key, known) or f" (there are: {', '.join(known)})"
            raise UsageError(f"{name}: there is no setting {key!r}{hint}")


def plain(value: Any) -> Any:
    """Convert a value to one that TOML has: a tuple becomes a list."""
    return list(value) if isinstance(value, tuple) else value


def _in_words(error: OSError | UnicodeDecodeError) -> str:
    return "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror or str(error)
