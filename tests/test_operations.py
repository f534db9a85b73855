"""Operations are declared once: what is made of the declarations is the same everywhere."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
from command import run
from mypy import api

import gristmill
from gristmill.catalogue import entries
from gristmill.errors import UsageError
from gristmill.operations.declaration import Operation, declared
from gristmill.operations.reference import reference
from gristmill.parameters import Parameter

OPERATIONS = {entry.name: entry.load() for entry in entries().values() if entry.group}
ROOT = Path(__file__).parent.parent


def test_the_catalogue_has_what_is_declared() -> None:
    here = {
        name: item for name, item in declared().items() if item.function.__module__.startswith("gristmill.operations")
    }
    assert set(entries()) == set(here)
    for entry in entries().values():
        operation = entry.load()
        assert (entry.group, entry.summary) == (operation.group, operation.summary.removesuffix('"""'))


def test_the_reference_is_as_the_code() -> None:
    assert (ROOT / "docs" / "reference" / "operations.md").read_text("utf-8") == reference(), (
        "make it anew: python -m gristmill.operations.reference > docs/reference/operations.md"
    )


@pytest.mark.parametrize("name", OPERATIONS)
def test_help_has_every_parameter_and_example(name: str) -> None:
    shown = " ".join(run(*OPERATIONS[name].command.split(), "--help").stdout.decode().split())
    for parameter in OPERATIONS[name].parameters:
        assert " ".join(parameter.about.split()[:3]) in shown
    for example in OPERATIONS[name].examples:
        assert " ".join(example.split()) in shown


def test_methods_show_their_parameters(indexed: gristmill.Corpus) -> None:
    for operation in OPERATIONS.values():
        method = getattr(indexed, operation.function.__name__)
        assert list(inspect.signature(method).parameters) == [
            item.name for item in inspect.signature(operation.asks).parameters.values()
        ]
        assert operation.summary in (inspect.getdoc(method) or "")
        of_class = getattr(gristmill.Corpus, operation.function.__name__)
        assert next(iter(inspect.signature(of_class).parameters)) == "corpus"


def test_limits_hold_in_python_too(indexed: gristmill.Corpus) -> None:
    ask: Any = indexed.keywords
    for wrong, message in (
        ({"smoothing": 0}, "smoothing must be at least"),
        ({"smoothing": float("nan")}, "smoothing must be"),
        ({"limit": -1}, "limit must be at least 0"),
        ({"limit": "5"}, "limit must be a whole number"),
        ({"limit": True}, "limit must be a whole number"),
        ({"order": "dice"}, "order must be one of simple_maths, ll"),
        ({"ignore_case": "yes"}, "ignore_case must be true or false"),
    ):
        with pytest.raises(UsageError, match=message):
            ask(where='lang="en"', **wrong)
    with pytest.raises(TypeError, match="smoothness"):
        ask(smoothness=1)


def _wrong_calls(operation: Operation[..., Any]) -> list[str]:
    """Calls of a method that a type checker must refuse: a wrong name, and a wrong value for each parameter."""
    needed = [f"{item.name}=''" for item in operation.parameters if item.required]
    wrong = ["no_such_parameter=1", *filter(None, map(_wrong_value, operation.parameters))]
    return [
        f"corpus.{operation.function.__name__}("
        + ", ".join([*(one for one in needed if one.partition("=")[0] != given.partition("=")[0]), given])
        + ")"
        for given in wrong
    ]


def _wrong_value(parameter: Parameter) -> str:
    value = "'no choice'" if parameter.choices else "object()" if parameter.type is str else "'text'"
    return f"{parameter.name}={value}"


def test_a_type_checker_sees_each_wrong_call(tmp_path: Path) -> None:
    calls = [call for operation in OPERATIONS.values() for call in _wrong_calls(operation)]
    right = [
        f"corpus.{item.function.__name__}({', '.join(f'{p.name}=' + repr('x') for p in item.parameters if p.required)})"
        for item in OPERATIONS.values()
    ]
    file = tmp_path / "calls.py"
    file.write_text("\n".join(["import gristmill", "corpus = gristmill.Corpus('x')", *right, *calls]), "utf-8")
    options = ["--strict", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(ROOT / ".mypy_cache")]
    said, errors, _ = api.run([*options, str(file)])
    assert not errors
    said_of = [line.split(":") for line in said.splitlines() if "/calls.py:" in line]  # in this folder, or one before
    lines = {int(number) for _, number, level, *_ in said_of if level == " error"}
    first = 3 + len(right)
    assert lines == set(range(first, first + len(calls))), said
