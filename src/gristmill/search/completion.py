"""Completion: what can be typed at a place of a query or a condition, with how often it occurs.

In a query these are words, attributes of tokens inside of `[...]` and their values inside of quotes, structures inside
of `<...>` with their attributes and values, and the forms of `completion_forms.py`; in a condition, attributes of
documents, their values, and names of subcorpora after `@`. Values are looked up by what they begin with in the sorted
lexicon, so that it takes milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gristmill.annotation.chunks import KINDS
from gristmill.search.completion_forms import complete_form, functions_beginning, relations
from gristmill.search.index.attribute import Attribute
from gristmill.search.index.index import Index
from gristmill.search.index.structure import StructureAttribute
from gristmill.search.subcorpora import read_subcorpora
from gristmill.search.suggestions import Completion, Suggestion

MAX_ITEMS = 12
_MAX_TEXT = 10_000
_MAX_VALUE_CHARACTERS = 200
_DEFAULT_ATTRIBUTE = "word"
_CQL_SIGNS = re.compile(r'["\[<]')
_WORD = re.compile(r"[^\s]*\Z")
_OF_LABEL = re.compile(r"\w\.(\w+)\s*!?==?\s*\Z")
"""An attribute of a labelled token that is compared."""
_AFTER_TOKEN = re.compile(r"[\"'\])]\s*!?<<?\w*\Z")
"""Where a structure can begin, or a relation to the token before."""
_META = re.compile(r"[\\.^$*+?{}\[\]|()]")
_PIECE = re.compile(
    r"""(?P<string>"(?:[^"\\]++|\\.)*+"|'(?:[^'\\]++|\\.)*+')
    |(?P<open>["'](?:[^"'\\]++|\\.|["'])*+)
    |(?P<name>\w++)
    |(?P<sign>!==|==|!=|<=|>=|</|/>|[=<>&|()\[\]!@])
    |(?P<other>[^\s])""",
    re.VERBOSE | re.DOTALL,
)
_COMPARING = frozenset({"=", "!=", "==", "!==", "<=", ">=", "<", ">"})
_LITERAL = frozenset({"==", "!==", "<=", ">=", "<", ">"})


def complete_query(index: Index, text: str, at: int | None = None, limit: int = MAX_ITEMS) -> Completion:
    """Complete a query of words, or in CQL, at a place; by default at its end."""
    at = _place(text, at)
    before = text[:at]
    if not _CQL_SIGNS.search(before) and not before.lstrip().startswith("(?"):
        return _word(index, before, limit)
    state = _read(before)
    form = complete_form(index, before, limit, inside=state.bracket) if state.quoted is None and not state.tag else None
    return _in_cql(index, text, at, state, limit) if form is None else form


def _in_cql(index: Index, text: str, at: int, state: _State, limit: int) -> Completion:
    """Complete attributes, values and structures of a query in CQL."""
    tokens: Mapping[str, Attribute] = index.attributes
    if state.tag:
        known = index.structures.get(state.structure)
        if not state.named:
            also = relations(index) if _AFTER_TOKEN.search(text[:at]) else []
            return _names(text, at, state.typed, [*index.structures, *KINDS, *also], "structure", "", limit)
        return _in_condition(text, at, state, known.attributes if known else {}, limit)
    if state.quoted is not None and not state.name:
        of_label = _OF_LABEL.search(text[max(0, at - len(state.quoted) - 200) : at - len(state.quoted) - 1])
        return _values(text, at, state, tokens.get(of_label[1] if of_label else _DEFAULT_ATTRIBUTE), limit)
    if not state.bracket:
        return Completion(at, at)
    found = _in_condition(text, at, state, tokens, limit)
    functions = functions_beginning(state.typed) if found.kind == "attribute" and state.typed else []
    return replace(found, items=[*found.items, *functions][:limit])


def complete_condition(index: Index, text: str, at: int | None = None, limit: int = MAX_ITEMS) -> Completion:
    """Complete a condition on documents at a place; by default at its end."""
    at = _place(text, at)
    state = _read(text[:at], condition=True)
    if state.reference:
        names = read_subcorpora(index.folder.parent)
        return _names(text, at, state.typed, names, "subcorpus", "", limit)
    return _in_condition(text, at, state, index.structures["doc"].attributes, limit)


@dataclass(slots=True)
class _State:
    """Where a text that was typed so far ends."""

    bracket: bool = False
    tag: bool = False
    """Whether inside of `[...]`, or of `<...>`."""
    structure: str = ""
    named: bool = False
    """The structure of the tag, and whether its name is complete."""
    name: str = ""
    sign: str = ""
    """The attribute that is compared, and how."""
    quoted: str | None = None
    """A value in quotes that is not closed, without the quote."""
    quote: str = ""
    typed: str = ""
    """A name that ends where the text ends."""
    reference: bool = False
    """Whether it is the name of a subcorpus."""
    complete: bool = False
    """Whether a comparison has just come to its end, so that no name can follow."""

    @property
    def in_condition(self) -> bool:
        """Whether names are those of attributes here."""
        return self.bracket or self.tag


def _read(text: str, *, condition: bool = False) -> _State:
    """Read a text as far as it goes, whatever is wrong with it; a condition is like what stands in brackets."""
    state = _State(bracket=condition)
    for piece in _PIECE.finditer(text):
        kind, found = piece.lastgroup, piece[0]
        at_end = piece.end() == len(text)
        if kind == "open":
            state.quoted, state.quote = found[1:], found[0]
        elif kind == "sign":
            _read_sign(state, found)
        elif kind == "name":
            _read_name(state, found, at_end)
        else:
            state.complete = bool(state.sign)
            state.name = state.sign = state.typed = ""
            state.reference = False
    return state


def _read_sign(state: _State, sign: str) -> None:
    state.typed, state.reference, state.complete = "", sign == "@", False
    if sign in {"<", "</"} and not (state.bracket or state.tag or state.name):
        state.tag, state.structure, state.named = True, "", False
    elif sign in {">", "/>"} and state.tag and not state.name:
        state.tag = False
    elif sign == "[":
        state.bracket = True
    elif sign == "]":
        state.bracket = False
    elif sign in _COMPARING and state.name:
        state.sign = sign
        return
    state.name = state.sign = ""


def _read_name(state: _State, name: str, at_end: bool) -> None:
    state.typed = name if at_end else ""
    if state.tag and not state.structure:
        state.structure, state.named = name, not at_end
    elif state.sign and not at_end:
        state.name, state.sign, state.complete = "", "", True
    elif not state.sign:
        state.name = name if state.in_condition and not at_end else ""


def _place(text: str, at: int | None) -> int:
    return min(len(text) if at is None else max(at, 0), len(text), _MAX_TEXT)


def _word(index: Index, before: str, limit: int) -> Completion:
    """Complete a word of a query without CQL."""
    found = _WORD.search(before)
    typed = found[0] if found else ""
    if not typed or re.search(r"[*?\\]", typed):
        return Completion(len(before), len(before))
    values = _most_frequent(index.attributes[_DEFAULT_ATTRIBUTE], typed, limit)
    items = [Suggestion(value, value, count) for value, count in values]
    return Completion(len(before) - len(typed), len(before), "word", items)


def _in_condition(
    text: str,
    at: int,
    state: _State,
    known: Mapping[str, Attribute] | Mapping[str, StructureAttribute],
    limit: int,
) -> Completion:
    if state.quoted is not None or state.sign:
        return _values(text, at, state, known.get(state.name), limit)
    if state.complete:
        return Completion(at, at)
    return _names(text, at, state.typed, known, "attribute", '="', limit)


def _names(text: str, at: int, typed: str, known: Iterable[str], kind: str, after: str, limit: int) -> Completion:
    """Complete a name; what follows it is put there too, unless it stands there already."""
    following = text[at:].lstrip()
    ending = after if after and not following.startswith(("=", "!", "<", ">")) else ""
    lower = typed.lower()
    items = [Suggestion(name, name + ending) for name in known if name.lower().startswith(lower)]
    return Completion(at - len(typed), at, kind, items[:limit])


def _values(
    text: str, at: int, state: _State, attribute: Attribute | StructureAttribute | None, limit: int
) -> Completion:
    """Complete a value by what it begins with; one that is an expression is not completed."""
    typed = state.typed if state.quoted is None else state.quoted
    plain = typed if state.sign in _LITERAL else re.sub(r"\\(.)", r"\1", typed)
    if attribute is None or (state.sign not in _LITERAL and _META.search(re.sub(r"\\.", "", typed))):
        return Completion(at, at)
    quote = state.quote or '"'
    end = _end_of_value(text, at, quote) if state.quoted is not None else at
    closing = "" if state.quoted is not None and text[end : end + 1] == quote else quote
    opening = "" if state.quoted is not None else quote
    items = [
        Suggestion(value, f"{opening}{_written(value, state.sign, quote)}{closing}", count)
        for value, count in _most_frequent(attribute, plain, limit)
    ]
    return Completion(at - len(typed), end, "value", items)


def _end_of_value(text: str, at: int, quote: str) -> int:
    """Where a value ends that somebody types in the middle of: at its quote, or at the next space."""
    found = re.compile(rf"[^\s\]{quote}]*").match(text, at)
    end = found.end() if found else at
    return end if text[end : end + 1] == quote else at


def _written(value: str, sign: str, quote: str) -> str:
    """A value as it is written in a query: what means something there has a backslash."""
    if sign in _LITERAL:
        return re.sub(r"""(["'\\])""", r"\\\1", value)
    return _META.sub(r"\\\g<0>", value).replace(quote, f"\\{quote}")


def _most_frequent(attribute: Attribute | StructureAttribute, typed: str, limit: int) -> list[tuple[str, int]]:
    """Find the most frequent values that begin with what was typed, in lower case or with capitals."""
    lexicon, counts = attribute.lexicon, attribute.counts
    forms = dict.fromkeys([typed, typed.lower(), typed[:1].upper() + typed[1:], typed.upper()])
    ranges = {lexicon.beginning_with(form) for form in forms}
    ids = np.unique(np.concatenate([_top(counts, first, last, limit) for first, last in ranges]))
    best = ids[np.lexsort((ids, -counts[ids]))][: 2 * limit]
    found = zip(lexicon.strings(best), counts[best].tolist(), strict=True)
    return [(value, count) for value, count in found if count and 0 < len(value) <= _MAX_VALUE_CHARACTERS][:limit]


def _top(counts: Any, first: int, last: int, limit: int) -> Any:
    own = counts[first:last]
    if len(own) <= 2 * limit:
        return first + np.arange(len(own))
    return first + np.argpartition(own, -2 * limit)[-2 * limit :]
