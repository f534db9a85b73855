"""Resolve `\\b` and `\\B`, which RE2 knows of ASCII only: what stands on both sides mostly says whether they hold.

An expression matches a whole value, whose start and end count as no character of a word:

    \\bgo\\b          go                           on both sides it is clear
    go\\b.*           go(?:\\W.*)?                  of any characters, the first must be none of a word
    .*\\bgo\\b.*      (?:.*\\W)?go(?:\\W.*)?

Where it stays unclear, as in `.*\\b.*`, an error says so.
"""

from __future__ import annotations

from gristmill.condition.regex.characters import ESCAPES, kinds
from gristmill.condition.regex.syntax import (
    EMPTY,
    MIXED,
    NOTHING,
    OTHER,
    WORD,
    Anchor,
    AnyCharacter,
    Boundary,
    Characters,
    Choice,
    Node,
    RegexError,
    Repeat,
    Sequence,
)

_NEW_LINE = ((10, 10),)


def has_boundary(node: Node) -> bool:
    """Whether `\\b` or `\\B` stands somewhere in an expression."""
    match node:
        case Sequence(parts):
            return any(map(has_boundary, parts))
        case Choice(options):
            return any(map(has_boundary, options))
        case Repeat(part):
            return has_boundary(part)
        case _:
            return isinstance(node, Boundary)


def resolve(node: Node, before: frozenset[str] = OTHER, after: frozenset[str] = OTHER) -> Node:
    """Replace every boundary, where characters of these kinds can stand before and after the expression."""
    if not has_boundary(node):
        return node
    match node:
        case Choice(options):
            return Choice(tuple(resolve(option, before, after) for option in options))
        case Repeat(part, least, most):
            if most is None or most > 1:
                before, after = before | _edge(part, last=True)[0], after | _edge(part, last=False)[0]
            return Repeat(resolve(part, before, after), least, most)
        case Sequence(parts):
            return _resolve_parts(list(parts), before, after)
        case _:
            return _resolve_parts([node], before, after)


def _resolve_parts(parts: list[Node], before: frozenset[str], after: frozenset[str]) -> Node:
    """Resolve the parts of a sequence from left to right; a part beside a boundary may be narrowed by it."""
    for place, part in enumerate(parts):
        left, right = _beside(parts[:place], before, last=True), _beside(parts[place + 1 :], after, last=False)
        if not isinstance(part, Boundary):
            parts[place] = resolve(part, left, right)
            continue
        if len(left) == len(right) == 1:
            parts[place] = EMPTY if (left != right) != part.negated else NOTHING
            continue
        parts[place] = EMPTY
        if len(right) == 1 and place:
            wanted = right if part.negated else MIXED - right
            outer = _beside(parts[: place - 1], before, last=True)
            parts[place - 1] = _narrowed(parts[place - 1], wanted, outer, last=True)
        elif len(left) == 1 and place + 1 < len(parts):
            wanted = left if part.negated else MIXED - left
            outer = _beside(parts[place + 2 :], after, last=False)
            parts[place + 1] = _narrowed(parts[place + 1], wanted, outer, last=False)
        else:
            raise _unclear()
    return Sequence(tuple(parts))


def _narrowed(node: Node, wanted: frozenset[str], outer: frozenset[str], *, last: bool) -> Node:
    """Narrow a part so that its last (or first) character is of a kind; `outer` is what stands where it is empty."""
    match node:
        case AnyCharacter():
            return _of_kind(wanted, node)
        case Repeat(AnyCharacter() as part, least, None) if least <= 1:
            edge = (Repeat(part, 0, None), _of_kind(wanted, part))
            some: Node = Sequence(edge if last else edge[::-1])
            if least or not outer & wanted:
                return some
            if outer <= wanted:
                return Repeat(some, 0, 1)
        case Repeat(part, 0) if not _edge(part, last=last)[0] & wanted and outer <= wanted:
            return EMPTY
    raise _unclear()


def _of_kind(wanted: frozenset[str], any_character: AnyCharacter) -> Characters:
    """Narrow any character to those of a kind."""
    if wanted == WORD:
        return Characters(names=(ESCAPES["w"],))
    return Characters(() if any_character.newlines else _NEW_LINE, (ESCAPES["w"],), negated=True)


def _beside(parts: list[Node], outer: frozenset[str], *, last: bool) -> frozenset[str]:
    """Tell what the last (or first) character of a sequence can be; where all of it is empty, what is beyond it."""
    found = frozenset[str]()
    for part in reversed(parts) if last else parts:
        some, can_be_empty = _edge(part, last=last)
        found |= some
        if not can_be_empty:
            return found
    return found | outer


def _edge(node: Node, *, last: bool) -> tuple[frozenset[str], bool]:
    """Tell what the last (or first) character of an expression can be, and whether it can be empty."""
    match node:
        case Characters():
            return kinds(node), False
        case AnyCharacter():
            return MIXED, False
        case Anchor() | Boundary():
            return frozenset(), True
        case Repeat(part, least):
            some, can_be_empty = _edge(part, last=last)
            return some, can_be_empty or least == 0
        case Choice(options):
            edges = [_edge(option, last=last) for option in options]
            return frozenset[str]().union(*(some for some, _ in edges)), any(empty for _, empty in edges)
        case Sequence(parts):
            inner = _beside(list(parts), frozenset({"beyond"}), last=last)
            return inner - {"beyond"}, "beyond" in inner


def _unclear() -> RegexError:
    return RegexError(
        r"a \b or \B where it isn't clear on either side whether characters of words stand there,"
        r" which can't be had; write \W, \s or \w in its place",
        refused=True,
    )
