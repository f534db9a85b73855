"""How well pages of several items are cut into items: on pages made up of the articles of gold standards, and how fast.

    python benchmarks/items.py ../shared/gold/l3s-gn1.parquet ../shared/gold/ceed-a.parquet

Beside precision, recall and F-measure of items stand the figures of the paper (BOEMIE, Table 1), on other pages.
Articles of sites that the model was trained on are left out, if the sets that these are from stand in the same folder.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from gristmill.arrays.dtypes import Ints
from gristmill.cleaning.cleaner import clean_alone
from gristmill.cleaning.items.entities import BY_RULES
from gristmill.cleaning.items.labelling import WITH_WORDS, by_field, by_titles
from gristmill.cleaning.items.splitting import Nodes, of_config, segmented_again, split, split_page, weights_of
from gristmill.cleaning.items.vectors import vectors
from gristmill.cleaning.languages import Languages
from gristmill.config import CleanConfig
from gristmill.document import Page
from gristmill.evaluation.gold import GoldPage, read_gold
from gristmill.evaluation.item_pages import made_up
from gristmill.evaluation.items import ItemScores, compare_items, labelled_nodes
from gristmill.evaluation.training.items import FILES
from gristmill.language import Models

_TIMED_PAGES = 100


def main() -> None:
    """Print the figures of each gold standard."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", nargs="+", type=Path)
    parser.add_argument("--pages", type=int, default=300, help="pages that are made up of each")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("the paper, athletics     heuristics P 0.408 R 0.186 F 0.256   with the field P 0.712 R 0.709 F 0.710")
    known = {path: {page.site for page in read_gold([path])[0].pages} for path in _trained_on(options.gold)}
    for path in options.gold:
        [found] = read_gold([path])
        sites = set().union(*(sites for other, sites in known.items() if other.name != path.name))
        pages = [page for page in found.pages if (page.lang or "en") == "en" and page.site not in sites]
        labelled = labelled_nodes(made_up(pages, options.pages, options.seed))
        rules = compare_items((by_titles(nodes.titles), gold, nodes.titles.tolist()) for nodes, gold in labelled)
        field, with_words = (_by_field(labelled, words=words) for words in (False, True))
        print(f"{found.name:24} heuristics {_shown(rules)}   with the field {_shown(field)}")
        print(f"{'':24} with words in common, which the paper has not: {_shown(with_words)}")
        print(f"{'':24} {_cost(pages[:_TIMED_PAGES]):.2f} times the time of mill alone")


def _trained_on(gold: list[Path]) -> set[Path]:
    return {path for one in gold for name in FILES if (path := one.parent / name).is_file()}


def _by_field(labelled: list[tuple[Nodes, Ints]], *, words: bool) -> ItemScores:
    pairs = []
    for nodes, gold in labelled:
        values = vectors(nodes.texts, nodes.titles.tolist(), BY_RULES, words=words)
        pairs.append((by_field(values, weights_of(""), WITH_WORDS if words else ""), gold, nodes.titles.tolist()))
    return compare_items(pairs)


def _shown(scores: ItemScores) -> str:
    return f"P {scores.precision:.3f} R {scores.recall:.3f} F {scores.f_measure:.3f}"


def _cost(pages: list[GoldPage]) -> float:
    """Compare the time of cleaning and cutting real pages with that of cleaning alone, in turns."""
    languages, config = Languages(Models.load()), CleanConfig(items="crf")
    spent = {"mill": 0.0, "items": 0.0}
    split_page(Page("", b"<p>a"), config=config)
    for page in pages:
        fetched = Page(page.url or "", page.html)
        begun = time.process_time()
        document = clean_alone(fetched, languages, config)
        spent["mill"] += time.process_time() - begun
        split(document, segmented_again(fetched, languages, config), of_config(config))
        spent["items"] += time.process_time() - begun
    return spent["items"] / spent["mill"]


if __name__ == "__main__":
    main()
