"""`lc`, `lemma_lc` and `lempos`: derived, and in every answer as if they were stored with each token."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from segmented import open_segments, split, write_segments

from gristmill.corpus.attributes import DERIVED_ATTRIBUTES, lower_cased
from gristmill.search.completion import complete_query
from gristmill.search.concordance.concordance import Concordance
from gristmill.search.cql.deriving import clauses_of
from gristmill.search.cql.matching import find
from gristmill.search.cql.parsing import parse
from gristmill.search.cql.query import Token
from gristmill.search.index.index import Index
from gristmill.search.index.plain import PlainDocument, PlainParagraph, make_index
from gristmill.search.statistics.collocations import collocations
from gristmill.search.statistics.ngrams import ngrams
from gristmill.search.statistics.wordlist import word_list

LETTERS = {
    **dict.fromkeys(("NOUN", "PROPN"), "n"),
    **dict.fromkeys(("VERB", "AUX"), "v"),
    **dict.fromkeys(("CCONJ", "SCONJ"), "c"),
    "ADJ": "j",
    "ADV": "a",
    "PRON": "d",
    "ADP": "i",
    "NUM": "m",
    "DET": "x",
    "PUNCT": "x",
    "": "x",
}
WORDS = ["the", "The", "THE", "İi", "ii", "ΣΑΣ", "σας", "σασ", "a", "a b", "a-n", "A-N", "go", "Go", "", ",", "-"]
Plain = list[list[tuple[str, str, str]]]
CORPORA = st.lists(
    st.lists(
        st.tuples(st.sampled_from(WORDS), st.sampled_from(sorted(LETTERS)), st.sampled_from(WORDS)),
        min_size=1,
        max_size=8,
    ),
    min_size=1,
    max_size=4,
)
REGEXES = [
    "the",
    "The",
    "ii",
    ".*",
    "a.*",
    "σα[σς]",
    "go-v",
    "a-n-n",
    ".*-n",
    "(go|a)-[nv]",
    "(go|a)-v",
    "go-v|a-n",
    "a b-x",
    "-x",
    ",-x",
    "go",
]
REGEXES += ["", "[a-z]+-v", "x-", "go-", "(?i)GO-V", "the|ii"]


def derived(token: tuple[str, str, str]) -> dict[str, str]:
    word, tag, lemma = token
    lower = {
        name: "".join(character.lower()[0] for character in text) for name, text in (("lc", word), ("lemma_lc", lemma))
    }
    return {**lower, "lempos": f"{lemma}-{LETTERS[tag]}"}


def opened(folder: str, corpus: Plain, cuts: list[int]) -> Index:
    documents = [
        PlainDocument([PlainParagraph([[(*token, "", False) for token in sentence]], {"kind": "p"})], {"lang": "en"})
        for sentence in corpus
    ]
    if not cuts:
        return make_index(folder, documents)
    return open_segments(Path(folder), write_segments(Path(folder), split(documents, cuts)))


@settings(max_examples=60)
@given(CORPORA, st.lists(st.integers(0, 4), max_size=2), st.data())
def test_they_are_what_a_scan_finds(corpus: Plain, cuts: list[int], data: st.DataObject) -> None:
    tokens = [derived(token) for sentence in corpus for token in sentence]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        index = opened(folder, corpus, cuts)
        for name in DERIVED_ATTRIBUTES:
            values, attribute = [token[name] for token in tokens], index.attributes[name]
            assert attribute.lexicon.array.to_pylist() == sorted(set(values))
            assert [attribute.lexicon[number] for number in attribute.ids.tolist()] == values
            assert attribute.counts.tolist() == [values.count(value) for value in sorted(set(values))]
            chosen = data.draw(st.sets(st.sampled_from(sorted(set(values))), min_size=1))
            ids = np.array([attribute.lexicon.find(value) for value in sorted(chosen)])
            expected = [place for place, value in enumerate(values) if value in chosen]
            assert attribute.positions_of(ids).tolist() == expected
            regex, sign = (
                data.draw(st.sampled_from(REGEXES)),
                data.draw(st.sampled_from(["=", "!=", "==", "!==", "=i"])),
            )
            case = re.IGNORECASE if sign == "=i" else 0
            pattern = re.compile(re.escape(regex) if "==" in sign else regex, case)
            found = [place for place, value in enumerate(values) if bool(pattern.fullmatch(value)) != (sign[0] == "!")]
            query = f'[{name}{sign.removesuffix("i")}"{regex}"{"%c" if case else ""}]'
            assert find(index, query).starts.tolist() == found, query


@settings(max_examples=25)
@given(CORPORA, st.lists(st.integers(0, 4), max_size=2), st.booleans())
def test_statistics_know_them(corpus: Plain, cuts: list[int], ignore_case: bool) -> None:
    sentences = [[derived(token) for token in sentence] for sentence in corpus]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        index = opened(folder, corpus, cuts)
        for name in DERIVED_ATTRIBUTES:

            def shown(value: str) -> str:
                return lower_cased(pa.array([value]))[0].as_py() if ignore_case else value

            counts = Counter(shown(token[name]) for sentence in sentences for token in sentence)
            listed = word_list(index, name, punctuation=True, ignore_case=ignore_case)
            assert {row.value: row.frequency for row in listed.rows} == counts
            pairs = Counter(
                f"{shown(one[name])} {shown(other[name])}"
                for sentence in sentences
                for one, other in pairwise(sentence)
            )
            found = ngrams(index, 2, name, min_frequency=1, ignore_case=ignore_case, punctuation=True)
            assert Counter({row.value: row.frequency for row in found.rows}) == pairs
            beside = collocations(
                index, find(index, "[]"), name, window=1, min_frequency=1, min_together=1, punctuation=True
            )
            assert {row.value for row in beside.rows} == {
                token[name] for sentence in sentences if len(sentence) > 1 for token in sentence
            }


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    sentence = [("The", "DET", "the"), ("Mills", "NOUN", "mill"), ("mill", "VERB", "mill"), (",", "PUNCT", ",")]
    return opened(str(tmp_path_factory.mktemp("derived")), [sentence, sentence[1:]], [])


def test_concordances_are_counted_and_sorted_by_them(index: Index) -> None:
    found = Concordance.of(index, '[lempos="mill-[nv]"]')
    rows = {tuple(row.values): row.count for row in found.frequency("lempos,-1:lc").rows}
    assert len(found) == 4
    assert rows == {("mill-n", "the"): 1, ("mill-n", ""): 1, ("mill-v", "mills"): 2}
    assert found.sort("lempos").spans.starts.tolist() == found.spans.starts.tolist()
    assert found.sort("lempos").order.tolist() == [0, 2, 1, 3]  # type: ignore[union-attr]
    assert len(find(index, "1:[] 2:[] & 1.lemma_lc = 2.lc")) == 2  # Mills, mill


def test_punctuation_is_none_of_them(index: Index) -> None:
    for name, values in (("lc", ["mill", "mills", "the"]), ("lempos", ["mill-n", "mill-v", "the-x"])):
        assert sorted(row.value for row in word_list(index, name).rows) == values


def test_they_are_completed(index: Index) -> None:
    assert [item.label for item in complete_query(index, "[l").items][:4] == ["lemma", "lc", "lemma_lc", "lempos"]
    assert [item.label for item in complete_query(index, '[lempos="mill-').items] == ["mill-n", "mill-v"]
    assert complete_query(index, '[lc="MI').items == complete_query(index, '[lc="mi').items


@pytest.mark.parametrize("query", ['[lc="the"]', '[lempos="go-v"]', '[lempos=".*ing-v"]', '[lempos="(go|walk)-v"]'])
def test_frequent_questions_derive_nothing(index: Index, query: str) -> None:
    node = parse(query).node
    assert isinstance(node, Token)
    before = dict(index.attributes._derived)
    for comparison in node.condition.comparisons():
        clauses_of(comparison, index.attributes)
    assert index.attributes._derived == before


def test_expressions_that_ignore_case_find_what_is_ascii_in_lower_case() -> None:
    """So candidates for a value in lower case can be looked up without putting the lexicon into lower case."""
    letters = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    lowered = lower_cased(pa.array(letters)).to_pylist()
    changed = [pair for pair in zip(letters, lowered, strict=True) if pair[0] != pair[1] and pair[1].isascii()]
    missed = [
        letter
        for letter, lower in changed
        if not pc.match_substring_regex(pa.array([letter]), lower, ignore_case=True)[0].as_py()
    ]
    assert len(changed) == 26 + len("K\N{KELVIN SIGN}")
    assert missed == ["\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}"]
