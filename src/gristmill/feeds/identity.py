"""Know an item again: by its id, its link, and its title with its description.

Each of these may mislead. Broken feeds give all their items one id, or the address of the site; others give an item a
new id each day. Items of a ticker share one link. "Letters to the editor" is a new item each week. So there are rules:

- A text that was there before is a *rebroadcast* if id or link are also the same, or if it is so long that nobody on
  the same site writes it twice. (Two newspapers that print the same agency have an item each.) Texts are compared
  without case, spaces and punctuation; those of descriptions and contents also without digits, since numbers of
  comments and times of day change while nobody corrects anything. A new date alone or new tracking parameters in the
  link make nothing new.
- Another text under the same id and link is a *correction*. If only one of these is the same, the texts must be alike,
  or the page the same. An item that was corrected very often changes by itself: then it has a version a day at most.
- Two items of one document are never versions of each other. An id or link that several items have, or that is the
  address of the site, counts little.
- What an item looks like in another feed is no correction, as one newspaper shows it with and without a summary. The
  feed that an item is from tells of its corrections, as long as it shows it; then the next one does.

In doubt it is another item: the corpus drops copies of texts anyway, but what is taken for a rebroadcast is lost.
"""

from __future__ import annotations

import enum
import re
import struct
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass

import xxhash

from gristmill.feeds.item import Item
from gristmill.feeds.plain_text import plain_text
from gristmill.fetching.urls import normalise
from gristmill.text.words import count_words

_LONG_TEXT = 150  # letters of title and description that nobody writes twice
_FEW_WORDS = 4  # fewer than these may be the title of many items
_DATED_WORDS = 6  # and a date to the second
_MAX_COMPARED = 2_000  # letters of title and description that are compared for likeness
_MAX_CONTENT = 1_000_000  # characters of the plain text of the content
_TRIGRAMS = 48  # kept of a text: those with the smallest hashes, a random sample that is the same for like texts
_ALIKE_SHARE = 0.3  # of the trigrams of two texts
_FEW_VERSIONS = 20  # of an item; more of them come at most once a day
_DAY_SECONDS = 72_000.0  # a little less than a day, since jobs don't start to the second
_GLOBAL_ID = re.compile(r"https?://|urn:|tag:|[0-9a-f]{8}-[0-9a-f]{4}-|[0-9a-f]{32}", re.IGNORECASE)


class Relation(enum.Enum):
    """What an item is to one that is known."""

    OTHER = enum.auto()
    REBROADCAST = enum.auto()
    CORRECTION = enum.auto()
    LATER = enum.auto()
    """It is a correction, but there were so many that this one can wait."""


@dataclass(frozen=True, slots=True)
class Marks:
    """By what an item may be known again: hashes, 0 for what it does not have."""

    whole: int
    """Of all that it says, as it is."""
    id: int
    """An item that has neither id nor link is known by its title."""
    link: int
    text: int
    page: int
    """The link without its query."""
    host: int
    """Of the link."""
    published: str
    trigrams: frozenset[int]
    """A sample of the trigrams of title and description."""
    words: int
    """Of title and description."""
    is_long: bool
    """Whether nobody writes this text twice."""


@dataclass(frozen=True, slots=True)
class Known:
    """An item that is known, as far as it is needed to compare another with it."""

    version: int
    seconds: float
    """Since its last version came."""
    has_id: bool
    page: int
    host: int
    published: str
    trigrams: frozenset[int]
    seen_here: bool
    """Whether the feed at hand had it before."""
    corrects: bool
    """Whether the feed at hand tells of its corrections."""
    claimed: bool
    """Whether another item of the same document is this one."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Which marks an item shares with one that is known, and which of these can be relied on."""

    id: bool = False
    link: bool = False
    text: bool = False
    sure_id: bool = False
    sure_link: bool = False


def whole_of(item: Item) -> int:
    """Return a hash of all that an item says, but for its dates."""
    return _hash("whole", item.id, item.link, item.title, item.description, item.content, item.author)


def marks_of(item: Item, feed: str) -> Marks:
    """Return the marks of an item of a feed."""
    title, description = _letters(item.title, digits=True), _letters(item.description)
    content = _letters(plain_text(item.content, _MAX_CONTENT)) if item.content else ""
    page = _bare(item.link).partition("?")[0]
    given = item.id, _bare(item.link)
    return Marks(
        whole_of(item),
        id_mark(item.id, feed) if item.id or item.link else _hash("title", title, feed) if title else 0,
        _hash("link", _bare(item.link)) if item.link else 0,
        _hash("text", title, description, content) if title or description or content else _hash("none", *given),
        _hash("page", page) if page else 0,
        _hash("host", page.partition("/")[0]) if page else 0,
        item.published,
        _sample(title + description),
        count_words(f"{item.title} {item.description}"),
        len(title) + len(description) >= _LONG_TEXT and bool(description),
    )


def id_mark(written: str, feed: str) -> int:
    """Return the hash of an id: addresses and universally unique ones are the same in all feeds, others in one."""
    if not written:
        return 0
    address = normalise(written)
    if address:
        return _hash("id", _bare(address), written.partition("#")[2])
    return _hash("id", written, "" if _GLOBAL_ID.match(written) else feed)


def is_no_mark(address: str, site: Collection[str]) -> bool:
    """Tell whether an id or link is that of a whole site and so of no item: a front page, or one of these addresses."""
    bare = _bare(normalise(address))
    return bool(bare) and ("/" not in bare or bare in {_bare(one) for one in site})


def relation(item: Marks, known: Known, by: Evidence) -> Relation:
    """Tell what an item is to one that is known and shares a mark with it."""
    if by.text:
        return Relation.REBROADCAST if _is_same_text_again(item, known, by) else Relation.OTHER
    if not known.corrects and by.link and by.sure_link:
        return Relation.REBROADCAST
    alike = are_alike(item.trigrams, known.trigrams)
    if known.claimed or not _is_corrected(item, known, by, alike):
        return Relation.OTHER
    if not known.corrects:
        return Relation.REBROADCAST
    often = known.version >= _FEW_VERSIONS and known.seconds < _DAY_SECONDS
    return Relation.LATER if often else Relation.CORRECTION


def _is_same_text_again(item: Marks, known: Known, by: Evidence) -> bool:
    if by.id and by.link:
        return True
    same_second = bool(item.published) and item.published == known.published and item.words >= _DATED_WORDS
    same_site = known.seen_here or not item.host or not known.host or item.host == known.host
    if same_site and (item.is_long or same_second):
        return True
    if by.id and by.sure_id:
        return not item.page or not known.page or item.page == known.page
    other_id = bool(item.id) and known.has_id
    return by.link and by.sure_link and (not other_id or item.words >= _FEW_WORDS)


def _is_corrected(item: Marks, known: Known, by: Evidence, alike: bool) -> bool:
    if by.link and by.sure_link:
        return alike or by.id
    if by.id and by.sure_id:
        if item.page and known.page:
            return item.page == known.page or (alike and item.published == known.published)
        return alike
    return by.id and by.link and alike


def are_alike(first: Collection[int], second: Collection[int]) -> bool:
    """Tell whether two texts have much in common, by samples of their trigrams."""
    joined = sorted({*first, *second})[:_TRIGRAMS]
    both = {*first} & {*second}
    return bool(joined) and sum(number in both for number in joined) >= _ALIKE_SHARE * len(joined)


def pack(trigrams: Collection[int]) -> bytes:
    """Return a sample of trigrams as it is stored."""
    return struct.pack(f"<{len(trigrams)}I", *sorted(trigrams))


def unpack(stored: bytes) -> frozenset[int]:
    """Read what `pack` wrote."""
    return frozenset(struct.unpack(f"<{len(stored) // 4}I", stored[: len(stored) // 4 * 4]))


def key_of_item(item: Item, feed: str) -> str:
    """Return the key that a new item gets, which is the same wherever and whenever it is new."""
    said = ("key", _bare(item.link)) if item.link else ("key", feed, item.id or f"{item.title}\0{item.description}")
    return f"{_hash(*said) % (1 << 64):016x}"


def _sample(letters: str) -> frozenset[int]:
    letters = letters[:_MAX_COMPARED]
    trigrams = {letters[at : at + 3] for at in range(max(1, len(letters) - 2))} - {""}
    return frozenset(sorted(xxhash.xxh32_intdigest(trigram.encode()) for trigram in trigrams)[:_TRIGRAMS])


def _bare(address: str) -> str:
    """Return a normalised address without scheme, `www.` and a slash at its end."""
    return address.partition("://")[2].removeprefix("www.").rstrip("/")


class _Kept(dict[int, int | None]):
    """A table for `str.translate` that leaves out characters of some categories (`P` is punctuation)."""

    def __init__(self, left_out: str) -> None:
        super().__init__()
        self._left_out = left_out

    def __missing__(self, code: int) -> int | None:
        kept = None if unicodedata.category(chr(code))[0] in self._left_out else code
        self[code] = kept
        return kept


_LETTERS, _LETTERS_AND_DIGITS = _Kept("PSZCN"), _Kept("PSZC")


def _letters(text: str, *, digits: bool = False) -> str:
    """Return the letters of a text, folded, and its digits if they count."""
    return unicodedata.normalize("NFKC", text).casefold().translate(_LETTERS_AND_DIGITS if digits else _LETTERS)


def _hash(*parts: str) -> int:
    """Return a 64-bit hash, signed, as SQLite has integers; never 0."""
    key = xxhash.xxh3_64_intdigest("\0".join(parts).encode("utf-8", "replace"))
    return (key - (1 << 64) if key >> 63 else key) or 1
