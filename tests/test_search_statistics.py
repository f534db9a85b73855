"""Word lists, n-grams, collocations, keywords, comparisons and subcorpora equal a plain count over lists of tokens."""

from __future__ import annotations

import itertools
import math
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gristmill.errors import UsageError
from gristmill.search.hits import Hits
from gristmill.search.index.building import PlainDocument, PlainParagraph, make_index
from gristmill.search.index.index import Index
from gristmill.search.statistics import choice as choice_module
from gristmill.search.statistics import collocations as collocations_module
from gristmill.search.statistics import measures, tally
from gristmill.search.statistics import ngrams as ngrams_module
from gristmill.search.statistics.arf import reduced_frequency
from gristmill.search.statistics.collocations import collocations
from gristmill.search.statistics.compare import compare
from gristmill.search.statistics.keywords import keywords
from gristmill.search.statistics.ngrams import ngrams
from gristmill.search.statistics.wordlist import word_list
from gristmill.search.subcorpus import Subcorpus

Token = tuple[str, str, str, str, bool]
WORDS = [
    ("Mill", "NOUN", "mill", "NN"),
    ("mill", "NOUN", "mill", "NN"),
    ("mills", "VERB", "mill", "VBZ"),
    ("the", "DET", "the", "DT"),
    ("The", "DET", "the", "DT"),
    ("Ähre", "NOUN", "ähre", ""),
    ("𝔷", "X", "𝔷", ""),
    (".", "PUNCT", ".", "."),
    ("fine", "ADJ", "fine", "JJ"),
]
PLACES = {"word": 0, "tag": 1, "lemma": 2, "xpos": 3}


@dataclass
class Plain:
    """Documents as lists of sentences, and what they are as an index."""

    documents: list[tuple[dict[str, str], list[list[Token]]]]
    index: Index

    def tokens(self, where: Callable[[dict[str, str]], bool] = lambda _: True) -> Iterator[tuple[int, Token]]:
        for number, (attributes, sentences) in enumerate(self.documents):
            for token in itertools.chain.from_iterable(sentences):
                if where(attributes):
                    yield number, token

    def units(self, within: str) -> Iterator[tuple[int, list[Token]]]:
        """Where each structure begins, and its tokens."""
        place = 0
        for _, sentences in self.documents:
            for unit in [list(itertools.chain.from_iterable(sentences))] if within == "doc" else sentences:
                yield place, unit
                place += len(unit)


def value(token: Token, attribute: str, ignore_case: bool = False) -> str:
    parts = [(str(token[PLACES[name]]), name) for name in attribute.split("+")]
    return "+".join(part.lower() if ignore_case and name in {"word", "lemma"} else part for part, name in parts)


def is_counted(token: Token, attribute: str, punctuation: bool) -> bool:
    """Whether a token is in lists: full stops are only if one asks for them, but their tags are."""
    return punctuation or token[0] != "." or not {"word", "lemma"} & set(attribute.split("+"))


def parts(text: str) -> list[str]:
    """What values of several attributes are sorted by."""
    return text.split("+")


def indexed(documents: list[tuple[dict[str, str], list[list[Token]]]], folder: Path) -> Plain:
    kept = [(attributes, [sentence for sentence in sentences if sentence]) for attributes, sentences in documents]
    kept = [(attributes, sentences) for attributes, sentences in kept if sentences]
    plain = [PlainDocument([PlainParagraph(sentences, {"kind": "p"})], attributes) for attributes, sentences in kept]
    return Plain(kept, make_index(folder, plain))


tokens = st.sampled_from([(*word, False) for word in WORDS])
attributes = st.fixed_dictionaries(
    {
        "host": st.sampled_from(["a.uk", "b.uk", "c.de"]),
        "year": st.sampled_from(["1999", "2005", ""]),
        "lang": st.sampled_from(["en", "de"]),
    }
)
documents = st.lists(
    st.tuples(attributes, st.lists(st.lists(tokens, max_size=7), max_size=4)), min_size=1, max_size=6
).filter(lambda documents: any(sentence for _, sentences in documents for sentence in sentences))


@pytest.fixture(scope="module", autouse=True)
def _small_steps() -> Iterator[None]:
    """All that is done in steps, because a corpus may be large, is done in several steps here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(choice_module, "BLOCK_TOKENS", 7)
        patch.setattr("gristmill.search.statistics.dispersion.BLOCK_TOKENS", 7)
        patch.setattr(ngrams_module, "_ROUND_OCCURRENCES", 5)
        patch.setattr(collocations_module, "_MAX_CELLS", 40)
        patch.setattr(tally, "_MAX_SORTED_AT_ONCE", 3)
        yield


def given_corpus(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test with generated corpora as its first argument `plain`."""

    def with_folder(documents: Any, data: st.DataObject) -> None:
        with tempfile.TemporaryDirectory() as folder:
            test(indexed(documents, Path(folder)), data)

    with_folder.__name__ = test.__name__
    return settings(max_examples=30)(given(documents, st.data())(with_folder))


CONDITIONS: dict[str, Callable[[dict[str, str]], bool]] = {
    'host=".*\\.uk"': lambda doc: doc["host"].endswith(".uk"),
    'host=".*\\.uk" & year>=2005 & lang="en"': lambda doc: (
        doc["host"].endswith(".uk") and doc["year"] == "2005" and doc["lang"] == "en"
    ),
    'lang!="en" | year<2000': lambda doc: doc["lang"] != "en" or doc["year"] == "1999",
    '!(host="a.uk")': lambda doc: doc["host"] != "a.uk",
    'host="nowhere"': lambda _: False,
}
conditions = st.sampled_from(sorted(CONDITIONS))
maybe_conditions = st.none() | conditions


def subcorpus_of(plain: Plain, condition: str | None) -> tuple[Subcorpus | None, Callable[[dict[str, str]], bool]]:
    return (Subcorpus(plain.index, condition), CONDITIONS[condition]) if condition else (None, lambda _: True)


@given_corpus
def test_subcorpus(plain: Plain, data: st.DataObject) -> None:
    condition = data.draw(conditions)
    subcorpus = Subcorpus(plain.index, condition)
    wanted = [CONDITIONS[condition](plain.documents[number][0]) for number, _ in plain.tokens()]
    assert subcorpus.size == sum(wanted)
    assert subcorpus.documents == sum(map(CONDITIONS[condition], (doc for doc, _ in plain.documents)))
    assert subcorpus.holds(np.arange(plain.index.size)).tolist() == wanted
    assert subcorpus.rest.size == plain.index.size - subcorpus.size
    start = data.draw(st.integers(0, plain.index.size - 1))
    stop = data.draw(st.integers(start + 1, plain.index.size))
    assert subcorpus.mask(start, stop).tolist() == wanted[start:stop]
    inside = {place for first, last in zip(*subcorpus.ranges, strict=True) for place in range(first, last)}
    assert inside == {place for place, holds in enumerate(wanted) if holds}
    hits = Hits(np.arange(plain.index.size))
    assert subcorpus.restrict(hits).starts.tolist() == sorted(inside)


@given_corpus
def test_word_list(plain: Plain, data: st.DataObject) -> None:
    attribute = data.draw(st.sampled_from(["word", "lemma", "tag", "xpos", "lemma+tag", "word+lemma+xpos"]))
    ignore_case, order = (
        data.draw(st.booleans()),
        data.draw(st.sampled_from(["frequency", "documents", "arf", "value"])),
    )
    condition, tag = data.draw(maybe_conditions), data.draw(st.sampled_from([None, "NOUN", "NOUN|DET", "NONE"]))
    matching, least = data.draw(st.sampled_from([None, "[Mm].*", "x"])), data.draw(st.integers(1, 3))
    limit, punctuation = data.draw(st.none() | st.integers(0, 4)), data.draw(st.booleans())
    subcorpus, where = subcorpus_of(plain, condition)
    dense = data.draw(st.sampled_from([0, 1 << 23]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tally, "MAX_COUNTERS", dense)
        found = word_list(
            plain.index,
            attribute,
            subcorpus=subcorpus,
            ignore_case=ignore_case,
            matching=matching,
            tag=tag,
            punctuation=punctuation,
            min_frequency=least,
            order=order,
            collation="codepoints",
            dispersion=True,
            limit=limit,
        )
    everything = list(plain.tokens(where))
    tagged = [(number, token) for number, token in everything if tag is None or token[1] in tag.split("|")]
    chosen = [
        (number, value(token, attribute, ignore_case))
        for number, token in tagged
        if is_counted(token, attribute, punctuation)
    ]
    assert found.left_out == len(tagged) - len(chosen)
    counts = Counter(text for _, text in chosen)
    pattern = re.compile(matching or ".*", re.IGNORECASE if ignore_case else 0)
    kept = {text for text, count in counts.items() if count >= least and pattern.fullmatch(parts(text)[0])}
    spread = {text: {number for number, other in chosen if other == text} for text in kept}
    sort: dict[str, Callable[[str], tuple[int, int, list[str]]]] = {
        "frequency": lambda text: (0, -counts[text], parts(text)),
        "documents": lambda text: (-len(spread[text]), -counts[text], parts(text)),
        "value": lambda text: (0, 0, parts(text)),
    }
    reduced = {text: arf_of(plain, text, attribute, ignore_case, tag, where) for text in kept}
    if order == "arf":  # values that are alike by brute force may differ in the last digit
        assert [row.arf for row in found.rows] == pytest.approx(sorted(reduced.values(), reverse=True)[:limit])
        assert all(row.frequency == counts[row.value] for row in found.rows)
    else:
        wanted = sorted(kept, key=sort[order])
        assert [(row.value, row.frequency) for row in found.rows] == [(text, counts[text]) for text in wanted[:limit]]
    assert (found.size, found.types) == (len(everything), len(kept))
    assert found.occurrences == sum(counts[text] for text in kept)
    lengths = Counter(number for number, _ in everything)
    for row in found.rows:
        assert row.per_million == pytest.approx(row.frequency * 1e6 / len(everything))
        assert row.documents == len(spread[row.value])
        inside = Counter(number for number, text in chosen if text == row.value)
        deviation = (
            sum(abs(lengths[number] / len(everything) - inside[number] / row.frequency) for number in lengths) / 2
        )
        assert row.dp == pytest.approx(deviation, abs=1e-9)
        assert row.arf == pytest.approx(reduced[row.value])


def arf_of(
    plain: Plain,
    text: str,
    attribute: str,
    ignore_case: bool,
    tag: str | None,
    where: Callable[[dict[str, str]], bool],
) -> float:
    """ARF by its formula: the places of a value on the circle of all tokens that are searched."""
    tokens = [token for _, token in plain.tokens(where)]
    places = [
        place
        for place, token in enumerate(tokens)
        if value(token, attribute, ignore_case) == text and (tag is None or token[1] in tag.split("|"))
    ]
    mean = len(tokens) / len(places)
    following = [*places[1:], places[0] + len(tokens)]
    return sum(min(after - place, mean) for place, after in zip(places, following, strict=True)) / mean


def test_average_reduced_frequency_by_hand() -> None:
    assert reduced_frequency(np.array([6, 0, 1]), 12) == 2.25  # the example of its module
    assert reduced_frequency(np.array([0, 3, 6, 9]), 12) == 4  # at equal distances: the frequency
    assert reduced_frequency(np.array([5]), 12) == 1
    assert reduced_frequency(np.array([], np.int64), 12) == 0
    assert reduced_frequency(np.arange(12), 12) == 12


@given_corpus
def test_ngrams(plain: Plain, data: st.DataObject) -> None:
    n, attribute = data.draw(st.integers(2, 6)), data.draw(st.sampled_from(["word", "lemma", "tag"]))
    ignore_case, within = data.draw(st.booleans()), data.draw(st.sampled_from(["s", "doc"]))
    least, limit = data.draw(st.integers(1, 3)), data.draw(st.none() | st.integers(0, 5))
    condition, matching = data.draw(maybe_conditions), data.draw(st.sampled_from([None, "the .*"]))
    punctuation = data.draw(st.booleans())
    subcorpus, where = subcorpus_of(plain, condition)
    found = ngrams(
        plain.index,
        n,
        attribute,
        subcorpus=subcorpus,
        ignore_case=ignore_case,
        matching=matching,
        punctuation=punctuation,
        min_frequency=least,
        within=within,
        limit=limit,
    )
    chosen = {place for place, (number, _) in enumerate(plain.tokens()) if where(plain.documents[number][0])}
    grams = [
        unit[first : first + n]
        for start, unit in plain.units(within)
        for first in range(len(unit) - n + 1)
        if start in chosen
    ]
    counted = [gram for gram in grams if all(is_counted(token, attribute, punctuation) for token in gram)]
    assert found.left_out == len(grams) - len(counted)
    counts = Counter(tuple(value(token, attribute, ignore_case) for token in gram) for gram in counted)
    wanted_first = re.compile("the" if matching else ".*", re.IGNORECASE if ignore_case else re.NOFLAG)
    kept = {gram: count for gram, count in counts.items() if count >= least and wanted_first.fullmatch(gram[0])}
    wanted = sorted(kept.items(), key=lambda entry: (-entry[1], entry[0]))
    assert [(row.value, row.frequency) for row in found.rows] == [
        (" ".join(gram), count) for gram, count in wanted[:limit]
    ]
    assert (found.types, found.occurrences, found.size) == (len(kept), sum(kept.values()), len(chosen))


@given_corpus
def test_collocations(plain: Plain, data: st.DataObject) -> None:
    size = plain.index.size
    stream = [(number, token) for number, token in plain.tokens()]
    starts = sorted(data.draw(st.sets(st.integers(0, size - 1), max_size=12)))
    ends = [min(start + data.draw(st.integers(1, 3)), _end(plain, "doc", start)) for start in starts]
    attribute = data.draw(st.sampled_from(["word", "lemma", "lemma+tag"]))
    window = data.draw(st.sampled_from([None, 0, 2, "4", "3,0", "0,1", "s", "doc"]))
    within, ignore_case = data.draw(st.sampled_from([None, "s", "doc"])), data.draw(st.booleans())
    condition, order = data.draw(maybe_conditions), data.draw(st.sampled_from(sorted(measures.ASSOCIATION)))
    least, together, punctuation = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 2)), data.draw(st.booleans())
    subcorpus, where = subcorpus_of(plain, condition)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collocations_module, "_MAX_PAIRWISE_TOKENS", data.draw(st.sampled_from([2, 24])))
        found = collocations(
            plain.index,
            Hits(np.array(starts, np.int64), np.array(ends, np.int64)),
            attribute,
            window=window,
            within=within,
            subcorpus=subcorpus,
            ignore_case=ignore_case,
            punctuation=punctuation,
            min_frequency=least,
            min_together=together,
            order=order,
        )
    inside = [number for number, _ in stream if where(plain.documents[number][0])]
    frequency = Counter(
        value(token, attribute, ignore_case) for number, token in stream if where(plain.documents[number][0])
    )
    hits = [
        (start, end) for start, end in zip(starts, ends, strict=True) if where(plain.documents[stream[start][0]][0])
    ]
    near: Counter[str] = Counter()
    limit = {"s": "s", "doc": "doc"}.get(str(window)) or within or "doc"
    left, right = {
        None: (5, 5) if within is None else (size, size),
        0: (0, 0),
        2: (2, 2),
        "4": (4, 4),
        "3,0": (3, 0),
        "0,1": (0, 1),
    }.get(window, (size, size))
    for start, end in hits:
        first, last = max(_start(plain, limit, start), start - left), min(_end(plain, limit, end - 1), end + right)
        places = [*range(first, start), *range(end, last)]
        near.update({value(stream[place][1], attribute, ignore_case) for place in places})
    wanted = {text: count for text, count in near.items() if count >= together and frequency[text] >= least}
    marks = set() if punctuation else {text for text in wanted if parts(text)[0] == "."}
    assert found.left_out == len(marks)
    wanted = {text: count for text, count in wanted.items() if text not in marks}
    assert {row.value: row.together for row in found.rows} == wanted
    assert (found.hits, found.size, found.types) == (len(hits), len(inside), len(wanted))
    for row in found.rows:
        assert row.frequency == frequency[row.value]
        for name, measure in measures.ASSOCIATION.items():
            score = measure(np.array(row.together), len(hits), np.array(row.frequency), len(inside))
            assert getattr(row, name) == pytest.approx(float(score))
            assert math.isfinite(float(score))
    ranked = [(-getattr(row, order), parts(row.value)) for row in found.rows]
    assert ranked == sorted(ranked)


def _start(plain: Plain, within: str, place: int) -> int:
    return max(start for start, _ in plain.units(within) if start <= place)


def _end(plain: Plain, within: str, place: int) -> int:
    return next(start + len(unit) for start, unit in plain.units(within) if start + len(unit) > place)


@settings(max_examples=30)
@given(documents, documents, st.data())
def test_keywords(one: Any, two: Any, data: st.DataObject) -> None:
    attribute, ignore_case = data.draw(st.sampled_from(["word", "lemma", "lemma+tag"])), data.draw(st.booleans())
    punctuation = data.draw(st.booleans())
    order, least, smoothing = (
        data.draw(st.sampled_from(["simple_maths", "ll"])),
        data.draw(st.integers(1, 3)),
        data.draw(st.sampled_from([1, 100])),
    )
    with tempfile.TemporaryDirectory() as folder:
        plains = [indexed(documents, Path(folder) / str(number)) for number, documents in enumerate((one, two))]
        found = keywords(
            plains[0].index,
            plains[1].index,
            attribute,
            ignore_case=ignore_case,
            matching=None,
            punctuation=punctuation,
            min_frequency=least,
            smoothing=smoothing,
            order=order,
            dispersion=True,
        )
        listed = word_list(plains[0].index, attribute, ignore_case=ignore_case, punctuation=True, dispersion=True)
    spread = {row.value: (row.documents, row.dp, row.arf) for row in listed.rows}
    counts, others = (
        Counter(
            value(token, attribute, ignore_case)
            for _, token in plain.tokens()
            if is_counted(token, attribute, punctuation)
        )
        for plain in plains
    )
    sizes = plains[0].index.size, plains[1].index.size
    wanted = {text: (counts[text], others[text]) for text in counts | others if counts[text] + others[text] >= least}
    assert {row.value: (row.frequency, row.reference_frequency) for row in found.rows} == wanted
    assert (found.size, found.reference_size, found.types) == (*sizes, len(wanted))
    for row in found.rows:
        assert (row.documents, row.dp, row.arf) == spread.get(row.value, (0, None, 0.0))
        rates = row.frequency * 1e6 / sizes[0], row.reference_frequency * 1e6 / sizes[1]
        assert (row.per_million, row.reference_per_million) == pytest.approx(rates)
        assert row.simple_maths == pytest.approx((rates[0] + smoothing) / (rates[1] + smoothing))
        assert row.ll == pytest.approx(_plain_log_likelihood(row.frequency, row.reference_frequency, *sizes), abs=1e-6)
    assert all(math.isfinite(row.ll) for row in found.rows)
    ranked = [-getattr(row, order) for row in found.rows]
    assert ranked == sorted(ranked)


def _plain_log_likelihood(a: int, b: int, c: int, d: int) -> float:
    """With the letters of Rayson and Garside's table."""
    expected = c * (a + b) / (c + d), d * (a + b) / (c + d)
    total = 2 * sum(
        observed * math.log(observed / wanted) for observed, wanted in zip((a, b), expected, strict=True) if observed
    )
    return total if a / c >= b / d else -total


@given_corpus
def test_keywords_against_the_rest(plain: Plain, data: st.DataObject) -> None:
    condition = data.draw(conditions)
    subcorpus = Subcorpus(plain.index, condition)
    if not 0 < subcorpus.size < plain.index.size:
        with pytest.raises(UsageError, match="there is nothing to compare"):
            keywords(plain.index, subcorpus=subcorpus)
        return
    found = keywords(plain.index, subcorpus=subcorpus, attribute="word", punctuation=True)
    inside = Counter(token[0] for _, token in plain.tokens(CONDITIONS[condition]))
    everything = Counter(token[0] for _, token in plain.tokens())
    assert {row.value: (row.frequency, row.reference_frequency) for row in found.rows} == {
        text: (inside[text], everything[text] - inside[text]) for text in everything
    }


@settings(max_examples=30)
@given(documents, documents)
def test_compare(one: Any, two: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        plains = [indexed(documents, Path(folder) / str(number)) for number, documents in enumerate((one, two))]
        found = compare(plains[0].index, plains[1].index, tags=["NOUN", "VERB|ADJ"], matching=None)
        back = compare(plains[1].index, plains[0].index, tags=["NOUN", "VERB|ADJ"], matching=None)
    streams = [[token for _, token in plain.tokens()] for plain in plains]
    for typical, tags in zip(found.typical, (["NOUN"], ["VERB", "ADJ"]), strict=True):
        counts = [Counter(token[0].lower() for token in stream if token[1] in tags) for stream in streams]
        scores = {
            text: _plain_log_likelihood(counts[0][text], counts[1][text], len(streams[0]), len(streams[1]))
            for text in counts[0] | counts[1]
        }
        assert {row.value for row in typical.corpus} == {text for text, score in scores.items() if score > 1e-9}
        assert {row.value for row in typical.other} == {text for text, score in scores.items() if score < -1e-9}
        for row in typical.corpus + typical.other:
            assert (row.frequency, row.reference_frequency) == (counts[0][row.value], counts[1][row.value])
            assert row.ll == pytest.approx(scores[row.value])
        assert [row.ll for row in typical.corpus] == sorted((row.ll for row in typical.corpus), reverse=True)
        assert [row.ll for row in typical.other] == sorted(row.ll for row in typical.other)
    types = [{token[0].lower() for token in stream} for stream in streams]
    assert found.vocabulary.tokens == tuple(map(len, streams))
    assert found.vocabulary.types == tuple(map(len, types))
    assert found.vocabulary.shared_types == len(types[0] & types[1])
    assert found.vocabulary.shared_tokens == tuple(
        sum(token[0].lower() in types[0] & types[1] for token in stream) for stream in streams
    )
    assert [row.value for row in back.typical[0].other] == [row.value for row in found.typical[0].corpus]


def of_one(measure: Callable[..., Any], together: int, node: int, collocate: int, size: int) -> float:
    return float(measure(np.array([together]), node, np.array([collocate]), size)[0])


NEW_YORK_TIMES = 14_307_668
"""Words of the corpus in Manning and Schütze, Foundations of Statistical NLP (1999), chapter 5."""


def _by_table(together: int, node: int, collocate: int, size: int) -> float:
    """Log-likelihood as it is written for the four cells of a table."""
    observed = [[together, node - together], [collocate - together, size - node - collocate + together]]
    rows, columns = [sum(row) for row in observed], [sum(column) for column in zip(*observed, strict=True)]
    cells = ((observed[row][column], rows[row] * columns[column] / size) for row in (0, 1) for column in (0, 1))
    return 2 * sum(seen * math.log(seen / expected) for seen, expected in cells)


def test_measures_of_association_give_the_figures_of_the_literature() -> None:
    size = NEW_YORK_TIMES
    assert of_one(measures.t_score, 8, 15_828, 4_675, size) == pytest.approx(
        0.999932, abs=1e-5
    )  # new companies, section 5.3.1
    assert of_one(measures.mutual_information, 20, 42, 20, size) == pytest.approx(
        18.38, abs=0.005
    )  # Ayatollah Ruhollah, table 5.14
    for score, node, collocate, together in [
        (1291.42, 12_593, 932, 150),
        (80.39, 932, 3_424, 13),
        (57.27, 932, 291, 6),
        (51.66, 932, 40, 4),
    ]:
        found = of_one(measures.log_likelihood, together, node, collocate, size)
        assert found == pytest.approx(
            score, rel=0.015
        )  # most powerful and others, table 5.12, whose figures are of rounded shares
        assert found == pytest.approx(_by_table(together, node, collocate, size))
    assert of_one(measures.mutual_information_cubed, 20, 42, 20, size) == pytest.approx(
        math.log2(20**3 * size / (42 * 20))
    )
    assert of_one(measures.log_dice, 100, 100, 100, size) == 14  # Rychlý 2008: the most there is
    assert of_one(measures.log_dice, 50, 100, 100, size) == 13  # and one less for half as much
    assert of_one(measures.log_likelihood, 1, 1000, 1000, 2000) < 0  # less often than by chance
    assert of_one(measures.log_likelihood, 500, 1000, 1000, 2000) == 0


def test_measures_of_keyness_give_the_figures_of_the_literature() -> None:
    focus, reference = (
        np.array([10, 200, 12_000]),
        np.array([0, 100, 10_000]),
    )  # Kilgarriff 2009: obscurish, middling, common
    for smoothing, wanted in ((1, [11.0, 1.99, 1.20]), (100, [1.10, 1.50, 1.20]), (1000, [1.01, 1.09, 1.18])):
        found = measures.simple_maths(focus, 1_000_000, reference, 1_000_000, smoothing)
        assert found.tolist() == pytest.approx(wanted, abs=0.005)
    ten, twenty = np.array([10]), np.array([20])
    wanted_score = 2 * (10 * math.log(10 / 15) + 20 * math.log(20 / 15))  # both are expected 15 times
    assert measures.keyness_log_likelihood(twenty, 1000, ten, 1000)[0] == pytest.approx(wanted_score)
    assert measures.keyness_log_likelihood(ten, 1000, twenty, 1000)[0] == pytest.approx(-wanted_score)
    assert measures.keyness_log_likelihood(ten, 1000, twenty, 2000)[0] == 0


@given(*[st.integers(0, 10**9)] * 4)
def test_no_measure_divides_by_zero(together: int, node: int, collocate: int, size: int) -> None:
    for measure in measures.ASSOCIATION.values():
        assert math.isfinite(of_one(measure, together, node, collocate, size))
    for keyness in (measures.keyness_log_likelihood, measures.simple_maths):
        assert math.isfinite(float(keyness(np.array([together]), node, np.array([collocate]), size)[0]))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Index:
    the, mill, end = (WORDS[3], WORDS[1], WORDS[7])
    sentence = [(*word, False) for word in (the, mill, end)]
    documents = [
        ({"host": "a.uk", "year": "2005", "lang": "en"}, [sentence]),
        ({"host": "c.de", "year": "", "lang": "en"}, [sentence]),
    ]
    return indexed(documents, tmp_path_factory.mktemp("index")).index


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return make_index(tmp_path_factory.mktemp("empty"), [])


def test_stop_words_can_be_left_out(small: Index) -> None:
    assert [row.value for row in word_list(small, stop_words=False).rows] == ["mill"]
    part = Subcorpus(small, 'host="a.uk"')
    found = word_list(small, stop_words=False, punctuation=True, subcorpus=part)
    assert [(row.value, row.frequency) for row in found.rows] == [(".", 1), ("mill", 1)]


def test_an_empty_corpus_has_empty_lists(empty: Index) -> None:
    assert word_list(empty, dispersion=True, stop_words=True).rows == []
    assert ngrams(empty).rows == []
    assert collocations(empty, Hits(np.empty(0, np.int64))).rows == []
    with pytest.raises(UsageError, match="the corpus is empty: there is nothing to compare"):
        keywords(empty, empty)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda index: word_list(index, "lema"), "did you mean 'lemma'"),
        (lambda index: word_list(index, "lemma+tagg"), "did you mean 'tag'"),
        (lambda index: word_list(index, "word+word"), "an attribute twice"),
        (lambda index: word_list(index, order="frequenzy"), "did you mean 'frequency'"),
        (lambda index: word_list(index, matching="("), "is not a regular expression"),
        (lambda index: word_list(index, tag="("), "is not a regular expression"),
        (lambda index: ngrams(index, 7), "from 2 to 6"),
        (lambda index: ngrams(index, within="sentence"), "there is no structure 'sentence'"),
        (lambda index: ngrams(index, matching="("), "is not a regular expression"),
        (lambda index: collocations(index, Hits(np.array([0])), window="-1"), "'-1' is no window"),
        (keywords, "name another corpus, or choose documents"),
        (lambda index: keywords(index, index, smoothing=0), "must be above 0"),
        (lambda index: keywords(index, index, smoothing=math.inf), "must be above 0 and finite"),
        (
            lambda index: keywords(index, subcorpus=Subcorpus(index, 'host="x"')),
            'no document of the corpus meets the condition host="x"',
        ),
        (lambda index: Subcorpus(index, 'hosd="x"'), "did you mean 'host'"),
        (lambda index: Subcorpus(index, 'host="x"').check(), 'no document of the corpus meets the condition host="x"'),
    ],
)
def test_wrong_calls_say_what_is_wrong(small: Index, call: Callable[[Index], Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call(small)


def test_a_subcorpus_is_of_one_index(small: Index, empty: Index) -> None:
    with pytest.raises(UsageError, match="of another index"):
        word_list(empty, subcorpus=Subcorpus(small, 'host="a.uk"'))
