"""Rules for questions: which kinds of questions a language has, and the forms that their answers would have.

A file in TOML for each language, `rules/en.toml`; users can give one of their own. Delmonte (GReG, section 3.2) sorts
question words into semantic types, with substitutes for each, and puts these where the answer would stand.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from gristmill.answers.pattern import Pattern
from gristmill.errors import UsageError
from gristmill.settings import read_toml, refuse_unknown

TYPES = ("person", "place", "date", "number", "reason", "manner", "thing", "truth")
"""What can be asked for."""
CLASSES = ("#person", "#place", "#number", "#date")
"""Items that stand for all words of a kind."""
MAX_QUESTIONS = 500
_TABLE = re.compile(r"\{[A-Z]:(\w+)\}")
_LISTS = ("question_words", "stop", "negations", "modals", "opaque", "months", "days", "bare_verb_after")
_CAPITAL_NOUNS = "capital_nouns"
_NAMES = ("titles", "first", "institutions", "places", "before_places")
_KEYS = {"name": str, "type": str, "patterns": list, "unless": list, "items": list, "forms": list}


@dataclass(frozen=True, slots=True)
class QuestionRule:
    """A kind of question."""

    name: str
    type: str
    """One of `TYPES`."""
    patterns: tuple[Pattern, ...]
    unless: tuple[Pattern, ...] = ()
    """Questions that one of these fits are of another kind."""
    items: tuple[str, ...] = ()
    """What may stand in an answer in place of the question word: words, classes, `{V:agents}`."""
    forms: tuple[str, ...] = ()
    """What an answer would look like."""


@dataclass(frozen=True, slots=True)
class NameWords:
    """Words by which names are recognised, in lower case."""

    titles: frozenset[str] = frozenset()
    """What stands before the name of a person."""
    first: frozenset[str] = frozenset()
    """First names."""
    institutions: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()
    """Words within the names of institutions and places."""
    before_places: frozenset[str] = frozenset()
    capital_nouns: bool = False
    """Whether all nouns are written with a capital, as in German, so that capitals do not tell names."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a language."""

    name: str
    languages: tuple[str, ...] = ()
    question_words: frozenset[str] = frozenset()
    stop: frozenset[str] = frozenset()
    negations: frozenset[str] = frozenset()
    modals: frozenset[str] = frozenset()
    opaque: frozenset[str] = frozenset()
    months: frozenset[str] = frozenset()
    days: frozenset[str] = frozenset()
    """Names of months and days, in lower case."""
    bare_verb_after: frozenset[str] = frozenset()
    """Auxiliaries that a verb without an ending follows, after the subject: `do`."""
    verbs: Mapping[str, str] = field(default_factory=dict)
    """Features of a form of a verb, by its name."""
    irregular: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Past and participle of verbs."""
    tables: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    """Substitutes by lemma."""
    names: NameWords = field(default_factory=NameWords)
    questions: tuple[QuestionRule, ...] = ()


def rules_for(lang: str) -> Rules:
    """Return the rules of a language that come with Gristmill; rules without any question if there are none."""
    code = lang.lower().replace("_", "-").partition("-")[0]
    return next((rules for rules in bundled_rules().values() if code in rules.languages), Rules("none"))


@cache
def bundled_rules() -> dict[str, Rules]:
    """Read all rules that come with Gristmill, by the names of their files."""
    files = resources.files("gristmill.answers").joinpath("rules").iterdir()
    named = sorted((file.name.removesuffix(".toml"), file) for file in files if file.name.endswith(".toml"))
    return {name: rules_of(tomllib.loads(file.read_text("utf-8")), name) for name, file in named}


def read_rules(path: str | os.PathLike[str]) -> Rules:
    """Read rules of the user's own."""
    return rules_of(read_toml(os.fspath(path)), os.fspath(path))


def rules_of(table: Mapping[str, Any], name: str) -> Rules:
    """Make rules of what a file says; raises if it is wrong."""
    refuse_unknown(
        table,
        dict.fromkeys(("languages", *_LISTS, "verbs", "irregular", "tables", "names", "question"), 0),
        name,
    )
    entries = table.get("question", [])
    if not isinstance(entries, list) or not entries:
        raise UsageError(f"{name}: rules need a [[question]]")
    if len(entries) > MAX_QUESTIONS:
        raise UsageError(f"{name}: there may be {MAX_QUESTIONS} kinds of questions, not {len(entries):,}")
    names = _table(table, "names", name)
    refuse_unknown(names, dict.fromkeys((*_NAMES, _CAPITAL_NOUNS), 0), f"{name}: [names]")
    tables = _table(table, "tables", name)
    return Rules(
        name,
        tuple(_strings(table, "languages", name)),
        **{key: frozenset(one.lower() for one in _strings(table, key, name)) for key in _LISTS},
        verbs={key: str(value) for key, value in _table(table, "verbs", name).items()},
        irregular=_lists(_table(table, "irregular", name), f"{name}: [irregular]"),
        tables={key: _lists(value, f"{name}: [tables.{key}]") for key, value in tables.items()},
        names=NameWords(
            **{key: frozenset(one.lower() for one in _strings(names, key, f"{name}: [names]")) for key in _NAMES},
            capital_nouns=_is_true(names, _CAPITAL_NOUNS, f"{name}: [names]"),
        ),
        questions=tuple(_question(entry, tables, name) for entry in entries),
    )


def _question(entry: Any, tables: Mapping[str, Any], where: str) -> QuestionRule:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise UsageError(f"{where}: a [[question]] needs a name")
    where = f"{where}: the question {entry['name']!r}"
    refuse_unknown(entry, _KEYS, where)
    kind = entry.get("type", "thing")
    if kind not in TYPES:
        raise UsageError(f"{where}: there is no type {kind!r} (there are: {', '.join(TYPES)})")
    patterns = _strings(entry, "patterns", where)
    if not patterns:
        raise UsageError(f"{where}: it needs patterns")
    items = _strings(entry, "items", where)
    wrong = next((item for item in items if item.startswith("#") and item not in CLASSES), None)
    if wrong:
        raise UsageError(f"{where}: there is no class {wrong} (there are: {', '.join(CLASSES)})")
    forms = _strings(entry, "forms", where)
    unknown = next((name for text in (*items, *forms) for name in _TABLE.findall(text) if name not in tables), None)
    if unknown:
        raise UsageError(f"{where}: there is no [tables.{unknown}]")
    return QuestionRule(
        entry["name"],
        kind,
        tuple(Pattern.parse(text, where) for text in patterns),
        tuple(Pattern.parse(text, where) for text in _strings(entry, "unless", where)),
        tuple(items),
        tuple(forms),
    )


def _table(table: Mapping[str, Any], key: str, where: str) -> Mapping[str, Any]:
    found = table.get(key, {})
    if not isinstance(found, dict):
        raise UsageError(f"{where}: [{key}] must be a table")
    return found


def _is_true(table: Mapping[str, Any], key: str, where: str) -> bool:
    found = table.get(key, False)
    if not isinstance(found, bool):
        raise UsageError(f"{where}: {key} must be true or false")
    return found


def _strings(table: Mapping[str, Any], key: str, where: str) -> list[str]:
    found = table.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise UsageError(f"{where}: {key} must be a list of texts")
    return found


def _lists(table: Any, where: str) -> dict[str, tuple[str, ...]]:
    if not isinstance(table, dict):
        raise UsageError(f"{where} must be a table")
    return {key: tuple(_strings(table, key, where)) for key in table}
