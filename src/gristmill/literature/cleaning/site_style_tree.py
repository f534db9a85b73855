"""The method `site-style-tree`: remove what a site shows everywhere in the same way. Independent of language.

Yi, Liu and Li, Eliminating noisy information in web pages for data mining (2003). Pomikálek (2011), section 2.3, tells
of the tree; the formulas of importance are those of the paper (sections 3 and 4), which he does not repeat.

The trees of all pages are merged into one *style tree*. An element of it has *styles*: the different sequences of tags
that its children have on the pages, each with the number of pages that have it. Elements are merged if they are at the
same place of the same style. So an element of a page is at one place of the tree, and no place has two of a page.

What is *important* differs from page to page, in how it is built or in what it says. For an element on m pages:

    m = 1            importance 1
    has elements     (1 - g^l) H + g^l sum of p_i C_i       H = - sum of p_i log_m p_i
    has text only    1 - mean of H_a over its words a       H_a = - sum over pages j of p_aj log_m p_aj

with l styles, of which style i is on a share p_i of the pages and has the mean importance C_i of its children; with the
share p_aj of page j among all occurrences of the word a in the element; and g = 0.9, their attenuating factor. A menu
has one style, and each of its words is on each page once: its importance is 0. An element is *noisy* if its importance
and that of all elements in it is below a threshold, and noisy elements are removed from the pages.

Where the text leaves it open: tags are compared without attributes ("equivalent sequences of HTML tags"); with
`classes` also by class and id. Text beside elements is a node of its own. Words are the features of texts; the paper
has addresses of links and pictures, too, but blocks don't. The threshold is our own value: the authors choose one for
each site. The score of a noisy block is from over 0.5 to 1 by the importance of the largest noisy element around it,
that of another one falls to 0 as its own importance grows to 1. A page that was fetched twice is counted once.

**A site of one page** has nothing to compare with: its page is cleaned by `density`, for the reason that `site-text`
gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gristmill.arrays.dtypes import Floats, Ints
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import Scores
from gristmill.literature.cleaning.density import density
from gristmill.literature.cleaning.outline import Outline
from gristmill.literature.cleaning.repeats import first_copies
from gristmill.literature.cleaning.site_text import hashed_words
from gristmill.registry import a_share, part

_LABELS = ("important", "noise")
_TEXT = ""  # stands for the tag of a text
_ROOT = -1  # stands for the parent of the root


@dataclass(frozen=True)
class Parameters:
    """What is noise, and which elements are the same."""

    threshold: float = a_share(0.5)
    """Elements of less importance are noise; our own value, as the authors choose one for each site."""
    attenuation: float = a_share(0.9)
    """Their attenuating factor: with few styles, what the children are like matters more."""
    classes: bool = False
    """Whether elements of another class or id are other ones."""


@part("cleaning method", "site-style-tree", alone=density, parameters=Parameters())
def site_style_tree(pages: Sequence[Features], parameters: Parameters | None = None) -> list[Scores]:
    """Score the pages of one site together."""
    parameters = parameters or Parameters()
    counted = first_copies(pages)
    if counted.sum() < 2:
        return [density(page, "") for page in pages]
    tree = StyleTree()
    leaves = [tree.add(page, parameters, is_counted=bool(own)) for page, own in zip(pages, counted, strict=True)]
    contents = _contents(pages, leaves, counted.tolist(), np.array(tree.pages))
    importance = tree.importance(contents, parameters.attenuation)
    blocks = _block_scores(tree, importance, parameters.threshold)
    labels = [_LABELS[noisy] for noisy in (blocks > 0.5).tolist()]
    return [Scores(blocks[own], [labels[leaf] for leaf in own.tolist()]) for own in leaves]


@dataclass
class StyleTree:
    """The merged trees of pages: nodes and styles as columns; a parent comes before its children."""

    parents: list[int] = field(default_factory=lambda: [_ROOT])
    pages: list[int] = field(default_factory=lambda: [0])
    """On how many pages each node is."""
    styles: list[list[int]] = field(default_factory=lambda: [[]])
    """The styles of each node; none if it has text only."""
    children: list[range] = field(default_factory=list)
    """The nodes of each style."""
    style_pages: list[int] = field(default_factory=list)
    """On how many pages each style is."""
    _known: dict[tuple[int, tuple[str, ...]], int] = field(default_factory=dict)

    def add(self, page: Features, parameters: Parameters, *, is_counted: bool) -> Ints:
        """Merge a page into the tree, and return for each of its blocks the node that it is in."""
        outline = Outline.of(page)
        tags = _tags(page, outline, classes=parameters.classes)
        parents = outline.parents.tolist()
        below: list[list[int]] = [[] for _ in parents]
        for node in range(1, len(parents)):
            below[parents[node]].append(node)
        places = [0] * len(parents)
        for node, children in enumerate(below):
            place = places[node]
            if tags[node] or places[parents[node]] != place:  # not a text that its element stands for
                self.pages[place] += is_counted
            if not any(tags[child] for child in children):
                for child in children:  # an element with text only is where its words are counted
                    places[child] = place
                continue
            style = self._style(place, tuple(tags[child] for child in children))
            self.style_pages[style] += is_counted
            for child, at in zip(children, self.children[style], strict=True):
                places[child] = at
        return np.array([places[text] for text in outline.texts.tolist()], np.int64)

    def _style(self, node: int, tags: tuple[str, ...]) -> int:
        """Find the style of a node with this sequence of tags, or make it."""
        style = self._known.setdefault((node, tags), len(self.children))
        if style == len(self.children):
            first = len(self.parents)
            self.styles[node].append(style)
            self.children.append(range(first, first + len(tags)))
            self.style_pages.append(0)
            self.parents += [node] * len(tags)
            self.pages += [0] * len(tags)
            self.styles += [[] for _ in tags]
        return style

    def importance(self, contents: Floats, attenuation: float) -> Floats:
        """Return the importance of all nodes, given what the contents of those with text only say."""
        found = contents.tolist()
        for node in range(len(found) - 1, -1, -1):
            styles, pages = self.styles[node], self.pages[node]
            if not styles:
                continue
            shares = [self.style_pages[style] / max(pages, 1) for style in styles]
            own = 1.0 if pages <= 1 else _entropy(shares, pages)
            inner = 0.0
            for share, style in zip(shares, styles, strict=True):
                children = self.children[style]
                inner += share * sum(found[children.start : children.stop]) / len(children)
            weight = attenuation ** len(styles)
            found[node] = (1 - weight) * own + weight * inner if pages > 1 else 1.0
        return np.array(found)


def _entropy(shares: Sequence[float], base: int) -> float:
    values = np.array([share for share in shares if share > 0])
    return float(-(values * np.log(values)).sum() / np.log(base))


def _tags(page: Features, outline: Outline, *, classes: bool) -> list[str]:
    """Name the nodes of a page by their tags; elements without a known name are `?`, texts are empty."""
    tags = [_TEXT] * outline.parents.size
    filled = page.page.elements.end > page.page.elements.first
    filled[0] = True
    names = page.page.elements.names
    labels = [names.values[code] for code in names.codes[filled].tolist()] if classes else [""] * len(outline.tags)
    for node, tag, label in zip(outline.elements.tolist(), outline.tags, labels, strict=True):
        tags[node] = f"{tag or '?'} {label}" if label else tag or "?"
    return tags


def _contents(pages: Sequence[Features], leaves: Sequence[Ints], counted: Sequence[bool], on_pages: Ints) -> Floats:
    """Return for each node how important its own words are: 1 less the mean entropy of the different words.

    All words are rows of a node, a hash and a page. Sorted, equal rows are counted: these are the occurrences of a word
    in a node on a page. The sums of these counts over runs of equal (node, word) are the totals; a count by its total
    is p, and the sum of - p log p over a run is the entropy of the word.

    With the word `home` once on each of two pages, p is 1/2 and 1/2, and the entropy to the base of 2 is 1; a word that
    is on one page only has the entropy 0. If those two are all words of a node, it has the importance 1 - 1/2.
    """
    nodes, hashes, numbers = [np.zeros(0, np.int64)], [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
    for number, (page, leaf, is_counted) in enumerate(zip(pages, leaves, counted, strict=True)):
        if is_counted:
            words, blocks = hashed_words(page.texts)
            nodes.append(leaf[blocks])
            hashes.append(words)
            numbers.append(np.full(words.size, number, np.int64))
    node, word, page_number = np.concatenate(nodes), np.concatenate(hashes), np.concatenate(numbers)
    order = np.lexsort((page_number, word, node))
    node, word, page_number = node[order], word[order], page_number[order]
    new_word = np.ones(node.size, np.bool_)
    new_word[1:] = (node[1:] != node[:-1]) | (word[1:] != word[:-1])
    new_row = new_word.copy()
    new_row[1:] |= page_number[1:] != page_number[:-1]
    rows = np.flatnonzero(new_row)
    importance = np.ones(on_pages.size)
    if not rows.size:
        return importance
    counts = np.diff(np.append(rows, node.size)).astype(np.float64)
    of_word = np.cumsum(new_word[rows]) - 1
    shares = counts / np.bincount(of_word, counts)[of_word]
    entropies = np.bincount(of_word, -shares * np.log(shares))
    owners = node[new_word]
    words_of = np.bincount(owners, minlength=on_pages.size)
    sums = np.bincount(owners, entropies, on_pages.size)
    several = (on_pages > 1) & (words_of > 0)
    importance[several] -= sums[several] / words_of[several] / np.log(on_pages[several])
    return np.clip(importance, 0.0, 1.0)


def _block_scores(tree: StyleTree, importance: Floats, threshold: float) -> Floats:
    """Return the score of blocks at each node.

    Children come behind their parents. So the greatest importance in each element is found on the way back, and the
    largest noisy element around each node on the way forth: its parent's if the parent is noisy, else itself.
    """
    greatest = importance.tolist()
    for node in range(len(greatest) - 1, 0, -1):
        parent = tree.parents[node]
        greatest[parent] = max(greatest[parent], greatest[node])
    around = list(range(len(greatest)))
    for node in range(1, len(greatest)):
        parent = tree.parents[node]
        if greatest[parent] < threshold:
            around[node] = around[parent]
    noisy = np.array(greatest) < threshold
    least = max(threshold, 1e-9)
    as_noise = 1 - importance[around] / least / 2
    as_text = (1 - importance) / max(1 - threshold, 1e-9) / 2
    scores: Floats = np.where(noisy, as_noise, np.minimum(as_text, 0.5))
    return scores
