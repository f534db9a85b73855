"""The method onion as docs/deduplication.md describes it, with loops and sets: slow, but easy to check."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gristmill.document import Document

Gram = tuple[str, ...]
Verdicts = list[list[tuple[str, float]]]
"""Verdict and share of each block that cleaning kept, by document."""


@dataclass(frozen=True)
class Rules:
    """The parameters of the method."""

    n: int
    threshold: float
    whole: bool = False
    name: str = "careful"

    @property
    def thesis(self) -> bool:
        return self.name == "thesis"

    def too_much(self, share: float) -> bool:
        return share >= self.threshold if self.thesis else share > self.threshold


class Text:
    """The blocks of a document that cleaning kept, or all of them as one; words are separated by spaces."""

    def __init__(self, document: Document, rules: Rules) -> None:
        kept = [(number, block) for number, block in enumerate(document.blocks) if block.is_text(0.5, document.roles)]
        words = [block.text.split() for _, block in kept]
        self.document = document
        self.count = len(words)
        self.blocks = [[word for block in words for word in block]] if rules.whole else words
        self.numbers = [number for number, _ in kept]
        lettered = [sum(any(map(str.isalpha, word)) for word in block) for block in words]
        self.spared = [
            not rules.thesis and (block.kind == "l" or lettered[at] < rules.n) for at, (_, block) in enumerate(kept)
        ]
        self.classes = ["short" if len(block) < 10 else "good" if len(block) > 30 else "near" for block in words]
        self.in_others: list[bool] = []
        self.of_word = [number for number, block in enumerate(self.blocks) for _ in block]
        text = [word for block in self.blocks for word in block]
        self.grams: dict[int, Gram] = {}
        for at in range(len(text) - rules.n + 1):
            touched = self.of_word[at : at + rules.n]
            within = (
                touched[0] == touched[-1] and self.classes[touched[0]] != "short"
                if rules.thesis and not rules.whole
                else True
            )
            if within:
                self.grams[at] = tuple(text[at : at + rules.n])

    def share(self, block: int, covered: set[int]) -> float:
        places = [at for at, number in enumerate(self.of_word) if number == block]
        return sum(at in covered for at in places) / max(len(places), 1)


@dataclass
class Settled:
    """What is kept of documents that were de-duplicated before: it stays, whatever comes after it."""

    grams: set[Gram] = field(default_factory=set)
    digests: set[bytes] = field(default_factory=set)
    short: set[Gram] = field(default_factory=set)

    def add(self, documents: Sequence[Document], found: Verdicts, rules: Rules) -> None:
        """Put in what was kept of some more documents."""
        for document, verdicts in zip(documents, found, strict=True):
            text = Text(document, rules)
            if document.dropped or not text.count or document.digest in self.digests:
                continue
            self.digests.add(document.digest)
            kept = [verdict == "unique" for verdict, _ in (verdicts[:1] if rules.whole else verdicts)]
            for at, gram in text.grams.items():
                if all(kept[block] for block in text.of_word[at : at + rules.n]):
                    self.grams.add(gram)
            self.short |= {
                tuple(words)
                for words, is_kept in zip(text.blocks, kept, strict=True)
                if is_kept and len(words) < rules.n
            }


def by_hand(documents: Sequence[Document], rules: Rules, settled: Settled | None = None) -> Verdicts:
    """De-duplicate documents, after some that are settled."""
    settled = settled or Settled()
    texts = [Text(document, rules) for document in documents]
    first: dict[bytes, int] = {}
    takes_part = [
        not text.document.dropped
        and text.document.digest not in settled.digests
        and (not text.count or first.setdefault(text.document.digest, number) == number)
        for number, text in enumerate(texts)
    ]
    total = Counter(gram for number, text in enumerate(texts) if takes_part[number] for gram in text.grams.values())
    repeated = [
        sum(total[gram] > 1 or gram in settled.grams for gram in text.grams.values()) / max(len(text.grams), 1)
        for text in texts
    ]
    order = sorted((number for number in range(len(texts)) if takes_part[number]), key=lambda number: repeated[number])
    out = set(settled.grams)
    found = {number: one_document(texts[number], out, rules) for number in order}
    if rules.thesis and not rules.whole:
        for number, verdicts in found.items():
            smooth(texts[number], verdicts)
    elif not rules.whole:
        drop_stubs([(texts[number], found[number]) for number in order], rules, settled.short)
    answer: Verdicts = []
    for number, text in enumerate(texts):
        if text.document.dropped:
            answer.append([])
        elif not takes_part[number]:
            answer.append([("duplicate", 1.0)] * text.count)
        else:
            answer.append(found[number] * text.count if rules.whole else found[number])
    return answer


def one_document(text: Text, out: set[Gram], rules: Rules) -> list[tuple[str, float]]:
    """Algorithm 3.1 for the blocks of a document: find what repeats n-grams of earlier output or of earlier blocks."""
    covered = {at + step for at, gram in text.grams.items() if gram in out for step in range(rules.n)}
    in_others = set(covered)
    inside: set[Gram] = set()
    text.in_others = [rules.too_much(text.share(block, in_others)) for block in range(len(text.blocks))]
    gone: list[bool] = []
    shares: list[float] = []
    for block in range(len(text.blocks)):
        for at, gram in text.grams.items():
            if text.of_word[at] == block and gram in inside and not rules.whole:
                covered.update(range(at, at + rules.n))
        spared = not rules.whole and text.spared[block]
        shares.append(text.share(block, in_others if spared else covered))
        gone.append(rules.too_much(shares[block]))
        for at, gram in text.grams.items():
            touched = text.of_word[at : at + rules.n]
            if touched[-1] == block and not any(gone[number] for number in touched):
                inside.add(gram)
    out |= inside
    return [("duplicate" if is_gone else "unique", share) for is_gone, share in zip(gone, shares, strict=True)]


def drop_stubs(
    judged: Sequence[tuple[Text, list[tuple[str, float]]]],
    rules: Rules,
    settled: frozenset[Gram] | set[Gram] = frozenset(),
) -> None:
    """Short blocks between duplicates go if a copy of them is kept in another document; by tidy rules all go."""
    candidates = {
        (document, block) for document, (text, _) in enumerate(judged) for block in between_duplicates(text, rules.n)
    }
    kept: dict[Gram, list[tuple[bool, int, int]]] = defaultdict(list)
    for document, (text, verdicts) in enumerate(judged):
        for block, text_of_block in enumerate(text.blocks):
            if 0 < len(text_of_block) < rules.n and verdicts[block][0] == "unique":
                kept[tuple(text_of_block)].append(((document, block) in candidates, document, block))
    for words, copies in kept.items():
        first, *others = sorted(copies)
        if words in settled:
            others = [copy for copy in copies if copy[0]]
        elif rules.name == "tidy" and first[0]:
            for _, document, block in copies:
                judged[document][1][block] = ("stub", judged[document][1][block][1])
            continue
        for is_candidate, document, block in others:
            if is_candidate and (document != first[1] or rules.name == "tidy" or words in settled):
                judged[document][1][block] = ("stub", 1.0)


def between_duplicates(text: Text, n: int) -> Iterator[int]:
    """Find runs of short blocks, at most 3n tokens, with a duplicate on one side, and one or an edge on the other."""
    kinds = ["short" if len(words) < n else "long" for words in text.blocks]
    kinds = ["duplicate" if is_duplicate else kind for kind, is_duplicate in zip(kinds, text.in_others, strict=True)]
    kinds = ["edge", *kinds, "edge"]
    start = 1
    while start < len(kinds):
        end = start
        while kinds[end] == "short":
            end += 1
        sides = {kinds[start - 1], kinds[end]}
        run = range(start - 1, end - 1)
        if "long" not in sides and "duplicate" in sides and sum(len(text.blocks[block]) for block in run) <= 3 * n:
            yield from run
        start = end + 1


def smooth(text: Text, verdicts: list[tuple[str, float]]) -> None:
    """Algorithm 2.3 with loops: duplicates are bad, and so are the blocks that cleaning dropped."""
    if not any(verdict == "duplicate" for verdict, _ in verdicts):
        return
    classes = ["bad"] * (max(text.numbers) + 1)
    for number, own, (verdict, _) in zip(text.numbers, text.classes, verdicts, strict=True):
        classes[number] = "bad" if verdict == "duplicate" else own

    def nearest(places: Iterator[int], wanted: set[str]) -> str:
        return next((classes[at] for at in places if classes[at] in wanted), "bad")

    for block, at in enumerate(text.numbers):
        before, after = range(at - 1, -1, -1), range(at + 1, len(classes))
        left, right = (nearest(iter(side), {"good", "bad"}) for side in (before, after))
        own = classes[at]
        if own == "near":
            good = "good" in {left, right}
        elif left == right:
            good = left == "good"
        else:
            good = nearest(iter(before if left == "bad" else after), {"good", "bad", "near"}) == "near"
        if own in {"short", "near"} and not good:
            verdicts[block] = ("stub", verdicts[block][1])
