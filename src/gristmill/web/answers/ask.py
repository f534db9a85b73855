"""Which languages a corpus can be asked questions in."""

from __future__ import annotations

from typing import Any

from gristmill.answers.of_corpus import languages_of
from gristmill.answers.rules_file import bundled_rules
from gristmill.operations.common import NoParameters
from gristmill.operations.declaration import operation
from gristmill.pipeline import Corpus


@operation(NoParameters, room="search")
def ask_languages(corpus: Corpus, asked: NoParameters) -> dict[str, Any]:
    """List the languages of the corpus with their numbers of documents, and for which there are rules for questions."""
    del asked
    with_rules = sorted(lang for rules in bundled_rules().values() for lang in rules.languages)
    return {"languages": languages_of(corpus.index), "rules": with_rules}
