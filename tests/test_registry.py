"""Parts are found in the code without importing it, and are what importing it registers."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from command import run

import gristmill
from gristmill.cli.program import load
from gristmill.config import Config
from gristmill.errors import UsageError
from gristmill.registry import KINDS, forget_plugin, owned_by, part, parts_of

STAGES = ("page", "block", "document")
CODE = Path(gristmill.__file__).parent


def test_every_part_in_the_code_is_found() -> None:
    """Each call of `part` has literal strings and stands in a place of its kind; else its name would be unknown."""
    in_code = [
        (*(getattr(argument, "value", ast.unparse(argument)) for argument in call.args[:2]), module_of(file))
        for file in sorted(CODE.rglob("*.py"))
        if "part(" in (text := file.read_text("utf-8"))
        for call in ast.walk(ast.parse(text))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "part"
    ]
    found = [(kind, name, module) for kind in KINDS for name, module in parts_of(kind).homes.items()]
    assert Counter(in_code) == Counter(found)
    assert len(found) > 100


def module_of(file: Path) -> str:
    return ".".join(file.relative_to(CODE.parent).with_suffix("").parts)


def test_every_part_is_registered_where_it_was_found() -> None:
    for kind in KINDS:
        registry = parts_of(kind)
        for name, module in registry.homes.items():
            assert registry[name] is registry[name]
            assert (registry._parts[name].module, registry.owner(name)) == (module, "")


def test_names_come_in_one_order() -> None:
    """The default one first, then by the alphabet, then those of the literature, then those of plugins."""
    for kind in KINDS:
        registry = parts_of(kind)
        own, default = list(registry.homes), registry.default
        literature = {name for name, module in registry.homes.items() if ".literature." in module}
        assert own == [default] * bool(default) + sorted(set(own) - {default} - literature) + sorted(literature)
    with owned_by("this test"):
        part("embedder", "zebra")(object())
        part("embedder", "ant")(object())
    assert list(parts_of("embedder")) == ["zebra", "ant"]
    with pytest.raises(RuntimeError), owned_by("this test"):
        raise RuntimeError
    assert list(parts_of("embedder")) == []


def test_the_defaults_are_those_of_the_settings() -> None:
    settings = Config()
    assert settings.clean.method == parts_of("cleaning method").default
    assert settings.dedup.method == parts_of("de-duplication method").default
    assert settings.language.identifier == parts_of("language identifier").default


def test_help_shows_what_is_everyday() -> None:
    assert parts_of("cleaning method").everyday == (
        "mill, all, boilerpipe, justext; `gristmill parts cleaning-method` lists all"
    )
    assert parts_of("output format").everyday == ", ".join(parts_of("output format"))
    for kind, (_, _, default, everyday) in KINDS.items():
        registry = parts_of(kind)
        assert set(everyday) <= set(registry)
        assert registry.everyday.startswith(default)
        assert registry.everyday.partition(";")[0].count(", ") <= 4


def test_every_kind_says_what_takes_its_parts() -> None:
    for kind in KINDS.values():
        name, *words = kind.use.partition(",")[0].split()
        options = {option: parameter for parameter in load(name).params for option in (parameter.opts)}
        assert all(word in options for word in words if word.startswith("--"))


def test_lists_of_parts() -> None:
    text = run("parts").stdout.decode()
    for kind in KINDS:
        assert f"\n{kind.replace(' ', '-')}  (" in f"\n{text}"
        listed = run("parts", kind).stdout.decode()
        assert re.findall(r"^  ([\w+-]+)(?::|$)", listed, re.MULTILINE) == list(_by_stage(kind))
        assert run("parts", f"{kind.replace(' ', '-')}s").stdout.decode() == listed
    found = json.loads(run("parts", "--json").stdout)
    assert {kind: list(names) for kind, names in found.items()} == {kind: list(parts_of(kind)) for kind in KINDS}
    assert found["preset"]["none"]["filters"] == []
    assert found["cleaning method"]["density-sparse"]["parameters"] == {"sparse": True, "addtitle": False}
    assert found["tagger"]["own"]["parameters"] == {"model": ""}


def _by_stage(kind: str) -> Iterable[str]:
    registry = parts_of(kind)
    return sorted(registry, key=lambda name: STAGES.index(registry[name].stage)) if kind == "filter" else registry


def test_one_part_in_detail() -> None:
    text = run("parts", "bte").stdout.decode()
    assert text.startswith("bte, a cleaning method of the literature\n\nThe method `bte`")
    assert "Finn, Kushmerick and Smyth" in text
    assert [line for line in run("parts", "json").stdout.decode().splitlines() if line.startswith("json, ")] == [
        "json, an output format",
        "json, a search provider",
    ]
    assert run("parts", "cleaning-method", "filter").stdout.decode().startswith("filter, a cleaning method of the")
    assert run("parts", "dedup").stdout == run("parts", "de-duplication-method").stdout
    assert re.findall(r"^([\w-]+)  \(", run("parts", "methods").stdout.decode(), re.MULTILINE) == [
        kind.replace(" ", "-") for kind in KINDS if "method" in kind
    ]
    unknown = run("parts", "clening-method")
    assert (unknown.returncode, unknown.stdout) == (2, b"")
    assert "there is no part 'clening-method'; did you mean 'cleaning-method'?" in unknown.stderr.decode()
    assert "there is no kind of parts 'fliter'; did you mean" in run("parts", "fliter", "length").stderr.decode()


def test_errors() -> None:
    with pytest.raises(UsageError, match="no kind of parts 'fliter'; did you mean 'filter'"):
        part("fliter", "length")
    with owned_by("this test"):
        part("filter", "twice")(object())
        for name in ("length", "twice"):  # a part of the package need not be imported for that
            with pytest.raises(ValueError, match=f"two filters named '{name}'"):
                part("filter", name)(object())
        for kind in ("cleaning method", "filter"):
            part(kind, "odd", segmentaton="block")(print)
            with pytest.raises(UsageError, match=r"'odd' of test_registry is wrong: .*segmentaton"):
                parts_of(kind)["odd"]
    forget_plugin("this test")
