r"""The tagger `apertium`: tags, lemmas and features by a mode of Apertium (Forcada et al. 2011) that the user has.

A mode is a chain of programs, such as `kaz-tagger`, that read and write a stream. In it, what is in square brackets is
passed on as it is. So tokens with their numbers between them come back with these, whatever became of the tokens:

    [1] The[2] mills        [1] ^the<det><def>$[2] ^mill<n><pl>$
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gristmill.annotation.character_tags import tag_by_characters
from gristmill.annotation.tagger import Tagged
from gristmill.annotation.taggers.apertium_tags import universal
from gristmill.annotation.taggers.outside import as_line, run_program
from gristmill.consent import Named
from gristmill.errors import GristmillError, UsageError
from gristmill.registry import part

_HOW = (
    "Apertium and the data of the language (for Kazakh, on Debian and Ubuntu, the packages apertium and apertium-kaz), "
    "named for Kazakh as apertium:mode=kaz-tagger, or apertium:path=FOLDER,mode=kaz-tagger"
)
_SPECIAL = re.compile(r"[\\\[\]{}^$/@<>]")
_PIECES = re.compile(r"\\.|\[(\d+)\]|\^((?:[^\\$]|\\.)*)\$", re.DOTALL)
"""What is escaped, numbers of tokens, and units."""
_TAG = re.compile(r"<([^<>]*)>")
_UNKNOWN = ("*", "@", "#")
"""Signs before words that are in no dictionary."""


class ApertiumTagger:
    """Runs a mode, once for all sentences that are tagged together."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)

    def tag(self, sentences: Sequence[Sequence[str]]) -> Tagged:
        """Return lemmas, tags and features of all words."""
        words = [word for sentence in sentences for word in sentence]
        if not words:
            return Tagged()
        found = self._units([sentence for sentence in sentences if sentence])
        first = [place == 0 for sentence in sentences for place in range(len(sentence))]
        return Tagged.of(list(map(_reading, words, found, first)))

    def _units(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        """Run the mode, and return what it says of each token: a unit, several, or none if it was joined to another.

        A full stop goes before each sentence, so that tags do not depend on the sentence before; it is number 0.
        """
        pieces, count = [], 0
        for sentence in sentences:
            pieces.append("[0] .")
            for word in sentence:
                count += 1
                pieces.append(f"[{count}] {_SPECIAL.sub(_escaped, as_line(word))}")
        written = run_program("Apertium", self._command, "".join([*pieces, "[0]\n"]))
        units: list[list[str]] = [[] for _ in range(count + 1)]
        number = numbers = end = 0
        for piece in _PIECES.finditer(written):
            if written[end : piece.start()].strip():
                units[number].append("")  # signs of a token that are in no unit
            end = piece.end()
            if piece[1] is None:
                units[number].append(piece[2] or "")
            else:
                number = min(int(piece[1]), count)
                numbers += number > 0
        if numbers != count:
            raise GristmillError(f"Apertium failed: {numbers} of {count} tokens came back ({' '.join(self._command)})")
        return units[1:]


def _escaped(match: re.Match[str]) -> str:
    return f"\\{match[0]}"


def _reading(word: str, units: Sequence[str], is_first: bool) -> tuple[str, str, str, str]:
    """Read lemma, tag, Apertium's tags and features of a word; what was cut into several units keeps its form.

    Apertium gives a lemma the capital of its word, which means nothing in the first word of a sentence.
    """
    certain = tag_by_characters(word)
    parts = [part for unit in units for part in _analysis(unit).split("+")]
    known = [part for part in parts if part and not part.startswith(_UNKNOWN)]
    own = "+".join(".".join(_TAG.findall(part)) for part in known)
    if certain != "X" or not known:
        return word, certain, own if len(units) == 1 else "", ""
    tag, feats = universal(_TAG.findall(known[0] if len(units) == 1 else known[-1]))
    lemma = (_lemma(known[0]) or word) if len(units) == 1 else word
    return lemma.lower() if is_first and tag != "PROPN" and lemma.istitle() else lemma, tag, own, feats


def _analysis(unit: str) -> str:
    """Take the first analysis of a unit, which may stand after its form: `mills/mill<n><pl>/mill<vblex>`."""
    parts = re.split(r"(?<!\\)/", unit)
    return parts[min(1, len(parts) - 1)]


def _lemma(part: str) -> str:
    """Take the lemma of an analysis, with what belongs to it after the tags: `take<vblex># off` is `take off`."""
    return re.sub(r"\\(.)", r"\1", _TAG.sub("", part).replace("# ", " "))


@part("tagger", "apertium")
@dataclass(frozen=True, slots=True)
class Apertium:
    """The registered kind of tagger: a mode of Apertium that ends after tagging, or after analysis."""

    mode: str = ""
    """The mode, such as `kaz-tagger`; of one without a tagger, such as `kaz-morph`, first analyses are taken."""
    path: str = ""
    """The folder of the language's data, which has `modes`; if it is not given, the data that is installed."""

    def serves(self, lang: str) -> bool:  # noqa: ARG002 (whoever names a mode knows what it is for)
        """Tell that it serves any language."""
        return True

    def load(self, lang: str) -> ApertiumTagger:  # noqa: ARG002
        """Make the tagger and try it; raises `UsageError` if Apertium or the mode is missing."""
        program = shutil.which("apertium")
        if program is None:
            raise UsageError(f"the tagger apertium is not installed (no apertium on the path); get {_HOW}")
        if not self.mode:
            raise UsageError(f"the tagger apertium needs a mode: get {_HOW}")
        tagger = ApertiumTagger([program, "-f", "none", *(["-d", self.path] if self.path else []), self.mode])
        try:
            tagger.tag([["."]])
        except GristmillError as error:
            raise UsageError(f"Apertium can't run {self.mode!r} ({error}); get {_HOW}") from error
        return tagger

    def names(self) -> list[Named]:
        """List the program and the folder, whose modes name programs, too."""
        program = shutil.which("apertium")
        named = [Named.at("program", program) if program else Named("program", "apertium")]
        return [*named, *(Named.at("program", Path(path)) for path in self.paths().values())]

    def paths(self) -> dict[str, str]:
        """Return the folder."""
        return {"path": self.path} if self.path else {}
