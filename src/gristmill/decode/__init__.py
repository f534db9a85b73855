"""From bytes to text: find the encoding, decode, and tidy the characters."""

from typing import TYPE_CHECKING

from gristmill.lazy import import_lazily

if TYPE_CHECKING:
    from gristmill.decode.decoding import Decoded, decode
    from gristmill.decode.detector import Detector
    from gristmill.decode.tidy import tidy

__all__ = ["Decoded", "Detector", "decode", "tidy"]

import_lazily(__name__, {"decoding": ("Decoded", "decode"), "detector": ("Detector",), "tidy": ("tidy",)})
