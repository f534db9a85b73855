"""Collation: words in the order of dictionaries, for many languages; and what is sorted by it."""

from __future__ import annotations

import itertools
import random

import pytest
from command import run
from hypothesis import given
from hypothesis import strategies as st

import gristmill
from gristmill.errors import UsageError
from gristmill.search.collating import language_searched, sorted_places
from gristmill.text.alphabets import alphabet_of, languages
from gristmill.text.collation import Collator, collation_name, collator_of

ORDERS = {
    "und": "(a) ... 2 20 3 a ae æ af ahle Ähre cote coté côte côté ď dz đz ezra ore øre ß st u über uf ÿ z",
    "ar": "أب باب تاج ثلج جبل",
    "az": "cay çay dar el ər hal xal kor qor su şu üz wz",
    "be": "ем ёлка жук ус ўсё",
    "br": "cn chach c’hoar da",
    "cs": "cena čas dům hora chata ihned rok řeka sud šaty zub žena",
    "cy": "cwm chwech dwr dy ddoe ffa gam ngam lan lo llan pen phen to thus",
    "da": "apfel zebra Æble Ægir ørn Østen Ål Aalborg",
    "de": "Ahle ähnlich Ast Öde oder öffnen Straße Strauß über Ufer",
    "de-phonebook": "Ad Ähre Af Ode Öffnung Of",
    "dsb": "ca ča ća ha cha ka ła la",
    "el": "άλφα βήτα Γάμμα δέλτα ωμέγα alpha",
    "eo": "cent ĉar dek ge ĝi ujo ŭa",
    "es": "nube nylon ñu oca",
    "es-traditional": "cuz chal da luz llama",
    "et": "sokk šokk zoo žanr tee vesi õun ämm öö ülo xa",
    "fi": "yö zeta åbo äiti öljy",
    "fo": "zz æða øl ål",
    "haw": "ala ela ila ola ula hala kala wala ʻala",
    "he": "אב בית גן תל",
    "hr": "cz čas ćup dz džep đak lz ljeto nz njiva sz šum zz žena",
    "hsb": "ca ča ća ha cha ka ła la",
    "hu": "cukor csak dz dzs gz gyár lz lyuk oz öröm sz szzs tz tyúk uz üröm zz zseb",
    "is": "az á b dz ð e é ö å",
    "ja": "ab あい カー かい がか きく",
    "ka": "აბ ბა გა",
    "kk": "ез ёа кз қа нз ңа уз ұа үа фа ыз іа",
    "ko": "가나 각 나 다",
    "ku": "cz ça ez êa sz şa",
    "lt": "cz čia ia ya iz sz šia zz žia",
    "lv": "cz čia iz ya kz ķia lz ļia sz šia zz žia",
    "mk": "дз ѓа ез тз ќа уз",
    "mt": "ba ċa ca fa ġa ga għa ha ħa ia ża za",
    "nb": "zz ærlig ørn år Aas",
    "pl": "az ą b cz ćma ez ęa lz łaz nz ńa oz óa sz śa zz źa żaba",
    "ro": "az ăa âa b iz îa sz șa tz ța",
    "ru": "еж ёж ель жук й як apple",
    "sk": "az äa cz čas hz chata oz ôa sz šaty",
    "sl": "cz čas dz sz šum zz žena",
    "sq": "cz ça dz dhe ez ëa gz gjak",
    "sr": "дз ђак ез лз љуб нз њива тз ћуп чз џеп",
    "sv": "ved wz yz zebra ål ärta öl",
    "th": "กา เก แก ขา",
    "tr": "cam çay gz ğa hz ılık ısı Işık iğne ihtiyar İzmir oz öz sz şu uz üz",
    "uk": "гз ґа ез єва из іва їжак йод як",
    "ur": "اب آب بت پل ٹن چل ہم ھم یہ ے",
    "uz": "zar oʻra gʻoz shar choy",
    "vi": "az ă â b dz đa ez ê ma mà mả mã má mạ oz ô ơ uz ư",
    "yo": "ez ẹa gz gba oz ọa sz ṣa",
}
"""Words in the order of each language, by its dictionaries; compared with that of ICU 78."""


@pytest.mark.parametrize("language", ORDERS)
def test_words_are_in_the_order_of_dictionaries(language: str) -> None:
    words = ORDERS[language].split()
    shuffled = random.Random(7).sample(words, len(words))
    assert sorted(shuffled, key=collator_of(language).key) == words


def test_letters_then_accents_then_case() -> None:
    every = collator_of("und")
    assert every.key("Résumé") == every.key("résumé") == every.key("re\u0301sume\u0301")
    words = ["resume", "Resume", "resumé", "résumé", "Résumé", "resumes"]
    assert sorted(words, key=every.key_with_case) == words
    assert sorted(words, key=collator_of("da").key_with_case)[:2] == ["Resume", "resume"]
    assert [words[at] for at in sorted_places(words, every)] == words
    assert sorted(["Bach", "bacd", "baci"], key=collator_of("cs").key_backwards) == ["bacd", "Bach", "baci"]


@given(st.text(max_size=12), st.sampled_from(["und", *languages()]))
def test_every_text_has_a_key(text: str, language: str) -> None:
    collator = collator_of(language)
    assert (collator.key(text) == "") <= (not any(map(str.isalnum, text)))
    assert collator.key_with_case(text).endswith("\0" + text)
    assert isinstance(collator.key_backwards(text), str)


def test_rules_are_whole() -> None:
    for language in languages():
        letters = list(itertools.chain(*alphabet_of(language).following.values()))
        assert len(set(letters)) == len(letters), language
        collator = Collator(language)
        keys = [collator.key(letter) for letter in letters]
        assert len(set(keys)) == len(keys), language


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("sv", "sv"),
        ("SV_FI", "sv"),
        ("sr-Latn-RS", "sr-Latn"),
        ("en", "und"),
        ("CodePoints", "codepoints"),
    ],
)
def test_collations_by_name(asked: str, known: str) -> None:
    assert collation_name(asked) == known


@pytest.mark.parametrize("asked", ["swedish!", "", "s", "de phonebook"])
def test_no_collations(asked: str) -> None:
    with pytest.raises(UsageError, match="is no language to sort by"):
        collation_name(asked)


def test_what_is_found_is_in_the_order_of_its_language(indexed: gristmill.Corpus) -> None:
    czech = 'lang="cs"'
    assert language_searched(indexed.index) == "und"  # of the sample, no language is the half
    assert language_searched(indexed.index, indexed.subcorpus(czech)) == "cs"
    words = [row.value for row in indexed.wordlist(where=czech, order="value", limit=0).rows]
    assert words == sorted(words, key=collator_of("cs").key_with_case)
    assert words != [row.value for row in indexed.wordlist(where=czech, order="value", collation="und", limit=0).rows]
    points = [row.value for row in indexed.wordlist(where=czech, order="value", collation="codepoints", limit=0).rows]
    assert points == sorted(words)
    found = indexed.search("[]", where=czech)
    for collation, key in (("cs", collator_of("cs").key), ("und", collator_of("und").key), ("codepoints", str)):
        nodes = [line.node for line in found.sort("node", collation)]
        assert nodes == sorted(nodes, key=key)
    assert [line.position for line in found.sort("node")] == [line.position for line in found.sort("node", "cs")]


def test_the_commands_sort_by_a_language(indexed: gristmill.Corpus) -> None:
    ran = run("search", indexed.folder, "[]", "--where", 'lang="cs"', "--sort", "node", "--collation", "de", "--csv")
    rows = [line.split(",") for line in ran.stdout.decode().splitlines()[1:]]
    assert len(rows) == 20
    ran = run("wordlist", indexed.folder, "--order", "value", "--collation", "cs", "--matching", "(?i)c.*|č.*", "--csv")
    words = [line.split(",")[0] for line in ran.stdout.decode().splitlines()[1:]]
    assert words == sorted(words, key=collator_of("cs").key_with_case)
    for wrong in (["search", "the", "--collation", "cs"], ["wordlist", "--collation", "cs"]):
        ran = run(wrong[0], indexed.folder, *wrong[1:])
        assert ran.returncode == 2
        assert b"collation" in ran.stderr
    ran = run("search", indexed.folder, "the", "--sort", "node", "--collation", "sw edish")
    assert b"is no language to sort by" in ran.stderr
