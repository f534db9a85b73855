"""Parts are found in the code without importing it, and are what importing it registers."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

import gristmill
from gristmill.config import Config
from gristmill.errors import UsageError
from gristmill.registry import KINDS, forget_plugin, owned_by, part, parts_of

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
    methods = parts_of("cleaning method")
    assert methods.everyday.startswith("mill, all, boilerpipe, justext")
    assert methods.everyday.endswith("; `help` lists all")
    assert "victor" not in methods.everyday
    with pytest.raises(UsageError, match=f"^cleaning methods: {', '.join(methods)}$"):
        gristmill.clean("<p>A mill", method="help")
    assert parts_of("metric").everyday == ", ".join(parts_of("metric"))
    assert all(parts_of(kind).default in parts_of(kind).everyday for kind in KINDS)


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
