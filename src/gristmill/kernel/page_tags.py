"""Count the start tags of a page by name, and find those in which it declares what it is. See `cleaning.signs`.

    <meta name=a><p>Hi<script type="application/ld+json">{}</script>

has one start tag each of `meta`, `p` and `script`. What it declares stands in bytes 0 to 12 and in the script, tag 2.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gristmill.kernel.elements import CODES, NAMES

_Int32 = npt.NDArray[np.int32]

_META = CODES["meta"]
_SCRIPT = CODES["script"]
_BODY = CODES["body"]
_SIZE = len(NAMES)
_JSON = b"ld+json"
_J = ord("j")
_MAX_TAGS = 400


def survey_tags(
    data: bytes, codes: _Int32, closing: _Int32, starts: _Int32, ends: _Int32
) -> tuple[_Int32, list[tuple[int, int]], list[int], int]:
    """Return the number of start tags of each code, where `meta` tags stand, which tags have JSON-LD, and the body tag.

    Of the second and third there are not more than a few hundred, whatever the page is; the last is -1 if there is
    none.
    """
    found = np.zeros(_SIZE, np.int32)
    counts = found
    metas: list[tuple[int, int]] = []
    scripts: list[int] = []
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
        elif code == _SCRIPT and counts[code] <= _MAX_TAGS and has_json(data, starts[tag], ends[tag]):
            scripts.append(tag)
        elif code == _BODY and body < 0:
            body = tag
    return found, metas, scripts, body


def has_json(data: bytes, start: int, end: int) -> bool:
    """Tell whether `ld+json` stands in a tag."""
    at = start + 3
    while at + 4 <= end:
        if data[at] == _J and data[at - 3 : at + 4] == _JSON:
            return True
        at += 1
    return False
