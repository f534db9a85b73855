"""Tell text from boilerplate: cut a page into blocks, and score each block."""

from gristmill.clean.cleaner import DEFAULT_METHOD, clean, clean_page
from gristmill.clean.features import Features
from gristmill.clean.methods import METHODS, Method, Scores, page_method
from gristmill.clean.segment import Segmented, segment, segment_text
from gristmill.clean.site import clean_site, sites
from gristmill.clean.tree import Segmentation

__all__ = [
    "DEFAULT_METHOD",
    "METHODS",
    "Features",
    "Method",
    "Scores",
    "Segmentation",
    "Segmented",
    "clean",
    "clean_page",
    "clean_site",
    "page_method",
    "segment",
    "segment_text",
    "sites",
]
