"""The filters `c4-lines` and `c4-page`: the rules by which C4, the Colossal Clean Crawled Corpus, was made."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from gristmill.document import Document
from gristmill.filter.registry import (
    BlockFilter,
    BlockFinding,
    DocumentFilter,
    Finding,
    below,
    counted,
    finding,
)
from gristmill.registry import part

STOPS = ".!?。．！？؟۔।॥։።᙮⳹"
"""Marks that end sentences, in all scripts."""
QUOTES = '"”“»«›‹」』'
"""Quotation marks that may stand behind the marks that end a sentence."""
_CLOSING = "\"'”’»«›‹“」』）)"
_TERMINAL = tuple(STOPS + QUOTES)
_ELLIPSES = ("...", "…")
_POLICY = re.compile("terms of use|privacy policy|cookie policy|uses cookies|use of cookies|use cookies")
_SENTENCE_END = re.compile(rf"[{STOPS}]++[{re.escape(_CLOSING)}]*+")
_WIDE_STOPS = "。．！？"  # no space follows them


@part("filter", "c4-lines")
@dataclass(frozen=True)
class C4Lines(BlockFilter):
    """Drops lines that are not sentences, or about scripts, cookies and policies (C4: Raffel et al. 2020, 2.2).

    A line must end with a mark that ends sentences, of any script, and have enough words. The phrases on policies are
    English. The program that made C4 asks for five words a line and three sentences a page; the paper in JMLR has it
    the other way round.
    """

    words: int = 5
    longest: int = 1000
    punctuation: bool = True
    javascript: bool = True
    policy: bool = True

    def judge(self, document: Document) -> BlockFinding:
        """Find lines that break a rule, and count them by rule."""
        columns, kept = document.kept_columns()
        words = columns.words[kept].tolist()
        lines = enumerate(zip(document.lines(), words, strict=True))
        faults = {place: fault for place, line in lines if (fault := self._fault(*line))}
        counts = Counter(faults.values())
        return BlockFinding(list(faults), ", ".join(f"{counts[name]:,} {name}" for name in sorted(counts)) or "nothing")

    def _fault(self, line: str, words: int) -> str:
        text = line.rstrip()
        if self.punctuation and (not text.endswith(_TERMINAL) or text.endswith(_ELLIPSES)):
            return "without terminal punctuation"
        if words < self.words:
            return f"of fewer than {self.words} words"
        if len(text) > self.longest and max(map(len, text.split())) > self.longest:
            return "with a word that is too long"
        lowered = text.lower()
        if self.javascript and "javascript" in lowered:
            return "on JavaScript"
        if self.policy and _POLICY.search(lowered):
            return "on policies"
        return ""


@part("filter", "c4-page")
@dataclass(frozen=True)
class C4Page(DocumentFilter):
    """Keeps documents with enough sentences, no placeholder text and no curly bracket (C4: Raffel et al. 2020, 2.2).

    Curly brackets are in programs, but not in prose.
    """

    sentences: int = 3
    placeholder: bool = True
    braces: bool = True

    def judge(self, document: Document) -> Finding:
        """Count sentences, and find what should not be there."""
        text = document.folded
        sentences = sum(map(_count_sentences, text.split("\n")))
        return finding(
            counted(sentences, "sentences"),
            below(sentences, self.sentences, "sentences"),
            "placeholder text (lorem ipsum)" if self.placeholder and "lorem ipsum" in text.lower() else "",
            "a curly bracket" if self.braces and "{" in text else "",
        )


def _count_sentences(line: str) -> int:
    """Count the sentences of a line; text behind the last end counts as one, as for the splitter that made C4."""
    ends = [match.end() for match in _SENTENCE_END.finditer(line) if _ends_sentence(line, match)]
    return len(ends) + bool(line[ends[-1] if ends else 0 :].strip())


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    """Tell whether a mark ends a sentence: not in `3.14`."""
    return match.end() == len(text) or text[match.end()].isspace() or match[0][0] in _WIDE_STOPS
