"""`gristmill train`: learn the weights of a cleaning method anew from gold standards."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gristmill.cli.console import note
from gristmill.errors import UsageError
from gristmill.evaluate.training import TRAINERS


def train(
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"The method: {', '.join(TRAINERS)}.", show_default=False)],
    *,
    gold: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the gold standards are, as Parquet files.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where the weights go.")] = Path(),
    seed: Annotated[int, typer.Option(help="For the first weights and for folds.", min=0)] = 0,
) -> None:
    """Train a method and write its weights, with a card that says from what, how, and how good they are.

    The same gold standards and the same seed give the same files: NAME.npz and NAME.card.json. This takes some minutes.

    \b
    Examples:
      gristmill train texrex --gold gold/
      gristmill train victor --gold gold/ -o models/ --seed 1
    """
    trainer = TRAINERS[name]
    if not gold.is_dir():
        raise UsageError(f"there is no folder {str(gold)!r} of gold standards")
    if output.exists() and not output.is_dir():
        raise UsageError(f"{str(output)!r} is a file; the weights go into a folder")
    weights, card = trainer(gold, seed).save(output, name)
    note(f"{weights.stat().st_size:,} bytes of weights written to {weights}; {card} tells what they are")
