"""The method `genieknows`: the importance of semantic blocks, by nine weighted features and by similar blocks.

Gao and Abou-Assaleh, GenieKnows Web Page Cleaning System (2007); Baisa (2009), 1.2; Pomikálek (2011), 2.6.5. The page
is divided into semantic blocks (`genieknows_blocks`). The importance of a block is the weighted mean of nine features.
The similarity of two blocks is made of their distance, horizontal offset, difference in width and in features, and
importances are adjusted to be similar for similar blocks. Blocks below a threshold are removed.

The documents name five of the features: position, font size, length of the text and number of sentences relative to the
page, and number of links. Position is two here, and width, area and the share of text in links are ours. The documents
have neither weights nor formulas. The weights were fitted to CleanEval by least squares, none below 0, and rounded to
0.05; those of area and length, which came out as 0 beside width and sentences, are 0.05. Boxes are a browser's with
`render=yes`, else estimates (`cleaning/rendering`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Floats, Ints
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import Scores
from gristmill.cleaning.rendering.boxes import Boxes
from gristmill.cleaning.rendering.estimated import estimate
from gristmill.cleaning.rendering.rendered import render
from gristmill.literature.cleaning.genieknows_blocks import semantic_blocks
from gristmill.registry import a_share, part
from gristmill.text.characters import Characters

FEATURES = (
    *("horizontal_position", "vertical_position", "width", "area", "font_size"),
    *("text_length", "links", "link_text", "sentences"),
)
_SLOPE = 20.0  # of the score, for an importance that differs from the threshold by 1


@dataclass(frozen=True, slots=True)
class Parameters:
    """What users can set; the weights are those of `FEATURES`."""

    render: bool = False
    """Take boxes from a browser; else they are estimated."""
    horizontal_position: float = 0.2
    vertical_position: float = 0.2
    width: float = 0.2
    area: float = 0.05
    font_size: float = 0.05
    text_length: float = 0.05
    links: float = 0.35
    link_text: float = 0.45
    sentences: float = 0.1
    threshold: float = 0.575
    """The importance below which blocks are removed."""
    max_area: float = a_share(0.03)
    """The share of the page above which an element is divided."""
    smoothing: float = 1.0
    """How much similar blocks count, compared with a block itself."""

    @property
    def shares(self) -> Floats:
        """The weights of the nine features, which add up to 1: so importances are from 0 to 1."""
        weights = np.array([getattr(self, name) for name in FEATURES], np.float64)
        shares: Floats = weights / max(float(weights.sum()), 1e-9)
        return shares


@part("cleaning method", "genieknows", parameters=Parameters())
def genieknows(page: Features, lang: str, parameters: Parameters) -> Scores:
    """Score blocks by how far the importance of their semantic block is below the threshold."""
    del lang
    if not len(page):
        return Scores(np.zeros(0), [])
    boxes = render(page.page) if parameters.render else estimate(page.page)
    first = semantic_blocks(page.page, boxes, parameters.max_area)
    own = boxes.joined(first)
    values = features(page, first, own)
    importance = smoothed(values @ parameters.shares, similar(values, own), parameters.smoothing)
    scores = 1 / (1 + np.exp(np.clip(_SLOPE * (importance - parameters.threshold), -30, 30)))
    spread = np.repeat(scores, np.diff(np.append(first, len(page))))
    return Scores(spread, np.where(spread > 0.5, "unimportant", "important").tolist())


def features(page: Features, first: Ints, boxes: Boxes) -> Floats:
    """Compute the nine features of semantic blocks, given their first blocks and their boxes; each is from 0 to 1.

    Lengths, sentences and areas are relative to the page. Of links there is 1 less their number, and less that of the
    words in them, by the words of the block: few are a sign of importance. The square root makes a
    tenth of a page 0.3: blocks of a page of many blocks would else be all alike.
    """
    characters = Characters(page.texts)
    words = np.maximum(1, _sum(page.words, first))
    sentences = _sum(characters.count(characters.among(".!?。！？")), first)
    width, height = boxes.page_width, boxes.page_height
    columns = (
        1 - np.abs((boxes.x + boxes.width / 2) / width - 0.5) * 2,
        1 - np.abs((boxes.y + boxes.height / 2) / height - 0.5) * 2,
        boxes.width / width,
        np.sqrt(boxes.width * boxes.height / (width * height)),
        boxes.font_size / max(1.0, float(boxes.font_size.max())),
        np.sqrt(_share(_sum(page.characters, first))),
        1 - np.minimum(1.0, _sum(page.links, first) / words),
        1 - np.minimum(1.0, _sum(page.link_words, first) / words),
        np.sqrt(_share(sentences)),
    )
    values: Floats = np.clip(np.stack(columns, 1), 0.0, 1.0)
    return values


_NEIGHBOURS = 12
"""Blocks on each side with which a block is compared: further ones are far away, and time stays linear."""
_DISTANCE = 300.0
"""The distance in pixels at which similarity is down to 1/e."""


def similar(values: Floats, boxes: Boxes) -> Floats:
    """Return how similar each block is to the next one, the second next, and so on: a row a step.

    Similarity is e to the minus sum of: the distance between the boxes in units of `_DISTANCE`, the difference of
    their left edges and that of their widths as shares of the page's width, each times 4, and twice the sum of the
    differences of the features.
    """
    number, width = len(values), boxes.page_width
    found = np.zeros((_NEIGHBOURS, number))
    for step in range(1, min(_NEIGHBOURS, number - 1) + 1):
        one, two = slice(0, number - step), slice(step, number)
        across = _gap(boxes.x, boxes.width, one, two)
        down = _gap(boxes.y, boxes.height, one, two)
        offset = np.abs(boxes.x[one] - boxes.x[two]) / width
        wider = np.abs(boxes.width[one] - boxes.width[two]) / width
        differ = np.abs(values[one] - values[two]).sum(1)
        found[step - 1, one] = np.exp(-(np.hypot(across, down) / _DISTANCE + 4 * offset + 4 * wider + 2 * differ))
    return found


def _gap(start: Floats, size: Floats, one: slice, two: slice) -> Floats:
    """Return how far boxes are apart in one direction; 0 if they overlap."""
    upper = np.maximum(start[one], start[two])
    lower = np.minimum(start[one] + size[one], start[two] + size[two])
    gap: Floats = np.maximum(0.0, upper - lower)
    return gap


def smoothed(importance: Floats, similarity: Floats, strength: float) -> Floats:
    """Make the importances of similar blocks similar: the mean of a block's own and those of others, by similarity.

    With importances 1 and 0 and a similarity of 0.5 at strength 1, they become (1 + 0.5 * 0) / 1.5 = 2/3 and 1/3.
    """
    total, weight = importance.copy(), np.ones(len(importance))
    for step, alike in enumerate(similarity, 1):
        near = strength * alike[: max(0, len(importance) - step)]
        total[: len(near)] += near * importance[step:]
        total[step:] += near * importance[: len(near)]
        weight[: len(near)] += near
        weight[step:] += near
    found: Floats = total / weight
    return found


def _share(values: Ints) -> Floats:
    found: Floats = values / max(1, int(values.sum()))
    return found


def _sum(values: Ints, first: Ints) -> Ints:
    """Sum up the values of the blocks of each semantic block."""
    return np.add.reduceat(values, first)
