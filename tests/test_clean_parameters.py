"""Parameters of cleaning methods: one line of text names a method and their values, everywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

import gristmill
from gristmill.cleaning import METHODS, Features, Scores, clean, clean_site
from gristmill.cleaning.methods.chosen import is_known, method_named
from gristmill.document import Page
from gristmill.engine import InlineEngine
from gristmill.errors import UsageError
from gristmill.evaluation.run import settings_of
from gristmill.registry import a_share, forget_plugin, owned_by, parse_spec, split_specs

PAGE = "<p>one two<p>one two three<p>one two three four"


@dataclass(frozen=True)
class Limits:
    min_words: int = 3
    upside_down: bool = False
    min_share: float = a_share(0.5)


@pytest.fixture(autouse=True)
def methods() -> Iterator[None]:
    with owned_by("of this test"):

        @gristmill.part("cleaning method", "by-length", parameters=Limits())
        def by_length(page: Features, lang: str, parameters: Limits) -> Scores:
            del lang
            short = (page.words < parameters.min_words) != parameters.upside_down
            return Scores(short.astype(float), ["short" if found else "long" for found in short.tolist()])

        @gristmill.part("cleaning method", "by-length-on-sites", alone=METHODS["all"].score, parameters=Limits())
        def on_sites(pages: Sequence[Features], parameters: Limits) -> list[Scores]:
            return [by_length(page, "", parameters) for page in pages]

    yield
    forget_plugin("of this test")


@pytest.mark.parametrize(
    ("method", "lines"),
    [
        ("by-length", 2),
        ("by-length:", 2),
        ("by-length:min_words=4", 1),
        ("by-length: min_words = 4 , upside_down=yes", 2),
        ("by-length:upside_down=yes", 1),
    ],
)
def test_values_are_read_from_the_name(method: str, lines: int) -> None:
    document = gristmill.clean(PAGE, method=method)
    assert (len(document.text.splitlines()), document.method) == (lines, method)


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("by-lenght", "did you mean 'by-length'"),
        ("by-length:min_word=4", "did you mean 'min_words'"),
        ("by-length:min_words=few", "min_words must be a whole number, not 'few'"),
        ("by-length:min_words=-1", "must not be negative"),
        ("by-length:min_share=1.01", "min_share is a share, from 0 to 1, and can't be 1.01"),
        ("justext:max_link_density=7", "justext: max_link_density is a share, from 0 to 1, and can't be 7"),
        ("site-text:share=10", "share is a share"),
        ("by-length:4", "not of the form parameter=value"),
        ("all:min_words=4", "the cleaning method all has no parameter 'min_words'"),
    ],
)
def test_wrong_ones_are_refused(method: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        gristmill.clean(PAGE, method=method)
    assert not is_known(method)


def test_methods_of_sites_have_them_too() -> None:
    pages = [Page("http://mill.example/a", PAGE.encode()), Page("http://mill.example/b", PAGE.encode())]
    found = [clean_site(pages, method=name)[0].text_blocks for name in ("by-length-on-sites",)]
    found += [clean_site(pages, method="by-length-on-sites:min_words=4")[1].text_blocks]
    assert found == [2, 1]
    assert clean_site(pages[:1], method="by-length-on-sites:min_words=4")[0].text_blocks == 1
    assert clean(pages[0], method="by-length-on-sites:min_words=4").text_blocks == 3  # by `alone`


PLUGIN = """
from dataclasses import dataclass
from gristmill import part
from gristmill.cleaning import Scores

@dataclass(frozen=True)
class Limits:
    min_words: int = 3

@part("cleaning method", "long-enough", parameters=Limits())
def long_enough(page, lang, parameters):
    return Scores((page.words < parameters.min_words).astype(float), ["by length"] * len(page))
"""


def test_a_corpus_is_built_by_them(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    (tmp_path / "plugin.py").write_text(PLUGIN)
    config = gristmill.Config().replace(
        clean_method="long-enough:min_words=4", filter_filters=(), plugins_modules=(str(tmp_path / "plugin.py"),)
    )
    corpus = gristmill.build([tmp_path / "page.html"], tmp_path / "corpus", config, engine=InlineEngine())
    [document] = corpus.documents()
    assert (document.method, document.text) == ("long-enough:min_words=4", "one two three four")
    assert corpus.config.clean.method == "long-enough:min_words=4"
    forget_plugin(str(tmp_path / "plugin.py"))


def test_an_evaluation_names_some_and_a_model() -> None:
    config = settings_of("by-length:min_words=4,model=my.model,upside_down=yes")
    assert config.method == "by-length:min_words=4,upside_down=yes"
    assert Path(config.model).name == "my.model"
    assert method_named(config.method).parameters == Limits(4, upside_down=True)


def test_lists_of_methods_are_split_between_methods() -> None:
    specs = "justext:length_low=7,length_high=20, bte,by-length:min_words=4,mill"
    assert split_specs(specs) == ["justext:length_low=7,length_high=20", "bte", "by-length:min_words=4", "mill"]
    assert split_specs(" , ") == []


def test_addresses_in_a_list_may_have_questions() -> None:
    """What stands between commas is one more address if a slash comes before its equals sign."""
    spec = "site-diff:reference=http://a.example/?id=1,http://b.example/?id=2,b.example/?x=3,prune=yes"
    assert parse_spec(spec)[1] == {
        "reference": "http://a.example/?id=1,http://b.example/?id=2,b.example/?x=3",
        "prune": "yes",
    }
    assert method_named(spec).parameters.reference[1:] == ("http://b.example/?id=2", "b.example/?x=3")
