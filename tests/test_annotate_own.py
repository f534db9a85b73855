"""The tagger `own`: learning, models as files, the command, hostile words, memory, and the models that come with it."""

from __future__ import annotations

import io
import pickle
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from command import run
from hypothesis import given, settings
from hypothesis import strategies as st
from invented import sentences, write_conllu

from gristmill import Config, build
from gristmill.annotation import memory, tokeniser
from gristmill.annotation.character_tags import plausible_tag
from gristmill.annotation.provided import provides
from gristmill.annotation.tagger import LANGUAGES, Tagged, tagger_for
from gristmill.annotation.taggers import own
from gristmill.annotation.taggers.own import OwnTagger
from gristmill.annotation.tagging import kept
from gristmill.annotation.tagging.dictionary import dictionary_of
from gristmill.annotation.tagging.evaluating import evaluate
from gristmill.annotation.tagging.measured import train_measured
from gristmill.annotation.tagging.model import MAX_LABELS, Model
from gristmill.annotation.tagging.shipped import FOLDER, SUFFIX, languages, model_of
from gristmill.annotation.tagging.training import train
from gristmill.annotation.tagging.treebank import TAGS, Sentence, Token
from gristmill.cleaning.models import pack, pack_arrays
from gristmill.engine import InlineEngine
from gristmill.errors import GristmillError, UsageError

LANG = "hsb"
"""A language without a dictionary, which stands for the invented one."""
TEXT = ["Le ben tokus .", "Le kuna ben lirus .", "Le gerfo ben ben fopux le wiban ."]
HOSTILE = [
    *("x" * 10_000, "é" * 101, "\x00", "\ud800", "a\udfffb", "😀", "👩\u200d👩\u200d👧", "İstanbul", "İ", "ǅ"),
    *("\u0301", "\x02", "\x03", "\n", ""),
]


@pytest.fixture(scope="module")
def model() -> Model:
    """A model of the invented language."""
    return train(sentences(300), LANG)


@pytest.fixture(scope="module")
def small(model: Model) -> bytes:
    """The file of a small model, to be damaged."""
    return replace(model, card={"kind": "tagger", "language": LANG}).to_bytes()


def read(tmp_path: Path, data: bytes) -> Model:
    path = tmp_path / f"a{SUFFIX}"
    path.write_bytes(data)
    return Model.read(path)


def test_it_learns_a_language(model: Model) -> None:
    unseen = sentences(100, seed=5)
    known = {token.word for sentence in sentences(300) for token in sentence.words}
    assert len({token.word for sentence in unseen for token in sentence.words} - known) > 100
    shares = evaluate(OwnTagger(model), unseen)
    assert min(shares.tags, shares.feats, shares.lemmas, shares.lemmas_without_case) == 1
    tagged = OwnTagger(model).tag([line.split() for line in TEXT])
    assert " ".join(tagged.lemmas) == "le ben toki . le kuna bi liri . le gerfo ben bi fopi le wiba ."
    assert " ".join(tagged.tags) == ("DET NOUN VERB PUNCT DET NOUN AUX VERB PUNCT DET ADJ NOUN AUX VERB DET NOUN PUNCT")
    assert " ".join(tagged.xpos) == "D N V P D N X V P D A N X V D N P"
    assert (tagged.feats[2], tagged.feats[13], tagged.feats[15]) == ("Tense=Pres", "Tense=Past", "Number=Plur")


def test_the_same_sentences_give_the_same_model(model: Model) -> None:
    assert train(sentences(300), LANG).to_bytes() == model.to_bytes()
    other = train(sentences(300), LANG, seed=1)
    assert other.to_bytes() != model.to_bytes()
    assert not np.array_equal(other.steps, model.steps)


def test_a_treebank_without_lemmas_and_features() -> None:
    bare = [
        Sentence([Token(token.word, token.tag) for token in sentence.words], [], "bare") for sentence in sentences(300)
    ]
    model = train(bare, LANG)
    assert (model.lemmas, model.xpos, set(model.bundles.names)) == (None, {}, {""})
    tagged = OwnTagger(model).tag([["Le", "Kuna", "lirus", "."]])
    assert (tagged.tags, tagged.lemmas) == (["DET", "NOUN", "VERB", "PUNCT"], ["le", "kuna", "lirus", "."])


def test_what_can_not_be_learned_from() -> None:
    with pytest.raises(UsageError, match="learned from 20 sentences or more; here are 19"):
        train_measured(sentences(19), LANG)
    many = [Sentence([Token("a", "X", feats=f"A={at}")]) for at in range(MAX_LABELS + 1)]
    with pytest.raises(UsageError, match=r"have 1,002 values of features; a tagger can have 1,000"):
        train(many, LANG)


def test_a_model_is_measured_on_what_it_has_not_seen() -> None:
    model, shares = train_measured(sentences(100), LANG, about={"sources": ["invented"]})
    assert model.card["held out"]["words"] == shares.words > 30
    assert shares.tags > 0.95
    assert (model.card["sentences"], model.card["sources"], model.lang) == (100, ["invented"], LANG)


def test_a_file_has_the_whole_model(model: Model, tmp_path: Path) -> None:
    again = read(tmp_path, model.to_bytes())
    assert again.to_bytes() == model.to_bytes()
    assert (again.lang, again.card, again.xpos) == (LANG, model.card, model.xpos)
    some = [[token.word for token in sentence.words] for sentence in sentences(50, seed=9)]
    assert OwnTagger(again).tag(some) == OwnTagger(model).tag(some)


def damaged(data: bytes) -> Iterator[bytes]:
    """Files that are cut off, or have other bits, in the parts of a zip file and around."""
    for size in range(0, len(data), len(data) // 60):
        yield data[:size]
    random = Random(0)
    ends = [*range(60), *range(len(data) - 400, len(data), 3)]
    for place in [*ends, *(random.randrange(len(data)) for _ in range(300))]:
        changed = bytearray(data)
        changed[place] ^= 1 << random.randrange(8)
        yield bytes(changed)


def test_damaged_files(small: bytes, tmp_path: Path) -> None:
    failed = 0
    for data in damaged(small):
        try:
            OwnTagger(read(tmp_path, data)).tag([["Le", "kuna"]])  # a bit that says nothing, as that of a date
        except UsageError as error:
            assert "\n" not in str(error).strip()  # noqa: PT017 (most files raise it, but not all)
            failed += 1
    assert failed > 250


def test_damaged_arrays(small: bytes, tmp_path: Path) -> None:
    """Checksums of zip files hide most damages: here the arrays are changed, and packed again."""
    with np.load(io.BytesIO(small)) as file:
        arrays = {name: file[name] for name in file.files}
    random = Random(1)
    for name, array in arrays.items():
        for _ in range(12):
            raw = bytearray(array.tobytes())
            if raw:
                raw[random.randrange(len(raw))] ^= 1 << random.randrange(8)
            changed = np.frombuffer(bytes(raw), array.dtype).reshape(array.shape)
            try:
                tagger = OwnTagger(read(tmp_path, pack_arrays({**arrays, name: changed})))
            except GristmillError:  # also of another format
                continue
            tagger.tag([line.split() for line in TEXT])


class _Trap:
    """Something that tells when it is unpickled."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return (pytest.fail, ("it was unpickled",))


def wrong_arrays(arrays: dict[str, np.ndarray[Any, Any]]) -> Iterator[dict[str, np.ndarray[Any, Any]]]:
    """Arrays of other types, shapes and sizes."""
    for name, array in arrays.items():
        yield {key: value for key, value in arrays.items() if key != name}
        yield {**arrays, name: array.astype(np.float64)}
        yield {**arrays, name: array.reshape(*array.shape, 1)}
        yield {**arrays, name: np.array(1)}
        yield {**arrays, name: array[1:]}
    yield {**arrays, "steps": arrays["steps"] + (1 << 21)}
    yield {**arrays, "steps": np.full_like(arrays["steps"], -(1 << 31))}
    yield {**arrays, "values": arrays["values"] + 1000}
    yield {**arrays, "values": arrays["values"] - 1000}
    yield {**arrays, "keys": np.zeros_like(arrays["keys"])}  # all in one place of a hash table
    yield {**arrays, "value_weights": np.zeros((len(arrays["value_keys"]), MAX_LABELS + 1), np.int8)}
    texts = [("xpos", "a\tb"), ("xpos", "a\tb\tc"), ("lemma_rules", "a"), ("lemma_rules", "A\ta\t-1\t\t0\t\t1")]
    for name, line in [*texts, ("lemma_rules", f"A\ta\t{'9' * 5000}\t\t0\t\t1"), ("lemma_cased", "\t\t")]:
        yield {**arrays, name: np.frombuffer(line.encode(), np.uint8)}
    yield {**arrays, "lemma_exceptions": np.frombuffer(b"\xff\xfe", np.uint8)}


def test_files_that_are_something_else(model: Model, small: bytes, tmp_path: Path) -> None:
    with np.load(io.BytesIO(small)) as file:
        arrays = {name: file[name] for name in file.files if not name.startswith("model.")}
    harmless = {"bundle_names", "xpos", "lemma_rules", "lemma_exceptions", "lemma_certainties", "lemma_cased"}
    refused = 0
    for wrong in wrong_arrays(arrays):
        try:
            OwnTagger(read(tmp_path, pack("tagger", wrong, model.card))).tag([["Le", "kuna", "lirus"]])
        except UsageError as error:
            assert "damaged" in str(error)  # noqa: PT017 (texts that are cut are texts)
            refused += 1
        else:
            assert any(name not in wrong or wrong[name] is not arrays[name] for name in harmless)
    assert refused > 40
    with pytest.raises(UsageError, match="is a model of mill, not of a tagger"):
        read(tmp_path, pack("mill", arrays, {}))
    for card in ([1], "x", None):
        data = pack_arrays({"model.method": np.frombuffer(b"tagger", np.uint8), "model.format": np.array(1),
                            "model.card": np.frombuffer(repr(card).encode(), np.uint8)})  # fmt: skip
        with pytest.raises(UsageError, match="damaged"):
            read(tmp_path, data)
    with pytest.raises(UsageError, match="no model"):
        Model.read(tmp_path / "none")


def test_nothing_is_unpickled(small: bytes, tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.save(buffer, np.array([_Trap()], object), allow_pickle=True)
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(small)) as source, zipfile.ZipFile(changed, "w") as target:
        for name in source.namelist():
            target.writestr(name, buffer.getvalue() if name == "steps.npy" else source.read(name))
    for data in (changed.getvalue(), pickle.dumps(_Trap()), buffer.getvalue()):
        with pytest.raises(UsageError):
            read(tmp_path, data)


TAGGED = {
    "The": Token("The", "DET", "the", "T"),
    "mill": Token("mill", "NOUN", "mill", "N", "Number=Sing"),
    "mills": Token("mills", "NOUN", "mill", "N", "Number=Plur"),
    "stands": Token("stands", "VERB", "stand", "V", "Tense=Pres"),
    "stood": Token("stood", "VERB", "stand", "V", "Tense=Past"),
    "here": Token("here", "ADV", "here", "R"),
    ".": Token(".", "PUNCT", ".", "P"),
}


def test_train_by_the_command_then_annotate(tmp_path: Path) -> None:
    texts = [f"The {one} {other} here ." for one in ("mill", "mills") for other in ("stands", "stood")]
    made = [Sentence([TAGGED[word] for word in text.split()], [], "") for text in texts * 15]
    treebank = write_conllu(tmp_path / "made.conllu", made)
    result = run("train", "tagger", treebank, "--lang", "en", "-o", tmp_path)
    assert result.returncode == 0, result.stderr
    output = tmp_path / f"en{SUFFIX}"
    assert b"On 30 words that were held out: 100.0% of tags, " in result.stderr
    assert f"use it with --tagger en=own:{output}".encode() in result.stderr
    before = output.read_bytes()
    assert run("train", "tagger", treebank, "--lang", "en", "-o", output).returncode == 0
    assert output.read_bytes() == before

    page = tmp_path / "page.html"
    text = " ".join(f"The mill stands here. The mills stood here. {number}." for number in range(9))
    page.write_text(f"<html lang=en><body><p>{text}</p></body></html>", "utf-8")
    corpus = tmp_path / "corpus"
    build(page, corpus, Config().replace(annotate_taggers=("forms",)), engine=InlineEngine())
    result = run("annotate", corpus, "--tagger", f"en=own:{output}")
    assert result.returncode == 0, result.stderr
    for query in ('[tag="NOUN"]', '[lemma="mill"]', '[lemma="stand" & tag="VERB"]', '[xpos="V"]'):
        result = run("count", corpus, query)
        assert result.stdout.splitlines()[1].split()[0] == b"18", (query, result)
    result = run("count", corpus, '[feats=".*Number=Plur.*"] [feats="Tense=Past"]')
    assert result.stdout.splitlines()[1].split()[0] == b"9", result


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["made.conllu"], "needs a treebank and --lang CODE"),
        (["--lang", "hsb"], "needs a treebank and --lang CODE"),
        (["made.conllu", "--lang", "qq"], "'qq' is not a language code"),
        (["none.conllu", "--lang", "hsb"], "there is no treebank none.conllu"),
        (["made.conllu", "--lang", "hsb", "--sample", "made.conllu"], "--sample is not for tagger"),
        (["small.conllu", "--lang", "hsb"], "a tagger is learned from 20 sentences or more; here are 3"),
    ],
)
def test_wrong_commands(arguments: list[str], message: str, tmp_path: Path) -> None:
    write_conllu(tmp_path / "made.conllu", sentences(30))
    write_conllu(tmp_path / "small.conllu", sentences(3))
    result = run("train", "tagger", *arguments, "-o", "new.tagger", cwd=tmp_path)
    assert result.returncode == 2
    assert message.encode() in result.stderr
    assert not (tmp_path / "new.tagger").exists()


def test_other_files_are_not_replaced(tmp_path: Path) -> None:
    treebank = write_conllu(tmp_path / "made.conllu", sentences(30))
    before = treebank.read_bytes()
    result = run("train", "tagger", treebank, "--lang", LANG, "-o", treebank)
    assert result.returncode == 2
    assert b"is there already, and is no model that could be replaced" in result.stderr
    assert treebank.read_bytes() == before


def test_hostile_words(model: Model) -> None:
    for tagger in (OwnTagger(model), tagger_for("mt")[1], tagger_for("en")[1]):
        tagged = tagger.tag([[], HOSTILE, *([word] for word in HOSTILE), []])
        assert len(tagged.lemmas) == len(tagged.feats) == 2 * len(HOSTILE)
        assert set(tagged.tags) <= set(TAGS)
        assert tagged.lemmas[0] == HOSTILE[0]
        assert all(lemma for lemma, word in zip(tagged.lemmas, HOSTILE * 2, strict=True) if word)
        assert tagger.tag([]) == tagger.tag([[], []]) == Tagged()
        assert len(tagger.tag([["a"] * 5000]).tags) == 5000


WORDS = st.one_of(
    st.sampled_from(["Le", "ben", "kuna", "lirus", "The", "MILL", "mills", ".", "12", "\x02"]),
    st.text(min_size=1, max_size=8),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(WORDS, max_size=5), max_size=5), st.integers(2, 12))
def test_results_do_not_depend_on_other_sentences(some: list[list[str]], most: int) -> None:
    tagger = tagger_for("en")[1]
    assert isinstance(tagger, OwnTagger)
    together = tagger.tag(some)
    fresh = OwnTagger(tagger._model)
    fresh.max_types = most  # it forgets words all the time
    backwards = [fresh.tag([sentence]) for sentence in reversed(some)]
    for name in ("lemmas", "tags", "xpos", "feats"):
        assert getattr(together, name) == [one for tagged in reversed(backwards) for one in getattr(tagged, name)]


@pytest.fixture
def little_memory() -> Iterator[int]:
    """The least memory that may be asked for; how much of it is for taggers."""
    tokens, words = tokeniser.most_bytes(), kept._kept.most_bytes
    memory.limit_memory(memory.LEAST_BYTES)
    yield kept._kept.most_bytes
    tokeniser.limit_memory(tokens)
    kept.limit(words)


def test_memory_is_bounded_for_all_languages_together(little_memory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own, "dictionary_of", lambda _: dictionary_of("und"))  # those of 18 languages take too long
    random = Random(0)
    langs = [lang for lang in languages() if lang not in {"fi", "ja"}][:18]
    taggers = {lang: OwnTagger(Model.read(model_of(lang) or "")) for lang in langs}
    letters = "abcdefghijklmnoprstu"
    used = 0
    for _ in range(3):
        for lang, tagger in taggers.items():
            words = ["".join(random.choices(letters, k=6)) for _ in range(2500)]
            expected = tagger.tag([words[:5], words[-5:]])
            found = tagger.tag([words[at : at + 5] for at in range(0, len(words), 5)])
            assert found.tags[:5] + found.tags[-5:] == expected.tags, lang
            assert found.lemmas[:5] + found.lemmas[-5:] == expected.lemmas, lang
            used = max(used, sum(one.kept_bytes() for one in taggers.values()))
            assert used <= little_memory
    assert used > little_memory // 4  # it is used, too


def test_memory_that_is_too_little() -> None:
    with pytest.raises(UsageError, match="needs 16 MB or more for each worker"):
        memory.limit_memory(memory.LEAST_BYTES - 1)


@pytest.mark.parametrize("lang", languages())
def test_models_that_come_with_gristmill(lang: str) -> None:
    path = model_of(lang)
    assert path is not None
    model = Model.read(path)
    assert (model.lang, model.card["kind"]) == (lang, "tagger")
    sources = model.card["sources"]
    assert {source["treebank"] for source in sources} == set(model.card["treebanks"])
    assert all(source["licence"] and source["attribution"] for source in sources)
    assert model.card["held out"]["tags"] >= 0.9
    provided = {"xpos": bool(model.xpos), "lemma": model.lemmas is not None, "feats": any(model.bundles.names)}
    assert {name: provides("own", name, lang) for name in provided} == provided


def test_the_table_of_models() -> None:
    assert sum(path.stat().st_size for path in FOLDER.glob(f"*{SUFFIX}")) < 40 << 20
    aliases = {"bs": "hr", "hbs": "hr", "sh": "hr", "no": "nb"}
    by_default = {lang for lang, spec in LANGUAGES.items() if spec == "own"}
    assert by_default - set(aliases) == set(languages()) - {"ja"}
    assert {lang: model_of(lang) for lang in aliases} == {lang: model_of(other) for lang, other in aliases.items()}
    assert model_of("../en") is model_of("xx") is None
    assert all(provides("own", name, "pl") for name in ("lemma", "tag", "xpos", "feats"))  # by a model of a user


def test_what_no_treebank_has_goes_by_its_characters() -> None:
    _, tagger = tagger_for("de")
    words = "Siehe https://example.org/x oder @jo 👍 am 3. Mai .".split()
    tagged = tagger.tag([words])
    tags = dict(zip(words, tagged.tags, strict=True))
    assert (tags["https://example.org/x"], tags["@jo"], tags["👍"], tags["3."], tags["."]) == (
        "SYM",
        "PROPN",
        "SYM",
        "ADJ",
        "PUNCT",
    )
    assert tagged.lemmas[1] == words[1]
    assert plausible_tag("&", "CCONJ") == "CCONJ"
    assert (plausible_tag(":-)", "NUM"), plausible_tag("12", "PUNCT"), plausible_tag("3.", "ADJ")) == (
        "SYM",
        "NUM",
        "ADJ",
    )


def test_serbian_in_both_alphabets() -> None:
    _, tagger = tagger_for("sr")
    latin = tagger.tag(["Knjige su na stolu .".split()])
    cyrillic = tagger.tag(["Књиге су на столу .".split()])
    assert cyrillic.tags == latin.tags == "NOUN AUX ADP NOUN PUNCT".split()
    assert cyrillic.lemmas == "књига бити на стол .".split()
    assert latin.lemmas == "knjiga biti na stol .".split()
