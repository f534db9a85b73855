"""A document beside the first copies of its blocks, put into words: what a terminal, a page and JSON show of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from textwrap import shorten
from typing import Any

from gristmill.corpus.copies import FirstCopy, Relative, TracedBlock, TracedDocument
from gristmill.corpus.differences import Comparison, Cut, Side, compare, excerpt
from gristmill.wording import plural

MAX_RELATIVES = 10
"""Other documents that are shown; JSON has them all."""
MAX_PART_CHARACTERS = 160
"""Of a part that is in the first copy, too; JSON has it whole."""
MARKS: dict[Side, tuple[str, str]] = {"both": ("", ""), "here": ("{+", "+}"), "there": ("[-", "-]")}
"""What stands around words that are in one text only, where there are no colours."""
COMMON_PARTS = "parts that are in its copy, too"


def facts(document: TracedDocument) -> dict[str, str]:
    """What is known of the document as a whole, under its name; empty if there is nothing to say."""
    if document.dropped:
        known = {"dropped": f"by the filter {document.dropped} ({document.detail}), so it was not compared with others"}
    else:
        blocks, words = plural(len(document.blocks), "block"), plural(document.words, "word")
        known = {
            "repeated": f"{document.share:.0%} of its text",
            "copy of": f"{document.copy_of} {document.copy_url}".strip(),
            "left": f"{document.blocks_left:,} of {blocks}, {document.words_left:,} of {words}",
        }
    hidden = f"{plural(document.not_kept, 'block')} that cleaning did not keep" if document.not_kept else ""
    return {"id": document.id, "address": document.url, "title": document.title, **known, "not shown": hidden}


def relations(document: TracedDocument, copies: Sequence[Relative] | None) -> Iterator[tuple[str, Sequence[Relative]]]:
    """The documents that it repeats, and those that repeat it if these were looked for, each under a title."""
    if document.relatives:
        yield "repeats text of", document.relatives
    if copies is not None:
        yield ("is repeated by" if copies else "is repeated by no document of this corpus"), copies


def relation(relative: Relative, document: TracedDocument) -> tuple[str, str, str]:
    """Another document in three columns: how much text, its id, its address."""
    amount = f"{plural(relative.words, 'word')} in {plural(relative.blocks, 'block')}"
    return amount, relative.id, "(the same document)" if relative.id == document.id else relative.url


def common_parts(document: TracedDocument) -> Iterator[tuple[str, str, str]]:
    """The parts that are in the first copy, too, in three columns: how long, in which blocks, how it begins."""
    for passage in document.passages:
        here, there = (
            f"block {place.first}" if place.first == place.last else f"blocks {place.first} to {place.last}"
            for place in (passage.here, passage.there)
        )
        text = shorten(passage.here.text, MAX_PART_CHARACTERS, placeholder=" ...")
        yield plural(passage.tokens, "token"), f"{here}, there {there}", text


def more_relatives(relatives: Sequence[Relative]) -> str:
    """How many other documents there are that are not shown; empty if there are none."""
    more = len(relatives) - MAX_RELATIVES
    return f"and {plural(more, 'more document')}" if more > 0 else ""


def origin(copy: FirstCopy, document: TracedDocument) -> list[str]:
    """Where a first copy stands, its address, and what a reader should know of it; what is empty is left out."""
    block = f"block {copy.block} of " if copy.block >= 0 else ""
    place = block + ("this document" if copy.id == document.id else copy.id)
    return list(filter(None, (place, copy.url if copy.id != document.id else "", _remark(copy))))


def _remark(copy: FirstCopy) -> str:
    if copy.text is None and "/" in copy.id and not copy.url:
        return "of another corpus: --against with its folder shows the text"
    if copy.text is None:
        return "no block there is like this one"
    return "the most similar block there" if copy.guessed else ""


def compared(block: TracedBlock) -> Comparison:
    """A block with the text of its first copy, if that is known."""
    if block.copy is None or block.copy.text is None:
        return excerpt(block.text)
    return compare(block.text, block.copy.text)


@dataclasses.dataclass(frozen=True, slots=True)
class SideBySide:
    """A document beside the first copies of its blocks."""

    document: TracedDocument
    copies: Sequence[Relative] | None = None
    """The documents that repeat it; None if they were not looked for."""

    def to_json(self) -> dict[str, Any]:
        """Everything that is known, for programs, with whole texts and what differs in them."""
        record = dataclasses.asdict(self.document)
        for item, block in zip(record["blocks"], self.document.blocks, strict=True):
            if block.copy and block.copy.text is not None:
                item["differences"] = dataclasses.asdict(compared(block))
        repeated_by = {"copies": list(map(dataclasses.asdict, self.copies))} if self.copies is not None else {}
        return record | repeated_by

    def lines(self) -> Iterator[str]:
        """Lay out everything as plain text, a fact and a block a line."""
        document = self.document
        for name, value in facts(document).items():
            if value:
                yield f"{name:11}{value}"
        for title, relatives in relations(document, self.copies):
            yield ""
            yield title
            yield from ("  " + "  ".join(columns) for columns in columns_of(relatives, document))
        if document.passages:
            yield ""
            yield COMMON_PARTS
            yield from ("  " + "  ".join(columns) for columns in common_parts(document))
        for block in document.blocks:
            yield ""
            yield headline(block, document)
            yield merged(compared(block))


def columns_of(relatives: Sequence[Relative], document: TracedDocument) -> Iterator[tuple[str, ...]]:
    """Other documents in columns of equal widths, and how many more there are."""
    rows = [relation(relative, document) for relative in relatives[:MAX_RELATIVES]]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for amount, identifier, url in rows:
        yield f"{amount:{widths[0]}}", f"{identifier:{widths[1]}}", url
    if more := more_relatives(relatives):
        yield (more,)


def headline(block: TracedBlock, document: TracedDocument) -> str:
    """What is known of a block, in a line."""
    parts = [f"block {block.number}: {block.verdict or 'not compared'}"]
    if block.copy:
        place, *about = origin(block.copy, document)
        parts += [f"{block.share:.0%} repeated", f"first in {place}", *about]
    return ", ".join(parts)


def merged(comparison: Comparison) -> str:
    """Merge both texts into one: what is only there [-so-], what is only here {+so+}."""
    pieces = [(piece, *MARKS[piece.side]) for piece in comparison.pieces]
    text = "".join(f"{begin}{piece.text}{end}" for piece, begin, end in pieces).replace("-]{+", "-] {+")
    cuts = [
        f"{name}{cut_words(cut)}" for name, cut in (("", comparison.here), ("there ", comparison.there)) if cut != Cut()
    ]
    return " ".join([text, *(f"[... {cut} ...]" for cut in cuts)])


def cut_words(cut: Cut) -> str:
    """How much of a long text is not shown."""
    where = [
        plural(count, "word") + side
        for count, side in ((cut.before, " before this"), (cut.after, " after this"))
        if count
    ]
    return f"{' and '.join(where)} not shown"
