"""The taggers, a module each; importing this package registers them.

`hanta_tagger`, `hanta_morphology` and `trigrams` are parts of `hanta`, `apertium_tags` and `rftagger_tags` map tags;
`outside` and `installation` are shared by taggers that users install.
"""

from gristmill.annotation.taggers import (
    apertium,
    forms,
    hanta,
    own,
    rftagger,
    simplemma,
    spacy,
    stanza,
    treetagger,
    udpipe,
    unidic,
)

__all__ = [
    "apertium",
    "forms",
    "hanta",
    "own",
    "rftagger",
    "simplemma",
    "spacy",
    "stanza",
    "treetagger",
    "udpipe",
    "unidic",
]
