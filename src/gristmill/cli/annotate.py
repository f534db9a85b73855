"""`gristmill annotate`: add tokens, sentences, lemmas, tags and relations to the text of a corpus."""

from __future__ import annotations

from typing import Annotated

import typer

from gristmill.cli.console import progress_bars
from gristmill.cli.options import (
    CorpusFolder,
    EngineName,
    Json,
    Merge,
    NoParse,
    OnePart,
    Parsers,
    Plugins,
    Scratch,
    Taggers,
    Trust,
    Workers,
)
from gristmill.cli.table import write_json, write_table
from gristmill.errors import UsageError
from gristmill.table import Column


def annotate(
    corpus: CorpusFolder,
    *,
    taggers: Taggers = None,
    parsers: Parsers = None,
    no_parse: NoParse = False,
    plugins: Plugins = None,
    trust: Trust = False,
    workers: Workers = None,
    engine: EngineName = None,
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Memory for words that are kept between texts, of all workers together [384MB for each].",
            show_default=False,
        ),
    ] = None,
    part: OnePart = None,
    merge: Merge = False,
    scratch: Scratch = None,
    as_json: Json = False,
) -> None:
    """Tokenise, tag, lemmatise and parse the text of a corpus.

    Every language has a default tagger; --tagger chooses another one, which the corpus then keeps. Text that is
    annotated is annotated again only if its tagger changed. The first search does this by itself.

    Heads and relations are found where there is a parser for the language (16 come with Gristmill), or the tagger
    finds them; --no-parse and --parser choose otherwise, and --parser default parses as by default again. The corpus
    keeps this, too.

    With `--part 3/16` only that part of the shards is annotated and counted, as by one of sixteen machines; `--merge`
    checks that none is missing, and counts all.

    \b
    Examples:
      gristmill annotate corpus
      gristmill annotate corpus --tagger de=own:my.tagger --memory 500MB
      gristmill annotate corpus --no-parse
      gristmill annotate corpus --parser de=my.parser
      gristmill annotate corpus --parser none --parser en=default
      gristmill annotate corpus --tagger de=spacy:model=de_core_news_sm --tagger cs=udpipe:model=czech.udpipe
    """
    from gristmill.pipeline import annotate as annotate_corpus

    del plugins, scratch  # they were loaded, and chosen, when they were read
    with progress_bars() as progress:
        found = annotate_corpus(
            corpus,
            taggers,
            parsers=_parsers(parsers, no_parse=no_parse),
            workers=workers,
            engine=engine,
            memory=memory,
            progress=progress,
            trust=trust,
            part=part,
            merge=merge,
        )
    if as_json:
        write_json(found)
        return
    for name, heading in (("counts", ""), ("languages", "language"), ("taggers", "tagger")):
        write_table(
            [Column(name, heading or " "), Column("count", "tokens" if heading else " ")], list(found[name].items())
        )


def _parsers(chosen: list[str] | None, *, no_parse: bool) -> list[str] | None:
    """Return the choices of parsers; None if nothing was said of them."""
    from gristmill.annotation.parsing.choice import NONE

    if no_parse:
        if chosen:
            raise UsageError("--no-parse is without --parser: say --parser LANG=none for single languages")
        return [NONE]
    return chosen
