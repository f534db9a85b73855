"""Quotes that are not those of CQL: who types `'go'` or `“go”` perhaps means the token `"go"`."""

from __future__ import annotations

import re

_PAIRS = (
    "''",
    "‘’",
    "’’",
    "‚‘",
    "‛’",
    "`'",
    "``",
    "´´",
    "“”",
    "””",
    "„“",
    "„”",
    "«»",
    "»«",
    "‹›",
    "›‹",
    "「」",
    "『』",
)
"""Opening and closing quotes, as keyboards, programs and languages have them."""
_QUOTED = "|".join(f"{pair[0]}([^{pair}]++){pair[1]}" for pair in _PAIRS)
_PART = re.compile(rf"[\s|()]++|(?:{_QUOTED})(?P<after>(?:%[a-z]++)?+[*+?]?+)(?=[\s|()]|$)")
"""What stands between tokens, or one of these with its flags."""


def in_other_quotes(query: str) -> str:
    """Return a query of words as CQL, if all of it stands in quotes that CQL does not have; otherwise nothing.

    `'go' 'to'` and `“go to”` give `"go" "to"`. `don't`, `'tis` and `rock 'n' roll` give nothing: these are words.
    """
    written, at = [], 0
    while at < len(query):
        part = _PART.match(query, at)
        if part is None:
            return ""
        words = next((group for group in part.groups() if group is not None), "").split()
        written.append(" ".join(f'"{word}"' for word in words) + part["after"] if words else part[0])
        at = part.end()
    return "".join(written).strip() if '"' in "".join(written) else ""
