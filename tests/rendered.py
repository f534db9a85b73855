"""Markdown as a reader of it sees it: rendered by markdown-it, with GitHub's tables and strikethrough."""

from __future__ import annotations

from collections import Counter

from markdown_it import MarkdownIt

_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_BREAKS = {"softbreak", "hardbreak"}
_NO_TEXT = {"hr", "html_block", "code_block"}


def html_of(markdown: str) -> str:
    """The HTML that it stands for, without line ends."""
    return str(_PARSER.render(markdown)).replace("\n", "")


def words_of(markdown: str) -> list[str]:
    """The words that are shown; what no document may have, such as raw HTML, is shown as `<<...>>`."""
    parts: list[str] = []
    for token in _PARSER.parse(markdown):
        if token.type == "fence":
            parts.append(token.content)
        elif token.type in _NO_TEXT:
            parts.append(f"<<{token.type}>>")
        for child in token.children or []:
            if child.type in {"text", "code_inline"}:
                parts.append(child.content)
            elif child.type in _BREAKS or (child.type == "html_inline" and child.content == "<br>"):
                parts.append("\n")
            elif child.type in {"html_inline", "image"}:
                parts.append(f"<<{child.content}>>")
        parts.append("\n")
    return "".join(parts).split()


def elements_of(markdown: str) -> Counter[str]:
    """How many elements of each name there are."""
    found: Counter[str] = Counter()
    for token in _PARSER.parse(markdown):
        for item in (token, *(token.children or [])):
            if item.nesting >= 0 and item.tag and not item.hidden:
                found["pre" if item.type == "fence" else item.tag] += 1
    return found
