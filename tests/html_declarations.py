"""What comments and doctypes say, given as written. Only tests of the tokenizer ask: neither is needed for text.

What they return for this page, tag by tag:

    <!-- mill -->                                        the comment " mill "
    <!-- mill --!>                                       the same
    <?php echo 1 ?>                                      the comment "?php echo 1 ?"
    <!doctype html>                                      a doctype with the name "html"
    <!DOCTYPE html PUBLIC "-//W3C//DTD HTML 3.2//EN">    the same, and a public identifier
"""

from __future__ import annotations

import re
from typing import NamedTuple

_SPACE = rb"\t\n\f\r "
_NAME = re.compile(rb"[~]*+([^~>]++)".replace(b"~", _SPACE))
_KEYWORD = re.compile(rb"[~]*+(PUBLIC|SYSTEM)".replace(b"~", _SPACE), re.IGNORECASE)
_IDENTIFIER = re.compile(rb"[~]*+(?:\"([^\">]*+)(\"?+)|'([^'>]*+)('?+))".replace(b"~", _SPACE))
_END = re.compile(rb"[~]*+>".replace(b"~", _SPACE))
_COMMENT_END = re.compile(rb"(?:--!?>|--!?|-)\Z")
_OPENING = len(b"<!doctype")


class Doctype(NamedTuple):
    """A doctype; what it does not have is None."""

    name: str | None
    public: str | None
    """The public identifier, such as `-//W3C//DTD HTML 4.01//EN`."""
    system: str | None
    """The system identifier, mostly the address of a DTD."""
    is_correct: bool
    """Whether its syntax lets a browser use its standards mode ("force-quirks flag" off)."""


def comment(markup: bytes) -> str | None:
    """Return the content of a comment, given as written; None if it is a doctype or a tag."""
    if markup.startswith(b"<!--"):
        content = b"" if markup in {b"<!-->", b"<!--->"} else _COMMENT_END.sub(b"", markup[4:])
    elif markup[1:2] == b"!" and not is_doctype(markup):
        content = markup[2:].removesuffix(b">")
    elif markup[1:2] == b"?":
        content = markup[1:].removesuffix(b">")
    elif markup.startswith(b"</") and not markup[2:3].isalpha() and markup != b"</>":
        content = markup[2:].removesuffix(b">")
    else:
        return None
    return content.decode("utf-8", "replace")


def is_doctype(markup: bytes) -> bool:
    """Tell whether something that begins with an angle bracket is a doctype."""
    return markup[:_OPENING].lower() == b"<!doctype"


def doctype(markup: bytes) -> Doctype:
    """Parse a doctype, given as written."""
    name = _NAME.match(markup, _OPENING)
    if not name:
        return Doctype(None, None, None, is_correct=False)
    written = name[1].lower().decode("utf-8", "replace")
    keyword = _KEYWORD.match(markup, name.end())
    if not keyword:
        return Doctype(written, None, None, is_correct=bool(_END.match(markup, name.end())))
    public = None
    at, is_complete = keyword.end(), True
    if keyword[1].lower() == b"public":
        public, at, is_complete = _identifier(markup, at)
        if public is None or not is_complete or _END.match(markup, at):
            return Doctype(written, public, None, is_correct=is_complete)
    system, at, is_complete = _identifier(markup, at)
    # Whatever else may stand behind the system identifier, it is not the end of the page.
    is_correct = is_complete and bool(markup[at:].strip(b"\t\n\f\r "))
    return Doctype(written, public, system, is_correct)


def _identifier(markup: bytes, at: int) -> tuple[str | None, int, bool]:
    """Read an identifier in quotes: its text, where it ends, and whether it has quotes at its end, too."""
    found = _IDENTIFIER.match(markup, at)
    if not found:
        return None, at, False
    double, end, single, other_end = found.groups()
    text = double if double is not None else single
    return text.decode("utf-8", "replace"), found.end(), bool(end or other_end)
