"""The models of the tagger `own` that come with gristmill."""

from __future__ import annotations

from gristmill.annotation.shipped import FOLDER, Shipped

__all__ = ["FOLDER", "SUFFIX", "languages", "model_of"]

SUFFIX = ".tagger"
_SHIPPED = Shipped(SUFFIX)
model_of, languages = _SHIPPED.model_of, _SHIPPED.languages
