"""The kind of a page: whether it is an article, a discussion, a list of things, a product, documentation, a home page.

    https://example.org/forum/viewtopic.php?t=1      forum, 0.98

Boosted trees tell it by numbers about the whole page (`kernel.page_numbers`), its tags and what it declares (`signs`),
words in the names of its classes and ids, and its address, if that is known. No word of its text counts, so that it is
independent of language. `gristmill train page-kind` trains the trees.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill import kernel
from gristmill.arrays.dtypes import Ints, Matrix
from gristmill.cleaning import models
from gristmill.cleaning.features import Features
from gristmill.cleaning.segmented import Segmented
from gristmill.cleaning.signs import DECLARED
from gristmill.kernel.elements import CODES
from gristmill.kernel.kind_columns import BLOCK_ROWS, ELEMENT_ROWS, NUMBERS

PAGE_KINDS = ("article", "forum", "listing", "product", "documentation", "home", "other")
"""The kinds of pages, in the order of their probabilities.

`forum` is any discussion; `listing` a category, a list of teasers, results of a search; `home` the first page of a
site; `other` all the rest, such as pages on services, forms, dictionaries and games.
"""

_MAX_KNOWN_NAMES = 1 << 16  # that are remembered, so that memory is bounded
_MAX_NAME_CHARACTERS = 500
_MAX_ADDRESS_CHARACTERS = 300
_TAGS = (
    "a img button input select option textarea label form time pre code table tr td th article section main nav aside"
    " header footer h1 h2 h3 h4 h5 li ul ol p br hr blockquote dl dt dd figure figcaption iframe video svg script"
    " style link meta span div b strong em i font center small object address details"
).split()
_NAME_WORDS = (
    "forum forums thread threads topic topics post posts postbit postbody reply replies message messages msg quote"
    " signature sig avatar poster author user username member members profile joined board discussion discuss comment"
    " comments question answer vote votes score likes reactions subject phpbb vbulletin xf ips bbs cooked crayons"
    " product products price prices cart basket buy add shop store sku variant variants quantity gallery shipping"
    " reviews review rating stars stock swatch swatches wishlist checkout offer offers sale"
    " list listing listings results result search filter filters facet facets sort pagination pager page grid card"
    " cards tile tiles item items category categories collection collections archive archives tag tags teaser teasers"
    " feed loop entry summary excerpt headline headlines latest trending more plp pdp browse"
    " docs doc documentation api reference toc sidebar sphinx markdown highlight code codehilite wiki mw version"
    " tutorial theorem chapter book manual guide breadcrumb breadcrumbs prev next"
    " article single story news blog byline published date hentry body text content related share social caption"
    " newsletter lede paragraph permalink"
    " home homepage front frontpage hero banner slider carousel features feature testimonial testimonials pricing"
    " plan plans cta services service about contact faq accordion team clients logos partners form steps benefits"
    " location locations quiz game weather table tabs landing template"
).split()
_WORD_PLACES = {word: place for place, word in enumerate(_NAME_WORDS)}
_BODY_WORDS = {
    "article": "single article post story news blog entry",
    "forum": "forum topic thread discussion phpbb bbpress question viewtopic showthread",
    "listing": "archive category tag search listing list collection results taxonomy catalog plp",
    "product": "product woocommerce pdp item shop store",
    "documentation": "docs doc documentation wiki mediawiki sphinx rst reference api manual",
    "home": "home front frontpage homepage index",
    "page": "page template default landing service services",
}
_BODY_PLACES = {word: place for place, words in enumerate(_BODY_WORDS.values()) for word in words.split()}
_PATH_WORDS = {
    "forum": "forum forums thread threads topic viewtopic showthread viewforum questions question answers answer board"
    " boards community discussion discussions discuss bbs comments t messages message post r talk phorum showflat",
    "product": "product products item items itm dp p sku pd prod shop store buy detail details listing homedetails",
    "listing": "category categories collections collection tag tags search archive archives list lists c cat browse"
    " topics results s b w page trending rankings chart best sellers catalog all sale deals",
    "documentation": "docs doc documentation manual reference ref api guide guides help support wiki man learn tutorial"
    " tutorials userguide developer developers book learning faq",
    "article": "news article articles story stories blog blogs posts entry opinion sport politics world recipe recipes"
    " review reviews magazine features",
    "service": "services service about contact pricing solutions programs program company products careers plans"
    " department academics admissions graduate courses course degree enterprise features",
}
_HOST_WORDS = {
    "forum": "forum forums community boards board discuss talk bbs discourse stackexchange stackoverflow reddit",
    "documentation": "docs doc documentation developer developers readthedocs gitbook help support wiki learn",
    "product": "shop store amazon ebay etsy",
    "article": "news blog blogs blogspot wordpress medium times post magazine",
}
_PATH_GROUPS = {word: place for place, words in enumerate(_PATH_WORDS.values()) for word in words.split()}
_HOST_GROUPS = {word: place for place, words in enumerate(_HOST_WORDS.values()) for word in words.split()}
_ADDRESS_NUMBERS = "known root depth hyphens longest_number year query file search".split()

FEATURES = (
    *(f"page.{name}" for name in NUMBERS),
    "page.length",
    "page.title_words",
    *(f"tag.{name}" for name in _TAGS),
    *(f"name.{word}" for word in _NAME_WORDS),
    *(f"body.{name}" for name in _BODY_WORDS),
    *(f"declared.{name}" for name in DECLARED),
    *(f"path.{name}" for name in _PATH_WORDS),
    *(f"host.{name}" for name in _HOST_WORDS),
    *(f"address.{name}" for name in _ADDRESS_NUMBERS),
)
"""The names of the features, in their order."""

_LENGTH = len(NUMBERS)
_TAG_PLACE = _LENGTH + 2
_NAME_PLACE = _TAG_PLACE + len(_TAGS)
_BODY_PLACE = _NAME_PLACE + len(_NAME_WORDS)
_DECLARED_PLACE = _BODY_PLACE + len(_BODY_WORDS)
_PATH_PLACE = _DECLARED_PLACE + len(DECLARED)
_HOST_PLACE = _PATH_PLACE + len(_PATH_WORDS)
_ADDRESS_PLACE = _HOST_PLACE + len(_HOST_WORDS)
_TAG_CODES = np.array([CODES[name] + 1 if name in CODES else 0 for name in _TAGS])
_HTML, _BODY = CODES["html"], CODES["body"]
_FIRST_ELEMENTS = 4  # among which html and body are

_ADDRESS = re.compile(r"(?:https?:)?//([^/?#]+)([^?#]*)(?:\?([^#]*))?")
_ROOT = re.compile(r"/?(?:[a-z]{2}(?:[-_][a-z]{2})?/?)?(?:(?:index|default|home|main)\.[a-z]{3,5})?")
_PIECE = re.compile(r"[a-z]+|[0-9]+")
_SEARCH = re.compile(r"(?:^|&)(?:q|query|search|s|k|keyword|keywords|search_[a-z]+|searchterm)=")


class _KnownNames(dict[str, tuple[int, ...]]):
    """The places of the words of class and id names; those of each text are remembered."""

    def __missing__(self, names: str) -> tuple[int, ...]:
        words = map(_WORD_PLACES.get, kernel.words_of_name(names[:_MAX_NAME_CHARACTERS]))
        places = tuple(place for place in words if place is not None)
        if len(self) >= _MAX_KNOWN_NAMES:
            self.clear()
        self[names] = places
        return places


_known_names = _KnownNames()


@dataclass(frozen=True, slots=True)
class KindTrees:
    """Oblivious trees whose leaves have a number for each kind; see `methods.trees` for such trees with one number."""

    columns: Ints
    """The features that the questions of each tree are about, a row a tree."""
    borders: Matrix
    """What these features are compared with."""
    leaves: Matrix
    """What each leaf adds to the log-odds of each kind, a row a leaf, those of the first tree first."""
    start: Matrix
    """What is added for every page."""

    def probabilities(self, values: Matrix) -> Matrix:
        """Return the probability of each kind for a page with these features."""
        answers = values.take(self.columns) > self.borders
        places = np.packbits(answers, axis=1, bitorder="little")[:, 0]
        trees, depth = self.columns.shape
        odds = self.leaves.take(places + np.arange(0, trees << depth, 1 << depth), axis=0).sum(axis=0) + self.start
        chances = np.exp(odds - odds.max())
        shares: Matrix = chances / chances.sum()
        return shares

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the trees as arrays to store, with the names of the features and of the kinds."""
        return {
            "features": models.of_names(FEATURES),
            "kinds": models.of_names(PAGE_KINDS),
            "columns": self.columns.astype(np.uint16),
            "borders": self.borders,
            "leaves": self.leaves.astype(np.float16),
            "start": self.start,
        }

    @classmethod
    def of(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> KindTrees:
        """Make trees of arrays that were stored; if they are about other features than those that are made, raise."""
        models.check_features("page-kind", arrays, FEATURES)
        return cls(
            arrays["columns"].astype(np.int64),
            arrays["borders"],
            arrays["leaves"].astype(np.float32),
            arrays["start"],
        )


@functools.cache
def shipped() -> KindTrees:
    """Load the trees that come with the package."""
    return KindTrees.of(models.load("page-kind"))


def kind_probabilities(page: Features | Segmented, url: str = "") -> Matrix:
    """Return the probability of each of `PAGE_KINDS`, in their order, for a page and its address, if that is known."""
    segmented = page.page if isinstance(page, Features) else page
    return shipped().probabilities(describe(segmented, url))


def kind_of(page: Segmented, url: str = "") -> tuple[str, float]:
    """Return the most probable kind of a page, and its probability."""
    chances = kind_probabilities(page, url)
    best = int(chances.argmax())
    return PAGE_KINDS[best], round(float(chances[best]), 3)


def describe(page: Segmented, url: str = "", *, with_address: bool = True) -> Matrix:
    """Return the features of a page, in the order of `FEATURES`.

    Without an address on the web, that by which the page wants to be known is taken.
    """
    values = np.zeros(len(FEATURES), np.float32)
    columns, elements = page.columns, page.elements
    size = len(columns)
    if size:
        blocks = np.empty((BLOCK_ROWS, size), np.int32)
        blocks[0], blocks[1], blocks[2] = columns.words, columns.link_words, columns.kind.codes
        blocks[3], blocks[4] = columns.path.codes, columns.row
        held = np.empty((ELEMENT_ROWS, len(elements.codes)), np.int32)
        held[0], held[1], held[2], held[3] = elements.codes, elements.parents, elements.first, elements.end
        folded = columns.folded
        values[:_LENGTH] = kernel.measure_page(folded.data, folded.offsets, blocks, held)
        _read_names(page, values)
    values[_LENGTH] = page.length
    values[_LENGTH + 1] = page.metadata.title.count(" ") + 1
    values[_TAG_PLACE:_NAME_PLACE] = page.signs.tags.take(_TAG_CODES)
    for place, number in page.signs.declared.items():
        values[_DECLARED_PLACE + place] = number
    if with_address:
        match = _address(url) or _address(page.metadata.canonical)
        if match:
            _read_address(match[1], match[2], match[3] or "", values)
    return values


def is_root(address: str) -> bool:
    """Tell whether an address is that of the first page of a site, or of a language of it."""
    match = _address(address)
    return match is not None and not match[3] and _ROOT.fullmatch(match[2]) is not None


def _address(address: str) -> re.Match[str] | None:
    """Split an address on the web into host, path and query; None if it is none."""
    return _ADDRESS.match(address[:_MAX_ADDRESS_CHARACTERS].lower())


def _read_names(page: Segmented, values: Matrix) -> None:
    """Count in how many elements each word stands in class and id, and note those of the body."""
    names = page.elements.names
    counts = np.bincount(names.codes, minlength=len(names.values)).tolist()
    found: dict[int, int] = {}
    for places, count in zip(map(_known_names.__getitem__, names.values), counts, strict=True):
        for place in places:
            found[place] = found.get(place, 0) + count
    if found:
        values[np.array(list(found)) + _NAME_PLACE] = list(found.values())
    for element, code in enumerate(page.elements.codes[:_FIRST_ELEMENTS].tolist()):
        if code in {_HTML, _BODY}:
            for word in kernel.words_of_name(names[element][:_MAX_NAME_CHARACTERS]):
                if word in _BODY_PLACES:
                    values[_BODY_PLACE + _BODY_PLACES[word]] += 1


def _read_address(host: str, path: str, query: str, values: Matrix) -> None:
    """Note what the words of an address say, and its form."""
    for word in _PIECE.findall(host):
        if word in _HOST_GROUPS:
            values[_HOST_PLACE + _HOST_GROUPS[word]] += 1
    longest = year = 0
    for word in _PIECE.findall(path):
        if word in _PATH_GROUPS:
            values[_PATH_PLACE + _PATH_GROUPS[word]] += 1
        elif word.isdigit():
            longest = max(longest, len(word))
            year |= len(word) == 4 and word[:2] in {"19", "20"}
    last = path.rstrip("/").rpartition("/")[2]
    values[_ADDRESS_PLACE:] = (
        1,
        not query and _ROOT.fullmatch(path) is not None,
        path.count("/") - path.endswith("/"),
        last.count("-") + last.count("_"),
        longest,
        year,
        bool(query),
        "." in last,
        _SEARCH.search(query) is not None,
    )
