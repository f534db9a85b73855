"""Taggers of the family of TreeTagger: a program in the folder `bin`, with parameter files in `lib` beside it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from gristmill.consent import Named
from gristmill.errors import UsageError


@dataclass(frozen=True, slots=True)
class Installation:
    """The installation of such a tagger, as the user names it."""

    path: str = ""
    """Its folder, which has `bin` and `lib`; if it is not given, the program has to be on the path."""
    model: str = ""
    """The parameter file, by its path or its name in `lib`; by default the one of the language."""

    kind: ClassVar[str]
    """The name of the tagger in messages, such as TreeTagger."""
    file: ClassVar[str]
    """The program."""
    parameters: ClassVar[Mapping[str, str]]
    """The parameter files of languages, without their suffix."""

    def serves(self, lang: str) -> bool:
        """Tell whether there is a parameter file for a language; one that is named serves any."""
        return bool(self.model) or (
            lang in self.parameters and (self._program() is None or self._parameters(lang) is not None)
        )

    def found(self, lang: str) -> tuple[str, str]:
        """Find the program and the parameter file of a language; raises `UsageError` if one is missing."""
        program, parameters, name = self._program(), self._parameters(lang), self.kind.lower()
        how = (
            f"it and a parameter file from https://www.cis.lmu.de/~schmid/tools/{self.kind}/, "
            f"named as {name}:path=FOLDER,model=FILE"
        )
        if program is None:
            where = f"no bin/{self.file} in {self.path}" if self.path else f"no {self.file} on the path"
            raise UsageError(f"the tagger {name} is not installed ({where}); get {how}")
        if parameters is None:
            raise UsageError(f"there is no parameter file {self._name(lang)} of {self.kind}; get {how}")
        return program, str(parameters)

    def names(self) -> list[Named]:
        """List the program, and the parameter file if it is given; that of a language belongs to the program."""
        program = self._program() or (Path(self.path, "bin", self.file) if self.path else None)
        named = [Named.at("program", program) if program else Named("program", self.file)]
        return [*named, Named.at("model", self._parameters("") or self.model)] if self.model else named

    def paths(self) -> dict[str, str]:
        """Return its folder, and the parameter file if it is not in there."""
        paths = {"path": self.path, "model": self.model if Path(self.model).is_file() else ""}
        return {name: path for name, path in paths.items() if path}

    def _program(self) -> str | None:
        return shutil.which(str(Path(self.path, "bin", self.file)) if self.path else self.file)

    def _name(self, lang: str) -> str:
        return self.model or f"{self.parameters.get(lang, lang)}.par"

    def _parameters(self, lang: str) -> Path | None:
        name, program = self._name(lang), self._program()
        places = [Path(name), *([Path(program).parents[1] / "lib" / name] if program else [])]
        return next((path for path in places if path.is_file()), None)
