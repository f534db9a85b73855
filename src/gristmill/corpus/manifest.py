"""`corpus.toml`: what was built, from what, with which settings and versions, and the counts of every stage.

Nothing in it depends on when, where or by how many workers the corpus was built.
"""

from __future__ import annotations

import contextlib
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc
import tomli_w
import xxhash

from gristmill.config import Config
from gristmill.consent import Origin
from gristmill.errors import GristmillError, UsageError
from gristmill.locks import LOCK
from gristmill.shapes import misfit
from gristmill.shards import DOCUMENTS, DUPLICATES, facts, read_columns, write_atomically
from gristmill.version import __version__

if TYPE_CHECKING:
    from gristmill.archive import Source
    from gristmill.corpus.inventory import Changes

NAME = "corpus.toml"
FORMAT = 3
"""Changes when what is in the files of a corpus does. In format 2 no shard had `sources.parquet`."""
_READABLE = (2, FORMAT)
_LIBRARIES = ("fastwarc", "ftfy", "pyarrow", "pycld2", "stopwordsiso", "turbohtml", "warcio", "wordfreq", "xxhash")
_SUMS = {"text_blocks": "blocks", "words": "words", "text_bytes": "bytes", "length": "characters"}
_ADDING = "adding"
"""While pages are added to a corpus: the number of their first shard."""
_DECIDING = ("corpus", "versions", "files", "shards", "counts", "size", "dedup")
_SHARD_NAME = re.compile(r"[0-9]{5,}")
_LEFT_OUT = ("boilerplate_words", "filtered_words")
_FORMAT_SHAPE = {"format": int}
_SHAPE = {
    "corpus": _FORMAT_SHAPE,
    "versions": {str: str},
    "settings": {str: dict},
    "files": {str: str},
    "shards": [{"name": str, "first": str, "files": int, "bytes": int, "fingerprint": str}],
    "counts?": {
        **dict.fromkeys(("records", "pages", "text_blocks", "passed", "duplicates", "kept"), int),
        **{name: {str: int} for name in ("skipped", "dropped", "dropped_blocks")},
    },
    "size?": {**dict.fromkeys(("documents", "words", "bytes", "characters", *_LEFT_OUT), int), "languages": {str: int}},
    "dedup?": {"blocks": {str: int}, "words": {str: int}},
    "adding?": int,
}
"""What has to be in `corpus.toml`."""


@dataclass(slots=True)
class Manifest:
    """The manifest of the corpus in a folder."""

    folder: Path
    table: dict[str, Any]

    @classmethod
    def begin(
        cls, folder: Path, shards: Sequence[Sequence[Source]], config: Config, files: Mapping[str, str]
    ) -> Manifest:
        """Note down what is going to be built, or make sure that it is what was begun in this folder before."""
        table: dict[str, Any] = {
            "corpus": {"format": FORMAT, "gristmill": __version__},
            "versions": _versions(),
            "settings": config.to_table(),
            "files": dict(files),
            "shards": [_shard_entry(number, sources) for number, sources in enumerate(shards)],
        }
        try:
            if (folder / NAME).exists():
                manifest = cls.read(folder)
                manifest.refuse_other({name: part for name, part in table.items() if name not in {"corpus", "shards"}})
                return manifest
            if any(entry.name != LOCK for entry in folder.iterdir()):
                raise UsageError(f"{folder} is not empty and holds no corpus: give a new folder with -o")
            manifest = cls(folder, table)
            manifest.write()
            manifest.list_sources(table["shards"], shards)
        except OSError as error:
            raise GristmillError(f"can't write to {folder}: {error.strerror or error}") from error
        return manifest

    def resume(self, shards: Sequence[Sequence[Source]]) -> list[list[Source]]:
        """The sources of each shard, by the names that they have in the corpus; raises if they are not those that it was begun with."""
        found, changes = self._match(self.table["shards"], shards)
        if changes and (self.finished or changes.new or changes.changed or changes.gone):
            raise UsageError(self._other_sources(changes))
        return found

    def _match(
        self, entries: Sequence[dict[str, Any]], shards: Sequence[Sequence[Source]]
    ) -> tuple[list[list[Source]], Changes]:
        """The sources of shards that were begun, and what has changed since."""
        from gristmill.corpus.inventory import Changes, Inventory  # noqa: PLC0415 (not needed to read a corpus; also the next two)
        from gristmill.corpus.listing import has_listing  # noqa: PLC0415

        if not all(has_listing(self.folder / "shards" / entry["name"]) for entry in entries):
            is_old = self.table["corpus"]["format"] < FORMAT
            if [entry["fingerprint"] for entry in entries] == [
                _fingerprint(sources, is_old=is_old) for sources in shards
            ]:
                if not is_old:  # a kill came before they were listed
                    self.list_sources(entries, shards)
                return [list(sources) for sources in shards], Changes()
        return Inventory(self.folder, entries).match([source for sources in shards for source in sources])

    def _other_sources(self, changes: Changes) -> str:
        said = f"{self.folder} holds a corpus that was built from other files:\n{changes}\n"
        if changes.only_more:
            return f"{said}To add what is new: gristmill add {self.folder} SOURCE..."
        return f"{said}Give another folder with -o, or delete this one; `gristmill add` adds what is new and keeps what is there."

    def list_sources(self, entries: Sequence[Mapping[str, Any]], shards: Sequence[Sequence[Source]]) -> None:
        """Note down which files each shard is made of."""
        from gristmill.corpus.listing import write_listing  # noqa: PLC0415

        for entry, sources in zip(entries, shards, strict=True):
            with contextlib.suppress(
                OSError
            ):  # where that can't be written, the shard can't either, and its task says so
                write_listing(self.folder / "shards" / entry["name"], sources)

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """The manifest of an existing corpus."""
        try:
            manifest = cls(folder, tomllib.loads((folder / NAME).read_text("utf-8")))
        except FileNotFoundError:
            raise UsageError(
                f"there is no corpus in {folder} (no {NAME}): build one with `gristmill build SOURCE... -o {folder}`"
            ) from None
        except NotADirectoryError:
            raise UsageError(f"{folder} is a file: give the folder of a corpus") from None
        except OSError as error:
            raise GristmillError(f"can't read {folder / NAME}: {error.strerror or error}") from error
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise GristmillError(f"can't read {folder / NAME}, it is not valid TOML: {error}") from error
        fault = misfit(manifest.table.get("corpus"), _FORMAT_SHAPE, "corpus")
        if not fault:
            found = manifest.table["corpus"]["format"]
            if found not in _READABLE:
                raise UsageError(
                    f"the corpus in {folder} was built by another version (format {found}, not {FORMAT}): build it anew"
                )
            fault = misfit(manifest.table, _SHAPE, NAME) or _wrong_name(manifest.table["shards"])
        if fault:
            raise GristmillError(
                f"{folder / NAME} is damaged ({fault}): get it back from a copy, or build the corpus again"
            )
        return manifest

    @property
    def config(self) -> Config:
        """The settings, which are not the user's own words."""
        settings = self.table["settings"]
        return Config.from_table(settings, origin=Origin.of(self.folder, settings))

    @property
    def shards(self) -> list[Path]:
        """The folders of its shards, in source order."""
        return [self.folder / "shards" / shard["name"] for shard in self.table["shards"]]

    def write(self) -> None:
        """Put it in place."""
        write_atomically(self.folder / NAME, tomli_w.dumps(self.table).encode())

    def refuse_other(self, table: Mapping[str, Any]) -> None:
        """Raise if the folder holds a corpus of other sources, settings or versions than `table` says."""
        differences = [
            difference for part in table for difference in _differences(self.table.get(part), table[part], part)
        ]
        if differences:
            shown = "\n".join(f"  {difference}" for difference in differences[:5])
            raise UsageError(
                f"{self.folder} holds a corpus that was built otherwise:\n{shown}\n"
                "Give another folder with -o, or delete this one, or build with what it was built with."
            )

    def reopen(self, settings: Config) -> None:
        """Note down that the corpus is de-duplicated again, with these settings; it is not complete until `finish`."""
        self.table["settings"] = settings.to_table()
        self._forget_counts()
        self.write()

    @property
    def settled(self) -> list[dict[str, Any]]:
        """The shards that are not part of an addition under way; raises if the corpus was never complete."""
        if not self.finished and _ADDING not in self.table:
            raise GristmillError(
                f"the corpus in {self.folder} is not complete: run the same `gristmill build` (or `gristmill dedup`) first"
            )
        shards: list[dict[str, Any]] = self.table["shards"]
        return shards[: self.table.get(_ADDING, len(shards))]

    def extend(self, shards: Sequence[Sequence[Source]], files: Mapping[str, str]) -> dict[str, list[Source]]:
        """Note down more shards, or make sure that they are those of an addition that was begun; returns their sources by name."""
        self.refuse_other({"files": dict(files)})
        entries = [_shard_entry(number, sources) for number, sources in enumerate(shards, len(self.settled))]
        if _ADDING in self.table:
            return self._resume_addition(shards)
        if entries:
            self._note_addition(entries)
            self.list_sources(entries, shards)
        return {entry["name"]: list(sources) for entry, sources in zip(entries, shards, strict=True)}

    def _resume_addition(self, shards: Sequence[Sequence[Source]]) -> dict[str, list[Source]]:
        begun = self.table["shards"][self.table[_ADDING] :]
        found, changes = self._match(begun, shards)
        if changes.new or changes.changed or changes.gone:
            raise UsageError(
                f"an addition to {self.folder} was interrupted: finish it first, with the same files ({_list_sources(begun)}); "
                f"what differs:\n{changes}"
            )
        return {entry["name"]: sources for entry, sources in zip(begun, found, strict=True)}

    def _note_addition(self, entries: list[dict[str, Any]]) -> None:
        """An addition of another day may be made with other versions than the corpus: then its shards say with which."""
        from gristmill.corpus.listing import has_listing, read_listing, write_listing  # noqa: PLC0415

        for entry in self.table["shards"]:
            shard = self.folder / "shards" / entry["name"]
            if not has_listing(shard):  # of format 2: what is known of its files now may not be known later
                write_listing(shard, read_listing(shard, entry))
        versions = {
            library: version
            for library, version in _versions().items()
            if self.table["versions"].get(library) != version
        }
        self.table["corpus"]["format"] = FORMAT
        self.table[_ADDING] = len(self.table["shards"])
        self.table["shards"] += [entry | ({"versions": versions} if versions else {}) for entry in entries]
        self._forget_counts()
        self.write()

    def _forget_counts(self) -> None:
        for part in ("counts", "size", "dedup"):
            self.table.pop(part, None)

    def finish(self, shards: Sequence[Path], found: Mapping[str, int]) -> None:
        """Add up the counts of the shards; `found` is what de-duplication counted on the way."""
        self.table["dedup"] = dict(found) | _repeated(shards)
        self.table["counts"] = _counts(shards)
        self.table["size"] = _size(shards)
        self.table.pop(_ADDING, None)
        self.write()

    @property
    def fingerprint(self) -> str:
        """A hash of what decides the corpus's text: sources, versions, what was counted, and all settings but those of annotation."""
        parts = {name: self.table.get(name) for name in _DECIDING}
        parts["settings"] = {name: part for name, part in self.table["settings"].items() if name != "annotate"}
        return xxhash.xxh3_128_hexdigest(json.dumps(parts, sort_keys=True).encode())

    @property
    def finished(self) -> bool:
        """Whether the build came to its end."""
        return "counts" in self.table


def _wrong_name(shards: Sequence[Mapping[str, Any]]) -> str:
    """What is wrong with the names of shards: one may lead out of the corpus."""
    wrong = [shard["name"] for shard in shards if not _SHARD_NAME.fullmatch(shard["name"])]
    return f"{wrong[0]!r} can't be the name of a shard" if wrong else ""


def _versions() -> dict[str, str]:
    import importlib.metadata  # noqa: PLC0415 (not needed to read a corpus)

    return {library: importlib.metadata.version(library) for library in _LIBRARIES}


def _fingerprint(sources: Sequence[Source], *, is_old: bool = False) -> str:
    """A hash of what sources hold; in format 2 it was one of their names and sizes."""
    held = (
        f"{source.name}\t{source.size}" if is_old else f"{source.size}\t{source.signature}\t{source.start}"
        for source in sources
    )
    return xxhash.xxh3_64_hexdigest("\n".join(held).encode())


def _shard_entry(number: int, sources: Sequence[Source]) -> dict[str, Any]:
    return {
        "name": f"{number:05d}",
        "first": sources[0].name,
        "files": len(sources),
        "bytes": sum(source.size for source in sources),
        "fingerprint": _fingerprint(sources),
    }


def _differences(there: Any, here: Any, name: str) -> Iterator[str]:
    if isinstance(there, dict) and isinstance(here, dict):
        for key in here | there:
            yield from _differences(there.get(key), here.get(key), f"{name}.{key}")
    elif there != here:
        yield f"{name}: {there!r} there, {here!r} here"


def _list_sources(shards: Any) -> str:
    names = [str(shard["first"]) for shard in shards or []]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _counts(shards: Sequence[Path]) -> dict[str, Any]:
    """Counts per stage; each stage's `in` is what it kept and what it dropped."""
    total: Counter[str] = Counter()
    for shard in shards:
        total.update(facts(shard / DOCUMENTS)["counts"])
        total["duplicates"] += facts(shard / DUPLICATES)["counts"]["duplicates"]
    counts: dict[str, Any] = {
        "records": total["records"],
        "skipped": {},
        "pages": total["pages"],
        "dropped": {},
        "dropped_blocks": {},
    }
    for name, count in sorted(total.items()):
        stage, dot, reason = name.partition(".")
        if dot:
            counts[stage][reason] = count
    return counts | {
        "text_blocks": total["text_blocks"],
        "passed": total["passed"],
        "duplicates": total["duplicates"],
        "kept": total["passed"] - total["duplicates"],
    }


def _repeated(shards: Sequence[Path]) -> dict[str, Any]:
    """How many blocks and words are unique, duplicates or stubs."""
    total: Counter[str] = Counter()
    for shard in shards:
        total.update(facts(shard / DUPLICATES)["counts"])
    counts: dict[str, Any] = {"blocks": {}, "words": {}}
    for name, count in sorted(total.items()):
        unit, dot, verdict = name.partition(".")
        if dot:
            counts[unit][verdict] = count
    return counts


def _size(shards: Sequence[Path]) -> dict[str, Any]:
    """How much text the kept documents have, and in which languages."""
    size: Counter[str] = Counter()
    languages: Counter[str] = Counter()
    for shard in shards:
        table = read_columns(shard / DOCUMENTS, ["lang", *_LEFT_OUT])
        left = read_columns(shard / DUPLICATES, list(_SUMS))
        kept = pc.greater(left["text_blocks"], 0)
        size["documents"] += pc.sum(kept).as_py() or 0
        for name in _LEFT_OUT:
            size[name] += pc.sum(table[name].filter(kept)).as_py() or 0
        for column, name in _SUMS.items():
            size[name] += pc.sum(left[column]).as_py() or 0
        languages.update(table["lang"].filter(kept).to_pylist())
    return {**size, "languages": dict(sorted(languages.items(), key=lambda item: (-item[1], item[0])))}
