"""Parts of a build, an addition, an annotation or an index, by several commands at the same time, and their merging."""

from __future__ import annotations

import json
import os
import re
import shutil
import traceback
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from command import run
from killing import changes_of, contents, is_killed, some_of

from gristmill import Config, annotate, deduplicate, index
from gristmill.engine import InlineEngine
from gristmill.errors import GristmillError, UsageError
from gristmill.leases import BusyError, locked
from gristmill.nodes import NODE
from gristmill.parts import Part, parts_with
from gristmill.pipeline import PartDone, add, build, build_part, index_part, status

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs to fork")

ENGINE = InlineEngine()
FORMS = Config().replace(annotate_taggers=("forms",))


def _write(path: Path, number: int) -> None:
    """An archive of pages, of which some text is in other archives, too."""
    with path.open("w", encoding="utf-8") as file:
        for subject in ("mill", "bridge", "tower"):
            lines = (
                f"In chapter {chapter} of book {number * (subject != 'mill')} the {subject} stood by the river."
                for chapter in range(12)
            )
            page = {"url": f"https://{subject}.example/{number}", "text": "\n".join(lines)}
            file.write(json.dumps(page) + "\n")


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five archives for a build, and three to add."""
    folder = tmp_path_factory.mktemp("archives")
    for number in range(8):
        (folder / ("first" if number < 5 else "more")).mkdir(exist_ok=True)
        _write(folder / ("first" if number < 5 else "more") / f"{number}.jsonl", number)
    return folder


@pytest.fixture(scope="module")
def plain(archives: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus that was built without parts."""
    folder = tmp_path_factory.mktemp("plain") / "corpus"
    build(archives / "first", folder, FORMS, engine=ENGINE)
    return folder


def _at_once(actions: Sequence[Callable[[], object]]) -> None:
    """Run actions in processes of their own, on machines of other names."""
    children = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # other threads don't matter to the actions
        for number, action in enumerate(actions):
            child = os.fork()
            if child == 0:
                os.environ[NODE] = f"node-{number}"
                try:
                    action()
                except BaseException:  # noqa: BLE001 (the test it is a copy of must not go on here)
                    traceback.print_exc()
                    os._exit(1)
                os._exit(0)
            children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * len(children)


def _build_part(archives: Path, folder: Path, part: str) -> Callable[[], PartDone]:
    return lambda: build_part(archives / "first", folder, part, FORMS, engine=ENGINE)


def test_parts() -> None:
    assert [Part(number, 3).of("abcdefg") for number in (1, 2, 3)] == [["a", "d", "g"], ["b", "e"], ["c", "f"]]
    assert Part(4, 5).of("abc") == []
    assert Part.parse("03/16") == Part(3, 16)
    assert str(Part(3, 16)) == "3/16"
    assert parts_with([0, 4, 7], 4) == [Part(1, 4), Part(4, 4)]


@pytest.mark.parametrize("text", ["", "3", "3/", "/3", "0/3", "4/3", "1/0", "-1/3", "1/3/5", "a/b", "1.5/3", "²/3"])
def test_no_parts(text: str) -> None:
    with pytest.raises(UsageError, match=r"a part is a number and a count|there is no part"):
        Part.parse(text)


def test_parts_that_are_built_at_once_make_the_same_corpus(archives: Path, plain: Path, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    _at_once([_build_part(archives, folder, f"{number}/4") for number in (1, 2, 4)])
    with pytest.raises(GristmillError, match=r"has 5 shards, of which 1 is not built: run part 3/4 with --part"):
        build(archives / "first", folder, FORMS, engine=ENGINE, merge=True)
    assert not status(folder).complete
    assert _build_part(archives, folder, "3/4")() == PartDone(Part(3, 4), 1, 5)
    build(archives / "first", folder, FORMS, engine=ENGINE, merge=True)
    assert contents(folder) == contents(plain)
    _at_once([_build_part(archives, folder, f"{number}/2") for number in (1, 2)])  # nothing is to be done
    build(archives / "first", folder, FORMS, engine=ENGINE, merge=True)
    assert contents(folder) == contents(plain)


def test_additions_by_parts(archives: Path, plain: Path, tmp_path: Path) -> None:
    whole = shutil.copytree(plain, tmp_path / "whole")
    add(whole, archives, engine=ENGINE)
    folder = shutil.copytree(plain, tmp_path / "corpus")
    with pytest.raises(UsageError, match=r"nothing to merge in .*corpus: add parts first"):
        add(folder, archives, engine=ENGINE, merge=True)
    _at_once([lambda part=f"{number}/3": add(folder, archives, engine=ENGINE, part=part) for number in (1, 3)])  # type: ignore[misc]
    with pytest.raises(GristmillError, match=r"has 3 shards, of which 1 is not built: run part 2/3 "):
        add(folder, archives, engine=ENGINE, merge=True)
    add(folder, archives, engine=ENGINE, part="2/3")
    add(folder, archives, engine=ENGINE, merge=True)
    assert contents(folder) == contents(whole)
    add(folder, archives, engine=ENGINE, part="1/3")
    add(folder, archives, engine=ENGINE, merge=True)  # nothing is new
    assert contents(folder) == contents(whole)


def test_annotation_and_index_by_parts(plain: Path, tmp_path: Path) -> None:
    whole = shutil.copytree(plain, tmp_path / "whole")
    counts = annotate(whole, "en=forms", engine=ENGINE)
    index(whole, engine=ENGINE)
    folder = shutil.copytree(plain, tmp_path / "corpus")
    found = annotate(folder, "en=forms", engine=ENGINE, part="1/2")
    assert 0 < found["counts"]["tokens"] < counts["counts"]["tokens"]
    with pytest.raises(GristmillError, match=r"of which 2 are not annotated: run part 2/2 "):
        annotate(folder, engine=ENGINE, merge=True)
    _at_once([lambda part=f"{number}/3": index_part(folder, part, engine=ENGINE) for number in (1, 3)])  # type: ignore[misc]
    with pytest.raises(GristmillError, match=r"of which 2 are not indexed: run part 2/3 "):
        index(folder, engine=ENGINE, merge=True)
    assert index_part(folder, "2/3", engine=ENGINE) == PartDone(Part(2, 3), 2, 5)
    index(folder, engine=ENGINE, merge=True)
    assert annotate(folder, engine=ENGINE, merge=True) == counts
    assert contents(folder) == contents(whole)


def test_parts_that_were_killed_are_done_again(archives: Path, plain: Path, tmp_path: Path) -> None:
    """On whichever machine, and while another part is being built."""
    before = tmp_path / "before"
    _build_part(archives, before, "1/2")()
    changes = len(changes_of(_build_part(archives, shutil.copytree(before, tmp_path / "whole"), "2/2"), tmp_path))
    for step in some_of(changes, 5):
        folder = shutil.copytree(before, tmp_path / str(step))
        part = _build_part(archives, folder, "2/2")
        assert is_killed(part, step, tmp_path)
        with locked(folder, Part(1, 2)):
            part()
        build(archives / "first", folder, FORMS, engine=ENGINE, merge=True)
        assert contents(folder) == contents(plain), step
        shutil.rmtree(folder)


def test_what_was_lost_of_a_corpus_is_built_by_parts(archives: Path, plain: Path, tmp_path: Path) -> None:
    """And all is de-duplicated anew, as by the command that does it all."""
    folder = shutil.copytree(plain, tmp_path / "corpus")
    (folder / "shards/00003/documents.parquet").unlink()
    _build_part(archives, folder, "1/2")()
    assert not status(folder).complete
    with pytest.raises(GristmillError, match="of which 1 is not built: run part 2/2 "):
        build(archives / "first", folder, FORMS, engine=ENGINE, merge=True)
    _build_part(archives, folder, "2/2")()
    build(archives / "first", folder, FORMS, engine=ENGINE, merge=True)
    assert contents(folder) == contents(plain)


def test_parts_are_to_be_of_the_same_corpus(archives: Path, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    _build_part(archives, folder, "1/2")()
    with pytest.raises(UsageError, match=r"settings.clean.method"):
        build_part(archives / "first", folder, "2/2", FORMS.replace(clean_method="bte"), engine=ENGINE)
    with pytest.raises(UsageError, match="built from other files"):
        build_part(archives, folder, "2/2", FORMS, engine=ENGINE)
    with locked(folder, Part(1, 3)), pytest.raises(BusyError, match="another command is writing"):
        _build_part(archives, folder, "2/2")()
    with locked(folder), pytest.raises(BusyError, match="another command is writing"):
        _build_part(archives, folder, "2/2")()
    with locked(folder, Part(1, 2)), pytest.raises(BusyError, match="another command is writing"):
        build(archives / "first", folder, FORMS, engine=ENGINE, merge=True)
    with pytest.raises(GristmillError, match="is not complete"):
        deduplicate(folder, engine=ENGINE)


def test_the_lock_of_a_dead_machine_is_taken_over_and_that_is_said(
    archives: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody has to ask for the log to see it."""
    monkeypatch.setenv("GRISTMILL_LEASE", "0.4")
    folder = tmp_path / "corpus"
    folder.mkdir()
    with locked(folder):
        lease = json.loads((folder / ".lock").read_bytes()[1:])
    (folder / ".lock").write_bytes(b" " + json.dumps(lease | {"node": "node-7", "process": 12}).encode())
    os.utime(folder / ".lock", (1e9, 1e9))
    ran = run("build", archives / "first/0.jsonl", "-o", folder, "-j1")
    assert ran.returncode == 0
    first, second = ran.stderr.decode().splitlines()[:2]
    assert re.fullmatch(r".*/\.lock is of .* on node-7, process 12, since .*, which may be dead: .*", first)
    assert re.fullmatch(
        r".*/\.lock is taken over from .* on node-7, .*, which gave no sign of life for \d+ seconds", second
    )
    assert not (folder / ".lock").exists()


def test_commands(archives: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sources = str(archives / "first")
    both = run("build", sources, "-o", "corpus", "--part", "1/2", "--merge")
    assert both.returncode == 2
    assert both.stderr.decode().endswith("--merge comes after all of them: give one of the two\n")
    nothing = run("build", sources, "-o", "corpus", "--merge")
    assert (nothing.returncode, b"there is nothing to merge in corpus" in nothing.stderr) == (2, True)
    assert not Path("corpus").exists()
    assert run("build", sources, "-o", "corpus", "--part", "3/2").returncode == 2
    for number, shards in ((1, 3), (2, 2)):
        done = run("build", sources, "-o", "corpus", "-j1", "--part", f"{number}/2")
        assert done.stdout.decode().startswith(f"part {number}/2 is done: {shards} shards of 5.")
        assert done.returncode == 0
    assert run("build", sources, "-o", "corpus", "--merge").returncode == 0
    said = run("add", "corpus", str(archives / "more"), "--part", "1/1").stderr.decode()
    assert said.startswith("part 1/1 is done.")
    assert run("add", "corpus", str(archives / "more"), "--merge").returncode == 0
    assert run("annotate", "corpus", "--tagger", "forms", "--part", "1/1").returncode == 0
    assert run("annotate", "corpus", "--merge").returncode == 0
    assert run("index", "corpus", "--part", "1/1", "--compact").returncode == 2
    assert b"8 shards of 8." in run("index", "corpus", "--part", "1/1").stdout
    assert run("index", "corpus", "--merge").returncode == 0
    assert status("corpus").up_to_date
