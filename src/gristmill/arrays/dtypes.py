"""The types of arrays, named by what they hold, for annotations everywhere in Gristmill."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
"""Elements of any type."""

Ints = npt.NDArray[np.int64]
"""Places, counts and numbers of things: whatever indexes another array (NumPy's own `intp` is this type too)."""

Ids = npt.NDArray[np.int64]
"""Numbers that stand for values, such as the words of a lexicon."""

Flags = npt.NDArray[np.bool_]
"""Whether something holds for each element."""

Mask = npt.NDArray[np.bool_]
"""Flags that choose elements of another array: `values[mask]`."""

Floats = npt.NDArray[np.float64]
"""Scores, shares and other measures."""

Matrix = npt.NDArray[np.float32]
"""Tables of measures in single precision, such as features of blocks."""

Hashes = npt.NDArray[np.uint64]
"""Hashes of 64 bits, in arithmetic modulo 2^64."""

Codes = npt.NDArray[np.uint16]
"""UTF-16 code units of a text."""

Bytes = npt.NDArray[np.uint8]
"""Bytes, or small numbers such as kinds of characters."""
