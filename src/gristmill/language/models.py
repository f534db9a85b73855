"""Models: the language identifier, the stop lists and the encoding detector, with what a user's folder adds.

A folder has files that `gristmill train` makes; `--models FOLDER` uses them. Stages get everything that depends on
languages from one `Models` object.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gristmill.arguments import wrong_type
from gristmill.config import LanguageConfig
from gristmill.decoding.detector import Detector, default_detector
from gristmill.decoding.model import SUFFIX as ENCODING_SUFFIX
from gristmill.decoding.model import Model, shipped
from gristmill.errors import UsageError
from gristmill.language import cld2
from gristmill.language.identified import Identified
from gristmill.language.identifier import IDENTIFIERS, Identifier
from gristmill.language.plain import Plain, plain
from gristmill.language.profile import SUFFIX, Profile
from gristmill.language.stoplist import stop_list, with_capitals

STOP_LIST_SUFFIX = ".stoplist.txt"
_SUFFIXES = (SUFFIX, ENCODING_SUFFIX, STOP_LIST_SUFFIX)
DEFAULT_IDENTIFIER = LanguageConfig().identifier


def _default_identifier() -> Identifier:
    return IDENTIFIERS[DEFAULT_IDENTIFIER](())


@dataclass(frozen=True)
class Models:
    """An identifier, stop lists and models of encodings; without arguments those that are shipped."""

    identifier: Identifier = field(default_factory=_default_identifier)
    folder: Path | None = None

    @classmethod
    def load(cls, folder: str = "", identifier: str = DEFAULT_IDENTIFIER) -> Models:
        """Load the shipped models and those in a folder: languages, stop lists and encodings; once in a process."""
        return _load(str(Path(folder).absolute()) if folder else "", identifier)

    def identify(self, text: str) -> Identified:
        """Identify the language of one text."""
        return self.identifier.identify_all([text])[0]

    def identify_all(self, texts: Sequence[str], *, guess: bool = True) -> list[Identified]:
        """Identify the language of each text; without `guess` it is `und` where the identifier is not sure."""
        return self.identifier.identify_all(texts, guess=guess)

    def plain(self, lang: str) -> Plain | None:
        """Return what tells texts that are plainly in a language, so that the identifier need not be asked for them.

        There is such a thing for CLD2 alone, and for some languages: a user's own might be taken for one of them.
        """
        return plain(lang) if isinstance(self.identifier, cld2.Cld2) else None

    @property
    def detector(self) -> Detector:
        """The encoding detector, with the models in the folder, if there are any; made when a page first needs it."""
        return _detector(self.folder)

    def check(self) -> None:
        """Raise if something in the folder can't be read, before it would be needed in the middle of a build."""
        for file in self.folder.glob(f"*{STOP_LIST_SUFFIX}") if self.folder else ():
            self.stop_list(file.name.removesuffix(STOP_LIST_SUFFIX))
        if self.folder and any(self.folder.glob(f"*{ENCODING_SUFFIX}")):
            self.detector  # noqa: B018 (reading it tells)

    def stop_list(self, lang: str, number: int = 0) -> frozenset[str]:
        """The stop words of a language, each also with a capital: those in the folder, or else the shipped ones.

        With a number, so many of the most frequent words; of a list in the folder, as many of its first ones.
        """
        return _stop_list(self.folder, lang, number)


def forget_models() -> None:
    """Clear the caches, so that folders of models are read again."""
    for cached in (_load, _detector, _stop_list):
        cached.cache_clear()


@functools.cache
def _load(folder: str, identifier: str) -> Models:
    path = Path(folder) if folder else None
    if path and path.is_file():
        raise UsageError(
            f"{folder!r} is a file, and models of languages are in a folder: the model of a cleaning method is given "
            "with --model FILE"
        )
    if path and not path.is_dir():
        raise UsageError(f"there is no folder {folder!r} of models; `gristmill train language` makes one")
    if path:
        _check_folder(path)
    profiles = [Profile.load(file) for file in sorted(path.glob(f"*{SUFFIX}"))] if path else []
    models = Models(IDENTIFIERS[identifier](profiles), path)
    if not models.identifier.languages:
        raise UsageError(
            f"{identifier} knows only languages that were trained: give a folder of models with *{SUFFIX} files"
        )
    return models


def _check_folder(path: Path) -> None:
    """Raise if the folder has no models, or if the name of a file does not begin with the code of a language."""
    from gristmill.language.codes import check_code  # noqa: PLC0415 (it imports this module)

    found = [(file, suffix) for suffix in _SUFFIXES for file in sorted(path.glob(f"*{suffix}"))]
    if not found:
        others = ", ".join(other_files(path)[:5])
        raise UsageError(
            f"there are no models of languages in {str(path)!r}: it may hold "
            f"{', '.join(f'CODE{suffix}' for suffix in _SUFFIXES)}"
            + (f", but holds {others}; the model of a cleaning method is given with --model FILE" if others else "")
        )
    for file, suffix in found:
        try:
            check_code(file.name.removesuffix(suffix))
        except UsageError as error:
            raise UsageError(f"{file}: {error}") from error


def other_files(folder: str | Path) -> list[str]:
    """List the files in a folder of models that are no models of languages, so that nobody thinks they are used."""
    path = Path(folder)
    files = sorted(file.name for file in path.iterdir() if file.is_file()) if path.is_dir() else []
    return [name for name in files if not name.endswith(_SUFFIXES)]


@functools.cache
def _detector(folder: Path | None) -> Detector:
    own = [Model.load(file) for file in sorted(folder.glob(f"*{ENCODING_SUFFIX}"))] if folder else []
    return Detector(Model.join([shipped(), *own])) if own else default_detector()


@functools.cache
def _stop_list(folder: Path | None, lang: str, number: int) -> frozenset[str]:
    path = folder / f"{lang}{STOP_LIST_SUFFIX}" if folder else None
    if path is None or not path.is_file():
        return stop_list(lang, number)
    try:
        return with_capitals(path.read_text("utf-8").split()[: number or None])
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8") from error


def identify(text: str) -> Identified:
    """Identify the language that most of the text is in, with a confidence: below 0.5 it is a guess."""
    if not isinstance(text, str):
        how = (
            " (decode it first: gristmill.decode(data).text)"
            if isinstance(text, bytes | bytearray | memoryview)
            else ""
        )
        raise wrong_type("text", f"text{how}", text)
    return Models.load().identify(text)


def identify_all(texts: Sequence[str]) -> list[Identified]:
    """Identify the language that most of each text is in, with a confidence: below 0.5 it is a guess."""
    return Models.load().identify_all(texts)
