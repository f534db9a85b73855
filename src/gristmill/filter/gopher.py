"""The filter `gopher-quality`: the rules for running text by which MassiveWeb, the corpus of Gopher, was made."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from gristmill.document import Document
from gristmill.filter.registry import (
    DocumentFilter,
    Finding,
    above,
    below,
    check_order,
    check_shares,
    counted,
    finding,
    share_above,
    share_below,
)
from gristmill.filter.words import ENGLISH, count_words, frequent_words
from gristmill.registry import part
from gristmill.text.scripts import has_unspaced_script

_ELLIPSES = ("...", "…")
_BULLETS = ("•", "‣", "◦", "▪", "▫", "■", "□", "●", "○", "►", "▶", "⁃", "∙", "·", "*", "- ", "– ")
_FREQUENT = ("the", "be", "to", "of", "and", "that", "have", "with")


class Measured(NamedTuple):
    """The figures that depend on what counts as a word; `datatrove` computes them in another way."""

    words: int
    spaced: bool
    """Whether words are separated by spaces, so that their length and letters can be judged."""
    length: float
    """Letters per word."""
    symbols: float
    """Symbols per word."""
    bullets: float
    """Share of lines that begin with a bullet."""
    letters: float
    """Share of words that have a letter."""


@part("filter", "gopher-quality")
@dataclass(frozen=True)
class GopherQuality(DocumentFilter):
    """Keeps documents with usual numbers, lengths and kinds of words, and few symbols (Gopher: Rae et al. 2021, A.1.1).

    A document must have `frequent` of eight words that all text has. Gopher names them for English; for other languages
    they are the eight most frequent ones, and without a list of these the rule does not apply. The length and letters
    of words are not judged where words are not separated by spaces. A list item counts as a line that begins with a
    bullet.
    """

    min_words: int = 50
    max_words: int = 100_000
    min_length: float = 3.0
    max_length: float = 10.0
    symbols: float = 0.1
    bullets: float = 0.9
    ellipses: float = 0.3
    letters: float = 0.8
    frequent: int = 2

    def check(self) -> None:
        """Check that the limits are in order, and shares between 0 and 1."""
        check_order(self, "gopher-quality", "min_words", "max_words")
        check_order(self, "gopher-quality", "min_length", "max_length")
        check_shares(
            "gopher-quality", symbols=self.symbols, bullets=self.bullets, ellipses=self.ellipses, letters=self.letters
        )

    def judge(self, document: Document) -> Finding:
        """Compute the figures that the rules are about, and compare them with the thresholds."""
        found = self.measure(document)
        known = frozenset(
            _FREQUENT if document.lang == ENGLISH else frequent_words(document.lang, len(_FREQUENT))[: len(_FREQUENT)]
        )
        frequent = len(known & count_words(document.folded, document.lang).keys()) if known else self.frequent
        columns, kept = document.kept_columns()
        texts = columns.text.some(kept)
        ellipses = sum([text.endswith(_ELLIPSES) for text in texts]) / max(len(texts), 1)
        spaced = found.spaced
        return finding(
            f"{counted(found.words, 'words')}{f', {found.length:.1f} letters each' if spaced else ''}, "
            f"{found.symbols:.1%} symbols, {found.bullets:.1%} of lines with bullets, {ellipses:.1%} with ellipses"
            + (f", {found.letters:.1%} of words with letters" if spaced else "")
            + (
                f", {frequent} of {len(known)} frequent words"
                if known
                else "; frequent words not judged: there is no list of them"
            )
            + ("" if spaced else "; length and letters of words not judged: words are not separated in this script"),
            below(found.words, self.min_words, "words"),
            above(found.words, self.max_words, "words"),
            below(found.length, self.min_length, "letters a word") if spaced else "",
            above(found.length, self.max_length, "letters a word") if spaced else "",
            share_above(found.symbols, self.symbols, "as many symbols as words"),
            share_above(found.bullets, self.bullets, "of lines begin with a bullet"),
            share_above(ellipses, self.ellipses, "of lines end with an ellipsis"),
            share_below(found.letters, self.letters, "of words have letters") if spaced else "",
            below(frequent, self.frequent, "of the most frequent words"),
        )

    def measure(self, document: Document) -> Measured:
        """Compute the figures, where a word is what stands between spaces."""
        columns, kept = document.kept_columns()
        kinds = columns.kind.take(kept).tolist()
        lines = document.lines()
        text = "\n".join(lines)
        words = Counter(text.split())
        total = max(words.total(), 1)
        return Measured(
            words=document.words,
            spaced=not has_unspaced_script(text),
            length=sum([len(word) * number for word, number in words.items()]) / total,
            symbols=count_symbols(text) / max(document.words, 1),
            bullets=sum([kind == "l" or line.startswith(_BULLETS) for kind, line in zip(kinds, lines, strict=True)])
            / max(len(lines), 1),
            letters=sum([number for word, number in words.items() if has_letter(word)]) / total,
        )


def count_symbols(text: str) -> int:
    """Count the hash signs or the ellipses of a text, whichever are more frequent."""
    return max(text.count("#"), text.count("...") + text.count("…"))


def has_letter(word: str) -> bool:
    """Tell whether a word has a letter in it."""
    return word.isalpha() or any(map(str.isalpha, word))
