"""Parts of the user's own, in files and modules: found by name here, in workers, by commands and by later additions."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from command import run

import gristmill
from gristmill import Config, Corpus, UsageError, load_plugin, plugins, registry
from gristmill.annotation.tagger import TAGGERS, Tagged
from gristmill.cleaning import METHODS as CLEANING_METHODS
from gristmill.consent import Named, UntrustedError, remembered
from gristmill.corpus import FORMATS
from gristmill.dedup import METHODS
from gristmill.engine import InlineEngine, LocalEngine
from gristmill.filter import FILTERS
from gristmill.registry import forget_plugin, owned_by

ENGINE = InlineEngine()
TEXT = "A sentence about mills, flour and bread that is long enough to be taken for a piece of text by everybody. " * 5
FILTER = """
from dataclasses import dataclass
from gristmill import part
from gristmill.filter import DocumentFilter, Finding

@part("filter", "flour-free")
@dataclass(frozen=True)
class NoFlour(DocumentFilter):
    '''Documents on flour go.'''

    most: int = 0

    def judge(self, document):
        count = document.text.count("flour")
        return Finding(count <= self.most, f"flour {count} times")
"""
PARTS = """
import numpy as np
from dataclasses import dataclass
from gristmill import part
from gristmill.annotation.tagger import Tagged
from gristmill.cleaning import Scores
from gristmill.dedup.documents import DocumentMethod, Pairs, Sketches

@part("cleaning method", "everything")
def everything(page, lang):
    return Scores(np.zeros(len(page.words)), ["text"] * len(page.words))

@part("export format", "urls", suffixes=(".urls",))
def urls(cut):
    yield cut.document.url + "\\n"

@part("de-duplication method", "same-count")
@dataclass(frozen=True, kw_only=True)
class SameCount(DocumentMethod):
    def sketch(self, tokens):
        return Sketches(np.array(tokens.counts, np.uint64), np.arange(len(tokens.counts) + 1), tokens.counts)

    def match(self, sketches):
        order = np.argsort(sketches.features, kind="stable")
        same = sketches.features[order[1:]] == sketches.features[order[:-1]]
        return Pairs(order[:-1][same], order[1:][same], np.ones(np.count_nonzero(same)))

class Upper:
    def tag(self, sentences):
        words = [word for sentence in sentences for word in sentence]
        return Tagged([word.upper() for word in words], ["X"] * len(words), [""] * len(words))

@part("tagger", "upper")
@dataclass(frozen=True)
class UpperTagger:
    def serves(self, lang):
        return True

    def load(self, lang):
        return Upper()
"""


@pytest.fixture(autouse=True)
def only_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A user who has allowed nothing; no test has the plugins of another."""
    monkeypatch.setenv("GRISTMILL_HOME", str(tmp_path / "settings"))
    monkeypatch.setattr(importlib.import_module("gristmill.consent"), "_allowed", {})
    monkeypatch.setattr(plugins, "_loaded", {})
    before = {kind: set(one._parts) for kind, one in registry._registries.items()}
    yield
    for kind, one in registry._registries.items():
        for owner in {made.owner for name, made in one._parts.items() if name not in before.get(kind, ())} - {""}:
            one.forget(owner)


def forget() -> None:
    """Be as a new process is."""
    for plugin in plugins.loaded():
        registry.forget_plugin(plugin.name)
    plugins._loaded.clear()
    importlib.import_module("gristmill.consent")._allowed.clear()


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "one.html").write_text(f"<html><p>{TEXT}</html>")
    (folder / "two.html").write_text(f"<html><p>{TEXT.replace('flour', 'grain')}</html>")
    return folder


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    path = tmp_path / "my filters.py"
    path.write_text(FILTER)
    return path


def test_a_filter_for_a_build_with_workers_and_for_what_is_added(pages: Path, plugin: Path, tmp_path: Path) -> None:
    load_plugin(plugin)
    corpus = gristmill.build(pages, tmp_path / "corpus", Config().with_filters("flour-free"), engine=LocalEngine(1))
    assert [document.dropped for document in corpus.pages()] == ["flour-free", ""]
    assert corpus.config.plugins.modules == (str(plugin),)
    assert str(plugin) in corpus.manifest.files
    assert remembered() == [Named("plugin", str(plugin))]
    forget()
    (pages / "three.html").write_text(f"<html><p>And flour. {TEXT}</html>")
    more = gristmill.add(corpus.folder, pages, engine=ENGINE)
    assert [document.dropped for document in more.pages()] == ["flour-free", "", "flour-free"]
    forget()
    plugin.write_text(FILTER.replace("most: int = 0", "most: int = 100"))
    (pages / "four.html").write_text(f"<html><p>Also flour. {TEXT}</html>")
    with pytest.raises(UntrustedError, match=r"my filters\.py  \(has changed"):
        gristmill.add(corpus.folder, pages, engine=ENGINE)
    load_plugin(plugin)
    with pytest.raises(UsageError, match=r"files\..*my filters\.py"):  # as of a word list that has changed
        gristmill.add(corpus.folder, pages, engine=ENGINE)


def test_a_filter_for_commands(pages: Path, plugin: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    assert (
        run("build", pages, "-o", corpus, "-j", "1", "--plugin", plugin, "--filter", "flour-free:most=1").returncode
        == 0
    )
    forget()
    assert "flour-free" in run("stats", corpus).stdout.decode()  # which needs no plugin
    assert "flour 5 times" in run("why", corpus, "one.html").stdout.decode()
    forget()
    assert b"2 documents" in run("export", corpus, "-o", tmp_path / "all.txt", "--filter", "flour-free:most=9").stderr
    forget()
    assert "there is no part 'flour-free'" in run("parts", "flour-free").stderr.decode()
    shown = run("parts", "flour-free", "--plugin", plugin).stdout.decode()
    assert "Documents on flour go." in shown


def test_plugins_in_a_file_of_settings(pages: Path, plugin: Path, tmp_path: Path) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text(f'[plugins]\nmodules = ["{plugin}"]\n[filter]\nfilters = ["flour-free"]\n')
    with pytest.raises(UntrustedError, match=r"plugin  .*my filters"):
        gristmill.build(pages, tmp_path / "corpus", Config.from_file(settings), engine=ENGINE)
    corpus = gristmill.build(pages, tmp_path / "corpus", Config.from_file(settings), engine=ENGINE, trust=True)
    assert corpus.counts["kept"] == 1
    assert Config.from_table(corpus.config.to_table()) == corpus.config


def test_a_plugin_that_only_a_corpus_names_is_not_run(pages: Path, plugin: Path, tmp_path: Path) -> None:
    load_plugin(plugin)
    corpus = gristmill.build(pages, tmp_path / "corpus", Config().with_filters("flour-free"), engine=ENGINE)
    forget()
    (tmp_path / "settings" / "trusted.toml").unlink()
    plugin.write_text(f"{FILTER}\nimport pathlib\npathlib.Path({str(tmp_path / 'ran')!r}).touch()\n")
    (pages / "new.html").write_text(f"<html><p>New. {TEXT}</html>")
    commands: list[list[str | Path]] = [
        ["add", corpus.folder, pages],
        ["why", corpus.folder, "one.html"],
        ["export", corpus.folder, "-o", tmp_path / "out.txt", "--min-length", "5"],
        ["index", corpus.folder, "--min-length", "5"],
        ["build", pages, "-o", tmp_path / "new", "--config", corpus.folder / "corpus.toml"],
    ]
    for command in commands:
        result = run(*command)
        assert result.returncode == 2
        assert f"plugin  {plugin}" in result.stderr.decode()
    for name, *arguments in (["stats"], ["export", "-o", str(tmp_path / "out.txt")], ["search", "grain"]):
        assert run(name, corpus.folder, *arguments).returncode == 0
    assert not (tmp_path / "ran").exists()
    assert list(gristmill.trust(corpus.folder)) == [Named("plugin", str(plugin))]
    assert (tmp_path / "ran").exists()


def test_all_kinds_of_parts(pages: Path, tmp_path: Path) -> None:
    path = tmp_path / "parts.py"
    path.write_text(PARTS)
    load_plugin(path)
    assert gristmill.clean("<p>too short", method="everything").text == "too short"
    config = Config().replace(clean_method="everything", dedup_method="same-count")
    corpus = gristmill.build(pages, tmp_path / "corpus", config, engine=LocalEngine(1))
    assert corpus.counts["duplicates"] == 1
    assert gristmill.export(corpus, tmp_path / "out.urls") == 1
    assert (tmp_path / "out.urls").read_text().endswith("one.html\n")
    gristmill.annotate(corpus.folder, ["upper"], engine=ENGINE)
    forget()
    assert "upper" not in list(TAGGERS)
    assert Corpus(corpus.folder).config.plugins.modules == (str(path),)
    gristmill.annotate(corpus.folder, engine=ENGINE)
    assert len(gristmill.Corpus(corpus.folder).search('[lemma="FLOUR"]')) == 5
    forget()
    assert run("clean", pages / "one.html", "--plugin", path, "--method", "everything").returncode == 0
    forget()
    gristmill.deduplicate(corpus.folder, workers=1)  # by the method as before


def test_a_plugin_is_loaded_anew_when_it_has_changed(plugin: Path) -> None:
    load_plugin(plugin)
    first = FILTERS["flour-free"]
    load_plugin(plugin)
    assert FILTERS["flour-free"] is first
    plugin.write_text(FILTER.replace("flour-free", "bread-free"))
    load_plugin(plugin)
    assert "bread-free" in FILTERS
    assert "flour-free" not in FILTERS
    assert FILTERS.owner("bread-free") == str(plugin)
    assert FILTERS.owner("length") == ""


def test_workers_have_the_same_plugin_or_none(pages: Path, plugin: Path, tmp_path: Path) -> None:
    load_plugin(plugin)
    plugin.write_text(FILTER + "\n")
    config = Config().with_filters("flour-free")
    setup = importlib.import_module("gristmill.engine.setup").Setup.of_this_process()
    with pytest.raises(UsageError, match="has changed since this command began"):
        setup.apply()
    assert gristmill.build(pages, tmp_path / "corpus", config, engine=ENGINE).counts["kept"] == 1  # which loads it anew


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\ny = (", r"bad\.py, line 2: SyntaxError: '\(' was never closed$"),
        ("x = 1\n\nraise KeyError('no')", r"bad\.py, line 3: KeyError: 'no'$"),
        ("def f():\n    return 1 / 0\nf()", r"bad\.py, line 2: ZeroDivisionError: division by zero$"),
        ("import no_such_module", r"bad\.py, line 1: ModuleNotFoundError: No module named 'no_such_module'$"),
        (
            "from gristmill import part\npart('filter', 'length')(1)",
            r"line 2: ValueError: two filters named 'length'$",
        ),
        ("\x00", r"bad\.py can't be loaded: .*SyntaxError"),
    ],
)
def test_plugins_that_fail(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.py"
    path.write_text(f"import gristmill; gristmill.part('preset', 'bad')(()); {text}" if "\n" not in text else text)
    for _ in range(2):  # it leaves nothing behind
        with pytest.raises(UsageError, match=message) as caught:
            load_plugin(path)
        assert "\n" not in str(caught.value)
    assert not [name for name in sys.modules if name.startswith("gristmill_plugin_bad")]
    result = run("clean", "-", "--plugin", path)
    assert result.returncode == 2
    assert b"can't be loaded" in result.stderr


def test_trust_goes_for_what_plugins_name_too(pages: Path, tmp_path: Path) -> None:
    """Which is not known before they are loaded."""
    path, words = tmp_path / "listed.py", tmp_path / "words.txt"
    named = """    file: str = ""\n    paths = ("file",)\n"""
    path.write_text(FILTER.replace("    most: int = 0\n", f"    most: int = 0\n{named}"))
    words.touch()
    settings = tmp_path / "settings.toml"
    settings.write_text(f'[plugins]\nmodules = ["{path}"]\n[filter]\nfilters = ["flour-free:file={words}"]\n')
    assert run("trust", settings, "--yes").stdout.decode().splitlines() == [f"  plugin  {path}", f"  file    {words}"]
    assert run("trust", settings, "--forget").returncode == 0
    assert remembered() == []
    forget()
    with pytest.raises(UntrustedError):
        gristmill.build(pages, tmp_path / "corpus", Config.from_file(settings), engine=ENGINE)
    assert (
        gristmill.build(pages, tmp_path / "corpus", Config.from_file(settings), engine=ENGINE, trust=True).counts[
            "kept"
        ]
        == 1
    )
    (tmp_path / "settings" / "trusted.toml").unlink()
    forget()
    (pages / "new.html").write_text(f"<html><p>New. {TEXT}</html>")
    assert gristmill.add(tmp_path / "corpus", pages, engine=ENGINE, trust=True).counts["pages"] == 3


def test_plugins_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.py can't be loaded: there is no such file"):
        load_plugin(tmp_path / "none.py")
    with pytest.raises(UsageError, match=r"Python finds no module of that name; a file is given as my_filters\.py"):
        load_plugin("my_filters")


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A package that Python finds."""
    package = tmp_path / "site" / "flour_filters"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from flour_filters import parts\n")
    (package / "parts.py").write_text(FILTER)
    monkeypatch.syspath_prepend(tmp_path / "site")
    yield "flour_filters"
    for name in [name for name in sys.modules if name.startswith("flour_filters")]:
        del sys.modules[name]


def test_a_module(module: str, pages: Path, tmp_path: Path) -> None:
    load_plugin(module)
    corpus = gristmill.build(pages, tmp_path / "corpus", Config().with_filters("flour-free"), engine=LocalEngine(1))
    assert corpus.counts["kept"] == 1
    assert corpus.config.plugins.modules == (module,)
    assert [Path(path).name for path in corpus.manifest.files] == ["__init__.py", "parts.py"]
    assert remembered() == [Named("plugin", module)]
    (tmp_path / "site" / module / "parts.py").write_text("")
    with pytest.raises(UsageError, match="start Python anew"):
        load_plugin(module)


def test_installed_packages(module: str, pages: Path, tmp_path: Path) -> None:
    """Installed packages name modules with parts as entry points; these are loaded without being asked for."""
    info = tmp_path / "site" / "flour-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: flour\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[gristmill.plugins]\nflour = {module}\n")
    registry.load_installed.cache_clear()
    registry._packages.cache_clear()
    try:
        corpus = gristmill.build(pages, tmp_path / "corpus", Config().with_filters("flour-free"), engine=LocalEngine(1))
        assert corpus.counts["kept"] == 1
        assert remembered() == []
        assert corpus.manifest.settings["plugins"] == {"modules": [], "packages": ["flour 1.0"]}
        plain = gristmill.build(pages, tmp_path / "plain", engine=ENGINE)
        assert not plain.manifest.settings["plugins"]["packages"]  # installed, but none of its parts is used
        (pages / "three.html").write_text(f"<html><p>And flour. {TEXT}</html>")
        assert gristmill.add(corpus.folder, pages, engine=ENGINE).counts["pages"] == 3
        (tmp_path / "site" / module / "parts.py").write_text("1 / 0")
        for name in [name for name in sys.modules if name.startswith(module)]:
            del sys.modules[name]
        del FILTERS._parts["flour-free"]
        registry.load_installed.cache_clear()
        with pytest.raises(
            UsageError, match="the plugin 'flour' of the package flour can't be loaded: ZeroDivisionError"
        ):
            FILTERS["flour-free"]
        (info / "entry_points.txt").unlink()
        registry.load_installed.cache_clear()
        registry._packages.cache_clear()
        with pytest.raises(
            UsageError, match=r"parts of flour 1\.0 are needed: install the package \(pip install flour\)"
        ):
            gristmill.add(corpus.folder, pages, engine=ENGINE)
    finally:
        FILTERS._parts.pop("flour-free", None)
        registry.load_installed.cache_clear()
        registry._packages.cache_clear()


_SCRIPT = """
import sys
import gristmill
from gristmill.engine import InlineEngine
{parts}
config = gristmill.Config().with_filters("flour-free")
print(gristmill.build(sys.argv[1], sys.argv[2], config, {means}).counts["kept"])
"""


def test_parts_of_a_script_alone_are_refused_where_workers_would_need_them(pages: Path, tmp_path: Path) -> None:
    def run_script(name: str, means: str) -> subprocess.CompletedProcess[str]:
        script = tmp_path / f"{name}.py"
        script.write_text(_SCRIPT.format(parts=FILTER, means=means))
        command = [sys.executable, str(script), str(pages), str(tmp_path / name)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    refused = run_script("refused", "workers=1")
    assert "the filter 'flour-free' is registered by this script or notebook alone" in refused.stderr
    assert "gristmill.load_plugin('my_parts.py') or --plugin my_parts.py" in refused.stderr
    assert not (tmp_path / "refused").exists()
    assert run_script("inline", "engine=InlineEngine()").stdout == "1\n"


def test_parts_of_a_module_that_is_only_imported(module: str, pages: Path, tmp_path: Path) -> None:
    importlib.import_module(module)
    registry._packages.cache_clear()
    try:
        config = Config().with_filters("flour-free")
        with pytest.raises(UsageError, match=r"is registered by the module flour_filters\.parts alone"):
            gristmill.build(pages, tmp_path / "corpus", config, workers=1)
        assert not (tmp_path / "corpus").exists()
        corpus = gristmill.build(pages, tmp_path / "corpus", config, engine=ENGINE)
        with pytest.raises(UsageError, match="make it a plugin"):
            gristmill.add(corpus.folder, pages, workers=1)
    finally:
        FILTERS._parts.pop("flour-free", None)


def test_a_tagger_that_workers_would_not_know(corpus: Corpus, tmp_path: Path) -> None:
    folder = shutil.copytree(corpus.folder, tmp_path / "corpus")
    names = {"dataclass": dataclass, "part": gristmill.part, "Tagged": Tagged, "__name__": "__main__"}
    exec(PARTS[PARTS.index("class Upper:") :], names)  # noqa: S102 (as a script does)
    try:
        with pytest.raises(UsageError, match="the tagger 'upper' is registered by this script or notebook alone"):
            gristmill.annotate(folder, ["upper"], engine=LocalEngine(1))
        assert gristmill.annotate(folder, ["upper"], workers=2)["counts"]["documents"] > 0  # small work is done here
    finally:
        del TAGGERS._parts["upper"]


def test_a_dedup_method_that_workers_would_not_know(corpus: Corpus, tmp_path: Path) -> None:
    folder = shutil.copytree(corpus.folder, tmp_path / "corpus")
    exec(PARTS[: PARTS.index("class Upper:")], {"__name__": "__main__"})  # noqa: S102 (as above)
    try:
        with pytest.raises(UsageError, match="the de-duplication method 'same-count' is registered by this script"):
            gristmill.deduplicate(folder, "same-count", engine=LocalEngine(1))
        assert gristmill.deduplicate(folder, "same-count", workers=2).counts["kept"] > 0  # small work is done here
    finally:
        for found in (METHODS, CLEANING_METHODS, FORMATS):
            for name in ("same-count", "everything", "urls"):
                found._parts.pop(name, None)


def test_a_plugin_does_not_own_our_parts_that_it_imports(tmp_path: Path) -> None:
    """They would be gone when it is loaded again."""
    (tmp_path / "own.py").write_text("from gristmill.registry import part\npart('filter', 'own-part')(1)\n")
    found = importlib.util.spec_from_file_location("gristmill.own_part", tmp_path / "own.py")
    assert found
    assert found.loader
    try:
        with owned_by("plugin"):
            found.loader.exec_module(importlib.util.module_from_spec(found))
        forget_plugin("plugin")
        assert "own-part" in list(FILTERS)
    finally:
        FILTERS._parts.pop("own-part", None)
