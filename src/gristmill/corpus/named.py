"""What the files of a corpus name outside of it: plugins, files that filters read, models, taggers, corpora, links.

Whoever uses one of these calls `admit` before: what the user gave is allowed and remembered; all else is refused if the
user has not allowed it. `gristmill.consent` remembers what is allowed.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gristmill import plugins
from gristmill.annotation.parsing.choice import as_choice, choices_of
from gristmill.annotation.tagger import TAGGERS, taggers_of
from gristmill.annotation.tagger import named_by as named_by_taggers
from gristmill.archive.allowed import store_of
from gristmill.arguments import is_address
from gristmill.cleaning import METHODS
from gristmill.config import Config, FilterConfig, PluginsConfig
from gristmill.consent import Named, allow, check, not_allowed
from gristmill.corpus.annotated import stored_choices
from gristmill.corpus.links import links_out
from gristmill.corpus.listing import has_listing
from gristmill.corpus.manifest import Manifest
from gristmill.dedup import METHODS as DEDUP_METHODS
from gristmill.errors import UsageError
from gristmill.filter import FILTERS, files_of
from gristmill.registry import Registry, is_installed, parse_spec
from gristmill.settings import list_of_strings
from gristmill.shards import read_columns

_INDEX_CARD = Path("index", "index.toml")
_WATCH_CARDS = "watches/*/watch.toml"
_SECTIONS = ("plugins", "clean", "filter", "language", "dedup", "annotate")


def admit(config: Config, *sections: str) -> None:
    """Allow or refuse what some sections of settings name, and load plugins if these are asked for or needed."""
    if "plugins" in sections or _needs_plugins(config, sections):
        _admit(config, "plugins")
        for name in config.plugins.modules:
            plugins.load(plugins.whole_name(name))
        _check_packages(config, sections)
    for section in sections:
        _admit(config, section)


def _check_packages(config: Config, sections: Iterable[str]) -> None:
    """Raise if parts are not there, and the packages that they may be of are not installed."""
    gone = [package for package in config.plugins.packages if not is_installed(package.partition(" ")[0])]
    if gone and _needs_plugins(config, sections):
        raise UsageError(
            f"parts of {', '.join(gone)} are needed: install the package (pip install {gone[0].split()[0]})"
        )


def is_admitted(config: Config, section: str) -> bool:
    """Tell whether `admit` would let a section pass; nothing is allowed or loaded."""
    needed = [section, *(["plugins"] if _needs_plugins(config, [section]) else [])]
    return not not_allowed((item for name in needed for item in _named_by(config, name)), config.origin)


def _needs_plugins(config: Config, sections: Iterable[str]) -> bool:
    """Tell whether settings name parts that no loaded module has registered."""
    return any(name not in registry for section in sections for registry, name in _parts(config, section))


def _admit(config: Config, section: str) -> None:
    """Allow what the user gave of the things that a section of settings names, and refuse all else.

    They are compared as the real things that they are: how they are written may have changed since they were given.
    """
    named = _named_by(config, section)
    if config.origin is None:
        allow(named)
        return
    given = set(_named_by(config.given, section)) if config.given else set()
    allow(item for item in named if item in given)
    check((item for item in named if item not in given), config.origin)


def named_by(config: Config) -> list[Named]:
    """List what all settings name; plugins that are not loaded may name more."""
    return [item for section in _SECTIONS for item in _named_by(config, section)]


def _named_by(config: Config, section: str) -> list[Named]:
    """List what the settings of a section name."""
    if section == "plugins":
        return list(map(plugins.named, config.plugins.modules))
    if section == "filter":
        return named_by_filters(config.filter.filters)
    if section == "annotate":
        return named_by_taggers([*config.annotate.taggers, *map(as_choice, config.annotate.parsers)])
    files = {"clean": config.clean.files(), "language": [config.language.models], "dedup": config.dedup.against}
    return [Named.at("file", path) for path in files[section] if path]


def named_by_filters(specs: Iterable[str]) -> list[Named]:
    """List the files that filters would read; one that is not known reads nothing."""
    known = tuple(spec for spec in specs if parse_spec(spec)[0] in FILTERS)
    return [Named.at("file", path) for path in files_of(FilterConfig(known))]


def with_plugins(config: Config) -> Config:
    """Add to settings the plugins and packages of the parts that they name, so that whoever reads them finds these."""
    parts = [part for section in _SECTIONS for part in _parts(config, section)]
    owners = [registry.owner(name) for registry, name in parts]
    packages = {registry.package(name) for registry, name in parts if not registry.owner(name)}
    if any(name not in registry for registry, name in parts):  # it may be of a package that is gone
        packages.update(config.plugins.packages)
    modules = config.plugins.with_more(filter(None, owners)).modules
    return dataclasses.replace(config, plugins=PluginsConfig(modules, tuple(sorted(filter(None, packages)))))


def check_for_workers(config: Config, *sections: str) -> None:
    """Raise if some sections of settings name parts that only this process knows."""
    for section in sections:
        for registry, name in _parts(config, section):
            registry.check_for_workers(name)


def _parts(config: Config, section: str) -> list[tuple[Registry[Any], str]]:
    """List the parts that the settings of a section name, each with the registry it is looked up in."""
    if section == "filter":
        return [(FILTERS, parse_spec(spec)[0]) for spec in config.filter.filters]
    if section == "annotate":
        return [(TAGGERS, name) for choice in choices_of(config.annotate) for name in taggers_of(choice)]
    if section == "dedup":
        return [(DEDUP_METHODS, parse_spec(config.dedup.method)[0])]
    return [(METHODS, parse_spec(config.clean.method)[0])] if section == "clean" else []


def named_by_corpus(folder: Path) -> list[Named]:
    """List what the files of a corpus name, also those of annotation and index; or what a file of settings names."""
    named = named_by(config_of(folder))
    if folder.is_dir():
        choices = [choice for shard in Manifest.read(folder).shards for choice in stored_choices(shard) or ()]
        named += [*named_by_taggers(choices), *named_by_filters(_stored_filters(folder)), *links_out(folder)]
        named += [*named_recipients(folder), *named_stores(folder)]
    return list(dict.fromkeys(named))


def named_stores(folder: Path) -> list[Named]:
    """List the stores and web servers that the sources of a corpus are in, which the page inspector would ask."""
    found: dict[Named, None] = {}
    for shard in filter(has_listing, Manifest.read(folder).shards):
        names = read_columns(shard.sources, ["name"])["name"].to_pylist()
        found |= dict.fromkeys(store_of(name) for name in names if is_address(name))
    return list(found)


def named_recipients(folder: Path) -> list[Named]:
    """List the addresses that standing queries send mail to; a card that can't be read names none."""
    found: list[Named] = []
    for card in sorted(folder.glob(_WATCH_CARDS)):
        try:
            addresses = list_of_strings(tomllib.loads(card.read_text("utf-8"))["mail"]["to"], "to")
        except (OSError, ValueError, KeyError, TypeError, UsageError):
            continue
        found += [Named("mail", address) for address in addresses]
    return found


def trust_corpus(folder: Path, *, remember: bool) -> list[Named]:
    """Allow what the files of a corpus name, or a file of settings, and load its plugins, which may name more."""
    trust_settings(config_of(folder), remember=remember)
    named = named_by_corpus(folder)
    allow(named, remember=remember)
    return named


def trust_settings(config: Config, *, remember: bool) -> None:
    """Allow what settings name, and load their plugins, which may name more."""
    allow(named_by(config), remember=remember)
    admit(config, "plugins")
    allow(named_by(config), remember=remember)


def config_of(folder: Path) -> Config:
    """Read the settings of a corpus, or those in a file."""
    return Config.from_file(folder) if folder.is_file() else Manifest.read(folder).config


def _stored_filters(folder: Path) -> list[str]:
    """List the filters of the selection that the index is of, with which it would be made anew.

    There are none if there is no index that can be read.
    """
    try:
        card = tomllib.loads((folder / _INDEX_CARD).read_text("utf-8"))
        return list(list_of_strings(card["corpus"]["selection"]["filters"], "filters"))
    except (OSError, ValueError, KeyError, TypeError, UsageError):
        return []
