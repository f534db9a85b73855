"""The settings of a build as typed classes, read from TOML and written into `corpus.toml`."""

from __future__ import annotations

import dataclasses
import importlib.util
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gristmill.arguments import wrong_type
from gristmill.consent import Origin
from gristmill.errors import UsageError
from gristmill.own_paths import from_own
from gristmill.plugins import whole_name
from gristmill.presets import DEFAULT, LANGUAGE, NOTHING, PRESETS, changed, taken_out, with_default
from gristmill.registry import format_spec, parse_spec
from gristmill.roles import check_roles
from gristmill.settings import MORE, list_of_strings, plain, read_toml, refuse_unknown, section_of, setting

IDENTIFIER_LIBRARIES = {"cld2": "pycld2", "py3langid": "py3langid"}
"""The identifiers of languages that are libraries, and the packages these are in."""
DEFAULT_IDENTIFIER = "cld2" if importlib.util.find_spec("pycld2") else "py3langid"
"""CLD2 where it is installed: there are no wheels of it for Python 3.14, nor for Linux on ARM."""


def identifier_and_version(identifier: str = DEFAULT_IDENTIFIER) -> str:
    """Say by what languages are identified: the library and its version, or the name of another identifier."""
    import importlib.metadata  # noqa: PLC0415 (most commands need it not)

    library = IDENTIFIER_LIBRARIES.get(identifier)
    return f"{library} {importlib.metadata.version(library)}" if library else identifier


def check_share(value: float, name: str) -> None:
    """Raise if a threshold is not between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong_type(name, "a number between 0 and 1", value)
    if not 0 <= value <= 1:
        raise UsageError(f"{name} must be between 0 and 1, not {value}")


@dataclass(frozen=True, slots=True)
class CleanConfig:
    """Settings of cleaning: how blocks are scored, and up to which score they are text."""

    method: str = setting("Cleaning method.", default="mill", group=MORE, part="cleaning method")
    max_boilerplate: float = setting("Blocks with a higher score are boilerplate.", default=0.5, maximum=1, group=MORE)
    lang: str = setting("The language of all pages; if empty, that of each page is identified.", default="")
    roles: tuple[str, ...] = setting(
        "Only blocks of these roles are text: text,heading,list, or all [those of the method].",
        default=(),
        kind="roles",
        group=MORE,
    )
    model: str = setting(
        "A file with weights of your own for the method, from gristmill train.", default="", kind="path", group=MORE
    )
    without: tuple[str, ...] = setting(
        "Leave out blocks of these roles, whatever else says that they are text: comment,caption.",
        default=(),
        kind="roles",
        group=MORE,
    )
    items: str = setting(
        "Cut pages of several items into documents: crf or rules, also crf:entities=FILE; if empty, a page is one.",
        default="",
        group=MORE,
        metavar="HOW",
    )
    items_model: str = setting(
        "A model of your own for --items crf, from gristmill train.", default="", kind="path", group=MORE
    )

    def __post_init__(self) -> None:
        check_share(self.max_boilerplate, "max_boilerplate")
        object.__setattr__(self, "roles", check_roles(self.roles))  # so that the same choice is the same setting
        object.__setattr__(self, "without", check_roles(self.without, "without"))

    def with_whole_path(self) -> CleanConfig:
        """Make the paths of models and lists absolute, so that they hold in any working directory."""
        items, (name, given) = self.items, parse_spec(self.items)
        if given.get(_ENTITIES):
            items = format_spec(name, {**given, _ENTITIES: _whole(given[_ENTITIES])})
        return dataclasses.replace(self, model=_whole(self.model), items=items, items_model=_whole(self.items_model))

    def files(self) -> list[str]:
        """List the files that are read."""
        return list(filter(None, (self.model, self.items_model, parse_spec(self.items)[1].get(_ENTITIES, ""))))


_ENTITIES = "entities"
"""The parameter of `items` that names a file."""


def _whole(path: str) -> str:
    """Make a path absolute; an empty one stays empty."""
    return str(Path(path).absolute()) if path else ""


@dataclass(frozen=True, slots=True)
class FilterConfig:
    """Settings of filters: which pages become documents of the corpus."""

    filters: tuple[str, ...] = setting(
        "Each filter with its thresholds, in the order in which they run: `length:min=200,max=1000000`. With a "
        "`preset`, changes to it: `no-size`.",
        default=DEFAULT,
    )
    languages: tuple[str, ...] = setting(
        "Only these languages, by ISO 639: en or en,de,cs [any].", default=(), kind="lang", group=MORE, option="lang"
    )

    def replace(
        self, preset: str | None = None, changes: Iterable[str] = (), languages: tuple[str, ...] | None = None
    ) -> FilterConfig:
        """Make a copy with the filters of a preset or its own, some of them changed; None changes nothing.

        A filter takes the place of the one of its name or comes last; `-name` or `no-name` takes one out. `no-language`
        lifts the languages that were asked for, and so does the preset `none` if none are given with it; the filter
        `foreign` still takes them.
        """
        changes = list_of_strings(changes, "filters") if isinstance(changes, str) else tuple(changes)
        filters = changed(self.filters if preset is None else PRESETS[preset], changes)
        asked = self.languages if languages is None else languages
        if LANGUAGE not in map(taken_out, changes) and not (preset == NOTHING and languages is None):
            return FilterConfig(filters, asked)
        return FilterConfig(with_default(filters, "foreign", "languages", ",".join(asked)) if asked else filters)


@dataclass(frozen=True, slots=True)
class LanguageConfig:
    """Settings of language identification."""

    identifier: str = setting("The library that identifies languages.", default=DEFAULT_IDENTIFIER)
    models: str = setting(
        "A folder of models for more languages, from gristmill train and stoplist.",
        default="",
        kind="path",
        group=MORE,
        metavar="FOLDER",
    )

    def with_whole_path(self) -> LanguageConfig:
        """Make the path absolute, so that it holds in any working directory."""
        return dataclasses.replace(self, models=str(Path(self.models).absolute())) if self.models else self


@dataclass(frozen=True, slots=True)
class DedupConfig:
    """Settings of de-duplication."""

    method: str = setting(
        "De-duplication method, also with settings (onion:n=7,threshold=0.25).",
        default="onion",
        group=MORE,
        option="dedup",
        metavar="NAME[:SETTINGS]",
        part="de-duplication method",
    )
    against: tuple[str, ...] = setting(
        "Folders of other corpora; text that is in one of them counts as a duplicate.", default=(), kind="path"
    )


@dataclass(frozen=True, slots=True)
class AnnotateConfig:
    """Settings of annotation: how words are tagged and lemmatised."""

    taggers: tuple[str, ...] = setting(
        "Taggers instead of the default ones, for a language (`de=spacy:model=de_core_news_sm`) or for all "
        "(`udpipe:model=english.udpipe`).",
        default=(),
    )
    parsers: tuple[str, ...] = setting(
        "Parsers instead of those that come with Gristmill: `de=de.parser`, `de=none`, or `none` for no parser at all.",
        default=(),
    )


@dataclass(frozen=True, slots=True)
class PluginsConfig:
    """Settings of plugins: Python code of the user that registers filters, cleaning methods, taggers."""

    modules: tuple[str, ...] = setting("Paths of Python files, or names of modules.", default=())
    packages: tuple[str, ...] = setting(
        "The installed packages whose parts are used, with their versions; recorded, not to be chosen.", default=()
    )

    def with_more(self, more: Iterable[str]) -> PluginsConfig:
        """Add more plugins, and make all paths absolute, so that they hold in any working directory."""
        return PluginsConfig(tuple(dict.fromkeys(map(whole_name, (*self.modules, *more)))), self.packages)


@dataclass(frozen=True, slots=True)
class Config:
    """All settings that determine the content of a corpus. The same sources and settings give the same bytes."""

    clean: CleanConfig = field(default_factory=CleanConfig)
    language: LanguageConfig = field(default_factory=LanguageConfig)
    filter: FilterConfig = field(default_factory=FilterConfig)
    dedup: DedupConfig = field(default_factory=DedupConfig)
    annotate: AnnotateConfig = field(default_factory=AnnotateConfig)
    plugins: PluginsConfig = field(default_factory=PluginsConfig)
    origin: Origin | None = field(default=None, compare=False, repr=False)
    """Where the settings were read from; None if all were given by calls, which makes them the user's own."""
    given: Config | None = field(default=None, compare=False, repr=False)
    """What the user has given in place of settings that were read. Of all else, nothing is used that is not allowed."""

    @classmethod
    def from_file(cls, path: str | Path) -> Config:
        """Read settings from a TOML file, such as the `[settings]` of another corpus."""
        table = read_toml(path)
        settings = table.get("settings", table)
        if not isinstance(settings, Mapping):
            raise UsageError(f"{path}: [settings] is not a table of settings")
        settings = from_own(settings, Path(path).parent)
        return cls.from_table(settings, str(path), Origin.of(Path(path)))

    @classmethod
    def from_table(cls, table: Mapping[str, Any], name: str = "settings", origin: Origin | None = None) -> Config:
        """Make a config of nested tables; what is not in them keeps its default, what is unknown is an error.

        Nobody knows who wrote a table: what it names counts as a stranger's, unlike what `replace` is given.
        """
        sections = {}
        for section in _sections(cls):
            given, place = table.get(section.name, {}), f"{name}: [{section.name}]"
            read: Any = _filters if section.name == "filter" else section_of
            sections[section.name] = read(getattr(cls(), section.name), given, place)
        refuse_unknown(table, sections, name)
        return cls(**sections, origin=origin or Origin(name))

    def to_table(self) -> dict[str, Any]:
        """Nested tables that `from_table` turns back into the same config."""
        sections = {section.name: dataclasses.asdict(getattr(self, section.name)) for section in _sections(type(self))}
        return {section: {key: plain(value) for key, value in values.items()} for section, values in sections.items()}

    def with_filters(
        self, *changes: str, preset: str | None = None, languages: tuple[str, ...] | None = None
    ) -> Config:
        """Make a copy with other filters: those of a preset or its own, some changed.

        For example `with_filters("length:min=500", "-size", preset="ukwac")`.
        """
        if languages is not None:
            languages = list_of_strings(languages, "languages")
        own = self.given or Config(filter=FilterConfig(()))
        return dataclasses.replace(
            self,
            filter=self.filter.replace(preset, changes, languages),
            given=dataclasses.replace(own, filter=FilterConfig((*own.filter.filters, *changes))),
        )

    def with_plugins(self, *modules: str) -> Config:
        """Make a copy with more plugins: paths of Python files, or names of modules."""
        own = self.given or Config()
        return dataclasses.replace(
            self,
            plugins=self.plugins.with_more(modules),
            given=dataclasses.replace(own, plugins=own.plugins.with_more(modules)),
        )

    def replace(self, **changes: Any) -> Config:
        """Make a copy with some settings changed, named `section_key`: `replace(filter_languages=("cs",))`.

        A value of None changes nothing. What is given is the user's own, but for items of a list that stood there
        before.
        """
        table, own = self.to_table(), (self.given or Config(filter=FilterConfig(()))).to_table()
        for name, value in changes.items():
            section, _, key = name.partition("_")
            if value is None:
                continue
            new, before = plain(value), getattr(getattr(self, section, None), key, None)
            table.setdefault(section, {})[key] = new
            if isinstance(before, tuple) and isinstance(new, list):
                new = [*own.get(section, {}).get(key, ()), *(item for item in new if item not in before)]
            own.setdefault(section, {})[key] = new
        for filters in (table["filter"], own["filter"]):
            if filters.get("preset"):
                filters.pop("filters")  # a preset replaces the present filters and does not change them
        given = dataclasses.replace(Config.from_table(own), origin=None)
        return dataclasses.replace(Config.from_table(table), origin=self.origin, given=given)


def _sections(config: type[Config]) -> list[dataclasses.Field[Any]]:
    return [item for item in dataclasses.fields(config) if item.name not in {"origin", "given"}]


@dataclass(frozen=True, slots=True)
class _Preset(FilterConfig):
    """Settings of filters as a file may have them: those of a preset, some changed."""

    preset: str = setting("The set of filters.", default="")


def _filters(default: FilterConfig, given: Any, name: str) -> FilterConfig:
    """Settings of filters; a preset is replaced by its filters, so that stored settings are complete."""
    if not isinstance(given, Mapping) or "preset" not in given:
        return section_of(default, given, name)
    asked = section_of(_Preset(()), given, name)
    return default.replace(asked.preset, asked.filters, asked.languages)
