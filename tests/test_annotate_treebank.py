"""Treebanks: CoNLL-U as it comes, tables, and what is wrong with files in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gristmill.annotation.taggers.own import OwnTagger
from gristmill.annotation.tagging.model import Model
from gristmill.annotation.tagging.training import train
from gristmill.annotation.tagging.treebank import Sentence, Token, read_treebank
from gristmill.errors import UsageError

CONLLU = """# sent_id = 1
# text = Il parle du _
1\tIl\til\tPRON\t_\tPerson=3\t2\tnsubj\t_\t_
2\tparle\tparler\tVERB\tV\t_\t0\troot\t_\t_
2.1\tvide\tvide\tVERB\t_\t_\t_\t_\t_\t_
3-4\tdu\t_\t_\t_\t_\t_\t_\t_\t_
3\tde\tde\tADP\tP\t_\t5\tcase\t_\t_
4\tle\tle\tDET\t_\tDefinite=Def\t5\tdet\t_\t_
5\t_\t_\tSYM\t_\t_\t2\tobl\t_\t_


# the last one, without an empty line behind it
1\tOui\t_\tINTJ\t_\t_\t0\troot\t_\t_"""
WORDS = [
    Token("Il", "PRON", "il", "", "Person=3", 1, "nsubj"),
    Token("parle", "VERB", "parler", "V", "", 0, "root"),
    Token("de", "ADP", "de", "P", "", 2, "case"),
    Token("le", "DET", "le", "", "Definite=Def", 1, "det"),
    Token("_", "SYM", "_", "", "", -3, "obl"),
]
LINE = "1\ta\ta\tX\t_\t_\t_\t_\t_\t_\n"
READ = [
    Sentence(
        WORDS, [*WORDS[:2], Token("du", "ADP", "de", "", "", 1, "case"), Token("_", "SYM", "_", "", "", -2, "obl")], "a"
    ),
    Sentence([Token("Oui", "INTJ", deprel="root")], [], "a"),
]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_conllu(newline: str, mark: str, tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(mark + CONLLU, "utf-8", newline=newline)
    assert read_treebank(path) == READ
    assert read_treebank(path)[0].versions() == [READ[0].words, READ[0].tokens]
    assert read_treebank(path)[1].versions() == [READ[1].words]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("2-1\tx", ["a", "b"]),
        ("0-1\tx", ["a", "b"]),
        ("2-9\tx", ["a", "b"]),
        ("x-y\tx", ["a", "b"]),
        ("1-2\tab", ["ab"]),
        ("1-2\ta c", ["a", "c"]),
    ],
)
def test_strange_multiword_tokens(lines: str, words: list[str], tmp_path: Path) -> None:
    rest = "\t".join(["_"] * 8)
    path = tmp_path / "a.conllu"
    own = "".join(LINE.replace("1\ta\ta", f"{at}\t{word}\t{word}") for at, word in enumerate("ab", 1))
    path.write_text(f"{lines}\t{rest}\n{own}", "utf-8")
    (sentence,) = read_treebank(path)
    assert [token.word for token in sentence.versions()[-1]] == words


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (LINE.encode() + b"2\tb\tb\tX\n", r"a\.conllu, line 2: CoNLL-U has ten columns, not 4"),
        (LINE.replace("X", "NN").encode(), r"line 1: 'NN' is no universal part of speech"),
        (LINE.replace("X", "_").encode(), r"line 1: '_' is no universal part of speech"),
        (b"just text\n", "has ten columns, not 1"),
        (b"", r"there is no tagged sentence in .*: it must be CoNLL-U, or Parquet with the columns tokens"),
        (b"# only a comment\n\n", "there is no tagged sentence"),
        (LINE.encode() * 401, "there is no tagged sentence"),
        (b"1\t\xff\ta\tX\t_\t_\t_\t_\t_\t_\n", "can't read the treebank .*: 'utf-8' codec"),
        (b"9" * 5000 + b"-2" + LINE.encode()[1:] + LINE.encode(), "can't read the treebank .*: Exceeds the limit"),
    ],
)
def test_files_that_are_no_treebanks(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_bytes(data)
    with pytest.raises(UsageError, match=message):
        read_treebank(path)


def test_what_is_not_there(tmp_path: Path) -> None:
    for name in ("none.conllu", "none.parquet"):
        with pytest.raises(UsageError, match=f"there is no treebank .*{name}"):
            read_treebank(tmp_path / name, "fr")
    with pytest.raises(UsageError, match="can't read the treebank"):
        read_treebank(tmp_path)


COLUMNS: dict[str, list[Any]] = {
    "tokens": [["Il", "de", "le"], ["x\ty"]],
    "upos": [["PRON", "ADP", "DET"], ["??"]],
    "lemma": [["il", "_", None], ["a\nb"]],
    "xpos": [[None, "P", "_"], [None]],
    "feats": [["Person=3", None, "_"], [None]],
    "lang": ["fr", "br"],
    "mwt": [[{"start": 2, "end": 3, "form": "du"}], None],
}


def write(path: Path, columns: dict[str, list[Any]]) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


def test_tables(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", dict(COLUMNS))
    words = [Token("Il", "PRON", "il", "", "Person=3"), Token("de", "ADP", "", "P"), Token("le", "DET")]
    assert read_treebank(path, "fr") == [Sentence(words, [words[0], Token("du", "ADP")], "a")]
    assert read_treebank(path, "br")[0].words == [Token("x y", "X", "a b")]
    assert len(read_treebank(path)) == 2
    without = {name: values for name, values in COLUMNS.items() if name not in {"lang", "mwt"}}
    assert len(read_treebank(write(tmp_path / "b.parquet", without), "fr")) == 2
    with pytest.raises(UsageError, match="there is no tagged sentence in 'cs' in"):
        read_treebank(path, "cs")


def test_tables_that_are_no_treebanks(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    for name in ("tokens", "upos", "lemma", "xpos", "feats"):
        write(path, {other: values for other, values in COLUMNS.items() if other != name})
        with pytest.raises(UsageError, match=rf"a\.parquet has no column {name}$"):
            read_treebank(path, "fr")
    numbers = [1, 2]
    for wrong in ([["PRON"], ["X"]], [None, None], numbers, [[1, 2, 3], [1]]):
        write(path, {**COLUMNS, "upos": wrong})
        with pytest.raises(UsageError, match="can't read the treebank"):
            read_treebank(path, "fr")
    path.write_bytes(b"PAR1 this is none")
    with pytest.raises(UsageError, match="can't read the treebank"):
        read_treebank(path)


def test_what_tables_have_does_not_break_models(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", {name: values * 20 for name, values in COLUMNS.items()})
    file = tmp_path / "a.tagger"
    file.write_bytes(train(read_treebank(path), "hsb").to_bytes())
    assert OwnTagger(Model.read(file)).tag([["Il"]]).tags == ["PRON"]
