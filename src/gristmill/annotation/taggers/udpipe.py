"""The tagger `udpipe`: tags, lemmas and relations by a user's model of UDPipe 1 (Straka and Straková 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gristmill.annotation.character_tags import tag_by_characters
from gristmill.annotation.tagger import Tagged
from gristmill.annotation.taggers.outside import encodable, missing, split_long
from gristmill.consent import Named
from gristmill.errors import UsageError
from gristmill.registry import part

_HOW = "a model of universaldependencies.org from lindat.mff.cuni.cz (UDPipe 1 models), named as udpipe:model=FILE"


class UdpipeTagger:
    """Runs a model on sentences that are split into words already, so that tokens stay ours."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def tag(self, sentences: Sequence[Sequence[str]]) -> Tagged:
        """Return lemmas, tags and relations of all words."""
        tagged = Tagged()
        for words in split_long(sentences):
            sentence = self._sentence(words)
            for at, (word, found) in enumerate(zip(words, list(sentence.words)[1:], strict=True), 1):
                tagged.lemmas.append(found.lemma or word)
                tagged.tags.append(found.upostag or tag_by_characters(word))
                tagged.xpos.append(found.xpostag)
                tagged.feats.append(found.feats)
                tagged.heads.append(found.head - at if found.head > 0 else 0)
                tagged.deprels.append(found.deprel if found.head >= 0 else "")
        return tagged.with_trees(sentences)

    def _sentence(self, words: Sequence[str]) -> Any:
        """Tag and parse one sentence."""
        from ufal.udpipe import Model, Sentence  # noqa: PLC0415 (not everybody has it)

        sentence = Sentence()
        for word in words:
            sentence.addWord(encodable(word))
        self._model.tag(sentence, Model.DEFAULT)
        self._model.parse(sentence, Model.DEFAULT)  # which does nothing if the model has no parser
        return sentence


@part("tagger", "udpipe")
@dataclass(frozen=True, slots=True)
class Udpipe:
    """The registered kind of tagger: a model of UDPipe."""

    model: str = ""
    """The file of the model."""

    def serves(self, lang: str) -> bool:  # noqa: ARG002 (whoever names a model knows what it is for)
        """Tell that it serves any language."""
        return True

    def load(self, lang: str) -> UdpipeTagger:  # noqa: ARG002
        """Load the model; raises `UsageError` if it or the package is missing."""
        try:
            from ufal.udpipe import Model  # noqa: PLC0415 (not everybody has it)
        except ImportError:
            raise missing("udpipe", "pip install ufal.udpipe", _HOW) from None
        if not self.model:
            raise UsageError(f"the tagger udpipe needs {_HOW}")
        if not Path(self.model).is_file():
            raise UsageError(f"there is no file {self.model}; the tagger udpipe needs {_HOW}")
        model = Model.load(self.model)
        if model is None:
            raise UsageError(f"{self.model} is not a model of UDPipe; the tagger udpipe needs {_HOW}")
        return UdpipeTagger(model)

    def names(self) -> list[Named]:
        """List the model."""
        return [Named.at("model", path) for path in self.paths().values()]

    def paths(self) -> dict[str, str]:
        """Return the model."""
        return {"model": self.model} if self.model else {}
