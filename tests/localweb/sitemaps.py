"""Sites whose articles are found in sitemaps alone: nothing links to them."""

from __future__ import annotations

import gzip
from html import escape

from localweb.answer import Answer
from localweb.articles import ArticleSite

_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


class SitemapSite(ArticleSite):
    """Articles below `/mapa/`, in a sitemap of the kind that the variant names: index, gzip, text, news, broken."""

    orphans = 6

    def robots(self) -> Answer:
        name = {"index": "index.xml", "gzip": "mapa.xml.gz", "text": "mapa.txt"}.get(self.plan.variant, "mapa.xml")
        lines = f"User-agent: *\nDisallow:\n\nSitemap: {self.origin}/{name}\n"
        return Answer(lines.encode(), content_type="text/plain", kind="robots")

    def orphan(self, number: int) -> str:
        """The address of an article that is in the sitemap alone."""
        return f"/mapa/{number}-clanek.html"

    def unlinked(self) -> list[str]:
        count = self.orphans * 2 // 3 - 1 if self.plan.variant == "broken" else self.orphans
        return [self.origin + self.orphan(self.articles + at) for at in range(count)]

    @property
    def listed(self) -> list[str]:
        """The addresses that the sitemap lists."""
        return [self.origin + self.orphan(at) for at in range(self.articles, self.articles + self.orphans)]

    def page(self, target: str) -> Answer:
        head, _, tail = target[1:].partition("/")
        number = tail.partition("-")[0]
        if head == "mapa" and number.isdecimal() and target == self.orphan(int(number)):
            return self.article(int(number))
        if target in {"/index.xml", "/mapa.xml", "/mapa.xml.gz", "/mapa.txt", "/dalsi.xml"}:
            return self.sitemap(target)
        return super().page(target)

    def sitemap(self, target: str) -> Answer:
        """A sitemap, by its name."""
        if target == "/mapa.txt":
            return Answer("\n".join(self.listed).encode(), content_type="text/plain", kind="sitemap")
        if target == "/index.xml":
            parts = [f"{self.origin}/mapa.xml", f"{self.origin}/dalsi.xml", f"{self.origin}/index.xml"]
            return _xml("sitemapindex", "sitemap", parts)
        foreign = ["http://example.com/not-from-here"] if target == "/dalsi.xml" else []
        answer = _xml("urlset", "url", self.listed + foreign, news=self.plan.variant == "news")
        if self.plan.variant == "broken":
            answer.body = answer.body[: len(answer.body) * 2 // 3] + b"<\0&nonsense"
        if target.endswith(".gz"):
            answer.body, answer.content_type = gzip.compress(answer.body, mtime=0), "application/x-gzip"
        return answer


def _xml(root: str, element: str, addresses: list[str], *, news: bool = False) -> Answer:
    extra = "<news:news><news:title>Zpráva</news:title></news:news>" if news else ""
    rows = "".join(f"<{element}><loc>{escape(url)}</loc>{extra}</{element}>\n" for url in addresses)
    names = f'xmlns="{_NAMESPACE}" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'
    body = f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} {names}>\n{rows}</{root}>\n'
    return Answer(body.encode(), content_type="application/xml", kind="sitemap")
