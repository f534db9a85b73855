"""Small parallel corpora for tests: pages in two languages, with beads that are known.

A page is a list of paragraphs, a paragraph a list of beads, a bead the sentences of both sides. Pages are built and
annotated as all others are; then the files of a parallel corpus are written beside their documents.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import tomli_w

import gristmill
from gristmill.annotation.table import read_annotations
from gristmill.archive.writer import WarcWriter
from gristmill.config import CleanConfig, Config, DedupConfig, FilterConfig
from gristmill.engine import InlineEngine
from gristmill.parallel.judging import judge
from gristmill.parallel.records import BEADS_SCHEMA, DESCRIPTION, PAIRS_SCHEMA, SIDES, beads_of, pairs_of
from gristmill.parallel.repeats import earlier, pair_hashes
from gristmill.shards import Shard, ShardWriter

Bead = tuple[Sequence[str], Sequence[str]]
"""Sentences of the source and of the target."""


@dataclass(frozen=True)
class PagePair:
    """Two pages that are translations of each other."""

    name: str
    paragraphs: Sequence[Sequence[Bead]]
    host: str = "mill.example"

    def html(self, side: int, lang: str) -> str:
        """One of the pages."""
        texts = [" ".join(sentence for bead in beads for sentence in bead[side]) for beads in self.paragraphs]
        body = "".join(f"<p>{text}</p>\n" for text in texts if text)
        return f"<html lang={lang}><head><title>{self.name}</title></head><body><article>{body}</article></body></html>"

    def url(self, lang: str) -> str:
        """The address of one of the pages."""
        return f"https://{self.host}/{lang}/{self.name}.html"


EN_DE = [
    PagePair(
        "history",
        [
            [
                (
                    ["The old mill stands by the river and has ground the grain of three villages for 200 years."],
                    ["Die alte Mühle steht am Fluss und mahlt seit 200 Jahren das Korn von drei Dörfern."],
                ),
                (
                    ["In spring the water is high.", "Then the great wheel turns very fast and the house trembles."],
                    ["Im Frühling steht das Wasser hoch, dann dreht sich das Rad sehr schnell und das Haus zittert."],
                ),
                (
                    ["The miller has two daughters, and both of them know how to repair the heavy stones."],
                    ["Der Müller hat zwei Töchter.", "Beide wissen, wie man die schweren Steine repariert."],
                ),
            ],
            [
                (["Nobody in the village remembers who built the first mill."], []),
                (
                    ["The flour of the mill was sold on the market of the town every Saturday morning."],
                    ["Das Mehl der Mühle wurde jeden Samstagmorgen auf dem Markt der Stadt verkauft."],
                ),
                ([], ["Heute kommen am Wochenende viele Besucher mit ihren Kindern zu uns."]),
                (
                    ["The mill was closed in 1965, when bread began to come from the factory."],
                    ["Die Mühle wurde 1965 geschlossen, als das Brot aus der Fabrik zu kommen begann."],
                ),
            ],
        ],
    ),
    PagePair(
        "visit",
        [
            [
                (
                    ["The mill is open to visitors from April to October, every day but Monday."],
                    ["Die Mühle ist von April bis Oktober für Besucher geöffnet, jeden Tag außer Montag."],
                ),
                (
                    ["Children can grind their own flour with a small stone and take it home."],
                    ["Kinder können mit einem kleinen Stein ihr eigenes Mehl mahlen und es mit nach Hause nehmen."],
                ),
            ],
            [
                (
                    ["The old mill stands by the river and has ground the grain of three villages for 200 years."],
                    ["Die alte Mühle steht am Fluss und mahlt seit 200 Jahren das Korn von drei Dörfern."],
                ),
                (
                    ["A ticket costs 3.50 euros, and children under the age of 12 pay nothing at all."],
                    ["Eine Karte kostet 3,50 Euro, und Kinder unter 12 Jahren zahlen gar nichts."],
                ),
                (
                    ["Please follow the signs from the railway station & keep < 5 m from the wheel."],
                    ["Bitte folgen Sie den Schildern vom Bahnhof & halten Sie < 5 m Abstand vom Rad."],
                ),
            ],
        ],
        "water.example",
    ),
    PagePair(
        "bread",
        [
            [
                (
                    ["Good bread needs only flour, water, salt and a lot of time."],
                    ["Gutes Brot braucht nur Mehl, Wasser, Salz und viel Zeit."],
                ),
                (
                    ["The dough has to rest for 18 hours in a cool room before it goes into the oven."],
                    ["Der Teig muss 14 Stunden in einem kühlen Raum ruhen, bevor er in den Ofen kommt."],
                ),
                (
                    ["This sentence was never translated by anybody and stands on both pages as it is."],
                    ["This sentence was never translated by anybody and stands on both pages as it is."],
                ),
            ],
            [
                (
                    ["We bake with the flour of the mill on the hill, which is ground fresh every week."],
                    ["Wir backen mit dem Mehl der Mühle auf dem Hügel, das jede Woche frisch gemahlen wird."],
                ),
            ],
        ],
    ),
]
"""English and German pages: with beads of several kinds, a pair that is there twice, one with other numbers, a copy."""


def write_warc(path: Path, pairs: Sequence[PagePair], languages: tuple[str, str]) -> Path:
    """Write the pages of some pairs, source and target by turns."""
    out = io.BytesIO()
    with WarcWriter(out) as writer:
        for pair in pairs:
            for side, lang in enumerate(languages):
                head = {"Content-Type": "text/html; charset=utf-8"}
                writer.write_response(pair.url(lang), "2026-01-01T00:00:00Z", 200, head, pair.html(side, lang).encode())
    path.write_bytes(out.getvalue())
    return path


def make_pairs(
    folder: Path, shards: Sequence[Sequence[PagePair]] = (EN_DE,), languages: tuple[str, str] = ("en", "de")
) -> Path:
    """Make a parallel corpus of some shards of page pairs."""
    sources = folder.with_name(f"{folder.name}-pages")
    sources.mkdir(parents=True)
    files = [write_warc(sources / f"{number}.warc.gz", pairs, languages) for number, pairs in enumerate(shards)]
    config = Config(CleanConfig(max_boilerplate=1.0), filter=FilterConfig().replace("none"), dedup=DedupConfig("exact"))
    gristmill.build(files, folder, config, engine=InlineEngine())
    gristmill.annotate(folder, engine=InlineEngine())
    found = [_beads(Shard.of(folder, f"{number:05d}"), pairs, languages) for number, pairs in enumerate(shards)]
    texts = [[bead[f"{side}_text"] for beads in found for bead in beads] for side in SIDES]
    judged = {name: column.to_pylist() for name, column in judge(texts[0], texts[1], languages).items()}
    repeats = earlier(pair_hashes(texts[0], texts[1])).tolist()
    for place, bead in enumerate(bead for beads in found for bead in beads):
        bead.update({name: column[place] for name, column in judged.items()}, repeats=repeats[place])
    for number, (pairs, beads) in enumerate(zip(shards, found, strict=True)):
        shard = Shard.of(folder, f"{number:05d}")
        _write(beads_of(shard), beads, BEADS_SCHEMA)
        _write(pairs_of(shard), _pairs(shard, pairs, beads), PAIRS_SCHEMA)
    (folder / DESCRIPTION).write_text(tomli_w.dumps({"languages": list(languages)}))
    return folder


def _write(path: Path, rows: list[dict[str, Any]], schema: pa.Schema) -> None:
    with ShardWriter(path, schema) as writer:
        writer.write(pa.Table.from_pylist(rows, schema))
        writer.finish({})


def _pairs(shard: Shard, pairs: Sequence[PagePair], beads: list[dict[str, Any]]) -> list[dict[str, Any]]:
    rows = _rows(shard)
    lost = {
        "source_id": "x",
        "target_id": "y",
        "score": 0.1,
        "features": [],
        "reasons": "",
        "dropped": "lost",
        "beads": 0,
    }
    found: list[dict[str, Any]] = [{"source": 0, "target": 1, **lost}]
    for number, _ in enumerate(pairs, 1):
        source, target = rows[2 * number - 2], rows[2 * number - 1]
        found.append(
            {
                "source": source,
                "target": target,
                "source_id": f"of-{source}",
                "target_id": f"of-{target}",
                "score": 0.9,
                "features": [("hreflang", 1.0)],
                "reasons": "hreflang both ways",
                "dropped": "",
                "beads": sum(bead["pair"] == number for bead in beads),
            }
        )
    return found


def _rows(shard: Shard) -> list[int]:
    """The rows of the pages, in the order in which they were written."""
    return list(range(pq.read_metadata(shard.documents).num_rows))


def _beads(shard: Shard, pairs: Sequence[PagePair], languages: tuple[str, str]) -> list[dict[str, Any]]:
    """The beads of a shard, with the places of their sentences as annotation has found them."""
    documents, annotations = list(shard.read_documents()), list(read_annotations(shard))
    found: list[dict[str, Any]] = []
    for number, pair in enumerate(pairs):
        places = []
        for side, lang in enumerate(languages):
            document = documents[2 * number + side]
            assert document.url == pair.url(lang)
            places.append(_sentences(document, annotations[2 * number + side]))
            written = [sentence for beads in pair.paragraphs for bead in beads for sentence in bead[side]]
            assert [text for text, *_ in places[-1]] == [unescape(sentence) for sentence in written]
        firsts = [0, 0]
        for bead in (bead for beads in pair.paragraphs for bead in beads):
            row: dict[str, Any] = {
                "pair": number + 1,
                "score": round(0.95 - 0.01 * (len(found) % 20), 4),
                "boilerplate": 0.1,
            }
            for side, name in enumerate(SIDES):
                own = places[side][firsts[side] : firsts[side] + len(bead[side])]
                row |= {f"{name}_first": firsts[side], f"{name}_count": len(own)}
                row[f"{name}_text"] = " ".join(text for text, *_ in own)
                row[f"{name}_block"], row[f"{name}_start"] = own[0][1:3] if own else (-1, -1)
                row[f"{name}_end_block"], row[f"{name}_end"] = (own[-1][1], own[-1][3]) if own else (-1, -1)
                firsts[side] += len(bead[side])
            found.append(row)
    return found


def _sentences(document: Any, annotated: Any) -> list[tuple[str, int, int, int]]:
    """The sentences of a document: their text, block, and where they begin and end in it."""
    found = []
    for block, annotation in annotated.items():
        edges = [0, *accumulate(annotation.sentences)]
        for first, last in pairwise(edges):
            start = annotation.starts[first]
            end = annotation.starts[last - 1] + len(annotation.words[last - 1])
            found.append((document.blocks[block].text[start:end], block, start, end))
    return found


def many_pairs(count: int, seed: int = 0, host: str = "many.example") -> list[PagePair]:
    """Page pairs of made-up sentences, with beads of all kinds: for comparisons with brute force."""
    random = np.random.default_rng(seed)
    words = [
        "the mill grinds flour and the river turns its wheel while a miller sings every day".split(),
        "die Mühle mahlt Mehl und der Fluss dreht ihr Rad während ein Müller singt jeden Tag".split(),
    ]
    kinds = [(1, 1), (1, 1), (1, 1), (2, 1), (1, 2), (0, 1), (1, 0), (2, 2), (3, 1)]

    def sentence(side: int) -> str:
        chosen = [words[side][at] for at in random.integers(0, len(words[side]), int(random.integers(6, 14)))]
        return " ".join(chosen).capitalize() + "."

    def bead() -> Bead:
        source, target = kinds[int(random.integers(0, len(kinds)))]
        return [sentence(0) for _ in range(source)], [sentence(1) for _ in range(target)]

    return [
        PagePair(f"p{number}", [[([sentence(0)], [sentence(1)]), *(bead() for _ in range(4))] for _ in range(3)], host)
        for number in range(count)
    ]
