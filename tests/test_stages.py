"""All stages of a corpus by the one runner: each can be killed at any moment, and `status` says how far it is."""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from attributed import archive, article, story
from command import run
from killing import changes_of, contents, is_killed, some_of

import gristmill
from gristmill import Config, GristmillError
from gristmill.archive import Source, find_sources
from gristmill.corpus import Manifest
from gristmill.corpus.exporting import Exporting, prepare_export
from gristmill.engine import InlineEngine, LocalEngine, Outcome, Report, Task
from gristmill.pipeline import plan_shards
from gristmill.pipeline.pulling import Pulling
from gristmill.pipeline.pushing import Pushing
from gristmill.pipeline.stages import stages_of
from gristmill.search.watch.watches import add_watch
from gristmill.shards import exclusive
from gristmill.stages import CURRENT, MISSING, Round, Runner, Stage, State, TaskStage, running, stale

ENGINE = InlineEngine()
FORMS = Config().replace(annotate_taggers=("forms",))
MOST = int(os.environ.get("GRISTMILL_KILLS", "4"))
"""So many moments each stage is killed at."""


@dataclass(frozen=True)
class Begun:
    """A corpus of which nothing is made yet but its manifest and a standing query, and its sources by shard."""

    folder: Path
    sources: dict[str, list[Source]]


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Begun:
    root = tmp_path_factory.mktemp("begun")
    for name, subject in [("one", "mill"), ("one", "bridge"), ("two", "tower"), ("two", "mill")]:
        (root / name).mkdir(exist_ok=True)
        text = " ".join(f"In chapter {n} the {subject} stood by the river that every {subject} has." for n in range(9))
        (root / name / f"{subject}.html").write_text(f"<html lang=en><body><p>{text}</p></body></html>")
    archive(root / "three.warc", article("news", 1, story("mistake")))
    archive(root / "four.warc", article("news", 2, story("correction")), article("more", 1, story("ferry")))
    groups = [plan_shards(find_sources([root / name]))[0] for name in ("one", "two", "three.warc", "four.warc")]
    folder = root / "corpus"
    with exclusive(folder):
        manifest = Manifest.begin(folder, groups, FORMS, {})
        add_watch(folder, "river that", name="river")
    return Begun(folder, dict(zip([shard.name for shard in manifest.shards], groups, strict=True)))


def _run(folder: Path, begun: Begun, number: int) -> Stage:
    """Run one of the stages of a corpus, or after all of them an export, and return it."""
    with running(folder, engine=ENGINE) as runner:
        stages = stages_of(folder, begun.sources)
        stage = stages[number] if number < len(stages) else _export(folder)
        runner.run(stage)
    return stage


def _export(folder: Path) -> Stage:
    return prepare_export(gristmill.Corpus(folder).reader, folder / "export.jsonl", force=True)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs to fork")
def test_every_stage_is_killed_and_run_again(begun: Begun, tmp_path: Path) -> None:
    """Without naming one: a stage that is written tomorrow is tested like the others."""
    before = begun.folder
    ran: list[type[Stage]] = []
    count = len(stages_of(before)) + 1
    for number in range(count):
        whole = shutil.copytree(before, tmp_path / "whole" / str(number))
        changes = len(changes_of(lambda: _run(whole, begun, number), tmp_path))  # noqa: B023 (it is called at once)
        expected = contents(whole)
        assert changes > 1
        assert not [name for name in expected if name.endswith((".tmp", ".lock"))]
        for step in some_of(changes, MOST):
            work = shutil.copytree(before, tmp_path / "work")
            assert is_killed(lambda: _run(work, begun, number), step, tmp_path)  # noqa: B023 (as above)
            ran.append(type(_run(work, begun, number)))
            assert _relative(contents(work), work) == _relative(expected, whole), (number, step)
            shutil.rmtree(work)
        before = whole
    assert gristmill.status(before).up_to_date
    assert _stage_classes() - set(ran) == _WITHIN_OTHERS | _OF_STORES


def _relative(found: dict[str, bytes | None], folder: Path) -> dict[str, bytes | None]:
    """What is in a folder, wherever that is."""
    return {name: data and data.replace(str(folder).encode(), b"CORPUS") for name, data in found.items()}


_WITHIN_OTHERS = {Round}
"""What other stages run: it is killed with these."""
_OF_STORES = {Pushing, Pulling}
"""What needs a store: `test_pull.py` kills it at its requests."""
_ABSTRACT = {TaskStage}


def _stage_classes() -> set[type[Stage]]:
    """All stages of the package, whether or not somebody has thought of them here."""
    for module in pkgutil.walk_packages(gristmill.__path__, "gristmill."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    return {found for found in _subclasses(Stage) if found.__module__.startswith("gristmill.")} - _ABSTRACT


def _subclasses(parent: Any) -> Iterator[type[Stage]]:
    for child in parent.__subclasses__():
        yield child
        yield from _subclasses(child)


def test_every_stage_says_what_it_is() -> None:
    for stage in _stage_classes() - _WITHIN_OTHERS - _OF_STORES:
        assert stage.name
        assert stage.doing.endswith("ing")
        assert stage.__doc__
        if stage is not Exporting:
            assert stage.writes, stage


@dataclass(frozen=True)
class Note:
    """A task that writes a file, or fails in the way it is told to; and says in which process it was."""

    path: Path
    way: str = ""

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def cost(self) -> int:
        return 10

    def run(self, report: Report) -> int:
        report(self.cost)
        if self.way == "error":
            raise GristmillError("no notes today")
        if self.way == "bug":
            raise ZeroDivisionError("oh")
        if self.way == "die once" and not self.path.with_suffix(".died").exists():
            self.path.with_suffix(".died").touch()
            os._exit(9)
        if self.way == "die":
            os._exit(9)
        self.path.touch()
        return os.getpid()


class Noting(TaskStage):
    """Some notes, each current where its file is, but for stale ones."""

    name = "note"
    doing = "noting"
    unit = "note"

    def __init__(self, folder: Path, ways: dict[str, str], small_work: int = 0) -> None:
        self._folder, self._ways = folder, ways
        self.small_work = small_work

    def units(self) -> Sequence[str]:
        return list(self._ways)

    def state(self, unit: str) -> State:
        if not (self._folder / unit).exists():
            return MISSING
        return stale("it is old") if self._ways[unit] == "old" else CURRENT

    def task(self, unit: str) -> Task:
        return Note(self._folder / unit, self._ways[unit])

    def finish(self, results: Sequence[int]) -> set[int]:
        return set(results)


def test_only_what_is_not_current_is_done(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    (tmp_path / "c").touch()
    amounts: dict[str, int | None] = {}

    def progress(name: str, amount: int | None) -> Callable[[int], None]:
        amounts[name] = amount
        return lambda _: None

    runner = Runner(engine=ENGINE, progress=progress)
    assert runner.run(Noting(tmp_path, {"a": "", "b": "", "c": "old"})) == {os.getpid()}
    assert amounts == {"noting": 20}
    amounts.clear()
    assert runner.run(Noting(tmp_path, {"a": "", "b": ""})) == set()
    assert amounts == {}


def test_small_work_is_done_here_and_workers_stay_between_stages(tmp_path: Path) -> None:
    with Runner(1) as runner:
        assert runner.run(Noting(tmp_path, {"a": ""}, small_work=1)) == {os.getpid()}  # one worker is none
        [first] = runner.run(Noting(tmp_path, {"b": ""}))
        assert runner.run(Noting(tmp_path, {"c": "", "d": ""})) == {first}
        assert first != os.getpid()
    with Runner(2) as runner:
        assert runner.run(Noting(tmp_path, {"e": ""}, small_work=11)) == {os.getpid()}
        assert os.getpid() not in runner.run(Noting(tmp_path, {"f": ""}, small_work=10))


@pytest.mark.parametrize("workers", [0, 1])
def test_failures_in_words(tmp_path: Path, workers: int, caplog: pytest.LogCaptureFixture) -> None:
    stage = Noting(tmp_path, {"a": "bug", "b": "", "c": "error"})
    runner = Runner(engine=LocalEngine(workers) if workers else ENGINE)
    with pytest.raises(GristmillError) as caught:
        runner.run(stage)
    assert str(caught.value) == (
        "noting: 2 of 3 notes failed:\n  a: ZeroDivisionError: oh\n  c: no notes today\n"
        "The others are done; run the same command again to try only these."
    )
    assert (tmp_path / "b").exists()
    failed = {record.getMessage(): record for record in caplog.records if record.levelname == "ERROR"}
    assert set(failed) == {"noting: a: ZeroDivisionError: oh", "noting: c: no notes today"}
    trace = failed["noting: a: ZeroDivisionError: oh"].exc_text or ""
    assert trace.startswith("Traceback")
    assert "test_stages.py" in trace


def test_a_task_whose_worker_died_is_tried_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with Runner(2) as runner:
        runner.run(Noting(tmp_path, {"a": "die once", "b": ""}))
        assert (tmp_path / "a").exists()
        assert "a: its worker process ended with exit code 9; it is tried again" in caplog.text
        with pytest.raises(
            GristmillError, match=r"1 of 2 notes failed:\n  c: its worker process ended with exit code 9"
        ):
            runner.run(Noting(tmp_path, {"c": "die", "d": ""}))


class Counting(InlineEngine):
    """Counts how often it is asked to run something."""

    runs = 0

    def run(self, tasks: Sequence[Task], report: Report) -> Iterator[Outcome]:
        self.runs += 1
        return super().run(tasks, report)


def test_an_ordinary_error_is_not_tried_again(tmp_path: Path) -> None:
    engine = Counting()
    with pytest.raises(GristmillError):
        Runner(engine=engine).run(Noting(tmp_path, {"a": "error"}))
    assert engine.runs == 1


def _states(folder: Path) -> dict[str, tuple[int, int, int]]:
    return {
        stage.name: (len(stage.named("current")), len(stage.named("missing")), len(stage.named("stale")))
        for stage in gristmill.status(folder).stages
    }


def test_status_of_a_corpus_that_is_begun(begun: Begun) -> None:
    found = gristmill.status(begun.folder)
    assert not found.complete
    assert not found.up_to_date
    assert {state.name for stage in found.stages for state in stage.units.values()} == {"missing"}
    assert [stage.name for stage in found.stages] == [
        "build",
        "versions",
        "dedup",
        "annotate",
        "watch",
        "index",
        "report",
    ]
    assert f"-o {begun.folder}" in found.stages[0].command
    ran = run("status", begun.folder)
    assert ran.returncode == 0
    assert b"00000-00003" in ran.stdout
    assert f"Next: gristmill build SOURCE... -o {begun.folder}".encode() in ran.stderr


def test_status_follows_what_is_done(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    folder = shutil.copytree(corpus.folder, tmp_path / "corpus")
    assert _states(folder)["build"] == _states(folder)["dedup"] == (1, 0, 0)
    assert _states(folder)["annotate"] == (0, 1, 0)
    assert _states(folder)["watch"] == (0, 0, 0)
    assert gristmill.status(folder).stages[3].command == f"gristmill annotate {folder}"
    gristmill.annotate(folder, "forms", engine=ENGINE)
    gristmill.watch(folder, "mill", everything=True)
    assert _states(folder)["annotate"] == (1, 0, 0)
    assert _states(folder)["watch"] == (0, 1, 0)
    gristmill.run_watches(folder, engine=ENGINE)
    gristmill.index(folder, engine=ENGINE)
    assert gristmill.status(folder).up_to_date
    found = json.loads(run("status", folder, "--json").stdout)
    assert found["up_to_date"]
    assert found["stages"]["annotate"] == {
        "current": ["00000"],
        "missing": [],
        "stale": [],
        "outdated": [],
        "reasons": [],
        "command": "",
    }
    assert [row["current"] for row in found["rows"]] == [
        len(found["stages"][row["stage"]]["current"]) for row in found["rows"]
    ]
    assert run("status", folder, "--csv").stdout.decode().splitlines()[4].startswith("annotate,1,0,0,0,")
    manifest = Manifest.read(folder)
    manifest.settings = manifest.config.replace(annotate_taggers=("simplemma",)).to_table()
    manifest.write()
    found = gristmill.Corpus(folder).status()
    assert _states(folder)["annotate"] == (0, 0, 1)
    assert found.stages[3].reasons == ["other taggers were chosen since"]
    assert run("status", folder, "--json", "--csv").returncode == 2


def test_status_of_an_addition_that_was_interrupted(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    folder = shutil.copytree(corpus.folder, tmp_path / "corpus")
    (tmp_path / "page.html").write_text("<p>" + "It was the best of mills, it was the worst of mills. " * 20)
    new = plan_shards(find_sources([tmp_path / "page.html"]))
    with exclusive(folder):
        manifest = Manifest.read(folder)
        manifest.extend(new, {})
    assert _states(folder)["build"] == (1, 1, 0)
    assert not gristmill.status(folder).complete
    gristmill.add(folder, tmp_path / "page.html", engine=ENGINE)
    assert _states(folder)["build"] == _states(folder)["dedup"] == (2, 0, 0)
