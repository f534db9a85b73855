"""Newspapers and blogs with feeds, of every kind that makes it hard to get the text of an article, and the truth.

There are two sets of templates, so that what is tuned on one web can be measured on the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from html import escape
from random import Random

from localweb import prose, template
from localweb.answer import Answer, moved, not_found

KINDS = ("plain", "teasers", "related", "pages", "next", "print", "blog", "cut", "gone", "moved")
"""What is odd about the articles of a site."""
_LANGS = ("en", "cs", "de", "fr")
_PER_SITE = 5
_PER_PAGE = 4  # paragraphs of an article of several pages
_NEXT = {"en": "Next page", "cs": "Další strana", "de": "Nächste Seite", "fr": "Page suivante"}
_PRINT = {"en": "Print", "cs": "Tisk", "de": "Druckversion", "fr": "Imprimer"}
_MONTH_DAYS = 28


@dataclass(frozen=True, slots=True)
class Story:
    """An article: what its feed says of it, and its true text."""

    number: int
    url: str
    title: str
    summary: str
    content: str
    """The whole text as HTML, if the feed has it."""
    published: str
    text: tuple[str, ...]
    """Headline and paragraphs."""


class Semantic:
    """Modern markup: `article`, `aside`, headings that are links, `?page=2`."""

    def page(self, paper: Paper, title: str, main: str) -> str:
        nav = "".join(f'<li><a href="/s/{at}">{escape(name)}</a></li>' for at, name in enumerate(paper.labels))
        head = template.script(len(title), 6_000)
        body = (
            f'<header><a class="brand" href="/">{paper.name}</a><nav><ul>{nav}</ul></nav></header>\n'
            f"<main>{main}</main>\n"
            f"<footer><p>© 2026 {paper.name}</p><ul>{nav}</ul></footer>\n"
        )
        return template.document(lang=paper.lang, title=f"{title} | {paper.name}", head=head, body=body)

    def article(self, story: Story, paragraphs: tuple[str, ...], inner: str = "") -> str:
        text = "".join(f"<p>{escape(paragraph)}</p>\n" for paragraph in paragraphs)
        byline = f'<div class="byline"><time>{story.published[:10]}</time></div>'
        return (
            f'<article class="story"><h1 class="story-title">{escape(story.title)}</h1>{byline}\n'
            f'<div class="story-body">{text}{inner}</div></article>\n'
        )

    def teaser(self, story: Story, words: int) -> str:
        return (
            f'<div class="teaser"><h3 class="teaser-title"><a href="{story.url}">{escape(story.title)}</a></h3>'
            f"<p>{escape(_beginning(story, words))}</p></div>\n"
        )

    def box(self, teasers: list[str]) -> str:
        return f'<section class="more">{"".join(teasers)}</section>\n'

    def post(self, story: Story) -> str:
        """A post of a blog."""
        text = "".join(f"<p>{escape(paragraph)}</p>\n" for paragraph in story.text[1:])
        return (
            f'<div class="post"><h2 class="entry-title"><a href="{story.url}">{escape(story.title)}</a></h2>'
            f'<div class="entry">{text}</div></div>\n'
        )

    def address(self, paper: Paper, number: int, part: int = 1) -> str:
        path = f"/clanek/{1000 + number}-{prose.slug(paper.title(number))}.html"
        return path if part == 1 else f"{path}?page={part}"

    def print_address(self, paper: Paper, number: int) -> str:
        return f"{self.address(paper, number)}?print=1"


class Tabular:
    """Older markup: tables and `div`s, headings that are no links, `/2/`."""

    def page(self, paper: Paper, title: str, main: str) -> str:
        menu = " | ".join(f'<a href="/sekce/{at}">{escape(name)}</a>' for at, name in enumerate(paper.labels))
        body = (
            f'<table width="100%"><tr><td colspan="2"><b>{paper.name}</b><br>{menu}</td></tr>\n'
            f'<tr><td valign="top" id="left">{menu.replace(" | ", "<br>")}</td>'
            f'<td valign="top" id="main">{main}</td></tr>'
            f'<tr><td colspan="2"><font size="1">Copyright {paper.name}. {menu}</font></td></tr></table>\n'
        )
        return template.document(lang=paper.lang, title=f"{paper.name}: {title}", head="", body=body)

    def article(self, story: Story, paragraphs: tuple[str, ...], inner: str = "") -> str:
        text = "<br><br>\n".join(map(escape, paragraphs))
        date = f'<span class="datum">{story.published[:10]}</span>'
        return (
            f'<div id="clanek"><h2 class="nadpis">{escape(story.title)}</h2>{date}\n'
            f'<div class="text">{text}\n{inner}</div></div>\n'
        )

    def teaser(self, story: Story, words: int) -> str:
        title = f'<h2 class="nadpis">{escape(story.title)}</h2>'
        text = escape(_beginning(story, words))
        return f'<div class="upoutavka">{title}{text} <a href="{story.url}">&raquo;</a></div>\n'

    def box(self, teasers: list[str]) -> str:
        return f'<div class="dalsi">{"".join(teasers)}</div>\n'

    def post(self, story: Story) -> str:
        """A post of a blog."""
        text = "".join(f"<p>{escape(paragraph)}</p>\n" for paragraph in story.text[1:])
        return f'<h3 class="title"><a href="{story.url}" rel="bookmark">{escape(story.title)}</a></h3>\n{text}<hr>\n'

    def address(self, paper: Paper, number: int, part: int = 1) -> str:
        path = f"/2026/11/{prose.slug(paper.title(number))}/"
        return path if part == 1 else f"{path}{part}/"

    def print_address(self, paper: Paper, number: int) -> str:
        return f"/print{self.address(paper, number)}"


STYLES = (Semantic(), Tabular())


def _beginning(story: Story, words: int) -> str:
    return " ".join(" ".join(story.text[1:]).split()[:words])


@dataclass(frozen=True)
class Paper:
    """A site with a feed."""

    seed: int
    host: str
    kind: str
    lang: str
    style: Semantic | Tabular
    is_atom: bool
    per_site: int = _PER_SITE

    @property
    def name(self) -> str:
        """What it is called."""
        return self.host.partition(".")[0].capitalize()

    def random(self, *names: object) -> Random:
        """Random numbers that depend on seed, host and names alone."""
        return Random("/".join(map(str, (self.seed, self.host, *names))))

    @cached_property
    def labels(self) -> list[str]:
        """The entries of its menu."""
        return [prose.label(self.random("menu", at), self.lang) for at in range(14)]

    def title(self, number: int) -> str:
        """The headline of an article."""
        return prose.title(self.random("title", number), self.lang)

    @cached_property
    def stories(self) -> list[Story]:
        """All its articles, the newest first."""
        return [self._story(number) for number in range(self.per_site)]

    def _story(self, number: int) -> Story:
        random = self.random("story", number)
        words = random.randint(700, 1500) if self.kind in {"pages", "next", "print"} else random.randint(150, 500)
        text = prose.paragraphs(random, self.lang, words)
        summary = " ".join(text[0].split()[: random.randint(18, 40)]) + "…"
        has_content = self.kind in {"cut", "gone"} or (self.kind == "plain" and number % 2)
        content = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in text) if has_content else ""
        url = f"http://{self.host}{self.style.address(self, number)}"
        day = _MONTH_DAYS - number
        return Story(
            number,
            url,
            self.title(number),
            summary,
            content,
            f"2026-10-{day:02}T06:00:00Z",
            (self.title(number), *text),
        )

    def answer(self, target: str) -> Answer:
        """The answer to a path with its query."""
        if target in {"/feed.xml", "/"}:
            return self._feed() if target != "/" else self._home()
        for story in self.stories:
            number = story.number
            if self.kind == "moved" and target == f"/r/{number}":
                return moved(story.url)
            if self.kind == "print" and target == self.style.print_address(self, number):
                return _html(f"<title>{escape(story.title)}</title>{self.style.article(story, story.text[1:])}", story)
            for part in range(1, self.parts(story) + 1):
                if target == self.style.address(self, number, part):
                    return not_found() if self.kind == "gone" else self._page(story, part)
        return not_found()

    def parts(self, story: Story) -> int:
        """How many pages an article has."""
        in_parts = self.kind in {"pages", "next", "print"}
        return -(-(len(story.text) - 1) // _PER_PAGE) if in_parts else 1

    def _others(self, story: Story) -> list[Story]:
        return [other for other in self.stories if other.number != story.number]

    def _page(self, story: Story, part: int) -> Answer:
        style, count = self.style, self.parts(story)
        paragraphs = story.text[1:]
        inner = before = behind = ""
        others = self._others(story)
        if count > 1:
            paragraphs = paragraphs[(part - 1) * _PER_PAGE : part * _PER_PAGE]
            inner = self._pager(story, part, count)
        if self.kind == "cut":
            paragraphs, inner = paragraphs[:1], '<div class="wall"><a href="/subscribe">+</a></div>'
        if self.kind == "teasers":
            before = style.box([style.teaser(other, 45) for other in others[:2]])
            behind = style.box([style.teaser(other, 45) for other in others[2:]])
        if self.kind == "related":
            behind = style.box([style.teaser(other, 90) for other in others])
            inner, behind = (behind, "") if story.number % 2 else ("", behind)
        if self.kind == "blog":
            posts = self.stories[: story.number + 1] if story.number > 1 else self.stories
            main = "".join(map(style.post, posts))
        else:
            main = before + style.article(story, paragraphs, inner) + behind
        return _html(style.page(self, story.title, main), story)

    def _pager(self, story: Story, part: int, count: int) -> str:
        links = []
        for at in range(1, count + 1):
            href = escape(self.style.address(self, story.number, at))
            if self.kind != "next" and at != part:
                links.append(f'<a href="{href}">{at}</a>')
            if at == part + 1:
                links.append(f'<a class="next" href="{href}">{_NEXT[self.lang]}</a>')
        if self.kind == "print":
            href = escape(self.style.print_address(self, story.number))
            links.append(f'<a href="{href}">{_PRINT[self.lang]}</a>')
        return f'<div class="pager">{" ".join(links)}</div>'

    def _home(self) -> Answer:
        teasers = self.style.box([self.style.teaser(story, 20) for story in self.stories])
        head = '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'
        html = self.style.page(self, self.name, teasers).replace("</head>", f"{head}</head>")
        return Answer(html.encode(), kind="home", lang=self.lang)

    def link(self, story: Story) -> str:
        """The address of an article as the feed has it."""
        return f"http://{self.host}/r/{story.number}" if self.kind == "moved" else story.url

    def _feed(self) -> Answer:
        if self.is_atom:
            return Answer(self._atom().encode(), content_type="application/atom+xml", kind="feed")
        return Answer(self._rss().encode(), content_type="application/rss+xml", kind="feed")

    def _rss(self) -> str:
        items = "".join(
            f"<item><title>{escape(story.title)}</title><link>{escape(self.link(story))}</link>"
            f'<guid isPermaLink="false">{self.host}-{story.number}</guid>'
            f"<pubDate>{int(story.published[8:10]):02} Oct 2026 06:00:00 +0000</pubDate>"
            f"<description>{escape(story.summary)}</description>"
            + (f"<content:encoded><![CDATA[{story.content}]]></content:encoded>" if story.content else "")
            + "</item>\n"
            for story in self.stories
        )
        return (
            '<?xml version="1.0" encoding="utf-8"?>\n'
            '<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>'
            f"<title>{self.name}</title><link>http://{self.host}/</link>\n{items}</channel></rss>\n"
        )

    def _atom(self) -> str:
        entries = "".join(
            f"<entry><title>{escape(story.title)}</title><id>tag:{self.host},2026:{story.number}</id>"
            f'<link href="{escape(self.link(story))}"/><updated>{story.published}</updated>'
            f"<summary>{escape(story.summary)}</summary>"
            + (f'<content type="html">{escape(story.content)}</content>' if story.content else "")
            + "</entry>\n"
            for story in self.stories
        )
        return (
            '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
            f"<title>{self.name}</title><id>tag:{self.host},2026:feed</id><updated>2026-10-28T06:00:00Z</updated>\n"
            f"{entries}</feed>\n"
        )


def _html(html: str, story: Story) -> Answer:
    return Answer(html.encode(), kind="article", text=story.text, text_key=story.url)


@dataclass(frozen=True)
class NewspaperWeb:
    """A web of newspapers and blogs: some sites of every kind, with the templates of one set."""

    seed: int = 1
    style: int = 0
    """Which set of templates: 0 or 1."""
    sites: int = 2
    """Sites of each kind."""

    @property
    def spec(self) -> str:
        """Its kind and numbers, from which it can be made again in another process."""
        return f"newspapers,{self.seed},{self.style},{self.sites}"

    @cached_property
    def papers(self) -> dict[str, Paper]:
        """All sites by their hosts."""
        found = {}
        for at, kind in enumerate(KINDS * self.sites):
            lang = _LANGS[(at + at // len(KINDS)) % len(_LANGS)]
            host = f"{kind}-{at:03}.{lang if lang != 'en' else 'com'}"
            found[host] = Paper(self.seed, host, kind, lang, STYLES[self.style], is_atom=bool(at % 2))
        return found

    @cached_property
    def hosts(self) -> dict[str, str]:
        """The IP address of every host: each has its own."""
        return {host: f"127.0.9.{at + 1}" for at, host in enumerate(self.papers)}

    @property
    def names(self) -> dict[str, str]:
        """The IP address of every host."""
        return self.hosts

    @property
    def faulty_tls(self) -> dict[str, str]:
        """No host has a bad certificate."""
        return {}

    @property
    def feeds(self) -> list[str]:
        """The addresses of all feeds."""
        return [f"http://{host}/feed.xml" for host in self.papers]

    def answer(self, host: str, target: str, scheme: str, port: str = "") -> Answer | None:
        """The answer of a host to a path with its query; None if there is no such host."""
        del scheme, port
        paper = self.papers.get(host)
        return paper.answer(target) if paper else None
