"""How much memory the words take that tokeniser and taggers keep: bounded, whatever the number of languages.

What is kept changes nothing but speed. A loaded model takes some 5 to 10 MB besides, and at most 16 are loaded at a
time; dictionaries are mapped files, which the system takes from memory when it needs it.
"""

from __future__ import annotations

from gristmill.annotation import tokeniser
from gristmill.annotation.tagging import kept
from gristmill.errors import UsageError

DEFAULT_BYTES = 384 << 20
"""What one process may take if nothing else is said."""
LEAST_BYTES = 16 << 20
"""The least that a process can work with."""


def limit_memory(most_bytes: int) -> None:
    """Bound the bytes that words of all languages take in this process: a third for tokens, the rest for taggers.

    Raises `UsageError` for less than `LEAST_BYTES`.
    """
    if most_bytes < LEAST_BYTES:
        raise UsageError(f"annotating needs {LEAST_BYTES >> 20} MB or more for each worker, not {most_bytes:,} bytes")
    for_tokens = min(max(most_bytes // 3, tokeniser.LEAST_BYTES), tokeniser.DEFAULT_BYTES)
    if for_tokens != tokeniser.most_bytes():
        tokeniser.limit_memory(for_tokens)
    kept.limit(most_bytes - for_tokens)
