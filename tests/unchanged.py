"""The literature's tests run when it, or what of Gristmill it uses directly, has changed since they all passed.

`pytest tests/literature` runs them whatever has changed, and if all pass writes to `passed.txt` what they passed with.
What every run tries of each method stands with the others: floors of quality, pages and texts of all kinds.
"""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests" / "literature"
PASSED = TESTS / "passed.txt"
_IMPORTED = re.compile(r"^ *from (gristmill[\w.]*) import", re.MULTILINE)


@cache
def state() -> str:
    """A digest of the literature, its tests, and the modules that they import."""
    own = sorted([*(ROOT / "src" / "gristmill" / "literature").rglob("*.py"), *TESTS.glob("*.py")])
    named = {name for file in own for name in _IMPORTED.findall(file.read_text("utf-8"))}
    digest = sha256()
    for file in dict.fromkeys([*own, *filter(Path.exists, map(_file_of, sorted(named)))]):
        digest.update(file.relative_to(ROOT).as_posix().encode())
        digest.update(file.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()


def _file_of(module: str) -> Path:
    path = ROOT.joinpath("src", *module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _is_named(config: pytest.Config) -> bool:
    """Whether whoever runs the tests asks for these."""
    return any((config.invocation_params.dir / name.partition("::")[0]).is_relative_to(TESTS) for name in config.args)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what passed as it is; one file says so."""
    if collection_path.parent != TESTS or collection_path.name == "test_unchanged.py" or _is_named(config):
        return None
    return True if PASSED.read_text("utf-8").strip() == state() else None


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Write with what all tests have passed."""
    config, options = session.config, session.config.option
    is_whole = [config.invocation_params.dir / name for name in config.args] == [TESTS]
    if options.keyword or options.markexpr or hasattr(config, "workerinput"):  # the last is a process of xdist
        return
    if is_whole and exitstatus == pytest.ExitCode.OK:
        PASSED.write_text(f"{state()}\n", "utf-8")
