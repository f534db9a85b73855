"""Tokens of XML that may be broken: tags, text and CDATA sections, in linear time and without recursion.

There is no document type here: no entity that a document declares is ever expanded, and nothing outside is looked at.
So there are no bombs of entities and no external ones. What is not closed ends with the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from turbohtml import unescape

from gristmill.cleaning.attributes import attributes
from gristmill.crawling.links import attribute_text

TEXT, CDATA, START, END, EMPTY = range(5)
"""Kinds of tokens: text with references, text without, tags that begin, end, or do both."""

Token = tuple[int, str, str]
"""A kind, the text or the name of the tag as written, and what stands in the tag behind the name."""

# A tag never reaches beyond the next `<`, which may not stand in the value of an attribute: so time is linear.
_MARKUP = re.compile(
    r"<(?:!\[(?:CDATA|cdata)\[|!--|\?|!"
    r"|(/?+)([^\W\d][^\s<>/\"'=]*+)((?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+>|[^<>]*+>))"
)
_ENDS = {"<![CDATA[": "]]>", "<![cdata[": "]]>", "<!--": "-->", "<?": "?>"}


def tokens(text: str, begin: int = 0) -> Iterator[Token]:
    """Yield the tokens of a document; comments and declarations are none."""
    at = begin
    missing: set[str] = set()  # ends that don't come any more
    while found := _MARKUP.search(text, at):
        if found.start() > at:
            yield TEXT, text[at : found.start()], ""
        at = found.end()
        closing, name, rest = found.groups()
        if name is not None:
            kind = END if closing else EMPTY if rest.endswith("/>") else START
            yield kind, name, rest[:-1]
            continue
        opened = found[0]
        mark = _ENDS.get(opened, "")
        end = text.find(mark, at) if mark and mark not in missing else -1
        if end < 0:
            missing.add(mark)
        if mark == "]]>":
            yield CDATA, text[at : end if end >= 0 else len(text)], ""
            at = end + 3 if end >= 0 else len(text)
        elif end >= 0:
            at = end + len(mark)
    if at < len(text):
        yield TEXT, text[at:], ""


def attributes_of(rest: str) -> dict[str, str]:
    """Parse the attributes of a tag, given by what stands behind its name; names in lower case."""
    if "=" not in rest:
        return {}
    found = attributes(f"x {rest.removesuffix('/')}>".encode("utf-8", "replace"))
    return {name.decode("utf-8", "replace"): attribute_text(value) for name, value in found.items()}


def resolved(text: str) -> str:
    """Resolve character references, also those of HTML, which feeds use without declaring them; others stay."""
    return unescape(text) if "&" in text else text
