"""The methods of `Corpus` that are made of operations, as type checkers and editors see them.

They stand here and not in the class, as a type checker must look at all operations first. Nothing imports this when it
runs: `Corpus` gets its methods from the catalogue, and imports each operation when it is first used.
"""

from __future__ import annotations

from gristmill.operations import pages, questions, ranked, statistics


class Methods:
    """What `Corpus` inherits, for type checkers."""

    ask = questions.ask
    collocations = statistics.collocations
    compare = statistics.compare
    find = ranked.find
    keywords = statistics.keywords
    why = pages.why
    wordlist = statistics.wordlist
