"""The tagger `stanza`: tags, lemmas, features and relations by models of Stanza (Qi et al. 2020) that the user has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gristmill.annotation.character_tags import tag_by_characters
from gristmill.annotation.tagger import Tagged
from gristmill.annotation.taggers.outside import as_line, encodable, missing, split_long
from gristmill.consent import Named
from gristmill.errors import GristmillError, UsageError
from gristmill.registry import part

_PROCESSORS = "tokenize,pos,lemma"
_WITH_RELATIONS = f"{_PROCESSORS},depparse"


class StanzaTagger:
    """Runs a pipeline on sentences that are split into words already, so that tokens stay ours."""

    def __init__(self, pipeline: Any) -> None:
        self._pipeline = pipeline

    def tag(self, sentences: Sequence[Sequence[str]]) -> Tagged:
        """Return lemmas, tags, features and relations of all words."""
        parts = list(split_long(sentences))
        if not parts:
            return Tagged()
        found = self._pipeline([[encodable(as_line(word)) for word in tokens] for tokens in parts]).sentences
        readings: list[tuple[str, ...]] = []
        heads, deprels = list[int](), list[str]()
        for tokens, sentence in zip(parts, found, strict=True):
            if len(sentence.words) != len(tokens):
                raise GristmillError("Stanza failed: it has cut tokens into several words")
            readings += map(_reading, tokens, sentence.words)
            for at, word in enumerate(sentence.words, 1):
                heads.append(word.head - at if word.head else 0)
                deprels.append(word.deprel or "")
        tagged = Tagged.of(readings)
        return replace(tagged, heads=heads, deprels=deprels).with_trees(sentences)


def _reading(word: str, found: Any) -> tuple[str, str, str, str]:
    lemma = found.lemma if found.lemma and as_line(word) == word else word
    return lemma, found.upos or tag_by_characters(word), found.xpos or "", found.feats or ""


def _how(lang: str) -> str:
    """Say how to get models of a language, and how to name them."""
    lang = "LANG" if lang == "und" else lang
    return (
        f"models by `python -c \"import stanza; stanza.download({lang!r}, model_dir='FOLDER')\"`, "
        f"named as stanza:path=FOLDER (and lang={lang} if it is not the language of the text)"
    )


@part("tagger", "stanza")
@dataclass(frozen=True, slots=True)
class Stanza:
    """The registered kind of tagger: `pos`, `lemma` and `depparse` of a pipeline of Stanza. Nothing is downloaded."""

    path: str = ""
    """The folder of the models, with `resources.json`; by default the one where Stanza puts them."""
    lang: str = ""
    """The language of the models, if it is not that of the text."""
    package: str = ""
    """The package of the models, such as `gsd`; by default the one of the language."""

    def serves(self, lang: str) -> bool:  # noqa: ARG002 (whoever has models knows what they are for)
        """Tell that it serves any language."""
        return True

    def load(self, lang: str) -> StanzaTagger:
        """Load the models; raises `UsageError` if they or Stanza are missing."""
        try:
            import stanza  # noqa: PLC0415 (not everybody has it)
        except ImportError:
            raise missing("stanza", "pip install stanza", _how(self.lang or lang)) from None
        options = {"dir": self.path} if self.path else {}
        try:
            return StanzaTagger(self._pipeline(stanza, lang, _WITH_RELATIONS, options))
        except Exception:  # noqa: BLE001 (whatever it is: there may be no models of relations, which few need)
            return self._without_relations(stanza, lang, options)

    def _without_relations(self, stanza: Any, lang: str, options: dict[str, str]) -> StanzaTagger:
        try:
            return StanzaTagger(self._pipeline(stanza, lang, _PROCESSORS, options))
        except Exception as error:
            reason, of = (str(error).splitlines() or [type(error).__name__])[0], self.lang or lang
            raise UsageError(f"Stanza can't load models of {of!r} ({reason}); get {_how(of)}") from error

    def _pipeline(self, stanza: Any, lang: str, processors: str, options: dict[str, str]) -> Any:
        return stanza.Pipeline(
            self.lang or lang,
            package=self.package or "default",
            processors=processors,
            tokenize_pretokenized=True,
            download_method=None,
            verbose=False,
            **options,
        )

    def names(self) -> list[Named]:
        """List the folder of the models; without one, those of Stanza's own folder."""
        return [Named.at("model", Path(path)) for path in self.paths().values()] or [
            Named("model", "models in Stanza's own folder")
        ]

    def paths(self) -> dict[str, str]:
        """Return the folder of the models."""
        return {"path": self.path} if self.path else {}
