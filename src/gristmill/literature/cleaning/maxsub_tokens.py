"""The tokens of a page for `maxsub`: words, symbols and tags in their order, as numbers.

`<p>A mill, 1901.</p><p>B` has the tokens `<p>`, `a`, `mill`, `,`, `0000`, `.`, `</p>`, `<p>`, `b`: letters are small,
digits are all 0. In a language that no model knows, a word is only its length and whether it has a capital.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.arrays.hashing import mix
from gristmill.arrays.ragged import concatenated_ranges
from gristmill.cleaning.features import Features
from gristmill.kernel.elements import NAMES

Hashes = npt.NDArray[np.uint64]

TAG_CONTEXT = len(NAMES)
"""The context of a tag; that of a word is the code of the element that it stands in."""
CONTEXTS = TAG_CONTEXT + 1
_TOKENS = re.compile(rb"[0-9A-Za-z\x80-\xff]+|[^\s]|\n")
_NO_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_ARE_SYMBOLS = np.array([code < 128 and not chr(code).isalnum() for code in range(256)])
_LINE_END = ord("\n")
_MAX_LENGTH = 3  # of a word, in steps of four bytes
# Tokens are numbers: at 0 the edge of the page, symbols up to 255, then shapes of words, tags, and words.
_SHAPES, _TAGS, _WORDS = 256, 1 << 12, 1 << 20
_TRIGRAM_BITS = np.uint64(64 - 32)


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a page up to its last text, as columns."""

    trigrams: Hashes
    """A hash, of 32 bits, of each token and the two behind it."""
    contexts: Ints
    """The code of the element around each word, `TAG_CONTEXT` for tags."""
    blocks: Ints
    """The block that each token stands in, or that a tag stands before."""
    is_tag: Flags


def tokens_of(page: Features, *, words: bool) -> Tokens:
    """Return the tokens of a page that is cut into text nodes; without `words`, of each word only its shape."""
    of_text, counts = _text_tokens(page.texts, words=words)
    tags, tag_counts = _tag_tokens(page.page.tags, page.page.tags_up_to)
    # Tags and text take turns: the tags before block 0, its text, the tags before block 1, and so on.
    both = np.stack((tag_counts, counts), 1).ravel()
    starts = np.cumsum(both) - both
    tokens = np.zeros(both.sum() + 2, np.uint64)  # two edges behind the last
    is_tag = np.zeros(both.sum(), np.bool_)
    tokens[concatenated_ranges(starts[1::2], counts)] = of_text
    places = concatenated_ranges(starts[::2], tag_counts)
    tokens[places], is_tag[places] = tags, True
    blocks = np.repeat(np.arange(len(page)), tag_counts + counts)
    contexts = np.where(is_tag, TAG_CONTEXT, page.page.elements.codes[page.page.holders][blocks])
    return Tokens(_trigrams(tokens), contexts, blocks, is_tag)


def _text_tokens(texts: list[str], *, words: bool) -> tuple[Hashes, Ints]:
    """Return the words and symbols of all texts, and how many each text has."""
    page = "".join(f"{text}\n" for text in texts)
    found = _TOKENS.findall((page.lower() if words else page).encode("utf-8", "replace").translate(_NO_DIGITS))
    first = np.fromiter(map(itemgetter(0), found), np.uint8, len(found))
    ends = np.flatnonzero(first == _LINE_END)
    hashes = np.fromiter(map(zlib.crc32, found), np.uint64, len(found)) + np.uint64(_WORDS) if words else _shapes(found)
    is_symbol = _ARE_SYMBOLS[first]
    hashes[is_symbol] = first[is_symbol]
    return np.delete(hashes, ends), np.diff(ends, prepend=-1) - 1


def _shapes(found: list[bytes]) -> Hashes:
    """Number words by the length, and by whether they begin with a digit, a capital (of ASCII) or another letter."""
    lengths = np.minimum(np.fromiter(map(len, found), np.int64, len(found)) // 4, _MAX_LENGTH)
    first = np.fromiter(map(itemgetter(0), found), np.uint8, len(found))
    kinds = np.where(first == ord("0"), 0, np.where((first >= ord("A")) & (first <= ord("Z")), 1, 2))
    return (_SHAPES + kinds * (_MAX_LENGTH + 1) + lengths).astype(np.uint64)


def _tag_tokens(tags: Ints, up_to: Ints) -> tuple[Hashes, Ints]:
    """Return the tags before the last text without comments, and how many stand before each text behind the last one.

    With the tags [p, -1, ~p, p] and texts behind 1 and 4 of them, there are 1 and 2: -1 is a comment.
    """
    shown = tags[: up_to[-1]] != -1
    before = np.append(0, np.cumsum(shown))[up_to]
    tokens = tags[: up_to[-1]][shown].astype(np.int64) + (_TAGS + TAG_CONTEXT)
    return tokens.astype(np.uint64), np.diff(before, prepend=0)


def _trigrams(tokens: Hashes) -> Hashes:
    """Hash each token with the two behind it: the order counts, as each is mixed before the next is added."""
    trigrams = mix(mix(mix(tokens[:-2]) + tokens[1:-1]) + tokens[2:])
    return trigrams >> _TRIGRAM_BITS
