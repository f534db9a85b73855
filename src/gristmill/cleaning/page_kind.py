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
from gristmill.arrays.dtypes import Matrix
from gristmill.arrays.ragged import starts_of
from gristmill.cleaning import models
from gristmill.cleaning.features import Features
from gristmill.cleaning.segmented import Segmented
from gristmill.cleaning.signs import DECLARED
from gristmill.columns import Int32
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
    " header footer h1 h2 h3 h4 h5 li ul ol p blockquote dl dt dd figure figcaption iframe video address details"
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
_BODY_WORDS = {
    "article": "single article post story news blog entry",
    "forum": "forum topic thread discussion phpbb bbpress question viewtopic showthread",
    "listing": "archive category tag search listing list collection results taxonomy catalog plp",
    "product": "product woocommerce pdp item shop store",
    "documentation": "docs doc documentation wiki mediawiki sphinx rst reference api manual",
    "home": "home front frontpage homepage index",
    "page": "page template default landing service services",
}
_PATH_WORDS = {
    "forum": "forum forums thread threads topic viewtopic showthread viewforum questions question answers answer board"
    " boards community discussion discussions discuss bbs comments t messages message r talk phorum showflat",
    "product": "product products item items itm dp p sku pd prod shop store buy detail details listing homedetails",
    "listing": "category categories collections collection tag tags search archive archives list lists c cat browse"
    " topics results s b w page trending rankings chart best sellers catalog all sale deals",
    "documentation": "docs doc documentation manual reference ref api guide guides help support wiki man learn tutorial"
    " tutorials userguide developer developers book learning faq",
    "article": "news article articles story stories blog blogs post posts entry opinion sport politics world recipe"
    " recipes review reviews magazine features",
    "service": "services service about contact pricing solutions programs program company products careers plans"
    " department academics admissions graduate courses course degree enterprise features",
}
_HOST_WORDS = {
    "forum": "forum forums community boards board discuss talk bbs discourse stackexchange stackoverflow reddit",
    "documentation": "docs doc documentation developer developers readthedocs gitbook help support wiki learn",
    "product": "shop store amazon ebay etsy",
    "article": "news blog blogs blogspot wordpress medium times post magazine",
}
_ADDRESS_NUMBERS = "known root depth hyphens longest_number year query file search".split()
_TOGETHER = {
    "article": "declared.og.article declared.schema.article declared.meta.published body.article path.article",
    "forum": "declared.generator.forum declared.schema.forum body.forum path.forum host.forum name.postbit"
    " name.postbody name.phpbb name.xf name.ips name.vbulletin name.bbs name.cooked name.thread name.forum",
    "listing": "declared.schema.listing body.listing path.listing address.search name.pagination name.pager",
    "product": "declared.schema.product declared.schema.offer declared.og.product declared.meta.price body.product"
    " path.product host.product name.sku name.pdp",
    "documentation": "declared.generator.documentation declared.generator.wiki declared.schema.documentation"
    " body.documentation path.documentation host.documentation name.sphinx name.mw name.codehilite",
    "home": "body.home address.root name.homepage name.frontpage",
}
"""For each kind, features that speak for it: how many of them do is a feature of its own, as each is rare."""

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
    *(f"together.{name}" for name in _TOGETHER),
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
_TOGETHER_PLACE = _ADDRESS_PLACE + len(_ADDRESS_NUMBERS)
_TOGETHER_PLACES = np.array([FEATURES.index(name) for names in _TOGETHER.values() for name in names.split()])
_TOGETHER_STARTS = starts_of(np.array([len(names.split()) for names in _TOGETHER.values()]))[:-1]
_WORD_PLACES = {word: _NAME_PLACE + place for place, word in enumerate(_NAME_WORDS)}
_BODY_PLACES = {word: _BODY_PLACE + place for place, words in enumerate(_BODY_WORDS.values()) for word in words.split()}
_PATH_GROUPS = {word: _PATH_PLACE + place for place, words in enumerate(_PATH_WORDS.values()) for word in words.split()}
_HOST_GROUPS = {word: _HOST_PLACE + place for place, words in enumerate(_HOST_WORDS.values()) for word in words.split()}
IS_ADDRESS_KNOWN = _ADDRESS_PLACE
"""The place of the feature that is 1 if the address is known."""
_TAG_CODES = np.array([CODES[name] for name in _TAGS])

_ADDRESS = re.compile(r"(?:https?:)?//([^/?#]+)([^?#]*)(?:\?([^#]*))?")
_ROOT = re.compile(r"/?(?:[a-z]{2}(?:[-_][a-z]{2})?/?)?(?:(?:index|default|home|main)\.[a-z]{3,5})?")
_PIECE = re.compile(r"[a-z]{2,}|[0-9]+")
_SEARCH = re.compile(r"(?:^|&)(?:q|query|search|s|k|keyword|keywords|search_[a-z]+|searchterm)=")


class _KnownNames(dict[str, tuple[int, ...]]):
    """The places of the features of words in class and id names; those of each text are remembered.

    The pages of a site have the same names, so nearly all have been seen before.
    """

    def __init__(self, places: Mapping[str, int]) -> None:
        super().__init__()
        self._places = places

    def __missing__(self, names: str) -> tuple[int, ...]:
        words = map(self._places.get, kernel.words_of_name(names[:_MAX_NAME_CHARACTERS]))
        places = tuple(place for place in words if place is not None)
        if len(self) >= _MAX_KNOWN_NAMES:
            self.clear()
        self[names] = places
        return places


_names = _KnownNames(_WORD_PLACES)
_body_names = _KnownNames(_BODY_PLACES)


@dataclass(frozen=True, slots=True)
class KindTrees:
    """Oblivious trees whose leaves have a number for each kind; see `methods.trees` for such trees with one number."""

    columns: Int32
    """The features that the questions of each tree are about, a row a tree."""
    borders: Matrix
    """What these features are compared with."""
    leaves: Matrix
    """What each leaf adds to the log-odds of each kind, a row a leaf, those of the first tree first."""
    start: Matrix
    """What is added for every page."""

    def probabilities(self, values: Matrix) -> Matrix:
        """Return the probability of each kind for a page with these features."""
        return kernel.tell_kinds(values, self.columns, self.borders, self.leaves, self.start)

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
            arrays["columns"].astype(np.int32),
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
    items = values.data  # whose items are faster to change one by one than those of the array
    columns, elements = page.columns, page.elements
    size = len(columns)
    if size:
        blocks = np.empty((BLOCK_ROWS, size), np.int32)
        blocks[0], blocks[1], blocks[2] = columns.words, columns.link_words, columns.kind.codes
        blocks[3], blocks[4] = columns.path.codes, columns.row
        held = np.empty((ELEMENT_ROWS, len(elements.codes)), np.int32)
        held[0], held[1], held[2], held[3] = elements.codes, elements.parents, elements.first, elements.end
        folded = columns.folded
        kernel.measure_page(values, folded.data, folded.offsets, blocks, held)
        names = elements.names
        kernel.count_names(values, names.codes, list(map(_names.__getitem__, names.values)))
    items[_LENGTH] = page.length
    items[_LENGTH + 1] = page.metadata.title.count(" ") + 1
    values[_TAG_PLACE:_NAME_PLACE] = page.signs.tags.take(_TAG_CODES)
    for place in _body_names[page.signs.body]:
        items[place] = 1
    for place, number in page.signs.declared.items():
        items[_DECLARED_PLACE + place] = number
    if with_address:
        match = _address(url) or _address(page.metadata.canonical)
        if match:
            _read_address(match[1], match[2], match[3] or "", items)
    np.add.reduceat(values.take(_TOGETHER_PLACES) > 0, _TOGETHER_STARTS, dtype=np.float32, out=values[_TOGETHER_PLACE:])
    return values


def is_root(address: str) -> bool:
    """Tell whether an address is that of the first page of a site, or of a language of it."""
    match = _address(address)
    return match is not None and not match[3] and _ROOT.fullmatch(match[2]) is not None


def _address(address: str) -> re.Match[str] | None:
    """Split an address on the web into host, path and query; None if it is none."""
    return _ADDRESS.match(address[:_MAX_ADDRESS_CHARACTERS].lower())


def _read_address(host: str, path: str, query: str, items: memoryview) -> None:
    """Note what the words of an address say, and its form."""
    for word in _PIECE.findall(host):
        if word in _HOST_GROUPS:
            items[_HOST_GROUPS[word]] += 1
    longest = year = 0
    for segment in path.split("/"):
        for word in (segment,) if len(segment) == 1 else _PIECE.findall(segment):
            if word in _PATH_GROUPS:
                items[_PATH_GROUPS[word]] += 1
            elif word.isdigit():
                longest = max(longest, len(word))
                year |= len(word) == 4 and word[:2] in {"19", "20"}
    last = path.rstrip("/").rpartition("/")[2]
    form = (
        1,
        not query and _ROOT.fullmatch(path) is not None,
        path.count("/") - path.endswith("/"),
        last.count("-") + last.count("_"),
        longest,
        year,
        bool(query),
        "." in last,
        bool(query) and _SEARCH.search(query) is not None,
    )
    for place, number in enumerate(form, _ADDRESS_PLACE):
        items[place] = number
