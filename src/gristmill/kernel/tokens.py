"""Find the tags of a page, as the tokenizer of the HTML standard does, in one pass over its bytes.

For this page, `tokenise` returns an array with six columns; the rows of each are named in `rows.py`:

    <!doctype html>                                 one column, as for a comment
    <title>Mills &amp; rivers</title>               one column: what a title holds is no markup
    <p class="a b" ID=x>A <b/>mill<!-- <p> -->      three columns: a tag, a tag, and a comment
    <script>if (1 < 2) "<p>";</script>              one column

The standard describes a tokenizer as some eighty states (https://html.spec.whatwg.org/multipage/parsing.html). Here
each construct is a function that goes to its end: `Tokenizer.read` is the "data state", `Reader.next_attribute` the
states of attributes, `end_of_comment` those of comments, `end_of_script` those of scripts. The page must be UTF-8
without carriage returns and zero bytes: `decode` has seen to that, as the standard asks for.

What it can't know is what only a tree of elements tells; `docs/standard.md` lists all departures from the standard.

A slash at the end of a start tag means only in XML that the element is empty. It is read so here, too, if all behind
the tag would be lost otherwise, as the element has raw text or is not shown and is never ended; and in a page that is a
document in XML, whatever it says of itself. An empty element that has no raw text gets a column of no width for its
end, so that `<div/>` is the same as `<div></div>` to all who read the tags.
"""

from __future__ import annotations

from array import array

import numpy as np
import numpy.typing as npt

from gristmill.kernel.elements import CODES, HIDDEN, RAW_TEXT, VOID
from gristmill.kernel.rows import (
    CLASS_END,
    CLASS_START,
    CLOSING,
    CODE,
    END,
    HIDES,
    ID_END,
    ID_START,
    MAX_BYTES,
    RAW_END,
    START,
    TAG_ROWS,
    TELLS,
    TEXT,
)

LESS = ord("<")
GREATER = ord(">")
EQUALS = ord("=")
SLASH = ord("/")
DASH = ord("-")
EXCLAMATION = ord("!")
QUESTION = ord("?")
COLON = ord(":")
LETTER_D = ord("d")
DOUBLE_QUOTE = ord('"')
SINGLE_QUOTE = ord("'")
LOWER = 32
"""The bit that makes a letter lower-case. Only `a` and `A` with this bit set are `a`, and so on."""
SCRIPT_LENGTH = 6
"""Of the name `script`; the others are the lengths of parts of `display:none`, and of all of it."""
DISPLAY_LENGTH = 7
NONE_LENGTH = 4
DISPLAY_NONE_LENGTH = 12
MAX_CSS_SPACE = 9
"""Bytes of white space on either side of the colon; nobody writes more."""
NEAR = 48
"""Bytes in which a byte is looked for one by one."""
NO_TAG = -1
"""The code of comments, doctypes and the like, and of an incomplete tag at the end of the page."""


def _table(members: bytes) -> bytes:
    """Make a table of 256 bytes that is 1 for these bytes and 0 for all others."""
    return bytes(byte in members for byte in range(256))


_LETTERS = b"abcdefghijklmnopqrstuvwxyz"
_SPACE = b"\t\n\f\r "
IS_LETTER = _table(_LETTERS + _LETTERS.upper())
IS_SPACE = _table(_SPACE)
IS_CSS_SPACE = _table(_SPACE + b"\v")
ENDS_TAG_NAME = _table(_SPACE + b"/>")
ENDS_ATTRIBUTE_NAME = _table(_SPACE + b"/>=")
ENDS_BARE_VALUE = _table(_SPACE + b">")

# What the content of elements is, by their codes.
MARKUP = 0
RAW = 1
"""Text up to the end tag that is not shown, such as a style sheet: one column for all of the element."""
SCRIPT = 2
"""The same with rules of its own for where it ends."""
TITLE = 3
"""Text up to the end tag; if that is missing, up to the next tag."""
LITERAL = 4
"""Text up to the end tag that is shown, with two columns for the tags around it."""
PLAINTEXT = 5
"""Text up to the end of the page."""
NOT_SHOWN = 6
"""Markup that is not shown, such as that of a template."""
NOTHING = 7
"""There is no end tag, as for `br`."""


def _contents() -> bytes:
    """Make the table of what the elements hold, by their codes."""
    table = bytearray(len(CODES) + 1)
    for names, content in ((HIDDEN, NOT_SHOWN), (RAW_TEXT, RAW), (VOID, NOTHING)):
        for name in names:
            table[CODES[name]] = content
    for name, content in (
        ("script", SCRIPT),
        ("title", TITLE),
        ("textarea", LITERAL),
        ("xmp", LITERAL),
        ("plaintext", PLAINTEXT),
    ):
        table[CODES[name]] = content
    return bytes(table)


CONTENTS = _contents()
SVG = CODES["svg"]

SYMBOLS = 37
"""How many bytes a known name may have: letters and digits; 0 stands for any other byte."""


def _trie() -> tuple[bytes, array[int], array[int]]:
    """Make the tree of all known names, as three tables.

    `SYMBOL[byte]` is the number of a letter, in lower case, or a digit. From node `n` a symbol `s` leads to node
    `NEXT[n * SYMBOLS + s]`; names begin at node 1, and node 0 is where unknown names end up. `CODE_AT[n]` is the code
    of the name that leads to node n.
    """
    known = b"\0" + _LETTERS + b"0123456789"
    symbols = bytes(max(known.find(bytes([byte]).lower()), 0) for byte in range(256))
    following, codes = array("h", [0] * SYMBOLS * 2), array("h", [0, 0])
    for name, code in CODES.items():
        node = 1
        for byte in name.encode():
            at = node * SYMBOLS + symbols[byte]
            if not following[at]:
                following[at] = len(codes)
                following.extend([0] * SYMBOLS)
                codes.append(0)
            node = following[at]
        codes[node] = code
    return symbols, following, codes


SYMBOL, NEXT, CODE_AT = _trie()


def tokenise(data: bytes) -> npt.NDArray[np.int32]:
    """Find the tags, comments and doctypes of a page in UTF-8: an array with `TAG_ROWS` rows and a column for each."""
    if len(data) > MAX_BYTES:
        raise ValueError(f"a page of {len(data):,} bytes; it may have {MAX_BYTES:,}")
    number = count_less(data)
    tokenizer = Tokenizer(data, np.zeros((TAG_ROWS, number), np.int32))
    tags = tokenizer.read_page()
    if tokenizer.may_be_xml:
        tokenizer = Tokenizer(data, np.zeros((TAG_ROWS, number), np.int32))
        tokenizer.is_xml = True
        found = tokenizer.read_page()
        if tokenizer.is_xml and are_nested(found[CODE], found[CLOSING]):
            return found
    return tags


def with_ends(tags: npt.NDArray[np.int32], empty: list[int]) -> npt.NDArray[np.int32]:
    """Insert end tags of no width behind the tags of empty elements."""
    places = np.array(empty)
    ends = np.zeros((TAG_ROWS, len(places)), np.int32)
    ends[START : TEXT + 1] = tags[END, places]
    ends[CODE] = tags[CODE, places]
    ends[CLOSING] = 1
    return np.insert(tags, places + 1, ends, axis=1)


def are_nested(codes: npt.NDArray[np.int32], closing: npt.NDArray[np.int32]) -> bool:
    """Tell whether tags are those of a document in XML: one element, in which all have an end tag where they should.

    Raw text has no end tag in the columns, and elements without content never have one.
    """
    number = codes.shape[0]
    stack = np.empty(number, np.int32)
    opened = stack
    depth = roots = 0
    for tag in range(number):
        code = codes[tag]
        if code == NO_TAG:
            continue
        content = CONTENTS[code]
        if closing[tag]:
            if not depth or opened[depth - 1] != code:
                return False
            depth -= 1
        elif content in (MARKUP, NOT_SHOWN, LITERAL, PLAINTEXT):
            roots += depth == 0
            opened[depth] = code
            depth += 1
        elif not depth:
            return False
    return depth == 0 and roots == 1


def closes_itself(tag: bytes) -> bool:
    """Tell whether a start tag ends with a slash that is no part of an attribute, as that of `<br/>`."""
    reader = Reader(tag)
    reader.skip_name()
    while reader.next_attribute():
        pass
    return reader.closes_itself


def count_less(data: bytes) -> int:
    """Count the `<` of a page, of which there may be as many tags; compiled, it is faster than `bytes.count`."""
    count = 0
    for byte in data:
        count += byte == LESS
    return count


def attributes(tag: bytes) -> dict[bytes, bytes]:
    """Parse the attributes of a tag, as written; names in lower case, the first of equal names."""
    found: dict[bytes, bytes] = {}
    reader = Reader(tag)
    reader.skip_name()
    while reader.next_attribute():
        name = tag[reader.name_start : reader.name_end].lower()
        if name not in found:
            found[name] = tag[reader.value_start : reader.value_end]
    return found


class Reader:
    """A place in a page, and the attribute before it."""

    def __init__(self, data: bytes) -> None:
        """Begin at the first byte."""
        self.data = data
        self.size = len(data)
        self.at = 0
        self.name_start = self.name_end = self.value_start = self.value_end = 0
        self.is_complete = True  # the tag that was read last has an end
        self.closes_itself = False  # and a slash before it

    def skip_name(self) -> None:
        """Go to the end of the name of a tag."""
        data, size, at = self.data, self.size, self.at
        while at < size and not ENDS_TAG_NAME[data[at]]:
            at += 1
        self.at = at

    def next_attribute(self) -> bool:
        """Read the next attribute of a tag; at its end go behind the `>` and return False.

        A tag without an end is not complete, nor is its last attribute an attribute.
        """
        data, size, start = self.data, self.size, self.at
        at = start
        while at < size and (IS_SPACE[data[at]] or data[at] == SLASH):
            at += 1
        if at < size and data[at] == GREATER:
            self.closes_itself = at > start and data[at - 1] == SLASH
            self.at = at + 1
            return False
        self.name_start = at
        at += 1  # whatever it is: even an equals sign begins a name
        while at < size and not ENDS_ATTRIBUTE_NAME[data[at]]:
            at += 1
        self.name_end = self.value_start = self.value_end = at
        while at < size and IS_SPACE[data[at]]:
            at += 1
        if at < size and data[at] == EQUALS:
            at = self.read_value(at + 1)
        if at >= size:
            self.at = size
            self.is_complete = False
            return False
        self.at = at
        return True

    def read_value(self, at: int) -> int:
        """Read the value of an attribute, from behind the equals sign; return where the tag goes on."""
        data, size = self.data, self.size
        while at < size and IS_SPACE[data[at]]:
            at += 1
        if at < size and (data[at] == DOUBLE_QUOTE or data[at] == SINGLE_QUOTE):
            quote = data[at]
            at += 1
            self.value_start = at
            at = find(data, quote, at)
            self.value_end = at
            return at + 1 if at < size else size
        self.value_start = at
        while at < size and not ENDS_BARE_VALUE[data[at]]:
            at += 1
        self.value_end = at
        return at


class Tokenizer(Reader):
    """Fills the columns of `tags`."""

    def __init__(self, data: bytes, tags: npt.NDArray[np.int32]) -> None:
        """Begin at the first byte of the page and the first column of `tags`, which is all zeros."""
        Reader.__init__(self, data)
        self.tags = tags
        self.count = 0
        self.has_style = False  # the tag that is being read
        self.titles_end = True  # all titles so far have had an end tag
        self.is_xml = False  # read it as XML, as long as it can be
        self.may_be_xml = False  # some element is empty in XML alone
        self.empty: list[int] = []  # columns behind which an end tag is missing
        self.ends = np.full(len(CONTENTS), -1, np.int32)  # where an element with this code ends next; looked up once

    def read_page(self) -> npt.NDArray[np.int32]:
        """Read the page; return its columns."""
        count = self.read()
        found = np.asarray(self.tags)[:, :count]
        return with_ends(found, self.empty) if self.empty else found.copy()

    def read(self) -> int:
        """Read the page; return the number of columns."""
        data, size = self.data, self.size
        at = 0
        while True:
            at = find(data, LESS, at)
            if at + 1 >= size:
                return self.count
            byte = data[at + 1]
            if IS_LETTER[byte]:
                at = self.read_tag(at, at + 1, 0)
            elif byte == SLASH and at + 2 < size:
                at = self.read_tag(at, at + 2, 1) if IS_LETTER[data[at + 2]] else self.skip(at, behind(data, at))
            elif byte == EXCLAMATION:
                at = self.skip(at, end_of_comment(data, at))
            elif byte == QUESTION:
                at = self.skip(at, behind(data, at))
            else:
                at += 1  # an angle bracket in text

    def skip(self, start: int, end: int) -> int:
        """Fill the column of a comment, a doctype or the like."""
        column = self.count
        self.tags[START, column] = start
        self.tags[END, column] = self.tags[RAW_END, column] = self.tags[TEXT, column] = end
        self.tags[CODE, column] = NO_TAG
        self.count += 1
        return end

    def read_tag(self, start: int, name: int, closing: int) -> int:
        """Read a tag, and what follows it if that is no markup; return where markup goes on."""
        data, size, column = self.data, self.size, self.count
        at, node = name, 1
        while at < size and not ENDS_TAG_NAME[data[at]]:
            node = NEXT[node * SYMBOLS + SYMBOL[data[at]]]
            at += 1
        code = CODE_AT[node]
        self.at = at
        self.has_style = False
        while self.next_attribute():
            if not closing:
                self.note_attribute(column)
        end = self.at
        if not self.is_complete:
            self.forget_attributes(column)
            return self.skip(start, end)
        self.tags[START, column] = start
        self.tags[END, column] = self.tags[RAW_END, column] = self.tags[TEXT, column] = end
        self.tags[CODE, column] = code
        self.tags[CLOSING, column] = closing
        self.count += 1
        if closing:
            return end
        content = CONTENTS[code]
        if self.closes_itself:
            if content == NOTHING or self.is_empty(code, name, at, end):
                return end
        elif content == NOTHING and self.is_xml:
            return self.refute()
        return end if content in (MARKUP, NOT_SHOWN, NOTHING) else self.read_content(content, name, at, end)

    def is_empty(self, code: int, name: int, name_end: int, end: int) -> bool:
        """Tell whether an element is empty whose start tag closes itself; note that its end tag is missing.

        In HTML it is if it would never end, and nothing behind it would be shown; or if it is a drawing.
        """
        content = CONTENTS[code]
        if code > 0 and code != SVG:
            self.may_be_xml = True
        if not self.is_xml and code != SVG:
            if content in (MARKUP, PLAINTEXT):
                return False
            if self.ends[code] < end:
                self.ends[code] = end_of_text(self.data, end, name, name_end)
            if self.ends[code] < self.size:
                return False
        if content in (MARKUP, NOT_SHOWN, LITERAL, PLAINTEXT):
            self.empty.append(self.count - 1)
        return True

    def refute(self) -> int:
        """Stop reading a page as XML, as it can't be XML."""
        self.is_xml = False
        return self.size

    def note_attribute(self, column: int) -> None:
        """Note the attribute that was read last in the column of its tag, if it is one that matters."""
        data, start, end = self.data, self.name_start, self.name_end
        if end - start == 2 and is_word(data, start, b"id"):
            if not self.tags[ID_START, column]:
                self.tags[ID_START, column] = self.value_start
                self.tags[ID_END, column] = self.value_end
        elif end - start == 5 and is_word(data, start, b"class"):
            if not self.tags[CLASS_START, column]:
                self.tags[CLASS_START, column] = self.value_start
                self.tags[CLASS_END, column] = self.value_end
        elif end - start == 5 and is_word(data, start, b"style"):
            if not self.has_style and says_display_none(data, self.value_start, self.value_end):
                self.tags[HIDES, column] = 1
            self.has_style = True
        elif end - start == 6 and is_word(data, start, b"hidden"):
            self.tags[HIDES, column] = 1
        elif self.tells(end - start):
            self.tags[TELLS, column] = 1

    def tells(self, length: int) -> bool:
        """Tell whether the attribute that was read last, whose name is so long, may tell something of the page."""
        data, start = self.data, self.name_start
        if length == 3:
            return is_word(data, start, b"rel") and relates(data, self.value_start, self.value_end)
        return length == 8 and (is_word(data, start, b"itemprop") or is_word(data, start, b"datetime"))

    def forget_attributes(self, column: int) -> None:
        """Clear what was noted of a tag."""
        for row in range(CLASS_START, TELLS + 1):
            self.tags[row, column] = 0

    def read_content(self, content: int, name: int, name_end: int, start: int) -> int:
        """Read the content of an element that is no markup, such as a script; return where markup goes on.

        The name of the element is given, and where its start tag ends.
        """
        data, size, column = self.data, self.size, self.count - 1
        if content == PLAINTEXT:
            return size
        if content == TITLE and not self.titles_end:
            end = size
        elif content == SCRIPT:
            end = end_of_script(data, start)
        else:
            end = end_of_text(data, start, name, name_end)
        if content == LITERAL:
            return end
        if end == size and self.is_xml:
            return self.refute()
        if content == TITLE and end == size:  # damaged: not all of the page is its title
            self.titles_end = False
            self.at = end = find(data, LESS, start)
        elif end < size:
            self.at = end + 2
            self.skip_name()
            while self.next_attribute():
                pass
        else:
            self.at = size
        self.tags[RAW_END, column] = end
        self.tags[TEXT, column] = self.at
        return self.at


def find(data: bytes, byte: int, at: int) -> int:
    """Find the first such byte from a place on; the end of the page if there is none.

    It is mostly near. Where it is not, Python's own search is several times faster.
    """
    size = len(data)
    near = min(size, at + NEAR)
    while at < near and data[at] != byte:
        at += 1
    if at < near or near == size:
        return at
    at = data.find(byte, at)
    return size if at < 0 else at


def behind(data: bytes, start: int) -> int:
    """Find the end of a doctype or a "bogus comment": behind the next `>`."""
    return min(find(data, GREATER, start) + 1, len(data))


def is_word(data: bytes, at: int, word: bytes) -> bool:
    """Tell whether this word, of lower-case letters, stands here, in any case."""
    length = len(word)
    if at + length > len(data):
        return False
    i = 0
    while i < length and data[at + i] | LOWER == word[i]:
        i += 1
    return i == length


def relates(data: bytes, at: int, end: int) -> bool:
    """Tell whether a value of `rel` has a word that tells something of the page, such as `tag` or `author`."""
    while at < end:
        while at < end and IS_SPACE[data[at]]:
            at += 1
        start = at
        while at < end and not IS_SPACE[data[at]]:
            at += 1
        length = at - start
        if (
            (length == 3 and is_word(data, start, b"tag"))
            or (length == 6 and is_word(data, start, b"author"))
            or (length == 7 and is_word(data, start, b"license"))
            or (length == 9 and is_word(data, start, b"canonical"))
        ):
            return True
    return False


def is_tag_of(data: bytes, at: int, name: int, name_end: int) -> bool:
    """Tell whether the name of a tag begins at this place that is the same as another one, in any case."""
    last = at + name_end - name
    if last >= len(data) or not ENDS_TAG_NAME[data[last]]:
        return False
    while at < last and data[at] | LOWER == data[name] | LOWER:
        at += 1
        name += 1
    return at == last


def end_of_text(data: bytes, at: int, name: int, name_end: int) -> int:
    """Find the end tag of an element, which is all that ends its text; the end of the page if there is none."""
    size = len(data)
    while True:
        at = find(data, LESS, at)
        if at + 1 >= size:
            return size
        if data[at + 1] == SLASH and is_tag_of(data, at + 2, name, name_end):
            return at
        at += 1


def end_of_script(data: bytes, at: int) -> int:
    """Find the end tag of a script; the end of the page if there is none.

    Behind `<!--` a script is "escaped", up to `-->`. There a `<script>` makes it "double escaped": then the next
    `</script>` does not end it, but only the double escape.
    """
    size = len(data)
    escapes = 0
    while True:
        at = at if escapes else find(data, LESS, at)
        if at >= size:
            return size
        byte = data[at]
        at += 1
        if byte == LESS:
            if at + SCRIPT_LENGTH >= size:  # too short for an end tag
                return size
            if data[at] == SLASH and is_script(data, at + 1):
                if escapes < 2:
                    return at - 1
                escapes = 1
            elif escapes == 1 and is_script(data, at):
                escapes = 2
            elif escapes == 0 and data[at] == EXCLAMATION and data[at + 1] == DASH and data[at + 2] == DASH:
                escapes = 1
                at += 1  # to the first dash, as `<!-->` ends what it begins
        elif byte == DASH and escapes and at + 1 < size and data[at] == DASH and data[at + 1] == GREATER:
            escapes = 0


def is_script(data: bytes, at: int) -> bool:
    """Tell whether the name of a tag begins here that is `script`."""
    end = at + SCRIPT_LENGTH
    return end < len(data) and ENDS_TAG_NAME[data[end]] == 1 and is_word(data, at, b"script")


def end_of_comment(data: bytes, start: int) -> int:
    """Find the end of what begins with `<!`: behind `-->` or `--!>` if it is a comment.

    `<!-->` and `<!--->` are comments too.
    """
    size = len(data)
    if start + 3 >= size or data[start + 2] != DASH or data[start + 3] != DASH:
        return behind(data, start)
    at = start + 4
    if at < size and data[at] == GREATER:
        return at + 1
    if at + 1 < size and data[at] == DASH and data[at + 1] == GREATER:
        return at + 2
    while at < size:
        at = find(data, DASH, at) + 1
        if at + 1 < size and data[at] == DASH:
            if data[at + 1] == GREATER:
                return at + 2
            if at + 2 < size and data[at + 1] == EXCLAMATION and data[at + 2] == GREATER:
                return at + 3
    return size


def says_display_none(data: bytes, at: int, end: int) -> bool:
    """Tell whether a style has `display: none`, with up to nine bytes of white space on either side of the colon."""
    while at + DISPLAY_NONE_LENGTH <= end:
        if data[at] | LOWER == LETTER_D and is_word(data, at, b"display"):
            place = skip_css_space(data, at + DISPLAY_LENGTH, end)
            if place < end and data[place] == COLON:
                place = skip_css_space(data, place + 1, end)
                if place + NONE_LENGTH <= end and is_word(data, place, b"none"):
                    return True
        at += 1
    return False


def skip_css_space(data: bytes, at: int, end: int) -> int:
    """Skip up to nine bytes of white space."""
    end = min(end, at + MAX_CSS_SPACE)
    while at < end and IS_CSS_SPACE[data[at]]:
        at += 1
    return at
