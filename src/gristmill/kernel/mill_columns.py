"""The features of the method `mill`, by name: what it knows about a block. Here is their only list.

The features of a page are a table with a row for each name, in this order, and a column for each block. So on the page
`<h1>Mills</h1><p>They grind.<p>Slowly.` the table has three columns, and these rows among others:

    own.log_words     0.69 1.10 0.69      the logarithm of 1 + the words
    own.is_heading    1.00 0.00 0.00
    holder.p          0.00 1.00 1.00

Models store the names that they were trained with. `ROWS` tells the row of a name.
"""

from __future__ import annotations

LEVELS = 5
"""How many of the elements around a block are described: its holder, which is level 1, and upwards."""
SCORED_LEVELS = 3
"""For how many of them there is the score as the main element of the page."""
NEIGHBOURS_PER_SIDE = 3
"""How many blocks before a block, and behind it, are described one by one."""
WINDOWS = (5, 12)
"""How many blocks before a block, and behind it, are described by their means."""
HOLDERS = tuple("p div li td dd dt blockquote pre figcaption option section article h1 h2 h3 h4 body".split())
"""Elements that matter as the holder of a block."""
AROUND = tuple(
    (
        "article main nav header footer aside form table ul ol li blockquote figure select dl"
        " section p pre details td fieldset"
    ).split()
)
"""Elements that matter anywhere above a block."""

# What follows a name's dot. `long` are blocks that are probably running text; `log_` is the logarithm of 1 + a number.
_OWN = (
    "log_words link_density ends_sentence log_characters log_links log_tags log_tags_before log_stops log_commas"
    " log_digits word_length tags_per_word sentence_length links_per_word"
    " capitals digits stops commas separators others"
    " is_heading is_list_item ends_with_colon begins_with_capital begins_with_digit is_repeated is_in_title"
    " has_copyright has_at"
)
_LEVEL = "log_words log_blocks log_mean_words log_stops share_of_words link_density share_of_long long_density"
_GROUP = "log_words log_blocks log_mean_words share_of_words link_density long_density"
_MAIN = tuple(f"main{number}" for number in (1, 2, 3))
_POSITION = (
    "share_of_blocks share_of_words share_of_long_before share_of_long_behind depth log_blocks_before log_blocks_behind"
    " log_to_long_before log_to_long_behind log_to_heading_before log_to_heading_behind"
    " same_holder_before same_parent_before same_holder_behind same_parent_behind"
)
_NEIGHBOUR = "log_words link_density ends_sentence is_heading named_log_mean_words exists"
_WINDOW = "log_words link_density ends_sentence is_long"
_PAGE = (
    "log_words link_density long_density log_blocks log_long_blocks stops_per_word log_length headings list_items"
    " has_main log_articles"
)


# The roles of blocks, in the order of `gristmill.roles`, and what they say about the page and the place of a block.
_ROLES = "title heading text list table code quote caption byline comment teaser notice navigation form"
_SHARES = "text comment teaser navigation byline list table"
_PLACE = "after_first_title after_last_title after_comment since_title since_byline to_byline"
_NEAR = "text teaser navigation comment notice"
_PHRASES = "least most mean sum known before behind"


def _named(group: str, names: str) -> list[str]:
    return [f"{group}.{name}" for name in names.split()]


def _features() -> list[str]:
    """List the names in their order."""
    reach = range(1, NEIGHBOURS_PER_SIDE + 1)
    levels = [f"level{level}" for level in range(1, LEVELS + 1)]
    neighbours = [*(f"before{step}" for step in reversed(reach)), *(f"behind{step}" for step in reach)]
    windows = [f"{side}{width}" for width in WINDOWS for side in ("last", "next")]
    return [
        # The block itself; how many of its characters are of a kind, and what it begins and ends with.
        *_named("own", _OWN),
        # 1 if the element that holds the block has this name, or one of the elements around it.
        *(f"holder.{tag}" for tag in HOLDERS),
        *(f"around.{tag}" for tag in AROUND),
        # What the elements around the block hold, its holder first.
        *(name for level in levels for name in _named(level, _LEVEL)),
        # All blocks that have the same path, and those that have the same path and whose holders have the same names.
        *_named("path", _GROUP),
        *_named("named", _GROUP),
        # How the block lies to the elements that probably hold the text: 1 is Readability's choice, 2 the one with most
        # text, where links and short blocks are subtracted, and 3 is the parent of 1.
        *(f"{main}.log_blocks_before" for main in _MAIN),
        *(f"{main}.log_blocks_behind" for main in _MAIN),
        *(f"{level}.score" for level in levels[:SCORED_LEVELS]),
        *(f"{main}.share_of_words" for main in _MAIN),
        *(f"{main}.link_density" for main in _MAIN),
        *_named("position", _POSITION),
        # The blocks before and behind, one by one, and means of more of them.
        *(name for neighbour in neighbours for name in _named(neighbour, _NEIGHBOUR)),
        *(name for window in windows for name in _named(window, _WINDOW)),
        # The whole page, for all its blocks alike.
        *_named("page", _PAGE),
        # What the names of classes and ids say, for the elements around the block and for all above it.
        *(f"{level}.names" for level in levels),
        *_named("names", "sum most least"),
        # 1 if the block has this role; the share of the words of the page that have it; how many blocks it is behind
        # the first and the last title, and the first comment; behind the title or byline before it, and before the
        # next byline; the share of the five blocks before and behind that have a role.
        *_named("role", _ROLES),
        *_named("page_share", _SHARES),
        *_named("place", _PLACE),
        *_named("roles_before", _NEAR),
        *_named("roles_behind", _NEAR),
        # What is known of the words and pairs of words of the block, and the mean of the four blocks before and behind.
        *_named("phrases", _PHRASES),
    ]


FEATURES = tuple(_features())
"""The names of all features, in the order of the rows of a table."""
ROWS = {name: row for row, name in enumerate(FEATURES)}
"""The row of each feature."""

MIN_LONG_WORDS = 15
"""Of a block that is probably running text, unless it is links."""
MAX_LONG_LINK_DENSITY = 0.3
"""Of such a block."""
NO_SUCH_BLOCK = 150
"""A distance that stands for "none on this page"."""
MIN_TITLE_CHARACTERS = 8
"""Of a block that is looked for in the title."""
MAX_TITLE_CHARACTERS = 1000
"""In which blocks are looked for; without limit, long titles would make pages quadratic."""
IS_TEXT, IS_PLAIN, IS_BY_NAME, IS_LINKS, IS_INSIDE = range(5)
"""Labels: text, or boilerplate without a conspicuous property, by the names around it, of links, in some element.

What is in the second of the noted elements has the label IS_INSIDE + 1, and so on.
"""
NEAR_LEVELS = 3
"""How many of the elements around a block give it a label by their names."""
HEADING, LIST_ITEM = 1, 2
"""The numbers of these kinds of blocks."""

# The rows of `blocks`, the numbers of each block.
WORDS, LINK_WORDS, LINKS, TAGS, KIND, PATH, HOLDER, TAGS_BEFORE, IS_REPEATED, IS_IN_TITLE = range(10)
BLOCK_ROWS = 10
# The rows of `elements`, the numbers of each element; FIRST and END are its first block and the first one behind it.
CODE, PARENT, FIRST, END, NAMES = range(5)
ELEMENT_ROWS = 5


# The rows of sums from the beginning of the page. Those of mass are twice the words of long blocks, less those of
# other blocks and twice their links.
SUM_WORDS, SUM_LINKS, SUM_LONG_WORDS, SUM_LONG, SUM_STOPS, SUM_MASS, SUM_HEADINGS, SUM_ITEMS = range(8)
SUM_ROWS = 8

# The rows of features that loops write, and the steps between those that come several times.
OWN_LOG_WORDS = ROWS["own.log_words"]
OWN_LINK_DENSITY = ROWS["own.link_density"]
OWN_ENDS_SENTENCE = ROWS["own.ends_sentence"]
OWN_LOG_CHARACTERS = ROWS["own.log_characters"]
OWN_LOG_LINKS = ROWS["own.log_links"]
OWN_LOG_TAGS = ROWS["own.log_tags"]
OWN_LOG_TAGS_BEFORE = ROWS["own.log_tags_before"]
OWN_LOG_STOPS = ROWS["own.log_stops"]
OWN_LOG_COMMAS = ROWS["own.log_commas"]
OWN_LOG_DIGITS = ROWS["own.log_digits"]
OWN_WORD_LENGTH = ROWS["own.word_length"]
OWN_TAGS_PER_WORD = ROWS["own.tags_per_word"]
OWN_SENTENCE_LENGTH = ROWS["own.sentence_length"]
OWN_LINKS_PER_WORD = ROWS["own.links_per_word"]
OWN_CAPITALS = ROWS["own.capitals"]
OWN_DIGITS = ROWS["own.digits"]
OWN_STOPS = ROWS["own.stops"]
OWN_COMMAS = ROWS["own.commas"]
OWN_SEPARATORS = ROWS["own.separators"]
OWN_OTHERS = ROWS["own.others"]
OWN_IS_HEADING = ROWS["own.is_heading"]
OWN_IS_LIST_ITEM = ROWS["own.is_list_item"]
OWN_ENDS_WITH_COLON = ROWS["own.ends_with_colon"]
OWN_BEGINS_WITH_CAPITAL = ROWS["own.begins_with_capital"]
OWN_BEGINS_WITH_DIGIT = ROWS["own.begins_with_digit"]
OWN_IS_REPEATED = ROWS["own.is_repeated"]
OWN_IS_IN_TITLE = ROWS["own.is_in_title"]
OWN_HAS_COPYRIGHT = ROWS["own.has_copyright"]
OWN_HAS_AT = ROWS["own.has_at"]
HOLDER_FLAGS = ROWS[f"holder.{HOLDERS[0]}"]
AROUND_FLAGS = ROWS[f"around.{AROUND[0]}"]
LEVEL_LOG_WORDS = ROWS["level1.log_words"]
LEVEL_LOG_BLOCKS = ROWS["level1.log_blocks"]
LEVEL_LOG_MEAN_WORDS = ROWS["level1.log_mean_words"]
LEVEL_LOG_STOPS = ROWS["level1.log_stops"]
LEVEL_SHARE_OF_WORDS = ROWS["level1.share_of_words"]
LEVEL_LINK_DENSITY = ROWS["level1.link_density"]
LEVEL_SHARE_OF_LONG = ROWS["level1.share_of_long"]
LEVEL_LONG_DENSITY = ROWS["level1.long_density"]
LEVEL_STEP = ROWS["level2.log_words"] - ROWS["level1.log_words"]
LEVEL_SCORE = ROWS["level1.score"]
PATH_LOG_WORDS = ROWS["path.log_words"]
PATH_LOG_BLOCKS = ROWS["path.log_blocks"]
PATH_LOG_MEAN_WORDS = ROWS["path.log_mean_words"]
PATH_SHARE_OF_WORDS = ROWS["path.share_of_words"]
PATH_LINK_DENSITY = ROWS["path.link_density"]
PATH_LONG_DENSITY = ROWS["path.long_density"]
NAMED_STEP = ROWS["named.log_words"] - ROWS["path.log_words"]
NAMED_LOG_MEAN_WORDS = ROWS["named.log_mean_words"]
MAIN_LOG_BLOCKS_BEFORE = ROWS["main1.log_blocks_before"]
MAIN_LOG_BLOCKS_BEHIND = ROWS["main1.log_blocks_behind"]
MAIN_SHARE_OF_WORDS = ROWS["main1.share_of_words"]
MAIN_LINK_DENSITY = ROWS["main1.link_density"]
POSITION_SHARE_OF_BLOCKS = ROWS["position.share_of_blocks"]
POSITION_SHARE_OF_WORDS = ROWS["position.share_of_words"]
POSITION_SHARE_OF_LONG_BEFORE = ROWS["position.share_of_long_before"]
POSITION_SHARE_OF_LONG_BEHIND = ROWS["position.share_of_long_behind"]
POSITION_DEPTH = ROWS["position.depth"]
POSITION_LOG_BLOCKS_BEFORE = ROWS["position.log_blocks_before"]
POSITION_LOG_BLOCKS_BEHIND = ROWS["position.log_blocks_behind"]
POSITION_LOG_TO_LONG_BEFORE = ROWS["position.log_to_long_before"]
POSITION_LOG_TO_LONG_BEHIND = ROWS["position.log_to_long_behind"]
POSITION_LOG_TO_HEADING_BEFORE = ROWS["position.log_to_heading_before"]
POSITION_LOG_TO_HEADING_BEHIND = ROWS["position.log_to_heading_behind"]
POSITION_SAME_HOLDER_BEFORE = ROWS["position.same_holder_before"]
POSITION_SAME_PARENT_BEFORE = ROWS["position.same_parent_before"]
POSITION_SAME_HOLDER_BEHIND = ROWS["position.same_holder_behind"]
POSITION_SAME_PARENT_BEHIND = ROWS["position.same_parent_behind"]
NEIGHBOUR_LOG_WORDS = ROWS[f"before{NEIGHBOURS_PER_SIDE}.log_words"]
NEIGHBOUR_LINK_DENSITY = ROWS[f"before{NEIGHBOURS_PER_SIDE}.link_density"]
NEIGHBOUR_ENDS_SENTENCE = ROWS[f"before{NEIGHBOURS_PER_SIDE}.ends_sentence"]
NEIGHBOUR_IS_HEADING = ROWS[f"before{NEIGHBOURS_PER_SIDE}.is_heading"]
NEIGHBOUR_MEAN_WORDS = ROWS[f"before{NEIGHBOURS_PER_SIDE}.named_log_mean_words"]
NEIGHBOUR_EXISTS = ROWS[f"before{NEIGHBOURS_PER_SIDE}.exists"]
NEIGHBOUR_STEP = ROWS["behind2.exists"] - ROWS["behind1.exists"]
LAST5_LOG_WORDS = ROWS["last5.log_words"]
LAST5_LINK_DENSITY = ROWS["last5.link_density"]
LAST5_ENDS_SENTENCE = ROWS["last5.ends_sentence"]
LAST5_IS_LONG = ROWS["last5.is_long"]
NEXT_STEP = ROWS["next5.log_words"] - ROWS["last5.log_words"]
WIDER_STEP = ROWS["last12.log_words"] - ROWS["last5.log_words"]
PAGE_LOG_WORDS = ROWS["page.log_words"]
PAGE_LINK_DENSITY = ROWS["page.link_density"]
PAGE_LONG_DENSITY = ROWS["page.long_density"]
PAGE_LOG_BLOCKS = ROWS["page.log_blocks"]
PAGE_LOG_LONG_BLOCKS = ROWS["page.log_long_blocks"]
PAGE_STOPS_PER_WORD = ROWS["page.stops_per_word"]
PAGE_LOG_LENGTH = ROWS["page.log_length"]
PAGE_HEADINGS = ROWS["page.headings"]
PAGE_LIST_ITEMS = ROWS["page.list_items"]
PAGE_HAS_MAIN = ROWS["page.has_main"]
PAGE_LOG_ARTICLES = ROWS["page.log_articles"]
LEVEL_NAMES = ROWS["level1.names"]
NAMES_SUM = ROWS["names.sum"]
NAMES_MOST = ROWS["names.most"]
NAMES_LEAST = ROWS["names.least"]
HOLDER_NUMBER = len(HOLDERS)
AROUND_NUMBER = len(AROUND)
ROLE_FLAGS = ROWS["role.title"]
ROLE_NUMBER = len(_ROLES.split())
TITLE, BYLINE, COMMENT = (_ROLES.split().index(name) for name in ("title", "byline", "comment"))
PAGE_SHARES = ROWS["page_share.text"]
SHARED_ROLES = tuple(_ROLES.split().index(name) for name in _SHARES.split())
PLACE_AFTER_FIRST_TITLE = ROWS["place.after_first_title"]
PLACE_AFTER_LAST_TITLE = ROWS["place.after_last_title"]
PLACE_AFTER_COMMENT = ROWS["place.after_comment"]
PLACE_SINCE_TITLE = ROWS["place.since_title"]
PLACE_SINCE_BYLINE = ROWS["place.since_byline"]
PLACE_TO_BYLINE = ROWS["place.to_byline"]
ROLES_BEFORE = ROWS["roles_before.text"]
ROLES_BEHIND = ROWS["roles_behind.text"]
NEAR_ROLES = tuple(_ROLES.split().index(name) for name in _NEAR.split())
PHRASES = ROWS["phrases.least"]
PHRASES_MEAN = ROWS["phrases.mean"]
PHRASES_BEFORE = ROWS["phrases.before"]
PHRASES_BEHIND = ROWS["phrases.behind"]
