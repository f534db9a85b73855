"""One page takes neither all memory nor the pages beside it: how many blocks it may have, and what it may cost."""

from __future__ import annotations

import random
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from command import run

import gristmill
from gristmill.cleaning import Features, segment
from gristmill.cleaning.methods import mill, mill_features
from gristmill.cleaning.segmented import MAX_BLOCKS
from gristmill.config import Config
from gristmill.document import Page
from gristmill.engine import InlineEngine
from gristmill.kernel import COMPILED

STORY = "It was the miller who said that the river would rise at night, and it was the river that did as he said. "
GOOD = f"<title>Mill</title><p>{STORY * 3}"
TOO_MANY = "<title>Mill</title>" + "<p>x" * (MAX_BLOCKS + 1)
FOUND = ("blocks", "more than 500,000 blocks")


@pytest.mark.parametrize("form", ["html", "page", "text"])
def test_a_page_of_too_many_blocks_is_dropped_with_a_reason(form: str) -> None:
    is_text = form == "text"
    page = Page("", b"x\n" * (MAX_BLOCKS + 1) if is_text else TOO_MANY.encode(), is_text=is_text)
    document = gristmill.clean(TOO_MANY if form == "html" else page)
    assert (document.dropped, document.detail) == FOUND
    assert (document.text, len(document.blocks), document.method) == ("", 0, "")
    assert document.title == ("" if is_text else "Mill")


def test_a_page_of_as_many_blocks_as_are_allowed_is_cleaned() -> None:
    assert len(segment("<p>x" * MAX_BLOCKS)) == MAX_BLOCKS


def test_pages_of_too_many_blocks_are_counted_in_a_corpus(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "a.html").write_text(GOOD)
    (pages / "b.html").write_text(TOO_MANY)
    (pages / "c.html").write_text(GOOD.replace("miller", "baker"))
    for method in ("mill", "site-diff"):
        config = Config().replace(
            clean_method=method, clean_items="rules" if method == "mill" else "", filter_filters=()
        )
        corpus = gristmill.build([pages], tmp_path / method, config, engine=InlineEngine())
        assert corpus.counts["dropped"] == {"blocks": 1}
        assert corpus.counts["pages"] == 3
        assert FOUND in [fields[:2] for fields in corpus.dropped()]
    assert b"more than 500,000 blocks" in run("why", corpus.folder, "00000-000001").stdout
    shown = run("clean", pages / "b.html")
    assert (shown.returncode, shown.stdout.strip()) == (0, b"")
    assert b"no text: the page has more than 500,000 blocks" in shown.stderr


def test_a_large_page_is_scored_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    body = "".join(f"<div><p>{STORY}{number}</p><ul><li><a href=/{number}>Home</a></ul></div>" for number in range(60))
    page = Features(segment(f"<div class=post>{body}</div>"))
    whole = mill.mill(page, "en")
    sizes: list[int] = []

    def describe(part: Features) -> mill_features.Described:
        sizes.append(len(part))
        return mill_features.describe(part)

    monkeypatch.setattr(mill, "describe", describe)
    monkeypatch.setattr(mill, "_MAX_BLOCKS_AT_ONCE", 50)
    parts = mill.mill(page, "en")
    assert sizes == [50, 50, 20]
    assert len(parts.values) == len(page) == 120
    assert np.array_equal(parts.values <= 0.5, whole.values <= 0.5)
    assert list(parts.labels) == list(whole.labels)


@pytest.mark.parametrize("has_text_inside", [False, True])
def test_paths_of_nested_elements_take_little_memory(has_text_inside: bool) -> None:
    if not COMPILED:
        pytest.skip("arrays take other memory")
    names = ["blockquote", "section", "article"]
    chosen = random.Random(0)
    page = "".join(f"<{chosen.choice(names)}>" for _ in range(50_000)) + "x" + "<p>y" * has_text_inside
    segment(page)
    tracemalloc.start()
    try:
        segment(page)
        assert tracemalloc.get_traced_memory()[1] < 15_000_000  # all paths would be 30 MB
    finally:
        tracemalloc.stop()


_PROGRAM = """
import sys
from pathlib import Path
from gristmill.archive import find_sources
from gristmill.config import Config
from gristmill.engine.limits import limit_memory
from gristmill.pipeline.shard import ShardTask, get_ready
from gristmill.shards import Shard

folder, megabytes = Path(sys.argv[1]), int(sys.argv[2])
(folder / "shard").mkdir()
config = Config()
task = ShardTask(Shard(folder / "shard"), tuple(find_sources([folder / "pages"])), config)
get_ready()
data = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmData"))
limit_memory(int(data.split()[1]) * 1024 + megabytes * 1_000_000)
counts = task.run(lambda _: None)
print(*(f"{name}={counts[name]}" for name in sorted(counts) if name.startswith(("dropped.", "passed"))))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells how much memory a process has")
@pytest.mark.parametrize(
    ("megabytes", "counted"), [(900, "dropped.blocks=1 passed=2"), (60, "dropped.failed=1 passed=2")]
)
def test_the_pages_beside_one_of_millions_of_blocks_are_kept(tmp_path: Path, megabytes: int, counted: str) -> None:
    (tmp_path / "pages").mkdir()
    for name, page in {"a": GOOD, "b": "<p>x" * 2_475_000, "c": GOOD.replace("miller", "baker")}.items():
        (tmp_path / "pages" / f"{name}.html").write_text(page)
    command = [sys.executable, "-c", _PROGRAM, str(tmp_path), str(megabytes)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.stdout.strip() == counted, ran.stderr[-2000:]
