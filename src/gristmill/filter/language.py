"""The filters `language` and `foreign`: documents, and blocks within documents, in languages that are not wanted."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from gristmill.document import Document
from gristmill.filter.registry import BlockFilter, BlockFinding, DocumentFilter, Finding, check_shares, counted
from gristmill.language import check_languages
from gristmill.registry import part

_UNKNOWN = "und"


@part("filter", "language")
@dataclass(frozen=True)
class Language(DocumentFilter):
    """Keeps documents in the languages that were asked for, identified with enough confidence.

    If none was asked for, documents in all languages are kept.
    """

    languages: tuple[str, ...] = ()
    confidence: float = 0.0

    def check(self) -> None:
        """Check that the languages can be identified."""
        check_languages(self.languages)
        check_shares("language", confidence=self.confidence)

    def asked_for(self, languages: tuple[str, ...]) -> Self:
        """Return the filter with the languages of the corpus, unless it has its own."""
        return self if self.languages else dataclasses.replace(self, languages=languages)

    def judge(self, document: Document) -> Finding:
        """Find the language and how sure it is."""
        found = f"{document.lang} ({document.lang_confidence:.2f})"
        if self.languages and document.lang not in self.languages:
            return Finding(False, f"{found}, not {' or '.join(self.languages)}")
        if document.lang_confidence < self.confidence:
            return Finding(False, f"{found}, less sure than {self.confidence:.2f}")
        return Finding(True, found)


@part("filter", "foreign")
@dataclass(frozen=True)
class Foreign(BlockFilter):
    """Drops blocks in another language than the document's if they are many (Basque collector, 4.1).

    Short quotations stay. Dropped are runs of foreign blocks longer than the share `run` of the document, and foreign
    blocks in a language that makes up more than `share` of it. A block whose language can't be identified belongs to
    the blocks around it. The document's language is the one that was asked for, if that is a single one; otherwise it
    is the one that was identified.
    """

    run: float = 0.1
    share: float = 0.4
    languages: tuple[str, ...] = ()

    def check(self) -> None:
        """Check that the thresholds are shares."""
        check_languages(self.languages)
        check_shares("foreign", run=self.run, share=self.share)

    def asked_for(self, languages: tuple[str, ...]) -> Self:
        """Return the filter with the languages of the corpus, unless it has its own."""
        return self if self.languages else dataclasses.replace(self, languages=languages)

    def judge(self, document: Document) -> BlockFinding:
        """Find foreign blocks, and choose those that are dropped."""
        target = self.languages[0] if len(self.languages) == 1 else document.lang
        if target == _UNKNOWN:
            return BlockFinding([], "the document's language is not known")
        columns, kept = document.kept_columns()
        langs = _filled_in(columns.lang.take(kept).tolist(), target)
        lengths = list(map(len, document.lines()))
        total = sum(lengths) or 1
        shares = {
            lang: length / total for lang, length in _length_by_language(langs, lengths).items() if lang != target
        }
        runs = [
            stretch
            for stretch in _runs(langs, target)
            if len(stretch) > 1 and sum(lengths[place] for place in stretch) > self.run * total
        ]
        dropped = {place for stretch in runs for place in stretch}
        dropped |= {place for place, lang in enumerate(langs) if shares.get(lang, 0) > self.share}
        parts = ", ".join(
            f"{lang} {share:.1%}" for lang, share in sorted(shares.items(), key=lambda item: (-item[1], item[0]))
        )
        return BlockFinding(
            sorted(dropped), f"besides {target}: {parts or 'nothing'}; {counted(len(runs), 'long runs')}"
        )


def _length_by_language(langs: Sequence[str], lengths: Sequence[int]) -> Counter[str]:
    """Add up the lengths of blocks by their language."""
    found: Counter[str] = Counter()
    for lang, length in zip(langs, lengths, strict=True):
        found[lang] += length
    return found


def _filled_in(langs: Sequence[str], target: str) -> list[str]:
    """Return the languages of blocks, where unknown ones are taken from the nearest known ones before and behind.

    A block is only taken for foreign if both are: with `en` as the target, `en, ?, de, ?, fr` becomes
    `en, en, de, de, fr`.
    """
    before = list(itertools.accumulate(langs, _or_last))
    after = list(itertools.accumulate(reversed(langs), _or_last))[::-1]
    found = []
    for lang, left, right in zip(langs, before, after, strict=True):
        around = left or right or target
        found.append(lang or (target if target in {left, right} else around))
    return found


def _or_last(last: str, lang: str) -> str:
    return lang or last


def _runs(langs: Sequence[str], target: str) -> Iterator[list[int]]:
    """Yield runs of neighbouring foreign blocks, as their places."""
    for is_foreign, stretch in itertools.groupby(range(len(langs)), lambda place: langs[place] != target):
        if is_foreign:
            yield list(stretch)
