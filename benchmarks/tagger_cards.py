"""The cards of taggers as a page: languages, treebanks, licences, the names to give, and what was measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gristmill.annotation.tagging.model import Model
from gristmill.annotation.tagging.shipped import SUFFIX

_HEAD = """# Models of taggers

Each file is the model of one language for the tagger [`own`](../../../../docs/annotation.md#the-tagger-own): integer
weights, rules and exceptions for lemmas, the tags of its treebanks, and a card, which is printed below.
`Model.read(path).card` in [model.py](../tagging/model.py) reads it. The file is an `.npz` file of numpy without Python
objects, so that loading one runs no code.

**Licence.** The models were learned from treebanks of [Universal Dependencies](https://universaldependencies.org/),
which others made and put under the licences that are named with each: [CC BY-SA
4.0](https://creativecommons.org/licenses/by-sa/4.0/), [CC BY-SA 3.0](https://creativecommons.org/licenses/by-sa/3.0/),
[CC BY 4.0](https://creativecommons.org/licenses/by/4.0/) and LGPL-LR. Their names are given here, as these licences
ask; all authors are named where the treebank is. Keep this page with the models if you pass them on. The treebanks are
not in the package, and no sentence can be read out of a model: it has weights of hashed features, rules of endings, and
lists of single words whose lemma or tag no rule gives. Lemmas are also looked up in the dictionaries of simplemma,
which are not in these files.

**What they are for:** parts of speech, features and lemmas of text on the web. **What they are bad at:** text unlike
that of their treebanks: [what is lost there](../../../../docs/figures/annotation.md#text-from-elsewhere) was measured.
Verse, speech and old texts are in few of them.

**Figures** are per cent of words that are right, with the words of the treebank given, on a tenth of it that was left
out: a model was trained on the rest for this, and then the one in the file on all. Lemmas are compared with their
capitals; in brackets without. A language is here if nine of ten tags are right, and if the licence of its treebanks
allows it: Polish is not, as its treebank is under the GNU GPL 3.0.

**To make them again:** `python benchmarks/tagger_models.py --output src/gristmill/annotation/models --cards
src/gristmill/annotation/models/README.md` (with the treebanks as one file, `ud-train.parquet`); the same sentences give
the same bytes. This page is made by the last part of it.
"""

_TREEBANKS = "https://github.com/UniversalDependencies/"
_NAMES = {"nb": "Norwegian, Bokmål", "nn": "Norwegian, Nynorsk"}


def cards_of(folder: Path) -> str:
    """Return the cards of all models of a folder as Markdown."""
    return "\n".join([_HEAD, *sorted(map(_card, folder.glob(f"*{SUFFIX}")))])


def name_of(card: dict[str, Any]) -> str:
    """Return the English name of a model's language, which the names of its treebanks begin with."""
    first = str(next(iter(card["treebanks"]))).removeprefix("UD_").partition("-")[0].replace("_", " ")
    return _NAMES.get(str(card["language"]), first)


def sources_in(card: dict[str, Any]) -> str:
    """Return the treebanks of a card as a list, with their licences and the names to give."""
    return "\n".join(
        f"- [{source['treebank']}]({_TREEBANKS}{source['treebank']}), {source['licence']}, "
        f"{card['treebanks'][source['treebank']]:,} sentences: {source['attribution']}"
        for source in card["sources"]
    )


def _card(path: Path) -> str:
    """Return the card of a model."""
    card = Model.read(path).card
    return (
        f"## {name_of(card)}\n\n`{path.name}`, {path.stat().st_size / 1e6:.2f} MB, learned from "
        f"{card['words']:,} words. {_figures(card['held out'])}\n\n{sources_in(card)}\n"
    )


def _figures(shares: dict[str, Any]) -> str:
    """Return what was measured, in one sentence; a treebank without lemmas has none to compare with."""
    found = f"Of {shares['words']:,} words that were left out: tags {shares['tags']:.1%}"
    if not shares["lemmas"]:
        return f"{found}; its treebank has neither lemmas nor features.".replace("%", "")
    return (
        f"{found}, features {shares['feats']:.1%}, lemmas {shares['lemmas']:.1%} ({shares['lemmas_without_case']:.1%})."
    ).replace("%", "")
