"""Exports: what all formats have in common, and those that need no tokens."""

from __future__ import annotations

import errno
import gzip
import io
import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import run

import gristmill
from gristmill.annotation import AnnotateTask
from gristmill.columns import fold
from gristmill.corpus import FORMATS, CorpusReader, Selection
from gristmill.corpus.formats.dialects import ForCwb
from gristmill.corpus.formats.record import SCHEMA
from gristmill.engine import silent

FORMS = ["forms"]
SUFFIXES = {name: made.suffixes[0] for name, made in FORMATS.items()}


@pytest.fixture(scope="module")
def bare(corpus: CorpusReader, tmp_path_factory: pytest.TempPathFactory) -> CorpusReader:
    """A corpus that is not annotated."""
    folder = tmp_path_factory.mktemp("bare") / "corpus"
    shutil.copytree(corpus.folder, folder)
    for shard in CorpusReader(folder).shards:
        shard.tokens.unlink(missing_ok=True)
    return CorpusReader(folder)


@pytest.fixture(scope="module")
def annotated(bare: CorpusReader, tmp_path_factory: pytest.TempPathFactory) -> CorpusReader:
    """A corpus that is annotated, by a tagger that is quick."""
    folder = tmp_path_factory.mktemp("annotated") / "corpus"
    shutil.copytree(bare.folder, folder)
    for shard in CorpusReader(folder).shards:
        AnnotateTask(shard, tuple(FORMS)).run(silent)
    return CorpusReader(folder)


def beside(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.with_name(f"{path.name}.toml").read_text("utf-8"))


@pytest.mark.parametrize("name", SUFFIXES)
def test_the_same_bytes_each_time_and_what_they_are_beside(annotated: CorpusReader, tmp_path: Path, name: str) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        gristmill.export(annotated, tmp_path / folder / f"x{SUFFIXES[name]}", selection=Selection(where='lang="en|ja"'))
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert files == sorted(path.name for path in (tmp_path / "two").iterdir())
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    assert files == sorted([f"x{SUFFIXES[name]}", f"x{SUFFIXES[name]}.toml"] + ["x.registry"] * (name == "vertical"))


@pytest.mark.parametrize("name", SUFFIXES)
def test_counts_add_up(annotated: CorpusReader, tmp_path: Path, name: str) -> None:
    path = tmp_path / f"x{SUFFIXES[name]}"
    count = gristmill.export(annotated, path)
    found = beside(path)
    assert found["counts"]["documents"] == count == annotated.size["documents"] == sum(found["languages"].values())
    assert found["counts"]["blocks"] == annotated.size["blocks"]
    assert found["counts"]["words"] == annotated.size["words"]
    assert found["counts"]["characters"] == annotated.size["characters"]
    assert found["counts"]["text_bytes"] == annotated.size["bytes"]
    assert found["export"] == {"file": path.name, "format": name, "bytes": path.stat().st_size}
    assert found["corpus"]["fingerprint"] == annotated.manifest.fingerprint
    assert found["versions"]["gristmill"] == gristmill.__version__
    assert "selection" not in found
    tokens = _tokens(path, name)
    assert (found["counts"].get("tokens"), found.get("taggers")) == (
        (tokens, {"forms": tokens}) if tokens else (None, None)
    )


def _tokens(path: Path, name: str) -> int:
    if name not in {"vertical", "conllu"}:
        return 0
    lines = path.read_text("utf-8").split("\n")
    return sum("\t" in line for line in lines)


@pytest.mark.parametrize("name", ["vertical", "parquet", "text"])
def test_thresholds_decide_what_is_exported(annotated: CorpusReader, tmp_path: Path, name: str) -> None:
    def blocks(**thresholds: Any) -> int:
        path = tmp_path / f"x{SUFFIXES[name]}"
        gristmill.export(annotated, path, selection=Selection(**thresholds), force=True)
        found = beside(path)
        assert found.get("selection", {}) == {
            key: list(value) if isinstance(value, tuple) else value for key, value in thresholds.items()
        }
        return int(found["counts"]["blocks"])

    built = blocks()
    assert blocks(max_boilerplate=0.0) < built < blocks(max_boilerplate=1.0)
    assert blocks(max_duplicate=0.0) < built < blocks(max_duplicate=1.0)
    assert 0 < blocks(languages=("el",)) < blocks(where='lang="el|cs"') < built
    assert blocks(where="words>1000000") == 0


@pytest.mark.parametrize("name", [name for name, made in FORMATS.items() if made.has_tokens])
def test_tokens_on_the_fly_are_those_that_are_stored(
    bare: CorpusReader, annotated: CorpusReader, tmp_path: Path, name: str
) -> None:
    for number, selection in enumerate([Selection(), Selection(max_boilerplate=0.9), Selection(where='lang="zh"')]):
        stored, made = (tmp_path / f"{kind}{number}{SUFFIXES[name]}" for kind in ("stored", "made"))
        gristmill.export(annotated, stored, selection=selection)
        gristmill.export(bare, made, selection=selection, taggers=FORMS)
        assert stored.read_bytes() == made.read_bytes()


def test_other_taggers_than_those_it_was_annotated_with(annotated: CorpusReader, tmp_path: Path) -> None:
    czech = Selection(languages=("cs",))
    gristmill.export(annotated, tmp_path / "x.conllu", selection=czech, taggers=["cs=simplemma", "forms"])
    assert "simplemma" in beside(tmp_path / "x.conllu")["taggers"]
    assert "simplemma" in beside(tmp_path / "x.conllu")["versions"]
    gristmill.export(annotated, tmp_path / "y.conllu", selection=czech)
    assert set(beside(tmp_path / "y.conllu")["taggers"]) == set(FORMS)


def test_text(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    assert gristmill.export(corpus, tmp_path / "x.txt") == corpus.counts["kept"]
    documents = (tmp_path / "x.txt").read_text("utf-8").split("\n\n")
    assert documents[:-1] == [document.text for document in corpus.documents()]


def test_markup(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    gristmill.export(corpus, tmp_path / "x.markup")
    documents = (tmp_path / "x.markup").read_text("utf-8").split("\n\n")[:-1]
    for made, document in zip(documents, corpus.documents(), strict=True):
        address, *lines = made.split("\n")
        assert address == f"URL: {document.url}"
        assert lines == [f"<{block.kind}>{fold(block.text)}" for block in document.blocks]


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_jsonl(corpus: gristmill.Corpus, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x.jsonl{suffix}"
    gristmill.export(corpus, path)
    data = path.read_bytes()
    if suffix == ".gz":
        data = gzip.decompress(data)
    elif suffix == ".zst":
        data = pa.CompressedInputStream(io.BytesIO(data), "zstd").read()
    records = [json.loads(line) for line in data.decode().split("\n")[:-1]]
    assert [(record["id"], record["text"]) for record in records] == [
        (document.id, document.text) for document in corpus.documents()
    ]
    assert all(list(record) == SCHEMA.names for record in records)
    gristmill.export(corpus, tmp_path / f"again.jsonl{suffix}")
    assert (tmp_path / f"again.jsonl{suffix}").read_bytes() == path.read_bytes()


def test_jsonl_is_read_as_datatrove_reads_it(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    gristmill.export(corpus, tmp_path / "x.jsonl")
    for line, document in zip((tmp_path / "x.jsonl").read_bytes().splitlines(), corpus.documents(), strict=True):
        data = json.loads(line)
        text, name = data.pop("text", ""), data.pop("id", "")  # as its default adapter does; what is left is metadata
        assert (text, name) == (document.text, document.id)
        assert not {"media", "metadata"} & set(data)
        assert (data["url"], data["date"], data["language"]) == (document.url, document.date, document.lang)
        assert 0 <= data["language_score"] <= 1


def test_parquet_has_what_jsonl_has(corpus: gristmill.Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gristmill.corpus.formats.parquet._MAX_GROUP_ROWS", 7)
    gristmill.export(corpus, tmp_path / "x.parquet")
    gristmill.export(corpus, tmp_path / "x.jsonl")
    assert pq.read_metadata(tmp_path / "x.parquet").num_row_groups > 1
    assert pq.read_table(tmp_path / "x.parquet").to_pylist() == list(
        map(json.loads, (tmp_path / "x.jsonl").read_bytes().splitlines())
    )
    with pytest.raises(gristmill.UsageError, match="compressed by itself"):
        gristmill.export(corpus, tmp_path / "y.parquet.gz")


def test_parquet_of_nothing(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    assert gristmill.export(corpus, tmp_path / "x.parquet", selection=Selection(where='lang="xx"')) == 0
    assert pq.read_table(tmp_path / "x.parquet").schema.names == SCHEMA.names


def test_links_and_pipes_are_written_through(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    (tmp_path / "target.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "target.txt")
    gristmill.export(corpus, tmp_path / "link.txt", force=True)
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "target.txt").read_text("utf-8") != "old"
    os.mkfifo(tmp_path / "pipe.txt")
    with (tmp_path / "read.txt").open("wb") as file, subprocess.Popen(["cat", tmp_path / "pipe.txt"], stdout=file):  # noqa: S607
        gristmill.export(corpus, tmp_path / "pipe.txt")
    assert (tmp_path / "read.txt").read_bytes() == (tmp_path / "target.txt").read_bytes()
    assert not (tmp_path / "pipe.txt.toml").exists()


def test_a_failed_export_leaves_no_file(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    with pytest.raises(gristmill.GristmillError, match="can't write"):
        gristmill.export(corpus, tmp_path / "no-folder" / "x.txt")
    with pytest.raises(gristmill.UsageError, match="can't tell the format"):
        gristmill.export(corpus, tmp_path / "x.doc")
    with pytest.raises(gristmill.UsageError, match="no tagger 'form'"):
        gristmill.export(corpus, tmp_path / "x.vert", taggers=["form"])
    assert list(tmp_path.iterdir()) == []


def test_what_could_not_be_written_is_named_and_what_could_not_be_read_is_not_called_that(
    corpus: CorpusReader, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(gristmill.GristmillError, match=r"can't write .*/file/x\.txt: Not a directory$"):
        gristmill.export(corpus, tmp_path / "file" / "x.txt")
    for folder in (tmp_path, f"{tmp_path}/new/"):
        with pytest.raises(
            gristmill.UsageError, match="is a folder: name a file in it, or give a --shard-size such as 1GB"
        ):
            gristmill.export(corpus, folder, "text")

    def unreadable() -> None:
        raise OSError(errno.EIO, "Input/output error", "shard")

    for name in ("text", "parquet"):
        with pytest.raises(OSError, match="Input/output error: 'shard'"):
            gristmill.export(corpus, tmp_path / "x", name, on_document=unreadable)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize(("name", "packed"), [("text", ""), ("text", ".gz"), ("text", ".zst"), ("parquet", "")])
def test_a_full_disk(corpus: gristmill.Corpus, tmp_path: Path, name: str, packed: str) -> None:
    (tmp_path / f"x{packed}").symlink_to("/dev/full")
    with pytest.raises(gristmill.GristmillError, match=f"can't write .*/x{packed}: No space left on device$"):
        gristmill.export(corpus, tmp_path / f"x{packed}", name)


@pytest.mark.parametrize("name", ["x.vert", "x.vert.toml", "x.registry"])
def test_what_is_there_is_not_replaced_unless_one_wants_that(
    annotated: CorpusReader, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text("mine")
    read: list[int] = []
    with pytest.raises(
        gristmill.UsageError, match=rf"{name} is there already: give another name, or --force \(in Python, force=True\)"
    ):
        gristmill.export(annotated, tmp_path / "x.vert", on_document=lambda: read.append(1))
    ran = run("export", annotated.folder, "-o", tmp_path / "x.vert", "--lang", "el")
    assert (ran.returncode, b"is there already" in ran.stderr) == (2, True)
    assert not read
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "mine"
    assert run("export", annotated.folder, "-o", tmp_path / "x.vert", "--lang", "el", "--force").returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.registry", "x.vert", "x.vert.toml"]
    assert (tmp_path / name).read_text("utf-8") != "mine"


def test_an_export_killed_before_it_had_its_name_is_made_again(annotated: CorpusReader, tmp_path: Path) -> None:
    greek = Selection(languages=("el",))
    gristmill.export(annotated, tmp_path / "x.vert", selection=greek)
    whole = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    (tmp_path / "x.vert").unlink()  # as it is between the last two steps
    gristmill.export(annotated, tmp_path / "x.vert", selection=greek)
    assert whole == {path.name: path.read_bytes() for path in tmp_path.iterdir()}


def test_the_card_of_another_file_is_not_replaced(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    gristmill.export(corpus, tmp_path / "x.txt")
    (tmp_path / "x.txt").unlink()
    (tmp_path / "x.txt.toml").rename(tmp_path / "y.txt.toml")
    with pytest.raises(gristmill.UsageError, match=r"y\.txt\.toml is there already"):
        gristmill.export(corpus, tmp_path / "y.txt")


def test_what_goes_beside_is_there_before_the_file(
    corpus: CorpusReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("gristmill.corpus.places.write_atomically", full)
    with pytest.raises(gristmill.GristmillError, match=r"can't write .*x\.txt\.toml: No space left on device"):
        gristmill.export(corpus, tmp_path / "x.txt")
    assert list(tmp_path.iterdir()) == []


def test_progress(corpus: gristmill.Corpus, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    gristmill.export(corpus, tmp_path / "x.txt")
    assert capfd.readouterr().err == ""
    gristmill.export(corpus, tmp_path / "y.txt", progress=True)
    assert re.search(r"exporting .* 100% ", capfd.readouterr().err)


def test_the_command(annotated: CorpusReader, tmp_path: Path) -> None:
    ran = run(
        "export", annotated.folder, "-o", tmp_path / "x.vert.gz", "--where", 'lang="el" & words>=1', "--tagger", "forms"
    )
    assert ran.returncode == 0
    assert b"7 documents written to" in ran.stderr
    assert beside(tmp_path / "x.vert.gz")["selection"] == {"where": 'lang="el" & words>=1'}
    shown = run("export", annotated.folder, "--format", "vertical", "--where", 'lang="el" & words>=1')
    assert shown.stdout == gzip.decompress((tmp_path / "x.vert.gz").read_bytes())
    wrong = run("export", annotated.folder, "-o", tmp_path / "y.txt", "--where", 'hots="x"')
    assert (wrong.returncode, b"did you mean 'host'" in wrong.stderr) == (2, True)


@pytest.mark.parametrize("name", ["corpus.toml", "corpus", "shards/00000/documents.parquet"])
def test_an_export_does_not_take_the_place_of_what_the_corpus_is_made_of(bare: CorpusReader, name: str) -> None:
    before = (bare.folder / "corpus.toml").read_bytes(), bare.shards[0].documents.read_bytes()
    with pytest.raises(gristmill.UsageError, match="belongs to the corpus"):
        gristmill.export(bare, bare.folder / name, "text")
    assert before == ((bare.folder / "corpus.toml").read_bytes(), bare.shards[0].documents.read_bytes())
    assert not (bare.folder / "corpus").exists()


def test_vertical_text_is_for_one_corpus_manager(annotated: CorpusReader, tmp_path: Path) -> None:
    ran = run("export", annotated.folder, "-o", tmp_path / "x.vert.gz", "--lang", "el", "--for", "cwb")
    assert ran.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.cwb.sh", "x.vert.gz", "x.vert.gz.toml"]
    ran = run("export", annotated.folder, "-o", tmp_path / "x.jsonl", "--for", "cwb")
    assert (ran.returncode, b"leave out --for" in ran.stderr) == (2, True)
    ran = run("export", annotated.folder, "-o", tmp_path / "y.vert", "--for", "cqp")
    assert (ran.returncode, b"no corpus manager 'cqp' (there are: sketchengine, cwb)" in ran.stderr) == (2, True)
    gristmill.export(annotated, tmp_path / "many", "vertical", manager="cwb", shard_size="100kB")
    assert {path.suffix for path in (tmp_path / "many").iterdir()} == {".vrt"}


def test_what_a_corpus_manager_cannot_hold_is_said(
    annotated: CorpusReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ForCwb, "max_value_bytes", 12)
    ran = run("export", annotated.folder, "-o", tmp_path / "x.vrt", "--lang", "el")
    told = tomllib.loads((tmp_path / "x.vrt.toml").read_text("utf-8"))["changed"]["cut"]
    assert told > 100
    assert f"{told:,} values were too long for the corpus manager, and cut off" in ran.stderr.decode()
