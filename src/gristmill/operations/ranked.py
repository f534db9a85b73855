"""Ranked retrieval: the best documents, paragraphs, sentences or windows for some words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from gristmill.operations.common import OfPart, Rows
from gristmill.operations.declaration import operation
from gristmill.parameters import asked, param

if TYPE_CHECKING:
    from gristmill.pipeline import Corpus
    from gristmill.search.ranked.found import FoundUnits

_KEYS = ("bm25", "date", "quality", "date,quality", "yield", "length", "-length", "quality,bm25")


@asked
class FindAsked(OfPart, Rows):
    """Which units are wanted, and by what they are ranked."""

    query: str = param(
        'Words and "phrases"; +word is required, -word excluded.',
        kw_only=False,
        kind="words",
        name="q",
        example="bread flour",
    )
    unit: str = param(
        "document, paragraph, sentence, or window:50 for 50 tokens.",
        default="paragraph",
        max_characters=20,
        suggested=("document", "paragraph", "sentence", "window:50"),
    )
    by: str = param(
        "bm25, date, quality, yield, length, or a numeric attribute of documents; several: date,quality; "
        "lowest first: -length.",
        default="bm25",
        max_characters=200,
        suggested=_KEYS,
    )
    match: Literal["any", "all"] | None = param(
        "Units with any of the words, or with all [any if ranked by bm25 alone].", default=None
    )
    attribute: str = param(
        "What the words are: word, lemma, or another attribute.",
        default="word",
        kind="attribute",
        short="-a",
        max_characters=100,
        suggested=("word", "lemma", "lempos", "tag"),
    )
    lang: str | None = param("Only texts in this language.", default=None, kind="lang", max_characters=20)
    tokens: int = param("Tokens of a unit that are shown at most; 0 for all.", default=80, minimum=0)
    k1: float = param("Of BM25: how much repetition counts.", default=1.2, minimum=0)
    b: float = param("Of BM25: how much length counts.", default=0.75, minimum=0, maximum=1)
    limit: int = param("How many units; 0 for all.", default=10, minimum=0, short="-l")

    def check_together(self) -> None:
        """Raise if something is wrong that can be told without the index."""
        from gristmill.search.ranked.finding import check_request

        check_request(self.query, self.unit, self.by)


@operation(
    FindAsked,
    room="search",
    table=True,
    group="search",
    tool=True,
    examples=(
        "gristmill find corpus bread flour",
        "gristmill find corpus 'bread -cake \"corn mill\"' --unit sentence --limit 20",
        "gristmill find corpus bread --by date,quality",
        "gristmill find corpus bake --attribute lemma --unit document --by quality,bm25 --json",
    ),
)
def find(corpus: Corpus, asked: FindAsked) -> FoundUnits:
    """Find the best paragraphs or sentences for some words.

    The best come first: by BM25, or by dimensions of which each has 15 levels, such as the date and then the quality.
    What is needed for a unit is stored in the corpus at the first time; that takes a second for some million tokens.
    """
    from gristmill.search.ranked.finding import find_units
    from gristmill.search.ranked.store import AUTOMATIC_TOKENS

    asked.check_together()
    return find_units(
        corpus.index,
        corpus.folder,
        asked.query,
        unit=asked.unit,
        by=asked.by,
        match=asked.match,
        attribute=asked.attribute,
        where=asked.where,
        lang=asked.lang,
        k1=asked.k1,
        b=asked.b,
        tokens=asked.tokens or None,
        limit=asked.limit or None,
        offset=asked.offset,
        max_tokens=None if corpus.build else AUTOMATIC_TOKENS,
        report=corpus.report("indexing units", corpus.index.size),
    )
