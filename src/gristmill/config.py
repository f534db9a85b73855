"""All settings of a build, typed, read from TOML and written into `corpus.toml`."""

from __future__ import annotations

import dataclasses
import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gristmill.errors import UsageError


def check_share(value: float, name: str) -> None:
    """Raise if a threshold is not between 0 and 1."""
    if not 0 <= value <= 1:
        raise UsageError(f"{name} must be between 0 and 1, not {value}")


@dataclass(frozen=True, slots=True)
class CleanConfig:
    """How blocks are scored, and up to which score they are text."""

    method: str = "mill"
    max_boilerplate: float = 0.5
    lang: str = ""
    """The language of all pages; identified page by page if empty."""

    def __post_init__(self) -> None:
        check_share(self.max_boilerplate, "max_boilerplate")


@dataclass(frozen=True, slots=True)
class FilterConfig:
    """Which pages become documents of the corpus."""

    content_types: tuple[str, ...] = ("text/html", "application/xhtml+xml")
    min_bytes: int = 100
    max_bytes: int = 10_000_000
    languages: tuple[str, ...] = ()
    """ISO 639 codes; all languages if empty."""
    min_length: int = 200
    max_length: int = 1_000_000
    """Characters of text after cleaning."""

    def __post_init__(self) -> None:
        for least, most, what in ((self.min_bytes, self.max_bytes, "bytes"), (self.min_length, self.max_length, "length")):
            if not 0 <= least <= most:
                raise UsageError(f"min_{what} must not be negative nor more than max_{what}, but they are {least:,} and {most:,}")


@dataclass(frozen=True, slots=True)
class DedupConfig:
    """How repeated text is found."""

    method: str = "onion"
    """A method and its parameters: `onion`, `onion:n=7,threshold=0.25`, `minhash`."""
    against: tuple[str, ...] = ()
    """Folders of corpora whose text counts as there already."""


@dataclass(frozen=True, slots=True)
class Config:
    """Every setting that decides what a corpus holds. The same sources and settings give the same bytes."""

    clean: CleanConfig = field(default_factory=CleanConfig)
    filter: FilterConfig = field(default_factory=FilterConfig)
    dedup: DedupConfig = field(default_factory=DedupConfig)

    @classmethod
    def from_file(cls, path: str | Path) -> Config:
        """Read settings from a TOML file, such as the `[settings]` of another corpus."""
        try:
            table = tomllib.loads(Path(path).read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"can't read the settings in {path}: {error}") from error
        except tomllib.TOMLDecodeError as error:
            raise UsageError(f"{path} is not valid TOML: {error}") from error
        settings = table.get("settings", table)
        if not isinstance(settings, Mapping):
            raise UsageError(f"{path}: [settings] is not a table of settings")
        return cls.from_table(settings, str(path))

    @classmethod
    def from_table(cls, table: Mapping[str, Any], name: str = "settings") -> Config:
        """Make a config of nested tables; what is not in them keeps its default, what is unknown is an error."""
        sections = {}
        for section in dataclasses.fields(cls):
            given = table.get(section.name, {})
            if not isinstance(given, Mapping):
                raise UsageError(f"{name}: [{section.name}] is not a table of settings")
            sections[section.name] = _section(getattr(cls(), section.name), given, f"{name}: [{section.name}]")
        _refuse_unknown(table, sections, name)
        return cls(**sections)

    def to_table(self) -> dict[str, Any]:
        """Nested tables that `from_table` turns back into the same config."""
        return {section: {key: _plain(value) for key, value in values.items()} for section, values in dataclasses.asdict(self).items()}

    def replace(self, **changes: Any) -> Config:
        """A copy with some settings changed, named `section_key`; None changes nothing: `replace(filter_min_length=500)`."""
        table = self.to_table()
        for name, value in changes.items():
            section, _, key = name.partition("_")
            if value is not None:
                table.setdefault(section, {})[key] = _plain(value)
        return Config.from_table(table)


def _section(default: Any, given: Mapping[str, Any], name: str) -> Any:
    known = {item.name: getattr(default, item.name) for item in dataclasses.fields(default)}
    _refuse_unknown(given, known, name)
    return dataclasses.replace(default, **{key: _typed(value, known[key], f"{name} {key}") for key, value in given.items()})


def _typed(value: Any, default: Any, name: str) -> Any:
    """The value in the type of the default, or an error that names both."""
    if isinstance(default, tuple):
        if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
            return tuple(value)
        raise UsageError(f"{name} must be a list of strings, not {value!r}")
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not type(default):
        raise UsageError(f"{name} must be a {type(default).__name__}, not {value!r}")
    return value


def _refuse_unknown(given: Mapping[str, Any], known: Mapping[str, Any], name: str) -> None:
    for key in given:
        if key not in known:
            close = difflib.get_close_matches(key, known, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else f" (there are: {', '.join(known)})"
            raise UsageError(f"{name}: there is no setting {key!r}{hint}")


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
