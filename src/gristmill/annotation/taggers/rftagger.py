"""The tagger `rftagger`: fine-grained tags by RFTagger (Schmid and Laws 2008), which the user has installed.

It is a program that reads a token a line, with an empty line after each sentence, and writes tags and no lemmas.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gristmill.annotation.character_tags import tag_by_characters
from gristmill.annotation.tagger import Tagged
from gristmill.annotation.taggers import rftagger_tags
from gristmill.annotation.taggers.installation import Installation
from gristmill.annotation.taggers.outside import as_line, run_program
from gristmill.errors import GristmillError
from gristmill.registry import part

_PARAMETERS = {"de": "german", "la": "latin", "ru": "russian", "cs": "czech", "sl": "slovene"}
_TAG_SETS: dict[str, Callable[[str], tuple[str, str]]] = {"de": rftagger_tags.universal}


def _unknown(tag: str) -> tuple[str, str]:
    """Map a tag of a set that is not known."""
    del tag
    return "X", ""


class RFTagger:
    """Runs the program, once for all sentences that are tagged together. Words are their own lemmas."""

    def __init__(self, command: Sequence[str], universal: Callable[[str], tuple[str, str]]) -> None:
        self._command = list(command)
        self._universal = universal

    def tag(self, sentences: Sequence[Sequence[str]]) -> Tagged:
        """Return tags of all words."""
        words = [word for sentence in sentences for word in sentence]
        if not words:
            return Tagged()
        text = "".join("\n".join([*map(as_line, sentence), "", ""]) for sentence in sentences if sentence)
        lines = [line for line in run_program("RFTagger", self._command, text).split("\n") if line]
        if len(lines) != len(words):
            raise GristmillError(
                f"RFTagger failed: {len(lines)} lines for {len(words)} tokens ({' '.join(self._command)})"
            )
        readings = []
        for word, line in zip(words, lines, strict=True):
            xpos, certain = line.partition("\t")[2].strip(), tag_by_characters(word)
            tag, feats = self._universal(xpos)
            readings.append((word, tag, xpos, feats) if certain == "X" else (word, certain, xpos, ""))
        return Tagged.of(readings)


@part("tagger", "rftagger")
@dataclass(frozen=True, slots=True)
class Rftagger(Installation):
    """The registered kind of tagger: an installation of RFTagger."""

    kind, file, parameters = "RFTagger", "rft-annotate", _PARAMETERS

    def load(self, lang: str) -> RFTagger:
        """Make the tagger; raises `UsageError` if the program or the parameter file is missing."""
        program, parameters = self.found(lang)
        return RFTagger([program, "-q", "-s", parameters], _TAG_SETS.get(lang, _unknown))
