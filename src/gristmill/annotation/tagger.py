"""The interface of taggers, the registry in which they are found by name, and which one a language gets.

A tagger is named by a specification, such as `spacy:model=de_core_news_sm`. Users choose taggers for languages with
choices, such as `de=spacy:model=de_core_news_sm`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol, Self, runtime_checkable

from gristmill.consent import Named
from gristmill.errors import UsageError
from gristmill.language.codes import check_code
from gristmill.registry import Registry, format_spec, parse_spec, with_parameters

LANGUAGES = {
    "de": "hanta",
    "en": "hanta",
    "ja": "unidic",
    "nl": "hanta",
    "ru": "pymorphy",
    "uk": "pymorphy",
    **dict.fromkeys(
        (
            "ar ast bg ca cs cy da el enm eo es et fa fi fr ga gd gl grc gv hbs he hi hu hy id is it ka la lb lt lv mk"
            " ml ms nb nn pl pt ro se sk sl sq sv sw tl tr"
        ).split(),
        "simplemma",
    ),
    **dict.fromkeys("bs hr sh sr sr-me".split(), "simplemma:dictionary=hbs"),
    "fil": "simplemma:dictionary=tl",
    "no": "simplemma:dictionary=nb",
}
"""The tagger that a language gets by default; languages that are not here get `forms`, which knows no language."""
UNKNOWN = "forms"
_OF_EXTRAS = {"unidic": ("fugashi", "unidic_lite")}
"""Modules of optional extras without which a language gets `UNKNOWN` instead of its tagger."""

_MAX_LOADED_TAGGERS = 16  # in memory at a time in a process; some have up to 100 MB


@dataclass(frozen=True, slots=True)
class Tagged:
    """The result of a tagger: an entry for each word of all sentences."""

    lemmas: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    """Universal parts of speech."""
    xpos: list[str] = field(default_factory=list)
    """The tagger's own tags; empty where it has none."""

    @classmethod
    def of(cls, readings: Sequence[tuple[str, str, str]]) -> Self:
        """Make it from a lemma, a tag and the tagger's own tag for each word."""
        return cls(
            [lemma for lemma, _, _ in readings], [tag for _, tag, _ in readings], [xpos for _, _, xpos in readings]
        )


class Tagger(Protocol):
    """Finds the lemmas and parts of speech of words in sentences; the result does not depend on other sentences."""

    def tag(self, sentences: Sequence[Sequence[str]]) -> Tagged:
        """Return lemmas and tags of all words."""


class Strategy(Protocol):
    """A kind of tagger, as it is registered: a frozen dataclass whose fields are its parameters.

    One that runs or reads what its parameters name is also an `Outside`.
    """

    def serves(self, lang: str) -> bool:
        """Tell whether there is a tagger for a language."""

    def load(self, lang: str) -> Tagger:
        """Load the tagger for a language; raises `UsageError` that says what is missing and how to get it."""


@runtime_checkable
class Outside(Protocol):
    """A kind of tagger that needs a program or a model of the user's."""

    def names(self) -> list[Named]:
        """List what it would run or read."""

    def paths(self) -> dict[str, str]:
        """Return those of its parameters that are paths."""


TAGGERS: Registry[type[Strategy]] = Registry("tagger")


def tagger_for(lang: str, choices: Sequence[str] = ()) -> tuple[str, Tagger]:
    """Return the specification of a language's tagger, as in `spec_for`, and the tagger; loaded once per process."""
    spec = spec_for(lang, choices)
    return spec, _load(spec, _codes(lang)[-1])


def spec_for(lang: str, choices: Sequence[str] = ()) -> str:
    """Return the specification of the tagger that a language gets.

    A choice is a tagger for a language, `de=spacy:model=de_core_news_sm`, or for all languages that it serves,
    `udpipe:model=english.udpipe`. A choice for the language takes precedence over one for all, and a later one over an
    earlier. Without any, `LANGUAGES` decides, where the extra that its tagger needs is installed.
    """
    codes, chosen = _codes(lang), dict(map(_split, choices))
    spec = next((chosen[code] for code in codes if code in chosen), "")
    if not spec and "" in chosen and _strategy(chosen[""]).serves(codes[-1]):
        spec = chosen[""]
    return spec or _default(codes)


def _default(codes: Sequence[str]) -> str:
    """Return the tagger that a language gets if none was chosen and the extra that it needs is installed."""
    spec = next((LANGUAGES[code] for code in codes if code in LANGUAGES), UNKNOWN)
    return spec if all(map(find_spec, _OF_EXTRAS.get(spec, ()))) else UNKNOWN


def check_choices(choices: Sequence[str]) -> None:
    """Raise `UsageError` if a choice is wrong or its tagger can't be loaded, before anything is built with it."""
    for choice in choices:
        lang, spec = _split(choice)
        if lang:
            check_code(lang)
        strategy = _strategy(spec)
        _load(spec, lang or next(filter(strategy.serves, ("und", *LANGUAGES)), "und"))


def named_by(choices: Iterable[str]) -> list[Named]:
    """List what the taggers of choices would run or read; a tagger that is not known can do neither."""
    strategies = [_strategy(_split(choice)[1]) for choice in choices if tagger_of(choice) in TAGGERS]
    return [item for strategy in strategies if isinstance(strategy, Outside) for item in strategy.names()]


def with_whole_paths(choices: Iterable[str]) -> tuple[str, ...]:
    """Return choices with absolute paths, so that they mean the same in another working directory."""
    return tuple(map(_with_whole_paths, choices))


def _with_whole_paths(choice: str) -> str:
    """Return one choice with absolute paths."""
    lang, spec = _split(choice)
    strategy = _strategy(spec)
    paths = strategy.paths() if isinstance(strategy, Outside) else {}
    if all(Path(path).is_absolute() for path in paths.values()):
        return choice
    name, parameters = parse_spec(spec)
    whole = format_spec(name, {**parameters, **{key: str(Path(path).absolute()) for key, path in paths.items()}})
    return f"{lang}={whole}" if lang else whole


def paths_of(choice: str) -> list[str]:
    """Return the paths of what the tagger of a choice would run or read."""
    strategy = _strategy(_split(choice)[1])
    return list(strategy.paths().values()) if isinstance(strategy, Outside) else []


def tagger_of(choice: str) -> str:
    """Return the name of the tagger that a choice is for; there may be no such tagger."""
    import gristmill.annotation.taggers  # noqa: F401, PLC0415 (registers them: callers look the name up)

    return parse_spec(_split(choice)[1])[0]


def _codes(lang: str) -> tuple[str, str]:
    """Return the code of a language with its country or script, and without."""
    lang = lang.lower().replace("_", "-")
    return lang, lang.partition("-")[0]


def _split(choice: str) -> tuple[str, str]:
    """Split a choice into its language, which is empty if it is for all, and the specification of its tagger."""
    before, equals, after = choice.partition("=")
    lang, spec = (before.strip().lower(), after.strip()) if equals and ":" not in before else ("", choice.strip())
    if not spec or spec.startswith(":"):
        raise UsageError(
            f"{choice!r} names no tagger; write one as simplemma, de=hanta or de=spacy:model=de_core_news_sm"
        )
    return lang, spec


def _strategy(spec: str) -> Strategy:
    """Return the kind of tagger that a specification names, with its parameters."""
    import gristmill.annotation.taggers  # noqa: F401, PLC0415 (registers them; they import this module)

    name, parameters = parse_spec(spec)
    return with_parameters(TAGGERS[name](), f"the tagger {name!r}", parameters)


@lru_cache(maxsize=_MAX_LOADED_TAGGERS)
def _load(spec: str, lang: str) -> Tagger:
    return _strategy(spec).load(lang)
