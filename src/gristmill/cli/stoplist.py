"""`gristmill stoplist`: make a list of the most frequent words of a language, from any sample of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from gristmill.arguments import as_path
from gristmill.cli.choices import STOP_LIST_SHARE
from gristmill.cli.console import note
from gristmill.cli.options import Trust
from gristmill.config import check_share
from gristmill.errors import UsageError
from gristmill.wording import plural


def stoplist(
    *,
    source: Annotated[
        Path,
        typer.Option(
            "--from", metavar="FILE_OR_CORPUS", help="A text in UTF-8, or the folder of a corpus.", show_default=False
        ),
    ],
    lang: Annotated[
        str | None, typer.Option(metavar="CODE", help="Only the documents of a corpus in this language.")
    ] = None,
    share: Annotated[
        float | None,
        typer.Option(help=f"How much of the text the words make up together [{STOP_LIST_SHARE}].", min=0, max=1),
    ] = None,
    count: Annotated[int | None, typer.Option(help="How many words, instead of --share.", min=1)] = None,
    trust: Trust = False,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where the list goes; - is standard output.")
    ] = "-",
) -> None:
    """Make a stop list: the most frequent words of a sample.

    They are in lower case, the most frequent first. Save the list as CODE.stoplist.txt in a folder and name the folder
    with --models: then the cleaning methods that need a stop list use it for that language. Any longer text or small
    corpus is enough as a sample.

    \b
    Examples:
      gristmill stoplist --from corpus --lang en -o models/en.stoplist.txt
      gristmill stoplist --from corpus --count 100
    """
    from gristmill.language.stoplist import DEFAULT_SHARE, frequent_words

    if share is not None and count is not None:
        raise UsageError("--share and --count are two ways to say how long the list is: give one of them")
    counts = _counts(source, lang, trust)
    total = counts.total()
    if not total:
        raise UsageError(f"there are no words in {source}" + (f" in the language {lang!r}" if lang else ""))
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    if count is None:
        wanted = DEFAULT_SHARE if share is None else share
        check_share(wanted, "--share")
        chosen = frequent_words({word: number / total for word, number in counts.items()}, wanted)
        ranked = [word for word in ranked if word in chosen]
    else:
        ranked = ranked[:count]
    _write(ranked, output)
    covered = sum(counts[word] for word in ranked) / total
    written = f", written to {output}" if output != "-" else ""
    note(f"{plural(len(ranked), 'word')}, {covered:.0%} of {plural(total, 'word')} of text{written}")


def _counts(source: Path, lang: str | None, trust: bool) -> Counter[str]:
    from gristmill.cli.sample_text import read_sample
    from gristmill.language import check_languages
    from gristmill.language.stoplist import count_words

    if source.is_dir():
        check_languages([lang] if lang else [])
        counts: Counter[str] = Counter()
        for text in _texts(source, lang, trust):
            counts.update(count_words(text))
        return counts
    if lang:
        raise UsageError("--lang chooses documents of a corpus; all of a text file is taken")
    return count_words(read_sample(source))


def _texts(folder: Path, lang: str | None, trust: bool) -> Iterator[str]:
    from gristmill.corpus import CorpusReader, Selection

    for document in CorpusReader(folder, trust=trust).documents(Selection(languages=(lang,) if lang else None)):
        yield document.folded


def _write(ranked: list[str], output: str) -> None:
    from gristmill.corpus.output import STANDARD_OUTPUT, write_output

    if output != STANDARD_OUTPUT:
        as_path(output, "--output").parent.mkdir(parents=True, exist_ok=True)
    write_output(output, "".join(f"{word}\n" for word in ranked))
