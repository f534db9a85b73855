"""The cleaning methods, found by name in `METHODS`; each is a file that registers its function.

A method is a function from the features of a page and its language to `Scores` (0 is text, 1 is boilerplate). Methods
share `margin` (graded thresholds), `subsequence` (best run of blocks), `outline` and `repeats` (comparison of the pages
of a site), `crf` and `trees` (trained models).
"""

from gristmill.cleaning.methods.registry import METHODS, Method, Scores

__all__ = ["METHODS", "Method", "Scores"]
