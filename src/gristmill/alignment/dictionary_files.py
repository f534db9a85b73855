"""Read dictionaries that are given as files.

- TSV: a source word, a target word, and a probability if there is one, with tabs between them.
- dictd, as Debian's packages `dict-freedict-*` have it: `freedict-eng-deu.index` says where in
  `freedict-eng-deu.dict.dz` the entry of each headword is, in numbers of base 64.
- Parquet, as `Dictionary.write` writes it.

Only single words are taken, as texts are compared word by word.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from gristmill.alignment.dictionary import Dictionary
from gristmill.alignment.vocabulary import fold
from gristmill.errors import UsageError

GIVEN_PROBABILITY = 0.6
"""Of a translation that is the only one of its word."""
LEAST_PROBABILITY = 0.1
"""Of one among many."""
MAX_BYTES = 1 << 30
"""Bytes of an unpacked dictionary that are read."""
_DIGITS = {
    character: value
    for value, character in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
}
_REMARKS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]|\([^()]*\)|\{[^{}]*\}")
_SENSE = re.compile(r"\d+\.\s+(?=\S)")
_ENDING_NUMBER = re.compile(r"\s\d+\.$")
_PARTICLES = ("to ", "sich ", "se ", "der ", "die ", "das ", "le ", "la ", "les ")
_ABOUT = "00-database", "00database"


def read_dictionary(path: Path) -> Dictionary:
    """Read a dictionary: its kind is told by its name, `.tsv`, `.index`, `.dict.dz`, `.dict` or `.parquet`."""
    try:
        if path.name.endswith((".index", ".dict.dz", ".dict")):
            made = _of_words(_dictd_entries(path))
        elif path.suffix == ".parquet":
            made = Dictionary.read(path)
        else:
            made = _read_tsv(path)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"can't read the dictionary {path}: {reason}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"the dictionary {path} is not UTF-8 (byte {error.start:,})") from error
    if not len(made):
        raise UsageError(f"the dictionary {path} has no pairs of single words")
    return made


def _read_tsv(path: Path) -> Dictionary:
    """Read lines of a source word, a target word, and perhaps a probability."""
    weighted: list[tuple[str, str, float, float]] = []
    plain: list[tuple[str, str]] = []
    with path.open(encoding="utf-8-sig", newline="\n") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            fields = [field.strip() for field in line.rstrip("\r\n").split("\t")]
            if len(fields) < 2 or not fields[0] or not fields[1]:
                raise UsageError(
                    f"{path}, line {number}: a line is a source word, a tab, a target word, and perhaps a tab and a "
                    f"probability"
                )
            if len(fields) == 2 or not fields[2]:
                plain.append((fields[0], fields[1]))
            else:
                probability = _probability(fields[2], path, number)
                weighted.append((fields[0], fields[1], probability, probability))
    return Dictionary.joined(Dictionary.of(weighted), _of_words(iter(plain)))


def _probability(text: str, path: Path, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise UsageError(f"{path}, line {line}: a probability is a number from 0 to 1, not {text!r}")
    return value


def _of_words(pairs: Iterator[tuple[str, str]]) -> Dictionary:
    """Make a dictionary of pairs of words without probabilities: the more translations, the less likely is each."""
    known = sorted({(fold(source), fold(target)) for source, target in pairs if " " not in f"{source}{target}"})
    sources, targets = Counter(source for source, _ in known), Counter(target for _, target in known)
    return Dictionary.of((source, target, _share(sources[source]), _share(targets[target])) for source, target in known)


def _share(count: int) -> float:
    return max(GIVEN_PROBABILITY / count, LEAST_PROBABILITY)


def _dictd_entries(path: Path) -> Iterator[tuple[str, str]]:
    """List the headwords of a dictd dictionary with their translations, given one of its two files."""
    stem = re.sub(r"\.(index|dict\.dz|dict)$", "", str(path))
    packed, unpacked = Path(f"{stem}.dict.dz"), Path(f"{stem}.dict")
    if packed.exists():
        with gzip.open(packed) as file:
            data = file.read(MAX_BYTES)
    else:
        data = unpacked.read_bytes()
    with Path(f"{stem}.index").open(encoding="utf-8", newline="\n") as file:
        for number, line in enumerate(file, 1):
            fields = line.rstrip("\r\n").split("\t")
            if len(fields) < 3 or not fields[1] or not set(fields[1] + fields[2]) <= _DIGITS.keys():
                raise UsageError(
                    f"{stem}.index, line {number}: a line is a headword, a tab, a place, a tab and a length"
                )
            headword = fields[0].strip()
            if not headword or " " in headword or headword.startswith(_ABOUT):
                continue
            start = _number(fields[1])
            entry = data[start : start + _number(fields[2])].decode("utf-8", "replace")
            for translation in translations_of(entry):
                yield headword, translation


def _number(text: str) -> int:
    """Read a number of base 64, as dictd writes it: `BI` is 72."""
    value = 0
    for character in text[:10]:
        value = value * 64 + _DIGITS[character]
    return value


def translations_of(entry: str) -> list[str]:
    """Find the translations in an entry of freedict.

    The first line has the headword; translations are in the next, or in those that begin with the number of a sense.
    Others explain: definitions, examples, synonyms.
    """
    lines = [line for line in entry.split("\n")[1:] if line.strip()]
    found: list[str] = []
    for number, line in enumerate(lines):
        if number > 0 and not _SENSE.match(line):
            continue
        text = _ENDING_NUMBER.sub("", _REMARKS.sub(" ", _SENSE.sub("", line, count=1)).strip())
        for part in re.split(r"[,;]", text):
            word = " ".join(part.split())
            for particle in _PARTICLES:
                word = word.removeprefix(particle)
            if word and " " not in word and word not in found:
                found.append(word)
    return found
