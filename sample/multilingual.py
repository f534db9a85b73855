"""Load the multilingual sites of the sample from `parallel/`, and render their pages with their templates."""

from __future__ import annotations

import itertools
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from sample import markup, truth, units
from sample.units import LANGUAGES

SITES = Path(__file__).parent / "parallel"
_MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "cs": "ledna února března dubna května června července srpna září října listopadu prosince",
}


@dataclass
class Site:
    """One web site: its settings, its strings by language (`text`), and its pages, topic by topic."""

    name: str
    settings: dict[str, Any]
    pages: list[PageOfSite] = field(default_factory=list)


@dataclass
class PageOfSite:
    """One page: the language of its address, what it shows, and after `render` its HTML and true blocks."""

    site: Site
    lang: str
    version: units.Version
    html: str = ""
    blocks: list[truth.TrueBlock] = field(default_factory=list)

    @property
    def topic(self) -> units.Topic:
        """What the page is about: the same for all pages that translate each other."""
        return self.version.topic

    @property
    def name(self) -> str:
        """The name of its file without the number: several topics may share one, if they have no language in common."""
        return self.topic.name.partition("-")[2]

    @property
    def url(self) -> str:
        """The page's full address."""
        pattern = self.topic.field("address", self.lang) or self.site.settings["address"]
        codes: dict[str, str] = self.site.settings.get("codes", {})
        suffixes: dict[str, str] = self.site.settings.get("suffixes", {})
        return str(pattern).format(
            name=self.name,
            lang=codes.get(self.lang, self.lang),
            suffix=suffixes.get(self.lang, ""),
        )

    @property
    def is_home(self) -> bool:
        """Whether it is the page that one comes to first."""
        return self.topic.name.endswith("-home")

    @property
    def title(self) -> str:
        """The text of its first heading."""
        return units.plain(self.version.blocks()[0].text)

    @property
    def text_lang(self) -> str:
        """The language of most of its text."""
        return max(LANGUAGES, key=[lang for lang in self.version.langs if lang].count)

    @property
    def date(self) -> str:
        """The day on which it was published, as `2024-03-02`."""
        return self.topic.field("date", self.lang)

    @property
    def shown_date(self) -> str:
        """The day as a reader of the page's language expects it."""
        year, month, day = self.date.split("-")
        name = _MONTHS[self.lang].split()[int(month) - 1]
        return f"{int(day)}{'' if self.lang == 'en' else '.'} {name} {year}"


def load() -> list[Site]:
    """Load all sites, and render their pages."""
    sites = [_load_site(folder) for folder in sorted(SITES.iterdir()) if folder.is_dir()]
    for site in sites:
        templates = jinja2.Environment(
            loader=jinja2.FileSystemLoader(SITES / site.name),
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
    for file in sorted(folder.glob("*.txt")):
        topic = units.parse(file.read_text("utf-8"), file.stem)
        versions = [(lang, units.version(topic, lang)) for lang in LANGUAGES]
        site.pages += [PageOfSite(site, lang, version) for lang, version in versions if version]
    return site


def translations(site: Site) -> list[tuple[PageOfSite, PageOfSite]]:
    """All pairs of pages of a site that translate each other, English before German before Czech.

    A page whose text is not in the language of its address, but a copy of the original, translates nothing.
    """
    translated = [page for page in site.pages if page.text_lang == page.lang]
    return [(one, other) for one, other in itertools.combinations(translated, 2) if one.topic is other.topic]


def _render(page: PageOfSite, templates: jinja2.Environment) -> None:
    same_lang = [other for other in page.site.pages if other.lang == page.lang]
    marked = templates.get_template("page.html").render(
        site=page.site.settings,
        text=page.site.settings["text"][page.lang],
        page=page,
        content=Markup(markup.render(page.version.blocks(), "content")),
        others=[other for other in same_lang if other is not page and not other.is_home],
        versions=[other for other in page.site.pages if other.topic is page.topic],
        homes=_homes(page.site),
        alternates=_alternates(page),
    )
    page.blocks = truth.blocks_of(marked)
    page.html = truth.without_marks(marked)


def _homes(site: Site) -> dict[str, str]:
    """The addresses of the home pages by language."""
    return {page.lang: page.url for page in site.pages if page.is_home}


def _alternates(page: PageOfSite) -> list[tuple[str, str]]:
    """What the page says about its translations: language and address.

    The field `hreflang.de` may say otherwise: `home` is the German home page, `self` the page itself, `none` nothing.
    """
    found = []
    for other in page.site.pages:
        if other.topic is page.topic:
            said = page.topic.fields.get(f"hreflang.{page.lang}.{other.lang}", "")
            url = {"home": _homes(page.site).get(other.lang, ""), "self": page.url, "none": ""}.get(said, other.url)
            found += [(other.lang, url)] * bool(url)
    return found
