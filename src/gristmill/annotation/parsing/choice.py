"""Which parser a language gets: the one that comes with gristmill, a file that the user names, or none.

A user chooses `de=de.parser`, a file for a language, `none` for no parser at all, `de=none`, or `en=default`, which is
the one that comes with gristmill. Among the choices of taggers, with which they go through all of annotation, these are
written `de=parser:de.parser` and `parser:none`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from gristmill.annotation.parsing.shipped import SUFFIX, languages, model_of
from gristmill.config import AnnotateConfig
from gristmill.errors import UsageError
from gristmill.language.codes import check_code

if TYPE_CHECKING:
    from gristmill.annotation.parsing.parser import Parser

NONE = "none"
DEFAULT = "default"
_PREFIX = "parser:"
_MAX_LOADED = 8  # in memory at a time in a process


def as_choice(chosen: str) -> str:
    """Return what a user chose as it stands among the choices of taggers."""
    before, equals, after = chosen.partition("=")
    lang, file = (before.strip().lower(), after.strip()) if equals else ("", chosen.strip())
    if not file or (not lang and file not in {NONE, DEFAULT}) or (lang and not lang.replace("-", "").isalnum()):
        raise UsageError(
            f"{chosen!r} names no parser; write de=de{SUFFIX}, de={NONE} or en={DEFAULT} for a language, "
            f"{NONE} or {DEFAULT} for all"
        )
    return f"{lang}={_PREFIX}{file}" if lang else _PREFIX + file


def choices_of(config: AnnotateConfig) -> tuple[str, ...]:
    """Return the choices of taggers and parsers of settings together, as annotation takes them."""
    return (*config.taggers, *map(as_choice, without_default(config.parsers)))


def without_default(chosen: Iterable[str]) -> tuple[str, ...]:
    """Return the last of what a user chose for each language and for all, but not `default` for all.

    So a corpus for which just that was chosen is annotated as one for which nothing was.
    """
    last = dict(split(as_choice(one)) for one in chosen)
    return tuple(f"{lang}={file}" if lang else file for lang, file in last.items() if lang or file != DEFAULT)


def with_parsers_of(taggers: Sequence[str], choices: Iterable[str]) -> list[str]:
    """Return choices of taggers together with the parsers of other choices, unless they name parsers themselves."""
    parsers = [] if any(map(is_parser, taggers)) else list(filter(is_parser, choices))
    return [*taggers, *parsers]


def check(choice: str) -> None:
    """Raise `UsageError` if the choice of a parser is wrong or its model can't be loaded."""
    lang, file = split(choice)
    if lang:
        check_code(lang)
    if lang and file == DEFAULT and model_of(lang.partition("-")[0]) is None:
        raise UsageError(f"no parser of {lang!r} comes with gristmill; there are {', '.join(languages())}")
    if file_of(choice):
        load(file)


def with_whole_file(chosen: str) -> str:
    """Return what a user chose with an absolute path, so that it means the same in another working directory."""
    lang, file = split(with_whole_path(as_choice(chosen)))
    return f"{lang}={file}" if lang else file


def is_parser(choice: str) -> bool:
    """Tell whether a choice is one of a parser, and not of a tagger."""
    return choice.startswith(_PREFIX) or choice.partition("=")[2].startswith(_PREFIX)


def of_taggers(choices: Iterable[str]) -> list[str]:
    """Return the choices of taggers among all choices."""
    return [choice for choice in choices if not is_parser(choice)]


def split(choice: str) -> tuple[str, str]:
    """Split the choice of a parser into its language, which is empty if it is for all, and its file or `none`."""
    lang, _, file = choice.partition(_PREFIX)
    return lang.removesuffix("="), file


def file_of(choice: str) -> str:
    """Return the file that the choice of a parser names; empty if it names none."""
    file = split(choice)[1]
    return "" if file in {NONE, DEFAULT} else file


def with_whole_path(choice: str) -> str:
    """Return the choice of a parser with an absolute path."""
    lang, file = split(choice)
    is_whole = not file_of(choice) or Path(file).is_absolute()
    return choice if is_whole else f"{lang}={_PREFIX}{Path(file).absolute()}"


def path_for(lang: str, choices: Sequence[str] = ()) -> Path | None:
    """Return the model that a language is parsed by, by these choices; None if it is not parsed."""
    chosen = dict(split(choice) for choice in choices if is_parser(choice))
    code = lang.lower().replace("_", "-")
    short = code.partition("-")[0]
    file = next((chosen[key] for key in (code, short, "") if key in chosen), "")
    if file in {"", DEFAULT}:
        return model_of(short)
    return None if file == NONE else Path(file)


def parser_for(lang: str, choices: Sequence[str] = ()) -> Parser | None:
    """Load the parser of a language, once per process; None if it is not parsed."""
    path = path_for(lang, choices)
    return None if path is None else load(str(path))


@lru_cache(maxsize=_MAX_LOADED)
def load(path: str) -> Parser:
    """Load a parser; raises `UsageError` if the file is no model of one."""
    from gristmill.annotation.parsing.model import Model  # noqa: PLC0415 (many texts are not parsed)
    from gristmill.annotation.parsing.parser import Parser  # noqa: PLC0415 (as above)

    return Parser(Model.read(path))
