"""Find the role of each block of a page: see `gristmill.roles`, and `cleaning.role_words` for the words that are known.

The page `<h1>Mills</h1><div class=byline>By A. Miller</div><p>They grind...<div class=comments><p>I saw one.</div>`
has four blocks, whose roles are title, byline, text and comment. They are found in steps:

    scan        what the words of each text say                   `By`: says who wrote the text
    claim       what each element says by its name and names      `comments`: says that readers wrote what is in it
    find_main   the element that holds most text
    regions     which of these claims hold: an element with all the text of the page is no advertisement
    decide      the role of each block, by the region and the elements that it is in, its text, and blocks like it
    join        headings go with what they head
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from gristmill.kernel.elements import CODES, NAMES
from gristmill.kernel.role_rows import (
    ABOUT_AD,
    ABOUT_COMMENT,
    ABOUT_COOKIE,
    ABOUT_DATE,
    ABOUT_LOGIN,
    ABOUT_MORE,
    ABOUT_NEWS,
    ABOUT_PICTURE,
    ABOUT_READING,
    ABOUT_RELATED,
    ABOUT_RIGHTS,
    ABOUT_SHARING,
    ABOUT_TAGS,
    ABOUT_WRITER,
    ABOUT_WRITING,
    BLOCK_HOLDER,
    BLOCK_KIND,
    BLOCK_LINK_WORDS,
    BLOCK_LINKS,
    BLOCK_PATH,
    BLOCK_ROW,
    BLOCK_WORDS,
    BYLINE,
    CAPTION,
    CODE,
    COMMENT,
    ELEMENT_CODE,
    ELEMENT_END,
    ELEMENT_FIRST,
    ELEMENT_NAMES,
    ELEMENT_PARENT,
    FORM,
    HAS_COLON,
    HAS_COPYRIGHT,
    HAS_YEAR,
    HEADING,
    IS_OF_CODE,
    KIND_HEADING,
    KIND_LIST_ITEM,
    LIST,
    NAVIGATION,
    NOTICE,
    QUOTE,
    SAYS_ASIDE,
    SAYS_BYLINE,
    SAYS_CAPTION,
    SAYS_CODE,
    SAYS_COMMENT,
    SAYS_FIGURE,
    SAYS_FOOTER,
    SAYS_FORM,
    SAYS_HEADER,
    SAYS_HEADING,
    SAYS_MAIN,
    SAYS_NAVIGATION,
    SAYS_NOTICE,
    SAYS_QUOTE,
    SAYS_SURELY,
    SAYS_TEASER,
    SAYS_TITLE,
    TABLE,
    TEASER,
    TEXT,
    TITLE,
)

_Int32 = npt.NDArray[np.int32]

HASH_PRIME = 16777619
HASH_BITS = 0x7FFFFFFF
MAX_SCANNED = 320  # bytes at the beginning of each text
MAX_SHORT = 30  # words of a text that is judged by its words
MIN_LONG = 15  # words of running text
NONE = -1

_TAGS = {
    "nav": SAYS_NAVIGATION | SAYS_SURELY,
    "menu": SAYS_NAVIGATION,
    "header": SAYS_HEADER,
    "footer": SAYS_FOOTER,
    "aside": SAYS_ASIDE,
    "form": SAYS_FORM,
    "select": SAYS_FORM | SAYS_SURELY,
    "option": SAYS_FORM | SAYS_SURELY,
    "textarea": SAYS_FORM | SAYS_SURELY,
    "fieldset": SAYS_FORM,
    "legend": SAYS_FORM,
    "search": SAYS_FORM,
    "figure": SAYS_FIGURE,
    "figcaption": SAYS_CAPTION | SAYS_SURELY,
    "caption": SAYS_CAPTION | SAYS_SURELY,
    "blockquote": SAYS_QUOTE,
    "pre": SAYS_CODE,
    "xmp": SAYS_CODE,
    "listing": SAYS_CODE,
    "plaintext": SAYS_CODE,
    "address": SAYS_BYLINE,
    "main": SAYS_MAIN,
    "article": SAYS_MAIN,
    "h1": SAYS_HEADING,
    "h2": SAYS_HEADING,
    "h3": SAYS_HEADING,
    "h4": SAYS_HEADING,
    "h5": SAYS_HEADING,
    "h6": SAYS_HEADING,
}
TAG_SAYS = np.array([_TAGS.get(name, 0) for name in NAMES], np.int32)
"""What each element says by its own name."""
H1_CODE = CODES["h1"]
H2_CODE = CODES["h2"]


def word_table(words: Mapping[bytes, int]) -> tuple[_Int32, _Int32]:
    """Make the table in which words, in small letters as far as they are ASCII, are found by their hash.

    One array has the hashes, the other what the words say.
    """
    size = 64
    while size < 4 * len(words):
        size *= 2
    keys, values = np.zeros(size, np.int32), np.zeros(size, np.int32)
    for word, says in words.items():
        number = _hash(word, 0, len(word))
        at = number & (size - 1)
        while keys[at] and keys[at] != number:
            at = (at + 1) & (size - 1)
        keys[at] = number
        values[at] |= says
    return keys, values


def _hash(data: bytes, at: int, end: int) -> int:
    """Return a hash of some bytes that is not 0, capitals of ASCII being the same as small letters."""
    number = 0
    for place in range(at, end):
        byte = data[place]
        if 65 <= byte <= 90:
            byte += 32
        number = (number ^ byte) * HASH_PRIME & HASH_BITS
    number = (number ^ number >> 15) & HASH_BITS
    return number if number else 1


def find_roles(
    blocks: _Int32,
    elements: _Int32,
    names: _Int32,
    data: bytes,
    offsets: _Int32,
    title: bytes,
    keys: _Int32,
    values: _Int32,
) -> _Int32:
    """Return the role of each block, as its number in `ROLES`.

    `blocks` and `elements` have the rows that `role_rows` names, `names` what each of the texts of names says; the
    texts of blocks are given by data and offsets, and known words by the two arrays of `word_table`.
    """
    found = np.full(blocks.shape[1], TEXT, np.int32)
    if blocks.shape[1]:
        page = _Page(blocks, elements, names, found)
        page.read_title(title)
        page.scan(data, offsets, keys, values)
        page.claim()
        page.add_up()
        page.find_title()
        page.find_main()
        page.find_regions()
        page.find_groups()
        page.decide()
        page.join()
    return found


class _Page:
    """A page, and what is found of it step by step."""

    def __init__(self, blocks: _Int32, elements: _Int32, names: _Int32, found: _Int32) -> None:
        self.blocks = blocks
        self.elements = elements
        self.names = names
        self.found = found
        self.size = blocks.shape[1]
        self.number = elements.shape[1]
        self.says = np.zeros(self.size, np.int32)  # all words of a text
        self.first = np.zeros(self.size, np.int32)  # its first word
        self.tokens = np.zeros(self.size, np.int32)  # how many words were read
        self.known = np.zeros(self.size, np.int32)  # how many of them are numbers, or about the author or date
        self.titled = np.zeros(self.size, np.int32)  # how many of them are in the title of the page
        self.claims = np.zeros(self.number, np.int32)
        self.around = np.zeros(self.number, np.int32)
        self.region = np.full(self.number, NONE, np.int32)
        self.sums = np.zeros((4, self.size + 1), np.int64)
        self.groups = np.zeros((3, int(np.max(blocks[BLOCK_PATH])) + 1), np.int64)
        self.title_keys = np.zeros(64, np.int32)
        self.title_words = 0
        self.headline = NONE
        self.main = 0
        self.opening = 0  # the first long text in the main element
        self.closing = 0  # the last one

    def read_title(self, title: bytes) -> None:
        """Note the words of the title of the page."""
        size = 64
        while size < 2 * len(title):
            size *= 2
        self.title_keys = np.zeros(size, np.int32)
        keys = self.title_keys
        at, end = 0, len(title)
        while at < end:
            stop = _end_of_token(title, at, end)
            if stop == at:
                at += 1
                continue
            number = _hash(title, at, _reach(title, at, stop, end))
            place = number & (size - 1)
            while keys[place] and keys[place] != number:
                place = (place + 1) & (size - 1)
            keys[place] = number
            self.title_words += 1
            at = stop

    def scan(self, data: bytes, offsets: _Int32, keys: _Int32, values: _Int32) -> None:
        """Read the words at the beginning of each text."""
        for at in range(self.size):
            self.scan_text(at, data, offsets[at], offsets[at + 1], keys, values)

    def scan_text(self, block: int, data: bytes, at: int, end: int, keys: _Int32, values: _Int32) -> None:
        """Read the words at the beginning of a text."""
        tokens = known = titled = says = first = signs = 0
        mask = keys.shape[0] - 1
        title_mask = self.title_keys.shape[0] - 1
        begin = at
        end = min(end, at + MAX_SCANNED)
        while at < end:
            byte = data[at]
            stop = _end_of_token(data, at, end)
            if stop == at:
                if byte == 123 or byte == 125 or byte == 59 or byte == 61 or byte == 34 or byte == 60:
                    signs += 1
                elif byte == 58:
                    says |= HAS_COLON
                elif byte == 0xC2 and at + 1 < end and data[at + 1] == 0xA9:
                    says |= HAS_COPYRIGHT
                at += 1
                continue
            tokens += 1
            about = 0
            if 48 <= byte <= 57:
                known += 1
                if stop - at == 4 and (byte == 49 and data[at + 1] == 57 or byte == 50 and data[at + 1] == 48):
                    says |= HAS_YEAR
            number = _hash(data, at, _reach(data, at, stop, end))
            place = number & mask
            while keys[place]:
                if keys[place] == number:
                    about = values[place]
                    break
                place = (place + 1) & mask
            says |= about
            if tokens == 1:
                first = about
            if about & (ABOUT_DATE | ABOUT_WRITER | ABOUT_WRITING | ABOUT_READING):
                known += 1
            if self.title_words:
                place = number & title_mask
                while self.title_keys[place]:
                    if self.title_keys[place] == number:
                        titled += 1
                        break
                    place = (place + 1) & title_mask
            at = stop
        if signs >= 6 and 8 * signs > tokens and end - begin > 60 or (signs > 2 and data[begin] == 123):
            says |= IS_OF_CODE
        self.says[block] = says
        self.first[block] = first
        self.tokens[block] = tokens
        self.known[block] = known
        self.titled[block] = titled

    def claim(self) -> None:
        """Note what each element says by its name, and its class and id."""
        for element in range(self.number):
            says = TAG_SAYS[self.elements[ELEMENT_CODE, element]]
            if element:
                says |= self.names[self.elements[ELEMENT_NAMES, element]]
            self.claims[element] = says

    def is_long(self, at: int) -> bool:
        """Tell whether a block is running text."""
        words = self.blocks[BLOCK_WORDS, at]
        return words >= MIN_LONG and 3 * self.blocks[BLOCK_LINK_WORDS, at] < words

    def add_up(self) -> None:
        """Add up words, words in links, words of running text, and links from the beginning of the page."""
        sums, blocks = self.sums, self.blocks
        for at in range(self.size):
            words = blocks[BLOCK_WORDS, at]
            sums[0, at + 1] = sums[0, at] + words
            sums[1, at + 1] = sums[1, at] + min(words, blocks[BLOCK_LINK_WORDS, at])
            sums[2, at + 1] = sums[2, at] + (words if self.is_long(at) else 0)
            sums[3, at + 1] = sums[3, at] + blocks[BLOCK_LINKS, at]

    def inside(self, row: int, element: int) -> int:
        """Return the sum over the blocks in an element."""
        return (
            self.sums[row, self.elements[ELEMENT_END, element]] - self.sums[row, self.elements[ELEMENT_FIRST, element]]
        )

    def find_title(self) -> None:
        """Find the block with the headline: the heading that is most like the title of the page, or the first `h1`."""
        best = 0
        claimed = np.zeros(self.number, np.int32)
        for element in range(1, self.number):
            claimed[element] = claimed[self.elements[ELEMENT_PARENT, element]] | self.claims[element]
        away = SAYS_NAVIGATION | SAYS_COMMENT | SAYS_TEASER | SAYS_FORM | SAYS_FOOTER | SAYS_NOTICE | SAYS_ASIDE
        for at in range(self.size):
            holder = self.blocks[BLOCK_HOLDER, at]
            code, tokens = self.elements[ELEMENT_CODE, holder], self.tokens[at]
            is_heading = self.blocks[BLOCK_KIND, at] == KIND_HEADING
            says = claimed[holder]
            if tokens == 0 or tokens > 40 or not (is_heading or says & SAYS_TITLE):
                continue
            value = 0
            if 4 * self.titled[at] >= 3 * tokens and tokens > 1:
                value = 40 + 4 * min(self.titled[at], 12)
            if self.under(holder, H1_CODE):
                value += 30
            elif self.under(holder, H2_CODE):
                value += 12
            elif is_heading:
                value += 4
            if says & SAYS_TITLE:
                value += 6
            if says & SAYS_MAIN:
                value += 6
            if says & away:
                value -= 25
            if value > best:
                best = value
                self.headline = at
        if best < 30:
            self.headline = NONE

    def under(self, element: int, code: int) -> bool:
        """Tell whether an element or one of the next around it has this code."""
        for _ in range(3):
            if self.elements[ELEMENT_CODE, element] == code:
                return True
            element = self.elements[ELEMENT_PARENT, element]
        return False

    def find_main(self) -> None:
        """Find the element with most text, where short blocks and links count as negative, and what is by others not.

        Its first and last running text are where the text of the page begins and ends.
        """
        away = np.zeros(self.number, np.int32)
        mass = np.zeros(self.size + 1, np.int64)
        apart = SAYS_COMMENT | SAYS_NAVIGATION | SAYS_TEASER | SAYS_FOOTER
        for element in range(1, self.number):
            parent = self.elements[ELEMENT_PARENT, element]
            claims = self.claims[element]
            away[element] = away[parent] or (claims & apart and not self.holds_most(element))
        for at in range(self.size):
            words = self.blocks[BLOCK_WORDS, at]
            if away[self.blocks[BLOCK_HOLDER, at]]:
                value = -2
            elif self.is_long(at):
                value = 2 * words
            else:
                value = -4 - 2 * self.blocks[BLOCK_LINK_WORDS, at] - words
            mass[at + 1] = mass[at] + value
        best = 0
        for element in range(self.number):
            value = mass[self.elements[ELEMENT_END, element]] - mass[self.elements[ELEMENT_FIRST, element]]
            if value > best:
                best = value
                self.main = element
        begin, end = self.elements[ELEMENT_FIRST, self.main], self.elements[ELEMENT_END, self.main]
        self.opening, self.closing = end, begin
        for at in range(begin, end):
            if self.is_long(at) and not away[self.blocks[BLOCK_HOLDER, at]]:
                self.opening = min(self.opening, at)
                self.closing = max(self.closing, at)
        if self.opening == end:
            self.opening, self.closing = begin, end - 1

    def holds_most(self, element: int) -> bool:
        """Tell whether an element has more than half of the running text of the page, or the headline and much of it."""
        here, everywhere = self.inside(2, element), self.sums[2, self.size]
        return (
            2 * here > everywhere
            and not self.claims[element] & SAYS_COMMENT
            or (self.has_headline(element) and 4 * here > everywhere)
        )

    def has_headline(self, element: int) -> bool:
        """Tell whether the headline is in an element."""
        return self.elements[ELEMENT_FIRST, element] <= self.headline < self.elements[ELEMENT_END, element]

    def find_regions(self) -> None:
        """Find the elements whose claim about all that is in them holds; the outermost of them counts."""
        for element in range(1, self.number):
            parent = self.elements[ELEMENT_PARENT, element]
            self.around[element] = self.around[parent] | self.claims[element]
            role = self.region[parent]
            if role == NONE:
                role = self.region_of(element)
            elif role != COMMENT and self.claims[element] & SAYS_COMMENT and self.region_of(element) == COMMENT:
                role = COMMENT
            self.region[element] = role

    def region_of(self, element: int) -> int:
        """Return the role of all that is in an element; NONE if it has no such role."""
        claims = self.claims[element]
        first, end = self.elements[ELEMENT_FIRST, element], self.elements[ELEMENT_END, element]
        holds_main = first <= self.elements[ELEMENT_FIRST, self.main] and self.elements[ELEMENT_END, self.main] <= end
        number = end - first
        if number == 0:
            return NONE
        words, linked, running = self.inside(0, element), self.inside(1, element), self.inside(2, element)
        links = self.inside(3, element)
        everything = self.sums[2, self.size]
        if claims & SAYS_COMMENT and not holds_main and not self.has_headline(element) and end > self.opening:
            return COMMENT
        if holds_main or (self.has_headline(element) and self.headline <= self.opening):
            return NONE
        is_large = running > 60 and 5 * running > everything
        if claims & SAYS_NAVIGATION and (2 * linked > words or words <= 4 * number) and not is_large:
            return NAVIGATION
        if claims & SAYS_FORM and not is_large:
            return FORM
        if claims & SAYS_NOTICE and (not is_large or claims & SAYS_SURELY):
            if not claims & SAYS_SURELY and running > 100 and 4 * linked < words:
                return NONE
            return NOTICE
        if claims & SAYS_TEASER and links and not is_large and (5 * linked > words or 3 * links >= number):
            return TEASER
        return NONE

    def find_groups(self) -> None:
        """Add up words, words in links and blocks for each path."""
        groups = self.groups
        for at in range(self.size):
            path = self.blocks[BLOCK_PATH, at]
            groups[0, path] += self.blocks[BLOCK_WORDS, at]
            groups[1, path] += min(self.blocks[BLOCK_WORDS, at], self.blocks[BLOCK_LINK_WORDS, at])
            groups[2, path] += 1

    def decide(self) -> None:
        """Give each block its role."""
        for at in range(self.size):
            self.found[at] = self.role_of(at)

    def role_of(self, at: int) -> int:
        """Return the role of a block."""
        holder = self.blocks[BLOCK_HOLDER, at]
        around, region = self.around[holder], self.region[holder]
        words, linked = self.blocks[BLOCK_WORDS, at], self.blocks[BLOCK_LINK_WORDS, at]
        says, kind = self.says[at], self.blocks[BLOCK_KIND, at]
        if at == self.headline:
            return TITLE
        if region == COMMENT:
            return COMMENT
        if says & IS_OF_CODE:
            return CODE
        if region != NONE:
            return region
        if around & SAYS_CAPTION and not 2 * linked > words and words <= 150:
            return CAPTION
        if (
            around & SAYS_FIGURE
            and words <= 80
            and not around & (SAYS_QUOTE | SAYS_CODE)
            and not self.blocks[BLOCK_ROW, at]
        ):
            return CAPTION
        if kind == KIND_HEADING:
            return self.role_of_heading(at, words, linked)
        if around & SAYS_CODE:
            return CODE if words < 200 or not self.is_long(at) else TEXT
        if 2 * linked > words and words < 40:
            return self.role_of_links(at, around)
        is_before = self.headline != NONE and at <= self.opening and at >= self.headline - 8
        if words <= MAX_SHORT:
            role = self.role_of_short(at, around, says, words, is_before)
            if role != NONE:
                return role
        elif around & SAYS_FOOTER and at > self.closing:
            return NOTICE
        if self.blocks[BLOCK_ROW, at]:
            return TABLE
        if around & SAYS_QUOTE:
            return QUOTE
        return LIST if kind == KIND_LIST_ITEM else TEXT

    def role_of_heading(self, at: int, words: int, linked: int) -> int:
        """Return the role of a heading."""
        if words == self.titled[at] and self.titled[at] > 2 and at < self.opening:
            return TITLE
        if words <= 8:
            says = self.says[at]
            if says & ABOUT_COMMENT and at > self.closing:
                return COMMENT
            if says & ABOUT_RELATED and at > self.opening:
                return TEASER
            if says & (ABOUT_NEWS | ABOUT_SHARING | ABOUT_COOKIE | ABOUT_AD) and not self.opening <= at <= self.closing:
                return NOTICE
        if 2 * linked > words and not self.opening <= at <= self.closing:
            return TEASER
        return HEADING

    def role_of_links(self, at: int, around: int) -> int:
        """Return the role of a block of links, by what the blocks with the same path have."""
        path = self.blocks[BLOCK_PATH, at]
        words, number = self.groups[0, path], self.groups[2, path]
        says = self.says[at]
        if self.tokens[at] <= 12 and says & ABOUT_SHARING:
            return NOTICE
        if around & SAYS_BYLINE and self.tokens[at] <= 12:
            return BYLINE
        if self.tokens[at] <= 12 and self.first[at] & ABOUT_WRITER and at <= self.opening:
            return BYLINE
        if self.tokens[at] <= 5 and says & ABOUT_COMMENT:
            return COMMENT if at > self.closing else NAVIGATION
        if self.opening <= at <= self.closing and self.blocks[BLOCK_WORDS, at] > 3 and number < 3:
            return LIST if self.blocks[BLOCK_KIND, at] == KIND_LIST_ITEM else TEXT
        if words >= 5 * number or self.blocks[BLOCK_WORDS, at] >= 6:
            return TEASER
        return NAVIGATION

    def role_of_short(self, at: int, around: int, says: int, words: int, is_before: bool) -> int:
        """Return the role of a short block by its words; NONE if they say nothing."""
        tokens, known, first = self.tokens[at], self.known[at], self.first[at]
        if says & HAS_COPYRIGHT and (at > self.closing or at < self.opening):
            return NOTICE
        if around & SAYS_BYLINE:
            return BYLINE
        if tokens <= 14 and 2 * known > tokens and says & (HAS_YEAR | ABOUT_DATE | ABOUT_READING | ABOUT_WRITER):
            if says & (HAS_YEAR | ABOUT_DATE | ABOUT_READING) and (at <= self.opening or at > self.closing):
                return BYLINE
        if is_before and tokens <= 20 and (first & (ABOUT_WRITER | ABOUT_WRITING)):
            return BYLINE
        if tokens <= 6 and first & (ABOUT_AD | ABOUT_COOKIE | ABOUT_SHARING | ABOUT_NEWS):
            return NOTICE
        if first & ABOUT_PICTURE and says & HAS_COLON and tokens <= 12:
            return CAPTION
        if tokens <= 6 and first & ABOUT_MORE:
            return TEASER
        if tokens <= 8 and says & ABOUT_COMMENT and at > self.closing:
            return COMMENT
        if tokens <= 6 and says & ABOUT_LOGIN:
            return FORM
        if tokens <= 8 and first & ABOUT_TAGS:
            return NAVIGATION
        if at > self.closing and (says & ABOUT_RIGHTS or around & SAYS_FOOTER):
            return NOTICE
        if around & SAYS_HEADER and at < self.opening and not around & SAYS_MAIN:
            return NAVIGATION
        return NONE

    def join(self) -> None:
        """Let headings outside of the text have the role of what follows them."""
        found = self.found
        behind = NONE
        for at in range(self.size - 1, -1, -1):
            role = found[at]
            if role == HEADING:
                if behind in {TEASER, COMMENT, NOTICE, NAVIGATION, FORM} and not self.opening <= at <= self.closing:
                    found[at] = behind
            else:
                behind = role


def _end_of_token(data: bytes, at: int, end: int) -> int:
    """Return where the word, number or Chinese character that begins here ends; the same place if none does."""
    begin = at
    byte = data[at]
    if 48 <= byte <= 57:
        while at < end and 48 <= data[at] <= 57:
            at += 1
        return at
    while at < end:
        byte = data[at]
        if 97 <= byte <= 122 or 65 <= byte <= 90:
            at += 1
        elif byte >= 0xC3 and not _is_sign(data, at, end):
            if 0xE4 <= byte <= 0xE9:
                return at + 3 if at == begin else at
            at += 1
            while at < end and data[at] & 0xC0 == 0x80:
                at += 1
        else:
            break
    return at


def _reach(data: bytes, at: int, stop: int, end: int) -> int:
    """Return where a word ends, given where the token that begins here does: two Chinese characters are one."""
    if 0xE4 <= data[at] <= 0xE9 and stop + 3 <= end and 0xE4 <= data[stop] <= 0xE9:
        return stop + 3
    return min(stop, end)


def _is_sign(data: bytes, at: int, end: int) -> bool:
    """Tell whether punctuation begins here: that of U+2000 to U+2BFF, of Chinese, or of full width."""
    if at + 1 >= end:
        return False
    byte, following = data[at], data[at + 1]
    if byte == 0xE2:
        return following < 0xB0
    return byte == 0xE3 and following == 0x80 or byte == 0xEF and (following == 0xBC or following == 0xBD)
