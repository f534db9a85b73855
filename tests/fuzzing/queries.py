"""Queries and conditions: written by their grammar, damaged, or mere signs."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from random import Random

import gristmill
from fuzzing.corpora import small_corpus
from fuzzing.target import Target
from gristmill.condition import Condition
from gristmill.corpus import Selection
from gristmill.errors import UsageError

_ATTRIBUTES = "word lemma tag xpos lc nothing".split()
_DOC_ATTRIBUTES = [
    *"id url host lang title author year month date published status source words page_kind query round".split(),
    *"version nothing".split(),
]
_SIGNS = ["=", "!=", "==", "!==", "<", "<=", ">", ">=", "=="]
_VALUES = [
    ".*", "the", "m.ll", "(a|b)*", "[a-z]+", "(?i)mill", "un.*able", "[[:alpha:]]+", r"\w+", r"\d{2,3}", "(", "[", "*",
    "a{1000}", "(a{50}){50}", "", "é", "\\",
    "2015", "banana", "1e400", "nan", "-1", 'a\\"b', "\0", "\ud800", "(?P<x>a)", "^a$", "健", ".", "(?s).",
]  # fmt: skip
_STRUCTURES = ["s", "p", "doc", "nothing"]
_SCRAPS = [
    "[",
    "]",
    "<",
    ">",
    "/",
    "{",
    "}",
    "(",
    ")",
    "&",
    "|",
    "!",
    "%c",
    '"',
    "'",
    "=",
    ",",
    "1:",
    "within",
    "containing",
    "*",
    "+",
    "?",
    "..",
    "\\",
    " ",
    "\n",
    "1.word",
    "\0",
    "é",
]
_PLAIN = ["the", "mill", "*", "health*", "m?ll", "a-b", "don't", "...", "\\*", "«", "健康", "(the", "the)", "1"]


def condition(random: Random, names: list[str], depth: int = 0) -> str:
    """A condition on attributes of these names."""
    match random.randrange(6 if depth < 4 else 3):
        case 3:
            return f"{condition(random, names, depth + 1)} {random.choice('&|')} {condition(random, names, depth + 1)}"
        case 4:
            return f"({condition(random, names, depth + 1)})"
        case 5:
            return f"!{condition(random, names, depth + 1)}"
        case _:
            value = random.choice(_VALUES)
            quoted = random.choice([f'"{value}"', f"'{value}'", f'"{value}"%c', value])
            return f"{random.choice(names)}{random.choice(_SIGNS)}{quoted}"


def query(random: Random, depth: int = 0) -> str:  # noqa: PLR0911 (a way for each kind of query)
    """A query in CQL."""
    match random.randrange(12 if depth < 4 else 4):
        case 0 | 1:
            return f"[{condition(random, _ATTRIBUTES, 2)}]"
        case 2:
            return f'"{random.choice(_VALUES)}"'
        case 3:
            return random.choice(
                ["[]", "<s>", "</s>", "<p>", "<doc/>", "<s/>", f"<doc {condition(random, _DOC_ATTRIBUTES, 2)}>"]
            )
        case 4 | 5 | 6:
            return " ".join(query(random, depth + 1) for _ in range(random.choice([2, 2, 3, 5])))
        case 7:
            return f"({query(random, depth + 1)})"
        case 8:
            return f"({query(random, depth + 1)}) | ({query(random, depth + 1)})"
        case 9:
            return query(random, depth + 1) + random.choice(
                ["*", "+", "?", "{2}", "{1,3}", "{,2}", "{2,}", "{0}", "{3,1}", "{99999999}"]
            )
        case 10:
            relation = random.choice(["within", "containing", "!within", "not containing"])
            other = random.choice(["<s/>", f"<{random.choice(_STRUCTURES)}/>", query(random, depth + 1)])
            return f"{query(random, depth + 1)} {relation} {other}"
        case _:
            agreement = f"1.word {random.choice(['=', '!='])} 2.{random.choice(_ATTRIBUTES)}"
            return f"1:{query(random, depth + 1)} 2:{query(random, depth + 1)} & {agreement}"


def scrambled(text: str, random: Random) -> str:
    """A text with some signs put in, taken out or doubled."""
    for _ in range(random.choice([1, 1, 2, 5])):
        at = random.randrange(len(text) + 1)
        match random.randrange(3):
            case 0:
                text = text[:at] + random.choice(_SCRAPS) + text[at:]
            case 1:
                text = text[:at] + text[at + random.choice([1, 3, 10]) :]
            case _:
                text = text[:at] + text[at : at + 10] * random.choice([2, 50]) + text[at:]
    return text


class Cql(Target):
    """Queries on a small corpus: an answer, or an error that says what is wrong with the query."""

    name = "cql"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.corpus = gristmill.Corpus(small_corpus(folder))

    def make(self, random: Random) -> tuple[str, str | None]:
        """A query, and sometimes a condition on documents."""
        text = random.choice(
            [query(random), scrambled(query(random), random), " ".join(random.choices(_PLAIN, k=random.randint(1, 4)))]
        )
        if random.random() < 0.1:
            text = "".join(random.choices(_SCRAPS, k=random.choice([1, 5, 50, 3000])))
        return text, condition(random, _DOC_ATTRIBUTES) if random.random() < 0.1 else None

    def attempt(self, case: tuple[str, str | None]) -> None:
        """Hits within the corpus, which can be counted, sorted and shown."""
        text, where = case
        with suppress(UsageError):
            found = self.corpus.search(text, where=where)
            assert len(found) <= found.total, "more hits than there are"
            list(found.sample(5).sort("right").lines())
            found.frequency("word", 5)


class Conditions(Target):
    """Conditions on documents: for all of them the same answer from the tree as from the corpus, or an error."""

    name = "conditions"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.corpus = gristmill.Corpus(small_corpus(folder))

    def make(self, random: Random) -> str:
        """A condition."""
        if random.random() < 0.1:
            return "".join(random.choices([*_SCRAPS, *_SIGNS, *_DOC_ATTRIBUTES], k=random.choice([1, 5, 50, 3000])))
        made = condition(random, _DOC_ATTRIBUTES)
        return scrambled(made, random) if random.random() < 0.5 else made

    def attempt(self, case: str) -> None:
        """The documents that an export keeps are those of the subcorpus."""
        try:
            Condition.parse(case)
            kept = {document.id for document in self.corpus.documents(Selection(where=case))}
        except UsageError:
            return
        try:
            part = self.corpus.subcorpus(case)
        except UsageError:
            assert not kept, f"{len(kept)} documents that the subcorpus does not have"
            return
        assert part is None or part.documents == len(kept), f"{len(kept)} documents, in the subcorpus {part.documents}"
