"""A slow and plainly right scan over tokens that search is compared with, written from docs/cql.md alone.

A pattern tells, for a place in a document and the labels that are set there, all ways to match: where they end, and
the labels that are set then. A span is found if there is one way to match it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from scanning_conditions import Check, Doc, Labels, Rule, View, of_token, without_brackets

from gristmill.search.index.index import Index
from gristmill.search.index.plain import PlainDocument, PlainParagraph, make_index

Ways = frozenset[tuple[int, Labels]]
Span = tuple[int, int]


@dataclass(eq=False)
class Pattern:
    """A query or part of one: how it is written, and the ways to match it from a place with some labels set."""

    text: str
    find_ways: Callable[[Doc, int, Labels], set[tuple[int, Labels]] | Ways]
    bare: str = ""
    """How it is written where it needs no brackets."""
    fills: bool = True
    """Whether it can match a token at all."""
    _known: dict[tuple[Doc, int, Labels], Ways] = field(default_factory=dict, repr=False)
    _spans: dict[Doc, set[Span]] = field(default_factory=dict, repr=False)

    def spans(self, doc: Doc) -> set[Span]:
        """All spans of a document, as those of a query of its own."""
        if doc not in self._spans:
            starts = range(len(doc.tokens))
            self._spans[doc] = {(start, end) for start in starts for end, _ in matches_from(self, doc, start)}
        return self._spans[doc]

    def ways(self, doc: Doc, at: int, labels: Labels) -> Ways:
        key = doc, at, labels
        if key not in self._known:
            self._known[key] = frozenset(self.find_ways(*key))
        return self._known[key]


def begun(labels: Labels, at: int) -> Labels:
    """Labels where a match, or a part with conditions of its own, begins."""
    return frozenset((dict(labels) | {"match": at}).items())


def matches_from(pattern: Pattern, doc: Doc, at: int) -> Ways:
    """The ways to match a query of its own, which sees no labels but its own."""
    return frozenset(way for way in pattern.ways(doc, at, frozenset({("match", at)})) if way[0] > at)


def scan(pattern: Pattern, docs: list[Doc]) -> list[Span]:
    """All spans of a query in a corpus, as numbers of tokens."""
    return [(doc.first + start, doc.first + end) for doc in docs for start, end in sorted(pattern.spans(doc))]


def scan_labels(pattern: Pattern, docs: list[Doc]) -> dict[Span, set[Labels]]:
    """For each span all ways to give labels to its tokens."""
    found: dict[Span, set[Labels]] = {}
    for doc in docs:
        for start in range(len(doc.tokens)):
            for end, labels in matches_from(pattern, doc, start):
                own = frozenset((label, doc.first + at) for label, at in labels if label != "match")
                found.setdefault((doc.first + start, doc.first + end), set()).add(own)
    return found


# Tokens and edges


def token(condition: Check | Rule, *labels: str, text: str | None = None) -> Pattern:
    """A token; its labels may be among others `target` and `keyword`. A label that comes again is that of the last."""
    check = of_token(condition) if isinstance(condition, Rule) else condition
    signs = {"target": "@0 ", "keyword": "@1 "}

    def ways(doc: Doc, at: int, known: Labels) -> set[tuple[int, Labels]]:
        if at >= len(doc.tokens) or not check.holds(View(doc, dict(known), at)):
            return set()
        return {(at + 1, frozenset((dict(known) | dict.fromkeys(labels, at)).items()))}

    marks = "".join(signs.get(label, f"{label}:") for label in labels)
    return Pattern(marks + (text or f"[{without_brackets(check)}]"), ways)


ANY = token(Check("", lambda _: True))


def word(value: str, *labels: str) -> Pattern:
    return token(Rule("", lambda thing: thing["word"] == value), *labels, text=f'"{value}"')


def ahead(check: Check) -> Pattern:
    """A condition on the next token of the document, which is not part of the match."""

    def ways(doc: Doc, at: int, labels: Labels) -> set[tuple[int, Labels]]:
        return {(at, labels)} if at < len(doc.tokens) and check.holds(View(doc, dict(labels), at)) else set()

    return Pattern(f"[: {without_brackets(check)} :]", ways, fills=False)


def glue() -> Pattern:
    """Between two tokens without a space."""
    return Pattern("<g/>", lambda doc, at, labels: {(at, labels)} if at in doc.glued else set(), fills=False)


def chosen(doc: Doc, structure: str, rule: Rule | None) -> Iterator[Span]:
    return (
        (start, end) for start, end, attributes in doc.structures[structure] if rule is None or rule.holds(attributes)
    )


def inside(structure: str, rule: Rule | None) -> str:
    if rule is None:
        return structure
    single = re.fullmatch(r"([a-z]+)(!?==?\"[^\"]*\"[%a-z]*)", rule.text)
    if single and len(rule.text) % 2:
        return f"{structure}_{rule.text}"  # as CQP writes it
    return f"{structure} {without_brackets(rule)}"


def opening(structure: str, rule: Rule | None) -> Pattern:
    def ways(doc: Doc, at: int, labels: Labels) -> set[tuple[int, Labels]]:
        return {(at, labels) for start, _ in chosen(doc, structure, rule) if start == at}

    return Pattern(f"<{inside(structure, rule)}>", ways, fills=False)


def closing(structure: str, rule: Rule | None) -> Pattern:
    def ways(doc: Doc, at: int, labels: Labels) -> set[tuple[int, Labels]]:
        return {(at, labels) for _, end in chosen(doc, structure, rule) if end == at}

    return Pattern(f"</{inside(structure, rule)}>", ways, fills=False)


def whole(structure: str, rule: Rule | None) -> Pattern:
    def ways(doc: Doc, at: int, labels: Labels) -> set[tuple[int, Labels]]:
        return {(end, labels) for start, end in chosen(doc, structure, rule) if start == at}

    return Pattern(f"<{inside(structure, rule)}/>", ways)


# Parts together


def bracketed(text: str, ways: Callable[[Doc, int, Labels], set[tuple[int, Labels]]], fills: bool = True) -> Pattern:
    return Pattern(f"({text})", ways, text, fills)


def sequence(parts: list[Pattern]) -> Pattern:
    def ways(doc: Doc, at: int, labels: Labels) -> set[tuple[int, Labels]]:
        reached = {(at, labels)}
        for part in parts:
            reached = {way for start, known in reached for way in part.ways(doc, start, known)}
        return reached

    return bracketed(" ".join(part.text for part in parts), ways, any(part.fills for part in parts))


def alternatives(parts: list[Pattern]) -> Pattern:
    return bracketed(
        " | ".join(part.text for part in parts),
        lambda doc, at, labels: {way for part in parts for way in part.ways(doc, at, labels)},
        any(part.fills for part in parts),
    )


def repeated(part: Pattern, times: tuple[str, int, int]) -> Pattern:
    text, least, most = times

    def ways(doc: Doc, at: int, labels: Labels) -> set[tuple[int, Labels]]:
        reached = {(at, labels)}
        found = set(reached) if least == 0 else set()
        for number in range(1, most + 1):
            before, reached = reached, {way for start, known in reached for way in part.ways(doc, start, known)}
            found |= reached if number >= least else set()
            if reached == before and number >= least:
                break
        return found

    return Pattern(part.text + text, ways, fills=part.fills and most > 0)


def gaps(part: Pattern) -> Pattern:
    """The longest stretches of a document that no match covers a token of."""

    def ways(doc: Doc, at: int, labels: Labels) -> set[tuple[int, Labels]]:
        covered = {place for start, end in part.spans(doc) for place in range(start, end)}
        free = [place not in covered for place in range(len(doc.tokens))]
        if at == len(free) or not free[at] or (at > 0 and free[at - 1]):
            return set()
        end = at
        while end < len(free) and free[end]:
            end += 1
        return {(end, labels)}

    return bracketed(f"!{part.text}", ways)


def related(part: Pattern, relation: str, other: Pattern | tuple[int, str | None]) -> Pattern:
    """What lies within or contains matches of another query; or so many tokens, or structures in a row."""
    kind = relation.removeprefix("!").removeprefix("not ")

    def holds(doc: Doc, start: int, end: int) -> bool:
        match other:
            case Pattern():
                spans = other.spans(doc)
            case int(count), None:
                return end - start <= count if kind == "within" else end - start >= count
            case int(count), str(structure):
                bounds = [(first, last) for first, last, _ in doc.structures[structure]]
                rows = range(1, count + 1) if kind == "within" else [count]
                spans = {
                    (bounds[at][0], bounds[at + row - 1][1]) for row in rows for at in range(len(bounds) - row + 1)
                }
        if kind == "within":
            return any(first <= start and end <= last for first, last in spans)
        return any(start <= first and last <= end for first, last in spans)

    def ways(doc: Doc, at: int, labels: Labels) -> set[tuple[int, Labels]]:
        return {
            (end, known)
            for end, known in part.ways(doc, at, labels)
            if end > at and holds(doc, at, end) == (kind == relation)
        }

    named = other.text if isinstance(other, Pattern) else f"{other[0]}{f' {other[1]}' if other[1] else ''}"
    if re.match("[a-z]+:", named):
        named = f"({named})"  # otherwise it is the name of an aligned corpus
    return bracketed(f"{part.bare or part.text} {relation} {named}", ways, part.fills)


def constrained(part: Pattern, sign: str, check: Check) -> Pattern:
    """A condition on the labels that are set at the end of a part, whose first and last token it can name."""

    def ways(doc: Doc, at: int, labels: Labels) -> set[tuple[int, Labels]]:
        return {
            (end, begun(known, dict(labels)["match"]))
            for end, known in part.ways(doc, at, begun(labels, at))
            if end > at and check.holds(View(doc, dict(known) | {"matchend": end - 1}))
        }

    return bracketed(f"{part.bare or part.text} {sign} {check.text}", ways, part.fills)


def meet(part: Pattern, other: Pattern, near: tuple[int, int] | str | None, name: str = "") -> Pattern:
    """A part that has another one near it: from first token to first token, or in the same structure."""

    def places(doc: Doc, at: int) -> range:
        if isinstance(near, str):
            return range(*doc.around(near, at)[:2])
        first, last = near or (1, 1)
        return range(max(0, at + first), min(len(doc.tokens), at + last + 1))

    def ways(doc: Doc, at: int, labels: Labels) -> set[tuple[int, Labels]]:
        return {
            (end, begun(both, dict(labels)["match"]))
            for end, known in part.ways(doc, at, begun(labels, at))
            if end > at
            for start in places(doc, at)
            for last, both in other.ways(doc, start, begun(known, start))
            if last > start
        }

    text = "" if near is None else f" {near}" if isinstance(near, str) else f" {near[0]} {near[1]}"
    return Pattern(f"{name}(meet {part.text} {other.text}{text})", ways)


def union(part: Pattern, other: Pattern) -> Pattern:
    return Pattern(f"(union {part.text} {other.text})", alternatives([part, other]).ways)


# Trees


@dataclass(eq=False)
class Branch:
    """A relation of a token to another: its sign (`>`, `<`, `>>`, `<<`), how it is written, and which it can be."""

    sign: str
    name: str
    relation: Callable[[str], bool]
    node: TreeNode
    negated: bool = False


@dataclass(eq=False)
class TreeNode:
    """A token of a tree, with its relations."""

    token: Check
    labels: tuple[str, ...]
    text: str
    branches: list[Branch] = field(default_factory=list)

    def written(self) -> str:
        return " ".join([self.text, *(_branch_text(branch) for branch in self.branches)])


def _branch_text(branch: Branch) -> str:
    node = f"({branch.node.written()})" if branch.node.branches else branch.node.text
    return f"{'!' if branch.negated else ''}{branch.sign}{branch.name} {node}"


def tree(root: TreeNode) -> Pattern:
    """Tokens in relations, all different; the span is from the first to the last of them."""

    def ways(doc: Doc, at: int, labels: Labels) -> set[tuple[int, Labels]]:
        found = set()
        for start in range(len(doc.tokens)):
            for places in _assigned(doc, root, start):
                used = list(places.values())
                if min(used) != at or len(set(used)) < len(used):
                    continue
                own = dict(labels) | {label: place for node, place in places.items() for label in node.labels}
                if all(node.token.holds(View(doc, own, place)) for node, place in places.items()):
                    found.add((max(used) + 1, frozenset(own.items())))
        return found

    return bracketed(root.written(), ways)


def _assigned(doc: Doc, node: TreeNode, at: int, without_labels: bool = False) -> Iterator[dict[TreeNode, int]]:
    """All ways to give tokens to a node, which is at a place, and to what hangs on it."""
    if without_labels and not node.token.holds(View(doc, {}, at)):
        return
    ways: list[dict[TreeNode, int]] = [{node: at}]
    for branch in node.branches:
        others = [other for other in range(len(doc.tokens)) if _related_by(doc, branch, at, other)]
        below = [
            way for other in others for way in _assigned(doc, branch.node, other, without_labels or branch.negated)
        ]
        if branch.negated:
            alone = [way for way in below if len({at, *way.values()}) == len(way) + 1]
            ways = [] if alone else ways
        else:
            ways = [before | way for before in ways for way in below]
    yield from ways


def _related_by(doc: Doc, branch: Branch, at: int, other: int) -> bool:
    """Whether a token stands in a relation to another; `>>` and `<<` are one or more steps of such a relation."""
    head, dependent = (at, other) if ">" in branch.sign else (other, at)
    while doc.heads[dependent] != dependent and branch.relation(doc.tokens[dependent]["deprel"]):
        dependent = doc.heads[dependent]
        if dependent == head:
            return True
        if len(branch.sign) == 1:
            return False
    return False


# Which of all matches


def strategic(strategy: str, spans: list[Span]) -> list[Span]:
    """Those that a matching strategy keeps."""
    if strategy == "all":
        return spans
    if strategy == "longest":
        return [one for one in spans if not any(_contains(other, one) for other in spans)]
    shortest = [one for one in spans if not any(other[0] == one[0] and other[1] < one[1] for other in spans)]
    if strategy == "standard":
        return [one for one in shortest if not any(other[1] == one[1] and other[0] < one[0] for other in shortest)]
    if strategy == "shortest":
        return [one for one in shortest if not any(_contains(one, other) for other in shortest)]
    return shortest


def _contains(one: Span, other: Span) -> bool:
    return one != other and one[0] <= other[0] and other[1] <= one[1]


def expanded(spans: list[Span], docs: list[Doc], side: str, count: int, structure: str | None) -> list[Span]:
    """Make spans longer, on one side (`left`, `right`) or both; they stay in their documents."""
    found = set()
    for start, end in spans:
        doc = next(doc for doc in reversed(docs) if doc.first <= start)
        first, last = start - doc.first, end - doc.first
        if structure is None:
            left, right = max(0, first - count), min(len(doc.tokens), last + count)
        else:
            bounds = [bound[:2] for bound in doc.structures[structure]]
            one, other = (bounds.index(doc.around(structure, at)[:2]) for at in (first, last - 1))
            left = bounds[max(0, one - count + 1)][0]
            right = bounds[min(len(bounds) - 1, other + count - 1)][1]
        found.add((doc.first + (first if side == "right" else left), doc.first + (last if side == "left" else right)))
    return sorted(found)


# Corpora

PlainToken = tuple[str, str, str] | tuple[str, str, str, int, str]
"""Word, tag, lemma; and how far its head is, and its relation, if it has one."""
PlainDoc = tuple[list[tuple[list[list[PlainToken]], str]], str, str]
PlainCorpus = list[PlainDoc]
_GLUED = {"b", "B", "é"}
"""Words without a space before them."""


def to_docs(corpus: PlainCorpus) -> list[Doc]:
    """The documents of a corpus for the scan."""
    docs = [_to_doc(document) for document in corpus]
    names = ("word", "tag", "lemma")
    frequencies = {name: Counter(token[name] for doc in docs for token in doc.tokens) for name in names}
    first = 0
    for doc in docs:
        doc.first, doc.frequencies = first, frequencies
        first += len(doc.tokens)
    return docs


def _to_doc(document: PlainDoc) -> Doc:
    paragraphs, host, year = document
    doc = Doc([], {"doc": [], "p": [], "s": []})
    for sentences, kind in paragraphs:
        start = len(doc.tokens)
        for sentence in sentences:
            doc.structures["s"].append((len(doc.tokens), len(doc.tokens) + len(sentence), {}))
            for token in sentence:
                doc.heads.append(len(doc.tokens) + (token[3] if len(token) > 3 else 0))
                doc.tokens.append(dict(zip(("word", "tag", "lemma", "deprel"), (*token[:3], *token[4:]), strict=False)))
        doc.structures["p"].append((start, len(doc.tokens), {"kind": kind}))
    doc.structures["doc"].append((0, len(doc.tokens), {"host": host, "year": year}))
    doc.glued = {at for at, token in enumerate(doc.tokens) if at > 0 and token["word"] in _GLUED}
    return doc


def to_documents(corpus: PlainCorpus) -> list[PlainDocument]:
    return [
        PlainDocument(
            [
                PlainParagraph(
                    [
                        [(*token[:3], "", token[0] in _GLUED, *([""] * (len(token) > 3)), *token[3:]) for token in one]
                        for one in sentences
                    ],
                    {"kind": kind},
                )
                for sentences, kind in paragraphs
            ],
            {"host": host, "year": year},
        )
        for paragraphs, host, year in corpus
    ]


def to_index(folder: str | Path, corpus: PlainCorpus) -> Index:
    return make_index(folder, to_documents(corpus))
