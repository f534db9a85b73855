"""Another corpus that an operation is given: open already, or by its folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeAlias, overload

if TYPE_CHECKING:
    from gristmill.pipeline import Corpus

    AnyCorpus: TypeAlias = Corpus | str | os.PathLike[str]
    """A corpus, or its folder."""
else:
    AnyCorpus = object


@overload
def opened(corpus: AnyCorpus) -> Corpus: ...
@overload
def opened(corpus: AnyCorpus | None) -> Corpus | None: ...
def opened(corpus: AnyCorpus | None) -> Corpus | None:
    """Open a corpus that may be given by its folder."""
    from gristmill.pipeline import Corpus

    return corpus if corpus is None or isinstance(corpus, Corpus) else Corpus(corpus)
