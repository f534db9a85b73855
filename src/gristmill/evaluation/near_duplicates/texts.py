"""The texts of the bundled sample, to generate documents from."""

from __future__ import annotations

from gristmill import sample


def sample_texts() -> list[list[str]]:
    """The texts of the bundled sample, each a list of its blocks, without boilerplate and copied blocks."""
    pages = (
        [block["text"] for block in page["blocks"] if block["role"] != "boilerplate" and "copy_of" not in block]
        for page in sample.truth().values()
    )
    return [blocks for blocks in pages if blocks]
