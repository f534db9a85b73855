"""How little commands import: what takes long to import is imported by those that need it, and by no help text."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import gristmill
from gristmill.archive.sources import READABLE
from gristmill.cli import choices
from gristmill.crawling.statistics import ORDERS as HOST_ORDERS
from gristmill.dedup.evaluation import THRESHOLD
from gristmill.language.stoplist import DEFAULT_SHARE
from gristmill.operations.watches import WatchAddAsked
from gristmill.parameters import parameters
from gristmill.search.watch.schedule import PERIODS, SCHEDULES
from gristmill.search.watch.showing import ORDERS as WATCH_ORDERS

NOT_FOR_HELP = {
    "numpy",
    "pyarrow",
    "rich.console",
    "pydantic",
    "gristmill.corpus",
    "gristmill.pipeline",
    "gristmill.search",
}
"""Pydantic is what Typer casts values with, rich is for progress bars."""
NOT_FOR_SEARCH = {
    *("pydantic", "rich.console", "rich.progress", "rich.text"),
    *(
        "turbohtml",
        "fastwarc",
        "warcio",
        "ftfy",
        *("pycld2", "py3langid"),
        "langcodes",
        "wordfreq",
        "stopwordsiso",
        "HanTa",
        "simplemma",
    ),
    *(
        "gristmill.cleaning",
        "gristmill.dedup",
        "gristmill.filter",
        "gristmill.evaluation",
        "gristmill.decoding",
        "gristmill.archive",
    ),
    *(
        "gristmill.annotation.tagger",
        "gristmill.annotation.tagging",
        "gristmill.annotation.stage",
        "gristmill.language.models",
    ),
    *("gristmill.search.index.building", "gristmill.corpus.selecting", "gristmill.corpus.export"),
}
_CODE = """
import sys
sys.argv = ["gristmill", *sys.argv[1:]]
from gristmill.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print("imported", *sys.modules)
"""


def _imported(*arguments: str | Path) -> set[str]:
    result = subprocess.run(
        [sys.executable, "-c", _CODE, *map(str, arguments)], capture_output=True, check=False, text=True
    )
    assert result.returncode == 0, result.stderr
    return set(result.stdout.splitlines()[-1].split()[1:])


def test_help_of_all_commands_imports_little() -> None:
    code = (
        "import sys; from gristmill.cli.program import COMMANDS, load; [load(name) for name in COMMANDS]; "
        "print('imported', *sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert not NOT_FOR_HELP & set(result.stdout.split())
    assert not NOT_FOR_HELP & _imported("search", "--help")
    assert not NOT_FOR_HELP & _imported("evaluate", "dedup", "--help")
    assert not NOT_FOR_HELP & _imported("watch", "add", "--help")


@pytest.mark.parametrize(
    "arguments",
    [
        ["search", "CORPUS", "bread"],
        ["frequency", "CORPUS", '[lemma="bread"]', "--by", "host", "--csv"],
        ["wordlist", "CORPUS"],
        ["collocations", "CORPUS", "mill"],
    ],
)
def test_a_search_imports_little(indexed: gristmill.Corpus, arguments: list[str]) -> None:
    found = _imported(*(str(indexed.folder) if argument == "CORPUS" else argument for argument in arguments))
    assert not NOT_FOR_SEARCH & found


def test_cleaning_a_page_imports_little(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<p>The mill stands by the river, and grinds all day.")
    found = _imported("clean", page)
    assert not {"gristmill.corpus", "gristmill.dedup", "gristmill.pipeline", "gristmill.search"} & found


def test_choices_are_those_that_there_are() -> None:
    assert READABLE == choices.READABLE
    of_watches = {item.name: item.choices for item in parameters(WatchAddAsked)}
    assert of_watches["sort"] == ("corpus", *WATCH_ORDERS)
    assert of_watches["every"] == SCHEDULES
    assert of_watches["mail_every"] == tuple(PERIODS)
    assert tuple(HOST_ORDERS) == choices.HOST_ORDERS
    assert (DEFAULT_SHARE, THRESHOLD) == (choices.STOP_LIST_SHARE, choices.SAME_CLUSTER)
