"""The method `boilerpipe`, independent of language: a small decision tree.

Kohlschütter, Fankhauser and Nejdl, Boilerplate detection using shallow text features (2010); Pomikálek (2011), 2.6.4.
Blocks end at all tags but `<a>`. It is the DefaultExtractor of the thesis: its decision tree (Algorithm 2.1) looks at
the words and the link density of a block and of its two neighbours. One rule is missing in print: a block with a link
density above a third is boilerplate.
"""

from __future__ import annotations

import numpy as np

from gristmill.arrays.dtypes import Floats, Ints
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.margin import margin
from gristmill.cleaning.methods.registry import Scores
from gristmill.registry import part


@part("cleaning method", "boilerpipe", segmentation="all-but-links")
def boilerpipe(page: Features, lang: str) -> Scores:  # noqa: ARG001
    """Score blocks by the decision tree, with margins for its tests so that scores are graded."""
    return scores_of(default_margins(page.words, page.link_density))


def scores_of(margins: Floats) -> Scores:
    """Make scores of margins: above zero is content."""
    return Scores(0.5 - margins / 2, np.where(margins >= 0, "content", "boilerplate").tolist())


def default_margins(words: Ints, link_density: Floats) -> Floats:
    """Compute Algorithm 2.1 with the smaller of two margins for "and", the larger for "or": above zero is content.

    What is content after many links is also content after few, so the two branches of `prev_linkDensity` are one "or".
    Beyond the edges of a page are no words and no links. "More than 16 words" has its threshold between 16 and 17.
    """
    before, after = neighbours(words.astype(float))
    links_before, _ = neighbours(link_density)
    after_text = np.maximum(np.maximum(margin(words, 16.5), margin(after, 15.5)), margin(before, 4.5))
    after_links = np.maximum(margin(words, 40.5), margin(after, 17.5))
    content = np.maximum(np.minimum(-margin(links_before, 0.555556), after_text), after_links)
    return np.minimum(-margin(link_density, 0.333333), content)


def neighbours(values: Floats) -> tuple[Floats, Floats]:
    """Return for each block the value of the one before it, and of the one behind it."""
    return np.append(0, values)[:-1], np.append(values, 0)[1:]
