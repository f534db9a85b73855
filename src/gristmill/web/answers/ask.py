"""Questions, and the passages that may answer them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gristmill.answers.of_corpus import languages_of
from gristmill.answers.rules_file import bundled_rules
from gristmill.answers.weights import LEVELS
from gristmill.operations.declaration import operation
from gristmill.parameters import param
from gristmill.pipeline import Corpus
from gristmill.search.ranked.store import AUTOMATIC_TOKENS
from gristmill.web.answers.about import NoParameters


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAsked:
    """A question, and how it is answered."""

    q: str = param(
        "What to ask: Who invented the telephone?", default="", max_characters=1_000, example="Who repairs tractors?"
    )
    lang: str = param(
        "Code of the language of the question; without it, its words tell.", default="", max_characters=20
    )
    where: str = param("Only documents for which this holds: year>=2010, or @name of a subcorpus.", default="")
    level: str = param("How deep passages are looked at.", default=LEVELS[-1], choices=LEVELS)
    rewriting: bool = param("Whether forms that an answer would have are looked for, too.", default=True)
    candidates: int = param("Passages of the plain ranking that are ranked again.", default=50, minimum=1, maximum=500)
    rows: int = param("How many answers.", default=10, minimum=1, maximum=1_000)


@operation(QuestionAsked, room="search")
def ask(corpus: Corpus, asked: QuestionAsked) -> dict[str, Any]:
    """Find passages that may answer a question, the best first.

    `forms` are what answers would look like, `asked` the queries. Rows have the `text` of a passage with its document,
    `marks` where the answer may stand in it, `found_by`, `plain_rank` (by BM25), and `score` with all its parts.
    `notes` say, for example, that there are no rules for the language.
    """
    return corpus.ask(
        asked.q,
        lang=asked.lang.strip() or None,
        where=asked.where.strip() or None,
        level=asked.level,
        rewriting=asked.rewriting,
        candidates=asked.candidates,
        limit=asked.rows,
        max_tokens=AUTOMATIC_TOKENS,
    ).to_json()


@operation(NoParameters, room="search")
def ask_languages(corpus: Corpus, asked: NoParameters) -> dict[str, Any]:
    """List the languages of the corpus with their numbers of documents, and for which there are rules for questions."""
    del asked
    with_rules = sorted(lang for rules in bundled_rules().values() for lang in rules.languages)
    return {"languages": languages_of(corpus.index), "rules": with_rules}
