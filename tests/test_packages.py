"""The names of packages: none hides a module of the same name, whatever was imported before."""

import importlib
import pkgutil
from types import ModuleType

import pytest

import gristmill
from gristmill.config import DEFAULT_IDENTIFIER

PACKAGES = [
    "gristmill",
    *(found.name for found in pkgutil.walk_packages(gristmill.__path__, "gristmill.") if found.ispkg),
]


@pytest.mark.parametrize("package", PACKAGES)
def test_a_module_is_what_its_name_says(package: str) -> None:
    module = importlib.import_module(package)
    for found in pkgutil.iter_modules(module.__path__):
        if found.name == "__main__" or (found.name == "cld2" and DEFAULT_IDENTIFIER != "cld2"):  # not installed
            continue
        importlib.import_module(f"{package}.{found.name}")
        assert isinstance(getattr(module, found.name), ModuleType), f"{package}.{found.name}"


def test_public_names_are_found_after_all_modules_are_imported() -> None:
    for name in gristmill.__all__:
        assert not isinstance(getattr(gristmill, name), ModuleType), name
    with pytest.raises(AttributeError, match="has no attribute 'grind'"):
        _ = gristmill.grind
    assert set(gristmill.__all__) <= set(dir(gristmill))
