"""How often a passage that answers a question is among the first two, or four: by `gristmill ask`, and by BM25.

    python benchmarks/answers.py CORPUS                    questions written by hand about the bundled sample
    python benchmarks/answers.py CORPUS --made UD.parquet  questions made of sentences of treebanks
    python benchmarks/answers.py CORPUS --gold DIR         questions by hand about texts of gold standards

The first kind is in `answers_sample.tsv`: a question, and a piece of each sentence that answers it. CORPUS is a folder
with the sample (`gristmill build sample -o CORPUS`).

The second kind is made at run time of sentences with a subject, a verb and an object or place, by their gold trees:
"Bell invented the telephone in Boston" gives "Who invented the telephone?" or "Where did Bell invent the telephone?".
CORPUS is then a folder for an index of all sentences of that language, and the answer is the sentence itself. The
question has its words, in forms that the rules of `ask` expect: this favours us, and the figures are higher than those
of real questions, for BM25 too.

The third kind is in `answers_gold.tsv` (`answers_gold.py` says how it was made); CORPUS is a folder for indexes.

The tables are those of Delmonte (GReG, section 4): the share of the questions whose answer is among the first ten, and
of those, the share where it is among the first two (table 2), four (table 3), by how deep passages are looked at.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from answers_gold import gold_index, gold_questions
from answers_made import made_questions, sentences_index

from gristmill import Corpus
from gristmill.annotation.parsing.choice import choices_of
from gristmill.answers import LEVELS, Passage, Weights
from gristmill.answers.asking import Answers
from gristmill.answers.of_corpus import ask_corpus
from gristmill.answers.weights import QUESTION_WORDS

_FIRST = (1, 2, 4, 10)
_BM25 = "BM25"
Ask = Callable[..., Answers]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and pieces of the passages that answer it."""

    lang: str
    question: str
    passages: tuple[str, ...] = ()
    document: str = ""
    """What the id of the document that answers begins with, if any passage of it with all of `words` does."""
    words: tuple[str, ...] = ()

    def place(self, passages: Sequence[Passage]) -> int | None:
        """Find the place of the first passage that answers, from 1."""
        return next((n for n, passage in enumerate(passages, 1) if self._is_answer(passage)), None)

    def _is_answer(self, passage: Passage) -> bool:
        text = " ".join(passage.text.split())
        if not self.document:
            return any(part in text for part in self.passages)
        return passage.doc.startswith(self.document) and all(word.lower() in text.lower() for word in self.words)


def by_hand() -> Iterator[Asked]:
    """Read the questions about the sample."""
    with (Path(__file__).parent / "answers_sample.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            yield Asked(row["lang"], row["question"], tuple(row["passages"].split("||")))


def places(ask: Ask, asked: Asked, **options: Any) -> dict[str, int | None]:
    """Find the place of the answer in each ranking of the same passages."""
    found: dict[str, int | None] = {}
    answers: Answers | None = None
    for level in LEVELS:
        answers = ask(asked.question, lang=asked.lang, level=level, limit=None, **options)
        found[level] = asked.place([row.passage for row in answers.rows])
    assert answers is not None
    plain = sorted((row.passage for row in answers.rows if row.passage.plain_rank), key=lambda one: one.plain_rank or 0)
    found[_BM25] = asked.place(plain)
    return found


def measure(ask: Ask, questions: Sequence[Asked], **options: Any) -> dict[str, Any]:
    """Count how often the answer is among the first passages, by ranking."""
    counts: Counter[tuple[str, int]] = Counter()
    for asked in questions:
        for ranking, place in places(ask, asked, **options).items():
            counts.update((ranking, most) for most in _FIRST if place is not None and place <= most)
    return {
        "questions": len(questions),
        **{ranking: {f"top {most}": counts[ranking, most] for most in _FIRST} for ranking in (_BM25, *LEVELS)},
    }


def show(title: str, figures: dict[str, Any]) -> None:
    """Print a table."""
    total = figures["questions"]
    print(f"\n{title}: {total} questions")
    print(f"{'ranking':12}" + "".join(f"{f'top {most}':>16}" for most in _FIRST))
    for ranking in (_BM25, *LEVELS):
        cells = [figures[ranking][f"top {most}"] for most in _FIRST]
        print(f"{ranking:12}" + "".join(f"{count:8} {100 * count / max(total, 1):6.1f}%" for count in cells))


def _kinds(given: argparse.Namespace) -> Iterator[tuple[str, Ask, list[Asked]]]:
    """The questions that are asked for: what they are, who is asked, and the questions."""
    for lang in given.lang.split(","):
        if given.gold:
            for part in ("seen", "unseen"):
                of_part = gold_questions(lang, part)
                if of_part:
                    sets, folder = sorted({one.set for one in of_part}), given.corpus / f"{lang}-{part}"
                    index = gold_index(given.gold, lang, sets, folder / "index")
                    asked = [Asked(lang, one.question, (), f"{one.set}/{one.id}", one.answer) for one in of_part]
                    yield f"{lang}, {part}", partial(ask_corpus, index, folder), asked
        elif given.made:
            made = made_questions(given.made, lang, given.questions)
            folder = given.corpus / lang
            index = sentences_index(given.made, lang, folder / "index")
            yield lang, partial(ask_corpus, index, folder), [Asked(lang, question, (one,)) for question, one in made]
        else:
            own = Corpus(given.corpus)
            ask = partial(ask_corpus, own.index, own.folder, taggers=choices_of(own.config.annotate))
            yield lang, ask, [one for one in by_hand() if one.lang == lang]


def main() -> None:
    """Measure, and print tables or JSON."""
    parser = argparse.ArgumentParser(description="How often a passage that answers is among the first")
    parser.add_argument("corpus", type=Path, help="folder of the sample, or where the corpus of --made goes")
    parser.add_argument("--made", type=Path, metavar="FILE", help="sentences of treebanks to make questions of")
    parser.add_argument("--gold", type=Path, metavar="DIR", help="texts of gold standards to ask questions about")
    parser.add_argument("--lang", default="en,de", help="languages")
    parser.add_argument("--questions", type=int, default=200, help="questions of each language that are made")
    parser.add_argument("--question-words", default=Weights().question_words, choices=QUESTION_WORDS)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    weights = Weights(question_words=given.question_words)
    found = {}
    for name, ask, asked in _kinds(given):
        for rewriting in (True, False):
            title = f"{name}, {'question rewritten' if rewriting else 'question as it is'}"
            found[title] = measure(ask, asked, rewriting=rewriting, weights=weights)
            if not given.json:
                show(title, found[title])
    if given.json:
        print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
