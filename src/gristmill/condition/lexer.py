"""The lexer of conditions and of CQL: lexemes with their places, so that every error can point at one."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from gristmill.errors import PlacedError, UsageError

MAX_LENGTH = 10_000
"""The maximum number of characters of a condition or a query."""
_CONTEXT_CHARACTERS = 60
"""The number of characters of a long query that are shown on either side of an error."""

_LEXEME = re.compile(
    r"""(?P<string>"(?:[^"\\]++|\\.)*+"|'(?:[^'\\]++|\\.)*+')
    |(?P<name>[^\W\d]\w*+)
    |(?P<number>-?[0-9]++(?:\.[0-9]++)?+)
    |(?P<sign>!==|==|!=|<=|>=|<<|>>|</|/>|->|::|\[:|:\]|%\w*+|[=<>!&|()\[\]{},?*+:./\#~@$;])
    |(?P<unclosed>["'].*+)
    |(?P<unknown>.)""",
    re.VERBOSE | re.DOTALL,
)
_SPACE = re.compile(r"\s*+")
_SLANTED_QUOTES = "“”„«»‘’‚‹›"


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a text that somebody typed."""

    text: str
    at: int

    def error(self, message: str) -> PlacedError:
        """Make an error that shows the text with a mark under the place."""
        first, last = max(0, self.at - _CONTEXT_CHARACTERS), self.at + _CONTEXT_CHARACTERS
        before = ("… " if first else "") + _printable(self.text[first : self.at])
        after = _printable(self.text[self.at : last]) + (" …" if last < len(self.text) else "")
        picture = f"{message}\n  {before}{after}\n  {' ' * _width(before)}^"
        return PlacedError(picture, message.rstrip(":").removesuffix(", here"), self.text, self.at)


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A lexeme: a `string` with its quotes, a `name`, a `number`, a `sign`, the `end`, or an error.

    Errors are `unclosed` (a string without a closing quote) and `unknown` (a character that means nothing).
    """

    kind: str
    text: str
    place: Place

    @property
    def raw(self) -> str:
        """The text of a value without its quotes, as it was typed."""
        return self.text[1:-1] if self.kind == "string" else self.text

    @property
    def literal(self) -> str:
        """The text of a value without its quotes and without the backslashes before quotes and backslashes."""
        return re.sub(r"""\\(["'\\])""", r"\1", self.raw)


class Lexer:
    """A reader of the lexemes of a text, from left to right, that can look one ahead."""

    def __init__(self, text: str, what: str) -> None:
        """Begin with a text; `what` says in errors what it is: a condition, a query."""
        if len(text) > MAX_LENGTH:
            raise UsageError(
                f"the {what} is too long: it has {len(text):,} characters, and at most {MAX_LENGTH:,} are allowed"
            )
        self.text = text
        self.what = what
        self.next = self._read(0)

    def take(self) -> Lexeme:
        """Take the next lexeme, and go on to the one after it."""
        taken = self.next
        self.next = self._read(taken.place.at + len(taken.text))
        return taken

    def at(self, *signs: str) -> bool:
        """Whether the next lexeme is one of these signs or words."""
        return self.next.kind in {"sign", "name"} and self.next.text in signs

    @property
    def after(self) -> Lexeme:
        """The lexeme after the next one."""
        return self._read(self.next.place.at + len(self.next.text))

    def following(self, lexeme: Lexeme) -> Lexeme:
        """The lexeme after one that is ahead."""
        return self._read(lexeme.place.at + len(lexeme.text))

    def accept(self, *signs: str) -> Lexeme | None:
        """Take the next lexeme if it is one of these signs or words; otherwise None."""
        return self.take() if self.at(*signs) else None

    def expect(self, sign: str, hint: str = "") -> Lexeme:
        """Take the next lexeme, which must be this sign."""
        if not self.at(sign):
            raise self.unexpected(f"{sign!r}", hint)
        return self.take()

    def unexpected(self, expected: str, hint: str = "") -> UsageError:
        """Make the error that the next lexeme is not what was expected here."""
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
    """The number of columns that a text takes in a terminal."""
    return sum(
        0 if unicodedata.combining(character) else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
    )
