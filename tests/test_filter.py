"""Every filter finds what it should, says so in numbers, and drops by its thresholds."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.annotation.parsing.parser import Parser
from gristmill.cleaning.languages import Languages
from gristmill.config import Config, FilterConfig
from gristmill.document import Block, Document, Kind, Page
from gristmill.errors import UsageError
from gristmill.filter import EMPTY, FILTERS, BlockFilter, DocumentFilter, Fetched, chain_of, explicit, forget_blocks
from gristmill.filter.content_words import by_lemma, count_content_words, has_lemmas
from gristmill.filter.datatrove import DatatroveNgrams
from gristmill.filter.repetition import repeated_shares
from gristmill.filter.words import count_words, frequent_words, words_of
from gristmill.language import Models
from gristmill.pipeline import process
from gristmill.presets import PRESETS, changed, with_thresholds

HTML = {"content-type": "text/html; charset=utf-8"}
BODY = b"<html><p><a href=x>" + b"words " * 100
PROSE = (
    "It was in the spring of the year that the miller went down to the river, and what he saw there he did not tell to "
    "anyone until the summer was over and all of the grain had been brought in from the fields."
)


def document(*texts: str, lang: str = "en", kind: Kind = "p", langs: Sequence[str] = ()) -> Document:
    blocks = [Block(text, kind, "html/body/p", 0, len(text), len(text.split()), 0, 0, 0) for text in texts]
    for block, own in zip(blocks, langs, strict=False):
        block.lang = own
    made = Document(lang=lang, lang_confidence=0.9, method="all", blocks=blocks)
    made.measure()
    return made


def judge(spec: str, made: Document, languages: tuple[str, ...] = ()) -> tuple[bool, str]:
    [(_, part)] = chain_of(FilterConfig((spec,), languages)).filters[:1]
    assert isinstance(part, DocumentFilter)
    return part.judge(made)


def dropped(spec: str, made: Document, languages: tuple[str, ...] = ()) -> list[int]:
    part = dict(chain_of(FilterConfig((spec,), languages)).filters)[spec.partition(":")[0]]
    assert isinstance(part, BlockFilter)
    return part.judge(made).dropped


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        (Page("u", BODY, headers=HTML), None),
        (Page("u", BODY, headers={"content-type": "APPLICATION/XHTML+XML"}), None),
        (Page("u", BODY), None),
        (Page("u", BODY, headers={"content-type": "application/octet-stream"}), None),
        (Page("u", BODY, headers={"content-type": "text/plain"}, is_text=True), None),
        (Page("u", BODY, status=404, headers=HTML), ("status", "HTTP status 404")),
        (Page("u", BODY, headers={"content-type": "image/png"}), ("content-type", "image/png")),
        (Page("u", b"\x89PNG" * 100), ("content-type", "no content type, and not like HTML")),
        (Page("u", b"<p>x", headers=HTML), ("size", "4 bytes, fewer than 100")),
        (Page("u", BODY * 100, headers=HTML), ("size", "more than 10,000 bytes")),
    ],
)
def test_pages(page: Page, fault: tuple[str, str] | None) -> None:
    config = Config().with_filters("size:min=100,max=10000")
    assert chain_of(config.filter).fault_of_page(page) == fault
    stored = process(page, config)
    assert (stored.dropped in {"status", "content-type", "size"}) == bool(fault)
    assert chain_of(config.filter).fault_of_page(stored) == fault, "what is stored is judged as the page was"


def test_what_is_not_read_is_not_kept_whatever_the_filters() -> None:
    filters = chain_of(FilterConfig(()))
    assert filters.limit == 10_000_000
    assert filters.fault_of_page(Page("u", b"x" * (filters.limit + 1))) == ("size", "more than 10,000,000 bytes")
    assert chain_of(FilterConfig(("size:max=5000",))).limit == 5000


@pytest.mark.parametrize(
    ("made", "fault"),
    [
        (Document(lang="en", length=500, text_blocks=1), None),
        (Document(lang="de", lang_confidence=0.9, length=500), ("language", "de (0.90), not en or cs")),
        (Document(lang="cs", length=199), ("length", "199 characters of text, fewer than 200")),
        (Document(lang="cs", length=2_000_000), ("length", "2,000,000 characters of text, more than 1,000,000")),
    ],
)
def test_documents(made: Document, fault: tuple[str, str] | None) -> None:
    assert chain_of(FilterConfig(languages=("en", "cs"))).fault_of_document(made) == fault


def test_languages() -> None:
    assert chain_of(FilterConfig()).fault_of_document(Document(lang="und", length=500, text_blocks=1)) is None
    assert judge("language:confidence=0.95", document(PROSE)) == (False, "en (0.90), less sure than 0.95")
    assert judge("language:languages=cs,sk", document(PROSE), ("en",)) == (False, "en (0.90), not cs or sk")
    none = chain_of(FilterConfig((), ("cs",)))
    assert none.fault_of_document(document(PROSE)) == ("language", "en (0.90), not cs"), (
        "languages are asked for with any filters"
    )


def test_languages_can_be_lifted() -> None:
    asked = FilterConfig(("status", "language", "foreign:run=0.2"), ("cs",))
    lifted = FilterConfig(("status", "foreign:run=0.2,languages=cs"))
    assert asked.replace(changes=["no-language"]) == asked.replace(changes=["-language"]) == lifted
    assert FilterConfig(("status",), ("cs",)).replace(changes=["no-language"]) == FilterConfig(("status",))
    assert asked.replace("none") == FilterConfig(())
    assert asked.replace("none", ["foreign"]) == FilterConfig(("foreign:languages=cs",))
    assert asked.replace("none", languages=("sk",)) == FilterConfig((), ("sk",))
    assert asked.replace("ukwac").languages == ("cs",)
    chain = chain_of(FilterConfig(("language",), ("cs",)).replace(changes=["no-language"]))
    assert chain.fault_of_document(document(PROSE)) is None
    foreign = document("x" * 60, "y" * 50, langs=["cs", "en"], lang="en")
    chain_of(lifted).apply(foreign, Languages(Models.load()))
    assert [block.dropped for block in foreign.blocks] == ["", "foreign"]
    config = Config().replace(filter_languages=("cs",))
    assert config.with_filters(preset="none").filter == FilterConfig(())
    assert config.with_filters(preset="none", languages=("sk",)).filter == FilterConfig((), ("sk",))
    table = {"filter": {"preset": "none", "languages": ["cs"]}}
    assert Config.from_table(table).filter == FilterConfig((), ("cs",))
    table["filter"]["filters"] = ["no-language"]
    assert Config.from_table(table).filter == FilterConfig(())


def test_documents_without_text_are_no_documents() -> None:
    assert chain_of(FilterConfig(())).fault_of_document(document()) == (EMPTY, "no text")
    headings = document("A heading", "Another")
    chain_of(FilterConfig(("c4-lines",))).apply(headings, Languages(Models.load()))
    assert (headings.dropped, headings.detail) == (EMPTY, "no text is left after c4-lines")


def test_a_dropped_page_says_why_and_keeps_what_is_known() -> None:
    gone = process(Page("http://a.example/", BODY, status=500, headers=HTML, source="a.warc", offset=7), Config())
    assert (gone.dropped, gone.detail, gone.blocks) == ("status", "HTTP status 500", [])
    assert (gone.url, gone.source, gone.offset, gone.size) == ("http://a.example/", "a.warc", 7, len(BODY))
    few_words = b"<html><!--" + b"-" * len(BODY) + b"--><p>A few words."
    short = process(Page("http://a.example/", few_words, headers=HTML), Config())
    assert short.dropped == "length"
    assert len(short.blocks) == 1


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        (PROSE, True),
        (PROSE + " Spaß“, sagte sie. Das café» war zu. Ångström, Ähre “Ä” – CAFÉ”", True),
        (PROSE + " Съёмка. Сёстры. Он сказал: «Россия»", True),
        ("a\ufffd" * 20, False),
        ("word \ue001\ue002 " * 20, False),
        ("Le cafÃ© est fermÃ© Ã  cause de la grÃ¨ve", False),
        ("It wasnâ€™t the millerâ€™s fault", False),
        ("РўРµРєСЃС‚ РІ РґСЂСѓРіРѕР№ РєРѕРґРёСЂРѕРІРєРµ", False),
        ("Ð¢ÐµÐºÑ\x81Ñ‚ Ð² Ð´Ñ€ÑƒÐ³Ð¾Ð¹", False),
    ],
)
def test_invalid_characters(text: str, passed: bool) -> None:
    assert judge("invalid-characters", document(text))[0] == passed


def test_invalid_characters_are_counted() -> None:
    assert judge("invalid-characters:max=0.1", document("cafÃ©\ufffd" + "x" * 33)) == (
        True,
        "7.7% of its characters are invalid (1) or of a wrong encoding (2)",
    )


def test_function_words() -> None:
    assert judge("function-words:tokens=20", document(PROSE))[0]
    passed, detail = judge("function-words", document("Smith, Jones, Miller, Baker, Carter, Fletcher and Sons"))
    assert not passed
    assert detail == (
        "1 different function word, fewer than 10; 1 function word, fewer than 30; 12.5% of words are function "
        "words, less than 25.0%"
    )
    assert judge("function-words", document("字" * 500, lang="zh")) == (
        True,
        "not judged: there is no list of function words for zh",
    )
    assert len(frequent_words("en", 151)) == 151
    assert len(frequent_words("ru", 151)) > 500, "as large a part of running text takes more words"
    assert frequent_words("en", 8)[0] == "the"


def test_function_words_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "hsb.stoplist.txt"
    path.write_text("je\nw\na\n", "utf-8")
    spec = f"function-words:types=2,tokens=3,share=0.3,file={path}"
    assert judge(spec, document("Młyn je w dole a je stary", lang="hsb")) == (
        True,
        "3 function words, 4 times, 57.1% of words",
    )
    assert not judge(spec, document("Młyn stary kamień", lang="hsb"))[0]
    with pytest.raises(UsageError, match="can't read the word list"):
        judge("function-words:file=nowhere.txt", document("x"))


def test_words() -> None:
    assert words_of("“Don’t!” – said (he): l'homme 3.5") == ["don't", "said", "he", "l'homme", "3.5"]
    assert words_of("l’homme", "fr") == ["l", "homme"]


@given(st.text())
def test_words_are_counted_as_they_are_found(text: str) -> None:
    found = words_of(text)
    assert count_words(text).total() == len(found)
    assert set(count_words(text)) == set(found)


def test_word_list(tmp_path: Path) -> None:
    path = tmp_path / "bad, words.txt"
    path.write_text("Grist\nmill stone\nflour\n\n", "utf-8")
    spec = f"word-list:file={path}"
    assert judge(spec, document("The millstone. Grist! GRIST, mill; stone.")) == (
        True,
        "2 words of the list, 3 times: grist, mill stone",
    )
    assert judge(spec, document("grist, mill stone, flour")) == (
        False,
        "3 words of the list, 3 times: flour, grist, mill stone",
    )
    assert not judge(f"{spec},types=9", document("grist " * 10))[0]
    assert judge(spec, document("gristle " * 10)) == (True, "0 words of the list, 0 times")


def test_foreign_runs_and_languages() -> None:
    texts = ["x" * 60, "y" * 10, "y" * 10, "x" * 20]
    made = document(*texts, langs=["eu", "es", "es", "eu"], lang="eu")
    assert dropped("foreign", made) == [1, 2], "a run of 20 %"
    assert dropped("foreign:run=0.2", made) == []
    assert dropped("foreign", made, ("es",)) == [0, 3], (
        "of the language asked for; each alone, as it makes 80 % together"
    )
    single = document(*texts[:2], "x" * 30, langs=["eu", "es", "eu"], lang="eu")
    assert dropped("foreign", single) == [], "a quotation"
    half = document("x" * 50, "y" * 25, "x" * 5, "y" * 20, langs=["eu", "es", "eu", "es"], lang="eu")
    assert dropped("foreign", half) == [1, 3], "no run, but 45 % of the document"
    assert dropped("foreign:share=0.45", half) == []
    assert dropped("foreign", document("a", "b", langs=["en", "de"], lang="und")) == []


def test_blocks_too_short_to_tell_belong_to_what_surrounds_them() -> None:
    texts = ["x" * 60, "y" * 10, "?", "y" * 10, "?", "x" * 20]
    assert dropped("foreign", document(*texts, langs=["eu", "es", "", "es", "", "eu"], lang="eu")) == [1, 2, 3]
    assert dropped("foreign", document("?", "y" * 9, "x" * 60, "?", langs=["", "es", "eu", ""], lang="eu")) == [0, 1]
    assert dropped("foreign", document("?", "?", langs=["", ""], lang="eu")) == []


def test_what_is_left_tells_the_language() -> None:
    page = document("y" * 150, "x" * 100, "y" * 50, langs=["es", "eu", "es"], lang="es")
    filters = chain_of(FilterConfig(("foreign", "language", "length:min=10"), ("eu",)))
    filters.apply(page, Languages(Models.load()))
    assert (page.dropped, page.lang, page.text, page.words) == ("", "eu", "x" * 100, 1)
    assert [block.dropped for block in page.blocks] == ["foreign", "", "foreign"]
    forget_blocks(page, Languages(Models.load()))
    assert (page.lang, [block.dropped for block in page.blocks]) == ("es", ["", "", ""]), "and all can be had back"


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ("min_words=100", "88 words, fewer than 100"),
        ("max_words=60", "88 words, more than 60"),
        ("min_length=5", "letters a word, fewer than 5.00"),
        ("max_length=3.5", "letters a word, more than 3.50"),
        ("frequent=8", "of the most frequent words, fewer than 8"),
    ],
)
def test_gopher_quality(change: str, fault: str) -> None:
    made = document(PROSE, PROSE)
    assert judge("gopher-quality", made)[0]
    passed, detail = judge(f"gopher-quality:{change}", made)
    assert not passed
    assert fault in detail


@pytest.mark.parametrize(
    ("made", "fault"),
    [
        (document(PROSE, PROSE, "# " * 20), "as many symbols as words"),
        (document(PROSE + " ...", PROSE + "…"), "100.0% of lines end with an ellipsis"),
        (document(PROSE, PROSE, kind="l"), "100.0% of lines begin with a bullet"),
        (document("• " + PROSE, "• " + PROSE), "100.0% of lines begin with a bullet"),
        (document(PROSE, "12 34 56 78 " * 20), "of words have letters, less than 80.0%"),
    ],
)
def test_gopher_lines_and_symbols(made: Document, fault: str) -> None:
    assert fault in judge("gopher-quality", made)[1]


def test_gopher_in_other_languages() -> None:
    czech = (
        "Mlynář se vrátil do mlýna a viděl, že na dvoře nic není, a tak si sedl na lavici a čekal, až to přijde. " * 4
    )
    assert judge("gopher-quality", document(czech, lang="cs"))[0]
    passed, detail = judge("gopher-quality:min_words=1", document("水车转动着，麦子变成了面粉。" * 30, lang="zh"))
    assert passed, detail


@pytest.mark.parametrize(
    "text",
    [
        "水车转动着，麦子变成了面粉。" * 30,
        "大 連 港 預 期 ， 去 年 全 年 盈 利 " * 30,
        "โรงสีข้าวอยู่ริมแม่น้ำ " * 30,
        "水車が回り、小麦が粉になりました。(2012) " * 30,
    ],
)
def test_words_that_are_not_separated_are_not_judged(text: str) -> None:
    unjudged = "not judged: words are not separated in this script"
    assert judge("repeated-ngrams", document(text)) == (True, unjudged)
    passed, detail = judge("gopher-quality:frequent=0,min_words=1", document(text))
    assert passed
    assert detail.endswith(f"length and letters of words {unjudged}")
    assert "letters each" not in detail


def test_a_quotation_in_another_script_does_not_make_a_text_unspaced() -> None:
    assert not judge("repeated-ngrams", document("the mill of the town is by the river " * 20 + "水车转动着"))[0]


def test_repeated_lines() -> None:
    assert judge("repeated-lines", document("a", "b", "c")) == (True, "no repeated lines")
    made = document("a" * 10, "b" * 10, "a" * 10, "c" * 10)
    assert judge("repeated-lines:characters=0.25", made) == (
        True,
        "25.0% of lines and 25.0% of characters are repeated",
    )
    assert judge("repeated-lines:lines=0.2", made) == (
        False,
        "25.0% of lines are repeated, more than 20.0%; 25.0% of characters are in repeated lines, more than 20.0%",
    )


def test_repeated_ngrams_by_hand() -> None:
    shares = repeated_shares("aa bb cc dd ee ff aa bb cc dd ee gg")
    assert shares["top2"] == 8 / 24
    assert shares["top4"] == 16 / 24
    assert shares["all5"] == 20 / 24
    assert shares["all6"] == 0
    assert set(repeated_shares("").values()) == {0}
    assert repeated_shares("水车" * 20)["all10"] == 1, "a character is a word where words are not separated"


@given(st.lists(st.sampled_from("abcd"), max_size=60))
def test_repeated_ngrams_as_counted_one_by_one(words: list[str]) -> None:
    shares = repeated_shares(" ".join(words))
    for n in range(2, 11):
        grams = [tuple(words[start : start + n]) for start in range(len(words) - n + 1)]
        often = max(map(grams.count, grams), default=0)
        if n <= 4:
            expected = often * n if often > 1 else 0
            assert shares[f"top{n}"] == pytest.approx(expected / max(len(words), 1))
        elif n >= 5:
            inside = {start + step for start, gram in enumerate(grams) if grams.count(gram) > 1 for step in range(n)}
            assert shares[f"all{n}"] == pytest.approx(len(inside) / max(len(words), 1))


@pytest.mark.parametrize(
    ("text", "goes"),
    [
        (PROSE, False),
        ("He said to them all: “Come in!”", False),
        ("Er sagte zu allen: »Kommt herein.«", False),
        ("水车转动着，麦子变成了面粉，人们都很高兴。", False),
        ("A heading without an end", True),
        ("Too few words.", True),
        ("And what he saw then was...", True),
        ("Please enable JavaScript to see this page.", True),
        ("By staying here you accept our Privacy Policy.", True),
        ("a b c d " + "x" * 1001 + ".", True),
    ],
)
def test_c4_lines(text: str, goes: bool) -> None:
    made = document(text)
    made.blocks[0].words = max(made.blocks[0].words, 9 if not text.isascii() else 0)
    assert dropped("c4-lines", made) == [0] * goes


def test_c4_lines_by_rule() -> None:
    made = document("No end", "Also no end", PROSE, "Two words.")
    part = FILTERS["c4-lines"]()
    assert isinstance(part, BlockFilter)
    assert part.judge(made) == ([0, 1, 3], "1 of fewer than 5 words, 2 without terminal punctuation")
    assert dropped("c4-lines:punctuation=no,words=2", made) == []


def test_c4_pages() -> None:
    assert judge("c4-page", document("One. Two! “Three?” four")) == (True, "4 sentences")
    assert judge("c4-page", document("One.two.three", "")) == (False, "1 sentence, fewer than 3")
    assert judge("c4-page", document("一。二。三。")) == (True, "3 sentences")
    assert "lorem ipsum" in judge("c4-page", document("Lorem Ipsum. Dolor. Sit."))[1]
    assert judge("c4-page", document("a. b. c. {")) == (False, "a curly bracket")
    assert judge("c4-page:braces=no", document("a. b. c. {"))[0]


@pytest.fixture
def milling(tmp_path: Path) -> Path:
    folder = tmp_path / "milling"
    folder.mkdir()
    (folder / "a.txt").write_text(
        "The millstone grinds wheat and rye. A miller dresses each millstone, and wheat becomes flour in the mill."
    )
    (folder / "b.txt").write_text(
        "Sluices lead the water of the weir onto the waterwheel; the waterwheel turns shafts and cogs of the mill."
    )
    return folder


@pytest.mark.parametrize("weights", ["rrr", "rfr"])
@pytest.mark.parametrize("compare", ["nearest", "whole"])
def test_topic(milling: Path, weights: str, compare: str) -> None:
    spec = f"topic:sample={milling},weights={weights},compare={compare},lang=en"
    about = document("Wheat and rye are ground by a millstone; the miller sells flour.")
    other = document("The orchestra played a symphony, and the audience applauded the conductor.")
    assert judge(spec, about)[0]
    assert judge(spec, other) == (
        False,
        f"0.000 like the {'nearest text of the ' * (compare == 'nearest')}sample, less than 0.19",
    )
    same = judge(spec, document((milling / "a.txt").read_text()))[1]
    assert same.startswith("1.000" if compare == "nearest" else "0.")
    assert not judge(spec, document())[0]


def test_topic_goes_by_lemmas_of_content_words(tmp_path: Path) -> None:
    """Worked by hand: what is left of each text are `miller` and `sell`, once each, so the cosine is 1.

    By forms, `millers` and `miller` differ, and `sold` and `sells`, too: they share nothing.
    """
    (tmp_path / "a.txt").write_text("The miller sells it.")
    made = document("And the millers sold it.")
    assert judge(f"topic:sample={tmp_path},lang=en", made) == (True, "1.000 like the nearest text of the sample")
    assert judge(f"topic:sample={tmp_path},lang=en,words=forms", made)[1].startswith("0.000 like")
    counted = count_content_words("The mills sold flour in Hartwell.\nMills!", "en", "lemmas")
    assert counted == {"mill": 2, "sell": 1, "flour": 1, "hartwell": 1}
    assert not has_lemmas("eu")
    assert count_content_words("The mills", "eu", "lemmas") == {"the": 1, "mills": 1}
    assert by_lemma({"mills": 0.25, "mill": 0.5, "the": 0.25}, "en", "lemmas") == {"mill": 0.75, "the": 0.25}
    assert by_lemma({"mills": 0.25}, "en", "forms") == {"mills": 0.25}


def test_topic_parses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lemmas and parts of speech need no relations, which take as long as all else of annotation."""
    monkeypatch.setattr(Parser, "parse", None)
    assert count_content_words("The mills sold flour.", "en", "lemmas") == {"mill": 1, "sell": 1, "flour": 1}


def test_topic_with_a_file_a_corpus_and_other_general_texts(milling: Path, tmp_path: Path) -> None:
    one = tmp_path / "all.txt"
    one.write_text("\n\n".join(file.read_text() for file in sorted(milling.iterdir())))
    made = document("Wheat and rye are ground by a millstone; the miller sells flour.")
    assert judge(f"topic:sample={one},lang=en", made) == judge(f"topic:sample={milling},lang=en", made)
    general = tmp_path / "general.txt"
    general.write_text("The miller and the wheat and the water and the mill and the orchestra. " * 3)
    assert judge(f"topic:sample={one},general={general},lang=eu", made)[0]


@pytest.mark.parametrize(
    ("specs", "message"),
    [
        (["lenght"], "there is no filter 'lenght'; did you mean 'length'?"),
        (["length:mn=3"], "the filter 'length' has no parameter 'mn'; did you mean 'min'? (it has: min, max)"),
        (["length:min=many"], "the filter 'length': min must be a whole number, not 'many'"),
        (["length:5"], "'5' is not of the form parameter=value"),
        (["length:min=9,max=3"], "length: min must not be more than max, but they are 9 and 3"),
        (["size:min=-1"], "the filter 'size': min must not be negative, but it is -1"),
        (["gopher-quality:min_words=-4"], "min_words must not be negative, but it is -4"),
        (["gopher-quality:min_words=9,max_words=3"], "min_words must not be more than max_words, but they are 9 and 3"),
        (["c4-page:sentences=-1"], "sentences must not be negative"),
        (["function-words:types=-1/2"], "types must be a whole number"),
        (["topic:min=-0.5"], "min must not be negative"),
        (["word-list:file=x,types=0"], "word-list: types must be at least 1, not 0"),
        (["function-words:list=0"], "function-words: list must be at least 1, not 0"),
        (["content-type:types=html"], "content-type: 'html' is not a media type such as text/html"),
        (["content-type:types="], "content-type: types must name one at least"),
        (["length:min=3,min=4"], "'length:min=3,min=4': min is given twice"),
        (["repeated-lines:lines=7"], "repeated-lines: lines must be between 0 and 1, not 7.0"),
        (["repeated-lines:lines=nan"], "lines must be a number, not 'nan'"),
        (["c4-lines:policy=perhaps"], "policy must be yes or no, not 'perhaps'"),
        (["language:languages=english"], "did you mean 'en'?"),
        (["length", "length"], "the filter 'length' is asked for twice"),
        (["word-list"], "the filter 'word-list' needs a list: word-list:file=FILE"),
        (["word-list:file=none.txt"], "can't read the word list none.txt"),
        (["topic"], "the filter 'topic' needs texts on the topic"),
        (["topic:sample=none"], "can't read the texts in none"),
        (["topic:sample=none,weights=tfidf"], "weights must be rrr or rfr, not 'tfidf'"),
        (["topic:sample=none,words=stems"], "words must be lemmas or forms, not 'stems'"),
        (["topic:sample=none,compare=some"], "compare must be nearest or whole, not 'some'"),
    ],
)
def test_wrong_filters(specs: list[str], message: str) -> None:
    with pytest.raises(UsageError) as error:
        chain_of(FilterConfig(tuple(specs)))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_samples_without_text_or_frequencies(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there are no texts in"):
        chain_of(FilterConfig((f"topic:sample={tmp_path}",)))
    (tmp_path / "a.txt").write_text("Kaixo")
    with pytest.raises(UsageError, match="not known how frequent words are in 'eu'"):
        chain_of(FilterConfig((f"topic:sample={tmp_path},lang=eu",)))
    (tmp_path / "empty.txt").write_text("\n")
    with pytest.raises(UsageError, match="there are no words in the list"):
        chain_of(FilterConfig((f"word-list:file={tmp_path / 'empty.txt'}",)))


def test_presets_leave_nothing_to_defaults() -> None:
    for name, specs in PRESETS.items():
        assert explicit(FilterConfig(specs)).filters == specs, name


def test_changes() -> None:
    before = ("status", "size:min=5,max=9", "length:min=3")
    assert changed(before, ["size:min=6", "c4-page"]) == ("status", "size:min=6", "length:min=3", "c4-page")
    assert changed(before, ["-size", "no-status"]) == ("length:min=3",)
    assert with_thresholds(before, "size", {"min": 7, "max": None}) == ("status", "size:min=7,max=9", "length:min=3")
    assert with_thresholds((), "length", {"min": 7}) == ("length:min=7",)
    with pytest.raises(UsageError, match=r"there is no filter 'topic' to take out \(there are: status, size, length\)"):
        changed(before, ["no-topic"])


_JUDGES: list[Callable[[Document], object]] = [
    part.judge
    for name, kind in FILTERS.items()
    if isinstance(part := kind(), DocumentFilter | BlockFilter)
    and name not in {"topic", "word-list", "quality", "country"}
]


@given(st.lists(st.text(max_size=80), max_size=6), st.sampled_from(["en", "fr", "zh", "und", ""]))
def test_no_filter_raises_on_any_text(texts: list[str], lang: str) -> None:
    made = document(*texts, lang=lang)
    for part in _JUDGES:
        part(made)


@pytest.mark.parametrize(
    "text", ["." * 200_000, "a" * 200_000, '."' * 100_000, "Ã" * 200_000, "a b " * 50_000, "… " * 50_000, "{" * 200_000]
)
def test_long_texts_take_no_longer_than_their_length(text: str) -> None:
    """Quadratic time would be minutes here."""
    made = document(text, *["x"] * 2000)
    for part in _JUDGES:
        part(made)


def test_facts_of_a_stored_page() -> None:
    fetched = Fetched.of_document(dataclasses.replace(document(PROSE), content_type="", status=200, size=9))
    assert (fetched.is_html(), fetched.is_text) == (True, False)


def test_marks_are_words_for_datatrove() -> None:
    text = "Well, then: it was, he said, not so. " * 8
    assert judge("gopher-quality:frequent=0", document(text))[0]
    passed, detail = judge("datatrove-quality:frequent=0", document(text))
    assert not passed
    assert detail == "61.5% of words have letters, less than 80.0%", "8 words, of which none is a number, and 5 marks"
    chinese = judge(
        "datatrove-quality:frequent=0,min_words=1", document("水车转动着，麦子变成了面粉。" * 30, lang="zh")
    )
    assert chinese[0], chinese[1]


def test_datatrove_counts_later_copies_only() -> None:
    part = FILTERS["datatrove-ngrams"]()
    assert isinstance(part, DatatroveNgrams)
    shares = part.shares("aa bb cc dd ee ff aa bb cc dd ee gg")
    assert shares["all5"] == 10 / 35, "the second copy, of all characters"
    assert shares["top2"] == 2 * 5 / 35
    assert shares["all6"] == 0
    assert set(part.shares("").values()) == {0}


@given(st.lists(st.sampled_from("abcd"), max_size=60))
def test_datatrove_as_counted_one_by_one(words: list[str]) -> None:
    part = FILTERS["datatrove-ngrams"]()
    assert isinstance(part, DatatroveNgrams)
    text = " ".join(words)
    shares = part.shares(text)
    for n in range(5, 11):
        seen, characters, at = set(), 0, 0
        while at + n <= len(words):
            gram = tuple(words[at : at + n])
            characters += n * (gram in seen)
            at += n if gram in seen else 1
            seen.add(gram)
        assert shares[f"all{n}"] == pytest.approx(characters / max(len(text), 1))


@pytest.mark.parametrize(
    ("made", "fault"),
    [
        (
            document(
                *["A heading of a page that has no end"] * 1,
                *[f"{number} and so it goes on without end" for number in range(9)],
            ),
            "end as",
        ),
        (document(PROSE, *[f"{number}. Short." for number in range(9)]), "90.0% of lines have 30 characters or fewer"),
        (document(PROSE, PROSE[:50], PROSE[:50]), "of characters are in repeated lines, more than 1.0%"),
        (
            document(*[f"Onewordthatislongerthanthirtycharacters{number}." for number in range(9)]),
            "0.89 line ends a word, more than 0.30",
        ),
        (document(PROSE), ""),
    ],
)
def test_fineweb_quality(made: Document, fault: str) -> None:
    passed, detail = judge("fineweb-quality", made)
    assert passed == (not fault)
    assert fault in detail


def test_fineweb_with_and_without_quotation_marks() -> None:
    quoted = document(
        "“And what did he tell you there?” said she, “when you met”", "Nobody knew it, not even she who was there"
    )
    assert judge("fineweb-quality", quoted)[0]
    assert judge("fineweb-quality:quotes=no", quoted) == (False, "0.0% of lines end as sentences do, less than 12.0%")


def test_personal() -> None:
    assert judge("personal", document(PROSE)) == (True, "0 items of personal data, 0.0 in 1,000 words")
    members = document(PROSE, "ann@a.example, bob@b.example, +1 212 555 1234")
    assert judge("personal", members) == (
        False,
        "3 items of personal data (2 email, 1 phone), 60.0 in 1,000 words, more than 20",
    )
    assert judge("personal:kinds=phone", members) == (True, "1 item of personal data (1 phone), 20.0 in 1,000 words")
    assert judge("personal:least=4", members)[0]
    assert judge("personal:max=60", members)[0]
    with pytest.raises(UsageError, match="'fax' is no kind of personal data"):
        judge("personal:kinds=fax", members)
