"""How good chunks are: those by rules over gold tags, compared with those that dependency trees show.

    python benchmarks/chunks.py UD.parquet [--tuning]

The file has sentences of treebanks of Universal Dependencies, with columns `lang`, `upos`, `feats`, `heads` and
`deprel`. Every second sentence was looked at when the rules were made (`--tuning`); figures are of the others.

A noun chunk is a nominal with those of its dependents that are determiners, adjectives, numerals, or parts of a
compound or name, as far as they stand beside it without a gap, with all that depends on them. If something with a verb,
an adposition or a noun phrase of its own depends on one of them, that one and what is beyond it are left out. A verb
chunk is a verb with its auxiliaries, infinitive marks, negation and the adverbs between them. A prepositional chunk is
a noun chunk with its adpositions.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow.parquet as pq

from gristmill.annotation.chunks import KINDS, Words, find_chunks

Span = tuple[int, int]
_NOMINAL = frozenset(("NOUN", "PROPN", "PRON"))
_PARTS = frozenset(("det", "amod", "nummod", "compound", "flat", "clf"))
_PHRASES = frozenset(("obl", "nmod", "acl", "advcl", "appos", "nsubj", "obj"))
_MIN_CHUNKS = 300
"""Languages with fewer noun chunks are not shown."""


class Tree:
    """A sentence of a treebank."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.tags, self.feats, self.heads = row["upos"], row["feats"], [head - 1 for head in row["heads"]]
        self.relations = [relation.partition(":")[0] for relation in row["deprel"]]
        self.particles = [relation == "compound:prt" for relation in row["deprel"]]
        self.children: dict[int, list[int]] = defaultdict(list)
        for place, head in enumerate(self.heads):
            self.children[head].append(place)

    def chunks(self) -> dict[str, list[Span]]:
        """All chunks of the sentence."""
        nouns = self._noun_chunks()
        return {"nc": nouns, "vc": list(self._verb_chunks()), "pc": list(self._with_adpositions(nouns))}

    def _owns(self, place: int) -> bool:
        """Whether a word is a possessive pronoun of another: `my`."""
        return (
            self.tags[place] in {"PRON", "DET"}
            and "Poss=Yes" in self.feats[place]
            and self.relations[place] in {"nmod", "det"}
        )

    def _part(self, place: int) -> list[int]:
        """A dependent and all that depends on it, if it belongs to a chunk; otherwise nothing."""
        if self.relations[place] not in _PARTS and not self._owns(place):
            return []
        found = [place]
        for one in found:
            found += self.children[one]
        found.sort()
        inner = [one for one in found if one != place]
        whole = found[-1] - found[0] + 1 == len(found)
        plain = not any(self.tags[one] in {"VERB", "AUX", "ADP", "SCONJ"} for one in inner)
        own = any(self.relations[one] in _PHRASES and not self._owns(one) for one in inner)
        return found if whole and plain and not own else []

    def _noun_chunks(self) -> list[Span]:
        taken: set[int] = set()
        found = []
        for head, tag in enumerate(self.tags):
            if tag not in _NOMINAL or self.relations[head] in _PARTS or self._owns(head):
                continue
            parts = [part for child in self.children[head] if (part := self._part(child))]
            before, after = {part[-1]: part[0] for part in parts}, {part[0]: part[-1] for part in parts}
            low, high = head, head
            while low - 1 in before:
                low = before[low - 1]
            while high + 1 in after:
                high = after[high + 1]
            span = range(low, high + 1)
            if taken.isdisjoint(span):
                taken.update(span)
                found.append((low, high + 1))
        return found

    def _verb_chunks(self) -> Iterator[Span]:
        for head, tag in enumerate(self.tags):
            if tag not in {"VERB", "AUX"} or self.relations[head] in {"aux", "amod", "compound", "det", "case", "mark"}:
                continue
            core = {head} | {
                child
                for child in self.children[head]
                if self.relations[child] == "aux" or self.particles[child] or self.tags[child] == "PART"
            }
            members = core | {
                child for child in self.children[head] if (self.relations[child], self.tags[child]) == ("advmod", "ADV")
            }
            low, high = head, head
            while low - 1 in members:
                low -= 1
            while high + 1 in members:
                high += 1
            inside = [place for place in range(low, high + 1) if place in core]
            yield inside[0], inside[-1] + 1

    def _with_adpositions(self, nouns: Sequence[Span]) -> Iterator[Span]:
        for start, end in nouns:
            inside = range(start, end)
            heads = [place for place in inside if self.heads[place] not in inside]
            cases = [
                child
                for head in heads
                for child in self.children[head]
                if self.relations[child] == "case" and self.tags[child] == "ADP"
            ]
            cases += [child for case in cases for child in self.children[case] if self.relations[child] == "fixed"]
            low, high = start, end
            while low - 1 in cases:
                low -= 1
            while low == start and high in cases:
                high += 1
            if (low, high) != (start, end):
                yield low, high


def measure(path: str, odd: int) -> dict[str, dict[str, Counter[str]]]:
    """Count chunks that are right, found, and there, by language and kind."""
    counts: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    table = pq.read_table(path, columns=["lang", "upos", "feats", "heads", "deprel"])
    for number, row in enumerate(table.to_pylist()):
        if number % 2 != odd or not row["upos"]:
            continue
        there = Tree(row).chunks()
        feats = [value.strip("_") for value in row["feats"]]
        found = find_chunks(Words.of(row["upos"], feats, [len(row["upos"])]), row["lang"])
        for kind in KINDS:
            spans = set(zip(*(edges.tolist() for edges in found[kind]), strict=True))
            right = len(spans.intersection(there[kind]))
            counts[row["lang"]][kind].update(right=right, found=len(spans), there=len(there[kind]))
    return counts


def main() -> None:
    """Write a table of F1."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file")
    parser.add_argument("--tuning", action="store_true", help="sentences that the rules were made with")
    asked = parser.parse_args()
    counts = measure(asked.file, 0 if asked.tuning else 1)
    print("| language | noun chunks | " + " | ".join(f"{kind} F1" for kind in KINDS) + " |")
    print("|---|" + "---|" * (len(KINDS) + 1))
    for lang, kinds in sorted(counts.items(), key=lambda item: -_f1(item[1]["nc"])):
        if kinds["nc"]["there"] >= _MIN_CHUNKS:
            figures = " | ".join(f"{100 * _f1(kinds[kind]):.1f}" for kind in KINDS)
            print(f"| {lang} | {kinds['nc']['there']:,} | {figures} |")


def _f1(count: Counter[str]) -> float:
    """F1 of chunks that are right as a whole."""
    return 2 * count["right"] / max(count["found"] + count["there"], 1)


if __name__ == "__main__":
    main()
