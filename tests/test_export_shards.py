"""Exports to a folder of files, as Hugging Face's `datasets` and datatrove read them."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import run

import gristmill
from gristmill.corpus import FORMATS, CorpusReader, Selection
from gristmill.corpus.formats.record import SCHEMA
from gristmill.drafts import SUFFIX

SIZE = 20_000


def records(path: Path) -> list[dict[str, object]]:
    if path.suffix == ".parquet":
        found: list[dict[str, object]] = pq.read_table(path).to_pylist()
        return found
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    elif path.suffix == ".zst":
        data = pa.CompressedInputStream(io.BytesIO(data), "zstd").read()
    return [json.loads(line) for line in data.decode().split("\n")[:-1]]


def card(folder: Path) -> dict[str, dict[str, object]]:
    return tomllib.loads(folder.with_name(f"{folder.name}.toml").read_text("utf-8"))


@pytest.mark.parametrize("form", ["jsonl", "jsonl.gz", "jsonl.zst", ".jsonl.zst", "parquet"])
def test_all_documents_in_their_order(corpus: gristmill.Corpus, tmp_path: Path, form: str) -> None:
    folder = tmp_path / "new" / "dataset"
    count = gristmill.export(corpus, folder, form, shard_size=SIZE)
    files = sorted(folder.iterdir())
    assert [file.name for file in files] == [f"{number:05d}.{form.removeprefix('.')}" for number in range(len(files))]
    found = [record for file in files for record in records(file)]
    assert [(record["id"], record["text"]) for record in found] == [
        (document.id, document.text) for document in corpus.documents()
    ]
    assert len(found) == count
    assert sorted(path.name for path in folder.parent.iterdir()) == ["dataset", "dataset.toml"]
    assert card(folder)["counts"]["documents"] == count
    assert card(folder)["export"] == {
        "folder": "dataset",
        "format": form.removeprefix(".").partition(".")[0],
        "files": len(files),
        "bytes": sum(file.stat().st_size for file in files),
        "shard_size": SIZE,
    }


@pytest.mark.parametrize("form", list(FORMATS))
def test_sizes_are_those_before_compression(indexed: CorpusReader, tmp_path: Path, form: str) -> None:
    gristmill.export(indexed, tmp_path / "x", form, Selection(languages=("en",)), shard_size=SIZE)
    files = sorted((tmp_path / "x").iterdir())
    assert len(files) > 2
    if form == "parquet":
        sizes = [
            sum(len(str(value).encode()) for record in records(file) for value in record.values()) for file in files
        ]
    else:
        sizes = [file.stat().st_size for file in files]
    longest = max(sizes) - SIZE
    assert all(0.9 * SIZE < size < 3 * SIZE for size in sizes[:-1]), sizes
    assert longest < 2 * SIZE  # one document more at most
    if FORMATS[form].compressible:
        gristmill.export(indexed, tmp_path / "packed", f"{form}.gz", Selection(languages=("en",)), shard_size=SIZE)
        packed = sorted((tmp_path / "packed").iterdir())
        assert [gzip.decompress(file.read_bytes()) for file in packed] == [file.read_bytes() for file in files]


def test_the_same_bytes_each_time(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    for name in ("one", "two"):
        gristmill.export(corpus, tmp_path / name / "x", shard_size="20kB")
    one, two = (
        {str(p.relative_to(tmp_path / name)): p.read_bytes() for p in (tmp_path / name).rglob("*.*")}
        for name in ("one", "two")
    )
    assert one == two
    assert len(one) > 3
    assert all(name.endswith((".parquet", ".toml")) for name in one)


def test_nothing_is_one_file_of_nothing(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    assert gristmill.export(corpus, tmp_path / "x", selection=Selection(where='lang="xx"'), shard_size="1GB") == 0
    assert [path.name for path in (tmp_path / "x").iterdir()] == ["00000.parquet"]
    assert pq.read_schema(tmp_path / "x" / "00000.parquet").names == SCHEMA.names


def test_one_document_can_be_larger_than_a_file(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    count = gristmill.export(corpus, tmp_path / "x", "jsonl", shard_size=1)
    assert [len(records(file)) for file in sorted((tmp_path / "x").iterdir())] == [1] * count


def test_what_is_there_is_not_replaced(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    folder = tmp_path / "x"
    folder.mkdir()
    gristmill.export(corpus, folder, "jsonl", shard_size=SIZE)  # an empty folder is as good as none
    with pytest.raises(gristmill.UsageError, match=r"x is there already: give another name, or --force"):
        gristmill.export(corpus, folder, shard_size=SIZE)
    gristmill.export(corpus, folder, "jsonl.gz", shard_size="1MB", force=True)
    assert [path.name for path in folder.iterdir()] == ["00000.jsonl.gz"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x", "x.toml"]
    (folder / "notes.txt").write_text("mine")
    for force in (False, True):
        with pytest.raises(gristmill.UsageError, match=r"x holds what is not of an export \(notes.txt\)"):
            gristmill.export(corpus, folder, shard_size=SIZE, force=force)
    assert (folder / "notes.txt").read_text() == "mine"


def test_places_that_are_no_folder_for_it(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place, message in {
        str(tmp_path / "file"): "and .*file is none: give a folder",
        "-": "and - is none",
        str(tmp_path / "x.jsonl.zst"): "is the name of one: give a folder, such as corpus/, and --format",
    }.items():
        with pytest.raises(gristmill.UsageError, match=message):
            gristmill.export(corpus, place, shard_size=SIZE)
    for own in (corpus.folder, corpus.folder / "shards", corpus.folder / "shards" / "x", corpus.folder / "corpus"):
        with pytest.raises(gristmill.UsageError, match="belongs to the corpus"):
            gristmill.export(corpus, own, shard_size=SIZE, force=True)
    wrong: dict[int | str, str] = {"much": "'much' is not a size of shards", 0: "must be at least one byte"}
    for size, message in wrong.items():
        with pytest.raises(gristmill.UsageError, match=message):
            gristmill.export(corpus, tmp_path / "x", shard_size=size)
    with pytest.raises(gristmill.UsageError, match="parquet is compressed by itself"):
        gristmill.export(corpus, tmp_path / "x", "parquet.gz", shard_size=SIZE)
    with pytest.raises(gristmill.GristmillError, match=r"can't write .*file/x: (Not a directory|File exists)"):
        gristmill.export(corpus, tmp_path / "file" / "x", shard_size=SIZE)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_failed_export_leaves_what_was_there(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    gristmill.export(corpus, tmp_path / "x", shard_size=SIZE)
    before = {path.name: path.read_bytes() for path in (tmp_path / "x").iterdir()}

    def unreadable() -> None:
        raise OSError("Input/output error")

    with pytest.raises(OSError, match="Input/output error"):
        gristmill.export(corpus, tmp_path / "x", "jsonl", shard_size=SIZE, force=True, on_document=unreadable)
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "x").iterdir()}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x", "x.toml"]


SCRIPT = """
import sys, time, gristmill
slowly = lambda: (print(flush=True), time.sleep(0.02))
gristmill.export(sys.argv[1], sys.argv[2], "jsonl.zst", shard_size=20_000, on_document=slowly)
"""


def test_killed_at_any_time_and_run_again(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    gristmill.export(corpus, tmp_path / "whole" / "x", "jsonl.zst", shard_size=SIZE)
    (tmp_path / "killed").mkdir()
    for documents in (1, 5, 20):
        command = [sys.executable, "-c", SCRIPT, str(corpus.folder), str(tmp_path / "killed" / "x")]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        ) as process:
            assert process.stdout
            for _ in range(documents):
                process.stdout.readline()
            process.send_signal(signal.SIGKILL)
        assert not (tmp_path / "killed" / "x").exists()
        assert any(left.is_dir() for left in (tmp_path / "killed").glob(f"*{SUFFIX}"))
    gristmill.export(corpus, tmp_path / "killed" / "x", "jsonl.zst", shard_size=SIZE)
    whole, again = (
        {str(p.relative_to(tmp_path / name)): p.is_dir() or p.read_bytes() for p in (tmp_path / name).rglob("*")}
        for name in ("whole", "killed")
    )
    assert whole == again


def test_two_at_the_same_time(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    command = [sys.executable, "-c", SCRIPT, str(corpus.folder), str(tmp_path / "x")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    ) as process:
        assert process.stdout
        process.stdout.readline()
        process.send_signal(signal.SIGSTOP)  # or it might be done before the other one has begun
        with pytest.raises(gristmill.GristmillError, match="x is being written already"):
            gristmill.export(corpus, tmp_path / "x", "jsonl.zst", shard_size=SIZE)
        process.send_signal(signal.SIGCONT)
        process.stdout.read()
    assert process.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x", "x.toml"]


def test_the_command(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    ran = run("export", corpus.folder, "-o", f"{tmp_path}/dataset/", "--shard-size", "20kB")
    assert (ran.returncode, b"documents written to" in ran.stderr) == (0, True)
    assert {path.suffix for path in (tmp_path / "dataset").iterdir()} == {".parquet"}
    again = run("export", corpus.folder, "-o", f"{tmp_path}/dataset/", "--shard-size", "20kB", "--format", "jsonl.zst")
    assert (again.returncode, b"is there already" in again.stderr) == (2, True)
    assert (
        run(
            "export",
            corpus.folder,
            "-o",
            f"{tmp_path}/dataset/",
            "--shard-size",
            "1GB",
            "--format",
            "jsonl.zst",
            "--force",
        ).returncode
        == 0
    )
    assert [path.name for path in (tmp_path / "dataset").iterdir()] == ["00000.jsonl.zst"]
