"""Pages of a corpus: what happened to one, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gristmill.operations.declaration import operation
from gristmill.operations.opened import AnyCorpus, opened
from gristmill.parameters import asked, param

if TYPE_CHECKING:
    from gristmill.corpus.explain import Explained, Skipped
    from gristmill.pipeline import Corpus


@asked
class WhyAsked:
    """Which page is explained."""

    page: str = param(
        "A page: its id, its address, or a part that only its address has; or FILE:OFFSET.",
        kw_only=False,
        example="00000-000012",
    )
    against: tuple[AnyCorpus, ...] = param(
        "Corpora that this one was de-duplicated against.", default=(), kind="corpus", max_characters=200
    )


@operation(
    WhyAsked,
    room="pages",
    group="look",
    needs_index=False,
    examples=(
        "gristmill why corpus 00000-000012",
        "gristmill why corpus example.org/news",
        "gristmill why corpus crawl.warc.gz:46397",
        "gristmill why corpus 00000-000012 --json | jq .filters",
    ),
)
def why(corpus: Corpus, asked: WhyAsked) -> Explained | Skipped:
    """Explain what happened to one page, and why.

    It shows what each stage and each filter found. All filters are applied, also those after the one that dropped the
    page. You can name a skipped record by its address, or by its place, FILE:OFFSET, as `gristmill dropped`
    lists it; the end of the file's path is enough. JSON has whole texts.
    """
    from gristmill.corpus.explain import explain

    return explain(corpus.reader, asked.page, [opened(other).reader for other in asked.against])
