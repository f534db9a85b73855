"""From bytes to text: find the encoding, decode, and tidy the characters."""

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
