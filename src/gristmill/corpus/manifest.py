"""`corpus.toml`: what was built, from what, with which settings and versions, and the counts of every stage.

Nothing in it depends on when, where or by how many workers the corpus was built.
"""

from __future__ import annotations

import dataclasses
import json
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli_w
import xxhash

from gristmill.config import DEFAULT_IDENTIFIER, IDENTIFIER_LIBRARIES, Config
from gristmill.consent import Origin
from gristmill.corpus.entry import ShardEntry, fingerprint_of
from gristmill.corpus.tally import LEFT_OUT, Counts, Size, Tally
from gristmill.errors import GristmillError, UsageError
from gristmill.locks import LOCK
from gristmill.own_paths import from_own, to_own
from gristmill.shapes import check_format, misfit
from gristmill.shards import SHARD_NAME, Shard, write_atomically
from gristmill.threads import in_threads
from gristmill.version import __version__

if TYPE_CHECKING:
    from gristmill.archive import Source
    from gristmill.corpus.inventory import Changes

NAME = "corpus.toml"
FORMAT = 5
"""Changes when what is in the files of a corpus does. A corpus of another format is not read."""
_LIBRARIES = ("fastwarc", "ftfy", "pyarrow", "stopwordsiso", "turbohtml", "warcio", "wordfreq", "xxhash")
_MAX_NAMES_SHOWN = 3
_WITH_PATHS = ("settings", "files")
_MAX_DIFFERENCES_SHOWN = 5
_FORMAT_SHAPE = {"format": int}
_SHAPE = {
    "corpus": {**_FORMAT_SHAPE, "gristmill": str},
    "versions": {str: str},
    "settings": {str: dict},
    "files": {str: str},
    "shards": [{"name": str, "first": str, "files": int, "bytes": int, "fingerprint": str, "versions?": {str: str}}],
    "counts?": {
        **dict.fromkeys(("records", "pages", "text_blocks", "passed", "replaced", "duplicates", "kept"), int),
        **{name: {str: int} for name in ("skipped", "dropped", "dropped_blocks", "attributes")},
        "items?": int,
    },
    "size?": {
        **dict.fromkeys(("documents", "words", "bytes", "characters", *LEFT_OUT), int),
        "languages": {str: int},
    },
    "dedup?": {"blocks": {str: int}, "words": {str: int}},
    "adding?": int,
    "part_of?": int,
}
"""What has to be in `corpus.toml`."""
_FETCHING = ("bootstrap.toml", "feeds.sqlite")
"""Files of a corpus that say how its pages are fetched; they are there before the corpus."""


@dataclass(slots=True)
class Manifest:
    """The manifest of the corpus in a folder."""

    folder: Path
    settings: dict[str, Any]
    """The settings of the build, as `Config.to_table` gives them."""
    entries: list[ShardEntry]
    """The shards in the order of the sources."""
    versions: dict[str, str] = field(default_factory=dict)
    """The libraries that text depends on."""
    files: dict[str, str] = field(default_factory=dict)
    """Files that the settings name, with a hash of what they hold."""
    gristmill: str = __version__
    """The version that began the corpus."""
    counts: Counts | None = None
    """Counts of the settled shards; None as long as a build or a de-duplication is under way."""
    size: Size | None = None
    dedup: dict[str, Any] = field(default_factory=dict)
    """What de-duplication counted: `blocks` and `words` by verdict, and what its method adds."""
    adding: int | None = None
    """While pages are added, the number of their first shard."""
    part_of: int | None = None
    """If these are only some shards of a corpus, how many that one has."""

    @classmethod
    def begin(
        cls, folder: Path, shards: Sequence[Sequence[Source]], config: Config, files: Mapping[str, str]
    ) -> Manifest:
        """Write down what is going to be built, or check that it is what was begun in this folder before."""
        entries = [ShardEntry.of(number, sources) for number, sources in enumerate(shards)]
        new = cls(folder, config.to_table(), entries, _versions(config.language.identifier), dict(files))
        try:
            if (folder / NAME).exists():
                manifest = cls.read(folder)
                manifest.refuse_other({"versions": new.versions, "settings": new.settings, "files": new.files})
                return manifest
            if not _is_free(folder):
                raise UsageError(f"{folder} is not empty and holds no corpus: give a new folder with -o")
            new.write()
            new._list_sources(entries, shards)
        except OSError as error:
            raise GristmillError(f"can't write to {folder}: {error.strerror or error}") from error
        return new

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read the manifest of an existing corpus."""
        try:
            data = (folder / NAME).read_bytes()
        except FileNotFoundError:
            from gristmill.archive.crawls import is_crawl  # noqa: PLC0415 (searches should start without it)

            if is_crawl(folder):
                raise UsageError(
                    f"{folder} is a crawl, not a corpus: make one of it with `gristmill build {folder} -o corpus`; "
                    f"`gristmill crawl stats {folder}` shows its figures"
                ) from None
            raise UsageError(
                f"there is no corpus in {folder} (no {NAME}): build one with `gristmill build SOURCE... -o {folder}`"
            ) from None
        except NotADirectoryError:
            raise UsageError(f"{folder} is a file: give the folder of a corpus") from None
        except OSError as error:
            raise GristmillError(f"can't read {folder / NAME}: {error.strerror or error}") from error
        return cls.parse(folder, data)

    @classmethod
    def parse(cls, folder: Path, data: bytes) -> Manifest:
        """Read the manifest of the corpus that is, or will be, in a folder."""
        try:
            table = tomllib.loads(data.decode())
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise GristmillError(f"can't read {folder / NAME}, it is not valid TOML: {error}") from error
        fault = misfit(table.get("corpus"), _FORMAT_SHAPE, "corpus")
        if not fault:
            check_format(
                table["corpus"]["format"],
                FORMAT,
                f"the corpus in {folder}",
                "build it anew with `gristmill build SOURCE... -o FOLDER`",
            )
            fault = misfit(table, _SHAPE, NAME) or _wrong_name(table["shards"])
        if fault:
            raise GristmillError(
                f"{folder / NAME} is damaged ({fault}): get it back from a copy, or build the corpus again"
            )
        return cls.from_table(folder, table | {name: from_own(table[name], folder) for name in _WITH_PATHS})

    @classmethod
    def from_table(cls, folder: Path, table: Mapping[str, Any]) -> Manifest:
        """Make a manifest of a table of the right shape, such as `to_table` gives."""
        return cls(
            folder,
            table["settings"],
            [ShardEntry.from_table(entry) for entry in table["shards"]],
            table["versions"],
            table["files"],
            table["corpus"]["gristmill"],
            table.get("counts"),
            table.get("size"),
            table.get("dedup", {}),
            table.get("adding"),
            table.get("part_of"),
        )

    def to_table(self) -> dict[str, Any]:
        """Return the manifest as a table; what is not known yet is left out."""
        parts = {
            "counts": self.counts,
            "size": self.size,
            "dedup": self.dedup or None,
            "adding": self.adding,
            "part_of": self.part_of,
        }
        return {
            "corpus": {"format": FORMAT, "gristmill": self.gristmill},
            "versions": self.versions,
            "settings": self.settings,
            "files": self.files,
            "shards": [entry.to_table() for entry in self.entries],
        } | {name: part for name, part in parts.items() if part is not None}

    def write(self) -> None:
        """Put the file in place."""
        write_atomically(self.folder / NAME, tomli_w.dumps(self._written()).encode())

    def _written(self) -> dict[str, Any]:
        """Return the manifest as it is on disk: paths in the folder of the corpus are without it."""
        table = self.to_table()
        return table | {name: to_own(table[name], self.folder) for name in _WITH_PATHS}

    @property
    def config(self) -> Config:
        """The settings, which are not the user's own words."""
        return Config.from_table(self.settings, origin=Origin.of(self.folder))

    @property
    def shards(self) -> list[Shard]:
        """The shards, in the order of the sources."""
        return [Shard.of(self.folder, entry.name) for entry in self.entries]

    @property
    def finished(self) -> bool:
        """Whether the build, and every addition since, came to its end."""
        return self.counts is not None and self.adding is None

    @property
    def is_settled(self) -> bool:
        """Whether there is a complete corpus, to which pages may be being added."""
        return self.finished or self.adding is not None

    @property
    def settled(self) -> list[ShardEntry]:
        """The shards that are not part of an addition under way; raises if the corpus was never complete."""
        if not self.is_settled:
            raise GristmillError(
                f"the corpus in {self.folder} is not complete: "
                "run the same `gristmill build` (or `gristmill dedup`) first"
            )
        return self.entries[: self.adding]

    @property
    def fingerprint(self) -> str:
        """A hash of what decides the text: sources, versions, counts, and all settings but those of annotation."""
        table = self._written()
        parts = {name: table.get(name) for name in ("corpus", "versions", "files", "counts", "size", "dedup")}
        parts["shards"] = [entry.to_table() for entry in self.settled]
        parts["settings"] = {name: part for name, part in table["settings"].items() if name != "annotate"}
        return xxhash.xxh3_128_hexdigest(json.dumps(parts, sort_keys=True).encode())

    def resume(self, shards: Sequence[Sequence[Source]]) -> list[list[Source]]:
        """Return the sources of each shard, by the names that they have in the corpus.

        Raises if they are not those that it was begun with.
        """
        found, changes = self._match(self.entries, shards)
        if changes and (self.finished or changes.new or changes.changed or changes.gone):
            said = f"{self.folder} holds a corpus that was built from other files:\n{changes}\n"
            if changes.only_more:
                raise UsageError(f"{said}To add what is new: gristmill add {self.folder} SOURCE...")
            raise UsageError(
                f"{said}Give another folder with -o, or delete this one; "
                "`gristmill add` adds what is new and keeps what is there."
            )
        return found

    def extend(self, shards: Sequence[Sequence[Source]], files: Mapping[str, str]) -> dict[str, list[Source]]:
        """Write down more shards, or check that they are those of an addition that was begun.

        Returns the sources of each shard, by its name.
        """
        self.refuse_other({"files": dict(files)})
        if self.part_of is not None:
            raise UsageError(
                f"{self.folder} holds {len(self.entries):,} of the {self.part_of:,} shards of a corpus: "
                "add to the whole one, as what is added is compared with all of it"
            )
        settled = len(self.settled)
        if self.adding is not None:
            return self._resume_addition(shards)
        entries = [ShardEntry.of(number, sources) for number, sources in enumerate(shards, settled)]
        if entries:
            self._note_addition(entries)
            self._list_sources(entries, shards)
        return {entry.name: list(sources) for entry, sources in zip(entries, shards, strict=True)}

    def reopen(self, settings: Config) -> None:
        """Write down that the corpus is de-duplicated again, with these settings; it is not complete until `finish`.

        An addition under way becomes part of it: no shard is settled until all are judged.
        """
        self.settings = settings.to_table()
        self.adding = self.counts = self.size = None
        self.dedup = {}
        self.write()

    def finish(self, total: Tally, found: Mapping[str, int]) -> None:
        """Write down the counts of all shards; `found` is what de-duplication counted on the way."""
        from gristmill.corpus.listing import remove_plan  # noqa: PLC0415 (as in `_match`)

        self.dedup = dict(found) | total.repeated
        self.counts = total.counts
        self.size = total.size
        self.adding = None
        self.write()
        remove_plan(self.folder)

    def choose(self, names: Collection[str]) -> None:
        """Leave only some shards; what they add up to is written down by `finish`."""
        chosen = [entry for entry in self.entries if entry.name in names]
        if len(chosen) < len(self.entries):
            self.part_of = self.part_of or len(self.entries)
        self.entries = chosen

    def refuse_other(self, table: Mapping[str, Any]) -> None:
        """Raise if the folder holds a corpus of other settings, versions or files than `table` says."""
        here = self.to_table()
        differences = [found for part in table for found in _differences(here.get(part), table[part], part)]
        if differences:
            shown = "\n".join(f"  {difference}" for difference in differences[:_MAX_DIFFERENCES_SHOWN])
            raise UsageError(
                f"{self.folder} holds a corpus that was built otherwise:\n{shown}\n"
                "Give another folder with -o, or delete this one, or build with what it was built with."
            )

    def _match(
        self, entries: Sequence[ShardEntry], shards: Sequence[Sequence[Source]]
    ) -> tuple[list[list[Source]], Changes]:
        """Find the sources of shards that were begun, and what has changed since."""
        # What reads sources is not needed to read a corpus: a search should not wait for its import.
        from gristmill.corpus.inventory import Changes, Inventory  # noqa: PLC0415
        from gristmill.corpus.listing import has_listing, read_plan  # noqa: PLC0415

        plan = read_plan(self.folder)
        shards_of = [Shard.of(self.folder, entry.name) for entry in entries if entry.name not in plan]
        if not all(in_threads(has_listing, shards_of)):
            if [entry.fingerprint for entry in entries] != list(map(fingerprint_of, shards)):
                raise UsageError(
                    f"{self.folder} holds a corpus that was begun with other files ({_list_names(entries)}), "
                    "and interrupted before all were listed: give these, or another folder with -o"
                )
            self._list_sources(entries, shards)  # a kill came before they were listed
            return [list(sources) for sources in shards], Changes()
        return Inventory(self.folder, entries).match([source for sources in shards for source in sources])

    def _list_sources(self, entries: Sequence[ShardEntry], shards: Sequence[Sequence[Source]]) -> None:
        """Write down which files each shard is made of."""
        from gristmill.corpus.listing import write_plan  # noqa: PLC0415 (as in `_match`)

        write_plan(self.folder, {entry.name: sources for entry, sources in zip(entries, shards, strict=True)})

    def _resume_addition(self, shards: Sequence[Sequence[Source]]) -> dict[str, list[Source]]:
        begun = self.entries[self.adding :]
        found, changes = self._match(begun, shards)
        if changes.new or changes.changed or changes.gone:
            raise UsageError(
                f"an addition to {self.folder} was interrupted: finish it first, with the same files "
                f"({_list_names(begun)}); what differs:\n{changes}"
            )
        return {entry.name: sources for entry, sources in zip(begun, found, strict=True)}

    def _note_addition(self, entries: Sequence[ShardEntry]) -> None:
        """Write down new shards, with the versions of libraries that are not those of the corpus."""
        identifier = self.settings.get("language", {}).get("identifier", DEFAULT_IDENTIFIER)
        versions = {
            name: version for name, version in _versions(identifier).items() if self.versions.get(name) != version
        }
        self.adding = len(self.entries)
        self.entries += [dataclasses.replace(entry, versions=versions) for entry in entries]
        self.write()


def _wrong_name(shards: Sequence[Mapping[str, Any]]) -> str:
    """Say what is wrong with the names of shards: one may lead out of the corpus."""
    wrong = [shard["name"] for shard in shards if not SHARD_NAME.fullmatch(shard["name"])]
    return f"{wrong[0]!r} can't be the name of a shard" if wrong else ""


def _is_free(folder: Path) -> bool:
    """Tell whether a corpus can be made in a folder: it is empty, or has what was fetched for that very corpus."""
    names = {entry.name for entry in folder.iterdir() if not entry.name.startswith(LOCK)}
    return not names or any(name in names for name in _FETCHING)


def _versions(identifier: str) -> dict[str, str]:
    import importlib.metadata  # noqa: PLC0415 (not needed to read a corpus)

    # Identifiers that know trained languages alone were trained beside the default one.
    library = IDENTIFIER_LIBRARIES.get(identifier, IDENTIFIER_LIBRARIES[DEFAULT_IDENTIFIER])
    return {name: importlib.metadata.version(name) for name in sorted((*_LIBRARIES, library))}


def _differences(there: Any, here: Any, name: str) -> Iterator[str]:
    """Say which values of two nested tables differ, each by its path, such as `settings.clean.method`."""
    if isinstance(there, dict) and isinstance(here, dict):
        for key in here | there:
            yield from _differences(there.get(key), here.get(key), f"{name}.{key}")
    elif there != here:
        yield f"{name}: {there!r} there, {here!r} here"


def _list_names(entries: Sequence[ShardEntry]) -> str:
    names = [entry.first for entry in entries]
    more = f" and {len(names) - _MAX_NAMES_SHOWN} more" if len(names) > _MAX_NAMES_SHOWN else ""
    return ", ".join(names[:_MAX_NAMES_SHOWN]) + more
