"""The index of units: their order by cells, what is known of each, and postings, made of the token index.

It takes about 30 bytes of memory for each token of those that are sorted together, and 10 for each of all tokens.
"""

from __future__ import annotations

import json

import numpy as np

from gristmill.arrays.dtypes import Array, Ids
from gristmill.engine import Report, silent
from gristmill.search.index.attribute import position_type
from gristmill.search.index.index import Index
from gristmill.search.index.lexicon import buffers_of
from gristmill.search.ranked.cells import codes_of
from gristmill.search.ranked.dimensions import Yields, quantised, values_of
from gristmill.search.ranked.postings import build_ceilings, build_postings
from gristmill.search.ranked.units import Unit


def build_units(
    index: Index, unit: Unit, attribute: str, dimensions: tuple[str, ...], yields: Yields, report: Report = silent
) -> dict[str, Array]:
    """Make the arrays of an index of units, in which values of an attribute of tokens are searched."""
    bounds = unit.bounds(index)
    documents = index.structure("doc").number_at(bounds[:-1]).astype(np.uint32)
    values, levels, cuts, about_units = {}, [], {}, []
    for name in dimensions:
        found, of_units = values_of(index, name, bounds, yields)
        own, steps = quantised(found if of_units else found[documents])
        levels.append(own)
        cuts[name] = steps.tolist()
        about_units += [name] if of_units else []
        if name != "length":  # known by the bounds
            values[f"value.{name}"] = found
    codes = codes_of(levels, len(documents))
    order = np.argsort(codes, kind="stable")
    cells, starts = np.unique(codes[order], return_index=True)
    lengths = np.diff(bounds)
    mean = index.size / max(len(documents), 1)
    terms = index.attribute(attribute)
    postings = build_postings(terms, _rank_at(order, lengths), report)
    about = {
        "unit": str(unit),
        "attribute": attribute,
        "dimensions": dimensions,
        "of_units": about_units,
        "cuts": cuts,
        "tokens": index.size,
    }
    return {
        "about": np.frombuffer(json.dumps(about).encode(), np.uint8),
        **{f"lexicon.{name}": array for name, array in buffers_of(terms.lexicon.array).items()},
        **postings,
        **build_ceilings(postings, lengths[order], mean),
        "order": order.astype(np.uint32),
        "bounds": bounds.astype(position_type(index.size)),
        "documents": documents,
        "cells": cells,
        "cell_starts": np.append(starts, len(order)).astype(np.int64),
        **values,
    }


def _rank_at(order: Ids, lengths: Ids) -> Array:
    """Find the rank of the unit of each token."""
    ranks = np.empty(len(order), np.uint32)
    ranks[order] = np.arange(len(order), dtype=np.uint32)
    return np.repeat(ranks, lengths)
