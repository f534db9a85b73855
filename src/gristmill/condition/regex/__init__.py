"""Regular expressions: read with the syntax of PCRE, right in every script, and matched by RE2 in linear time.

`compile_pattern` reads one and says what can't be had. `Pattern.re2` is what RE2 matches; `Pattern.filters` tells a
lexicon which values are worth it.
"""

from gristmill.condition.regex.diacritics import fold_text, fold_values
from gristmill.condition.regex.filters import Branch, ByteRun, Filters, edges
from gristmill.condition.regex.pattern import Pattern, compile_pattern
from gristmill.condition.regex.syntax import RegexError

__all__ = [
    "Branch",
    "ByteRun",
    "Filters",
    "Pattern",
    "RegexError",
    "compile_pattern",
    "edges",
    "fold_text",
    "fold_values",
]
