"""An evaluation from pages to figures and to a page of HTML."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import gristmill
from gristmill import Document, UsageError
from gristmill.cleaning.site import clean_site
from gristmill.evaluation import (
    METRICS,
    GoldPage,
    GoldSet,
    as_json,
    evaluate,
    html_report,
    read_gold,
    run,
    summarise,
    text_table,
)
from gristmill.evaluation.picture import Point, precision_recall_svg

GOOD = (
    "It was the miller who said that the river would rise in the night, and it was the river that did what he "
    "had said it would do. "
) * 3
NASTY = "<script>alert(1)</script>&\"'"


def html(number: int) -> bytes:
    menu = "".join(f"<li><a href=/{item}>Item {item}</a>" for item in range(9))
    return f"<title>T</title><ul>{menu}</ul><p>{GOOD} Page {number}.</p><div>Copyright © nobody</div>".encode()


def gold_set(name: str = "mine", count: int = 4, site: str = "a.example") -> GoldSet:
    pages = [
        GoldPage(name, str(at), html(at), f"{GOOD} Page {at}.", "en", f"http://{site}/{at}") for at in range(count)
    ]
    return GoldSet(name, pages)


def test_figures() -> None:
    [summary] = summarise(evaluate([gold_set()], ["justext"]))
    figures = summary.overall
    assert (figures["pages"], figures["errors"], figures["cut"]) == (4, 0, 0)
    assert figures["words"] == {"precision": 1, "recall": 1, "f1": 1, "f05": 1, "f1_interval": (1, 1)}
    assert figures["multiset"] == {"precision": 1, "recall": 1, "f1": 1, "f1_interval": (1, 1)}
    assert figures["cleaneval"]["text_only"] == 1
    assert figures["nodes"] is None
    assert figures["fragments"]["per_page"] == 1
    assert figures["ms"] > 0


def test_methods_are_sorted_and_sets_count_the_same() -> None:
    empty = GoldSet("other", [GoldPage("other", "1", b"<p>x", f"{GOOD} more words than there are", "en")])
    evaluation = evaluate([gold_set(), empty], ["all", "justext"])
    first, second = summarise(evaluation)
    assert (first.method, second.method) == ("justext", "all")
    assert first.sets["other"]["words"]["f1"] == 0
    assert first.overall["words"]["f1"] == pytest.approx(0.5)
    table = text_table([second, first], METRICS["words"]).splitlines()
    assert table[0].split() == "method P R F1 F0.5 multiset F1 95% interval ms/page".split()
    assert [line.split()[0] for line in table[1:]] == ["justext", "mine", "other", "all", "mine", "other"]
    assert table[1].split()[1:6] == ["0.500", "0.500", "0.500", "0.500", "0.500"]


@pytest.mark.parametrize("metric", list(METRICS))
def test_every_metric_has_a_table(metric: str) -> None:
    summaries = summarise(evaluate([gold_set()], ["justext"]))
    header, row = text_table(summaries, METRICS[metric]).splitlines()
    assert header.startswith("method")
    assert row.startswith("justext")


def test_a_method_that_raises_is_counted_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(page: bytes, *rest: Any, **options: Any) -> Document:
        if b"Page 2" in page:
            raise ValueError(f"cannot grind {NASTY}")
        return gristmill.clean(page, *rest, **options)

    monkeypatch.setattr(run, "clean", broken)
    evaluation = evaluate([gold_set()], ["justext"], worst=2)
    [summary] = summarise(evaluation)
    assert summary.overall["errors"] == 1
    assert summary.overall["raised"] == {f"ValueError: cannot grind {NASTY}": 1}
    assert summary.overall["multiset"]["f1"] == pytest.approx(3 / 4)
    worst = evaluation.results["justext", "mine"].worst
    assert [page.score.id for page in worst] == ["2", "0"]
    assert "cannot grind" in html_report(evaluation, [summary])


def test_site_methods_get_all_pages_of_a_site(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def spy(pages: Any, *rest: Any) -> list[Document]:
        seen.append(len(pages))
        return clean_site(pages, *rest)

    monkeypatch.setattr(run, "clean_site", spy)
    both = GoldSet("both", gold_set(count=3).pages + gold_set(count=2, site="b.example").pages)
    [summary] = summarise(evaluate([both], ["site-dom"]))
    assert seen == [3, 2]
    assert summary.overall["pages"] == 5
    monkeypatch.setattr(run, "clean_site", lambda *_: 1 / 0)
    [summary] = summarise(evaluate([both], ["site-dom"]))
    assert summary.overall["errors"] == 5


def test_workers_change_nothing_but_the_times() -> None:
    sets = [gold_set(), gold_set("other", 2)]
    [one] = summarise(evaluate(sets, ["justext"]))
    reported: list[int] = []
    [two] = summarise(evaluate(sets, ["justext"], workers=2, report=reported.append))
    for figures in (one.overall, two.overall, *one.sets.values(), *two.sets.values()):
        del figures["ms"]
    assert one == two
    assert sum(reported) == 6


def test_wrong_usage() -> None:
    with pytest.raises(UsageError, match="there is no cleaning method 'magic'"):
        evaluate([gold_set()], ["magic"])
    with pytest.raises(UsageError, match="no page is left"):
        evaluate([gold_set().select(["zz"])], ["justext"])


class _Balance(HTMLParser):
    """Fails on tags that are not closed, and on scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag != "script"
        assert not any(name in {"src", "href"} or name.startswith("on") for name, _ in attrs)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_html_report_needs_nothing_and_escapes_everything() -> None:
    page = GoldPage(
        "nasty",
        NASTY,
        f"<p>{GOOD}&lt;b&gt;</p><p>Menu &lt;script&gt;</p>".encode(),
        f"quite {NASTY} other",
        "en",
        NASTY,
    )
    sets = [gold_set(), GoldSet(f"n{NASTY}", [page])]
    sets[1].left_out[NASTY] = 1
    evaluation = evaluate(sets, ["justext", "all"], worst=3)
    report = html_report(evaluation, summarise(evaluation))
    reader = _Balance()
    reader.feed(report)
    reader.close()
    assert not reader.open
    assert "alert(1)" in report
    assert re.search(r'class="block (right|extra|lost|out)"', report)
    assert "gold words missed" in report


def test_the_picture() -> None:
    points = [
        Point("one & <two>", 0.9, 0.8),
        Point("one", 0.9, 0.8),
        *(Point(f"m{at}", 0.85 + at / 1000, 0.9) for at in range(30)),
    ]
    root = ET.fromstring(precision_recall_svg(points))  # noqa: S314 (our own)
    name = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f"{name}circle")) == len(points)
    labels = [text.text for text in root.findall(f"{name}text")]
    assert {"one & <two>", "one", "m29", "recall", "precision"} <= set(labels)
    for low, high in [(0.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.5, 0.501)]:
        ET.fromstring(precision_recall_svg([Point("a", low, high), Point("b", high, low)]))  # noqa: S314


def test_json_has_everything(gold: Path) -> None:
    sets = [gold_set.select(limit=3) for gold_set in read_gold([gold / "canola.parquet", gold / "cleaneval.parquet"])]
    evaluation = evaluate(sets, ["justext"])
    figures = as_json(evaluation, summarise(evaluation))
    assert figures["sets"]["cleaneval"]["left_out"] == {"empty gold": 7, "bad gold": 2}
    of_sets = figures["methods"]["justext"]["sets"]
    assert of_sets["canola"]["nodes"]["reliability_0"]["f1"] > 0.5
    assert of_sets["cleaneval"]["cleaneval"]["tags"]["f1"] > 0
