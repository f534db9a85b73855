"""Parsing of CQL, the query language of corpus linguists (Christ 1994; as in Manatee and CQP), by recursive descent.

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
)
from gristmill.errors import UsageError
from gristmill.search.cql.query import (
    Ahead,
    AlignedQuery,
    Alternatives,
    Constrained,
    Emptiness,
    Expansion,
    Gaps,
    Length,
    Meet,
    Node,
    Query,
    Relation,
    Repeat,
    Sequence,
    Token,
    Words,
)
from gristmill.search.cql.strategies import ALL, STRATEGIES
from gristmill.search.cql.term_parsing import TermParser, whole
from gristmill.search.cql.terms import labels_of
from gristmill.search.cql.tree_parsing import TreeParser

MAX_WRITTEN_OUT = 50
"""How often a part must come at most, if it can also be the edge of a structure."""
_CQL_SIGNS = '"[<'
"""Characters that tell CQL from the words of a simple query."""


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


def parsed(query: str | Query) -> Query:
    """Parse a query, if it is not."""
    return query if isinstance(query, Query) else parse(query)


@dataclass
class _Parser(TreeParser):
    """A parser of whole queries."""

    depth: int = 0
    aligned: list[AlignedQuery] = field(default_factory=list)
    """What the other language of a parallel corpus must have."""

    def query(self) -> Query:
        """Read the whole query."""
        strategy = self.strategy()
        node = self.checked(self.expression(), Place(self.lexer.text, 0))
        cut = whole(self.lexer.take()) if self.lexer.accept("cut") else None
        expansion = self.expansion() if self.lexer.accept("expand") else None
        self.lexer.accept(";")
        if self.lexer.next.kind != "end":
            raise self.lexer.unexpected("a token, 'within', 'containing' or the end", self.hint())
        return Query(self.lexer.text, node, strategy, cut, expansion, aligned=tuple(self.aligned))

    def strategy(self) -> str:
        """Read which matches count, `(?longest)`; all of them if nothing is said."""
        if not (self.lexer.at("(") and self.lexer.after.text == "?"):
            return ALL
        self.lexer.take()
        self.lexer.take()
        if self.lexer.next.text not in STRATEGIES:
            raise self.lexer.unexpected(f"one of {', '.join(STRATEGIES)}")
        found = self.lexer.take().text
        self.lexer.expect(")")
        return found

    def expansion(self) -> Expansion:
        """Read to what hits are made longer."""
        side = self.lexer.accept("left", "right")
        self.lexer.expect("to")
        count = whole(self.lexer.take()) if self.lexer.next.kind == "number" else 1
        structure = None
        if self.lexer.next.kind == "name" and not self.lexer.accept("words", "word"):
            structure = self.named_structure()
        return Expansion(structure, count, side is None or side.text == "left", side is None or side.text == "right")

    def expression(self) -> Node:
        """Read alternatives, what they are within or contain, and conditions on their labelled tokens."""
        outer = set(self.labels)
        node = self.alternatives()
        while True:
            if self.lexer.accept("&", "::"):
                node = Constrained(node, self.condition())
                self.refers = self.refers or bool(labels_of(node.condition) & outer)
            elif self.lexer.at("within", "containing", "!", "not"):
                node = self.relation(node)
            else:
                return node

    def condition(self) -> Condition:
        """Read a condition on the labelled tokens of a match."""
        return TermParser(self.lexer, self.labels, in_token=False).condition()

    def checked(self, node: Node, place: Place) -> Node:
        """Return a whole expression, with its conditions checked; raises if it can't match a token."""
        if node.longest == 0:
            hint = (
                '; whole sentences are <s/>, what stands at their start is <s> [] or <s> "We"'
                if self.lexer.text[place.at] == "<"
                else ""
            )
            raise place.error(f"this can match no token{hint}:")
        return Constrained(node, Always()) if self.refers and not isinstance(node, Constrained) else node

    def relation(self, node: Node) -> Node:
        """Read what a part is within, or contains."""
        negated = self.lexer.accept("!", "not") is not None
        if not self.lexer.at("within", "containing"):
            raise self.lexer.unexpected("'within' or 'containing'")
        kind = self.lexer.take().text
        place = self.lexer.next.place
        if self.lexer.next.kind == "number" and self.lexer.after.text != ":":
            return self.counted(node, kind, negated)
        if self.lexer.next.kind == "name" and self.lexer.after.text == ":":
            return self.aligned_with(node, kind, negated)
        if self.lexer.next.kind == "name" and not self.lexer.at("MU"):
            return Relation(node, kind, self.named_structure(), negated)
        labels, self.labels, refers, self.refers = self.labels, set(), self.refers, False
        other = self.checked(self.alternatives(), place)
        self.labels, self.refers = labels, refers
        return Relation(node, kind, other, negated)

    def aligned_with(self, node: Node, kind: str, negated: bool) -> Node:
        """Read what the sentences that a hit is aligned with must have; it holds for hits of the whole query."""
        place = self.lexer.next.place
        lang = self.lexer.take().text
        if kind != "within" or self.depth:
            raise place.error(
                f"{lang!r} before a colon is the language of a parallel corpus, as in [] within {lang}: [], and can't "
                f"stand in brackets (a label is not needed in what follows {kind!r}):"
            )
        self.lexer.expect(":")
        place = self.lexer.next.place
        labels, self.labels, refers, self.refers = self.labels, set(), self.refers, False
        other = self.checked(self.alternatives(), place)
        self.labels, self.refers = labels, refers
        self.aligned.append(AlignedQuery(lang, Query(self.lexer.text, other), negated))
        return node

    def counted(self, node: Node, kind: str, negated: bool) -> Node:
        """Read a number of tokens or of structures that matches are within, or contain."""
        count = whole(self.lexer.take())
        if (
            self.lexer.accept("words", "word")
            or self.lexer.next.kind != "name"
            or self.lexer.at("within", "containing", "not", "cut", "expand")
        ):
            return Length(node, kind, count, negated)
        structure = self.named_structure()
        least = 1 if kind == "within" else count
        return Relation(node, kind, Repeat(structure, least, max(1, count)), negated)

    def alternatives(self) -> Node:
        """Read sequences with `|` between them; a label may be in several of them."""
        before, after = set(self.labels), set(self.labels)
        parts: list[Node] = []
        while not parts or self.lexer.accept("|"):
            self.labels = set(before)
            parts.append(self.sequence())
            after |= self.labels
        self.labels = after
        return _one_of(parts)

    def sequence(self) -> Node:
        """Read one or more parts in a row; or, after `!`, the text between their matches."""
        negation = self.lexer.accept("!")
        place = self.lexer.next.place
        parts = [self.part()]
        while self.at_part():
            parts.append(self.part())
        node = parts[0] if len(parts) == 1 else Sequence(tuple(_flat(parts)))
        return Gaps(self.checked(node, place)) if negation else node

    def at_part(self) -> bool:
        """Whether a part of a sequence comes next."""
        found = self.lexer.next
        if found.kind == "name":
            return self.lexer.after.text == ":" or (found.text == "MU" and self.lexer.after.text == "(")
        return found.kind in {"string", "number"} or self.lexer.at("[", "[:", "(", "<", "</", "@", "~", "$")

    def part(self) -> Node:
        """Read a token, a group or a structure, and how often it comes."""
        place = self.lexer.next.place
        node = self.single()
        if self.at_branch():
            return self.tree(node, place)
        while times := self.times():
            least, most = times
            if least > MAX_WRITTEN_OUT and node.emptiness is Emptiness.SOMETIMES:
                raise place.error(
                    "what is repeated can be the edge of a structure alone; then it can be wanted "
                    f"{MAX_WRITTEN_OUT} times at most:"
                )
            node = _repeated(node, least, most)
        return node

    def single(self) -> Node:
        """Read a token, a group or a structure."""
        if self.lexer.accept("MU"):
            return self.group()
        if self.lexer.at("("):
            return self.group()
        if self.lexer.at("<", "</"):
            return self.structure()
        if self.lexer.accept("[:"):
            condition = Always() if self.lexer.at(":]") else self.token_condition()
            self.lexer.expect(":]")
            return Ahead(condition)
        target = self.target() if self.lexer.accept("@") else None
        label = self.label() if self.lexer.next.kind in {"number", "name"} else None
        if target is None and label is not None and self.lexer.at("(") and self.lexer.after.text in {"meet", "union"}:
            return self.labelled(self.group(), label)
        return Token(self.token(), label, target)

    def labelled(self, node: Node, label: str) -> Node:
        """Give a label to the token that a `meet` or `union` stands for."""
        match node:
            case Token():
                return Token(node.condition, label, node.target)
            case Meet():
                return Meet(self.labelled(node.part, label), node.other, node.first, node.last, node.structure)
            case Alternatives():
                return Alternatives(tuple(self.labelled(part, label) for part in node.parts))
            case _:
                raise self.lexer.next.place.error("a label goes before a token, not before a group:")

    def group(self) -> Node:
        """Read what stands in brackets."""
        opening = self.lexer.expect("(", self.hint())
        if self.depth == MAX_DEPTH:
            raise opening.place.error(f"there are more than {MAX_DEPTH} brackets within brackets, here:")
        self.depth += 1
        node = self.meeting() if self.lexer.at("meet", "union") else self.expression()
        self.depth -= 1
        self.lexer.expect(")", self.hint())
        return node

    def meeting(self) -> Node:
        """Read two parts that are near each other, or of which one is there."""
        word = self.lexer.take().text
        place = self.lexer.next.place
        if word == "union":
            return _one_of([self.part(), self.part()])
        node, other = self.checked(self.part(), place), self.checked(self.part(), place)
        if self.lexer.next.kind == "name":
            return Meet(node, other, 0, 0, self.named_structure())
        if self.lexer.next.kind != "number":
            return Meet(node, other, 1, 1)
        first = whole(self.lexer.take())
        if self.lexer.next.kind != "number":
            raise self.lexer.unexpected("a second number", "the distance is from one number to another, as in -3 3")
        return Meet(node, other, first, whole(self.lexer.take()))


def _flat(parts: list[Node]) -> list[Node]:
    """Open up sequences within a sequence."""
    return [inner for part in parts for inner in (part.parts if isinstance(part, Sequence) else (part,))]


def _repeated(node: Node, least: int, most: int) -> Node:
    """Make a repetition; one of a repetition that may come once is one repetition: `("a"+)*` is `"a"*`, only longer.

    An edge of a structure that comes several times is the same as once.
    """
    if node.longest == 0:
        least, most = min(least, 1), min(most, 1)
    if isinstance(node, Repeat) and node.least <= 1:
        return Repeat(node.part, node.least * least, node.most * most)
    return node if least == most == 1 else Repeat(node, least, most)


def _one_of(parts: list[Node]) -> Node:
    """Make alternatives; those of one token become a condition on that token."""
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, Alternatives) else (part,))]
    if len(flat) == 1:
        return flat[0]
    tokens = [part.condition for part in flat if isinstance(part, Token) and part.label is part.target is None]
    return Token(AnyOf(tuple(tokens))) if len(tokens) == len(flat) else Alternatives(tuple(flat))
