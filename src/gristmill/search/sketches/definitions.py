"""Definitions in files of patterns: `@pre` in a pattern stands for what `[define]` says of `pre`."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from gristmill.errors import UsageError

MAX_PATTERNS = 400
"""Patterns that may be made of one, if definitions are lists."""
_USED = re.compile(r"@([a-z_]+)")


def written_out(text: str, defined: Mapping[str, Any], where: str, depth: int = 0) -> Iterator[str]:
    """Put what is defined into a pattern: each combination of the members of lists is a pattern."""
    used = list(dict.fromkeys(_USED.findall(text)))
    if not used:
        yield " ".join(text.split())
        return
    if depth > 10:
        raise UsageError(f"{where}: definitions go round in a circle")
    choices = []
    for name in used:
        value = defined.get(name)
        members = [value] if isinstance(value, str) else value
        if not isinstance(members, list) or not all(isinstance(member, str) for member in members):
            raise UsageError(f"{where}: @{name} is not defined as a text or a list of texts")
        choices.append(members)
    for chosen in itertools.islice(itertools.product(*choices), MAX_PATTERNS + 1):
        values = dict(zip(used, chosen, strict=True))
        yield from written_out(_USED.sub(lambda found: values[found[1]], text), defined, where, depth + 1)  # noqa: B023


def grouped(text: str, defined: Mapping[str, Any]) -> str:
    """Put what is defined into a pattern, lists as alternatives in brackets; they are known to be right."""

    def value(found: re.Match[str]) -> str:
        meant = defined[found[1]]
        return meant if isinstance(meant, str) else f"({' | '.join(meant)})"

    while _USED.search(text):
        text = _USED.sub(value, text)
    return " ".join(text.split())
