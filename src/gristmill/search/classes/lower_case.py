"""Texts in lower case, as the attribute `lemma_lc` of an index has them."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from gristmill.corpus.attributes import lower_cased


def lowered(texts: Sequence[str]) -> list[str]:
    """Put texts into lower case."""
    return list(lower_cased(pa.array(list(texts), pa.large_string())).to_pylist())
