"""How much memory something holds: that of the arrays in it, without those that are mapped from files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

_OURS = __name__.partition(".")[0]


def held_bytes(thing: object, besides: tuple[type, ...] = ()) -> int:
    """Add up the arrays of our objects, with what these have remembered meanwhile, each array once.

    What is of the types `besides` is somebody else's. An array that is a part of another holds all of that; one that is
    in a file, or in a buffer of another library, counts nothing.
    """
    total, seen, left = 0, set[int](), [thing]
    while left:
        one = left.pop()
        if isinstance(one, np.ndarray):
            one = _whole(one)
        if id(one) in seen or isinstance(one, besides):
            continue
        seen.add(id(one))
        if isinstance(one, np.ndarray):
            total += one.nbytes if one.base is None else 0
        else:
            left += _parts(one)
    return total


def _whole(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array that an array is a part of."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _parts(thing: Any) -> Iterator[object]:
    """What an object refers to, if it is a collection or one of ours."""
    if isinstance(thing, dict):
        yield from thing.values()
    elif isinstance(thing, list | tuple):
        yield from thing
    elif type(thing).__module__.partition(".")[0] == _OURS:
        yield from getattr(thing, "__dict__", {}).values()
        for kind in type(thing).__mro__:
            names = kind.__dict__.get("__slots__", ())
            yield from (getattr(thing, name, None) for name in ((names,) if isinstance(names, str) else names))
