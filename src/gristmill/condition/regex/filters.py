"""What the values that an expression matches must begin with, end with and contain.

By this a lexicon finds a few values that are worth being matched, or all that match, without the expression:

    un.*able        begins with u n, ends with a b l e
    (?i)go          is one of g G, then one of o O, and no more
    .*(ing|ed)      ends with i n g or with e d, and whatever does so matches
    .*[aeiou]{3}.*  contains three bytes in a row which are one of five
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gristmill.condition.regex.characters import variants
from gristmill.condition.regex.syntax import (
    Anchor,
    AnyCharacter,
    Characters,
    Choice,
    Node,
    Repeat,
    Sequence,
)

_MAX_SET = 32
"""Characters of a set that are tried one by one."""
_MAX_PRODUCT = 256
"""Ways through a sequence of choices; of one choice there may be more."""
_MAX_BRANCHES = 5000
_MAX_RUNS = 8
"""Runs of bytes that one way is written as."""
_MAX_EDGES = 64
"""Runs of bytes that values are compared with; if there are more, all are matched."""
_MAX_EDGE_BYTES, _MAX_INFIX_BYTES = 16, 8
_MAX_LENGTH = 60
"""Characters of a way that are looked at."""

CharacterSet = frozenset[str]
ByteSet = frozenset[int]


@dataclass(frozen=True, slots=True)
class Branch:
    """One way to begin (or end): a character of each set in turn; `complete` if then nothing else comes."""

    sets: tuple[CharacterSet, ...] = ()
    complete: bool = True


@dataclass(frozen=True, slots=True)
class ByteRun:
    """A byte of each set in turn; `exact` if any such bytes will do, otherwise they must be matched afterwards."""

    sets: tuple[ByteSet, ...]
    exact: bool


@dataclass(frozen=True, slots=True)
class Filters:
    """What a matching value has; nothing is known where there are no ways."""

    prefixes: tuple[Branch, ...]
    suffixes: tuple[ByteRun, ...]
    """Bytes from the last one backwards."""
    infix: ByteRun | None
    prefix_is_all: bool
    """Whether all values that begin so match, if they have no new line."""
    suffix_is_all: bool
    """Whether all values that end so match, if they have no new line."""
    infix_is_all: bool


def filters_of(tree: Node) -> Filters:
    """Find out what values must have to match an expression."""
    parts = _without_ends(_flat(tree))
    tree = Sequence(tuple(parts))
    prefixes = branches(tree)
    suffixes = _all_runs(branches(tree, backwards=True))
    before = branches(Sequence(tuple(parts[:-1]))) if parts and _is_any_star(parts[-1]) else []
    after = branches(Sequence(tuple(parts[1:])), backwards=True) if parts and _is_any_star(parts[0]) else []
    infix, infix_is_all = _infix(parts)
    return Filters(
        prefixes=tuple(prefixes) if all(branch.sets or branch.complete for branch in prefixes) else (),
        suffixes=_usable(suffixes),
        infix=infix,
        prefix_is_all=bool(before) and all(branch.complete for branch in before),
        suffix_is_all=bool(after) and len(after) <= _MAX_EDGES and all(run.exact for run in _all_runs(after)),
        infix_is_all=infix_is_all,
    )


def branches(node: Node, *, backwards: bool = False) -> list[Branch]:
    """List the ways in which what matches can begin, or backwards, end."""
    match node:
        case Characters():
            small = small_set(node)
            return [Branch((small,))] if small else [Branch(complete=False)]
        case Choice(options):
            found = list(
                dict.fromkeys(branch for option in options for branch in branches(option, backwards=backwards))
            )
            return found if len(found) <= _MAX_BRANCHES else [Branch(complete=False)]
        case Sequence(parts):
            return _through(reversed(parts) if backwards else parts, backwards=backwards)
        case Repeat(part, least, most):
            if most == 1:
                return ([Branch()] if least == 0 else []) + branches(part, backwards=backwards)
            found = _through([part] * min(least, _MAX_LENGTH), backwards=backwards)
            whole = most == least <= _MAX_LENGTH
            return found if whole else [Branch(branch.sets, complete=False) for branch in found]
        case _:
            return [Branch(complete=False)]


def _through(parts: Iterable[Node], *, backwards: bool) -> list[Branch]:
    """List the ways through a sequence, as far as they are few and short."""
    found = [Branch()]
    for part in parts:
        if not any(branch.complete for branch in found):
            break
        more = branches(part, backwards=backwards)
        if len(found) > 1 and len(more) > 1 and len(found) * len(more) > _MAX_PRODUCT:
            more = [Branch(complete=False)]
        found = [after for branch in found for after in _after(branch, more)]
    return found


def _after(branch: Branch, more: list[Branch]) -> Iterator[Branch]:
    if not branch.complete:
        yield branch
        return
    for then in more:
        sets = branch.sets + then.sets
        yield Branch(sets[:_MAX_LENGTH], then.complete and len(sets) <= _MAX_LENGTH)


def small_set(characters: Characters) -> CharacterSet | None:
    """List the characters of a set with all their variants of case, if these are few; None if they aren't."""
    if characters.names or characters.negated:
        return None
    if sum(last - first + 1 for first, last in characters.ranges) > _MAX_SET:
        return None
    found = frozenset(chr(code) for first, last in characters.ranges for code in range(first, last + 1))
    if any("\ud800" <= character <= "\udfff" for character in found):
        return None
    if characters.ignore_case:
        found = frozenset[str]().union(*map(variants, found))
    return found or None


def byte_runs(branch: Branch, *, backwards: bool = False) -> list[ByteRun]:
    """Write the sets of a way as bytes of UTF-8: a run for each length that the characters of a set can have.

    Of α and Α, which are CE B1 and CE 91, the first byte is CE and the second one of B1 and 91. Of s and ſ, which are
    73 and C5 BF, there are two runs. Where there would be too many, they end.
    """
    runs = [ByteRun((), exact=True)]
    complete = branch.complete
    for characters in branch.sets:
        more = _encoded(characters, backwards=backwards)
        if len(runs) * len(more) > _MAX_RUNS:
            complete = False
            break
        runs = [ByteRun(run.sets + one.sets, run.exact and one.exact) for run in runs for one in more]
    return [_cut(ByteRun(run.sets, run.exact and complete), _MAX_EDGE_BYTES) for run in runs]


def _cut(run: ByteRun, length: int) -> ByteRun:
    """Leave out what is too long to be looked at byte by byte."""
    return run if len(run.sets) <= length else ByteRun(run.sets[:length], exact=False)


def _encoded(characters: CharacterSet, *, backwards: bool) -> list[ByteRun]:
    """Write the characters of a set as bytes, a run for each length."""
    encoded = [character.encode()[:: -1 if backwards else 1] for character in characters]
    found = []
    for length in sorted({len(one) for one in encoded}):
        same = [one for one in encoded if len(one) == length]
        sets = tuple(frozenset(one[place] for one in same) for place in range(length))
        found.append(ByteRun(sets, exact=length == 1 or len(same) == 1))
    return found


def _infix(parts: list[Node]) -> tuple[ByteRun | None, bool]:
    """Find the longest run of small sets in a sequence, and whether all values match that have it."""
    runs: list[list[CharacterSet]] = [[]]
    fixed = 0
    """Parts that are in a run as they are."""
    for part in parts:
        inner, least, most = (part.part, part.least, part.most) if isinstance(part, Repeat) else (part, 1, 1)
        small = small_set(inner) if isinstance(inner, Characters) else None
        if small is None or not least or len({len(character.encode()) for character in small}) > 1:
            runs.append([])
            continue
        runs[-1] += [small] * min(least, _MAX_LENGTH)
        if most != least:
            runs.append([small] * min(least, _MAX_LENGTH))
        fixed += most == least <= _MAX_LENGTH
    longest = max(runs, key=len)
    best = _cut(byte_runs(Branch(tuple(longest)))[0], _MAX_INFIX_BYTES)
    if not best.sets:
        return None, False
    between = len(parts) > 2 and _is_any_star(parts[0]) and _is_any_star(parts[-1])
    return best, between and fixed == len(parts) - 2 and best.exact


def edges(ways: tuple[Branch, ...]) -> tuple[ByteRun, ...]:
    """The ways to begin as runs of bytes; none if they are too many, or one of them is empty."""
    return _usable([run for way in ways for run in byte_runs(way)]) if len(ways) <= _MAX_EDGES else ()


def _usable(runs: list[ByteRun]) -> tuple[ByteRun, ...]:
    return tuple(runs) if len(runs) <= _MAX_EDGES and all(run.sets for run in runs) else ()


def _all_runs(ways: list[Branch]) -> list[ByteRun]:
    return [run for way in ways for run in byte_runs(way, backwards=True)]


def _flat(node: Node) -> list[Node]:
    """The parts of a sequence, and of the sequences that are parts of it."""
    return [inner for part in node.parts for inner in _flat(part)] if isinstance(node, Sequence) else [node]


def _without_ends(parts: list[Node]) -> list[Node]:
    """Leave out anchors at the start and at the end, where they always hold."""
    first, last = 0, len(parts)
    while first < last and parts[first] == Anchor(r"\A"):
        first += 1
    while first < last and parts[last - 1] == Anchor(r"\z"):
        last -= 1
    return parts[first:last]


def _is_any_star(node: Node) -> bool:
    return isinstance(node, Repeat) and isinstance(node.part, AnyCharacter) and (node.least, node.most) == (0, None)
