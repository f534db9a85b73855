"""The log: what stages and tasks say, in this process and in workers, as text or as JSON lines, and tracebacks."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from command import run

from gristmill import plugins
from gristmill.engine import LocalEngine, Report
from gristmill.registry import forget_plugin

# A filter that fails on pages that mention flour, and says something to the log of its module.
_PLUGIN = """
import logging
from dataclasses import dataclass
from gristmill.cleaning import METHODS
from gristmill import part
from gristmill.filter import DocumentFilter, Finding


class Flood(dict):
    def __iter__(self):
        raise MemoryError("too much flour")


@part("filter", "talking")
@dataclass(frozen=True)
class Talking(DocumentFilter):
    def judge(self, document):
        logging.getLogger("gristmill.talking").debug("judging %s", document.url.rpartition("/")[2])
        if "flour" in document.text:
            document.attributes = Flood(document.attributes)  # fails where the shard is written
        return Finding(True, "")
"""
TEXT = "A sentence about mills and {} that is long enough to be taken for a piece of text by everybody, every day. "


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(plugins, "_loaded", {})
    (tmp_path / "plugin.py").write_text(_PLUGIN)
    (tmp_path / "good.html").write_text(f"<html><p>{TEXT.format('bread') * 5}</html>")
    (tmp_path / "bad.html").write_text(f"<html><p>{TEXT.format('flour') * 5}</html>")
    yield tmp_path
    for plugin in plugins.loaded():
        forget_plugin(plugin.name)


def _build(work: Path, page: str, *options: str) -> tuple[int | str | None, str]:
    ran = run(
        "build", f"{page}.html", "-o", page, "-j1", "--plugin", "plugin.py", "--filter", "talking", *options, cwd=work
    )
    return ran.returncode, ran.stderr.decode()


def test_a_log_of_text_has_what_workers_say(work: Path) -> None:
    assert _build(work, "good", "--log", "log.txt") == (0, "")
    lines = (work / "log.txt").read_text().splitlines()
    assert any(line.endswith("DEBUG gristmill.talking: judging file:good.html") for line in lines)
    assert any("INFO gristmill.stages.runner: building: 1 of 1 shards to be done" in line for line in lines)
    assert any("INFO gristmill.stages.runner: de-duplicating: done in" in line for line in lines)
    assert any("DEBUG gristmill.stages.runner: building: shard 00000 (good.html): done in" in line for line in lines)


def test_a_log_of_json_has_tracebacks_of_workers(work: Path) -> None:
    code, said = _build(work, "bad", "--log", "log.jsonl", "--log-format", "json")
    assert code == 1
    assert "MemoryError: too much flour" in said
    assert "Traceback" not in said
    records = [json.loads(line) for line in (work / "log.jsonl").read_text().splitlines()]
    failed = [record for record in records if record["level"] == "ERROR"]
    assert failed[0]["message"] == "building: shard 00000 (bad.html): MemoryError: too much flour"
    assert 'plugin.py", line' in failed[0]["traceback"]
    assert failed[0].keys() == {"time", "level", "logger", "process", "message", "traceback"}
    assert failed[-1]["message"].startswith("building: 1 of 1 shards failed")
    [judging] = [record for record in records if record["logger"] == "gristmill.talking"]
    assert judging["process"] != os.getpid()


def test_verbose_and_debug_on_both_sides_of_the_command(work: Path) -> None:
    code, said = _build(work, "good", "--verbose")
    assert code == 0
    assert "building: 1 of 1 shards to be done" in said
    assert "DEBUG" not in said
    ran = run("-v", "annotate", "good", "--tagger", "forms", cwd=work)
    assert b"annotating: 1 of 1 shards to be done" in ran.stderr
    assert b"forms" in ran.stdout
    code, said = _build(work, "bad", "--debug")
    assert code == 1
    assert 'plugin.py", line' in said
    assert "DEBUG gristmill.talking: judging file:bad.html" in said
    ran = run("--debug", "search", "nowhere", "x", cwd=work)
    assert ran.returncode == 2
    assert b"Traceback" in ran.stderr
    ran = run("watch", "list", "nowhere", "--debug", cwd=work)
    assert b"Traceback" in ran.stderr


def test_nothing_is_logged_unless_it_is_asked_for(work: Path) -> None:
    assert _build(work, "good") == (0, "")
    assert logging.getLogger("gristmill").level == logging.NOTSET
    assert [type(handler) for handler in logging.getLogger("gristmill").handlers] == [logging.NullHandler]


@pytest.mark.parametrize("options", [["--log", "none/log.txt"], ["--log-format", "xml"]])
def test_a_log_that_can_not_be_written(work: Path, options: list[str]) -> None:
    code, said = _build(work, "good", *options)
    assert code == 2
    assert "log" in said
    assert not (work / "good").exists()


@dataclass(frozen=True)
class Talk:
    """A task that logs."""

    name: str = "talk"
    cost: int = 1

    def run(self, report: Report) -> None:
        report(1)
        try:
            dict[str, str]()[self.name]
        except KeyError:
            logging.getLogger("gristmill.test").exception("said %d", 5)
        logging.getLogger("gristmill.test").info("nobody wants to know")


def test_records_of_workers_come_to_the_master(caplog: pytest.LogCaptureFixture) -> None:
    for outcome in LocalEngine(1).run([Talk()], lambda _: None):
        assert not outcome.error
    [record] = caplog.records
    assert (record.name, record.getMessage(), record.levelno) == ("gristmill.test", "said 5", logging.ERROR)
    assert record.exc_text
    assert record.exc_text.endswith("KeyError: 'talk'")
    assert record.process != os.getpid()
