"""Word sketches in queries: ws, term, ~, swap and ccoll find what sketches count, and what plain loops find."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from gristmill.errors import GristmillError, UsageError
from gristmill.search import Index, PlainDocument, PlainParagraph, find, make_index
from gristmill.search.sketches import cql as cql_module
from gristmill.search.sketches import extract as extract_module
from gristmill.search.sketches import places as places_module
from gristmill.search.sketches.cql import similar_by_default
from gristmill.search.sketches.grammar import grammars
from gristmill.search.sketches.lempos import Words
from gristmill.search.sketches.sketch import sketch
from gristmill.search.sketches.store import Sketches, open_sketches
from gristmill.search.sketches.thesaurus import thesaurus
from gristmill.search.sketches.words import find_word
from gristmill.search.statistics.queries import quoted
from gristmill.search.watch.watches import _check

WORDS = {
    "NOUN": ("bread", "mill", "miller", "flour", "stone"),
    "PROPN": ("Mill", "stone"),
    "VERB": ("grind", "mill"),
    "ADJ": ("old", 'the "best"', "a\\b"),
    "DET": ("the",),
    "ADP": ("of", "in"),
    "CCONJ": ("and",),
    "AUX": ("be",),
    "ADV": ("well",),
}
LETTERS = {"NOUN": "n", "PROPN": "n", "VERB": "v", "ADJ": "j", "ADP": "i", "CCONJ": "c", "AUX": "v", "ADV": "a"}


@pytest.fixture(scope="module", autouse=True)
def _small_steps() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(extract_module, "BLOCK_TOKENS", 211)
        yield


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Random sentences, most of them English."""
    rng = random.Random(20)
    made = []
    for _ in range(110):
        tags = [
            [rng.choice([*WORDS, "NOUN", "NOUN", "NOUN", "VERB", "ADJ"]) for _ in range(rng.randint(1, 11))]
            for _ in range(rng.randint(1, 4))
        ]
        sentences = [
            [(lemma.title(), tag, lemma, "", False) for tag in some for lemma in [rng.choice(WORDS[tag])]]
            for some in tags
        ]
        lang = rng.choice(["en", "en", "de"])
        made.append(PlainDocument([PlainParagraph(sentences, {"kind": "p"})], {"lang": lang}))
    return make_index(tmp_path_factory.mktemp("sketches") / "index", made)


@pytest.fixture(scope="module")
def english(index: Index) -> Sketches:
    return open_sketches(index, index.folder.parent, lang="en")


def found(index: Index, query: str) -> list[int]:
    hits = find(index, query)
    assert (hits.ends - hits.starts == 1).all()
    return [int(start) for start in hits.starts]


def values(index: Index, name: str) -> list[str]:
    attribute = index.attribute(name)
    return attribute.lexicon.strings(attribute.ids[np.arange(index.size)])


def ws(head: tuple[str, str], relation: str, other: tuple[str, str]) -> str:
    """The condition for a pair; values of regular expressions stand in a query as they are, but for quotes."""
    texts = [f"{re.escape(lemma)}-{LETTERS[tag]}" for lemma, tag in (head, other)]
    first, last = (text.replace('"', '\\"') for text in texts)
    return f'ws("{first}", "{re.escape(relation)}", "{last}")'


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_ws_finds_the_pairs_that_sketches_count(
    index: Index, english: Sketches, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places_module, "_RARE_SHARE", share)  # all documents, or the sentences of the words
    tags = values(index, "tag")
    lemmas = values(index, "lemma")
    checked = 0
    for word in [("mill", "NOUN"), ("grind", "VERB"), ('the "best"', "ADJ"), ("a\\b", "ADJ"), ("stone", "PROPN")]:
        sketched = sketch(english, *word, min_together=1, limit=None)
        for row in sketched.rows[:: 1 + len(sketched.rows) // 8]:
            other = (row.collocate, row.tag)
            condition = f"{ws(word, row.relation, other)} & tag={quoted(word[1])}"
            swapped = f"swap(1, {condition}) & tag={quoted(row.tag)}"  # the letter n is that of PROPN, too
            collocates = found(index, f"[{swapped}] within <doc lang='en'/>")
            heads = found(index, f"[swap(1, {swapped})] within <doc lang='en'/>")
            spans = find(index, sketched.query(row.relation, *other))
            assert len(spans) == row.count
            assert all((lemmas[at], tags[at]) == word for at in heads)
            assert all((lemmas[at], tags[at]) == other for at in collocates)
            for start, end in zip(spans.starts.tolist(), spans.ends.tolist(), strict=True):
                assert any(start <= at < end for at in heads), (row, start)
                assert any(start <= at < end for at in collocates)
            inside = [at for at in heads if ((spans.starts <= at) & (at < spans.ends)).any()]
            assert inside == heads
            checked += 1
    assert checked > 25


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_ws_equals_the_patterns_matched_one_by_one(index: Index, share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places_module, "_RARE_SHARE", share)
    langs = index.structure("doc").attribute("lang")
    of_token = np.array(langs.lexicon.strings(langs.ids))[index.structure("doc").number_at(np.arange(index.size))]
    lemmas = np.array(values(index, "lemma"))
    pairs: dict[tuple[str, str], set[tuple[int, int]]] = {}
    for lang in ("en", "de"):
        for relation in grammars()[lang].relations:
            for pattern in relation.patterns:
                one = pattern.find(index)
                kept = of_token[one.heads] == lang
                names = lemmas[one.names[kept]] if one.names is not None else [""] * int(kept.sum())
                for head, other, name in zip(one.heads[kept], one.collocates[kept], names, strict=True):
                    for dual in (False, True):
                        key = (relation.dual if dual else relation.name).replace("{3}", name)
                        pair = (int(other), int(head)) if dual else (int(head), int(other))
                        pairs.setdefault((key, lang), set()).add(pair)
    names = {name for name, _ in pairs}
    assert {"object", "object_of", "pp_of", "pp_in_of", "and_or"} <= names
    for name in names:
        both = {pair for (key, _), some in pairs.items() if key == name for pair in some}
        assert found(index, f'[ws(".*", "{name}", ".*")]') == sorted({head for head, _ in both})
        wanted = sorted({head for head, other in both if lemmas[head] == "mill" and lemmas[other] == "stone"})
        assert found(index, f'[ws("mill", "{name}", "stone-.")]') == wanted
    every = {pair for some in pairs.values() for pair in some}
    assert found(index, '[swap(1, ws("bread|mi.*-n", ".*", ".*"))]') == sorted(
        {other for head, other in every if re.fullmatch("bread", lemmas[head])}
        | {other for head, other in every if lemmas[head].startswith("mi") and values(index, "tag")[head] == "NOUN"}
    )


def test_relations_are_found_by_their_titles(index: Index) -> None:
    by_name = found(index, '[ws("mill-n", "modifier|noun_modifier", ".*")]')
    assert by_name
    for title in ('modifiers of \\"%w\\"', "modifiers of .*", "(adjectives with|nouns before) %w|modifier"):
        assert found(index, f'[ws("mill-n", "{title}", ".*")]') == by_name
    assert found(index, '[ws("mill-n", "\\"%w\\" of ...", ".*")]') == found(index, '[ws("mill-n", "pp_of", ".*")]')
    objects = found(index, '[ws("stone-n", "verbs with \\"%w\\" as object", "grind-v")]')
    assert objects == found(index, '[ws("stone-n", "object_of", "grind")]') != []


def test_labels_are_swapped_renamed_and_joined(tmp_path: Path) -> None:
    words = {"old": "ADJ", "new": "ADJ", "mill": "NOUN", "stone": "NOUN", "grind": "VERB", ".": "PUNCT", "and": "CCONJ"}
    texts = ["old mill .", "grind old mill .", "grind mill .", "new old stone mill .", "mill and stone ."]
    sentences = [[(word, words[word], word, "", False) for word in text.split()] for text in texts]
    index = make_index(tmp_path / "index", [PlainDocument([PlainParagraph(sentences, {"kind": "p"})], {"lang": "en"})])
    modifier, verb = 'ws("mill-n", "modifier", ".*")', 'ws("mill-n", "object_of", ".*")'

    def tokens(condition: str) -> list[int]:
        return found(index, f"[{condition}]")

    assert tokens(modifier) == [1, 5, 13]
    assert tokens(f"swap(1, {modifier})") == [0, 4, 10, 11]
    assert tokens(f"swap(1, swap(1, {modifier}))") == [1, 5, 13]
    assert tokens(f"ccoll(1, 2, {modifier})") == tokens(f"ccoll(3, 2, {modifier})") == [1, 5, 13]
    assert tokens(f"swap(2, ccoll(1, 2, {modifier}))") == [0, 4, 10, 11]
    assert tokens(f"{modifier} & {verb}") == [5]
    assert tokens(f"swap(2, {verb} & ccoll(1, 2, {modifier}))") == [4]
    assert tokens(f"swap(1, {verb} & ccoll(1, 2, {modifier}))") == [3]
    assert tokens(f"swap(1, {verb} & {modifier})") == []  # the label 1 can't be on two tokens
    assert tokens(f"swap(1, {verb} | {modifier} | tag='PUNCT')") == [0, 3, 4, 7, 10, 11]
    assert tokens(f"swap(1, ({verb} | tag='NOUN') & ccoll(1, 2, {modifier}))") == [3]
    assert tokens(f"swap(1, {modifier} & #13) & word='new'") == [10]
    assert tokens(f"{modifier} & !{verb}") == [1, 13]
    assert tokens('ws("mill", "and_or", "stone")') == [15]
    assert tokens('swap(1, ws("mill", "and_or", "stone"))') == [17]
    assert tokens('term("old mill")') == [1, 5]
    assert tokens('swap(1, term("(?i)OLD mill|new .*"))') == [0, 4, 10, 11, 12]
    assert tokens('term("new old")') == []
    assert find(index, '[swap(1, ws("mill", "modifier", ".*")) & lemma="old"] "mill"').starts.tolist() == [0, 4]
    for wrong, message in (
        ('swap(1, tag="NOUN")', r"nothing to swap: no token in it has the label 1 \(ws"),
        (f"swap(1, !{modifier})", "nothing to swap"),
        (f"swap(2, {modifier})", "no token in it has the label 2, but 1"),
        ('swap(1, ~"mill-n")', "nothing to swap"),
        ('ws("mill-n", "modifer", ".*")', r"no relation 'modifer'; did you mean 'modifier'\?.*pp_…"),
        ('ws("mill-n", "modifier", "(")', "is not a regular expression"),
        ('term("[")', "is not a regular expression"),
        ('~0"mill-n"', "at least 1"),
        ('~"mill-j"', "mill-j stands in no grammatical relation in 19 tokens .en, by tags., but as NOUN"),
        ('~"mlil"', "'mlil' stands in no grammatical relation"),
    ):
        with pytest.raises(UsageError, match=message):
            tokens(wrong)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_terms_are_those_of_a_plain_loop(index: Index, share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places_module, "_RARE_SHARE", share)
    tags, lemmas, words = (values(index, name) for name in ("tag", "lemma", "word"))
    bounds = index.structure("s").bounds.tolist()
    letters = {"ADJ": "a", "NOUN": "n", "PROPN": "n", "DET": "d"}
    terms = []
    for start, end in itertools.pairwise(bounds):
        for first in range(start, end):
            for last in range(first + 2, min(end, first + 9) + 1):
                text = "".join("o" if lemmas[at] == "of" else letters.get(tags[at], "x") for at in range(first, last))
                if re.fullmatch("[an]{1,4}n", text):
                    terms.append((last - 1, first, last))
                if of := re.fullmatch("([an]{0,2}n)od?[an]{0,2}n", text):
                    terms.append((first + of.end(1) - 1, first, last))
    for wanted in ("old mill", "stone .*", '.* Mill|the "best" .*', "old mill.*", "(old|a.*) .*", "Stone Bread"):
        matched = [
            (head, first, last)
            for head, first, last in terms
            if any(re.fullmatch(wanted, " ".join(some[first:last])) for some in (lemmas, words))
        ]
        written = wanted.replace('"', '\\"')
        heads = sorted({head for head, _, _ in matched})
        others = {at for head, first, last in matched for at in range(first, last) if at != head}
        assert heads
        assert found(index, f'[term("{written}")] within <doc lang="en"/>') == sorted(set(heads) & in_english(index))
        assert found(index, f'[swap(1, term("{written}"))] within <doc lang="en"/>') == sorted(
            others & in_english(index)
        )


def in_english(index: Index) -> set[int]:
    return set(find(index, '[] within <doc lang="en"/>').starts.tolist())


def test_similar_words_are_those_of_the_thesaurus(index: Index, english: Sketches) -> None:
    tags, lemmas = values(index, "tag"), values(index, "lemma")

    def tokens(word: str, count: int) -> list[int]:
        similar = {row.word for row in thesaurus(english, word, "NOUN", limit=count).rows}
        assert len(similar) == count
        return sorted(at for at in in_english(index) if lemmas[at] in similar and tags[at] == "NOUN")

    assert found(index, '~3"mill-n"') == tokens("mill", 3) != []
    assert found(index, '~2"bread"') == tokens("bread", 2)
    default = tokens("mill", similar_by_default(find_word(english, "mill", "NOUN").frequency))
    assert found(index, '[~"mill-n" & word=".*r.*"]') == [at for at in default if "r" in lemmas[at]]
    assert [similar_by_default(count) for count in (0, 9, 99, 100, 1000)] == [1, 1, 1, 2, 3]
    assert not any(lemmas[at] == "mill" for at in found(index, '~50"mill-n"'))


def test_what_is_missing_is_told_of(index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cql_module, "AUTOMATIC_TOKENS", 10)
    for file in index.folder.parent.glob("sketches/*"):  # what other tests made
        file.unlink()
    with pytest.raises(GristmillError, match=r"gristmill sketches .* --lang en"):
        find(index, '~"mill-n"')
    assert found(index, '[ws("mill-n", "modifier", ".*")]')  # needs nothing that is made before
    tokens = [("talo", "X", "talo", "", False), ("tupa", "X", "tupa", "", False)]
    plain = make_index(tmp_path / "fi", [PlainDocument([PlainParagraph([tokens], {"kind": "p"})], {"lang": "fi"})])
    for query in ('~"talo"', '[ws("talo", ".*", ".*")]', '[term("talo tupa")]'):
        with pytest.raises(UsageError, match="no text of this corpus has tags"):
            find(plain, query)
        with pytest.raises(UsageError, match="nor has a standing query"):
            _check(query, "", tmp_path)


def test_words_are_named_by_lempos_or_by_lemma(index: Index) -> None:
    tags, lemmas = (np.array(values(index, name)) for name in ("tag", "lemma"))
    letters = np.array([LETTERS.get(tag, "x") for tag in tags])
    pairs = [f"{lemma}-{letter}" for lemma, letter in zip(lemmas, letters, strict=True)]
    for text, of_lemma in (
        ("mill", True),
        ("mill-v", False),
        ("mill-[nv]", False),
        (".*l-n", False),
        ("(mill|stone)-n", False),
        ("mill.*", True),
        (".*[^n]", True),
        ("mill-(n|v)", False),
        ("the-x", False),
        ("nothing-n", False),
        ("mill-q", False),
    ):
        wanted = [
            at
            for at, (lemma, pair) in enumerate(zip(lemmas, pairs, strict=True))
            if re.fullmatch(text, pair) or (of_lemma and re.fullmatch(text, lemma))
        ]
        assert Words(index, text).positions().tolist() == wanted, text
    assert Words(index, "stone|mill-v").positions().tolist() == [
        at for at, pair in enumerate(pairs) if lemmas[at] == "stone" or pair == "mill-v"
    ]
    assert Words(index, ".*").count() == index.size
