"""The cards of parsers as a page: languages, treebanks, licences, the names to give, and what was measured."""

from __future__ import annotations

from pathlib import Path

from tagger_cards import name_of, sources_in

from gristmill.annotation.parsing.model import Model
from gristmill.annotation.parsing.shipped import SUFFIX

_HEAD = """# Models of parsers

Each file is the model of one language for [the parser](../../../../docs/annotation.md#relations): integer weights of
hashed features, the names of relations, and a card, which is printed below. `Model.read(path).card` in
[model.py](../parsing/model.py) reads it. The file is an `.npz` file of numpy without Python objects, so that loading
one runs no code.

**Licence.** As that of [the taggers](README.md): the models were learned from treebanks of [Universal
Dependencies](https://universaldependencies.org/), which others made and put under the licences that are named with
each. Keep this page with the models if you pass them on. No sentence can be read out of a model.

**What they are for:** heads and relations of text on the web, for counting and for searches. **What they are bad at:**
relations that cross (there are none in what they give), long sentences, text unlike that of their treebanks.

**Figures** are per cent of words, punctuation among them, with the right head (UAS), and with the right head and the
right relation with its subtype (LAS), with the words of the treebank given, on a tenth of it that was left out. Tags,
features and lemmas are those of a tagger that was trained without these sentences, too; in brackets with those of the
treebank. A model was trained on the rest for this, and then the one in the file on all. A language is here if its LAS
is 75 or more on this tenth, on which settings were tried, too; nothing was measured on text of another kind
([more](../../../../docs/figures/annotation.md#relations)). Japanese was measured with tags of `own`, not of UniDic.

**To make them again:** `python benchmarks/parser_models.py --output src/gristmill/annotation/models --cards
src/gristmill/annotation/models/PARSERS.md` (with the treebanks as one file, `ud-train.parquet`). This page is made by
the last part of it.
"""


def cards_of(folder: Path) -> str:
    """Return the cards of all models of a folder as Markdown."""
    return "\n".join([_HEAD, *sorted(map(_card, folder.glob(f"*{SUFFIX}")))])


def _card(path: Path) -> str:
    """Return the card of a model."""
    card = Model.read(path).card
    found, gold = card["held out"], card["held out, tags of the treebank"]
    figures = (
        f"Of {found['words']:,} words that were left out: UAS {found['uas']:.1%} ({gold['uas']:.1%}), "
        f"LAS {found['las']:.1%} ({gold['las']:.1%})."
    ).replace("%", "")
    size = path.stat().st_size / 1e6
    about = f"`{path.name}`, {size:.2f} MB, learned from {card['words']:,} words. {figures}"
    return f"## {name_of(card)}\n\n{about}\n\n{sources_in(card)}\n"
