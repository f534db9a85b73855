"""Help on queries: all forms with an example of each, and the lists of words that there are."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from gristmill.operations.common import NoParameters
from gristmill.operations.search import SearchAsked
from gristmill.web.pages import page
from gristmill.web.rooms.search import address
from gristmill.web.visit import Visit

FORMS = (
    (
        "Words",
        (
            ("water", "a word or a lemma, in upper or lower case"),
            ("of the", "words one after the other"),
            ("work*", "* stands for any characters, ? for one"),
        ),
    ),
    (
        "Tokens",
        (
            ('"work.*"', "a word, by a regular expression that matches all of it"),
            ('[lemma="go"]', "by another attribute: lemma, tag, xpos, feats; != is the opposite"),
            ('[lemma="go" & tag!="NOUN" | word="gone"]', "& (and), | (or), ! (not), brackets"),
            ('"water"%c', "ignoring case; %d ignores diacritics, %l and == take the value literally"),
            ('[word>="1990" & word<"2020"]', "numbers by their size"),
            ("[]", "any token"),
        ),
    ),
    (
        "Sequences",
        (
            ('[lemma="be"] [tag="ADJ"]', "one after the other"),
            ('"a" []{0,3} "of"', "with up to three tokens between"),
            ('[tag="ADJ"]{2,} [tag="NOUN"]', "repeated: ? * + {2} {2,} {1,3}"),
            ('("in" | "out" "of") "the"', "groups and alternatives"),
            ('"day" <g/> ","', "without a space between them"),
            ('"the" [: tag="NOUN" :]', "before a token that is not part of the match"),
        ),
    ),
    (
        "Structures",
        (
            ('<s> [tag="VERB"]', "at the start of a sentence; </s> is its end"),
            ('<p kind="h"/>', "a whole paragraph, here a heading; doc, p and s, with conditions as in tokens"),
            ('"the" []{0,5} "of" within <s/>', "in one sentence; !within is the opposite"),
            ('<s/> containing [lemma="water"]', "what has another query in it; !containing is the opposite"),
            ('<nc/> containing [lemma="water"]', "noun chunks; vc are verb chunks, pc prepositional ones"),
            ('"a" []* "of" within 5', "with at most five tokens"),
        ),
    ),
    (
        "Labels",
        (
            ('1:[tag="NOUN"] "and" 2:[tag="NOUN"]', "tokens with a label: lines show them, and keys such as 2.lemma"),
            ('1:[] "and" 2:[] & 1.tag = 2.tag', "conditions on labelled tokens, after & or ::"),
            ('a:[tag="NOUN"] []{1,5} [lemma = a.lemma]', "the same in a later token"),
        ),
    ),
    (
        "Near each other",
        (
            ('(meet "water" "of" -5 5)', "each water with of at most five tokens before or after it"),
            ('(meet [lemma="water"] [tag="ADJ"] s)', "in the same sentence"),
            ('(union "water" "day")', "one or the other"),
        ),
    ),
    (
        "Functions",
        (
            ("[f(lemma) = 1 & strlen(word) > 12]", "by frequency in the corpus, by number of characters"),
            ("1:[] []{0,3} 2:[] & 1.word = 2.word & distance(1, 2) > 2", "distance, distabs, add, sub, mul, int"),
            ('[is_prefix("un", word)]', "prefix, minus, is_prefix, normalize"),
            ('[lbound(s) & tag="VERB"]', "whether it is the first token of a sentence; rbound: the last"),
        ),
    ),
    (
        "Which matches",
        (
            ('(?longest) [tag="ADJ"]+', "also shortest, standard and traditional; without it all matches count"),
            ('"the" cut 100', "the first hundred"),
            ('"water" expand to s', "made longer, to the sentence; expand left to 2 s, expand right to 5 words"),
        ),
    ),
)
"""Forms of queries in groups: an example, and what it finds."""


@page("search/help", room="search")
async def search_help(visit: Visit) -> Response:
    """Show all forms of queries, and the lists of words that queries can name."""
    known: dict[str, Any] = await visit.ask("lists", NoParameters())
    return visit.page(
        "search_syntax.html",
        tab="search/help",
        forms=FORMS,
        lists=known["lists"],
        search=lambda query: address(visit, "search", SearchAsked(query=query)),
    )
