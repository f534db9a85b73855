"""On near-duplicates of which the truth is known: nothing is left twice, nothing is lost, and a second run finds next to nothing."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from gristmill import dedup
from gristmill.clean.words import count_words
from gristmill.dedup.tokens import Tokens, shingle, tokenise
from gristmill.evaluate.near_duplicates import Made, MadeBlock, make, sample_texts, write_shards
from gristmill.shards import DUPLICATES, read_rows

_LONG = 30  # words; what is shorter may go as a stub


class Judged:
    """Documents that were made, and what de-duplication says of them."""

    def __init__(self, documents: list[Made], folder: Path, method: str = "onion") -> None:
        self.documents = documents
        shards = write_shards(documents, folder, per_shard=40)
        self.counts = dedup.run(method, shards, folder / "work")
        self.rows = [row for shard in shards for row in read_rows(shard / DUPLICATES)]

    def blocks(self) -> list[tuple[Made, MadeBlock, str]]:
        return [
            (document, block, judged["verdict"])
            for document, row in zip(self.documents, self.rows, strict=True)
            for block, judged in zip(document.blocks, row["blocks"], strict=True)
        ]

    def left(self) -> list[list[str]]:
        """The blocks that are left of each document."""
        return [
            [block.text for block, judged in zip(document.blocks, row["blocks"], strict=True) if judged["verdict"] == "unique"]
            for document, row in zip(self.documents, self.rows, strict=True)
        ]


@pytest.fixture(scope="module", params=[1, 2])
def judged(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Judged:
    return Judged(list(make(sample_texts(), request.param)), tmp_path_factory.mktemp("made"))


def repeated_ngrams(documents: list[list[str]], n: int = 10) -> int:
    """Occurrences of n-grams that occur more than once, within documents, as the thesis counts them."""
    tokens = tokenise([block for document in documents for block in document])
    starts = [0]
    for document in documents:
        starts.append(starts[-1] + len(document))
    hashes = shingle(Tokens(tokens.hashes, tokens.starts[starts]), n).hashes.tolist()
    counts: dict[int, int] = defaultdict(int)
    for number in hashes:
        counts[number] += 1
    return sum(count for count in counts.values() if count > 1)


def test_of_copies_exactly_one_is_left(judged: Judged) -> None:
    copies: dict[int, list[str]] = defaultdict(list)
    for _, block, verdict in judged.blocks():
        if block.changed == 0 and block.part == 1 and count_words(block.text) > _LONG:
            copies[block.origin].append(verdict)
    repeated = [verdicts for verdicts in copies.values() if len(verdicts) > 1]
    assert len(repeated) > 50
    assert [verdicts.count("unique") for verdicts in repeated] == [1] * len(repeated)


def test_no_text_is_lost(judged: Judged) -> None:
    """Of every long text some version is left: it, or a revision of it."""
    versions: dict[int, list[str]] = defaultdict(list)
    for _, block, verdict in judged.blocks():
        if block.part == 1 and count_words(block.text) > _LONG:
            versions[block.origin].append(verdict)
    assert len(versions) > 100
    assert all("unique" in verdicts for verdicts in versions.values())


def test_what_is_unique_is_left_alone(judged: Judged) -> None:
    verdicts = [verdict for document, _, verdict in judged.blocks() if document.kind == "unique"]
    assert len(verdicts) > 100
    assert set(verdicts) == {"unique"}


def test_block_level_leaves_at_most_a_twentieth_and_documents_leave_most(judged: Judged, tmp_path: Path) -> None:
    """The thesis's conclusion from Table 3.4, for n = 10, all tokens and a threshold of 0.5."""
    before = repeated_ngrams([[block.text for block in document.blocks] for document in judged.documents])
    assert repeated_ngrams(judged.left()) <= 0.05 * before
    by_documents = Judged(judged.documents, tmp_path, "resemblance")
    assert repeated_ngrams(by_documents.left()) > 0.5 * before


def test_a_second_run_finds_next_to_nothing(judged: Judged, tmp_path: Path) -> None:
    left = [
        Made(document.url, tuple(MadeBlock(text, 0) for text in blocks), "left", 0)
        for document, blocks in zip(judged.documents, judged.left(), strict=True)
        if blocks
    ]
    again = Judged(left, tmp_path)
    words = sum(count_words(block.text) for _, block, _ in again.blocks())
    gone = sum(count_words(block.text) for _, block, verdict in again.blocks() if verdict != "unique")
    assert gone <= 0.002 * words


def test_index_pages_come_after_articles(judged: Judged) -> None:
    teasers = [verdict for document, block, verdict in judged.blocks() if document.kind == "index" and block.part < 1]
    articles = [verdict for document, block, verdict in judged.blocks() if document.kind == "index" and block.part == 1]
    assert len(teasers) > 4
    assert "unique" not in teasers
    assert articles.count("unique") > 0.8 * len(articles)
