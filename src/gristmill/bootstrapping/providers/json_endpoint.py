"""Any search engine that answers in JSON, described in a file of settings: `json:engine.toml`."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from gristmill.bootstrapping.providers.engine import Engine, EngineProvider
from gristmill.bootstrapping.providers.provider import Provider
from gristmill.bootstrapping.providers.variants import check_forms
from gristmill.errors import UsageError
from gristmill.fetching.session import Session
from gristmill.fetching.urls import normalise
from gristmill.registry import part
from gristmill.settings import read_toml, section_of, setting

_PLACEHOLDERS = frozenset(["query", "page", "start", "count", "lang", "key"])
_BRACES = re.compile(r"\{([^{}]*)\}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HEADER = re.compile(r"[A-Za-z0-9-]+:[ \t]*[\x20-\x7e]*\{key\}[\x20-\x7e]*")
_VISIBLE = re.compile(r"[\x21-\x7e]+")
_KEY_NAMES = re.compile(r"(api|access|subscription|auth)?[-_]?(key|token|secret)|password|apikey", re.IGNORECASE)


@dataclass(frozen=True)
class EngineSettings:
    """What a file says of a search engine."""

    name: str = setting("As it is shown.", default="json")
    address: str = setting(
        "Its address, with `{query}` and, if it has them, `{page}` or `{start}`, `{count}`, `{lang}`, `{key}`.",
        default="",
    )
    results: str = setting("Path to the list of results in the answer: `data.items`.", default="results")
    url: str = setting("Path to the address of a result, within the result.", default="url")
    title: str = setting("Path to its title.", default="title")
    snippet: str = setting("Path to some text of its page.", default="snippet")
    key_variable: str = setting(
        "The environment variable that has the key. The key itself is never in a file.", default=""
    )
    header: str = setting("The header that has the key: `Authorization: Bearer {key}`.", default="")
    forms: str = setting("How forms of words are asked for.", default="or")
    max_words: int = setting("Most words that a query may have; 0: no limit.", default=0)
    page_results: int = setting("Results of a page, for `{count}` and `{start}`.", default=10, minimum=1)
    first_page: int = setting("What `{page}` is for the first page.", default=1)
    first_result: int = setting("What `{start}` is for the first page.", default=0)
    max_pages: int = setting("Most pages of results that are asked for.", default=20, minimum=1)

    def check(self) -> None:
        """Raise if the settings can't be right."""
        check_forms(self.forms)
        self._check_address()
        self._check_key()

    def _check_address(self) -> None:
        unknown = [name for name in _BRACES.findall(self.address) if name not in _PLACEHOLDERS]
        if unknown:
            known = ", ".join(f"{{{name}}}" for name in sorted(_PLACEHOLDERS))
            raise UsageError(f"the address has {{{unknown[0]}}}, which is not one of {known}")
        if "{query}" not in self.address or not normalise(_BRACES.sub("1", self.address)):
            raise UsageError("the address must be one of the web with {query} in it: https://example.org/?q={query}")
        if "{" in self.address.partition("//")[2].partition("/")[0]:
            raise UsageError("the host in the address must be written out, with no braces in it")

    def _check_key(self) -> None:
        """Refuse keys that are written into the file; a message never repeats them."""
        parameters = parse_qsl(urlsplit(self.address).query, keep_blank_values=True)
        if any(_KEY_NAMES.fullmatch(name) and value and not _BRACES.search(value) for name, value in parameters):
            raise UsageError(
                "the address has a key in it. Keys don't belong in files: write {key} there, put the key into an "
                'environment variable, and name that: key_variable = "ENGINE_KEY"'
            )
        if self.header and not _HEADER.fullmatch(self.header):
            raise UsageError('the header must have {key} in the place of the key: "Authorization: Bearer {key}"')
        if self.key_variable and not _VARIABLE.fullmatch(self.key_variable):
            raise UsageError("key_variable must be the name of an environment variable, not the key itself")
        if bool(self.key_variable) != ("{key}" in self.address + self.header):
            raise UsageError("a key needs both: {key} in the address or in the header, and key_variable")

    @property
    def key(self) -> str:
        """The key, from the environment."""
        if not self.key_variable:
            return ""
        key = os.environ.get(self.key_variable, "").strip()
        if not _VISIBLE.fullmatch(key):
            raise UsageError(
                f"the environment variable {self.key_variable} must have the key of the search engine: "
                f"export {self.key_variable}=..."
            )
        return key


@part("search provider", "json")
@dataclass(frozen=True)
class JsonEndpoint:
    """A search engine that a file describes; some of its settings can be given here instead."""

    forms: str = ""
    max_pages: int = 0

    def open(self, place: str, session: Session, lang: str) -> Provider:
        """Make the provider; the key is taken from the environment."""
        settings = self._settings(place)
        engine = Engine(
            settings.name,
            settings.address,
            results=settings.results,
            url=settings.url,
            title=settings.title,
            snippet=settings.snippet,
            forms=self.forms or settings.forms,
            max_words=settings.max_words,
            page_results=settings.page_results,
            first_page=settings.first_page,
            first_result=settings.first_result,
            max_pages=self.max_pages or settings.max_pages,
            lang=lang,
            key=settings.key,
            header=settings.header,
            refused=_refused(settings.key_variable),
        )
        return EngineProvider(engine, session)

    def trusted(self, place: str) -> list[str]:
        """Return the address of the engine."""
        return [_BRACES.sub("1", self._settings(place).address)]

    def _settings(self, place: str) -> EngineSettings:
        check_forms(self.forms or "or")
        given = read_toml(place)
        if "key" in given:
            raise UsageError(
                f"{place} has a key in it. Keys don't belong in files: put it into an environment variable, and name "
                'that: key_variable = "ENGINE_KEY"'
            )
        settings = section_of(EngineSettings(), given, place)
        try:
            settings.check()
        except UsageError as error:
            raise UsageError(f"{place}: {error}") from None
        return settings


def _refused(key_variable: str) -> str:
    if not key_variable:
        return "it may need a key: see key_variable in its settings"
    return f"look at the key in the environment variable {key_variable}, and at what it may still be used for"
