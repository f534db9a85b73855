"""Roles are a choice wherever text is chosen: in Python, commands, settings, selections and conditions."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from command import run
from hypothesis import given
from hypothesis import strategies as st

import gristmill
from gristmill.cleaning import METHODS, clean_page, clean_site
from gristmill.cleaning.cleaneval import marked
from gristmill.cli.choices import roles_so_far
from gristmill.cli.page import PAGE_FORMATS
from gristmill.config import CleanConfig, Config
from gristmill.corpus import CorpusReader, Selection
from gristmill.corpus.attributes import DOC_ATTRIBUTES
from gristmill.corpus.explain import block_state
from gristmill.document import Block, Document, Page
from gristmill.engine import InlineEngine
from gristmill.errors import UsageError
from gristmill.roles import DEFAULT_ROLES, ROLES, as_text, check_roles, chosen, from_text, is_chosen

ENGINE = InlineEngine()
TEXTS = (
    (
        "The mill stands where the river leaves the wood, and it has stood there for as long as anyone can remember.",
        "When the water is high it grinds from the morning until the night, and nobody in the valley minds the noise.",
    ),
    (
        "The baker came for his flour in a cart that two tired horses pulled, and he never paid on the day itself.",
        "He said that good bread takes its time, and that good money does so, too, as every trader must have learned.",
    ),
)
HEADINGS, ITEMS = ("How the wheel is turned", "Whoever brings their corn"), ("oats from the hill", "barley in sacks")
PAGES = [
    f"<html><body><div><h2>{heading}</h2><p>{first}</p><ul><li>{item}</li></ul><p>{second}</p></div>"
    for heading, (first, second), item in zip(HEADINGS, TEXTS, ITEMS, strict=True)
]


def block(text: str, role: str, score: float = 0.0, dropped: str = "") -> Block:
    return Block(text, "p", "html/body/p", 0, len(text), len(text.split()), 0, 0, 0, score, dropped=dropped, role=role)


def page_with_comments() -> Document:
    blocks = [
        block("The title", "title"),
        block("Some text", "text"),
        block("A menu of pages", "navigation", 0.9),
        block("What readers say", "comment"),
        block("A comment that is foreign here", "comment", dropped="foreign"),
        block("Of unknown role", ""),
    ]
    made = Document(id="00000-000000", method="mill", roles="title,text", blocks=blocks, page_kind="forum")
    made.measure()
    return made


def test_the_default_has_text_and_no_menus() -> None:
    assert "text" in DEFAULT_ROLES
    assert "comment" not in DEFAULT_ROLES
    assert chosen() == DEFAULT_ROLES
    assert METHODS["mill"].roles == DEFAULT_ROLES
    assert all(not METHODS[name].roles for name in METHODS if name != "mill")


@pytest.mark.parametrize(
    "names", ["text, heading", ["text", "heading"], ("heading", "text", "text"), {"heading", "text"}]
)
def test_names_of_roles_in_any_form(names: Iterable[str]) -> None:
    assert check_roles(names) == chosen(names) == ("heading", "text")


def test_all_roles_and_all_but_some() -> None:
    assert chosen("all") == chosen(["all"]) == ROLES
    assert chosen("all", "comment,form") == tuple(role for role in ROLES if role not in {"comment", "form"})
    assert chosen(None, ["heading"], ("heading", "text")) == ("text",)


@pytest.mark.parametrize(
    "choose",
    [
        lambda: gristmill.clean("<p>x", roles="text,coment"),
        lambda: gristmill.clean("<p>x", without=["coment"]),
        lambda: clean_page(Page("", b"x"), roles=["coment"]),
        lambda: clean_site([], roles=["coment"]),
        lambda: Selection(roles="coment"),
        lambda: Selection(without=("coment",)),
        lambda: CleanConfig(roles=("coment",)),
        lambda: Config.from_table({"clean": {"roles": ["coment"]}}),
        lambda: Document().kept(roles="coment"),
        lambda: Document().measure(roles=["coment"]),
    ],
)
def test_a_wrong_name_is_refused_with_all_roles(choose: Callable[[], object]) -> None:
    with pytest.raises(
        UsageError, match=r"there is no role 'coment'; did you mean 'comment'.*title, heading, .*form; all"
    ):
        choose()


@pytest.mark.parametrize(
    ("choose", "words"),
    [
        (lambda: gristmill.clean("<p>x", roles=[]), "no role is left"),
        (lambda: gristmill.clean("<p>x", roles="text", without="text"), "no role is left to be text without text"),
        (lambda: Selection(roles=("text",), without=("text",)), "no role is left"),
        (lambda: Document(roles="text").kept(without="text"), "no role is left"),
    ],
)
def test_no_role_at_all_is_refused(choose: Callable[[], object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        choose()


def test_wrong_types_are_refused() -> None:
    with pytest.raises(TypeError, match="roles must be names of roles, or one text with commas between them, not int"):
        gristmill.clean("<p>x", roles=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="without must be names of roles"):
        Selection(without=[1])  # type: ignore[list-item]


@given(st.sets(st.sampled_from(ROLES), min_size=1), st.sampled_from(["", *ROLES]))
def test_what_documents_store_says_what_was_chosen(names: set[str], role: str) -> None:
    stored = as_text(chosen(names))
    assert set(from_text(stored)) == names
    assert is_chosen(role, stored) == (not role or role in names)
    assert (stored == "") == (names == set(ROLES))


def test_only_blocks_of_the_roles_are_text() -> None:
    made = page_with_comments()
    assert made.text == made.folded == "The title\nSome text\nOf unknown role"
    assert made.lines() == made.text.split("\n") == [kept.text for kept in made.kept()]
    assert (made.words, made.boilerplate_words, made.filtered_words) == (7, 4 + 3 + 6, 0)
    assert made.text_blocks == 3
    made.measure(roles="all")
    assert made.roles == ""
    assert made.text == "The title\nSome text\nWhat readers say\nOf unknown role"
    assert (made.words, made.boilerplate_words, made.filtered_words) == (10, 4, 6)
    made.measure(1.0, ["comment"])
    assert made.text == "What readers say\nOf unknown role"


def test_blocks_can_be_asked_for_by_other_roles() -> None:
    made = page_with_comments()
    before = made.text
    assert [kept.text for kept in made.kept(roles="comment")] == ["What readers say", "Of unknown role"]
    assert [kept.text for kept in made.kept(without=["title"])] == ["Some text", "Of unknown role"]
    assert [kept.role for kept in made.kept(1.0, "all")] == ["title", "text", "navigation", "comment", ""]
    assert made.text == before


def test_all_stands_for_all_in_a_document_too() -> None:
    made = page_with_comments()
    made.roles = "all"
    assert "What readers say" in made.text


def test_a_page_is_cleaned_by_roles() -> None:
    kept: dict[str, set[str]] = {}
    for name, options in {
        "all": {"roles": "all"},
        "text": {"roles": ["text"]},
        "no titles": {"without": "title"},
    }.items():
        asked: Any = options
        made = gristmill.clean(PAGES[0], method="all", **asked)
        assert made == clean_page(Page("", PAGES[0].encode()), method="all", **asked) or made.encoding == ""
        assert [document.text for document in clean_site([Page("", PAGES[0].encode())], method="all", **asked)] == [
            made.text
        ]
        assert made.words + made.boilerplate_words == sum(part.words for part in made.blocks)
        kept[name] = {part.role for part in made.kept()}
    assert kept == {"all": {"title", "text", "list"}, "text": {"text"}, "no titles": {"text", "list"}}


def test_methods_keep_what_their_authors_wrote_if_no_roles_are_named() -> None:
    assert gristmill.clean(PAGES[0], method="justext").roles == ""
    assert gristmill.clean(PAGES[0]).roles == as_text(DEFAULT_ROLES)
    assert gristmill.clean(PAGES[0], without="title").roles == as_text(chosen(None, ["title"]))
    assert gristmill.clean(PAGES[0], method="justext", without="title").roles == as_text(chosen("all", ["title"]))


def test_the_command_chooses_roles(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(PAGES[0], "utf-8")
    shown = run("clean", page, "--method", "all", "--roles", "title, list")
    assert shown.stdout.decode().splitlines() == [HEADINGS[0], ITEMS[0]]
    shown = run("clean", page, "--method", "all", "--without", "text")
    assert shown.stdout.decode().splitlines() == [HEADINGS[0], ITEMS[0]]
    nothing = run("clean", page, "--method", "all", "--roles", "comment")
    assert nothing.stdout == b""
    assert b"left out for their roles (--roles all takes all roles)" in nothing.stderr
    for option in ("--roles", "--without"):
        wrong = run("clean", page, option, "coment")
        assert wrong.returncode == 2
        assert b"there is no role 'coment'; did you mean 'comment'? (there are: title" in wrong.stderr


def test_roles_are_completed_after_a_comma() -> None:
    assert roles_so_far("text,ca") == ["text,caption"]
    assert roles_so_far("al") == ["all"]


def test_json_has_the_roles() -> None:
    found = json.loads(PAGE_FORMATS["json"](page_with_comments()))
    assert found["roles"] == "title,text"
    assert [part["role"] for part in found["blocks"]] == ["title", "text", "navigation", "comment", "comment", ""]


def test_markup_has_the_blocks_of_the_roles() -> None:
    made = page_with_comments()
    assert PAGE_FORMATS["markup"](made) == marked(made.kept())
    assert "readers" not in PAGE_FORMATS["markup"](made)


def test_judged_blocks_show_roles_and_what_was_left_out_for_them() -> None:
    shown = PAGE_FORMATS["html"](page_with_comments())
    assert "<b>text</b> counts as text: 1 block, 2 words" in shown
    assert '<li class="no"><b>comment</b> left out: 2 blocks, 9 words' in shown
    assert "left out, as its role is comment" in shown
    assert "<s>comment</s>" in shown
    assert "<b>title</b>" in shown
    assert "caption" not in shown
    assert "forum" in shown
    older = page_with_comments()
    for part in older.blocks:
        part.role = ""
    assert '<ul class="roles"' not in PAGE_FORMATS["html"](older)


def test_what_decided_on_a_block() -> None:
    made = page_with_comments()
    made.blocks[2].label = "bad"
    made.roles = "title,comment"
    assert [block_state(part, made) for part in made.blocks] == [
        "text",
        "left out: its role is text",
        "bad",
        "text",
        "dropped by foreign",
        "text",
    ]


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> CorpusReader:
    """A corpus of two pages and a copy, of which only running text was kept, annotated and indexed."""
    folder = tmp_path_factory.mktemp("roles")
    pages = folder / "pages"
    pages.mkdir()
    for number, page in enumerate([*PAGES, PAGES[0]]):
        (pages / f"{number}.html").write_text(page, "utf-8")
    settings = folder / "settings.toml"
    settings.write_text('[clean]\nmethod = "all"\nroles = ["text"]\n', "utf-8")
    ran = run("build", pages, "-o", folder / "corpus", "--config", settings, "--min-bytes", "0", "-j", "1")
    assert ran.returncode == 0
    gristmill.annotate(folder / "corpus", "forms", engine=ENGINE)
    gristmill.index(folder / "corpus", engine=ENGINE)
    return CorpusReader(folder / "corpus")


def texts(corpus: CorpusReader, selection: Selection | None = None) -> list[list[str]]:
    return [[part.role for part in document.blocks] for document in corpus.documents(selection)]


def test_a_build_keeps_roles(cut: CorpusReader) -> None:
    assert cut.config.clean.roles == ("text",)
    assert texts(cut) == [["text", "text"]] * 2
    assert cut.counts["duplicates"] == 1
    for page in cut.pages():
        left_out = sum(part.words for part in page.blocks if part.role != "text")
        assert page.boilerplate_words == left_out > 0
        assert page.words + page.boilerplate_words == sum(part.words for part in page.blocks)


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (Selection(roles="all"), ["title", "text", "list", "text"]),
        (Selection(roles=("text", "list")), ["text", "list", "text"]),
        (Selection(roles="all", without="title"), ["text", "list", "text"]),
        (Selection(roles="list"), ["list"]),
        (Selection(without=("list",)), ["text", "text"]),
    ],
)
def test_a_corpus_is_cut_anew_by_roles(cut: CorpusReader, selection: Selection, expected: list[str]) -> None:
    selection = Selection(roles=selection.roles, without=selection.without, min_length=0)
    found = texts(cut, selection)
    assert found[:2] == [expected] * 2
    for document in cut.documents(selection):
        assert document.words == sum(part.words for part in document.blocks)
        assert document.text == "\n".join(part.text for part in document.blocks)


def test_blocks_that_come_back_are_no_duplicates_but_those_that_were_compared_are(cut: CorpusReader) -> None:
    *firsts, copy = cut.documents(Selection(roles="all", min_length=0))
    assert len(firsts) == 2
    assert [part.text for part in copy.blocks] == [HEADINGS[0], ITEMS[0]]
    whole = list(cut.documents(Selection(roles="all", max_duplicate=1.0)))
    assert [len(document.blocks) for document in whole] == [4, 4, 4]


def test_nothing_is_left_of_the_roles_of_the_build(cut: CorpusReader) -> None:
    with pytest.raises(UsageError, match="no role is left to be text without text"):
        list(cut.documents(Selection(without="text")))


def test_selections_are_stored_by_the_roles_they_mean() -> None:
    made = Selection(roles="text,title", without=["title"])
    assert made == Selection(roles=("text",))
    assert made.to_table() == {"roles": ["text"]}
    assert Selection.from_table(made.to_table()) == made
    less = Selection(without="comment")
    assert less.to_table() == {"without": ["comment"]}
    assert Selection.from_table(less.to_table()) == less
    assert not less.keeps_filters
    assert not made.keeps_filters


def test_roles_in_settings() -> None:
    named = Config.from_table({"clean": {"roles": ["all"], "without": ["form", "caption"]}})
    assert named.clean == CleanConfig(roles=ROLES, without=("caption", "form"))
    assert Config.from_table(named.to_table()) == named


def test_options_of_a_build_are_stronger_than_its_settings(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGES[0], "utf-8")
    settings = tmp_path / "settings.toml"
    settings.write_text('[clean]\nmethod = "all"\nroles = ["text", "list"]\nwithout = ["list"]\n', "utf-8")
    for number, (options, expected) in enumerate(
        {
            (): {"text"},
            ("--roles", "title,list"): {"title", "list"},
            ("--without", "text"): {"list"},
            ("--roles", "all", "--without", "list"): {"title", "text"},
        }.items()
    ):
        folder = tmp_path / str(number)
        arguments: Sequence[str | Path] = (tmp_path / "page.html", "-o", folder, "--config", settings, *options)
        ran = run("build", *arguments, "--min-bytes", "0", "--min-length", "0", "-j", "1")
        assert ran.returncode == 0, ran.stderr
        assert {part.role for document in CorpusReader(folder).documents() for part in document.blocks} == expected


def test_a_build_of_no_role_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGES[0], "utf-8")
    ran = run("build", tmp_path / "page.html", "-o", tmp_path / "corpus", "--roles", "text", "--without", "text")
    assert ran.returncode == 2
    assert b"no role is left" in ran.stderr
    assert not (tmp_path / "corpus").exists()


def test_vertical_text_has_the_role_and_the_kind_of_page(cut: CorpusReader, tmp_path: Path) -> None:
    assert run("export", cut.folder, "-o", tmp_path / "x.vert", "--roles", "all", "--without", "list").returncode == 0
    lines = (tmp_path / "x.vert").read_text("utf-8").splitlines()
    roles = [line.rpartition(' role="')[2].removesuffix('">') for line in lines if line.startswith("<p ")]
    assert roles[:6] == ["title", "text", "text"] * 2
    assert lines[0].startswith("<doc ")
    assert ' page_kind="' in lines[0]
    assert "    ATTRIBUTE role\n" in (tmp_path / "x.registry").read_text("utf-8")
    assert "    ATTRIBUTE page_kind\n" in (tmp_path / "x.registry").read_text("utf-8")
    assert "roles = [" in (tmp_path / "x.vert.toml").read_text("utf-8")
    # the words of blocks that come back are annotated as those that were there
    assert [line.split("\t")[0] for line in lines if "\t" in line][:5] == HEADINGS[0].split()


def test_conllu_has_the_role(cut: CorpusReader, tmp_path: Path) -> None:
    gristmill.export(cut, tmp_path / "x.conllu", selection=Selection(roles="title", min_length=0))
    assert (tmp_path / "x.conllu").read_text("utf-8").count("\n# role = title\n") == 3


@pytest.mark.parametrize("name", ["x.jsonl", "x.parquet"])
def test_records_say_which_part_of_the_text_has_which_role(cut: CorpusReader, tmp_path: Path, name: str) -> None:
    gristmill.export(cut, tmp_path / name, selection=Selection(roles="all", max_duplicate=1.0))
    if name.endswith("jsonl"):
        found = [json.loads(line) for line in (tmp_path / name).read_text("utf-8").splitlines()]
    else:
        found = pq.read_table(tmp_path / name).to_pylist()
    assert len(found) == 3
    for record in found:
        parts = [(part["role"], record["text"][part["start"] : part["end"]]) for part in record["role_spans"]]
        assert [role for role, _ in parts] == ["title", "text", "list", "text"]
        assert "\n".join(text for _, text in parts) == record["text"]
        assert parts[0][1] in HEADINGS
        assert isinstance(record["page_kind"], str)
        assert 0 <= record["page_kind_confidence"] <= 1
    gristmill.export(cut, tmp_path / f"as-built-{name}")
    if name.endswith("jsonl"):
        first = json.loads((tmp_path / f"as-built-{name}").read_text("utf-8").splitlines()[0])
        assert first["role_spans"] == [{"role": "text", "start": 0, "end": len(first["text"])}]


def test_paragraphs_are_found_by_their_role(cut: CorpusReader, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    shutil.copytree(cut.folder, folder)
    assert len(gristmill.Corpus(folder).search('[word="wheel"]')) == 0
    assert len(gristmill.Corpus(folder).search('[word="mill"] within <p role="text"/>')) == 1
    assert run("index", folder, "--roles", "all", "-j", "1").returncode == 0
    searched = gristmill.Corpus(folder, build=False)
    assert len(searched.search('[word="wheel"] within <p role="title"/>')) == 2
    assert len(searched.search('[word="wheel"] within <p role="text"/>')) == 0
    assert len(searched.search('<p role="list"> []')) == 3
    assert run("search", folder, "wheel", "--where", 'page_kind="never"').returncode == 0
    assert len(searched.search("wheel", where='page_kind="never"')) == 0
    assert len(searched.search("wheel", where='page_kind!="never"')) == 2


def test_kinds_of_pages_are_conditions_on_documents(cut: CorpusReader) -> None:
    assert DOC_ATTRIBUTES["page_kind"](page_with_comments()) == "forum"
    assert list(cut.documents(Selection(where='page_kind="never"'))) == []
    assert len(list(cut.documents(Selection(where='page_kind!="never"')))) == 2
    with pytest.raises(UsageError, match="role"):
        Selection(where='role="comment"')


def test_why_says_what_was_left_out_for_its_role(cut: CorpusReader) -> None:
    shown = run("why", cut.folder, "00000-000000").stdout.decode()
    assert "2 of 4 blocks are text (score at most 0.5)" in shown
    assert "roles      text are text; 2 blocks left out for other roles" in shown
    assert "left out: its role is title" in shown
    lines = {line.split()[-1]: line.split()[2] for line in shown.partition("\nblocks\n")[2].splitlines()}
    assert lines[HEADINGS[0].split()[-1]] == "title"
    assert lines[ITEMS[0].split()[-1]] == "list"
    found = json.loads(run("why", cut.folder, "00000-000000", "--json").stdout)
    assert found["document"]["blocks"][0]["role"] == "title"
    assert found["document"]["roles"] == "text"
    assert "page_kind" in found["document"]


def test_first_copies_are_those_of_the_roles(cut: CorpusReader) -> None:
    shown = run("duplicates", cut.folder, "00000-000002", "--json")
    assert shown.returncode == 0
    assert [part["text"] for part in json.loads(shown.stdout)["blocks"]] == list(TEXTS[0])
