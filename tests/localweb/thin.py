"""Sites with hardly any text: shops, listings, galleries, farms of links, and pages that are nearly all markup."""

from __future__ import annotations

from html import escape
from random import Random

from localweb import prose, template
from localweb.answer import Answer, not_found
from localweb.site import Plan, Site
from localweb.template import Anchors

_PER_PAGE = {"shop": 36, "listing": 60, "gallery": 48}


class ThinSite(Site):
    """Pages `/`, `/k/1`, `/k/2`... with many short items: goods, entries or pictures."""

    script_chars = (12_000, 45_000)
    menu_items = (40, 120)

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.pages = max(3, plan.pages)
        self.items = _PER_PAGE[plan.kind]

    def page(self, target: str) -> Answer:
        if target == "/":
            return self.listing(0)
        head, _, tail = target[1:].partition("/")
        if head == "k" and tail.isdecimal() and 0 < int(tail) < self.pages:
            return self.listing(int(tail))
        if head == "foto":
            return Answer(b"\xff\xd8\xff\xe0" + b"JFIF" * 2_000, content_type="image/jpeg", kind="picture")
        return not_found()

    def inner(self, random: Random) -> list[tuple[str, str]]:
        step = max(1, self.pages // 40)
        return [(f"/k/{at}", prose.label(random, self.lang)) for at in range(1, self.pages, step)]

    def listing(self, number: int) -> Answer:
        """A page of items."""
        target = f"/k/{number}" if number else "/"
        random = self.random("page", number)
        anchors = Anchors(self.origin, target)
        cells = "".join(self.cell(random, anchors) for _ in range(self.items))
        near = [(f"/k/{(number + step) % self.pages or 1}", str(number + step)) for step in (1, 2, 3, 5)]
        out = [(url, prose.label(random, self.lang)) for url in self.plan.outward[number :: self.pages]]
        main = f'<div class="grid">\n{cells}</div>\n{anchors.ul(near, "pages")}{anchors.ul(out, "partners")}'
        return self.dressed(target, prose.label(random, self.lang), main, anchors, kind=self.plan.kind)

    def cell(self, random: Random, anchors: Anchors) -> str:
        """One of the items."""
        href = f"/k/{random.randrange(1, self.pages)}"
        name = prose.label(random, self.lang)
        if self.plan.kind == "gallery":
            number = random.randrange(100_000)
            picture = f'<img src="/foto/{number}-m.jpg" alt="{escape(name)}">'
            return f'<figure><a href="/foto/{number}.jpg">{picture}</a></figure>\n'
        buy = f'<span class="price">{random.randint(10, 9_999)} Kč</span><button data-id="{random.random()}">+</button>'
        name = f'<div class="name">{anchors.a(href, name)}</div>'
        return f'<div class="item">{name}{buy if self.plan.kind == "shop" else ""}</div>\n'


class HeavySite(Site):
    """Pages with a sentence or two of text and more than a hundred kilobytes of scripts around it."""

    script_chars = (90_000, 240_000)

    def page(self, target: str) -> Answer:
        number = int(target[3:]) if target.startswith("/p/") and target[3:].isdecimal() else 0
        if number >= self.plan.pages or target not in {"/", f"/p/{number}"}:
            return not_found()
        random = self.random("page", number)
        anchors = Anchors(self.origin, target)
        title = prose.title(random, self.lang)
        text = prose.paragraphs(random, self.lang, 55)
        near = anchors.ul(
            [(f"/p/{(number + step) % self.plan.pages}", prose.label(random, self.lang)) for step in (1, 2, 7)]
        )
        out = anchors.ul(
            [(url, prose.label(random, self.lang)) for url in self.plan.outward[number :: self.plan.pages]]
        )
        main = template.prose(title, text) + near + out
        return self.dressed(
            target, title, main, anchors, kind="heavy", text=(title, *text), text_key=f"{self.host}/{number}"
        )


class FarmSite(Site):
    """Hundreds of links a page to its own pages and to other farms, and no text.

    They are one block, or with `list` a block each, which is harder to tell from text.
    """

    links_a_page = 250
    script_chars = (1_000, 4_000)

    def page(self, target: str) -> Answer:
        number = int(target[1:]) if target[1:].isdecimal() else 0
        if number >= self.plan.pages or target not in {"/", f"/{number}"}:
            return not_found()
        random = self.random("page", number)
        anchors = Anchors(self.origin, target)
        items = []
        for at in range(self.links_a_page):
            if at % 5 == 0 and self.plan.outward:
                href = random.choice(self.plan.outward) + (str(random.randrange(self.plan.pages)) if at % 10 else "")
            else:
                href = f"/{(number * 3 + at) % self.plan.pages}" if at < 6 else f"/{random.randrange(self.plan.pages)}"
            items.append((href, " ".join(prose.rare(random, self.lang, 3))))
        if self.plan.variant == "list":
            main = anchors.ul(items, "seo")
        else:
            main = f"<div>{' | '.join(anchors.a(href, name) for href, name in items)}</div>"
        return self.dressed(target, items[0][1], main, anchors, kind="farm")
