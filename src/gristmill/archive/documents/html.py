"""Write simple HTML: the converters of documents write a page with it, which is then cleaned as all others are."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

_MAX_HEADING_LEVEL = 6


@dataclass(slots=True)
class About:
    """The metadata of a document."""

    title: str = ""
    author: str = ""
    date: str = ""
    lang: str = ""


@dataclass(slots=True)
class Html:
    """A page under construction: blocks one after the other, in tables or not."""

    about: About = field(default_factory=About)
    parts: list[str] = field(default_factory=list)

    def block(self, text: str, level: int = 0, *, item: bool = False) -> None:
        """Write a heading of a level, a list item or a paragraph; line ends become `<br>`; white space is left out."""
        if not text.strip():
            return
        name = f"h{min(level, _MAX_HEADING_LEVEL)}" if level else "li" if item else "p"
        lines = "<br>".join(escape(line, quote=False) for line in text.strip().split("\n"))
        self.parts.append(f"<{name}>{lines}</{name}>\n")

    def tag(self, markup: str) -> None:
        """Write markup as it is."""
        self.parts.append(markup)

    def page(self) -> bytes:
        """Finish the page, in UTF-8."""
        about = self.about
        head = f"<title>{escape(about.title)}</title>" if about.title else ""
        head += f'<meta name="author" content="{escape(about.author)}">' if about.author else ""
        head += f'<meta property="article:published_time" content="{escape(about.date)}">' if about.date else ""
        lang = f' lang="{escape(about.lang)}"' if about.lang else ""
        page = f'<!DOCTYPE html><html{lang}><head><meta charset="utf-8">{head}</head><body>\n'
        page += f"{''.join(self.parts)}</body></html>\n"
        return page.encode("utf-8", "replace")
