"""Building: the counts add up, the bytes do not depend on workers or on being killed, and bad input is survived."""

from __future__ import annotations

import gzip
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gristmill
from gristmill import sample
from gristmill.archive import Source, WarcWriter, find_sources
from gristmill.config import Config
from gristmill.corpus.tally import Counts
from gristmill.drafts import temporary_name
from gristmill.engine import InlineEngine
from gristmill.pipeline import ShardTask, plan_shards
from gristmill.shards import Shard, read_rows

PARAGRAPH = (
    "It was the miller who said that the river would rise in the night, and it was the river that did what he had "
    "said it would do. "
)
PAGE = f"<html><body><p>{PARAGRAPH * 3}</p></body></html>".encode()


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with several archives, so that there are several shards: the sample, and parts of it."""
    folder = tmp_path_factory.mktemp("inputs")
    data = sample.WARC.read_bytes()
    for name, size in (("a", len(data)), ("b", len(data) // 2), ("c", len(data) // 3), ("d", len(data) // 5)):
        (folder / f"{name}.warc.gz").write_bytes(data[:size])
    (folder / "pages").mkdir()
    for number in range(4):
        (folder / "pages" / f"{number}.html").write_bytes(PAGE + b"%d" % number)
    return folder


@pytest.fixture(scope="module")
def reference(inputs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What an undisturbed build of the inputs gives."""
    folder = tmp_path_factory.mktemp("reference") / "corpus"
    gristmill.build([inputs], folder, engine=InlineEngine())
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def check_counts(counts: Counts) -> None:
    """In = kept + dropped, at every stage."""
    assert counts["records"] == counts["pages"] + sum(counts["skipped"].values())
    assert counts["pages"] == counts["passed"] + sum(counts["dropped"].values())
    assert counts["passed"] == counts["kept"] + counts["duplicates"]


def test_counts_of_the_sample(corpus: gristmill.Corpus, truth: dict[str, Any]) -> None:
    check_counts(corpus.counts)
    sites = 15
    assert corpus.counts["skipped"] == {"other": 1, "revisit": sites}
    assert corpus.counts["dropped"]["status"] == 2 * sites
    assert corpus.counts["dropped"]["content-type"] == 2 * sites
    assert corpus.counts["pages"] == len(truth) + 4 * sites


def test_counts_with_damage(reference: Path) -> None:
    counts = gristmill.Corpus(reference).counts
    check_counts(counts)
    assert counts["skipped"]["broken"] == 3
    assert counts["duplicates"] > 50


def test_counts_of_real_archives(gold: Path, tmp_path: Path) -> None:
    counts = gristmill.build([gold / "archives"], tmp_path / "corpus", engine=InlineEngine()).counts
    check_counts(counts)
    assert counts["pages"] > 50
    assert counts["skipped"]["broken"] == 3


def test_broken_records_are_noted_with_their_place(reference: Path) -> None:
    noted = [
        row
        for shard in gristmill.Corpus(reference).shards
        for row in read_rows(shard.skipped)
        if row["reason"] == "broken"
    ]
    assert [Path(row["source"]).name for row in noted] == ["b.warc.gz", "c.warc.gz", "d.warc.gz"]
    assert all(row["offset"] > 1000 and row["detail"] for row in noted)


@pytest.mark.parametrize("workers", [1, 4])
def test_any_number_of_workers_gives_the_same_bytes(
    inputs: Path, reference: Path, tmp_path: Path, workers: int
) -> None:
    gristmill.build([inputs], tmp_path / "corpus", workers=workers)
    assert contents(tmp_path / "corpus") == contents(reference)


def test_building_again_does_nothing(inputs: Path, reference: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in reference.rglob("*.parquet")}
    gristmill.build([inputs], reference, engine=InlineEngine())
    assert {path: path.stat().st_mtime_ns for path in reference.rglob("*.parquet")} == before


def run_command(*arguments: str | Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "gristmill", *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def test_a_killed_build_resumes(inputs: Path, reference: Path, tmp_path: Path) -> None:
    """SIGKILL at random moments until the build gets through; the result is that of an undisturbed one."""
    output = tmp_path / "corpus"
    for earliest in (0.3, 0.8, 1.3):
        process = run_command("build", inputs, "-o", output, "--workers", "2")
        time.sleep(random.uniform(earliest, earliest + 0.5))
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert run_command("build", inputs, "-o", output, "--workers", "2").wait() == 0
    assert contents(output) == contents(reference)


def test_a_build_stopped_between_any_two_files_resumes(inputs: Path, reference: Path, tmp_path: Path) -> None:
    """A build resumes from every state that a kill between two renames can leave."""
    files = sorted(path.relative_to(reference) for path in reference.rglob("*.parquet"))
    begun = (reference / "corpus.toml").read_text("utf-8")
    for missing in files:
        output = tmp_path / "corpus"
        shutil.copytree(reference, output)
        (output / "corpus.toml").write_text(begun[: begun.index("[counts]")], "utf-8")
        (output / missing).rename(temporary_name(output / missing))
        if missing.name == "skipped.parquet":  # written before the documents, so these are missing too
            (output / missing).with_name("documents.parquet").unlink()
        gristmill.build([inputs], output, engine=InlineEngine())
        assert contents(output) == contents(reference), missing
        shutil.rmtree(output)


def test_a_build_killed_at_its_very_beginning_resumes(tmp_path: Path) -> None:
    left = temporary_name(tmp_path / "corpus.toml")
    left.write_text("[corp")
    assert gristmill.build("sample", tmp_path, engine=InlineEngine()).counts["kept"] > 0
    assert not left.exists()


def test_the_first_copy_is_first_among_pages_and_archives(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(PAGE)
    with (tmp_path / "b.warc").open("wb") as file, WarcWriter(file) as writer:
        writer.write_response("http://b.example/", "2020-01-01T00:00:00Z", 200, {"Content-Type": "text/html"}, PAGE)
    corpus = gristmill.build([tmp_path / "a.html", tmp_path / "b.warc"], tmp_path / "corpus", engine=InlineEngine())
    assert [document.url for document in corpus.documents()] == [f"file:{tmp_path}/a.html"]


def test_a_module_of_the_users_is_not_imported_by_workers(tmp_path: Path) -> None:
    (tmp_path / "pickle.py").write_text("raise SystemExit(3)")
    command = [sys.executable, "-P", "-m", "gristmill", "build", "sample", "-o", "corpus"]
    assert subprocess.run(command, cwd=tmp_path, stdout=subprocess.DEVNULL, check=False).returncode == 0


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see processes")
def test_workers_do_not_outlive_a_killed_master(inputs: Path, tmp_path: Path) -> None:
    process = run_command("build", inputs, "-o", tmp_path / "corpus", "--workers", "2")
    workers = _wait_until(lambda: _children(process.pid))
    assert workers
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert _wait_until(lambda: not any(_is_worker(pid) for pid in workers))


def _wait_until(condition: Callable[[], Any]) -> Any:
    for _ in range(1200):
        result = condition()
        if result:
            return result
        time.sleep(0.1)
    return condition()


def _children(parent: int) -> list[int]:
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in pids if _is_worker(pid) and _parent(pid) == parent]


def _is_worker(pid: int) -> bool:
    try:
        return b"gristmill.engine.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False  # it has just ended


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def test_other_settings_or_sources_are_refused(corpus: gristmill.Corpus, inputs: Path) -> None:
    before = contents(corpus.folder)
    with pytest.raises(
        gristmill.UsageError, match=r"filter.filters: .*length:min=200.*length:min=7.*\nGive another folder with -o"
    ):
        gristmill.build(["sample"], corpus.folder, Config().with_filters("length:min=7"))
    with pytest.raises(
        gristmill.UsageError,
        match=r"built from other files:\n  new: .*b\.warc\.gz.* more\nTo add what is new: gristmill add",
    ):
        gristmill.build([inputs], corpus.folder)
    assert contents(corpus.folder) == before


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(gristmill.UsageError, match="not empty"):
        gristmill.build(["sample"], tmp_path)
    assert contents(tmp_path) == {"thesis.txt": b"precious"}


def test_large_folders_are_split_by_size() -> None:
    pages = [Source(f"{number}", f"{number}", "page", 10_000_000) for number in range(20)]
    shards = plan_shards([*pages[:10], Source("a", "a", "warc", 5), *pages[10:]])
    assert [len(shard) for shard in shards] == [7, 3, 1, 7, 3]
    assert [source.name for shard in shards for source in shard] == [
        *map(str, range(10)),
        "a",
        *map(str, range(10, 20)),
    ]


def test_a_corpus_inside_its_own_source(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(PAGE)
    first = gristmill.build([tmp_path], tmp_path / "corpus", engine=InlineEngine())
    assert first.counts["pages"] == 1
    assert gristmill.build([tmp_path], tmp_path / "corpus", engine=InlineEngine()).counts == first.counts


def test_two_builds_at_once_in_one_folder(inputs: Path, tmp_path: Path) -> None:
    output = tmp_path / "corpus"
    first = run_command("build", inputs, "-o", output, "--workers", "1")
    assert _wait_until((output / "shards").exists)
    first.send_signal(signal.SIGSTOP)  # or it might be done before the other one has begun
    with pytest.raises(gristmill.GristmillError, match="another command is writing to"):
        gristmill.build([inputs], output)
    first.send_signal(signal.SIGCONT)
    assert first.wait() == 0


def test_one_bad_shard_fails_and_the_rest_goes_on(inputs: Path, reference: Path, tmp_path: Path) -> None:
    """A file stands where a shard's folder should be: that shard can't be written."""
    output = tmp_path / "corpus"
    (output / "shards").mkdir(parents=True)
    shutil.copy(reference / "corpus.toml", output / "corpus.toml")
    (output / "shards" / "00001").write_text("in the way")
    with pytest.raises(
        gristmill.GristmillError, match=r"1 of \d shards failed:\n  shard 00001 .*b\.warc\.gz.*File exists"
    ) as caught:
        gristmill.build([inputs], output, workers=2)
    assert "run the same command again" in str(caught.value)
    assert len(list(output.rglob("documents.parquet"))) == 4
    (output / "shards" / "00001").unlink()
    gristmill.build([inputs], output, workers=2)
    assert contents(output) == contents(reference)


class TestBadInput:
    """Each is a message or a counted skip; nothing raises anything else, nothing hangs."""

    def build(self, tmp_path: Path, name: str, data: bytes) -> Counts:
        (tmp_path / name).write_bytes(data)
        corpus = gristmill.build([tmp_path / name], tmp_path / "corpus", engine=InlineEngine())
        check_counts(corpus.counts)
        return corpus.counts

    def test_empty_files(self, tmp_path: Path) -> None:
        assert self.build(tmp_path, "x.warc.gz", b"")["skipped"] == {"broken": 1}

    def test_random_bytes(self, tmp_path: Path) -> None:
        assert self.build(tmp_path, "x", random.Random(5).randbytes(100_000))["dropped"] == {"content-type": 1}

    def test_random_bytes_called_an_archive(self, tmp_path: Path) -> None:
        assert self.build(tmp_path, "x.warc", random.Random(5).randbytes(100_000))["skipped"] == {"broken": 1}

    def test_truncated_gzip(self, tmp_path: Path) -> None:
        counts = self.build(tmp_path, "x.warc.gz", sample.WARC.read_bytes()[:200_000])
        assert counts["skipped"]["broken"] == 1
        assert counts["kept"] > 40

    def test_truncated_gzip_of_one_page(self, tmp_path: Path) -> None:
        assert self.build(tmp_path, "x.html.gz", gzip.compress(PAGE)[:-20])["skipped"] == {"broken": 1}

    def test_a_page_of_50_megabytes(self, tmp_path: Path) -> None:
        assert self.build(tmp_path, "x.html", PAGE * (50_000_000 // len(PAGE)))["dropped"] == {"size": 1}

    def test_deep_nesting(self, tmp_path: Path) -> None:
        assert self.build(tmp_path, "x.html", b"<div>" * 100_000 + PAGE)["kept"] == 1

    def test_nul_bytes_and_invalid_utf8(self, tmp_path: Path) -> None:
        page = PAGE.replace(b"river", b"ri\x00ver").replace(b"night", b"ni\xffght")
        assert self.build(tmp_path, "x.html", page)["kept"] == 1

    def test_lone_surrogates_in_names(self, tmp_path: Path) -> None:
        name = os.fsdecode(b"caf\xe9.html")
        assert self.build(tmp_path, name, PAGE)["kept"] == 1

    def test_urls_that_are_no_text(self, tmp_path: Path) -> None:
        with (tmp_path / "y.warc").open("wb") as file, WarcWriter(file, compress=False) as writer:
            writer.write_response(
                "http://a.example/URL", "2020-01-01T00:00:00Z", 200, {"Content-Type": "text/html"}, PAGE
            )
        data = (tmp_path / "y.warc").read_bytes().replace(b"/URL", b"/\xff\xfe\x00")
        check_counts(
            gristmill.build([self._write(tmp_path / "z.warc", data)], tmp_path / "corpus", engine=InlineEngine()).counts
        )

    def _write(self, path: Path, data: bytes) -> Path:
        path.write_bytes(data)
        return path

    def test_unwritable_output(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("not a folder")
        with pytest.raises(gristmill.GristmillError, match="can't write to"):
            gristmill.build(["sample"], tmp_path / "file" / "corpus")

    def test_no_pages(self, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        with pytest.raises(gristmill.UsageError, match="no files in"):
            gristmill.build([tmp_path / "empty"], tmp_path / "corpus")
        assert not (tmp_path / "corpus").exists()


def test_tasks_do_not_know_the_time_or_the_machine(inputs: Path, tmp_path: Path) -> None:
    (source,) = find_sources([inputs / "d.warc.gz"])
    for name in ("one", "two"):
        ShardTask(Shard(tmp_path / name / "00000"), (source,), Config()).run(lambda _: None)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
