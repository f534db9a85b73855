"""Signs of what kind of page it is, read from its markup: which tags it has, and what it declares about itself.

`<meta property="og:type" content="article">` is such a declaration, and so are the types of JSON-LD and the program
that made the page (`<meta name="generator">`). `segmentation` reads them, `page_kind` uses them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from gristmill.cleaning.attributes import attributes
from gristmill.cleaning.markup import Markup, Tags
from gristmill.kernel import survey_tags
from gristmill.kernel.elements import NAMES
from gristmill.kernel.rows import CLOSING, CODE, END, START

Int32 = npt.NDArray[np.int32]

_MAX_TYPES = 60  # in JSON-LD that are looked at
_CONTENT = re.compile(rb"""content\s{0,9}=\s{0,9}(?:"([^"]{0,80})|'([^']{0,80})|([^\s"'>]{1,80}))""", re.IGNORECASE)
_TYPE = re.compile(rb'\s{0,9}:\s{0,9}\[?\s{0,9}"(?:https?://schema\.org/)?([A-Za-z]{1,40})"')

OPEN_GRAPH = ("article", "website", "product", "blog", "video", "profile", "book", "music", "object")
"""Words that are looked for in `og:type`."""
GENERATORS = {
    "forum": "vbulletin phpbb discourse xenforo mybb smf invision nodebb flarum vanilla punbb fluxbb".split(),
    "documentation": "sphinx mkdocs docusaurus mdbook gitbook doxygen docbook vitepress vuepress docfx".split(),
    "wiki": "mediawiki dokuwiki twiki moinmoin confluence tiki".split(),
    "shop": "woocommerce shopify prestashop magento opencart oscommerce bigcommerce".split(),
    "blog": "wordpress blogger ghost typepad movable tumblr hugo jekyll".split(),
    "site": "drupal joomla typo3 wix squarespace webflow contao frontpage".split(),
}
"""Words that are looked for in the name of the program that made the page."""
SCHEMAS = {
    "article": "Article NewsArticle BlogPosting ReportageNewsArticle OpinionNewsArticle AnalysisNewsArticle"
    " ScholarlyArticle LiveBlogPosting Report Review Recipe HowTo",
    "forum": "DiscussionForumPosting QAPage Question Answer SocialMediaPosting",
    "comment": "Comment",
    "product": "Product ProductGroup IndividualProduct ProductModel Book Car",
    "offer": "Offer AggregateOffer",
    "rating": "AggregateRating",
    "listing": "ItemList CollectionPage SearchResultsPage OfferCatalog ProductCollection",
    "blog": "Blog",
    "documentation": "TechArticle APIReference SoftwareSourceCode",
    "faq": "FAQPage",
    "service": "Service LocalBusiness ProfessionalService Course EducationalOccupationalProgram FinancialProduct"
    " AboutPage ContactPage ProfilePage Event SoftwareApplication WebApplication",
    "site": "WebSite SearchAction",
    "page": "WebPage",
    "organisation": "Organization Corporation NewsMediaOrganization EducationalOrganization CollegeOrUniversity",
    "person": "Person",
    "breadcrumbs": "BreadcrumbList",
    "item": "ListItem",
}
"""Types of schema.org, by what they say about the page."""

DECLARED = (
    *(f"og.{name}" for name in OPEN_GRAPH),
    *(f"generator.{name}" for name in GENERATORS),
    *(f"schema.{name}" for name in SCHEMAS),
    "meta.published",
    "meta.price",
    "meta.section",
)
"""The names of all declarations."""
_PLACES = {name: place for place, name in enumerate(DECLARED)}
_SCHEMA_PLACES = {
    name.encode(): _PLACES[f"schema.{group}"] for group, names in SCHEMAS.items() for name in names.split()
}
_OPEN_GRAPH_PLACES = [(name.encode(), _PLACES[f"og.{name}"]) for name in OPEN_GRAPH]
_GENERATOR_PLACES = [
    (name.encode(), _PLACES[f"generator.{group}"]) for group, names in GENERATORS.items() for name in names
]
_META_PLACES = [
    (b"article:published_time", _PLACES["meta.published"]),
    (b"product:price", _PLACES["meta.price"]),
    (b"article:section", _PLACES["meta.section"]),
]


def _no_tags() -> Int32:
    return np.zeros(len(NAMES), np.int32)


@dataclass(slots=True)
class Signs:
    """How often each start tag is in a page, and what the page declares about its kind."""

    tags: Int32 = field(default_factory=_no_tags)
    """The number of start tags of each code."""
    declared: dict[int, int] = field(default_factory=dict)
    """How often each of `DECLARED` is declared, by its place; without those that are not."""
    body: str = ""
    """Class and id of the body."""


def read_signs(markup: Markup) -> Signs:
    """Count the tags of a page, and read what it declares about its kind."""
    data = markup.data
    if isinstance(markup, Tags):
        codes, closing, starts, ends = (markup.tags[row] for row in (CODE, CLOSING, START, END))
    else:
        rows = (markup.codes, markup.closing, markup.starts, markup.ends)
        codes, closing, starts, ends = (row.astype(np.int32, copy=False) for row in rows)
    tags, metas, body = survey_tags(codes, closing, starts, ends)
    found: dict[int, int] = {}
    _read_metas([data[start:end] for start, end in metas], found)
    _read_schemas(markup.scripts_of_type(b"ld+json"), found)
    return Signs(tags, found, _names(data[starts[body] : ends[body]]) if body >= 0 else "")


def _names(tag: bytes) -> str:
    """Return class and id of a tag."""
    given = attributes(tag)
    return b" ".join((given.get(b"class", b""), given.get(b"id", b""))).decode("utf-8", "replace")


def _read_metas(metas: list[bytes], found: dict[int, int]) -> None:
    """Read `og:type`, the generator, and other names that are signs."""
    whole = b"".join(metas)
    for name, place in _META_PLACES:
        if name in whole:
            found[place] = 1
    if b"og:type" in whole:
        _look_for(_content(metas, b"og:type"), _OPEN_GRAPH_PLACES, found)
    if b"enerator" in whole:
        _look_for(_content(metas, b"enerator"), _GENERATOR_PLACES, found)


def _content(metas: list[bytes], name: bytes) -> bytes:
    """Return the content of the first `meta` tag in which a name stands, in lower case."""
    for tag in metas:
        if name in tag:
            match = _CONTENT.search(tag)
            return next(filter(None, match.groups()), b"").lower() if match else b""
    return b""


def _look_for(text: bytes, places: list[tuple[bytes, int]], found: dict[int, int]) -> None:
    for word, place in places:
        if word in text:
            found[place] = 1


def _read_schemas(scripts: list[bytes], found: dict[int, int]) -> None:
    """Count the types in JSON-LD; what is not JSON is read as far as it looks like it."""
    for script in scripts:
        for part in script.split(b'"@type"', _MAX_TYPES)[1:]:
            match = _TYPE.match(part)
            if match:
                place = _SCHEMA_PLACES.get(match[1])
                if place is not None:
                    found[place] = found.get(place, 0) + 1
