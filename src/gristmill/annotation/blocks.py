"""Tokens, sentences, tags and lemmas of blocks: texts of many documents at once, as taggers like it."""

from __future__ import annotations

from collections.abc import Sequence

from gristmill.annotation.annotation import Annotation
from gristmill.annotation.tagger import tagger_for
from gristmill.annotation.tokeniser import Tokens, tokenise
from gristmill.document import Block, fold

_TELLING = (
    100  # characters of a block whose own language is to be believed: of shorter ones every twentieth is told wrong
)


def language_of(text: str, own: str, document: str) -> str:
    """The language in which a block is annotated: its own if it is long enough for that to be certain, or else its document's."""
    return own if own and len(text) >= _TELLING and len(fold(text)) >= _TELLING else document


def annotate_blocks(blocks: Sequence[Block], lang: str, choices: Sequence[str] = ()) -> list[Annotation]:
    """The annotations of blocks of one document, which is in the language `lang`."""
    return annotate([(block.text, language_of(block.text, block.lang, lang)) for block in blocks], choices)


def annotate(texts: Sequence[tuple[str, str]], choices: Sequence[str] = ()) -> list[Annotation]:
    """The annotations of texts in given languages; those of one language are tagged together.

    What a text gets does not depend on the texts beside it.
    """
    by_lang: dict[str, list[int]] = {}
    for number, (_, lang) in enumerate(texts):
        by_lang.setdefault(lang, []).append(number)
    annotations = [Annotation()] * len(texts)
    for lang, numbers in by_lang.items():
        found = _annotate([tokenise(texts[number][0], lang) for number in numbers], lang, choices)
        for number, annotation in zip(numbers, found, strict=True):
            annotations[number] = annotation
    return annotations


def _annotate(tokenised: Sequence[Tokens], lang: str, choices: Sequence[str]) -> list[Annotation]:
    """The same for texts of one language."""
    name, tagger = tagger_for(lang, choices)
    tagged = tagger.tag([sentence for tokens in tokenised for sentence in _sentences(tokens)])
    annotations, end = [], 0
    for tokens in tokenised:
        start, end = end, end + len(tokens.words)
        annotations.append(
            Annotation(
                tokens.words,
                tokens.starts,
                tokens.sentences,
                tagged.lemmas[start:end],
                tagged.tags[start:end],
                tagged.xpos[start:end],
                name,
            )
        )
    return annotations


def _sentences(tokens: Tokens) -> list[list[str]]:
    sentences, end = [], 0
    for length in tokens.sentences:
        start, end = end, end + length
        sentences.append(tokens.words[start:end])
    return sentences
