"""Answers to questions: they are rewritten as answers would be worded, and passages are ranked by what they say.

    rules/, rules_file, pattern    kinds of questions by language, and patterns over the words of one
    question, rewriting            what is asked, and the forms that an answer would have; verbs by `inflection`
    analysis                       words, names (`names`), heads and predicates (`constituents`, `verbs`) of a text
    passages, from_provider        what may answer: sentences of an index, snippets of a search provider
    scoring, weights, answering    the score of a passage, with all its parts, and what in it may be the answer
    asking, of_corpus              all of it together

The method is that of GReG (Delmonte, fourth Web as Corpus workshop, 2008), with its levels of analysis.
"""

from typing import TYPE_CHECKING

from gristmill.lazy import lazy_names

if TYPE_CHECKING:
    from gristmill.answers.asking import Answer, Answers, Asking
    from gristmill.answers.from_provider import ask_provider
    from gristmill.answers.of_corpus import ask_corpus
    from gristmill.answers.passages import Passage
    from gristmill.answers.rules_file import Rules, read_rules, rules_for
    from gristmill.answers.scoring import Score
    from gristmill.answers.weights import LEVELS, Weights

__all__ = [
    "LEVELS",
    "Answer",
    "Answers",
    "Asking",
    "Passage",
    "Rules",
    "Score",
    "Weights",
    "ask_corpus",
    "ask_provider",
    "read_rules",
    "rules_for",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "asking": ("Answer", "Answers", "Asking"),
        "from_provider": ("ask_provider",),
        "of_corpus": ("ask_corpus",),
        "passages": ("Passage",),
        "rules_file": ("Rules", "read_rules", "rules_for"),
        "scoring": ("Score",),
        "weights": ("LEVELS", "Weights"),
    },
)
