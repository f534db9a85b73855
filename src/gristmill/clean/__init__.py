"""Tell text from boilerplate: cut a page into blocks, and score each block."""

from typing import TYPE_CHECKING

from gristmill.lazy import import_lazily

if TYPE_CHECKING:
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

import_lazily(
    __name__,
    {
        "cleaner": ("DEFAULT_METHOD", "clean", "clean_page"),
        "features": ("Features",),
        "methods": ("METHODS", "Method", "Scores", "page_method"),
        "segment": ("Segmented", "segment", "segment_text"),
        "site": ("clean_site", "sites"),
        "tree": ("Segmentation",),
    },
)
