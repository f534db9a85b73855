"""Word segmentation by models of our own: training, files, the kernel with and without a compiler."""

from __future__ import annotations

import hashlib
import json
import struct
import time
from importlib import import_module
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import run

from gristmill.annotation import tokenise
from gristmill.annotation.model_file import read_model, write_model
from gristmill.annotation.segmentation.lexicon import make_lexicon, read_words
from gristmill.annotation.segmentation.model import FORMAT, KIND, SegmenterModel, shipped_model
from gristmill.annotation.segmentation.training import f1, split, train
from gristmill.annotation.segmentation.treebanks import Sentence, read_sentences
from gristmill.errors import GristmillError, UsageError
from gristmill.kernel import COMPILED

_WORDS = "山 水 山水 田 田中 林 森林 花火 火花 石 石川町 上".split()


def sentence(number: int, random: Random) -> Sentence:
    """Make a sentence of a language that has twelve words."""
    words = random.choices(_WORDS, k=12)
    ends = np.cumsum([len(word) for word in words]).tolist()
    return Sentence(f"s{number}", "".join(words), (0, *ends[:-1]), tuple(ends))


@pytest.fixture(scope="module")
def sentences() -> list[Sentence]:
    random = Random(1)
    return [sentence(number, random) for number in range(150)]


@pytest.fixture(scope="module")
def model(sentences: list[Sentence]) -> SegmenterModel:
    return train(sentences, "xx", [dict.fromkeys(_WORDS, 0.01)], {"about": "written for a test"})


def test_a_model_learns_a_small_language(model: SegmenterModel, sentences: list[Sentence]) -> None:
    random = Random(2)
    assert f1(model, [sentence(number, random) for number in range(50)]) > 85
    assert model.facts["F1 of words, every tenth sentence left out"] > 80
    assert model.cutter().cut("石川町森林石川町") == bytes([1, 0, 0, 1, 0, 1, 0, 0])
    again = train(sentences, "xx", [dict.fromkeys(_WORDS, 0.01)], {"about": "written for a test"})
    assert all((again.arrays[name] == array).all() for name, array in model.arrays.items())


def test_sentences_in_two_scripts_are_on_the_same_side() -> None:
    both = [Sentence(f"s{number}", text, (0,), (1,)) for text in "国國" for number in range(30)]
    kept, left_out = split(both)
    assert len(left_out) == 6
    assert not {sentence.id for sentence in kept} & {sentence.id for sentence in left_out}


def test_a_model_is_the_same_after_writing(model: SegmenterModel, tmp_path: Path) -> None:
    path = tmp_path / "xx.segmenter"
    model.save(path)
    written = path.read_bytes()
    loaded = SegmenterModel.load(path)
    assert loaded.facts["about"] == "written for a test"
    assert loaded.cutter().cut("山水田中") == model.cutter().cut("山水田中")
    loaded.save(path)
    assert path.read_bytes() == written


def test_damaged_files_are_refused(model: SegmenterModel, tmp_path: Path) -> None:
    path = tmp_path / "xx.segmenter"
    with pytest.raises(UsageError, match="can't read"):
        SegmenterModel.load(path)
    model.save(path)
    whole = path.read_bytes()
    for cut in (0, 5, 30, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:cut])
        with pytest.raises(UsageError, match=r"no model|damaged"):
            SegmenterModel.load(path)
    random = Random(3)
    for _ in range(40):
        at = random.randrange(16, len(whole))
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << random.randrange(8)]) + whole[at + 1 :])
        with pytest.raises(UsageError, match="damaged"):
            SegmenterModel.load(path)


@pytest.mark.parametrize(
    "header",
    [
        b"[" * 100_000,
        b"\xff",
        b"[]",
        b'{"kind": "tagger", "format": 1, "facts": {}, "arrays": []}',
        b'{"kind": "segmenter", "format": 2, "facts": {}, "arrays": []}',
        b'{"kind": "segmenter", "format": 1, "facts": {}, "arrays": []}',
        b'{"kind": "segmenter", "format": 1, "facts": {}, "arrays": [["words", "|O", [1]]]}',
        b'{"kind": "segmenter", "format": 1, "facts": {}, "arrays": [["words", "<u4", [268435456, 268435456]]]}',
        b'{"kind": "segmenter", "format": 1, "facts": {}, "arrays": [["words", "<u4", [-1]]]}',
        b'{"kind": "segmenter", "format": 1, "facts": [1], "arrays": []}',
    ],
)
def test_hostile_headers_are_refused(header: bytes, tmp_path: Path) -> None:
    data = b"gristmill model\n" + struct.pack("<I", len(header)) + header
    path = tmp_path / "hostile.segmenter"
    path.write_bytes(data + hashlib.blake2b(data, digest_size=16).digest())
    with pytest.raises(GristmillError):
        SegmenterModel.load(path)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("templates", np.array([[0, 9, 0]], np.int8)),
        ("templates", np.array([[2, 1, 0]], np.int8)),
        ("templates", np.array([[0, 1, 8]], np.int8)),
        ("groups", np.array([5], np.uint8)),
        ("words", np.array([2, 1], np.uint32)),
        ("classes", np.zeros(1, np.uint8)),
        ("weights", np.zeros((1, 4), np.int8)),
        ("rows", np.zeros((1, 4), np.int8)),
        ("transitions", np.zeros((4, 3), np.int32)),
        ("folded", np.zeros((1, 3), np.uint16)),
        ("type_starts", np.array([1], np.uint32)),
        ("type_starts", np.array([0, 1 << 20], np.uint32)),
    ],
)
def test_arrays_that_do_not_fit_are_refused(
    name: str, array: np.ndarray, model: SegmenterModel, tmp_path: Path
) -> None:
    path = tmp_path / "xx.segmenter"
    write_model(path, KIND, FORMAT, {}, model.arrays | {name: array})
    with pytest.raises(UsageError, match="with errors"):
        SegmenterModel.load(path)


def test_files_hold_facts_and_arrays(tmp_path: Path) -> None:
    path = tmp_path / "some.model"
    write_model(
        path, "some", 3, {"lang": "日本語"}, {"a": np.arange(3, dtype=np.int16), "b": np.zeros((0, 4), np.int8)}
    )
    facts, arrays = read_model(path, "some", 3)
    assert facts == {"lang": "日本語"}
    assert arrays["a"].tolist() == [0, 1, 2]
    assert arrays["b"].shape == (0, 4)


@pytest.mark.skipif(not COMPILED, reason="the kernel is not compiled")
@pytest.mark.parametrize("lang", ["ja", "th", "zh"])
def test_the_compiled_kernel_cuts_like_the_python_file(lang: str) -> None:
    arrays = SegmenterModel.load(shipped_model(lang)).arrays
    model = import_module("gristmill.annotation.segmentation.model")
    compiled = SegmenterModel(arrays).cutter()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model, "Cutter", import_module("gristmill.kernel.segments").Cutter)
        plain = SegmenterModel(arrays).cutter()
    assert type(plain) is not type(compiled)
    random = Random(4)
    letters = "中國国人的一二三12.,，。Abかなカナーไทยๆกันพ.ศ.็้\ud800\U00020000\U0010ffff\x00 "
    for length in (0, 1, 2, 3, 40, 160):
        text = "".join(random.choices(letters, k=length))
        assert plain.cut(text) == compiled.cut(text)
        for one, other in zip(plain.describe(text), compiled.describe(text), strict=True):
            assert (one == other).all()


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("zh", "我们在北京学习中文。", "我们 在 北京 学习 中文 。"),
        ("zh", "我們在北京學習中文。", "我們 在 北京 學習 中文 。"),
        ("zh", "这座城市有20万人口。", "这 座 城市 有 20万 人口 。"),
        ("th", "ฉันกินข้าวที่บ้าน", "ฉัน กิน ข้าว ที่ บ้าน"),
        ("th", "ในปี พ.ศ. 2560", "ใน ปี พ.ศ. 2560"),
    ],
)
def test_words_of_the_models_that_come_with_gristmill(lang: str, text: str, expected: str) -> None:
    assert " ".join(tokenise(text, lang).words) == expected


@pytest.mark.parametrize("lang", ["ja", "th", "zh"])
def test_models_say_where_they_come_from(lang: str) -> None:
    path = shipped_model(lang)
    facts = SegmenterModel.load(path).facts
    assert facts["lang"] == lang
    assert "CC BY-SA 4.0" in facts["about"]
    assert facts["F1 of words, every tenth sentence left out"] > 90
    assert path.stat().st_size < 1_500_000


@pytest.mark.parametrize("piece", ["的", "ก", "12", "พ.", "、", "\ud800", "A中"])
@pytest.mark.parametrize("lang", ["th", "zh"])
def test_time_is_linear(piece: str, lang: str) -> None:
    text = piece * 100_000
    start = time.process_time()
    words = tokenise(text if COMPILED else text[:2000], lang).words
    assert time.process_time() - start < 60
    assert not set("".join(words)) - set(text)


def test_words_are_read_from_treebanks(tmp_path: Path) -> None:
    conllu = tmp_path / "some.conllu"
    conllu.write_text(
        "# sent_id = a\n# text = 在北京 住。\n1\t在\t_\n2-3\t北京\t_\n2\t北\t_\n3\t京\t_\n4\t住\t_\n5\t。\t_\n\n"
        "# sent_id = b\n# text = 别的\n1\t不在\t_\n\n",
        "utf-8",
    )
    expected = [Sentence("a", "在北京 住。", (0, 1, 4, 5), (1, 3, 5, 6))]
    assert read_sentences(conllu, "zh") == expected
    rows = [
        {"lang": "zh", "sent_id": "a", "text": "在北京 住。", "tokens": ["在", "北", "京", "住", "。"], "mwt": mwt}
        for mwt in [[{"start": 2, "end": 3, "form": "北京"}]]
    ]
    parquet = tmp_path / "some.parquet"
    pq.write_table(pa.Table.from_pylist([*rows, rows[0] | {"lang": "ja"}]), parquet)
    assert read_sentences(parquet, "zh") == expected
    for path in (parquet, tmp_path / "missing.conllu"):
        with pytest.raises(UsageError):
            read_sentences(path, "th")


def test_word_lists_become_a_lexicon(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("山 90 n\n水\t9\n田\n\nabc 5\n", "utf-8")
    words = read_words(path)
    assert words["山"] == 90 / 106
    hashes, classes = make_lexicon([words, {"水": 0.01}], {ord("水"): ord("冰")}, 4, 10)
    assert len(hashes) == 3
    assert sorted(classes.tolist()) == [8, 10, 9 + (8 << 4)]
    assert len(make_lexicon([words], {}, 4, 2)[0]) == 2


def test_the_command_trains(sentences: list[Sentence], tmp_path: Path) -> None:
    lines = []
    for number, (_, text, starts, ends) in enumerate(sentences[:40]):
        lines.append(f"# sent_id = s{number}\n# text = {text}\n")
        lines += [f"{at}\t{text[a:b]}\n" for at, (a, b) in enumerate(zip(starts, ends, strict=True), 1)]
        lines.append("\n")
    treebank, words = tmp_path / "a.conllu", tmp_path / "words.txt"
    treebank.write_text("".join(lines), "utf-8")
    words.write_text("\n".join(_WORDS), "utf-8")
    output = tmp_path / "my.segmenter"
    done = run("train", "segmenter", treebank, "--lang", "lo", "--words", words, "--about", "mine", "-o", output)
    assert b"every tenth sentence left out" in done.stderr
    model = SegmenterModel.load(output)
    assert model.facts["about"] == "mine"
    assert json.dumps(model.facts["files"]).count("sha256") == 2
    assert model.cutter().cut("山") == b"\1"
    for wrong in (["segmenter", "--lang", "zh"], ["segmenter", treebank], ["victor", treebank, "--words", words]):
        assert run("train", *wrong, "-o", output).returncode == 2
