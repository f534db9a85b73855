"""Dialects of vertical text: how each corpus manager reads what is written, and what it can't hold.

| | Sketch Engine (Manatee's `encodevert`) | IMS Open Corpus Workbench (`cwb-encode -x`) |
|---|---|---|
| columns | as they are; nothing is decoded | `&lt;` `&gt;` `&amp;` `&quot;` `&apos;` are decoded, once |
| values of structures | `\\"` and `\\\\` stand for `"` and `\\` | as in columns |
| a line is a tag | if it is one as a whole, up to its end | if it begins like one |
| spaces at the ends of a value | taken away | kept |
| characters | kept | composed (NFC) |
| the longest value | 32,767 bytes | 4,095 bytes, and 65,534 a line |
| can't be in a value | line end, NUL; in columns tab | the same |

Lines of tokens end with `lempos`, which is never empty and ends with a letter. So no token can be taken for a tag by
Manatee, and no empty column stands at the end of a line.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

import pyarrow as pa

from gristmill.corpus.attributes import COLUMNS, LEMPOS, LOWER_CASED, lower_cased
from gristmill.registry import Registry, part, parts_of

SKETCH_ENGINE = "sketchengine"
CWB = "cwb"

REPLACED = "replaced"
STRIPPED = "stripped"
CUT = "cut"
COMPOSED = "composed"
"""What happens to values that a manager can't hold: characters are replaced, spaces at their ends are taken away, they
are cut off, or their characters are composed."""

_NOT_IN_COLUMNS = re.compile(r"[\x00\n\t]")
_NOT_IN_VALUES = re.compile(r"[\x00\n]")
_UNPRINTABLE = "\N{REPLACEMENT CHARACTER}"
_MAX_BYTES_PER_CHARACTER = 4
_MAX_FIELD_BYTES = 9_000
"""Bytes of a column for `cwb-encode`, which takes no longer lines than 65,534 bytes."""
_CACHED_VALUES = 1 << 18
"""Values of columns that are kept in memory: some 30 MB."""
_CACHED_ATTRIBUTES = 1 << 12


class Written(NamedTuple):
    """A value as it is written, and what has happened to it: empty if the manager reads it as it was."""

    text: str
    change: str = ""


class Memory(dict[str, str]):
    """What a function gives for each value, which is computed once."""

    def __init__(self, function: Callable[[str], str]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, value: str) -> str:
        found = self[value] = self._function(value)
        return found


class Dialect(ABC):
    """Writes values for one corpus manager, and counts those that it can't hold."""

    name: str
    columns: tuple[str, ...]
    """The attributes of tokens that are written, one column each."""
    max_value_bytes: int
    max_line_bytes: int | None = None

    def __init__(self) -> None:
        """Begin to count."""
        self.changed: Counter[str] = Counter()
        """How many values the manager will not have as they are, by what happens to them."""
        self._known = Memory(self._text)
        self._lowered = Memory(lambda value: str(lower_cased(pa.array([value], pa.string()))[0].as_py()))
        self._known_changes: dict[str, str] = {}
        """What happens to the values in memory to which something does: mostly none."""
        self._cached_value = functools.lru_cache(_CACHED_ATTRIBUTES)(self._value)

    def fields(self, values: Sequence[str]) -> list[str]:
        """Write the values of a column."""
        if len(self._known) > _CACHED_VALUES:
            self._known.clear()
            self._known_changes.clear()
        written = list(map(self._known.__getitem__, values))
        if self._known_changes:
            self.changed.update(self._known_changes[value] for value in values if value in self._known_changes)
        return written

    def lowered(self, values: Sequence[str]) -> list[str]:
        """Put the values of a column into lower case."""
        if len(self._lowered) > _CACHED_VALUES:
            self._lowered.clear()
        return list(map(self._lowered.__getitem__, values))

    def _text(self, value: str) -> str:
        """Write a value of a column, and remember if something happens to it."""
        text, change = self._field(value)
        if change:
            self._known_changes[value] = change
        return text

    def opened(self, structure: str, attributes: Sequence[tuple[str, str]]) -> str:
        """Write an opening tag, in one line, with values in double quotes."""
        limit = self.max_value_bytes
        while True:
            written = [self._cached_value(value, limit) for _, value in attributes]
            inner = "".join(f' {name}="{text}"' for (name, _), (text, _) in zip(attributes, written, strict=True))
            tag = f"<{structure}{inner}>\n"
            if self.max_line_bytes is None or len(tag.encode()) <= self.max_line_bytes:
                self.changed.update(change for _, change in written if change)
                return tag
            limit //= 2

    @abstractmethod
    def _field(self, value: str) -> Written:
        """Write a value of a column."""

    @abstractmethod
    def _value(self, value: str, limit: int) -> Written:
        """Write the value of an attribute of a structure, of at most so many bytes."""


@part("corpus manager", "sketchengine")
class ForSketchEngine(Dialect):
    """Vertical text for Sketch Engine and NoSketch Engine."""

    name = SKETCH_ENGINE
    columns = (*COLUMNS, LEMPOS)
    max_value_bytes = 32_767

    def _field(self, value: str) -> Written:
        return _stripped(_held(value, _NOT_IN_COLUMNS, _UNPRINTABLE, self.max_value_bytes))

    def _value(self, value: str, limit: int) -> Written:
        text, change = _stripped(_held(value, _NOT_IN_VALUES, " ", limit))
        return Written(text.replace("\\", "\\\\").replace('"', '\\"'), change)


@part("corpus manager", "cwb")
class ForCwb(Dialect):
    """Vertical text for the IMS Open Corpus Workbench and CQPweb."""

    name = CWB
    columns = (*COLUMNS, *LOWER_CASED, LEMPOS)
    max_value_bytes = 4_095
    max_line_bytes = 65_534

    def _field(self, value: str) -> Written:
        text, change = _composed(value)
        limit = self.max_value_bytes
        if len(escape(text)) * _MAX_BYTES_PER_CHARACTER > _MAX_FIELD_BYTES:
            limit = _MAX_FIELD_BYTES // len("&amp;")  # so seven such columns are no longer than a line may be
        held = _held(text, _NOT_IN_COLUMNS, _UNPRINTABLE, limit)
        return Written(escape(held.text), held.change or change)

    def _value(self, value: str, limit: int) -> Written:
        text, change = _composed(value)
        held = _held(text, _NOT_IN_VALUES, " ", limit)
        return Written(escape(held.text, {'"': "&quot;"}), held.change or change)


DIALECTS: Registry[type[Dialect]] = parts_of("corpus manager")
"""All dialects, by the names of the corpus managers; the first is the default."""


def _held(value: str, unheld: re.Pattern[str], replacement: str, limit: int) -> Written:
    """Replace what no line can hold, and cut what is too long."""
    text = unheld.sub(replacement, value)
    change = REPLACED if text != value else ""
    if len(text) * _MAX_BYTES_PER_CHARACTER > limit:
        short = text.encode()[:limit].decode(errors="ignore")
        change = CUT if short != text else change
        text = short
    return Written(text, change)


def _stripped(written: Written) -> Written:
    text = written.text.strip(" ")
    return Written(text, written.change or STRIPPED) if text != written.text else written


def _composed(value: str) -> Written:
    """Compose characters as `cwb-encode` does, so that the file has what it will have."""
    if unicodedata.is_normalized("NFC", value):
        return Written(value)
    return Written(unicodedata.normalize("NFC", value), COMPOSED)
