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
SAYS_HEADLINE = 32768
"""It is the title of the page or of an article, not of anything."""
SAYS_SURELY = 65536
"""It can be believed even if there is much text in the element."""

# The rows of `texts`: what the first words of each text say, see `role_texts`.
SAYS, FIRST, TOKENS, KNOWN, TITLED = range(5)
TEXT_ROWS = 5

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
"""`More` and `continue`, with which links to texts begin."""
ABOUT_RELATED = 512
"""`Related`, `popular`, `latest`, of texts."""
ABOUT_NEWS = 1024
"""Newsletters and subscriptions."""
ABOUT_COOKIE = 2048
ABOUT_RIGHTS = 4096
"""`All rights reserved`: two such words beside each other say it."""
ABOUT_LEGAL = 8192
"""`Privacy`, `terms`."""
ABOUT_LOGIN = 16384
ABOUT_TAGS = 32768
ABOUT_PRESS = 65536
"""Agencies and professions: `Associated Press`, `staff writer`."""
ABOUT_PAGING = 0x20000
"""`Next`, `previous`, `back`, with which links to other pages of a series or to places of the page begin."""

# What the form of a text is.
HAS_YEAR = 0x100000
HAS_COPYRIGHT = 0x200000
"""It has the sign ©."""
HAS_COLON = 0x400000
IS_OF_CODE = 0x800000
"""It is JSON, or code of another kind."""
HAS_CREDIT = 0x1000000
"""A word about pictures stands before a colon: `Photo: A. Miller`."""
HAS_NUMBER = 0x2000000
HAS_RIGHTS = 0x4000000
HAS_SEVERAL = 0x8000000
"""Several words are about cookies, or about sharing."""
ENDS_SENTENCE = 0x10000000
HAS_AT = 0x20000000
"""It has the sign @."""
