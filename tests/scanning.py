"""A slow and plainly right scan over tokens that search is compared with; corpora and queries made by hypothesis."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from hypothesis import strategies as st

from gristmill.search.index.index import Index
from gristmill.search.index.plain import PlainDocument, PlainParagraph, make_index

Attributes = dict[str, str]
Spans = set[tuple[int, int]]


@dataclass(eq=False)
class Doc:
    """A document for the scan: tokens, and for each kind of structure where it begins and ends, and its attributes."""

    tokens: list[Attributes]
    structures: dict[str, list[tuple[int, int, Attributes]]]


@dataclass
class Rule:
    """A condition: how it is written, and what it means."""

    text: str
    holds: Callable[[Attributes], bool]


@dataclass(eq=False)
class Pattern:
    """A query or part of one: how it is written, and where a match can end that begins at a place in a document."""

    text: str
    ends: Callable[[Doc, int], set[int]]


@lru_cache(1000)
def spans_in(pattern: Pattern, doc: Doc) -> Spans:
    return {(start, end) for start in range(len(doc.tokens) + 1) for end in pattern.ends(doc, start) if end > start}


def scan(pattern: Pattern, docs: list[Doc]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    shift = 0
    for doc in docs:
        found += sorted((start + shift, end + shift) for start, end in spans_in(pattern, doc))
        shift += len(doc.tokens)
    return found


# Conditions

ORDER = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}

VALUES = ["a", "b", "B", "ab", "7", "12"]
REGEXES = ["a", "b", "a|b", "a.*", ".*b", ".", "[aB]", "", "(?i)b", "b+|12", "x", "\\d+", "a?b", ".{2}"]


def regex_rule(name: str, sign: str, regex: str, flags: str) -> Rule:
    compiled = re.compile(
        re.escape(regex) if "l" in flags or "==" in sign else regex, re.IGNORECASE if "c" in flags else 0
    )
    return Rule(
        f'{name}{sign}"{regex}"{flags}', lambda thing: bool(compiled.fullmatch(thing[name])) != sign.startswith("!")
    )


def order_rule(name: str, sign: str, value: str) -> Rule:
    def number(text: str) -> float | None:
        return float(text) if re.fullmatch("[0-9]+", text) else None

    def holds(thing: Attributes) -> bool:
        one, other = number(thing[name]), number(value)
        if other is not None:
            return one is not None and bool(ORDER[sign](one, other))
        return bool(ORDER[sign](thing[name], value))

    return Rule(f'{name} {sign} "{value}"', holds)


def rules(names: list[str]) -> st.SearchStrategy[Rule]:
    name = st.sampled_from(names)
    comparison = st.one_of(
        st.builds(
            regex_rule,
            name,
            st.sampled_from(["=", "!=", "=", "==", "!=="]),
            st.sampled_from(REGEXES[:-3]),
            st.sampled_from(["", "%c", "%l"]),
        ),
        st.builds(
            regex_rule, name, st.sampled_from(["=", "!="]), st.sampled_from(REGEXES), st.sampled_from(["", " %c"])
        ),
        st.builds(order_rule, name, st.sampled_from(["<", "<=", ">", ">="]), st.sampled_from(VALUES)),
    )
    return st.recursive(
        comparison,
        lambda inner: st.one_of(
            st.builds(lambda rule: Rule(f"!({rule.text})", lambda thing: not rule.holds(thing)), inner),
            st.builds(
                lambda x, y: Rule(f"({x.text}) & ({y.text})", lambda thing: x.holds(thing) and y.holds(thing)),
                inner,
                inner,
            ),
            st.builds(
                lambda x, y: Rule(f"({x.text} | {y.text})", lambda thing: x.holds(thing) or y.holds(thing)),
                inner,
                inner,
            ),
        ),
        max_leaves=4,
    )


TOKEN_RULES = rules(["word", "tag", "lemma"])
STRUCTURE_RULES = {"doc": rules(["host", "year"]), "p": rules(["kind"])}


# Patterns


def token(rule: Rule) -> Pattern:
    return Pattern(
        f"[{rule.text}]", lambda doc, at: {at + 1} if at < len(doc.tokens) and rule.holds(doc.tokens[at]) else set()
    )


ANY = token(Rule("", lambda _: True))


def word(value: str) -> Pattern:
    return Pattern(f'"{value}"', token(Rule("", lambda thing: thing["word"] == value)).ends)


def chosen(doc: Doc, structure: str, rule: Rule | None) -> Iterator[tuple[int, int]]:
    return (
        (start, end) for start, end, attributes in doc.structures[structure] if rule is None or rule.holds(attributes)
    )


def inside(structure: str, rule: Rule | None) -> str:
    return structure if rule is None else f"{structure} {rule.text}"


def opening(structure: str, rule: Rule | None) -> Pattern:
    def ends(doc: Doc, at: int) -> set[int]:
        return {start for start, _ in chosen(doc, structure, rule) if start == at}

    return Pattern(f"<{inside(structure, rule)}>", ends)


def closing(structure: str, rule: Rule | None) -> Pattern:
    def ends(doc: Doc, at: int) -> set[int]:
        return {end for _, end in chosen(doc, structure, rule) if end == at}

    return Pattern(f"</{inside(structure, rule)}>", ends)


def whole(structure: str, rule: Rule | None) -> Pattern:
    def ends(doc: Doc, at: int) -> set[int]:
        return {end for start, end in chosen(doc, structure, rule) if start == at}

    return Pattern(f"<{inside(structure, rule)}/>", ends)


def sequence(parts: list[Pattern]) -> Pattern:
    def ends(doc: Doc, at: int) -> set[int]:
        reached = {at}
        for part in parts:
            reached = {end for start in reached for end in part.ends(doc, start)}
        return reached

    return Pattern("(" + " ".join(part.text for part in parts) + ")", ends)


def alternatives(parts: list[Pattern]) -> Pattern:
    return Pattern(
        "(" + " | ".join(part.text for part in parts) + ")",
        lambda doc, at: {end for part in parts for end in part.ends(doc, at)},
    )


def repeated(part: Pattern, times: tuple[str, int, int]) -> Pattern:
    text, least, most = times

    def ends(doc: Doc, at: int) -> set[int]:
        reached, found = {at}, {at} if least == 0 else set()
        for number in range(1, most + 1):
            reached = {end for start in reached for end in part.ends(doc, start)}
            found |= reached if number >= least else set()
            if not reached:
                break
        return found

    return Pattern(f"{part.text}{text}", ends)


def related(part: Pattern, relation: str, other: Pattern) -> Pattern:
    kind = relation.removeprefix("!").removeprefix("not ")

    def ends(doc: Doc, at: int) -> set[int]:
        others = spans_in(other, doc)
        if kind == "within":
            found = {end for end in part.ends(doc, at) if end > at and any(s <= at and end <= e for s, e in others)}
        else:
            found = {end for end in part.ends(doc, at) if end > at and any(at <= s and e <= end for s, e in others)}
        return found if kind == relation else {end for end in part.ends(doc, at) if end > at} - found

    return Pattern(f"({part.text} {relation} {other.text})", ends)


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
]
STRUCTURES = st.one_of(
    st.tuples(st.sampled_from(["doc", "p", "s"]), st.none()),
    st.tuples(st.just("doc"), STRUCTURE_RULES["doc"]),
    st.tuples(st.just("p"), STRUCTURE_RULES["p"]),
)
WHOLE = STRUCTURES.map(lambda choice: whole(*choice))
TOKENS = st.one_of(TOKEN_RULES.map(token), st.just(ANY), st.sampled_from(VALUES).map(word))
SINGLE = st.one_of(
    TOKENS,
    TOKENS,
    TOKENS,
    TOKENS,
    TOKENS,
    WHOLE,
    STRUCTURES.map(lambda choice: opening(*choice)),
    STRUCTURES.map(lambda choice: closing(*choice)),
)
RELATIONS = st.sampled_from(["within", "containing", "!within", "!containing", "not within"])
PATTERNS = st.recursive(
    SINGLE,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=4).map(sequence),
        st.lists(inner, min_size=2, max_size=3).map(alternatives),
        st.builds(repeated, inner, st.sampled_from(TIMES)),
        st.builds(related, inner, RELATIONS, st.one_of(WHOLE, inner)),
    ),
    max_leaves=6,
)

# Corpora

PlainToken = tuple[str, str, str]
PlainCorpus = list[tuple[list[tuple[list[list[PlainToken]], str]], str, str]]

TOKEN = st.tuples(st.sampled_from(VALUES), st.sampled_from("ab"), st.sampled_from(["a", "b", "x"]))
SENTENCE = st.lists(TOKEN, min_size=1, max_size=5)
PARAGRAPH = st.tuples(st.lists(SENTENCE, min_size=1, max_size=3), st.sampled_from(["a", "b"]))
DOCUMENT = st.tuples(
    st.lists(PARAGRAPH, min_size=1, max_size=2), st.sampled_from(["a", "ab"]), st.sampled_from(["7", "12", ""])
)
CORPORA = st.lists(DOCUMENT, min_size=1, max_size=4)


def to_doc(document: tuple[list[tuple[list[list[PlainToken]], str]], str, str]) -> Doc:
    paragraphs, host, year = document
    doc = Doc([], {"doc": [], "p": [], "s": []})
    for sentences, kind in paragraphs:
        start = len(doc.tokens)
        for sentence in sentences:
            doc.structures["s"].append((len(doc.tokens), len(doc.tokens) + len(sentence), {}))
            doc.tokens += [dict(zip(("word", "tag", "lemma"), token, strict=True)) for token in sentence]
        doc.structures["p"].append((start, len(doc.tokens), {"kind": kind}))
    doc.structures["doc"].append((0, len(doc.tokens), {"host": host, "year": year}))
    return doc


def to_documents(corpus: PlainCorpus) -> list[PlainDocument]:
    return [
        PlainDocument(
            [
                PlainParagraph(
                    [[(*token, "", token[0] in "bB") for token in sentence] for sentence in sentences], {"kind": kind}
                )
                for sentences, kind in paragraphs
            ],
            {"host": host, "year": year},
        )
        for paragraphs, host, year in corpus
    ]


def to_index(folder: str | Path, corpus: PlainCorpus) -> Index:
    return make_index(folder, to_documents(corpus))
