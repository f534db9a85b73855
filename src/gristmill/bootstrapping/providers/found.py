"""Results as they come from outside: addresses in their normal form, once each; what is none is counted."""

from __future__ import annotations

from collections import Counter

from gristmill.bootstrapping.providers.provider import Result
from gristmill.fetching.session import Session
from gristmill.fetching.urls import normalise
from gristmill.wording import one_line

_MAX_TITLE_CHARACTERS = 300
_MAX_SNIPPET_CHARACTERS = 2_000


class Found:
    """The results of a query so far."""

    def __init__(self, session: Session, left_out: Counter[str], count: int) -> None:
        """Take how many are wanted, and where results that are left out are counted."""
        self._session = session
        self._left_out = left_out
        self._count = count
        self._seen: set[str] = set()
        self.results: list[Result] = []

    @property
    def is_full(self) -> bool:
        """Whether there are as many as are wanted."""
        return len(self.results) >= self._count

    def add(self, address: object, title: object = "", snippet: object = "") -> bool:
        """Add a result, unless there are enough; tell whether it is new."""
        url = self._address(address)
        if not url or url in self._seen or self.is_full:
            return False
        self._seen.add(url)
        self.results.append(
            Result(url, len(self.results) + 1, printable(title), printable(snippet, _MAX_SNIPPET_CHARACTERS))
        )
        return True

    def _address(self, given: object) -> str:
        """Return the normal form of an address; empty if it is none, which is counted."""
        text = given.strip() if isinstance(given, str) else ""
        url = normalise(text) if text.isprintable() else ""
        if not url:
            self._left_out["no web address"] += 1
        elif self._session.refusal(url):
            self._left_out["private network"] += 1
            return ""
        return url


def printable(text: object, characters: int = _MAX_TITLE_CHARACTERS) -> str:
    """Return what came from outside as one line that can be shown, not too long; empty if it is no text."""
    return one_line(text[: 2 * characters], characters) if isinstance(text, str) else ""
