"""Sites with addresses without end, and sites that are copies of others. Most have some text too."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from datetime import date, timedelta
from random import Random
from urllib.parse import parse_qsl, urlencode

from localweb import prose, template
from localweb.answer import Answer
from localweb.articles import ArticleSite
from localweb.site import Plan, Site
from localweb.template import Anchors

_SESSION = re.compile(r";jsessionid=\w+|[?&](?:PHPSESSID|sid)=\w+|/\(S\(\w+\)\)")


class TrapSite(ArticleSite, ABC):
    """Articles, and a link on every page into the trap."""

    trapdoor = "/"

    def inner(self, random: Random) -> list[tuple[str, str]]:
        return [*super().inner(random), (self.trapdoor, prose.label(random, self.lang))]

    def page(self, target: str) -> Answer:
        name = self.trap(target)
        return self.trapped(target, name) if name else super().page(target)

    def trapped(self, target: str, name: str) -> Answer:
        """A page of the trap."""
        anchors = Anchors(self.origin, target)
        main = f'<div class="main">{self.bait(target, anchors)}</div>\n'
        return self.dressed(target, name, main, anchors, kind=f"trap-{name}")

    @abstractmethod
    def bait(self, target: str, anchors: Anchors) -> str:
        """What is on a page of the trap: links that go on."""


class CalendarSite(TrapSite):
    """A calendar of empty days, with links to the days, months and years before and after."""

    trapdoor = "/kalendar/2026-11-17"

    def trap(self, target: str) -> str:
        return "calendar" if re.fullmatch(r"/kalendar/\d{4}-\d\d-\d\d", target) else ""

    def bait(self, target: str, anchors: Anchors) -> str:
        day = _date(target[-10:])
        steps = (1, -1, 7, -7, 31, -31, 365, -365, *range(2, 30))
        days = [day + timedelta(step) for step in steps if 0 < day.toordinal() + step < date.max.toordinal()]
        return "Žádné události. " + anchors.ul([(f"/kalendar/{at}", f"{at.day}") for at in days], "days")


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return date(2026, 11, 17)


class FacetSite(TrapSite):
    """A catalogue that can be filtered by eight properties in any combination."""

    trapdoor = "/katalog?barva=1"
    facets = ("barva", "velikost", "cena", "znacka", "razeni", "sklad", "strana", "material")

    def trap(self, target: str) -> str:
        return "facets" if target.startswith("/katalog?") else ""

    def bait(self, target: str, anchors: Anchors) -> str:
        chosen = dict(parse_qsl(target.partition("?")[2]))
        items = []
        for facet in self.facets:
            for value in range(1, 6):
                query = urlencode({**chosen, facet: str(value)})
                items.append((f"/katalog?{query}", f"{facet} {value}"))
        return anchors.ul(items, "facets")


class SessionSite(ArticleSite):
    """Articles whose links get a new session id on every page, in the path or in the query."""

    def plain(self, target: str) -> str:
        return _SESSION.sub("", target)

    def trap(self, target: str) -> str:
        return "session" if _SESSION.search(target) else ""

    def page(self, target: str) -> Answer:
        plain = self.plain(target)
        answer = super().page(plain)
        number = self.random("session", target).getrandbits(64)
        answer.body = re.sub(
            rb'href="(/[^"]*)"',
            lambda match: b'href="' + self.marked(match[1].decode(), number).encode() + b'"',
            answer.body,
        )
        answer.links = tuple(
            self.origin + self.marked(link.removeprefix(self.origin), number) if link.startswith(self.origin) else link
            for link in answer.links
        )
        return answer

    def marked(self, path: str, number: int) -> str:
        """An address with a session id in it."""
        if self.plan.variant == "path":
            return f"{path};jsessionid={number:016x}"
        if self.plan.variant == "aspx":
            return f"/(S({number:016x})){path}"
        return f"{path}?PHPSESSID={number:016x}"


class GrowingSite(TrapSite):
    """Relative links that are meant to start at the root; any path is answered, so that paths grow at each step."""

    trapdoor = "/o/nas/"
    names = ("nas", "sluzby", "kontakt")

    def trap(self, target: str) -> str:
        return "growing" if target.startswith("/o/") else ""

    def bait(self, target: str, anchors: Anchors) -> str:
        del target
        return anchors.ul([(f"{name}/", name) for name in self.names] + [("o/nas/", "o")], "relative")


class DeepSite(TrapSite):
    """Every page has links one segment deeper; no two segments are the same."""

    trapdoor = "/hloub/"

    def trap(self, target: str) -> str:
        return "deep" if target.startswith("/hloub/") else ""

    def bait(self, target: str, anchors: Anchors) -> str:
        random = self.random("deeper", target)
        return anchors.ul(
            [(f"{target}{random.getrandbits(24):06x}/", prose.label(random, self.lang)) for _ in range(8)]
        )


class EndlessSite(TrapSite):
    """`/archiv?page=N` without end: the same teasers again, or with `trickle` one new sentence a page."""

    trapdoor = "/archiv?page=1"

    def trap(self, target: str) -> str:
        return "endless" if target.startswith("/archiv?page=") else ""

    def bait(self, target: str, anchors: Anchors) -> str:
        tail = target.rpartition("=")[2]
        number = int(tail) if tail.isdecimal() and len(tail) < 12 else 1
        shown = [(number * 7 + at) % self.articles for at in range(7)]
        teasers = anchors.ul([(self.path(at), self.title(at)) for at in shown], "teasers")
        new = prose.sentences(self.random("new", number), self.lang, 12)[0] if self.plan.variant == "trickle" else ""
        following = anchors.ul([(f"/archiv?page={number + step}", str(number + step)) for step in (1, 2, 3)], "pages")
        return f"{teasers}<p>{new}</p>{following}"


class SoftMissingSite(TrapSite):
    """Every address that is not there answers 200 with much the same text and links to more such addresses."""

    trapdoor = "/akce/uvod"

    def trap(self, target: str) -> str:
        known = target in {"/", "/robots.txt"} or target.startswith(("/rubrika/", "/soubory/"))
        return "" if known or re.match(r"/[^/]*/\d+-", target) else "soft-404"

    def page(self, target: str) -> Answer:
        answer = super().page(target)
        return self.trapped(target, "soft-404") if answer.status == 404 else answer

    @property
    def excuse(self) -> tuple[str, ...]:
        """What it says in place of the page."""
        return prose.paragraphs(self.random("excuse"), self.lang, 180)

    def bait(self, target: str, anchors: Anchors) -> str:
        random = self.random("more", target)
        excuse = self.excuse
        if self.plan.variant == "near":
            excuse = prose.reworded(random, self.lang, excuse, 0.01)
        more = [(f"/akce/{random.getrandbits(32):x}", prose.label(random, self.lang)) for _ in range(12)]
        return template.prose("Stránka nenalezena", excuse) + anchors.ul(more, "more")


class SubdomainSite(TrapSite):
    """Every page links to names below the host that no page had before; all are answered, with hardly any text."""

    def __init__(self, plan: Plan, subdomain: str = "") -> None:
        super().__init__(plan)
        self.subdomain = subdomain
        self.parent = plan.host
        if subdomain:
            self.host = f"{subdomain}.{plan.host}"
            self.origin = f"{plan.scheme}://{self.host}"

    @property
    def trapdoor(self) -> str:  # type: ignore[override]
        return f"{self.plan.scheme}://u1.{self.parent}/"

    def trap(self, target: str) -> str:
        return "subdomains" if self.subdomain and target != "/robots.txt" else ""

    def bait(self, target: str, anchors: Anchors) -> str:
        del target
        number = int(self.subdomain[1:]) if self.subdomain[1:].isdecimal() else 1
        further = [number * 4 + at for at in range(4)]
        return anchors.ul([(f"{self.plan.scheme}://u{at}.{self.parent}/", f"uživatel {at}") for at in further])


class MirrorSite(Site):
    """Another site under another name: the same bytes, or with `near` some words replaced on every page."""

    original: ArticleSite

    def page(self, target: str) -> Answer:
        answer = self.original.page(target)
        if self.plan.variant == "near" and answer.text:
            headline, *text = answer.text
            changed = prose.reworded(self.random("words", target), self.lang, tuple(text), 0.01)
            html = answer.body.decode()
            for old, new in zip(text, changed, strict=True):
                html = html.replace(old, new)
            answer.body, answer.text = html.encode(), (headline, *changed)
        origin = self.original.origin
        answer.links = tuple(
            link.replace(origin, self.origin, 1) if link.startswith(origin) else link for link in answer.links
        )
        return answer
