"""Convert the light markup of page texts to HTML, with marks that say where text and copies stand.

The marks are HTML comments (`<!--role content-->`, `<!--block 3-->`, `<!--from mill.example/a.html#3 same-->`);
`truth.py` reads them and then removes them.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

_INLINE = (
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (re.compile(r"\*\*([^*]+)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"\*([^*]+)\*"), r"<em>\1</em>"),
    (re.compile(r"\[([^\]]+)\]\(([^)]+)\)"), r'<a href="\2">\1</a>'),
)
_TAGS = {"# ": "h1", "## ": "h2", "### ": "h3", "- ": "li", "+ ": "li", "> ": "blockquote", "|": "tr", "$ ": "pre"}
_LISTS = {"- ": "ul", "+ ": "ol", "|": "table"}


@dataclass
class SourceBlock:
    """One block of a page's text: its mark (`# `, `- `...), its text, and the block that it copies or revises."""

    mark: str
    text: str
    number: int = 0
    source: str = ""
    relation: str = ""


@dataclass
class Post:
    """A forum post or a reader's comment: who, when, and its blocks."""

    who: str
    when: str
    blocks: list[SourceBlock] = field(default_factory=list)


@dataclass
class Text:
    """A page's text: its header fields, its own blocks, and the posts after them."""

    fields: dict[str, str]
    blocks: list[SourceBlock]
    posts: list[Post]

    def all_blocks(self) -> list[SourceBlock]:
        """The page's own blocks and those of its posts, in order; `number` is the place in this list."""
        return [*self.blocks, *(block for post in self.posts for block in post.blocks)]


def parse(source: str, name: str) -> Text:
    """Parse one page text; `name` is used in error messages."""
    head, separator, body = source.partition("\n---\n")
    if not separator:
        raise ValueError(f"{name}: no line '---' between the fields and the text")
    fields = {}
    for line in head.splitlines():
        key, colon, value = line.partition(":")
        if not colon:
            raise ValueError(f"{name}: not a 'key: value' line: {line!r}")
        fields[key.strip()] = value.strip()
    blocks: list[SourceBlock] = []
    posts: list[Post] = []
    for chunk in re.split(r"\n\s*\n", body.strip()):
        if chunk.startswith("@ "):
            who, _, when = chunk[2:].partition("|")
            posts.append(Post(who.strip(), when.strip()))
        elif chunk:
            (posts[-1].blocks if posts else blocks).extend(_blocks(chunk))
    text = Text(fields, blocks, posts)
    for number, block in enumerate(text.all_blocks()):
        block.number = number
    return text


def _blocks(chunk: str) -> list[SourceBlock]:
    """Split a chunk into blocks: each line of a list or a table is one, anything else is one block."""
    if chunk.startswith(("= ", "~ ")):
        first, _, rest = chunk.partition("\n")
        relation = "same" if first[0] == "=" else "revised"
        block = _blocks(rest)[0] if rest else SourceBlock("", "")
        return [SourceBlock(block.mark, block.text, source=first[2:].strip(), relation=relation)]
    mark = next((m for m in _TAGS if chunk.startswith(m)), "")
    if mark in _LISTS:
        return [SourceBlock(mark, line[len(mark) :].strip()) for line in chunk.splitlines()]
    if mark == "$ ":
        return [SourceBlock(mark, chunk[2:])]
    return [SourceBlock(mark, " ".join(chunk[len(mark) :].split()))]


def inline(text: str) -> str:
    """Convert emphasis, code and links of one block to HTML."""
    out = html.escape(text, quote=False)
    for pattern, replacement in _INLINE:
        out = pattern.sub(replacement, out)
    return out


def render(blocks: list[SourceBlock], role: str) -> str:
    """Convert blocks to HTML, marked with their role (`content` or `comment`) and with what they copy."""
    out = [f"<!--role {role}-->"]
    open_list = ""
    for block in blocks:
        list_tag = _LISTS.get(block.mark, "")
        if list_tag != open_list:
            out += [f"</{open_list}>"] * bool(open_list) + [f"<{list_tag}>"] * bool(list_tag)
            open_list = list_tag
        out.append(f"<!--block {block.number}-->")
        if block.relation:
            out.append(f"<!--from {block.source} {block.relation}-->")
        out.append(_element(block))
    out += [f"</{open_list}>"] * bool(open_list)
    out.append("<!--/role-->")
    return "\n".join(out)


def _element(block: SourceBlock) -> str:
    tag = _TAGS.get(block.mark, "p")
    if tag == "tr":
        cells = [cell.strip() for cell in block.text.strip("|").split("|")]
        return "<tr>" + "".join(f"<td>{inline(cell)}</td>" for cell in cells) + "</tr>"
    if tag == "pre":
        return f"<pre><code>{html.escape(block.text, quote=False)}</code></pre>"
    if tag == "blockquote":
        return f"<blockquote><p>{inline(block.text)}</p></blockquote>"
    return f"<{tag}>{inline(block.text)}</{tag}>"
