"""Formats of sentence pairs, found by name in `PAIR_FORMATS`; each is a file that registers itself."""

from gristmill.parallel.formats.registry import PAIR_FORMATS, PairFormat, Write, format_of_name

__all__ = ["PAIR_FORMATS", "PairFormat", "Write", "format_of_name"]
