"""The method `site-diff`: remove what a page shares with another page of its site. Independent of language.

Baisa, Web Content Cleaning (2009), section 2.4, the multi-page method. All pages are compared with one reference page.
The two trees are walked down together as long as an element has children of the same kinds on both pages. Texts in the
same place are compared, and what they share at their beginning and end is common ("posted by"). Where the children
differ, Algorithm 2 maps those of the page onto those of the reference page, and text that is in both is common. The
score of a block is the share of its words that are common. In a list by size, pages without real text lie at the ends,
so the page in the middle is the reference (section 2.4, "Searching reference file"); users can name another one. The
options of his program (appendix) are parameters of the same names.

`addtitle` keeps the first heading of a page, as his `getMainHeadline` takes it. A page without one has its `<title>` in
the document's own field `title`: it is no block of the page.

Where his text leaves it open: common to two elements are the blocks whose texts are the same in both. Words are
compared from the beginning and from the end; in scripts without spaces, a run between spaces is a word. The reference
page itself, and copies of it, are compared with the next page in the list. Time is linear in the blocks but for a
binary search: Algorithm 2 looks up the first element that shares a text in an index by tag and text, instead of
comparing all pairs of children, and every block is compared on one level only.

**A site of one page**, or of one page in copies, is cleaned by his single-page method, `density`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from operator import eq
from typing import NamedTuple

import numpy as np

from gristmill.arrays.dtypes import Flags, Floats
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import Scores
from gristmill.columns import KINDS
from gristmill.literature.cleaning.addresses import without_form
from gristmill.literature.cleaning.density import SPARSE, density
from gristmill.literature.cleaning.density import Parameters as DensityParameters
from gristmill.literature.cleaning.outline import Outline
from gristmill.literature.cleaning.repeats import first_copies
from gristmill.registry import a_share, part

_TEXT = ""  # stands for the tag of a text
_LABELS = ("own", "partly common", "common")  # for a share of 0, of up to a half, of more


@dataclass(frozen=True)
class Parameters:
    """Baisa's options (his appendix), all off as in his own default."""

    prune: bool = False
    """Clean a page that is built differently from its reference page by `density` (his option -p)."""
    fromtarget: bool = False
    """Compare pages from the target elements that `density` finds; what is outside is boilerplate (his option -f)."""
    sparse: bool = False
    """Leave out pages that consist of tables and lists, as `density-sparse` does (his option -r)."""
    reference: tuple[str, ...] = ()
    """The addresses of reference pages (his option -e): the first of them that is on a site is that of the site."""
    addtitle: bool = False
    """Keep the headline: the first heading of the page (his option -t)."""
    min_likeness: float = a_share(0.5)
    """For `prune`: which share of the nodes must have a counterpart. He gives no figure."""
    levels: int = 4
    """For `prune`: how many levels of the trees are compared. He gives no figure."""


class _Tree:
    """A page as a tree of elements and texts, numbered together in document order, so that 0 is the root."""

    def __init__(self, page: Features) -> None:
        outline = Outline.of(page)
        parents = outline.parents.copy()
        parents[0] = -1
        children = np.argsort(parents, kind="stable")
        self._children: list[int] = children.tolist()
        self._bounds: list[int] = np.searchsorted(parents[children], np.arange(parents.size + 1)).tolist()
        self.first: list[int] = outline.first.tolist()
        self.end: list[int] = outline.end.tolist()
        self.texts = page.texts
        self.tags = [_TEXT] * parents.size
        for node, tag in zip(outline.elements.tolist(), outline.tags, strict=True):
            self.tags[node] = tag

    def children(self, node: int) -> list[int]:
        """Return the elements and texts directly below a node."""
        return self._children[self._bounds[node] : self._bounds[node + 1]]

    def kinds(self, nodes: Sequence[int]) -> list[str]:
        """Return the tags of nodes; `_TEXT` for texts."""
        return [self.tags[node] for node in nodes]

    def around(self, kept: Flags) -> int:
        """Find the innermost element with just these blocks; the body of the page if there is none."""
        blocks = np.flatnonzero(kept).tolist()
        spans = zip(self.tags, self.first, self.end, strict=True)
        found = [
            at
            for at, (tag, *span) in enumerate(spans)
            if blocks and tag != _TEXT and span == [blocks[0], blocks[-1] + 1]
        ]
        return found[-1] if found else 0

    def texts_below(self, node: int) -> range:
        """Return the blocks in an element; of a text, the block that it is."""
        return range(self.first[node], self.end[node])


@part("cleaning method", "site-diff", alone=density, parameters=Parameters())
def site_diff(pages: Sequence[Features], parameters: Parameters | None = None) -> list[Scores]:
    """Score the pages of one site together."""
    parameters = parameters or Parameters()
    distinct = np.flatnonzero(first_copies(pages)).tolist()
    if len(distinct) < 2:
        return [_with_options(page, density(page, ""), parameters) for page in pages]
    references = [_read(pages[at], parameters) for at in _references(pages, distinct, parameters.reference)]
    scores = [_scores(page, references[page.texts == references[0].tree.texts], parameters) for page in pages]
    return [_with_options(page, found, parameters) for page, found in zip(pages, scores, strict=True)]


def _references(pages: Sequence[Features], distinct: Sequence[int], named: Sequence[str]) -> tuple[int, int]:
    """Choose the reference page, and the one that it is compared with itself.

    It is the first that the user has named, or the one in the middle by size. Of five distinct pages, in the order of
    their sizes 3, 1, 0, 4, 2, page 0 is in the middle, and is compared with page 1. If page 4 is named, it is compared
    with page 0, and if page 3 is, which is the smallest, with page 1.
    """
    by_size = sorted(distinct, key=lambda at: pages[at].page.length)
    place = len(by_size) // 2
    for address in map(without_form, named):
        found = [at for at, number in enumerate(by_size) if without_form(pages[number].url) == address]
        if found and address:
            place = found[0]
            break
    return by_size[place], by_size[place - 1 if place else 1]


class _Page(NamedTuple):
    """A page, and the node from which on it is compared."""

    tree: _Tree
    top: int


def _read(page: Features, parameters: Parameters) -> _Page:
    """Make the tree of a page, and find where its comparison begins."""
    tree = _Tree(page)
    return _Page(tree, tree.around(density(page, "").values <= 0.5) if parameters.fromtarget else 0)


def _scores(features: Features, reference: _Page, parameters: Parameters) -> Scores:
    """Score a page by comparison with the reference page."""
    page = _read(features, parameters)
    if parameters.prune and _likeness(page, reference, parameters.levels) < parameters.min_likeness:
        return density(features, "")
    shares = _common_shares(page, reference)
    return Scores(shares, [_LABELS[halves] for halves in np.ceil(shares * 2).astype(int).tolist()])


def _with_options(page: Features, scores: Scores, parameters: Parameters) -> Scores:
    """Apply the options that do not depend on other pages: leave out what is sparse, and keep the headline."""
    if parameters.sparse and len(page):
        alone = density(page, "", DensityParameters(sparse=True))
        if alone.labels[0] == SPARSE:
            return alone
    headings = np.flatnonzero(page.columns.kind.codes == KINDS.index("h"))
    if parameters.addtitle and headings.size:
        values, labels = scores.values.copy(), list(scores.labels)
        values[headings[0]], labels[headings[0]] = 0.0, "title"
        return Scores(values, labels)
    return scores


def _common_shares(page: _Page, reference: _Page) -> Floats:
    """Return for each block the share of its words that the reference page has too: `diffCleanNode`, not recursive."""
    tree, other = page.tree, reference.tree
    shares = np.ones(len(tree.texts))
    shares[tree.first[page.top] : tree.end[page.top]] = 0.0
    pairs = [(page.top, reference.top)]
    while pairs:
        nodes, counterparts = map(_Tree.children, (tree, other), pairs.pop())
        if tree.kinds(nodes) != other.kinds(counterparts):
            shares[_in_both(tree, nodes, other, counterparts)] = 1.0
            continue
        for node, counterpart in zip(nodes, counterparts, strict=True):
            if tree.tags[node] == _TEXT:
                block = tree.first[node]
                shares[block] = _common_share(tree.texts[block], other.texts[other.first[counterpart]])
            else:
                pairs.append((node, counterpart))
    return shares


def _common_share(text: str, other: str) -> float:
    """Return the share of a text's words that it shares with another at beginning and end (`findCommonParts`)."""
    if text == other:
        return 1.0
    words, others = text.split(), other.split()
    shorter = min(len(words), len(others))
    same = list(map(eq, words, others))
    beginning = (*same, False).index(False)
    same = list(map(eq, reversed(words), reversed(others)))
    return min(shorter, beginning + (*same, False).index(False)) / len(words)


def _in_both(tree: _Tree, nodes: Sequence[int], other: _Tree, candidates: Sequence[int]) -> list[int]:
    """Find the blocks below some nodes that are also below their counterparts (Algorithm 2, `diffCleanLowestLevel`).

    The counterpart of a node is the first candidate with the same tag and a common text, behind the counterpart of the
    node before it.
    """
    index: dict[tuple[str, str], list[int]] = defaultdict(list)
    for order, node in enumerate(candidates):
        for block in other.texts_below(node):
            index[other.tags[node], other.texts[block]].append(order)
    common: list[int] = []
    start = 0
    for node in nodes:
        places = [index.get((tree.tags[node], tree.texts[block]), ()) for block in tree.texts_below(node)]
        counterpart = min(
            (orders[at] for orders in places if (at := bisect_left(orders, start)) < len(orders)), default=None
        )
        if counterpart is not None:
            common += [
                block
                for block, orders in zip(tree.texts_below(node), places, strict=True)
                if orders[(at := bisect_left(orders, counterpart)) : at + 1] == [counterpart]
            ]
            start = counterpart + 1
    return common


def _likeness(page: _Page, reference: _Page, levels: int) -> float:
    """Return the share of upper nodes that have a counterpart, by numbers of children (`isSimilarByChildCount`)."""
    pairs = [(page.top, reference.top)]
    matched = nodes = 0
    for _ in range(levels):
        families = [(page.tree.children(own), reference.tree.children(other)) for own, other in pairs]
        matched += sum(min(len(own), len(others)) for own, others in families)
        nodes += sum(max(len(own), len(others)) for own, others in families)
        pairs = [pair for own, others in families for pair in zip(own, others, strict=False)]
    return matched / nodes if nodes else 1.0
