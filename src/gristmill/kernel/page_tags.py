"""Count the start tags of a page by name, and find those in which it declares what it is. See `cleaning.signs`.

    <meta name=a><body><p>Hi

has one start tag each of `meta`, `body` and `p`. The first stands in bytes 0 to 12, and the body is tag 1.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gristmill.kernel.elements import CODES, NAMES
from gristmill.kernel.rows import CLOSING, CODE, END, RAW_END, START, TELLS

_Int32 = npt.NDArray[np.int32]

_META = CODES["meta"]
_BODY = CODES["body"]
_TITLE = CODES["title"]
_SCRIPT = CODES["script"]
_SIZE = len(NAMES)
_MAX_TAGS = 400


def survey_tags(
    codes: _Int32, closing: _Int32, starts: _Int32, ends: _Int32
) -> tuple[_Int32, list[tuple[int, int]], int]:
    """Return the number of start tags of each code, where `meta` tags stand, and the number of the body tag.

    Of `meta` tags there are not more than a few hundred, whatever the page is; the last is -1 if there is no such tag.
    """
    found = np.zeros(_SIZE, np.int32)
    counts = found
    metas: list[tuple[int, int]] = []
    body = -1
    if not codes.shape[0] == closing.shape[0] == starts.shape[0] == ends.shape[0]:
        raise ValueError("the rows of the tags do not fit together")
    for tag in range(codes.shape[0]):
        code = codes[tag]
        if closing[tag] or code < 0:
            continue
        counts[code] += 1
        if code == _META:
            if counts[code] <= _MAX_TAGS:
                metas.append((starts[tag], ends[tag]))
        elif code == _BODY and body < 0:
            body = tag
    return found, metas, body


def find_telling(tags: _Int32, wanted: npt.NDArray[np.uint8]) -> list[tuple[int, int, int, int]]:
    """Return the start tags whose codes are wanted, or that may tell something: number, code, start and end."""
    found: list[tuple[int, int, int, int]] = []
    for tag in range(tags.shape[1]):
        code = tags[CODE, tag]
        if (tags[TELLS, tag] or (code >= 0 and wanted[code])) and not tags[CLOSING, tag]:
            found.append((tag, code, tags[START, tag], tags[END, tag]))
    return found


def find_raw_texts(tags: _Int32) -> list[tuple[int, int, int, int, int]]:
    """Return the titles and scripts: number, code and start of the tag, start and end of the content."""
    found: list[tuple[int, int, int, int, int]] = []
    for tag in range(tags.shape[1]):
        code = tags[CODE, tag]
        if code in (_SCRIPT, _TITLE) and not tags[CLOSING, tag]:
            found.append((tag, code, tags[START, tag], tags[END, tag], tags[RAW_END, tag]))
    return found
