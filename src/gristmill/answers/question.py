"""A question, understood: what kind it is, what it is about, and which forms an answer to it would have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from gristmill.answers.analysis import BY_RELATIONS, Analysis, analyse
from gristmill.answers.inflection import Inflection
from gristmill.answers.names import Name
from gristmill.answers.pattern import Span, Word
from gristmill.answers.rewriting import Form, rewrite, substitutes
from gristmill.answers.rules_file import QuestionRule, Rules
from gristmill.errors import UsageError

MAX_CHARACTERS = 1_000
_NOUNS = frozenset(("NOUN", "PROPN"))
_WITHIN_PHRASE = frozenset(("det", "amod", "advmod", "nummod"))
"""What links a question word to the phrase that it begins: *which house*, *how many people*."""
_ENDS = frozenset(("?", ".", "!", "…", ":", '"', "“", "”", "„", "«", "»", "'", "‘", "’"))


@dataclass(frozen=True, slots=True)
class Unit:
    """A content word of a question, or a name of several words."""

    at: int
    """Its last word, or the only one."""
    text: str
    root: str
    """Its lemma in lower case."""
    tag: str
    name: Name | None = None

    @property
    def places(self) -> range:
        """Its words in the question."""
        return range(self.name.start, self.name.end) if self.name else range(self.at, self.at + 1)


@dataclass(frozen=True)
class Question:
    """A question with its analysis."""

    analysis: Analysis
    rule: QuestionRule | None
    """The kind of question; None if no rule fits."""
    kept: dict[str, Span]
    """Which words the pattern of the rule kept."""
    forms: tuple[Form, ...]
    """What an answer would look like."""
    items: tuple[str, ...]
    """What may stand there in place of the question word: lemmas in lower case, and classes such as `#date`."""

    @property
    def text(self) -> str:
        """The question as it was asked."""
        return self.analysis.text

    @property
    def type(self) -> str:
        """What is asked for: `person`, `date`...; empty if no rule says."""
        return self.rule.type if self.rule else ""

    @cached_property
    def question_words(self) -> frozenset[str]:
        """The words that ask."""
        return frozenset(word for word in self.analysis.folded if word in self.analysis.rules.question_words)

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """Content words and names, each once."""
        analysis, found, inside = self.analysis, dict[str, Unit](), set[int]()
        asking = self._asking
        for name in analysis.names:
            inside.update(range(name.start, name.end))
            text = " ".join(analysis.words[name.start : name.end])
            last = name.end - 1
            found.setdefault(text.casefold(), Unit(last, text, analysis.roots[last], analysis.tags[last], name))
        for at, word in enumerate(analysis.words):
            if at not in inside and at not in asking and analysis.is_content(at):
                found.setdefault(analysis.roots[at], Unit(at, word, analysis.roots[at], analysis.tags[at]))
        return tuple(sorted(found.values(), key=lambda unit: unit.at))

    @cached_property
    def asked_about(self) -> set[int]:
        """Words of which the answer can be an argument, an adjunct or a modifier.

        With relations, they are what governs the question word, and the noun it belongs to: `live` and `people` in *how
        many people live there*. Where there are none, all heads can be.
        """
        heads = self.analysis.annotation.heads
        if self.analysis.structure.source != BY_RELATIONS:
            return set(self.analysis.structure.labels)
        found = set[int]()
        for at, word in enumerate(self.analysis.folded):
            if word in self.question_words:
                phrase = self._phrase(at)
                top = phrase[-1]
                found.update(phrase[1:])
                if not heads[top]:
                    found.update(place for place, offset in enumerate(heads) if offset and place + offset == top)
                elif top == at or self.analysis.tags[top] != "VERB":
                    found.add(top + heads[top])
        return found

    @cached_property
    def asked_nouns(self) -> set[int]:
        """Nouns that question words belong to: `people` in *how many people live there*. None without relations."""
        if self.analysis.structure.source != BY_RELATIONS:
            return set()
        asking = [at for at, word in enumerate(self.analysis.folded) if word in self.question_words]
        return {place for at in asking for place in self._phrase(at) if self.analysis.tags[place] in _NOUNS}

    def _phrase(self, at: int) -> list[int]:
        """A question word and what it belongs to, up to the head of the phrase: *how*, *many*, *people*."""
        heads, relations = self.analysis.annotation.heads, self.analysis.annotation.deprels
        found = [at]
        while heads[found[-1]] and relations[found[-1]].partition(":")[0] in _WITHIN_PHRASE:
            found.append(found[-1] + heads[found[-1]])
            if self.analysis.tags[found[-1]] == "VERB":
                break
        return found

    @cached_property
    def _asking(self) -> set[int]:
        """Words that belong to asking and not to what is asked: `many` of `how many`, `name` of an imperative."""
        if self.rule is None:
            return set()
        kept = {at for start, end in self.kept.values() for at in range(start, end)}
        return set(range(len(self.analysis.words))) - kept


def understand(text: str, lang: str, rules: Rules, inflection: Inflection, choices: Sequence[str] = ()) -> Question:
    """Analyse a question and find the forms of its answers; raises if there is nothing to ask."""
    asked = " ".join(text.split())
    if not any(map(str.isalnum, asked)):
        raise UsageError("the question is empty: ask something like 'Who invented the telephone?'")
    if len(asked) > MAX_CHARACTERS:
        raise UsageError(f"a question may have {MAX_CHARACTERS:,} characters, not {len(asked):,}")
    analysis = _with_verb(analyse([(asked, lang)], rules, choices)[0])
    words = _words(analysis)
    rule, kept = _fitting(words, rules)
    if rule is None:
        return Question(analysis, None, {}, (), ())
    forms = rewrite(rule, words, kept, rules, inflection)
    return Question(analysis, rule, kept, forms, substitutes(rule.items, words, kept, rules))


def _with_verb(analysis: Analysis) -> Analysis:
    """Correct the tag of the verb after `do`, which taggers take for a noun: they have seen few questions.

    If no word after `do` is tagged as a verb, it is the last of the first nouns that stand side by side:

        What does Peugeot company manufacture       How did the council vote on the clock
                  PROPN   NOUN    NOUN                          NOUN    NOUN ADP    NOUN
    """
    given = analysis.annotation
    bare = (at for at, root in enumerate(analysis.roots) if root in analysis.rules.bare_verb_after)
    auxiliary = next(bare, None)
    if auxiliary is None or "VERB" in given.tags[auxiliary + 1 :]:
        return analysis
    nouns = [tag in _NOUNS for tag in given.tags]
    for at in range(auxiliary + 2, len(nouns)):
        if nouns[at - 1] and nouns[at] and not any(nouns[at + 1 : at + 2]) and given.tags[at] == "NOUN":
            tags, lemmas, feats = list(given.tags), list(given.lemmas), list(given.feats)
            tags[at], lemmas[at], feats[at] = "VERB", given.words[at].lower(), "VerbForm=Inf"
            corrected = replace(given, tags=tags, lemmas=lemmas, feats=feats)
            return Analysis.of(analysis.text, analysis.lang, corrected, analysis.rules)
    return analysis


def _words(analysis: Analysis) -> list[Word]:
    """List the words of a question without the marks at its end; quotation marks are kept within."""
    columns = zip(analysis.words, analysis.lemmas, analysis.tags, analysis.feats, strict=True)
    words = [Word(*column) for column in columns]
    while words and words[-1].word in _ENDS:
        words.pop()
    return words


def _fitting(words: Sequence[Word], rules: Rules) -> tuple[QuestionRule | None, dict[str, Span]]:
    """Find the first rule one of whose patterns fits."""
    for rule in rules.questions:
        if any(pattern.match(words) is not None for pattern in rule.unless):
            continue
        for pattern in rule.patterns:
            kept = pattern.match(words)
            if kept is not None:
                return rule, dict(kept)
    return None, {}
