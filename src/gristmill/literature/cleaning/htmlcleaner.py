"""The method `htmlcleaner`.

Girardi, Htmlcleaner: extracting the relevant text from the web pages (2007); Pomikálek (2011), 2.6.5; Baisa (2009),
1.2. Tags inside a line, images and tags that HTML 4.0 does not have are ignored, the text of form fields is removed,
and the page is cut at all other tags. The text is the run of sentences with the most characters in function words less
those in links (nFW - nA) that begins and ends with a good sentence: longer than the average, with a capital first and a
punctuation mark last.

Sentences are found by their last mark and the space behind it; the sources do not say how. Links count as tags inside a
line, as they stand within sentences. A block is kept if at least half of its characters are in the run. Function words
are those of the stop list; without one, the usual share of the text. Letters without case can begin a sentence.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import compress, filterfalse

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Flags, Floats, Ints
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import Scores
from gristmill.cleaning.segmentation import segment
from gristmill.columns import Columns
from gristmill.literature.cleaning.subsequence import by_block, score_best_run
from gristmill.registry import part

_LETTERS = re.compile(r"[^\W\d_]+")
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?…])\s|(?<=[.!?…][\"'”’»)\]])\s|(?<=[。！？])(?=.)")
_BLANKS = np.array([code for code in range(0x3001) if chr(code).isspace()], np.uint32)
_USUAL_FUNCTION_WORD_SHARE = 0.3  # of the characters of running text
_FORM_FIELDS = frozenset("select optgroup option textarea button".split())


@part("cleaning method", "htmlcleaner", segmentation="html4")
def htmlcleaner(page: Features, lang: str) -> Scores:
    """Score the sentences by how much each adds to the best run, or would take from it, and blocks by sentences."""
    left = np.flatnonzero(~_in_form_fields(page.columns))
    scores, labels = np.ones(len(page)), np.full(len(page), "boilerplate", object)
    if len(left):
        found = _score(page, lang, left)
        scores[left], labels[left] = found.values, found.labels
    return Scores(scores, labels.tolist())


def _in_form_fields(columns: Columns) -> Flags:
    """Tell which blocks stand in a form field, such as `<option>` or `<button>`."""
    paths = columns.path
    found: Flags = np.array([not _FORM_FIELDS.isdisjoint(path.split("/")) for path in paths.values], np.bool_)
    return found[paths.codes]


def _score(page: Features, lang: str, left: Ints) -> Scores:
    """Score the blocks that are left."""
    split = [_BETWEEN_SENTENCES.split(page.texts[at]) for at in left.tolist()]
    sentences = [sentence for found in split for sentence in found]
    blocks = np.repeat(np.arange(len(split)), list(map(len, split)))
    lengths = np.array(list(map(len, sentences)))
    values = _function_word_characters(sentences, lengths, page.models.stop_list(lang))
    linked = _link_characters(page, sentences, lengths)
    if linked is None:
        linked = lengths * page.link_density[left][blocks]
    found = score_best_run(values - linked, np.zeros(len(lengths)), _are_good(sentences, lengths))
    return by_block(found.values, blocks, lengths)


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
    left = ~_in_form_fields(nodes.columns)
    texts = list(compress(nodes.texts, left.tolist()))
    codes, solid = _codes(sentences)
    node_codes, node_solid = _codes(texts)
    if not np.array_equal(codes[solid], node_codes[node_solid]):
        return None
    inside = np.zeros(len(codes) + 2, np.bool_)  # with one more on each side
    inside[1:-1][solid] = np.repeat(nodes.columns.link_words[left] > 0, list(map(len, texts)))[node_solid]
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
