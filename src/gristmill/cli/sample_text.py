"""Sample texts that a user names, from which stop lists and models are made."""

from __future__ import annotations

from pathlib import Path

from gristmill.decoding import tidy
from gristmill.errors import UsageError


def read_sample(path: Path) -> str:
    """Read a file in UTF-8 and tidy it as pages are; raise a usage error if there is no text in it."""
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise UsageError(f"can't read the sample {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(
            f"the sample {path} is not UTF-8 (byte {error.start:,}): convert it first, as with iconv"
        ) from error
    if not text.strip():
        raise UsageError(f"the sample {path} is empty")
    return tidy(text)
