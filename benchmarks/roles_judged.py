"""Measure roles against blocks that were judged by reading: for each role that is found, how often it is right.

`roles_judged.tsv` has some 2,700 blocks of the gold standards, by page and place, up to 200 of each role as it was
found when they were drawn, and the role that a reader gave them; `?` is left out. Roles are found anew. Two tables:

- By the role that was found when the blocks were drawn: how many were right then, and how many are right now. As blocks
  were drawn by it, this tells what a change of the rules does to an even sample of each role.
- By the role that is found now: how many are right, and what the others should be.

Rules were written after reading these blocks, so the figures of now are not those of pages that nobody has seen.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from harness import command_line, find_gold_sets, print_table, tell

from gristmill.cleaning.cleaner import prepare
from gristmill.cleaning.features import Features
from gristmill.cleaning.languages import Languages
from gristmill.cleaning.roles import roles_of
from gristmill.document import Page
from gristmill.evaluation.gold import GoldPage, read_gold
from gristmill.language import Models
from gristmill.roles import DEFAULT_ROLES, ROLES

_JUDGED = Path(__file__).with_name("roles_judged.tsv")
_UNDECIDED = "?"

Place = tuple[int, int]
"""Where a block begins and ends in its page."""


class Judged(NamedTuple):
    """A block that was judged: the role found when it was drawn, the one that a reader gave it, and that of now."""

    drawn: str
    truth: str
    found: str


def read_judged(path: Path) -> dict[tuple[str, str], dict[Place, tuple[str, str]]]:
    """The role that was found and the one that is right, by gold standard and page, then by place."""
    pages: dict[tuple[str, str], dict[Place, tuple[str, str]]] = {}
    with path.open(encoding="utf-8", newline="") as lines:
        for gold_set, page, start, end, found, truth in list(csv.reader(lines, delimiter="\t"))[1:]:
            if truth != _UNDECIDED:
                pages.setdefault((gold_set, page), {})[int(start), int(end)] = (found, truth)
    return pages


def roles_now(page: GoldPage, models: Models) -> dict[Place, str]:
    """The roles of the blocks of a page by their places."""
    document, segmented = prepare(Page(page.url or "", page.html), Languages(models, page.lang or ""))
    columns = segmented.columns
    places = zip(columns.start.tolist(), columns.end.tolist(), strict=True)
    return dict(zip(places, roles_of(Features(segmented), document.page_kind).tolist(), strict=True))


def judge(folder: Path, models: Models) -> Iterator[Judged]:
    """Find the roles of all blocks that were judged."""
    known = read_judged(_JUDGED)
    for path in find_gold_sets(folder, sorted({gold_set for gold_set, _ in known})):
        gold = read_gold([path])[0]
        missed = 0
        for page in gold.pages:
            judged = known.get((gold.name, page.id))
            if judged:
                now = roles_now(page, models)
                missed += len(judged.keys() - now.keys())
                yield from (Judged(*judged[place], now[place]) for place in judged if place in now)
        tell(f"{gold.name}: {missed} blocks that were judged are not there now")


def confusions(blocks: list[Judged]) -> str:
    """What blocks should be that have another role now."""
    wrong = Counter(block.truth for block in blocks if block.found != block.truth)
    return ", ".join(f"{role} {number}" for role, number in wrong.most_common())


def summary(blocks: list[Judged]) -> dict[str, int]:
    """The figures over all blocks: those that are right, and those that are rightly text or not with default roles."""
    return {
        "blocks": len(blocks),
        "right when drawn": sum(block.drawn == block.truth for block in blocks),
        "right now": sum(block.found == block.truth for block in blocks),
        "text or not, right when drawn": sum(_is_text(block.drawn) == _is_text(block.truth) for block in blocks),
        "text or not, right now": sum(_is_text(block.found) == _is_text(block.truth) for block in blocks),
        "text that is lost, when drawn": sum(_is_text(block.truth) and not _is_text(block.drawn) for block in blocks),
        "text that is lost, now": sum(_is_text(block.truth) and not _is_text(block.found) for block in blocks),
    }


def _is_text(role: str) -> bool:
    return role in DEFAULT_ROLES


def print_tables(blocks: list[Judged]) -> None:
    """Print the two tables, and the figures over all."""
    rows = []
    for role in ROLES:
        drawn = [block for block in blocks if block.drawn == role]
        then, now = (sum(getattr(block, name) == block.truth for block in drawn) for name in ("drawn", "found"))
        rows.append([role, str(len(drawn)), str(then), str(now), confusions(drawn)])
    print_table(["role when drawn", "blocks", "right then", "right now", "wrong now, should be"], rows)
    print()
    rows = []
    for role in ROLES:
        found = [block for block in blocks if block.found == role]
        right = sum(block.found == block.truth for block in found)
        share = f"{100 * right / len(found):.0f}%" if found else ""
        rows.append([role, str(len(found)), str(right), share, confusions(found)])
    print_table(["role now", "blocks", "right", "", "should be"], rows)
    print()
    print_table(["", ""], [[name, str(number)] for name, number in summary(blocks).items()])


def read_arguments() -> argparse.Namespace:
    """The options of this run."""
    return command_line(f"Roles of blocks against judgements. {__doc__}").parse_args()


def main() -> None:
    """Find roles, then print."""
    arguments = read_arguments()
    blocks = list(judge(arguments.gold, Models.load()))
    if arguments.json:
        print(json.dumps({"summary": summary(blocks), "blocks": blocks}))
    else:
        print_tables(blocks)


if __name__ == "__main__":
    main()
