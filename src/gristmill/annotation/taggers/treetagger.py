"""The tagger `treetagger`: tags and lemmas by TreeTagger (Schmid 1994), which the user has installed.

It is a program that reads and writes a token a line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from gristmill.annotation.character_tags import tag_by_characters
from gristmill.annotation.tagger import Tagged
from gristmill.annotation.taggers.installation import Installation
from gristmill.annotation.taggers.outside import as_line, run_program
from gristmill.annotation.universal import PENN, STTS, TREETAGGER_FRENCH, TREETAGGER_ITALIAN, TREETAGGER_SPANISH
from gristmill.errors import GristmillError
from gristmill.registry import part

_SENTENCE = [".", "."]
"""Tokens before each sentence, so that its first tags depend on these and not on the sentence before."""
_NO_LEMMAS = frozenset(("", "<unknown>", "@card@", "@ord@"))

_PARAMETERS = {
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fr": "french",
    "it": "italian",
    "nl": "dutch",
    "ru": "russian",
}
_TAG_SETS: dict[str, Mapping[str, str]] = {
    "de": STTS,
    "en": PENN,
    "es": TREETAGGER_SPANISH,
    "fr": TREETAGGER_FRENCH,
    "it": TREETAGGER_ITALIAN,
}


class TreeTagger:
    """Runs the program, once for all sentences that are tagged together."""

    def __init__(self, command: Sequence[str], universal: Mapping[str, str]) -> None:
        self._command = list(command)
        self._universal = universal

    def tag(self, sentences: Sequence[Sequence[str]]) -> Tagged:
        """Return lemmas and tags of all words."""
        sentences = [words for words in sentences if words]
        lines = iter(self._run(list(chain.from_iterable([*_SENTENCE, *map(as_line, words)] for words in sentences))))
        readings = []
        for words in sentences:
            for _ in _SENTENCE:
                next(lines)
            for word, (_, xpos, lemma) in zip(words, lines, strict=False):
                certain = tag_by_characters(word)
                own = lemma in _NO_LEMMAS or certain != "X" or as_line(word) != word
                tag = certain if certain != "X" else self._universal.get(xpos, "X")
                readings.append((word if own else lemma.partition("|")[0], tag, xpos))
        return Tagged.of(readings)

    def _run(self, tokens: Sequence[str]) -> list[tuple[str, str, str]]:
        """Run the program, and return token, tag and lemma of each line; raises `GristmillError` if it fails."""
        if not tokens:
            return []
        lines = run_program("TreeTagger", self._command, "\n".join(tokens) + "\n").rstrip("\n").split("\n")
        if len(lines) != len(tokens):
            counted = f"{len(lines)} lines for {len(tokens)} tokens"
            raise GristmillError(f"TreeTagger failed: {counted} ({' '.join(self._command)})")
        return [_columns(line) for line in lines]


def _columns(line: str) -> tuple[str, str, str]:
    """Split a line of output into token, tag and lemma, which may be missing."""
    word, tag, lemma = [*line.split("\t"), "", ""][:3]
    return word, tag, lemma


@part("tagger", "treetagger")
@dataclass(frozen=True, slots=True)
class Treetagger(Installation):
    """The registered kind of tagger: an installation of TreeTagger."""

    kind, file, parameters = "TreeTagger", "tree-tagger", _PARAMETERS

    def load(self, lang: str) -> TreeTagger:
        """Make the tagger; raises `UsageError` if the program or the parameter file is missing."""
        program, parameters = self.found(lang)
        return TreeTagger([program, "-token", "-lemma", "-quiet", parameters], _TAG_SETS.get(lang, {}))
