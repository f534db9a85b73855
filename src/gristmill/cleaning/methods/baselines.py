"""The baseline `all` keeps everything."""

from __future__ import annotations

import numpy as np

from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import Scores
from gristmill.registry import part


@part("cleaning method", "all")
def keep_all(page: Features, lang: str) -> Scores:  # noqa: ARG001
    """Score everything that a reader sees as text: a baseline of Pomikálek 2011 (Tables 2.5, 2.6, 2.8, 2.9)."""
    return Scores(np.zeros(len(page)), ["text"] * len(page))
