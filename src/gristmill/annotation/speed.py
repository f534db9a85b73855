"""How fast taggers and the parser are on this machine, so that it can be said beforehand how long annotation takes.

What was measured is in the user's folder of settings. Before that, a speed is assumed for each kind of tagger and the
parser.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping

from gristmill.annotation.provided import tagger_name
from gristmill.annotation.spent import PARSER
from gristmill.consent import settings_folder
from gristmill.shards import write_atomically

FILE = "speeds.json"
_MIN_TOKENS = 5_000
"""Tokens of a tagger in one run from which on it is measured: fewer tell more of its start."""
_MAX_TOKENS = 20_000_000
"""Tokens that are remembered of a tagger: when there are more, older ones count for less."""
_ASSUMED = {"own": 180_000, "forms": 400_000, "simplemma": 200_000, "hanta": 50_000, "unidic": 60_000, PARSER: 180_000}
"""Tokens a second, of taggers with the tokeniser, on one core of a machine that nothing was measured on."""
_ASSUMED_OF_OTHERS = 10_000
"""The same of taggers that are models or programs of the user."""

_log = logging.getLogger(__name__)


def seconds_for(tokens: Mapping[str, float]) -> float:
    """Estimate how long one process needs for so many tokens of each tagger."""
    measured = _read()
    return sum(count / _speed(tagger_name(spec), measured) for spec, count in tokens.items())


def note_speeds(tokens: Mapping[str, int], seconds: Mapping[str, float]) -> None:
    """Write down how long taggers needed for so many tokens; where that can't be written, nobody needs it."""
    measured = _read()
    for spec, count in tokens.items():
        name, took = tagger_name(spec), seconds.get(spec, 0.0)
        if count >= _MIN_TOKENS and took > 0:
            before, before_took = measured.get(name, (0.0, 0.0))
            share = min(1.0, _MAX_TOKENS / max(before, 1))
            measured[name] = round(before * share + count), round(before_took * share + took, 3)
    folder = settings_folder()
    if folder is None or not measured:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / FILE, json.dumps(dict(sorted(measured.items()))).encode())
    except OSError as error:
        _log.debug("the speed of taggers is not written down: %s", error)


def _speed(name: str, measured: Mapping[str, tuple[float, float]]) -> float:
    """Tokens a second of a tagger: measured, or else assumed."""
    tokens, seconds = measured.get(name, (0.0, 0.0))
    return tokens / seconds if tokens > 0 and seconds > 0 else _ASSUMED.get(name, _ASSUMED_OF_OTHERS)


def _read() -> dict[str, tuple[float, float]]:
    """Read the tokens and seconds of each tagger that were measured; a file that is no such table is none."""
    folder = settings_folder()
    try:
        table = json.loads((folder / FILE).read_bytes()) if folder else {}
        return {str(name): (float(tokens), float(seconds)) for name, (tokens, seconds) in table.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
