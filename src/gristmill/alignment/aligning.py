"""Align two texts by one of the methods, which are found by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from gristmill.alignment.dictionary import Dictionary
from gristmill.alignment.embeddings import Embedder
from gristmill.alignment.texts import Beads, Sentences
from gristmill.errors import UsageError
from gristmill.registry import Registry, part, parts_of

DEFAULT = "words"
"""The method that is taken if none is named."""
WITH_EMBEDDER = "embeddings"
"""The method that is taken if an embedder is given and no method is named."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What a method may use beside the texts: their languages, and what is given by the user."""

    source_lang: str = ""
    target_lang: str = ""
    dictionary: Dictionary | None = None
    embedder: Embedder | None = None


class Aligner(Protocol):
    """A method of alignment."""

    def __call__(self, source: Sentences, target: Sentences, knowledge: Knowledge) -> Beads:
        """Align the sentences of two texts."""


METHODS: Registry[Aligner] = parts_of("alignment method")


def align(
    source: Sentences,
    target: Sentences,
    *,
    source_lang: str = "",
    target_lang: str = "",
    dictionary: Dictionary | None = None,
    embedder: Embedder | None = None,
    method: str = "",
) -> Beads:
    """Find which sentences of two texts are translations of each other.

    A given dictionary is joined with what the texts themselves tell. With an embedder, sentences are compared by their
    embeddings instead (the method `embeddings`).
    """
    name = method or (WITH_EMBEDDER if embedder is not None else DEFAULT)
    return METHODS[name](source, target, Knowledge(source_lang, target_lang, dictionary, embedder))


@part("alignment method", "words")
def _by_words(source: Sentences, target: Sentences, knowledge: Knowledge) -> Beads:
    """By lengths, words that are equal or alike, and a dictionary, which is also learned from the texts themselves."""
    from gristmill.alignment.by_words import align_by_words  # noqa: PLC0415 (others do without)

    return align_by_words(source, target, knowledge.dictionary)


@part("alignment method", "gale-church")
def _by_length(source: Sentences, target: Sentences, knowledge: Knowledge) -> Beads:
    """By lengths alone (Gale and Church 1993)."""
    from gristmill.alignment.gale_church import align_by_length  # noqa: PLC0415

    del knowledge
    return align_by_length(source, target)


@part("alignment method", "embeddings")
def _by_embeddings(source: Sentences, target: Sentences, knowledge: Knowledge) -> Beads:
    """By the embeddings of sentences (Thompson and Koehn 2019), of a model that --embedder names."""
    from gristmill.alignment.embeddings import align_by_embeddings  # noqa: PLC0415

    if knowledge.embedder is None:
        raise UsageError("the method embeddings needs an embedder, given as --embedder module:name")
    return align_by_embeddings(source, target, knowledge.embedder, knowledge.source_lang, knowledge.target_lang)
