"""A corpus that an attacker wrote: each of its settings names something evil, in many spellings, and all commands run.

What may be set and what may be done is read off the files, the parts, the commands and the operations of the web app,
so that what is added later is tried without being named here. `GRISTMILL_ATTACKS=500` tries more than a few,
`all` tries all, which takes hours.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import random
import shutil
import stat
import sys
import tomllib
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import tomli_w
from cases import case
from command import run
from watching_system import watching

import gristmill
from gristmill import Corpus, GristmillError, consent
from gristmill.bootstrapping.config import BootstrapConfig
from gristmill.bootstrapping.store import Store
from gristmill.cli import program
from gristmill.config import Config
from gristmill.corpus import named
from gristmill.crawling.config import CrawlConfig
from gristmill.engine import InlineEngine, LocalEngine
from gristmill.errors import UsageError
from gristmill.pipeline import starting
from gristmill.registry import Registry, parameters_of
from gristmill.web.operations import operations

TRIES = os.environ.get("GRISTMILL_ATTACKS", "24")
PAGE = "<html><p>" + "Ein langer deutscher Satz über Mühlen und Brot, der lang genug ist, ein Text zu sein. " * 8
EVIL = "evil_module"
LASTING = frozenset({"serve", "mcp"})
"""Commands that don't end; what they do, the operations of the web app do here."""
SPELLINGS: dict[str, Callable[[Path, Path], str]] = {
    "absolute": lambda evil, _: str(evil),
    "relative": lambda evil, _: os.path.relpath(evil),
    "dotted": lambda evil, _: f"./{os.path.relpath(evil)}",
    "of the corpus": lambda evil, folder: f"{{corpus}}/./{os.path.relpath(evil, folder)}",
    "above": lambda evil, folder: f"{folder}/{os.path.relpath(evil, folder)}",
    "link": lambda evil, _: f"{{corpus}}/link/{evil.name}",
    "module": lambda *_: EVIL,
    "URL": lambda evil, _: evil.as_uri(),
    "separators": lambda evil, _: f"/{evil}".replace("/evil", "//./evil"),
    "address": lambda *_: "http://127.0.0.1:9/evil",
}


_EXAMPLES: dict[Any, Any] = {int: 0, tuple[str, ...]: ("Brot",), bool: True, float: 0.5}
"""Values of parameters that have to be given; `Brot` for all others."""


class Setting(NamedTuple):
    """A text in a file, or an item of a list there, that can be something else."""

    file: str
    keys: tuple[str | int, ...]
    form: str = "{}"
    """What is written there, around the evil place."""


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What nobody may touch: a plugin, a list, a program and a model, all in one."""
    folder = tmp_path_factory.mktemp("attack") / "outside"
    folder.mkdir()
    evil = folder / "evil.py"
    evil.write_text(f"#!{sys.executable}\nopen({str(folder / 'ran')!r}, 'w').close()\n")
    evil.chmod(evil.stat().st_mode | stat.S_IXUSR)
    modules = folder.with_name("modules")  # Python itself looks there
    modules.mkdir()
    shutil.copy(evil, modules / f"{EVIL}.py")
    for place in ("bin", "lib"):
        (folder / place).symlink_to(folder)
    for name in ("tree-tagger", "rftagger", "apertium"):
        shutil.copy(evil, folder / name)
    return folder


@pytest.fixture(scope="module")
def theirs(outside: Path) -> Path:
    """A corpus with a crawl, a bootstrap, feeds and a standing query in it."""
    pages = outside.with_name("pages")
    pages.mkdir()
    (pages / "page.html").write_text(PAGE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(consent, "_allowed", {})
        folder = gristmill.build(pages, outside.with_name("theirs"), engine=InlineEngine()).folder
        gristmill.annotate(folder, ["forms"], engine=InlineEngine())
        gristmill.index(folder, engine=InlineEngine())
        gristmill.watch(folder, "Brot", name="Mehl", everything=True, mail="me@example.org")
        gristmill.follow(folder, "http://127.0.0.1:9/feed", discover=False)  # which is not asked, as it is private
    (folder / "feeds.toml").write_text(tomli_w.dumps({"settings": _all_settings(Config())}))
    BootstrapConfig().replace({"seeds": {"lang": "de"}}).write(folder / "bootstrap.toml")
    with Store(folder) as store:
        store.set_state("build", json.dumps(Config().to_table()))
        store.begin(1, urls=["http://127.0.0.1:9/"])
    CrawlConfig().write(folder / "crawl.toml")
    table = tomllib.loads((folder / "corpus.toml").read_text("utf-8"))
    table["settings"] = _all_settings(Corpus(folder).config)
    (folder / "corpus.toml").write_text(tomli_w.dumps(table), "utf-8")
    (folder / "link").symlink_to(outside)
    (pages / "new.html").write_text(PAGE.replace("Brot", "Mehl"))
    return folder


def _all_settings(config: Config) -> dict[str, Any]:
    """All settings, also those that are left out where they are empty."""
    sections = {item.name: getattr(config, item.name) for item in dataclasses.fields(config)}
    return {name: dataclasses.asdict(part) for name, part in sections.items() if name not in {"origin", "given"}}


def settings_in(folder: Path) -> Iterator[Setting]:
    """Yield every text in every file of settings, and every list that could have one."""
    for path in sorted(folder.rglob("*.toml")):
        file = str(path.relative_to(folder))
        for keys, value in _leaves(tomllib.loads(path.read_text("utf-8"))):
            if isinstance(value, str | list) and not any(isinstance(item, dict | int | float) for item in value):
                yield Setting(file, keys)
                if file == "corpus.toml" and keys[0] == "settings":
                    yield from (Setting(file, keys, form) for form in _forms(*map(str, keys[1:])))


def _leaves(value: Any, keys: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, (*keys, key))
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        for number, item in enumerate(value):
            yield from _leaves(item, (*keys, number))
    else:
        yield keys, value


def _forms(section: str, key: str) -> Iterator[str]:
    """Yield all parts that a setting can name, with each of their parameters that is a text."""
    probe = Config()
    is_list = isinstance(getattr(getattr(probe, section), key), tuple)
    try:
        changed = dataclasses.replace(getattr(probe, section), **{key: ("probe",) if is_list else "probe"})
        found = named._parts(dataclasses.replace(probe, **{section: changed}), section)
    except UsageError:  # a setting that takes some words only
        found = []
    for registry in [registry for registry, name in found if name == "probe"]:
        yield from _forms_of(registry)
    if section == "clean" and key == "items":
        yield "rules:entities={}"
    if section == "annotate" and key == "parsers":
        yield "de={}"


def _forms_of(registry: Registry[Any]) -> Iterator[str]:
    for name, part in registry.items():
        if dataclasses.is_dataclass(part):
            made = part() if isinstance(part, type) else part
            texts = [key for key, value in parameters_of(made).items() if isinstance(value, str | tuple)]
            yield from (f"{name}:{key}={{}}" for key in texts)


def set_to(folder: Path, setting: Setting, place: str) -> None:
    """Write something evil into a file."""
    path = folder / setting.file
    table = tomllib.loads(path.read_text("utf-8"))
    changed: Any = table
    for key in setting.keys[:-1]:
        changed = changed[key]
    last, text = setting.keys[-1], setting.form.format(place)
    changed[last] = [text] if isinstance(changed[last], list) else text
    path.write_text(tomli_w.dumps(table), "utf-8")


class Command(NamedTuple):
    """A command with arguments, in which the corpus, pages of the user and a new file are still to be named."""

    arguments: tuple[str, ...]

    def __call__(self, folder: Path) -> None:
        places = {"{corpus}": folder, "{pages}": folder.with_name("pages"), "{new}": folder.with_name("new.vert")}
        run(*(places.get(text, text.replace("{file}", f"{folder}/corpus.toml")) for text in self.arguments))


class Question(NamedTuple):
    """An operation of the web app."""

    operation: Any  # an `Operation`, which type checkers take for a method here

    def __call__(self, folder: Path) -> None:
        needed = {item.name: _EXAMPLES.get(item.type, "Brot") for item in self.operation.parameters if item.required}
        try:
            self.operation.ask(
                Corpus(folder), self.operation.asks(**needed), *(["me"] if self.operation.takes_user else [])
            )
        except (GristmillError, OSError):
            return


def actions() -> Iterator[Command | Question]:
    """Yield all commands, with those options that lead somewhere else, and all operations of the web app."""
    for name in program.COMMANDS:
        yield from (item for item in _commands(program.load(name), [name]) if name not in LASTING)
    yield from map(Question, operations().values())


def _commands(command: Any, path: list[str]) -> Iterator[Command]:
    for name, inner in getattr(command, "commands", {}).items():
        yield from _commands(inner, [*path, name])
    if hasattr(command, "commands"):
        return
    options = {option for param in command.params for option in param.opts}
    arguments = [param.name for param in command.params if param.param_type_name == "argument"]
    given = [*path, *(_value(name, number) for number, name in enumerate(arguments))]
    if "--output" in options:
        given += ["--output", "{new}"]
    yield Command(tuple(given))
    if "--min-length" in options:
        yield Command((*given, "--min-length", "5"))
    if "--config" in options:
        own = [text.replace("{corpus}", "{pages}") for text in given]
        yield Command((*own, "--config", "{file}"))


def _value(name: str, number: int) -> str:
    if name in {"sources", "archives"}:
        return "{pages}"
    return "{corpus}" if not number else {"page": "00000-000000", "document": "00000-000000"}.get(name, "Mehl")


@pytest.fixture(autouse=True)
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, outside: Path) -> None:
    """A user who has allowed nothing, and whose working directory and path for modules lead to what is evil."""
    monkeypatch.setenv("GRISTMILL_HOME", str(tmp_path / "settings"))
    monkeypatch.setenv("GRISTMILL_CONTACT", "me@example.org")
    inline = InlineEngine()  # all is done in this process, which is watched
    monkeypatch.setattr(LocalEngine, "run", lambda _, tasks, report: inline.run(tasks, report))
    monkeypatch.setattr(starting, "early_worker", lambda _: contextlib.nullcontext())
    monkeypatch.setattr(consent, "_allowed", {})
    monkeypatch.syspath_prepend(outside.with_name("modules"))
    monkeypatch.chdir(tmp_path)


def chosen(theirs: Path) -> list[tuple[Setting, str, Command | Question]]:
    """Choose what is tried: as many as asked for, the same each time; half of them are settings of the corpus."""
    settings, everything = list(settings_in(theirs)), list(actions())
    if TRIES == "all":
        return list(product(settings, SPELLINGS, everything))
    picked = random.Random(37)
    first = [item for item in settings if item.keys[0] == "settings"]
    return [
        (picked.choice(first if number % 2 else settings), picked.choice(list(SPELLINGS)), picked.choice(everything))
        for number in range(int(TRIES))
    ]


def attack(
    theirs: Path, outside: Path, tmp_path: Path, setting: Setting, spelling: str, action: Command | Question
) -> list[str]:
    """Do something with a corpus in which something evil is set, and tell what came of it."""
    folder, pages = tmp_path / "theirs", tmp_path / "pages"
    for place in (folder, pages, tmp_path / "new.vert"):
        shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(theirs, folder, symlinks=True)
    shutil.copytree(theirs.with_name("pages"), pages)
    evil = outside / "evil.py"
    set_to(folder, setting, SPELLINGS[spelling](evil, folder))
    with watching(outside, EVIL) as found:
        action(folder)
    return found


def test_what_an_attacker_sets_does_nothing(theirs: Path, outside: Path, tmp_path: Path) -> None:
    before, faults = sorted(outside.iterdir()), []
    for setting, spelling, action in chosen(theirs):
        with case((setting, spelling, action)):
            if found := attack(theirs, outside, tmp_path, setting, spelling, action):
                faults.append((setting, spelling, action, found))
    assert not faults
    assert not consent.remembered()
    assert sorted(outside.iterdir()) == before


def test_a_plugin_in_all_spellings(theirs: Path, outside: Path, tmp_path: Path) -> None:
    """The worst of all settings, with the command that needs it."""
    setting, action = (
        Setting("corpus.toml", ("settings", "plugins", "modules")),
        Command(("add", "{corpus}", "{pages}")),
    )
    for spelling in SPELLINGS:
        with case(spelling):
            assert not attack(theirs, outside, tmp_path, setting, spelling, action)
    assert not consent.remembered()


def test_the_attack_is_seen(theirs: Path, outside: Path, tmp_path: Path) -> None:
    """With the word of the user it is done; so what is not seen elsewhere is not done there."""
    for setting, arguments in (
        (Setting("corpus.toml", ("settings", "plugins", "modules")), ("add", "{corpus}", "{pages}", "--trust")),
        (
            Setting("corpus.toml", ("settings", "filter", "filters"), "word-list:file={}"),
            ("export", "{corpus}", "--output", "{new}", "--min-length", "5", "--trust"),
        ),
    ):
        with case(arguments):
            assert attack(theirs, outside, tmp_path, setting, "of the corpus", Command(arguments))
