"""Pages with text that no other page has, for `add.py` and for the growth in `build.py`.

They are those of the gold standards. The long stretches of text of a page are replaced by as many words of a Markov
chain of first order, learned from English texts. So markup, menus and the lengths of paragraphs are those of real
pages, words follow each other as words do, and nearly no sequence of ten words occurs twice. One word in fifty gets a
made-up form, so that the lexicon grows with the corpus as those of languages do.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq
from harness import find_gold_sets

from gristmill.archive import WarcWriter

_GOLD_SETS = ("andy-a", "dragnet-a", "googletrends-a", "wcxb-a")
_MAX_PAGE_BYTES = 200_000
_MIN_STRETCH_WORDS = 12
_TEXT_STRETCH = re.compile(r"<(script|style)\b.*?</\1\s*>|<!--.*?-->|>([^<>]{60,})<", re.DOTALL | re.IGNORECASE)
_CHAINS = 2_000
"""Chains that are run side by side: NumPy takes as long for one step of one as of many."""
_CHAIN_WORDS = 500
_MADE_UP_SHARE = 0.02
_SYLLABLES = np.array([consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"])


@dataclass(frozen=True, slots=True)
class Shell:
    """A page without its text: the markup between stretches of text, and how many words each stretch had."""

    markup: list[str]
    words: list[int]

    @classmethod
    def of(cls, page: str) -> Shell:
        """Take the text out of a page."""
        markup, words, done = [], [], 0
        for match in _TEXT_STRETCH.finditer(page):
            if match[2] is None or len(match[2].split()) < _MIN_STRETCH_WORDS:
                continue
            markup.append(page[done : match.start(2)])
            words.append(len(match[2].split()))
            done = match.end(2)
        return cls([*markup, page[done:]], words)

    def filled(self, chain: Chain) -> bytes:
        """Return the page with other text in it, in UTF-8."""
        texts = [*map(chain.take, self.words), ""]
        page = "".join(part for pair in zip(self.markup, texts, strict=True) for part in pair)
        return page.encode("utf-8", "replace")


class Chain:
    """A Markov chain of words, and a stream of its words that never ends."""

    def __init__(self, texts: list[str], seed: int = 0) -> None:
        numbers: dict[str, int] = {}
        tokens = np.array([numbers.setdefault(word, len(numbers)) for text in texts for word in text.split()])
        self._words = np.array([html.escape(word, quote=False) for word in numbers], object)
        order = np.argsort(tokens[:-1], kind="stable")
        self._next = tokens[1:][order]
        """The successors of all words, word by word: those of word 3 are `_next[_first[3]:_first[4]]`."""
        self._first = np.append(np.int64(0), np.cumsum(np.bincount(tokens[:-1], minlength=len(numbers))))
        self._random = np.random.default_rng(seed)
        self._stream = self._run()

    def take(self, count: int) -> str:
        """Return so many words more."""
        return " ".join(next(self._stream) for _ in range(count))

    def _run(self) -> Iterator[str]:
        while True:
            state = self._random.choice(self._next, _CHAINS)
            rows: list[npt.NDArray[np.int64]] = []
            for _ in range(_CHAIN_WORDS):
                counts = self._first[state + 1] - self._first[state]
                state = self._next[
                    self._first[state] + np.minimum((self._random.random(_CHAINS) * counts).astype(int), counts - 1)
                ]
                rows.append(state)
            words = self._words[np.stack(rows, axis=1).ravel()]
            made_up = np.flatnonzero(self._random.random(len(words)) < _MADE_UP_SHARE)
            words[made_up] = [_form(number) for number in self._random.zipf(1.2, len(made_up)).tolist()]
            yield from words.tolist()


def _form(number: int) -> str:
    """Return a made-up word for a number: 0 is `ba`, 71 is `beba`."""
    syllables: list[str] = []
    number %= 1 << 40
    while number or not syllables:
        number, rest = divmod(number, len(_SYLLABLES))
        syllables.append(str(_SYLLABLES[rest]))
    return "".join(syllables)


class Pages:
    """An endless supply of pages, the same ones each time."""

    def __init__(self, gold: Path) -> None:
        self._shells: list[Shell] = []
        texts: list[str] = []
        for path in find_gold_sets(gold, _GOLD_SETS):
            table = pq.read_table(path, columns=["html", "gold", "lang"])
            for page, text, lang in zip(*(table[name].to_pylist() for name in table.column_names), strict=True):
                if lang != "en" or len(page) > _MAX_PAGE_BYTES:
                    continue
                texts.append(text or "")
                shell = Shell.of(page.decode("utf-8", "replace"))
                if shell.words:
                    self._shells.append(shell)
        self._chain = Chain(texts)
        self._number = 0

    def write_archive(self, path: Path, words: int) -> int:
        """Write an archive of pages with about so many words of text, and return the number of pages."""
        pages = 0
        with path.open("wb") as file, WarcWriter(file) as archive:
            while words > 0:
                shell = self._shells[self._number % len(self._shells)]
                self._number += 1
                address = f"http://site{self._number % 997}.example/{self._number}.html"
                headers = {"Content-Type": "text/html; charset=utf-8"}
                archive.write_response(address, "2026-01-01T00:00:00Z", 200, headers, shell.filled(self._chain))
                words -= sum(shell.words)
                pages += 1
        return pages
