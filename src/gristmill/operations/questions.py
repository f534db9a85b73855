"""Questions, and the passages that may answer them."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING, Literal

from gristmill.operations.common import OfPart, Rows
from gristmill.operations.declaration import operation
from gristmill.parameters import asked, param

if TYPE_CHECKING:
    from gristmill.answers.asking import Answers
    from gristmill.pipeline import Corpus


@asked
class AskAsked(OfPart, Rows):
    """A question, and how it is answered."""

    question: str = param(
        "What to ask: Who invented the telephone?",
        kw_only=False,
        kind="words",
        name="q",
        max_characters=1_000,
        example="Who repairs tractors?",
    )
    lang: str | None = param(
        "Language of the question, and of the documents that are asked [told by its words].",
        default=None,
        kind="lang",
        max_characters=20,
    )
    level: Literal["words", "heads", "relations"] = param("How deep passages are looked at.", default="relations")
    rules: str | os.PathLike[str] | None = param(
        "A file with rules for questions of your own, in TOML.", default=None, kind="file"
    )
    rewriting: bool = param("Also look for forms that an answer would have, not only for its words.", default=True)
    candidates: int = param(
        "Passages of the plain ranking that are ranked again.", default=50, minimum=1, maximum=1_000
    )
    explain: bool = param("Show queries, and the parts of each score.", default=False)
    limit: int = param("How many answers; 0 for all.", default=10, minimum=0, short="-l")


@operation(
    AskAsked,
    room="search",
    table=True,
    group="search",
    tool=True,
    examples=(
        'gristmill ask corpus "Who dug a tunnel under the bridge?"',
        'gristmill ask corpus "Wie viele Bände fasst der Bus?" --explain',
        'gristmill ask corpus "When was the gauge put up?" --json --limit 0',
    ),
)
def ask(corpus: Corpus, asked: AskAsked) -> Answers:
    """Ask a question: passages that may answer, best first.

    The question is rewritten into forms that an answer would have ("* invented the telephone", "the telephone was
    invented by *"), which are looked for, as are its content words. What is found is ranked again by words, tags, heads
    of phrases, and predicates with their arguments. What may be the answer is marked, if the question asks for a
    person, a place, a number or a date.
    """
    from gristmill.annotation.parsing.choice import choices_of
    from gristmill.answers.of_corpus import ask_corpus
    from gristmill.corpus.named import admit
    from gristmill.search.ranked.store import AUTOMATIC_TOKENS

    choices = choices_of(corpus.config.annotate)  # the question is tagged and parsed as the corpus was
    if choices:
        admit(corpus.config, "annotate")
    found = ask_corpus(
        corpus.index,
        corpus.folder,
        asked.question,
        lang=asked.lang,
        where=asked.where,
        rules=asked.rules,
        taggers=choices,
        level=asked.level,
        candidates=asked.candidates,
        rewriting=asked.rewriting,
        limit=asked.end,
        max_tokens=None if corpus.build else AUTOMATIC_TOKENS,
        report=corpus.report("indexing units", corpus.index.size),
    )
    return dataclasses.replace(found, explained=asked.explain).from_row(asked.offset)
