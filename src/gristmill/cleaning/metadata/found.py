"""What was found of the metadata of a page, with the source of each field."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from gristmill.kernel import resolve
from gristmill.text.characters import CONTROLS

MAX_CHARACTERS = 2000
"""Characters of a value that are kept: what is longer is no metadata, and hostile pages have megabytes."""
MAX_ITEMS = 50
"""Categories and keywords that are kept."""
_UNREADABLE = re.compile(f"[{re.escape(CONTROLS)}\u2028\u2029]+")


@dataclass(slots=True)
class Metadata:
    """Metadata of a page as it gives them itself; empty where it gives none."""

    title: str = ""
    headline: str = ""
    """The headline of its text, without the name of the site that titles often have."""
    canonical: str = ""
    """The address under which the page wants to be known."""
    lang: str = ""
    """The language that `<html lang>` or `Content-Language` names, as written there."""
    author: str = ""
    """Its authors, with `; ` between them."""
    date: str = ""
    """When the page was published, in ISO 8601."""
    modified: str = ""
    """When it was changed last, in ISO 8601."""
    site_name: str = ""
    description: str = ""
    categories: list[str] = field(default_factory=list)
    keywords: list[str] = field(default_factory=list)
    licence: str = ""
    """The address of its licence, or what the page says of its rights."""
    image: str = ""
    comment_count: int = 0
    """The number of comments that schema.org's `commentCount` gives."""
    body_length: int = 0
    """Characters of schema.org's `articleBody`, which is the text of the page; 0 if it is not given."""
    sources: dict[str, str] = field(default_factory=dict)
    """Where the value of each field comes from."""
    doubtful: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Values that count only if nothing better is found, by field: the value and its source."""

    def put(self, name: str, value: str, source: str) -> None:
        """Give a field a value, unless it has one or this one is empty."""
        if value and not getattr(self, name):
            setattr(self, name, value[:MAX_CHARACTERS])
            self.sources[name] = source

    def put_all(self, name: str, values: list[str], source: str) -> None:
        """Give a field of several values, without those that are empty or there twice, unless it has some."""
        if values and not getattr(self, name):
            some = list(dict.fromkeys(value[:MAX_CHARACTERS] for value in values if value))[:MAX_ITEMS]
            if some:
                setattr(self, name, some)
                self.sources[name] = source

    def doubt(self, name: str, value: str, source: str) -> None:
        """Note a value that counts only if nothing better is found; the first one stays."""
        if value:
            self.doubtful.setdefault(name, (value[:MAX_CHARACTERS], source))


def licence(address: str) -> str:
    """Return the address of a licence; empty if it is that of a page about privacy, which some sites link so."""
    return "" if "privacy" in address.lower() else address


def plain(value: bytes, *, in_attribute: bool = True) -> str:
    """Decode an attribute or a title: character references resolved, white space folded."""
    return " ".join(resolve(value, in_attribute).decode("utf-8", "replace").split())


def readable(value: object) -> str:
    """Return text that is safe to store, of a value of JSON that may be of any type; empty if it is no text."""
    if not isinstance(value, str) or not value:
        return ""
    text = value[: 4 * MAX_CHARACTERS]
    if not text.isprintable():
        text = _UNREADABLE.sub(" ", text)
    return plain(text.encode("utf-8", "replace"), in_attribute=False)
