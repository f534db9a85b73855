"""Parsing of CQL, the query language of corpus linguists (Christ 1994; as in Manatee and CQP), by recursive descent.

docs/cql.md has the grammar.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gristmill.arguments import wrong_type
from gristmill.condition import (
    MAX_DEPTH,
    MAX_LENGTH,
    SIGNS,
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
    Ahead,
    Alternatives,
    Boundary,
    Constrained,
    Emptiness,
    Expansion,
    Gaps,
    Glue,
    Length,
    Meet,
    Node,
    Query,
    Relation,
    Repeat,
    Sequence,
    Token,
    Whole,
    Words,
)
from gristmill.search.cql.strategies import ALL, STRATEGIES
from gristmill.search.cql.term_parsing import TermParser, whole
from gristmill.search.cql.terms import CURRENT, KEYWORD, MATCH, MATCH_END, TARGET, labels_of

MAX_UNBOUNDED_TIMES = 100
"""Repetitions that `*`, `+` and `{n,}` stand for at most."""
MAX_WRITTEN_OUT = 50
"""How often a part must come at most, if it can also be the edge of a structure."""
DEFAULT_ATTRIBUTE = "word"
_CQL_SIGNS = '"[<'
"""Characters that tell CQL from the words of a simple query."""
_TIMES = {"?": (0, 1), "*": (0, MAX_UNBOUNDED_TIMES), "+": (1, MAX_UNBOUNDED_TIMES)}
_RESERVED = {CURRENT, MATCH, MATCH_END, TARGET, KEYWORD}
_TARGETS = {"": TARGET, "0": TARGET, "1": KEYWORD}


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
    labels: set[str] = field(default_factory=set)
    """Labels of tokens that were read, as far as what comes next can be in one match with them."""
    refers: bool = False
    """Whether a part was read that has a condition on a token outside of it."""

    def query(self) -> Query:
        """Read the whole query."""
        strategy = self.strategy()
        node = self.checked(self.expression(), Place(self.lexer.text, 0))
        cut = whole(self.lexer.take()) if self.lexer.accept("cut") else None
        expansion = self.expansion() if self.lexer.accept("expand") else None
        self.lexer.accept(";")
        if self.lexer.next.kind != "end":
            raise self.lexer.unexpected("a token, 'within', 'containing' or the end", self.hint())
        return Query(self.lexer.text, node, strategy, cut, expansion)

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
            raise place.error(
                f"there is no corpus {self.lexer.next.text!r} that is aligned with this one (a label is not needed "
                f"in what follows {kind!r}):"
            )
        if self.lexer.next.kind == "name" and not self.lexer.at("MU"):
            return Relation(node, kind, self.named_structure(), negated)
        labels, self.labels, refers, self.refers = self.labels, set(), self.refers, False
        other = self.checked(self.alternatives(), place)
        self.labels, self.refers = labels, refers
        return Relation(node, kind, other, negated)

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

    def named_structure(self) -> Whole:
        """Read the name of a kind of structure, `s`, as CQP has it."""
        name = self.lexer.take()
        return Whole(name.text, Always(), name.place)

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
