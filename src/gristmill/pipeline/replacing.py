"""Find the documents that later versions replace, before de-duplication: what is replaced is compared with nothing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from typing import Any

from gristmill.corpus import Manifest
from gristmill.corpus.versions import find_replaced, has_items, write_replaced
from gristmill.kept import replaced_by
from gristmill.shards import DOCUMENTS, REPLACED, Shard
from gristmill.stages import Runner, Stage, State, over_shards, present
from gristmill.threads import in_threads


class Replacing(Stage):
    """Lists the documents of each shard that later versions of the same item replace.

    The lists of settled shards come first into place. So they are complete as soon as all lists of the new ones are
    there, and whoever reads the corpus meanwhile knows by the ids in them what does not count yet.
    """

    name = "versions"
    doing = "replacing"
    reads = (f"shards/*/{DOCUMENTS}",)
    writes = (f"shards/*/{REPLACED}",)

    def __init__(self, manifest: Manifest, settled: int = 0, runner: Runner | None = None) -> None:
        """Take the shards of a corpus, of which the first `settled` are complete but for what the others replace.

        The `runner`, if there is one, finds out which of many shards have versions of items.
        """
        self._runner = runner
        self._settled, self._new = manifest.shards[:settled], manifest.shards[settled:]

    @cached_property
    def _shards(self) -> dict[str, Shard]:
        """The new shards that have versions of items, by name."""
        found = chain.from_iterable(over_shards(self._runner, self.doing, self._new, _with_items))
        return {shard.name: shard for shard in found}

    def units(self) -> Sequence[str]:
        """Name the shards that have versions of items."""
        return list(self._shards)

    def state(self, unit: str) -> State:
        """Tell whether the list of a shard is there."""
        return present(self._shards[unit].replaced)

    def work(self, todo: Sequence[str], runner: Runner) -> list[Any]:
        """Compare all versions, and write down which are replaced."""
        del todo, runner
        found = find_replaced(self._settled, self._new)
        for shard in self._settled:
            if shard in found:
                write_replaced(shard, replaced_by(shard) | found[shard])
        for shard in self._shards.values():
            write_replaced(shard, found.get(shard, {}))
        return []


def _with_items(shards: Sequence[Shard]) -> list[Shard]:
    """List the shards that are built and have versions of items."""
    flags = in_threads(lambda shard: shard.is_built and has_items(shard), shards)
    return [shard for shard, flag in zip(shards, flags, strict=True) if flag]
