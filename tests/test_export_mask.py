"""Personal data that is masked in exports, by choice; the corpus keeps it."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from command import run
from hypothesis import given
from hypothesis import strategies as st

import gristmill
from gristmill.annotation import Annotation, glued
from gristmill.annotation.tokeniser import tokenise
from gristmill.corpus import FORMATS, CorpusReader
from gristmill.corpus.masking import mask_text, mask_tokens
from gristmill.engine import InlineEngine
from gristmill.personal import KINDS, find_personal, mask_personal

PERSONAL = ("jo.miller@mill.example", "+44 20 7946 0958", "8.8.4.4")
PAGE = """<html><head><title>Write to jo.miller@mill.example</title>\
<meta name=author content="Jo (jo@mill.example)"></head><body>
<p>The miller has a new address. Write to jo.miller@mill.example, or call +44 20 7946 0958 before noon. \
The mill is open all day.</p>
<p>The server at 8.8.4.4 was slow on Monday (see mailto:jo.miller@mill.example), \
and the miller was away from the mill.</p>
<p>The miller says that version 1.2.3.4 of the mill was made on 12.11.2007, \
and that it took 1 234 567 grains to try it.</p>
</body></html>"""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> CorpusReader:
    folder = tmp_path_factory.mktemp("personal")
    (folder / "a.html").write_text(PAGE)
    (folder / "b.html").write_text(
        "<p>Nothing in here is of a person, but for the mill, which belongs to one who can't be reached."
    )
    config = gristmill.Config().with_filters(preset="none").replace(clean_method="all")
    built = gristmill.build([folder / "a.html", folder / "b.html"], folder / "corpus", config, engine=InlineEngine())
    gristmill.annotate(built, "forms", engine=InlineEngine())
    return built.reader


@pytest.mark.parametrize("name", list(FORMATS))
def test_every_format(small: CorpusReader, tmp_path: Path, name: str) -> None:
    suffix = FORMATS[name].suffixes[0]
    gristmill.export(small, tmp_path / f"open{suffix}")
    count = gristmill.export(small, tmp_path / f"masked{suffix}", mask=KINDS)
    before, after = (_content(tmp_path / f"{kind}{suffix}") for kind in ("open", "masked"))
    assert "jo.miller" in before
    for found in (*PERSONAL, "jo.miller", "7946", "jo@"):
        assert found not in after
    for kept in ("1.2.3.4", "12.11.2007", "miller", "person"):
        assert kept in after
    about = tomllib.loads((tmp_path / f"masked{suffix}.toml").read_text())
    assert count == 2
    assert about["masked"] == {"email": 4, "phone": 1, "ip": 1}
    unmasked = tomllib.loads((tmp_path / f"open{suffix}.toml").read_text())
    assert "masked" not in unmasked
    assert about["counts"]["words"] == unmasked["counts"]["words"]
    assert about["counts"]["characters"] < unmasked["counts"]["characters"]


def _content(path: Path) -> str:
    return str(pq.read_table(path).to_pylist()) if path.suffix == ".parquet" else path.read_text("utf-8")


def test_text_is_what_the_detector_makes_of_it_and_the_corpus_keeps_its_own(
    small: CorpusReader, tmp_path: Path
) -> None:
    before = [document.text for document in small.documents()]
    gristmill.export(small, tmp_path / "x.jsonl", mask="email, ip")
    records = [json.loads(line) for line in (tmp_path / "x.jsonl").read_bytes().splitlines()]
    assert [record["text"] for record in records] == [mask_personal(text, ("email", "ip"))[0] for text in before]
    assert records[0]["title"] == "Write to <EMAIL>"
    assert "+44 20 7946 0958" in records[0]["text"]
    assert [document.text for document in small.documents()] == before
    assert tomllib.loads((tmp_path / "x.jsonl.toml").read_text())["masked"] == {"email": 4, "ip": 1}


def test_tokens_become_one(small: CorpusReader, tmp_path: Path) -> None:
    gristmill.export(small, tmp_path / "x.vert", mask=["email", "phone"])
    lines = (tmp_path / "x.vert").read_text().split("\n")
    at = lines.index("<PHONE>\tSYM\t<PHONE>\t\t<PHONE>-x")
    assert [line.partition("\t")[0] for line in lines[at - 1 : at + 2]] == ["call", "<PHONE>", "before"]
    gristmill.export(small, tmp_path / "x.conllu", mask=["email", "phone"])
    [text] = [
        line
        for line in (tmp_path / "x.conllu").read_text().split("\n")
        if line.startswith("# text") and "PHONE" in line
    ]
    assert text == "# text = Write to <EMAIL>, or call <PHONE> before noon."


def test_wrong_kinds(small: CorpusReader, tmp_path: Path) -> None:
    with pytest.raises(gristmill.UsageError, match="'mail' is no kind of personal data; did you mean 'email'"):
        gristmill.export(small, tmp_path / "x.txt", mask="mail")
    with pytest.raises(TypeError, match="mask must be text, or a list of texts"):
        gristmill.export(small, tmp_path / "x.txt", mask=5)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_the_command(small: CorpusReader, tmp_path: Path) -> None:
    ran = run("export", small.folder, "-o", tmp_path / "x.txt", "--mask", "email,phone,ip")
    assert ran.returncode == 0
    assert b"masked: e-mail addresses 4, phone numbers 1, IP addresses 1" in ran.stderr
    wrong = run("export", small.folder, "-o", tmp_path / "y.txt", "--mask", "mail")
    assert (wrong.returncode, b"did you mean 'email'" in wrong.stderr) == (2, True)
    assert run("export", small.folder, "-o", tmp_path / "y.txt").stderr.count(b"masked") == 0


def annotation(text: str) -> Annotation:
    tokens = tokenise(text, "en")
    words = tokens.words
    return Annotation(words, tokens.starts, tokens.sentences, words, ["X"] * len(words), ["x"] * len(words), "t")


PIECES = (
    "jo@mill.example",
    "+44 20 7946 0958",
    "8.8.4.4",
    "8.8.4.4 9.9.9.9",
    " ",
    ", ",
    ". ",
    "Mill",
    "to:",
    "(",
    ")",
    "!",
    "\n",
    "ü",
)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_tokens_are_those_of_the_masked_text(text: str) -> None:
    found = find_personal(text)
    before = annotation(text)
    made = mask_tokens(before, text, found)
    masked = mask_text(text, found)
    assert masked == mask_personal(text)[0]
    assert all(masked[start : start + len(word)] == word for start, word in zip(made.starts, made.words, strict=True))
    assert (
        sum(made.sentences)
        == len(made.words)
        == len(made.lemmas)
        == len(made.tags)
        == len(made.xpos)
        == len(made.feats)
        == len(made.heads)
        == len(made.deprels)
        == len(made.starts)
    )
    assert all(made.sentences)
    assert "".join(made.words).replace(" ", "") == "".join(masked.split())
    assert made.starts == sorted(set(made.starts))
    assert len(glued(made)) == len(made.words)
    if not found:
        assert made == before


def test_many_in_one_block_take_no_longer_each() -> None:
    text = "jo@mill.example " * 20_000
    made = mask_tokens(annotation(text), text, find_personal(text))
    assert made.words == ["<EMAIL>"] * 20_000
