"""The method `site-dom`: remove DOM subtrees that are repeated on the pages of a site. Independent of language.

The DOM-based method of Gibson, Punera and Tomkins, The volume and evolution of web page templates (2005); here after
Pomikálek (2011), section 2.3. Every element is hashed with all that is in it, tags and text. A subtree whose number of
occurrences in the site is within a lower and an upper threshold is template, and so are all blocks in it. Both are our
own values (`repeats`), as the text gives none, and so are two decisions that it leaves open. Attributes are not hashed:
two copies of a menu often differ only in the class of the current item. A page that was fetched twice is counted once.
Elements without text, such as `<br>`, have nothing to mark. `site-dom:count=pages,upper=0` is our own variant: pages
are counted instead of occurrences, which needs no upper threshold.

Text that stands directly in an element beside other things is template only if the whole element is.

What is not repeated (links to related pages, a notice on one page only) is not found. Nor is a menu as a whole if a
word in it differs, but its other items are found. Plain text has no tree, so nothing is found in it: `site-text` is for
that.

**A site of one page** has nothing to compare with: its page is cleaned by `density`, for the reason that `site-text`
gives.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xxhash

from gristmill.arrays.dtypes import Flags, Hashes
from gristmill.arrays.hashing import prefix_sums
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import Scores
from gristmill.literature.cleaning.density import density
from gristmill.literature.cleaning.outline import Outline
from gristmill.literature.cleaning.repeats import Often, first_copies, repeated
from gristmill.registry import part

_LABELS = ("own", "template")


@part("cleaning method", "site-dom", alone=density, parameters=Often())
def site_dom(pages: Sequence[Features], parameters: Often | None = None) -> list[Scores]:
    """Score the pages of one site together."""
    counted = first_copies(pages)
    if counted.sum() < 2:
        return [density(page, "") for page in pages]
    outlines = list(map(Outline.of, pages))
    subtrees = [_subtrees(outline, page.texts) for outline, page in zip(outlines, pages, strict=True)]
    found = repeated(subtrees, counted, parameters or Often())
    return [_scores(outline, template) for outline, template in zip(outlines, found, strict=True)]


def _subtrees(page: Outline, texts: Sequence[str]) -> Hashes:
    """Hash each element with all that is in it.

    In an outline each subtree is a run of nodes, so its hash is a difference of two prefix sums. With node hashes h and
    base B, the sums are of h[n] * B**n. For an element at node 3 whose last text is node 5, the difference is
    h[3] * B**3 + h[4] * B**4 + h[5] * B**5; divided by B**3 (times the inverse of B to the power of 3, in 64-bit
    arithmetic) it is the same wherever on a page the subtree stands. The hash of an element's node is that of its tag
    and the number of texts in it, which together determine the shape of the tree.
    """
    sizes = (page.end - page.first)[page.elements]
    own = np.zeros(page.parents.size, np.uint64)
    own[page.elements] = _hashes([f"{tag} {size}" for tag, size in zip(page.tags, sizes.tolist(), strict=True)])
    own[page.texts] = _hashes(texts)
    sums, inverses = prefix_sums(own)
    behind = np.append(page.texts, 0)[page.end[page.elements] - 1] + 1  # 1, behind the body, in a page without text
    subtrees: Hashes = (sums[behind] - sums[page.elements]) * inverses[page.elements]
    return subtrees


def _hashes(texts: Sequence[str]) -> Hashes:
    return np.fromiter(
        (xxhash.xxh3_64_intdigest(text.encode("utf-8", "surrogatepass")) for text in texts), np.uint64, len(texts)
    )


def _scores(page: Outline, template: Flags) -> Scores:
    """Score blocks 1 if an element around them is template, else 0.

    Each such element adds 1 to the depth at its first block, and takes it off behind its last.
    """
    edges = np.zeros(page.texts.size + 1, np.int64)
    np.add.at(edges, page.first[page.elements[template]], 1)
    np.add.at(edges, page.end[page.elements[template]], -1)
    inside = np.cumsum(edges)[:-1] > 0
    return Scores(inside.astype(np.float64), [_LABELS[is_in] for is_in in inside.tolist()])
