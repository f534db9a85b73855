"""The features of `fiasco`, for all target nodes of a page at once.

Baisa (2009), 1.2, names them: linguistic ones (length of the text, tokens, types, sentences, their average length,
frequency of keywords), structural ones (depth, whether it is a heading or a `<p>`, the share of links and other tags)
and visual ones (shape and width of the blocks in a browser). Bauer et al. (2007), 3.1 and 3.2, add special symbols,
images and list items. They have more, which the documents do not tell, such as statistics of parts of speech. Ours are:
the logarithms of counts, which suit a linear classifier, the mean length of words, and which visual features there are.

`evaluation` uses them to train the model.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

import numpy as np

from gristmill.arrays.dtypes import Floats, Ints
from gristmill.cleaning.ancestors import depths
from gristmill.cleaning.features import Features
from gristmill.cleaning.rendering.boxes import Boxes
from gristmill.kernel.elements import CELLS, CODES, HEADINGS, LIST_ITEMS, NAMES
from gristmill.literature.cleaning.fiasco_targets import Targets
from gristmill.text.characters import Characters

LINGUISTIC = (
    *("log_characters", "log_words", "log_types", "types_per_word", "log_sentences", "log_sentence_length"),
    *("keyword_share", "log_keywords", "symbol_share", "word_length"),
)
STRUCTURAL = (
    *("depth", "is_heading", "is_paragraph", "is_list_item", "is_cell"),
    *("link_share", "links_per_word", "images_per_word", "tags_per_word"),
)
VISUAL = (
    *("log_width", "log_height", "log_area", "log_shape", "width_share", "left", "centre_distance", "top", "bottom"),
    *("log_font_size", "is_bold", "contrast"),
)
NAMES_WITHOUT_VISUAL = (*LINGUISTIC, *STRUCTURAL)
ALL_NAMES = (*NAMES_WITHOUT_VISUAL, *VISUAL)
_STRIPPED = ".,;:!?()[]{}\"'«»“”„‘’|*•"
_KINDS = {"is_heading": HEADINGS, "is_list_item": LIST_ITEMS, "is_cell": CELLS}
_IS_OF_KIND = {kind: np.array([name in names for name in NAMES]) for kind, names in _KINDS.items()}
_IS_P = np.array([name == "p" for name in NAMES])


def features(page: Features, targets: Targets, keywords: AbstractSet[str]) -> Floats:
    """Compute the linguistic and structural features, a row a target node, in the order of `NAMES_WITHOUT_VISUAL`."""
    linguistic = _linguistic(page, targets, keywords)
    columns = linguistic | _structural(page, targets, np.maximum(1.0, np.expm1(linguistic["log_words"])))
    return np.stack([columns[name] for name in NAMES_WITHOUT_VISUAL], 1)


def words_of(page: Features, targets: Targets) -> list[list[str]]:
    """Return the words of each target node, in lower case and without punctuation around them."""
    texts, runs = page.texts, zip(targets.first.tolist(), targets.end.tolist(), strict=True)
    joined = [" ".join(texts[first:end]).lower().split() for first, end in runs]
    return [[word.strip(_STRIPPED) for word in words] for words in joined]


def _linguistic(page: Features, targets: Targets, keywords: AbstractSet[str]) -> dict[str, Floats]:
    characters = Characters(page.texts)
    total = _sum(characters.lengths, targets)
    words = np.maximum(1, _sum(page.words, targets))
    found = words_of(page, targets)
    types = np.array([len(set(own)) for own in found])
    known = np.array([sum(map(keywords.__contains__, own)) for own in found])
    tokens = np.maximum(1, np.array(list(map(len, found))))
    sentences = _sum(characters.count(characters.among(".!?。！？")), targets)
    letters = _sum(characters.count(characters.are("L", "M")), targets)
    symbols = _sum(characters.count(~characters.are("L", "M", "N", "Z")), targets)
    return {
        "log_characters": np.log1p(total),
        "log_words": np.log1p(words),
        "log_types": np.log1p(words * types / tokens),  # without spaces, words are more than what spaces separate
        "types_per_word": types / tokens,
        "log_sentences": np.log1p(sentences),
        "log_sentence_length": np.log1p(words / np.maximum(1, sentences)),
        "keyword_share": known / tokens,
        "log_keywords": np.log1p(known),
        "symbol_share": symbols / np.maximum(1, total),
        "word_length": np.minimum(20.0, letters / words),
    }


def _structural(page: Features, targets: Targets, words: Floats) -> dict[str, Floats]:
    elements = page.page.elements
    codes = elements.codes[targets.elements]
    as_made = targets.is_made
    kinds = {kind: (table[codes] & ~as_made).astype(float) for kind, table in _IS_OF_KIND.items()}
    inner = np.array(page.page.tags_before)
    inner[targets.first] = 0  # tags before the first text node are not inside
    links = np.bincount(elements.first[elements.codes == CODES["a"]], minlength=len(page) + 1)[: len(page)]
    return kinds | {
        "depth": depths(elements.parents)[targets.elements] + as_made.astype(float),
        "is_paragraph": (_IS_P[codes] | as_made).astype(float),
        "link_share": np.minimum(1.0, _sum(page.link_words, targets) / words),
        "links_per_word": np.minimum(1.0, _sum(links, targets) / words),
        "images_per_word": np.minimum(1.0, _sum(page.page.tags_between("img"), targets) / words),
        "tags_per_word": np.minimum(3.0, _sum(inner, targets) / words),
    }


def visual_features(boxes: Boxes, targets: Targets) -> Floats:
    """Compute the visual features from the boxes of the text nodes, in the order of `VISUAL`."""
    found = boxes.joined(targets.first)
    page_width, page_height = boxes.page_width, boxes.page_height
    middle = found.x + found.width / 2
    columns = {
        "log_width": np.log1p(found.width),
        "log_height": np.log1p(found.height),
        "log_area": np.log1p(found.width * found.height),
        "log_shape": np.log1p(found.width) - np.log1p(found.height),
        "width_share": np.minimum(1.0, found.width / page_width),
        "left": np.clip(found.x / page_width, 0, 1),
        "centre_distance": np.clip(np.abs(middle / page_width - 0.5), 0, 1),
        "top": np.clip(found.y / page_height, 0, 1),
        "bottom": np.clip((found.y + found.height) / page_height, 0, 1),
        "log_font_size": np.log1p(found.font_size),
        "is_bold": (found.weight >= _BOLD).astype(float),
        "contrast": found.contrast,
    }
    return np.stack([columns[name] for name in VISUAL], 1)


_BOLD = 600


def _sum(values: Ints, targets: Targets) -> Ints:
    """Sum up the values of the text nodes of each target node."""
    return np.add.reduceat(values, targets.first)
