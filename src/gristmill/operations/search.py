"""The hits of a query: line by line, how many there are, of what values, where in the corpus, how evenly spread."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from gristmill.errors import UsageError
from gristmill.operations.common import Rows
from gristmill.operations.declaration import operation
from gristmill.operations.searched import Ordered, Searched, counted, find
from gristmill.parameters import asked, param

if TYPE_CHECKING:
    from gristmill.pipeline import Corpus
    from gristmill.search.concordance.counts import Counts
    from gristmill.search.concordance.distribution import Distribution
    from gristmill.search.concordance.frequency import Frequency
    from gristmill.search.concordance.lines import Context
    from gristmill.search.concordance.shown import Lines
    from gristmill.search.statistics.spread import Dispersion


_CHARACTERS = 40
"""Characters to each side of a hit, where nobody says how much room there is."""


@asked
class SearchAsked(Ordered):
    """Which lines of a concordance are shown, and how."""

    view: Literal["kwic", "sentence"] = param("Key words in context, or whole sentences.", default="kwic")
    context: int | None = param(
        "Characters to each side of a hit [as many as a terminal or a page has room for; 40].",
        default=None,
        minimum=0,
        maximum=1_000,
    )
    tokens: int | None = param("Tokens to each side, instead of characters.", default=None, minimum=0, maximum=300)
    limit: int = param("How many lines; 0 for all.", default=20, minimum=0, short="-l")
    offset: int = param("How many lines to leave out before them.", default=0, minimum=0)

    def check_together(self) -> None:
        """Raise if a query is wrong, or a parameter makes another one do nothing."""
        super().check_together()
        if self.context is not None and self.tokens is not None:
            raise UsageError("context and tokens can't be used together: give one of them")

    @property
    def shows(self) -> Context:
        """How much text is shown to each side."""
        from gristmill.search.concordance.lines import Context

        return Context(self.view, _CHARACTERS if self.context is None else self.context, self.tokens)


@operation(
    SearchAsked,
    room="search",
    name="search",
    table=True,
    group="search",
    tool=True,
    examples=(
        "gristmill search corpus 'go to'",
        "gristmill search corpus 'health*'",
        'gristmill search corpus \'[lemma="go"] [tag="ADP"]\' --sort right',
        "gristmill search corpus '[lemma=\"bread\"]' --having '[tag=\"ADJ\"]' --window 3,0 --view sentence",
        "gristmill search corpus '\"mill.*\"%c' --where 'lang=\"en\" & year>=2010' --sample 50 --seed 1",
        "gristmill search corpus '[lemma = $animals]' --list animals=animals.txt",
        "gristmill search pairs '[lemma=\"mill\"]' --aligned de --aligned-with '[lemma=\"Mühle\"]'",
    ),
)
def concordance(corpus: Corpus, asked: SearchAsked) -> Lines:
    """Search a corpus: a concordance.

    The query is one or more words: each finds a word or a lemma, in upper or lower case. In words, * stands for any
    number of characters and ? for one character (\\* and \\? for the characters themselves); such words find words, not
    lemmas. Or the query is in CQL, over the attributes word, lemma, tag, xpos, feats, lc, lemma_lc and lempos. In a
    shell, put it in single quotes. Each line begins with the id of its document, which `gristmill why` takes.

    Keys, for `sort`, have commas between them: an attribute of the hit (lemma), of its first or last token (node.1:tag,
    node.-1:tag), of a labelled token of the query (2.lemma), of the token before or after the hit (-1:lemma, 1:lemma,
    2:word), of its document (host, lang, year, title) or paragraph (p.kind). What follows a slash changes how:
    word/retrograde (from the ends of words), /descending, /case, /nocase.

    In JSON `total` is the number of hits, `documents` in how many documents they are, `tokens` how much was searched,
    and `shown` the number of all lines. Each of the `rows` has `left`, `node` and `right`, which together are the text
    as it stands there, with a line end between blocks; `position` and `length` in tokens; `labels`, where the labelled
    tokens are; and with `aligned` the text that it is aligned with, with `marks`, where what was asked for there is. If
    nothing is found, `hints` say why.
    """
    from gristmill.search.concordance.shown import Lines

    found = find(corpus, asked)
    rows = list(found.lines(asked.offset, asked.limit or None, asked.shows))
    return Lines(
        rows,
        counted(found),
        len(found),
        asked.offset,
        asked.view,
        found.beside is not None,
        tuple(found.spans.labels),
        state_of(corpus),
    )


def state_of(corpus: Corpus) -> str:
    """Tell this state of the index from another one."""
    return str(corpus.index.card.get("corpus", {}).get("fingerprint", ""))


@operation(
    Searched,
    room="search",
    table=True,
    group="search",
    tool=True,
    examples=(
        "gristmill count corpus bread",
        "gristmill count corpus '[lemma=\"go\"]' --where 'lang=\"en\"' --json",
    ),
)
def count(corpus: Corpus, asked: Searched) -> Counts:
    """Count the hits of a query.

    It says how many there are, their rate per million tokens, in how many documents, and how many tokens were searched.
    """
    return counted(find(corpus, asked))


@asked
class FrequencyAsked(Searched, Rows):
    """Of which hits, and by what they are counted."""

    by: str = param(
        "By what: lemma, -1:tag, 1.lemma, host, or several: lemma,year.",
        default="word",
        kw_only=False,
        argument=False,
        max_characters=300,
    )


@operation(
    FrequencyAsked,
    room="search",
    table=True,
    group="search",
    tool=True,
    examples=(
        "gristmill frequency corpus '[lemma=\"mill\"]' --by 1:lemma",
        "gristmill frequency corpus '[tag=\"NOUN\"]' --by lemma,host --csv",
        'gristmill frequency corpus \'[lemma="make"] []{0,3} 1:[tag="NOUN"] within <s/>\' --by 1.lemma',
    ),
)
def frequency(corpus: Corpus, asked: FrequencyAsked) -> Frequency:
    """Count the hits of a query by one or several keys.

    Keys have commas between them: an attribute of the hit (lemma), of its first or last token (node.1:tag,
    node.-1:tag), of a labelled token of the query (2.lemma), of the token before or after the hit (-1:lemma, 1:lemma,
    2:word), of its document (host, lang, year, title) or paragraph (p.kind). What follows a slash changes how:
    word/nocase. The most frequent values come first. Shares are of all hits, rates per million of the tokens that were
    searched; for keys of documents there is the rate in the documents with this value, too.
    """
    hits = find(corpus, asked)
    return replace(hits.frequency(asked.by, asked.end), found=counted(hits)).from_row(asked.offset)


@asked
class DistributionAsked(Searched):
    """Of which hits, and over what they are spread."""

    by: str = param(
        "year, month, day, doc, host, or another attribute of documents.",
        default="year",
        kw_only=False,
        argument=False,
        max_characters=100,
    )
    limit: int = param(
        "How many rows: the latest times, or the parts with the most hits; 0 for all.",
        default=50,
        minimum=0,
        short="-l",
    )


@operation(
    DistributionAsked,
    room="search",
    table=True,
    group="search",
    tool=True,
    examples=(
        "gristmill distribution corpus mill --by month",
        "gristmill distribution corpus '[lemma=\"mill\"]' --by host --limit 10 --csv",
    ),
)
def distribution(corpus: Corpus, asked: DistributionAsked) -> Distribution:
    """Count the hits of a query over time, hosts or documents.

    Or over another attribute of documents. Each row is a part of what was searched, with its hits, the documents that
    have one, its tokens, and the rate per million there. Times are in their order, and those without hits are there,
    too; the date is that of publication, or else when the page was fetched.
    """
    from gristmill.search.concordance.distribution import distribution

    hits = find(corpus, asked)
    return replace(distribution(hits, asked.by, asked.limit or None), found=counted(hits))


@asked
class DispersionAsked(Searched):
    """Of which hits, and in how many parts the corpus is divided."""

    parts: int = param("Parts of the same size.", default=100, minimum=1, maximum=1_000)


@operation(
    DispersionAsked,
    room="search",
    table=True,
    group="search",
    examples=(
        "gristmill dispersion corpus flour",
        "gristmill dispersion corpus '[lemma=\"go\"]' --where 'lang=\"en\"' --json",
    ),
)
def dispersion(corpus: Corpus, asked: DispersionAsked) -> Dispersion:
    """Say how evenly the hits of a query are spread.

    DP is the deviation of proportions (Gries) over documents: 0 even, 1 uneven; DP norm is the same between 0 and 1.
    Juilland's D is over parts of the same size, in the order of the corpus: 1 even, 0 uneven. ARF, the average reduced
    frequency, is the number of hits if they stand at equal distances. JSON has the hits of each part (`counts`), too.
    """
    from gristmill.search.statistics.spread import spread

    hits = find(corpus, asked)
    return replace(spread(hits, asked.parts), found=counted(hits))
