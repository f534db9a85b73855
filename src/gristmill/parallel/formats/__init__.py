"""Formats of sentence pairs: each is a file that registers itself."""

from gristmill.parallel.formats import moses, sent_vert, tables, tmx
from gristmill.parallel.formats.registry import PAIR_FORMATS, PairFormat, Write, format_of_name

__all__ = ["PAIR_FORMATS", "PairFormat", "Write", "format_of_name", "moses", "sent_vert", "tables", "tmx"]
