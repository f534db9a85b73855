"""The hits of a query: how many there are, of what values, where in the corpus, how evenly spread."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gristmill.operations.declaration import operation
from gristmill.operations.searched import Searched, counted, find
from gristmill.operations.statistics import Rows
from gristmill.parameters import asked, param

if TYPE_CHECKING:
    from gristmill.pipeline import Corpus
    from gristmill.search.concordance.counts import Counts
    from gristmill.search.concordance.distribution import Distribution
    from gristmill.search.concordance.frequency import Frequency
    from gristmill.search.statistics.spread import Dispersion


@operation(
    Searched,
    room="search",
    table=True,
    group="search",
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
    examples=(
        "gristmill distribution corpus mill --by month",
        "gristmill distribution corpus '[lemma=\"mill\"]' --by host --limit 10 --csv",
    ),
)
def distribution(corpus: Corpus, asked: DistributionAsked) -> Distribution:
    """Count the hits of a query over time, hosts or documents.

    Or over another attribute of documents. Each row is a part of what was searched, with its hits, the documents that have one, its tokens, and the rate per
    million there. Times are in their order, and those without hits are there, too; the date is that of publication, or
    else when the page was fetched.
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
