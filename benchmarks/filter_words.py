"""How many texts of a language have all its filter words, and how many texts of other languages have them.

Texts are pieces of 300 words of the Universal Declaration of Human Rights. The constants by which words are chosen come
from treebanks of Universal Dependencies; of several that were as good there, these texts had a say.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow.parquet as pq
from harness import command_line, print_table

from gristmill.bootstrapping.filter_words import filter_words
from gristmill.bootstrapping.frequencies import Frequencies
from gristmill.language.stoplist import stop_list_languages
from gristmill.text.composition import compose
from gristmill.text.words import find_words

_PIECE_WORDS = 300
# Codes of languages, and those under which the declaration is there.
_CODES = dict(
    pair.split("=")
    for pair in (
        "ar=arb bg=bul bn=ben ca=cat cs=ces da=dan de=deu_1996 el=ell_monotonic en=eng es=spa fa=pes_1 fi=fin fr=fra "
        "he=heb hi=hin hr=hrv hu=hun id=ind is=isl it=ita lt=lit lv=lvs mk=mkd ms=mly_latn nb=nob nl=nld pl=pol "
        "pt=por_PT ro=ron_2006 ru=rus sk=slk sl=slv sv=swe ta=tam tr=tur uk=ukr ur=urd vi=vie"
    ).split()
)


@dataclass(frozen=True, slots=True)
class Figures:
    """The share of texts with all filter words: in the language, in the worst of other languages that have a list."""

    lang: str
    words: str
    own: float
    others: float
    worst: float
    worst_lang: str


def main() -> None:
    """Print shares for all languages whose word frequencies are known."""
    options = command_line(__doc__ or "").parse_args()
    texts = _pieces(options.gold / "language-udhr.parquet")
    known = {lang: code for lang, code in _CODES.items() if code in texts and lang in stop_list_languages()}
    figures = [_measured(lang, known, texts) for lang in known if Frequencies.of_language(lang).shares]
    if options.json:
        print(json.dumps([asdict(item) for item in figures]))
        return
    rows = [
        [item.lang, item.words, f"{item.own:.2f}", f"{item.others:.3f}", f"{item.worst:.2f}", item.worst_lang]
        for item in figures
    ]
    mean = [sum(getattr(item, name) for item in figures) / len(figures) for name in ("own", "others", "worst")]
    rows.append(["mean", "", f"{mean[0]:.3f}", f"{mean[1]:.3f}", f"{mean[2]:.3f}", ""])
    print_table(["lang", "words", "own", "others", "worst", "which"], rows)


def _pieces(path: Path) -> dict[str, list[set[str]]]:
    """Cut the texts of each language into pieces, and return the words of each piece."""
    found: dict[str, list[set[str]]] = {}
    for row in pq.read_table(path).to_pylist():
        words = find_words(compose(row["text"]).lower())
        starts = range(0, max(len(words) - _PIECE_WORDS // 2, 1), _PIECE_WORDS)
        found.setdefault(row["lang"], []).extend(set(words[at : at + _PIECE_WORDS]) for at in starts)
    return found


def _measured(lang: str, known: dict[str, str], texts: dict[str, list[set[str]]]) -> Figures:
    words = set(filter_words(lang))
    shares = {other: sum(words <= piece for piece in texts[code]) / len(texts[code]) for other, code in known.items()}
    own = shares.pop(lang)
    worst = max(shares, key=lambda other: shares[other])
    return Figures(lang, " ".join(sorted(words)), own, sum(shares.values()) / len(shares), shares[worst], worst)


if __name__ == "__main__":
    main()
