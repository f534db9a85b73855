"""The interface of taggers, the registry in which they are found by name, and which one a language gets.

A tagger is named by a specification, such as `spacy:model=de_core_news_sm`. Users choose taggers for languages with
choices, such as `de=spacy:model=de_core_news_sm`. Two taggers with a plus between them, `treetagger+rftagger`, work
side by side: lemmas and tags are of the first, the taggers' own tags and features of the second.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.util import find_spec
from operator import itemgetter
from pathlib import Path
from typing import Protocol, Self, runtime_checkable

from gristmill.annotation.parsing import choice
from gristmill.annotation.relations import Relations, as_trees
from gristmill.consent import Named
from gristmill.errors import UsageError
from gristmill.language.codes import check_code
from gristmill.registry import Registry, format_spec, parse_spec, parts_of, with_parameters

LANGUAGES = {
    **dict.fromkeys(
        "ar ast bg enm eo et gd gv hi hu lb mk ml ms pl se sq sw tl".split(),
        "simplemma",
    ),
    "fil": "simplemma:dictionary=tl",
    **dict.fromkeys(
        (
            "af be bs ca cs cy da de el en es fa fi fr ga gl grc hbs he hr hy id is it ka ky la lt lv mt nb nl nn no pt"
            " ro ru sh sk sl sr sv tr uk"
        ).split(),
        "own",
    ),
    "ja": "unidic",
}
"""The tagger that a language gets by default; languages that are not here get `forms`, which knows no language."""
UNKNOWN = "forms"
_OF_EXTRAS = {"unidic": (("fugashi", "unidic_lite"), "own")}
"""Modules of optional extras that a tagger needs, and the one that a language gets without them."""

_BESIDE = "+"  # between taggers that work side by side
_MAX_LOADED_TAGGERS = 16  # in memory at a time in a process; some have up to 100 MB


@dataclass(frozen=True, slots=True)
class Tagged:
    """The result of a tagger: an entry for each word of all sentences."""

    lemmas: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    """Universal parts of speech."""
    xpos: list[str] = field(default_factory=list)
    """The tagger's own tags; empty where it has none."""
    feats: list[str] = field(default_factory=list)
    """Universal features, such as `Case=Gen|Number=Sing`; empty where it has none, and if it gives none at all."""
    heads: list[int] = field(default_factory=list)
    """How many words further on the head of each stands, in its sentence: -2 is two words before. 0 of roots, and
    where it knows none."""
    deprels: list[str] = field(default_factory=list)
    """Universal relations to the heads, such as `nsubj` and `root`; empty where it knows none."""

    def __post_init__(self) -> None:
        """Make features and relations empty that were not given."""
        if not self.feats:
            self.feats.extend([""] * len(self.lemmas))
        if not self.heads:
            self.heads.extend([0] * len(self.lemmas))
        if not self.deprels:
            self.deprels.extend([""] * len(self.lemmas))

    @classmethod
    def of(cls, readings: Sequence[tuple[str, ...]]) -> Self:
        """Make it from the readings of all words: a lemma, a tag, the tagger's own tag, and features if it has any."""
        parts = range(len(readings[0]) if readings else 0)
        return cls(*(list(map(itemgetter(part), readings)) for part in parts))

    def all_feats(self) -> list[str]:
        """Return the features of all words: empty ones if the tagger has put words in one by one, and no features."""
        return self.feats or [""] * len(self.lemmas)

    def all_relations(self) -> Relations:
        """Return heads and relations of all words: empty ones if the tagger has put words in one by one, and none."""
        return self.heads or [0] * len(self.lemmas), self.deprels or [""] * len(self.lemmas)

    def with_trees(self, sentences: Iterable[Sequence[str]]) -> Self:
        """Return it with one tree a sentence, also of long ones that were tagged in parts, if it has relations."""
        if not any(self.deprels):
            return self
        heads, deprels = as_trees(self.heads, self.deprels, map(len, sentences))
        return replace(self, heads=heads, deprels=deprels)


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


TAGGERS: Registry[type[Strategy]] = parts_of("tagger")


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Two kinds of taggers for the same tokens: both tag sets are kept."""

    first: Strategy
    second: Strategy

    def serves(self, lang: str) -> bool:
        """Tell whether both serve a language."""
        return self.first.serves(lang) and self.second.serves(lang)

    def load(self, lang: str) -> Tagger:
        """Load both taggers."""
        return _BothTaggers(self.first.load(lang), self.second.load(lang))


@dataclass(frozen=True, slots=True)
class _BothTaggers:
    """Lemmas and tags by one tagger; the own tags and features of another one."""

    first: Tagger
    second: Tagger

    def tag(self, sentences: Sequence[Sequence[str]]) -> Tagged:
        """Return lemmas and tags of all words."""
        one, other = self.first.tag(sentences), self.second.tag(sentences)
        feats = [second or first for first, second in zip(one.all_feats(), other.all_feats(), strict=True)]
        ours, theirs = one.all_relations(), other.all_relations()
        return Tagged(one.lemmas, one.tags, other.xpos, feats, *(ours if any(ours[1]) else theirs))


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
    codes, chosen = _codes(lang), dict(map(_split, choice.of_taggers(choices)))
    spec = next((chosen[code] for code in codes if code in chosen), "")
    if not spec and "" in chosen and _strategy(chosen[""]).serves(codes[-1]):
        spec = chosen[""]
    return spec or _default(codes)


def _default(codes: Sequence[str]) -> str:
    """Return the tagger that a language gets if none was chosen and the extra that it needs is installed."""
    spec = next((LANGUAGES[code] for code in codes if code in LANGUAGES), UNKNOWN)
    modules, otherwise = _OF_EXTRAS.get(spec, ((), ""))
    return spec if all(map(find_spec, modules)) else otherwise


def check_choices(choices: Sequence[str]) -> None:
    """Raise `UsageError` if a choice is wrong or its tagger can't be loaded, before anything is built with it."""
    for one in choices:
        if choice.is_parser(one):
            choice.check(one)
            continue
        lang, spec = _split(one)
        if lang:
            check_code(lang)
        strategy = _strategy(spec)
        _load(spec, lang or next(filter(strategy.serves, ("und", *LANGUAGES)), "und"))


def named_by(choices: Sequence[str]) -> list[Named]:
    """List what the taggers and parsers of choices would run or read; a tagger that is not known can do neither."""
    ours = choice.of_taggers(choices)
    specs = [spec for one in ours for spec in specs_in(_split(one)[1]) if _with_name(spec)[0] in TAGGERS]
    strategies = list(map(_strategy, specs))
    files = [choice.file_of(one) for one in choices if choice.is_parser(one)]
    return [
        *(item for strategy in strategies if isinstance(strategy, Outside) for item in strategy.names()),
        *(Named.at("model", file) for file in files if file),
    ]


def with_whole_paths(choices: Iterable[str]) -> tuple[str, ...]:
    """Return choices with absolute paths, so that they mean the same in another working directory."""
    return tuple(map(_with_whole_paths, choices))


def _with_whole_paths(chosen: str) -> str:
    """Return one choice with absolute paths."""
    if choice.is_parser(chosen):
        return choice.with_whole_path(chosen)
    lang, spec = _split(chosen)
    specs = specs_in(spec)
    whole = list(map(_with_whole_paths_of, specs))
    if whole == specs:
        return chosen
    return f"{lang}={_BESIDE.join(whole)}" if lang else _BESIDE.join(whole)


def _with_whole_paths_of(spec: str) -> str:
    """Return the specification of one tagger with absolute paths."""
    strategy = _strategy(spec)
    paths = strategy.paths() if isinstance(strategy, Outside) else {}
    if all(Path(path).is_absolute() for path in paths.values()):
        return spec
    name, parameters = _with_name(spec)
    return format_spec(name, {**parameters, **{key: str(Path(path).absolute()) for key, path in paths.items()}})


def paths_of(chosen: str) -> list[str]:
    """Return the paths of what the tagger or parser of a choice would run or read."""
    if choice.is_parser(chosen):
        return list(filter(None, [choice.file_of(chosen)]))
    strategies = map(_strategy, specs_in(_split(chosen)[1]))
    return [path for strategy in strategies if isinstance(strategy, Outside) for path in strategy.paths().values()]


def taggers_of(chosen: str) -> list[str]:
    """Return the names of the taggers that a choice is for; there may be no such taggers."""
    return [] if choice.is_parser(chosen) else [_with_name(spec)[0] for spec in specs_in(_split(chosen)[1])]


def specs_in(spec: str) -> list[str]:
    """Return the specifications of taggers that work side by side, or of the one tagger.

    A plus is between taggers if the name of one follows; otherwise it is a part of a path.
    """
    first, *others = spec.split(_BESIDE)
    found = [first]
    for other in others:
        if other.partition(":")[0].strip() in TAGGERS:
            found.append(other.strip())
        else:
            found[-1] += _BESIDE + other
    return found


def _codes(lang: str) -> tuple[str, str]:
    """Return the code of a language with its country or script, and without."""
    lang = lang.lower().replace("_", "-")
    return lang, lang.partition("-")[0]


def _split(chosen: str) -> tuple[str, str]:
    """Split a choice into its language, which is empty if it is for all, and the specification of its tagger."""
    before, equals, after = chosen.partition("=")
    lang, spec = (before.strip().lower(), after.strip()) if equals and ":" not in before else ("", chosen.strip())
    if not spec or spec.startswith(":"):
        raise UsageError(
            f"{chosen!r} names no tagger; write one as simplemma, de=own:de.tagger or de=spacy:model=de_core_news_sm"
        )
    return lang, spec


def _with_name(spec: str) -> tuple[str, dict[str, str]]:
    """Return the name of a tagger and its parameters; a value without a name is the model: `own:de.tagger`."""
    name, _, given = spec.partition(":")
    return parse_spec(f"{name}:model={given}" if given.strip() and "=" not in given.partition(",")[0] else spec)


def _strategy(spec: str) -> Strategy:
    """Return the kind of tagger that a specification names, with its parameters; or two kinds side by side."""
    first, *others = specs_in(spec)
    if others:
        if len(others) > 1:
            raise UsageError(f"{spec!r} names {len(others) + 1} taggers; at most two work side by side")
        return SideBySide(_strategy(first), _strategy(others[0]))
    name, parameters = _with_name(spec)
    return with_parameters(TAGGERS[name](), f"the tagger {name!r}", parameters)


@lru_cache(maxsize=_MAX_LOADED_TAGGERS)
def _load(spec: str, lang: str) -> Tagger:
    return _strategy(spec).load(lang)
