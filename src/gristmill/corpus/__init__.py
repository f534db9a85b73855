"""A corpus on disk, after its build and before a search.

- `manifest`, `listing`, `inventory`: what it was built from, and how.
- `reader`, `selection`, `selecting`, `tokens`: its documents, chosen by thresholds and conditions.
- `exporting`, `destination`, `formats`, `masking`: what it can be written to.
- `explain`, `copies`, `repetition`, `funnel` and others: why a page is kept or dropped, alone or in numbers.
"""

from typing import TYPE_CHECKING

from gristmill.lazy import lazy_names

if TYPE_CHECKING:
    from gristmill.corpus.exporting import export
    from gristmill.corpus.formats import FORMATS
    from gristmill.corpus.manifest import Manifest
    from gristmill.corpus.reader import CorpusReader, folder_of, opened
    from gristmill.corpus.selecting import SelectedDocument
    from gristmill.corpus.selection import Selection
    from gristmill.corpus.tokens import select_with_tokens

__all__ = [
    "FORMATS",
    "CorpusReader",
    "Manifest",
    "SelectedDocument",
    "Selection",
    "export",
    "folder_of",
    "opened",
    "select_with_tokens",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "reader": ("CorpusReader", "folder_of", "opened"),
        "selecting": ("SelectedDocument",),
        "selection": ("Selection",),
        "exporting": ("export",),
        "formats": ("FORMATS",),
        "manifest": ("Manifest",),
        "tokens": ("select_with_tokens",),
    },
)
