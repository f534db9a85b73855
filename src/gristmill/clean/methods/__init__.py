"""The cleaning methods, found by name in `METHODS`.

To add one, write a file here that registers a function from a page's blocks and language to nothing: it sets the `score` (0 is text, 1 is
boilerplate) and the `label` of every block. Then import it below.
"""

from gristmill.clean.methods import justext
from gristmill.clean.methods.registry import METHODS, Method

__all__ = ["METHODS", "Method", "justext"]
