"""A corpus from elsewhere: nothing that its files name is run, loaded or read until the user allows it."""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import json
import os
import shutil
import stat
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import tomli_w
from cases import case
from command import Ran, run
from watching_system import watching

import gristmill
from gristmill import Config, Corpus, GristmillError, Selection, UsageError
from gristmill import trust as trust_corpus
from gristmill.consent import (
    FILE,
    Named,
    Origin,
    UntrustedError,
    allow,
    allowed_here,
    forget,
    listed,
    not_allowed,
    remembered,
    settings_folder,
)
from gristmill.contents import digest_of
from gristmill.engine import InlineEngine, LocalEngine
from gristmill.shards import Shard, ShardWriter

ENGINE = InlineEngine()
MODULE = importlib.import_module("gristmill.consent")
PAGE = (
    "<html><p>"
    + "Ein langer deutscher Satz über Mühlen, Mehl und Brot, der lang genug ist, um ein Text zu sein. " * 8
    + "</p></html>"
)
HARMLESS = (
    f"#!{sys.executable}\nimport sys\nfor line in sys.stdin: print(line.strip(), 'NN', line.strip(), sep='\\t')\n"
)


@pytest.fixture(autouse=True)
def nothing_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings of a user who has not allowed anything yet."""
    monkeypatch.setenv("GRISTMILL_HOME", str(tmp_path / "settings"))
    monkeypatch.setattr(MODULE, "_allowed", {})


def new_process() -> None:
    """What a process was allowed is not known to the next one, but for what is remembered."""
    MODULE._allowed.clear()


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "page.html").write_text(PAGE)
    return tmp_path / "pages"


@pytest.fixture
def folder(tmp_path: Path, pages: Path) -> Path:
    """A small corpus, which is not annotated."""
    return gristmill.build(pages, tmp_path / "corpus", engine=ENGINE).folder


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A folder that passes for TreeTagger; its program leaves a file there if it is run."""
    place = tmp_path / "evil"
    script = place / "bin" / "tree-tagger"
    script.parent.mkdir(parents=True)
    script.write_text(f"#!{sys.executable}\nimport pathlib\npathlib.Path({str(place / 'ran')!r}).touch()\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    (place / "lib").mkdir()
    (place / "lib" / "german.par").touch()
    return place


@pytest.fixture
def tagger(program: Path) -> str:
    return f"treetagger:path={program},model=german.par"


def change(folder: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    """Change `corpus.toml` as somebody else might."""
    table = tomllib.loads((folder / "corpus.toml").read_text("utf-8"))
    edit(table)
    (folder / "corpus.toml").write_text(tomli_w.dumps(table), "utf-8")


def refused(result: Ran, *names: str | Path) -> None:
    """The command ended with one message, which says what is named and what to do."""
    message = result.stderr.decode()
    assert result.returncode == 2, message
    assert "names what was not allowed here" in message
    assert "--trust" in message
    assert "gristmill trust " in message
    for name in names:
        assert str(name) in message


# ---- what is allowed, and where that is kept ----


def test_things_are_allowed_for_good_or_for_this_process(tmp_path: Path) -> None:
    first, second = Named("program", "/a"), Named("model", "b")
    assert not_allowed([first, second, first]) == [first, second]
    allow([first])
    allow([second], remember=False)
    assert not_allowed([first, second]) == []
    assert remembered() == [first]
    assert tomllib.loads((tmp_path / "settings" / FILE).read_text("utf-8")) == {
        "program": {"/a": digest_of([Path("/a")])}
    }
    forget([first, second])
    assert remembered() == []
    assert not_allowed([first, second]) == [first, second]
    assert not_allowed([Named("file", "/a")]) == [Named("file", "/a")]  # of another kind


def test_what_has_changed_is_allowed_anew(tmp_path: Path) -> None:
    model, package, plugin = tmp_path / "model", tmp_path / "plugged", tmp_path / "plug.py"
    for file in (model / "deep" / "weights", package / "sub" / "__init__.py", package / "__init__.py", plugin):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("1")
    (model / "link").symlink_to(package)
    things = {
        Named.at("model", model): [model / "deep" / "weights", package / "sub" / "__init__.py"],
        Named.at("program", plugin): [plugin],
        Named.at("plugin", plugin): [plugin],
        Named("plugin", "plugged.sub"): [package / "__init__.py", package / "sub" / "__init__.py"],
        Named("plugin", "plugged"): [package / "__init__.py", package / "sub" / "__init__.py"],
    }
    sys.path.insert(0, str(tmp_path))
    for thing, files in things.items():
        for file in files:
            with case((thing, file)):
                allow([thing])
                assert not_allowed([thing]) == []
                file.write_text(file.read_text() + "2")
                assert not_allowed([thing]) == [thing]
                assert "has changed" in listed([thing])
                new_process()
                assert not_allowed([thing]) == [thing]
                allow([thing])
                new_process()
                assert not_allowed([thing]) == []
                assert "has changed" not in listed([thing])
    sys.path.remove(str(tmp_path))
    allow([Named.at("file", plugin)])
    plugin.write_text("3")
    assert not_allowed([Named.at("file", plugin)]) == []  # data that may be read, whatever it is
    assert "plugged" not in sys.modules


def test_a_file_of_an_earlier_version(tmp_path: Path) -> None:
    """It is readable, but what is run has no hash there."""
    (tmp_path / "settings").mkdir()
    (tmp_path / "plug.py").touch()
    table = {"plugin": [str(tmp_path / "plug.py")], "mail": ["me@example.org"]}
    (tmp_path / "settings" / FILE).write_text(tomli_w.dumps(table))
    plugin, mail = Named("plugin", str(tmp_path / "plug.py")), Named("mail", "me@example.org")
    assert remembered() == [mail, plugin]
    assert not_allowed([mail, plugin]) == [plugin]
    assert "earlier version" in listed([plugin])
    allow([plugin])
    new_process()
    assert not_allowed([mail, plugin]) == []


def test_another_plugin_at_the_same_place_is_not_run(folder: Path, pages: Path, tmp_path: Path) -> None:
    def publish(code: str) -> None:
        (folder / "plug.py").write_text(code)
        files = {"{corpus}/plug.py": hashlib.blake2b(code.encode()).hexdigest()[:16]}
        change(folder, lambda table: table.update(files=files))

    change(folder, lambda table: table["settings"].update(plugins={"modules": ["{corpus}/plug.py"]}))
    publish("")
    assert run("trust", folder, "--yes").returncode == 0
    gristmill.add(folder, pages, engine=ENGINE)
    publish(f"import pathlib\npathlib.Path({str(tmp_path / 'ran')!r}).touch()\n")
    (pages / "new.html").write_text(PAGE)
    refused(told := run("add", folder, pages), folder / "plug.py")
    assert b"has changed since it was allowed" in told.stderr
    assert "has changed" in run("trust", folder).stdout.decode()
    assert not (tmp_path / "ran").exists()
    assert run("trust", folder, "--yes").returncode == 0
    assert (tmp_path / "ran").exists()


def test_where_settings_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert settings_folder() == tmp_path / "settings"
    monkeypatch.delenv("GRISTMILL_HOME")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/x")
    assert settings_folder() == Path("/x/gristmill")
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))
    assert settings_folder() == Path("/home/me/.config/gristmill")
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("APPDATA", "/roaming")
    assert settings_folder() == Path("/roaming/gristmill")


def test_settings_that_cannot_be_written_allow_for_this_time(tmp_path: Path) -> None:
    (tmp_path / "settings").write_text("a file, where the folder would be")
    allow([Named("program", "/a")])
    assert not_allowed([Named("program", "/a")]) == []
    assert remembered() == []


@pytest.mark.parametrize("text", ["program = 3", "program = [3", "\x00"])
def test_damaged_settings_are_said(tmp_path: Path, text: str) -> None:
    (tmp_path / "settings").mkdir()
    (tmp_path / "settings" / FILE).write_text(text)
    with pytest.raises(GristmillError, match="mend or delete it"):
        not_allowed([Named("program", "/a")])


def test_plain_data_of_the_corpus_is_its_own(tmp_path: Path) -> None:
    corpus, outside = tmp_path / "corpus", tmp_path / "outside"
    (corpus / "lists").mkdir(parents=True)
    (corpus / "lists" / "bad.txt").touch()
    outside.touch()
    origin = Origin(str(corpus), str(corpus))
    assert (
        not_allowed([Named.at("file", corpus / "lists"), Named.at("file", corpus / "lists" / "bad.txt")], origin) == []
    )
    assert not_allowed([Named.at("program", corpus / "lists" / "bad.txt")], origin)  # data, not programs
    assert not_allowed([Named.at("file", corpus / "lists" / ".." / ".." / "outside")], origin)
    (corpus / "link").symlink_to(outside)
    assert not_allowed([Named.at("file", corpus / "link")], origin)
    (corpus / "lists" / "more").symlink_to(outside)
    assert not_allowed([Named.at("file", corpus / "lists")], origin)


def test_a_folder_elsewhere_is_not_looked_through(tmp_path: Path) -> None:
    (tmp_path / "outside" / "deep").mkdir(parents=True)
    (tmp_path / "corpus").mkdir()
    thing = Named.at("file", tmp_path / "outside")
    with watching(tmp_path / "outside") as found:
        assert not_allowed([thing], Origin(str(tmp_path / "corpus"), str(tmp_path / "corpus"))) == [thing]
    assert not found


# ---- taggers ----


@pytest.mark.parametrize("link", [False, True])
def test_a_search_runs_no_program_that_a_corpus_names(
    folder: Path, program: Path, tagger: str, tmp_path: Path, link: bool
) -> None:
    if link:
        (tmp_path / "link").symlink_to(program)
        tagger = f"treetagger:path={os.path.relpath(tmp_path / 'link')},model=german.par"
    change(folder, lambda table: table["settings"]["annotate"].update(taggers=[tagger]))
    real = program / "bin" / "tree-tagger"
    refused(run("search", folder, "Mehl"), folder, real)
    refused(run("annotate", folder), real)
    refused(run("index", folder), real)
    refused(run("wordlist", folder), real)
    refused(run("export", folder, "-o", tmp_path / "out.vert"), real)
    run("watch", "add", folder, "Mehl", "--everything")
    refused(run("watch", "run", folder), real)
    refused(run("add", folder, folder.parent / "pages"), real)  # which would ask the query
    with pytest.raises(UntrustedError, match="in Python, trust=True"):
        Corpus(folder).search("Mehl")
    assert not (program / "ran").exists()
    assert not (tmp_path / "out.vert").exists()
    assert run("stats", folder).returncode == 0
    assert run("export", folder, "-o", tmp_path / "out.txt").returncode == 0
    with pytest.raises(GristmillError, match="TreeTagger failed"):
        Corpus(folder, trust=True).search("Mehl")
    assert (program / "ran").exists()


def test_trust_is_for_one_command_or_for_good(folder: Path, program: Path, tagger: str) -> None:
    change(folder, lambda table: table["settings"]["annotate"].update(taggers=[tagger]))
    once = run("search", folder, "Mehl", "--trust")
    assert "TreeTagger failed" in once.stderr.decode()
    new_process()
    refused(run("search", folder, "Mehl"), program)
    asked = run("trust", folder)
    assert asked.returncode == 1
    assert str(program / "bin" / "tree-tagger") in asked.stdout.decode()
    assert "say --yes" in asked.stderr.decode()
    refused(run("search", folder, "Mehl"), program)
    assert run("trust", folder, "--yes").returncode == 0
    assert "TreeTagger failed" in run("search", folder, "Mehl").stderr.decode()
    assert {item.kind for item in remembered()} == {"program", "model"}
    assert run("trust").stdout.decode().count(str(program)) == 2
    assert run("trust", folder, "--forget").returncode == 0
    refused(run("search", folder, "Mehl"), program)


def test_what_the_user_gives_is_remembered(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "tagger"
    (place / "bin").mkdir(parents=True)
    (place / "bin" / "tree-tagger").write_text(HARMLESS)
    (place / "bin" / "tree-tagger").chmod(0o755)
    (place / "model.par").touch()
    monkeypatch.chdir(tmp_path)
    assert run("annotate", folder, "--tagger", "treetagger:path=tagger,model=tagger/model.par").returncode == 0
    taggers = Corpus(folder).config.annotate.taggers
    assert taggers == (
        f"treetagger:path={place},model={place / 'model.par'}",
    )  # whichever folder the next command is given in
    new_process()
    monkeypatch.chdir("/")
    assert run("search", folder, "Mehl").returncode == 0
    assert run("annotate", folder).returncode == 0


def test_an_indexed_corpus_from_elsewhere_is_searched(folder: Path, program: Path, tagger: str) -> None:
    (program / "bin" / "tree-tagger").write_text(HARMLESS)
    gristmill.annotate(folder, [tagger], engine=ENGINE)
    forget(allowed_here())
    shutil.rmtree(program)  # as if it were on another machine
    with (
        Corpus(folder).index.folder.joinpath("index.toml").open("rb") as file
    ):  # the tokens there are indexed as they are
        assert tomllib.load(file)["index"]["tokens"]
    assert len(Corpus(folder).search("Mehl")) == 8
    found = run("count", folder, "Mehl")
    assert found.returncode == 0
    assert "8" in found.stdout.decode()


def test_taggers_in_the_tokens_of_a_shard_are_not_run(pages: Path, program: Path, tagger: str, tmp_path: Path) -> None:
    """The tokens say that they were made by a program, which would make those that another selection needs."""
    (pages / "page.html").write_text(
        PAGE.replace("</p>", "</p><ul><li><a href=x>Start</a><li><a href=y>Kontakt</a></ul>")
    )
    folder = gristmill.build(pages, tmp_path / "corpus", engine=ENGINE).folder
    gristmill.annotate(folder, ["forms"], engine=ENGINE)
    path = Shard.of(folder, "00000").tokens
    table, facts = pq.read_table(path), json.loads(pq.read_metadata(path).metadata[b"gristmill"])
    facts["settings"]["taggers"] = [tagger]
    with ShardWriter(path, table.schema) as writer:
        writer.write(table)
        writer.finish(facts)
    refused(run("export", folder, "-o", tmp_path / "more.vert", "--max-boilerplate", "1", "--roles", "all"), program)
    change(folder, lambda table: table["settings"]["annotate"].update(taggers=[tagger]))
    assert run("export", folder, "-o", tmp_path / "bare.vert").returncode == 0  # all tokens are there
    refused(run("export", folder, "-o", tmp_path / "more.vert", "--max-boilerplate", "1", "--roles", "all"), program)
    failed = run("index", folder, "--max-boilerplate", "1", "--roles", "all").stderr.decode()
    assert "names what was not allowed here" in failed
    assert run("index", folder).returncode == 0
    assert not (program / "ran").exists()
    assert named(folder) == {"program", "model"}


def named(folder: Path) -> set[str]:
    """The kinds of what `gristmill trust` allows."""
    return {item.kind for item in trust_corpus(folder)}


@pytest.mark.parametrize(
    "spec", ["udpipe:model={}", "spacy:model={}", "de=spacy:model={}", "spacy:model=os", "treetagger"]
)
def test_models_are_not_loaded(folder: Path, tmp_path: Path, spec: str) -> None:
    (tmp_path / "model").mkdir()
    change(folder, lambda table: table["settings"]["annotate"].update(taggers=[spec.format(tmp_path / "model")]))
    refused(run("search", folder, "Mehl"))


def test_a_parser_that_a_corpus_names_is_not_read(folder: Path, pages: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.parser"
    os.mkfifo(secret)  # whoever opens it waits for ever
    change(folder, lambda table: table["settings"]["annotate"].update(parsers=[f"de={secret}"]))
    refused(run("search", folder, "Mehl"), secret)
    refused(run("annotate", folder), secret)
    refused(run("build", pages, "-o", tmp_path / "new", "--config", folder / "corpus.toml"), secret)
    assert secret not in {Path(item.what) for item in allowed_here()}


# ---- filters, models of languages, other corpora ----


@pytest.mark.parametrize(
    ("section", "key", "value"),
    [
        ("filter", "filters", ["length:min=10", "word-list:file={}"]),
        ("filter", "filters", ["topic:sample={}"]),
        ("filter", "filters", ["topic:sample=corpus,general={}"]),
        ("language", "models", "{}"),
        ("clean", "model", "{}"),
        ("clean", "items", "rules:entities={}"),
        ("dedup", "against", ["{}"]),
    ],
)
def test_files_outside_are_not_read(
    folder: Path, pages: Path, tmp_path: Path, section: str, key: str, value: Any
) -> None:
    secret = tmp_path / "secret"
    os.mkfifo(secret)  # whoever opens it waits for ever
    given = value.format(secret) if isinstance(value, str) else [item.format(secret) for item in value]
    change(folder, lambda table: table["settings"][section].update({key: given}))
    (pages / "new.html").write_text(PAGE)
    refused(run("add", folder, pages), secret)
    refused(run("build", pages, "-o", tmp_path / "new", "--config", folder / "corpus.toml"), secret)
    assert not (tmp_path / "new").exists()
    if section not in {"dedup", "clean"}:
        refused(run("export", folder, "-o", tmp_path / "out.txt", "--min-length", "5"), secret)
        refused(run("why", folder, "00000-000000"), secret)
        refused(run("index", folder, "--min-length", "5"), secret)
    assert run("export", folder, "-o", tmp_path / "out.txt").returncode == 0
    assert run("search", folder, "Mehl").returncode == 0
    assert run("stats", folder).returncode == 0


def test_a_word_list_of_the_corpus_itself_is_read(folder: Path) -> None:
    (folder / "bad.txt").write_text("Schimpfwort\n")
    change(folder, lambda table: table["settings"]["filter"].update(filters=[f"word-list:file={folder / 'bad.txt'}"]))
    assert len(list(Corpus(folder).documents(Selection(min_length=5)))) == 1


def test_the_selection_of_an_index_names_nothing(folder: Path, tmp_path: Path) -> None:
    """A search makes the index anew over what the old one was of: by filters that are written there."""
    words = tmp_path / "words.txt"
    words.write_text("Mehl\n")
    gristmill.index(folder, Selection(filters=(f"word-list:file={words},tokens=1000",)), engine=ENGINE)
    assert Named.at("file", words) in remembered()
    forget(allowed_here())
    assert len(Corpus(folder).search("Mehl")) == 8  # as it is
    change(folder, lambda table: table["settings"]["annotate"].update(taggers=["forms"]))
    refused(run("search", folder, "Mehl"), words)
    assert run("search", folder, "Mehl", "--trust").returncode == 0


def test_what_the_user_gives_to_a_build_is_remembered(
    pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bad.txt").write_text("Schimpfwort\n")
    monkeypatch.chdir(tmp_path)
    assert run("build", "pages", "-o", "corpus", "--filter", "word-list:file=bad.txt").returncode == 0
    new_process()
    monkeypatch.chdir("/")
    (pages / "new.html").write_text(PAGE)
    assert run("add", tmp_path / "corpus", pages).returncode == 0
    assert run("export", tmp_path / "corpus", "-o", tmp_path / "out.txt", "--min-length", "5").returncode == 0
    assert run("build", pages, "-o", tmp_path / "more", "--config", tmp_path / "corpus" / "corpus.toml").returncode == 0


def test_settings_of_a_file_and_of_the_user(pages: Path, tmp_path: Path) -> None:
    mine, theirs = tmp_path / "mine.txt", tmp_path / "theirs.txt"
    for path in (mine, theirs):
        path.write_text("Schimpfwort\n")
    file = tmp_path / "their.toml"
    file.write_text(f'[filter]\nfilters = ["word-list:file={theirs}"]\n')
    config = Config.from_file(file)
    with pytest.raises(UntrustedError, match=r"theirs\.txt"):
        gristmill.build(pages, tmp_path / "one", config, engine=ENGINE)
    with pytest.raises(UntrustedError, match=r"theirs\.txt"):
        gristmill.build(pages, tmp_path / "one", config.replace(clean_method="bte"), engine=ENGINE)
    changed = config.with_filters(f"word-list:file={mine}")
    gristmill.build(pages, tmp_path / "one", changed, engine=ENGINE)
    assert remembered() == [Named.at("file", mine)]
    gristmill.build(pages, tmp_path / "two", config, engine=ENGINE, trust=True)
    assert Named.at("file", theirs) in remembered()  # the corpus is the user's own now
    assert dataclasses.replace(config, origin=None) == config
    assert "origin" not in config.to_table()


SPELLINGS = (
    "{corpus}/./evil.py",
    "{corpus}/evil.py",
    "./evil.py",
    "evil.py",
    "../corpus/evil.py",
    "{here}/corpus/evil.py",
    "{here}/corpus/./evil.py",
    "{here}/corpus/link.py",
    "evil",
)


def test_a_plugin_of_the_corpus_is_not_run_however_it_is_written(
    folder: Path, pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "evil.py").write_text(f"import pathlib\npathlib.Path({str(tmp_path / 'ran')!r}).touch()\n")
    (folder / "link.py").symlink_to(folder / "evil.py")
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    (pages / "new.html").write_text(PAGE)
    new, file = tmp_path / "new", folder / "their.toml"
    calls: list[Callable[[], object]] = [
        lambda: gristmill.add(folder, pages, engine=ENGINE),
        lambda: gristmill.deduplicate(folder, engine=ENGINE),
        lambda: gristmill.deduplicate(folder, "evil", engine=ENGINE),
        lambda: gristmill.annotate(folder, ["evil"], engine=ENGINE),
        lambda: gristmill.follow(tmp_path / "feeds", [], Config.from_file(file)),
        lambda: gristmill.build(pages, new, Config.from_file(file).replace(clean_method="bte"), engine=ENGINE),
    ]
    for spelling in SPELLINGS:
        settings = {"plugins": {"modules": [spelling.replace("{here}", str(tmp_path))]}, "dedup": {"method": "evil"}}
        table = tomllib.loads((folder / "corpus.toml").read_text("utf-8"))
        table["settings"].update(settings)
        (folder / "corpus.toml").write_text(tomli_w.dumps(table), "utf-8")
        file.write_text(tomli_w.dumps(settings), "utf-8")
        with case(spelling):
            for call in calls:
                with pytest.raises(UsageError):  # it is not allowed, or there is no such method
                    call()
            refused(run("build", pages, "-o", new, "--config", "their.toml"))
            assert not (tmp_path / "ran").exists()
            assert remembered() == []
    gristmill.build(pages, new, Config().with_plugins("evil.py"), engine=ENGINE)
    assert (tmp_path / "ran").exists()  # it is the user's own word now


def test_settings_of_which_nobody_knows_whose_they_are(pages: Path, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("Schimpfwort\n")
    config = Config().with_filters(f"word-list:file={tmp_path / 'words.txt'}")
    with pytest.raises(UntrustedError, match=r"words\.txt"):
        gristmill.build(pages, tmp_path / "new", Config.from_table(config.to_table()), engine=ENGINE)
    gristmill.build(pages, tmp_path / "new", config, engine=ENGINE)


def test_what_the_user_gives_is_his_though_a_file_has_it_too(pages: Path, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("Schimpfwort\n")
    spec = f"word-list:file={tmp_path / 'words.txt'}"
    (tmp_path / "their.toml").write_text(tomli_w.dumps({"filter": {"filters": [spec]}}))
    config = Config.from_file(tmp_path / "their.toml")
    rewritten = dataclasses.replace(config, filter=dataclasses.replace(config.filter, filters=(f"{spec},types=3",)))
    for settings in (config.replace(filter_filters=[*config.filter.filters]), config.with_filters("size"), rewritten):
        with pytest.raises(UntrustedError, match=r"words\.txt"):
            gristmill.build(pages, tmp_path / "new", settings, engine=ENGINE)
    assert remembered() == []
    gristmill.build(pages, tmp_path / "new", config.with_filters(spec), engine=ENGINE)
    assert remembered() == [Named.at("file", tmp_path / "words.txt")]


def test_workers_know_what_was_allowed(pages: Path, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("Schimpfwort\n")
    corpus = gristmill.build(
        pages, tmp_path / "corpus", Config().with_filters(f"word-list:file={words}"), engine=ENGINE
    )
    gristmill.annotate(corpus.folder, engine=ENGINE)
    forget(allowed_here())
    with pytest.raises(UntrustedError):
        gristmill.index(corpus.folder, Selection(min_length=5), engine=LocalEngine(1))
    found = gristmill.index(corpus.folder, Selection(min_length=5), engine=LocalEngine(1), trust=True)
    assert found.size
    assert remembered() == []


def test_deduplication_against_others(
    folder: Path, pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = gristmill.build(pages, tmp_path / "other", engine=ENGINE)
    monkeypatch.chdir(tmp_path)
    done = gristmill.deduplicate(folder, against=["other"], engine=ENGINE)
    assert done.config.dedup.against == (str(other.folder),)
    assert remembered() == [Named.at("file", other.folder)]
    (pages / "new.html").write_text(PAGE)
    monkeypatch.chdir("/")
    gristmill.add(folder, pages, engine=ENGINE)


# ---- names that lead out of the corpus ----


@pytest.mark.parametrize("name", ["../../other/shards/00000", "/etc", "", ".", "00000/../../x", "٠٠٠٠٠"])
def test_names_of_shards(folder: Path, name: str) -> None:
    change(folder, lambda table: table["shards"][0].update(name=name))
    with pytest.raises(GristmillError, match="can't be the name of a shard"):
        Corpus(folder)


def test_links_are_not_written_through(folder: Path, pages: Path, tmp_path: Path) -> None:
    victim = gristmill.build(pages, tmp_path / "victim", engine=ENGINE).shards[0].folder
    before = {path.name: path.read_bytes() for path in victim.iterdir()}
    shutil.rmtree(folder / "shards" / "00000")
    (folder / "shards" / "00000").symlink_to(victim)
    (pages / "new.html").write_text(PAGE)
    commands: list[list[str | Path]] = [
        ["dedup", folder],
        ["annotate", folder],
        ["search", folder, "Mehl"],
        ["add", folder, pages],
    ]
    for command in commands:
        refused(run(*command), victim)
    assert {path.name: path.read_bytes() for path in victim.iterdir()} == before
    assert run("dedup", folder, "--trust").returncode == 0
    (tmp_path / "linked").symlink_to(folder)  # the user's own way to it
    forget(allowed_here())
    refused(run("dedup", tmp_path / "linked"), victim)


def test_a_linked_corpus_is_not_from_elsewhere(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "linked").symlink_to(folder)
    assert run("dedup", tmp_path / "linked").returncode == 0


# ---- what is shown ----


def test_names_of_a_corpus_do_not_write_to_the_terminal(folder: Path) -> None:
    evil = "\x1b]0;owned\x07\x1b[2J"
    change(folder, lambda table: table["settings"]["annotate"].update(taggers=[f"udpipe:model=/{evil}"]))
    change(folder, lambda table: table["counts"]["dropped"].update({evil: 1}))
    change(folder, lambda table: table["size"]["languages"].update({evil: 1}))
    commands: list[list[str | Path]] = [
        ["search", folder, "x"],
        ["trust", folder],
        ["stats", folder],
        ["dropped", folder],
    ]
    for command in commands:
        result = run(*command)
        assert b"\x1b" not in result.stdout + result.stderr


def test_usage_of_trust(tmp_path: Path, folder: Path) -> None:
    assert "there is no corpus" in run("trust", tmp_path / "nowhere").stderr.decode()
    assert "names nothing that is not allowed" in run("trust", folder).stderr.decode()
    with pytest.raises(UsageError):
        trust_corpus(tmp_path / "nowhere")
    assert trust_corpus(folder) == []
