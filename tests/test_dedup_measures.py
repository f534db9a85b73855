"""What is measured of de-duplication on known truth, by documents for which the figures can be worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from gristmill import dedup
from gristmill.evaluation.near_duplicates import (
    BOUNDS,
    EVERY_KIND,
    Made,
    MadeBlock,
    Tally,
    make,
    measures,
    missed,
    read_verdicts,
    sample_texts,
    total,
    write_shards,
)
from gristmill.shards import read_rows

LEFT, GONE, STUB = "unique", "duplicate", "stub"


def block(origin: int, words: int = 20, **more: float | str) -> MadeBlock:
    return MadeBlock(" ".join(f"w{origin}x{word}" for word in range(words)), origin, **more)  # type: ignore[arg-type]


def page(
    *blocks: MadeBlock, kind: str = "mirror", cluster: int = 0, resemblance: float = 1.0, lang: str = "en"
) -> Made:
    return Made("https://site.example/", blocks, kind, cluster, resemblance, lang)


def tally(*judged: tuple[Made, list[str]]) -> Tally:
    return total(measures([document for document, _ in judged], [verdicts for _, verdicts in judged]))


def oracle(documents: list[Made]) -> list[list[str]]:
    """The verdicts of who knows the truth: the longest copy of each text is left, and all that is there once."""
    best: dict[int, tuple[float, int, int]] = {}
    for number, document in enumerate(documents):
        for at, found in enumerate(document.blocks):
            best[found.origin] = min(best.get(found.origin, (9.0, 0, 0)), (found.changed + 1 - found.part, number, at))
    kept = {place[1:] for place in best.values()}
    return [
        [LEFT if (number, at) in kept else GONE for at in range(len(document.blocks))]
        for number, document in enumerate(documents)
    ]


def test_copies_are_gone_but_for_one() -> None:
    found = tally(
        (page(block(1), block(2)), [LEFT, LEFT]),
        (page(block(1), block(2)), [GONE, LEFT]),
        (page(block(1), block(2)), [GONE, GONE]),
    )
    assert found.counts["copies_gone"] == (60, 80)
    assert found.counts["texts_lost"] == (0, 2)


def test_a_text_that_no_copy_is_left_of_is_lost() -> None:
    found = tally(
        (page(block(1), block(2, 9), block(3)), [STUB, STUB, LEFT]), (page(block(1), block(2, 9)), [GONE, GONE])
    )
    assert found.counts["texts_lost"] == (1, 2)  # a text of nine words is not looked for
    assert found.counts["copies_gone"] == (20, 20)
    assert found.counts["first_blocks_lost"] == (1, 1)
    assert found.counts["unique_words_lost"] == (0, 20)
    assert found.counts["stub_words"] == (29, 78)


def test_unique_words_are_those_of_texts_that_are_there_once() -> None:
    found = tally((page(block(1, 3), block(2), block(3, 5)), [STUB, LEFT, GONE]), (page(block(4)), [LEFT]))
    assert found.counts["unique_words_lost"] == (8, 48)
    assert found.counts["first_blocks_lost"] == (1, 2)


def test_revisions_are_counted_by_resemblance() -> None:
    judged = []
    for cluster, resemblance in enumerate((0.2, 0.3)):
        first = page(block(cluster), block(cluster + 10, 30), kind="revision", cluster=cluster)
        version = page(
            block(cluster, 19, changed=0.1),
            block(cluster + 10, 31, changed=0.1),
            kind="revision",
            cluster=cluster,
            resemblance=resemblance,
        )
        judged += [(first, [LEFT, LEFT]), (version, [GONE, LEFT])]
    found = tally(*judged)
    assert found.counts["revised 0.2"] == found.counts["revised 0.3"] == found.counts["revisions_gone"] == (19, 49)
    assert "copies_gone" not in found.counts


def test_a_changed_copy_saves_a_text_and_a_part_does_not() -> None:
    changed = tally((page(block(1)), [GONE]), (page(block(1, changed=0.1)), [LEFT]))
    part = tally((page(block(1)), [GONE]), (page(block(1, 12, part=0.6)), [LEFT]))
    assert changed.counts["texts_lost"] == (0, 1)
    assert part.counts["texts_lost"] == (1, 1)
    assert part.counts["parts_gone"] == (0, 12)


def test_ways_of_writing_are_copies_and_counted_apart() -> None:
    found = tally(
        (page(block(1)), [LEFT]),
        (page(block(1, written="upper case")), [LEFT]),
        (page(block(2)), [LEFT]),
        (page(block(2)), [GONE]),
    )
    assert found.counts["copies_gone"] == (20, 40)
    assert found.counts["written upper case"] == (0, 20)


def test_tallies_are_by_kind_and_language() -> None:
    documents = [page(block(1)), page(block(2), lang="th"), page(block(3), kind="table", lang="th")]
    found = measures(documents, [[LEFT], [GONE], [GONE]])
    assert {key: tally.share("unique_words_lost") for key, tally in found.items()} == {
        ("mirror", "en"): 0.0,
        ("mirror", "th"): 1.0,
        ("table", "th"): 1.0,
    }
    assert total(found, lambda _, lang: lang == "th").counts["unique_words_lost"] == (40, 40)
    assert total(found, lambda kind, _: kind == "mirror").counts["unique_words_lost"] == (20, 40)


def test_bounds_say_what_was_missed() -> None:
    found = tally((page(block(1), block(2)), [GONE, LEFT]), (page(block(2)), [LEFT]))
    assert missed(found) == [
        "copies_gone 0.000%, must be ≥ 99.50%",
        "texts_lost 50.000%, must be ≤ 0.01%",
        "unique_words_lost 100.000%, must be ≤ 0.50%",
        "first_blocks_lost 50.000%, must be ≤ 0.50%",
    ]
    assert missed(found, ["revisions_gone"]) == []
    assert found.as_json() == {
        "figures": {
            "copies_gone": 0.0,
            "texts_lost": 0.5,
            "unique_words_lost": 1.0,
            "first_blocks_lost": 0.5,
            "revisions_gone": None,
            "stub_words": 0.0,
        },
        "counts": {
            "copies_gone": [0, 20],
            "first_blocks_lost": [1, 2],
            "stub_words": [0, 60],
            "texts_lost": [1, 2],
            "unique_words_lost": [20, 20],
        },
    }


@pytest.mark.parametrize("seed", [1, 2])
def test_all_bounds_hold_for_who_knows_the_truth(seed: int) -> None:
    documents = list(make(sample_texts(), seed, EVERY_KIND))
    found = total(measures(documents, oracle(documents)))
    assert missed(found) == []
    assert all(found.counts[name].all > 20 for name in BOUNDS)
    nothing = [[LEFT] * len(document.blocks) for document in documents]
    assert [miss.split()[0] for miss in missed(total(measures(documents, nothing)))] == [
        "copies_gone",
        "revisions_gone",
    ]
    everything = [[GONE] * len(document.blocks) for document in documents]
    assert [miss.split()[0] for miss in missed(total(measures(documents, everything)))] == [
        "texts_lost",
        "unique_words_lost",
        "first_blocks_lost",
    ]


def test_verdicts_are_read_from_shards(tmp_path: Path) -> None:
    documents = list(make(sample_texts(), 1))
    shards = write_shards(documents, tmp_path, 60)
    dedup.run("onion", shards, tmp_path / "work")
    rows = [row for shard in shards for row in read_rows(shard.duplicates)]
    assert list(read_verdicts(shards)) == [[judged["verdict"] for judged in row["blocks"]] for row in rows]
    assert {verdict for verdicts in read_verdicts(shards) for verdict in verdicts} >= {LEFT, GONE}
