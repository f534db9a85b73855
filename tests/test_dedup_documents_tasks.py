"""Sketches that are matched by tasks, which see a part of them each: the result is that of matching them at once."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from dedup_corpora import document, result_bytes, texts, write

from gristmill import dedup
from gristmill.dedup.documents import driver
from gristmill.dedup.documents.rounds import JudgePairs
from gristmill.document import Document
from gristmill.engine import LocalEngine
from gristmill.kept import replaced_by
from gristmill.shards import Shard

METHODS = (
    "minhash:n=3,k=6,s=2,r=2",
    "minhash:n=2,k=8,s=1,r=3,threshold=0.5",
    "simhash:distance=6",
    "simhash:distance=0",
    "pugh:least=1",
    "pugh:p=0.1,equal=2",
    "wacky:n=2",
    "wacky:n=3,least=3,drop_frequent=0.05,reach=3",
    "winnow:n=2,window=4,threshold=0.3",
    "winnow:n=3,window=6,drop_frequent=0.3",
    "wacky:n=2,clusters=true",
    "containment:n=2,m=3,threshold=0.4",
    "containment:n=2,m=3,threshold=0.4,drop_frequent=0.05",
    "containment:n=2,m=3,threshold=0.4,clusters=true",
    "henzinger:n=2,k=4,s=2,agree=220",
    "sif:n=10,m=4",
    "heintze:n=10,count=20",
    "heintze:n=10,count=20,choose=rarest",
    "shivakumar:threshold=0.2",
    "intervals:n=2,least=5,gap=5",
    "resemblance:n=2,threshold=0.4",
    "resemblance:n=2,threshold=0.3,drop_frequent=1.0",
)


def _shards(seed: int) -> list[list[Document]]:
    """Documents with common text; some are there again, as they are or with a word changed."""
    found = texts(seed, count=40)
    draw = random.Random(seed)
    for _ in range(30):
        words = [word for block in draw.choice(found).blocks for word in block.text.split()]
        if draw.random() < 0.7:
            words[draw.randrange(len(words))] = "other"
        found.append(document([(words, True)]))
    draw.shuffle(found)
    return [found[:20], [], found[20:21], found[21:45], found[45:]]


def _run(method: str, folder: Path, **means: Any) -> tuple[list[bytes], dict[str, int]]:
    shards = [Shard(path) for path in sorted((folder / "shards").iterdir())]
    found = dedup.parse(method).run(dedup.Job(tuple(shards), folder / "work", **means))
    assert not (folder / "work").exists()
    return result_bytes(shards), found


@pytest.mark.parametrize("method", METHODS)
def test_tasks_find_what_is_found_at_once(method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, _shards(1))
    at_once = _run(method, tmp_path)
    monkeypatch.setattr(driver, "_MAX_FEATURES", 60)
    assert _run(method, tmp_path) == at_once
    assert at_once[1]["pairs"] or "drop_frequent=1.0" in method


@pytest.mark.parametrize(
    "method",
    [
        "minhash:n=3,k=6,s=2,r=2",
        "simhash:distance=6",
        "wacky:n=2",
        "containment:n=2,m=3,threshold=0.4",
        "heintze:n=10,count=20,choose=rarest",
        "intervals:n=2,least=5,gap=5",
    ],
)
def test_tasks_leave_settled_documents(method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is like a settled copy is a copy of the same document, whether tasks find it or not."""
    shards = write(tmp_path, [*_shards(2), *_shards(3), *_shards(2)[:1]])
    made = dedup.parse(method)
    made.run(dedup.Job(tuple(shards[:5]), tmp_path / "work"))
    job = dedup.Job(tuple(shards[5:]), tmp_path / "work", settled=tuple(shards[:5]))
    counts = made.run(job)
    at_once = result_bytes(shards)
    monkeypatch.setattr(driver, "_MAX_FEATURES", 60)
    assert made.run(job) == counts
    assert result_bytes(shards) == at_once
    assert not any(map(replaced_by, shards))


def test_worker_processes_find_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, _shards(4))
    alone = _run("wacky:n=2", tmp_path)
    monkeypatch.setattr(driver, "_MAX_FEATURES", 200)
    assert _run("wacky:n=2", tmp_path, engine=LocalEngine(2)) == alone


def test_what_was_killed_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of rounds that are done are used again, unless a document has changed since."""
    shards = write(tmp_path, _shards(5))
    at_once = _run("wacky:n=2", tmp_path)
    monkeypatch.setattr(driver, "_MAX_FEATURES", 60)
    with monkeypatch.context() as killed:
        killed.setattr(JudgePairs, "arrays", _killed)
        with pytest.raises(KeyboardInterrupt):
            _run("wacky:n=2", tmp_path)
    done = {path: path.stat().st_ino for path in (tmp_path / "work").rglob("*") if path.is_file()}
    assert {path.parent.name for path in done} >= {"sketches", "store", "pairs"}
    with monkeypatch.context() as again:
        again.setattr(driver.SketchShard, "run", _killed)
        assert _run("wacky:n=2", tmp_path) == at_once
    with monkeypatch.context() as killed:
        killed.setattr(JudgePairs, "arrays", _killed)
        with pytest.raises(KeyboardInterrupt):
            _run("wacky:n=2", tmp_path)
    write(tmp_path, [[], *_shards(5)[1:]])
    shards[0].duplicates.unlink()
    assert len(_run("wacky:n=2", tmp_path)[0]) == len(shards)


def _killed(*_: object) -> None:
    raise KeyboardInterrupt
