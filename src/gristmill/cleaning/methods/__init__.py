"""The cleaning methods, found by name in `METHODS`.

To add one, write a file here that files a function from the features of a page and its language to `Scores` (0 is text,
1 is boilerplate) with `page_method`. Then import it below.
"""

from gristmill.cleaning.methods import (
    baselines,
    boilerpipe,
    bte,
    density,
    htmlcleaner,
    justext,
    maxsub,
    mill,
    ncleaner,
    site_diff,
    site_dom,
    site_text,
    texrex,
    victor,
)
from gristmill.cleaning.methods.registry import METHODS, Method, Scores, page_method

__all__ = [
    "METHODS",
    "Method",
    "Scores",
    "baselines",
    "boilerpipe",
    "bte",
    "density",
    "htmlcleaner",
    "justext",
    "maxsub",
    "mill",
    "ncleaner",
    "page_method",
    "site_diff",
    "site_dom",
    "site_text",
    "texrex",
    "victor",
]
