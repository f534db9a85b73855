"""Gristmill turns the raw web into a clean, de-duplicated text corpus."""

from gristmill.clean import clean
from gristmill.decode import decode
from gristmill.language import identify
from gristmill.version import __version__

__all__ = ["__version__", "clean", "decode", "identify"]
