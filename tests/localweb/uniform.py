"""A web whose pages are all alike, for measuring speed: as many hosts, pages, bytes and links as asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from random import Random

from localweb import prose, template
from localweb.answer import Answer, not_found

_PAGE_WORDS = 600
_SENTENCE_WORDS = 13
_DRAWN_WORDS = 600_000
_SOUP_CHARS = 16_000


@dataclass(frozen=True)
class UniformWeb:
    """Pages of one size with the same number of links; each page is linked to, and links to hosts in turn."""

    host_count: int = 200
    pages: int = 5_000
    page_bytes: int = 38_000
    links: int = 60

    @property
    def spec(self) -> str:
        """Its kind and numbers, from which it can be made again in another process."""
        return f"uniform,{self.host_count},{self.pages},{self.page_bytes},{self.links}"

    @property
    def names(self) -> dict[str, str]:
        """The IP address of every host."""
        return self.hosts

    @cached_property
    def hosts(self) -> dict[str, str]:
        """The IP address of every host: each has its own."""
        return {f"rovny-{at:03}.cz": f"127.0.{at // 200 + 1}.{at % 200 + 1}" for at in range(self.host_count)}

    @property
    def faulty_tls(self) -> dict[str, str]:
        """No host has a bad certificate."""
        return {}

    def url(self, number: int, port: str = "") -> str:
        """The address of a page."""
        return f"http://rovny-{number % self.host_count:03}.cz{port}/clanek-{number}.html"

    @cached_property
    def _words(self) -> list[str]:
        laps = self.pages * _PAGE_WORDS // _DRAWN_WORDS + 1
        return prose.draw(Random("uniform"), "cs", _DRAWN_WORDS + (laps + 1) * _PAGE_WORDS)

    def _text(self, page: int) -> str:
        """Text that no other page has: a piece of a long draw of words, with a larger step at each lap through it."""
        lap, start = divmod(page * _PAGE_WORDS, _DRAWN_WORDS)
        words = self._words[start : start + _PAGE_WORDS * (lap + 1) : lap + 1]
        pieces = [words[at : at + _SENTENCE_WORDS] for at in range(0, len(words), _SENTENCE_WORDS)]
        sentences = [" ".join(piece).capitalize() for piece in pieces]
        return "".join(f"<p>{'. '.join(sentences[at : at + 5])}.</p>\n" for at in range(0, len(sentences), 5))

    def answer(self, host: str, target: str, scheme: str, port: str = "") -> Answer | None:
        """A page by its number; the port that the client wrote is also in the links."""
        del scheme
        if host not in self.hosts:
            return None
        number = target[8:-5] if target.startswith("/clanek-") else ""
        if not number.isdecimal() or int(number) >= self.pages:
            return not_found()
        page = int(number)
        further = [(page * self.links + at) % self.pages for at in range(1, self.links + 1)]
        suffix = f":{port}" if port else ""
        menu = "".join(f'<li><a href="{self.url(at, suffix)}">odkaz {at}</a></li>\n' for at in further)
        start = f'<!DOCTYPE html><html lang="cs"><head><meta charset="utf-8"><title>Stránka {page}</title></head>'
        text = f"<main><h1>Stránka {page}</h1>{self._text(page)}</main>"
        html = f"{start}<body>{text}<ul>{menu}</ul>{template.soup(page, _SOUP_CHARS)}"
        data = html.encode()
        code = template.script(page % 64, self.page_bytes - len(data) - 64)
        return Answer(data + code.encode() + b"</body></html>\n", kind="article", lang="cs")
