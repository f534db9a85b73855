"""Regular expressions: right in every script, as an independent matcher has it, and errors for what can't be had."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gristmill.condition import Condition, matching
from gristmill.condition.regex import RegexError, compile_pattern, fold_text, fold_values
from gristmill.condition.regex.characters import variants
from gristmill.condition.values import regex_problem
from gristmill.errors import UsageError
from gristmill.search.index.lexicon import Lexicon

CATEGORY = unicodedata.category
ASSIGNED = [one for one in map(chr, range(sys.maxunicode + 1)) if CATEGORY(one) not in {"Cn", "Cs", "Co"}]


def lexicon(*values: str) -> Lexicon:
    return Lexicon.of(pa.array(sorted(set(values), key=str.encode), pa.string()))


def found(values: Lexicon, regex: str, ignore_case: bool = False, ignore_diacritics: bool = False) -> list[str]:
    return values.strings(values.matching(regex, ignore_case, ignore_diacritics))


# ------------------------------------------------------------------------------------------------ classes of characters


def _is_word(character: str) -> bool:
    return CATEGORY(character)[0] in "LMN" or CATEGORY(character) == "Pc" or character in "\u200c\u200d"


def _is_space(character: str) -> bool:
    return CATEGORY(character)[0] == "Z" or character in "\t\n\v\f\r\x85"


@pytest.mark.parametrize(
    ("regex", "opposite", "holds"),
    [
        (r"\w", r"\W", _is_word),
        (r"\d", r"\D", lambda one: CATEGORY(one) == "Nd"),
        (r"\s", r"\S", _is_space),
        (r"\h", r"\H", lambda one: CATEGORY(one) == "Zs" or one == "\t"),
        (r"\v", r"\V", lambda one: one in "\n\v\f\r\x85\u2028\u2029"),
        ("[[:alpha:]]", "[[:^alpha:]]", lambda one: CATEGORY(one)[0] in "LM"),
        ("[[:alnum:]]", "[^[:alnum:]]", lambda one: CATEGORY(one)[0] in "LMN"),
        ("[[:word:]]", r"[\W]", _is_word),
        ("[[:digit:]]", r"[^\d]", lambda one: CATEGORY(one) == "Nd"),
        ("[[:upper:]]", "[[:^upper:]]", lambda one: CATEGORY(one) == "Lu"),
        ("[[:lower:]]", r"\P{Ll}", lambda one: CATEGORY(one) == "Ll"),
        ("[[:space:]]", "[[:^space:]]", _is_space),
        ("[[:punct:]]", "[[:^punct:]]", lambda one: CATEGORY(one)[0] == "P" or one in "$+<=>^`|~"),
        ("[[:cntrl:]]", r"\p{^Cc}", lambda one: CATEGORY(one) == "Cc"),
        (r"[^\W\d_]", r"[\W\d_]", lambda one: _is_word(one) and CATEGORY(one) != "Nd" and one != "_"),
        (r"\p{L&}", r"\P{L&}", lambda one: CATEGORY(one) in {"Lu", "Ll", "Lt"}),
        (r"\p{letter}", r"[\PL]", lambda one: CATEGORY(one)[0] == "L"),
        (r"\p{Uppercase_Letter}", r"[^\p{lu}]", lambda one: CATEGORY(one) == "Lu"),
        (r"\pN", r"\PN", lambda one: CATEGORY(one)[0] == "N"),
    ],
)
def test_classes_are_those_of_unicode(regex: str, opposite: str, holds: Callable[[str], bool]) -> None:
    """Of every character that Python knows too; RE2 may know of more."""
    values = pa.array(ASSIGNED)
    wanted = list(map(holds, ASSIGNED))
    assert matching(values, "=", regex).tolist() == wanted
    assert matching(values, "=", opposite).tolist() == [not one for one in wanted]


@pytest.mark.parametrize(
    "word",
    [
        "λόγος",
        "हिन्दी",
        "العَرَبِيَّة",
        "می‌خواهم",
        "ภาษาไทยน้ำ",
        "中文",
        "にほんご",
        "한국어",
        "ქართული",
        "ᎠᏂᏴᏫᏯᎢ",
        "don_t",
        "e\u0301",
    ],
)
def test_words_of_all_scripts_are_words(word: str) -> None:
    for regex in (r"\w+", r"[\w]+", r"\b\w+\b", r"[^\W]+", r"[^\s[:punct:]]+|.*_.*", r"\X+"):
        assert found(lexicon(word, f"{word}-", ""), regex)[0] == word, regex
    assert found(lexicon(word), r"\W*|\d+|.*\B") == []


def test_names_of_scripts_and_properties() -> None:
    values = lexicon("λόγος", "слово", "word", "語", "ⅷ")
    assert (
        found(values, r"\p{Greek}+") == found(values, r"\p{Script=greek}+") == found(values, r"\p{Grek}+") == ["λόγος"]
    )
    assert found(values, r"[\p{Cyrillic}\p{Han}]+") == ["слово", "語"]
    assert found(values, r"\p{Letter_Number}") == ["ⅷ"]
    assert found(values, r"\p{Cn}") == []


# -------------------------------------------------------------------------------------------------------- ignoring case


def test_ignoring_case_is_simple_case_folding_of_all_characters() -> None:
    """As Python's casefold has it, of single characters; expressions agree with the table of variants."""
    same = defaultdict(set)
    for character in ASSIGNED:
        same[character.casefold()].add(character)
    groups = [sorted(group) for group in same.values() if len(group) > 1]
    assert len(groups) > 1300
    for group in groups:
        assert all(variants(character) == set(group) for character in group)
    values = pa.array([f"{number} {one}" for number, group in enumerate(groups) for one in group])
    for side in (0, -1):
        options = "|".join(f"{number} {group[side]}" for number, group in enumerate(groups))
        assert matching(values, "=", options, ignore_case=True).all()
        others = "|".join(f"{number + 1} {group[side]}" for number, group in enumerate(groups))
        assert not matching(values, "=", others, ignore_case=True).any()


def test_letters_that_have_no_other_case_of_one_character() -> None:
    values = lexicon("Straße", "STRASSE", "STRAẞE", "İ", "i", "I", "ı", "ΟΔΟΣ", "οδος", "οδοσ", "Ა", "ა")
    assert found(values, "straße", ignore_case=True) == ["STRAẞE", "Straße"]
    assert found(values, "(?i)i") == ["I", "i"]
    assert found(values, "(?i)[İı]") == ["İ", "ı"]
    assert found(values, "(?i)οδο(?-i)ς") == ["οδος"]
    assert found(values, "ΟΔΟΣ", ignore_case=True) == ["ΟΔΟΣ", "οδος", "οδοσ"]
    assert found(values, "ა", ignore_case=True) == ["ა", "Ა"]
    assert Condition.parse('word=="ΟΔΟΣ"%c & word="οδο\\w"%cl | word="(?i)ΟΔΟ\\w"').holds(lambda _: "οδος")


# -------------------------------------------------------------------------------------------------- ignoring diacritics


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("café", "cafe"),
        ("cafe\u0301", "cafe"),
        ("Łódź Đà Nẵng Øre", "Lodz Da Nang Ore"),
        ("Æœßþı", "Æœßþı"),
        ("άϊΐ ἀρχῇ", "αιι αρχη"),
        ("ёлкой", "елкои"),
        ("العَرَبِيَّة أآإ", "العربية ااا"),
        ("שָׁלוֹם", "שלום"),
        ("हिन्दी क़लम", "हिन्दी कलम"),
        ("น้ำที่", "น้ำที่"),
        ("がぱ", "がぱ"),
        ("한국어", "한국어"),
    ],
)
def test_what_is_a_diacritic(text: str, folded: str) -> None:
    folded = unicodedata.normalize("NFC", folded)
    assert fold_text(text) == folded
    assert fold_values(pa.array([text, "plain", text, ""])).to_pylist() == [folded, "plain", folded, ""]
    assert fold_values(pa.array([], pa.string())).to_pylist() == []


def test_diacritics_are_ignored_in_values_and_expressions() -> None:
    values = lexicon("CAFÉ", "cafe", "cafe\u0301", "cafés", "café", "coffee")
    small = ["cafe", "cafe\u0301", "café"]
    assert found(values, "cafe", ignore_diacritics=True) == small
    assert found(values, "cafè", ignore_diacritics=True) == small
    assert found(values, "CAFE", ignore_case=True, ignore_diacritics=True) == ["CAFÉ", *small]
    assert found(values, ".*[èx]s?", ignore_diacritics=True) == [*small, "cafés", "coffee"]
    assert found(values, "caf[^é]", ignore_diacritics=True) == []
    assert found(values, "caf[d-f]s", ignore_diacritics=True) == ["cafés"]
    assert values.strings(values.matching("cafe", True, True, is_literal=True)) == ["CAFÉ", *small]


@given(st.lists(st.text(max_size=6), max_size=6))
def test_many_values_are_folded_as_one_is(values: list[str]) -> None:
    assert fold_values(pa.array(values, pa.string())).to_pylist() == list(map(fold_text, values))


# ----------------------------------------------------------------------------------------------- an independent matcher

LETTERS = "aAbkKſsSéÉßẞσςΣάαйиИहिन्१2Ⅷ_-'. ก้日ـøÅ\u212a\u200c\n"
CLASSES_OF_TESTS: dict[str, Callable[[str], bool]] = {
    r"\w": _is_word,
    r"\W": lambda one: not _is_word(one),
    r"\d": lambda one: CATEGORY(one) == "Nd",
    r"\D": lambda one: CATEGORY(one) != "Nd",
    r"\s": _is_space,
    r"\S": lambda one: not _is_space(one),
    "[[:alpha:]]": lambda one: CATEGORY(one)[0] in "LM",
    "[[:^alpha:]x]": lambda one: CATEGORY(one)[0] not in "LM",
    "[^[:^alpha:]]": lambda one: CATEGORY(one)[0] in "LM",
    r"[^\W\dé]": lambda one: _is_word(one) and CATEGORY(one) != "Nd" and one != "é",
    r"[\p{L}'-]": lambda one: CATEGORY(one)[0] == "L" or one in "'-",
    r"\P{M}": lambda one: CATEGORY(one)[0] != "M",
    ".": lambda one: one != "\n",
}


@dataclass(frozen=True)
class Both:
    """An expression of ours, and what it means, in words that Python's engine takes for what they say."""

    ours: str
    python: str


def _one_of(holds: Callable[[str], bool]) -> str:
    members = "".join(map(re.escape, filter(holds, LETTERS)))
    return f"[{members}]" if members else "(?!)"


_WORD = _one_of(_is_word)
BOUNDARIES = [
    Both(r"\b", f"(?:(?<={_WORD})(?!{_WORD})|(?<!{_WORD})(?={_WORD}))"),
    Both(r"\B", f"(?:(?<={_WORD})(?={_WORD})|(?<!{_WORD})(?!{_WORD}))"),
]


def _same_letter(one: str, ignore_case: bool) -> str:
    return _one_of(lambda other: other.casefold() == one.casefold() if ignore_case else other == one)


def atoms(ignore_case: bool) -> st.SearchStrategy[Both]:
    def literal(one: str) -> Both:
        written = one if one.isalnum() or ord(one) > 127 else f"\\{one}" if one != "\n" else r"\n"
        return Both(written, _same_letter(one, ignore_case))

    def either(letters: str) -> Both:
        options = "|".join(_same_letter(one, ignore_case) for one in letters)
        return Both(f"[{re.escape(letters)}]", f"(?:{options})")

    few = st.text(LETTERS.replace("\n", ""), min_size=1, max_size=3)
    classes = [name for name in CLASSES_OF_TESTS if not (ignore_case and "é" in name)]
    return st.one_of(
        st.sampled_from(LETTERS).map(literal),
        st.sampled_from("aksσé").map(literal),
        st.sampled_from([Both(name, _one_of(CLASSES_OF_TESTS[name])) for name in classes]),
        st.just(Both(".*", r"[^\n]*")),
        st.sampled_from([*BOUNDARIES, Both("^", r"\A"), Both("$", r"\Z")]),
        few.map(either),
        few.map(lambda text: Both(rf"\Q{text}\E", "".join(_same_letter(one, ignore_case) for one in text))),
    )


def expressions(ignore_case: bool) -> st.SearchStrategy[Both]:
    def repeated(part: Both, times: str) -> Both:
        return Both(f"(?:{part.ours}){times}", f"(?:{part.python}){times.rstrip('?') if len(times) > 1 else times}")

    def sequence(parts: list[Both]) -> Both:
        return Both("".join(part.ours for part in parts), "".join(part.python for part in parts))

    def choice(parts: list[Both]) -> Both:
        return Both(f"({'|'.join(part.ours for part in parts)})", f"(?:{'|'.join(part.python for part in parts)})")

    return st.recursive(
        atoms(ignore_case),
        lambda inner: st.one_of(
            st.lists(inner, max_size=4).map(sequence),
            st.lists(inner, min_size=1, max_size=3).map(choice),
            st.builds(repeated, inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{,2}", "{2,}", "*?", "+?"])),
        ),
        max_leaves=8,
    )


VALUES = st.lists(st.text(LETTERS, max_size=6) | st.text("aAkKsſσΣé-", max_size=4), max_size=12, unique=True)


@settings(max_examples=200)
@given(st.data(), VALUES, st.booleans(), st.booleans())
def test_expressions_find_what_an_independent_matcher_finds(
    data: st.DataObject, values: list[str], ignore_case: bool, inline: bool
) -> None:
    wanted = data.draw(expressions(ignore_case))
    ours = f"(?i){wanted.ours}" if ignore_case and inline else wanted.ours
    if problem := regex_problem(ours):
        assert r"has a \b or \B" in problem.sentence, wanted
        return
    right = [value for value in sorted(values, key=str.encode) if re.fullmatch(wanted.python, value)]
    assert found(lexicon(*values), ours, ignore_case and not inline) == right
    mask = matching(pa.array(values, pa.string()), "=", ours, ignore_case and not inline).tolist()
    assert {value for value, one in zip(values, mask, strict=True) if one} == set(right)


@given(st.data(), VALUES)
def test_folded_values_are_looked_up_as_they_are_matched(data: st.DataObject, values: list[str]) -> None:
    """With and without what values begin with, end with and contain."""
    wanted, ignore_case = data.draw(expressions(ignore_case=False)), data.draw(st.booleans())
    if regex_problem(wanted.ours):
        return
    ordered = sorted(values, key=str.encode)
    mask = matching(pa.array(ordered, pa.string()), "=", wanted.ours, ignore_case, ignore_diacritics=True).tolist()
    right = [value for value, one in zip(ordered, mask, strict=True) if one]
    assert found(lexicon(*values), wanted.ours, ignore_case, ignore_diacritics=True) == right


LITTLE = st.lists(
    st.sampled_from(["a", "b", "ab", "é", ".*", "[ab]", "a{2}", "(a|bé)", "(?i)", "b?", "^", "$", ".*", "(b?|^)"]),
    max_size=6,
)


@settings(max_examples=150)
@given(
    LITTLE.map("".join), st.lists(st.text("abéAB\n", max_size=6), min_size=1, max_size=100, unique=True), st.booleans()
)
def test_what_is_looked_up_is_what_is_matched(regex: str, values: list[str], ignore_case: bool) -> None:
    """Expressions of which much is known beforehand: how values begin and end, and what they contain."""
    ordered = sorted(values, key=str.encode)
    mask = matching(pa.array(ordered), "=", regex, ignore_case).tolist()
    assert found(lexicon(*values), regex, ignore_case) == [
        value for value, one in zip(ordered, mask, strict=True) if one
    ]


# ---------------------------------------------------------------------------------------------------- syntax and errors


@pytest.mark.parametrize(
    ("regex", "value"),
    [
        (r"\x41\x{3b1}\u03b2\u{3b3}\U0001F600\101\x{1F600}", "Aαβγ😀A😀"),
        (r"[\x41-\x{43}]\t\e\cA\0", "B\t\x1b\x01\0"),
        (r"\Qa.b\E+\é\_\ \"", 'a.bbé_ "'),
        (r"[\Qa]\E]+", "a]"),
        (r"[]a]+[^]a]", "]ab"),
        (r"[a-\d]+[\d-z]+", "a-1-z"),
        (r"a{,2}c{x}{", "aac{x}{"),
        (r"(?<name>a)(?P<other>b)(?'third'c)(?|d|e)(?#note)", "abcd"),
        (r"a(?s:.)b(?m:^|.)$", "a\nbc"),
        (r"\N\R\h\X", "a\r\n e\u0301"),
        (r"go\b.*", "go on"),
        (r".*\bgo\b.*", "let go, now"),
        (r"\bgo\B\w+", "going"),
        (r"(a|b)*?c+?d??", "abc"),
        (r"a(?i)b|C", "c"),
    ],
)
def test_syntax_that_is_read(regex: str, value: str) -> None:
    assert found(lexicon(value, "another"), regex) == [value]


@pytest.mark.parametrize(
    ("regex", "what", "instead"),
    [
        ("un(?!der).*", "a look-ahead, (?!…)", 'word!="'),
        ("(?=a)b", "a look-ahead, (?=…)", "&"),
        ("(?<=a)b", "a look-behind, (?<=…)", "&"),
        ("(?<!a)b", "a look-behind, (?<!…)", "word!="),
        (r"(a)\1", "a back-reference", "(aa|bb|cc)"),
        (r"(?P<x>a)(?P=x)", "a back-reference", "1.word = 2.word"),
        (r"(?<x>a)\k<x>", "a back-reference", "1.word"),
        (r"(a)\g{1}", "a back-reference", "1.word"),
        ("(a)?(?(1)b|c)", "a conditional group", "alternatives"),
        (r"\((?R)?\)", "a recursion", "levels"),
        (r"(a)(?1)", "a recursion", "levels"),
        ("a++b", "a possessive repetition, ++", "write +"),
        ("(?>a*)b", "an atomic group", "(?:…)"),
        ("(*UTF8)a", "a verb", "leave it out"),
        (r".*\b.*", r"a \b or \B where it isn't clear", r"\W"),
    ],
)
def test_what_cannot_be_had_is_said(regex: str, what: str, instead: str) -> None:
    with pytest.raises(UsageError) as caught:
        Condition.parse(f'host="{regex}"')
    told = str(caught.value).split("\n")[0]
    assert told.startswith(f"this regular expression has {what}")
    assert "can't be had" in told
    assert instead in told
    with pytest.raises(UsageError, match=r"has a.*can't be had"):
        lexicon("a").matching(regex)


@pytest.mark.parametrize(
    ("regex", "reason"),
    [
        ("[[:alhpa:]]", "did you mean 'alpha'"),
        ("[[.a.]]", "write the characters themselves"),
        (r"\p{Grek_}x\p{Klingon}", r"\p{Greek}"),
        (r"\p", "needs a name"),
        (r"\y", "means nothing here"),
        ("[z-a]", "goes backwards"),
        ("[a", "missing ]"),
        ("a{3,2}", "from more to fewer"),
        ("a{1001}", "invalid repetition size"),
        (r"(\w{100}){9}", "repeat it less often"),
        ("a**", "put what is repeated in brackets"),
        ("*a", "nothing before it to repeat"),
        (r"\x{110000}", "is no character"),
        ("(?x)a b", "there are i, s, m and U"),
        ("(?%a)", "opens no group"),
        ("(?#a", "missing )"),
        ("(" * 200 + ")" * 200, "brackets within brackets"),
        (r"[\X]", "square brackets"),
    ],
)
def test_mistakes_are_explained(regex: str, reason: str) -> None:
    with pytest.raises(RegexError) as caught:
        compile_pattern(regex)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    "regex",
    [
        "(a*)*b",
        "(a|aa)+b",
        "(a|a)*b",
        "(.*a){20}b",
        r"(\w+\s?)*b",
        "(?i)(s|ſ|S)*k",
        "|".join(["a" * 50] * 190),
        "(a?){500}b",
        "((((a|b)|(a|b))|((a|b)|(a|b)))*)*c",
        "(a|b)" * 1900,
        "[aA]" * 2400,
        "(" * 90 + "a" + ")*" * 90 + "b",
        "a.{900}b",
    ],
)
def test_hostile_expressions_are_matched_in_one_pass(regex: str) -> None:
    """An engine that goes back would need more time than there is."""
    values = lexicon("a" * 20_000, "b", "aAaA" * 600, "ab")
    for flags in ((False, False), (True, False), (True, True)):
        found(values, regex, *flags)


SIGNS = st.sampled_from([*r"ab()[]{}|*+?^$.\-:=<>!QEpPwWbBxuNR012,#ié", "[:alpha:]", "(?"])


@given(st.lists(SIGNS, max_size=14).map("".join))
def test_any_text_is_an_expression_or_an_error_in_words(text: str) -> None:
    with suppress(RegexError):
        compile_pattern(text)
        found(lexicon("", "a", "ab", "é"), text)


def test_results_are_remembered_and_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    values = lexicon(*(f"{number:03}" for number in range(500)))
    first = values.matching("0.*")
    assert values.matching("0.*") is first
    monkeypatch.setattr("gristmill.search.index.lexicon._MAX_REMEMBERED_IDS", 250)
    for digit in "1234":
        assert len(values.matching(f"{digit}.*")) == 100
    assert values.matching("0.*") is not first
    assert values.matching("0.*").tolist() == first.tolist()
