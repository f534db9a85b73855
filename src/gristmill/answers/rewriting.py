"""Questions rewritten into the forms that their answers would have (Delmonte, GReG, section 3).

    Who wrote "Dubliners"?                      * wrote Dubliners        author|writer * wrote Dubliners
    What does Peugeot company manufacture?      Peugeot company manufactures *

`*` stands for the answer, and `|` between words for "or".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gristmill.answers.inflection import Inflection
from gristmill.answers.pattern import Span, Word
from gristmill.answers.rules_file import QuestionRule, Rules

GAP = "*"
"""Stands for the answer."""
_SLOT = re.compile(r"\{([A-Z])(?:([:=])(\w+))?\}")
_QUOTES = frozenset("\"“”„«»'‘’`")
_DO = {"do": (), "does": ("Tense=Pres", "Person=3", "Number=Sing"), "did": ("Tense=Past", "VerbForm=Fin")}
"""What the forms of English `do` say of the verb that they stand with."""


@dataclass(frozen=True, slots=True)
class Form:
    """What an answer would look like: for each place, the words that may stand there; `(GAP,)` is the answer."""

    places: tuple[tuple[str, ...], ...]

    @property
    def text(self) -> str:
        """The form as it is shown, and asked of people: `* was|were invented by *`."""
        return " ".join("|".join(words) for words in self.places)

    @property
    def words(self) -> tuple[tuple[str, ...], ...]:
        """The words without the gap."""
        return tuple(words for words in self.places if words != (GAP,))


def rewrite(
    rule: QuestionRule, words: Sequence[Word], kept: Mapping[str, Span], rules: Rules, inflection: Inflection
) -> tuple[Form, ...]:
    """Make the forms of a rule of the words that its pattern kept; those with a part that is missing are left out."""
    found: dict[Form, None] = {}
    for template in rule.forms:
        places: list[tuple[str, ...]] = []
        for part in template.split():
            filled = _filled(part, words, kept, rules, inflection)
            if filled is None:
                break
            places += filled
        else:
            if any(place != (GAP,) for place in places):
                found.setdefault(Form(tuple(places)))
    return tuple(found)


def substitutes(items: Sequence[str], words: Sequence[Word], kept: Mapping[str, Span], rules: Rules) -> tuple[str, ...]:
    """List what may stand in an answer in place of the question word, in lower case."""
    found: list[str] = []
    for item in items:
        slot = _SLOT.fullmatch(item)
        if slot is None:
            found.append(item.lower())
        elif slot[1] in kept:
            start, end = kept[slot[1]]
            lemma = words[end - 1].lemma.lower()
            table = (
                rules.tables.get(slot[3], {})
                if slot[2] == ":"
                else {lemma: tuple(word.lemma for word in words[start:end])}
            )
            found += [word.lower() for word in table.get(lemma, ())]
    return tuple(dict.fromkeys(found))


def _filled(
    part: str, words: Sequence[Word], kept: Mapping[str, Span], rules: Rules, inflection: Inflection
) -> list[tuple[str, ...]] | None:
    """Fill one part of a template; None if what belongs there is not known."""
    slot = _SLOT.fullmatch(part)
    if slot is None:
        return [tuple(part.split("|"))]
    name, how, what = slot.groups()
    if name not in kept:
        return [] if not how and name in "RD" else None
    start, end = kept[name]
    some = [word for word in words[start:end] if word.word not in _QUOTES]
    if how is None:
        return [(word.word,) for word in some]
    if not some:
        return None
    if how == ":":
        found = rules.tables.get(what, {}).get(some[-1].lemma.lower())
        return [found] if found else None
    inflected = _inflected(some[-1], what, words, kept, rules, inflection)
    return [(word,) for word in (*(one.word for one in some[:-1]), *inflected)]


def _inflected(
    verb: Word, what: str, words: Sequence[Word], kept: Mapping[str, Span], rules: Rules, inflection: Inflection
) -> list[str]:
    """Inflect a verb by a name of the rules, or as it stands with the auxiliary of the question.

    `did ... invent` becomes `invented`, and `does ... make` becomes `makes`. Other auxiliaries stay, right before the
    verb: `was ... born` becomes `was born`.
    """
    if what in rules.verbs:
        return [inflection.inflect(verb.lemma.lower(), [part.strip() for part in rules.verbs[what].split("&")])]
    if what not in kept:
        return [verb.word]
    auxiliary = words[kept[what][0]].word.lower()
    base = verb.lemma.lower() if verb.tag == "VERB" else verb.word.lower()
    if auxiliary in _DO:
        return [inflection.inflect(base, _DO[auxiliary])] if _DO[auxiliary] else [verb.word]
    return [auxiliary, verb.word]
