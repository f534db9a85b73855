"""`gristmill parallel`: pairs of pages and sentences that translate each other, of a corpus in several languages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gristmill.cli.choices import PAIR_FORMATS, one_of
from gristmill.cli.console import note, progress_bars
from gristmill.cli.options import CorpusFolder, EngineName, Json, Plugins, Trust, Workers
from gristmill.cli.output import check_output
from gristmill.cli.table import write_json
from gristmill.errors import GristmillError, UsageError
from gristmill.wording import plural

if TYPE_CHECKING:
    from gristmill.parallel.reader import ParallelCorpus
    from gristmill.parallel.selection import PairSelection

_STANDARD_OUTPUT = "-"
_NO_THRESHOLDS: dict[str, Any] = {
    **dict.fromkeys(("min_score", "max_length_ratio", "max_copied", "min_numbers", "max_repeats")),
    "right_languages": False,
}


def parallel(
    corpus: CorpusFolder,
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="Code of one language: en.", show_default=False)],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="Code of the other: de.", show_default=False)],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER|FILE",
            help="Folder for the parallel corpus, or a file of sentence pairs (.tmx, .tsv...; .gz, .zst compress); "
            "- is standard output, with --format [CORPUS/parallel/SOURCE-TARGET].",
        ),
    ] = None,
    *,
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            help=f"Write sentence pairs: {PAIR_FORMATS.everyday} [by the file's name].",
            autocompletion=one_of(PAIR_FORMATS),
        ),
    ] = None,
    sample: Annotated[
        int | None, typer.Option(metavar="N", help="A random sample of so many sentence pairs.", min=1)
    ] = None,
    balanced: Annotated[
        bool, typer.Option("--balanced", help="Sentences of all lengths, from many sites; with --sample.")
    ] = False,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Another number, another sample [0].", min=0)] = None,
    min_score: Annotated[
        float | None, typer.Option(help="Least score of a sentence pair that is written.", min=0, max=1)
    ] = None,
    max_length_ratio: Annotated[
        float | None,
        typer.Option(help="How many times longer than usual one side of a pair that is written may be.", min=1),
    ] = None,
    max_copied: Annotated[
        float | None,
        typer.Option(help="Largest share of words that are the same on both sides of a written pair.", min=0, max=1),
    ] = None,
    min_numbers: Annotated[
        float | None, typer.Option(help="Least share of numbers that agree in a written pair.", min=0, max=1)
    ] = None,
    max_repeats: Annotated[
        int | None, typer.Option(help="How often an equal pair may have been written before.", min=0)
    ] = None,
    everything: Annotated[
        bool, typer.Option("--everything", help="Write all pairs, whatever is known of them.")
    ] = False,
    kinds: Annotated[
        str | None,
        typer.Option("--beads", metavar="KINDS", help="Only such pairs, by their sentences on each side: 1-1,1-2."),
    ] = None,
    min_page_score: Annotated[
        float, typer.Option("--pages", metavar="SCORE", help="Least score of two pages that are a pair.", min=0, max=1)
    ] = 0.5,
    dictionaries: Annotated[
        list[Path] | None,
        typer.Option(
            "--dictionary",
            metavar="FILE",
            help="Word translations that you have: TSV, Parquet, or freedict's .index. Can be repeated.",
        ),
    ] = None,
    embedder: Annotated[
        str | None,
        typer.Option(metavar="MODULE:NAME", help="Align by sentence embeddings, which this part of a plugin gives."),
    ] = None,
    plugins: Plugins = None,
    trust: Trust = False,
    workers: Workers = None,
    engine: EngineName = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file that is there.")] = False,
    as_json: Json = False,
) -> None:
    """Find pages and sentences that translate each other.

    Pages are paired by what they declare (hreflang), their links and addresses, their structure and their words; the
    sentences of each pair are aligned, with a dictionary that is learned meanwhile. All of it is stored in a folder,
    which is a corpus: search it with `gristmill search FOLDER QUERY --aligned TARGET`. Nothing is left out there: each
    pair has its score, and what speaks against it. What is written to a file is chosen by thresholds.

    CORPUS may be such a folder itself: then nothing is paired again.

    \b
    Examples:
      gristmill parallel corpus en de -o pairs
      gristmill parallel corpus cs en -o cs-en.tmx
      gristmill parallel corpus cs en --format moses -o cs-en
      gristmill parallel pairs de en -o de-en.tsv.gz --min-score 0.8 --beads 1-1
      gristmill parallel corpus el de --sample 200 --balanced
    """
    from gristmill.parallel.selection import PairSelection

    del plugins  # they were loaded when they were read
    if (balanced or seed is not None) and sample is None:
        raise UsageError(f"{'--balanced' if balanced else '--seed'} is for --sample: say how many pairs you want")
    thresholds: dict[str, Any] = {
        "min_score": min_score,
        "max_length_ratio": max_length_ratio,
        "max_copied": max_copied,
        "min_numbers": min_numbers,
        "max_repeats": max_repeats,
        "kinds": tuple(kinds.split(",")) if kinds else None,
    }
    chosen = {name: value for name, value in thresholds.items() if value is not None}
    if everything and chosen:
        raise UsageError("--everything has no thresholds: give either it or these")
    selection = PairSelection(**_NO_THRESHOLDS) if everything else PairSelection(**chosen)
    file = _file(output, format_name, sample)
    if file is None and (chosen or everything or force):
        raise UsageError("thresholds, --everything and --force are for files: the folder has all pairs. Give -o FILE")
    if file is not None:
        _check_file(file, format_name, force=force)
    opened = _opened(
        corpus,
        (source, target),
        output if file is None else None,
        {
            "dictionaries": dictionaries or (),
            "embedder": embedder or "",
            "min_score": min_page_score,
            "trust": trust,
            "workers": workers,
            "engine": engine,
        },
    )
    if file is None:
        _show(opened, as_json)
    else:
        _write(opened, file, format_name, selection, sample, seed, balanced=balanced, force=force)


def _file(output: str | None, format_name: str | None, sample: int | None) -> str | None:
    """Return the file that pairs are written to; None if only the folder is asked for."""
    if output is None:
        return _STANDARD_OUTPUT if sample is not None or format_name is not None else None
    suffix = Path(output.removesuffix(".gz").removesuffix(".zst")).suffix
    if format_name is not None or output == _STANDARD_OUTPUT or suffix[1:] in PAIR_FORMATS:
        return output
    if sample is not None:
        raise UsageError(f"say in which format the sample is to be written to {output}, such as --format tsv")
    if suffix and not output.endswith("/") and not Path(output).is_dir():
        raise UsageError(
            f"can't tell the format from the name {output!r}: give --format ({', '.join(PAIR_FORMATS)}); "
            f"if it is to be a folder, write {output}/"
        )
    return None


def _check_file(output: str, format_name: str | None, *, force: bool) -> None:
    """Raise if the file can't be written, before pages are paired, which may take hours."""
    from gristmill.parallel.formats import PAIR_FORMATS as FORMATS

    if format_name is not None:
        FORMATS[format_name]  # raises if there is none of that name
    if output != _STANDARD_OUTPUT and "://" not in output:
        check_output(output)
        if Path(output).is_file() and not force:
            raise UsageError(f"{output} is there already: give another name, or --force to replace it")


def _opened(corpus: Path, languages: tuple[str, str], output: str | None, options: dict[str, Any]) -> ParallelCorpus:
    """Make the parallel corpus, or open the one that CORPUS is."""
    from gristmill.parallel.reader import ParallelCorpus, is_parallel
    from gristmill.pipeline import build_parallel

    if is_parallel(corpus):
        if output is not None:
            raise UsageError(f"{corpus} is a parallel corpus already: give a file with -o to write its pairs to")
        return ParallelCorpus(corpus, languages)
    with progress_bars() as progress:
        return build_parallel(corpus, *languages, output, progress=progress, **options)


def _show(opened: ParallelCorpus, as_json: bool) -> None:
    """Say what was found."""
    counts = opened.counts
    if as_json:
        write_json({"folder": str(opened.folder), "languages": list(opened.languages), **counts})
        return
    one, other = opened.languages
    print(f"pairs of pages ({one}-{other})            {counts['pairs']:>10,}")
    print(f"  - candidates that were no pairs      {counts['candidates']:>10,}")
    for reason, count in counts["unpaired"].items():
        print(f"  - pages without a pair: {reason:<12} {count:>10,}")
    print(f"beads of sentences                     {counts['beads']:>10,}")
    if not counts["pairs"]:
        raise GristmillError(f"no pages in {one} and {other} are translations of each other")
    print(f"\nNext: gristmill search {opened.folder} 'some words' --aligned {other}")
    print(f"      gristmill parallel {opened.folder} {one} {other} -o {one}-{other}.tmx    (or .tsv, .jsonl, .parquet)")


def _write(
    opened: ParallelCorpus,
    output: str,
    format_name: str | None,
    selection: PairSelection,
    sample: int | None,
    seed: int | None,
    *,
    balanced: bool,
    force: bool,
) -> None:
    """Write pairs to a file, and say how many of them, and how many were left out by which threshold."""
    from gristmill.parallel.exporting import export_pairs

    done = export_pairs(
        opened,
        output,
        format_name,
        selection,
        languages=opened.languages,
        sample=sample,
        balanced=balanced,
        seed=seed or 0,
        force=force,
    )
    left_out = ", ".join(f"{name} {count:,}" for name, count in done.left_out.items())
    where = "" if output == _STANDARD_OUTPUT else f" written to {', '.join(done.files)}"
    note(f"{plural(done.pairs, 'sentence pair')}{where}{f'; left out: {left_out}' if left_out else ''}")
