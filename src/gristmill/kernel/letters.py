"""Add up the scores of the letter triples of texts, by which `language.plain` tells their language.

    data, starts, ends     b"The mill. Das Mehl", [0, 10], [9, 18]: the texts "The mill." and "Das Mehl"
    numbers                of letters: 20, 8 and 5 for T, h and e, in both cases; 0 for blanks
    scores                 of triples of numbers: 64 for 20, 8, 5, which is "the"
    the sums of scores     for each text one, of "the", "he ", "e m", " mi"... and of "das", "as ", "s m"...

Letters are one byte (Latin) or two (Cyrillic, by the second byte): the bytes of a triple are 1 or 2 apart, `step`.
`count_letters` tells which texts have too few letters to be worth it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_Int32 = npt.NDArray[np.int32]


def add_scores(data: bytes, starts: _Int32, ends: _Int32, numbers: bytes, scores: _Int32, step: int) -> _Int32:
    """Return for each text the sum of the scores of its triples, modulo 2^32.

    Scores are in the order of the three numbers, which have 5 bits for letters of one byte, and 6 for those of two.
    """
    if not 1 <= step <= 2:  # else triples have more bits than a number
        raise ValueError("letters have one or two bytes")
    texts = len(starts)
    made = np.zeros(texts, np.int32)
    sums = made
    bits = 4 + step
    mask = (1 << bits * 3) - 1
    for text in range(texts):
        total = 0
        first = starts[text]
        end = ends[text]
        for lane in range(step):
            triple = 0
            place = first + lane
            taken = 0
            while place < end:
                triple = (triple << bits | numbers[data[place]]) & mask
                taken += 1
                if taken > 2:
                    total += scores[triple]
                place += step
        sums[text] = total
    return made


def count_letters(data: bytes, starts: _Int32, ends: _Int32, is_letter: bytes) -> _Int32:
    """Count the bytes of letters of each text, and one more for each run of them: "The 3 mills" has 3 + 1 + 5 + 1."""
    texts = len(starts)
    made = np.zeros(texts, np.int32)
    counts = made
    for text in range(texts):
        count = was = 0
        for place in range(starts[text], ends[text]):
            now = is_letter[data[place]]
            count += now + (now & ~was)
            was = now
        counts[text] = count
    return made
