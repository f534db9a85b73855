"""The numbers by which the kind of a page is told: their names, in the order in which `page_numbers` writes them.

They are about the whole page, so on `<h1>Mills</h1><p>They grind.<p>Slowly.` they are words 4, blocks 3, headings 1,
heading_share 0.33, and so on.
"""

from __future__ import annotations

_BLOCKS = (
    "words blocks link_density long_blocks long_share longest long_words headings heading_share"
    " list_items cells link_blocks teasers short_blocks sentences prices digits"
)
_RUN = "run_share run_long_blocks run_before"
_PATHS = "paths long_path_share long_path_blocks link_path_share link_path_blocks"
_GROUP = "items share item_words link_density item_long item_blocks"

NUMBERS = (
    *_BLOCKS.split(),
    *_RUN.split(),
    *_PATHS.split(),
    *(f"{group}_{name}" for group in ("group", "largest") for name in _GROUP.split()),
)
"""The names of the numbers."""

_PLACES = {name: place for place, name in enumerate(NUMBERS)}
WORDS_OF_PAGE = _PLACES["words"]
BLOCKS_OF_PAGE = _PLACES["blocks"]
LINK_DENSITY = _PLACES["link_density"]
LONG_BLOCKS = _PLACES["long_blocks"]
LONG_SHARE = _PLACES["long_share"]
LONGEST = _PLACES["longest"]
LONG_WORDS = _PLACES["long_words"]
HEADING_SHARE = _PLACES["heading_share"]
HEADINGS = _PLACES["headings"]
LIST_ITEMS = _PLACES["list_items"]
CELLS = _PLACES["cells"]
LINK_BLOCKS = _PLACES["link_blocks"]
TEASERS = _PLACES["teasers"]
SHORT_BLOCKS = _PLACES["short_blocks"]
SENTENCES = _PLACES["sentences"]
PRICES = _PLACES["prices"]
DIGITS = _PLACES["digits"]
RUN_SHARE = _PLACES["run_share"]
RUN_LONG_BLOCKS = _PLACES["run_long_blocks"]
RUN_BEFORE = _PLACES["run_before"]
PATHS = _PLACES["paths"]
LONG_PATH_SHARE = _PLACES["long_path_share"]
LONG_PATH_BLOCKS = _PLACES["long_path_blocks"]
LINK_PATH_SHARE = _PLACES["link_path_share"]
LINK_PATH_BLOCKS = _PLACES["link_path_blocks"]
GROUP = _PLACES["group_items"]
LARGEST = _PLACES["largest_items"]
SIZE = len(NUMBERS)

# The rows of `blocks`, the numbers of each block.
WORDS, LINK_WORDS, KIND, PATH, ROW = range(5)
BLOCK_ROWS = 5
# The rows of `elements`; FIRST and END are the first block of an element and the first one behind it.
CODE, PARENT, FIRST, END = range(4)
ELEMENT_ROWS = 4
# The rows of sums from the beginning of the page.
SUM_WORDS, SUM_LINKS, SUM_LONG = range(3)
SUM_ROWS = 3
# The rows of groups, one for each element whose children are items: the name of the last item, and sums over items.
NAME, ITEMS, COUNTED, ITEM_WORDS, ITEM_LINKS, ITEM_LONG, ITEM_BLOCKS = range(7)
GROUP_ROWS = 7

HEADING, LIST_ITEM = 1, 2
"""The numbers of these kinds of blocks."""
MIN_LONG_WORDS = 15
"""Of a block that is probably running text."""
MAX_SHORT_WORDS = 3
MIN_TEASER_WORDS = 4
"""Of a link that is probably a headline."""
MAX_PRICE_WORDS = 8
"""Of a block in which prices and dates are looked for."""
MAX_WORD_BYTES = 16
"""So many bytes for each word of such a block are looked at."""
MIN_DIGITS = 3
"""Of a block that is probably a date or a number."""
MAX_GAP = 3
"""How many other blocks may stand between two long ones of a run."""
MIN_ITEMS = 3
MIN_ITEM_BLOCKS = 2
MIN_ITEM_WORDS = 6
MAX_ITEM_WORDS = 60
"""So many words of an item count when the group with most words is chosen."""
