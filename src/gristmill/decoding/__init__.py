"""Decode bytes to text: find the encoding of a page, decode it, repair and normalise the characters.

`decode` is what cleaning uses for every page; a `Detector` identifies encodings by models of languages.
"""

from typing import TYPE_CHECKING

from gristmill.lazy import lazy_names

if TYPE_CHECKING:
    from gristmill.decoding.decoding import Decoded, decode
    from gristmill.decoding.detector import Detector
    from gristmill.decoding.normalisation import tidy

__all__ = ["Decoded", "Detector", "decode", "tidy"]

__getattr__, __dir__ = lazy_names(
    __name__, {"decoding": ("Decoded", "decode"), "detector": ("Detector",), "normalisation": ("tidy",)}
)
