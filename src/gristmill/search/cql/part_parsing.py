"""Parsing of the parts of a query: tokens, structures, labels, and how often a part comes.

`parsing.py` reads what is made of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gristmill.condition import SIGNS, Always, Condition, Lexer, parse_condition, parse_value
from gristmill.search.cql.query import Boundary, Glue, Node, Whole
from gristmill.search.cql.term_parsing import TermParser, whole
from gristmill.search.cql.terms import CURRENT, KEYWORD, MATCH, MATCH_END, TARGET, labels_of

MAX_UNBOUNDED_TIMES = 100
"""Repetitions that `*`, `+` and `{n,}` stand for at most."""
DEFAULT_ATTRIBUTE = "word"
_TIMES = {"?": (0, 1), "*": (0, MAX_UNBOUNDED_TIMES), "+": (1, MAX_UNBOUNDED_TIMES)}
_RESERVED = {CURRENT, MATCH, MATCH_END, TARGET, KEYWORD}
_TARGETS = {"": TARGET, "0": TARGET, "1": KEYWORD}


@dataclass
class PartParser:
    """A parser at some place of a query. Each method reads one rule of the grammar."""

    lexer: Lexer
    labels: set[str] = field(default_factory=set)
    """Labels of tokens that were read, as far as what comes next can be in one match with them."""
    refers: bool = False
    """Whether a part was read that has a condition on a token outside of it."""

    def token(self) -> Condition:
        """Read the condition on one token."""
        if self.lexer.next.kind == "string":
            return parse_value(self.lexer, DEFAULT_ATTRIBUTE, "=", self.lexer.next.place)
        parser = TermParser(self.lexer, self.labels, in_token=True)
        if self.lexer.at("~"):
            return parser.thesaurus()
        if self.lexer.at("$"):
            return parser.listed_words(DEFAULT_ATTRIBUTE)
        if not self.lexer.accept("["):
            raise self.lexer.unexpected("a token", self.hint())
        condition: Condition = Always() if self.lexer.at("]") else self.token_condition()
        self.lexer.expect("]")
        return condition

    def token_condition(self) -> Condition:
        """Read a condition on a token; it may use labels of tokens before it."""
        condition = TermParser(self.lexer, self.labels, in_token=True).condition()
        self.refers = self.refers or bool(labels_of(condition))
        return condition

    def structure(self) -> Node:
        """Read `<s>`, `</s>` or `<s/>`, with or without a condition; `<doc_year="2015">` is CQP's way."""
        opening = self.lexer.take()
        if self.lexer.next.kind != "name":
            raise self.lexer.unexpected("the name of a structure", "such as doc, p or s")
        name = self.lexer.take()
        kind, _, attribute = name.text.partition("_")
        if attribute and self.lexer.at(*SIGNS) and self.lexer.after.kind == "string":
            condition = parse_value(self.lexer, attribute, self.lexer.take().text, name.place)
        else:
            kind = kind if attribute else name.text
            condition = Always() if self.lexer.at(">", "/>") else parse_condition(self.lexer)
        if opening.text == "<" and self.lexer.accept("/>"):
            return Glue() if kind == "g" else Whole(kind, condition, name.place)
        self.lexer.expect(">")
        return Boundary(kind, condition, opening.text == "</", name.place)

    def times(self) -> tuple[int, int] | None:
        """Read how often the part before comes at least and at most; None if nothing is said."""
        if sign := self.lexer.accept(*_TIMES):
            return _TIMES[sign.text]
        opening = self.lexer.accept("{")
        if not opening:
            return None
        least = self.number() if self.lexer.next.kind == "number" else None
        most = least
        if self.lexer.accept(","):
            most = self.number() if self.lexer.next.kind == "number" else max(MAX_UNBOUNDED_TIMES, least or 0)
        if most is None:
            raise self.lexer.unexpected("a number", "repetitions are written {2}, {2,}, {,3} or {2,3}")
        self.lexer.expect("}")
        if most < (least or 0):
            raise opening.place.error(f"at least {least} and at most {most} times can't be:")
        return least or 0, most

    def target(self) -> str:
        """Read which target a token is, after `@`."""
        number = self.lexer.take() if self.lexer.next.kind == "number" and self.lexer.after.text != "." else None
        self.lexer.accept(":")
        if number is not None and number.text not in _TARGETS:
            raise number.place.error("there are the targets @ (or @0) and @1:")
        label = _TARGETS[number.text if number else ""]
        self.labels.add(label)
        return label

    def label(self) -> str:
        """Read the label before a token."""
        found = self.lexer.take()
        label = str(whole(found)) if found.kind == "number" else found.text
        if found.kind == "name" and not self.lexer.at(":"):
            raise found.place.error(
                f'expected a token, but there is {found.text!r} (in CQL a word is written in quotes: "{found.text}"):'
            )
        self.lexer.expect(
            ":", "a number here is the label of a token, as in 1:[]; the number itself is written in quotes"
        )
        if label in _RESERVED:
            raise found.place.error(f"{label} can't be a label, as each match has it already:")
        if label in self.labels:
            raise found.place.error(f"there are two tokens with the label {label}:")
        self.labels.add(label)
        return label

    def number(self) -> int:
        """Read a number of repetitions."""
        found = self.lexer.take()
        if not found.text.isdigit() or len(found.text) > 6:
            raise found.place.error("expected a whole number that is not too large:")
        return int(found.text)

    def hint(self) -> str:
        """What was perhaps meant by a word without quotes."""
        return f'in CQL a word is written in quotes: "{self.lexer.next.text}"' if self.lexer.next.kind == "name" else ""

    def named_structure(self) -> Whole:
        """Read the name of a kind of structure, `s`, as CQP has it."""
        name = self.lexer.take()
        return Whole(name.text, Always(), name.place)
