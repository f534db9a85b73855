"""What a tagger is, where taggers are filed, and which one a language gets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Protocol, Self, runtime_checkable

from gristmill.consent import Named
from gristmill.errors import UsageError
from gristmill.language.codes import check_code
from gristmill.registry import Registry, format_spec, parse_spec, with_parameters

LANGUAGES = {
    "de": "hanta",
    "en": "hanta",
    "nl": "hanta",
    "ru": "pymorphy",
    "uk": "pymorphy",
    **dict.fromkeys(
        "ar ast bg ca cs cy da el enm eo es et fa fi fr ga gd gl grc gv hbs he hi hu hy id is it ka la lb lt lv mk ml ms nb nn pl pt ro se "
        "sk sl sq sv sw tl tr".split(),
        "simplemma",
    ),
    **dict.fromkeys("bs hr sh sr sr-me".split(), "simplemma:dictionary=hbs"),
    "fil": "simplemma:dictionary=tl",
    "no": "simplemma:dictionary=nb",
}
"""The one table of which tagger a language gets; all others get `forms`, which knows no language."""
UNKNOWN = "forms"

_LOADED = 16  # languages that a process has in memory at a time; some have up to 100 MB


@dataclass(frozen=True, slots=True)
class Tagged:
    """What a tagger says of words, one entry a word over all sentences."""

    lemmas: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    """Universal parts of speech."""
    xpos: list[str] = field(default_factory=list)
    """The tagger's own tags; empty where it has none."""

    @classmethod
    def of(cls, readings: Sequence[tuple[str, str, str]]) -> Self:
        """From a lemma, a tag and the tagger's own tag for each word."""
        return cls(
            [lemma for lemma, _, _ in readings], [tag for _, tag, _ in readings], [xpos for _, _, xpos in readings]
        )


class Tagger(Protocol):
    """Tells the lemmas and the parts of speech of words in sentences; what it tells of a sentence does not depend on the others."""

    def tag(self, sentences: Sequence[Sequence[str]]) -> Tagged:
        """Lemmas and tags of all words."""


class Strategy(Protocol):
    """A way to make taggers: a frozen dataclass whose fields are its parameters.

    One that runs or reads what its parameters name is an `Outside` too.
    """

    def serves(self, lang: str) -> bool:
        """Whether it can be asked for a language."""

    def load(self, lang: str) -> Tagger:
        """The tagger of a language; raises `UsageError` that says what is missing and how to get it."""


@runtime_checkable
class Outside(Protocol):
    """A strategy that needs something of the user's: a program, a model."""

    def names(self) -> list[Named]:
        """What it would run or read."""

    def paths(self) -> dict[str, str]:
        """Those of its parameters that are paths."""


TAGGERS: Registry[type[Strategy]] = Registry("tagger")


def tagger_for(lang: str, choices: Sequence[str] = ()) -> tuple[str, Tagger]:
    """The tagger of a language and the line of text that names it, as `spec_for` has it; loaded once a process."""
    spec = spec_for(lang, choices)
    return spec, _load(spec, _codes(lang)[-1])


def spec_for(lang: str, choices: Sequence[str] = ()) -> str:
    """Which tagger a language gets.

    A choice is a tagger for a language, `de=spacy:model=de_core_news_sm`, or for all that it can serve,
    `udpipe:model=english.udpipe`. One for the language goes before one for all, a later one before an earlier; without
    any, the table decides.
    """
    codes, chosen = _codes(lang), dict(map(_split, choices))
    spec = next((chosen[code] for code in codes if code in chosen), "")
    if not spec and "" in chosen and _strategy(chosen[""]).serves(codes[-1]):
        spec = chosen[""]
    return spec or next((LANGUAGES[code] for code in codes if code in LANGUAGES), UNKNOWN)


def check_choices(choices: Sequence[str]) -> None:
    """Raise `UsageError` if a choice is wrong or its tagger can't be had here, before anything is built with it."""
    for choice in choices:
        lang, spec = _split(choice)
        if lang:
            check_code(lang)
        strategy = _strategy(spec)
        _load(spec, lang or next(filter(strategy.serves, ("und", *LANGUAGES)), "und"))


def named_by(choices: Iterable[str]) -> list[Named]:
    """What taggers would run or read; a tagger that is not known can do neither."""
    strategies = [_strategy(_split(choice)[1]) for choice in choices if tagger_of(choice) in TAGGERS]
    return [item for strategy in strategies if isinstance(strategy, Outside) for item in strategy.names()]


def with_whole_paths(choices: Iterable[str]) -> tuple[str, ...]:
    """The same choices from whatever folder one is in."""
    return tuple(map(_with_whole_paths, choices))


def _with_whole_paths(choice: str) -> str:
    lang, spec = _split(choice)
    strategy = _strategy(spec)
    paths = strategy.paths() if isinstance(strategy, Outside) else {}
    if all(Path(path).is_absolute() for path in paths.values()):
        return choice
    name, parameters = parse_spec(spec)
    whole = format_spec(name, {**parameters, **{key: str(Path(path).absolute()) for key, path in paths.items()}})
    return f"{lang}={whole}" if lang else whole


def paths_of(choice: str) -> list[str]:
    """The paths of what a tagger would run or read."""
    strategy = _strategy(_split(choice)[1])
    return list(strategy.paths().values()) if isinstance(strategy, Outside) else []


def tagger_of(choice: str) -> str:
    """The name of the tagger that a choice is for, whether there is one or not."""
    import gristmill.annotation.taggers  # noqa: F401, PLC0415 (as below: who looks for the name should find it)

    return parse_spec(_split(choice)[1])[0]


def _codes(lang: str) -> tuple[str, str]:
    """A language with its country or script, and without."""
    lang = lang.lower().replace("_", "-")
    return lang, lang.partition("-")[0]


def _split(choice: str) -> tuple[str, str]:
    """The language of a choice, empty if it is for all, and its tagger."""
    before, equals, after = choice.partition("=")
    lang, spec = (before.strip().lower(), after.strip()) if equals and ":" not in before else ("", choice.strip())
    if not spec or spec.startswith(":"):
        raise UsageError(
            f"{choice!r} names no tagger; write one as simplemma, de=hanta or de=spacy:model=de_core_news_sm"
        )
    return lang, spec


def _strategy(spec: str) -> Strategy:
    import gristmill.annotation.taggers  # noqa: F401, PLC0415 (files them; they import this module)

    name, parameters = parse_spec(spec)
    return with_parameters(TAGGERS[name](), f"the tagger {name!r}", parameters)


@lru_cache(maxsize=_LOADED)
def _load(spec: str, lang: str) -> Tagger:
    return _strategy(spec).load(lang)
