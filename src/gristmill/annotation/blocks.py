"""Annotation of blocks: tokenise and tag texts, those of many documents together, which is faster for taggers."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from gristmill.annotation.annotation import Annotation
from gristmill.annotation.tagger import tagger_for
from gristmill.annotation.tokeniser import Tokens, tokenise
from gristmill.columns import fold
from gristmill.document import Block

_MIN_IDENTIFIED_CHARACTERS = 100  # of a block in its own language: of shorter ones, 5% are identified wrongly


def language_of(text: str, own: str, document: str) -> str:
    """Choose the language in which a block is annotated: its own if it is long enough, or that of its document."""
    is_long = len(text) >= _MIN_IDENTIFIED_CHARACTERS and len(fold(text)) >= _MIN_IDENTIFIED_CHARACTERS
    return own if own and is_long else document


def annotate_blocks(blocks: Sequence[Block], lang: str, choices: Sequence[str] = ()) -> list[Annotation]:
    """Annotate blocks of one document, which is in the language `lang`; `choices` are taggers, as in `spec_for`."""
    return annotate([(block.text, language_of(block.text, block.lang, lang)) for block in blocks], choices)


def annotate(
    texts: Sequence[tuple[str, str]], choices: Sequence[str] = (), seconds: dict[str, float] | None = None
) -> list[Annotation]:
    """Annotate texts, each with its language; those of one language are tagged together.

    The annotation of a text does not depend on the other texts. The time that each tagger needs, once it is loaded, is
    added to its `seconds`.
    """
    by_lang: dict[str, list[int]] = {}
    for number, (_, lang) in enumerate(texts):
        by_lang.setdefault(lang, []).append(number)
    annotations = [Annotation()] * len(texts)
    for lang, numbers in by_lang.items():
        spec, _ = tagger_for(lang, choices)  # which may take long to load
        begun = time.perf_counter()
        with _uncollected():
            found = _annotate([tokenise(texts[number][0], lang) for number in numbers], lang, choices)
        for number, annotation in zip(numbers, found, strict=True):
            annotations[number] = annotation
        if seconds is not None:
            seconds[spec] = seconds.get(spec, 0.0) + time.perf_counter() - begun
    return annotations


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keep the garbage collector from looking at all tokens over and over: nothing here refers to itself.

    It would take a third of the time.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _annotate(tokenised: Sequence[Tokens], lang: str, choices: Sequence[str]) -> list[Annotation]:
    """Tag tokenised texts of one language."""
    name, tagger = tagger_for(lang, choices)
    tagged = tagger.tag([sentence for tokens in tokenised for sentence in _sentences(tokens)])
    annotations, end, feats = [], 0, tagged.all_feats()
    heads, deprels = tagged.all_relations()
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
                feats[start:end],
                heads[start:end],
                deprels[start:end],
            )
        )
    return annotations


def _sentences(tokens: Tokens) -> list[list[str]]:
    """Split the words of a text into sentences."""
    sentences, end = [], 0
    for length in tokens.sentences:
        start, end = end, end + length
        sentences.append(tokens.words[start:end])
    return sentences
