"""Sites that say of their pages what may be done with them: noindex, nofollow, canonical, hreflang."""

from __future__ import annotations

from localweb import prose
from localweb.answer import Answer
from localweb.articles import ArticleSite
from localweb.template import Anchors

_HIDDEN = "/skryte/"


class DirectiveSite(ArticleSite):
    """Articles, every third of which has a directive, in a meta element, in links or in a header, by variant.

    With nofollow, such an article links to addresses below `/skryte/` that no other page links to.
    """

    def forbidden(self, target: str) -> str:
        return "nofollow" if self.nofollow and target.startswith(_HIDDEN) else ""

    @property
    def nofollow(self) -> bool:
        """Whether the directive is about links."""
        return "nofollow" in self.plan.variant

    def marked(self, number: int) -> bool:
        """Whether an article has the directive."""
        return number % 3 == 0

    def page(self, target: str) -> Answer:
        if target.startswith(_HIDDEN):
            text = prose.paragraphs(self.random(target), self.lang, 200)
            main = "".join(f"<p>{paragraph}</p>\n" for paragraph in text)
            return self.dressed(
                target, "x", main, Anchors(self.origin, target), kind="hidden", text=text, text_key=target
            )
        return super().page(target)

    def head(self, number: int) -> str:
        if not self.marked(number) or not self.plan.variant.startswith("meta-"):
            return ""
        return f'<meta name="{self.agent}" content="{self.content}">\n'

    @property
    def content(self) -> str:
        """What the directive says."""
        return self.plan.variant.partition("-")[2].removesuffix("-agent").upper()

    @property
    def agent(self) -> str:
        """Whom it is for."""
        return "gristmill" if self.plan.variant.endswith("-agent") else "robots"

    def article(self, number: int) -> Answer:
        answer = super().article(number)
        if not self.marked(number):
            return answer
        if self.plan.variant.startswith("header-"):
            prefix = "gristmill: " if self.plan.variant.endswith("-agent") else ""
            answer.headers = (("X-Robots-Tag", prefix + self.content.lower()),)
        answer.noindex = "noindex" in self.plan.variant
        if self.nofollow:
            rel = ' rel="noopener nofollow"' if self.plan.variant == "rel-nofollow" else ""
            hidden = f'<a href="{_HIDDEN}{number}"{rel}>x</a></article>'
            answer.body = answer.body.replace(b"</article>", hidden.encode(), 1)
            if self.plan.variant != "rel-nofollow":
                answer.links = ()
        return answer


class CanonicalSite(ArticleSite):
    """Each article is also at addresses with parameters, which name the plain one as canonical."""

    def plain(self, target: str) -> str:
        return target.partition("?z=")[0]

    def trap(self, target: str) -> str:
        return "canonical" if "?z=" in target else ""

    def page(self, target: str) -> Answer:
        plain, _, source = target.partition("?z=")
        answer = super().page(plain)
        if not source and answer.kind == "article":
            more = "".join(f'<a href="{plain}?z={name}">{name}</a> ' for name in ("tisk", "mobil", "email"))
            answer.body = answer.body.replace(b"</article>", f"</article>{more}".encode(), 1)
            answer.links += tuple(f"{self.origin}{plain}?z={name}" for name in ("tisk", "mobil", "email"))
        return answer

    def head(self, number: int) -> str:
        return f'<link rel="canonical" href="{self.origin}{self.path(number)}">\n'


class HreflangSite(ArticleSite):
    """Articles that name their versions in other languages, under `/en/` and `/de/`."""

    versions = ("en", "de")

    def head(self, number: int) -> str:
        return "".join(
            f'<link rel="alternate" hreflang="{lang}" href="/{lang}{self.path(number)}">\n' for lang in self.versions
        )

    def page(self, target: str) -> Answer:
        lang = target[1:3]
        if lang in self.versions and target[3:4] == "/":
            return self.version(target, lang)
        answer = super().page(target)
        if answer.kind == "article":
            answer.links += tuple(f"{self.origin}/{lang}{target}" for lang in self.versions)
        return answer

    def version(self, target: str, lang: str) -> Answer:
        """An article in another language."""
        anchors = Anchors(self.origin, target)
        text = prose.paragraphs(self.random(target), lang, self.mean_words)
        main = "".join(f"<p>{paragraph}</p>\n" for paragraph in text)
        answer = self.dressed(target, "x", main, anchors, kind="article", text=text, text_key=self.host + target)
        answer.lang = lang
        answer.headers = (("Content-Language", lang),)
        answer.body = answer.body.replace(b'<html lang="cs">', f'<html lang="{lang}">'.encode(), 1)
        return answer
