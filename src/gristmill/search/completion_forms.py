"""Completion of what in CQL is no attribute and no value: lists, labels, functions, flags, strategies, keywords.

They are told by what stands directly before the cursor, outside of quotes:

    [lemma = $an            lists of words
    "a" wi                  keywords; after within and containing, structures
    "a"%                    flags
    1:[] 2:[] & 1.          attributes of a labelled token; before the dot labels, and functions
    (?lo                    strategies
    "eat" >ob               relations of tokens, if the index has any
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from gristmill.annotation.chunks import KINDS
from gristmill.corpus.attributes import DEPREL
from gristmill.search.cql.functions import FUNCTIONS
from gristmill.search.cql.strategies import STRATEGIES
from gristmill.search.cql.terms import CURRENT, MATCH, MATCH_END
from gristmill.search.index.index import Index
from gristmill.search.suggestions import Completion, Suggestion
from gristmill.search.wordlists import FOLDER, saved_lists

_STRATEGY = re.compile(r"\A\s*\(\?(\w*)\Z")
_LIST = re.compile(r"\$(\w*)\Z")
_FLAG = re.compile(r"""["']\s*%(\w*)\Z""")
_OF_LABEL = re.compile(r"(?<![\w.\"'])(\w+)\.(\w*)\Z")
_AROUND = re.compile(r"\b(?:within|containing)\s+(?:\d+\s+)?<?(\w*)\Z")
_EXPANDED = re.compile(r"\bexpand\s+(?:left\s+|right\s+)?to\s+(?:\d+\s+)?(\w*)\Z")
_ARGUMENT = re.compile(r"\b(\w+)\((?:[^()]*,)?\s*(\w*)\Z")
_CONDITION = re.compile(r"(?:&|::|->)[^\[\]\"'<>]*?(?<![\w.])(\w*)\Z")
_KEYWORD = re.compile(r"[\"'\]>)}*+?]\s+(\w+)\Z")
_RELATION = re.compile(r"[\"'\])]\s*!?>>?\s*([\w:]*)\Z")
_TAG = re.compile(r"<\w+\s[^<>\[\]]*>[\w:]*\Z")
_TARGET = re.compile(r"@(\d?)")
_LABEL = re.compile(r"\b(\w+):(?=\s*[\"'\[$])")
_STRINGS = re.compile(r"""\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'""")
_LOOKED_AT = 300
"""Characters before the cursor that tell what can come; more could take long."""
_FLAGS = (("c", "ignore case"), ("d", "ignore diacritics"), ("l", "take it literally"))
_KEYWORDS = ("within", "containing", "expand to", "cut", "not within", "not containing")


def complete_form(index: Index, before: str, limit: int, *, inside: bool) -> Completion | None:
    """Complete what is no attribute or value, after a text that is not in quotes; None if there is nothing such.

    `inside` says that the text ends inside of brackets.
    """
    if (match := _STRATEGY.match(before)) and not inside:
        return _names(before, match[1], STRATEGIES, "strategy", limit, ") ")
    found = _anywhere(index, before, limit, inside)
    return found if found is not None or inside else _outside(index, before, limit)


def relations(index: Index) -> list[str]:
    """The relations of tokens to their heads, the most frequent first; none if the index has none."""
    attribute = index.attributes.get(DEPREL)
    if attribute is None:
        return []
    order = np.argsort(-attribute.counts, kind="stable")
    return [name for name in attribute.lexicon.strings(order) if name]


def functions_beginning(typed: str) -> list[Suggestion]:
    """Functions whose names begin with what was typed."""
    return [Suggestion(f"{name}(…)", f"{name}(") for name in FUNCTIONS if name.startswith(typed)]


def _anywhere(index: Index, before: str, limit: int, inside: bool) -> Completion | None:
    """Complete what can stand inside of brackets and outside."""
    start = max(0, len(before) - _LOOKED_AT)
    if match := _LIST.search(before, start):
        return _names(before, match[1], saved_lists(index.folder.parent / FOLDER), "list", limit)
    if match := _FLAG.search(before, start):
        items = [Suggestion(f"%{flag} {about}", match[1] + flag) for flag, about in _FLAGS if flag not in match[1]]
        return Completion(len(before) - len(match[1]), len(before), "flag", items[:limit])
    if (match := _OF_LABEL.search(before, start)) and match[1] in {
        *_labels(before),
        CURRENT,
        MATCH,
        MATCH_END,
    }:
        return _names(before, match[2], index.attributes, "attribute", limit)
    if (match := _ARGUMENT.search(before, start)) and match[1] in FUNCTIONS:
        kinds = FUNCTIONS[match[1]].kinds
        if kinds[0] == "structure" and "," not in match[0]:
            return _names(before, match[2], index.structures, "structure", limit)
        return _names(before, match[2], index.attributes if inside else _labels(before), "argument", limit)
    return None


def _outside(index: Index, before: str, limit: int) -> Completion | None:
    """Complete what stands outside of brackets."""
    start = max(0, len(before) - _LOOKED_AT)
    if (match := _RELATION.search(before, start)) and not _TAG.search(before, start):
        return _names(before, match[1], relations(index), "relation", limit, " ")
    if match := _AROUND.search(before, start):
        typed = match[0][match.start(1) - match.start() - 1 :] if f"<{match[1]}" in match[0] else match[1]
        names = [name for name in [*index.structures, *KINDS] if name.startswith(match[1])]
        items = [Suggestion(f"<{name}/>", f"<{name}/>") for name in names]
        return Completion(len(before) - len(typed), len(before), "structure", items[:limit])
    if match := _EXPANDED.search(before, start):
        return _names(before, match[1], [*index.structures, "words"], "structure", limit)
    if match := _CONDITION.search(before, start):
        labels = [Suggestion(label, f"{label}.") for label in _labels(before) if label.startswith(match[1])]
        items = [*labels, *functions_beginning(match[1])]
        return Completion(len(before) - len(match[1]), len(before), "label", items[:limit])
    if match := _KEYWORD.search(before, start):
        return _names(before, match[1], _KEYWORDS, "keyword", limit, " ")
    return None


def _labels(before: str) -> list[str]:
    """Labels of the tokens in a text, in their order."""
    plain = _STRINGS.sub('""', before)
    targets = ["keyword" if number == "1" else "target" for number in _TARGET.findall(plain)]
    return list(dict.fromkeys([*_LABEL.findall(plain), *targets]))


def _names(before: str, typed: str, known: Iterable[str], kind: str, limit: int, after: str = "") -> Completion:
    items = [Suggestion(name, name + after) for name in known if name.startswith(typed) and name + after != typed]
    return Completion(len(before) - len(typed), len(before), kind, items[:limit])
