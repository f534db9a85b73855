"""Settings in TOML files as typed dataclasses: what is not given keeps its default, what is unknown is an error."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self, TypeVar

import tomli_w

from gristmill.drafts import Draft
from gristmill.errors import UsageError
from gristmill.registry import did_you_mean

Section = TypeVar("Section")


class Sections:
    """Base of frozen dataclasses whose fields are sections of settings, each a dataclass itself."""

    __slots__ = ()

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
    """Make a copy of a dataclass with the values of a table, each converted to the type of its default."""
    if not isinstance(given, Mapping):
        raise UsageError(f"{name} is not a table of settings")
    known = {item.name: getattr(default, item.name) for item in dataclasses.fields(default)}  # type: ignore[arg-type]
    refuse_unknown(given, known, name)
    changes = {key: typed(value, known[key], f"{name} {key}") for key, value in given.items()}
    return dataclasses.replace(default, **changes)  # type: ignore[type-var]


def typed(value: Any, default: Any, name: str) -> Any:
    """Convert a value to the type of the default, or raise an error that names both."""
    if isinstance(default, tuple):
        return list_of_strings(value, name)
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not type(default):
        raise UsageError(f"{name} must be a {type(default).__name__}, not {value!r}")
    return value


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
