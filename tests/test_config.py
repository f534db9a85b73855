"""Settings are typed, go to TOML and back, and wrong ones are refused with a hint."""

from __future__ import annotations

from pathlib import Path

import pytest
import tomli_w

from gristmill.config import Config
from gristmill.errors import UsageError


def test_a_table_and_back() -> None:
    config = Config().replace(filter_languages=("cs", "sk"), filter_min_length=500, clean_max_boilerplate=1, dedup_method=None)
    assert Config.from_table(config.to_table()) == config
    assert (config.filter.languages, config.filter.min_length, config.clean.max_boilerplate) == (("cs", "sk"), 500, 1.0)
    assert config.dedup.method == "onion"


@pytest.mark.parametrize("inside", [True, False])
def test_a_file_or_the_settings_of_a_corpus(tmp_path: Path, inside: bool) -> None:
    path = tmp_path / "x.toml"
    settings = {"filter": {"min_length": 5}}
    path.write_text(tomli_w.dumps({"corpus": {"format": 1}, "settings": settings} if inside else settings))
    assert Config.from_file(path).filter.min_length == 5


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"filter": {"min_lenght": 5}}, "there is no setting 'min_lenght'; did you mean 'min_length'"),
        ({"fitler": {}}, "did you mean 'filter'"),
        ({"filter": {"min_length": "5"}}, "min_length must be a int, not '5'"),
        ({"filter": {"min_length": True}}, "must be a int"),
        ({"filter": {"languages": "cs"}}, "must be a list of strings"),
        ({"filter": 5}, "is not a table"),
        ({"clean": {"max_boilerplate": 7}}, "must be between 0 and 1"),
        ({"filter": {"min_length": 10, "max_length": 5}}, "min_length must not be negative nor more than max_length"),
    ],
)
def test_wrong_settings(table: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Config.from_table(table)


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="can't read"):
        Config.from_file(tmp_path / "none.toml")
    (tmp_path / "odd.toml").write_text("settings = 5")
    with pytest.raises(UsageError, match="not a table"):
        Config.from_file(tmp_path / "odd.toml")
    (tmp_path / "bad.toml").write_text("a = = b")
    with pytest.raises(UsageError, match="not valid TOML"):
        Config.from_file(tmp_path / "bad.toml")
