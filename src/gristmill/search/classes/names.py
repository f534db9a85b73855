"""Names of a corpus: proper nouns in a row, as a whole; and names as users write them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Ids, Mask
from gristmill.corpus.attributes import lower_cased_texts
from gristmill.errors import UsageError
from gristmill.search.classes.pattern import Name
from gristmill.search.classes.pattern_files import ClassPatterns
from gristmill.search.index.index import Index
from gristmill.search.index.lexicon import Lexicon
from gristmill.search.sketches.extract import Extract, extracts
from gristmill.search.subcorpus import Subcorpus

_MISTAKEN = ("ADJ", "VERB")
"""Tags of words that are part of a name, if they begin with a capital and stand before a proper noun."""
MAX_WORDS = 6
"""Words of a name; longer rows of proper nouns are headings, mostly."""


def name_of(text: str, lang: str, titles: Sequence[str] = (), *, last: bool = False) -> Name:
    """Divide a name as the texts in a language are; with `last`, its last word alone stands for it, too."""
    from gristmill.annotation.tokeniser import tokenise  # noqa: PLC0415 (names of a corpus are divided already)

    words = tuple(tokenise(text.strip(), lang).words)
    if not words or len(words) > 2 * MAX_WORDS:
        raise UsageError(f"which name? Write one of at most {2 * MAX_WORDS} words, such as 'Al Franken'")
    return _name(words, titles, last=last)


def _name(words: tuple[str, ...], titles: Sequence[str], *, last: bool) -> Name:
    forms = (words, words[-1:]) if last and len(words) > 1 else (words,)
    return Name(" ".join(words), forms, tuple(lower_cased_texts(titles)))


@dataclass(frozen=True, slots=True)
class Named:
    """A name of a corpus, and how often it occurs."""

    name: Name
    count: int


def frequent_names(
    index: Index, part: Subcorpus, patterns: ClassPatterns, *, min_count: int = 5, last: bool = False
) -> list[Named]:
    """List the names of some documents, the most frequent first: rows of proper nouns, without titles before them.

    Taggers take the first word of United States or New York for an adjective; a word with a capital that is directly
    before a proper noun, and does not begin the sentence, belongs to the name.
    """
    titles = patterns.titles
    words = index.attribute("word")
    proper = index.attribute("tag").lexicon.find("PROPN")
    if proper < 0:
        return []
    left_out = set(lower_cased_texts(titles))
    capitals = _capitals(words.lexicon)
    rows: Counter[tuple[int, ...]] = Counter()
    for extract in extracts(index, part.numbers, part.kind):
        ids = extract.attributes["word"].ids
        bounds = extract.structure("s").bounds.astype(np.int64)
        starts, ends = _rows(_with_capitals(extract, proper, capitals, bounds), bounds)
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            rows[tuple(ids[start:end].tolist())] += 1
    counted: Counter[tuple[str, ...]] = Counter()
    known = _texts(words.lexicon, rows)
    small = lower_cased_texts(list(known.values()))
    is_title, is_no_name = (
        dict(zip(known, (text in some for text in small), strict=True)) for some in (left_out, patterns.not_names)
    )
    for row, count in rows.items():
        first = next((at for at, number in enumerate(row) if not is_title[number]), len(row))
        texts = tuple(known[number] for number in row[first:])
        if 0 < len(texts) <= MAX_WORDS and any(map(str.isalpha, texts[0])) and not is_no_name[row[-1]]:
            counted[texts] += count
    frequent = [(texts, count) for texts, count in counted.items() if count >= min_count]
    frequent.sort(key=lambda item: (-item[1], item[0]))
    return [Named(_name(texts, titles, last=last), count) for texts, count in frequent]


def _texts(lexicon: Lexicon, rows: Counter[tuple[int, ...]]) -> dict[int, str]:
    numbers = sorted({number for row in rows for number in row})
    return dict(zip(numbers, lexicon.strings(np.array(numbers, np.int64)), strict=True))


def _capitals(lexicon: Lexicon) -> Mask:
    """Which words of a lexicon begin with a capital."""
    found = np.zeros(max(len(lexicon), 1), np.bool_)
    found[lexicon.matching(r"\p{Lu}.*")] = True
    return found


def _with_capitals(extract: Extract, proper: int, capitals: Mask, bounds: Ids) -> Mask:
    """Which tokens are proper nouns, or words with a capital of another open class that are directly before one."""
    tags = extract.attributes["tag"]
    found = tags.ids == proper
    others = [number for tag in _MISTAKEN if (number := tags.lexicon.find(tag)) >= 0]
    before = np.isin(tags.ids, others) & capitals[extract.attributes["word"].ids.astype(np.int64)]
    before[bounds[:-1]] = False
    before[:-1] &= found[1:]
    before[bounds[1:] - 1] = False
    return np.asarray(found | before)


def _rows(proper: Mask, bounds: Ids) -> tuple[Ids, Ids]:
    """Where rows of proper nouns begin and end; a row ends with its sentence."""
    before = np.concatenate([[False], proper[:-1]])
    after = np.concatenate([proper[1:], [False]])
    first, last = np.zeros(len(proper) + 1, np.bool_), np.zeros(len(proper) + 1, np.bool_)
    first[bounds] = True
    last[bounds] = True
    starts = np.flatnonzero(proper & (~before | first[:-1]))
    ends = np.flatnonzero(proper & (~after | last[1:])) + 1
    return starts, ends
