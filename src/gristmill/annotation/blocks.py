"""Annotation of blocks: tokenise and tag texts, those of many documents together, which is faster for taggers."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING

from gristmill.annotation.annotation import Annotation
from gristmill.annotation.parsing.choice import parser_for, path_for
from gristmill.annotation.provided import provides
from gristmill.annotation.relations import Relations
from gristmill.annotation.spent import PARSER, Spent
from gristmill.annotation.tagger import Tagged, spec_for, tagger_for
from gristmill.annotation.tokeniser import Tokens, tokenise
from gristmill.columns import fold
from gristmill.document import Block

if TYPE_CHECKING:
    from gristmill.annotation.parsing.parser import Parser

MIN_IDENTIFIED_CHARACTERS = 100
"""Of a block that is annotated in its own language: of shorter ones, 5% are identified wrongly."""


def language_of(text: str, own: str, document: str) -> str:
    """Choose the language in which a block is annotated: its own if it is long enough, or that of its document."""
    is_long = len(text) >= MIN_IDENTIFIED_CHARACTERS and len(fold(text)) >= MIN_IDENTIFIED_CHARACTERS
    return own if own and is_long else document


def annotate_blocks(blocks: Sequence[Block], lang: str, choices: Sequence[str] = ()) -> list[Annotation]:
    """Annotate blocks of one document, which is in the language `lang`; `choices` are those of taggers and parsers."""
    return annotate([(block.text, language_of(block.text, block.lang, lang)) for block in blocks], choices)


def annotate(
    texts: Sequence[tuple[str, str]], choices: Sequence[str] = (), spent: Spent | None = None
) -> list[Annotation]:
    """Annotate texts, each with its language; those of one language are tagged together.

    The annotation of a text does not depend on the other texts. The time that each tagger and the parser
    need, once they are loaded, is added to what was `spent`.
    """
    by_lang: dict[str, list[int]] = {}
    for number, (_, lang) in enumerate(texts):
        by_lang.setdefault(lang, []).append(number)
    annotations = [Annotation()] * len(texts)
    spent = Spent() if spent is None else spent
    for lang, numbers in by_lang.items():
        with _uncollected():
            found = _annotate([texts[number][0] for number in numbers], lang, choices, spent)
        for number, annotation in zip(numbers, found, strict=True):
            annotations[number] = annotation
    return annotations


def is_parsed(lang: str, choices: Sequence[str] = ()) -> bool:
    """Tell whether text in a language is parsed by a parser of ours, where its tagger does not parse it itself."""
    return provides(spec_for(lang, choices), "tag", lang) and path_for(lang, choices) is not None


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


def _annotate(texts: Sequence[str], lang: str, choices: Sequence[str], spent: Spent) -> list[Annotation]:
    """Annotate texts of one language."""
    name, tagger = tagger_for(lang, choices)  # which may take long to load
    tokenised: list[Tokens] = []
    with spent.by(name, tokenised):
        tokenised += [tokenise(text, lang) for text in texts]
        tagged = tagger.tag([sentence for tokens in tokenised for sentence in _sentences(tokens)])
    annotations, end, feats = [], 0, tagged.all_feats()
    heads, deprels = tagged.all_relations()
    parser = parser_for(lang, choices) if provides(name, "tag", lang) else None
    if parser is not None and not all(deprels):
        with spent.by(PARSER, tokenised):
            heads, deprels = _parsed(tokenised, tagged, parser)
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


def _parsed(tokenised: Sequence[Tokens], tagged: Tagged, parser: Parser) -> Relations:
    """Return the heads and relations of all words: those of the tagger, or of a parser in sentences without any."""
    heads, deprels = tagged.all_relations()
    words = chain.from_iterable(tokens.words for tokens in tokenised)
    readings = list(zip(words, tagged.lemmas, tagged.tags, tagged.all_feats(), strict=True))
    lengths = [length for tokens in tokenised for length in tokens.sentences]
    if not any(deprels):
        return parser.parse(readings, lengths)
    end = 0
    for length in lengths:
        start, end = end, end + length
        if not any(deprels[start:end]):
            heads[start:end], deprels[start:end] = parser.parse(readings[start:end], [length])
    return heads, deprels


def _sentences(tokens: Tokens) -> list[list[str]]:
    """Split the words of a text into sentences."""
    sentences, end = [], 0
    for length in tokens.sentences:
        start, end = end, end + length
        sentences.append(tokens.words[start:end])
    return sentences
