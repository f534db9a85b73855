"""Tags and lemmas by a pipeline of spaCy, if the user has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gristmill.annotation.settings import versions
from gristmill.annotation.tagger import TAGGERS, Tagged
from gristmill.annotation.taggers.forms import tag_by_characters
from gristmill.annotation.taggers.outside import Cut, encodable, missing
from gristmill.consent import Named
from gristmill.errors import UsageError

_HOW = "a pipeline by `python -m spacy download de_core_news_sm`, named as spacy:model=de_core_news_sm (or its folder)"
_UNUSED = [
    "parser",
    "ner",
    "senter",
    "sentencizer",
    "textcat",
    "textcat_multilabel",
    "entity_linker",
    "entity_ruler",
    "span_ruler",
    "spancat",
]


class SpacyTagger:
    """Sentences are given as words, so that the tokens stay ours, each as a text of its own, so that none depends on others."""

    def __init__(self, pipeline: Any) -> None:
        self._pipeline = pipeline

    def tag(self, sentences: Sequence[Sequence[str]]) -> Tagged:
        """Lemmas and tags of all words."""
        tagged = Tagged()
        for doc, words in self._pipeline.pipe(self._docs(sentences), as_tuples=True):
            for word, token in zip(words, doc, strict=True):
                tagged.lemmas.append(token.lemma_ or word)
                tagged.tags.append(_universal(token.pos_) or tag_by_characters(word))
                tagged.xpos.append(token.tag_)
        return tagged

    def _docs(self, sentences: Sequence[Sequence[str]]) -> Iterator[tuple[Any, Sequence[str]]]:
        from spacy.tokens import Doc  # noqa: PLC0415 (not everybody has it)

        for words in Cut(sentences):
            starts = [True, *[False] * (len(words) - 1)]
            yield Doc(self._pipeline.vocab, words=list(map(encodable, words)), sent_starts=starts), words


def _universal(tag: str) -> str:
    """Two tags are spaCy's own: SPACE, and CONJ of old pipelines."""
    return {"SPACE": "X", "CONJ": "CCONJ"}.get(tag, tag)


@TAGGERS.register("spacy")
@dataclass(frozen=True, slots=True)
class Spacy:
    """A pipeline of spaCy; what it does besides tags and lemmas is left out."""

    model: str = ""
    """The name of its package, or its folder."""

    def serves(self, lang: str) -> bool:  # noqa: ARG002 (whoever names a model knows what it is for)
        """All languages."""
        return True

    def load(self, lang: str) -> SpacyTagger:  # noqa: ARG002
        """The tagger; raises if the package or the pipeline is missing."""
        try:
            import spacy  # noqa: PLC0415 (not everybody has it)
        except ImportError:
            raise missing("spacy", "pip install spacy", _HOW) from None
        if not self.model:
            raise UsageError(f"the tagger spacy needs {_HOW}")
        try:
            return SpacyTagger(spacy.load(self.model, exclude=_UNUSED))
        except (OSError, ValueError) as error:
            reason = str(error).splitlines()[0]
            raise UsageError(f"spaCy can't load {self.model!r} ({reason}); get {_HOW}") from error

    def names(self) -> list[Named]:
        """The package, which is code, or the folder."""
        if not self.model:
            return []
        return [Named.at("model", path) for path in self.paths().values()] or [
            Named("model", f"{self.model} (a package for spaCy)")
        ]

    def paths(self) -> dict[str, str]:
        """The model if it is a folder; as spaCy has it, one that is the name of a package is not."""
        return {"model": self.model} if self.model and not versions([self.model]) and Path(self.model).exists() else {}
