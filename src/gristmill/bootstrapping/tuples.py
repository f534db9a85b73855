"""Tuples: random combinations of words, each of which becomes a query (BootCaT; Baroni and Bernardini 2004)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, combinations
from random import Random

from gristmill.bootstrapping.config import MAX_WORDS, MIN_WORDS, WORDS
from gristmill.errors import UsageError
from gristmill.wording import plural

Key = Callable[[str], str]
"""What is the same for all forms of a word, such as its lemma."""


def make_tuples(
    words: Sequence[str], count: int, seed: int | str, n: int = WORDS, key: Key = str.casefold
) -> list[tuple[str, ...]]:
    """Draw tuples of `n` words at random, none twice; all that there are if these are fewer than `count`.

    No tuple has two words with the same key. All tuples are equally likely, and the same seed gives the same ones: they
    are numbered without being made, and their numbers are drawn.
    """
    if not MIN_WORDS <= n <= MAX_WORDS:
        raise UsageError(f"a tuple has {MIN_WORDS} to {MAX_WORDS} words, not {n}")
    groups = _groups(words, key)
    if len(groups) < n:
        raise UsageError(
            f"{plural(len(groups), 'different word')} can't make queries of {n}: "
            + (
                f"give more words, or make queries of {len(groups)} words (--n {len(groups)})"
                if len(groups) >= MIN_WORDS
                else "give more words"
            )
        )
    ways = _ways([len(group) for group in groups], n)
    return [_unranked(groups, ways, number, n) for number in _draws(ways[n][0], count, seed)]


def make_pairs(
    ranges: Sequence[Sequence[str]], count: int, seed: int | str, key: Key = str.casefold
) -> list[tuple[str, ...]]:
    """Draw pairs of words of different ranges at random, none twice (ukWaC, 2.1); all if there are fewer than `count`.

    A word that is in several ranges counts for the first.
    """
    seen: set[str] = set()
    apart: list[list[str]] = []
    for words in ranges:
        fresh = {key(word): word for word in reversed(words)}
        apart.append([word for name, word in reversed(fresh.items()) if name not in seen])
        seen |= fresh.keys()
    couples = [(one, two) for one, two in combinations(apart, 2) if one and two]
    if not couples:
        raise UsageError("there are no words in two different ranges: give words of two ranges at least")
    ends = list(accumulate(len(one) * len(two) for one, two in couples))
    pairs: list[tuple[str, ...]] = []
    for number in _draws(ends[-1], count, seed):
        at = bisect_right(ends, number)
        one, two = couples[at]
        first, second = divmod(number - (ends[at - 1] if at else 0), len(two))
        pairs.append((one[first], two[second]))
    return pairs


def _groups(words: Sequence[str], key: Key) -> list[list[str]]:
    """Bring the forms of each word together; each form once."""
    groups: dict[str, dict[str, str]] = {}
    for word in words:
        groups.setdefault(key(word), {}).setdefault(word.casefold(), word)
    return [list(forms.values()) for forms in groups.values()]


def _ways(sizes: Sequence[int], n: int) -> list[list[int]]:
    """Count for k = 0..n and each group, in how many ways k words can be taken from that group and those after it."""
    ways = [[1] * (len(sizes) + 1)]
    for taken in range(1, n + 1):
        column = [0]
        for at in range(len(sizes) - 1, -1, -1):
            column.append(column[-1] + sizes[at] * ways[taken - 1][at + 1])
        ways.append(column[::-1])
    return ways


def _unranked(groups: Sequence[Sequence[str]], ways: Sequence[Sequence[int]], number: int, n: int) -> tuple[str, ...]:
    """Make the tuple with that number: group by group, the first from which the rest can't be numbered so high."""
    found = []
    at = 0
    for taken in range(n, 0, -1):
        column = ways[taken]
        above = column[at] - number  # ways with this group or a later one as the first, for the wanted group at least
        at = bisect_right(column, -above, lo=at, hi=len(column), key=lambda value: -value) - 1
        number = column[at] - above
        each = ways[taken - 1][at + 1]
        form, number = divmod(number, each)
        found.append(groups[at][form])
        at += 1
    return tuple(found)


def _draws(total: int, count: int, seed: int | str) -> Iterator[int]:
    """Draw so many different numbers below a total: the first ones of a shuffle, of which only changes are stored."""
    random = Random(seed)
    moved: dict[int, int] = {}
    for at in range(min(count, total)):
        other = random.randrange(at, total)
        yield moved.get(other, other)
        moved[other] = moved.get(at, at)
