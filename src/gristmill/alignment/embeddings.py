"""Alignment by sentence embeddings of the user's own model, as vecalign does it (Thompson and Koehn 2019).

An embedder is anything with one method, `embed`. It is registered under a name by a plugin, or named as `module:name`.

The cost of a bead is one minus the cosine of the embeddings of its two sides, each side embedded as one text, divided by
what a side has in common with random sentences of the other text, and times the number of sentences of both sides
(section 3.1). The search goes from coarse to fine: pairs of neighbouring embeddings are averaged until texts are short,
aligned, and the path refined within a window at each step (section 3.2). A sentence without translation costs what a
share of random pairs of sentences cost less than (section 3.1, "deletions").
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from gristmill.alignment.texts import Beads, Sentences
from gristmill.arrays.dtypes import Ints
from gristmill.errors import UsageError
from gristmill.registry import Registry


class Embedder(Protocol):
    """A model of sentences: texts that mean the same have embeddings that point in the same direction."""

    def embed(self, texts: Sequence[str], lang: str) -> npt.ArrayLike:
        """Return a row of numbers for each text."""


EMBEDDERS: Registry[Embedder] = Registry("embedder")
"""The embedders that plugins have registered, by name."""


def align_by_embeddings(
    source: Sentences, target: Sentences, embedder: Embedder, source_lang: str = "", target_lang: str = ""
) -> Beads:
    """Align two texts by embeddings of their sentences and of runs of them."""
    raise NotImplementedError
