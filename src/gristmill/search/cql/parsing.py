"""Parsing of CQL, the query language of corpus linguists (Christ 1994; as in Manatee), by recursive descent.

docs/cql.md has the grammar.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gristmill.arguments import wrong_type
from gristmill.condition import (
    MAX_DEPTH,
    MAX_LENGTH,
    Always,
    AnyOf,
    Condition,
    Lexer,
    Place,
    parse_condition,
    parse_value,
)
from gristmill.errors import UsageError
from gristmill.search.cql.query import (
    Agreement,
    Alternatives,
    Boundary,
    Emptiness,
    Node,
    Query,
    Relation,
    Repeat,
    Sequence,
    Token,
    Whole,
    Words,
)

MAX_UNBOUNDED_TIMES = 100
"""Repetitions that `*`, `+` and `{n,}` stand for at most."""
MAX_MATCH_TOKENS = 10_000
"""Tokens that a query may match at most, by its repetitions."""
DEFAULT_ATTRIBUTE = "word"
_CQL_SIGNS = '"[<'
"""Characters that tell CQL from the words of a simple query."""
_TIMES = {"?": (0, 1), "*": (0, MAX_UNBOUNDED_TIMES), "+": (1, MAX_UNBOUNDED_TIMES)}


def parse(text: str) -> Query:
    """Parse a query: CQL if it has a double quote, `[` or `<`, otherwise the words of a simple query."""
    if not isinstance(text, str):
        raise wrong_type("a query", "text: words, or CQL", text)
    if not text.strip():
        raise UsageError('the query is empty: write words, or CQL such as [lemma="go"] [tag="ADP"]')
    if any(sign in text for sign in _CQL_SIGNS):
        return _Parser(Lexer(text, "query")).query()
    if len(text) > MAX_LENGTH:
        raise UsageError(
            f"the query is too long: it has {len(text):,} characters, and at most {MAX_LENGTH:,} are allowed"
        )
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise UsageError(f"the query {text!r} is not valid Unicode text")
    return Query(text, Words(text))


@dataclass
class _Parser:
    """A parser at some place of a query. Each method reads one rule of the grammar."""

    lexer: Lexer
    depth: int = 0
    labels: dict[int, Place] = field(default_factory=dict)

    def query(self) -> Query:
        """Read the whole query."""
        node = self.expression()
        agreements = []
        while self.lexer.accept("&"):
            agreements.append(self.agreement())
        if self.lexer.next.kind != "end":
            raise self.lexer.unexpected("a token, 'within', 'containing' or the end", self.hint())
        self.check_tokens(node, Place(self.lexer.text, 0))
        return Query(self.lexer.text, node, tuple(agreements))

    def expression(self) -> Node:
        """Read alternatives, and what they are within or contain."""
        node = self.alternatives()
        while self.lexer.at("within", "containing", "!", "not"):
            negated = self.lexer.accept("!", "not") is not None
            if not self.lexer.at("within", "containing"):
                raise self.lexer.unexpected("'within' or 'containing'")
            kind = self.lexer.take()
            place = self.lexer.next.place
            if self.lexer.next.kind == "name":
                raise self.lexer.unexpected(
                    f"a query after {kind.text!r}", f"a structure is written <{self.lexer.next.text}/>"
                )
            other = self.alternatives()
            self.check_tokens(other, place)
            node = Relation(node, kind.text, other, negated)
        return node

    def alternatives(self) -> Node:
        """Read sequences with `|` between them."""
        parts = [self.sequence()]
        while self.lexer.accept("|"):
            parts.append(self.sequence())
        return _one_of(parts)

    def sequence(self) -> Node:
        """Read one or more parts in a row."""
        parts = [self.part()]
        while self.lexer.next.kind in {"string", "number"} or self.lexer.at("[", "(", "<", "</"):
            parts.append(self.part())
        return parts[0] if len(parts) == 1 else Sequence(tuple(_flat(parts)))

    def part(self) -> Node:
        """Read a token, a group or a structure, and how often it comes."""
        place = self.lexer.next.place
        node = self.single()
        while times := self.times():
            least, most = times
            if least > 1 and node.emptiness is Emptiness.SOMETIMES:
                raise place.error("what is repeated needs a token, but this can be the edge of a structure alone:")
            node = _repeated(node, least, most)
            if node.longest > MAX_MATCH_TOKENS:
                raise place.error(
                    f"this could match {node.longest:,} tokens in a row, and at most {MAX_MATCH_TOKENS:,} are allowed:"
                )
        return node

    def single(self) -> Node:
        """Read a token, a group or a structure."""
        if self.lexer.at("("):
            return self.group()
        if self.lexer.at("<", "</"):
            return self.structure()
        if self.lexer.next.kind == "number":
            label = self.label()
            return Token(self.token(), label)
        return Token(self.token())

    def group(self) -> Node:
        """Read what stands in brackets."""
        opening = self.lexer.take()
        if self.depth == MAX_DEPTH:
            raise opening.place.error(f"there are more than {MAX_DEPTH} brackets within brackets, here:")
        self.depth += 1
        node = self.expression()
        self.depth -= 1
        self.lexer.expect(")", self.hint())
        return node

    def token(self) -> Condition:
        """Read the condition on one token."""
        if self.lexer.next.kind == "string":
            return parse_value(self.lexer, DEFAULT_ATTRIBUTE, "=", self.lexer.next.place)
        if not self.lexer.accept("["):
            raise self.lexer.unexpected("a token", self.hint())
        condition: Condition = Always() if self.lexer.at("]") else parse_condition(self.lexer)
        self.lexer.expect("]")
        return condition

    def structure(self) -> Node:
        """Read `<s>`, `</s>` or `<s/>`, with or without a condition."""
        opening = self.lexer.take()
        if self.lexer.next.kind != "name":
            raise self.lexer.unexpected("the name of a structure", "such as doc, p or s")
        name = self.lexer.take()
        condition: Condition = Always() if self.lexer.at(">", "/>") else parse_condition(self.lexer)
        if opening.text == "<" and self.lexer.accept("/>"):
            return Whole(name.text, condition, name.place)
        self.lexer.expect(">")
        return Boundary(name.text, condition, opening.text == "</", name.place)

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

    def label(self) -> int:
        """Read the label before a token."""
        place = self.lexer.next.place
        label = self.number()
        self.lexer.expect(
            ":", "a number here is the label of a token, as in 1:[]; the number itself is written in quotes"
        )
        if label in self.labels:
            raise place.error(f"there are two tokens with the label {label}:")
        self.labels[label] = place
        return label

    def agreement(self) -> Agreement:
        """Read a condition on two labelled tokens."""
        place = self.lexer.next.place
        first = self.labelled()
        sign = self.lexer.accept("=", "!=")
        if not sign:
            raise self.lexer.unexpected("'=' or '!='")
        second = self.labelled()
        return Agreement((first[0], second[0]), (first[1], second[1]), sign.text == "!=", place)

    def labelled(self) -> tuple[int, str]:
        """Read a label and an attribute, `1.lemma`."""
        found = self.lexer.next
        if found.kind != "number":
            raise self.lexer.unexpected("a labelled attribute such as 1.lemma")
        label = self.number()
        if label not in self.labels:
            raise found.place.error(
                f"there is no token with the label {label} (a label is written before a token, as in {label}:[]):"
            )
        self.lexer.expect(".")
        if self.lexer.next.kind != "name":
            raise self.lexer.unexpected("the name of an attribute")
        return label, self.lexer.take().text

    def number(self) -> int:
        """Read a whole number."""
        found = self.lexer.take()
        if not found.text.isdigit() or len(found.text) > 6:
            raise found.place.error("expected a whole number that is not too large:")
        return int(found.text)

    def check_tokens(self, node: Node, place: Place) -> None:
        """Raise if a part of the query can't match a token."""
        if node.longest == 0:
            hint = (
                '; whole sentences are <s/>, what stands at their start is <s> [] or <s> "We"'
                if self.lexer.text[place.at] == "<"
                else ""
            )
            raise place.error(f"this can match no token{hint}:")

    def hint(self) -> str:
        """What was perhaps meant by a word without quotes."""
        return f'in CQL a word is written in quotes: "{self.lexer.next.text}"' if self.lexer.next.kind == "name" else ""


def _flat(parts: list[Node]) -> list[Node]:
    """Open up sequences within a sequence."""
    return [inner for part in parts for inner in (part.parts if isinstance(part, Sequence) else (part,))]


def _repeated(node: Node, least: int, most: int) -> Node:
    """Make a repetition; one of a repetition that may come once is one repetition: `("a"+)*` is `"a"*`, only longer."""
    if isinstance(node, Repeat) and node.least <= 1:
        return Repeat(node.part, node.least * least, node.most * most)
    return node if least == most == 1 else Repeat(node, least, most)


def _one_of(parts: list[Node]) -> Node:
    """Make alternatives; those of one token become a condition on that token."""
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, Alternatives) else (part,))]
    if len(flat) == 1:
        return flat[0]
    tokens = [part.condition for part in flat if isinstance(part, Token) and part.label is None]
    return Token(AnyOf(tuple(tokens))) if len(tokens) == len(flat) else Alternatives(tuple(flat))
