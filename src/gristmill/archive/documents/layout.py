"""Recognise paragraphs, headings and running titles in the lines of a PDF, by their positions and sizes on the page."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from dataclasses import dataclass

from gristmill.archive.documents.html import Html
from gristmill.text.scripts import PRINTED_UNSPACED

_SENTENCE_END = re.compile(r"[.!?:…。！？؟][\"'»”’)\]]*$")
_BULLET = re.compile(r"[•▪◦‣●■–*·-]\s+(?=\S)")
_NUMBERS = re.compile(r"\d+")
# Scripts without spaces, whose lines are joined without one.
_UNSPACED = re.compile(f"[{PRINTED_UNSPACED}]")
_SOFT_HYPHENS = ("\ufffe", "\x02", "\u00ad")  # hyphens that only divide a word at the end of a line
_MAX_HEADING_CHARACTERS = 200
_MAX_NUMBERED_WORDS = 8  # in titles with fewer spaces, numbers may differ from page to page
_MIN_RUNNING_PAGES = 3  # a line at the edge of so many pages is a running title
_EDGE_LINES = 2  # at the top and at the bottom of a page, where running titles stand


@dataclass(slots=True)
class Line:
    """A line of text and its box on the page, in points from the lower left corner."""

    text: str
    left: float
    right: float
    top: float
    bottom: float

    @property
    def height(self) -> float:
        """The height of the box, which is about the size of the letters."""
        return max(self.top - self.bottom, 0.1)


def lay_out(pages: list[list[Line]], html: Html) -> None:
    """Write the lines of all pages as paragraphs, headings and list items, and running titles in a footer."""
    running = _running(pages)
    usual = statistics.median(
        [line.height for page in pages for line in page for _ in range(len(line.text) // 20 + 1)] or [1.0]
    )
    paragraph: list[Line] = []
    for page in pages:
        right = max((line.right for line in page), default=0.0)
        for place, line in enumerate(page):
            if _edge(page, place) and _key(line) in running:
                continue
            if paragraph and _begins(line, paragraph, right):
                _write(paragraph, usual, html)
                paragraph = []
            paragraph.append(line)
    if paragraph:
        _write(paragraph, usual, html)
    if running:
        html.tag("<footer>\n")
        for text in running.values():
            html.block(text)
        html.tag("</footer>\n")


def _key(line: Line) -> str:
    """The text by which running titles of different pages are compared: in short ones, all numbers count as equal."""
    text = line.text.strip()
    return _NUMBERS.sub("0", text) if text.count(" ") < _MAX_NUMBERED_WORDS else text


def _edge(page: list[Line], place: int) -> bool:
    return place < _EDGE_LINES or place >= len(page) - _EDGE_LINES


def _running(pages: list[list[Line]]) -> dict[str, str]:
    """Find running titles: lines at the edges of many pages that are the same but for numbers. Gives key and text."""
    found: Counter[str] = Counter()
    first: dict[str, str] = {}
    for page in pages:
        for key in {_key(line): line for place, line in enumerate(page) if _edge(page, place)}:
            found[key] += 1
        for place, line in enumerate(page):
            if _edge(page, place):
                first.setdefault(_key(line), line.text)
    return {key: first[key] for key, count in found.items() if count >= max(_MIN_RUNNING_PAGES, len(pages) // 3)}


def _begins(line: Line, paragraph: list[Line], right: float) -> bool:
    """Whether a line begins a new paragraph."""
    last = paragraph[-1]
    ended = bool(_SENTENCE_END.search(last.text.rstrip()))
    if abs(line.height - last.height) > 0.15 * last.height or _BULLET.match(line.text):
        return True
    if line.top > last.bottom + line.height:  # further up the page: the next column or page
        return ended or not line.text[:1].islower()
    if last.bottom - line.top > 0.6 * line.height:
        return True
    indented = line.left > last.left + 0.6 * line.height and len(paragraph) > 1
    return indented or (ended and last.right < right - 4 * line.height)


def _write(paragraph: list[Line], usual: float, html: Html) -> None:
    text = ""
    for line in paragraph:
        part = line.text.strip()
        divided = text.endswith("-") and text[-2:-1].isalpha() and part[:1].islower()
        divided = divided or text.endswith(_SOFT_HYPHENS)
        space = "" if not text or (_UNSPACED.match(text[-1]) and _UNSPACED.match(part)) else " "
        text = f"{text[:-1]}{part}" if divided else f"{text}{space}{part}"
    text = text.replace("\ufffe", "").replace("\x02", "")
    size = paragraph[0].height
    level = 0
    if size > 1.15 * usual and len(text) <= _MAX_HEADING_CHARACTERS:
        level = 1 if size > 1.6 * usual else 2 if size > 1.3 * usual else 3
    bullet = _BULLET.match(text)
    html.block(text[bullet.end() :] if bullet else text, level, item=bool(bullet))
