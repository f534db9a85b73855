"""Pairs, heads and names of parsed questions and passages, worked by hand: what counts as a match, and what doesn't."""

from __future__ import annotations

import pytest

from gristmill.annotation import Annotation
from gristmill.answers import rules_for
from gristmill.answers.analysis import Analysis
from gristmill.answers.inflection import Inflection
from gristmill.answers.names import find_names
from gristmill.answers.question import Question, understand
from gristmill.answers.rules_file import NameWords
from gristmill.answers.scoring import Score, score

RULES = rules_for("en")
WHERE = (
    "Where/where/ADV/4/advmod does/do/AUX/3/aux Toni/Toni/PROPN/2/nsubj Hagen/Hagen/PROPN/-1/flat work/work/VERB/0/root"
)
"""Where does Toni Hagen work: words with lemmas, tags, how far their heads are, and relations."""


def _analysis(text: str) -> Analysis:
    rows = [token.split("/") for token in text.split()]
    words, lemmas, tags, heads, deprels = zip(*rows, strict=True)
    starts = [sum(len(word) + 1 for word in words[:at]) for at in range(len(words))]
    annotation = Annotation(
        list(words),
        starts,
        [len(words)],
        list(lemmas),
        list(tags),
        [""] * len(words),
        heads=[int(head) for head in heads],
        deprels=list(deprels),
    )
    return Analysis.of(" ".join(words), "en", annotation, RULES)


def _question(text: str, *items: str) -> Question:
    return Question(_analysis(text), None, {}, (), items)


def _score(question: Question, passage: str) -> Score:
    return score(question, _analysis(passage))[0]


def test_a_name_is_one_word_whichever_of_its_words_is_the_head() -> None:
    found = _score(
        _question(WHERE, "#place"),
        "Toni/Toni/PROPN/2/nsubj Hagen/Hagen/PROPN/-1/flat works/work/VERB/0/root in/in/ADP/1/case"
        " Nepal/Nepal/PROPN/-2/obl",
    )
    assert found.same_heads == ("Toni Hagen/n", "work/v")
    assert found.pairs == ("work > toni", "work > Nepal")
    assert (found.words, found.heads, found.relations) == (20, 44, 44)


def test_an_answer_makes_no_pair_where_all_others_are_missing() -> None:
    found = _score(
        _question(WHERE, "#place"),
        "Ann/Ann/PROPN/1/nsubj works/work/VERB/0/root in/in/ADP/1/case Nepal/Nepal/PROPN/-2/obl",
    )
    assert (found.matched, found.items) == (("work",), ("#place",))
    assert (found.pairs, found.relations) == ((), 0)


def test_what_is_not_asked_about_governs_no_answer() -> None:
    """*How many people live in old houses*: `people` and `live` can have the number, `houses` can't."""
    question = _question(
        "How/how/ADV/1/advmod many/many/ADJ/1/amod people/people/NOUN/1/nsubj live/live/VERB/0/root in/in/ADP/2/case"
        " old/old/ADJ/1/amod houses/house/NOUN/-3/obl",
        "#number",
    )
    words = question.analysis.words
    assert {words[at] for at in question.asked_about} == {"many", "people", "live"}
    alone = "nine/nine/NUM/1/nummod people/people/NOUN/1/nsubj met/meet/VERB/0/root"
    assert _score(question, alone).pairs == ("people > nine",), "though no other pair is there"
    numbered = "nine/nine/NUM/2/nummod old/old/ADJ/1/amod houses/house/NOUN/0/root"
    assert _score(question, numbered).pairs == ("house > old",)
    answer = (
        "nine/nine/NUM/1/nummod people/people/NOUN/1/nsubj live/live/VERB/0/root in/in/ADP/1/case"
        " houses/house/NOUN/-2/obl"
    )
    assert _score(question, answer).pairs == ("live > people", "live > house", "people > nine")


def test_pairs_of_which_both_words_are_missing_count() -> None:
    question = _question(
        "Who/who/PRON/1/nsubj sold/sell/VERB/0/root red/red/ADJ/1/amod houses/house/NOUN/-2/obj in/in/ADP/1/case"
        " spring/spring/NOUN/-4/obl"
    )
    found = _score(question, "red/red/ADJ/1/amod houses/house/NOUN/0/root")
    assert found.pairs == ("house > red",)
    assert found.relations == pytest.approx(2 * 22 / 3), "one of three pairs: the sale in spring is missing, too"


def test_a_pair_stands_where_it_agrees() -> None:
    question = _question(
        "Who/who/PRON/1/nsubj closed/close/VERB/0/root the/the/DET/1/det bridge/bridge/NOUN/-2/obj", "#person"
    )
    denied = "Ann/Ann/PROPN/2/nsubj never/never/ADV/1/advmod closed/close/VERB/0/root bridges/bridge/NOUN/-1/obj"
    assert (_score(question, denied).relations, _score(question, denied).against) == (0, "polarity")
    affirmed = "Bob/Bob/PROPN/1/nsubj closed/close/VERB/-4/conj one/one/NUM/1/nummod bridge/bridge/NOUN/-2/obj"
    both = f"{denied} ,/,/PUNCT/2/punct {affirmed}"
    assert (_score(question, both).relations, _score(question, both).against) == (44, "")
    unsaid = "Ann/Ann/PROPN/2/nsubj never/never/ADV/1/advmod closed/close/VERB/0/root"
    alone = _question("Who/who/PRON/1/nsubj closed/close/VERB/0/root", "#person")
    assert (_score(alone, unsaid).relations, _score(alone, unsaid).against) == (0, "")
    assert _score(alone, unsaid.replace("never/never", "once/once")).pairs == ("close > Ann",)


@pytest.mark.parametrize(
    "passage",
    [
        "Ann/Ann/PROPN/3/nsubj ,/,/PUNCT/1/punct minister/minister/NOUN/-2/appos spoke/speak/VERB/0/root",
        "minister/minister/NOUN/1/compound Ann/Ann/PROPN/1/nsubj spoke/speak/VERB/0/root",
    ],
)
def test_appositions_and_titles_say_who_is_who(passage: str) -> None:
    found = _score(_question("Who/who/PRON/2/nsubj is/be/AUX/1/cop minister/minister/NOUN/0/root", "#person"), passage)
    assert (found.same_heads, found.pairs) == (("minister/n",), ("minister > Ann",))


def test_capitals_tell_no_names_where_all_nouns_have_them() -> None:
    words, tags = ("Der", "Berg", "Ruhe", "Universität", "Bonn"), ("DET", "PROPN", "NOUN", "NOUN", "PROPN")
    german = NameWords(institutions=frozenset({"universität"}), capital_nouns=True)
    assert [name.words for name in find_names(words, tags, [0], german)] == [("berg",), ("bonn",)]
    assert [name.words for name in find_names(words, tags, [0], NameWords())] == [
        ("berg", "ruhe", "universität", "bonn")
    ]
    english = ("the", "Bankers", "Association", "and", "Old", "Maps"), ("DET", "NOUN", "NOUN", "CCONJ", "ADJ", "NOUN")
    found = find_names(*english, [0], NameWords(institutions=frozenset({"association"})))
    assert [(name.words, name.kind) for name in found] == [(("bankers", "association"), "institution")]


@pytest.mark.parametrize(
    ("lang", "text", "kind"),
    [
        ("en", "At which station did she leave the train?", "thing"),
        ("en", "In which city did she leave the train?", "place"),
        ("en", "To whom did he give the key?", "person"),
        ("de", "Auf welcher Karte steht die Höhe?", "thing"),
        ("de", "In welchem Jahr hatte der Berg Ruhe?", "date"),
        ("de", "Um wie viel Uhr öffnet der Laden?", "date"),
        ("de", "In welcher Stadt wurde er geboren?", "place"),
        ("de", "Mit wem fuhr die Lehrerin?", "person"),
        ("fr", "À quelle heure avons-nous quitté ces lieux ?", "date"),
        ("fr", "Pendant combien de temps avons-nous suivi les traces ?", "number"),
        ("fr", "Sur quel mont monta-t-il ?", "thing"),
    ],
)
def test_questions_that_begin_with_a_preposition(lang: str, text: str, kind: str) -> None:
    found = understand(text, lang, rules_for(lang), Inflection(rules_for(lang), lang))
    assert found.type == kind
    assert found.forms
