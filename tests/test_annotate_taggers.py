"""Taggers: lemmas and tags by one protocol, the table of languages, hostile words, adapters with models made here."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from HanTa.HanoverTagger import HanoverTagger
from hypothesis import given, settings
from hypothesis import strategies as st
from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

from gristmill.annotation import tagger as table
from gristmill.annotation.character_tags import tag_by_characters
from gristmill.annotation.tagger import (
    LANGUAGES,
    TAGGERS,
    Tagged,
    check_choices,
    named_by,
    spec_for,
    tagger_for,
    with_whole_paths,
)
from gristmill.annotation.taggers import apertium_tags, hanta_tagger, outside, rftagger_tags
from gristmill.annotation.universal import PENN, STTS, TREETAGGER_FRENCH, TREETAGGER_ITALIAN, TREETAGGER_SPANISH
from gristmill.errors import GristmillError, UsageError

UPOS = set("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split())
HOSTILE = [
    "x" * 10_000,
    "ß" * 500,
    "1" * 10_000,
    "a\tb",
    "\n",
    "\ud800",
    "\x00",
    "<unknown>",
    "#" * 60,
    "#tag",
    "@user",
    "'",
    "-",
    "\u00ad",
    "ǅ",
]


def tag(lang: str, text: str, *choices: str) -> list[tuple[str, str, str]]:
    tagged = tagger_for(lang, choices)[1].tag([text.split()])
    return list(zip(tagged.lemmas, tagged.tags, tagged.xpos, strict=True))


@pytest.mark.parametrize(
    ("tags", "words"),
    [
        ("NUM", "12 3.14 1,000 10:30 24/7 2010-12-31 +5 -3 ½ 5% 4."),
        ("PUNCT", ", . ... ?! ( ) « „ “ – — ' `` - * • 。 、 < > |"),
        ("SYM", "% & § $ € + = 😀 ❤️ ² http://example.org/a?b=1 www.example.org a.b@example.org :) :-D ;) <3 xD ^^"),
        ("PROPN", "@user"),
        ("X", "word Straße слово 語 B2B 1st #tag it's"),
    ],
)
def test_characters_tell_some_tags(tags: str, words: str) -> None:
    assert {word: tag_by_characters(word) for word in words.split()} == dict.fromkeys(words.split(), tags)


def test_without_knowledge_of_the_language() -> None:
    name, tagger = tagger_for("und")
    assert name == "forms"
    assert tagger.tag([["Ein", "Wort", ","], [], ["12"]]) == Tagged(
        ["ein", "wort", ",", "12"], ["X", "X", "PUNCT", "NUM"], [""] * 4
    )


def test_features_that_are_not_given_are_empty() -> None:
    assert Tagged(["a", "b"], ["X", "X"], ["", ""]).feats == ["", ""]
    assert Tagged.of([("a", "X", ""), ("b", "X", "")]).feats == ["", ""]
    assert Tagged.of([("a", "NOUN", "", "Case=Gen")]).feats == ["Case=Gen"]
    assert Tagged.of([]) == Tagged()


def test_the_table() -> None:
    assert {code for code, spec in LANGUAGES.items() if spec == "simplemma"} <= SUPPORTED_LANGUAGES
    assert set(LANGUAGES) >= SUPPORTED_LANGUAGES
    assert (spec_for("de-AT"), spec_for("sr_RS"), spec_for("zh")) == ("own", "own", "forms")


def test_choices() -> None:
    assert spec_for("de", ["forms", "de=simplemma"]) == "simplemma"
    assert spec_for("de", ["de=simplemma", "forms"]) == "simplemma"
    assert spec_for("fr", ["de=simplemma", "forms"]) == "forms"
    assert spec_for("zh", ["simplemma"]) == "forms"  # which has no Chinese
    assert spec_for("de", ["de=forms", "de=simplemma"]) == "simplemma"
    assert tagger_for("fr", ["fr=own"])[1] is tagger_for("fr")[1]
    assert spec_for("pl", ["own"]) == "simplemma"  # there is no model of Polish
    assert spec_for("pl", ["own:some.tagger"]) == "own:some.tagger"
    assert spec_for("fr", ["hanta"]) == "own"
    check_choices(["fr=simplemma", "forms"])


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ("simpelmma", "there is no tagger 'simpelmma'; did you mean 'simplemma'"),
        ("de=", "names no tagger"),
        (":model=x", "names no tagger"),
        ("qq=forms", "'qq' is not a language code"),
        ("forms:x=1", "the tagger 'forms' has no parameter 'x'"),
        ("fr=hanta", "hanta knows de, not fr"),
        ("ru=pymorphy", "there is no tagger 'pymorphy'"),
        ("pl=own", "gristmill has no tagger of 'pl': train one with `gristmill train tagger"),
        ("pl=own:none.tagger", r"there is no model none\.tagger"),
        (f"pl=own:{__file__}", "is no model"),
        ("de=unidic", "unidic knows ja, not de"),
        ("simplemma:dictionary=zz", "simplemma has no dictionary of 'zz'"),
        ("udpipe", r"udpipe needs a model .*, named as udpipe:model=FILE$"),
        ("udpipe:model=none.udpipe", r"there is no file none\.udpipe; .*named as udpipe:model=FILE$"),
        (f"udpipe:model={__file__}", "is not a model of UDPipe"),
        ("treetagger:path=nowhere", r"no bin/tree-tagger in nowhere\); get .*treetagger:path=FOLDER,model=FILE$"),
    ],
)
def test_wrong_choices(choice: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        check_choices([choice])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("module", "choice", "install"),
    [("spacy", "spacy:model=x", "spacy"), ("ufal.udpipe", "udpipe:model=x", "ufal.udpipe")],
)
def test_how_to_get_what_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, module: str, choice: str, install: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(
        UsageError, match=rf"is not installed; run `pip install {install}`, and get .*, named as {choice[:-1]}"
    ):
        check_choices([choice])


@pytest.mark.parametrize(
    ("choice", "what"),
    [
        ("pl=spacy", "spacy download pl_core_news_sm`, named as spacy:model=pl_core_news_sm"),
        ("en=spacy", "spacy download en_core_web_sm`"),
        ("no=spacy", "spacy download nb_core_news_sm`"),
        ("cs=spacy", "spaCy has none for cs"),
        ("spacy", "a pipeline of the language"),
        ("pl=stanza", "stanza.download('pl'"),
        ("stanza", "stanza.download('LANG'"),
        ("pl=apertium", "for Kazakh"),
    ],
)
def test_what_is_proposed_is_of_the_language(monkeypatch: pytest.MonkeyPatch, choice: str, what: str) -> None:
    for module in ("spacy", "stanza"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    with pytest.raises(UsageError) as caught:
        check_choices([choice])
    assert what in str(caught.value)
    assert "de_core" not in str(caught.value)


def test_hanta_where_the_extra_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gristmill.annotation.taggers.hanta_tagger", None)
    with pytest.raises(UsageError, match=r"hanta is not installed; run `pip install 'gristmill\[german\]'`"):
        TAGGERS["hanta"]().load("de")
    assert spec_for("de") == "own"


@pytest.mark.parametrize(
    ("lang", "text", "lemmas"),
    [
        ("fr", "Les chevaux mangeaient 12 pommes , voilà .", "le cheval manger 12 pomme , voilà ."),
        ("cs", "Psi štěkali na Prahu", "pes štěkat na Praha"),
        ("hbs", "Knjige su na stolu", "knjiga biti na stol"),
    ],
)
def test_simplemma(lang: str, text: str, lemmas: str) -> None:
    found = tag(lang, text, f"{lang}=simplemma")
    assert [lemma for lemma, _, _ in found] == lemmas.split()
    assert {universal for _, universal, _ in found} <= {"X", "NUM", "PUNCT"}


def test_german_by_hanta() -> None:
    found = tag("de", "Die „ Häuser “ waren 2012 wirklich sehr schön – am 3. Mai kam Anna !", "de=hanta")
    assert [
        lemma for lemma, _, _ in found
    ] == "der „ Haus “ sein 2012 wirklich sehr schön – am 3. Mai kommen Anna !".split()
    assert [universal for _, universal, _ in found] == (
        "DET PUNCT NOUN PUNCT AUX NUM ADV ADV ADJ PUNCT ADP ADJ NOUN VERB PROPN PUNCT".split()
    )
    assert found[2] == ("Haus", "NOUN", "NN")


@pytest.mark.parametrize(
    ("lang", "text", "lemmas", "tags"),
    [
        (
            "en",
            "I have a dog that does not bark , and I have never seen this before in Baker Street .",
            "I have a dog that do not bark , and I have never see this before in Baker Street .",
            "PRON VERB DET NOUN PRON AUX PART VERB PUNCT CCONJ PRON AUX ADV VERB PRON ADV ADP PROPN PROPN PUNCT",
        ),
        (
            "nl",
            "De kinderen hebben gisteren drie mooie boeken gelezen .",
            "de kind hebben gisteren drie mooi boek lezen .",
            "DET NOUN AUX ADV NUM ADJ NOUN VERB PUNCT",
        ),
        (
            "ru",
            "Мы были в Москве и видели это , его книги и 12 домов )))",
            "мы быть в Москва и видеть это , его книга и 12 дом )))",
            "PRON AUX ADP PROPN CCONJ VERB PRON PUNCT DET NOUN CCONJ NUM NOUN SYM",
        ),
        (
            "uk",
            "Ми читали нові книги в старому будинку .",
            "ми читати новий книга в старий будинок .",
            "PRON VERB ADJ NOUN ADP ADJ NOUN PUNCT",
        ),
        (
            "fr",
            "Au village , les enfants chantaient de belles chansons .",
            "à village , le enfant chanter un beau chanson .",
            "ADP NOUN PUNCT DET NOUN VERB DET ADJ NOUN PUNCT",
        ),
        (
            "cs",
            "Staré domy stojí na břehu velké řeky .",
            "starý dům stát na břeh velký řeka .",
            "ADJ NOUN VERB ADP NOUN ADJ NOUN PUNCT",
        ),
        (
            "el",
            "Η Μαρία είδε τους παλιούς φίλους .",
            "ο Μαρία βλέπω ο παλιός φίλος .",
            "DET PROPN VERB DET ADJ NOUN PUNCT",
        ),
        (
            "de",
            "Oder die „ Häuser “ waren 2012 wirklich sehr schön .",
            "oder der „ Haus “ sein 2012 wirklich sehr schön .",
            "CCONJ DET PUNCT NOUN PUNCT AUX NUM ADV ADV ADJ PUNCT",
        ),
    ],
)
def test_own(lang: str, text: str, lemmas: str, tags: str) -> None:
    found = tag(lang, text)
    assert [universal for _, universal, _ in found] == tags.split()
    assert [lemma for lemma, _, _ in found] == lemmas.split()
    again = tagger_for(f"{lang}-XX", [f"{lang}=own"])[1].tag([text.split()])
    assert [again.lemmas, again.tags] == [lemmas.split(), tags.split()]


@pytest.mark.parametrize(
    ("lang", "text", "at", "xpos", "feats"),
    [
        ("en", "children were n't here", 0, "NNS", "Number=Plur"),
        ("en", "children were n't here", 2, "RB", "Polarity=Neg"),
        ("nl", "Zij werkte in de huizen van Amsterdam .", 1, "WW|pv|verl|ev", "Number=Sing|Tense=Past|VerbForm=Fin"),
        (
            "ru",
            "Мы читали новые книги в старом доме .",
            6,
            "NN",
            "Animacy=Inan|Case=Loc|Gender=Masc|Number=Sing",
        ),
        ("fr", "Les chevaux mangeaient 12 pommes .", 1, "", "Gender=Masc|Number=Plur"),
        ("cs", "Staré domy stojí na břehu velké řeky .", 6, "NNFS2-----A----", "Case=Gen|Gender=Fem|Number=Sing"),
        ("hr", "Knjige su na stolu .", 3, "Ncmsl", "Case=Loc|Gender=Masc|Number=Sing"),
    ],
)
def test_features_and_tags_of_treebanks(lang: str, text: str, at: int, xpos: str, feats: str) -> None:
    tagged = tagger_for(lang)[1].tag([text.split()])
    assert (tagged.xpos[at], tagged.feats[at]) == (xpos, feats)


@pytest.mark.parametrize(
    ("lang", "text", "lemma"),
    [
        ("fr", "Au village , il chante .", "à"),
        ("de", "Oder kam sie gestern ?", "oder"),
        ("en", "The dog barks .", "the"),
        ("nl", "De hond blaft .", "de"),
        ("ru", "Мы читали .", "мы"),
        ("cs", "Staré domy stojí .", "starý"),
        ("fr", "« Les enfants chantent . »", "«"),
    ],
)
def test_a_capital_at_the_start_of_a_sentence_says_nothing(lang: str, text: str, lemma: str) -> None:
    assert tag(lang, text)[0][0] == lemma
    assert tag("fr", "« Les enfants chantent . »")[1][:2] == ("le", "DET")
    assert tag("en", "Then we saw Anna .")[3][:2] == ("Anna", "PROPN")


def test_japanese() -> None:
    pytest.importorskip("fugashi", reason="needs the extra `segment`")
    pytest.importorskip("unidic_lite", reason="needs the extra `segment`")
    assert spec_for("ja-JP") == "unidic"
    assert tag("ja", "東京 で 50 曲 を 利用 し て い た 。") == [
        ("東京", "PROPN", "名詞-固有名詞-地名-一般"),
        ("で", "ADP", "助詞-格助詞"),
        ("50", "NUM", "名詞-数詞"),
        ("曲", "NOUN", "名詞-普通名詞-一般"),
        ("を", "ADP", "助詞-格助詞"),
        ("利用", "VERB", "名詞-普通名詞-サ変可能"),
        ("為る", "AUX", "動詞-非自立可能-サ行変格"),
        ("て", "SCONJ", "助詞-接続助詞"),
        ("居る", "VERB", "動詞-非自立可能-上一段-ア行"),
        ("た", "AUX", "助動詞-助動詞-タ"),
        ("。", "PUNCT", "補助記号-句点"),
    ]
    assert [lemma for lemma, _, _ in tag("ja", "ソング が 見つけられ")] == ["ソング", "が", "見つけられる"]
    assert tag("ja", "https://a.jp/x ・ 😀") == [
        ("https://a.jp/x", "SYM", ""),
        ("・", "SYM", "補助記号-一般"),
        ("😀", "SYM", "補助記号-一般"),
    ]


def test_japanese_where_the_extra_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("fugashi", "unidic_lite"):
        monkeypatch.setitem(sys.modules, name, None)
    table._load.cache_clear()
    assert spec_for("ja") == "own"
    with pytest.raises(UsageError, match=r"unidic is not installed; run `pip install 'gristmill\[segment\]'`"):
        check_choices(["ja=unidic"])
    table._load.cache_clear()


def test_words_of_scripts_without_case_are_left_as_they_are() -> None:
    assert tag("zh-Hant", "我 用 iPhone") == [("我", "X", ""), ("用", "X", ""), ("iPhone", "X", "")]
    assert tag("af", "Die iPhone", "af=forms")[1][0] == "iphone"
    assert tag("af", "Die iPhone")[1][:2] == ("iPhone", "PROPN")


@pytest.mark.parametrize(
    ("lang", "choice"),
    [(lang, "forms") for lang in ("und", "zh")]
    + [("fr", "simplemma"), ("de", "hanta"), ("ja", "")]
    + [(lang, "own") for lang in ("el", "en", "he", "ja")],
)
def test_hostile_words(lang: str, choice: str) -> None:
    tagger = tagger_for(lang, [f"{lang}={choice}"] if choice else [])[1]
    tagged = tagger.tag([[], HOSTILE, *([word] for word in HOSTILE), []])
    assert len(tagged.lemmas) == len(tagged.tags) == len(tagged.xpos) == 2 * len(HOSTILE)
    assert set(tagged.tags) <= UPOS
    assert all(tagged.lemmas)
    assert tagger.tag([]) == Tagged()


@pytest.mark.parametrize(("lang", "choice"), [("fr", "simplemma"), ("de", "hanta"), ("en", "own"), ("ja", "unidic")])
@settings(max_examples=25, deadline=None)
@given(sentences=st.lists(st.lists(st.text(min_size=1, max_size=8), max_size=5), max_size=4))
def test_sentences_do_not_depend_on_others(lang: str, choice: str, sentences: list[list[str]]) -> None:
    if lang == "ja":
        pytest.importorskip("unidic_lite", reason="needs the extra `segment`")
    tagger = tagger_for(lang, [f"{lang}={choice}"])[1]
    together = tagger.tag(sentences)
    alone = [tagger.tag([sentence]) for sentence in sentences]
    assert together.tags == [tag for tagged in alone for tag in tagged.tags]
    assert together.lemmas == [lemma for tagged in alone for lemma in tagged.lemmas]


GERMAN = """Die alten Häuser am Marktplatz wurden letztes Jahr von der Stadtverwaltung aufwendig saniert .
Wer hätte gedacht , dass das Kurzwellenradio noch einmal so beliebt wird ?
Umweltschützerinnen forderten gestern in Hamburg strengere Grenzwerte für Feinstaub .
Er las , sie schrieb ; beide aber schwiegen , als Frau Wüstenhagen zurückkam .""".splitlines()


@pytest.fixture(scope="module")
def by_itself() -> Any:
    return HanoverTagger("morphmodel_ger.pgz")


def test_hanta_as_it_is_by_itself(by_itself: Any) -> None:
    for line in GERMAN:
        assert german().tag([line.split()]).xpos == [own for _, _, own in by_itself.tag_sent(line.split())]


def test_the_morphology_as_it_is_in_hanta(by_itself: Any) -> None:
    ours = german()._model
    for word in sorted(
        {word for line in GERMAN for word in line.lower().split()} | {"a", "ab", "xyz", "kurzwellenradioempfängers"}
    ):
        expected = by_itself.analyze_forward(word)
        assert [own for own, _ in ours.analyze_forward(word)] == [own for own, _ in expected]
        assert [score for _, score in ours.analyze_forward(word)] == pytest.approx([score for _, score in expected])
        for own, _ in expected[:3]:
            assert ours._analyze(word, own) == by_itself._analyze(word, own)


def test_what_is_remembered_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = [line.split() for line in GERMAN]
    tagger = german()
    expected = tagger.tag(sentences)
    monkeypatch.setattr(tagger, "_word", lru_cache(maxsize=2)(hanta_tagger._new_word))
    assert tagger.tag(sentences * 2) == Tagged(expected.lemmas * 2, expected.tags * 2, expected.xpos * 2)


def german() -> hanta_tagger.HantaTagger:
    tagger = tagger_for("de", ["de=hanta"])[1]
    assert isinstance(tagger, hanta_tagger.HantaTagger)
    return tagger


def test_maps_have_universal_tags() -> None:
    for tags in (STTS, PENN, TREETAGGER_FRENCH, TREETAGGER_ITALIAN, TREETAGGER_SPANISH):
        assert set(tags.values()) <= UPOS
    assert {german()._model.int2tag[own] for own in german()._classes} <= set(STTS)


CONLLU = [
    [
        ("Der", "der", "DET", "ART"),
        ("Hund", "Hund", "NOUN", "NN"),
        ("bellt", "bellen", "VERB", "VVFIN"),
        (".", ".", "PUNCT", "$."),
    ],
    [
        ("Die", "der", "DET", "ART"),
        ("Katze", "Katze", "NOUN", "NN"),
        ("schläft", "schlafen", "VERB", "VVFIN"),
        (".", ".", "PUNCT", "$."),
    ],
    [
        ("Ein", "ein", "DET", "ART"),
        ("Kind", "Kind", "NOUN", "NN"),
        ("lacht", "lachen", "VERB", "VVFIN"),
        ("!", "!", "PUNCT", "$."),
    ],
]


FEATS = {"Hund": "Gender=Masc", "Katze": "Case=Nom|Gender=Fem"}


@pytest.fixture(scope="module")
def udpipe_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    udpipe = pytest.importorskip("ufal.udpipe")
    sentences = udpipe.Sentences()
    for words in CONLLU * 4:
        sentence = udpipe.Sentence()
        for form, lemma, upos, xpos in words:
            word = sentence.addWord(form)
            word.feats = FEATS.get(form, "")
            word.lemma, word.upostag, word.xpostag = lemma, upos, xpos
        sentences.append(sentence)
    nothing, none = udpipe.Trainer.NONE, udpipe.Sentences()
    trained = udpipe.Trainer.train(
        "morphodita_parsito", sentences, none, nothing, "iterations=3", nothing, udpipe.ProcessingError()
    )
    path = tmp_path_factory.mktemp("udpipe") / "german.udpipe"
    path.write_bytes(trained)
    return path


def test_udpipe(udpipe_model: Path) -> None:
    choices = [f"de=udpipe:model={udpipe_model}"]
    check_choices(choices)
    assert tagger_for("de", choices)[0] == choices[0].removeprefix("de=")
    assert tag("de", "Die Katze bellt !", *choices) == [
        ("der", "DET", "ART"),
        ("Katze", "NOUN", "NN"),
        ("bellen", "VERB", "VVFIN"),
        ("!", "PUNCT", "$."),
    ]
    assert tagger_for("de", choices)[1].tag([["Die", "Katze"], ["Hund"]]).feats == ["", *reversed(FEATS.values())]
    tagged = tagger_for("de", choices)[1].tag([HOSTILE, [], ["Der"] * 2500])
    assert len(tagged.lemmas) == len(HOSTILE) + 2500
    assert set(tagged.tags) <= UPOS


def test_spacy(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    pipeline = spacy.blank("de")
    ruler = pipeline.add_pipe("attribute_ruler")
    ruler.add([[{"LOWER": "hunde"}]], {"TAG": "NN", "POS": "NOUN", "LEMMA": "Hund", "MORPH": "Number=Plur"})
    ruler.add([[{"ORTH": "_"}]], {"POS": "SPACE"})
    pipeline.add_pipe("sentencizer")
    pipeline.to_disk(tmp_path / "pipeline")
    choice = f"spacy:model={tmp_path / 'pipeline'}"
    assert tag("de", "Hunde bellen , _ 12", choice) == [
        ("Hund", "NOUN", "NN"),
        ("bellen", "X", ""),
        (",", "PUNCT", ""),
        ("_", "X", ""),
        ("12", "NUM", ""),
    ]
    assert tagger_for("de", [choice])[1].tag([["Hunde", "bellen"]]).feats == ["Number=Plur", ""]
    assert len(tagger_for("de", [choice])[1].tag([HOSTILE, [], ["Hunde"] * 2500]).tags) == len(HOSTILE) + 2500
    with pytest.raises(UsageError, match=r"spaCy can't load 'no_such_pipeline' .*python -m spacy download"):
        check_choices(["spacy:model=no_such_pipeline"])
    with pytest.raises(UsageError, match="spacy needs a pipeline"):
        check_choices(["spacy"])


STAND_IN = r"""#!{python}
import sys
assert sys.argv[1:4] == ["-token", "-lemma", "-quiet"], sys.argv
if sys.argv[4].endswith("broken.par"):
    sys.exit("ERROR: this is no parameter file")
known = {{"Hunde": "NN\tHund", "bellen": "VVFIN\tbellen", "die": "ART\tdie|der", ".": "$.\t."}}
for line in sys.stdin.buffer:
    word = line.decode().removesuffix("\n")
    assert word and not set(word) & set("\t\r "), word
    print(word, known.get(word, "NE\t<unknown>"), sep="\t")
"""


@pytest.fixture
def treetagger(tmp_path: Path) -> Path:
    """A folder with a program that speaks as TreeTagger does."""
    program = tmp_path / "bin" / "tree-tagger"
    program.parent.mkdir()
    program.write_text(STAND_IN.format(python=sys.executable))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "lib").mkdir()
    for name in ("german.par", "broken.par"):
        (tmp_path / "lib" / name).write_text("")
    return tmp_path


def test_treetagger(treetagger: Path) -> None:
    choice = f"treetagger:path={treetagger}"
    check_choices([choice])
    assert (tagger_for("de", [choice])[0], tagger_for("fr", [choice])[0]) == (
        choice,
        "own",
    )  # there are no French parameters
    assert tag("de", "die Hunde bellen . Xyz 12 €", choice) == [
        ("die", "DET", "ART"),
        ("Hund", "NOUN", "NN"),
        ("bellen", "VERB", "VVFIN"),
        (".", "PUNCT", "$."),
        ("Xyz", "PROPN", "NE"),
        ("12", "NUM", "NE"),
        ("€", "SYM", "NE"),
    ]
    tagger = tagger_for("de", [choice])[1]
    tagged = tagger.tag([HOSTILE, [], ["Hunde"]])
    assert tagged.lemmas == [*HOSTILE, "Hund"]
    assert tagger.tag([]) == Tagged()
    assert set(tag("cs", "Hunde", f"{choice},model=german.par")) == {
        ("Hund", "X", "NN")
    }  # of a tag set that is not known


def test_treetagger_fails(treetagger: Path) -> None:
    with pytest.raises(GristmillError, match="TreeTagger failed: ERROR: this is no parameter file"):
        tag("de", "Hunde", f"treetagger:path={treetagger},model=broken.par")
    with pytest.raises(UsageError, match=r"there is no parameter file czech\.par"):
        check_choices([f"treetagger:path={treetagger},model=czech.par"])


RFT_STAND_IN = r"""#!{python}
import sys
assert sys.argv[1:3] == ["-q", "-s"], sys.argv
if sys.argv[3].endswith("broken.par"):
    sys.exit("ERROR: this is no parameter file")
known = {{"Hunde": "N.Reg.Nom.Pl.Masc", "bellen": "VFIN.Full.3.Pl.Pres.Ind", "die": "ART.Def.Nom.Pl.Masc"}}
for line in sys.stdin.buffer:
    word = line.decode().removesuffix("\n")
    assert not set(word) & set("\t\r "), word
    print(word + "\t" + known.get(word, "N.Name.Nom.Sg.*") if word else "")
"""


@pytest.fixture
def rftagger(tmp_path: Path) -> Path:
    """A folder with a program that speaks as RFTagger does."""
    folder = tmp_path / "RF+Tagger"
    program = folder / "bin" / "rft-annotate"
    program.parent.mkdir(parents=True)
    program.write_text(RFT_STAND_IN.format(python=sys.executable))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (folder / "lib").mkdir()
    for name in ("german.par", "broken.par"):
        (folder / "lib" / name).write_text("")
    return folder


def test_rftagger(rftagger: Path) -> None:
    choice = f"de=rftagger:path={rftagger}"
    check_choices([choice])
    assert tag("de", "die Hunde bellen Xyz .", choice) == [
        ("die", "DET", "ART.Def.Nom.Pl.Masc"),
        ("Hunde", "NOUN", "N.Reg.Nom.Pl.Masc"),
        ("bellen", "VERB", "VFIN.Full.3.Pl.Pres.Ind"),
        ("Xyz", "PROPN", "N.Name.Nom.Sg.*"),
        (".", "PUNCT", "N.Name.Nom.Sg.*"),
    ]
    tagger = tagger_for("de", [choice])[1]
    assert tagger.tag([["Hunde", "bellen"], [], ["."]]).feats == [
        "Case=Nom|Gender=Masc|Number=Plur",
        "Mood=Ind|Number=Plur|Person=3|Tense=Pres|VerbForm=Fin",
        "",
    ]
    assert tagger.tag([HOSTILE, ["Hunde"]]).lemmas == [*HOSTILE, "Hunde"]
    assert tagger.tag([[]]) == Tagged()
    with pytest.raises(GristmillError, match="RFTagger failed: ERROR: this is no parameter file"):
        tag("de", "Hunde", f"{choice},model=broken.par")
    with pytest.raises(UsageError, match=r"no bin/rft-annotate in .*; get it and a parameter file"):
        check_choices([f"de=rftagger:path={rftagger / 'bin'}"])


@pytest.mark.parametrize(
    ("own", "universal"),
    [
        ("N.Reg.Gen.Sg.Fem", ("NOUN", "Case=Gen|Gender=Fem|Number=Sing")),
        ("VFIN.Aux.3.Sg.Past.Subj", ("AUX", "Mood=Sub|Number=Sing|Person=3|Tense=Past|VerbForm=Fin")),
        ("VINF.Full.zu", ("VERB", "VerbForm=Inf")),
        ("PRO.Dem.Attr.-.Nom.Sg.Fem", ("DET", "Case=Nom|Gender=Fem|Number=Sing|PronType=Dem")),
        ("PRO.Indef.Subst.-.Nom.Pl.*", ("PRON", "Case=Nom|Number=Plur|PronType=Ind")),
        ("APPRART.Dat.Sg.Masc", ("ADP", "Case=Dat|Gender=Masc|Number=Sing")),
        ("CONJ.Comp.-", ("CCONJ", "")),
        ("CONJ.SubFin.-", ("SCONJ", "")),
        ("PART.Neg", ("PART", "Polarity=Neg")),
        ("SYM.Pun.Sent", ("PUNCT", "")),
        ("", ("X", "")),
    ],
)
def test_tags_of_rftagger(own: str, universal: tuple[str, str]) -> None:
    assert rftagger_tags.universal(own) == universal


def test_two_taggers_side_by_side(treetagger: Path, rftagger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    choice = f"de=treetagger:path={treetagger} + rftagger:path={rftagger}"
    check_choices([choice])
    tagged = tagger_for("de", [choice])[1].tag([["Hunde", "bellen"]])
    assert (tagged.lemmas, tagged.tags) == (["Hund", "bellen"], ["NOUN", "VERB"])
    assert tagged.xpos == ["N.Reg.Nom.Pl.Masc", "VFIN.Full.3.Pl.Pres.Ind"]
    assert tagged.feats[0] == "Case=Nom|Gender=Masc|Number=Plur"
    assert [item.what for item in named_by([choice])] == [
        str((folder / "bin" / name).resolve())
        for folder, name in ((treetagger, "tree-tagger"), (rftagger, "rft-annotate"))
    ]
    monkeypatch.chdir(treetagger)
    assert with_whole_paths([f"de=treetagger:path=.+rftagger:path={rftagger.name}"]) == (
        f"de=treetagger:path={treetagger}+rftagger:path={rftagger}",
    )
    with pytest.raises(UsageError, match="names 3 taggers; at most two work side by side"):
        check_choices(["forms+forms+forms"])
    with pytest.raises(UsageError, match="there is no tagger 'spacey'"):
        check_choices(["spacey+forms"])


DICTIONARY = """<dictionary><alphabet>abcdefghijklmnopqrstuvwxyzTNY</alphabet>
<sdefs><sdef n="n"/><sdef n="pl"/><sdef n="np"/><sdef n="det"/><sdef n="def"/><sdef n="sent"/><sdef n="adv"/>
<sdef n="vbmod"/><sdef n="vblex"/><sdef n="pri"/><sdef n="p3"/><sdef n="sg"/></sdefs>
<section id="main" type="standard">
<e><p><l>mills</l><r>mill<s n="n"/><s n="pl"/></r></p></e>
<e><p><l>mills</l><r>mill<s n="vblex"/><s n="pri"/><s n="p3"/><s n="sg"/></r></p></e>
<e><p><l>the</l><r>the<s n="det"/><s n="def"/></r></p></e>
<e><p><l>New<b/>York</l><r>New<b/>York<s n="np"/></r></p></e>
<e><p><l>cannot</l><r>can<s n="vbmod"/><j/>not<s n="adv"/></r></p></e>
</section>
<section id="final" type="inconditional"><e><p><l>.</l><r>.<s n="sent"/></r></p></e></section>
</dictionary>"""


@pytest.fixture
def apertium(tmp_path: Path) -> Path:
    """A folder with a small language of Apertium, compiled by its own programs."""
    if not (shutil.which("apertium") and shutil.which("lt-comp")):
        pytest.skip("Apertium (apertium and lttoolbox-dev of Debian) is not installed")
    (tmp_path / "modes").mkdir()
    (tmp_path / "xyz.dix").write_text(DICTIONARY)
    compiled = tmp_path / "xyz.bin"
    program = shutil.which("lt-comp") or ""
    subprocess.run([program, "lr", tmp_path / "xyz.dix", compiled], check=True, capture_output=True)
    (tmp_path / "modes" / "xyz-morph.mode").write_text(f"lt-proc '{compiled}'")
    (tmp_path / "modes" / "xyz-tagger.mode").write_text(
        f"lt-proc '{compiled}' | sed -E 's,\\^[^/$]*/([^/$]*)[^$]*\\$,^\\1$,g'"
    )
    return tmp_path


@pytest.mark.parametrize("mode", ["xyz-morph", "xyz-tagger"])
def test_apertium(apertium: Path, mode: str) -> None:
    choice = f"en=apertium:path={apertium},mode={mode}"
    check_choices([choice])
    assert tag("en", "The mills cannot foo-mills 12.5 New York .", choice) == [
        ("the", "DET", "det.def"),
        ("mill", "NOUN", "n.pl"),
        ("can", "AUX", "vbmod+adv"),
        ("foo-mills", "NOUN", "n.pl"),
        ("12.5", "NUM", ""),
        ("New", "X", ""),
        ("York", "X", ""),
        (".", "PUNCT", "sent"),
    ]
    tagger = tagger_for("en", [choice])[1]
    assert tagger.tag([["the", "mills"], [], ["mills"]]).feats == ["Definite=Def", "Number=Plur", "Number=Plur"]
    marks = ["a[b]", "^mills$", "a\\b", "[2]", "mills/x", "{x}", "<n>", "@mills"]
    assert tagger.tag([[*HOSTILE, *marks], ["mills"]]).lemmas == [*HOSTILE, *marks, "mill"]
    with pytest.raises(UsageError, match="Apertium can't run 'abc-tagger'"):
        check_choices([f"en=apertium:path={apertium},mode=abc-tagger"])
    with pytest.raises(UsageError, match="needs a mode"):
        check_choices(["en=apertium"])


def test_what_apertium_is_asked_to_run(apertium: Path) -> None:
    assert [item.what for item in named_by([f"apertium:path={apertium},mode=xyz-tagger"])] == [
        os.path.realpath(shutil.which("apertium") or ""),
        str(apertium.resolve()),
    ]


@pytest.mark.parametrize(
    ("own", "universal"),
    [
        ("n.px3sp.acc", ("NOUN", "Case=Acc|Person[psor]=3")),
        ("vblex.pii.p1.pl", ("VERB", "Mood=Ind|Number=Plur|Person=1|Tense=Imp|VerbForm=Fin")),
        ("num.ord", ("ADJ", "NumType=Ord")),
        ("cm", ("PUNCT", "")),
        ("", ("X", "")),
    ],
)
def test_tags_of_apertium(own: str, universal: tuple[str, str]) -> None:
    assert apertium_tags.universal(own.split(".")) == universal


def test_stanza(tmp_path: Path) -> None:
    pytest.importorskip("stanza", reason="Stanza is not installed")
    rows = [
        "".join(
            f"{number}\t{form}\t{lemma}\t{upos}\t{xpos}\t{FEATS.get(form, '_')}\t{number - 1}\tdep\t_\t_\n"
            for number, (form, lemma, upos, xpos) in enumerate(words, 1)
        )
        for words in CONLLU * 14
    ]
    (tmp_path / "train.conllu").write_text("\n".join([*rows, ""]))
    given = ["--train_file", "train.conllu", "--eval_file", "train.conllu", "--shorthand", "de_own", "--cpu"]
    small = [
        "--no_pretrain",
        "--max_steps",
        "80",
        "--eval_interval",
        "40",
        "--hidden_dim",
        "32",
        "--lang",
        "de",
        "--lr",
        "0.01",
    ]
    for name, kind, more in (("tagger", "pos", small), ("lemmatizer", "lemma", ["--dict_only", "--num_epoch", "1"])):
        to = ["--save_dir", f"models/de/{kind}", "--save_name", "own.pt"]
        command = [sys.executable, "-m", f"stanza.models.{name}", *given, *more, *to]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    kinds = ("tokenize", "pos", "lemma")
    about = {kind: {"own": {"md5": ""}} for kind in kinds}
    packages = {"packages": {"default": dict.fromkeys(kinds, "own")}, "default_dependencies": {}}
    (tmp_path / "models" / "resources.json").write_text(json.dumps({"de": about | packages}))
    choice = f"de=stanza:path={tmp_path / 'models'}"
    check_choices([choice])
    assert tag("de", "Die Katze bellt .", choice) == [
        ("der", "DET", "ART"),
        ("Katze", "NOUN", "NN"),
        ("bellen", "VERB", "VVFIN"),
        (".", "PUNCT", "$."),
    ]
    tagger = tagger_for("de", [choice])[1]
    assert tagger.tag([["Die", "Katze"], [], ["Der", "Hund"]]).feats[1::2] == [FEATS["Katze"], FEATS["Hund"]]
    assert len(tagger.tag([HOSTILE, [], ["Der"] * 2500]).lemmas) == len(HOSTILE) + 2500
    assert tagger.tag([]) == Tagged()
    with pytest.raises(UsageError, match=r"Stanza can't load models of 'cs' .*stanza\.download"):
        check_choices([f"cs=stanza:path={tmp_path / 'models'}"])


def test_long_sentences_are_cut() -> None:
    pieces = list(outside.split_long([["a"] * 2500, [], ["b"]]))
    assert [len(piece) for piece in pieces] == [1000, 1000, 500, 1]


def test_the_tagger_of_unknown_languages_is_there() -> None:
    assert table.UNKNOWN in TAGGERS
