"""On near-duplicates with known truth: nothing is left twice, nothing is lost, a second run finds next to nothing."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path

import pytest

from gristmill import dedup
from gristmill.dedup.tokens import Tokens, shingle, tokenise
from gristmill.evaluation.near_duplicates import EVERY_KIND, Made, MadeBlock, make, sample_texts, write_shards
from gristmill.evaluation.near_duplicates.measuring import Tally, measures, missed, read_verdicts, total
from gristmill.shards import read_rows
from gristmill.text.words import count_words

_LONG = 30  # words; what is shorter may go as a stub


class Judged:
    """Documents that were made, and what de-duplication says of them."""

    def __init__(self, documents: list[Made], folder: Path, method: str = "onion") -> None:
        self.documents = documents
        shards = write_shards(documents, folder, per_shard=40)
        self.counts = dedup.run(method, shards, folder / "work")
        self.rows = [row for shard in shards for row in read_rows(shard.duplicates)]

    def blocks(self) -> list[tuple[Made, MadeBlock, str]]:
        return [
            (document, block, judged["verdict"])
            for document, row in zip(self.documents, self.rows, strict=True)
            for block, judged in zip(document.blocks, row["blocks"], strict=True)
        ]

    def left(self) -> list[list[str]]:
        """The blocks that are left of each document."""
        return [
            [
                block.text
                for block, judged in zip(document.blocks, row["blocks"], strict=True)
                if judged["verdict"] == "unique"
            ]
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


def test_what_is_promised_holds_for_every_kind(tmp_path: Path) -> None:
    """Copies are gone, also in other spellings; of every text one copy is left; headlines, tables and lists stay."""
    found = Tally()
    for seed in range(4):
        documents = list(make(sample_texts(), seed, EVERY_KIND))
        shards = write_shards(documents, tmp_path / str(seed), 60)
        dedup.run("onion", shards, tmp_path / "work")
        found.take(total(measures(documents, read_verdicts(shards))))
    assert found.counts["copies_gone"].all > 40_000
    assert found.counts["texts_lost"].all > 2_000
    assert missed(found) == []


SCRIPTS = {
    "Thai": ("กขคงจชดตทนบปพมรลวสหอ", "ะาิีุูเแโ"),
    "Lao": ("ກຂຄງຈຊດຕທນບປພມຣລວສຫອ", "ະາິີຸູເແໂ"),
    "Khmer": ("កខគងចជដតទនបពមរលវសហអ", "ាិីុូេែោ"),
    "Burmese": ("ကခဂငစဇညတထဒနပဖမရလဝသဟအ", "ာိီုူေဲ"),
    "Tibetan": ("ཀཁགངཅཆཇཉཏཐདནཔཕབམཙཚཟལ", "ིེོུ"),
}


@pytest.mark.parametrize("script", [*SCRIPTS, "Han", "kana"])
def test_different_texts_of_scripts_without_spaces_stay(script: str, tmp_path: Path) -> None:
    """Words as frequent as those of a language, in random order; and of some texts a copy with a line of its own."""
    draw = random.Random(script)
    if script in SCRIPTS:
        letters, vowels = SCRIPTS[script]
        between = "་" if script == "Tibetan" else ""
        syllables = [letter + vowel for letter in letters for vowel in vowels]
        words = [between.join(draw.choices(syllables, k=draw.choice([1, 2, 2, 3]))) + between for _ in range(3000)]
    else:
        first, count = (0x4E00, 2000) if script == "Han" else (0x3042, 60)
        words = [
            "".join(chr(first + draw.randrange(count)) for _ in range(draw.choice([1, 2, 2, 3]))) for _ in range(3000)
        ]
    frequencies = [1 / rank for rank in range(1, len(words) + 1)]

    def paragraph() -> str:
        return " ".join("".join(draw.choices(words, frequencies, k=draw.randrange(8, 20))) for _ in range(6))

    texts = [[paragraph() for _ in range(4)] for _ in range(200)]
    documents = [
        Made(f"https://{at}.example/", tuple(MadeBlock(block, 0) for block in text), "text", at)
        for at, text in enumerate(texts)
    ]
    documents += [
        Made(f"https://copy-{at}.example/", tuple(MadeBlock(block, 0) for block in [paragraph(), *text]), "copy", at)
        for at, text in enumerate(texts[:50])
    ]
    left = Judged(documents, tmp_path).left()
    assert [sum(blocks.count(block) for blocks in left) for text in texts for block in text] == [1] * (200 * 4)
    assert sum(map(len, left)) == 200 * 4 + 50
