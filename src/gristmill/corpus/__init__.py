"""A corpus on disk: its manifest, its documents, and what it can be exported to."""

from gristmill.corpus.corpus import Corpus, Selection
from gristmill.corpus.export import export
from gristmill.corpus.formats import FORMATS
from gristmill.corpus.manifest import Manifest

__all__ = ["FORMATS", "Corpus", "Manifest", "Selection", "export"]
