"""Compile the kernel, `src/gristmill/kernel/`, when the package is built; and, as a command, for working on it.

    src/gristmill/kernel/tokens.py, tokens.pxd  ->  gristmill/kernel/compiled/tokens.cpython-313-x86_64-linux-gnu.so

Where that cannot be done (no C compiler, no headers of Python), the package is built without: all of it works, slower.
The environment variable `GRISTMILL_BUILD_KERNEL` chooses: 0 never compiles, 1 fails where it can't. An editable install
puts the compiled modules into the source tree, as does `python hatch_build.py`; see CONTRIBUTING.md.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import multiprocessing
import os
import re
import runpy
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SETTING = "GRISTMILL_BUILD_KERNEL"
KERNEL = Path("src", "gristmill", "kernel")
PACKAGE = "gristmill.kernel"
COMPILED = f"{PACKAGE}.compiled"
SHARED = f"{COMPILED}.shared"
"""What Cython would write into each module that has memoryviews, some 20,000 lines of C: compiled once, for all."""

DIRECTIVES = {
    "language_level": 3,
    "annotation_typing": False,  # types are those of the .pxd files, not the annotations for mypy
    "boundscheck": True,  # pages are hostile: what is read outside a page must be an error, not somebody's memory
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "emit_code_comments": False,
}
OPTIMIZED = ["-O3", "-g0"]
"""Flags of gcc and clang; Microsoft's compiler does well by itself. Nothing that ties a wheel to one processor."""
SANITIZED = ["-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]


class KernelHook(BuildHookInterface[Any]):
    """The hook that hatchling calls when it makes a wheel, or the stand-in for one of an editable install."""

    PLUGIN_NAME = "custom"
    _folder: tempfile.TemporaryDirectory[str] | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the kernel and add the modules to the wheel, which then is one for this platform."""
        kernel = Path(self.root) / KERNEL
        if version == "editable":
            remove_in_place(kernel)
        self._folder = tempfile.TemporaryDirectory()
        modules = attempt(kernel, Path(self._folder.name), self.app.display_warning)
        if not modules:
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        if version == "editable":
            put_in_place(modules, kernel)
        else:
            places = {str(module): f"{COMPILED.replace('.', '/')}/{module.name}" for module in modules}
            build_data["force_include"].update(places)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the folder of the build, the wheel being written."""
        del version, build_data, artifact_path
        if self._folder is not None:
            self._folder.cleanup()


def attempt(kernel: Path, folder: Path, warn: Callable[[str], None]) -> list[Path]:
    """Compile the kernel if that is wanted and can be done; otherwise say why not, and return nothing."""
    wish = os.environ.get(SETTING, "")
    if wish not in {"", "0", "1"}:
        raise ValueError(f"{SETTING} is 0 (never), 1 (must) or not set, not {wish!r}")
    reason = f"{SETTING} is 0"
    if wish != "0":
        try:
            return compile_kernel(kernel, folder)
        except Exception as error:  # whatever it is that fails in compilers, the package works without them
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            if wish == "1":
                raise RuntimeError(f"{SETTING} is 1, but the kernel cannot be compiled: {reason}") from error
    warn(f"gristmill is installed without the compiled kernel: {reason}. Everything works, slower.")
    return []


def compile_kernel(
    kernel: Path, folder: Path, *, checked: bool = True, sanitized: bool = False, annotated: bool = False
) -> list[Path]:
    """Compile the modules of the kernel in a folder for it, and return the files of the compiled ones."""
    names = module_names(kernel)
    if not names:
        return []
    if sys.implementation.name != "cpython":
        raise RuntimeError(f"it is for CPython, not {sys.implementation.name}")
    if os.environ.get("CC", "cc").strip() == "":
        raise RuntimeError("the environment variable CC is empty")
    from Cython.Build import cythonize  # noqa: PLC0415 -- may be missing
    from setuptools import Distribution, Extension  # noqa: PLC0415 -- first, as it brings distutils

    stage(kernel, folder)
    with contextlib.chdir(folder):  # paths in compiled code are relative ones: the same on all machines
        extensions = [Extension(f"{COMPILED}.{name}", [str(_path(COMPILED, f"{name}.py"))]) for name in names]
        extensions.append(Extension(SHARED, [f"{_path(SHARED)}.c"]))
        extensions = cythonize(
            extensions,
            nthreads=_processes(),
            compiler_directives={**DIRECTIVES, "boundscheck": checked},
            annotate=annotated,
            shared_utility_qualified_name=SHARED,
        )
        command = _build_command(Distribution({"name": "kernel", "ext_modules": extensions}), sanitized)
        command.run()
        return [Path(folder, command.get_ext_fullpath(extension.name)) for extension in extensions]


def _processes() -> int:
    """In how many processes Cython runs: 0 is in this one, where others would have to import the build's program."""
    return (os.cpu_count() or 1) if multiprocessing.get_start_method() == "fork" else 0


def _build_command(distribution: Any, sanitized: bool) -> Any:
    """The command of setuptools that calls the compiler, with flags for the compiler that it finds."""
    from setuptools.command.build_ext import build_ext  # noqa: PLC0415 -- may be missing

    class Build(build_ext):  # type: ignore[misc, unused-ignore]
        def build_extensions(self) -> None:
            if self.compiler.compiler_type != "msvc":
                for extension in self.extensions:
                    extension.extra_compile_args = SANITIZED if sanitized else OPTIMIZED
                    extension.extra_link_args = SANITIZED if sanitized else []
            super().build_extensions()

    command = Build(distribution)
    command.build_lib, command.build_temp, command.parallel = "lib", "temp", os.cpu_count()
    command.ensure_finalized()
    return command


def module_names(kernel: Path) -> list[str]:
    """The modules that are compiled: those with a file of declarations beside them."""
    return sorted(path.stem for path in kernel.glob("*.pxd"))


def stage(kernel: Path, folder: Path) -> None:
    """Write the sources as Cython gets them. What has not changed is not written, so that it isn't compiled again."""
    target = folder / _path(COMPILED)
    target.mkdir(parents=True, exist_ok=True)
    for package in (target, *target.relative_to(folder).parents):
        (folder / package / "__init__.py").touch()
    names = module_names(kernel)
    for name in names:
        for suffix, text in zip((".py", ".pxd"), staged(kernel, name, names), strict=True):
            place = target / f"{name}{suffix}"
            if not place.exists() or place.read_text("utf-8") != text:
                place.write_text(text, "utf-8")


def staged(kernel: Path, name: str, names: list[str]) -> tuple[str, str]:
    """The source and the declarations of a module as a module of `compiled`, with C constants and C calls.

    - An int from a file of the kernel without declarations, such as `rows.py`, becomes a constant in C: it is declared
      in an `enum`, and not imported. So does an int that is set at the top level (`LESS = ord("<")`).
    - What comes from another compiled module is imported from the compiled one, or only `cimport`ed if it is that, too.
    - What comes from `math` is not imported if it is `cimport`ed from `libc.math`: a call of it is one in C then.
    """
    lines = (kernel / f"{name}.py").read_text("utf-8").split("\n")
    declarations = (kernel / f"{name}.pxd").read_text("utf-8")
    cimports = re.compile(rf"^from {PACKAGE}\.(\w+) cimport (.+)$", re.MULTILINE)
    cimported = {alias.split()[-1] for _, aliases in cimports.findall(declarations) for alias in aliases.split(",")}
    in_c = {
        name
        for names in re.findall(r"^from libc\.math cimport (.+)$", declarations, re.MULTILINE)
        for name in names.split(", ")
    }
    constants: dict[str, int] = {}
    for statement in ast.parse("\n".join(lines)).body:
        if isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith(f"{PACKAGE}."):
            replacement, found = _staged_import(statement, kernel, names, cimported)
        elif isinstance(statement, ast.ImportFrom) and in_c and {alias.name for alias in statement.names} == in_c:
            replacement, found = "", {}
        elif found := dict(_assigned_constant(statement)):
            replacement = ""
        else:
            continue
        constants |= found
        end = statement.end_lineno or statement.lineno
        lines[statement.lineno - 1 : end] = [replacement, *[""] * (end - statement.lineno)]  # line numbers stay
    declarations = cimports.sub(rf"from {COMPILED}.\1 cimport \2", declarations)
    if constants:
        declarations += "\ncdef enum:\n" + "".join(f"    {key} = {value}\n" for key, value in constants.items())
    return "\n".join(lines), declarations


def _staged_import(
    statement: ast.ImportFrom, kernel: Path, names: list[str], cimported: set[str]
) -> tuple[str, dict[str, int]]:
    """What is left of an import from a file of the kernel, and the constants that it brings."""
    source = (statement.module or "").removeprefix(f"{PACKAGE}.")
    values = {} if source in names else runpy.run_path(str(kernel / f"{source}.py"))
    local = {alias.asname or alias.name: alias.name for alias in statement.names}
    constants = {name: values[there] for name, there in local.items() if _is_constant(values.get(there))}
    kept = [f"{there} as {name}" for name, there in local.items() if name not in constants and name not in cimported]
    package = COMPILED if source in names else PACKAGE
    return f"from {package}.{source} import {', '.join(kept)}" if kept else "", constants


def _assigned_constant(statement: ast.stmt) -> Iterator[tuple[str, int]]:
    """The name and the value, if a statement says `NAME = 1` or `NAME = ord("a")`."""
    match statement:
        case ast.Assign([ast.Name(name)], ast.Call(ast.Name("ord"), [ast.Constant(str() as character)])):
            yield name, ord(character)
        case ast.Assign([ast.Name(name)], value):
            with contextlib.suppress(ValueError):
                if _is_constant(found := ast.literal_eval(value)):
                    yield name, found


def _is_constant(value: object) -> bool:
    """Whether a value is one of an `enum` in C."""
    return type(value) is int and -(2**31) <= value < 2**31


def remove_in_place(kernel: Path) -> None:
    """Remove the modules in the source tree that are for this Python."""
    for path in (kernel / "compiled").glob(f"*{_suffix()}*"):
        path.unlink()


def put_in_place(modules: list[Path], kernel: Path) -> None:
    """Put compiled modules into the source tree, with a note of the sources that they are made of."""
    loading = runpy.run_path(str(kernel / "loading.py"))
    note = kernel / "compiled" / loading["NOTE"]
    note.write_text("being made")  # no source is this, if what follows is interrupted
    for module in modules:
        new = note.with_name(f"{module.name}.new")
        shutil.copyfile(module, new)
        new.replace(note.with_name(module.name))  # at once: a process may be running with the old one
    note.write_text(loading["checksum_of_sources"](kernel))


def _suffix() -> str:
    """How the file names of compiled modules end with this Python."""
    return str(sysconfig.get_config_var("EXT_SUFFIX"))


def _path(package: str, *names: str) -> Path:
    return Path(*package.split("."), *names)


def main(arguments: list[str] | None = None) -> None:
    """Compile the kernel into the source tree, again only what has changed."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--unchecked", action="store_true", help="without bounds checks, to see what they cost")
    parser.add_argument("--sanitize", action="store_true", help="with the sanitizers of gcc or clang, for fuzzing")
    parser.add_argument("--annotate", action="store_true", help="write HTML that shows which lines still need Python")
    chosen = parser.parse_args(arguments)
    root = Path(__file__).parent
    kind = "-".join(["kernel", *(name for name in ("unchecked", "sanitize") if getattr(chosen, name))])
    folder = root / ".build" / kind  # no `build`: ruff would take the module of that name for our own
    modules = compile_kernel(
        root / KERNEL, folder, checked=not chosen.unchecked, sanitized=chosen.sanitize, annotated=chosen.annotate
    )
    put_in_place(modules, root / KERNEL)
    print(f"{len(modules)} modules are in {root / KERNEL / 'compiled'}; the C code is in {folder}")
    if chosen.sanitize:
        print("Run with LD_PRELOAD=$(gcc -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc")


if __name__ == "__main__":
    main()
