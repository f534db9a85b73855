"""Gristmill turns the raw web into a clean, de-duplicated, annotated and searchable text corpus.

These are the public names: functions for single pages (`decode`, `identify`, `clean`, `markdown`), for whole corpora
(`build`, `add`, `deduplicate`, `annotate`, `index`, `export`, watches), and the classes that they take and give.
"""

import logging
from typing import TYPE_CHECKING

from gristmill.lazy import lazy_names
from gristmill.version import __version__

if TYPE_CHECKING:
    from gristmill.alignment.plain_texts import align
    from gristmill.bootstrapping.config import BootstrapConfig
    from gristmill.cleaning import clean
    from gristmill.cleaning.formatting import markdown, structure
    from gristmill.commoncrawl import ArchiveConfig, fetch_commoncrawl
    from gristmill.config import Config
    from gristmill.corpus import Selection
    from gristmill.corpus.exporting import export
    from gristmill.crawling import CrawlConfig, crawl
    from gristmill.decoding import decode
    from gristmill.document import Block, Document, Page
    from gristmill.errors import GristmillError, UsageError
    from gristmill.language import identify
    from gristmill.parallel.exporting import export_pairs
    from gristmill.parallel.reader import ParallelCorpus
    from gristmill.parallel.selection import PairSelection
    from gristmill.pipeline import (
        Corpus,
        add,
        annotate,
        bootstrap,
        build,
        build_parallel,
        deduplicate,
        follow,
        index,
        list_feeds,
        mail_watches,
        pull,
        push,
        run_feeds,
        run_watches,
        status,
        trust,
        unfollow,
        unwatch,
        watch,
    )
    from gristmill.plugins import load_plugin
    from gristmill.registry import part

__all__ = [
    "ArchiveConfig",
    "Block",
    "BootstrapConfig",
    "Config",
    "Corpus",
    "CrawlConfig",
    "Document",
    "GristmillError",
    "Page",
    "PairSelection",
    "ParallelCorpus",
    "Selection",
    "UsageError",
    "__version__",
    "add",
    "align",
    "annotate",
    "bootstrap",
    "build",
    "build_parallel",
    "clean",
    "crawl",
    "decode",
    "deduplicate",
    "export",
    "export_pairs",
    "fetch_commoncrawl",
    "follow",
    "identify",
    "index",
    "list_feeds",
    "load_plugin",
    "mail_watches",
    "markdown",
    "part",
    "pull",
    "push",
    "run_feeds",
    "run_watches",
    "status",
    "structure",
    "trust",
    "unfollow",
    "unwatch",
    "watch",
]

# Public names are imported when they are first used: all of them together take half a second, which the command would
# need to show its help, and every worker process to start.
_MODULES = {
    "alignment.plain_texts": ("align",),
    "bootstrapping.config": ("BootstrapConfig",),
    "cleaning": ("clean",),
    "cleaning.formatting": ("markdown", "structure"),
    "commoncrawl": ("ArchiveConfig", "fetch_commoncrawl"),
    "config": ("Config",),
    "corpus": ("Selection",),
    "corpus.exporting": ("export",),
    "crawling": ("CrawlConfig", "crawl"),
    "decoding": ("decode",),
    "document": ("Block", "Document", "Page"),
    "errors": ("GristmillError", "UsageError"),
    "language": ("identify",),
    "parallel.exporting": ("export_pairs",),
    "parallel.reader": ("ParallelCorpus",),
    "parallel.selection": ("PairSelection",),
    "pipeline": (
        "Corpus",
        "add",
        "annotate",
        "bootstrap",
        "build",
        "build_parallel",
        "deduplicate",
        "follow",
        "index",
        "list_feeds",
        "mail_watches",
        "pull",
        "push",
        "run_feeds",
        "run_watches",
        "status",
        "trust",
        "unfollow",
        "unwatch",
        "watch",
    ),
    "plugins": ("load_plugin",),
    "registry": ("part",),
}
__getattr__, __dir__ = lazy_names(__name__, _MODULES)

logging.getLogger(__name__).addHandler(logging.NullHandler())  # who uses the library says what becomes of its log
