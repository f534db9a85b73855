"""What is wanted of an index: by domain, host, address, language, type, status, time and words in the address."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote, unquote

from gristmill.commoncrawl.keys import Key, domain_keys, host_keys, url_keys
from gristmill.errors import UsageError
from gristmill.settings import setting

WHAT = "Which pages"
"""A group of options in the help."""

_DAY = re.compile(r"[12]\d{3}(?:\d{2}){0,5}", re.ASCII)
_CODE = re.compile(r"[a-z]{2,3}")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which captures are wanted. Of `domains`, `hosts` and `urls`, one must fit, if any is given."""

    domains: tuple[str, ...] = setting(
        "A domain and all hosts below it: example.is, .is.", default=(), kind="names", group=WHAT, option="domain"
    )
    hosts: tuple[str, ...] = setting(
        "A host, with or without www.", default=(), kind="names", group=WHAT, option="host"
    )
    urls: tuple[str, ...] = setting(
        "An address; all that begin so if it ends in *: https://example.org/news/*.",
        default=(),
        group=WHAT,
        option="url",
        metavar="ADDRESS",
    )
    languages: tuple[str, ...] = setting(
        "Main language of the page, by ISO 639: is or isl,fao [any].",
        default=(),
        kind="lang",
        group=WHAT,
        option="lang",
    )
    types: tuple[str, ...] = setting(
        "Media type, as the archive has recognised it; any if there is none, or --type any.",
        default=("text/html", "application/xhtml+xml"),
        group=WHAT,
        option="type",
        metavar="TYPE",
    )
    status: int = setting("HTTP status; 0: any.", default=200, maximum=999, group=WHAT)
    words: tuple[str, ...] = setting(
        "One of these is in the address, in any case.", default=(), group=WHAT, option="word", metavar="WORD"
    )
    since: str = setting(
        "First time of capture, or its beginning: 2010, 20100501.",
        default="",
        group=WHAT,
        option="from",
        metavar="TIME",
    )
    until: str = setting(
        "Last time of capture, or its beginning: 201506.", default="", group=WHAT, option="to", metavar="TIME"
    )

    def check(self) -> None:
        """Raise if something can't be wanted."""
        self.keys  # noqa: B018 (raises if an address is none)
        self.codes  # noqa: B018
        for day in (self.since, self.until):
            if day and not _DAY.fullmatch(day):
                raise UsageError(f"{day!r} is no time: give a year, or more of it: 2010, 20100501")
        if 0 < self.status < 100:
            raise UsageError(f"{self.status} is no HTTP status")
        if any(not word.strip() for word in self.words):
            raise UsageError("a word of addresses is empty")

    @property
    def keys(self) -> tuple[Key, ...]:
        """The keys of the index that fit; all do if there are none."""
        found: list[Key] = []
        for make, names in ((domain_keys, self.domains), (host_keys, self.hosts), (url_keys, self.urls)):
            for name in names:
                found += make(name)
        return tuple(dict.fromkeys(found))

    @property
    def codes(self) -> tuple[str, ...]:
        """The languages by their codes of ISO 639-3."""
        return tuple(map(_three_letters, self.languages))

    def matches_words(self, url: str) -> bool:
        """Tell whether an address has one of the words."""
        text = url.lower()
        plain = unquote(text) if "%" in text else text
        return not self.words or any(word.lower() in plain or word.lower() in text for word in self.words)

    def matches_language(self, languages: str) -> bool:
        """Tell whether the main one of some languages is wanted."""
        return not self.languages or languages.partition(",")[0] in self.codes

    def matches_time(self, timestamp: str) -> bool:
        """Tell whether a capture of this time is wanted."""
        return timestamp[: len(self.since)] >= self.since and timestamp[: len(self.until)] <= self.until


def forms_of(words: Iterable[str]) -> list[str]:
    """Return words as they may stand in addresses, with and without percent-escapes."""
    return list(dict.fromkeys(form for word in words for form in (word, quote(word), quote(word.lower()))))


def _three_letters(code: str) -> str:
    """Return the code of three letters for a language: `isl` for `is`."""
    import langcodes  # noqa: PLC0415 (takes long to import)

    language = langcodes.Language.get(code) if _CODE.fullmatch(code) else None
    if language is None or not language.is_valid():
        raise UsageError(f"{code!r} is not a language code of ISO 639 (is, isl)")
    return str(language.to_alpha3())
