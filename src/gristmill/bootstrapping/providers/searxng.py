"""SearXNG and searx as search providers: free servers that ask many search engines at once."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from gristmill.bootstrapping.providers.engine import Engine, EngineProvider
from gristmill.bootstrapping.providers.provider import Provider
from gristmill.bootstrapping.providers.registry import web_address
from gristmill.bootstrapping.providers.variants import check_forms
from gristmill.errors import UsageError
from gristmill.fetching.session import Session
from gristmill.registry import part

_EXAMPLE = "searxng:http://localhost:8888"
_ANY_LANGUAGE = "all"
_REFUSED = (
    "most instances give no JSON, and keep programs out by their limiter. Run one of your own, with `formats: [html, "
    "json]` below `search:` in its settings.yml, and `limiter: false` below `server:`"
)


@part("search provider", "searxng")
@dataclass(frozen=True)
class Searxng:
    """A server of SearXNG or searx. Which engines it asks is set there, or named here."""

    forms: str = "each"
    """How forms of words are asked for; not all engines behind such a server know OR."""
    engines: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    """Engines and categories that are asked, as the server names them; its own choice if there are none."""
    max_words: int = 0
    max_pages: int = 20

    def open(self, place: str, session: Session, lang: str) -> Provider:
        """Make the provider."""
        check_forms(self.forms)
        chosen = {"engines": self.engines, "categories": self.categories}
        parameters = "".join(f"&{name}={quote(','.join(names))}" for name, names in chosen.items() if names)
        engine = Engine(
            "searxng",
            f"{_server(place)}/search?q={{query}}&format=json&pageno={{page}}&language={{lang}}{parameters}",
            snippet="content",
            unanswered="unresponsive_engines",
            forms=self.forms,
            max_words=self.max_words,
            max_pages=self.max_pages,
            lang=lang or _ANY_LANGUAGE,
            refused=_REFUSED,
        )
        return EngineProvider(engine, session)

    def trusted(self, place: str) -> list[str]:
        """Return the address of the server."""
        check_forms(self.forms)
        return [_server(place)]


def _server(place: str) -> str:
    """Return the address of a server, also if that of its search was given."""
    address = web_address(place, _EXAMPLE)
    if "?" in address or "{" in address:
        raise UsageError(f"{place!r} is more than the address of a server: write one like {_EXAMPLE}")
    return address.removesuffix("/search").rstrip("/")
