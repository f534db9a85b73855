"""The words and signs of conditions and of CQL, each with its place, so that every error can point at it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from gristmill.errors import UsageError

MAX_LENGTH = 10_000
"""Characters of a condition or a query."""
_SHOWN = 60
"""Characters of a long query that are shown on either side of an error."""

_LEXEME = re.compile(
    r"""(?P<string>"(?:[^"\\]++|\\.)*+"|'(?:[^'\\]++|\\.)*+')
    |(?P<name>[^\W\d]\w*+)
    |(?P<number>-?[0-9]++(?:\.[0-9]++)?+)
    |(?P<sign>!==|==|!=|<=|>=|</|/>|%\w*+|[=<>!&|()\[\]{},?*+:./])
    |(?P<unclosed>["'].*+)
    |(?P<unknown>.)""",
    re.VERBOSE | re.DOTALL,
)
_SPACE = re.compile(r"\s*+")
_SLANTED_QUOTES = "“”„«»‘’‚‹›"


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a text that somebody typed."""

    text: str
    at: int

    def error(self, message: str) -> UsageError:
        """An error that shows the text with a mark under the place."""
        first, last = max(0, self.at - _SHOWN), self.at + _SHOWN
        before = ("… " if first else "") + _printable(self.text[first : self.at])
        after = _printable(self.text[self.at : last]) + (" …" if last < len(self.text) else "")
        return UsageError(f"{message}\n  {before}{after}\n  {' ' * _width(before)}^")


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A word or sign: a `string` with its quotes, a `name`, a `number`, a `sign`, the `end`; `unclosed` and `unknown` are errors."""

    kind: str
    text: str
    place: Place

    @property
    def raw(self) -> str:
        """What a value has between its quotes, as it was typed."""
        return self.text[1:-1] if self.kind == "string" else self.text

    @property
    def literal(self) -> str:
        """What a value has between its quotes, where a backslash stands only before quotes and backslashes."""
        return re.sub(r"""\\(["'\\])""", r"\1", self.raw)


class Lexer:
    """The lexemes of a text, from left to right, with a look at the next one."""

    def __init__(self, text: str, what: str) -> None:
        """`what` the text is, for errors: a condition, a query."""
        if len(text) > MAX_LENGTH:
            raise UsageError(
                f"the {what} is too long: it has {len(text):,} characters, and at most {MAX_LENGTH:,} are allowed"
            )
        self.text = text
        self.what = what
        self.next = self._read(0)

    def take(self) -> Lexeme:
        """The next lexeme, and go on to the one after it."""
        taken = self.next
        self.next = self._read(taken.place.at + len(taken.text))
        return taken

    def at(self, *signs: str) -> bool:
        """Whether the next lexeme is one of these signs or words."""
        return self.next.kind in {"sign", "name"} and self.next.text in signs

    def accept(self, *signs: str) -> Lexeme | None:
        """The next lexeme if it is one of these signs or words, otherwise nothing is taken."""
        return self.take() if self.at(*signs) else None

    def expect(self, sign: str, hint: str = "") -> Lexeme:
        """The next lexeme, which must be this sign."""
        if not self.at(sign):
            raise self.unexpected(f"{sign!r}", hint)
        return self.take()

    def unexpected(self, expected: str, hint: str = "") -> UsageError:
        """The error that the next lexeme is not what was expected here."""
        found = self.next
        if found.kind == "unclosed":
            return found.place.error(f"the {self.what} has an opening quote without a closing one, here:")
        if found.kind == "unknown" and found.text in _SLANTED_QUOTES:
            hint = "write straight quotes"
        was = f"the {self.what} ends" if found.kind == "end" else f"there is {found.text!r}"
        return found.place.error(f"expected {expected}, but {was}{f' ({hint})' if hint else ''}:")

    def _read(self, start: int) -> Lexeme:
        space = _SPACE.match(self.text, start)
        at = space.end() if space else start
        found = _LEXEME.match(self.text, at)
        place = Place(self.text, at)
        return Lexeme(str(found.lastgroup), found.group(), place) if found else Lexeme("end", "", place)


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else " " for character in text)


def _width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(
        0 if unicodedata.combining(character) else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
    )
