"""Where a page links to, and its translations as it declares them: `hreflang`, HTTP headers, language switchers.

A language switcher is a link whose text is the name of a language. Its name in the language itself ("Deutsch") is
believed. A code ("DE") or its name in another language ("German") may be a heading as any other, so there must be a
second language next to it, or the code in the address.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import resources
from urllib.parse import urljoin, urlsplit

import numpy as np

from gristmill.cleaning.markup import Markup, Tags
from gristmill.columns import Int32
from gristmill.document import Addresses, Alternate
from gristmill.kernel import find_links, join_links, resolve
from gristmill.kernel.rows import CLOSING, CODE, COMPLETE, END, LINK_KIND, LINK_ROWS, START, UNUSUAL

MAX_ALTERNATES = 500
"""Translations of a page that are kept, the first ones; the largest of all sites has some 350 languages."""
MAX_CHARACTERS = 1000
"""Characters of an address that is kept; one that is longer is left out."""
_MAX_HEADER_CHARACTERS = 20_000
_NEAR = 3
"""Telling links within which a code or a foreign name needs another language."""
_CODE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}")
_BARE_CODE = re.compile(r"[a-z]{2}")
_LINK_VALUE = re.compile(r"<([^<>]*)>((?:[^<,\"]|\"[^\"]*\")*)")
_LINK_LANGUAGE = re.compile(r";\s{0,9}hreflang\s{0,9}=\s{0,9}\"?([A-Za-z0-9_-]{2,40})", re.IGNORECASE)
_LINK_RELATION = re.compile(r";\s{0,9}rel\s{0,9}=\s{0,9}\"?[^;\"]{0,60}\balternate\b", re.IGNORECASE)
_NO_CODES = frozenset(("xx", "x"))
_DOTS = re.compile(r"(?:^|/)\.\.?(?:/|$|\?)")
_LINE_ENDS = re.compile(r"[\t\n\r\f]+")
_WEB = ("http://", "https://")


def _no_spans() -> Int32:
    return np.zeros((LINK_ROWS, 0), np.int32)


@dataclass(slots=True)
class Links:
    """The links of a page as they are written."""

    data: bytes = b""
    """The page."""
    spans: Int32 = field(default_factory=_no_spans)
    """Where addresses stand in it, without what is behind a `#`, and what is put before them: see `find_links`."""
    telling: list[tuple[bytes, bytes, bytes]] = field(default_factory=list)
    """Links that tell a language: address, `hreflang`, and the name of a language that is the text."""
    base: bytes = b""
    """What they are relative to, if it is not the page."""


def read_links(markup: Markup) -> Links:
    """Find the links of a page."""
    names = _names()
    if isinstance(markup, Tags):
        codes, closing, starts, ends = (markup.tags[row] for row in (CODE, CLOSING, START, END))
    else:
        rows = (markup.codes, markup.closing, markup.starts, markup.ends)
        codes, closing, starts, ends = (row.astype(np.int32, copy=False) for row in rows)
    spans, telling, base, _ = find_links(markup.data, codes, closing, starts, ends, names.written, names.bounds)
    return Links(markup.data, spans, telling, base)


def absolute_links(links: Links, url: str) -> Addresses:
    """Return the addresses that a page with this address links to, in its order, each once and without itself."""
    base, data, spans = _Base.of(links, url), links.data, links.spans
    unusual = []
    for start, end in spans[:LINK_KIND, spans[LINK_KIND] == UNUSUAL].T.tolist():
        unusual.append(base.join(data[start:end].decode("utf-8", "replace")).encode("utf-8", "replace"))
    if not base.url:
        spans = spans[:, spans[LINK_KIND] <= COMPLETE]
    return Addresses(
        *join_links(data, np.ascontiguousarray(spans), base.before, unusual, url.encode("utf-8", "replace"))
    )


def alternates_of(links: Links, url: str, headers: Mapping[str, str] | None = None) -> list[Alternate]:
    """Return the translations that a page declares, each address once for each language."""
    header = headers.get("link", "") if headers else ""
    if not links.telling and not header:
        return []
    found: dict[tuple[str, str], None] = {}
    base = _Base.of(links, url)
    for lang, address in (*_declared(links), *_in_header(header), *_switchers(links)):
        joined = base.join(address)
        if joined:
            found[lang, joined] = None
            if len(found) == MAX_ALTERNATES:
                break
    return [Alternate(lang, address) for lang, address in found]


def language_code(written: str) -> str:
    """Return a code of a language in lower case with dashes, as `en` or `pt-br`; empty if it is none."""
    code = written.strip().lower().replace("_", "-")
    return code if _CODE.fullmatch(code) and code not in _NO_CODES else ""


def _declared(links: Links) -> Iterator[tuple[str, str]]:
    """Yield what `hreflang` says: languages and addresses."""
    for address, written, _ in links.telling:
        if written and (code := language_code(written.decode("utf-8", "replace"))):
            yield code, address.decode("utf-8", "replace")


def _in_header(header: str) -> Iterator[tuple[str, str]]:
    """Yield what a `Link` header says (RFC 8288)."""
    for match in _LINK_VALUE.finditer(header[:_MAX_HEADER_CHARACTERS]) if "hreflang" in header.lower() else ():
        lang = _LINK_LANGUAGE.search(match[2])
        if lang and _LINK_RELATION.search(match[2]) and (code := language_code(lang[1])):
            yield code, match[1].strip()


def _switchers(links: Links) -> Iterator[tuple[str, str]]:
    """Yield the links whose text is the name of a language."""
    names = _names()
    told = [
        (names.languages[label], label in names.own, address.decode("utf-8", "replace"))
        for address, written, label in links.telling
        if label and not written
    ]
    for place, (lang, is_own, address) in enumerate(told):
        near = told[max(place - _NEAR, 0) : place + _NEAR + 1]
        if is_own or any(other != lang for other, _, _ in near) or _has_code(address, lang):
            yield lang, address


def _has_code(address: str, lang: str) -> bool:
    """Tell whether the code of a language is a part of an address, between marks."""
    return lang in re.split(r"[^a-z0-9]+", address.lower())


@dataclass(frozen=True, slots=True)
class _Names:
    """The names of languages, as the kernel finds them: UTF-8, in lower case as far as it is ASCII."""

    languages: dict[bytes, str]
    own: frozenset[bytes]
    written: frozenset[bytes]
    bounds: bytes
    """A table of first and last bytes: 1 at `first * 256 + last` if a name has these, or a reference may be one."""


@functools.cache
def _names() -> _Names:
    """Read the names of languages, with the ways to write their capitals, and two-letter codes."""
    languages: dict[bytes, str] = {}
    own: set[bytes] = set()
    lines = resources.files(__package__).joinpath("languages.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    for code, of_its_own, others in rows:
        for name in of_its_own.split("|"):
            own.update(_ways_to_write(name))
        for name in (*of_its_own.split("|"), *others.split("|")):
            languages.update(dict.fromkeys(_ways_to_write(name), code))
    for code, _, _ in rows:
        if _BARE_CODE.fullmatch(code):
            languages.setdefault(code.encode(), code)
    return _Names(languages, frozenset(own), frozenset(languages), _bounds(languages))


def _bounds(names: Iterable[bytes]) -> bytes:
    """Make the table of the first and last bytes of names, in small letters and in capitals."""
    table = np.zeros((256, 256), np.uint8)
    for name in names:
        for first in (name[:1], name[:1].upper()):
            for last in (name[-1:], name[-1:].upper()):
                table[first[0], last[0]] = 1
    table[ord("&")] = table[:, ord(";")] = 1
    return table.tobytes()


def _ways_to_write(name: str) -> set[bytes]:
    """Return a name in small and capital letters; ASCII is always small."""
    if name.isascii():
        return {name.encode()} if name else set()
    return {way.encode().lower() for way in (name, name.capitalize(), name.title(), name.upper())}


@dataclass(frozen=True, slots=True)
class _Base:
    """The address that others are relative to, in parts."""

    url: str
    protocol: str = ""
    origin: str = ""
    folder: str = ""
    path: str = ""

    @classmethod
    def of(cls, links: Links, url: str) -> _Base:
        """Take the address of a page, or the base that it gives, apart."""
        if links.base and len(links.base) <= MAX_CHARACTERS:
            written = resolve(links.base, in_attribute=True).decode("utf-8", "replace").strip()
            url = _joined(url, written) or url
        try:
            parts = urlsplit(url)
        except ValueError:
            return cls("")
        if (
            len(url) > MAX_CHARACTERS
            or parts.scheme not in ("http", "https", "file")
            or (parts.scheme != "file" and not parts.netloc)
        ):
            return cls("")
        origin = f"{parts.scheme}://{parts.netloc}"
        path = parts.path or "/"
        return cls(url, f"{parts.scheme}:", origin, origin + path[: path.rfind("/") + 1], origin + path)

    @property
    def before(self) -> tuple[bytes, bytes, bytes, bytes, bytes]:
        """What is put before an address of each kind: see `gristmill.kernel.page_links`."""
        return b"", b"", self.protocol.encode(), self.origin.encode(), self.folder.encode()

    def join(self, written: str) -> str:
        """Make an address absolute as browsers do, in most cases by the first characters; empty if it is none."""
        if "&" in written:
            resolved = resolve(written.encode("utf-8", "replace"), in_attribute=True)
            written = resolved.decode("utf-8", "replace").strip()
        if "#" in written:
            written = written.partition("#")[0]
        if "\n" in written or "\t" in written or "\r" in written:
            written = _LINE_ENDS.sub("", written)
        if " " in written:
            written = written.replace(" ", "%20")
        if "." in written and _DOTS.search(written):
            joined = _joined(self.url, written)
        elif written.startswith(_WEB):
            joined = written if written.find("/", len("https://")) > 0 else _joined("", written)
        elif written[:1] == "/":
            joined = self.protocol + written if written[1:2] == "/" else self.origin + written
            joined = joined if self.protocol else ""
        elif written[:1] == "?":
            joined = self.path + written if self.path else ""
        elif ":" in written.partition("/")[0]:
            joined = _joined(self.url, written)
        else:
            joined = self.folder + written if self.folder and written else ""
        return joined if len(joined) <= MAX_CHARACTERS and joined.isprintable() else ""


def _joined(base: str, written: str) -> str:
    """Join addresses by the standard; empty if that gives no address of the web, or of a file beside a file."""
    try:
        joined = urljoin(base, written)
        parts = urlsplit(joined)
    except ValueError:  # a bracket where none may be
        return ""
    if parts.scheme == "file":
        return joined if base.startswith("file:") else ""
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return ""
    return (parts if parts.path else parts._replace(path="/")).geturl()
