"""Describe an outline as JSON, for programs: lists with their items, tables as rows of cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gristmill.cleaning.formatting.outline import Cell, Item, Leaf, List, Node, Quote


def describe(nodes: Sequence[Node]) -> list[dict[str, Any]]:
    """Return nodes as JSON has them."""
    return list(map(_node, nodes))


def _node(node: Node) -> dict[str, Any]:
    if isinstance(node, Leaf):
        return _leaf(node)
    if isinstance(node, List):
        return {"type": "list", "kind": node.kind, "items": [_item(item, node.kind) for item in node.items]}
    if isinstance(node, Quote):
        return {"type": "quote", "content": describe(node.children)}
    return {"type": "table", "rows": [list(map(_cell, row)) for row in node.rows]}


def _leaf(leaf: Leaf) -> dict[str, Any]:
    found: dict[str, Any] = {"type": leaf.kind, "text": leaf.text, "blocks": leaf.blocks}
    if leaf.kind == "heading":
        found["level"] = leaf.level
    if leaf.kind == "code":
        found["language"] = leaf.language
    return found


def _item(item: Item, kind: str) -> dict[str, Any]:
    number = {"number": item.number} if kind == "ordered" else {}
    return {**number, "content": describe(item.children)}


def _cell(cell: Cell) -> dict[str, Any]:
    leaves = [leaf for leaf in cell.leaves if isinstance(leaf, Leaf)]
    return {
        "text": "\n".join([leaf.text for leaf in leaves]),
        "header": cell.is_header,
        "blocks": [number for leaf in leaves for number in leaf.blocks],
    }
