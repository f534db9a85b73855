"""Allow what the files of a corpus name: the user's word for it."""

from __future__ import annotations

import os

from gristmill.consent import Named
from gristmill.corpus import folder_of
from gristmill.corpus.named import trust_corpus


def trust(corpus: str | os.PathLike[str]) -> list[Named]:
    """Allow, from now on, all that a corpus or a file of settings names: programs, models, plugins, files outside its folder.

    Returns what that is. Look at it first if the corpus is from elsewhere: `gristmill trust CORPUS` shows it and asks.
    """
    return trust_corpus(folder_of(corpus), remember=True)
