"""Sentence alignment: which sentences of two texts are translations of each other.

- `texts`: sentences and beads, as columns.
- `aligning`: `align`, and the methods by name: `gale_church`, `by_words`, `embeddings`.
- `cooccurrences`, `dictionary`, `dictionary_files`: word translations that are learned or given.
- `vocabulary`, `cognates`, `known_pairs`, `evidence`: what words tell; `lengths`: what lengths tell.
- `many`: many short texts together, such as pages.
- `bands`: which part of the table of all pairs of sentences is searched.
"""

from typing import TYPE_CHECKING

from gristmill.lazy import lazy_names

if TYPE_CHECKING:
    from gristmill.alignment.aligning import METHODS, align
    from gristmill.alignment.cooccurrences import Cooccurrences
    from gristmill.alignment.dictionary import Dictionary
    from gristmill.alignment.dictionary_files import read_dictionary
    from gristmill.alignment.embeddings import EMBEDDERS, Embedder
    from gristmill.alignment.many import align_many
    from gristmill.alignment.texts import Bead, Beads, Sentences

__all__ = [
    "EMBEDDERS",
    "METHODS",
    "Bead",
    "Beads",
    "Cooccurrences",
    "Dictionary",
    "Embedder",
    "Sentences",
    "align",
    "align_many",
    "read_dictionary",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "aligning": ("METHODS", "align"),
        "cooccurrences": ("Cooccurrences",),
        "dictionary": ("Dictionary",),
        "dictionary_files": ("read_dictionary",),
        "embeddings": ("EMBEDDERS", "Embedder"),
        "many": ("align_many",),
        "texts": ("Bead", "Beads", "Sentences"),
    },
)
