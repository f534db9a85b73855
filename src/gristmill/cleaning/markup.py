"""The markup of a page: its tags as columns, for all that reads tags. `scan` finds them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.cleaning.uncompiled.markup import NO_TAG
from gristmill.cleaning.uncompiled.markup import scan as scan_arrays
from gristmill.kernel import COMPILED, find_raw_texts, find_telling, tokenise
from gristmill.kernel.elements import CODES
from gristmill.kernel.rows import CLOSING, CODE, END, MAX_BYTES, START, TEXT
from gristmill.text.units import count_characters

__all__ = ["NO_TAG", "Markup", "Tags", "markup_of", "scan"]

_TITLE, _SCRIPT = CODES["title"], CODES["script"]
_Places = npt.NDArray[np.int32] | Ints


class Markup(Protocol):
    """The markup of a page as columns: an item for each tag, comment or doctype, in order; places are in bytes.

    For `a<b>c</b>` they are starts [1, 5], ends [4, 9], codes [CODES["b"]] * 2, closing [False, True].
    """

    @property
    def data(self) -> bytes:
        """The bytes in which the tags stand: not all of the page, where raw text is cut out (`places_in_source`)."""

    @property
    def starts(self) -> _Places:
        """Where the `<` stands."""

    @property
    def ends(self) -> _Places:
        """The first byte behind the `>`."""

    @property
    def text_starts(self) -> _Places:
        """Where text goes on behind each tag: behind the whole element if that holds raw text, such as a script."""

    @property
    def codes(self) -> npt.NDArray[np.int16] | npt.NDArray[np.int32]:
        """The code of the name, as in `CODES`; 0 for other names, `NO_TAG` for what is not a tag."""

    @property
    def closing(self) -> Flags:
        """Whether it is an end tag."""

    @property
    def titles(self) -> list[tuple[int, bytes]]:
        """The content of `title` elements, each with the number of its tag."""

    @property
    def scripts(self) -> list[bytes]:
        """The content of `script` elements."""

    def places_in_source(self) -> tuple[_Places, _Places, _Places]:
        """Return starts, ends and text starts as places in the page."""

    def scripts_of_type(self, word: bytes) -> list[bytes]:
        """Return the content of those `script` elements in whose start tag this word stands."""

    def start_tags(self, wanted: Flags) -> list[tuple[int, int, int]]:
        """Return the start tags whose codes are wanted: code, start and end."""

    def telling_tags(self, wanted: Flags) -> list[tuple[int, int, int, int]]:
        """Return the start tags whose codes are wanted, or that have `itemprop`, `datetime` or a telling `rel`.

        For each its number, code, start and end.
        """


@dataclass(slots=True)
class Tags:
    """The markup of a page as the kernel finds it; each column is a row of `tags`, see `gristmill.kernel.rows`."""

    data: bytes
    tags: npt.NDArray[np.int32]
    _found: list[tuple[int, int, int, int, int]] | None = field(default=None, repr=False, compare=False)
    _of_type: dict[bytes, list[bytes]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def starts(self) -> npt.NDArray[np.int32]:
        """Where the `<` stands."""
        return self._row(START)

    @property
    def ends(self) -> npt.NDArray[np.int32]:
        """The first byte behind the `>`."""
        return self._row(END)

    @property
    def text_starts(self) -> npt.NDArray[np.int32]:
        """Where text goes on behind each tag."""
        return self._row(TEXT)

    @property
    def codes(self) -> npt.NDArray[np.int32]:
        """The code of the name."""
        return self._row(CODE)

    @property
    def closing(self) -> Flags:
        """Whether it is an end tag."""
        return self._row(CLOSING).astype(np.bool_)

    @property
    def titles(self) -> list[tuple[int, bytes]]:
        """The content of `title` elements, each with the number of its tag."""
        return self._contents(_TITLE)

    @property
    def scripts(self) -> list[bytes]:
        """The content of `script` elements."""
        return [script for _, script in self._contents(_SCRIPT)]

    def places_in_source(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Return the places as they are: `data` is the page."""
        return self.starts, self.ends, self.text_starts

    def scripts_of_type(self, word: bytes) -> list[bytes]:
        """Return the content of those `script` elements in whose start tag this word stands; others are not copied."""
        if word not in self._of_type:
            data, shortest = self.data, len(b"<script>") + len(word)
            self._of_type[word] = [
                data[begin:end]
                for _, code, start, begin, end in self._raw_texts()
                if code == _SCRIPT and begin - start > shortest and data.find(word, start, begin) >= 0
            ]
        return self._of_type[word]

    def start_tags(self, wanted: Flags) -> list[tuple[int, int, int]]:
        """Return the start tags whose codes are wanted: code, start and end."""
        found = np.flatnonzero(wanted.take(self.tags[CODE]))
        codes, closing = self.tags[CODE : CLOSING + 1].take(found, axis=1).tolist()
        starts, ends = self.tags[START : END + 1].take(found, axis=1).tolist()
        return [
            (code, start, end)
            for code, start, end, is_closing in zip(codes, starts, ends, closing, strict=True)
            if not is_closing
        ]

    def telling_tags(self, wanted: Flags) -> list[tuple[int, int, int, int]]:
        """Return the start tags whose codes are wanted, or that may tell something: number, code, start and end."""
        return find_telling(self.tags, wanted.view(np.uint8))

    def _row(self, row: int) -> npt.NDArray[np.int32]:
        places: npt.NDArray[np.int32] = self.tags[row]
        return places

    def _contents(self, code: int) -> list[tuple[int, bytes]]:
        """Return the raw text of these elements, each with the number of its tag."""
        return [(tag, self.data[start:end]) for tag, its, _, start, end in self._raw_texts() if its == code]

    def _raw_texts(self) -> list[tuple[int, int, int, int, int]]:
        """Find the titles and scripts, once: number, code and start of the tag, start and end of the content."""
        if self._found is None:
            self._found = find_raw_texts(self.tags)
        return self._found


def scan(data: bytes) -> Markup:
    """Find the markup of a page in UTF-8."""
    if len(data) > MAX_BYTES:
        raise OverflowError(f"a page of {len(data):,} bytes is too large: it may have {MAX_BYTES:,}")
    return Tags(data, tokenise(data)) if COMPILED else scan_arrays(data)


def markup_of(source: str | bytes) -> tuple[Markup, int]:
    """Find the markup of an HTML page, and how many characters the page has with Unix line ends.

    Bytes are those of a page in UTF-8 that has been decoded and so is tidy.
    """
    if isinstance(source, bytes):
        return scan(source), count_characters(source)
    data = source.encode("utf-8", "replace")
    if b"\r" in data or b"\0" in data:
        source = source.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
        data = source.encode("utf-8", "replace")
    return scan(data), len(source)
