"""The tagger `treetagger`: tags and lemmas by TreeTagger (Schmid 1994), which the user has installed.

It is a program that reads and writes a token a line.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from gristmill.annotation.tagger import TAGGERS, Tagged
from gristmill.annotation.taggers.forms import tag_by_characters
from gristmill.annotation.universal import PENN, STTS, TREETAGGER_FRENCH, TREETAGGER_ITALIAN, TREETAGGER_SPANISH
from gristmill.consent import Named
from gristmill.errors import GristmillError, UsageError

_HOW = (
    "it and a parameter file from https://www.cis.lmu.de/~schmid/tools/TreeTagger/, "
    "named as treetagger:path=FOLDER,model=FILE"
)
_SENTENCE = [".", "."]
"""Tokens before each sentence, so that its first tags depend on these and not on the sentence before."""
_PLACEHOLDER = "_"  # for words that can't be on a line
_MAX_WORD_CHARACTERS = 100
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
        lines = iter(self._run(list(chain.from_iterable([*_SENTENCE, *map(_line, words)] for words in sentences))))
        tagged = Tagged()
        for words in sentences:
            for _ in _SENTENCE:
                next(lines)
            for word, (_, xpos, lemma) in zip(words, lines, strict=False):
                certain = tag_by_characters(word)
                tagged.lemmas.append(
                    word if lemma in _NO_LEMMAS or certain != "X" or _line(word) != word else lemma.partition("|")[0]
                )
                tagged.tags.append(certain if certain != "X" else self._universal.get(xpos, "X"))
                tagged.xpos.append(xpos)
        return tagged

    def _run(self, tokens: Sequence[str]) -> list[tuple[str, str, str]]:
        """Run the program, and return token, tag and lemma of each line; raises `GristmillError` if it fails."""
        if not tokens:
            return []
        done = subprocess.run(  # noqa: S603
            self._command, input=("\n".join(tokens) + "\n").encode(), capture_output=True, check=False
        )
        lines = done.stdout.decode("utf-8", "replace").rstrip("\n").split("\n")
        if done.returncode or len(lines) != len(tokens):
            reason = (
                done.stderr.decode("utf-8", "replace").strip().splitlines()
                or [f"{len(lines)} lines for {len(tokens)} tokens"]
            )[-1]
            raise GristmillError(f"TreeTagger failed: {reason} ({' '.join(self._command)})")
        return [_columns(line) for line in lines]


def _line(word: str) -> str:
    """Return a word as it can be on a line of its own."""
    return word if word.isprintable() and " " not in word and len(word) <= _MAX_WORD_CHARACTERS else _PLACEHOLDER


def _columns(line: str) -> tuple[str, str, str]:
    """Split a line of output into token, tag and lemma, which may be missing."""
    word, tag, lemma = [*line.split("\t"), "", ""][:3]
    return word, tag, lemma


@TAGGERS.register("treetagger")
@dataclass(frozen=True, slots=True)
class Treetagger:
    """The registered kind of tagger: an installation of TreeTagger."""

    path: str = ""
    """Its folder, which has `bin` and `lib`; if it is not given, the program has to be on the path."""
    model: str = ""
    """The parameter file, by its path or its name in `lib`; by default the one of the language."""

    def serves(self, lang: str) -> bool:
        """Tell whether there is a parameter file for a language; one that is named serves any."""
        return bool(self.model) or (
            lang in _PARAMETERS and (self._program() is None or self._parameters(lang) is not None)
        )

    def load(self, lang: str) -> TreeTagger:
        """Make the tagger; raises `UsageError` if the program or the parameter file is missing."""
        program, parameters = self._program(), self._parameters(lang)
        if program is None:
            where = f"no bin/tree-tagger in {self.path}" if self.path else "no tree-tagger on the path"
            raise UsageError(f"the tagger treetagger is not installed ({where}); get {_HOW}")
        if parameters is None:
            raise UsageError(f"there is no parameter file {self._name(lang)} of TreeTagger; get {_HOW}")
        return TreeTagger([program, "-token", "-lemma", "-quiet", str(parameters)], _TAG_SETS.get(lang, {}))

    def names(self) -> list[Named]:
        """List the program, and the parameter file if it is given; that of a language belongs to the program."""
        program = self._program() or (Path(self.path, "bin", "tree-tagger") if self.path else None)
        named = [Named.at("program", program) if program else Named("program", "tree-tagger")]
        return [*named, Named.at("model", self._parameters("") or self.model)] if self.model else named

    def paths(self) -> dict[str, str]:
        """Return its folder, and the parameter file if it is not in there."""
        paths = {"path": self.path, "model": self.model if Path(self.model).is_file() else ""}
        return {name: path for name, path in paths.items() if path}

    def _program(self) -> str | None:
        return shutil.which(str(Path(self.path, "bin", "tree-tagger")) if self.path else "tree-tagger")

    def _name(self, lang: str) -> str:
        return self.model or f"{_PARAMETERS.get(lang, lang)}.par"

    def _parameters(self, lang: str) -> Path | None:
        name, program = self._name(lang), self._program()
        places = [Path(name), *([Path(program).parents[1] / "lib" / name] if program else [])]
        return next((path for path in places if path.is_file()), None)
