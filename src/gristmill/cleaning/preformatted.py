"""Text as it is written: in elements such as `<pre>` white space is shown, and so are the ends of lines.

The kernel collects it between tags; `as_written` brings it into order.
"""

from __future__ import annotations

import re

from gristmill.text.composition import compose

_OTHER_SPACE = re.compile(r"[^\S\t\n ]")
_OTHER_ASCII_SPACE = "\v\f\r\x1c\x1d\x1e\x1f"
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\ufeff]")
_BLANK_LINES = re.compile(r"(?:[\t ]*+\n)*+")


def as_written(text: str, *, unusual: bool) -> str:
    """Normalise preformatted text: keep lines and indents, remove blank lines around it.

    White space other than tabs and line ends becomes a space. In an `unusual` page, character references may have
    brought in control characters and decomposed letters.
    """
    if not text.isascii() or any(space in text for space in _OTHER_ASCII_SPACE):
        text = _OTHER_SPACE.sub(" ", text)
    if unusual:
        text = compose(_CONTROLS.sub("", text))
    blank = _BLANK_LINES.match(text)
    text = text[blank.end() if blank else 0 :].rstrip()
    return text if "\n" in text else text.lstrip()
