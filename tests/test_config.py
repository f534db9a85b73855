"""Settings are typed, go to TOML and back, and wrong ones are refused with a hint."""

from __future__ import annotations

from pathlib import Path

import pytest
import tomli_w

from gristmill.config import Config
from gristmill.errors import UsageError
from gristmill.presets import PRESETS


def test_a_table_and_back() -> None:
    config = Config().replace(
        filter_languages=("cs", "sk"), filter_filters=["length:min=500"], clean_max_boilerplate=1, dedup_method=None
    )
    assert Config.from_table(config.to_table()) == config
    assert (config.filter.languages, config.filter.filters, config.clean.max_boilerplate) == (
        ("cs", "sk"),
        ("length:min=500",),
        1.0,
    )
    assert config.dedup.method == "onion"


@pytest.mark.parametrize("inside", [True, False])
def test_a_file_or_the_settings_of_a_corpus(tmp_path: Path, inside: bool) -> None:
    path = tmp_path / "x.toml"
    settings = {"filter": {"filters": ["length:min=5"]}}
    path.write_text(tomli_w.dumps({"corpus": {"format": 1}, "settings": settings} if inside else settings))
    assert Config.from_file(path).filter.filters == ("length:min=5",)


def test_a_preset_is_written_out() -> None:
    table = {"filter": {"preset": "presemt", "filters": ["size:min=9", "-status", "length"], "languages": ["cs"]}}
    config = Config.from_table(table)
    assert config.filter.filters == ("content-type:types=text/html", "size:min=9", "language:confidence=0.0", "length")
    assert config.to_table()["filter"] == {"filters": list(config.filter.filters), "languages": ["cs"]}
    assert (
        Config().replace(filter_languages=("cs",)).with_filters("size:min=9", "-status", "length", preset="presemt")
        == config
    )
    assert Config.from_table({"filter": {"preset": "none"}}).filter.filters == ()


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"filter": {"filer": []}}, "there is no setting 'filer'; did you mean 'filters'"),
        ({"filter": {"preset": "ukwack"}}, "there is no preset 'ukwack'; did you mean 'ukwac'"),
        ({"filter": {"preset": 5}}, "preset must be text, not 5"),
        ({"fitler": {}}, "did you mean 'filter'"),
        ({"clean": {"max_boilerplate": "5"}}, "max_boilerplate must be a number, not '5'"),
        ({"clean": {"max_boilerplate": True}}, "must be a number"),
        ({"filter": {"languages": "cs"}}, "must be a list of values"),
        ({"filter": {"preset": "none", "languages": "cs"}}, "must be a list of values"),
        ({"annotate": {"taggers": "forms"}}, "must be a list of values"),
        ({"filter": 5}, "is not a table"),
        ({"clean": {"max_boilerplate": 7}}, "max_boilerplate must be at most 1, not 7"),
    ],
)
def test_wrong_settings(table: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Config.from_table(table)


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"can't read the settings in .*none\.toml: No such file or directory$"):
        Config.from_file(tmp_path / "none.toml")
    (tmp_path / "odd.toml").write_text("settings = 5")
    with pytest.raises(UsageError, match="not a table"):
        Config.from_file(tmp_path / "odd.toml")
    (tmp_path / "bad.toml").write_text("a = = b")
    with pytest.raises(UsageError, match="not valid TOML"):
        Config.from_file(tmp_path / "bad.toml")


def test_a_preset_takes_the_place_of_filters() -> None:
    assert Config().replace(filter_preset="ukwac").filter.filters == PRESETS["ukwac"]
    assert Config().replace(filter_preset="ukwac", filter_languages=("cs",)).filter.languages == ("cs",)
