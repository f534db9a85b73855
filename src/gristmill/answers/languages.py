"""The language of a question, among the languages of a corpus that has it answered."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from unicodedata import name

from gristmill.answers.rules_file import rules_for
from gristmill.language import identify, stop_list
from gristmill.text.words import words

_MAX_LISTS = 8
"""Languages whose stop lists are looked at, the largest: each takes some tenths of a second to load."""
_SEEN_WORDS = 50
"""Words of a stop list by which its script is known."""


def language_of_question(text: str, languages: Mapping[str, int]) -> str:
    """Tell the language of a question; `languages` are those of the corpus, with how much there is of each.

    It is the one that has most words of the question in its rules, or the one that is identified. A question is short,
    so the two may differ, or there is neither: then it is the one that has most of the words in its stop list. If none
    has any, it is the largest one in the script of the question.
    """
    asked = [word.lower() for word in words(text)]
    counts = {lang: _by_rules(asked, lang) for lang in languages}
    known = {lang for lang, count in counts.items() if any(count)}
    found = {max(known, key=lambda lang: (counts[lang], languages[lang]))} if known else set()
    found |= {identify(text).lang} & languages.keys()
    if len(found) == 1:
        return found.pop()
    ordered = sorted(found or languages, key=lambda lang: (-languages[lang], lang))[:_MAX_LISTS]
    if not ordered:
        return "en"
    frequent = {lang: sum(word in stop_list(lang) for word in asked) for lang in ordered}
    best = max(ordered, key=lambda lang: (frequent[lang], counts[lang]))
    if frequent[best] or found:
        return best
    return next((lang for lang in ordered if _scripts(text) & _scripts_of(lang)), ordered[0])


def _by_rules(asked: list[str], lang: str) -> tuple[bool, int]:
    """Whether a question begins with a question word of a language, and how many words of it the rules know."""
    rules = rules_for(lang)
    first = bool(asked) and asked[0] in rules.question_words
    return first, sum(word in rules.question_words | rules.stop for word in asked)


def _scripts_of(lang: str) -> set[str]:
    return _scripts(" ".join(islice(sorted(stop_list(lang)), _SEEN_WORDS)))


def _scripts(text: str) -> set[str]:
    """The scripts of letters, as Unicode names them: `LATIN`, `CYRILLIC`."""
    return {name(letter, "").partition(" ")[0] for letter in text if letter.isalpha()}
