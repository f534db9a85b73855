"""Settings of a bootstrap from the options of the command, as tables such as those of `bootstrap.toml`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from gristmill.bootstrapping.config import BootstrapConfig
from gristmill.cli.settings import Tables, names_in, setting_of
from gristmill.errors import UsageError
from gristmill.settings import read_toml

OPTIONS = {
    "lang": ("seeds", "lang"),
    "sample": ("seeds", "sample"),
    "keywords": ("seeds", "count"),
    "measure": ("seeds", "measure"),
    "reference": ("seeds", "reference"),
    "ranges": ("seeds", "ranges"),
    "provider": ("queries", "provider"),
    "n": ("queries", "n"),
    "queries": ("queries", "count"),
    "forms": ("queries", "forms"),
    "forms_from": ("queries", "forms_from"),
    "filter_words": ("queries", "filter_words"),
    "seed": ("queries", "seed"),
    "per_query": ("addresses", "per_query"),
    "per_host": ("addresses", "per_host"),
    "domain": ("addresses", "domains"),
    "forbid": ("addresses", "forbid"),
    "order": ("addresses", "order"),
    "topic": ("topic", "min"),
    "rounds": ("stop", "rounds"),
    "words": ("stop", "words"),
    "delay": ("manners", "delay"),
}
"""The section and key that each option sets."""
_FIXED = {"lang": ("seeds", "lang"), "sample": ("seeds", "sample"), "topic": ("topic", "min")}
"""Settings by which the corpus is filtered: they hold for the whole of it."""


def settings_of(config: Path | None, options: Mapping[str, Any], more: Iterable[str]) -> Tables:
    """Put settings together: those of a file, changed by options, changed by `section.key=value`."""
    tables: Tables = {key: dict(value) for key, value in _read(config).items()} if config else {}
    for option, value in options.items():
        section, key = OPTIONS[option]
        if value is not None and value is not False and value not in ((), []):
            tables.setdefault(section, {})[key] = _plain(option, value)
    for text in more:
        setting, value = setting_of(text, BootstrapConfig)
        tables.setdefault(setting.section, {})[setting.parameter.name] = value
    return tables


def refuse_fixed(tables: Mapping[str, Mapping[str, Any]], folder: Path) -> None:
    """Raise if settings are to be changed that hold for the whole of a corpus."""
    for option, (section, key) in _FIXED.items():
        if key in tables.get(section, {}):
            raise UsageError(f"--{option} can't be changed while {folder} goes on: begin a new corpus with -o")


def _read(config: Path) -> Mapping[str, Any]:
    tables = read_toml(config)
    BootstrapConfig.from_table(tables, str(config))  # raises if something is wrong, naming the file
    return tables


def _plain(option: str, value: Any) -> Any:
    if option in {"domain", "forbid"}:
        return names_in(value)
    return str(Path(value).absolute()) if option in {"sample", "reference", "forms_from"} else value
