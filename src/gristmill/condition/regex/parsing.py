"""Read a regular expression: the syntax of PCRE as far as it can be matched in linear time, by recursive descent."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from gristmill.condition.regex.brackets import read_set
from gristmill.condition.regex.characters import ESCAPES
from gristmill.condition.regex.escapes import read_character, read_property
from gristmill.condition.regex.syntax import (
    EMPTY,
    Anchor,
    AnyCharacter,
    Boundary,
    Characters,
    Choice,
    Named,
    Node,
    RegexError,
    Repeat,
    Sequence,
    single,
)

_MAX_DEPTH = 100
"""The maximum depth of brackets within brackets."""
_COUNTED = re.compile(r"\{(?:([0-9]+)(,)?([0-9]*)|,([0-9]+))\}")
_FLAGS = re.compile(r"\(\?(?!R\)|C\))([a-zA-Z]*)(?:-([a-zA-Z]*))?([:)])")
_GROUP_NAME = re.compile(r"\(\?(?:P?<[^\W\d]\w*>|'[^\W\d]\w*')")
_BACK_REFERENCE = re.compile(r"\\(?:[1-9]|g[0-9{+-]|k[<'{])|\(\?P=")
_OCTAL = re.compile(r"\\[0-7]{3}")
_RECURSION = re.compile(r"\(\?[+-]?[0-9]")
_MARK = Characters(names=(Named(r"\pM"),))
_NO_MARK = Characters(names=(Named(r"\PM"),))
_LINE_END = Choice((Sequence((single("\r"), single("\n"))), Characters(names=(ESCAPES["v"],))))
_LETTER_WITH_MARKS = Sequence((_NO_MARK, Repeat(_MARK, 0, None)))
_PLACES_AND_OTHERS: dict[str, Node] = {
    "A": Anchor(r"\A"),
    "z": Anchor(r"\z"),
    "Z": Anchor(r"\z"),
    "b": Boundary(),
    "B": Boundary(negated=True),
    "N": AnyCharacter(),
    "R": _LINE_END,
    "X": _LETTER_WITH_MARKS,
    "E": EMPTY,
}
"""What a letter after a backslash stands for."""
_NO_HANG = "here no expression may make a search hang, so each is matched in one pass over the text, without going back"
_REFUSED = {
    "(?=": ("a look-ahead, (?=…)", 'say it by a second condition: [word="…" & word="…"]'),
    "(?!": ("a look-ahead, (?!…)", 'say it by a second condition: [word="…" & word!="…"]'),
    "(?<=": ("a look-behind, (?<=…)", 'say it by a second condition: [word="…" & word="…"]'),
    "(?<!": ("a look-behind, (?<!…)", 'say it by a second condition: [word="…" & word!="…"]'),
    "(?>": ("an atomic group, (?>…)", "write (?:…), which is as fast"),
    "(?(": ("a conditional group, (?(…)…)", "write the cases as alternatives: …|…"),
    "(?R": ("a recursion, (?R)", "write out as many levels as are needed"),
    "(?&": ("a recursion, (?&…)", "write out as many levels as are needed"),
    "(?P>": ("a recursion, (?P>…)", "write out as many levels as are needed"),
    "(?C": ("a callout, (?C)", "leave it out"),
    "(*": ("a verb, (*…)", "leave it out; a bracket and a star as such are \\( and \\*"),
}
_BACK = (
    "a back-reference",
    "write out the alternatives, (aa|bb|cc); tokens that agree are labelled: 1:[] 2:[] & 1.word = 2.word",
)


@dataclass(frozen=True, slots=True)
class _Flags:
    """What `(?i)`, `(?s)` and `(?m)` have switched on."""

    ignore_case: bool
    newlines: bool = False
    lines: bool = False


def parse_regex(text: str, ignore_case: bool = False) -> Node:
    """Read a regular expression; raises RegexError."""
    reader = _Reader(text)
    node, _ = reader.alternatives(_Flags(ignore_case), 0)
    if reader.at < len(text):
        raise RegexError("unexpected ): there is no ( before it")
    return node


class _Reader:
    """A reader of an expression from left to right; `at` is where it is."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def alternatives(self, flags: _Flags, depth: int) -> tuple[Node, _Flags]:
        """Read up to a closing bracket or the end; what flags are switched on holds up to there, beyond `|`."""
        if depth > _MAX_DEPTH:
            raise RegexError(f"it has more than {_MAX_DEPTH} brackets within brackets")
        options: list[Node] = []
        parts: list[Node] = []
        while self.at < len(self.text) and self.text[self.at] != ")":
            if self.text[self.at] == "|":
                self.at += 1
                options.append(_sequence(parts))
                parts = []
            elif (found := _FLAGS.match(self.text, self.at)) and found[3] == ")":
                flags = _switched(flags, found)
                self.at = found.end()
            elif self.text.startswith(r"\Q", self.at):
                parts += self._quoted(flags)
                parts[-1:] = [self._repeated(part) for part in parts[-1:]]
            else:
                parts.append(self._repeated(self._part(flags, depth)))
        options.append(_sequence(parts))
        return options[0] if len(options) == 1 else Choice(tuple(options)), flags

    def _quoted(self, flags: _Flags) -> list[Node]:
        """Read `\\Q…\\E`, in which every sign stands for itself."""
        end = self.text.find(r"\E", self.at)
        if end < 0:
            raise RegexError(r"missing \E after \Q")
        quoted = self.text[self.at + 2 : end]
        self.at = end + 2
        return [single(character, flags.ignore_case) for character in quoted] or [EMPTY]

    def _repeated(self, node: Node) -> Node:
        """Read how often a part is repeated; whether the shortest or the longest is preferred, matters to no one."""
        counted = False
        while self.at < len(self.text):
            sign = self.text[self.at]
            count = _COUNTED.match(self.text, self.at)
            if sign not in "*+?" and not count:
                break
            text = count[0] if count else sign
            if counted:
                raise RegexError(f"{text} repeats a repetition: put what is repeated in brackets")
            self.at += len(text)
            node, counted = Repeat(node, *(_times(count) if count else _SIGNS[sign])), True
            if self.text.startswith("+", self.at):
                raise _refusal(f"a possessive repetition, {text}+", f"write {text}, which is as fast")
            self.at += self.text.startswith("?", self.at)
        return node

    def _part(self, flags: _Flags, depth: int) -> Node:
        sign = self.text[self.at]
        match sign:
            case "(":
                return self._group(flags, depth)
            case "[":
                node, self.at = read_set(self.text, self.at, flags.ignore_case)
                return node
            case "\\":
                return self._escape(flags)
            case "*" | "+" | "?":
                raise RegexError(f"no argument for repetition operator: {sign} has nothing before it to repeat")
        self.at += 1
        return _sign(sign, flags)

    def _group(self, flags: _Flags, depth: int) -> Node:
        rest = self.text[self.at : self.at + 4]
        if rest.startswith("(?#"):
            self.at = self.text.find(")", self.at) + 1
            if not self.at:
                raise RegexError("missing ) after (?#")
            return EMPTY
        for sign, (what, instead) in _REFUSED.items():
            if rest.startswith(sign):
                raise _refusal(what, instead)
        if _BACK_REFERENCE.match(self.text, self.at):
            raise _refusal(*_BACK)
        if _RECURSION.match(self.text, self.at):
            raise _refusal("a recursion, (?1)", _REFUSED["(?R"][1])
        found = _FLAGS.match(self.text, self.at)  # with a colon
        if found:
            flags = _switched(flags, found)
        self.at = found.end() if found else self._opened()
        node, _ = self.alternatives(flags, depth + 1)
        if self.at == len(self.text):
            raise RegexError("missing ) at the end")
        self.at += 1
        return node

    def _opened(self) -> int:
        """Where the text goes on after what opens a group."""
        if not self.text.startswith("(?", self.at):
            return self.at + 1
        if self.text.startswith("(?|", self.at):
            return self.at + 3
        if named := _GROUP_NAME.match(self.text, self.at):
            return named.end()
        raise RegexError(f"{self.text[self.at : self.at + 4]} opens no group that there is; ( as such is \\(")

    def _escape(self, flags: _Flags) -> Node:
        if _BACK_REFERENCE.match(self.text, self.at) and not _OCTAL.match(self.text, self.at):
            raise _refusal(*_BACK)
        letter = self.text[self.at + 1 : self.at + 2]
        if letter.lower() in ESCAPES and letter:
            self.at += 2
            return Characters(names=(ESCAPES[letter.lower()],), negated=letter.isupper())
        if letter in {"p", "P"}:
            named, negated, self.at = read_property(self.text, self.at)
            return Characters(names=(named,), negated=negated, ignore_case=flags.ignore_case)
        if letter in _PLACES_AND_OTHERS:
            self.at += 2
            return _PLACES_AND_OTHERS[letter]
        code, self.at = read_character(self.text, self.at)
        return single(chr(code), flags.ignore_case)


_SIGNS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


def _times(count: re.Match[str]) -> tuple[int, int | None]:
    """Read {2}, {2,}, {2,3} or {,3}."""
    least, comma, most, only_most = count.groups()
    low = int(least or 0)
    high = int(only_most) if only_most else (int(most) if most else None) if comma else low
    if high is not None and high < low:
        raise RegexError(f"{count[0]} goes from more to fewer")
    if max(low, high or 0) > 1000:
        raise RegexError(f"invalid repetition size: {count[0]}; at most 1,000 times")
    return low, high


def _switched(flags: _Flags, found: re.Match[str]) -> _Flags:
    """Switch flags on and off as `(?i-s)` says."""
    for letters, on in ((found[1], True), (found[2] or "", False)):
        for letter in letters:
            match letter:
                case "i":
                    flags = replace(flags, ignore_case=on)
                case "s":
                    flags = replace(flags, newlines=on)
                case "m":
                    flags = replace(flags, lines=on)
                case "U":  # the shortest match first: a whole value has only one
                    pass
                case _:
                    raise RegexError(f"{found[0]} has a flag {letter!r} that there is not; there are i, s, m and U")
    return flags


def _sign(sign: str, flags: _Flags) -> Node:
    """Make of a sign what it stands for outside of brackets."""
    match sign:
        case ".":
            return AnyCharacter(flags.newlines)
        case "^":
            return Anchor("(?m:^)" if flags.lines else r"\A")
        case "$":
            return Anchor("(?m:$)" if flags.lines else r"\z")
    return single(sign, flags.ignore_case)


def _sequence(parts: list[Node]) -> Node:
    return parts[0] if len(parts) == 1 else Sequence(tuple(parts))


def _refusal(what: str, instead: str) -> RegexError:
    return RegexError(f"{what}, which can't be had: {_NO_HANG}; {instead}", refused=True)
