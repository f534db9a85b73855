"""The cleaning methods, registered by name in `METHODS`.

A method is a function from the features of a page and its language to `Scores` (0 is text, 1 is boilerplate). To add
one, write a module here that registers its function with `page_method`, and import the module below. Methods share
`margin` (graded thresholds), `subsequence` (best run of blocks), `outline` and `repeats` (comparison of the pages of a
site), `crf` and `trees` (trained models).
"""

from gristmill.cleaning.methods import (
    baselines,
    boilerpipe,
    boilerpipe_article,
    bte,
    cedar,
    chakrabarti,
    density,
    fiasco,
    genieknows,
    hofmann,
    htmlcleaner,
    justext,
    kimatu,
    maxsub,
    mill,
    ncleaner,
    site_diff,
    site_dom,
    site_pagelets,
    site_style_tree,
    site_text,
    texrex,
    victor,
)
from gristmill.cleaning.methods.registry import METHODS, Method, Scores, page_method, site_method

__all__ = [
    "METHODS",
    "Method",
    "Scores",
    "baselines",
    "boilerpipe",
    "boilerpipe_article",
    "bte",
    "cedar",
    "chakrabarti",
    "density",
    "fiasco",
    "genieknows",
    "hofmann",
    "htmlcleaner",
    "justext",
    "kimatu",
    "maxsub",
    "mill",
    "ncleaner",
    "page_method",
    "site_diff",
    "site_dom",
    "site_method",
    "site_pagelets",
    "site_style_tree",
    "site_text",
    "texrex",
    "victor",
]
