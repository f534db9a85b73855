"""How the kernel is compiled when the package is built, and what happens where that can't be done."""

from __future__ import annotations

import importlib.util
import shutil
import sys
import sysconfig
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hatchling.bridge.app import Application

import hatch_build
from gristmill.kernel import __file__ as kernel_file
from gristmill.kernel import loading
from hatch_build import KernelHook, attempt, compile_kernel, main, module_names, put_in_place, staged

ROWS = '"""Names of rows."""\nSTART, END = range(2)\nNAMES = ("START", "END")\nLARGE = 2**40\n'
COUNTING = '''"""Count bytes."""

from gristmill.kernel.rows import (
    END,
    NAMES,
)
from gristmill.kernel.steps import Step, step as next_step

LESS = ord("<")
LIMIT = -3
NEITHER = "text"


def count(page: bytes) -> int:
    """Count what is `<`, plus 1 for the end."""
    found = END
    for byte in page:
        if byte == LESS:
            found += 1
    return found
'''
STEPS = '"""Steps."""\n\n\nclass Step:\n    """A step."""\n\n\ndef step(place: int) -> int:\n    return place + 1\n'


@pytest.fixture(autouse=True)
def _as_on_any_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRISTMILL_BUILD_KERNEL", raising=False)
    monkeypatch.delenv("CC", raising=False)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A source tree with a kernel of two small modules."""
    kernel = tmp_path / "tree" / "src" / "gristmill" / "kernel"
    (kernel / "compiled").mkdir(parents=True)
    shutil.copy(Path(kernel_file).with_name("loading.py"), kernel)
    files = {
        "rows.py": ROWS,
        "counting.py": COUNTING,
        "counting.pxd": "cimport cython\nfrom gristmill.kernel.steps cimport Step\n\n"
        "@cython.locals(found=int, byte=int)\ncpdef int count(bytes page)\n",
        "steps.py": STEPS,
        "steps.pxd": "cdef class Step:\n    pass\n",
        "compiled/__init__.py": "",
    }
    for name, text in files.items():
        (kernel / name).write_text(text)
    return tmp_path / "tree"


def kernel_of(root: Path) -> Path:
    return root / "src" / "gristmill" / "kernel"


def hook_of(root: Path) -> KernelHook:
    return KernelHook(str(root), {}, None, None, str(root / "dist"), "wheel", Application())  # type: ignore[arg-type]


def refuse(kernel: Path, folder: Path) -> list[Path]:
    """Stand in for the compiler."""
    del kernel, folder
    raise ImportError("No module named 'Cython'")


def modules_in(folder: Path) -> Any:
    """Stand in for the compiler: two files that it might have made."""

    def give(kernel: Path, work: Path) -> list[Path]:
        del work
        paths = [folder / f"{name}{sysconfig.get_config_var('EXT_SUFFIX')}" for name in module_names(kernel)]
        for path in paths:
            path.write_bytes(b"compiled")
        return paths

    return give


def test_ints_become_constants_and_lines_stay_where_they_are(root: Path) -> None:
    source, declarations = staged(kernel_of(root), "counting", ["counting", "steps"])
    assert declarations.endswith("cdef enum:\n    END = 1\n    LESS = 60\n    LIMIT = -3\n")
    lines = source.split("\n")
    assert lines[2:7] == ["from gristmill.kernel.rows import NAMES as NAMES", "", "", "", STEP_IMPORT]
    assert lines[8:11] == ["", "", 'NEITHER = "text"']
    assert lines[11:] == COUNTING.split("\n")[11:]


STEP_IMPORT = "from gristmill.kernel.compiled.steps import step as next_step"
"""What is left of it: `Step` is imported in C."""


def test_other_modules_of_the_kernel_are_the_compiled_ones(root: Path) -> None:
    _, declarations = staged(kernel_of(root), "counting", ["counting", "steps"])
    assert "\nfrom gristmill.kernel.compiled.steps cimport Step\n" in declarations


def test_an_int_that_is_none_in_c_is_imported(root: Path) -> None:
    (kernel_of(root) / "steps.py").write_text("from gristmill.kernel.rows import LARGE\n\nTRUE = True\n")
    source, declarations = staged(kernel_of(root), "steps", ["steps"])
    assert source == "from gristmill.kernel.rows import LARGE as LARGE\n\nTRUE = True\n"
    assert "enum" not in declarations


@pytest.mark.parametrize("compiler", ["", " ", "/nonexistent"])
def test_without_a_compiler_one_message_says_so(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiler: str
) -> None:
    monkeypatch.setenv("CC", compiler)
    said: list[str] = []
    assert attempt(kernel_of(root), tmp_path / "work", said.append) == []
    (message,) = said
    assert message.startswith("gristmill is installed without the compiled kernel: ")
    assert message.endswith(". Everything works, slower.")
    assert ("CC is empty" in message) == (compiler.strip() == "")


def test_without_cython_it_is_the_same(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "Cython.Build", None)
    said: list[str] = []
    assert attempt(kernel_of(root), tmp_path / "work", said.append) == []
    assert "Cython" in said[0]


def test_a_source_that_does_not_compile_is_the_same(root: Path, tmp_path: Path) -> None:
    (kernel_of(root) / "steps.pxd").write_text("cdef nonsense nonsense nonsense\n")
    said: list[str] = []
    assert attempt(kernel_of(root), tmp_path / "work", said.append) == []
    assert "CompileError" in said[0]


def test_never(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRISTMILL_BUILD_KERNEL", "0")
    said: list[str] = []
    assert attempt(kernel_of(root), tmp_path / "work", said.append) == []
    assert "GRISTMILL_BUILD_KERNEL is 0" in said[0]
    assert not (tmp_path / "work").exists()


def test_must(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRISTMILL_BUILD_KERNEL", "1")
    monkeypatch.setattr(hatch_build, "compile_kernel", refuse)
    with pytest.raises(RuntimeError, match="GRISTMILL_BUILD_KERNEL is 1, but the kernel cannot be compiled: ImportErr"):
        attempt(kernel_of(root), tmp_path / "work", print)


def test_a_wish_that_is_none(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRISTMILL_BUILD_KERNEL", "yes")
    with pytest.raises(ValueError, match="not 'yes'"):
        attempt(kernel_of(root), tmp_path / "work", print)


def test_a_wheel_with_the_kernel_is_for_this_platform(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hatch_build, "compile_kernel", modules_in(tmp_path))
    hook, data = hook_of(root), {"pure_python": True, "infer_tag": False, "force_include": {}}
    hook.initialize("standard", data)
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    places = {str(tmp_path / f"{n}{suffix}"): f"gristmill/kernel/compiled/{n}{suffix}" for n in ("counting", "steps")}
    assert data == {"pure_python": False, "infer_tag": True, "force_include": places}
    assert [path.name for path in (kernel_of(root) / "compiled").iterdir()] == ["__init__.py"]
    hook.finalize("standard", data, "")


def test_a_wheel_without_the_kernel_is_for_all(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hatch_build, "compile_kernel", refuse)
    hook, data = hook_of(root), {"pure_python": True, "infer_tag": False, "force_include": {}}
    hook.initialize("standard", data)
    assert data == {"pure_python": True, "infer_tag": False, "force_include": {}}
    hook.finalize("standard", data, "")


def test_an_editable_install_has_its_modules_in_the_source_tree(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hatch_build, "compile_kernel", modules_in(tmp_path))
    hook = hook_of(root)
    data: dict[str, Any] = {"force_include": {}}
    hook.initialize("editable", data)
    hook.finalize("editable", data, "")
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    compiled = kernel_of(root) / "compiled"
    expected = ["__init__.py", f"counting{suffix}", loading.NOTE, f"steps{suffix}"]
    assert sorted(path.name for path in compiled.iterdir()) == sorted(expected)
    assert data["force_include"] == {}

    monkeypatch.setattr(hatch_build, "compile_kernel", refuse)  # those of before must not be left
    hook.initialize("editable", data)
    hook.finalize("editable", data, "")
    assert [path.name for path in compiled.iterdir()] == ["__init__.py"]


@pytest.mark.parametrize("edited", ["counting.py", "counting.pxd", "rows.py"])
def test_modules_of_other_sources_are_not_used(root: Path, tmp_path: Path, edited: str) -> None:
    kernel = kernel_of(root)
    assert not loading.is_stale(kernel)  # as in a wheel, where there is no note
    loading.is_stale.cache_clear()
    put_in_place(modules_in(tmp_path)(kernel, tmp_path), kernel)
    assert not loading.is_stale(kernel)
    loading.is_stale.cache_clear()
    with (kernel / edited).open("a") as file:
        file.write("# edited\n")
    with pytest.warns(RuntimeWarning, match=r"`pip install -e \.` again"):
        assert loading.is_stale(kernel)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert loading.is_stale(kernel)  # said once


def test_compiled_indeed(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = str(sysconfig.get_config_var("CC") or "").split()
    if not compiler or shutil.which(compiler[0]) is None:
        pytest.skip("there is no C compiler")
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        pytest.skip("there are no headers of Python")
    monkeypatch.setitem(sys.modules, "gristmill.kernel.rows", SimpleNamespace(NAMES=()))
    counting, steps, shared = compile_kernel(kernel_of(root), tmp_path / "work")
    import_from(shared, monkeypatch)  # by this name the others import what they share
    next_step = import_from(steps, monkeypatch).step
    module = import_from(counting, monkeypatch)
    assert module.count(b"<p><b>") == 3
    assert module.next_step is next_step
    assert not hasattr(module, "LESS")  # a constant of C


def import_from(path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import a compiled module for the time of a test."""
    name = f"gristmill.kernel.compiled.{path.name.split('.')[0]}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


def test_what_the_command_says(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: dict[str, bool] = {}

    def give(kernel: Path, folder: Path, **options: bool) -> list[Path]:
        asked.update(options)
        paths: list[Path] = modules_in(tmp_path)(kernel, folder)
        return paths

    monkeypatch.setattr(hatch_build, "compile_kernel", give)
    monkeypatch.setattr(hatch_build, "__file__", str(root / "hatch_build.py"))
    main(["--unchecked", "--sanitize"])
    assert asked == {"checked": False, "sanitized": True, "annotated": False}
    assert capsys.readouterr().out.startswith("2 modules are in ")
