"""The loops that read every byte of a page, as one set of plain Python files that are also compiled to C.

    tokens.py       find the tags of a page, by the HTML standard        <p class=a>Hi  ->  one tag, text behind it
    nesting.py      follow elements from tag to tag, and find what is hidden
    names.py        read the classes and ids of elements
    blocks.py       cut the text between tags into pieces, and these into blocks
    holders.py      tell which blocks each element holds, and the kind and path of each block
    text.py         write the text of blocks: references resolved, white space folded, words counted
    references.py   resolve character references                         &eacute;  ->  é
    characters.py   make the table of what each character is, which text.py uses
    utf8.py         tell whether bytes are UTF-8 that needs no tidying
    letters.py      add up scores of letter triples                      The mill  ->  64 for "the", 5 for "mil"...
    mill.py         fill the table of features of the method `mill`      words [1, 2]  ->  own.log_words [0.69, 1.10]
    mill_roles.py   fill those of its rows that are about roles
    trees.py        score blocks by these features
    role_texts.py   read what the first words of texts say about them    By A. Miller  ->  about a writer
    page_links.py   find where a page links to, and what it says to be a translation
    page_tags.py    count tags, and find those in which a page says what it is
    page_numbers.py measure a page as a whole, for its kind               links, paths, what is repeated
    kinds.py        tell the kind of a page by these numbers
    roles.py        find the role of each block                          By A. Miller  ->  byline
    phrases.py      find words and pairs of words, and what is known of them   Share on X  ->  share, share on...
    boosting.py     add up what trees are trained by, for `gristmill train`
    tallies.py      count numbers and pairs of them, for word lists and bigrams
    chunks.py       read a text into words and sentences                 It's a mill.  ->  It 's a mill .
    walks.py        find what an automaton accepts, for queries
    segments.py     cut text without spaces into words                   以前住在北京  ->  以前 住 在 北京
    word_features.py  describe words by keys of features, and add up the weights of these, for the tagger `own`
    tag_paths.py    find the best tags of sentences by such sums
    tag_learning.py learn the weights, for `gristmill train tagger`
    parse_features.py  features of states of the parser; parse_slots.py has the numbers of what it looks at
    parse_states.py, parse_trees.py  states of the arc-eager parser, and trees whose relations are to be named
    parse_paths.py  find the heads and relations of words               The mill stands  ->  1 det, 1 nsubj, 0 root
    parse_learning.py  learn the weights of these, for `gristmill train parser`
    beads.py        find the best alignment of two texts
    chains.py       find anchors of two texts that go up in both
    word_pairs.py   count words that stand in translated sentences

Beside each of these stands a `.pxd` file that says which of its variables are C integers; Cython makes a module of
both, in `compiled/`. All take and return arrays and bytes, for a whole page at once; but `chunks.py` takes a text and
the rules of its language, and returns words. Import the functions from here:
they are the compiled ones where these are there (`loading.py`), and otherwise those of the Python files, which do the
same. A module is loaded when one of its functions is asked for.

Where an array has two names, as in `pieces = found`, one is for the compiler: of the two, the `.pxd` file declares the
one whose items are read and written, and the other is what Python sees and the function returns.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gristmill.kernel.loading import load

COMPILED = load("tokens") is not None
"""Whether the kernel is compiled."""

if TYPE_CHECKING:
    from gristmill.kernel.beads import Texts, find_beads, measure_beads
    from gristmill.kernel.blocks import cut, find_pieces, to_characters
    from gristmill.kernel.boosting import add_derivatives
    from gristmill.kernel.chains import find_chain
    from gristmill.kernel.chunks import TextReader
    from gristmill.kernel.holders import hold
    from gristmill.kernel.kinds import tell_kinds
    from gristmill.kernel.letters import add_scores, count_letters
    from gristmill.kernel.mill import compare, describe, describe_names, label
    from gristmill.kernel.mill_roles import describe_phrases_around, describe_roles
    from gristmill.kernel.names import find_names, words_of_name
    from gristmill.kernel.nesting import follow, hide
    from gristmill.kernel.page_links import find_links, join_links
    from gristmill.kernel.page_numbers import count_names, measure_page
    from gristmill.kernel.page_tags import find_raw_texts, find_telling, survey_tags
    from gristmill.kernel.parse_features import Features, KeyTable
    from gristmill.kernel.parse_learning import (
        costs_of,
        describe_actions,
        describe_relations,
        learn_actions,
        learn_relations,
    )
    from gristmill.kernel.parse_paths import find_heads, find_relations
    from gristmill.kernel.phrases import find_phrases, weigh
    from gristmill.kernel.references import resolve
    from gristmill.kernel.role_texts import read_texts, word_table
    from gristmill.kernel.roles import find_roles
    from gristmill.kernel.segments import Cutter, word_hash
    from gristmill.kernel.tag_learning import Rows, learn_tags, learn_values
    from gristmill.kernel.tag_paths import find_bundles, find_tags
    from gristmill.kernel.tallies import count_between, count_pairs, gather_pairs, tabulate_pairs
    from gristmill.kernel.text import measure, write, written_between
    from gristmill.kernel.tokens import are_nested, attributes, closes_itself, end_of_script, tokenise
    from gristmill.kernel.trees import odds
    from gristmill.kernel.utf8 import find_runs, gather, splice, survey, unix_lines
    from gristmill.kernel.walks import find_walks
    from gristmill.kernel.word_features import (
        Lexicon,
        WeightTable,
        common_beginnings,
        describe_words,
        hash_words,
        score_words,
    )
    from gristmill.kernel.word_pairs import PairTable, count_together

_FUNCTIONS = {
    "beads": ("Texts", "find_beads", "measure_beads"),
    "blocks": ("cut", "find_pieces", "to_characters"),
    "boosting": ("add_derivatives",),
    "chains": ("find_chain",),
    "chunks": ("TextReader",),
    "holders": ("hold",),
    "kinds": ("tell_kinds",),
    "letters": ("add_scores", "count_letters"),
    "mill": ("compare", "describe", "describe_names", "label"),
    "mill_roles": ("describe_phrases_around", "describe_roles"),
    "names": ("find_names", "words_of_name"),
    "nesting": ("follow", "hide"),
    "page_links": ("find_links", "join_links"),
    "page_numbers": ("count_names", "measure_page"),
    "page_tags": ("find_raw_texts", "find_telling", "survey_tags"),
    "parse_features": ("Features", "KeyTable"),
    "parse_learning": ("costs_of", "describe_actions", "describe_relations", "learn_actions", "learn_relations"),
    "parse_paths": ("find_heads", "find_relations"),
    "phrases": ("find_phrases", "weigh"),
    "references": ("resolve",),
    "role_texts": ("read_texts", "word_table"),
    "roles": ("find_roles",),
    "segments": ("Cutter", "word_hash"),
    "tag_learning": ("Rows", "learn_tags", "learn_values"),
    "tag_paths": ("find_bundles", "find_tags"),
    "tallies": ("count_between", "count_pairs", "gather_pairs", "tabulate_pairs"),
    "text": ("measure", "write", "written_between"),
    "tokens": ("are_nested", "attributes", "closes_itself", "end_of_script", "tokenise"),
    "trees": ("odds",),
    "utf8": ("find_runs", "gather", "splice", "survey", "unix_lines"),
    "walks": ("find_walks",),
    "word_features": (
        "Lexicon",
        "WeightTable",
        "common_beginnings",
        "describe_words",
        "hash_words",
        "score_words",
    ),
    "word_pairs": ("PairTable", "count_together"),
}
"""The functions of each module."""
_MODULES = {name: module for module, names in _FUNCTIONS.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import the module of a function when it is first asked for: a search needs one of twenty."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    package = f"{__name__}.compiled" if COMPILED else __name__
    value = getattr(import_module(f"{package}.{_MODULES[name]}"), name)
    sys.modules[__name__].__dict__[name] = value  # the next access does not come here
    return value


__all__ = [
    "COMPILED",
    "Cutter",
    "Features",
    "KeyTable",
    "Lexicon",
    "PairTable",
    "Rows",
    "TextReader",
    "Texts",
    "WeightTable",
    "add_derivatives",
    "add_scores",
    "are_nested",
    "attributes",
    "closes_itself",
    "common_beginnings",
    "compare",
    "costs_of",
    "count_between",
    "count_letters",
    "count_names",
    "count_pairs",
    "count_together",
    "cut",
    "describe",
    "describe_actions",
    "describe_names",
    "describe_phrases_around",
    "describe_relations",
    "describe_roles",
    "describe_words",
    "end_of_script",
    "find_beads",
    "find_bundles",
    "find_chain",
    "find_heads",
    "find_links",
    "find_names",
    "find_phrases",
    "find_pieces",
    "find_raw_texts",
    "find_relations",
    "find_roles",
    "find_runs",
    "find_tags",
    "find_telling",
    "find_walks",
    "follow",
    "gather",
    "gather_pairs",
    "hash_words",
    "hide",
    "hold",
    "join_links",
    "label",
    "learn_actions",
    "learn_relations",
    "learn_tags",
    "learn_values",
    "measure",
    "measure_beads",
    "measure_page",
    "odds",
    "read_texts",
    "resolve",
    "score_words",
    "splice",
    "survey",
    "survey_tags",
    "tabulate_pairs",
    "tell_kinds",
    "to_characters",
    "tokenise",
    "unix_lines",
    "weigh",
    "word_hash",
    "word_table",
    "words_of_name",
    "write",
    "written_between",
]
