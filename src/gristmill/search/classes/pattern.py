"""A pattern that finds the classes of a name, and the queries that are made of it for one name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gristmill.errors import UsageError
from gristmill.search.sketches.pattern import LABELLED
from gristmill.search.statistics.queries import quoted

TAGS, TREE = "tags", "tree"
CLASS, NAME = "1", "2"
"""Labels of the tokens of a pattern."""
_OPEN = '[tag!="PROPN"]'


@dataclass(frozen=True, slots=True)
class Name:
    """A name: the words of each of its forms. Al Franken may also be looked for as Franken."""

    text: str
    forms: tuple[tuple[str, ...], ...]
    titles: tuple[str, ...] = ()
    """Words that may stand before it, in lower case; before any other proper noun it is part of a longer name."""

    @property
    def query(self) -> str:
        """The name as a whole, in CQL: no proper noun stands beside it, but for titles before it."""
        return _within_sentences(f"{self._before} {self._words} {self._after}")

    @property
    def _words(self) -> str:
        forms = [" ".join(f"[word=={quoted(word)}]" for word in form) for form in self.forms]
        return forms[0] if len(forms) == 1 else f"({' | '.join(forms)})"

    @property
    def _before(self) -> str:
        allowed = f'[tag!="PROPN" | lemma_lc={_one_of(self.titles)}]' if self.titles else _OPEN
        return f"(<s> | {allowed})"

    @property
    def _after(self) -> str:
        return f"({_OPEN} | </s>)"

    def trees(self) -> list[str]:
        """The name as trees: one of its words is the head, on which all others hang.

        Any of them may be: it is the first in `flat` names such as Al Franken, the last in compounds such as New York.
        The head is no part of another name, and no proper noun but titles is part of it.
        """
        found = []
        for form in self.forms:
            titles = f" & lemma_lc!={_one_of(self.titles)}" if self.titles else ""
            alone = f'!>"flat.*|compound.*" [tag="PROPN" & word!={_one_of(form)}{titles}]'
            for at, head in enumerate(form):
                others = " ".join(f">> [word=={quoted(word)}]" for word in (*form[:at], *form[at + 1 :]))
                found.append(f"({NAME}:[word=={quoted(head)}] {others} {alone})")
        return found

    def put_into(self, text: str, start: int, end: int) -> str:
        """Put the name into a pattern in place of the token between two places of its text.

        Where the pattern begins or ends with the name, no other proper noun may stand beside it.
        """
        before, after = text[:start].strip(), text[end:].strip()
        return f"{before or self._before} {self._words} {after or self._after}"


@dataclass(frozen=True, slots=True)
class ClassPattern:
    """A pattern: its name, a title to be shown, and its queries, with `1:` at the class and `2:` at the name."""

    name: str
    title: str
    kind: str
    queries: tuple[str, ...]

    def check(self, where: str) -> ClassPattern:
        """Return this pattern; raise if a query has not one token for the class and one for the name."""
        for text in self.queries:
            for label in (CLASS, NAME):
                if sum(found["label"] == label for found in LABELLED.finditer(text)) != 1:
                    raise UsageError(f"{where}: the query needs one token {label}:[...]: {text}")
        return self

    def of(self, name: Name, noun: str = "") -> list[str]:
        """The queries for a name; for one class of it, if the lemma of that is given, in lower case."""
        named = _in_tree if self.kind == TREE else _in_row
        return [_within_sentences(_restricted(one, noun)) for text in self.queries for one in named(text, name)]


def exact(queries: Sequence[str], left_out: Sequence[str] = (), within: str = "") -> str:
    """Write queries as one, within a structure if one is given, without the sentences that have some tokens."""
    text = queries[0] if len(queries) == 1 else f"({' | '.join(f'({query})' for query in queries)})"
    if left_out:
        text = f"({text}) within (<s/> !containing ({' | '.join(left_out)}))"
    return f"{text} within {within}" if within else text


def _one_of(words: Sequence[str]) -> str:
    """Write some words as a value in CQL, a regular expression that matches any of them."""
    escaped = "|".join(re.escape(word) for word in words)
    return '"' + escaped.replace('"', '\\"') + '"'


def _in_row(text: str, name: Name) -> list[str]:
    found = _name_in(text)
    return [name.put_into(text, found.start(), found.end())]


def _in_tree(text: str, name: Name) -> list[str]:
    found = _name_in(text)
    return [f"{text[: found.start()]}{tree}{text[found.end() :]}" for tree in name.trees()]


def _name_in(text: str) -> re.Match[str]:
    return next(match for match in LABELLED.finditer(text) if match["label"] == NAME)


def _restricted(text: str, noun: str) -> str:
    """Put a condition on the class into a query."""

    def labelled(match: re.Match[str]) -> str:
        if match["label"] != CLASS or not noun:
            return match[0]
        own = match["condition"].strip()
        return f"{CLASS}:[lemma_lc=={quoted(noun)}{f' & ({own})' if own else ''}]"

    return LABELLED.sub(labelled, text)


def _within_sentences(text: str) -> str:
    return f"({text}) within <s/>"
