"""`gristmill upgrade`: bring a corpus of an older version to the present format."""

from __future__ import annotations

from gristmill.cli.console import note, progress_bars
from gristmill.cli.options import CorpusFolder, EngineName, Plugins, Trust, Workers


def upgrade(
    corpus: CorpusFolder,
    *,
    plugins: Plugins = None,
    trust: Trust = False,
    workers: Workers = None,
    engine: EngineName = None,
) -> None:
    """Bring a corpus of an older version to the present format.

    Documents, and what was decided about them, stay as they are. Its indexes are made anew. A corpus of an older
    version can also be read, searched and added to as it is; what is old is then made anew when it is needed.

    \b
    Examples:
      gristmill upgrade corpus
    """
    from gristmill.pipeline import upgrade as upgrade_corpus

    del plugins  # they were loaded when they were read
    with progress_bars() as progress:
        done = upgrade_corpus(corpus, workers=workers, engine=engine, progress=progress, trust=trust)
    note("\n".join(done) if done else "nothing to do: the corpus has the present format")
