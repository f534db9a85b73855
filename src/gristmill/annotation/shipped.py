"""The models that come with gristmill, of one kind: which language has one, and where its file is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "models"
_OF_OTHERS = {"no": "nb", "bs": "hr", "sh": "hr", "hbs": "hr"}
"""Languages that have the models of another."""


@dataclass(frozen=True, slots=True)
class Shipped:
    """The models whose files end alike, such as `.tagger`."""

    ending: str

    def model_of(self, lang: str) -> Path | None:
        """Return the file of a language's model; None if there is none."""
        if not lang.isalpha():
            return None
        path = FOLDER / f"{_OF_OTHERS.get(lang, lang)}{self.ending}"
        return path if path.is_file() else None

    def languages(self) -> list[str]:
        """List the languages that have a model of their own."""
        return sorted(path.stem for path in FOLDER.glob(f"*{self.ending}"))
