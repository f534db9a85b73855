"""Metadata in JSON-LD: objects of schema.org in scripts, as search engines ask for them.

Broken JSON is normal, and so is JSON of any other shape: nothing here raises or recurses.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from gristmill.cleaning.metadata.dates import declared_date
from gristmill.cleaning.metadata.found import MAX_ITEMS, Metadata, readable
from gristmill.cleaning.metadata.names import authors
from gristmill.cleaning.metadata.tags import items_of

_MAX_BYTES = 200_000
"""Bytes of JSON that are parsed; a script that is longer is passed over."""
_MAX_NODES = 300
_Node = dict[str, Any]
_DECODER = json.JSONDecoder(strict=False)  # line ends within texts are the most common mistake
_AROUND = re.compile(r"\s*(?://)?\s*(?:<!--|<!\[CDATA\[)?(?://)?\s*")
_BETWEEN = re.compile(r"[\s,;]*")
_TRAILING_COMMA = re.compile(r",(?=\s{0,99}[}\]])")
_WORKS = ("Article", "BlogPosting", "Posting", "Report", "Review", "Recipe", "Story", "Chapter", "Book", "Thesis")
_OTHER_WORKS = ("Product", "Event", "Question", "Course", "JobPosting", "HowTo", "Movie", "Podcast", "CreativeWork")
_PAGES = ("Page", "VideoObject", "Dataset", "WebContent")
_PERSONS = frozenset({"Person", ""})
_INNER = ("@graph", "mainEntity", "mainEntityOfPage")
"""Where the objects that describe the page stand within others; elsewhere are those of other pages."""


def read_json_ld(found: Metadata, scripts: list[bytes], title: str) -> None:
    """Give a page what its scripts say in JSON-LD; the title says which of several articles it is."""
    nodes: list[_Node] = []
    left = _MAX_BYTES
    for script in scripts:
        if len(script) <= left:
            left -= len(script)
            nodes += _nodes(script)
    if not nodes:
        return
    ids: dict[str, _Node] = {}
    for node in nodes:
        name = node.get("@id")
        if isinstance(name, str) and len(node) > 1:
            ids.setdefault(name, node)
    kinds = [_types(node) for node in nodes]
    for node in _described(nodes, kinds, title):
        _read(found, node, ids)
    for node, types in zip(nodes, kinds, strict=True):
        if any(kind in ("WebSite", "NewsMediaOrganization", "Organization") for kind in types):
            found.put("site_name", readable(node.get("name")), "json-ld")


def _nodes(script: bytes) -> list[_Node]:
    """Return the objects of a script that may describe the page."""
    nodes: list[_Node] = []
    stack: list[Any] = _parse(script)[::-1]
    while stack and len(nodes) < _MAX_NODES:
        item = stack.pop()
        if isinstance(item, list):
            stack += item[:_MAX_NODES][::-1]
        elif isinstance(item, dict):
            nodes.append(item)
            stack += [item[name] for name in _INNER if isinstance(item.get(name), list | dict)]
    return nodes


def _parse(script: bytes) -> list[Any]:
    """Parse JSON, also with what is often wrong around it; what can't be read is left out."""
    text = script.decode("utf-8", "replace")
    try:
        return [_DECODER.decode(text)]
    except (ValueError, RecursionError):
        text = _TRAILING_COMMA.sub("", text)
    values: list[Any] = []
    match = _AROUND.match(text)
    place = match.end() if match else 0
    while place < len(text) and len(values) < _MAX_NODES:
        try:
            value, place = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            break
        values.append(value)
        between = _BETWEEN.match(text, place)
        place = between.end() if between else len(text)
    return values


def _types(node: _Node) -> list[str]:
    """Return the types of an object, without the address of schema.org."""
    types = node.get("@type")
    listed = types if isinstance(types, list) else [types]
    return [kind.rpartition("/")[2] for kind in listed[:MAX_ITEMS] if isinstance(kind, str)]


def _described(nodes: list[_Node], kinds: list[list[str]], title: str) -> Iterator[_Node]:
    """Yield the objects that describe the page itself, the best first.

    Of several articles it is the one that the title names; pages that list articles describe each of them, and none
    of these is the page.
    """
    for endings in (_WORKS, _OTHER_WORKS, _PAGES):
        some = [node for node, types in zip(nodes, kinds, strict=True) if any(kind.endswith(endings) for kind in types)]
        if endings is not _PAGES and len({readable(node.get("headline") or node.get("name")) for node in some}) > 1:
            some = [node for node in some if _names_title(node, title)][:1]
        yield from some[:2]


def _names_title(node: _Node, title: str) -> bool:
    name = readable(node.get("headline") or node.get("name")).lower()
    title = title.lower()
    return bool(name) and (name in title or (bool(title) and title in name))


def _read(found: Metadata, node: _Node, ids: dict[str, _Node]) -> None:
    """Give a page what one object says."""
    found.put("headline", readable(node.get("headline")), "json-ld")
    persons, others = _authors(node, ids)
    found.put("author", authors(persons), "json-ld")
    found.doubt("author", authors(others), "json-ld")
    for name in ("datePublished", "uploadDate"):
        found.put("date", declared_date(readable(node.get(name)), found.lang), "json-ld")
    found.doubt("date", declared_date(readable(node.get("dateCreated")), found.lang), "json-ld")
    found.put("modified", declared_date(readable(node.get("dateModified")), found.lang), "json-ld")
    for publisher in _values(node.get("publisher"), ids):
        found.put("site_name", _name(publisher), "json-ld")
    found.put("description", readable(node.get("description")), "json-ld")
    found.put_all("categories", _texts(node.get("articleSection")), "json-ld")
    found.put_all("keywords", _texts(node.get("keywords")), "json-ld")
    for name, field in (("license", "licence"), ("image", "image")):
        for value in _values(node.get(name), ids):
            address = value if isinstance(value, str) else value.get("url") or value.get("@id")
            found.put(field, readable(address), "json-ld")
    count = node.get("commentCount")
    if not found.comment_count and isinstance(count, int | str) and str(count)[:9].isdecimal():
        found.comment_count = int(str(count)[:9])
    body = node.get("articleBody")
    if isinstance(body, str):
        found.body_length = max(found.body_length, len(body))


def _values(value: object, ids: dict[str, _Node]) -> Iterator[str | _Node]:
    """Yield the texts and objects of a property, which has one or a list; references to objects are followed."""
    for item in islice(value if isinstance(value, list) else [value], MAX_ITEMS):
        if isinstance(item, dict):
            name = item.get("@id")
            yield ids.get(name, item) if isinstance(name, str) and "name" not in item else item
        elif isinstance(item, str):
            yield item


def _authors(node: _Node, ids: dict[str, _Node]) -> tuple[list[str], list[str]]:
    """Return the names of persons who are authors, and of organisations."""
    persons, others = [], []
    for author in [*_values(node.get("author"), ids), *_values(node.get("creator"), ids)]:
        if isinstance(author, str) or not _types(author) or _PERSONS.intersection(_types(author)):
            persons += _names(author)
        else:
            others += _names(author)
    return persons, others


def _names(value: str | _Node) -> list[str]:
    """Return the name of an object, or names if a list stands in its place."""
    name = value if isinstance(value, str) else value.get("name")
    return [readable(item) for item in (name[:MAX_ITEMS] if isinstance(name, list) else [name])]


def _name(value: str | _Node) -> str:
    return next(filter(None, _names(value)), "")


def _texts(value: object) -> list[str]:
    """Return the items of a list, or of a text with commas between them."""
    if isinstance(value, list):
        return [readable(item) for item in value[:MAX_ITEMS]]
    return items_of([readable(value)])
