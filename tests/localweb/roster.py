"""The roster of the local web: how many sites of each kind there are, of how many pages, under which names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from localweb.articles import ArticleSite
from localweb.directives import CanonicalSite, DirectiveSite, HreflangSite
from localweb.misbehaviour import WAYS
from localweb.oddities import FaultySite, MaliciousSite, RedirectSite, SizeSite, TypeSite
from localweb.robots import KINDS, ElsewhereRobotsSite, RobotsSite
from localweb.site import Plan, Site
from localweb.sitemaps import SitemapSite
from localweb.thin import FarmSite, HeavySite, ThinSite
from localweb.traps import (
    CalendarSite,
    DeepSite,
    EndlessSite,
    FacetSite,
    GrowingSite,
    MirrorSite,
    SessionSite,
    SoftMissingSite,
    SubdomainSite,
)

_CZECH = ("cz", "cz", "cz", "cz", "cz", "cz", "cz", "com", "eu", "org")
_PAPERS = tuple("noviny kniha denik blog clanky historie priroda veda literatura zpravodaj hory zahrada".split())

CLASSES: dict[str, Callable[[Plan], Site]] = {
    "text": ArticleSite,
    "encoding": ArticleSite,
    "mixed": ArticleSite,
    "language": ArticleSite,
    "shop": ThinSite,
    "listing": ThinSite,
    "gallery": ThinSite,
    "heavy": HeavySite,
    "farm": FarmSite,
    "calendar": CalendarSite,
    "facets": FacetSite,
    "session": SessionSite,
    "growing": GrowingSite,
    "deep": DeepSite,
    "endless": EndlessSite,
    "soft-404": SoftMissingSite,
    "subdomains": SubdomainSite,
    "mirror": MirrorSite,
    "robots": RobotsSite,
    "robots-elsewhere": ElsewhereRobotsSite,
    "directive": DirectiveSite,
    "canonical": CanonicalSite,
    "hreflang": HreflangSite,
    "sitemap": SitemapSite,
    "redirect": RedirectSite,
    "faulty": FaultySite,
    "tls": ArticleSite,
    "size": SizeSite,
    "types": TypeSite,
    "malicious": MaliciousSite,
}
"""The class of each kind of site."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Some sites of a kind."""

    kind: str
    count: int = 1
    pages: int = 8
    """How many pages they have at scale 1: about, or exactly if not `varied`."""
    variant: str = ""
    lang: str = "cs"
    stems: tuple[str, ...] = _PAPERS
    domains: tuple[str, ...] = _CZECH
    varied: bool = False
    scheme: str = ""
    """`http` or `https`; either if empty."""


def _each(kind: str, variants: str, pages: int = 8, count: int = 1, scheme: str = "") -> list[Entry]:
    return [Entry(kind, count, pages, variant, scheme=scheme) for variant in variants.split()]


ROSTER: tuple[Entry, ...] = (
    Entry("text", 12, 55, varied=True),
    Entry("text", 1, 55, variant="gzip", varied=True),
    Entry("text", 1, 55, variant="chunked", varied=True),
    Entry("text", 1, 55, variant="gzip+chunked", varied=True),
    *_each(
        "encoding",
        "windows-1250 1250-as-utf-8 utf-8-as-1250 1250-undeclared utf-8-undeclared iso-8859-2 header-only",
        14,
    ),
    Entry("mixed", 4, 24, variant="en", varied=True),
    Entry("mixed", 3, 24, variant="sk", varied=True),
    Entry("shop", 44, 55, stems=("obchod", "eshop", "shop", "prodejna"), varied=True),
    Entry("listing", 28, 55, stems=("katalog", "inzerce", "firmy", "nabidky"), varied=True),
    Entry("gallery", 16, 50, stems=("foto", "galerie", "obrazky"), varied=True),
    Entry("heavy", 7, 30, stems=("portal", "aplikace", "moderni"), varied=True),
    Entry("farm", 12, 90, stems=("odkazy", "seo", "linky"), domains=("cz", "com", "info", "eu")),
    Entry("farm", 6, 90, variant="list", stems=("odkazy", "seo", "linky"), domains=("cz", "com", "info", "eu")),
    Entry(
        "language", 12, 50, lang="sk", stems=("slovo", "noviny", "kniznica"), domains=("sk", "sk", "cz"), varied=True
    ),
    Entry("language", 14, 50, lang="en", stems=("news", "book", "journal"), domains=("com", "org", "cz"), varied=True),
    Entry("language", 9, 50, lang="de", stems=("zeitung", "buch", "wissen"), domains=("de", "at", "cz"), varied=True),
    Entry("language", 7, 50, lang="pl", stems=("gazeta", "ksiazka"), domains=("pl",), varied=True),
    Entry("language", 4, 30, lang="fr", stems=("journal", "livre"), domains=("fr",), varied=True),
    Entry("language", 4, 30, lang="ru", stems=("gazeta", "kniga"), domains=("ru", "cz"), varied=True),
    Entry("calendar", 2, 16),
    Entry("facets", 2, 16),
    *_each("session", "path query aspx", 14),
    Entry("growing", 2, 12),
    Entry("deep", 1, 12),
    Entry("endless", 2, 16),
    Entry("endless", 1, 16, variant="trickle"),
    *_each("soft-404", "same near", 14),
    Entry("subdomains", 1, 8),
    Entry("mirror", 4),
    Entry("mirror", 3, variant="near"),
    *(Entry("robots", pages=20, variant=variant) for variant in KINDS),
    Entry("robots-elsewhere", pages=20),
    *_each(
        "directive",
        "meta-noindex meta-nofollow meta-noindex-agent rel-nofollow "
        "header-noindex header-nofollow header-noindex-agent",
        12,
    ),
    Entry("canonical", pages=10),
    Entry("hreflang", pages=10),
    *_each("sitemap", "index gzip text news broken", 8),
    Entry("redirect", 2, 8),
    *(Entry("faulty", pages=5, variant=way) for way in WAYS),
    *_each("faulty", " ".join(FaultySite.statuses), 5),
    *_each("faulty", "!silence !reset !close !garbage !500 !too-many !drip-head", 5),
    *_each("tls", "untrusted expired name", 4, scheme="https"),
    *_each("size", "short long long-chunked", 3),
    Entry("types", pages=3),
    Entry("malicious", 2, 3),
)
"""All sites. Somewhat more than one per cent of all bytes is wanted text. Crawls of national webs with Heritrix,
breadth-first, found 1.2% (deTenTen: 2.4 billion words of 1,455 GB) to 2.9% (enTenTen: 3.1 billion of 645 GB)."""
