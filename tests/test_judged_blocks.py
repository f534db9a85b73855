"""Single features of blocks and their coherence, on gold pages that are worked by hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from command import run

from gristmill.evaluation import GoldPage, GoldSet, coherence, single_features
from gristmill.evaluation.feature_thresholds import baseline, reliabilities, sweep, sweep_both
from gristmill.evaluation.judged_blocks import FEATURES, JudgedBlocks, judge_page, together
from gristmill.evaluation.mixed_blocks import are_mixed

pytest.importorskip("rapidfuzz")


def judged(
    words: list[float], good: list[float], bad: list[float], reliability: list[int] | None = None
) -> JudgedBlocks:
    table = np.zeros((len(words), len(FEATURES)))
    table[:, FEATURES.index("words")] = words
    table[:, FEATURES.index("link density")] = [1 / (1 + word) for word in words]
    table[:, FEATURES.index("stop words")] = 0.4
    count = len(words)
    kinds = np.ones(count, np.int64)
    ar = np.array(reliability or [100] * count, np.int64)
    return JudgedBlocks(table, np.arange(count), np.array(good, float), np.array(bad, float), ar, kinds)


def test_a_threshold_worked_by_hand() -> None:
    """Good pieces of 40 and 100 characters in blocks of 10 and 30 words, a bad one of 60 in a block of 5.

    All: precision 140/200 = 0.7, recall 1. At 6 words both are 1. At 20 words recall is 100/140.
    """
    made = judged([10, 30, 5], [40, 100, 0], [0, 0, 60])
    assert (baseline(made).precision, baseline(made).recall) == (0.7, 1.0)
    found = sweep(made, "words")
    assert [found.counts[at].precision for at in (0, 5, 6)] == [0.7, 0.7, 1.0]
    assert (found.counts[20].recall, found.counts[20].precision) == (100 / 140, 1.0)
    assert found.best(1.0) == (6.0, 1.0)


def test_above_the_threshold_of_links_is_boilerplate() -> None:
    """The link densities are 1/11, 1/31 and 1/6: up to 0.16 the bad block is out, from 0.17 on it is in."""
    found = sweep(judged([10, 30, 5], [40, 100, 0], [0, 0, 60]), "link density")
    assert [found.counts[at].found for at in (0, 5, 10, 16, 17, 100)] == [0, 100, 140, 140, 200, 200]


def test_two_thresholds_together() -> None:
    """No stop word share above 0.4: with 0.45 nothing is left; with 5 to 0.4 and 10 words all that is good is."""
    found = sweep_both(judged([10, 30, 5], [40, 100, 0], [0, 0, 60]))
    by_threshold = dict(zip(found.thresholds, found.counts, strict=True))
    assert by_threshold[10, 0.4].f() == 1.0
    assert by_threshold[10, 0.45].found == 0
    assert found.best(0.5)[0] == "10; 0.05"


def test_reliability() -> None:
    """Only the first piece is agreed on by all; a piece in no block is lost to all thresholds."""
    made = judged([10, 30, 5], [40, 100, 0], [0, 0, 60], [100, 70, 60])
    assert (baseline(made, 100).wanted, baseline(made, 0).wanted) == (40, 140)
    assert reliabilities(made) == (100, 0)
    lost = JudgedBlocks(made.features, np.array([0, -1, 2]), made.good, made.bad, made.reliability, made.nodes)
    assert (baseline(lost).right, baseline(lost).wanted) == (40, 140)
    twice = together([lost, lost])
    assert twice.block.tolist() == [0, -1, 2, 3, -1, 5]


CANOLA = """<html><body>
<p><kw class="krdwrd-tag-3-100">The mill stands by the river and has done so for years.</kw>
<a href="#top"><kw class="krdwrd-tag-1-100">Back to Top</kw></a></p>
<p><kw class="krdwrd-tag-3-80">It still grinds flour for the whole village.</kw></p>
<ul><li><kw class="krdwrd-tag-1-100">Home page</kw></li></ul></body></html>"""


def canola() -> GoldPage:
    html = CANOLA.replace("</kw>", "")
    for tag in ("3-100", "1-100", "3-80"):
        html = html.replace(f'<kw class="krdwrd-tag-{tag}">', "")
    return GoldPage("canola", "1", html.encode(), "The mill", "en", "http://a.example/", None, CANOLA)


def test_a_block_with_a_link_back_to_the_top_is_mixed() -> None:
    """As in 2.9.4: good text with a "Back to Top" link at its end, one of the three blocks of the page."""
    made = judge_page(canola())
    assert made.block.tolist() == [0, 0, 1, 2]
    assert are_mixed(made).tolist() == [True, False, False]
    (all_agree, every) = coherence([GoldSet("canola", [canola()])]).to_json()["coherence"]
    assert (all_agree["blocks"], all_agree["mixed"], every["mixed"]) == (3, 1, 1)
    assert every["wrong"] == pytest.approx(len("Back to Top") / (55 + 11 + 44 + 9))


def test_pages_without_judged_nodes_go_by_words() -> None:
    """Half of the words of the second block stand in the gold text, so it is mixed; the first is all text."""
    html = b"<p>one two three four five six<p>seven eight nine zero<p>menu home"
    made = judge_page(GoldPage("own", "1", html, "one two three four five six seven eight", "en"))
    assert are_mixed(made).tolist() == [False, True, False]
    assert made.good.tolist() == [27.0, 10.5, 0.0]


@pytest.mark.parametrize("html", [b"", b"<p>one", b"<div>" * 3000, b"\x00\xff<p>"])
def test_hostile_pages(html: bytes) -> None:
    found = single_features([GoldSet("own", [GoldPage("own", "1", html, "one", None)])])
    assert json.dumps(found.to_json())
    assert found.to_svg()


def test_commands(tmp_path: Path) -> None:
    folder = tmp_path / "gold"
    folder.mkdir()
    for name in "ab":
        (folder / f"{name}.html").write_text(f"<p>{'The mill stands by the river. ' * 9}<p><a href=x>Home</a>")
        (folder / f"{name}.txt").write_text("The mill stands by the river. " * 9)
    picture = tmp_path / "features.svg"
    found = json.loads(run("evaluate", folder, "--show", "features", "--json", "--picture", picture).stdout)
    assert [row["f1"] for row in found["best"] if row["feature"] == "words"] == [1.0]
    drawn = picture.read_text()
    assert [f"gold, AR 0: {name}" in drawn for name in ("words", "F1 by words and stop words")] == [True, True]
    assert b"of blocks" in run("evaluate", folder, "--show", "coherence").stdout
    assert run("evaluate", folder, "--show", "words").returncode == 2
    assert run("evaluate", folder, "--show", "coherence", "-j", "2", "--json").stdout == (
        run("evaluate", folder, "--show", "coherence", "--json").stdout
    )
