"""Numbers that `roles.py` and its callers share: roles, rows of arrays, and bits for what names and words say."""

from __future__ import annotations

# The roles, in the order of `gristmill.roles.ROLES`.
(
    TITLE, HEADING, TEXT, LIST, TABLE, CODE, QUOTE, CAPTION, BYLINE, COMMENT, TEASER, NOTICE, NAVIGATION, FORM,
) = range(14)  # fmt: skip

# The rows of `blocks`: numbers of each block, as in `Columns`, and the element that holds it.
BLOCK_WORDS, BLOCK_LINK_WORDS, BLOCK_LINKS, BLOCK_KIND, BLOCK_PATH, BLOCK_ROW, BLOCK_HOLDER = range(7)
BLOCK_ROWS = 7
KIND_HEADING, KIND_LIST_ITEM = 1, 2
"""The numbers of these kinds of blocks."""

# The rows of `elements`, as in `Elements`; the first block in it, and the first one behind it.
ELEMENT_CODE, ELEMENT_PARENT, ELEMENT_FIRST, ELEMENT_END, ELEMENT_NAMES = range(5)
ELEMENT_ROWS = 5

# What an element says about what is in it, by its name, or by words in its class and id.
SAYS_COMMENT = 1
SAYS_TEASER = 2
SAYS_NOTICE = 4
SAYS_NAVIGATION = 8
SAYS_FORM = 16
SAYS_CAPTION = 32
SAYS_BYLINE = 64
SAYS_TITLE = 128
SAYS_QUOTE = 256
SAYS_CODE = 512
SAYS_FIGURE = 1024
SAYS_HEADER = 2048
SAYS_FOOTER = 4096
SAYS_ASIDE = 8192
SAYS_MAIN = 16384
SAYS_HEADING = 32768
SAYS_SURELY = 65536
"""It can be believed even if there is much text in the element."""

# What a word of a text is about.
ABOUT_DATE = 1
"""Months, days of the week, `ago`, `yesterday`."""
ABOUT_WRITER = 2
"""`By`, which stands before the name of the author."""
ABOUT_WRITING = 4
"""`Published`, `posted`, `updated`."""
ABOUT_READING = 8
"""`min`, `minutes`, `read`, of the time that it takes."""
ABOUT_PICTURE = 16
ABOUT_COMMENT = 32
ABOUT_SHARING = 64
ABOUT_AD = 128
ABOUT_MORE = 256
"""`Read` and `continue`, with which links to the whole of a text begin."""
ABOUT_RELATED = 512
"""`Related`, `popular`, `latest`, of texts."""
ABOUT_NEWS = 1024
"""Newsletters and subscriptions."""
ABOUT_COOKIE = 2048
ABOUT_RIGHTS = 4096
ABOUT_LOGIN = 8192
ABOUT_TAGS = 16384
# What the form of a text is.
HAS_YEAR = 1 << 20
HAS_COPYRIGHT = 1 << 21
HAS_COLON = 1 << 22
IS_OF_CODE = 1 << 23
