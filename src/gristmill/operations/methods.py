"""The methods of `Corpus` that are made of operations, as type checkers and editors see them.

They stand here and not in the class, as a type checker must look at all operations first. Nothing imports this when it
runs: `Corpus` gets its methods from the catalogue, and imports each operation when it is first used.
"""

from __future__ import annotations

from gristmill.operations import pages, questions, ranked, statistics, subcorpora


class Methods:
    """What `Corpus` inherits, for type checkers."""

    ask = questions.ask
    collocations = statistics.collocations
    compare = statistics.compare
    find = ranked.find
    keywords = statistics.keywords
    remove_subcorpus = subcorpora.remove_subcorpus
    rename_subcorpus = subcorpora.rename_subcorpus
    save_subcorpus = subcorpora.save_subcorpus
    subcorpora = subcorpora.subcorpora
    why = pages.why
    wordlist = statistics.wordlist
