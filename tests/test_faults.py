"""The end of a build: it says what could not be read, and why nothing was kept."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from command import run
from test_failures import archive

PAGE = b"<html><p>Hello.</p></html>"


@pytest.mark.parametrize(
    ("name", "data", "cause"),
    [
        ("empty.warc.gz", b"", "the file is empty"),
        ("empty.html", b"", "the file is empty"),
        ("page.warc.gz", PAGE, "no WARC record can be read in it"),
        ("page.arc.gz", PAGE, "no ARC record can be read in it"),
        ("cut.html.gz", gzip.compress(PAGE * 99, mtime=0)[:-9], "Compressed file ended before"),
    ],
)
def test_why_nothing_was_kept(tmp_path: Path, name: str, data: bytes, cause: str) -> None:
    (tmp_path / name).write_bytes(data)
    done = run("build", name, "-o", "corpus", "--engine", "inline", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.decode().startswith(f"gristmill: nothing was kept:\n  {name}: {cause}")


def test_which_filters_have_dropped_all_pages(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_bytes(PAGE)
    done = run("build", "page.html", "-o", "corpus", "--engine", "inline", cwd=tmp_path)
    assert b"nothing was kept:\n  too small or too large: 1 page\n" in done.stderr


def test_many_files_are_counted(tmp_path: Path) -> None:
    for number in range(7):
        (tmp_path / f"{number}.html").touch()
    done = run("build", ".", "-o", "corpus", "--engine", "inline", cwd=tmp_path)
    assert b"\n  4.html: the file is empty\n  and 2 more files\n" in done.stderr


def test_an_archive_that_was_cut_off_is_named_at_the_end(tmp_path: Path) -> None:
    whole = archive(tmp_path / "x.warc.gz", "good", "better", "best").read_bytes()
    (tmp_path / "cut.warc.gz").write_bytes(whole[:-60])
    built = run("build", "cut.warc.gz", "-o", "corpus", "--engine", "inline", cwd=tmp_path, together=True)
    assert built.returncode == 0
    end = built.stdout.decode().partition("\nNext: ")[2]
    assert "warning: not everything could be read:\n  cut.warc.gz: the archive ends inside the record" in end
    assert end.endswith("Each record of it: gristmill dropped corpus\n")
    (tmp_path / "more.warc.gz").write_bytes(b"none")
    added = run("add", "corpus", "more.warc.gz", "--engine", "inline", cwd=tmp_path).stderr.decode()
    assert "more.warc.gz: no WARC record" in added
    assert "cut.warc.gz" not in added  # that was said when it was built
