"""Scratch space of a machine, and what is kept on file systems that several machines share."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from command import run
from killing import changes_of, contents, is_killed

from gristmill import Config, deduplicate, drafts, file_systems, scratch
from gristmill.dedup.onion import prepare
from gristmill.engine import InlineEngine
from gristmill.engine.local import Order
from gristmill.errors import UsageError
from gristmill.file_systems import is_shared
from gristmill.pipeline import build
from gristmill.scratch import SCRATCH, scratch_folder
from gristmill.shards import write_atomically
from gristmill.spool import Spool

ENGINE = InlineEngine()


@pytest.fixture(autouse=True)
def _none_chosen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv(SCRATCH, raising=False)
    yield
    scratch.choose("")


def test_without_scratch_space_files_are_where_they_would_be(tmp_path: Path) -> None:
    assert scratch_folder() is None
    assert scratch_folder(tmp_path) == tmp_path


def test_each_machine_has_its_own_or_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SCRATCH, str(tmp_path / "own"))
    assert scratch_folder(tmp_path) == tmp_path / "own"
    assert (tmp_path / "own").is_dir()
    scratch.choose(tmp_path / "all")
    assert scratch_folder(tmp_path) == tmp_path / "all"


def test_workers_are_told_what_was_chosen_but_not_what_is_set_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SCRATCH, str(tmp_path / "own"))
    before = Order.of(Asking())
    scratch.choose(tmp_path / "all")
    order = Order.of(Asking())
    scratch.choose("")
    monkeypatch.setenv(SCRATCH, str(tmp_path / "of the worker"))
    assert order.run(lambda _: None) == str(tmp_path / "all")
    assert before.run(lambda _: None) == str(tmp_path / "of the worker")


class Asking:
    """A task that says where its scratch space is."""

    def run(self, report: Callable[[int], None]) -> str:
        del report
        return str(scratch_folder())


def test_spools_are_in_the_scratch_space(tmp_path: Path) -> None:
    """A folder that is there only to be written to later need not even be there."""
    scratch.choose(tmp_path / "scratch")
    with Spool[str](tmp_path / "nowhere") as spool:
        spool.append("a")
        assert spool[0] == "a"
    assert list((tmp_path / "scratch").iterdir()) == []


def test_the_same_corpus_with_scratch_space(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    for subject in ("mill", "bridge"):
        text = " ".join(f"In chapter {number} the {subject} stood by the river." for number in range(20))
        (pages / f"{subject}.html").write_text(f"<html lang=en><body><p>{text}</p></body></html>", "utf-8")
    options = ("--method", "site-diff", "--dedup", "onion:finder=suffix", "-j1")
    assert run("build", pages, "-o", tmp_path / "without", *options).returncode == 0
    assert run("build", pages, "-o", tmp_path / "with", *options, "--scratch", tmp_path / "scratch").returncode == 0
    assert contents(tmp_path / "without") == contents(tmp_path / "with")
    assert list((tmp_path / "scratch").iterdir()) == []


def test_scratch_space_that_can_not_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    refused = run("index", tmp_path, "--scratch", tmp_path / "file/folder")
    assert refused.returncode == 2
    assert b"as scratch space: Not a directory; name another one\n" in refused.stderr
    scratch.choose(tmp_path / "file")
    with pytest.raises(UsageError, match=r"can't use .*file as scratch space: File exists; name another one"):
        scratch_folder(tmp_path)


@pytest.mark.skipif(not hasattr(os, "major"), reason="needs POSIX")
def test_file_systems_that_other_machines_see(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    device = tmp_path.stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    mounts = tmp_path / "mountinfo"
    monkeypatch.setattr(file_systems, "_MOUNTS", mounts)

    def kind(name: str) -> bool:
        mounts.write_text(
            f"20 1 0:0 / /proc rw - proc proc rw\n36 35 {number} / /mnt rw,noatime master:1 - {name} a:/b rw\n"
        )
        file_systems._is_shared.cache_clear()
        return is_shared(tmp_path)

    shared = [
        kind(name) for name in ("nfs", "nfs4", "cifs", "lustre", "ceph", "fuse.sshfs", "fuse.juicefs", "virtiofs")
    ]
    assert all(shared)
    assert not any(kind(name) for name in ("ext4", "xfs", "overlay", "tmpfs", "fuseblk", "btrfs"))
    mounts.unlink()
    file_systems._is_shared.cache_clear()
    assert not is_shared(tmp_path)
    assert not is_shared(tmp_path / "nowhere")
    monkeypatch.undo()
    file_systems._is_shared.cache_clear()


def test_files_are_flushed_before_others_can_go_on_with_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed: list[str] = []
    monkeypatch.setattr(drafts, "_flush", lambda path: flushed.append(path.name))
    (tmp_path / "a").touch()
    drafts.move(tmp_path / "a", tmp_path / "b")
    assert flushed == []
    monkeypatch.setattr(drafts, "is_shared", lambda _: True)
    drafts.move(tmp_path / "b", tmp_path / "c")
    assert flushed == ["b"]
    (tmp_path / "folder").mkdir()
    drafts.move(tmp_path / "folder", tmp_path / "other")
    assert flushed == ["b"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs to fork")
@pytest.mark.parametrize("shared", [True, False])
def test_what_was_put_aside_on_another_machine(shared: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is gone on with where it was flushed; where it may not have reached the disk, it is made anew."""
    monkeypatch.setattr(prepare, "is_shared", lambda _: shared)
    monkeypatch.setattr(drafts, "is_shared", lambda _: shared)
    pages = tmp_path / "pages.jsonl"
    texts = [" ".join(f"In chapter {part} of {book // 2} the mill stood." for part in range(30)) for book in range(6)]
    pages.write_text(
        "".join(json.dumps({"url": f"https://a.example/{n}", "text": t}) + "\n" for n, t in enumerate(texts))
    )
    whole = tmp_path / "whole"
    build(pages, whole, Config(), engine=ENGINE)
    deduplicate(whole, "onion:n=5", engine=ENGINE)
    work, other = (shutil.copytree(whole, tmp_path / name) for name in ("work", "other"))
    steps = changes_of(lambda: deduplicate(other, "onion:n=5", engine=ENGINE), tmp_path)
    first = next(number for number, step in enumerate(steps) if "dedup/repeats" in step)
    assert is_killed(lambda: deduplicate(work, "onion:n=5", engine=ENGINE), first, tmp_path)
    (ngrams,) = (work / "dedup/ngrams").iterdir()
    cleared: list[bool] = []
    clear = prepare.clear

    def noted(folder: Path) -> None:
        cleared.append(ngrams.exists())
        clear(folder)

    monkeypatch.setattr(prepare, "boot", lambda: "another start")
    monkeypatch.setattr(prepare, "clear", noted)
    deduplicate(work, "onion:n=5", engine=ENGINE)
    assert cleared == ([] if shared else [True])
    assert contents(work) == contents(whole)


def test_drafts_on_such_file_systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafts, "is_shared", lambda _: True)
    write_atomically(tmp_path / "x", b"whole")
    assert (tmp_path / "x").read_bytes() == b"whole"
