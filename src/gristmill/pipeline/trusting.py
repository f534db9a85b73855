"""Allow what the files of a corpus name: the user's word for it."""

from __future__ import annotations

import os

from gristmill.consent import Named
from gristmill.corpus import folder_of
from gristmill.corpus.named import trust_corpus


def trust(corpus: str | os.PathLike[str]) -> list[Named]:
    """Allow what a corpus or a file of settings names, and remember that.

    These are programs, models, plugins and files outside its folder; they are returned. Look at them first if the
    corpus is from elsewhere: `gristmill trust CORPUS` shows them and asks.
    """
    return trust_corpus(folder_of(corpus), remember=True)
