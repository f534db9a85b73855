"""Load the sites of the sample from `sites/`, and render their pages with their templates and encodings."""

from __future__ import annotations

import html
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from sample import breakage, markup, truth

SITES = Path(__file__).parent / "sites"
_TEASER_WORDS = 24
_TEASER_CHARACTERS = 60


@dataclass
class Site:
    """One host: its settings and strings, and its pages in the order of their file names."""

    host: str
    settings: dict[str, Any]
    pages: list[SamplePage] = field(default_factory=list)


@dataclass
class SamplePage:
    """One page: its text source, and after `render` its HTML, bytes and true blocks."""

    site: Site
    name: str
    text: markup.Text
    html: str = ""
    blocks: list[truth.TrueBlock] = field(default_factory=list)

    @property
    def path(self) -> str:
        """The path part of the address."""
        return self.text.fields["path"]

    @property
    def key(self) -> str:
        """The name by which other sources refer to this page: `host/path`."""
        return self.site.host + self.path

    @property
    def url(self) -> str:
        """The page's full address."""
        return f"https://{self.key}"

    @property
    def title(self) -> str:
        """The title as shown in links to the page."""
        return self.text.fields["title"]

    def setting(self, name: str) -> str:
        """A field of the page, or else the site's setting of that name."""
        return self.text.fields.get(name, str(self.site.settings.get(name, "")))

    def body(self) -> bytes:
        """The bytes of the page, in its true encoding."""
        return self.html.encode(self.setting("encoding"), "xmlcharrefreplace")


def load() -> list[Site]:
    """Load all sites, and render their pages."""
    sites = [_load_site(folder) for folder in sorted(SITES.iterdir()) if folder.is_dir()]
    pages = {page.key: page for site in sites for page in site.pages}
    for page in pages.values():
        _resolve_copies(page, pages)
    for site in sites:
        templates = jinja2.Environment(
            loader=jinja2.FileSystemLoader(SITES / site.host / "templates"),
            undefined=jinja2.StrictUndefined,
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        for page in site.pages:
            _render(page, templates)
    return sites


def _load_site(folder: Path) -> Site:
    site = Site(folder.name, tomllib.loads((folder / "site.toml").read_text("utf-8")))
    for file in sorted((folder / "pages").glob("*.txt")):
        site.pages.append(
            SamplePage(site, file.stem, markup.parse(file.read_text("utf-8"), f"{folder.name}/{file.name}"))
        )
    return site


def _resolve_copies(page: SamplePage, pages: dict[str, SamplePage]) -> None:
    """Fill in pages that are mirrors or print versions (`copy:`), and blocks that are copies (`= host/path#2`)."""
    original = page.text.fields.get("copy")
    if original:
        page.text.blocks = [
            markup.SourceBlock(block.mark, block.text, number, f"{original}#{number}", "same")
            for number, block in enumerate(pages[original].text.blocks)
        ]
    for block in page.text.all_blocks():
        if block.relation == "same" and not block.text:
            key, _, number = block.source.partition("#")
            copied = pages[key].text.all_blocks()[int(number)]
            block.mark, block.text = block.mark or copied.mark, copied.text


def _render(page: SamplePage, templates: jinja2.Environment) -> None:
    fields = page.text.fields
    role = "content"
    post_role = "content" if fields["type"] == "forum" else "comment"
    posts = [
        {"who": post.who, "when": post.when, "content": Markup(markup.render(post.blocks, post_role))}
        for post in page.text.posts
    ]
    marked = templates.get_template(fields.get("template", fields["type"]) + ".html").render(
        site=page.site.settings | {"host": page.site.host},
        page=fields | {"url": page.url, "meta_charset": page.setting("meta_charset")},
        content=Markup(markup.render(page.text.blocks, role)),
        posts=posts,
        pages=page.site.pages,
        others=[other for other in page.site.pages if other is not page],
        teaser=_teaser,
    )
    page.blocks = truth.blocks_of(marked)
    page.html = truth.without_marks(marked)
    for name in fields.get("broken", "").replace(",", " ").split():
        page.html = breakage.BREAKAGES[name](page.html)


def _teaser(page: SamplePage) -> Markup:
    """The opening of a page's first paragraph, as listings show it."""
    block = next(block for block in page.text.all_blocks() if not block.mark)
    words = block.text.replace("*", "").replace("`", "").split()
    shown = " ".join(words[:_TEASER_WORDS])
    if len(words) <= 3:  # a script without spaces
        shown = block.text[:_TEASER_CHARACTERS]
    mark = f"<!--from {page.key}#{block.number} teaser-->"
    return Markup(mark + html.escape(shown, quote=False) + " …")
