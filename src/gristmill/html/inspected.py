"""The stored page of the page inspector: made harmless, its blocks marked and coloured as they are judged."""

from __future__ import annotations

from gristmill.corpus.explain import about_block
from gristmill.corpus.inspecting import Inspected, SeenBlock
from gristmill.html.colouring import Colouring, frame_style
from gristmill.html.marks import Mark
from gristmill.html.sandboxed import sandboxed_page


def inspected_page(page: Inspected, colour: str = "score", *, plain: bool = False) -> str:
    """Make the HTML of a stored page for a sandboxed frame; `plain` shows all its text, without its own look."""
    colouring = Colouring(page.blocks, colour)
    marks = [
        Mark(seen.number, start, end, _classes(seen, colouring), _about(seen, page))
        for seen, (start, end) in zip(page.blocks, page.places, strict=True)
    ]
    style = frame_style(colour)
    return sandboxed_page(page.text, marks, is_text=page.is_text, plain=plain or bool(page.missing), style=style)


def _classes(seen: SeenBlock, colouring: Colouring) -> str:
    marks = [f"gm-{colouring.key(seen)}"]
    if not seen.kept:
        marks.append("gm-out")
    if seen.differs:
        marks.append("gm-differs")
    return " ".join(marks)


def _about(seen: SeenBlock, page: Inspected) -> str:
    role = f", {seen.block.role}" if seen.block.role else ""
    return f"block {seen.number}{role}\n{about_block(seen.block, page.document, kept=seen.kept)}"
