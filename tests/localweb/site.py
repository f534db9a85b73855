"""A site of the local web: a host that answers every address by a pure function of seed, host and address."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from random import Random

from localweb import prose
from localweb.answer import Answer, not_found
from localweb.template import Anchors, document, script


@dataclass(slots=True, eq=False)
class Plan:
    """What a site is to be."""

    seed: int
    host: str
    kind: str
    variant: str
    lang: str
    scheme: str
    pages: int
    outward: list[str] = field(default_factory=list)
    """Addresses on other hosts that it links to."""


@dataclass(frozen=True, slots=True)
class Furniture:
    """What is the same on all pages of a site."""

    header: str
    footer: str
    links: tuple[str, ...]
    script_chars: int


class Site:
    """A site without pages; the kinds of sites say what they have."""

    script_chars = (6_000, 22_000)
    menu_items = (14, 40)

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.host = plan.host
        self.lang = plan.lang
        self.origin = f"{plan.scheme}://{plan.host}"

    def answer(self, target: str) -> Answer:
        """The answer to a path with its query."""
        return self.robots() if target == "/robots.txt" else self.page(target)

    def page(self, target: str) -> Answer:
        """The answer to anything but robots.txt."""
        return not_found(target)

    def robots(self) -> Answer:
        """Its robots.txt; most have none."""
        return not_found("robots")

    def forbidden(self, _target: str) -> str:
        """Why an address must not be requested, known without a parser: `robots`, `nofollow`; empty if it may."""
        return ""

    def trap(self, _target: str) -> str:
        """The name of the trap that an address is in; empty if it is in none."""
        return ""

    def plain(self, target: str) -> str:
        """The address of the same page without what changes at each visit."""
        return target

    def unlinked(self) -> list[str]:
        """Addresses that no page links to, but that can be found in a sitemap."""
        return []

    def random(self, *names: object) -> Random:
        """Random numbers that depend on seed, host and names alone."""
        return Random("/".join(map(str, (self.plan.seed, self.host, *names))))

    def inner(self, _random: Random) -> list[tuple[str, str]]:
        """Addresses and labels for the menu, within the site."""
        return [("/", "Domů")]

    @cached_property
    def furniture(self) -> Furniture:
        """Menu and footer."""
        random = self.random("furniture")
        anchors = Anchors(self.origin)
        items = self.inner(random)
        menu = anchors.ul((items * 40)[: max(len(items), random.randint(*self.menu_items))])
        name = prose.label(random, self.lang)
        footer = " | ".join(anchors.a("/", prose.label(random, self.lang)) for _ in range(random.randint(3, 9)))
        return Furniture(
            f'<header><div class="logo">{anchors.a("/", name)}</div>\n<nav>{menu}</nav></header>\n',
            f'<footer><div class="foot">{footer}</div><p>© 2026 {name}</p></footer>\n',
            tuple(anchors.links),
            random.randint(*self.script_chars),
        )

    def dressed(
        self, target: str, title: str, main: str, anchors: Anchors, *, head: str = "", **facts: object
    ) -> Answer:
        """A page with the site's menu, footer and scripts around it; `facts` are fields of the answer."""
        body = self.html(target, title, main, head=head).encode()
        links = (*self.furniture.links, *anchors.links)
        return Answer(body, links=tuple(dict.fromkeys(links)), lang=self.lang, **facts)  # type: ignore[arg-type]

    def html(
        self, target: str, title: str, main: str, *, head: str = "", charset: str = "utf-8", lang: str = ""
    ) -> str:
        """The HTML of a page with the site's menu, footer and scripts."""
        around = self.furniture
        at = sum(map(ord, target))
        style = script(at // 7, around.script_chars // 3).replace("script>", "style>")
        code = script(at, around.script_chars - around.script_chars // 3)
        body = f"{around.header}<main>\n{main}</main>\n{around.footer}{code}"
        return document(lang=lang or self.lang, title=title, head=head + style, body=body, charset=charset)
