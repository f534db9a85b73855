"""The language of a question: that of its question words, among the languages of a corpus that has it answered."""

from __future__ import annotations

from collections.abc import Mapping

from gristmill.answers.rules_file import rules_for
from gristmill.text.words import words


def language_of_question(text: str, languages: Mapping[str, int]) -> str:
    """Tell the language of a question; `languages` are those of the corpus, with how much there is of each.

    The language is the one that has most words of the question among its question words and stop words. If none has
    any, it is the largest one: a question is too short to identify its language by its letters.
    """
    asked = [word.lower() for word in words(text)]
    counts = {}
    for lang in languages:
        rules = rules_for(lang)
        first = bool(asked) and asked[0] in rules.question_words
        counts[lang] = (first, sum(word in rules.question_words | rules.stop for word in asked))
    return max(languages, key=lambda lang: (counts[lang], languages[lang]), default="en")
