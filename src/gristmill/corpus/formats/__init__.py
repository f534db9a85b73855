"""Export formats, found by name in `FORMATS`.

To add one, write a file here that registers a function from documents to lines, and import it below.
"""

from gristmill.corpus.formats import jsonl, text, vertical
from gristmill.corpus.formats.registry import FORMATS, Format

__all__ = ["FORMATS", "Format", "jsonl", "text", "vertical"]
