"""Parsing of conditions in CQL: on the token in brackets, and on the labelled tokens of a match.

condition = the conditions of `gristmill.condition`, with these as smallest parts
leaf      = comparison | term [ sign term ] | "#" number [ "-" number ] | name sign list
| "~" [ number ] string | "ws" "(" ... ")" | "term" "(" string ")"
| "swap" "(" number "," condition ")" | "ccoll" "(" number "," number "," condition ")"
term      = label | label "." name | number | string | function "(" term { "," term } ")"
list      = "$" name | "RE" "(" "$" name ")" [ flags ]
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from gristmill.condition import (
    SIGNS,
    Condition,
    Lexeme,
    Lexer,
    Negation,
    parse_comparison,
    parse_condition,
    parse_value,
)
from gristmill.registry import did_you_mean
from gristmill.search.cql.functions import FUNCTIONS
from gristmill.search.cql.terms import (
    CURRENT,
    KEYWORD,
    MATCH,
    MATCH_END,
    TARGET,
    At,
    Call,
    Compared,
    Holds,
    Listed,
    Number,
    Of,
    Position,
    Sketched,
    Swapped,
    Term,
    Text,
    Value,
)

_SKETCH_ARGUMENTS = {"ws": 3, "term": 1}
_OTHER_SKETCH = {"swap", "ccoll"}
_MAX_DIGITS = 12


@dataclass
class TermParser:
    """Reads conditions. `labels` are those that a condition may use; in a token there is a current token besides."""

    lexer: Lexer
    labels: Collection[str]
    in_token: bool

    def condition(self) -> Condition:
        """Read a whole condition."""
        return parse_condition(self.lexer, leaf=self._leaf)

    def _leaf(self, lexer: Lexer) -> Condition:
        """Read the smallest part of a condition."""
        if self.in_token and lexer.at("#"):
            return self._numbered()
        if self.in_token and lexer.at("~"):
            return self.thesaurus()
        if lexer.next.kind == "name" and lexer.after.text == "(":
            if lexer.at(*_SKETCH_ARGUMENTS, *_OTHER_SKETCH):
                return self._sketched()
        elif self.in_token and lexer.next.kind == "name" and lexer.after.text != "." and not self._is_label():
            return self._attribute(lexer.take())
        return self._test()

    def _is_label(self) -> bool:
        """Whether a name stands for a labelled token: it is a label, and is not compared with a text."""
        if self.lexer.next.text not in {*self.labels, CURRENT, MATCH}:
            return False
        after = self.lexer.after
        return after.text not in SIGNS or self.lexer.text[after.place.at + len(after.text) :].lstrip()[:1] not in "\"'$"

    def _attribute(self, name: Lexeme) -> Condition:
        """Read a comparison of an attribute of the current token: with a value, a list, or another token."""
        sign = self.lexer.next
        if sign.text in {"=", "!="}:
            start = self.lexer.next
            self.lexer.take()
            if self._at_list():
                return self._listed(name.text, sign)
            if (self.lexer.next.kind == "name" and self.lexer.after.text == "(") or self.lexer.after.text == ".":
                return self._compared(Value(CURRENT, name.text, name.place), sign)
            self.lexer.next = start
        return parse_comparison(self.lexer, name)

    def _test(self) -> Condition:
        """Read a term, and what it is compared with."""
        if self.lexer.next.kind == "string" or (self.in_token and self.lexer.next.kind not in {"name", "number"}):
            raise self.lexer.unexpected("the name of an attribute", 'a condition looks like name="value"')
        if self.lexer.next.text in self.labels and self.lexer.after.text not in {".", *SIGNS}:
            label = self.lexer.take()  # a number by itself is a label, too
            return Holds(Position(label.text, label.place))
        term = self._term()
        if not self.lexer.at(*SIGNS):
            if not isinstance(term, Call | Position | Value):
                raise self.lexer.unexpected("a comparison such as = or >")
            return Holds(term)
        sign = self.lexer.take()
        if isinstance(term, Value):
            if self._at_list():
                listed = self._listed(term.name, sign)
                return Of(term.label, listed)
            if self.lexer.next.kind in {"string", "number"} and self.lexer.after.text != ".":
                return Of(term.label, parse_value(self.lexer, term.name, sign.text, term.place))
        return self._compared(term, sign)

    def _compared(self, left: Term, sign: Lexeme) -> Condition:
        """Read the second of two terms that are compared."""
        plain = {"!=": "=", "==": "=", "!==": "="}.get(sign.text, sign.text)
        return Compared(left, plain, self._term(), sign.text.startswith("!"), sign.place)

    def _term(self) -> Term:
        """Read a label, a value, a number, a text or a function."""
        found = self.lexer.next
        if found.kind == "string":
            self.lexer.take()
            return Text(found.literal)
        if found.kind not in {"name", "number"}:
            raise self.lexer.unexpected("a labelled attribute such as 1.lemma or a.lemma, or a function", self._hint())
        if found.kind == "name" and self.lexer.after.text == "(":
            return self._call()
        self.lexer.take()
        if self.lexer.accept("."):
            if self.lexer.next.kind != "name":
                raise self.lexer.unexpected("the name of an attribute")
            return Value(self._known(found), self.lexer.take().text, found.place)
        if found.kind == "number":
            return Number(whole(found))
        if self.in_token and found.text not in {*self.labels, CURRENT, MATCH}:
            return Value(CURRENT, found.text, found.place)
        return Position(self._known(found), found.place)

    def _known(self, label: Lexeme) -> str:
        """Return a label; raises if no token has it."""
        special = {CURRENT, MATCH} if self.in_token else {MATCH, MATCH_END}
        if label.text in self.labels or label.text in special:
            return label.text
        if label.text in {TARGET, KEYWORD}:
            sign = "@" if label.text == TARGET else "@1"
            raise label.place.error(f"no token is marked as {label.text} (that is done by {sign} before it):")
        raise label.place.error(
            f"there is no token with the label {label.text} (a label is written before a token, as in {label.text}:[]):"
        )

    def _call(self) -> Term:
        """Read a function with its arguments."""
        name = self.lexer.take()
        if name.text not in FUNCTIONS:
            raise name.place.error(
                f"there is no function {name.text!r}{did_you_mean(name.text, FUNCTIONS)} "
                f"(there are: {', '.join(FUNCTIONS)}):"
            )
        function = FUNCTIONS[name.text]
        if function.in_token_only and not self.in_token:
            raise name.place.error(f"{name.text} is about the token in brackets, and there is none, here:")
        self.lexer.expect("(")
        arguments: list[Term] = []
        for kind in function.kinds:
            if arguments:
                self.lexer.expect(",", f"{name.text} has {function.arguments} arguments")
            arguments.append(self._argument(kind))
        self.lexer.expect(")", f"{name.text} has {function.arguments} arguments")
        return Call(name.text, tuple(arguments), name.place)

    def _argument(self, kind: str) -> Term:
        """Read an argument of a function: a number can be a label, and a name that of a kind of structure."""
        if kind == "position" and self.lexer.next.text in self.labels:
            found = self.lexer.take()
            return Position(found.text, found.place)
        if kind != "structure":
            return self._term()
        if self.lexer.next.kind != "name":
            raise self.lexer.unexpected("the name of a structure", "such as doc, p or s")
        return Text(self.lexer.take().text)

    def _numbered(self) -> Condition:
        """Read the number of a token, or from which to which."""
        self.lexer.take()
        first = whole(self.lexer.take())
        if self.lexer.next.kind == "number" and self.lexer.next.text.startswith("-"):
            return At(first, -whole(self.lexer.take()))
        return At(first, first)

    def _at_list(self) -> bool:
        return self.lexer.at("$") or (self.lexer.at("RE") and self.lexer.after.text == "(")

    def _listed(self, name: str, sign: Lexeme) -> Condition:
        """Read a list of words that an attribute is compared with."""
        if sign.text not in {"=", "!="}:
            raise sign.place.error(f"a list goes with = and !=, not with {sign.text}:")
        listed = self.listed_words(name)
        return Negation(listed) if sign.text == "!=" else listed

    def listed_words(self, name: str) -> Condition:
        """Read the name of a list that has the value of an attribute."""
        regex = self.lexer.accept("RE") is not None
        if regex:
            self.lexer.expect("(")
        place = self.lexer.expect("$").place
        if self.lexer.next.kind != "name":
            raise self.lexer.unexpected("the name of a list of words")
        words = self.lexer.take().text
        if regex:
            self.lexer.expect(")")
        flags = self.lexer.take().text if self.lexer.next.text.startswith("%") else ""
        if set(flags) - set("%cd"):
            raise place.error("a list can have the flags %c and %d:")
        return Listed(name, words, regex, "c" in flags, "d" in flags, place)

    def thesaurus(self) -> Condition:
        """Read words that are like another one: `~"mill-n"`, `~5"mill-n"`."""
        place = self.lexer.take().place
        count = str(whole(self.lexer.take())) if self.lexer.next.kind == "number" else ""
        if self.lexer.next.kind != "string":
            raise self.lexer.unexpected('a word in quotes, as in ~"mill-n"')
        return Sketched("~", (self.lexer.take().literal, count), place)

    def _sketched(self) -> Condition:
        """Read a function of word sketches."""
        name = self.lexer.take()
        self.lexer.expect("(")
        if name.text in _OTHER_SKETCH:
            return self._swapped(name)
        if self.lexer.next.kind == "number":
            raise name.place.error(
                "numbers in ws() are places in a file of one engine, and mean nothing here; write "
                'ws("head", "relation", "collocate"):'
            )
        arguments = [self._string()]
        while self.lexer.accept(","):
            arguments.append(self._string())
        self.lexer.expect(")")
        wanted = _SKETCH_ARGUMENTS[name.text]
        if len(arguments) != wanted:
            raise name.place.error(f"{name.text} has {wanted} arguments, not {len(arguments)}, here:")
        return Sketched(name.text, tuple(arguments), name.place)

    def _swapped(self, name: Lexeme) -> Condition:
        """Read what stands in the brackets of `swap` and `ccoll`."""
        label = whole(self.lexer.take())
        self.lexer.expect(",")
        renamed = None
        if name.text == "ccoll":
            renamed = whole(self.lexer.take())
            self.lexer.expect(",")
        part = self.condition()
        self.lexer.expect(")")
        return Swapped(label, part, renamed, name.place)

    def _string(self) -> str:
        if self.lexer.next.kind != "string":
            raise self.lexer.unexpected("a text in quotes")
        return self.lexer.take().raw

    def _hint(self) -> str:
        return "" if self.in_token else "what is within <s/> comes after the conditions, or before them in brackets"


def whole(found: Lexeme) -> int:
    """Read a whole number."""
    digits = found.text.removeprefix("-")
    if found.kind != "number" or not digits.isdigit() or len(digits) > _MAX_DIGITS:
        raise found.place.error("expected a whole number that is not too large:")
    return int(found.text)
