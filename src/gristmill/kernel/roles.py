"""Find the role of each block of a page: see `gristmill.roles`, and `cleaning.role_words` for the words that are known.

The page `<h1>Mills</h1><div class=byline>By A. Miller</div><p>They grind...<div class=comments><p>I saw one.</div>`
has four blocks, whose roles are title, byline, text and comment. They are found in steps:

    claim           what each element says by its name and names: `comments` says that readers wrote what is in it
    find_headline   the heading that is most like the title of the page
    find_thread     the blocks below a heading such as `12 comments`
    find_main       the element that holds most text, and where its running text begins and ends
    find_regions    which of the claims hold: an element with all the text of the page is no advertisement
    decide          the role of each block, by the region and the elements that it is in, its words, and blocks like it
    join            headings go with what they head, and what stands between teasers is a part of them

What is running text without links needs more to be anything else than text than short blocks do.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gristmill.kernel.elements import CODES, HEADINGS, NAMES
from gristmill.kernel.role_rows import (
    ABOUT_AD,
    ABOUT_COMMENT,
    ABOUT_COOKIE,
    ABOUT_DATE,
    ABOUT_LEGAL,
    ABOUT_LOGIN,
    ABOUT_MORE,
    ABOUT_NEWS,
    ABOUT_PAGING,
    ABOUT_PICTURE,
    ABOUT_PRESS,
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
    ENDS_SENTENCE,
    FIRST,
    FORM,
    HAS_AT,
    HAS_COLON,
    HAS_COPYRIGHT,
    HAS_CREDIT,
    HAS_NUMBER,
    HAS_RIGHTS,
    HAS_SEVERAL,
    HAS_YEAR,
    HEADING,
    IS_OF_CODE,
    KIND_HEADING,
    KIND_LIST_ITEM,
    KNOWN,
    LIST,
    NAVIGATION,
    NOTICE,
    QUOTE,
    SAYS,
    SAYS_ASIDE,
    SAYS_BYLINE,
    SAYS_CAPTION,
    SAYS_CODE,
    SAYS_COMMENT,
    SAYS_FIGURE,
    SAYS_FOOTER,
    SAYS_FORM,
    SAYS_HEADER,
    SAYS_HEADLINE,
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
    TITLED,
    TOKENS,
)

_Int32 = npt.NDArray[np.int32]

NONE = -1
_MIN_RUNNING = 15  # words of a block that is running text, unless it is links
_MAX_HEADLINE = 40  # words
_MIN_HEADLINE = 30  # the value of the least likely headline
_MAX_SHORT = 30  # words of a block that is judged by its words
_MAX_REMARK = 60  # words of a notice that stands in the text
_MAX_BYLINE = 60  # words in an element of author and date
_MAX_BIOGRAPHY = 250  # the same, behind the text
_MAX_LABEL = 8  # words of a label or button
_MAX_ITEM = 4  # words of an item of a menu that is no link
_MIN_ITEMS = 3  # that a menu has
_MIN_PARAGRAPH = 30  # words of a cell that is a paragraph of the text
_MAX_CAPTION = 250  # words in an element of captions
_MAX_PICTURE = 60  # words in an element of a picture
_MAX_QUOTE = 150  # words in an element that says by its names that it is a quotation
_MAX_FORM = 80  # words in an element of a form that has running text
_MIN_LARGE = 60  # words of running text in an element that is too large to be believed, if that is much of the page
_BEFORE_HEADLINE = 8  # blocks, among which author and date are looked for
_BEHIND_HEADLINE = 12
_BESIDE_HEADLINE = 2  # blocks, among which a date above the headline is that of the text
_MAX_SUMMARY = 40  # words of running text above author and date
_MIN_ARTICLE = 60  # words of running text above comments

# The rows of sums from the beginning of the page.
_WORDS, _LINKED, _RUNNING = range(3)
# The rows of groups: sums over the blocks with the same path.
_GROUP_WORDS, _GROUP_BLOCKS = range(2)

_TAGS = {
    "nav": SAYS_NAVIGATION | SAYS_SURELY,
    "menu": SAYS_NAVIGATION,
    "header": SAYS_HEADER,
    "footer": SAYS_FOOTER,
    "aside": SAYS_ASIDE,
    "form": SAYS_FORM,
    "select": SAYS_FORM | SAYS_SURELY,
    "textarea": SAYS_FORM | SAYS_SURELY,
    "fieldset": SAYS_FORM,
    "search": SAYS_FORM,
    "figure": SAYS_FIGURE | SAYS_SURELY,
    "figcaption": SAYS_CAPTION,
    "caption": SAYS_CAPTION,
    "blockquote": SAYS_QUOTE | SAYS_SURELY,
    "pre": SAYS_CODE,
    "xmp": SAYS_CODE,
    "listing": SAYS_CODE,
    "plaintext": SAYS_CODE,
    "address": SAYS_BYLINE,
    "main": SAYS_MAIN,
    "article": SAYS_MAIN,
}
TAG_SAYS = np.array([_TAGS.get(name, 0) for name in NAMES], np.int32)
"""What each element says by its own name."""
HEADS = np.array([name in HEADINGS for name in NAMES], np.int32)
H1_CODE = CODES["h1"]
H2_CODE = CODES["h2"]
QUOTE_CODE = CODES["blockquote"]
_BLOCK_ENDS = 3  # levels above a block at which a heading element is looked for

_OUTSIDE = SAYS_NAVIGATION | SAYS_COMMENT | SAYS_TEASER | SAYS_FORM | SAYS_FOOTER | SAYS_NOTICE | SAYS_ASIDE
"""What elements say that hold no headline."""
_OF_HEADINGS = SAYS_TITLE | SAYS_HEADLINE | SAYS_BYLINE | SAYS_CAPTION
"""What names of headings say; their ids are often made of their words, and say nothing else."""
_BESIDE = SAYS_ASIDE | SAYS_FOOTER | SAYS_HEADER
"""What elements say that hold no offers of a listing."""
_TOO_LARGE = SAYS_FORM | SAYS_NOTICE | SAYS_TEASER | SAYS_NAVIGATION | SAYS_FIGURE | SAYS_ASIDE
"""What is not believed of elements with much of the text of the page."""
_NOT_MAIN = SAYS_COMMENT | SAYS_NAVIGATION | SAYS_TEASER | SAYS_FOOTER
"""What elements say that do not hold the main text."""


def find_roles(
    blocks: _Int32, elements: _Int32, names: _Int32, texts: _Int32, has_comments: bool, has_offers: bool
) -> _Int32:
    """Return the role of each block, as its number in `ROLES`.

    All arrays have the rows that `role_rows` names; `names` has what each of the texts of names says. On pages without
    comments, such as those of a forum, what would be a comment is text, and on pages with offers so are teasers.
    """
    found = np.full(blocks.shape[1], TEXT, np.int32)
    if blocks.shape[1]:
        page = _Page(blocks, elements, names, texts, found)
        page.has_comments, page.has_offers = has_comments, has_offers
        page.claim()
        page.add_up()
        page.find_headline()
        page.find_thread()
        page.find_main()
        page.find_regions()
        page.decide()
        page.join()
    return found


class _Page:
    """A page, and what is found of it step by step."""

    def __init__(self, blocks: _Int32, elements: _Int32, names: _Int32, texts: _Int32, found: _Int32) -> None:
        self.blocks = blocks
        self.elements = elements
        self.names = names
        self.texts = texts
        self.found = found
        self.size = blocks.shape[1]
        self.number = elements.shape[1]
        self.has_comments, self.has_offers = True, False
        numbers = np.zeros((5, self.number), np.int32)
        self.claims = numbers[0]  # what each element says
        self.claimed = numbers[1]  # the same, and what those around it say
        self.around = numbers[2]  # what can be believed of that
        self.region = numbers[3]
        self.away = numbers[4]  # whether it is outside of the main text
        self.sums = np.zeros((3, self.size + 1), np.int64)
        self.groups = np.zeros((2, int(np.max(blocks[BLOCK_PATH])) + 1), np.int64)
        self.spread = np.zeros(len(names), np.int64)  # words of running text in all elements with the same names
        self.everything = 0  # the words of running text
        self.headline = NONE
        self.thread = self.size  # where comments begin
        self.thread_end = self.size
        self.main = 0
        self.opening = 0  # the first running text of the main element
        self.closing = 0  # the last one

    def claim(self) -> None:
        """Note what each element says by its name, and its class and id."""
        elements = self.elements
        for element in range(1, self.number):
            code, says = elements[ELEMENT_CODE, element], self.names[elements[ELEMENT_NAMES, element]]
            if HEADS[code]:
                says &= _OF_HEADINGS
            if code != QUOTE_CODE or not says & SAYS_MAIN:  # `blockquote.postcontent` is a whole post of a forum
                says |= TAG_SAYS[code]
            self.claims[element] = says
            self.claimed[element] = self.claimed[elements[ELEMENT_PARENT, element]] | says

    def is_running(self, at: int) -> bool:
        """Tell whether a block is running text."""
        words = self.blocks[BLOCK_WORDS, at]
        return bool(
            words >= _MIN_RUNNING
            and 3 * self.blocks[BLOCK_LINK_WORDS, at] < words
            and self.blocks[BLOCK_KIND, at] != KIND_HEADING
        )

    def is_link(self, at: int) -> bool:
        """Tell whether most of a block is links."""
        return bool(2 * self.blocks[BLOCK_LINK_WORDS, at] > self.blocks[BLOCK_WORDS, at])

    def add_up(self) -> None:
        """Add up words, words in links, and words of running text: from the beginning of the page, and by path."""
        sums, blocks, groups = self.sums, self.blocks, self.groups
        for at in range(self.size):
            words = blocks[BLOCK_WORDS, at]
            sums[_WORDS, at + 1] = sums[_WORDS, at] + words
            sums[_LINKED, at + 1] = sums[_LINKED, at] + min(words, blocks[BLOCK_LINK_WORDS, at])
            sums[_RUNNING, at + 1] = sums[_RUNNING, at] + (words if self.is_running(at) else 0)
            path = blocks[BLOCK_PATH, at]
            groups[_GROUP_WORDS, path] += words
            groups[_GROUP_BLOCKS, path] += 1
        self.everything = sums[_RUNNING, self.size]
        for element in range(1, self.number):
            self.spread[self.elements[ELEMENT_NAMES, element]] += self.inside(_RUNNING, element)

    def inside(self, row: int, element: int) -> int:
        """Return the sum over the blocks in an element."""
        elements, sums = self.elements, self.sums
        return int(sums[row, elements[ELEMENT_END, element]] - sums[row, elements[ELEMENT_FIRST, element]])

    def find_headline(self) -> None:
        """Find the block with the headline: the heading that is most like the title of the page, or the first `h1`."""
        best = _MIN_HEADLINE - 1
        for at in range(self.size):
            tokens = self.texts[TOKENS, at]
            if 0 < tokens <= _MAX_HEADLINE:
                value = self.value_as_headline(at, tokens)
                if value > best:
                    best = value
                    self.headline = at

    def value_as_headline(self, at: int, tokens: int) -> int:
        """Return how much a block looks like the headline."""
        holder = self.blocks[BLOCK_HOLDER, at]
        titled, says = self.texts[TITLED, at], self.claimed[holder]
        value = 0
        if tokens > 1 and 4 * titled >= 3 * tokens:
            value = 32 + 4 * min(titled, 12)
        if self.blocks[BLOCK_KIND, at] == KIND_HEADING:
            value += 34 if self.is_under(holder, H1_CODE) else 20 if self.is_under(holder, H2_CODE) else 12
        elif tokens < 3 or self.blocks[BLOCK_KIND, at] == KIND_LIST_ITEM:
            return 0
        elif not value:
            value = 24 if self.claims[holder] & SAYS_HEADLINE else -_MIN_HEADLINE
        if self.texts[SAYS, at] & IS_OF_CODE:
            return 0
        if says & (SAYS_TITLE | SAYS_HEADLINE):
            value += 6
        if says & SAYS_MAIN:
            value += 6
        if says & _OUTSIDE or (says & SAYS_HEADER and not says & SAYS_MAIN):
            value -= 25
        return value - (10 if self.is_link(at) else 0)

    def is_under(self, element: int, code: int) -> bool:
        """Tell whether an element or one of the next around it has this code."""
        for _ in range(_BLOCK_ENDS):
            if self.elements[ELEMENT_CODE, element] == code:
                return True
            element = self.elements[ELEMENT_PARENT, element]
        return False

    def find_thread(self) -> None:
        """Find the heading above comments, as `12 comments`, and what it heads: the rest of the element around it."""
        if not self.has_comments:
            return
        for at in range(self.size):
            if self.heads_thread(at) and self.sums[_RUNNING, at] >= _MIN_ARTICLE:
                element = self.blocks[BLOCK_HOLDER, at]
                while element > 0 and self.elements[ELEMENT_END, element] == at + 1:
                    element = min(
                        self.elements[ELEMENT_PARENT, element], element - 1
                    )  # so that it ends, whatever is given
                self.thread = at
                self.thread_end = self.end_of_thread(at, self.elements[ELEMENT_END, element])
                return

    def end_of_thread(self, at: int, end: int) -> int:
        """Find the end of what a heading above comments heads: the next heading that may be that of another article.

        Where a heading without a number is one of several sections with text, it heads no comments at all.
        """
        level, has_number = self.heading_at(at), self.texts[SAYS, at] & HAS_NUMBER
        for place in range(at + 1, end):
            code = self.heading_at(place)
            if not code or code > max(level, H1_CODE) or self.texts[SAYS, place] & (ABOUT_COMMENT | ABOUT_RELATED):
                continue
            if code == level and not has_number and place + 1 < end and self.is_running(place + 1):
                return at
            if self.texts[TOKENS, place] >= 5:
                return place
        return end

    def heading_at(self, at: int) -> int:
        """Return the code of the heading element that a block is in; 0 if it is in none."""
        element = self.blocks[BLOCK_HOLDER, at]
        if self.blocks[BLOCK_KIND, at] == KIND_HEADING:
            for _ in range(_BLOCK_ENDS):
                code = self.elements[ELEMENT_CODE, element]
                if HEADS[code]:
                    return int(code)
                element = self.elements[ELEMENT_PARENT, element]
        return 0

    def heads_thread(self, at: int) -> bool:
        """Tell whether a block is a heading above comments."""
        tokens, says = self.texts[TOKENS, at], self.texts[SAYS, at]
        if tokens > 5 or not says & ABOUT_COMMENT or says & ENDS_SENTENCE or at <= self.headline:
            return False
        if self.claimed[self.blocks[BLOCK_HOLDER, at]] & _OUTSIDE & ~SAYS_COMMENT:
            return False
        is_heading = self.blocks[BLOCK_KIND, at] == KIND_HEADING
        return bool(is_heading and (tokens <= 2 or says & HAS_NUMBER or self.texts[FIRST, at] & ~ABOUT_COMMENT == 0))

    def is_in_thread(self, at: int) -> bool:
        """Tell whether a block is below the heading of comments."""
        return bool(self.thread <= at < self.thread_end)

    def find_main(self) -> None:
        """Find the element with most text, where short blocks and links count as negative.

        Its first and last running text are where the text of the page begins and ends.
        """
        elements, away = self.elements, self.away
        for element in range(1, self.number):
            is_apart = (self.claims[element] & _NOT_MAIN and not self.holds_most(element)) or self.is_biography(element)
            away[element] = away[elements[ELEMENT_PARENT, element]] or (1 if is_apart else 0)
        mass = np.zeros(self.size + 1, np.int64)
        for at in range(self.size):
            mass[at + 1] = mass[at] + self.mass_of(at)
        best = 0
        for element in range(self.number):
            value = mass[elements[ELEMENT_END, element]] - mass[elements[ELEMENT_FIRST, element]]
            if value > best:
                best = value
                self.main = element
        begin, end = elements[ELEMENT_FIRST, self.main], elements[ELEMENT_END, self.main]
        self.opening, self.closing = end, begin - 1
        for at in range(begin, end):
            if self.mass_of(at) > 0:
                self.opening = min(self.opening, at)
                self.closing = max(self.closing, at)
        if self.opening == end:
            self.opening, self.closing = begin, end - 1
        if self.headline == NONE:
            self.find_heading_above()

    def is_biography(self, element: int) -> bool:
        """Tell whether an element behind some text may be about its author."""
        if not self.claims[element] & SAYS_BYLINE or self.inside(_WORDS, element) > _MAX_BIOGRAPHY:
            return False
        return bool(self.sums[_RUNNING, self.elements[ELEMENT_FIRST, element]] >= _MIN_ARTICLE)

    def find_heading_above(self) -> None:
        """Take the nearest heading above the text for the headline."""
        for at in range(self.opening - 1, max(self.opening - _BEHIND_HEADLINE, -1), -1):
            is_outside = self.claimed[self.blocks[BLOCK_HOLDER, at]] & _OUTSIDE
            if self.blocks[BLOCK_KIND, at] == KIND_HEADING and not is_outside and not self.is_link(at):
                self.headline = at
                return

    def mass_of(self, at: int) -> int:
        """Return how much a block counts as text; below 0 if it is no running text, or what readers wrote."""
        words = self.blocks[BLOCK_WORDS, at]
        if self.away[self.blocks[BLOCK_HOLDER, at]] or self.is_in_thread(at):
            return -2
        if self.is_running(at):
            return int(2 * words)
        return int(-4 - 2 * self.blocks[BLOCK_LINK_WORDS, at] - words)

    def holds_most(self, element: int) -> bool:
        """Tell whether an element has most of the running text of the page, or the headline and much of it."""
        here = self.inside(_RUNNING, element)
        if self.has_headline(element):
            return 4 * here > self.everything
        return 2 * here > self.everything and not self.claims[element] & SAYS_COMMENT

    def has_headline(self, element: int) -> bool:
        """Tell whether the headline is in an element."""
        return bool(self.elements[ELEMENT_FIRST, element] <= self.headline < self.elements[ELEMENT_END, element])

    def find_regions(self) -> None:
        """Find the elements whose claim about all that is in them holds; the outermost of them counts."""
        elements = self.elements
        self.region[0] = NONE
        for element in range(1, self.number):
            parent = elements[ELEMENT_PARENT, element]
            believed = self.believed(element) if self.claims[element] else 0
            self.around[element] = self.around[parent] | believed
            region = self.region[parent]
            is_field = believed & SAYS_FORM and believed & SAYS_SURELY
            if believed and (region == NONE or (region != COMMENT and (believed & SAYS_COMMENT or is_field))):
                region = FORM if is_field else _region_of(believed)
            self.region[element] = region

    def believed(self, element: int) -> int:
        """Return what can be believed of what an element says."""
        says = self.claims[element]
        main_first, main_end = self.elements[ELEMENT_FIRST, self.main], self.elements[ELEMENT_END, self.main]
        first, end = self.elements[ELEMENT_FIRST, element], self.elements[ELEMENT_END, element]
        if end == first:
            return 0
        holds_main = first <= main_first and main_end <= end
        if says & SAYS_COMMENT and (holds_main or not self.is_of_readers(element)):
            says &= ~SAYS_COMMENT
        if holds_main or (self.has_headline(element) and self.headline <= self.opening):
            says &= SAYS_MAIN | SAYS_CODE | SAYS_COMMENT | SAYS_BYLINE
        return self.believed_by_size(element, says)

    def is_of_readers(self, element: int) -> bool:
        """Tell whether an element that says that it has comments may be right: it comes behind the text's beginning.

        A small one within the text has no comments, but a number of them, or a link to them.
        """
        first = self.elements[ELEMENT_FIRST, element]
        if not self.has_comments or self.has_headline(element) or first <= self.opening:
            return False
        return first > self.closing or self.inside(_RUNNING, element) > 0

    def believed_by_size(self, element: int, says: int) -> int:
        """Return what is left of what an element says by the words in it."""
        words, linked = self.inside(_WORDS, element), self.inside(_LINKED, element)
        running, spread = self.inside(_RUNNING, element), self.spread[self.elements[ELEMENT_NAMES, element]]
        number = self.elements[ELEMENT_END, element] - self.elements[ELEMENT_FIRST, element]
        is_behind, is_sure = self.elements[ELEMENT_FIRST, element] > self.closing, says & SAYS_SURELY
        is_large = running > _MIN_LARGE and 5 * max(running, spread) > self.everything
        is_often = spread > _MIN_LARGE and 5 * spread > self.everything and not is_behind
        if 2 * words > self.sums[_WORDS, self.size] or (is_large and not is_sure):
            says &= ~_TOO_LARGE
        if not is_sure and (is_often or (running > _MAX_REMARK and 4 * linked < words and not is_behind)):
            says &= ~SAYS_NOTICE
        if 5 * linked <= words or (is_often and not is_sure):
            says &= ~SAYS_TEASER
        if 2 * linked <= words and words > 4 * number and (running or not is_sure):
            says &= ~SAYS_NAVIGATION
        if running and words > _MAX_FORM and not is_sure:
            says &= ~SAYS_FORM
        return self.believed_of_parts(says, words, linked, number, is_behind)

    def believed_of_parts(self, says: int, words: int, linked: int, number: int, is_behind: bool) -> int:
        """Return what is left of what an element says about a part of the text: a byline, a caption, a quotation."""
        is_sure = says & SAYS_SURELY
        if words > (_MAX_BIOGRAPHY if is_behind else _MAX_BYLINE):
            says &= ~SAYS_BYLINE
        if words > _MAX_QUOTE and not is_sure:
            says &= ~SAYS_QUOTE
        if words > _MAX_CAPTION or 2 * linked > words:
            says &= ~SAYS_CAPTION
        if (words > _MAX_PICTURE or number > 3) and not is_sure:
            says &= ~SAYS_FIGURE
        return int(says)

    def decide(self) -> None:
        """Give each block its role."""
        for at in range(self.size):
            self.found[at] = self.role_of(at)

    def role_of(self, at: int) -> int:
        """Return the role of a block: the first that is found."""
        role = self.by_region(at)
        if role == NONE:
            role = self.by_picture(at)
        if role == NONE and self.blocks[BLOCK_KIND, at] == KIND_HEADING:
            role = self.by_heading(at)
        if role == NONE:
            role = self.by_byline(at)
        if role == NONE and self.is_link(at):
            role = self.by_links(at)
        if role == NONE and self.blocks[BLOCK_WORDS, at] <= _MAX_REMARK:
            role = self.by_words(at)
        if role == NONE and not self.is_within(at):
            role = NAVIGATION if self.is_of_menu(at) else self.by_place(at)
        if role == TEASER and self.has_offers and not self.around[self.blocks[BLOCK_HOLDER, at]] & _BESIDE:
            role = NONE
        return self.by_element(at) if role == NONE else role

    def is_within(self, at: int) -> bool:
        """Tell whether a block is between the beginning and the end of the text."""
        return bool(self.opening <= at <= self.closing)

    def by_region(self, at: int) -> int:
        """Return the role of a block in an element whose role is that of all that is in it."""
        region = self.region[self.blocks[BLOCK_HOLDER, at]]
        if at == self.headline:
            return TITLE
        if region == COMMENT or (self.is_in_thread(at) and region in {NONE, FORM}):
            return FORM if self.is_label(at) else COMMENT
        if self.texts[SAYS, at] & IS_OF_CODE:
            return CODE
        return int(region)

    def is_label(self, at: int) -> bool:
        """Tell whether a block among comments is a label or button of the form for a new one."""
        if self.blocks[BLOCK_KIND, at] == KIND_HEADING or self.texts[TOKENS, at] > _MAX_LABEL:
            return False
        return bool(
            self.around[self.blocks[BLOCK_HOLDER, at]] & SAYS_FORM
            and not self.texts[SAYS, at] & (ABOUT_COMMENT | ENDS_SENTENCE)
        )

    def by_picture(self, at: int) -> int:
        """Return whether a block is a caption."""
        around, words = self.around[self.blocks[BLOCK_HOLDER, at]], self.blocks[BLOCK_WORDS, at]
        if around & (SAYS_QUOTE | SAYS_CODE) or self.blocks[BLOCK_ROW, at]:
            return NONE
        if around & SAYS_CAPTION:
            return CAPTION
        if around & SAYS_FIGURE and words <= _MAX_PICTURE and self.may_be_caption(at):
            return CAPTION
        says = self.texts[SAYS, at]
        has_credit = says & HAS_CREDIT or (self.texts[FIRST, at] & ABOUT_PICTURE and says & ABOUT_WRITER)
        if has_credit and words <= _MAX_SHORT:
            return CAPTION
        return NONE

    def may_be_caption(self, at: int) -> bool:
        """Tell whether a block in an element of a picture may be a caption: no heading, no link, not about sharing."""
        if self.blocks[BLOCK_KIND, at] == KIND_HEADING or self.texts[SAYS, at] & ABOUT_SHARING:
            return False
        return not self.is_link(at)

    def by_heading(self, at: int) -> int:
        """Return the role of a heading; NONE if it is to be judged as other blocks are."""
        tokens, says = self.texts[TOKENS, at], self.texts[SAYS, at]
        first = self.texts[FIRST, at]
        if self.texts[TITLED, at] >= tokens > 2 and at <= self.opening and self.is_like_headline(at):
            return TITLE
        if self.is_byline(at) or tokens > _MAX_SHORT:
            return NONE
        if tokens <= 8 and says & ABOUT_RELATED and (first & ABOUT_RELATED or not self.is_within(at)):
            return TEASER
        if first & (ABOUT_MORE | ABOUT_RELATED) and says & HAS_COLON and tokens <= 25:
            return TEASER
        if (tokens <= 8 and self.says_notice(at)) or self.says_remark(at):
            return NOTICE
        return self.by_linked_heading(at)

    def is_like_headline(self, at: int) -> bool:
        """Tell whether a heading has as much of the title of the page as the headline: it may come twice."""
        return self.headline == NONE or bool(5 * self.texts[TITLED, at] >= 4 * self.texts[TITLED, self.headline])

    def by_linked_heading(self, at: int) -> int:
        """Return the role of a heading by whether it is a link, and what follows it."""
        if not self.is_link(at):
            return HEADING
        if not self.is_within(at):
            return TEASER
        follows = at + 1 < self.size and self.is_running(at + 1)
        return HEADING if follows or self.texts[TOKENS, at] < 5 else TEASER

    def by_byline(self, at: int) -> int:
        """Return whether a block tells who wrote the text, and when."""
        if not self.is_byline(at):
            return NONE
        return NAVIGATION if self.is_clock(at) else BYLINE

    def is_clock(self, at: int) -> bool:
        """Tell whether a date is that of today, which the site shows above the headline and what belongs to it."""
        if self.texts[SAYS, at] & (ABOUT_WRITER | ABOUT_WRITING | ABOUT_READING) or not self.is_date(at):
            return False
        return at + _BESIDE_HEADLINE < min(self.headline, self.opening)

    def is_byline(self, at: int) -> bool:
        """Tell whether a block tells who wrote the text, and when: by the names around it, or by its words."""
        tokens, says, first = self.texts[TOKENS, at], self.texts[SAYS, at], self.texts[FIRST, at]
        around = self.around[self.blocks[BLOCK_HOLDER, at]]
        if around & SAYS_BYLINE and not (tokens > 5 and self.is_link(at) and not first):
            return not self.is_running(at) or at > self.closing or bool(first & (ABOUT_WRITER | ABOUT_WRITING))
        if tokens > 20 or says & ENDS_SENTENCE or around & SAYS_QUOTE:
            return False
        if self.is_cell(at) and not (first & ABOUT_WRITING and says & HAS_YEAR):
            return False
        is_near = self.is_near_headline(at)
        if is_near and not says & ABOUT_LEGAL and self.names_writer(at):
            return True
        return self.is_apart(at, is_near) and self.is_date(at)

    def is_apart(self, at: int, is_near: bool) -> bool:
        """Tell whether a date in a block is no part of the text, nor a link to what was written then."""
        kind, says = self.blocks[BLOCK_KIND, at], self.texts[SAYS, at]
        if not self.is_within(at):
            return is_near or kind != KIND_LIST_ITEM or not self.is_link(at)
        if kind == KIND_HEADING:
            return bool(says & HAS_YEAR and says & ABOUT_DATE and self.texts[TOKENS, at] > 2)
        return bool(kind != KIND_LIST_ITEM and (is_near or says & HAS_YEAR))

    def is_near_headline(self, at: int) -> bool:
        """Tell whether a block is among those in which author and date are looked for.

        They may come behind a summary of the text.
        """
        if at <= self.opening:
            return self.headline == NONE or at >= self.headline - _BEFORE_HEADLINE
        running = self.sums[_RUNNING, at] - self.sums[_RUNNING, self.opening]
        return bool(running <= _MAX_SUMMARY and self.headline != NONE and at <= self.headline + _BEHIND_HEADLINE)

    def is_cell(self, at: int) -> bool:
        """Tell whether a block is a cell of a table within the text."""
        return bool(self.blocks[BLOCK_ROW, at] and self.is_within(at))

    def names_writer(self, at: int) -> bool:
        """Tell whether a block that may be a byline begins with `by` or `posted`, or is an agency or an address."""
        if self.texts[FIRST, at] & (ABOUT_WRITER | ABOUT_WRITING):
            return True
        if self.texts[SAYS, at] & ABOUT_PRESS and self.is_link(at):
            return False
        return bool(self.texts[TOKENS, at] <= 6 and self.texts[SAYS, at] & (ABOUT_PRESS | HAS_AT))

    def is_date(self, at: int) -> bool:
        """Tell whether most words of a block are a date, or the time that it takes to read the text."""
        tokens, known, says = self.texts[TOKENS, at], self.texts[KNOWN, at], self.texts[SAYS, at]
        if says & (ABOUT_WRITER | ABOUT_WRITING) and says & (ABOUT_DATE | HAS_YEAR):
            return bool(5 * known >= 2 * tokens)
        if not says & HAS_NUMBER or 3 * known < 2 * tokens:
            return False
        return bool((says & ABOUT_DATE and tokens > 1) or (says & HAS_YEAR and tokens > 2) or says & ABOUT_READING)

    def by_links(self, at: int) -> int:
        """Return the role of a block of links; NONE if it is text."""
        tokens, says = self.texts[TOKENS, at], self.texts[SAYS, at]
        if self.says_notice(at) and tokens <= 12:
            return NOTICE
        if tokens <= 5 and says & ABOUT_COMMENT:
            return COMMENT if at > self.closing and self.has_comments else NAVIGATION
        if self.is_paging(at):
            return NAVIGATION
        if self.texts[FIRST, at] & (ABOUT_MORE | ABOUT_RELATED) and tokens <= 25:
            return TEASER
        if self.is_in_text(at) or self.around[self.blocks[BLOCK_HOLDER, at]] & SAYS_QUOTE:
            return NONE
        return self.by_links_like_it(at)

    def is_paging(self, at: int) -> bool:
        """Tell whether a block is links to the next page, to the one before, or back to another place."""
        if not self.texts[FIRST, at] & ABOUT_PAGING or self.is_running(at):
            return False
        return bool(self.texts[TOKENS, at] <= 4 or self.texts[SAYS, at] & HAS_COLON)

    def by_links_like_it(self, at: int) -> int:
        """Return the role of a block of links by its length, and that of the blocks with the same path."""
        words, path = self.blocks[BLOCK_WORDS, at], self.blocks[BLOCK_PATH, at]
        links = self.blocks[BLOCK_LINKS, at]
        if words > _MAX_SHORT:
            return NAVIGATION if 8 * links > words else NONE
        if links > 2 and 4 * links >= words and not self.is_within(at):
            return NAVIGATION
        if self.is_within(at):
            return NONE if self.texts[SAYS, at] & ENDS_SENTENCE or words < 4 else TEASER
        is_long = words >= 6 or self.groups[_GROUP_WORDS, path] >= 5 * self.groups[_GROUP_BLOCKS, path]
        return TEASER if is_long else NAVIGATION

    def is_in_text(self, at: int) -> bool:
        """Tell whether a block is an item of a list, or a cell, beside running text: in the text, not outside of it."""
        if self.is_item(at):
            return True
        if self.blocks[BLOCK_KIND, at] != KIND_LIST_ITEM or at < self.opening:
            return False
        element = self.elements[ELEMENT_PARENT, self.elements[ELEMENT_PARENT, self.blocks[BLOCK_HOLDER, at]]]
        if self.elements[ELEMENT_FIRST, element] < self.elements[ELEMENT_FIRST, self.main]:
            return False
        return (
            self.inside(_RUNNING, element) > 0
            and self.elements[ELEMENT_END, element] <= self.elements[ELEMENT_END, self.main]
        )

    def says_notice(self, at: int) -> bool:
        """Tell whether the words of a short block are those of an advertisement, of sharing or of a newsletter."""
        tokens, says, first = self.texts[TOKENS, at], self.texts[SAYS, at], self.texts[FIRST, at]
        is_within = self.is_within(at)
        if tokens <= 6 and says & ABOUT_AD and (first & ABOUT_AD or not says & ENDS_SENTENCE):
            return True
        if first & ABOUT_SHARING and (says & HAS_SEVERAL or tokens <= (3 if is_within else 6)):
            return True
        if first & ABOUT_SHARING and tokens <= 12 and self.blocks[BLOCK_LINK_WORDS, at] and not self.is_item(at):
            return True
        if tokens <= 8 and first & (ABOUT_NEWS | ABOUT_COOKIE) and not (is_within and says & ENDS_SENTENCE):
            return True
        return bool(not is_within and tokens <= 8 and says & (ABOUT_RIGHTS | ABOUT_LEGAL | ABOUT_NEWS))

    def by_words(self, at: int) -> int:
        """Return the role of a block by its words; NONE if they say nothing."""
        tokens, says, first = self.texts[TOKENS, at], self.texts[SAYS, at], self.texts[FIRST, at]
        if self.says_notice(at) or self.says_remark(at):
            return NOTICE
        if tokens <= 6 and first & (ABOUT_MORE | ABOUT_RELATED) and not says & ENDS_SENTENCE and not self.is_item(at):
            return TEASER
        if tokens <= 5 and says & ABOUT_COMMENT and not says & ENDS_SENTENCE and at > self.closing:
            return COMMENT if self.has_comments else NAVIGATION
        if tokens <= 5 and says & ABOUT_LOGIN and not self.is_within(at):
            return FORM
        if tokens <= 12 and first & ABOUT_TAGS and says & HAS_COLON:
            return NAVIGATION
        return BYLINE if tokens <= 4 and says & HAS_AT and not self.is_within(at) else NONE

    def is_item(self, at: int) -> bool:
        """Tell whether a block is an item of a list or a cell of a table within the text."""
        is_part = self.blocks[BLOCK_KIND, at] == KIND_LIST_ITEM or self.blocks[BLOCK_ROW, at]
        return bool(is_part and self.is_within(at))

    def says_remark(self, at: int) -> bool:
        """Tell whether the words of a longer block are those of a notice."""
        says, words = self.texts[SAYS, at], self.blocks[BLOCK_WORDS, at]
        if says & HAS_RIGHTS or (self.texts[FIRST, at] & ABOUT_RIGHTS and says & HAS_YEAR):
            return True
        if says & HAS_COPYRIGHT and (words <= 12 or not self.is_within(at)):
            return True
        if (
            says & ABOUT_NEWS
            and words <= 40
            and self.blocks[BLOCK_LINK_WORDS, at]
            and says & (ABOUT_LOGIN | ENDS_SENTENCE)
        ):
            return True
        return bool(says & ABOUT_COOKIE and says & HAS_SEVERAL and not self.is_within(at))

    def by_place(self, at: int) -> int:
        """Return the role of a block outside of the text by the elements around it; NONE if they say nothing."""
        around, is_running = self.around[self.blocks[BLOCK_HOLDER, at]], self.is_running(at)
        if self.blocks[BLOCK_ROW, at] or around & SAYS_CODE:
            return NONE
        if around & SAYS_FOOTER and at > self.closing:
            return NOTICE
        if around & SAYS_HEADER and not around & SAYS_MAIN and at < self.opening:
            return NOTICE if is_running else NAVIGATION
        if around & SAYS_ASIDE:
            return TEASER if self.blocks[BLOCK_LINK_WORDS, at] and not is_running else NOTICE
        return NONE

    def is_of_menu(self, at: int) -> bool:
        """Tell whether a block outside of the text belongs to a menu though it is no link.

        It is a sign that stands between links, such as `|`, or is one of several short items above the headline, or
        behind the element that holds the text: the page that is shown, or what a script makes a link of. Tables behind
        the text may have data.
        """
        is_part = self.around[self.blocks[BLOCK_HOLDER, at]] & (SAYS_CODE | SAYS_QUOTE)
        if is_part or self.closing < at < self.elements[ELEMENT_END, self.main]:
            return False
        if self.is_paging(at):
            return True
        if self.blocks[BLOCK_ROW, at] and at > self.closing:
            return False
        if not self.texts[TOKENS, at]:
            return True
        is_below = self.headline != NONE and self.headline <= at < self.opening
        return not is_below and self.is_short_item(at)

    def is_short_item(self, at: int) -> bool:
        """Tell whether a block is an item of a list or a cell, and short, as are several others with the same path."""
        number, path = self.groups[_GROUP_BLOCKS, self.blocks[BLOCK_PATH, at]], self.blocks[BLOCK_PATH, at]
        if self.has_offers or (self.blocks[BLOCK_KIND, at] != KIND_LIST_ITEM and not self.blocks[BLOCK_ROW, at]):
            return False
        if self.blocks[BLOCK_WORDS, at] > _MAX_ITEM or self.texts[SAYS, at] & (ENDS_SENTENCE | HAS_NUMBER):
            return False
        return bool(number >= _MIN_ITEMS and self.groups[_GROUP_WORDS, path] <= _MAX_ITEM * number)

    def by_element(self, at: int) -> int:
        """Return the role of a block of text by the elements that it is in."""
        around = self.around[self.blocks[BLOCK_HOLDER, at]]
        kind = self.blocks[BLOCK_KIND, at]
        if around & SAYS_CODE and not (self.is_running(at) and 2 * self.blocks[BLOCK_WORDS, at] > self.everything):
            return CODE
        if self.blocks[BLOCK_ROW, at] and not (self.is_running(at) and self.blocks[BLOCK_WORDS, at] >= _MIN_PARAGRAPH):
            return TABLE
        if around & SAYS_QUOTE:
            return QUOTE
        if kind == KIND_HEADING and self.texts[TOKENS, at] <= _MAX_SHORT:
            return HEADING
        return LIST if kind == KIND_LIST_ITEM else TEXT

    def join(self) -> None:
        """Let headings have the role of what they head, and short blocks between teasers be parts of them."""
        found = self.found
        behind = NONE  # the role of the next block that is no heading
        for at in range(self.size - 1, -1, -1):
            role = found[at]
            before = found[at - 1] if at else NONE
            if role == HEADING:
                if self.may_join(at):
                    is_beside = self.around[self.blocks[BLOCK_HOLDER, at]] & (SAYS_ASIDE | SAYS_FOOTER)
                    found[at] = behind if behind >= COMMENT else NOTICE if is_beside else HEADING
                continue
            if behind == TEASER and self.is_between_teasers(at, before):
                found[at] = role = TEASER
            behind = role

    def may_join(self, at: int) -> bool:
        """Tell whether a heading is outside of the text, and no headline that is not known as such."""
        if at < self.opening:
            return bool(self.texts[TOKENS, at] <= 6 and (at < self.headline or self.headline == NONE))
        return at > self.closing

    def is_between_teasers(self, at: int, before: int) -> bool:
        """Tell whether a block is a part of the teaser behind it, given the role of the block before it."""
        role, tokens = self.found[at], self.texts[TOKENS, at]
        if tokens > 12 or role not in {TEXT, LIST, BYLINE, NAVIGATION, CAPTION} or self.texts[SAYS, at] & ENDS_SENTENCE:
            return False
        if tokens <= 5 and self.texts[SAYS, at] & (ABOUT_RELATED | ABOUT_MORE):
            return True
        if role == BYLINE and not self.is_within(at) and not self.is_near_headline(at):
            return True
        return before == TEASER and (role == BYLINE or not self.is_within(at))


def _region_of(believed: int) -> int:
    """Return the role of all that is in an element by what can be believed of it; NONE if it has no such role."""
    if believed & SAYS_COMMENT:
        return COMMENT
    if believed & SAYS_NAVIGATION:
        return NAVIGATION
    if believed & SAYS_FORM:
        return FORM
    if believed & SAYS_NOTICE:
        return NOTICE
    return TEASER if believed & SAYS_TEASER else NONE
