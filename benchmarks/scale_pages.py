"""Archives of made-up web pages for `scale.py`: real markup, text in several languages, and some of it twice.

The pages are those of the gold standards with other text in their long stretches, as in `add_pages.py`. The language of
a page is chosen at random; its words come from a Markov chain that was learned from texts of that language. One page in
fifty is an exact copy of an earlier one under another address, and one stretch in twelve is taken from an earlier page:
about a tenth of all text is repeated.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pyarrow.compute as pc
import pyarrow.parquet as pq
from add_pages import Chain, Shell
from harness import find_gold_sets

from gristmill.archive.writer import HTTP_RESPONSE, make_record

Item = TypeVar("Item")

_SHELLS = ("canola", "ceed-a", "cleaneval", "dragnet-a", "l3s-gn1", "wcxb-a")
_TREEBANKS = "ud-train.parquet"
_LANGUAGES = {"en": 50, "de": 10, "fr": 10, "es": 10, "ru": 10, "pl": 5, "cs": 5}
"""Languages, and how many of a hundred pages have each."""
_MAX_PAGE_BYTES = 400_000
_PAGE_WORDS = range(100, 1_200)
"""Words of text that pages have: gold standards have many longer ones, which the web has not."""
_COPIES = 0.02
_REPEATED_STRETCHES = 1 / 12
_POOL = 5_000
"""Stretches and pages that are remembered, to be repeated."""
_DATE = "2026-01-01T00:00:00Z"
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive that was written: pages, words of their text, bytes of their HTML."""

    path: Path
    pages: int
    words: int
    html_bytes: int


class Web:
    """An endless supply of pages, the same ones for the same seed."""

    def __init__(self, gold: Path, seed: int = 0) -> None:
        self._random = random.Random(seed)
        self._chains = {lang: Chain(texts, seed) for lang, texts in _texts(gold).items()}
        self._shells = sorted(_shells(gold), key=_size)
        self._stretches: list[str] = []
        self._bodies: list[tuple[bytes, int]] = []
        self._number = 0

    def write_archive(self, path: Path, words: int, *, large: bool) -> Archive:
        """Write an archive of pages with about so many words of text; pages are the smaller or the larger half.

        So what a page costs can be told from what a byte of it costs.
        """
        half = len(self._shells) // 2
        shells = self._shells[half:] if large else self._shells[:half]
        pages = done = size = 0
        with path.open("wb") as file:
            while done < words:
                body, count = self._page(self._random.choice(shells))
                self._number += 1
                address = f"http://site{self._number % 997}.example/{self._number}.html"
                record = make_record("response", _DATE, _HEAD + body, HTTP_RESPONSE, {"WARC-Target-URI": address})
                file.write(_packed(record))
                pages, done, size = pages + 1, done + count, size + len(body)
        return Archive(path, pages, done, size)

    def _page(self, shell: Shell) -> tuple[bytes, int]:
        """Make the HTML of a page, and count the words of its text."""
        if self._bodies and self._random.random() < _COPIES:
            return self._random.choice(self._bodies)
        [lang] = self._random.choices(list(_LANGUAGES), list(_LANGUAGES.values()))
        texts = [self._stretch(lang, count) for count in shell.words]
        page = "".join(part for pair in zip(shell.markup, [*texts, ""], strict=True) for part in pair)
        made = page.encode("utf-8", "replace"), sum(shell.words)
        _remember(self._bodies, made, self._random)
        return made

    def _stretch(self, lang: str, count: int) -> str:
        if self._stretches and self._random.random() < _REPEATED_STRETCHES:
            return self._random.choice(self._stretches)
        text = self._chains[lang].take(count)
        _remember(self._stretches, text, self._random)
        return text


def _remember(pool: list[Item], item: Item, chance: random.Random) -> None:
    if len(pool) < _POOL:
        pool.append(item)
    else:
        pool[chance.randrange(_POOL)] = item


def _size(shell: Shell) -> int:
    return sum(map(len, shell.markup))


def _packed(record: bytes) -> bytes:
    packer = zlib.compressobj(6, wbits=31)
    return packer.compress(record) + packer.flush()


def _texts(gold: Path) -> dict[str, list[str]]:
    """Texts of each language: sentences of treebanks, and those of the gold standards for English."""
    table = pq.read_table(gold / _TREEBANKS, columns=["lang", "text"])
    found = {
        lang: table.filter(pc.equal(table["lang"], lang))["text"].to_pylist() for lang in _LANGUAGES if lang != "en"
    }
    missing = [lang for lang, texts in found.items() if not texts]
    if missing:
        raise SystemExit(f"There are no sentences of {', '.join(missing)} in {gold / _TREEBANKS}.")
    golds = [pq.read_table(path, columns=["gold"])["gold"].to_pylist() for path in find_gold_sets(gold, _SHELLS)]
    return {"en": [text for texts in golds for text in texts if text], **found}


def _shells(gold: Path) -> Iterator[Shell]:
    for path in find_gold_sets(gold, _SHELLS):
        for page in pq.read_table(path, columns=["html"])["html"].to_pylist():
            if len(page) <= _MAX_PAGE_BYTES:
                shell = Shell.of(page.decode("utf-8", "replace"))
                if sum(shell.words) in _PAGE_WORDS:
                    yield shell
