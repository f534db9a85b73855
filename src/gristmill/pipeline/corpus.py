"""A corpus as users have it: to read, to cut anew, and to search."""

from __future__ import annotations

from gristmill.corpus import Corpus as StoredCorpus


class Corpus(StoredCorpus):
    """A corpus on disk. Everything that was read is still in it; what one gets to see is a matter of thresholds."""
