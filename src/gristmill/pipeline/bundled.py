"""The bundled sample as a corpus in the user's own folder, for whoever wants to look before having pages."""

from __future__ import annotations

from pathlib import Path

from gristmill.consent import settings_folder
from gristmill.corpus import CorpusReader
from gristmill.errors import GristmillError, UsageError
from gristmill.pipeline.indexing import index_state
from gristmill.progress import Progress
from gristmill.version import __version__


def bundled_folder() -> Path:
    """Where the corpus is: each version of the program has one of its own."""
    folder = settings_folder()
    if folder is None:
        raise UsageError("there is no home folder to keep the sample in: set GRISTMILL_HOME to a folder")
    return folder / "samples" / __version__ / "sample"


def bundled_corpus(*, progress: bool | Progress = False) -> Path:
    """Return the folder of the sample, which is built and indexed first if that has not been done."""
    folder = bundled_folder()
    if _is_ready(folder):
        return folder
    from gristmill.pipeline.indexing import index  # noqa: PLC0415 (as below)
    from gristmill.pipeline.starting import build  # noqa: PLC0415 (mostly it is not needed)

    folder.parent.mkdir(parents=True, exist_ok=True)
    build("sample", folder, progress=progress)
    index(folder, progress=progress)
    return folder


def _is_ready(folder: Path) -> bool:
    try:
        return index_state(CorpusReader(folder)) == "current"
    except GristmillError:
        return False
