"""Settings are declared once: options, files, limits and the docs are made of that."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import run

from gristmill.bootstrapping.config import BootstrapConfig
from gristmill.cli.clean import given_settings
from gristmill.cli.settings import help_of, tables_of
from gristmill.cli.settings_reference import reference
from gristmill.commoncrawl.config import ArchiveConfig
from gristmill.config import Config
from gristmill.crawling.config import CrawlConfig
from gristmill.errors import UsageError
from gristmill.settings import Sections, Setting, settings_in

ROOT = Path(__file__).parents[1]
COMMANDS: dict[str, type[Sections]] = {"crawl": CrawlConfig, "bootstrap": BootstrapConfig, "commoncrawl": ArchiveConfig}
ALL: dict[str, Any] = {**COMMANDS, "build": Config}


def test_the_reference_is_as_the_code() -> None:
    assert (ROOT / "docs" / "reference" / "settings.md").read_text("utf-8") == reference(), (
        "make it anew: python -m gristmill.cli.settings_reference > docs/reference/settings.md"
    )


@pytest.mark.parametrize("command", ALL)
def test_help_has_every_option_with_its_default(command: str) -> None:
    shown = _unwrapped(run(command, "--help").stdout.decode())
    options = [item for item in settings_in(ALL[command]) if item.is_option]
    assert len({item.option for item in options}) == len(options) > 5
    for item in options:
        assert item.option in shown
        assert _unwrapped(help_of(item)) in shown
        assert all(choice in item.parameter.about for choice in item.parameter.choices)


def _unwrapped(text: str) -> str:
    """A text without the ends of its lines, which may be at a hyphen."""
    return " ".join(text.split()).replace("- ", "-")


def _wrong(item: Setting) -> Iterator[Any]:
    """Values that a setting can't have."""
    parameter, declared = item.parameter, item.parameter.declared
    yield 5 if parameter.many or parameter.type is str else "5"
    if parameter.many:
        yield "text"
        yield [5]
    elif parameter.choices:
        yield "no such choice"
    elif parameter.type in {int, float}:
        yield True
        yield float("nan")
        if declared.minimum is not None:
            yield declared.minimum - 1
        if declared.maximum is not None:
            yield declared.maximum + 1


@pytest.mark.parametrize("kind", ALL.values())
def test_every_setting_is_checked(kind: Any) -> None:
    """In a file, and if Python code gives all of a section."""
    for item in settings_in(kind):
        for value in _wrong(item):
            table = {item.section: {item.parameter.name: value}}
            with pytest.raises(UsageError, match=rf"here: \[{item.section}\] {item.parameter.name} "):
                kind.from_table(table, "here")
            if not issubclass(kind, Sections):
                continue
            section: Any = getattr(kind(), item.section)
            with pytest.raises(UsageError, match=rf"^\[{item.section}\] {item.parameter.name} "):
                kind(**{item.section: type(section)(**table[item.section])})


@pytest.mark.parametrize("kind", COMMANDS.values())
def test_a_file_of_all_settings_gives_them_again(kind: type[Sections], tmp_path: Path) -> None:
    kind().write(tmp_path / "settings.toml")
    assert kind.from_file(tmp_path / "settings.toml") == kind()
    assert kind.from_table({}) == kind()


def test_settings_of_a_build_by_their_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths hold in any folder, lists are split, and new roles are asked for without the old exceptions."""
    monkeypatch.chdir(tmp_path)
    more = ["dedup.against=one, two", "clean.model=", "clean.roles=text,heading", "annotate.taggers=de=spacy"]
    changed = Config().replace(clean_without=("comment",)).replace(**given_settings(tables_of(Config, None, [], more)))
    assert changed.dedup.against == (str(tmp_path / "one"), str(tmp_path / "two"))
    assert (changed.clean.model, changed.clean.roles, changed.clean.without) == ("", ("heading", "text"), ())
    assert changed.annotate.taggers == ("de=spacy",)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "dedup.agains=x"], "there is no setting 'agains' in [dedup]; did you mean 'against'?"),
        (["--set", "clean.max_boilerplate=2"], "--set clean.max_boilerplate must be at most 1, not 2.0"),
        (["--max-boilerplate", "2"], "--max-boilerplate must be at most 1, not 2.0"),
        (["--roles", "texts"], "there is no role 'texts'; did you mean 'text'?"),
        (["--model", "s3://bucket/model"], "--model must be a file or a folder on this machine"),
    ],
)
def test_wrong_settings_of_a_build(arguments: list[str], message: str, tmp_path: Path) -> None:
    result = run("build", "sample", "-o", "corpus", *arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert message in result.stderr.decode()
    assert not list(tmp_path.iterdir())
