"""Gristmill turns the raw web into a clean, de-duplicated text corpus."""

from gristmill.clean import clean
from gristmill.config import Config
from gristmill.corpus import Corpus, Selection, export
from gristmill.decode import decode
from gristmill.document import Block, Document, Page
from gristmill.errors import GristmillError, UsageError
from gristmill.language import identify
from gristmill.pipeline import build, deduplicate
from gristmill.version import __version__

__all__ = [
    "Block",
    "Config",
    "Corpus",
    "Document",
    "GristmillError",
    "Page",
    "Selection",
    "UsageError",
    "__version__",
    "build",
    "clean",
    "decode",
    "deduplicate",
    "export",
    "identify",
]
