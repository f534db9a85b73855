"""The method `boilerpipe`, independent of language.

Kohlschütter, Fankhauser and Nejdl, Boilerplate detection using shallow text features (2010); Pomikálek (2011), 2.6.4.
The decision tree of the DefaultExtractor (Algorithm 2.1) looks at the words and the link density of a block and of its
two neighbours. One rule is missing in print: a block with a link density above a third is boilerplate.
"""

from __future__ import annotations

import numpy as np

from gristmill.arrays.dtypes import Floats
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.margin import margin
from gristmill.cleaning.methods.registry import Scores, page_method


@page_method("boilerpipe", segmentation="non-inline")
def boilerpipe(page: Features, lang: str) -> Scores:  # noqa: ARG001
    """Score blocks by the decision tree, with margins for its tests so that scores are graded."""
    margins = _margins(page.words.astype(float), page.link_density)
    return Scores(0.5 - margins / 2, np.where(margins >= 0, "content", "boilerplate").tolist())


def _margins(words: Floats, link_density: Floats) -> Floats:
    """Compute Algorithm 2.1 with the smaller of two margins for "and", the larger for "or": above zero is content.

    What is content after many links is also content after few, so the two branches of `prev_linkDensity` are one "or".
    Beyond the edges of a page are no words and no links. "More than 16 words" has its threshold between 16 and 17.
    """
    before, after = np.append(0, words)[:-1], np.append(words, 0)[1:]
    links_before = np.append(0, link_density)[:-1]
    after_text = np.maximum(np.maximum(margin(words, 16.5), margin(after, 15.5)), margin(before, 4.5))
    after_links = np.maximum(margin(words, 40.5), margin(after, 17.5))
    content = np.maximum(np.minimum(-margin(links_before, 0.555556), after_text), after_links)
    return np.minimum(-margin(link_density, 0.333333), content)
