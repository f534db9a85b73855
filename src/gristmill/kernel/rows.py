"""The names of the rows of the kernel's arrays: what one part writes and the next one reads.

The tags of a page are an array with a row for each property and a column for each tag, so `tags[START]` are the places
of all tags. `<title>Mill</title><p hidden>x` has two columns, as the end tag of raw text has none:

    START      0, 19
    END        7, 29
    RAW_END    11, 29      behind "Mill"
    TEXT       19, 29      behind `</title>`
    CODE       CODES["title"], CODES["p"]
    HIDES      0, 1
    TELLS      0, 0
"""

from __future__ import annotations

HASH_PRIME = 16777619
"""Of the hash FNV-1a, by which equal pieces of a page are found."""
HASH_BITS = 0x7FFFFFFF
"""Of such a hash, 31."""
MAX_BYTES = 0x40000000
"""A page may have so many: places in it are numbers of 32 bits, and its text may be a fifth longer than itself."""

# Of each tag, comment or doctype of a page; places are in bytes of the page.
START = 0
"""Where the `<` stands."""
END = 1
"""The first byte behind the `>`; the end of the page if there is none."""
RAW_END = 2
"""Where the raw text behind a start tag ends, such as that of a script: `END` to `RAW_END`; `END` if there is none."""
TEXT = 3
"""Where text goes on: `END`, or behind the end tag of raw text. So raw text has one column, without its end tag.

Literal text (`textarea`, `xmp`, `plaintext`) is shown: it is text as any other, with a column for its end tag.
"""
CODE = 4
"""The code of the name, as in `CODES`; 0 for other names, -1 for what is no tag or has no end."""
CLOSING = 5
"""1 for end tags, else 0."""
CLASS_START, CLASS_END = 6, 7
"""The value of the first attribute `class`, without quotes; both 0 if there is none."""
ID_START, ID_END = 8, 9
"""The value of the first attribute `id`; both 0 if there is none."""
HIDES = 10
"""1 if the element is not shown: it has the attribute `hidden`, or `display: none` in the first `style`."""
TELLS = 11
"""1 if it may tell something of the page: it has `itemprop`, `datetime`, or a `rel` that is named in `tokens.py`."""
TAG_ROWS = 12

# Of each piece of visible text between two tags that is not only white space.
PIECE_START, PIECE_END = 0, 1
"""Its place in the page, in bytes."""
SEPARATOR = 2
"""What stands between it and the piece before: one of the four below."""
NOTHING, SPACE, LINE_END, BLOCK_END = range(4)
IN_LINK = 3
"""1 for a piece in a link, else 0."""
IS_RAW = 4
"""1 if character references are not resolved in it (`xmp`, `plaintext`), else 0."""
TAGS_BEFORE = 5
"""How many tags stand before it."""
PIECE_ROWS = 6

# Of each element that holds blocks, in the order of their start tags; element 0 is the whole page.
NAME = 0
"""The code of its name; 0 for the whole page."""
PARENT = 1
"""The element around it; the page is its own parent."""
OPENED = 2
"""Its start tag, by number; -1 for the page."""
CLOSED = 3
"""The tag that ends it, which may be another than its end tag; the number of tags if nothing does."""
ELEMENT_ROWS = 4

# Of each block.
FIRST_PIECE = 0
"""The first of its pieces; they go up to the first one of the next block."""
TAGS, LINKS = 1, 2
"""How many tags, and how many start tags of links, stand in it."""
GAP = 3
"""How many tags stand between it and the block before."""
FROM, UP_TO = 4, 5
"""Its place in the page, in characters."""
TAGS_BEFORE_BLOCK = 6
"""How many tags stand before its first piece."""
HOLDER = 7
"""The innermost element that holds it."""
TAG_BEFORE, TAG_BEHIND = 8, 9
"""The tags around it; -1 for the beginning of the page, and the number of tags for its end."""
PREFORMATTED_BLOCK = 10
"""1 if white space in it is shown as it is written, else 0."""
BLOCK_ROWS = 11

# Of the text of each block, white space folded: its characters by kind, and what it begins and ends with.
LETTERS, CAPITALS, DIGITS, SPACES, STOPS, COMMAS, SEPARATORS, OTHERS = range(8)
"""How many characters of each kind; characters beyond the basic plane count as two letters."""
LENGTH = 8
"""How many characters, each once."""
FIRST_KIND, LAST_KIND = 9, 10
"""The kinds of the first and the last character: the numbers of the eight rows above."""
ENDS_WITH_COLON = 11
HAS_COPYRIGHT = 12
"""1 if it has the sign ©."""
HAS_AT = 13
"""1 if it has the sign @."""
MEASURE_ROWS = 14

# Of each character of the basic plane, one byte in the table `characters.bin`.
KIND_BITS = 7
"""Its kind: the number of one of the eight rows above."""
IS_WHITE = 8
"""It separates words, as `str.split` has it."""
IS_CAREFUL = 16
"""It is a control, or may be combined with the character before it."""
SCRIPT_SHIFT = 5
SCRIPT_BITS = 3
"""In these two bits behind the shift: 0, or 1, 2, 3 for scripts without spaces with 2, 5, 6 characters per word."""
IS_ALPHANUMERIC = 128
"""It is a letter or a digit, as `str.isalnum` has it."""

# Of the counts of each block.
WORDS, LINK_WORDS = 0, 1
COUNT_ROWS = 2

# Of each link.
LINK_START, LINK_END = 0, 1
"""Where its address stands in the page, in bytes."""
LINK_KIND = 2
"""What must be put before the address: one of the five below."""
LINK_ROWS = 3
UNUSUAL, COMPLETE, OF_PROTOCOL, OF_ORIGIN, OF_FOLDER = range(5)
"""It takes more than that, nothing, the protocol, the origin, or the folder."""

# Of each code of `CODES`, in the tables of `rules`: what tags with this name do.
WHAT = 0
"""Bits: those from `ENDS_BLOCK` on, below."""
IMPLIES = 1
"""The group of elements whose end tags the start tag implies, as one bit; 0 if it implies none."""
CLOSED_BY = 2
"""The groups that the element is in, as bits."""
BARRIERS = 3
"""The groups that are not looked for beyond the element, as bits."""
KIND = 4
"""The kind of the blocks in the element: the number of one of `KINDS`, or `INHERITED`."""
RULE_ROWS = 5

ENDS_BLOCK = 1
"""The tag ends a block."""
HOLDS = 2
"""The element is followed from its start tag to its end tag."""
IS_BLOCK = 4
IS_HEADING = 8
IS_CELL = 16
IS_TABLE_PART = 32
HIDES_ALWAYS = 64
"""The text in the element is never shown."""
HIDES_OFTEN = 128
"""It is not shown either, if it is less than the rest: `noscript`."""
STAYS_SHOWN = 256
"""No attribute hides the element: it holds nothing, or the whole page, or raw text."""
IS_SPACED = 512
"""The tag separates words, though it ends no block."""
IS_PREFORMATTED = 1024
HOLDS_RAW = 2048
"""Character references in the element are not resolved."""
IS_LINE_BREAK = 4096
IS_LINK = 8192
IS_PARAGRAPH = 16384
IS_ROW = 32768
IS_DATA_CELL = 65536
ENDS_BLOCK_TWICE = 131072
"""Two of such tags with no text between them end a block: `br`."""

INHERITED = -1
"""The kind is that of the element around it."""
PARAGRAPH, HEADING, LIST_ITEM = range(3)

# Of each element, once the blocks are known.
FIRST, BEHIND = 0, 1
"""The first block in it, and the first behind it."""

# Of each block, once the elements around it are known.
BLOCK_KIND = 0
"""The number of one of `KINDS`."""
ROW = 1
"""The row of a table of which it is a cell, from 1; else 0."""
PATH = 2
"""The number of its path."""
