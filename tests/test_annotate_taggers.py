"""Taggers: lemmas and tags by one protocol, the table of languages, hostile words, adapters with models made here."""

from __future__ import annotations

import stat
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
from gristmill.annotation.tagger import LANGUAGES, TAGGERS, Tagged, check_choices, spec_for, tagger_for
from gristmill.annotation.taggers import english, hanta, outside
from gristmill.annotation.taggers.forms import tag_by_characters
from gristmill.annotation.universal import (
    C5,
    PENN,
    STTS,
    TREETAGGER_FRENCH,
    TREETAGGER_ITALIAN,
    TREETAGGER_SPANISH,
    dutch,
    open_corpora,
)
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


def test_the_table() -> None:
    assert {code for code, spec in LANGUAGES.items() if spec == "simplemma"} <= SUPPORTED_LANGUAGES
    assert set(LANGUAGES) >= SUPPORTED_LANGUAGES
    assert (spec_for("de-AT"), spec_for("sr_RS"), spec_for("zh")) == ("hanta", "simplemma:dictionary=hbs", "forms")


def test_choices() -> None:
    assert spec_for("de", ["forms", "de=simplemma"]) == "simplemma"
    assert spec_for("de", ["de=simplemma", "forms"]) == "simplemma"
    assert spec_for("fr", ["de=simplemma", "forms"]) == "forms"
    assert spec_for("zh", ["simplemma"]) == "forms"  # which has no Chinese
    assert spec_for("de", ["de=forms", "de=simplemma"]) == "simplemma"
    assert tagger_for("fr", ["fr=simplemma"])[1] is tagger_for("fr")[1]
    check_choices(["fr=simplemma", "forms"])


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ("simpelmma", "there is no tagger 'simpelmma'; did you mean 'simplemma'"),
        ("de=", "names no tagger"),
        (":model=x", "names no tagger"),
        ("qq=forms", "'qq' is not a language code"),
        ("forms:x=1", "the tagger 'forms' has no parameter 'x'"),
        ("fr=hanta", "hanta knows de, en, nl, not fr"),
        ("de=pymorphy", "pymorphy knows ru and uk, not de"),
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
    ("lang", "text", "lemmas"),
    [
        ("fr", "Les chevaux mangeaient 12 pommes , voilà .", "le cheval manger 12 pomme , voilà ."),
        ("cs", "Psi štěkali na Prahu", "pes štěkat na Praha"),
        ("hr", "Knjige su na stolu", "knjiga biti na stol"),
    ],
)
def test_simplemma(lang: str, text: str, lemmas: str) -> None:
    assert [lemma for lemma, _, _ in tag(lang, text)] == lemmas.split()
    assert {universal for _, universal, _ in tag(lang, text)} <= {"X", "NUM", "PUNCT"}


def test_german() -> None:
    found = tag("de", "Die „ Häuser “ waren 2012 wirklich sehr schön – am 3. Mai kam Anna !")
    assert [
        lemma for lemma, _, _ in found
    ] == "der „ Haus “ sein 2012 wirklich sehr schön – am 3. Mai kommen Anna !".split()
    assert [universal for _, universal, _ in found] == (
        "DET PUNCT NOUN PUNCT AUX NUM ADV ADV ADJ PUNCT ADP ADJ NOUN VERB PROPN PUNCT".split()
    )
    assert found[2] == ("Haus", "NOUN", "NN")


def test_english() -> None:
    text = "I have a dog that does not bark , and I have never seen this before in Baker Street ."
    found = tag("en", text)
    tags = dict(zip(text.split(), [universal for _, universal, _ in found], strict=True))
    assert [found[1][:2], found[11][:2]] == [("have", "VERB"), ("have", "AUX")]
    assert (tags["does"], tags["bark"], tags["seen"], tags["this"], tags["Street"]) == (
        "AUX",
        "VERB",
        "VERB",
        "PRON",
        "PROPN",
    )
    assert ("Street", "PROPN", "NN1") in found
    assert tag("en", "children were n't theirs")[:3] == [
        ("child", "NOUN", "NN2"),
        ("be", "AUX", "VBD"),
        ("not", "PART", "XX0"),
    ]


def test_titles_are_not_names() -> None:
    words, tags = "How To Bake A Cake With Rice Flour".split(), "AVQ TO0 VVI AT0 NN1 PRP NN1 NN1".split()
    assert english.corrections(words, tags) == []
    assert english.corrections("we bake at the Mill".split(), "PNP VVB PRP AT0 NN1".split()) == [(4, "PROPN")]


def test_dutch() -> None:
    found = tag("nl", "De kinderen hebben gisteren drie mooie boeken gelezen .")
    assert [lemma for lemma, _, _ in found] == "de kind hebben gisteren drie mooi boek lezen .".split()
    assert [universal for _, universal, _ in found] == "DET NOUN AUX ADV NUM ADJ NOUN VERB PUNCT".split()


def test_russian_and_ukrainian() -> None:
    found = tag("ru", "Мы были в Москве и видели это , его книги и 12 домов )))")
    assert [lemma for lemma, _, _ in found] == "мы быть в Москва и видеть это , его книга и 12 дом )))".split()
    assert [universal for _, universal, _ in found] == (
        "PRON AUX ADP PROPN CCONJ VERB PRON PUNCT DET NOUN CCONJ NUM NOUN SYM".split()
    )
    assert tag("uk", "книги читали , що було")[:4] == [
        ("книга", "NOUN", "NOUN,inan femn,gent"),
        ("читати", "VERB", "VERB,impf plur,past"),
        (",", "PUNCT", ""),
        ("що", "SCONJ", "CONJ,subord"),
    ]


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
    assert spec_for("ja") == "forms"
    with pytest.raises(UsageError, match=r"unidic is not installed; run `pip install 'gristmill\[segment\]'`"):
        check_choices(["ja=unidic"])
    table._load.cache_clear()


def test_words_of_scripts_without_case_are_left_as_they_are() -> None:
    assert tag("zh-Hant", "我 用 iPhone") == [("我", "X", ""), ("用", "X", ""), ("iPhone", "X", "")]
    assert tag("af", "Die iPhone")[1][0] == "iphone"


@pytest.mark.parametrize("lang", ["und", "zh", "fr", "de", "en", "ru", "uk", "ja"])
def test_hostile_words(lang: str) -> None:
    tagger = tagger_for(lang)[1]
    tagged = tagger.tag([[], HOSTILE, *([word] for word in HOSTILE), []])
    assert len(tagged.lemmas) == len(tagged.tags) == len(tagged.xpos) == 2 * len(HOSTILE)
    assert set(tagged.tags) <= UPOS
    assert all(tagged.lemmas)
    assert tagger.tag([]) == Tagged()


@pytest.mark.parametrize("lang", ["fr", "de", "en", "ru", "ja"])
@settings(max_examples=25, deadline=None)
@given(sentences=st.lists(st.lists(st.text(min_size=1, max_size=8), max_size=5), max_size=4))
def test_sentences_do_not_depend_on_others(lang: str, sentences: list[list[str]]) -> None:
    tagger = tagger_for(lang)[1]
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
        assert tagger_for("de")[1].tag([line.split()]).xpos == [own for _, _, own in by_itself.tag_sent(line.split())]


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
    monkeypatch.setattr(tagger, "_word", lru_cache(maxsize=2)(hanta._new_word))
    assert tagger.tag(sentences * 2) == Tagged(expected.lemmas * 2, expected.tags * 2, expected.xpos * 2)


def german() -> hanta.HantaTagger:
    tagger = tagger_for("de")[1]
    assert isinstance(tagger, hanta.HantaTagger)
    return tagger


def test_maps_have_universal_tags() -> None:
    for tags in (STTS, C5, PENN, TREETAGGER_FRENCH, TREETAGGER_ITALIAN, TREETAGGER_SPANISH):
        assert set(tags.values()) <= UPOS
    assert {german()._model.int2tag[own] for own in german()._classes} <= set(STTS)
    assert (dutch("VNW(aanw,det,stan,prenom,zonder,evon)", "", ""), dutch("WW(pv,tgw,ev)", "is", "zijn")) == (
        "DET",
        "AUX",
    )
    assert (dutch("N(eigen,ev,basis,zijd,stan)", "", ""), dutch("SPEC(meta)", "", "")) == ("PROPN", "X")
    assert open_corpora(frozenset(("NOUN", "Geox")), "москва", "москва") == "NOUN"
    assert open_corpora(frozenset(("ADJF", "Apro")), "этот", "этот") == "DET"


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


@pytest.fixture(scope="module")
def udpipe_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    udpipe = pytest.importorskip("ufal.udpipe")
    sentences = udpipe.Sentences()
    for words in CONLLU * 4:
        sentence = udpipe.Sentence()
        for form, lemma, upos, xpos in words:
            word = sentence.addWord(form)
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
    tagged = tagger_for("de", choices)[1].tag([HOSTILE, [], ["Der"] * 2500])
    assert len(tagged.lemmas) == len(HOSTILE) + 2500
    assert set(tagged.tags) <= UPOS


def test_spacy(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    pipeline = spacy.blank("de")
    ruler = pipeline.add_pipe("attribute_ruler")
    ruler.add([[{"LOWER": "hunde"}]], {"TAG": "NN", "POS": "NOUN", "LEMMA": "Hund"})
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
        "simplemma",
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


def test_long_sentences_are_cut() -> None:
    pieces = list(outside.split_long([["a"] * 2500, [], ["b"]]))
    assert [len(piece) for piece in pieces] == [1000, 1000, 500, 1]


def test_all_are_filed() -> None:
    assert [*TAGGERS] == ["forms", "simplemma", "hanta", "pymorphy", "spacy", "treetagger", "udpipe", "unidic"]
    assert table.UNKNOWN in TAGGERS
