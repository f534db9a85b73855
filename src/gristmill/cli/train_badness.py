"""`gristmill train badness`: learn the profile of a language for the filter `badness` from good texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gristmill.cli.console import note
from gristmill.errors import UsageError


def train_badness(places: Sequence[Path], lang: str, output: Path) -> None:
    """Learn a profile from the texts in some places, and write it to a file."""
    from gristmill.filter.badness_profile import train_profile
    from gristmill.filter.texts import read_texts
    from gristmill.language.codes import check_code
    from gristmill.shards import write_atomically

    lang = lang.strip().lower()
    if not places or not lang:
        raise UsageError("badness is learned from good texts of a language: train badness GOOD --lang xx -o xx.prof")
    check_code(lang)
    path = output / f"{lang}.prof" if output.is_dir() else output
    profile = train_profile([text for place in places for text in read_texts(str(place))], lang)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, profile.to_text().encode())
    note(f"{', '.join(one.word for one in profile.words)}: written to {path}")
    note(f"use it with --filter badness:file={path},lang={lang}")
