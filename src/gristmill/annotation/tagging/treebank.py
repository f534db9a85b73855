"""Treebanks: sentences whose tags, features, lemmas and relations are known, from CoNLL-U files or Parquet tables.

A multiword token (French `du`, Spanish `dámelo`) is several words in a treebank, but one token in running text, as our
tokeniser leaves it. So a sentence that has one comes twice: with its words, and with its tokens, where a multiword
token gets the tag of the word that matters most, and the head of the one that stands highest in the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from gristmill.annotation.relations import joined
from gristmill.errors import UsageError

TAGS = tuple("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split())
"""The universal parts of speech."""
_MATTERING = ("VERB", "NOUN", "PROPN", "ADJ", "AUX", "NUM", "ADV", "PRON")
"""Which word of a multiword token gives it its tag; if none of these is there, the first does."""
_COLUMNS = ("tokens", "upos", "lemma", "xpos", "feats")
_OF_PARTS = "flat"
"""The relation of the parts of a word with spaces to the first one."""
_MAX_SENTENCE_WORDS = 400  # of a sentence that is learned from; a longer one is a list, or no sentence


@dataclass(frozen=True, slots=True)
class Token:
    """A token with what is known of it; what is not known is empty."""

    word: str
    tag: str
    lemma: str = ""
    xpos: str = ""
    feats: str = ""
    head: int = 0
    """How many tokens further on its head stands; 0 of a root. Nothing is checked here."""
    deprel: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a treebank: its words, and if they differ its tokens as they stand in the text."""

    words: list[Token]
    tokens: list[Token] = field(default_factory=list)
    treebank: str = ""

    def versions(self) -> list[list[Token]]:
        """Return the sentence in words and, if there are others, in tokens."""
        return [self.words, self.tokens] if self.tokens else [self.words]


def read_treebank(path: Path, lang: str = "") -> list[Sentence]:
    """Read the sentences of a CoNLL-U file or a Parquet table; of a table with several languages, those of one."""
    try:
        sentences = list(_read_table(path, lang) if path.suffix == ".parquet" else _read_conllu(path))
    except FileNotFoundError as error:
        raise UsageError(f"there is no treebank {path}") from error
    except (OSError, ValueError, TypeError, LookupError, AttributeError, pa.ArrowException) as error:
        raise UsageError(f"can't read the treebank {path}: {getattr(error, 'strerror', None) or error}") from error
    found = [sentence for sentence in sentences if 0 < len(sentence.words) <= _MAX_SENTENCE_WORDS]
    if not found:
        which = f" in {lang!r}" if lang and path.suffix == ".parquet" else ""
        raise UsageError(
            f"there is no tagged sentence{which} in {path}: it must be CoNLL-U, or Parquet with the columns "
            f"{', '.join(_COLUMNS)}"
        )
    return found


def _read_conllu(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of a CoNLL-U file."""
    lines: list[list[str]] = []
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            text = line.rstrip("\r\n")
            if not text:
                if lines:
                    yield _sentence_of(lines, path.stem)
                lines = []
            elif not text.startswith("#"):
                columns = text.split("\t")
                if len(columns) != 10:
                    raise UsageError(f"{path}, line {number}: CoNLL-U has ten columns, not {len(columns)}")
                if columns[0].isdecimal() and columns[3] not in TAGS:
                    raise UsageError(f"{path}, line {number}: {columns[3]!r} is no universal part of speech")
                lines.append(columns)
    if lines:
        yield _sentence_of(lines, path.stem)


def _sentence_of(lines: Sequence[Sequence[str]], treebank: str) -> Sentence:
    """Make a sentence of lines of CoNLL-U; empty nodes (`8.1`) are left out."""
    words = [
        Token(
            line[1],
            line[3],
            _known(line[2], line[1]),
            _known(line[4]),
            _known(line[5]),
            _offset(line[6], at),
            _known(line[7]),
        )
        for at, line in enumerate((line for line in lines if line[0].isdecimal()), 1)
    ]
    multiword = [
        (int(first), int(last), line[1])
        for line in lines
        for first, dash, last in [line[0].partition("-")]
        if dash and first.isdecimal() and last.isdecimal()
    ]
    return Sentence(words, _tokens_of(words, multiword), treebank)


def _offset(head: str | int | None, at: int) -> int:
    """Return how many words further on a head stands, given its number and that of the word, both from 1 on."""
    number = int(head) if head is not None and str(head).isdecimal() else 0
    return number - at if number else 0


def _known(value: str, word: str = "") -> str:
    """Return the value of a column; a low line is no value, but for a word that is one."""
    return "" if value == "_" and word != "_" else value


def _read_table(path: Path, lang: str) -> Iterator[Sentence]:
    """Yield the sentences of a table."""
    names = pq.read_schema(path).names
    missing = [name for name in _COLUMNS if name not in names]
    if missing:
        raise UsageError(f"{path} has no column {', '.join(missing)}")
    table = pq.read_table(path, filters=[("lang", "=", lang)] if lang and "lang" in names else None)
    for row in table.to_pylist():
        yield _sentence_of_row(row, path.stem)


def _sentence_of_row(row: dict[str, Any], name: str) -> Sentence:
    known = [list(map(_plain, row[column])) for column in _COLUMNS]
    heads = [_offset(head, at) for at, head in enumerate(row.get("heads") or [None] * len(known[0]), 1)]
    deprels = list(map(_plain, row.get("deprel") or [None] * len(known[0])))
    words = [
        Token(word, tag if tag in TAGS else "X", _known(lemma, word), _known(xpos), _known(feats), head, _known(deprel))
        for word, tag, lemma, xpos, feats, head, deprel in zip(*known, heads, deprels, strict=True)
    ]
    multiword = [(part["start"], part["end"], _plain(part["form"])) for part in row.get("mwt") or ()]
    return Sentence(words, _tokens_of(words, multiword), row.get("treebank") or name)


def _plain(value: str | None) -> str:
    """Return a value as CoNLL-U could have it: without tabs and line breaks, and a low line for none."""
    return value.replace("\t", " ").replace("\n", " ") if value else "_"


def _tokens_of(words: Sequence[Token], multiword: Iterable[tuple[int, int, str]]) -> list[Token]:
    """Return the tokens of a sentence, given its multiword tokens (first and last word from 1 on, and the form).

    Empty if they are the words. Words with a space in them, as in Vietnamese, are a token each side of it.
    """
    firsts = {first: (last, form) for first, last, form in multiword if 0 < first <= last <= len(words)}
    if not firsts and not any(" " in token.word for token in words):
        return []
    tokens: list[Token] = []
    groups: list[int] = []
    firsts_of_groups: list[int] = []
    at = 1
    while at <= len(words):
        last, form = firsts.get(at, (at, words[at - 1].word))
        matter = _mattering(words[at - 1 : last])
        groups += [len(firsts_of_groups)] * (last + 1 - at)
        firsts_of_groups.append(len(tokens))
        parts = form.split()
        tokens += (
            [Token(form, matter.tag, matter.lemma, matter.xpos if at == last else "", matter.feats)]
            if len(parts) == 1
            else [
                Token(part, matter.tag, part.lower(), matter.xpos, matter.feats, -number, _OF_PARTS)
                for number, part in enumerate(parts)
            ]
        )
        at = last + 1
    return _with_relations(tokens, words, groups, firsts_of_groups)


def _with_relations(
    tokens: Sequence[Token], words: Sequence[Token], groups: Sequence[int], firsts: Sequence[int]
) -> list[Token]:
    """Return tokens with the relations of the groups of words that they stand for; `firsts` are their first tokens."""
    made = list(tokens)
    heads, deprels = joined([word.head for word in words], [word.deprel for word in words], groups)
    for number, (place, head, deprel) in enumerate(zip(firsts, heads, deprels, strict=True)):
        made[place] = replace(tokens[place], head=firsts[number + head] - place, deprel=deprel)
    return made


def _mattering(words: Sequence[Token]) -> Token:
    """Return the word of a multiword token that matters most."""
    return next((word for tag in _MATTERING for word in words if word.tag == tag), words[0])


def part_of(sentences: Sequence[Sentence], wanted: Callable[[int], bool], run: int = 10) -> list[Sentence]:
    """Return the sentences of those runs of each treebank whose numbers are wanted, to leave some out for measuring.

    Runs and not single sentences, since sentences beside each other are often of one text.
    """
    numbers: dict[str, int] = {}
    found = []
    for sentence in sentences:
        number = numbers[sentence.treebank] = numbers.get(sentence.treebank, -1) + 1
        if wanted(number // run):
            found.append(sentence)
    return found
