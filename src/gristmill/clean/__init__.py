"""Tell text from boilerplate: cut a page into blocks, and score each block."""

from gristmill.clean.cleaner import DEFAULT_METHOD, clean, clean_page
from gristmill.clean.methods import METHODS
from gristmill.clean.segment import Segmented, segment, segment_text

__all__ = ["DEFAULT_METHOD", "METHODS", "Segmented", "clean", "clean_page", "segment", "segment_text"]
