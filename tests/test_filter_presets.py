"""Presets on the bundled sample, to the document; and a corpus cut anew by a preset is the one built with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import gristmill
from gristmill.cleaning.languages import Languages
from gristmill.config import Config
from gristmill.corpus import CorpusReader, Selection
from gristmill.engine import InlineEngine
from gristmill.filter import chain_of
from gristmill.language import Models
from gristmill.presets import PRESETS

_SMALL = (
    "gazette.example/river/footbridge-closed.html gazette.example/river/fish-pass-count.html "
    "gazette.example/town/town-hall-clock.html "
    "gazette.example/markets/egg-stalls-sell-out.html gazette.example/town/library-amnesty.html "
    "gazette.example/river/low-water-finds.html "
    "gazette.example/markets/weighbridge-reopens.html gazette.example/print/library-amnesty.html "
    "gazette.example/river/ "
    "vcelar.example/tisk/praxe/prvni-medobrani.html"
)
_SHORT = (
    "chaye.example/ chaye.example/lvcha/mingqian.html chaye.example/lvcha/yuqian.html "
    "chaye.example/chaju/gaiwan.html chaye.example/chahua/huichaotian.html chaye.example/chahua/chatan.html "
    "chaye.example/chahua/chazi.html nikki.example/ nikki.example/2020/08/sashiko-fukin.html "
    "nikki.example/2021/12/ashibumi-mishin.html nikki.example/2022/09/washi-kobako.html "
    "nikki.example/2023/06/ume-to-kasa.html nikki.example/2023/11/hidari-tebukuro.html "
    "nikki.example/2024/02/bazaar.html nisi.example/koinonia/ riverpost.example/news/river/"
)
_TEASERS = (
    "chaye.example/ crumb.example/ gazette.example/ horal.example/hrebeny/ marmite.example/ nisi.example/ "
    "riverpost.example/ riverpost.example/news/river/ samovar.example/novosti/ sluice.example/ vcelar.example/praxe/"
)
_QUOTING_MOST = "spokes.example/t/three-speed-slips"
_QUOTING = "spokes.example/t/creak-under-load spokes.example/t/stuck-seatpost spokes.example/t/chain-in-winter"
_NEARLY_EMPTY = (
    "chaye.example/ gazette.example/ horal.example/hrebeny/ nisi.example/ riverpost.example/news/river/ "
    "samovar.example/novosti/ vcelar.example/praxe/"
)

_FINEWEB_DATATROVE_QUALITY = (
    "chaye.example/ crumb.example/2020/11/rye-radiator.html crumb.example/ gazette.example/ "
    "horal.example/hrebeny/ marmite.example/ nisi.example/ nisi.example/koinonia/ "
    "radiokruzhok.example/viewtopic.php?t=112 radiokruzhok.example/viewtopic.php?t=187 "
    "radiokruzhok.example/viewtopic.php?t=240 radiokruzhok.example/viewtopic.php?t=305 "
    "radiokruzhok.example/viewtopic.php?t=371 radiokruzhok.example/ riverpost.example/ "
    "riverpost.example/news/river/ samovar.example/ "
    "samovar.example/zhurnal/sorok-litrov-tishiny.html samovar.example/novosti/2022/biblioteka-rassada.html "
    "samovar.example/novosti/ sluice.example/ sluice.example/commands/sieve.html vcelar.example/praxe/"
)
_FINEWEB_FINEWEB_QUALITY = (
    "chaye.example/chaju/gaiwan.html lesesaal.example/index.html lesesaal.example/meldungen.html nikki.example/ "
    "riverpost.example/news/river/salmon-fish-pass-swan-48213 spokes.example/workshop "
    "spokes.example/t/creak-under-load spokes.example/t/flat-every-third-day spokes.example/t/stuck-seatpost "
    "spokes.example/t/chain-in-winter"
)
_FINEWEB_DATATROVE_NGRAMS = "spokes.example/t/three-speed-slips"
_DATATROVE_DATATROVE_QUALITY = (
    "chaye.example/ crumb.example/2020/11/rye-radiator.html gazette.example/ horal.example/hrebeny/ nisi.example/ "
    "nisi.example/koinonia/ radiokruzhok.example/viewtopic.php?t=112 radiokruzhok.example/viewtopic.php?t=187 "
    "radiokruzhok.example/viewtopic.php?t=240 radiokruzhok.example/viewtopic.php?t=305 "
    "radiokruzhok.example/viewtopic.php?t=371 radiokruzhok.example/ riverpost.example/news/river/ samovar.example/ "
    "samovar.example/novosti/2024/samovar-vernuli.html samovar.example/zhurnal/sorok-litrov-tishiny.html "
    "samovar.example/novosti/2022/biblioteka-rassada.html samovar.example/zhurnal/varenie-iz-shishek.html "
    "samovar.example/novosti/ vcelar.example/praxe/"
)
_DATATROVE_C4_PAGE = (
    "gazette.example/river/ lesesaal.example/index.html marmite.example/ sluice.example/ spokes.example/workshop"
)
_DATATROVE_FINEWEB_QUALITY = (
    "spokes.example/t/creak-under-load spokes.example/t/flat-every-third-day spokes.example/t/stuck-seatpost "
    "spokes.example/t/chain-in-winter"
)
_DATATROVE_DATATROVE_NGRAMS = "spokes.example/t/three-speed-slips"

# Of the 106 pages that were fetched and are HTML, which go by what, preset by preset: small pages, short texts (in
# Chinese and Japanese many are), front pages of teasers that end in an ellipsis, and threads of a forum that quote what
# was said before. DataTrove counts marks as words without letters, so that much Russian goes, and FineWeb allows hardly
# any repeated line.
EXPECTED = {
    "default": {},
    "none": {},
    "ukwac": {"size": _SMALL},
    "presemt": {"size": _SMALL},
    "basque": {"length": _SHORT},
    "gopher": {"gopher-quality": _TEASERS, "repeated-lines": _QUOTING_MOST, "repeated-ngrams": _QUOTING},
    "c4": {"c4-page": _NEARLY_EMPTY},
    "fineweb": {
        "datatrove-quality": _FINEWEB_DATATROVE_QUALITY,
        "fineweb-quality": _FINEWEB_FINEWEB_QUALITY,
        "datatrove-ngrams": _FINEWEB_DATATROVE_NGRAMS,
    },
    "datatrove": {
        "datatrove-quality": _DATATROVE_DATATROVE_QUALITY,
        "c4-page": _DATATROVE_C4_PAGE,
        "fineweb-quality": _DATATROVE_FINEWEB_QUALITY,
        "datatrove-ngrams": _DATATROVE_DATATROVE_NGRAMS,
    },
}


@pytest.mark.parametrize("preset", list(PRESETS))
def test_what_goes_by_which_filter(corpus: gristmill.Corpus, preset: str) -> None:
    filters = chain_of(corpus.config.filter.replace(preset))
    found: dict[str, set[str]] = {}
    for document in corpus.pages():
        if not document.method:  # redirects, errors, pictures
            continue
        document.dropped, document.detail = filters.fault_of_page(document) or ("", "")
        if not document.dropped:
            filters.apply(document, Languages(Models.load()))
        if document.dropped:
            assert document.detail
            found.setdefault(document.dropped, set()).add(document.url.partition("://")[2])
    assert found == {reason: set(urls.split()) for reason, urls in EXPECTED[preset].items()}


def _texts(corpus: CorpusReader | gristmill.Corpus, selection: Selection) -> Iterator[tuple[str, str, float, str]]:
    return (
        (document.id, document.lang, document.lang_confidence, document.text)
        for document in corpus.documents(selection)
    )


@pytest.mark.parametrize("preset", ["c4", "ukwac"])
def test_cut_anew_is_built_anew(corpus: gristmill.Corpus, tmp_path: Path, preset: str) -> None:
    built = gristmill.build(
        ["sample"], tmp_path / "corpus", Config().with_filters(preset=preset), engine=InlineEngine()
    )
    assert built.config.filter.filters == PRESETS[preset]
    with_copies = Selection(max_duplicate=1.0)  # what repeats what is another matter in another corpus
    again = list(_texts(corpus, Selection(max_duplicate=1.0, preset=preset)))
    assert list(_texts(built, with_copies)) == again
    assert list(_texts(built, Selection(max_duplicate=1.0, preset=preset))) == again
    assert built.counts["passed"] == len(again)
    counts = built.counts
    assert counts["pages"] == counts["passed"] + sum(counts["dropped"].values())
    assert bool(counts["dropped_blocks"]) == (preset == "c4")
    left = sum(page.text_blocks for page in built.pages())
    assert counts["text_blocks"] == left + sum(counts["dropped_blocks"].values())
    back = Selection(max_duplicate=1.0, preset="default")
    if preset == "c4":
        assert list(_texts(built, back)) == list(_texts(corpus, with_copies)), "and back: no block is lost"
    else:
        assert built.out_of_reach(back) == counts["dropped"]["size"] == 10
        assert len(list(_texts(built, back))) == counts["passed"]
    assert built.out_of_reach(with_copies) == 0


def test_filters_chosen_anew(corpus: gristmill.Corpus) -> None:
    long = [
        document.length for document in corpus.documents(Selection(filters=("length:min=3000",), max_duplicate=1.0))
    ]
    assert long
    assert min(long) >= 3000
    everything = list(corpus.documents(Selection(preset="none", max_duplicate=1.0)))
    assert len(everything) == corpus.counts["passed"] + corpus.counts["dropped"].get("length", 0)
    with pytest.raises(gristmill.UsageError, match="did you mean 'length'"):
        corpus.documents(Selection(filters=("lenght:min=5",)))


def test_a_language_that_was_given_stays(tmp_path: Path) -> None:
    """Block filters do not tell it anew, neither in a build nor afterwards."""
    page = tmp_path / "pages" / "a.html"
    page.parent.mkdir()
    page.write_text(
        f"<p>{'The miller opened the sluice, and the wheel began to turn. ' * 9}<p>No end here<p>{'It was old. ' * 30}"
    )
    config = Config().replace(clean_lang="sco").with_filters("c4-lines")
    built = gristmill.build([page.parent], tmp_path / "corpus", config, engine=InlineEngine())
    assert [document.lang for document in built.documents()] == ["sco"]
    assert [document.lang for document in built.documents(Selection(filters=("no-c4-lines",)))] == ["sco"]
    assert built.counts["dropped_blocks"] == {"c4-lines": 1}


def test_a_file_that_changed_is_another_setting(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("sluice\nturnip\nbeaver")
    config = Config().with_filters(f"word-list:file={words}")
    gristmill.build(["sample"], tmp_path / "corpus", config, engine=InlineEngine())
    words.write_text("sluice")
    with pytest.raises(gristmill.UsageError, match=r"files\..*words.txt"):
        gristmill.build(["sample"], tmp_path / "corpus", config, engine=InlineEngine())
