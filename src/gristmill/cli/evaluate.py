"""`gristmill evaluate`: measure cleaning methods on pages of which people have said what the text is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import typer
from typer.core import TyperCommand

from gristmill.cli.choices import CLEANING_METHODS, DEFAULT_METHOD, METRICS, one_of
from gristmill.cli.console import note, progress_bars
from gristmill.cli.experiments import Picture, check_drawn, show_experiment
from gristmill.cli.options import EngineName
from gristmill.cli.output import STANDARD, Output, check_output, checked_format, write_output
from gristmill.errors import UsageError
from gristmill.registry import did_you_mean

if TYPE_CHECKING:
    from gristmill.evaluation import Evaluation, GoldSet, Summary

_FORMATS = ("table", "json", "html")
_SHOWN = ("methods", "features", "coherence", "extraction", "languages", "ranking")
_DRAWN = ("features", "extraction", "languages", "ranking")
_OF_TEXREX = ("languages", "ranking")


def evaluate(
    gold: Annotated[
        list[Path],
        typer.Argument(
            metavar="GOLD",
            help="Gold standards: Parquet files, or folders of page.html and page.txt.",
            show_default=False,
        ),
    ],
    *,
    method: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help=f"Cleaning methods, with parameters if need be (justext:length_low=7), of "
            f"{CLEANING_METHODS.everyday}. Can be repeated. [{DEFAULT_METHOD}]",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Also a method with this model, from gristmill train. Can be repeated."),
    ] = None,
    metric: Annotated[str, typer.Option(help=f"What the table shows: {METRICS.everyday}.")] = "words",
    limit: Annotated[
        int | None, typer.Option(help="How many pages of each gold standard, evenly chosen [all].", min=1)
    ] = None,
    lang: Annotated[
        str | None, typer.Option(metavar="CODES", help="Only pages of these languages: en or en,de.")
    ] = None,
    split: Annotated[str | None, typer.Option(metavar="NAME", help="Only pages of this split, e.g. dev.")] = None,
    show: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="methods; features (single features of blocks by threshold); coherence (blocks that mix text and "
            "boilerplate); extraction (duplicates with and without cleaning, after CEDAR); languages, ranking (texrex "
            "across languages, and its features, for a file of its features).",
            autocompletion=one_of(_SHOWN),
        ),
    ] = "methods",
    picture: Picture = None,
    seed: Annotated[int, typer.Option(help="For the random draws of confidence intervals.", min=0)] = 0,
    workers: Annotated[
        int, typer.Option("--workers", "-j", help="Worker processes; the times are best with one.", min=1)
    ] = 1,
    engine: EngineName = None,
    output_format: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            help="table, json (all metrics), html (with a picture and the worst pages).",
            autocompletion=one_of(_FORMATS),
        ),
    ] = "table",
    output: Output = STANDARD,
    json_output: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    html: Annotated[Path | None, typer.Option(metavar="FILE", hidden=True)] = None,
) -> None:
    """Compare cleaning methods on gold standards.

    The table shows precision, recall, F1 and F0.5 of the words in their order, multiset F1 of the words in any order,
    and the time for a page. If there are several gold standards, it shows their mean.

    With --show features or --show coherence it says of the blocks of the pages, and of no method, how well single
    features tell text from boilerplate, or how many blocks have both in them. --show extraction repeats the experiment
    of CEDAR: are duplicates found better in cleaned pages? It needs the extra `train`, and news pages of some sites.
    --show languages and --show ranking repeat the experiments of texrex on a table of its features.

    To compare de-duplication methods, see: gristmill evaluate dedup --help.

    \b
    Examples:
      gristmill evaluate my-pages/ --method justext,bte,boilerpipe
      gristmill evaluate other-pages/ --method mill --model my.mill
      gristmill evaluate cleaneval.parquet canola.parquet --metric cleaneval --format html -o report.html
      gristmill evaluate canola.parquet --show features --picture features.svg
      gristmill evaluate news.parquet --show extraction --limit 250 --picture curves.svg
      gristmill evaluate texrex-features.parquet --show languages --picture languages.svg
      gristmill evaluate dedup sample -m onion -m exact
    """
    from gristmill.evaluation import METRICS as SHOWN
    from gristmill.evaluation import as_json, html_report, read_gold, summarise, text_table
    from gristmill.evaluation import evaluate as evaluate_methods
    from gristmill.registry import split_specs

    if show not in _SHOWN:
        raise UsageError(f"can't show {show!r}{did_you_mean(show, _SHOWN)} (there are: {', '.join(_SHOWN)})")
    shown = SHOWN[metric]
    named = [spec for names in method or [DEFAULT_METHOD] for spec in split_specs(names)]
    methods = list(dict.fromkeys([*named, *_with_models(model)]))
    if not methods:
        raise UsageError(f"name at least one method: {', '.join(CLEANING_METHODS)}")
    form = checked_format(output_format, _FORMATS, json_output)
    for name in (output, *([str(html)] if html else [])):
        check_output(name)
    check_drawn(picture, show, _DRAWN, " (--format html draws the methods)" if show == "methods" else "")
    if show in _OF_TEXREX:
        _show_texrex(gold, show, seed, _shown(show, form, picture, output, html))
        return
    codes = [code.strip().lower() for code in lang.split(",") if code.strip()] if lang else None
    sets = [gold_set.select(codes, split, limit) for gold_set in read_gold(gold)]
    if show != "methods":
        _show_pages(sets, show, workers, seed, _shown(show, form, picture, output, html))
        return
    with progress_bars(resumable=False) as progress:
        report = progress("evaluating", len(methods) * sum(len(gold_set.pages) for gold_set in sets))
        evaluation = evaluate_methods(
            sets, methods, workers=workers, engine=engine, worst=3 if html or form == "html" else 0, report=report
        )
    summaries = summarise(evaluation, seed)
    if html:
        write_output(html_report(evaluation, summaries), str(html))
    if form == "html":
        write_output(html_report(evaluation, summaries), output)
    elif form == "json":
        write_output(json.dumps(as_json(evaluation, summaries), indent=2) + "\n", output)
    else:
        write_output(text_table(summaries, shown) + "\n", output)
    _tell(evaluation, summaries)


class _Shown(TypedDict):
    """How the result of an experiment is shown."""

    picture: Path | None
    as_json: bool
    output: str


def _shown(show: str, form: str, picture: Path | None, output: str, html: Path | None) -> _Shown:
    """Say how to show an experiment; raise if it can't be shown so."""
    if html or form == "html":
        raise UsageError(f"--format html is a report on methods: --show {show} writes a table or json")
    return {"picture": picture, "as_json": form == "json", "output": output}


def _show_pages(sets: Sequence[GoldSet], show: str, workers: int, seed: int, shown: _Shown) -> None:
    """Run an experiment on gold pages: on their blocks, or that of CEDAR on all of them."""
    if show == "extraction":
        from gristmill.literature.experiments.extraction_tables import STEPS, extraction

        pages = [page for gold_set in sets for page in gold_set.pages]
        with progress_bars(resumable=False) as progress:
            found = extraction(pages, seed, progress("comparing", STEPS))
    else:
        from gristmill.evaluation import coherence, single_features

        run = single_features if show == "features" else coherence
        with progress_bars(resumable=False) as progress:
            report = progress("evaluating", sum(len(gold_set.pages) for gold_set in sets))
            found = run(sets, workers=workers, report=report)
    show_experiment(found, **shown)


def _show_texrex(files: Sequence[Path], show: str, seed: int, shown: _Shown) -> None:
    """Run an experiment of texrex on tables of features."""
    from gristmill.literature.cleaning.texrex import FEATURES
    from gristmill.literature.experiments.texrex_tables import language_table, ranking_table, read_blocks
    from gristmill.literature.training.texrex import Blocks

    blocks = Blocks.joined([read_blocks(file) for file in files])
    languages = len(set(blocks.langs.tolist()))
    run, steps = (language_table, languages + 1) if show == "languages" else (ranking_table, languages * len(FEATURES))
    with progress_bars(resumable=False) as progress:
        found = run(blocks, seed, progress("training", steps))
    show_experiment(found, **shown)


def _with_models(files: Sequence[Path] | None) -> list[str]:
    """Name the methods of models, each with its model."""
    from gristmill.cleaning import METHODS
    from gristmill.cleaning.models import read

    methods = {file: read(file).method for file in files or ()}
    for file, method in methods.items():
        if method not in METHODS:
            raise UsageError(f"{file} is a model of {method}, which is no cleaning method")
    return [f"{method}:model={file}" for file, method in methods.items()]


def _tell(evaluation: Evaluation, summaries: Sequence[Summary]) -> None:
    """Say what the figures do not: pages that were left out or cut, and those on which a method raised an exception."""
    for gold_set in evaluation.sets:
        if gold_set.left_out:
            reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(gold_set.left_out.items()))
            note(f"{gold_set.name}: left out {reasons}")
    for method in evaluation.methods:
        _tell_seen(evaluation, method)
    for summary in summaries:
        if summary.overall["cut"]:
            note(f"{summary.method}: {summary.overall['cut']} pages are too long to be compared to their end")
        for message, count in summary.overall["raised"].items():
            note(f"{summary.method}: {count} pages raised {message}")


def _tell_seen(evaluation: Evaluation, method: str) -> None:
    """Say if a model was trained on pages that it is tested on."""
    from gristmill.evaluation.run import settings_of
    from gristmill.wording import plural

    model = settings_of(method).model
    if model:
        from gristmill.evaluation.training import seen_by

        pages = [page for gold_set in evaluation.sets for page in gold_set.pages]
        if number := seen_by(model, pages):
            note(f"{method}: trained on {plural(number, 'page')} of these {len(pages):,}, so its figures say too much")


class Command(TyperCommand):
    """The command `evaluate`, which hands over to `evaluate dedup` if that is its first word."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Parse the arguments of the call."""
        if args[:1] == ["dedup"]:
            from gristmill.cli.evaluate_dedup import dedup

            alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
            alone.command()(dedup)
            return typer.main.get_command(alone).make_context(f"{info_name} dedup", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)
