"""The models of the parser that come with gristmill: which language has one, and where its file is."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parents[1] / "models"
SUFFIX = ".parser"
_OF_OTHERS = {"no": "nb", "bs": "hr", "sh": "hr", "hbs": "hr"}
"""Languages that have the model of another, as they have its tagger."""


def model_of(lang: str) -> Path | None:
    """Return the file of a language's model; None if there is none."""
    if not lang.isalpha():
        return None
    path = FOLDER / f"{_OF_OTHERS.get(lang, lang)}{SUFFIX}"
    return path if path.is_file() else None


def languages() -> list[str]:
    """List the languages that have a model of their own."""
    return sorted(path.stem for path in FOLDER.glob(f"*{SUFFIX}"))
