"""Export formats, found by name in `FORMATS`; each is a file that registers a `Format`, or a function for text."""

from gristmill.corpus.formats.registry import FORMATS, Format

__all__ = ["FORMATS", "Format"]
