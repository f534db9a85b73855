"""Statistics of a corpus: word lists, n-grams, collocations, keywords, comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from gristmill.errors import UsageError
from gristmill.operations.common import OfPart, Rows
from gristmill.operations.declaration import operation
from gristmill.operations.opened import AnyCorpus, opened
from gristmill.parameters import asked, param

if TYPE_CHECKING:
    from gristmill.pipeline import Corpus
    from gristmill.search.statistics.collocations import Collocations
    from gristmill.search.statistics.compare import Comparison
    from gristmill.search.statistics.keywords import Keywords
    from gristmill.search.statistics.wordlist import WordList

_MAX_TAGS = 12
_ATTRIBUTE = "word, lemma, tag, xpos, feats, lc, lemma_lc, lempos; or several joined, such as lemma+tag."
_AT_LEAST = "Only values that occur at least so often"


@asked
class Counted(OfPart, Rows):
    """Which values are counted."""

    ignore_case: bool = param("Count words and lemmas in lower case.", default=False, short="-i")
    matching: str | None = param(
        "Only values that this regular expression matches as a whole.", default=None, kind="regex", max_characters=1_000
    )
    punctuation: bool = param("Also what has no letter or digit: punctuation, symbols, emoji.", default=False)


@asked
class _Tagged:
    tag: str | None = param(
        "Only tokens with such a tag: NOUN, or VERB|AUX.", default=None, kind="regex", max_characters=300
    )


@asked
class _Spread:
    dispersion: bool = param(
        "Also in how many documents, how unevenly (DP), and the average reduced frequency (ARF).", default=False
    )


@asked
class WordlistAsked(Counted, _Tagged, _Spread):
    """Which words or n-grams are listed, and how."""

    attribute: str = param(
        _ATTRIBUTE,
        default="word",
        kw_only=False,
        argument=False,
        kind="attribute",
        short="-a",
        max_characters=100,
    )
    n: int = param("Tokens of each value: 2 to 6 for n-grams.", default=1, minimum=1, maximum=6, short="-n")
    without_stop_words: bool = param("Without the most frequent words of each language.", default=False)
    min_frequency: int | None = param(f"{_AT_LEAST} [1; n-grams: 2].", default=None, minimum=1)
    order: Literal["frequency", "documents", "arf", "value"] = param("What the list is sorted by.", default="frequency")
    collation: str | None = param(
        "Sort values by the alphabet of this language: sv, cs; und for none, or codepoints [that of most of the text].",
        default=None,
        max_characters=40,
    )
    within: Literal["s", "p", "doc"] | None = param(
        "N-grams stay within a sentence, paragraph or document [s].", default=None
    )

    def check_together(self) -> None:
        """Raise if something is asked for that such a list does not have."""
        if self.collation is not None and self.n == 1 and self.order != "value":
            raise UsageError("a collation is for lists that are sorted by value: choose that order, too")
        if self.n == 1 and self.within is not None:
            raise UsageError("within is for n-grams: choose n, too")
        of_words = {
            "tag": self.tag is not None,
            "without_stop_words": self.without_stop_words,
            "order": self.order != "frequency",
            "collation": self.collation is not None,
            "dispersion": self.dispersion,
        }
        wrong = [name for name, is_given in of_words.items() if is_given and self.n > 1]
        if wrong:
            raise UsageError(
                f"{wrong[0]} is for lists of words, not for n-grams: leave it out, or choose n-grams by matching"
            )


@operation(
    WordlistAsked,
    room="search",
    table=True,
    group="search",
    tool=True,
    examples=(
        "gristmill wordlist corpus",
        "gristmill wordlist corpus --attribute lemma+tag --tag 'NOUN|ADJ' --dispersion",
        "gristmill wordlist corpus --ignore-case --matching '.*ing' --where 'lang=\"en\"' --csv",
        "gristmill wordlist corpus -a lemma --order arf",
        "gristmill wordlist corpus -n 3 --min-frequency 5",
        "gristmill wordlist corpus -n 2 --attribute tag --limit 0 --json",
    ),
)
def wordlist(corpus: Corpus, asked: WordlistAsked) -> WordList:
    """List the most frequent words, lemmas, tags or n-grams.

    Punctuation is left out, and so are n-grams with punctuation, unless you ask for it. Frequencies per million are of
    all tokens, punctuation included. Words of the same frequency are sorted by their characters. DP, the deviation of
    proportions, is near 0 for what is spread evenly over all documents and near 1 for what is in few of them. ARF,
    the average reduced frequency, is the frequency if that is spread evenly over the corpus, and near 1 if all stands
    in one place.
    """
    from gristmill.search.statistics.ngrams import ngrams
    from gristmill.search.statistics.wordlist import word_list

    asked.check_together()
    part = corpus.subcorpus(asked.where)
    if asked.n == 1:
        found = word_list(
            corpus.index,
            asked.attribute,
            subcorpus=part,
            ignore_case=asked.ignore_case,
            matching=asked.matching,
            tag=asked.tag,
            punctuation=asked.punctuation,
            min_frequency=asked.min_frequency or 1,
            stop_words=not asked.without_stop_words,
            order=asked.order,
            collation=asked.collation,
            dispersion=asked.dispersion,
            limit=asked.end,
        )
    else:
        found = ngrams(
            corpus.index,
            asked.n,
            asked.attribute,
            subcorpus=part,
            ignore_case=asked.ignore_case,
            matching=asked.matching,
            punctuation=asked.punctuation,
            min_frequency=asked.min_frequency or 2,
            within=asked.within or "s",
            limit=asked.end,
            totals=True,
            report=corpus.report("counting n-grams", corpus.index.size),
        )
    return found.from_row(asked.offset)


@asked
class CollocationsAsked(Counted):
    """What collocations are of, and which of them are shown."""

    query: str = param(
        "Words (* and ? are wildcards), or CQL.",
        kw_only=False,
        kind="query",
        name="q",
        max_characters=10_000,
        example="bread",
    )
    attribute: str = param(
        _ATTRIBUTE,
        default="lemma",
        kw_only=False,
        argument=False,
        kind="attribute",
        short="-a",
        max_characters=100,
    )
    window: str | None = param(
        "How far to look: 5, or 3,0 (left, right), or s, p, doc [5].", default=None, max_characters=30, short="-w"
    )
    within: Literal["s", "p", "doc"] | None = param(
        "Windows stay within a sentence, paragraph, document [doc]; without a window they are all of it.", default=None
    )
    relation: str | None = param(
        "In a parsed corpus: words in this relation to the token, obj; its heads, <obj.",
        default=None,
        max_characters=200,
    )
    of: str | None = param("The query is a tree: words at this label of it.", default=None, max_characters=50)
    order: Literal["logdice", "t", "mi", "mi3", "ll"] = param(
        "The measure that the list is sorted by.", default="logdice"
    )
    min_frequency: int = param("Only words that occur at least so often in the corpus.", default=5, minimum=1)
    min_together: int = param("Only words that are near at least so many hits.", default=3, minimum=1)
    lists: Mapping[str, Sequence[str]] | None = param(
        "A list of words, one a line, that the query names as $NAME.", default=None, kind="lists"
    )


@operation(
    CollocationsAsked,
    room="search",
    table=True,
    group="search",
    tool=True,
    examples=(
        "gristmill collocations corpus bread",
        'gristmill collocations corpus \'[lemma="bake" & tag="VERB"]\' --window 0,3 --attribute lemma+tag --order mi3',
        "gristmill collocations corpus eat --relation obj",
        'gristmill collocations corpus \'[lemma="drink"] >nsubj [lemma="child"] >obj 1:[]\' --of 1 --order mi',
        "gristmill collocations corpus '[lemma=\"mill\"]' --within s --min-together 2 --where 'lang=\"en\"' --csv",
    ),
)
def collocations(corpus: Corpus, asked: CollocationsAsked) -> Collocations:
    """Find words that stand near a word more than by chance.

    Near means within five tokens on each side. A collocate counts once for each hit that has it near. Punctuation is
    left out unless you ask for it. All five measures are shown. LogDice is 14 if the two words always occur together.
    MI favours rare words and T-score frequent ones; MI3 and log-likelihood are between them. In a parsed corpus,
    `relation` and `of` count words in a relation instead, compared with all words in that relation.
    """
    from gristmill.operations.searched import Searched, find
    from gristmill.search.concordance.hints import why_nothing
    from gristmill.search.statistics.collocations import collocations
    from gristmill.search.statistics.relations import relation_collocations

    part = corpus.subcorpus(asked.where)
    if asked.relation is not None or asked.of is not None:
        if asked.window or asked.within:
            raise UsageError("words in a relation stand wherever they stand: leave window and within out")
        related = relation_collocations(
            corpus.index,
            asked.query,
            asked.attribute,
            relation=asked.relation,
            of=asked.of,
            subcorpus=part,
            lists=asked.lists,
            ignore_case=asked.ignore_case,
            matching=asked.matching,
            punctuation=asked.punctuation,
            min_frequency=asked.min_frequency,
            min_together=asked.min_together,
            order=asked.order,
            limit=asked.end,
        )
        return related.from_row(asked.offset)
    search = find(corpus, Searched(asked.query, where=asked.where, lists=asked.lists))
    found = collocations(
        corpus.index,
        search.spans.hits,
        asked.attribute,
        window=asked.window,
        within=asked.within,
        subcorpus=search.part,
        asked=search.asked,
        spelt=search.spelt,
        ignore_case=asked.ignore_case,
        matching=asked.matching,
        punctuation=asked.punctuation,
        min_frequency=asked.min_frequency,
        min_together=asked.min_together,
        order=asked.order,
        limit=asked.end,
    )
    return found.from_row(asked.offset) if found.hits else found.with_hints(why_nothing(search))


@asked
class KeywordsAsked(Counted, _Tagged, _Spread):
    """What keywords are typical of, and what they are compared with."""

    reference: AnyCorpus | None = param(
        "Another corpus that this one is compared with; without it, documents of this one.",
        default=None,
        kw_only=False,
        kind="corpus",
        max_characters=200,
    )
    attribute: str = param(
        _ATTRIBUTE,
        default="lemma",
        kw_only=False,
        argument=False,
        kind="attribute",
        short="-a",
        max_characters=100,
    )
    reference_where: str | None = param(
        "Only documents of the reference for which this holds; without it, all others.", default=None, kind="condition"
    )
    order: Literal["simple_maths", "ll"] = param("The measure that the list is sorted by.", default="simple_maths")
    smoothing: float = param(
        "Constant of simple maths: 1 for rare words, 100 for common ones.", default=1.0, minimum=1e-6
    )
    min_frequency: int = param(f"{_AT_LEAST} in both together.", default=1, minimum=1)


@operation(
    KeywordsAsked,
    room="search",
    table=True,
    group="search",
    tool=True,
    examples=(
        "gristmill keywords corpus --where 'lang=\"en\"'",
        "gristmill keywords new old --order ll --tag 'NOUN|PROPN'",
        "gristmill keywords corpus --where 'year>=2015' --reference-where 'year<2015' --smoothing 100 --csv",
    ),
)
def keywords(corpus: Corpus, asked: KeywordsAsked) -> Keywords:
    """Find the words that are typical of a corpus.

    The corpus is compared with REFERENCE, another corpus. Without REFERENCE the documents that `where` chooses are
    compared with all others of the corpus, or with those that `reference_where` chooses. Simple maths is the ratio of
    the two frequencies per million, with a constant added to both. Log-likelihood says how sure the difference is:
    above 6.63 it is by chance in one of a hundred cases only, and it is negative if the word is rarer here. Punctuation
    and what has no letter are left out, unless `punctuation` or `matching` say otherwise.
    """
    from gristmill.search.statistics.keywords import WITH_LETTER, keywords

    there = opened(asked.reference)
    found = keywords(
        corpus.index,
        there.index if there else None,
        asked.attribute,
        subcorpus=corpus.subcorpus(asked.where),
        reference_subcorpus=(there or corpus).subcorpus(asked.reference_where),
        ignore_case=asked.ignore_case,
        matching=asked.matching or WITH_LETTER,
        tag=asked.tag,
        punctuation=asked.punctuation,
        min_frequency=asked.min_frequency,
        smoothing=asked.smoothing,
        order=asked.order,
        dispersion=asked.dispersion,
        limit=asked.end,
    )
    return found.from_row(asked.offset)


@asked
class CompareAsked(OfPart):
    """Which two corpora, or parts of one, are compared."""

    other: AnyCorpus | None = param(
        "The other corpus; without it, documents of this one.",
        default=None,
        kw_only=False,
        kind="corpus",
        max_characters=200,
    )
    attribute: str = param(
        "word or lemma.",
        default="word",
        kw_only=False,
        argument=False,
        kind="attribute",
        short="-a",
        max_characters=100,
    )
    other_where: str | None = param(
        "Only documents of the other for which this holds; without it, all others.", default=None, kind="condition"
    )
    tags: str = param("Parts of speech, with commas between them: NOUN,VERB|AUX.", default="NOUN,VERB,ADJ")
    ignore_case: bool = param("Count words and lemmas in lower case.", default=True, short="-i")
    matching: str | None = param(
        "Only values that this regular expression matches as a whole [those with a letter].",
        default=None,
        kind="regex",
        max_characters=1_000,
    )
    min_frequency: int = param(f"{_AT_LEAST} in both together.", default=1, minimum=1)
    limit: int = param("Words of each list; 0 for all.", default=20, minimum=0, short="-l")


@operation(
    CompareAsked,
    room="search",
    table=True,
    group="search",
    tool=True,
    examples=(
        "gristmill compare new old",
        "gristmill compare corpus --where 'host=\".*\\.example\"' --other-where 'lang=\"de\"' --tags NOUN,PROPN",
        "gristmill compare new old --attribute lemma --limit 50 --csv",
    ),
)
def compare(corpus: Corpus, asked: CompareAsked) -> Comparison:
    """Compare two corpora, by part of speech.

    As ukWaC was compared with the BNC: for nouns, verbs and adjectives there are two lists each, of the words most
    typical of the one corpus and of the other by log-likelihood. Without OTHER the documents that `where` chooses are
    compared with all others of the corpus.
    """
    from gristmill.search.statistics.compare import compare, split_tags
    from gristmill.search.statistics.keywords import WITH_LETTER

    tags = split_tags(asked.tags)
    if len(tags) > _MAX_TAGS:
        raise UsageError(f"tags: at most {_MAX_TAGS} parts of speech are compared at once, and there are {len(tags)}")
    there = opened(asked.other)
    return compare(
        corpus.index,
        there.index if there else None,
        asked.attribute,
        subcorpus=corpus.subcorpus(asked.where),
        other_subcorpus=(there or corpus).subcorpus(asked.other_where),
        tags=tags,
        ignore_case=asked.ignore_case,
        matching=asked.matching or WITH_LETTER,
        min_frequency=asked.min_frequency,
        limit=asked.limit or None,
    )
