"""The tagger `spacy`: tags, lemmas and relations by a pipeline of spaCy that the user has installed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gristmill.annotation.character_tags import tag_by_characters
from gristmill.annotation.relations import ROOT
from gristmill.annotation.settings import versions
from gristmill.annotation.tagger import Tagged
from gristmill.annotation.taggers.outside import encodable, missing, split_long
from gristmill.consent import Named
from gristmill.errors import UsageError
from gristmill.registry import part

_NEWS = frozenset("ca da de el es fi fr hr it ja ko lt mk nb nl pl pt ro ru sl sv uk".split())
"""Languages that have pipelines of spaCy named after the kind of their texts."""
_WEB = frozenset(["en", "zh"])
_ROOT = "ROOT"  # as spaCy writes it
_UNUSED_COMPONENTS = [
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
    """Runs a pipeline on sentences that are split into words already, so that tokens stay ours.

    Each sentence is a text of its own, so that results do not depend on other sentences.
    """

    def __init__(self, pipeline: Any) -> None:
        self._pipeline = pipeline

    def tag(self, sentences: Sequence[Sequence[str]]) -> Tagged:
        """Return lemmas, tags and relations of all words; the names of relations are those of the pipeline."""
        tagged = Tagged()
        for doc, words in self._pipeline.pipe(self._docs(sentences), as_tuples=True):
            for word, token in zip(words, doc, strict=True):
                tagged.lemmas.append(token.lemma_ or word)
                tagged.tags.append(_universal(token.pos_) or tag_by_characters(word))
                tagged.xpos.append(token.tag_)
                tagged.feats.append(str(token.morph))
                tagged.heads.append(token.head.i - token.i if token.dep_ else 0)
                tagged.deprels.append(ROOT if token.dep_ == _ROOT else token.dep_)
        return tagged.with_trees(sentences)

    def _docs(self, sentences: Sequence[Sequence[str]]) -> Iterator[tuple[Any, Sequence[str]]]:
        """Yield sentences as documents of spaCy, with their words."""
        from spacy.tokens import Doc  # noqa: PLC0415 (not everybody has it)

        for words in split_long(sentences):
            starts = [True, *[False] * (len(words) - 1)]
            yield Doc(self._pipeline.vocab, words=list(map(encodable, words)), sent_starts=starts), words


def _universal(tag: str) -> str:
    """Map spaCy's tags to universal ones: SPACE, and CONJ of old pipelines, are its own."""
    return {"SPACE": "X", "CONJ": "CCONJ"}.get(tag, tag)


def _how(lang: str) -> str:
    """Say how to get a pipeline of a language, and how to name it."""
    code = {"no": "nb"}.get(lang, lang.partition("-")[0])
    name = next((f"{code}_core_{kind}_sm" for kind, codes in (("news", _NEWS), ("web", _WEB)) if code in codes), "")
    if name:
        return f"a pipeline by `python -m spacy download {name}`, named as spacy:model={name} (or its folder)"
    if lang == "und":
        return "a pipeline of the language, named as spacy:model=NAME, with its name or its folder (spacy.io/models)"
    return f"a pipeline of your own, named as spacy:model=FOLDER: spaCy has none for {lang}"


@part("tagger", "spacy")
@dataclass(frozen=True, slots=True)
class Spacy:
    """The registered kind of tagger: a pipeline of spaCy, without its components for other things."""

    model: str = ""
    """The name of the pipeline's package, or its folder."""

    def serves(self, lang: str) -> bool:  # noqa: ARG002 (whoever names a model knows what it is for)
        """Tell that it serves any language."""
        return True

    def load(self, lang: str) -> SpacyTagger:
        """Load the pipeline; raises `UsageError` if it or spaCy is missing."""
        try:
            import spacy  # noqa: PLC0415 (not everybody has it)
        except ImportError:
            raise missing("spacy", "pip install spacy", _how(lang)) from None
        if not self.model:
            raise UsageError(f"the tagger spacy needs {_how(lang)}")
        try:
            return SpacyTagger(spacy.load(self.model, exclude=_UNUSED_COMPONENTS))
        except (OSError, ValueError) as error:
            reason = str(error).splitlines()[0]
            raise UsageError(f"spaCy can't load {self.model!r} ({reason}); get {_how(lang)}") from error

    def names(self) -> list[Named]:
        """List the package of the pipeline, which is code, or its folder."""
        if not self.model:
            return []
        return [Named.at("model", path) for path in self.paths().values()] or [
            Named("model", f"{self.model} (a package for spaCy)")
        ]

    def paths(self) -> dict[str, str]:
        """Return the model if it is a folder; like spaCy, take the name of a package for the package."""
        return {"model": self.model} if self.model and not versions([self.model]) and Path(self.model).exists() else {}
