"""What is said of the annotation of a corpus before a search: that it has to be made first, or that it is outdated."""

from __future__ import annotations

import json
import logging
import math
import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import xxhash

from gristmill.consent import settings_folder
from gristmill.corpus import CorpusReader
from gristmill.shards import Shard, write_atomically
from gristmill.version import __version__
from gristmill.wording import duration, plural

Say = Callable[[str], None]
"""Takes a line that is said to the user."""

_TOLD_FILE = "told.json"
_MAX_TOLD = 500
"""States of corpora of which it is remembered that their annotation was looked at."""
_TOKENS_A_WORD = 1.2
_INDEXED_TOKENS_A_SECOND = 700_000
_SECONDS_TO_START = 3
"""To load taggers; nothing is done sooner."""
_MAX_NAMED_LANGUAGES = 6

_log = logging.getLogger(__name__)


def logged(line: str) -> None:
    """Say a line to the log alone."""
    _log.info("%s", line)


def say_work(corpus: CorpusReader, to_annotate: Sequence[Shard], to_index: int, workers: int, say: Say) -> None:
    """Say what has to be done before a search: how much text, by which taggers, and how long that takes, about.

    `to_index` is how many shards are to be indexed, if none is to be annotated.
    """
    if not to_annotate:
        if to_index:
            say(f"{plural(to_index, 'shard')} to be indexed first")
        return
    from gristmill.annotation.blocks import is_parsed  # noqa: PLC0415 (as below)
    from gristmill.annotation.parsing.choice import choices_of  # noqa: PLC0415 (as below)
    from gristmill.annotation.speed import seconds_for  # noqa: PLC0415 (a search that makes nothing needs none)
    from gristmill.annotation.spent import PARSER  # noqa: PLC0415 (as above)
    from gristmill.annotation.tagging.dictionary import seconds_to_make  # noqa: PLC0415 (as above)

    documents, words = _amount(to_annotate)
    if not documents:
        return
    choices = choices_of(corpus.config.annotate)
    taggers = _taggers(words, choices)
    tokens = {spec: _TOKENS_A_WORD * sum(words[lang] for lang in langs) for spec, langs in taggers.items()}
    seconds = sum(tokens.values()) / _INDEXED_TOKENS_A_SECOND
    parsed = _TOKENS_A_WORD * sum(words[lang] for lang in words if is_parsed(lang, choices))
    seconds += seconds_for({**tokens, PARSER: parsed})
    seconds += sum(map(seconds_to_make, taggers.get("own", ())))
    seconds = _SECONDS_TO_START + seconds / max(min(workers, len(to_annotate)), 1)
    amount = f"{plural(documents, 'document')} ({plural(words.total(), 'word')})"
    say(f"{amount} to be annotated and indexed first, once; this takes about {_rounded(seconds)}")
    by = ", ".join(f"{spec} ({_named(langs)})" for spec, langs in taggers.items())
    if by:
        say(f"taggers: {by}; others: gristmill annotate {corpus.folder} --tagger {_example(taggers)}=...")


def say_if_outdated(corpus: CorpusReader, say: Say | None) -> None:
    """Say that a corpus was annotated by another version, once for each state of the corpus and each version.

    If nobody listens (None), it is only remembered that nothing is outdated, so that no search has to look.
    """
    key = _key(corpus)
    told = _told()
    if key in told:
        return
    from gristmill.pipeline.annotating import Annotating  # noqa: PLC0415 (as above)

    annotating = Annotating.of(corpus)
    states = annotating.states(annotating.units())
    outdated = sum(state.name == "outdated" for state in states)
    if outdated and say is None:
        return
    if outdated and say is not None:
        part = "" if outdated == len(states) else f" in part ({outdated:,} of {plural(len(states), 'shard')})"
        say(
            f"{corpus.folder} was annotated{part} by other versions of Gristmill or of taggers, and is used as it is; "
            f"to do it anew: {annotating.command}"
        )
    _remember([*told, key][-_MAX_TOLD:])


def _amount(shards: Sequence[Shard]) -> tuple[int, Counter[str]]:
    """Count the documents of shards that filters kept, and their words by language."""
    import pyarrow.compute as pc  # noqa: PLC0415 (as above)

    from gristmill.shards import read_columns  # noqa: PLC0415 (as above)

    documents, words = 0, Counter[str]()
    for shard in shards:
        table = read_columns(shard.documents, ["lang", "words", "dropped"])
        kept = table.filter(pc.equal(table["dropped"], ""))
        documents += kept.num_rows
        grouped = kept.group_by("lang", use_threads=False).aggregate([("words", "sum")])
        for lang, count in zip(grouped["lang"].to_pylist(), grouped["words_sum"].to_pylist(), strict=True):
            words[lang] += count
    return documents, words


def _taggers(words: Counter[str], choices: Sequence[str]) -> dict[str, list[str]]:
    """Group languages by the tagger that they get; the tagger, and the language, with the most words comes first."""
    from gristmill.annotation.tagger import spec_for  # noqa: PLC0415 (as above)

    found: dict[str, list[str]] = {}
    for lang, _ in words.most_common():
        found.setdefault(spec_for(lang, choices), []).append(lang)
    return found


def _named(langs: Sequence[str]) -> str:
    more = len(langs) - _MAX_NAMED_LANGUAGES
    return ", ".join([*langs[:_MAX_NAMED_LANGUAGES], *([f"{more} more"] if more > 0 else [])])


def _example(taggers: dict[str, list[str]]) -> str:
    return next(iter(taggers.values()))[0]


def _rounded(seconds: float) -> str:
    """Say a time that is only estimated: `10 s`, `4 min`, `2 h 30 min`."""
    if seconds < 60:
        return duration(math.ceil(seconds / 5) * 5)
    unit = 60 if seconds < 3600 else 600
    return duration(math.ceil(seconds / unit) * unit).removesuffix(" 00 s")


def _key(corpus: CorpusReader) -> str:
    """Hash what tells one state of the annotation of a corpus from another, without reading any of it."""
    files = [(shard.name, *_stamp(shard.tokens)) for shard in corpus.shards]
    state = [os.path.realpath(corpus.folder), __version__, files]
    return xxhash.xxh3_64_hexdigest(json.dumps(state).encode())


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_size, found.st_mtime_ns


def _told() -> list[str]:
    folder = settings_folder()
    try:
        found = json.loads((folder / _TOLD_FILE).read_bytes()) if folder else []
    except (OSError, ValueError):
        return []
    return list(map(str, found)) if isinstance(found, list) else []


def _remember(keys: Sequence[str]) -> None:
    folder = settings_folder()
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / _TOLD_FILE, json.dumps(list(keys)).encode())
    except OSError as error:
        _log.debug("what was told is not written down: %s", error)
