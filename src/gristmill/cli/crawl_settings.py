"""Settings of a crawl from the options of the command, as tables such as those of `crawl.toml`."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from gristmill.cli.options import codes
from gristmill.crawling.config import CrawlConfig
from gristmill.errors import UsageError
from gristmill.registry import did_you_mean
from gristmill.settings import read_toml

Tables = dict[str, dict[str, Any]]
OPTIONS = {
    "lang": ("scope", "languages"),
    "domain": ("scope", "domains"),
    "forbid": ("scope", "forbid"),
    "distance": ("scope", "max_distance"),
    "part": ("scope", "part"),
    "pages": ("stop", "pages"),
    "words": ("stop", "words"),
    "megabytes": ("stop", "megabytes"),
    "hours": ("stop", "hours"),
    "strategy": ("strategy", "name"),
    "contact": ("manners", "contact"),
    "delay": ("manners", "delay"),
    "ip_delay": ("manners", "ip_delay"),
    "pages_per_host": ("manners", "pages_per_host"),
    "connections": ("fetch", "connections"),
    "min_bytes": ("fetch", "min_bytes"),
    "max_bytes": ("fetch", "max_bytes"),
    "allow_network": ("fetch", "networks"),
    "hosts": ("fetch", "hosts_file"),
}
"""The section and key that each option sets."""
_FIXED = {("scope", "languages"), ("scope", "domains"), ("scope", "sites"), ("scope", "part"), ("strategy", "name")}
"""Settings by which what is in the frontier was chosen and ordered: they can't change while a crawl goes on."""


def settings_of(config: Path | None, options: Mapping[str, Any], more: Iterable[str]) -> Tables:
    """Put settings together: those of a file, changed by options, changed by `section.key=value`."""
    tables: Tables = {key: dict(value) for key, value in _read(config).items()} if config else {}
    for option, value in options.items():
        section, key = OPTIONS[option]
        if value not in (None, (), []):
            tables.setdefault(section, {})[key] = _plain(option, value)
    for text in more:
        section, key, value = setting_of(text, CrawlConfig())
        tables.setdefault(section, {})[key] = value
    return tables


def refuse_fixed(tables: Mapping[str, Mapping[str, Any]], folder: Path) -> None:
    """Raise if settings are to be changed that hold for the whole of a crawl."""
    options = {place: f"--{option.replace('_', '-')}" for option, place in OPTIONS.items()}
    for section, key in sorted(_FIXED):
        if key in tables.get(section, {}):
            name = options.get((section, key), f"{section}.{key}")
            raise UsageError(f"{name} can't be changed while {folder} goes on: begin a new crawl with -o")


def names_in(values: Iterable[str]) -> list[str]:
    """Split lists of names at commas; one that is a file stands for the names in it, one a line."""
    found: list[str] = []
    for value in values:
        is_file = os.path.isfile(value)  # noqa: PTH113 (a list of names may be too long for that of a file)
        found += lines_of(Path(value).read_bytes(), value) if is_file else value.split(",")
    return list(dict.fromkeys(name.strip() for name in found if name.strip()))


def lines_of(data: bytes, name: str) -> list[str]:
    """Return the first words of the lines of a file, without comments, which begin with `#`."""
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is no list of names: it is not UTF-8") from error
    return [line.split()[0] for line in lines if line.strip() and not line.strip().startswith("#")]


def _read(config: Path) -> Mapping[str, Any]:
    tables = read_toml(config)
    CrawlConfig.from_table(tables, str(config))  # raises if something is wrong, naming the file
    return tables


def _plain(option: str, value: Any) -> Any:
    if option == "lang":
        return [code for text in value for code in codes(text) or ()]
    if option in {"domain", "forbid", "allow_network"}:
        return names_in(value)
    return str(Path(value).absolute()) if option == "hosts" else value


def setting_of(text: str, default: Any) -> tuple[str, str, Any]:
    """Take `section.key=value` apart, and convert the value to the type that it has in the default settings."""
    name, equals, value = text.partition("=")
    section, dot, key = name.strip().partition(".")
    if not (equals and dot):
        raise UsageError(f"--set takes section.key=value, such as traps.max_depth=20, not {text!r}")
    sections = {item.name: getattr(default, item.name) for item in dataclasses.fields(default)}
    if section not in sections:
        raise UsageError(f"--set {text}: there is no section {section!r} (there are: {', '.join(sections)})")
    known = dataclasses.asdict(sections[section])
    if key not in known:
        hint = did_you_mean(key, known) or f" (there are: {', '.join(known)})"
        raise UsageError(f"--set {text}: there is no setting {key!r} in [{section}]{hint}")
    return section, key, _typed(value.strip(), known[key], text)


def _typed(value: str, default: Any, text: str) -> Any:
    if isinstance(default, tuple):
        return [part.strip() for part in value.split(",") if part.strip()]
    if isinstance(default, str):
        return value
    if isinstance(default, bool):
        if value not in {"true", "false"}:
            raise UsageError(f"--set {text}: the value must be true or false")
        return value == "true"
    try:
        return type(default)(value.replace("_", ""))
    except ValueError as error:
        kind = "a whole number" if isinstance(default, int) else "a number"
        raise UsageError(f"--set {text}: the value must be {kind}") from error
