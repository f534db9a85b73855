"""The taggers, a module each; importing this package registers them.

`hanta_morphology`, `trigrams` and `english` are parts of `hanta`; `outside` is shared by taggers that users install.
"""

from gristmill.annotation.taggers import forms, hanta, pymorphy, simplemma, spacy, treetagger, udpipe, unidic

__all__ = ["forms", "hanta", "pymorphy", "simplemma", "spacy", "treetagger", "udpipe", "unidic"]
