"""The bundled multilingual sample is what the sources give, and its truth is consistent."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from command import run

from gristmill import sample
from gristmill.annotation import tokenise
from gristmill.archive import find_sources
from gristmill.corpus import CorpusReader
from gristmill.corpus.originals import read_original
from gristmill.document import Document
from gristmill.engine import InlineEngine
from gristmill.pipeline import build
from gristmill.sample import ParallelTruth
from sample import multilingual, pack, pack_parallel, units

TOPIC = """date: 2024-01-01
---
# en A ferry
# de Eine Fähre

en One. | Two. + Three. | Four. + Five. | -
de Eins. | Zwei und drei. | ~ Fünf. + Vier. | *Neu*.

en Six.
de & Sechs.
cs Šest.
"""


@pytest.fixture(scope="module")
def known() -> ParallelTruth:
    return sample.parallel_truth()


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Document]:
    """What a build makes of the sample."""
    folder = tmp_path_factory.mktemp("parallel") / "corpus"
    build("sample-parallel", folder, engine=InlineEngine())
    return {document.url: document for document in CorpusReader(folder).documents()}


def test_the_archive_and_the_truth_are_made_again_from_the_sources() -> None:
    sites = multilingual.load()
    assert pack.same_pages(pack_parallel.warc(sites), sample.PARALLEL_WARC.read_bytes())
    assert pack_parallel.truth(sites) == sample.PARALLEL_TRUTH.read_bytes()


def test_making_it_twice_gives_the_same_bytes() -> None:
    assert pack_parallel.warc(multilingual.load()) == pack_parallel.warc(multilingual.load())


def test_it_is_as_rich_as_promised_and_small(known: ParallelTruth) -> None:
    pages = known["pages"].values()
    assert 70 <= len(pages) <= 100
    assert len({(page["site"], page["topic"]) for page in pages}) >= 24
    pairs = Counter(tuple(known["pages"][url]["lang"] for url in pair) for pair in known["pairs"])
    assert set(pairs) == {("en", "de"), ("en", "cs"), ("de", "cs")}
    assert pairs.total() >= 50
    ways = Counter(page["translation"] for page in pages)
    assert min(ways["partly"], ways["untranslated"]) >= 2
    assert ways["summary"] >= 1
    assert sum(not any(page["translations"].values()) for page in pages) >= 8
    shapes = Counter((len(source), len(target)) for beads in known["beads"].values() for source, target in beads)
    assert shapes[1, 1] > 800
    assert min(shapes[shape] for shape in ((1, 2), (2, 1), (1, 0), (0, 1))) >= 20
    assert shapes[2, 2]
    assert sample.PARALLEL_WARC.stat().st_size < 150_000


def test_pairs_are_of_pages_that_exist_and_name_each_other(known: ParallelTruth) -> None:
    pages = known["pages"]
    for one, other in known["pairs"]:
        assert pages[one]["translations"][pages[other]["lang"]] == other
        assert pages[other]["translations"][pages[one]["lang"]] == one
        assert pages[one]["site"] == pages[other]["site"]
    named = sum(bool(url) for page in pages.values() for url in page["translations"].values())
    assert named == 2 * len(known["pairs"])


def test_beads_are_all_sentences_of_both_pages_in_order(known: ParallelTruth) -> None:
    assert list(known["beads"]) == known["pairs"]
    for (one, other), beads in known["beads"].items():
        assert [text for texts, _ in beads for text in texts] == known["pages"][one]["sentences"]
        assert [text for _, texts in beads for text in texts] == known["pages"][other]["sentences"]


def test_sentences_make_up_the_blocks_of_the_text(known: ParallelTruth) -> None:
    for page in known["pages"].values():
        text = " ".join(block["text"] for block in page["blocks"] if block["role"] == "content")
        assert text == " ".join(page["sentences"])
        assert {block["role"] for block in page["blocks"]} == {"content", "boilerplate"}


def test_a_build_keeps_the_pages_with_their_languages(known: ParallelTruth, documents: dict[str, Document]) -> None:
    gone = set(known["pages"]) - set(documents)
    assert all(known["pages"][url]["translation"] == "untranslated" for url in gone)  # they are duplicates
    assert {url: document.lang for url, document in documents.items()} == {
        url: page["lang"] for url, page in known["pages"].items() if url not in gone
    }


def test_cleaning_keeps_the_text_and_drops_the_rest(known: ParallelTruth, documents: dict[str, Document]) -> None:
    same = wrong = 0
    for url, document in documents.items():
        true = Counter(block["text"] for block in known["pages"][url]["blocks"] if block["role"] == "content")
        kept = Counter(block.text for block in document.kept())
        same += (true & kept).total()
        wrong += (kept - true).total()
        if known["pages"][url]["translation"] != "partly":  # whose rest is a duplicate
            wrong += (true - kept).total()
    assert same > 550
    assert wrong / same < 0.02


def test_the_tokeniser_finds_nearly_all_sentences(known: ParallelTruth) -> None:
    true = found = 0
    for page in known["pages"].values():
        blocks = [block["text"] for block in page["blocks"] if block["role"] == "content"]
        sentences = Counter(sentence for block in blocks for sentence in _sentences(block, page["lang"]))
        true += len(page["sentences"])
        found += (sentences & Counter(page["sentences"])).total()
    assert found / true > 0.98


def _sentences(text: str, lang: str) -> list[str]:
    tokens = tokenise(text, lang)
    found, first, start = [], 0, 0
    for count in tokens.sentences:
        first += count
        end = tokens.starts[first] if first < len(tokens.starts) else len(text)
        found.append(text[start:end].strip())
        start = end
    return found


def test_hreflang_is_given_and_sometimes_lies() -> None:
    pages = {page.url: page.html for site in multilingual.load() for page in site.pages}
    valley = "https://www.lenz-valley.example"
    assert f'hreflang="cs" href="{valley}/cs/hut.html"' in pages[f"{valley}/en/hut.html"]
    assert f'hreflang="de" href="{valley}/de/home.html"' in pages[f"{valley}/en/ferry.html"]
    assert f'hreflang="de" href="{valley}/en/weather.html"' in pages[f"{valley}/en/weather.html"]
    assert not any("hreflang" in html for url, html in pages.items() if "clockhouse" in url or "threerivers" in url)


def test_beads_follow_from_units() -> None:
    topic = units.parse(TOPIC, "1-ferry")
    english, german, czech = (units.version(topic, lang) for lang in units.LANGUAGES)
    assert english
    assert german
    assert czech
    assert [block.text for block in german.blocks()][1:] == ["Eins. Zwei und drei. Fünf. Vier. *Neu*. Sechs."]
    assert units.beads(english, german) == [
        (["A ferry"], ["Eine Fähre"]),
        (["One."], ["Eins."]),
        (["Two.", "Three."], ["Zwei und drei."]),
        (["Four.", "Five."], ["Fünf.", "Vier."]),
        ([], ["Neu."]),
        (["Six."], ["Sechs."]),
    ]
    assert units.beads(english, czech)[-2:] == [(["Five."], []), (["Six."], ["Šest."])]


def test_what_is_not_translated_translates_nothing() -> None:
    topic = units.parse(TOPIC.replace("---", "shows.de: en from 2\n---", 1), "1-ferry")
    english, german = units.version(topic, "en"), units.version(topic, "de")
    assert english
    assert german
    assert german.sentences()[-1] == "Six."
    assert units.beads(english, german)[-2:] == [(["Six."], []), ([], ["Six."])]


@pytest.mark.parametrize("line", ["fr Un bac.", "en One. | Two.\nde Eins.", "# en One\nde Eins"])
def test_lines_that_do_not_fit_are_refused(line: str) -> None:
    with pytest.raises(ValueError, match="ferry: "):
        units.parse(f"date: 2024-01-01\n---\n{line}", "ferry")


def test_it_is_read_by_its_name_even_beside_a_folder_of_that_name(tmp_path: Path) -> None:
    (source,) = find_sources(["sample-parallel"])
    assert (source.name, Path(source.path)) == ("sample-parallel", sample.PARALLEL_WARC)
    (tmp_path / "sample-parallel").mkdir()
    built = run("build", "sample-parallel", "-o", "corpus", "-j", "1", cwd=tmp_path)
    assert built.returncode == 0
    assert b"for the folder of that name say ./sample-parallel" in built.stderr
    corpus = CorpusReader(tmp_path / "corpus")
    document = next(corpus.documents())
    assert read_original(corpus, document).url == document.url
