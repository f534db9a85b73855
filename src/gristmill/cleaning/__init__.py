"""Tell text from boilerplate: cut a page into blocks, and score each block."""

from typing import TYPE_CHECKING

from gristmill.lazy import lazy_names

if TYPE_CHECKING:
    from gristmill.cleaning.cleaner import DEFAULT_METHOD, clean, clean_page
    from gristmill.cleaning.features import Features
    from gristmill.cleaning.methods import METHODS, Method, Scores, page_method
    from gristmill.cleaning.segmentation import Segmented, segment, segment_text
    from gristmill.cleaning.site import clean_site, sites
    from gristmill.cleaning.tree import Segmentation

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

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "cleaner": ("DEFAULT_METHOD", "clean", "clean_page"),
        "features": ("Features",),
        "methods": ("METHODS", "Method", "Scores", "page_method"),
        "segmentation": ("Segmented", "segment", "segment_text"),
        "site": ("clean_site", "sites"),
        "tree": ("Segmentation",),
    },
)
