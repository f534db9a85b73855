"""The method `htmlcleaner`.

Girardi, Htmlcleaner: extracting the relevant text from the web pages (2007); Pomikálek (2011), 2.6.5; Baisa (2009),
1.2. Tags inside a line are ignored, and the page is cut at all others. The text is the run of sentences with the most
characters in function words less those in links (nFW - nA) that begins and ends with a good sentence: longer than the
average, with a capital first and a punctuation mark last.

Sentences are found by their last mark and the space behind it; the sources do not say how. A block is kept if at least
half of its characters are in the run. Function words are those of the stop list; without one, the usual share of the
text. Letters without case can begin a sentence.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import filterfalse

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Flags, Floats, Ints
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import Scores, page_method
from gristmill.cleaning.methods.subsequence import score_best_run
from gristmill.cleaning.segmentation import segment

_LETTERS = re.compile(r"[^\W\d_]+")
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?…])\s|(?<=[.!?…][\"'”’»)\]])\s|(?<=[。！？])(?=.)")
_BLANKS = np.array([code for code in range(0x3001) if chr(code).isspace()], np.uint32)
_USUAL_FUNCTION_WORD_SHARE = 0.3  # of the characters of running text


@page_method("htmlcleaner", segmentation="non-inline")
def htmlcleaner(page: Features, lang: str) -> Scores:
    """Score the sentences by how much each adds to the best run, or would take from it, and blocks by sentences."""
    if not len(page):
        return Scores(np.zeros(0), [])
    split = [_BETWEEN_SENTENCES.split(text) for text in page.texts]
    sentences = [sentence for found in split for sentence in found]
    blocks = np.repeat(np.arange(len(split)), list(map(len, split)))
    lengths = np.array(list(map(len, sentences)))
    values = _function_word_characters(sentences, lengths, page.models.stop_list(lang))
    linked = _link_characters(page, sentences, lengths)
    if linked is None:
        linked = lengths * page.link_density[blocks]
    found = score_best_run(values - linked, np.zeros(len(lengths)), _are_good(sentences, lengths))
    return _by_block(found, blocks, lengths)


def _by_block(found: Scores, blocks: Ints, lengths: Ints) -> Scores:
    """Score each block by the mean of its sentences in the run, or out of it: of those that have more characters.

    If the sentences of a block have 30, 20 and 40 characters and the scores 0.1, 0.2 and 0.9, the first two are in the
    run and have 50 of 90. The block is kept with (30 * 0.1 + 20 * 0.2) / 50 = 0.14.
    """
    inside = found.values <= 0.5
    in_run = np.bincount(blocks, lengths * inside)
    is_text = 2 * in_run >= np.bincount(blocks, lengths)
    weights = lengths * (inside == is_text[blocks])
    scores = np.bincount(blocks, weights * found.values) / np.bincount(blocks, weights)
    return Scores(scores, np.where(is_text, "text", "boilerplate").tolist())


def _function_word_characters(sentences: list[str], lengths: Ints, stop_words: frozenset[str]) -> Floats:
    """Count the characters of each sentence that are in function words."""
    if not stop_words:
        return np.multiply(lengths, _USUAL_FUNCTION_WORD_SHARE, dtype=float)
    return np.array([sum(map(len, filter(stop_words.__contains__, _words(text)))) for text in sentences], float)


def _link_characters(page: Features, sentences: list[str], lengths: Ints) -> Floats | None:
    """Count the characters of each sentence that are in links, with blanks between them.

    Blocks do not tell where links lie in them, but text nodes are in a link or not. Both have the same characters in
    the same order, but for blanks: `To <a>the old mill</a>.` has the nodes `To`, `the old mill`, `.`, and of the
    characters `Totheoldmill.` those from 2 to 12 are in the link. None if they have not, which is when an accent stands
    in another node than its letter.
    """
    if not page.link_words.any():
        return np.zeros(len(lengths))
    nodes = segment(page.page.source, "text-node")
    codes, solid = _codes(sentences)
    node_codes, node_solid = _codes(nodes.texts)
    if not np.array_equal(codes[solid], node_codes[node_solid]):
        return None
    inside = np.zeros(len(codes) + 2, np.bool_)  # with one more on each side
    inside[1:-1][solid] = np.repeat(nodes.columns.link_words > 0, list(map(len, nodes.texts)))[node_solid]
    inside[1:-1] |= ~solid & inside[:-2] & inside[2:]
    return np.bincount(np.repeat(np.arange(len(lengths)), lengths), inside[1:-1], len(lengths)).astype(np.float64)


def _codes(texts: list[str]) -> tuple[npt.NDArray[np.uint32], Flags]:
    """Return the characters of all texts as numbers, and which of them are not blank."""
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    return codes, ~np.isin(codes, _BLANKS)


def _words(text: str) -> list[str]:
    """Return all words of a text, in any order. The expression is slow, so it sees only items with other characters."""
    items = text.split()
    return [*filter(str.isalpha, items), *_LETTERS.findall(" ".join(filterfalse(str.isalpha, items)))]


def _are_good(sentences: list[str], lengths: Ints) -> Flags:
    """Tell which sentences are long enough, and begin and end as sentences do."""
    good: Flags = lengths > lengths.mean()
    for at in np.flatnonzero(good).tolist():
        first, last = _LETTERS.search(sentences[at]), sentences[at][-1]
        good[at] = first is not None and not first[0][0].islower() and unicodedata.category(last).startswith("P")
    return good
