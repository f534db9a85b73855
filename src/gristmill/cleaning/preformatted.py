"""Text as it is written: in elements such as `<pre>` white space is shown, and so are the ends of lines.

`written_between` collects it from the tags that the kernel has found; `as_written` brings it into order.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from gristmill.kernel import resolve
from gristmill.kernel.rows import CLOSING, CODE, HOLDS_RAW, IS_LINE_BREAK, IS_LINK, IS_SPACED, START, TEXT, WHAT
from gristmill.kernel.rules import Table
from gristmill.text.composition import compose

_OTHER_SPACE = re.compile(r"[^\S\t\n ]")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\ufeff]")
_BLANK_LINES = re.compile(r"(?:[\t ]*+\n)*+")


def written_between(
    data: bytes,
    tags: npt.NDArray[np.int32],
    rules: Table,
    hidden: npt.NDArray[np.uint8],
    before: int,
    behind: int,
) -> str:
    """Return the visible text between two tags of a page with all its white space; see `gristmill.kernel.rows`."""
    rows = tags[:, before : behind + 1]
    starts, codes, closing = rows[START].tolist(), rows[CODE].tolist(), rows[CLOSING].tolist()
    starts.append(len(data))
    parts = []
    end, ends_link = -1, False  # where the text before a tag began; whether it stands behind the end of a link
    for at, (code, text, is_hidden) in enumerate(
        zip(codes[: behind - before], rows[TEXT].tolist(), hidden[before:behind].tolist(), strict=False)
    ):
        what = int(rules[WHAT, code]) if code >= 0 else 0
        touches = ends_link and what & IS_LINK and starts[at] == end
        if at and (what & IS_SPACED or touches):  # the tag before the block separates nothing within it
            parts.append(b"\n" if what & IS_LINE_BREAK and not is_hidden else b" ")
        if not is_hidden:
            written = data[text : starts[at + 1]]
            parts.append(written if what & HOLDS_RAW and not closing[at] else resolve(written))
        end, ends_link = text, bool(what & IS_LINK and closing[at])
    return b"".join(parts).decode()


def as_written(text: str, *, unusual: bool) -> str:
    """Normalise preformatted text: keep lines and indents, remove blank lines around it.

    White space other than tabs and line ends becomes a space. In an `unusual` page, character references may have
    brought in control characters and decomposed letters.
    """
    text = _OTHER_SPACE.sub(" ", text)
    if unusual:
        text = compose(_CONTROLS.sub("", text))
    blank = _BLANK_LINES.match(text)
    text = text[blank.end() if blank else 0 :].rstrip()
    return text if "\n" in text else text.lstrip()
