"""Queries and corpora at random, for comparing search with the scan of scanning.py."""

from __future__ import annotations

import importlib.util
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from hypothesis import strategies as st
from scanning import (
    ANY,
    Doc,
    Pattern,
    PlainCorpus,
    Span,
    ahead,
    alternatives,
    closing,
    constrained,
    expanded,
    gaps,
    glue,
    meet,
    opening,
    related,
    repeated,
    scan,
    scan_labels,
    sequence,
    strategic,
    token,
    union,
    whole,
    word,
)
from scanning_conditions import (
    Check,
    Rule,
    Term,
    and_check,
    attribute,
    both,
    bound_of,
    called,
    compared,
    either,
    frequency,
    ignored,
    implies_check,
    is_set,
    is_true,
    listed,
    literal,
    negation,
    not_check,
    numbered,
    of_token,
    or_check,
    order_rule,
    position,
    regex_rule,
    value_check,
)

from gristmill.search.cql import binding, bounds, compounds, elements, matching, selecting, special
from gristmill.search.cql.matching import find, find_labels
from gristmill.search.index.index import Index

UNICODE = importlib.util.find_spec("gristmill.condition.regex") is not None
"""Whether classes of characters are those of Unicode, and diacritics can be ignored."""

WORDS = ["a", "b", "B", "ab", "7", "12", "é", "É", "e\u0301", "Σ", "ς", "σα", "Яй", "яй", "हिन्दी", "中文", "٣"]
VALUES = ["a", "b", "B", "ab", "7", "12"]
_LETTERS = sorted({letter for value in [*WORDS, "x"] for letter in value})


def _characters(holds: Callable[[str], bool]) -> str:
    """A set of those letters of the test's words that are in a class."""
    return "[" + "".join(letter for letter in _LETTERS if holds(letter)) + "]"


_WORD = _characters(lambda letter: unicodedata.category(letter)[0] in "LMN")
_DIGIT = _characters(lambda letter: unicodedata.category(letter) == "Nd")
_ALPHA = _characters(lambda letter: unicodedata.category(letter)[0] in "LM")
_UPPER = _characters(lambda letter: unicodedata.category(letter) == "Lu")
_GREEK = _characters(lambda letter: unicodedata.name(letter).startswith("GREEK"))
_HAN = _characters(lambda letter: unicodedata.name(letter).startswith("CJK"))
REGEXES = ["a", "b", "a|b", "a.*", ".*b", ".", "[aB]", "", "(?i)b", "b+|12", "x", "é|Σ", "σ.*", "яй", "e.", ".*文"]
ONLY_REGEXES = ["[0-9]+", "a?b", ".{2}", "(7|12)?", "[^ab]+"]
CLASSES = [
    (r"\w+", _WORD + "+"),
    (r"\W+", "[^" + _WORD[1:] + "+"),
    (r"\d+", _DIGIT + "+"),
    (r"[[:alpha:]]+", _ALPHA + "+"),
    (r"[[:upper:]].*", _UPPER + ".*"),
    (r"\p{Lu}", _UPPER),
    (r"\p{Greek}+", _GREEK + "+"),
    (r"\p{Han}+", _HAN + "+"),
    (r"[^\W\d]+", _ALPHA + "+"),
]
"""Classes of characters, and what they are in the test's words."""
FLAGS = ["", "%c", "%l", *(["%d", "%cd", "%cl", "%cdl"] if UNICODE else [])]
LISTS = {"few": ["a", "B", "é"], "regexes": ["a.*", "b|7", "Σ"], "none": []}
NAMES = ["word", "tag", "lemma"]
STRUCTURE_NAMES = {"doc": ["host", "year"], "p": ["kind"], "s": []}
OUTER_NAMES = ["doc_host", "doc_year", "p_kind"]
TIMES = [
    ("?", 0, 1),
    ("*", 0, 100),
    ("+", 1, 100),
    ("{2}", 2, 2),
    ("{0,3}", 0, 3),
    ("{,2}", 0, 2),
    ("{2,}", 2, 100),
    ("{1,2}", 1, 2),
    ("{3}", 3, 3),
    ("{2,3}", 2, 3),
]
RELATIONS = ["within", "containing", "!within", "!containing", "not within", "not containing"]
STRATEGIES = ["all", "traditional", "standard", "shortest", "longest"]
TARGETS = ["target", "keyword"]
LABELS = ["1", "2", "a", "b", *TARGETS]


@dataclass
class Query:
    """A whole query: how it is written, its pattern, and which of its spans are found."""

    text: str
    pattern: Pattern
    strategy: str = "all"
    cut: int | None = None
    expansion: tuple[str, int, str | None] | None = None

    def answer(self, docs: list[Doc]) -> list[Span]:
        """What the scan finds."""
        spans = strategic(self.strategy, scan(self.pattern, docs))[: self.cut]
        return spans if self.expansion is None else expanded(spans, docs, *self.expansion)


@dataclass
class Maker:
    """Makes queries of all forms, each within each. Simple choices come first, so that examples can be made smaller."""

    pick: Callable[[Sequence[Any]], Any]
    most: int = 3
    """How deep parts are within parts."""
    visible: list[str] = field(default_factory=list)
    """Labels that conditions can name."""
    taken: set[str] = field(default_factory=set)
    """Labels that no other token of the same match may have."""

    def query(self) -> Query:
        """A whole query."""
        pattern = self.whole_pattern()
        text = pattern.bare or pattern.text
        made = Query(text if set('"[<') & set(text) else text.replace("$few", "[word = $few]", 1), pattern)
        if self.pick([False, False, True]):
            made.strategy = self.pick(STRATEGIES)
            made.text = f"(?{made.strategy}) {made.text}"
        if self.pick([False] * 5 + [True]):
            made.cut = self.pick([0, 1, 2, 5])
            made.text += f" cut {made.cut}"
        if self.pick([False] * 4 + [True]):
            side, count = self.pick(["", "left", "right"]), self.pick([1, 2, 3])
            structure = self.pick(["s", "p", "doc", None])
            made.expansion = side, count, structure
            shown = structure or self.pick(["words", ""])
            made.text += " ".join([" expand", side, "to", "" if count == 1 and structure else str(count), shown])
        return made

    def whole_pattern(self) -> Pattern:
        """A pattern that can match tokens, with conditions on the whole match."""
        made = self.filled(lambda: self.part(self.most))
        for _ in range(self.pick([0, 0, 0, 1, 1, 2])):
            made = self.pick([self.related, self.concluded])(made, 2)
        return made

    def filled(self, make: Callable[[], Pattern]) -> Pattern:
        """A part that can match a token; the rest is refused."""
        made = make()
        return made if made.fills else sequence(self.pick([[made, ANY], [ANY, made]]))

    def part(self, depth: int) -> Pattern:
        """A part of a query."""
        if depth <= 0:
            return self.single()
        kinds = [self.single] * 5 + [lambda: self.sequence(depth)] * 5 + [lambda: self.repeated(depth)] * 3
        kinds += [lambda: self.alternatives(depth)] * 2 + [lambda: self.related(self.part(depth - 1), depth - 1)]
        kinds += [lambda: self.gaps(depth), lambda: self.near(depth), lambda: self.constrained(depth)]
        made: Pattern = self.pick(kinds)()
        return made

    def single(self) -> Pattern:
        """A token, a structure, or what lies between tokens."""
        kinds = [self.token] * 9 + [self.structure] + [self.edge] * 3
        made: Pattern = self.pick(kinds)()
        return made

    def token(self) -> Pattern:
        """A token, perhaps with labels."""
        kind = self.pick(["word", "any", "word", "any", "rule", "rule", "check", "list"])
        check = self.check(True) if kind == "check" else None
        labels = [label for label in LABELS if label not in self.taken]
        own = [self.pick(labels)] if labels and self.pick([False, False, True]) else []
        if own and own[0] not in TARGETS and self.pick([False] * 4 + [True]):
            own = [self.pick(TARGETS), *own]
        self.taken |= set(own) - set(TARGETS)
        self.visible += [label for label in own if label not in self.visible]
        if check is not None:
            return token(check, *own)
        if kind == "list":
            check = listed(attribute("", "word"), "=", ("few", LISTS["few"]), False, "")
            return token(check, *own, text="$few")
        if kind == "word":
            return word(self.pick([*["a", "b"] * 3, *VALUES]), *own)
        return token(Check("", lambda _: True) if kind == "any" else self.rule(NAMES), *own)

    def edge(self) -> Pattern:
        """An edge of a structure, a place without a space, or a look at the next token."""
        kind = self.pick(["opening", "closing", "opening", "closing", "glue", "ahead"])
        if kind == "glue":
            return glue()
        if kind == "ahead":
            return ahead(self.check(True))
        return (opening if kind == "opening" else closing)(*self.chosen())

    def structure(self) -> Pattern:
        return whole(*self.chosen())

    def chosen(self) -> tuple[str, Rule | None]:
        structure = self.pick(["s", "p", "doc"])
        names = STRUCTURE_NAMES[structure]
        return structure, self.rule(names) if names and self.pick([False, True]) else None

    def sequence(self, depth: int) -> Pattern:
        return sequence([self.part(depth - 1) for _ in range(self.pick([2, 2, 3, 4]))])

    def repeated(self, depth: int) -> Pattern:
        made = self.part(depth - 1)
        return repeated(made, self.pick(TIMES))

    def alternatives(self, depth: int) -> Pattern:
        """Alternatives; a label may be in several of them."""
        visible, taken = list(self.visible), set(self.taken)
        all_visible, all_taken, parts = list(visible), set(taken), []
        for _ in range(self.pick([2, 2, 3])):
            self.visible, self.taken = list(visible), set(taken)
            parts.append(self.part(depth - 1))
            all_visible += [label for label in self.visible if label not in all_visible]
            all_taken |= self.taken
        self.visible, self.taken = all_visible, all_taken
        return alternatives(parts)

    @contextmanager
    def apart(self, keep_taken: bool) -> Iterator[None]:
        """A part that is matched by itself: it sees no labels, and shows none."""
        before = self.visible, self.taken
        self.visible, self.taken = [], set(self.taken) if keep_taken else set()
        yield
        after = self.taken
        self.visible, self.taken = before
        if keep_taken:
            self.taken = after

    def gaps(self, depth: int) -> Pattern:
        with self.apart(keep_taken=True):
            return gaps(self.filled(lambda: self.part(depth - 1)))

    def related(self, made: Pattern, depth: int) -> Pattern:
        """A part within, or containing, another one."""
        relation = self.pick(RELATIONS)
        kind = self.pick(["structure", "structure", "part", "part", "gaps", "length", "rows", "name"])
        if kind == "length":
            return related(made, relation, (self.pick([1, 2, 3, 5]), None))
        if kind == "rows":
            return related(made, relation, (self.pick([1, 2, 3]), self.pick(["s", "p"])))
        with self.apart(keep_taken=False):
            if kind == "structure":
                return related(made, relation, self.structure())
            if kind == "name":
                structure = self.pick(["s", "p", "doc"])
                return related(made, relation, Pattern(structure, whole(structure, None).ways))
            if kind == "gaps":
                other = self.gaps(depth)
                return related(made, relation, Pattern(other.bare, other.ways))
            return related(made, relation, self.filled(lambda: self.part(max(0, depth - 1))))

    def near(self, depth: int) -> Pattern:
        """Parts near each other, or one of two."""
        if self.pick([False, True]):
            one = self.filled(lambda: self.part(depth - 1))
            return union(one, self.filled(lambda: self.part(depth - 1)))
        one = self.filled(lambda: self.part(depth - 1))
        other = self.filled(lambda: self.part(depth - 1))
        near = self.pick([None, "s", "p", "doc", (-5, 5), (0, 0), (1, 2), (-2, -1), (-1, 3), (2, 1)])
        return meet(one, other, near, self.pick(["", "", "MU"]))

    def constrained(self, depth: int) -> Pattern:
        """A part with a condition on its labelled tokens."""
        return self.concluded(self.part(depth - 1), depth)

    def concluded(self, made: Pattern, _depth: int) -> Pattern:
        return constrained(made, self.pick(["&", "::"]), self.check(False))

    # Conditions

    def rule(self, names: list[str], depth: int = 2) -> Rule:
        """A condition on attributes of one thing."""
        kind = self.pick(["single"] * 4 + ["not", "and", "or"]) if depth else "single"
        if kind == "not":
            return negation(self.rule(names, depth - 1))
        if kind != "single":
            return (both if kind == "and" else either)(self.rule(names, depth - 1), self.rule(names, depth - 1))
        name = self.pick(names)
        if self.pick([False, False, True]):
            values = ["7", "12", "9"] if name == "year" else VALUES
            return order_rule(name, self.pick(["<", "<=", ">", ">=", "!<=", "!>="]), self.pick(values))
        return regex_rule(name, *self.comparison())

    def comparison(self) -> tuple[str, str, str, str | None]:
        """A sign, a value, flags, and what the value means in Python."""
        kind = self.pick(["value", "value", "regex", "class"])
        if kind == "class" and UNICODE:
            regex, meaning = self.pick(CLASSES)
            return self.pick(["=", "!="]), regex, "", meaning
        if kind == "regex":
            flags = [flag for flag in FLAGS if "l" not in flag]
            return self.pick(["=", "!="]), self.pick(ONLY_REGEXES), self.pick(flags), None
        return self.pick(["=", "!=", "==", "!=="]), self.pick(REGEXES), self.pick(FLAGS), None

    def check(self, in_token: bool, depth: int = 2) -> Check:
        """A condition on a token, or on labelled ones."""
        kind = self.pick(["single"] * 4 + ["not", "and", "or", "implies"]) if depth else "single"
        if kind == "not":
            return not_check(self.check(in_token, depth - 1))
        if kind != "single":
            make = {"and": and_check, "or": or_check, "implies": implies_check}[kind]
            return make(self.check(in_token, depth - 1), self.check(in_token, depth - 1))
        kinds = ["value", "texts", "texts", "numbers", "numbers", "true"]
        kind = self.pick(kinds + (["rule", "numbered", "listed", "bound"] if in_token else ["set", "set", "ignored"]))
        if kind == "rule":
            return of_token(self.rule(NAMES, 1))
        if kind == "numbered":
            first = self.pick(range(12))
            return numbered(first, self.pick([None, first, first + 3, first + 20]))
        if kind == "listed":
            title = self.pick(list(LISTS))
            regex = title == "regexes"
            flags = self.pick(["", "%c", "%d"] if UNICODE else ["", "%c"])
            term = attribute(*self.pick([("", self.pick(NAMES)), (self.pick(self.labels(in_token)), self.pick(NAMES))]))
            return listed(term, self.pick(["=", "!="]), (title, LISTS[title]), regex, flags)
        if kind == "bound":
            return is_true(bound_of(self.pick(["lbound", "rbound"]), self.pick(["s", "p", "doc"]), None))
        if kind in {"set", "ignored"}:
            return (is_set if kind == "set" else ignored)(self.pick(self.labels(in_token)))
        return self.comparing(kind, in_token)

    def comparing(self, kind: str, in_token: bool) -> Check:
        """A comparison with terms."""
        if kind == "value":
            label, name = self.pick(self.labels(in_token)), self.pick(NAMES + OUTER_NAMES)
            if self.pick([False, False, True]):
                values = ["7", "12", "9"] if name == "doc_year" else VALUES
                return value_check(label, name, self.pick(["<", "<=", ">", ">="]), self.pick(values))
            return value_check(label, name, *self.comparison())
        if kind == "texts":
            other = self.text(in_token, 1) if self.pick([True, True, False]) else None
            if other is None:
                return compared(self.changed(in_token, 1), self.pick(["=", "!="]), literal(self.pick(VALUES)))
            if in_token and other.text in NAMES:
                other = attribute("_", other.text)  # a name by itself would be a value
            return compared(self.text(in_token, 1), self.pick(["=", "!="]), other)
        if kind == "true":
            return is_true(called("is_prefix", self.pick([literal("a"), self.value(in_token)]), self.text(in_token, 1)))
        sign = self.pick(["=", "!=", "<", "<=", ">", ">="])
        other_number = literal(self.pick(range(8))) if self.pick([True, False]) else self.number(in_token, 1)
        return compared(self.number(in_token, 2), sign, other_number)

    def labels(self, in_token: bool) -> list[str]:
        """Labels that a condition can name."""
        return ["_", *self.visible, "match"] if in_token else [*self.visible, "match", "matchend"]

    def value(self, in_token: bool) -> Term:
        """An attribute of a token."""
        label = self.pick([*(["", ""] if in_token else []), *self.labels(in_token)])
        return attribute(label, self.pick(NAMES if label in {"", "_"} else NAMES + OUTER_NAMES))

    def text(self, in_token: bool, depth: int) -> Term:
        """A text: the value of an attribute, or made of such."""
        return self.changed(in_token, depth) if depth and self.pick([False, False, True]) else self.value(in_token)

    def changed(self, in_token: bool, depth: int) -> Term:
        """A text that a function makes."""
        function = self.pick(["prefix", "minus", "normalize"])
        one = self.text(in_token, depth - 1)
        if function == "normalize":
            return called(function, one, literal(self.pick(["c", "d", "cd"] if UNICODE else ["c"])))
        return called(function, one, self.text(in_token, depth - 1))

    def number(self, in_token: bool, depth: int) -> Term:
        """A number."""
        kinds = ["f", "strlen", "int", "distance", "dist", "distabs", "lbound_of", "rbound_of"]
        kind = self.pick(kinds + (["add", "sub", "mul"] if depth else []))
        if kind == "f":
            label = self.pick([*([""] if in_token else []), *self.labels(in_token)])
            return frequency(label, self.pick(NAMES))
        if kind in {"strlen", "int"}:
            return called(kind, self.text(in_token, 1))
        if kind in {"add", "sub", "mul"}:
            other = (
                self.pick([literal(2), literal(1)]) if self.pick([True, False]) else self.number(in_token, depth - 1)
            )
            return called(kind, self.number(in_token, depth - 1), other)
        place = position(self.pick(self.labels(in_token)))
        if kind.endswith("_of"):
            return bound_of(kind, self.pick(["s", "p", "doc"]), place)
        return called(kind, place, position(self.pick(self.labels(in_token))))


def make_corpus(pick: Callable[[Sequence[Any]], Any]) -> PlainCorpus:
    """A small corpus."""
    words = [*["a", "b"] * 6, *VALUES, *WORDS]

    def some(most: int, make: Callable[[], Any]) -> list[Any]:
        return [make() for _ in range(pick(range(1, most + 1)))]

    def sentence() -> Any:
        return some(5, lambda: (pick(words), pick(["a", "b"]), pick(["a", "b", "x"])))

    return some(
        4,
        lambda: (
            some(2, lambda: (some(3, sentence), pick(["a", "b"]))),
            pick(["a", "ab"]),
            pick(["7", "12", ""]),
        ),
    )


def check_answer(index: Index, docs: list[Doc], query: Query) -> None:
    """Raise if search finds anything else than the scan, or gives labels to tokens that no way to match gives."""
    hits = find(index, query.text, lists=LISTS)
    assert hits.spans() == query.answer(docs), query.text
    if query.expansion is None:
        places = find_labels(index, query.text, hits, lists=LISTS)
        ways = scan_labels(query.pattern, docs)
        for number, span in enumerate(hits.spans()):
            own = {(label, int(found[number])) for label, found in places.items() if found[number] >= 0}
            assert own in ways[span], (query.text, span)


@contextmanager
def at_limits(pick: Callable[[Sequence[Any]], Any]) -> Iterator[None]:
    """Search in one of the ways that it chooses by sizes, whatever the sizes are."""
    listed = pick([4.0, 0.0, 1e9])
    limits: list[tuple[Any, str, Any]] = [
        (selecting, "LIST_NANOSECONDS", listed),
        (selecting, "MERGE_NANOSECONDS", listed),
        (elements, "LIST_NANOSECONDS", listed),
        (selecting, "BLOCK_TOKENS", pick([1 << 17, 2])),
        (bounds, "_MIN_EDGES_PER_BOUND", pick([4, 0])),
        (matching, "_STRETCH_SPANS", pick([1 << 20, 1])),
        (matching, "_MIN_STRETCH_TOKENS", pick([1 << 18, 1])),
        (compounds, "_MIN_GAP_TO_LOOK_UP", pick([5, 2, 1000])),
        (binding, "_MAX_WRITTEN_OUT_TOKENS", pick([20, 1])),
        (special, "_TEST_NANOSECONDS", pick([50.0, 0.0, 1e9])),
    ]
    with ExitStack() as patches:
        for module, name, value in limits:
            patches.enter_context(patch.object(module, name, value))
        yield


def _drawn(draw: st.DrawFn) -> Callable[[Sequence[Any]], Any]:
    return lambda options: options[draw(st.integers(0, len(options) - 1))]


@st.composite
def corpora(draw: st.DrawFn) -> PlainCorpus:
    """Small corpora."""
    return make_corpus(_drawn(draw))


@st.composite
def queries(draw: st.DrawFn) -> Query:
    """Queries of all forms."""
    pick = _drawn(draw)
    return Maker(pick, pick([1, 2, 3])).query()


@st.composite
def limits(draw: st.DrawFn) -> Any:
    """Ways to search: a context."""
    return at_limits(_drawn(draw))
