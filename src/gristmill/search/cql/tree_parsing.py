"""Parsing of trees: tokens with relations to others, `[lemma="eat"] >obj [tag="NOUN"]`.

`>` and `<` stand between two tokens here, and at the edges of structures elsewhere. What begins with `<` is a structure
if it is named like one (`<s>`), or if no token can follow (`<x>`, `<x y="z">`).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from gristmill.annotation.chunks import KINDS
from gristmill.condition import Always, Comparison, Condition, Lexeme, Place, parse_value
from gristmill.corpus.attributes import DEPREL
from gristmill.search.cql.part_parsing import PartParser
from gristmill.search.cql.query import Branch, Node, Token, Tree

MAX_NODES = 20
"""Tokens of a tree."""
WITH_SUBTYPES = "(:.*)?"
"""What the name of a relation ends with in the condition that it stands for."""
_STRUCTURES = {"doc", "p", "s", "g", *KINDS}
_DOWN, _UP = {">", ">>"}, {"<", "<<"}
_FAR = {">>", "<<"}


@dataclass
class TreeParser(PartParser):
    """A parser that can read trees."""

    @abstractmethod
    def single(self) -> Node:
        """Read a token, a group or a structure."""

    def at_branch(self) -> bool:
        """Whether a relation to another token comes next."""
        sign = self.lexer.after if self.lexer.at("!") else self.lexer.next
        if sign.kind != "sign":
            return False
        return sign.text in _DOWN | _FAR or (sign.text == "<" and self._is_relation(self.lexer.following(sign)))

    def _is_relation(self, first: Lexeme) -> bool:
        """Whether what follows `<` is a relation or a token, and not the name of a structure."""
        if first.kind != "name":
            return _begins_node(first)
        second = self.lexer.following(first)
        if second.text == ":":
            return True
        if first.text.partition("_")[0] in _STRUCTURES:
            return False
        return _begins_node(second) or (second.kind == "name" and self.lexer.following(second).text == ":")

    def tree(self, node: Node, place: Place) -> Node:
        """Read all relations of a token, which was read before, at that place."""
        if not isinstance(node, Token | Tree):
            raise place.error("relations go from a token to a token; this is none:")
        token, branches = (node.token, list(node.branches)) if isinstance(node, Tree) else (node, [])
        while self.at_branch():
            branches.append(self.branch())
        found = Tree(token, tuple(branches))
        if found.size > MAX_NODES:
            raise place.error(f"a tree has at most {MAX_NODES} tokens, and this one has {found.size}:")
        if self.lexer.at("?", "*", "+", "{"):
            raise self.lexer.next.place.error("a tree that is repeated stands in brackets, ([] >obj []){2}:")
        return found

    def branch(self) -> Branch:
        """Read a relation and the token that it goes to; this may be a tree in brackets."""
        negated = self.lexer.accept("!") is not None
        sign = self.lexer.take()
        relation = self.relation_to_token()
        place = self.lexer.next.place
        outer = self.labels
        if negated:
            self.labels = set()
        node = self.single()
        if not isinstance(node, Token | Tree):
            raise place.error("what stands in a relation is a token, or in brackets a token with relations of its own:")
        if negated and self.labels:
            raise place.error("what must not be there can have no label:")
        if negated:
            self.labels = outer
        return Branch(relation, sign.text in _UP, sign.text in _FAR, negated, node, sign.place)

    def relation_to_token(self) -> Condition:
        """Read the name of a relation, or a regular expression for it; any relation if nothing is said."""
        found, after = self.lexer.next, self.lexer.after
        if found.kind == "string":
            beyond = self.lexer.following(after) if after.text.startswith("%") else after
            return parse_value(self.lexer, DEPREL, "=", found.place) if self._at_node(beyond) else Always()
        if found.kind != "name":
            return Always()
        colon = after if after.text == ":" else None
        if colon is None or self.lexer.following(colon).kind != "name":
            if colon is not None:
                return Always()  # it is a label
            self.lexer.take()
            return Comparison(DEPREL, "=", f"{found.text}{WITH_SUBTYPES}", place=found.place)
        self.lexer.take()
        self.lexer.take()
        return Comparison(DEPREL, "==", f"{found.text}:{self.lexer.take().text}", place=found.place)

    def _at_node(self, lexeme: Lexeme) -> bool:
        return _begins_node(lexeme) or (lexeme.kind == "name" and self.lexer.following(lexeme).text == ":")


def _begins_node(lexeme: Lexeme) -> bool:
    """Whether a token of a tree can begin with a lexeme that is no name."""
    return lexeme.kind in {"string", "number"} or (lexeme.kind == "sign" and lexeme.text in {"[", "(", "$", "~", "@"})
