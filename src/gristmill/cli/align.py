"""`gristmill align`: align the sentences of two texts that are translations of each other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.cli.choices import one_of
from gristmill.cli.console import note
from gristmill.cli.options import Plugins
from gristmill.cli.output import STANDARD, check_output, checked_format, write_output
from gristmill.errors import UsageError
from gristmill.registry import parts_of
from gristmill.wording import plural

if TYPE_CHECKING:
    from gristmill.alignment.plain_texts import AlignedPair

METHODS = parts_of("alignment method")
FORMATS = ("tsv", "json", "moses")


def align(
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="A text in UTF-8; its lines are paragraphs.")],
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="Its translation.")],
    *,
    lang: Annotated[str, typer.Option(metavar="CODES", help="The languages of both: en,de.", show_default=False)],
    method: Annotated[
        str | None,
        typer.Option(
            help=f"{', '.join(METHODS)} [words; embeddings if there is an embedder].", autocompletion=one_of(METHODS)
        ),
    ] = None,
    dictionary: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="A dictionary: TSV, .index of dictd (freedict), or Parquet. Can be repeated.",
            show_default=False,
        ),
    ] = None,
    embedder: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="A model of sentences: module:name, or the name that a plugin gave it."),
    ] = None,
    lines: Annotated[bool, typer.Option("--lines", help="Each line is a sentence, not a paragraph.")] = False,
    min_score: Annotated[
        float,
        typer.Option(help="Leave out pairs that are less likely right; those of one side only have 0.", min=0, max=1),
    ] = 0.0,
    format_name: Annotated[
        str, typer.Option("--format", help=f"Output format: {', '.join(FORMATS)}.", autocompletion=one_of(FORMATS))
    ] = FORMATS[0],
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File to write; - is standard output; for moses what names begin with.",
        ),
    ] = STANDARD,
    plugins: Plugins = None,
) -> None:
    """Align the sentences of two texts that are translations.

    Each line that is printed has the sentences of the source, those of the target, and how likely the pair is right.
    A side is empty where a sentence has no translation. The dictionary that is needed is learned from the two texts;
    a given one is joined with it.

    \b
    Examples:
      gristmill align mill.en.txt mill.de.txt --lang en,de
      gristmill align mill.en.txt mill.de.txt --lang en,de --dictionary /usr/share/dictd/freedict-eng-deu.index
      gristmill align mill.en.txt mill.de.txt --lang en,de --min-score 0.5 --format moses -o mill
      gristmill align mill.en.txt mill.de.txt --lang en,de --embedder my_model:Embedder
    """
    del plugins  # they were loaded when they were read
    langs = _languages(lang)
    chosen = checked_format(format_name, FORMATS, False)
    _check_output(chosen, output, langs)
    pairs = [
        pair for pair in _aligned(source, target, langs, method, dictionary, embedder, lines) if pair.score >= min_score
    ]
    if chosen == "moses":
        pairs = [pair for pair in pairs if pair.source and pair.target]
        for side, code in enumerate(langs):
            write_output("".join(f"{pair[side]}\n" for pair in pairs), f"{output}.{code}")
    elif chosen == "json":
        rows = [json.dumps(pair._asdict() | {"score": round(pair.score, 3)}, ensure_ascii=False) for pair in pairs]
        write_output("".join(f"{row}\n" for row in rows), output)
    else:
        write_output("".join(f"{pair.source}\t{pair.target}\t{pair.score:.3f}\n" for pair in pairs), output)
    both = sum(bool(pair.source and pair.target) for pair in pairs)
    note(
        f"{plural(both, 'pair')} of sentences"
        + (f", {len(pairs) - both:,} without translation" if both < len(pairs) else "")
    )


def _languages(given: str) -> tuple[str, str]:
    from gristmill.language.codes import check_code

    codes = [code.strip() for code in given.split(",") if code.strip()]
    if len(codes) != 2:
        raise UsageError(f"--lang has the languages of both texts, as in en,de, not {given!r}")
    for code in codes:
        check_code(code)
    return codes[0], codes[1]


def _check_output(format_name: str, output: str, langs: tuple[str, str]) -> None:
    if format_name == "moses":
        if output == STANDARD:
            raise UsageError("the format moses has two files: say with -o what their names begin with, as in -o mill")
        if langs[0] == langs[1]:
            raise UsageError("the format moses names its two files by the languages, which must differ")
    check_output(output)


def _aligned(
    source: Path,
    target: Path,
    langs: tuple[str, str],
    method: str | None,
    dictionaries: list[Path] | None,
    embedder: str | None,
    lines: bool,
) -> list[AlignedPair]:
    from gristmill.alignment import Dictionary, read_dictionary
    from gristmill.alignment.embeddings import load_embedder
    from gristmill.alignment.plain_texts import align as align_texts

    if method is not None:
        METHODS[method]  # raises if there is none
    model = load_embedder(embedder) if embedder else None
    texts = _read(source), _read(target)
    given = Dictionary.joined(*map(read_dictionary, dictionaries)) if dictionaries else None
    return align_texts(*texts, langs, dictionary=given, embedder=model, method=method or "", lines=lines)


def _read(path: Path) -> str:
    from gristmill.decoding import tidy

    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise UsageError(f"can't read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 (byte {error.start:,}): convert it first, as with iconv") from error
    if not text.strip():
        raise UsageError(f"{path} is empty")
    return tidy(text)
