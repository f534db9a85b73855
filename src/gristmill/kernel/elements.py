"""Tables of HTML elements: which make blocks, which are never shown, which end tags may be left out.

Elements have small numbers, their codes, so that arrays can hold them. In `<ul><li>One<br>line<li>Two</ul>`

    CODES["li"], NAMES[CODES["li"]]    a number, and "li" again
    "ul", "li" in BLOCKS               each begins a block, and ends it; `br`, in SPACED, only separates words
    "br" in VOID                       it holds nothing, and has no end tag
    IMPLIED_ENDS["li"]                 the second `<li>` closes the first, but would close none outside of its `ul`
"""

from __future__ import annotations

# Pomikálek (2011), 2.7, footnote 15.
_JUSTEXT_BLOCKS = (
    "blockquote caption center col colgroup dd div dl dt fieldset form h1 h2 h3 h4 h5 h6 legend li optgroup option p"
    " pre table td textarea tfoot th thead tr ul"
)
# What browsers show as blocks too: elements that came with HTML5, and a few that the list leaves out.
_LATER_BLOCKS = (
    "address article aside body details dialog figcaption figure footer header hgroup hr html listing main menu nav ol"
    " plaintext search section select summary tbody xmp"
)
BLOCKS = frozenset(f"{_JUSTEXT_BLOCKS} {_LATER_BLOCKS}".split())

# Where blocks begin and end for texrex: Schäfer, Accurate and efficient general-purpose boilerplate detection (2016),
# footnote 9.
CONTAINERS = frozenset("article blockquote div h1 h2 h3 h4 h5 h6 li p section td".split())

# Tags inside a line, after CEDAR: Gibson et al., in Can we beat Google? (WAC4, 2008), section 5.1.
INLINE = frozenset(
    (
        "a ins del span bdo em strong dfn code samp kbd var cite abbr acronym q sub sup tt i b big small u s strike"
        " basefont font"
    ).split()
)

# Where blocks begin and end for Htmlcleaner: at tags of HTML 4.0 (Baisa 2009, 1.2), but not at those inside a line,
# which it strips, nor at images and input fields, which it removes.
HTML4_BREAKS = frozenset(
    (
        "address blockquote br button caption center col colgroup dd div dl dt fieldset form h1 h2 h3 h4 h5 h6 hr label"
        " legend li menu ol optgroup option p pre select table tbody td textarea tfoot th thead tr ul"
    ).split()
)

HIDDEN = frozenset("script style template noscript iframe noframes noembed svg object canvas audio video".split())
VOID = frozenset("area base br col embed frame hr img input link meta param source track wbr".split())
# The content of these is not markup, up to their end tag. It is hidden ("raw text") or shown ("literal text").
RAW_TEXT = frozenset("script style iframe noframes noembed".split())
LITERAL_TEXT = frozenset("title textarea xmp plaintext".split())
# These separate words, though they end no block; so do the tags of blocks where only some of them end one.
SPACED = frozenset("br button input img rp rt".split())
# White space in these is shown as it is written.
PREFORMATTED = frozenset("pre textarea listing xmp plaintext".split())
HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
LIST_ITEMS = frozenset("li dt dd".split())

# For an element whose end tag may be left out: the open elements that its start tag closes, and the ancestors beyond
# which it does not look for them.
_TABLE = frozenset({"table"})
IMPLIED_ENDS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "li": (frozenset({"li"}), frozenset("ul ol menu table".split())),
    "dt": (frozenset({"dt", "dd"}), frozenset({"dl", "table"})),
    "dd": (frozenset({"dt", "dd"}), frozenset({"dl", "table"})),
    "option": (frozenset({"option"}), frozenset({"select"})),
    "optgroup": (frozenset({"option", "optgroup"}), frozenset({"select"})),
    "td": (frozenset({"td", "th"}), frozenset({"tr", "table"})),
    "th": (frozenset({"td", "th"}), frozenset({"tr", "table"})),
    "tr": (frozenset({"tr"}), _TABLE),
    "tbody": (frozenset("tbody thead tfoot tr".split()), _TABLE),
    "thead": (frozenset("tbody thead tfoot tr".split()), _TABLE),
    "tfoot": (frozenset("tbody thead tfoot tr".split()), _TABLE),
}
CELLS = frozenset("td th caption".split())
TABLE_PARTS = frozenset("table tbody thead tfoot tr td th caption colgroup".split())

_OTHERS = "button head label picture rp rt ruby time"
NAMES = ("", *sorted(BLOCKS | HIDDEN | VOID | INLINE | RAW_TEXT | LITERAL_TEXT | frozenset(_OTHERS.split())))
"""All elements that some rule mentions. The position of a name is its code; 0 stands for any other element."""
CODES = {name: code for code, name in enumerate(NAMES) if name}
"""The code of each name in `NAMES`."""
