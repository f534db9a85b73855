"""Dictionaries from forms to lemmas as files that are mapped into memory: those of simplemma, made ready once.

Looking a word up takes some hundred nanoseconds. Of a dictionary only those pages are in memory that were looked at,
and all processes share them. The files are in the user's folder for caches; where it can't be written to, each process
makes a dictionary ready for itself.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import version
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gristmill import locks
from gristmill.annotation.tagging.words import code_points, lowered
from gristmill.arrays.dtypes import Array
from gristmill.arrays.ragged import starts_of
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.errors import GristmillError
from gristmill.kernel import Lexicon, common_beginnings, hash_words

_FORMAT = 1
_ENTRIES_A_BUCKET = 4
_COMMON_SCRIPTS = 80
"""The scripts that make up paradigms; there is room for 128."""
_ENTRIES_AT_ONCE = 1 << 17
_CAPITAL = np.uint32(0x5BD1E995)
"""As in the kernel: what the first half of the hash of a word with a capital differs by."""
_DICTIONARIES = dict.fromkeys("bs hr sh sr".split(), "hbs") | {"no": "nb", "fil": "tl"}
"""Languages that have the dictionary of another."""
_MAX_LOADED = 64
_MAX_WAIT_SECONDS = 120
"""How long a process waits for another one that makes the same dictionary, before it makes it, too."""
_SOURCE_BYTES_A_SECOND = 200_000
"""Of a packed dictionary that are made ready in a second; Finnish takes three times as long."""
_TYPES: dict[str, type[np.generic]] = {
    "buckets": np.uint32,
    "checks": np.uint32,
    "scripts": np.int32,
    "paradigms": np.int32,
    "cuts": np.int32,
    "additions": np.uint32,
    "addition_starts": np.int32,
    "script_keys": np.uint32,
    "bits": np.uint32,
    "common": np.uint32,
}
"""The arrays of a dictionary, in the order in which the kernel takes them."""


class Dictionary:
    """Finds the lemmas of forms. `lexicon` is what the kernel reads."""

    def __init__(self, arrays: dict[str, Array]) -> None:
        _check(arrays)
        self._arrays = arrays
        self._scripts: dict[int, tuple[int, str]] = {}
        # Views of memory, from which the kernel reads plain numbers also if it is not compiled.
        self.lexicon = Lexicon(*(arrays[name].data for name in _TYPES))

    def __bool__(self) -> bool:
        """Tell whether there is a word in it."""
        return len(self._arrays["checks"]) > 0

    def lemma(self, entry: int, form: str) -> str:
        """Return the lemma of an entry, in lower case, given the form in lower case: the script of it is applied."""
        script = int(self._arrays["scripts"][entry])
        cut, added = self._scripts.get(script) or self._script(script)
        return form[: max(len(form) - cut, 0)] + added

    def _script(self, script: int) -> tuple[int, str]:
        """Read how many letters a script cuts from the end of a form, and which it adds."""
        starts = self._arrays["addition_starts"]
        added = self._arrays["additions"][int(starts[script]) : int(starts[script + 1])]
        found = int(self._arrays["cuts"][script]), added.tobytes().decode("utf-32-le", "replace")
        self._scripts[script] = found
        return found

    def find(self, form: str) -> str:
        """Return the lemma of a form, in lower case; empty if it is not there."""
        lower = lowered(form)
        firsts, seconds = hash_words(*code_points([lower]))
        for first in (int(firsts[0]), int(firsts[0] ^ _CAPITAL)):
            entry = self.lexicon.find(first, int(seconds[0]))
            if entry >= 0:
                return self.lemma(entry, lower)
        return ""


@lru_cache(_MAX_LOADED)
def dictionary_of(lang: str) -> Dictionary:
    """Return the dictionary of a language, mapped; an empty one if there is none.

    The first time on a machine it is made ready, which takes a second for each half million forms.
    """
    from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES  # noqa: PLC0415 (slow)

    name = _DICTIONARIES.get(lang, lang)
    if name not in SUPPORTED_LANGUAGES:
        return Dictionary(_arrays_of(()))
    path = _path_of(name)
    if path:
        with suppress(GristmillError, OSError):  # it is not there or damaged: made again below
            return Dictionary(load_arrays(path))
    with _alone(path):
        if path:
            with suppress(GristmillError, OSError):  # another process may have made it meanwhile
                return Dictionary(load_arrays(path))
        arrays = _arrays_of(_entries(name))
        if path:
            with suppress(GristmillError, OSError):  # it can't be written: then it is for this process alone
                save_arrays(path, arrays)
                return Dictionary(load_arrays(path))
        return Dictionary(arrays)


@contextmanager
def _alone(path: Path | None) -> Iterator[None]:
    """Wait as long as another process makes the same dictionary; where nothing can be locked, there is no waiting."""
    descriptor, end = None, time.monotonic() + _MAX_WAIT_SECONDS
    lock = path.with_name(f"{path.name}.lock") if path else None
    with suppress(OSError):
        if lock:
            lock.parent.mkdir(parents=True, exist_ok=True)
            while (descriptor := locks.claim(lock)) is None and time.monotonic() < end:
                time.sleep(0.05)
    try:
        yield
    finally:
        if lock and descriptor is not None:
            locks.remove(lock, descriptor)


def seconds_to_make(lang: str) -> float:
    """Estimate how long it takes to make the dictionary of a language ready; 0 if it is, or there is none."""
    from simplemma.strategies.dictionaries.dictionary_factory import DATA_FOLDER  # noqa: PLC0415 (slow)

    name = _DICTIONARIES.get(lang, lang)
    source, path = DATA_FOLDER / f"{name}.plzma", _path_of(name)
    if not source.is_file() or (path and path.exists()):
        return 0.0
    return source.stat().st_size / _SOURCE_BYTES_A_SECOND


def _path_of(name: str) -> Path | None:
    """Return the file of a dictionary that is made ready; None if there is no folder for it."""
    folder = cache_folder()
    return folder / "dictionaries" / f"{name}-{version('simplemma')}-{_FORMAT}.arrays" if folder else None


def cache_folder() -> Path | None:
    """Return the user's folder for what can be made again; None if there is no home to have one in."""
    if given := os.environ.get("GRISTMILL_CACHE"):
        return Path(given)
    if home := os.environ.get("GRISTMILL_HOME"):
        return Path(home) / "cache"
    base = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "gristmill"
    except RuntimeError:
        return None


def _entries(name: str) -> Iterator[tuple[str, str]]:
    """Yield the forms and lemmas of a dictionary of simplemma."""
    from simplemma.strategies.dictionaries import DefaultDictionaryFactory  # noqa: PLC0415 (slow)

    yield from DefaultDictionaryFactory(cache_max_size=1).get_dictionary(name).items()


@dataclass(slots=True)
class _Gathered:
    """What is known of the entries so far: their hashes, and the numbers of their scripts and lemmas."""

    scripts: dict[tuple[str, str], int] = field(default_factory=dict)
    lemmas: dict[str, int] = field(default_factory=dict)
    firsts: list[NDArray[np.uint32]] = field(default_factory=list)
    seconds: list[NDArray[np.uint32]] = field(default_factory=list)
    script_numbers: list[NDArray[np.int32]] = field(default_factory=list)
    lemma_numbers: list[NDArray[np.int32]] = field(default_factory=list)

    def add(self, entries: list[tuple[str, str]]) -> None:
        """Add some entries."""
        forms = [lowered(form) for form, _ in entries]
        lemmas = [lowered(lemma) for _, lemma in entries]
        codes = code_points(forms)
        firsts, seconds = hash_words(*codes)
        capital = np.array([form[:1].isupper() for form, _ in entries], bool)
        self.firsts.append(np.where(capital, firsts ^ _CAPITAL, firsts))
        self.seconds.append(seconds)
        shared = common_beginnings(*codes, *code_points(lemmas)).tolist()
        numbers = self.scripts
        pairs = [(form[at:], lemma[at:]) for form, lemma, at in zip(forms, lemmas, shared, strict=True)]
        self.script_numbers.append(np.array([numbers.setdefault(pair, len(numbers)) for pair in pairs], np.int32))
        known = self.lemmas
        self.lemma_numbers.append(np.array([known.setdefault(lemma, len(known)) for lemma in lemmas], np.int32))


def _arrays_of(entries: Iterable[tuple[str, str]]) -> dict[str, Array]:
    """Make the arrays of a dictionary: entries sorted by their hashes, in buckets of some entries each."""
    gathered, source = _Gathered(), iter(entries)
    while part := list(islice(source, _ENTRIES_AT_ONCE)):
        gathered.add(part)
    firsts, seconds = _joined(gathered.firsts, np.uint32), _joined(gathered.seconds, np.uint32)
    keys = firsts.astype(np.uint64) << np.uint64(32) | seconds
    _, order = np.unique(keys, return_index=True)  # of two entries with one key the first stays
    scripts = _joined(gathered.script_numbers, np.int32)
    script_keys, common, bits, paradigms = _paradigms(gathered, scripts, _joined(gathered.lemma_numbers, np.int32))
    additions, addition_starts = code_points([added for _, added in gathered.scripts])
    size = max(len(order) // _ENTRIES_A_BUCKET, 1).bit_length()
    bucket_of = firsts[order] >> np.uint32(32 - size)
    return {
        "buckets": starts_of(np.bincount(bucket_of, minlength=1 << size)).astype(np.uint32),
        "checks": seconds[order],
        "scripts": scripts[order],
        "paradigms": paradigms[order],
        "cuts": np.array([len(cut) for cut, _ in gathered.scripts], np.int32),
        "additions": np.asarray(additions),
        "addition_starts": np.asarray(addition_starts),
        "script_keys": script_keys,
        "bits": bits,
        "common": common,
    }


def _paradigms(
    gathered: _Gathered, scripts: NDArray[np.int32], lemmas: NDArray[np.int32]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32], NDArray[np.int32]]:
    """Find which of the most frequent scripts the forms of each lemma have.

    Returns a key for each script, the keys of the frequent ones, the bits of each paradigm (four numbers of 32), and
    the paradigm of each entry.
    """
    script_keys, _ = hash_words(*code_points([f"{cut}>{added}" for cut, added in gathered.scripts]))
    common = np.zeros(128, np.uint32)
    if not len(scripts):
        return script_keys, common, np.zeros(4, np.uint32), np.zeros(0, np.int32)
    counts = np.bincount(scripts, minlength=len(gathered.scripts))
    frequent = np.lexsort((script_keys, -counts))[:_COMMON_SCRIPTS]
    common[: len(frequent)] = script_keys[frequent]
    rank = np.full(len(gathered.scripts), -1, np.int64)
    rank[frequent] = np.arange(len(frequent))
    ranks = rank[scripts]
    bits = np.zeros((len(gathered.lemmas), 4), np.uint32)
    for number in range(len(frequent)):
        bits[lemmas[ranks == number], number >> 5] |= np.uint32(1 << (number & 31))
    packed = np.ascontiguousarray(bits).view("V16").ravel()
    _, first, paradigm = np.unique(packed, return_index=True, return_inverse=True)
    return script_keys, common, bits[first].ravel(), paradigm.astype(np.int32)[lemmas]


def _joined(parts: list[Array], dtype: type[np.generic]) -> Array:
    return np.concatenate(parts) if parts else np.zeros(0, dtype)


def _check(arrays: dict[str, Array]) -> None:
    """Raise if arrays don't make a dictionary: in a damaged file the kernel would look for what is not there."""
    try:
        if any(arrays[name].dtype != kind or arrays[name].ndim != 1 for name, kind in _TYPES.items()):
            raise GristmillError("a dictionary is damaged: its arrays have other types")
        buckets, scripts, paradigms = arrays["buckets"], arrays["scripts"], arrays["paradigms"]
        starts, cuts, bits = arrays["addition_starts"], arrays["cuts"], arrays["bits"]
        entries, known, size = len(arrays["checks"]), len(cuts), len(buckets) - 1
        fits = (
            len(scripts) == len(paradigms) == entries == int(buckets[-1])
            and len(starts) == known + 1 == len(arrays["script_keys"]) + 1
            and len(arrays["common"]) == 128
            and len(bits) % 4 == 0
            and size & (size - 1) == 0
            and int(starts[0]) == 0
            and int(starts[-1]) == len(arrays["additions"])
            and not (buckets[1:] < buckets[:-1]).any()
            and not (starts[1:] < starts[:-1]).any()
            and not (cuts < 0).any()
            and (not entries or (_within(scripts, known) and _within(paradigms, len(bits) // 4)))
        )
    except (KeyError, IndexError, TypeError) as error:
        raise GristmillError(f"a dictionary is damaged: {error}") from error
    if not fits:
        raise GristmillError("a dictionary is damaged: its arrays don't fit together")


def _within(numbers: Array, size: int) -> bool:
    return bool(numbers.min() >= 0 and numbers.max() < size)
