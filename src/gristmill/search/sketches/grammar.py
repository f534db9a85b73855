"""Sketch grammars: which patterns over tags make which grammatical relation. A grammar is a TOML file.

    languages = ["en"]

    [define]
    pre = '[tag="DET|ADJ|NUM"]{0,3}'

    [[relation]]
    name = "object"
    title = "objects of {}"
    dual = "object_of"
    dual_title = "verbs with {} as object"
    patterns = ['1:[tag="VERB"] @pre 2:[tag="NOUN"]']

`@pre` stands for what is defined; a definition that is a list makes a pattern of each of its members. `{}` in a title
is the word. A relation whose name has `{3}` is one relation for each lemma of the tokens that are labelled 3. A
relation with `symmetric = true` holds both ways, and has no dual. `also` and `dual_also` are further titles under which
queries find a relation, such as those that other grammars give it.

Where an index knows relations of tokens, patterns can be trees, `'1:[tag="VERB"] >obj 2:[tag="NOUN"]'`.

`terms` are patterns of noun phrases of several words, for `term(...)` in queries; `1:` is the head of the phrase.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import xxhash

from gristmill.errors import UsageError
from gristmill.search.sketches.definitions import MAX_PATTERNS, grouped, written_out
from gristmill.search.sketches.pattern import COLLOCATE, HEAD, NAME, Pattern
from gristmill.settings import read_toml, refuse_unknown

GENERAL = "general"
"""The grammar of languages that have none of their own."""
DEPENDENCIES = "dependencies"
"""The grammar of languages whose tokens have relations."""
MAX_RELATIONS = 100
BY_NAME = "{3}"
"""Stands in the name of a relation for the lemma of the third token."""
_KEYS = {
    "name": str,
    "title": str,
    "dual": str,
    "dual_title": str,
    "symmetric": bool,
    "patterns": list,
    "also": list,
    "dual_also": list,
}
_NAME = re.compile(r"[\w {}.+/-]{1,60}")


@dataclass(frozen=True, slots=True)
class Relation:
    """A grammatical relation, and its dual: if bread is an object of bake, bake has bread as object."""

    name: str
    patterns: tuple[Pattern, ...]
    compact: tuple[Pattern, ...]
    """The same patterns with alternatives in groups, so that queries made of them are short; not to find labels."""
    title: str
    dual: str
    """Name of the relation seen from the collocate; that of the relation itself if it is symmetric."""
    dual_title: str
    symmetric: bool = False
    also: tuple[str, ...] = ()
    """Further titles."""
    dual_also: tuple[str, ...] = ()
    """Further titles of the dual."""

    @property
    def by_name(self) -> bool:
        """Whether it is a relation for each lemma of a third token."""
        return BY_NAME in self.name


@dataclass(frozen=True, slots=True)
class Grammar:
    """The relations of a language."""

    name: str
    languages: tuple[str, ...]
    relations: tuple[Relation, ...]
    terms: tuple[str, ...] = ()
    """Patterns of noun phrases of several words, in CQL."""

    @property
    def needs_relations(self) -> bool:
        """Whether one of its patterns is a tree."""
        return any(pattern.is_tree for relation in self.relations for pattern in relation.patterns)

    @property
    def digest(self) -> str:
        """A hash of what is counted by the grammar: all relations and patterns."""
        about = [
            [one.name, one.dual, one.symmetric, one.title, one.dual_title, [pattern.text for pattern in one.patterns]]
            for one in self.relations
        ]
        return xxhash.xxh3_64_hexdigest(json.dumps(about).encode())


def read_grammar(path: str | os.PathLike[str]) -> Grammar:
    """Read a grammar of the user's own."""
    return _grammar(read_toml(os.fspath(path)), os.fspath(path))


def grammar_for(lang: str) -> Grammar:
    """The grammar of a language that comes with Gristmill; the general one if it has none of its own."""
    own = [grammar for name, grammar in grammars().items() if name != GENERAL and lang in grammar.languages]
    return own[0] if own else grammars()[GENERAL]


@cache
def dependency_grammar() -> Grammar:
    """The grammar of trees, for any language in which an index knows relations of tokens."""
    file = resources.files("gristmill.search.sketches").joinpath(f"{DEPENDENCIES}.toml")
    return _grammar(tomllib.loads(file.read_text("utf-8")), DEPENDENCIES)


@cache
def grammars() -> dict[str, Grammar]:
    """All grammars that come with Gristmill, by the names of their files."""
    files = resources.files("gristmill.search.sketches").joinpath("grammars").iterdir()
    named = sorted((file.name.removesuffix(".toml"), file) for file in files if file.name.endswith(".toml"))
    return {name: _grammar(tomllib.loads(file.read_text("utf-8")), name) for name, file in named}


def _grammar(table: Mapping[str, Any], name: str) -> Grammar:
    """Make a grammar of what a file says; raises if it is wrong."""
    refuse_unknown(table, {"languages": 0, "define": 0, "relation": 0, "terms": 0}, name)
    languages, defined, entries = table.get("languages", []), table.get("define", {}), table.get("relation", [])
    if not isinstance(languages, list) or not all(isinstance(lang, str) for lang in languages):
        raise UsageError(f"{name}: languages must be a list of codes")
    if not isinstance(defined, dict) or not isinstance(entries, list) or not entries:
        raise UsageError(f"{name}: a grammar needs a [[relation]], and [define] must be a table")
    if len(entries) > MAX_RELATIONS:
        raise UsageError(f"{name}: a grammar may have {MAX_RELATIONS} relations, and there are {len(entries):,}")
    relations = tuple(_relation(entry, defined, name) for entry in entries)
    names = [word for one in relations for word in {one.name, one.dual}]
    twice = next((word for word in names if names.count(word) > 1), None)
    if twice:
        raise UsageError(f"{name}: there are two relations with the name {twice!r}")
    return Grammar(name, tuple(languages), relations, _terms(table.get("terms", []), defined, name))


def _terms(texts: Any, defined: Mapping[str, Any], where: str) -> tuple[str, ...]:
    """The patterns of terms, written out; raises if one is wrong."""
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise UsageError(f"{where}: terms must be a list of CQL")
    written = tuple(dict.fromkeys(one for text in texts for one in written_out(text, defined, where)))
    for text in written:
        Pattern(text).check(f"{where}: terms", labels=(HEAD,))
    return written


def _relation(entry: Any, defined: Mapping[str, Any], where: str) -> Relation:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise UsageError(f"{where}: a [[relation]] needs a name")
    name = str(entry["name"])
    where = f"{where}: the relation {name!r}"
    refuse_unknown(entry, _KEYS, where)
    wrong = next((key for key, value in entry.items() if not isinstance(value, _KEYS[key])), None)
    if wrong:
        raise UsageError(f"{where}: {wrong} is of the wrong type")
    symmetric = entry.get("symmetric", False)
    dual = name if symmetric else str(entry.get("dual", f"{name}_of"))
    if not _NAME.fullmatch(name) or not _NAME.fullmatch(dual) or (BY_NAME in name) != (BY_NAME in dual):
        raise UsageError(f"{where}: names are short, of letters and digits, and {BY_NAME} is in both or in none")
    texts = entry.get("patterns", [])
    if not texts or not all(isinstance(text, str) for text in texts):
        raise UsageError(f"{where}: patterns must be a list of CQL")
    written = dict.fromkeys(one for text in texts for one in written_out(text, defined, where))
    if len(written) > MAX_PATTERNS:
        raise UsageError(f"{where}: there are more than {MAX_PATTERNS} patterns")
    labels = (HEAD, COLLOCATE, NAME) if BY_NAME in name else (HEAD, COLLOCATE)
    patterns = tuple(Pattern(text).check(where, labels=labels) for text in written)
    compact = tuple(Pattern(grouped(text, defined)) for text in texts)
    title = str(entry.get("title", name))
    dual_title = str(entry.get("dual_title", title if symmetric else dual))
    also, dual_also = (tuple(map(str, entry.get(key, []))) for key in ("also", "dual_also"))
    return Relation(name, patterns, compact, title, dual, dual_title, symmetric, also, dual_also)
