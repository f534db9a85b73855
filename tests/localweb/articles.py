"""Sites with text: articles, and pages that list them."""

from __future__ import annotations

from functools import cached_property
from random import Random

from localweb import prose, template
from localweb.answer import Answer, not_found
from localweb.site import Plan, Site
from localweb.template import Anchors

_PER_SECTION = 12
_TEASERS = 6

# What is declared in the page, in the header, and what the bytes really are.
_ENCODINGS = {
    "": ("utf-8", "text/html; charset=utf-8", "utf-8"),
    "windows-1250": ("windows-1250", "text/html; charset=windows-1250", "windows-1250"),
    "1250-as-utf-8": ("utf-8", "text/html; charset=utf-8", "windows-1250"),
    "utf-8-as-1250": ("windows-1250", "text/html; charset=windows-1250", "utf-8"),
    "1250-undeclared": ("", "text/html", "windows-1250"),
    "utf-8-undeclared": ("", "text/html", "utf-8"),
    "iso-8859-2": ("iso-8859-2", "text/html", "iso-8859-2"),
    "header-only": ("", "text/html; charset=iso-8859-2", "iso-8859-2"),
}
_CODINGS = {"gzip": "gzip", "chunked": "chunked", "gzip+chunked": "gzip+chunked"}


class ArticleSite(Site):
    """Articles of some hundred words in one language; of `mixed` sites, every other article is in another one."""

    script_chars = (8_000, 46_000)
    article_words = (120, 900)

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.articles = max(2, round(plan.pages * 0.88) - 1)
        self.sections = -(-self.articles // _PER_SECTION)
        self.mean_words = self.random("length").randint(*self.article_words)

    def page(self, target: str) -> Answer:
        if target == "/":
            return self.home()
        head, _, tail = target[1:].partition("/")
        if head == "rubrika" and tail.isdecimal() and int(tail) < self.sections:
            return self.section(int(tail))
        number, _, _ = tail.partition("-")
        if number.isdecimal() and int(number) < self.articles and target == self.path(int(number)):
            return self.article(int(number))
        if head == "soubory":
            return Answer(b"%PDF-1.7\n" + b"\0\x9c\xe2" * 3_000, content_type="application/pdf", kind="file")
        return not_found()

    def language(self, number: int) -> str:
        """The language of an article."""
        if self.plan.kind == "mixed" and number % 2:
            return self.plan.variant
        return self.lang

    def title(self, number: int) -> str:
        """The headline of an article."""
        return prose.title(self.random("title", number), self.language(number))

    def path(self, number: int) -> str:
        """The address of an article."""
        return f"/{self.folder(number)}/{number}-{prose.slug(self.title(number))}.html"

    def folder(self, number: int) -> str:
        """The first segment of an article's address."""
        return self.folders[number % len(self.folders)]

    @cached_property
    def folders(self) -> list[str]:
        """The first segments of addresses of articles."""
        return [prose.slug(prose.label(self.random("folder", at), self.lang)) for at in range(3)]

    def inner(self, random: Random) -> list[tuple[str, str]]:
        return [(f"/rubrika/{at}", prose.label(random, self.lang)) for at in range(self.sections)]

    def text(self, number: int) -> tuple[str, ...]:
        """The paragraphs of an article."""
        random = self.random("text", number)
        words = max(60, round(self.mean_words * random.lognormvariate(0, 0.5)))
        return prose.paragraphs(random, self.language(number), min(words, 6_000))

    def outward(self, number: int) -> list[str]:
        """The addresses on other hosts that an article links to; each is in at least one article."""
        return self.plan.outward[number :: self.articles]

    def article(self, number: int) -> Answer:
        """An article, with links to others and to other hosts."""
        target = self.path(number)
        random = self.random("links", number)
        anchors = Anchors(self.origin, target)
        title, text = self.title(number), self.text(number)
        others = [(number + step) % self.articles for step in (1, self.articles - 1)]
        others += [random.randrange(self.articles) for _ in range(_TEASERS)]
        related = anchors.ul([(self.path(at), self.title(at)) for at in dict.fromkeys(others)], "related")
        extra = [("/soubory/priloha.pdf", "PDF")] if random.random() < 0.05 else []
        out = anchors.ul([(url, prose.label(random, self.lang)) for url in self.outward(number)] + extra, "links")
        main = template.prose(title, text, self.byline(random)) + f"<aside>\n{related}{out}</aside>\n"
        answer = self.dressed(target, title, main, anchors, head=self.head(number), kind="article")
        answer.lang, answer.text = self.language(number), (title, *text)
        answer.text_key = self.text_key(number)
        return self.encoded(answer)

    def text_key(self, number: int) -> str:
        """What copies of the article's text have in common."""
        return f"{self.host}/{number}"

    def head(self, _number: int) -> str:
        """What more is in the head of an article."""
        return ""

    def byline(self, random: Random) -> str:
        """Who wrote it and when."""
        name = prose.label(random, self.lang)
        return f'<div class="byline"><span>{name}</span> <time>{random.randint(1, 28)}. 5. 2026</time></div>\n'

    def home(self) -> Answer:
        """The front page: new articles, and some links to other hosts."""
        anchors = Anchors(self.origin)
        random = self.random("home")
        new = anchors.ul([(self.path(at), self.title(at)) for at in range(min(8, self.articles))], "new")
        out = anchors.ul([(url, prose.label(random, self.lang)) for url in self.plan.outward[:3]], "friends")
        return self.encoded(self.dressed("/", prose.label(random, self.lang), new + out, anchors, kind="home"))

    def section(self, number: int) -> Answer:
        """A page that lists articles."""
        anchors = Anchors(self.origin)
        listed = range(number * _PER_SECTION, min(self.articles, (number + 1) * _PER_SECTION))
        main = anchors.ul([(self.path(at), self.title(at)) for at in listed], "teasers")
        if number + 1 < self.sections:
            main += anchors.a(f"/rubrika/{number + 1}", "»")
        target = f"/rubrika/{number}"
        return self.encoded(self.dressed(target, f"{number}", main, anchors, kind="section"))

    def encoded(self, answer: Answer) -> Answer:
        """The answer in the encoding that the site has, and in the one that it says it has."""
        answer.coding = _CODINGS.get(self.plan.variant, "")
        if self.plan.kind == "encoding":
            charset, answer.content_type, real = _ENCODINGS[self.plan.variant]
            declared = f'<meta charset="{charset}">\n' if charset else ""
            html = answer.body.decode().replace('<meta charset="utf-8">\n', declared)
            answer.body = html.encode(real, "xmlcharrefreplace")
        return answer
