"""Blocks on which annotators disagree, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gristmill.corpus import CorpusReader
from gristmill.judgements.blocks.agreement import Item, Subject, items
from gristmill.judgements.blocks.majority import Merged, merge
from gristmill.judgements.blocks.marks import Judgement
from gristmill.judgements.blocks.pages import read_pages
from gristmill.judgements.blocks.store import BlockStore


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A block that annotators judged differently."""

    page: str
    url: str
    lang: str
    block: int
    words: int
    text: str
    classes: dict[str, str]
    merged: Merged


def disagreements(
    corpus: CorpusReader,
    store: BlockStore,
    subject: Subject = "verdict",
    annotators: Sequence[str] = (),
    first: int = 0,
    most: int = 50,
) -> tuple[int, list[Disagreement]]:
    """Count the blocks that are judged differently, and list some of them, those with most words first."""
    found = [item for item in items(store, subject, annotators) if len(set(item.classes.values())) > 1]
    found.sort(key=lambda item: (-item.words, item.page, item.block))
    shown = found[first : first + most]
    pages = {page.document.id: page.document for page in read_pages(corpus, {item.page for item in shown})}
    listed = []
    for item in shown:
        document = pages.get(item.page)
        text = document.blocks[item.block].text if document and item.block < document.block_count else ""
        url, lang = (document.url, document.lang) if document else ("", "")
        merged = merge(_judgements(item, subject))
        listed.append(Disagreement(item.page, url, lang, item.block, item.words, text, dict(item.classes), merged))
    return len(found), listed


def _judgements(item: Item, subject: Subject) -> list[Judgement]:
    return [Judgement(**{subject: value}) for value in item.classes.values()]
