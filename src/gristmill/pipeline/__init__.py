"""The whole way from sources to a corpus that can be searched, stage by stage, and `Corpus`, as users have it.

There is a module for each thing that users do with a corpus: build, add, de-duplicate, annotate, index, watch, trust.
Each declares its stage (see `gristmill.stages`). What was finished of a stage is not done again, so whatever was
killed goes on where it was if it is called again.
"""

from typing import TYPE_CHECKING

from gristmill.lazy import lazy_names

if TYPE_CHECKING:
    from gristmill.pipeline.adding import add
    from gristmill.pipeline.annotating import annotate
    from gristmill.pipeline.bootstrapping import bootstrap
    from gristmill.pipeline.building import plan_shards
    from gristmill.pipeline.corpus import Corpus
    from gristmill.pipeline.deduplicating import deduplicate
    from gristmill.pipeline.dividing import PartDone
    from gristmill.pipeline.feeding import FeedsRun, follow, list_feeds, run_feeds, unfollow
    from gristmill.pipeline.indexing import index, index_part, open_index
    from gristmill.pipeline.mailing import mail_watches, set_mail
    from gristmill.pipeline.pairing import build_parallel
    from gristmill.pipeline.pulling import pull
    from gristmill.pipeline.pushing import push
    from gristmill.pipeline.reading import process
    from gristmill.pipeline.shard import ShardTask
    from gristmill.pipeline.sorting import SortedArchives, sort_archives
    from gristmill.pipeline.stages import Status, status
    from gristmill.pipeline.starting import build, build_part
    from gristmill.pipeline.trusting import trust
    from gristmill.pipeline.watching import run_watches, set_watch, unwatch, watch

__all__ = [
    "Corpus",
    "FeedsRun",
    "PartDone",
    "ShardTask",
    "SortedArchives",
    "Status",
    "add",
    "annotate",
    "bootstrap",
    "build",
    "build_parallel",
    "build_part",
    "deduplicate",
    "follow",
    "index",
    "index_part",
    "list_feeds",
    "mail_watches",
    "open_index",
    "plan_shards",
    "process",
    "pull",
    "push",
    "run_feeds",
    "run_watches",
    "set_mail",
    "set_watch",
    "sort_archives",
    "status",
    "trust",
    "unfollow",
    "unwatch",
    "watch",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "adding": ("add",),
        "annotating": ("annotate",),
        "bootstrapping": ("bootstrap",),
        "building": ("plan_shards",),
        "corpus": ("Corpus",),
        "deduplicating": ("deduplicate",),
        "dividing": ("PartDone",),
        "feeding": ("FeedsRun", "follow", "list_feeds", "run_feeds", "unfollow"),
        "indexing": ("index", "index_part", "open_index"),
        "mailing": ("mail_watches", "set_mail"),
        "pairing": ("build_parallel",),
        "pulling": ("pull",),
        "pushing": ("push",),
        "reading": ("process",),
        "shard": ("ShardTask",),
        "sorting": ("SortedArchives", "sort_archives"),
        "starting": ("build", "build_part"),
        "stages": ("Status", "status"),
        "trusting": ("trust",),
        "watching": ("run_watches", "set_watch", "unwatch", "watch"),
    },
)
