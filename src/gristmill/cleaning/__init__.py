"""Boilerplate removal: segment a page into blocks, and score each block from 0 (text) to 1 (boilerplate).

A page goes through these modules, `cleaner` calling one after the other:

    markup, attributes   find the tags of the page and what they say
    tree                 follow the elements that hold text, and find what is hidden
    segmentation         make blocks of the text between tags; `lines`, `rows` and `metadata` help
    features, methods/   describe the blocks by arrays, and score them by the method that is chosen
    site                 clean all pages of a site together

The pipeline, the command line and evaluation use the names below.
"""

from typing import TYPE_CHECKING

from gristmill.lazy import lazy_names

if TYPE_CHECKING:
    from gristmill.cleaning.cleaner import DEFAULT_METHOD, clean, clean_page
    from gristmill.cleaning.features import Features
    from gristmill.cleaning.methods import METHODS, Method, Scores
    from gristmill.cleaning.segmentation import segment, segment_text
    from gristmill.cleaning.segmented import Segmentation, Segmented
    from gristmill.cleaning.site import clean_site, sites

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
    "segment",
    "segment_text",
    "sites",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "cleaner": ("DEFAULT_METHOD", "clean", "clean_page"),
        "features": ("Features",),
        "methods": ("METHODS", "Method", "Scores"),
        "segmentation": ("segment", "segment_text"),
        "segmented": ("Segmentation", "Segmented"),
        "site": ("clean_site", "sites"),
    },
)
