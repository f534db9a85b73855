"""Lemmas: those of words that a treebank has otherwise, then those of the dictionary or by rules of endings.

A script says how a form becomes its lemma: which letters are put before and behind what stays of it. `mice` becomes
`mouse` by (0, "", 3, "ouse"): nothing is cut from its start, three letters from its end.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import NamedTuple

from gristmill.annotation.tagging.treebank import Token
from gristmill.annotation.tagging.words import lowered

_MAX_ENDING = 6
_MIN_KEPT = 3
"""Letters that a form and its lemma must share for a script between them."""
_LIKE = 0.15
"""A rule for a longer ending is left out if it says the same, about as surely."""


class Script(NamedTuple):
    """How a form becomes its lemma."""

    cut_before: int
    before: str
    cut_behind: int
    behind: str

    def apply(self, form: str) -> str:
        """Return the lemma of a form; empty if the form is too short."""
        if self.cut_before + self.cut_behind > len(form):
            return ""
        return self.before + form[self.cut_before : len(form) - self.cut_behind] + self.behind


def script_of(form: str, lemma: str) -> Script | None:
    """Find the script of a form and its lemma, both in lower case; None if they share too little."""
    shared = 0
    while shared < min(len(form), len(lemma)) and form[shared] == lemma[shared]:
        shared += 1
    if shared * 3 >= len(form) or len(form) <= _MIN_KEPT:
        return Script(0, "", len(form) - shared, lemma[shared:])
    found = SequenceMatcher(None, form, lemma, autojunk=False).find_longest_match()
    if found.size < _MIN_KEPT:
        return None
    return Script(found.a, lemma[: found.b], len(form) - found.a - found.size, lemma[found.b + found.size :])


class Rule(NamedTuple):
    """The script of forms with an ending, and how surely it is right."""

    script: Script
    certainty: float


class Candidates(NamedTuple):
    """The lemmas of a word by the dictionary, in lower case; empty where it has none."""

    lower: str
    """Of the word in lower case."""
    capital: str
    """Of the word with a capital."""
    tail: str
    """Of the word as a compound: of the longest word in the dictionary that ends it."""


@dataclass(slots=True)
class Lemmas:
    """What is known about the lemmas of a language."""

    rules: dict[tuple[str, str], Rule] = field(default_factory=dict)
    """By tag and ending; the longest ending of a word decides."""
    exceptions: dict[tuple[str, str], str] = field(default_factory=dict)
    """Lemmas by word and tag."""
    certainties: dict[tuple[str, str], float] = field(default_factory=dict)
    """How often the dictionary is right, by the name of the candidate and tag."""
    cased: frozenset[tuple[str, str]] = frozenset()
    """Tags and shapes of words whose lemmas keep their capitals."""

    def lemma(self, word: str, tag: str, found: Candidates, is_lemma: Callable[[str], bool]) -> str:
        """Return the lemma of a word with a tag; `is_lemma` tells whether the dictionary has a word as a lemma."""
        known = self.exceptions.get((word, tag))
        if known is not None:
            return known
        lower = lowered(word)
        known = self.exceptions.get((lower, tag)) if lower != word else None
        return self._with_case(word, lower, known or self._choose(lower, word, tag, found, is_lemma), tag)

    def _choose(self, lower: str, word: str, tag: str, found: Candidates, is_lemma: Callable[[str], bool]) -> str:
        """Choose between the lemmas of the dictionary and the one by rules, in lower case."""
        guess, certainty = self._guess(lower, tag)
        kind, lemma = _of_dictionary(word, tag, found)
        if not lemma or lemma == guess:
            return guess
        if is_lemma(guess):
            certainty = (certainty + 1) / 2
        return guess if certainty > self.certainties.get((kind, tag), 0.5) else lemma

    def _guess(self, lower: str, tag: str) -> tuple[str, float]:
        """Return the lemma by rules of endings, and how surely it is right."""
        for size in range(min(_MAX_ENDING, len(lower)), -1, -1):
            rule = self.rules.get((tag, lower[len(lower) - size :]))
            if rule is not None and (lemma := rule.script.apply(lower)):
                return lemma, rule.certainty
        return lower, 0.0

    def _with_case(self, word: str, lower: str, lemma: str, tag: str) -> str:
        """Return a lemma with the capitals of its word, if lemmas of its tag keep them."""
        if word == lower or (tag, shape_of(word)) not in self.cased:
            return lemma
        shared = 0
        while shared < min(len(word), len(lemma)) and lower[shared] == lemma[shared]:
            shared += 1
        return word[:shared] + lemma[shared:]


def _of_dictionary(word: str, tag: str, found: Candidates) -> tuple[str, str]:
    """Return which lemma of the dictionary fits a word, and the name of the candidate."""
    if found.capital and word[:1].isupper() and (tag in {"NOUN", "PROPN"} or not found.lower):
        return "capital", found.capital
    if found.lower:
        return "lower", found.lower
    return ("capital", found.capital) if found.capital else ("tail", found.tail)


def shape_of(word: str) -> str:
    """Return how a word has capitals: at its start, all of it, or otherwise."""
    return "start" if word[:1].isupper() and word[1:] == word[1:].lower() else "all" if word.isupper() else "other"


def learn_lemmas(
    tokens: Iterable[Token], candidates: Mapping[str, Candidates], is_lemma: Callable[[str], bool]
) -> Lemmas:
    """Learn about lemmas from tokens whose lemmas are known; `candidates` has what the dictionary says of each word."""
    counts = Counter((token.word, token.tag, token.lemma) for token in tokens if token.lemma)
    lemmas = Lemmas(cased=_cased(counts))
    lemmas.rules = _rules(counts)
    lemmas.certainties = _certainties(counts, candidates)
    best: dict[tuple[str, str], tuple[int, str]] = {}
    in_lower: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for (word, tag, lemma), number in sorted(counts.items()):
        if number > best.get((word, tag), (0, ""))[0]:
            best[word, tag] = number, lemma
        in_lower[lowered(word), tag][lowered(lemma)] += number
    for (word, tag), (_, lemma) in best.items():
        lower = lowered(word)
        most = _most(in_lower[lower, tag])
        if lemmas.lemma(lower, tag, candidates[word], is_lemma) != most:
            lemmas.exceptions[lower, tag] = most
        if lemmas.lemma(word, tag, candidates[word], is_lemma) != lemma:
            lemmas.exceptions[word, tag] = lemma
    return lemmas


def _most(counts: Mapping[str, int]) -> str:
    return max(sorted(counts), key=counts.__getitem__)


def _cased(counts: Mapping[tuple[str, str, str], int]) -> frozenset[tuple[str, str]]:
    """Find the tags and shapes of words whose lemmas mostly keep their first capital."""
    kept: Counter[tuple[str, str]] = Counter()
    for (word, tag, lemma), number in counts.items():
        if word != lowered(word):
            kept[tag, shape_of(word)] += number if lemma != lowered(lemma) else -number
    return frozenset(key for key, number in kept.items() if number > 0)


def _rules(counts: Mapping[tuple[str, str, str], int]) -> dict[tuple[str, str], Rule]:
    """Learn the scripts of endings; a form counts once, however often it is there."""
    scripts: dict[tuple[str, str], Counter[Script]] = defaultdict(Counter)
    for word, tag, lemma in sorted(counts):
        lower = lowered(word)
        script = script_of(lower, lowered(lemma))
        if script is not None:
            for size in range(min(_MAX_ENDING, len(lower)) + 1):
                scripts[tag, lower[len(lower) - size :]][script] += 1
    rules: dict[tuple[str, str], Rule] = {}
    for (tag, ending), found in sorted(scripts.items(), key=lambda item: (len(item[0][1]), item[0])):
        script = max(sorted(found), key=found.__getitem__)
        total = sum(found.values())
        certainty = (found[script] + 0.5) / (total + 1.5)
        shorter = next(
            (rules[tag, ending[at:]] for at in range(1, len(ending) + 1) if (tag, ending[at:]) in rules), None
        )
        if shorter is None or shorter.script != script or (total > 2 and abs(shorter.certainty - certainty) > _LIKE):
            rules[tag, ending] = Rule(script, certainty)
    return rules


def _certainties(
    counts: Mapping[tuple[str, str, str], int], candidates: Mapping[str, Candidates]
) -> dict[tuple[str, str], float]:
    """Count how often the dictionary is right; a form counts once."""
    right: Counter[tuple[str, str]] = Counter()
    all_: Counter[tuple[str, str]] = Counter()
    for word, tag, lemma in counts:
        kind, found = _of_dictionary(word, tag, candidates[word])
        if found:
            all_[kind, tag] += 1
            right[kind, tag] += found == lowered(lemma)
    return {key: (right[key] + 1) / (number + 2) for key, number in all_.items()}


def to_lines(lemmas: Lemmas) -> dict[str, list[str]]:
    """Write what is known about lemmas as lines of text, with tabs between parts."""
    return {
        "rules": [
            "\t".join([tag, ending, *map(str, rule.script), f"{rule.certainty:.3f}"])
            for (tag, ending), rule in sorted(lemmas.rules.items())
        ],
        "exceptions": [f"{word}\t{tag}\t{lemma}" for (word, tag), lemma in sorted(lemmas.exceptions.items())],
        "certainties": [f"{kind}\t{tag}\t{value:.3f}" for (kind, tag), value in sorted(lemmas.certainties.items())],
        "cased": [f"{tag}\t{shape}" for tag, shape in sorted(lemmas.cased)],
    }


def from_lines(lines: Mapping[str, Sequence[str]]) -> Lemmas:
    """Read what `to_lines` wrote; raises `ValueError` if it is something else."""
    rules = {}
    for tag, ending, cut_before, before, cut_behind, behind, certainty in (line.split("\t") for line in lines["rules"]):
        script = Script(int(cut_before), before, int(cut_behind), behind)
        if script.cut_before < 0 or script.cut_behind < 0:
            raise ValueError("a rule cuts less than nothing")
        rules[tag, ending] = Rule(script, float(certainty))
    return Lemmas(
        rules,
        {(word, tag): lemma for word, tag, lemma in (line.split("\t") for line in lines["exceptions"])},
        {(kind, tag): float(value) for kind, tag, value in (line.split("\t") for line in lines["certainties"])},
        frozenset((tag, shape) for tag, shape in (line.split("\t") for line in lines["cased"])),
    )
