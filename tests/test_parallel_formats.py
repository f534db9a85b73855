"""Formats of sentence pairs: each is read again by another reader, and hostile texts make no file invalid."""

from __future__ import annotations

import csv
import gzip
import io
import json
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from dtd_validating import TMX_14, Dtd
from parallel_corpora import EN_DE, make_pairs

from gristmill.errors import GristmillError, UsageError
from gristmill.parallel.exporting import export_pairs
from gristmill.parallel.formats import PAIR_FORMATS
from gristmill.parallel.formats.values import one_line
from gristmill.parallel.reader import FoundBeads, ParallelCorpus
from gristmill.parallel.records import BEADS_SCHEMA, beads_of
from gristmill.parallel.selection import PairSelection
from gristmill.shards import ShardWriter

NAMES = {"tmx": "a.tmx", "moses": "a.moses", "tsv": "a.tsv", "jsonl": "a.jsonl", "parquet": "a.parquet"}
NAMES |= {"sent+vert": "a.sent+vert"}
HOSTILE = "\x00a\tb\nc\r\u2028d\x85e]]> <seg> & \"' \\ \ufffe\U0001f600\x1b[31m \u202e<s>\x7f"
_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_pairs(tmp_path_factory.mktemp("parallel") / "pairs", (EN_DE[:2], EN_DE[2:]))


@pytest.fixture(scope="module")
def hostile(pairs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same corpus with texts that no format should fall over."""
    folder = tmp_path_factory.mktemp("parallel") / "hostile"
    shutil.copytree(pairs, folder)
    for shard in ParallelCorpus(folder).shards:
        rows = pq.read_table(beads_of(shard)).to_pylist()
        for row in rows:
            if row["source_count"] and row["target_count"]:
                row["source_text"] += HOSTILE
                row["target_text"] = HOSTILE + row["target_text"]
        with ShardWriter(beads_of(shard), BEADS_SCHEMA) as writer:
            writer.write(pa.Table.from_pylist(rows, BEADS_SCHEMA))
            writer.finish({})
    return folder


def kept(folder: Path) -> list[dict[str, Any]]:
    return [row for batch in ParallelCorpus(folder).beads() for row in batch.to_pylist()]


def exported(folder: Path, output: Path, **options: Any) -> list[Path]:
    return [Path(file) for file in export_pairs(folder, output, **options).files]


def test_tmx_is_valid_by_its_dtd(pairs: Path, tmp_path: Path) -> None:
    (file,) = exported(pairs, tmp_path / "a.tmx")
    assert list(Dtd(TMX_14, "tmx").faults(file.read_bytes())) == []
    root = ET.fromstring(file.read_bytes())  # noqa: S314 (our own)
    assert root.get("version") == "1.4"
    header = root.find("header")
    assert header is not None
    assert header.get("srclang") == "en"
    units = root.findall("body/tu")
    for unit, row in zip(units, kept(pairs), strict=True):
        assert unit.get("tuid") == row["id"]
        assert float(unit.findtext("prop[@type='score']") or 0) == pytest.approx(row["score"], abs=1e-4)
        for variant, lang, side in zip(unit.findall("tuv"), ("en", "de"), ("source", "target"), strict=True):
            assert variant.get(_LANG) == lang
            assert variant.findtext("seg") == row[f"{side}_text"]
            props = {prop.get("type"): prop.text for prop in variant.findall("prop")}
            place = f"{row[f'{side}_block']}:{row[f'{side}_start']}-{row[f'{side}_end_block']}:{row[f'{side}_end']}"
            assert props == {"url": row[f"{side}_url"], "document": row[f"{side}_id"], "place": place}


def test_the_validator_sees_what_is_wrong() -> None:
    dtd = Dtd(TMX_14, "tmx")
    head = '<header creationtool="a" creationtoolversion="1" segtype="word" o-tmf="a" adminlang="en" srclang="en"/>'
    faults = list(dtd.faults(f'<tmx version="1.4">{head}<body><tu><tuv/>text</tu><x/></body></tmx>'.encode()))
    for fault in (
        "segtype='word'",
        "no datatype",
        "<body> has tu x",
        "<tu> has text",
        "<tuv> has no xml:lang",
        "<x> is",
    ):
        assert any(fault in found for found in faults), fault


def test_places_are_where_the_text_is(pairs: Path) -> None:
    documents = {doc.id: doc for shard in ParallelCorpus(pairs).shards for doc in shard.read_documents()}
    for row in kept(pairs):
        for side in ("source", "target"):
            blocks = documents[row[f"{side}_document"]].blocks
            assert row[f"{side}_block"] == row[f"{side}_end_block"]
            text = blocks[row[f"{side}_block"]].text[row[f"{side}_start"] : row[f"{side}_end"]]
            assert text == row[f"{side}_text"]


def test_moses_files_have_the_same_lines(pairs: Path, tmp_path: Path) -> None:
    files = exported(pairs, tmp_path / "a.moses")
    assert [file.name for file in files] == ["a.en", "a.de", "a.ids"]
    source, target, ids = (file.read_text("utf-8").splitlines() for file in files)
    rows = kept(pairs)
    assert source == [row["source_text"] for row in rows]
    assert target == [row["target_text"] for row in rows]
    for line, row in zip(ids, rows, strict=True):
        fields = line.split("\t")
        assert fields[:2] == [row["source_url"], row["target_url"]]
        assert len(fields[2].split()) == row["source_count"]
        assert fields[3].split()[0] == str(row["target_first"])
        assert fields[-1] == row["id"]


def test_tsv_json_lines_and_parquet(pairs: Path, tmp_path: Path) -> None:
    rows = kept(pairs)
    (file,) = exported(pairs, tmp_path / "a.tsv")
    read = list(csv.DictReader(io.StringIO(file.read_text("utf-8")), delimiter="\t", quoting=csv.QUOTE_NONE))
    assert [row["source_text"] for row in read] == [row["source_text"] for row in rows]
    assert [row["target_url"] for row in read] == [row["target_url"] for row in rows]
    assert float(read[0]["score"]) == pytest.approx(rows[0]["score"], abs=1e-4)
    (file,) = exported(pairs, tmp_path / "a.jsonl")
    records = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    (file,) = exported(pairs, tmp_path / "a.parquet")
    table = pq.read_table(file).to_pylist()
    for record, stored, row in zip(records, table, rows, strict=True):
        assert set(record) == set(stored)
        assert (stored["source_language"], record["target_language"]) == ("en", "de")
        for name in record.keys() & row.keys():
            assert record[name] == (pytest.approx(row[name], abs=1e-4) if isinstance(row[name], float) else row[name])
            assert stored[name] == row[name]


def structures(text: str) -> Iterator[tuple[str, list[list[str]]]]:
    """The `<align>` of a vertical text, each with its tokens."""
    tokens: list[list[str]] = []
    tag = ""
    for line in text.splitlines():
        if line.startswith("<align "):
            tag, tokens = line, []
        elif line == "</align>":
            yield tag, tokens
        elif "\t" in line:
            tokens.append(line.split("\t"))


def test_sentences_and_vertical_text(pairs: Path, tmp_path: Path) -> None:
    files = exported(pairs, tmp_path / "a", format_name="sent+vert")
    assert [file.name for file in files] == ["a.en.sent", "a.de.sent", "a.en.vert", "a.de.vert"]
    rows = kept(pairs)
    for file, side in zip(files, ("source", "target"), strict=False):
        assert file.read_text("utf-8").splitlines() == [row[f"{side}_text"] for row in rows]
    both = [list(structures(file.read_text("utf-8"))) for file in files[2:]]
    for side, found in zip(("source", "target"), both, strict=True):
        for (tag, tokens), row in zip(found, rows, strict=True):
            assert f'id="{row["id"]}"' in tag
            assert "".join(token[0] for token in tokens) == row[f"{side}_text"].replace(" ", "")
            assert {len(token) for token in tokens} == {5}
    assert ["mill", "NOUN", "mill", "NN", "mill-n"] in both[0][0][1]
    text = files[2].read_text("utf-8")
    assert text.count("<doc ") == text.count("</doc>") == len(EN_DE)
    assert text.count("<s>") == sum(row["source_count"] for row in rows)
    assert 'translation="00000-000001"' in text
    registry = (tmp_path / "a.en.registry").read_text()
    assert 'ALIGNED "./a.de.registry"' in registry
    assert 'ALIGNSTRUCT "align"' in registry
    assert "STRUCTURE align {" in registry


@pytest.mark.parametrize("name", NAMES)
def test_hostile_texts_make_no_file_invalid(hostile: Path, tmp_path: Path, name: str) -> None:
    files = exported(hostile, tmp_path / NAMES[name])
    rows = kept(hostile)
    for file in files:
        data = file.read_bytes()
        if name == "tmx":
            assert list(Dtd(TMX_14, "tmx").faults(data)) == []
            root = ET.fromstring(data)  # noqa: S314 (our own)
            segments = [segment.text or "" for segment in root.iter("seg")]
            assert segments[0] == one_line(rows[0]["source_text"])
        elif name != "parquet" and not file.name.endswith((".vert", ".jsonl")):
            lines = data.decode().splitlines()  # by all that Unicode calls a line end
            assert len(lines) == len(rows) + (name == "tsv")
            assert {line.count("\t") for line in lines} == {
                {"tsv": 7, "a.ids": 7}.get(file.suffix[1:] if name == "tsv" else file.name, 0)
            }
        elif file.name.endswith(".jsonl"):
            assert [json.loads(line)["source_text"] for line in data.decode().split("\n")[:-1]] == [
                row["source_text"] for row in rows
            ]


def test_what_one_line_can_not_hold() -> None:
    assert one_line("a\nb\x00\u2029c") == "a b c"
    assert one_line("a\ud800\uffff") == "a\ufffd\ufffd"
    assert one_line("plain – text") == "plain – text"
    assert one_line("non\u00a0breaking") == "non\u00a0breaking"


@pytest.mark.parametrize("name", NAMES)
def test_the_same_bytes_each_time_and_compressed(pairs: Path, tmp_path: Path, name: str) -> None:
    for folder in ("1", "2"):
        (tmp_path / folder).mkdir()
    first, second = (exported(pairs, tmp_path / folder / NAMES[name]) for folder in ("1", "2"))
    assert [file.read_bytes() for file in first] == [file.read_bytes() for file in second]
    if name == "parquet":
        with pytest.raises(UsageError, match="compressed by itself"):
            exported(pairs, tmp_path / "a.parquet.gz")
        return
    packed = exported(pairs, tmp_path / f"{NAMES[name]}.gz")
    assert all(file.suffix == ".gz" for file in packed)
    assert [gzip.decompress(file.read_bytes()) for file in packed] == [file.read_bytes() for file in first]
    for file in exported(pairs, tmp_path / f"{NAMES[name]}.zst"):
        assert pa.CompressedInputStream(pa.BufferReader(file.read_bytes()), "zstd").read()


def test_the_card_says_what_was_left_out(pairs: Path, tmp_path: Path) -> None:
    outcome = export_pairs(pairs, tmp_path / "a.tmx", selection=PairSelection(min_score=0.9))
    card = tomllib.loads((tmp_path / "a.tmx.toml").read_text())
    assert card["export"]["languages"] == ["en", "de"]
    assert card["selection"]["min_score"] == 0.9
    assert card["left_out"] == dict(outcome.left_out)
    assert card["counts"] == {"pairs": outcome.pairs, "left_out": outcome.left_out.total()}
    assert outcome.pairs + outcome.left_out.total() == 16


def test_the_other_direction(pairs: Path, tmp_path: Path) -> None:
    files = exported(pairs, tmp_path / "a.moses", languages=("de", "en"))
    assert [file.name for file in files] == ["a.de", "a.en", "a.ids"]
    straight = exported(pairs, tmp_path / "b.moses")
    assert files[0].read_bytes() == straight[1].read_bytes()
    files = exported(pairs, tmp_path / "c", format_name="sent+vert", languages=("de", "en"))
    straight = exported(pairs, tmp_path / "d", format_name="sent+vert")
    assert files[3].read_text().replace("c.", "d.") == straight[2].read_text()


def test_a_sample_is_exported(pairs: Path, tmp_path: Path) -> None:
    told: list[int] = []
    outcome = export_pairs(pairs, tmp_path / "a.tsv", sample=4, balanced=True, on_pairs=told.append)
    assert outcome.pairs == sum(told) == 4
    assert len((tmp_path / "a.tsv").read_text().splitlines()) == 5
    card = tomllib.loads((tmp_path / "a.tsv.toml").read_text())
    assert (card["export"]["sample"], card["export"]["balanced"]) == (4, True)
    assert card["selection"]["kinds"] == ["1-1"]
    assert export_pairs(pairs, tmp_path / "b.tsv", sample=4, seed=1).pairs == 4


def test_what_is_there_is_not_replaced(pairs: Path, tmp_path: Path) -> None:
    (tmp_path / "a.de").write_text("mine")
    with pytest.raises(UsageError, match="is there already"):
        exported(pairs, tmp_path / "a.moses")
    assert [path.name for path in tmp_path.iterdir()] == ["a.de"]
    exported(pairs, tmp_path / "a.moses", force=True)
    assert "Mühle" in (tmp_path / "a.de").read_text("utf-8")


def test_a_file_appears_when_all_are_complete(pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: ParallelCorpus, *_: Any) -> Iterator[FoundBeads]:
        del self
        raise GristmillError("broken")
        yield

    monkeypatch.setattr(ParallelCorpus, "shard_beads", broken)
    for name in NAMES.values():
        with pytest.raises(GristmillError, match="broken"):
            exported(pairs, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("output", "options", "message"),
    [
        ("a.xyz", {}, "can't tell the format"),
        ("a.tmx", {"format_name": "tmy"}, "did you mean 'tmx'"),
        ("-", {"format_name": "moses"}, "has 3 files"),
        ("a.tsv", {"balanced": True}, "only a sample can be balanced"),
        ("a.tsv", {"selection": 3}, "selection must be"),
    ],
)
def test_what_can_not_be_exported(
    pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str, options: dict[str, Any], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises((UsageError, TypeError), match=message):
        export_pairs(pairs, output, **options)


def test_to_a_folder_or_into_the_corpus(pairs: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder"):
        exported(pairs, tmp_path, format_name="tmx")
    with pytest.raises(UsageError, match="belongs to the corpus"):
        exported(pairs, pairs / "shards" / "00000" / "a.tmx")


def test_standard_output(pairs: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    export_pairs(pairs, "-")
    assert len(io.BytesIO(capsysbinary.readouterr().out).readlines()) == 12


def test_formats_have_names() -> None:
    assert set(PAIR_FORMATS) == set(NAMES)
