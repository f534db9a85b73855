"""Measure classes of names as RoDEO was evaluated (section 4.3), on pages of the gold standards.

The names are the most frequent ones of the corpus that WordNet knows as single things. Expected are what WordNet says
that they are instances of, and their general type (person, location, group), as FreeBase gave both to RoDEO. A class is
correct if its path similarity with an expected type is over 0.21; the accuracy of a name is the share of its correct
classes, and that of the system the mean over names.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from harness import at_least_one, command_line, find_gold_sets, print_table, tell

import gristmill
from gristmill.search.classes.classes import Classes, Searched, classes_of
from gristmill.search.classes.evaluation import ClassEvaluation, evaluate
from gristmill.search.classes.names import Named, frequent_names
from gristmill.search.classes.opening import open_classes
from gristmill.search.classes.wordnet import WordNet

GENERAL = ("person", "location", "group")
PAPER = {"all": 0.70, "person": 0.87}
"""Accuracies of RoDEO's Table 2."""


def expected_types(names: list[Named], wordnet: WordNet) -> dict[str, list[str]]:
    """What WordNet says that names are: the classes of all their senses that are single things, and general types."""
    roots = {wordnet.senses(word)[0].offset: word for word in GENERAL}
    found = {}
    for named in names:
        senses = [
            sense for sense in wordnet.senses(named.name.text) if sense.classes and _same_case(named, sense.words)
        ]
        types = [wordnet.synset(offset).words[0] for sense in senses for offset in sense.classes]
        above = [
            root for sense in senses for offset, root in roots.items() if offset in wordnet.distances(sense.offset)
        ]
        if types:
            found[named.name.text] = list(dict.fromkeys([*above, *types]))
    return found


def _same_case(named: Named, words: tuple[str, ...]) -> bool:
    """Whether one of the words is the name as it is written: May is a month, may is none."""
    return named.name.text in words


def measure(searched: Searched, names: dict[str, Named], expected: dict[str, list[str]]) -> ClassEvaluation:
    """Find the classes of all names, and compare them."""
    if searched.wordnet is None:
        raise SystemExit("a WordNet is needed")

    def find(name: str) -> Classes:
        return classes_of(searched, names[name].name)

    return evaluate(expected, find, searched.wordnet)


def judged_by(corpus: gristmill.Corpus, arguments: dict[str, Any], wordnet: WordNet) -> Searched:
    """Make ready; without a WordNet for clusters, one is still needed to compare."""
    searched = open_classes(corpus.index, lambda lang: corpus.sketches(lang=lang), lang="en", **arguments)
    return Searched(
        searched.index,
        searched.part,
        searched.lang,
        searched.within,
        searched.patterns,
        searched.clustering,
        wordnet,
        searched.enough,
    )


def main() -> None:
    """Measure and print."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"), metavar="DIR")
    parser.add_argument("--sets", default="dragnet-a,wcxb-a,l3s-gn1,cleaneval", metavar="A,B", help="gold standards")
    parser.add_argument("--corpus", type=Path, metavar="DIR", help="where the corpus is kept (default: nowhere)")
    parser.add_argument("--names", type=at_least_one, default=400, metavar="N", help="names (default: 400)")
    parser.add_argument("--patterns", default="tags", metavar="A,B", help="kinds of patterns (default: tags)")
    arguments = parser.parse_args()
    wordnet = WordNet(arguments.wordnet)
    with tempfile.TemporaryDirectory() as temporary:
        place = (arguments.corpus or Path(temporary) / "corpus").absolute()
        if not (place / "corpus.toml").exists():
            tell("building the corpus")
            gristmill.build([str(path) for path in find_gold_sets(arguments.gold, arguments.sets.split(","))], place)
        corpus = gristmill.Corpus(place)
        rows = []
        for kind in arguments.patterns.split(","):
            for about, options in (
                ("distribution", {}),
                ("WordNet, first sense", {"wordnet": arguments.wordnet}),
                ("WordNet, 2 senses", {"wordnet": arguments.wordnet, "senses": 2}),
            ):
                searched = judged_by(corpus, {"patterns": kind, "enough": None, **options}, wordnet)
                named = frequent_names(searched.index, searched.part, searched.patterns, min_count=5)
                expected = dict(list(expected_types(named, wordnet).items())[: arguments.names])
                result = measure(searched, {one.name.text: one for one in named}, expected)
                tell(f"{kind}, {about}: {result!r}")
                rows += [{"patterns": kind, "clusters": about, **row} for row in result.to_json()["rows"]]
    if arguments.json:
        print(json.dumps(rows, indent=1))
        return
    shown = [row for row in rows if row["type"] in {"all", *GENERAL} or row["names"] >= 10]
    header = ["patterns", "clusters", "type", "names", "without", "correct", "classes", "accuracy", "RoDEO"]
    table = [
        [*(str(row[key]) for key in header[:-2]), f"{row['accuracy']:.2f}", str(PAPER.get(row["type"], ""))]
        for row in shown
    ]
    print_table(header, table)


if __name__ == "__main__":
    main()
