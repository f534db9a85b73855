"""Pages that no browser would have written, and bytes in every encoding and in none."""

from __future__ import annotations

import codecs
import functools
import json
import string
from random import Random

import gristmill
from fuzzing.target import Target
from gristmill import sample
from gristmill.archive import find_sources, read
from gristmill.cleaning import METHODS
from gristmill.cli.page import PAGE_FORMATS
from gristmill.document import Page
from gristmill.kernel.elements import BLOCKS, HIDDEN, INLINE, LITERAL_TEXT, RAW_TEXT, VOID

_NAMES = sorted(
    BLOCKS
    | HIDDEN
    | INLINE
    | LITERAL_TEXT
    | RAW_TEXT
    | VOID
    | {"title", "meta", "link", "base", "html", "head", "body", "x-y"}
)
_ATTRIBUTES = [
    "id",
    "class",
    "style",
    "hidden",
    "href",
    "name",
    "content",
    "property",
    "lang",
    "charset",
    "rel",
    "http-equiv",
    "datetime",
    "=",
    "/",
]
_VALUES = [
    "display:none", "display : none", "hidden", "author", "og:title", "canonical", "a b", "x>y", "<p>", "</script>",
    "'", '"', "&amp;", "-->", "", "nav menu", "\0", "article:published_time", "2020-01-01", "é", "\U0001f600",
    "text/html; charset=utf-16", "javascript:", "=",
]  # fmt: skip
_SCRAPS = [
    "<", ">", "</", "<!", "<!--", "-->", "--!>", "<!-->", "<!doctype html>", "<?xml", "?>", "<![CDATA[", "]]>", "&",
    "&amp;", "&#0;", "&#x110000;", "&#xd800;",
    "&nbsp;", "&#173;", "=", '"', "'", "/", "/>", "\n", "\r", "\r\n", "\t", "\0", " ", "class=x", "id=",
    "style=display:none", "hidden", "<br><br>", "<br>",
    "<title>", "</title>", "<script>", "</script>", "<textarea>", "<plaintext>", "<pre>\n", "</pre>",
    "<table><tr><td>", "</td><td>", "</table>", "</p>",
    '{"@type":"Article","author":', '<script type="application/ld+json">', "<meta charset=", "<svg>", "<noscript>",
    "\ufeff", "\u0301", "\u200b", "\u2028",
    "\x0c", "\x0b", "\x85", "\xa0", "\u3000", "健康", "ไทย", "ภาษา", "עברית", "Ελληνικά", "\ud800",
]  # fmt: skip
_LARGEST = 300_000  # characters of what is repeated
_WORDS = (
    "the mill grinds slowly but it grinds exceedingly fine and all that comes to it is flour . , ! ? I'm 1,000 "
    "2015-01-01"
).split()
_ENCODINGS = (
    "utf-8 utf-16 utf-16-le utf-32 cp1252 iso8859-2 cp1250 koi8-r cp1251 shift_jis euc-jp"
    " iso2022_jp gb18030 big5 euc-kr cp874 iso8859-7 utf-7"
).split()


def _tag(random: Random) -> str:
    name = random.choice(_NAMES)
    if random.random() < 0.4:
        return f"</{name}>"
    if random.random() < 0.1:
        name = name.upper()
    parts = [f"<{name}"]
    for _ in range(random.choice([0, 0, 0, 1, 1, 2, 5])):
        quote = random.choice(['"', "'", "", '"', "'\""])
        equals = random.choice(["=", " = ", "=", ""])
        parts.append(
            f"{random.choice([' ', '', '/', chr(10)])}{random.choice(_ATTRIBUTES)}{equals}{quote}"
            f"{random.choice(_VALUES)}{quote[:1]}"
        )
    return "".join(parts) + random.choice([">", ">", ">", ">", "/>", "", " >"])


def _words(random: Random) -> str:
    return " ".join(random.choices(_WORDS, k=random.choice([1, 2, 5, 20, 60])))


def _junk(random: Random) -> str:
    return "".join(random.choices(string.printable, k=random.randint(1, 20)))


def page(random: Random) -> str:
    """A page put together from tags, scraps of markup, words and junk, some of it many times over."""
    makers = random.choices(
        [_tag, lambda random: random.choice(_SCRAPS), _words, _junk],
        [5, 3, 3, 1],
        k=random.choice([1, 2, 3, 5, 10, 40, 150]),
    )
    parts = [make(random) for make in makers]
    for _ in range(random.choice([0, 0, 0, 1, 3])):
        repeated = random.choice(parts)
        parts.insert(
            random.randrange(len(parts) + 1),
            repeated * min(random.choice([2, 10, 100, 1000]), _LARGEST // len(repeated)),
        )
    return "".join(parts)


def damage(data: bytes, random: Random) -> bytes:
    """Bytes with some of them changed, cut out, doubled or cut off."""
    some = bytearray(data)
    for _ in range(random.choice([1, 1, 2, 5, 20])):
        at = random.randrange(len(some) + 1)
        length = random.choice([1, 1, 2, 8, 100, len(some) // 3 + 1])
        match random.randrange(6):
            case 0 if at < len(some):
                some[at] ^= 1 << random.randrange(8)
            case 1:
                some[at : at + length] = random.randbytes(min(length, 200))
            case 2:
                del some[at : at + length]
            case 3:
                some[at:at] = some[at : at + length]
            case 4:
                some[at : at + length] = bytes(min(length, len(some) - at))
            case _:
                some[at:at] = random.choice(_SCRAPS).encode("utf-8", "surrogatepass")
    if random.random() < 0.1:
        del some[random.randrange(len(some) + 1) :]
    return bytes(some[:300_000])


@functools.cache
def sample_pages() -> list[bytes]:
    """The pages of the bundled sample."""
    return [item.body for item in read(find_sources([sample.WARC])[0]) if isinstance(item, Page) and item.body]


class Clean(Target):
    """Cleaning by every method, from text and from bytes, shown in every format."""

    name = "clean"
    _pages = sample_pages()

    def make(self, random: Random) -> tuple[str, str | bytes]:
        """A method, and a page written at random or a damaged one of the sample."""
        method = random.choice(list(METHODS))
        if random.random() < 0.3:
            return method, damage(random.choice(self._pages), random)
        made = page(random)
        return method, made if random.random() < 0.5 else made.encode(random.choice(_ENCODINGS), "replace")

    def attempt(self, case: tuple[str, str | bytes]) -> None:
        """Every block has text, a place in the page and a score between 0 and 1, and everything can be shown."""
        method, given = case
        document = gristmill.clean(given, method=method)
        length = None if isinstance(given, bytes) else len(given)
        end = 0
        for block in document.blocks:
            assert block.text.strip(), "a block without text"
            assert 0 <= block.score <= 1, f"a score of {block.score}"
            assert 0 <= block.start <= block.end, f"a block from {block.start} to {block.end}"
            assert length is None or block.end <= length, f"a block that ends at {block.end} of {length}"
            assert block.start >= end or method == "victor", f"a block from {block.start} behind {end}"
            assert block.link_words >= 0, "links with less than no words"
            end = block.start
        for show in PAGE_FORMATS:
            shown = PAGE_FORMATS[show](document)
            shown.encode()
            assert show != "json" or json.loads(shown)
        assert gristmill.structure(given, document) or not document.text, "text that has no place in the structure"
        assert gristmill.markdown(given, document) or not document.text, "text that is not in the Markdown"


class Decode(Target):
    """Decoding of any bytes, whatever is declared."""

    name = "decode"
    _pages = sample_pages()

    def make(self, random: Random) -> tuple[bytes, str | None, str | None]:
        """Bytes, an encoding that is declared, and a language."""
        made = page(random)
        match random.randrange(5):
            case 0:
                data = random.randbytes(random.choice([1, 2, 3, 5, 50, 5000]))
            case 1:
                data = damage(random.choice(self._pages), random)
            case 2:
                data = made.encode("utf-8", "replace").decode("cp1252", "replace").encode("utf-8", "replace")
            case 3:
                data = b"".join(part.encode(random.choice(_ENCODINGS), "replace") for part in made.split("<"))
            case _:
                data = made.encode(random.choice(_ENCODINGS), "replace")
        if random.random() < 0.2:
            data = (
                random.choice(
                    [codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, b"+/v8", b"\x1b$B"]
                )
                + data
            )
        return (
            data,
            random.choice([None, None, *_ENCODINGS, "x-user-defined", "hex", "rot13", "\0", "idna"]),
            random.choice([None, "cs", "el", "zz"]),
        )

    def attempt(self, case: tuple[bytes, str | None, str | None]) -> None:
        """Text that can be encoded, without characters that text does not have."""
        data, declared, lang = case
        decoded = gristmill.decode(data, lang, declared)
        decoded.text.encode()
        assert "\0" not in decoded.text, "a NUL in the text"
        assert not any("\x7f" <= character <= "\x9f" for character in decoded.text), "a control character in the text"
        assert decoded.encoding, "no encoding"
