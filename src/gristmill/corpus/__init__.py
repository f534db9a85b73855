"""A corpus on disk: its manifest, its documents, and what it can be exported to."""

from typing import TYPE_CHECKING

from gristmill.lazy import lazy_names

if TYPE_CHECKING:
    from gristmill.corpus.corpus import Corpus, Selection, folder_of, opened
    from gristmill.corpus.cut import Cut
    from gristmill.corpus.exporting import export
    from gristmill.corpus.formats import FORMATS, text_format
    from gristmill.corpus.manifest import Manifest
    from gristmill.corpus.tokens import cuts_with_tokens

__all__ = [
    "FORMATS",
    "Corpus",
    "Cut",
    "Manifest",
    "Selection",
    "cuts_with_tokens",
    "export",
    "folder_of",
    "opened",
    "text_format",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "corpus": ("Corpus", "Selection", "folder_of", "opened"),
        "cut": ("Cut",),
        "exporting": ("export",),
        "formats": ("FORMATS", "text_format"),
        "manifest": ("Manifest",),
        "tokens": ("cuts_with_tokens",),
    },
)
