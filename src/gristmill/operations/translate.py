"""What translates what: documents of two languages on the same subject."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gristmill.operations.common import Rows
from gristmill.operations.declaration import operation
from gristmill.parameters import asked, param

if TYPE_CHECKING:
    from gristmill.parallel.comparing import ComparablePairs
    from gristmill.pipeline import Corpus


@asked
class ComparableAsked(Rows):
    """Of which languages documents are compared, and by which dictionaries."""

    source: str = param("Code of one language: en.", kw_only=False, kind="lang", max_characters=40, example="en")
    target: str = param("Code of the other: de.", kw_only=False, kind="lang", max_characters=40, example="de")
    documents: int = param(
        "Documents of the target for each of the source.", default=3, minimum=1, maximum=1_000, short="-n"
    )
    dictionary: tuple[str | os.PathLike[str], ...] = param(
        "Word translations: TSV, Parquet, or freedict's .index [what `gristmill parallel` has learned].",
        default=(),
        kind="file",
    )


@operation(
    ComparableAsked,
    room="search",
    table=True,
    needs_index=False,
    group="translate",
    examples=(
        "gristmill comparable corpus en de",
        "gristmill comparable corpus en de --dictionary pairs/dictionary.parquet --limit 0 --csv",
    ),
)
def comparable(corpus: Corpus, asked: ComparableAsked) -> ComparablePairs:
    """Rank documents of two languages on the same subject.

    They are compared by their words, through a dictionary, and by numbers and names. `gristmill parallel` learns a
    dictionary, which is used if it is in the folder of the corpus. The pairs that are most alike come first.
    """
    from gristmill.parallel.comparing import find_comparable

    found = find_comparable(
        corpus.reader, asked.source, asked.target, n=asked.documents, dictionaries=asked.dictionary, limit=asked.end
    )
    return found.from_row(asked.offset)
