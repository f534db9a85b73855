"""Files of patterns that find the classes of a name: TOML, with patterns by tags or by dependency trees.

    kind = "tags"
    languages = ["en"]
    titles = ["mr.", "president"]
    not_classes = ["thing", "year"]

    [left_out]
    interrogative = '[word="\\?"]'

    [define]
    pre = '[tag="DET|ADJ|NOUN"]{0,4}'

    [[pattern]]
    name = "predicate"
    title = "... is a class"
    queries = ['2:[tag="PROPN"] [lemma="be"] @pre 1:[tag="NOUN"]']

Patterns are run in the order of the file. `1:` is the class, `2:` the name. `@pre` stands for what is defined,
`@titles` for one of the titles. Sentences in which a query of `left_out` is found are left out.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from gristmill.errors import UsageError
from gristmill.search.classes.pattern import TAGS, TREE, ClassPattern
from gristmill.search.cql.parsing import parse
from gristmill.search.sketches.definitions import grouped, written_out
from gristmill.settings import read_toml, refuse_unknown

KINDS = (TREE, TAGS)
"""What patterns are made of: dependency trees, or tags in a row."""
MAX_PATTERNS = 50
_KEYS = {
    "kind": 0,
    "languages": 0,
    "titles": 0,
    "not_classes": 0,
    "not_names": 0,
    "left_out": 0,
    "define": 0,
    "pattern": 0,
}
_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")


@dataclass(frozen=True, slots=True)
class ClassPatterns:
    """The patterns of a file, and what it leaves out."""

    name: str
    kind: str
    languages: tuple[str, ...]
    """Codes of languages; `*` for all that have no file of their own."""
    patterns: tuple[ClassPattern, ...]
    left_out: Mapping[str, str]
    """Queries by the reason for which sentences that have them are left out."""
    titles: tuple[str, ...]
    not_classes: frozenset[str]
    """Nouns that are never classes, in lower case."""
    not_names: frozenset[str]
    """Proper nouns that are not listed as names, in lower case."""


def read_patterns(path: str | os.PathLike[str]) -> ClassPatterns:
    """Read a file of the user's own."""
    return _patterns(read_toml(os.fspath(path)), os.fspath(path))


@cache
def pattern_files() -> dict[str, ClassPatterns]:
    """All files that come with Gristmill, by their names."""
    files = resources.files("gristmill.search.classes").joinpath("patterns").iterdir()
    named = sorted((file.name.removesuffix(".toml"), file) for file in files if file.name.endswith(".toml"))
    return {name: _patterns(tomllib.loads(file.read_text("utf-8")), name) for name, file in named}


def patterns_for(lang: str, kind: str) -> ClassPatterns:
    """The patterns of a language that come with Gristmill; raises if there are none of this kind."""
    files = [file for file in pattern_files().values() if file.kind == kind]
    for wanted in (lang, "*"):
        for file in files:
            if wanted in file.languages:
                return file
    known = sorted({code for file in files for code in file.languages})
    raise UsageError(
        f"there are no patterns by {kind} for classes of names in the language {lang}, only in {', '.join(known)}: "
        "give a file of your own (--patterns FILE)"
    )


def _patterns(table: Mapping[str, Any], name: str) -> ClassPatterns:
    """Make patterns of what a file says; raises if it is wrong."""
    refuse_unknown(table, _KEYS, name)
    kind = table.get("kind", TAGS)
    if kind not in KINDS:
        raise UsageError(f"{name}: kind must be one of {', '.join(KINDS)}")
    lists = {key: table.get(key, []) for key in ("languages", "titles", "not_classes", "not_names")}
    for key, values in lists.items():
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise UsageError(f"{name}: {key} must be a list of texts")
    defined, left_out, entries = table.get("define", {}), table.get("left_out", {}), table.get("pattern", [])
    if not isinstance(defined, dict) or not isinstance(left_out, dict):
        raise UsageError(f"{name}: [define] and [left_out] must be tables")
    if not isinstance(entries, list) or not 0 < len(entries) <= MAX_PATTERNS:
        raise UsageError(f"{name}: there must be a [[pattern]], and {MAX_PATTERNS} at most")
    titles = "|".join(re.escape(title.lower()) for title in lists["titles"]) or r"[^\w\W]"
    defined = {"titles": titles, **defined}
    patterns = tuple(_pattern(entry, kind, defined, name) for entry in entries)
    names = [pattern.name for pattern in patterns]
    twice = next((one for one in names if names.count(one) > 1), None)
    if twice:
        raise UsageError(f"{name}: there are two patterns with the name {twice!r}")
    return ClassPatterns(
        name,
        kind,
        tuple(lists["languages"]),
        patterns,
        {reason: _checked(query, defined, f"{name}: left_out {reason}") for reason, query in left_out.items()},
        tuple(lists["titles"]),
        frozenset(noun.lower() for noun in lists["not_classes"]),
        frozenset(noun.lower() for noun in lists["not_names"]),
    )


def _pattern(entry: Any, kind: str, defined: Mapping[str, Any], where: str) -> ClassPattern:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str) or not _NAME.fullmatch(entry["name"]):
        raise UsageError(f"{where}: a [[pattern]] needs a name of small letters, digits and _")
    where = f"{where}: the pattern {entry['name']!r}"
    refuse_unknown(entry, {"name": 0, "title": 0, "queries": 0}, where)
    queries = entry.get("queries")
    if not isinstance(queries, list) or not queries:
        raise UsageError(f"{where}: queries must be a list")
    texts = tuple(_checked(query, defined, where) for query in queries)
    return ClassPattern(entry["name"], str(entry.get("title", entry["name"])), kind, texts).check(where)


def _checked(query: Any, defined: Mapping[str, Any], where: str) -> str:
    """Write a query out; raises if it is none."""
    if not isinstance(query, str):
        raise UsageError(f"{where}: a query must be a text")
    for _ in written_out(query, defined, where):  # raises if something is not defined, or in a circle
        break
    text = grouped(query, defined)
    try:
        parse(text)
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None
    return text
