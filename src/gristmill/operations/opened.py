"""Another corpus that an operation is given: open already, or by its folder."""

from __future__ import annotations

import os

from gristmill.pipeline import Corpus

AnyCorpus = Corpus | str | os.PathLike[str]
"""A corpus, or its folder."""


def opened(corpus: AnyCorpus | None) -> Corpus | None:
    """Open a corpus that may be given by its folder."""
    return corpus if corpus is None or isinstance(corpus, Corpus) else Corpus(corpus)
