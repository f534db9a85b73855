"""DOM subtrees that are repeated on the pages of a site: the DOM-based method of Gibson, Punera and Tomkins (2005).

The volume and evolution of web page templates; here after Pomikálek (2011), section 2.3. Every element is hashed with
all that is in it, tags and text; a subtree that is on enough pages of the site is template, and so are all blocks in
it. Attributes are not hashed: what differs between two copies of a menu is often no more than the class of the current
item. Text that stands directly in an element with other things is template only if all of the element is.

The language makes no difference. What is not repeated (links to related pages, a notice that is on one page only) is
not found, whatever it is; nor is a menu as a whole if a word in it has changed, but its other items are. Plain text has
no tree, so nothing is found in it: `site-text` is for that.

**A site of one page** has nothing to compare: its page is cleaned by `density`, for the reason that `site-text` gives.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xxhash

from gristmill.arrays.dtypes import Flags, Hashes
from gristmill.arrays.hashing import prefix_sums
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.density import density
from gristmill.cleaning.methods.outline import Outline
from gristmill.cleaning.methods.registry import METHODS, Method, Scores
from gristmill.cleaning.methods.repeats import Often, first_copies, repeated

_LABELS = ("own", "template")


def site_dom(pages: Sequence[Features], often: Often | None = None) -> list[Scores]:
    """Score the pages of one site together."""
    counted = first_copies(pages)
    if counted.sum() < 2:
        return [density(page, "") for page in pages]
    outlines = list(map(Outline.of, pages))
    subtrees = [_subtrees(outline, page.texts) for outline, page in zip(outlines, pages, strict=True)]
    found = repeated(subtrees, counted, often or Often())
    return [_scores(outline, template) for outline, template in zip(outlines, found, strict=True)]


def _subtrees(page: Outline, texts: Sequence[str]) -> Hashes:
    """The hash of each element with what is in it.

    In an outline each subtree is a run of nodes, so its hash is a difference of two running sums. An element's own hash
    is of its tag and the number of texts in it, which is all that the shape of the tree is made of.
    """
    sizes = (page.end - page.first)[page.elements]
    own = np.zeros(page.parents.size, np.uint64)
    own[page.elements] = _hashes([f"{tag} {size}" for tag, size in zip(page.tags, sizes.tolist(), strict=True)])
    own[page.texts] = _hashes(texts)
    sums, inverses = prefix_sums(own)
    behind = (
        np.append(page.texts, 0)[page.end[page.elements] - 1] + 1
    )  # in a page without text, what is behind the body
    subtrees: Hashes = (sums[behind] - sums[page.elements]) * inverses[page.elements]
    return subtrees


def _hashes(texts: Sequence[str]) -> Hashes:
    return np.fromiter(
        (xxhash.xxh3_64_intdigest(text.encode("utf-8", "surrogatepass")) for text in texts), np.uint64, len(texts)
    )


def _scores(page: Outline, template: Flags) -> Scores:
    """A block is template if an element around it is."""
    edges = np.zeros(page.texts.size + 1, np.int64)
    np.add.at(edges, page.first[page.elements[template]], 1)
    np.add.at(edges, page.end[page.elements[template]], -1)
    inside = np.cumsum(edges)[:-1] > 0
    return Scores(inside.astype(np.float64), [_LABELS[is_in] for is_in in inside.tolist()])


METHODS.register("site-dom")(Method(score=density, score_site=site_dom))
