"""Another Gristmill corpus as a search provider, which `gristmill serve` answers for."""

from __future__ import annotations

from dataclasses import dataclass

from gristmill.bootstrapping.providers.engine import Engine, EngineProvider
from gristmill.bootstrapping.providers.provider import Provider
from gristmill.bootstrapping.providers.registry import web_address
from gristmill.fetching.session import Session
from gristmill.registry import part

_EXAMPLE = "gristmill:http://localhost:8080"


@part("search provider", "gristmill")
@dataclass(frozen=True)
class Gristmill:
    """A corpus behind `gristmill serve`."""

    page_results: int = 50
    """Results that are asked for at a time."""
    max_pages: int = 20

    def open(self, place: str, session: Session, lang: str) -> Provider:
        """Make the provider; documents of all languages are searched if `lang` is empty."""
        address = f"{web_address(place, _EXAMPLE)}/search?q={{query}}&page={{page}}&count={{count}}&lang={{lang}}"
        engine = Engine(
            "gristmill",
            address,
            snippet="content",
            lang=lang,
            page_results=max(self.page_results, 1),
            max_pages=self.max_pages,
        )
        return EngineProvider(engine, session)

    def trusted(self, place: str) -> list[str]:
        """Return the address of the server."""
        return [web_address(place, _EXAMPLE)]
