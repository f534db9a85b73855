"""Attributes that are missing for some tokens: what is said of it, and that rates relate to the others."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from command import run
from hypothesis import given
from hypothesis import strategies as st
from segmented import open_segments, write_segments

import gristmill
from gristmill.annotation.provided import made_of, provides, tagger_name
from gristmill.annotation.tagger import spec_for
from gristmill.errors import UsageError
from gristmill.search.concordance.concordance import Concordance
from gristmill.search.concordance.distribution import distribution
from gristmill.search.coverage import Coverage
from gristmill.search.index.index import Index
from gristmill.search.index.plain import PlainDocument, PlainParagraph, Token, make_index
from gristmill.search.statistics.collocations import collocations
from gristmill.search.statistics.compare import compare
from gristmill.search.statistics.keywords import keywords
from gristmill.search.statistics.ngrams import ngrams
from gristmill.search.statistics.wordlist import word_list
from gristmill.search.subcorpus import Subcorpus

MILLION = 1_000_000
TAGGERS = ("hanta", "simplemma", "forms", "treetagger", "")


@dataclass(frozen=True)
class Plain:
    """A paragraph: its tagger, its language, and a letter for each token of its one sentence."""

    tagger: str
    lang: str
    words: str


PARAGRAPHS = st.builds(
    Plain, st.sampled_from(TAGGERS), st.sampled_from(["de", "cs", "ru"]), st.text("ab", min_size=1, max_size=4)
)
CORPORA = st.lists(st.lists(PARAGRAPHS, min_size=1, max_size=4), min_size=1, max_size=4)


def token(word: str, tagger: str) -> Token:
    return word, "NOUN" if tagger == "hanta" else "X", word, "", False


def document(number: int, paragraphs: list[Plain], *, known: bool = True) -> PlainDocument:
    """A document in the language of its first paragraph; its taggers may be unknown, as in indexes of plain columns."""
    made = [
        PlainParagraph(
            [[token(word, one.tagger) for word in one.words]],
            {"lang": one.lang, **({"tagger": one.tagger} if known else {})},
        )
        for one in paragraphs
    ]
    return PlainDocument(made, {"id": str(number), "lang": paragraphs[0].lang, "year": str(2000 + number % 2)})


def index_of(corpus: list[list[Plain]], folder: str) -> Index:
    return make_index(folder, [document(number, paragraphs) for number, paragraphs in enumerate(corpus)])


def rated(one: Plain, *names: str) -> bool:
    return all(provides(one.tagger, base, one.lang) for name in names for base in made_of(name))


@given(CORPORA, st.sampled_from(["lemma", "tag", "lempos", "lc", "lemma+tag"]), st.sampled_from([None, 'lang="de"']))
def test_what_is_said_and_counted(corpus: list[list[Plain]], attribute: str, where: str | None) -> None:
    names = attribute.split("+")
    searched = [one for paragraphs in corpus for one in paragraphs if where is None or paragraphs[0].lang == "de"]
    without = [one for one in searched if not rated(one, *names)]
    size, lacking = (sum(len(one.words) for one in some) for some in (searched, without))
    base = [one for one in searched if rated(one, *names)] or searched
    tokens = sum(len(one.words) for one in base)
    with tempfile.TemporaryDirectory() as folder:
        index = index_of(corpus, folder)
        part = Subcorpus(index, where) if where else None
        coverage = Coverage(index, names, part)
        assert (coverage.missing.searched, coverage.missing.tokens) == (size, lacking)
        assert coverage.missing.rated == tokens
        assert bool(coverage.missing.notes()) == bool(lacking)
        for missing in coverage.missing.attributes:
            assert missing.tokens == sum(len(one.words) for one in searched if not rated(one, missing.attribute))
            assert set(missing.langs) <= {one.lang for paragraphs in corpus for one in paragraphs}
        if not size:
            return
        conditions = " & ".join(f'{name}=".*"' for name in names)
        found = Concordance.of(index, f'[{conditions} & word="a"]', where)
        assert found.total == sum(one.words.count("a") for one in searched)
        assert found.per_million == pytest.approx(sum(one.words.count("a") for one in base) * MILLION / tokens)
        if found.total > 1:
            assert found.sample(1).per_million == found.per_million
        listed = {row.value.split("+")[0][0]: row for row in word_list(index, attribute, subcorpus=part).rows}
        if attribute == "lemma":
            for letter, row in listed.items():
                assert row.frequency == sum(one.words.count(letter) for one in searched)
                assert row.per_million == pytest.approx(sum(one.words.count(letter) for one in base) * MILLION / tokens)


@given(CORPORA, st.integers(2, 3), st.sampled_from(["s", "doc"]))
def test_rates_of_ngrams(corpus: list[list[Plain]], n: int, within: str) -> None:
    def grams(stretches: list[str]) -> Counter[str]:
        return Counter(" ".join(text[at : at + n]) for text in stretches for at in range(len(text) - n + 1))

    every = [one for paragraphs in corpus for one in paragraphs]
    base = [one for one in every if rated(one, "lemma")] or every
    tokens = sum(len(one.words) for one in base)
    whole, known = [], []
    for paragraphs in corpus:
        if within == "s":
            whole += [one.words for one in paragraphs]
            known += [one.words for one in paragraphs if one in base]
        else:
            whole.append("".join(one.words for one in paragraphs))
            marked = "".join(one.words if one in base else "|" for one in paragraphs)
            known += marked.split("|")
    with tempfile.TemporaryDirectory() as folder:
        found = ngrams(index_of(corpus, folder), n, "lemma", within=within, min_frequency=1, limit=None)
    assert {row.value: row.frequency for row in found.rows} == grams(whole)
    for row in found.rows:
        assert row.per_million == pytest.approx(grams(known)[row.value] * MILLION / tokens)


MIXED = [
    [Plain("hanta", "de", "abab"), Plain("simplemma", "cs", "ab")],
    [Plain("forms", "th", "aaab")],
    [Plain("hanta", "de", "bb")],
]


@pytest.fixture
def mixed(tmp_path: Path) -> Index:
    return index_of(MIXED, str(tmp_path / "mixed"))


def parsed(paragraph: PlainParagraph) -> PlainParagraph:
    """A German paragraph with relations, or another one as it is."""
    if paragraph.attributes["lang"] != "de":
        return paragraph
    (words,) = paragraph.sentences
    tree: list[Token] = [(*word[:4], False, "", -at, "dep" if at else "root") for at, word in enumerate(words)]
    return replace(paragraph, sentences=[tree])


def with_relations(folder: Path, parts: int = 1, *, known: bool = True) -> Index:
    """German with relations, Czech in the same document, and Thai without; in an index of one or more segments."""
    documents = [document(number, paragraphs, known=known) for number, paragraphs in enumerate(MIXED)]
    documents = [replace(one, paragraphs=list(map(parsed, one.paragraphs))) for one in documents]
    if parts == 1:
        return make_index(str(folder), documents)
    return open_segments(folder, write_segments(folder, [[one] for one in documents]))


@pytest.mark.parametrize(("parts", "known"), [(1, True), (3, True), (1, False)])
def test_relations_are_missing_where_nothing_was_parsed(tmp_path: Path, parts: int, *, known: bool) -> None:
    index = with_relations(tmp_path / "index", parts, known=known)
    said = ["deprel is missing for 6 of 12 tokens (th, cs); rates relate to the others"]
    for query in ('[deprel="dep"]', "[] >dep []", "[] <<dep []", '[] !>dep [word="x"]', '1:[] :: 1.deprel="dep"'):
        assert Concordance.of(index, query).notes() == said, query
    assert Concordance.of(index, "[] >dep []").per_million == pytest.approx(4 * MILLION / 6)
    assert Concordance.of(index, "[] >dep []", 'lang="th"').notes() == ["deprel is missing for all 4 tokens (th)"]
    assert not Concordance.of(index, '[word="a"]').notes()
    if known:
        assert Concordance.of(index, '[tag="NOUN"] >dep []').notes() == [
            "tag is missing for 6 of 12 tokens (th, cs), deprel for 6 (th, cs); rates relate to the others"
        ]
    listed = word_list(index, "deprel")
    assert {row.value: row.per_million for row in listed.rows}["root"] == pytest.approx(2 * MILLION / 6)


def test_a_line_says_it(mixed: Index) -> None:
    def notes(query: str, where: str | None = None) -> list[str]:
        return Concordance.of(mixed, query, where).notes()

    assert notes('[tag="NOUN"]') == ["tag is missing for 6 of 12 tokens (th, cs); rates relate to the others"]
    assert notes('[lemma="a"]') == ["lemma is missing for 4 of 12 tokens (th); rates relate to the others"]
    assert notes('[lempos="a-n"]') == [
        "tag is missing for 6 of 12 tokens (th, cs), lemma for 4 (th); rates relate to the others"
    ]
    assert notes('[tag="X"]', 'lang="th"') == ["tag is missing for all 4 tokens (th)"]
    assert notes('[tag="NOUN"]', 'id="2"') == []
    assert notes('[word="a"]') == notes("a") == notes('[lc="a"] within <p lang="cs"/>') == []


@pytest.mark.parametrize(
    "query",
    [
        '"a" [tag="NOUN"]',
        "1:[] 2:[] & 1.tag = 2.tag",
        '[word="a" & !(tag="NOUN")]',
        '"a" within [xpos=".*"]',
        '(meet "a" [tag="NOUN"] -1 1)',
        "[f(tag) > 1]",
        '[: tag="NOUN" :] "a"',
        '!"a" containing [tag="X"]',
    ],
)
def test_attributes_are_found_wherever_they_stand(mixed: Index, query: str) -> None:
    assert [one.tokens for one in Concordance.of(mixed, query).missing.attributes] == [6]


def test_filters_and_keys_ask_too(mixed: Index) -> None:
    found = Concordance.of(mixed, "a")
    assert not found.notes()
    assert found.having('[tag="NOUN"]').notes() == found.lacking('[tag="X"]').notes() == found.only("tag", "X").notes()
    assert found.sort("tag").notes() == []
    counted = found.frequency("tag")
    assert {row.values: (row.count, row.per_million) for row in counted.rows} == {
        ("X",): (4, 0.0),
        ("NOUN",): (2, pytest.approx(2 * MILLION / 6)),
    }
    assert counted.to_json()["notes"] == counted.notes() == found.having('[tag="NOUN"]').notes()
    within = Concordance.of(mixed, '[tag="NOUN"]').frequency("lang")
    assert {row.values: row.per_million_within for row in within.rows} == {("de",): pytest.approx(MILLION)}


def test_rates_over_parts_of_the_corpus(mixed: Index) -> None:
    found = distribution(Concordance.of(mixed, '[tag="NOUN"]'), "lang")
    assert [(row.value, row.hits, row.tokens) for row in found.rows] == [("de", 6, 8)]
    assert found.rows[0].per_million == pytest.approx(MILLION)
    assert found.to_json()["rated_tokens"] == 6


def test_keywords_and_collocations_count_what_is_known(mixed: Index) -> None:
    part = Subcorpus(mixed, 'id="0"')
    found = keywords(mixed, None, "lemma", subcorpus=part)
    assert (found.size, found.reference_size) == (6, 2)
    assert found.notes() == ["reference: lemma is missing for 4 of 6 tokens (th); only the others are counted"]
    assert found.to_json()["reference_missing"][0]["tokens"] == 4
    both = compare(mixed, None, subcorpus=part, tags=["NOUN"])
    assert both.vocabulary.tokens == (6, 6)
    assert [len(side.to_json()["missing"]) for side in (both.missing, both.other_missing)] == [1, 1]
    assert {row.value: row.per_million for row in both.typical[0].corpus} == {"a": pytest.approx(MILLION / 2)}
    hits = Concordance.of(mixed, "b").spans.hits
    near = collocations(mixed, hits, "lemma", min_frequency=1, min_together=1)
    assert (near.size, near.hits) == (8, 5)
    assert {row.value: row.frequency for row in near.rows} == {"a": 3, "b": 5}


def test_a_side_without_tags_is_not_compared_by_tag(mixed: Index) -> None:
    """A list of nouns would have those of the other side alone, as if they were typical of it."""
    thai = Subcorpus(mixed, 'lang="th"')
    for attribute, tag in (("word", "NOUN"), ("tag", None), ("lempos", None)):
        with pytest.raises(UsageError, match=r"there are no tags in the corpus \(th\): nothing can be compared by tag"):
            keywords(mixed, None, attribute, subcorpus=thai, tag=tag)
        with pytest.raises(UsageError, match=r"there are no tags in the reference \(th\): nothing"):
            keywords(mixed, None, attribute, subcorpus=thai.rest, reference_subcorpus=thai, tag=tag)
    for attribute, said in (("xpos", "is no xpos"), ("lemma+feats", "are no feats")):
        with pytest.raises(UsageError, match=rf"there {said} in the corpus .*nothing can be compared by"):
            keywords(mixed, None, attribute, subcorpus=thai)
    assert keywords(mixed, None, "word", subcorpus=thai).rows
    both = compare(mixed, None, subcorpus=thai, tags=["NOUN", "VERB"])
    assert [(part.tag, part.corpus, part.other) for part in both.typical] == [("NOUN", [], []), ("VERB", [], [])]
    assert both.vocabulary.tokens == (4, 8)
    said = "there are no tags in the corpus (th): no lists by part of speech"
    assert both.notes()[-1] == both.to_json()["notes"][-1] == said
    assert compare(mixed, None, subcorpus=thai.rest, tags=["NOUN"]).notes()[-1] == said.replace("corpus", "other")


def test_where_all_hits_lack_it_all_tokens_count(mixed: Index) -> None:
    hits = Concordance.of(mixed, "b", 'lang="th"').spans.hits
    near = collocations(mixed, hits, "lemma", min_frequency=1, min_together=1)
    assert (near.size, near.hits, [row.value for row in near.rows]) == (12, 1, ["a"])
    assert near.notes() == ["lemma is missing for 4 of 12 tokens (th); all hits are there, so all tokens are counted"]


def test_a_short_paragraph_is_counted_for_its_document(tmp_path: Path) -> None:
    """It was annotated in the language of its document, whatever language it seems to be in."""
    corpus = [[Plain("simplemma", "cs", "aaaa"), Plain("simplemma", "en", "a")], [Plain("hanta", "en", "aa")]]
    index = index_of(corpus, str(tmp_path))
    assert Coverage(index, ["tag"]).missing.attributes[0].langs == ("cs",)
    foreign = index_of([[Plain("hanta", "de", "aaaa"), Plain("simplemma", "cs", "aa")]], str(tmp_path / "foreign"))
    assert Coverage(foreign, ["tag"]).missing.attributes[0].langs == ("cs",)


def test_the_table_of_taggers() -> None:
    assert not provides("simplemma:dictionary=hbs", "tag")
    assert provides("simplemma", "lemma")
    assert not provides("forms", "lemma")
    assert provides("treetagger:path=x", "tag", "de-AT")
    assert not provides("treetagger", "tag", "ru")
    assert provides("a-plugin", "tag")
    assert provides("", "tag")
    assert provides("forms", "word")
    assert tagger_name("udpipe:model=/home/somebody/x.udpipe") == "udpipe"


def test_the_command_line_says_it(indexed: gristmill.Corpus) -> None:
    taggers = indexed.index.structure("p").attribute("tagger").values(range(len(indexed.index.structure("p"))))
    lengths = np.diff(indexed.index.structure("p").bounds.astype(int)).tolist()
    size = indexed.index.size
    without = sum(length for tagger, length in zip(taggers, lengths, strict=True) if not provides(tagger, "tag"))
    said = f"tag is missing for {without:,} of {size:,} tokens"
    folder = str(indexed.folder)
    for arguments in (["search", folder, '[tag="NOUN"]'], ["wordlist", folder, "-a", "tag"]):
        for options in ([], ["--csv"]):
            assert said in run(*arguments, *options).stderr.decode()
        ran = run(*arguments, "--json")
        found = json.loads(ran.stdout)
        assert not ran.stderr
        assert found["missing"][0]["attribute"] == "tag"
        assert found["rated_tokens"] == size - found["missing"][0]["tokens"]
        assert found["notes"][0].startswith(said)
    for arguments in (
        ["count", folder, '[tag="NOUN"]'],
        ["frequency", folder, "the", "--by", "tag"],
        ["dispersion", folder, '[tag="NOUN"]'],
        ["collocations", folder, '[tag="NOUN"]', "-a", "word"],
    ):
        assert said in run(*arguments).stderr.decode()
    english = run("search", folder, '[tag="NOUN"]', "--where", 'lang="en"')
    assert "missing" not in english.stderr.decode()
    against = ["--where", 'lang="en"']
    assert "reference: lemma is missing for " in run("keywords", folder, *against).stderr.decode()
    assert "other: tag is missing for " in run("compare", folder, *against).stderr.decode()
    counted = run("count", folder, '[tag="NOUN"]', "--csv").stdout.decode()
    rate = float(next(csv.DictReader(io.StringIO(counted)))["per_million"])
    assert rate == pytest.approx(indexed.search('[tag="NOUN"]').total * MILLION / (size - without))


def test_paragraphs_know_their_taggers(indexed: gristmill.Corpus) -> None:
    taggers = indexed.index.structure("p").attribute("tagger")
    english, czech = (tagger_name(spec_for(lang)) for lang in ("en", "cs"))
    assert {english, czech, "forms"} <= set(taggers.lexicon.array.to_pylist())
    found = indexed.search(f'[] within <p tagger="{czech}"/>', where='lang="cs"')
    assert len(found) / found.size > 0.9


def test_ranges_and_positions(mixed: Index) -> None:
    coverage = Coverage(mixed, ["tag"])
    flags = [coverage.holds(np.array([at])).item() for at in range(mixed.size)]
    assert flags == [True] * 4 + [False] * 6 + [True] * 2
    assert coverage.before(np.arange(mixed.size + 1)).tolist() == [sum(flags[:at]) for at in range(mixed.size + 1)]
    for start, stop in pairwise([0, 3, 5, 11, 12]):
        assert coverage.mask(start, stop).tolist() == flags[start:stop]
    starts, ends = coverage.cut(mixed.structure("doc").bounds)
    assert list(zip(starts.tolist(), ends.tolist(), strict=True)) == [(0, 4), (10, 12)]
