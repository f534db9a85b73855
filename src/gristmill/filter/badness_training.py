"""Training of the profiles of `badness` that come with Gristmill, from sentences of treebanks.

`python -m gristmill.filter.badness_training TREEBANKS.parquet` writes them to standard output; the columns are `lang`
and `text`, as those of the Universal Dependencies treebanks that taggers are trained on. Sentences that follow each
other make texts of `TEXT_WORDS` words, about the length of a web page. A language with too few texts, or whose words
are not separated, has no profile. The same file always gives the same profiles.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow.parquet as pq

from gristmill.filter.badness_profile import MIN_TEXTS, Profile, train_profile
from gristmill.filter.words import is_unspaced

TEXT_WORDS = 400


def profiles_of(sentences: Mapping[str, Sequence[str]]) -> dict[str, Profile]:
    """Learn a profile from the sentences of each language."""
    found = {}
    for lang in sorted(sentences):
        texts = list(texts_of(sentences[lang]))
        if len(texts) >= MIN_TEXTS and not is_unspaced(" ".join(texts[:MIN_TEXTS])):
            found[lang] = train_profile(texts, lang)
    return found


def texts_of(sentences: Sequence[str]) -> Iterator[str]:
    """Join sentences to texts of some length; what is left at the end is no text."""
    parts: list[str] = []
    words = 0
    for sentence in sentences:
        parts.append(sentence)
        words += len(sentence.split())
        if words >= TEXT_WORDS:
            yield "\n".join(parts)
            parts, words = [], 0


def main(path: Path) -> None:
    """Write the profiles of all languages of a file of sentences."""
    table = pq.read_table(path, columns=["lang", "text"])
    sentences: dict[str, list[str]] = {}
    for lang, text in zip(table["lang"].to_pylist(), table["text"].to_pylist(), strict=True):
        sentences.setdefault(lang, []).append(text or "")
    for lang, profile in profiles_of(sentences).items():
        sys.stdout.write(f"[{lang}]\n{profile.to_text()}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
