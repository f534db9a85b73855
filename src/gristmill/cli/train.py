"""`gristmill train`: train a cleaning method, a language, a quality filter, a tagger, a parser or a segmenter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.cli.choices import TRAINED_METHODS
from gristmill.cli.console import note, progress_bars
from gristmill.errors import UsageError

if TYPE_CHECKING:
    from gristmill.annotation.tagging.treebank import Sentence

_FROM_SAMPLE = ("language", "encoding")
_FROM_TEXTS = "quality"
_ITEMS = "items"
_BADNESS = "badness"
_TAGGER, _PARSER, _SEGMENTER = "tagger", "parser", "segmenter"


def train(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help=f"A method ({TRAINED_METHODS.everyday}), "
            f"{', '.join((*_FROM_SAMPLE, _FROM_TEXTS, _BADNESS, _TAGGER, _PARSER))} or {_SEGMENTER}.",
            show_default=False,
        ),
    ],
    examples: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PAGES... | GOOD BAD | TREEBANKS...]",
            help="For a method: pages of your own, as for evaluate. For quality: good and bad texts. For"
            " badness: good texts. For tagger, parser and segmenter: .conllu or .parquet files.",
            show_default=False,
        ),
    ] = None,
    *,
    gold: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="For a method: where the public gold standards are, as Parquet files."),
    ] = None,
    lang: Annotated[
        str | None,
        typer.Option(
            metavar="CODE", help="For language, encoding, badness, tagger, parser and segmenter: the language."
        ),
    ] = None,
    sample: Annotated[
        Path | None, typer.Option(metavar="FILE", help="For language and encoding: text in UTF-8.")
    ] = None,
    encodings: Annotated[
        str | None, typer.Option(metavar="A,B", help="For encoding: those to tell apart [the usual ones].")
    ] = None,
    words: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="For segmenter: words and frequencies. Up to two lists, with that of wordfreq.",
        ),
    ] = None,
    about: Annotated[
        str | None, typer.Option(metavar="TEXT", help="For segmenter: sources and licence, to be stored with it.")
    ] = None,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="PLACE", help="A file, or (not for PAGES) a folder that the files go to."
        ),
    ] = Path(),
    seed: Annotated[
        int | None, typer.Option(help="For a method, tagger and parser: for all that is random [0].", min=0)
    ] = None,
) -> None:
    """Train methods, languages, taggers, parsers by examples.

    A method is trained on pages of your own whose text you know: Parquet files, or folders of page.html and page.txt,
    as for evaluate. mill goes on from the model that comes with it; the others begin anew. With --gold they learn from
    the public gold standards, and from your pages if there are any. The model is one file, which also says what it was
    trained on and how good it is. Use it with --model FILE. In a folder it is NAME.npz, with NAME.card.json beside it.

    A language is learned from a sample, some pages of plain text, in a moment: CODE.language.npz identifies the
    language, CODE.encoding.npz its encodings. Use them with --models FOLDER. Quality is learned from good and bad texts
    of your own, which are folders of .txt or .jsonl files, corpora, or files. Use it with --filter quality:model=FILE.
    Badness is learned from good texts of one language. Use it with --filter badness:file=FILE,lang=CODE.

    A parser is learned from treebanks with trees, in a minute or two. Use it with --parser LANG=FILE.

    A tagger is learned from treebanks, in CoNLL-U or as Parquet, in less than a minute. Use it with --tagger
    CODE=own:FILE. A segmenter, which finds the words of a language without spaces, is learned from treebanks and word
    lists. The same input gives the same files.

    \b
    Examples:
      gristmill train mill my-pages/ -o my.mill
      gristmill train victor my-pages/ more.parquet -o my.victor --seed 1
      gristmill train mill --gold gold/ -o models/
      gristmill train language --lang hsb --sample upper-sorbian.txt -o models/
      gristmill train encoding --lang hsb --sample upper-sorbian.txt -o models/ --encodings windows-1250,iso-8859-2
      gristmill train quality good/ bad/ -o quality.npz
      gristmill train badness good/ --lang cs -o cs.prof
      gristmill train tagger pl_lfg-ud-train.conllu --lang pl -o pl.tagger
      gristmill train parser pl_lfg-ud-train.conllu --lang pl -o pl.parser
      gristmill train segmenter zh_gsd-ud-train.conllu --lang zh -o zh.segmenter
    """
    if name == _SEGMENTER:
        _refuse(name, {"--gold": gold, "--seed": seed, "--sample": sample, "--encodings": encodings})
        _train_segmenter(examples or [], lang, words or [], about, output)
        return
    _refuse(name, {"--words": words, "--about": about})
    if name == _FROM_TEXTS:
        _refuse(name, {"--gold": gold, "--seed": seed, "--lang": lang, "--sample": sample, "--encodings": encodings})
        _train_quality(examples or [], output)
        return
    if name == _BADNESS:
        from gristmill.cli.train_badness import train_badness

        _refuse(name, {"--gold": gold, "--seed": seed, "--sample": sample, "--encodings": encodings})
        train_badness(examples or [], lang or "", output)
        return
    if name in (_TAGGER, _PARSER):
        _refuse(name, {"--gold": gold, "--sample": sample, "--encodings": encodings})
        train_one = _train_tagger if name == _TAGGER else _train_parser
        train_one(examples or [], lang, seed or 0, output)
        return
    from_gold = {"--gold": gold, "--seed": seed}
    from_sample = {"--lang": lang, "--sample": sample, "--encodings": encodings}
    if name not in _FROM_SAMPLE:
        _refuse(name, from_sample)
        _train_method(name, examples or [], gold, seed or 0, output)
        return
    _refuse(name, from_gold)
    if examples:
        raise UsageError(f"{name} is learned from a text, not from pages: name it with --sample")
    if output.exists() and not output.is_dir():
        raise UsageError(f"{str(output)!r} is a file; the weights go into a folder")
    _refuse(name, {} if name == "encoding" else {"--encodings": encodings})
    if lang is None or sample is None:
        raise UsageError(f"gristmill train {name} needs --lang CODE and --sample FILE")
    from gristmill.language.codes import check_code

    lang = lang.strip().lower()
    check_code(lang)
    path = (
        _train_encoding(lang, sample, encodings, output)
        if name == "encoding"
        else _train_language(lang, sample, output)
    )
    note(f"{path.stat().st_size:,} bytes written to {path}; use it with --models {output}")


def _refuse(name: str, options: Mapping[str, object]) -> None:
    for option, value in options.items():
        if value is not None:
            raise UsageError(f"{option} is not for {name}: gristmill train --help says which options are for what")


@contextmanager
def _training() -> Iterator[None]:
    """Show on a terminal that something is learned; how long it takes is not known before."""
    with progress_bars(resumable=False) as progress:
        progress("training", None)
        yield


def _train_method(name: str, places: list[Path], gold: Path | None, seed: int, output: Path) -> None:
    from gristmill.cleaning.models import is_model
    from gristmill.evaluation import read_gold
    from gristmill.evaluation.training import TRAINERS
    from gristmill.evaluation.training import train as train_method

    TRAINERS[name]  # raises if there is none, before pages are read
    if gold is None and not places:
        raise UsageError(f"{name} is learned from pages: give your own, or the folder of gold standards with --gold")
    if gold is not None and not gold.is_dir():
        raise UsageError(f"there is no folder {str(gold)!r} of gold standards")
    in_folder = output.is_dir() or not (places or output.suffix or output.exists())
    if places and in_folder:
        raise UsageError(f"the model is one file: name it, for example with -o my.{name}")
    if output.is_file() and not is_model(output):
        raise UsageError(f"{str(output)!r} is there already, and is no model that could be replaced: give another name")
    sets = read_gold(places)
    for gold_set in sets:
        if gold_set.left_out:
            reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(gold_set.left_out.items()))
            note(f"{gold_set.name}: left out {reasons}")
    with _training():
        model = train_method(name, [page for gold_set in sets for page in gold_set.pages], gold, seed)
    if model.summary:
        note(model.summary)
    if in_folder:
        weights, card = model.save_with_card(output, name)
        note(f"{weights.stat().st_size:,} bytes of weights written to {weights}; {card} tells what they are")
    else:
        model.save(output)
        use = f"--items crf --items-model {output}" if name == _ITEMS else f"--method {name} --model {output}"
        note(f"{output.stat().st_size:,} bytes written to {output}; use it with {use}")


def _train_language(lang: str, sample: Path, folder: Path) -> Path:
    from gristmill.cli.sample_text import read_sample
    from gristmill.language.profile import SUFFIX
    from gristmill.language.training import train as train_language

    path = folder / f"{lang}{SUFFIX}"
    train_language(lang, read_sample(sample)).save(path)
    return path


def _train_encoding(lang: str, sample: Path, encodings: str | None, folder: Path) -> Path:
    from gristmill.cli.sample_text import read_sample
    from gristmill.decoding.model import SUFFIX as ENCODING_SUFFIX
    from gristmill.decoding.training import train as train_encoding

    names = [name.strip() for name in encodings.split(",") if name.strip()] if encodings is not None else None
    return train_encoding(lang, read_sample(sample), names).save(folder / f"{lang}{ENCODING_SUFFIX}")


def _train_quality(texts: list[Path], output: Path) -> None:
    from gristmill.filter.texts import read_texts
    from gristmill.filter.training import train_quality

    if len(texts) != 2:
        raise UsageError("quality is learned from good and bad texts: gristmill train quality GOOD BAD -o quality.npz")
    folder, name = (output, _FROM_TEXTS) if output.is_dir() else (output.parent, output.name.removesuffix(".npz"))
    good, bad = (read_texts(str(place)) for place in texts)
    model = train_quality(good, bad)
    weights, card = model.save_with_card(folder, name)
    held_out = model.card["held out"]
    note(
        f"On texts that were held out: {held_out['good kept']:.1%} of the good ones kept, "
        f"{held_out['bad dropped']:.1%} of the bad ones dropped, "
        f"area under the curve {held_out['area under the curve']:.3f}"
    )
    note(
        f"{weights.stat().st_size:,} bytes written to {weights}; {card} tells what it is; "
        f"use it with --filter quality:model={weights}"
    )


def _train_tagger(treebanks: list[Path], lang: str | None, seed: int, output: Path) -> None:
    from gristmill.annotation.tagging.measured import train_measured
    from gristmill.annotation.tagging.shipped import SUFFIX

    output, lang = _named_model(_TAGGER, treebanks, lang, output, SUFFIX)
    with _training():
        model, shares = train_measured(_sentences(treebanks, lang), lang, seed)
    _write_model(output, model.to_bytes())
    note(
        f"On {shares.words:,} words that were held out: {shares.tags:.1%} of tags, {shares.feats:.1%} of features and "
        f"{shares.lemmas:.1%} of lemmas are right"
    )
    note(f"{output.stat().st_size:,} bytes written to {output}; use it with --tagger {lang}=own:{output}")


def _train_parser(treebanks: list[Path], lang: str | None, seed: int, output: Path) -> None:
    from gristmill.annotation.parsing.measured import train_measured
    from gristmill.annotation.parsing.shipped import SUFFIX

    output, code = _named_model(_PARSER, treebanks, lang, output, SUFFIX)
    with _training():
        model, measured = train_measured(_sentences(treebanks, code), code, seed)
    _write_model(output, model.to_bytes())
    scores = measured.predicted
    note(
        f"On {scores.words:,} words that were held out, with tags of a tagger: {scores.uas:.1%} of heads (UAS), "
        f"{scores.las:.1%} of heads with their relations (LAS) are right"
    )
    note(f"{output.stat().st_size:,} bytes written to {output}; use it with --parser {code}={output}")


def _named_model(method: str, treebanks: list[Path], lang: str | None, output: Path, suffix: str) -> tuple[Path, str]:
    """Return the file that a model of a language is written to, and the code of the language; raise if it can't be."""
    from gristmill.cleaning.models import is_model
    from gristmill.language.codes import check_code

    if not treebanks or lang is None:
        raise UsageError(
            f"gristmill train {method} needs a treebank and --lang CODE: "
            f"train {method} xx.conllu --lang xx -o xx{suffix}"
        )
    lang = lang.strip().lower()
    check_code(lang)
    if output.is_dir():
        output /= f"{lang}{suffix}"
    if output.is_file() and not is_model(output):
        raise UsageError(f"{str(output)!r} is there already, and is no model that could be replaced: give another name")
    return output, lang


def _sentences(treebanks: list[Path], lang: str) -> list[Sentence]:
    from gristmill.annotation.tagging.treebank import read_treebank

    return [sentence for path in treebanks for sentence in read_treebank(path, lang)]


def _write_model(output: Path, data: bytes) -> None:
    from gristmill.shards import write_atomically

    output.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(output, data)


def _train_segmenter(
    treebanks: list[Path], lang: str | None, words: list[Path], about: str | None, output: Path
) -> None:
    from gristmill.annotation.segmentation.training import LEFT_OUT, train_from_files
    from gristmill.language.codes import check_code

    if not treebanks or lang is None:
        raise UsageError("a segmenter is learned from treebanks of a language: give .conllu files, and --lang CODE")
    check_code(lang)
    if output.is_dir():
        raise UsageError(f"the model is one file: name it, for example with -o {lang}.segmenter")
    with _training():
        model = train_from_files(treebanks, lang, words, about)
    model.save(output)
    if model.facts[LEFT_OUT] is not None:
        note(f"{LEFT_OUT}: {model.facts[LEFT_OUT]}")
    note(f"{output.stat().st_size:,} bytes written to {output}")
