"""Word sketches: what is counted is what queries find, whatever the corpus; thesaurus, difference, files on disk."""

from __future__ import annotations

import itertools
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import gristmill
from gristmill.errors import GristmillError, UsageError
from gristmill.search import Index, PlainDocument, PlainParagraph, find, make_index
from gristmill.search.sketches import extract as extract_module
from gristmill.search.sketches import thesaurus as thesaurus_module
from gristmill.search.sketches.difference import sketch_difference
from gristmill.search.sketches.grammar import grammars, read_grammar
from gristmill.search.sketches.sketch import Sketch, sketch
from gristmill.search.sketches.store import FOLDER, Sketches, open_sketches
from gristmill.search.sketches.thesaurus import thesaurus
from gristmill.search.sketches.words import find_word
from gristmill.search.statistics.measures import log_dice
from gristmill.search.text_languages import TextLanguages

WORDS = {
    "NOUN": ("bread", "mill", "miller", "flour", "stone"),
    "VERB": ("grind", "bake", "sell"),
    "ADJ": ("old", "fine", 'the "best"', "a\\b"),
    "DET": ("the",),
    "ADP": ("of", "in"),
    "CCONJ": ("and",),
    "AUX": ("be",),
    "ADV": ("well",),
    "PUNCT": (",",),
}


def document(rng: random.Random, lang: str, year: str) -> PlainDocument:
    sentences = []
    for _ in range(rng.randint(1, 4)):
        tags = [rng.choice(list(WORDS)) for _ in range(rng.randint(1, 12))]
        lemmas = [rng.choice(WORDS[tag]) for tag in tags]
        tokens = [(lemma.title(), tag, lemma, "", False) for tag, lemma in zip(tags, lemmas, strict=True)]
        sentences.append(tokens)
    return PlainDocument([PlainParagraph(sentences, {"kind": "p"})], {"lang": lang, "year": year, "host": "a.example"})


def random_index(folder: Path, seed: int, langs: tuple[str, ...] = ("en", "de")) -> Index:
    rng = random.Random(seed)
    made = [document(rng, rng.choice(langs), rng.choice(["2001", "2002"])) for _ in range(120)]
    return make_index(folder / "index", made)


@pytest.fixture(scope="module", autouse=True)
def _small_steps() -> Iterator[None]:
    """All that is done in steps, because a corpus may be large, is done in several steps here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(extract_module, "BLOCK_TOKENS", 97)
        patch.setattr(thesaurus_module, "_MAX_AT_ONCE", 50)
        yield


def every_word(sketches: Sketches) -> list[tuple[str, str]]:
    return sketches.base.words(np.arange(len(sketches.base.units)))


@pytest.mark.parametrize("name", grammars())
def test_counts_are_those_of_queries(tmp_path: Path, name: str) -> None:
    index = random_index(tmp_path, seed=len(name))
    sketches = open_sketches(index, tmp_path, lang="en", grammar=grammars()[name])
    checked = 0
    for lemma, tag in every_word(sketches):
        found = sketch(sketches, lemma, tag, min_together=1, limit=None)
        for relation in found.relations:
            assert len(find(index, found.query(relation.name))) == relation.pairs
            rows = [row for row in found.rows if row.relation == relation.name]
            assert len(rows) == relation.collocates == relation.enough
            assert sum(row.count for row in rows) == relation.pairs
        for row in found.rows[:: max(1, len(found.rows) // 8)]:
            assert len(find(index, found.query(row.relation, row.collocate, row.tag))) == row.count, row
            checked += 1
    assert checked > 50


def test_a_condition_on_documents_restricts_what_is_counted(tmp_path: Path) -> None:
    index = random_index(tmp_path, seed=3)
    where = 'year="2001"'
    sketches = open_sketches(index, tmp_path, lang="de", where=where)
    part = gristmill.search.Subcorpus(index, where)
    found = sketch(sketches, "bread", "NOUN", min_together=1, limit=None)
    assert found.rows
    for row in found.rows:
        assert len(find(index, found.query(row.relation, row.collocate, row.tag), part)) == row.count
    assert sketches.base.size < index.size


def test_a_relation_and_its_dual_have_the_same_pairs(tmp_path: Path) -> None:
    sketches = open_sketches(random_index(tmp_path, seed=4, langs=("en",)), tmp_path)
    seen: dict[tuple[str, tuple[str, str], tuple[str, str]], int] = {}
    for word in every_word(sketches):
        for row in sketch(sketches, *word, min_together=1, limit=None).rows:
            seen[row.relation, word, (row.collocate, row.tag)] = row.count
    assert seen
    duals = {
        one.name: sketches.base.kinds[sketches.base.dual(number)].name for number, one in sketches.base.kinds.items()
    }
    assert all(seen[duals[relation], other, word] == count for (relation, word, other), count in seen.items())


def test_scores_and_examples(tmp_path: Path) -> None:
    def sentence(text: str) -> list[tuple[str, str, str, str, bool]]:
        tags = {
            "old": "ADJ",
            "Old": "ADJ",
            "new": "ADJ",
            "mill": "NOUN",
            "mills": "NOUN",
            "stone": "NOUN",
            ".": "PUNCT",
        }
        return [(word, tags[word], word.lower().rstrip("s"), "", word == ".") for word in text.split()]

    texts = ["Old mill .", "old mill .", "old mill .", "new mills .", "old stone mill .", "new stone"]
    made = PlainDocument([PlainParagraph([sentence(text) for text in texts], {"kind": "p"})], {"lang": "en"})
    sketches = open_sketches(make_index(tmp_path / "index", [made]), tmp_path)
    found = sketch(sketches, "mill")
    assert (found.word, found.tag, found.frequency, found.min_together) == ("mill", "NOUN", 5, 1)
    rows = {(row.relation, row.collocate): row for row in found.rows}
    old = rows["modifier", "old"]
    # old: 3 x "old mill" and "old stone mill" with mill, of 5 pairs of mill; old is a collocate 4 times in all.
    assert (old.count, old.example) == (4, "old mill")
    assert old.score == pytest.approx(float(log_dice(np.array([4]), 5, np.array([4]), 0)[0]))
    assert rows["noun_modifier", "stone"].example == "stone mill"
    assert [one.title for one in found.relations] == ["adjectives with mill", "nouns before mill"]
    by_count = sketch(sketches, "mill", order="count", limit=1, relation="modifier")
    assert [(row.collocate, row.count) for row in by_count.rows] == [("old", 4)]
    rest = sketch(sketches, "mill", limit=1, first=1, relation="modifier")
    assert [row.collocate for row in rest.rows] == ["new"]
    assert "adjectives" not in found.to_csv()
    assert found.to_json()["relations"][0]["pairs"] == 5
    assert "<table" in found._repr_html_()


def test_words_that_are_not_there_are_told_of(tmp_path: Path) -> None:
    sketches = open_sketches(random_index(tmp_path, seed=5, langs=("en",)), tmp_path)
    with pytest.raises(UsageError, match=r"'breab' stands in no grammatical relation.*is it one of bread"):
        sketch(sketches, "breab")
    with pytest.raises(UsageError, match=r"'bread' does not stand .* as VERB in .* \(en, by tags\), but as NOUN"):
        sketch(sketches, "bread", "VERB")
    with pytest.raises(UsageError, match=r"has no relation 'objekt_of'.*object_of"):
        sketch(sketches, "bread", relation="objekt_of")
    with pytest.raises(UsageError, match="there is no order 'scor'"):
        sketch(sketches, "bread", order="scor")
    with pytest.raises(UsageError, match="which word"):
        sketch(sketches, " ")
    assert find_word(sketches, "BREAD").lemma == "bread"


def test_a_language_without_tags_is_told_of(tmp_path: Path) -> None:
    tokens = [("talo", "X", "talo", "", False), ("tupa", "X", "tupa", "", False)]
    made = [PlainDocument([PlainParagraph([tokens], {"kind": "p"})], {"lang": "fi"})]
    index = make_index(tmp_path / "fi", made)
    assert TextLanguages(index).tagged() == {}
    with pytest.raises(UsageError, match="no text of this corpus has tags"):
        open_sketches(index, tmp_path)
    with pytest.raises(UsageError, match="the texts in the language fi have no tags"):
        open_sketches(index, tmp_path, lang="fi")
    with pytest.raises(UsageError, match="no text is in the language 'fr'"):
        open_sketches(index, tmp_path, lang="fr")
    assert not (tmp_path / FOLDER).exists()


def test_files_are_made_once_and_are_always_the_same(tmp_path: Path) -> None:
    index = random_index(tmp_path, seed=6)
    with pytest.raises(GristmillError, match=r"gristmill sketches .* --lang en"):
        open_sketches(index, tmp_path, lang="en", max_tokens=10)
    open_sketches(index, tmp_path, lang="en")
    (file,) = (tmp_path / FOLDER).iterdir()
    first, made = file.read_bytes(), file.stat().st_mtime_ns
    open_sketches(index, tmp_path, lang="en", max_tokens=10)
    assert file.stat().st_mtime_ns == made
    file.write_bytes(first[:-100])  # what is cut off is made again
    open_sketches(index, tmp_path, lang="en")
    assert file.read_bytes() == first
    open_sketches(index, tmp_path, lang="en", where='year="2002"')
    assert len(list((tmp_path / FOLDER).iterdir())) == 2
    shutil.rmtree(tmp_path / "index")
    other = random_index(tmp_path, seed=7)
    open_sketches(other, tmp_path, lang="en")  # those of the index before are removed
    (left,) = (tmp_path / FOLDER).iterdir()
    assert left.read_bytes() != first


def test_a_folder_that_cannot_be_written_to_does_not_matter(tmp_path: Path) -> None:
    index = random_index(tmp_path, seed=8)
    (tmp_path / FOLDER).write_text("in the way")
    one, two = (sketch(open_sketches(index, tmp_path, lang="en"), "mill") for _ in range(2))
    assert one.rows == two.rows
    assert one.rows


def _similarity(one: Sketch, two: Sketch) -> tuple[float, int]:
    """The similarity of two words, counted in the plain way."""
    first, second = ({(row.relation, row.collocate, row.tag): row for row in found.rows} for found in (one, two))
    shared = set(first) & set(second)
    common = sum(
        max(first[key].score + second[key].score - (first[key].score - second[key].score) ** 2 / 50, 0)
        for key in shared
    )
    return common / sum(row.score for row in itertools.chain(first.values(), second.values())), len(shared)


def test_the_thesaurus_is_what_a_plain_count_gives(tmp_path: Path) -> None:
    sketches = open_sketches(random_index(tmp_path, seed=9, langs=("en",)), tmp_path)
    found = thesaurus(sketches, "bread", min_frequency=1, min_shared=1, limit=None)
    own = sketch(sketches, "bread", "NOUN", min_together=2, limit=None)
    assert {row.word for row in found.rows} == set(WORDS["NOUN"]) - {"bread"}
    for row in found.rows:
        similarity, shared = _similarity(own, sketch(sketches, row.word, "NOUN", min_together=2, limit=None))
        assert row.similarity == pytest.approx(similarity, rel=0.01)  # scores are stored with three digits
        assert row.shared == shared
        assert row.examples
    assert [row.similarity for row in found.rows] == sorted((row.similarity for row in found.rows), reverse=True)
    assert thesaurus(sketches, "bread", min_shared=10**6).rows == []
    few = thesaurus(sketches, "bread", min_frequency=1, min_shared=1, limit=2)
    assert (few.rows, few.types) == (found.rows[:2], len(found.rows))


def test_collocates_with_too_many_words_are_left_out_and_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sketches = open_sketches(random_index(tmp_path, seed=9, langs=("en",)), tmp_path)
    monkeypatch.setattr(thesaurus_module, "_MAX_PAIRS", 6)
    found = thesaurus(sketches, "bread", min_frequency=1, min_shared=1)
    assert found.left_out > 0
    assert found.features > 0


def test_the_difference_has_what_both_sketches_have(tmp_path: Path) -> None:
    index = random_index(tmp_path, seed=10, langs=("en",))
    sketches = open_sketches(index, tmp_path)
    found = sketch_difference(sketches, "bread", "mill", min_together=1, limit=None)
    for word, count, score in (("bread", "count", "score"), ("mill", "other_count", "other_score")):
        rows = {
            (row.relation, row.collocate): row
            for row in sketch(sketches, word, "NOUN", min_together=1, limit=None).rows
        }
        compared = {(row.relation, row.collocate): row for row in found.rows if getattr(row, count)}
        assert {key: row.count for key, row in rows.items()} == {
            key: getattr(row, count) for key, row in compared.items()
        }
        assert all(getattr(compared[key], score) == pytest.approx(row.score) for key, row in rows.items())
    for row in found.rows:
        assert (row.side == -1) == (row.other_count == 0)
        assert (row.side == 1) == (row.count == 0)
    sides = [row.side for row in found.rows if row.relation == found.relations[0].name]
    assert sides == sorted(sides)
    one = next(row for row in found.rows if row.count and row.other_count)
    assert [len(find(index, query)) for query in found.queries(one.relation, one.collocate, one.tag)] == [
        one.count,
        one.other_count,
    ]
    pages = [sketch_difference(sketches, "bread", "mill", min_together=1, limit=2, first=first) for first in (0, 2)]
    four = sketch_difference(sketches, "bread", "mill", min_together=1, limit=4)
    assert {*pages[0].rows, *pages[1].rows} == {*four.rows}
    assert not {*pages[0].rows} & {*pages[1].rows}
    with pytest.raises(UsageError, match="the same word"):
        sketch_difference(sketches, "bread", "bread")
    with pytest.raises(UsageError, match="name the other one"):
        sketch_difference(sketches, "bread")


def test_one_word_in_two_parts_of_a_corpus(tmp_path: Path) -> None:
    index = random_index(tmp_path, seed=11, langs=("en",))
    parts = [open_sketches(index, tmp_path, where=f'year="{year}"') for year in (2001, 2002)]
    found = sketch_difference(parts[0], "bread", other_sketches=parts[1], min_together=1, limit=None)
    assert (found.word, found.other, found.size + found.other_size) == ("bread", "bread", index.size)
    whole = {
        (row.relation, row.collocate): row.count
        for row in sketch(open_sketches(index, tmp_path), "bread", "NOUN", min_together=1, limit=None).rows
    }
    assert {(row.relation, row.collocate): row.count + row.other_count for row in found.rows} == whole


GRAMMAR = """
[define]
gap = '[tag="DET"]{0,2}'
last = ['[tag="PUNCT"]', '</s>']

[[relation]]
name = "any_{3}"
dual = "any_{3}_of"
title = "{} {3} what"
patterns = ['1:[tag="NOUN"] @gap 3:[tag="ADP"] @gap 2:[tag="NOUN"] @last']
"""


def test_a_grammar_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(GRAMMAR)
    grammar = read_grammar(path)
    assert [len(one.patterns) for one in grammar.relations] == [2]
    index = random_index(tmp_path, seed=12, langs=("en",))
    sketches = open_sketches(index, tmp_path, grammar=grammar)
    names = {kind.name for kind in sketches.base.kinds.values()}
    assert {"any_of", "any_of_of"} <= names <= {"any_of", "any_in", "any_of_of", "any_in_of"}
    for word in every_word(sketches):
        found = sketch(sketches, *word, min_together=1, limit=None)
        for row in found.rows:
            assert len(find(index, found.query(row.relation, row.collocate, row.tag))) == row.count


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("2:[tag", "[tag"), "needs a token 2:"),
        (("3:[tag", "[tag"), "needs a token 3:"),
        (("@gap", "@gape"), "@gape is not defined"),
        (("1:[tag", "1:[tga"), "own.toml: the relation 'any_{3}'|a token has no attribute"),
        (('"ADP"]', '"ADP]'), "this is not a regular expression"),
        (("@last']", "@last & 1.lemma = 2.lemma']"), "conditions on two tokens"),
        (("{0,2}'", "{0,90}'"), "may match 60 tokens"),
        (("name =", "nmae ="), "needs a name"),
        (('dual = "any_{3}_of"', 'dual = "any_of"'), "in both or in none"),
        (('title = "{} {3} what"', "title = 3"), "title is of the wrong type"),
        (("gap = '[tag=\"DET\"]{0,2}'", "gap = '@gap'"), "circle"),
        (("[[relation]]", "[[relations]]"), "there is no setting 'relations'"),
    ],
)
def test_a_wrong_grammar_is_told_of(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(GRAMMAR.replace(*change))
    with pytest.raises(UsageError, match=message):
        open_sketches(random_index(tmp_path, seed=1), tmp_path, grammar=read_grammar(path))


def test_python_methods_of_a_corpus(indexed: gristmill.Corpus, tmp_path: Path) -> None:
    shutil.copytree(indexed.folder, tmp_path / "corpus")
    corpus = gristmill.Corpus(tmp_path / "corpus")
    found = corpus.sketch("stone", tag="NOUN")
    assert found.lang == "en"
    assert found.rows
    for row in found.rows:
        assert corpus.search(found.query(row.relation, row.collocate, row.tag)).total == row.count
    assert corpus.thesaurus("stone", min_shared=1).word == "stone"
    assert corpus.sketch_difference("stone", "file", min_together=1).rows
    assert corpus.sketch_difference("mill", where='host!="x"', other_where='host!="y"', min_together=1).rows
    assert corpus.sketch("Haus", lang="de").lang == "de"
    with pytest.raises(UsageError, match="the language pl have no tags"):
        corpus.sketch("pies", lang="pl")
