"""All pairs of documents that share a feature, however many these are: what measuring needs, and de-duplication not.

The cost is the sum, over features, of the squared number of documents that have it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gristmill.arrays.dtypes import Ints
from gristmill.arrays.ragged import chunks, is_new, spread
from gristmill.dedup.documents.sketches import Sketches


def sharing_pairs(sketches: Sketches) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Pairs of documents, the earlier one first, and how many features they share; those of some first ones at a time.

    Features are sorted, and those of the same value by document: from each place of a feature the places behind it,
    up to the end of its value, are the later documents that have it too.

        features 7 8 | 7 | 7 8  ->  values     7 7 7 8 8
                                    documents  0 1 2 0 2    ->  (0, 1) 1, (0, 2) 2, (1, 2) 1
    """
    count = len(sketches.sizes)
    if not len(sketches.features):
        return
    owners = np.repeat(np.arange(count), sketches.counts)
    order = np.lexsort((owners, sketches.features))
    documents, starts = owners[order], np.flatnonzero(is_new(sketches.features[order]))
    ends = np.repeat(np.append(starts[1:], len(order)), np.diff(np.append(starts, len(order))))
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    behind = ends[places] - places - 1
    per_document = np.add.reduceat(np.append(behind, 0), sketches.starts[:-1])
    per_document[sketches.counts == 0] = 0
    for part in chunks(per_document):
        mine = slice(*sketches.starts[[part.start, part.stop]].tolist())
        rows, others = spread(places[mine] + 1, behind[mine])
        pairs, shared = np.unique(owners[mine][rows] * count + documents[others], return_counts=True)
        first, second = np.divmod(pairs, count)
        yield first, second, shared
