"""Tokenisers and sentence splitters that `annotation.py` compares with: all that come without a model to download.

Where spaCy, pysbd or sacremoses have no rules for a language, those for all languages or for English stand in.
Libraries are imported when they are needed; a peer whose library is not installed is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

Span = tuple[int, int]
Found = tuple[list[Span], list[Span]]
"""Where tokens and sentences stand; empty if a peer does not look for them."""
Finder = Callable[[str], Found]

_UNSPACED = frozenset("ja zh th".split())
_MAX_SKIPPED = 40  # characters between pieces that were found


class Peer(NamedTuple):
    """A tokeniser or sentence splitter of others."""

    name: str
    module: str
    """What must be installed."""
    make: Callable[[str], Finder]
    languages: frozenset[str] = frozenset()
    """The languages it is used for; all if empty."""
    unspaced: bool = True
    """Whether it is used for languages without spaces between words, too."""


def finders(lang: str, names: Collection[str] = ()) -> dict[str, Finder]:
    """Return the peers for a language that are installed, all or those that are named."""
    return {
        peer.name: peer.make(lang)
        for peer in _PEERS
        if (not names or peer.name in names)
        and find_spec(peer.module)
        and (not peer.languages or lang in peer.languages)
        and (peer.unspaced or lang not in _UNSPACED)
    }


def trim(text: str, start: int, end: int) -> Span:
    """A span without the spaces around it."""
    inside = text[start:end]
    return start + len(inside) - len(inside.lstrip()), end - len(inside) + len(inside.rstrip())


def locate(text: str, pieces: Iterable[str]) -> list[Span]:
    """Where pieces stand in a text, in order; those that were changed are left out."""
    spans = []
    at = 0
    for piece in map(str.strip, pieces):
        start = text.find(piece, at, at + len(piece) + _MAX_SKIPPED)
        if piece and start >= 0:
            at = start + len(piece)
            spans.append((start, at))
    return spans


def spacy_finder(lang: str) -> Finder:
    """`spacy.blank` and its rule-based sentenciser; the rules for many languages (`xx`) where it has none."""
    spacy = import_module("spacy")

    try:
        pipeline = spacy.blank(lang)
    except ImportError:
        pipeline = spacy.blank("xx")
    pipeline.add_pipe("sentencizer")

    def find(text: str) -> Found:
        found = pipeline(text)
        tokens = [(token.idx, token.idx + len(token)) for token in found if not token.is_space]
        return tokens, [trim(text, sentence.start_char, sentence.end_char) for sentence in found.sents]

    return find


def _pysbd(lang: str) -> Finder:
    pysbd = import_module("pysbd")
    known = import_module("pysbd.languages").LANGUAGE_CODES
    segmenter = pysbd.Segmenter(language=lang if lang in known else "en", clean=False, char_span=True)
    return lambda text: ([], [trim(text, sentence.start, sentence.end) for sentence in segmenter.segment(text)])


def _moses(lang: str) -> Finder:
    tokeniser = import_module("sacremoses").MosesTokenizer(lang=lang)
    return lambda text: (locate(text, tokeniser.tokenize(text, escape=False)), [])


def _syntok(_: str) -> Finder:
    segmenter = import_module("syntok.segmenter")
    tokeniser = import_module("syntok.tokenizer").Tokenizer(replace_not_contraction=False)

    def find(text: str) -> Found:
        sentences = [list(tokens) for tokens in segmenter.split(tokeniser.tokenize(text))]
        spans = [[(token.offset, token.offset + len(token.value)) for token in tokens] for tokens in sentences]
        return [span for tokens in spans for span in tokens], [
            (tokens[0][0], tokens[-1][1]) for tokens in spans if tokens
        ]

    return find


def _blingfire(_: str) -> Finder:
    blingfire = import_module("blingfire")

    def find(text: str) -> Found:
        _, tokens = blingfire.text_to_words_with_offsets(text)
        _, sentences = blingfire.text_to_sentences_and_offsets(text)
        return list(tokens), [trim(text, start, end) for start, end in sentences]

    return find


def _sentencex(lang: str) -> Finder:
    sentencex = import_module("sentencex")

    return lambda text: ([], locate(text, sentencex.segment(lang, text)))


def _sentence_splitter(lang: str) -> Finder:
    splitter = import_module("sentence_splitter").SentenceSplitter("no" if lang == "nb" else lang)
    return lambda text: ([], locate(text, splitter.split(text)))


def _icu(lang: str) -> Finder:
    breakers = import_module("icu4py.breakers")

    def find(text: str) -> Found:
        words = locate(text, (word for word in breakers.WordBreaker(text, lang) if not word.isspace()))
        return words, locate(text, breakers.SentenceBreaker(text, lang))

    return find


def _somajo(lang: str) -> Finder:
    tokeniser = import_module("somajo").SoMaJo({"de": "de_CMC", "en": "en_PTB"}[lang], character_offsets=True)

    def find(text: str) -> Found:
        sentences = [[token.character_offset for token in tokens] for tokens in tokeniser.tokenize_text([text])]
        return [span for tokens in sentences for span in tokens], [
            (tokens[0][0], tokens[-1][1]) for tokens in sentences
        ]

    return find


def _razdel(_: str) -> Finder:
    razdel = import_module("razdel")

    return lambda text: (
        [(token.start, token.stop) for token in razdel.tokenize(text)],
        [trim(text, sentence.start, sentence.stop) for sentence in razdel.sentenize(text)],
    )


def _reldi(lang: str) -> Finder:
    reldi_tokeniser = import_module("reldi_tokeniser")

    def find(text: str) -> Found:
        lines = reldi_tokeniser.run(text, lang).splitlines()
        numbered = [line.split("\t")[:2] for line in lines if "\t" in line]
        tokens = locate(text, (word for _, word in numbered))
        if len(tokens) < len(numbered):
            return tokens, []
        sentences: dict[str, Span] = {}
        for (place, _), (start, end) in zip(numbered, tokens, strict=True):
            sentence = ".".join(place.split(".")[:2])
            sentences[sentence] = (sentences.get(sentence, (start, end))[0], end)
        return tokens, list(sentences.values())

    return find


def _obeliks(_: str) -> Finder:
    obeliks = import_module("obeliks")

    def find(text: str) -> Found:
        paragraphs = obeliks.run(text, object_output=True)
        sentences = [
            [(word["start_char"], word["end_char"]) for word in sentence["sentence"]]
            for paragraph in paragraphs
            for sentence in paragraph
        ]
        return [span for words in sentences for span in words], [(words[0][0], words[-1][1]) for words in sentences]

    return find


def _tokenize_uk(_: str) -> Finder:
    tokenize_uk = import_module("tokenize_uk")

    return lambda text: (
        locate(text, tokenize_uk.tokenize_words(text)),
        locate(text, tokenize_uk.tokenize_sents(text)),
    )


def _hebrew(_: str) -> Finder:
    hebrew_tokenizer = import_module("hebrew_tokenizer")

    return lambda text: ([span for _, _, _, span in hebrew_tokenizer.tokenize(text)], [])


def _icelandic(_: str) -> Finder:
    tokenizer = import_module("tokenizer")

    def find(text: str) -> Found:
        tokens: list[Span] = []
        sentences: list[Span] = []
        first = 0
        for token in tokenizer.tokenize(text):
            if token.kind == tokenizer.TOK.S_END and len(tokens) > first:
                sentences.append((tokens[first][0], tokens[-1][1]))
                first = len(tokens)
            for word in token.txt.split():
                start = text.find(word, tokens[-1][1] if tokens else 0)
                if start >= 0:
                    tokens.append((start, start + len(word)))
        return tokens, sentences

    return find


def _hazm(_: str) -> Finder:
    hazm = import_module("hazm")

    words = hazm.WordTokenizer(join_verb_parts=False)
    return lambda text: (locate(text, words.tokenize(text)), locate(text, hazm.sent_tokenize(text)))


def _indic(lang: str) -> Finder:
    indic_tokenize = import_module("indicnlp.tokenize.indic_tokenize")
    sentence_tokenize = import_module("indicnlp.tokenize.sentence_tokenize")

    return lambda text: (
        locate(text, indic_tokenize.trivial_tokenize(text, lang=lang)),
        locate(text, sentence_tokenize.sentence_split(text, lang=lang)),
    )


def _pythainlp(_: str) -> Finder:
    sent_tokenize = import_module("pythainlp").sent_tokenize
    word_tokenize = import_module("pythainlp").word_tokenize

    return lambda text: (locate(text, word_tokenize(text, keep_whitespace=False)), locate(text, sent_tokenize(text)))


def _pyvi(_: str) -> Finder:
    tokenise = import_module("pyvi").ViTokenizer.tokenize
    return lambda text: (locate(text, (word.replace("_", " ") for word in tokenise(text).split())), [])


def _underthesea(_: str) -> Finder:
    sent_tokenize = import_module("underthesea").sent_tokenize
    word_tokenize = import_module("underthesea").word_tokenize

    return lambda text: (locate(text, word_tokenize(text)), locate(text, sent_tokenize(text)))


def _codes(codes: str) -> frozenset[str]:
    return frozenset(codes.split())


_PEERS = (
    Peer("spaCy", "spacy", spacy_finder),
    Peer("pysbd", "pysbd", _pysbd),
    Peer("sacremoses", "sacremoses", _moses, unspaced=False),
    Peer("syntok", "syntok", _syntok, unspaced=False),
    Peer("blingfire", "blingfire", _blingfire, unspaced=False),
    Peer("ICU", "icu4py", _icu, unspaced=False),
    Peer("sentencex", "sentencex", _sentencex, unspaced=False),
    Peer(
        "sentence-splitter",
        "sentence_splitter",
        _sentence_splitter,
        _codes("ca cs da de el en es fi fr hu is it lt lv nb nl no pl pt ro ru sk sl sv tr"),
    ),
    Peer("SoMaJo", "somajo", _somajo, _codes("de en")),
    Peer("razdel", "razdel", _razdel, _codes("be ru uk")),
    Peer("reldi-tokeniser", "reldi_tokeniser", _reldi, _codes("bg hr mk sl sr")),
    Peer("obeliks", "obeliks", _obeliks, _codes("sl")),
    Peer("tokenize-uk", "tokenize_uk", _tokenize_uk, _codes("uk")),
    Peer("hebrew-tokenizer", "hebrew_tokenizer", _hebrew, _codes("he")),
    Peer("tokenizer", "tokenizer", _icelandic, _codes("is")),
    Peer("hazm", "hazm", _hazm, _codes("fa")),
    Peer("indic-nlp-library", "indicnlp", _indic, _codes("bn gu hi kn ml mr pa ta te ur")),
    Peer("PyThaiNLP", "pythainlp", _pythainlp, _codes("th")),
    Peer("pyvi", "pyvi", _pyvi, _codes("vi")),
    Peer("underthesea", "underthesea", _underthesea, _codes("vi")),
)
