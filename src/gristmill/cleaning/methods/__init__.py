"""The cleaning methods, found by name in `METHODS`; each is a file that registers its function.

A method is a function from the features of a page and its language to `Scores` (0 is text, 1 is boilerplate). They
share `margin` (graded thresholds) and `trees` (trained models). Those of papers that few need today are in
`gristmill.literature`.
"""

from gristmill.cleaning.methods.registry import METHODS, Method, Scores

__all__ = ["METHODS", "Method", "Scores"]
