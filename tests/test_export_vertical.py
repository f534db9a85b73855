"""Vertical text: what corpus managers read out of it is what was put in."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from pathlib import Path
from xml.sax.saxutils import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.annotation import annotate
from gristmill.corpus.attributes import DOC_ATTRIBUTES, P_ATTRIBUTES, TOKEN_ATTRIBUTES
from gristmill.corpus.formats.managers import companions
from gristmill.corpus.formats.vertical import vertical
from gristmill.corpus.selecting import SelectedDocument
from gristmill.document import Block, Document

_ATTRIBUTE = re.compile(r'([a-z_]+)="([^"]*)"')


def made(texts: list[str], document: Document | None = None, lang: str = "en") -> SelectedDocument:
    blocks = [Block(text, "p", "", 0, 0, 1, 0, 0, 0, score=0.45) for text in texts]
    document = document or Document(id="1", lang=lang)
    document.blocks = blocks
    return SelectedDocument(
        document,
        0,
        list(range(len(texts))),
        [0.126] * len(texts),
        annotate([(text, lang) for text in texts], ["forms"]),
    )


def lines_of(chosen: SelectedDocument) -> list[str]:
    text = "".join(vertical(chosen))
    assert text.endswith("\n")
    return text.split("\n")[:-1]


def attributes_of(line: str) -> dict[str, str]:
    return {name: unescape(value, {"&quot;": '"'}) for name, value in _ATTRIBUTE.findall(line)}


def test_what_it_looks_like() -> None:
    document = Document(
        id="1", url="http://A.example/?a=1&b=2", date="2024-05-01", lang="en", title='<"x"\n', encoding="utf-8", words=9
    )
    assert lines_of(made(['He said: "a<b". No?'], document)) == [
        (
            '<doc id="1" url="http://A.example/?a=1&amp;b=2" host="a.example" lang="en" date="2024-05-01" '
            'published="" year="2024"'
            ' title="&lt;&quot;x&quot; " author="" site_name="" categories="" licence="" source="" encoding="utf-8"'
            ' words="9" page_kind=""'
            ' query="" round="" rank="" feed="" item="" version="">'
        ),
        '<p kind="p" bpc="e" dup="0.13" lang="en" role="">',
        "<s>",
        "He\tX\the\t-",
        "said\tX\tsaid\t-",
        "<g/>",
        ":\tPUNCT\t:\t-",
        '"\tPUNCT\t"\t-',
        "<g/>",
        "a\tX\ta\t-",
        "<g/>",
        "&lt;\tPUNCT\t&lt;\t-",
        "<g/>",
        "b\tX\tb\t-",
        "<g/>",
        '"\tPUNCT\t"\t-',
        "<g/>",
        ".\tPUNCT\t.\t-",
        "</s>",
        "<s>",
        "No\tX\tno\t-",
        "<g/>",
        "?\tPUNCT\t?\t-",
        "</s>",
        "</p>",
        "</doc>",
    ]


_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029"), max_size=80)


@given(
    st.lists(_TEXT | st.sampled_from(["a<b>&amp; c", "-", "<s>", "x\u00a0y", "字字字。字"]), min_size=1, max_size=4),
    st.sampled_from(["en", "ja", "th"]),
)
def test_read_back_it_is_the_text(texts: list[str], lang: str) -> None:
    chosen = made(texts, lang=lang)
    paragraphs: list[list[str]] = []
    restored: list[str] = []
    space = ""
    for line in lines_of(chosen):
        if line.startswith("<p "):
            paragraphs.append([])
            restored.append("")
            space = ""
        elif line == "<g/>":
            space = ""
        elif not line.startswith("<"):
            word = unescape(line.split("\t")[0])
            assert line.count("\t") == len(TOKEN_ATTRIBUTES) - 1
            paragraphs[-1].append(word)
            restored[-1] += space + word
            space = " "
    annotated = [annotation for annotation in chosen.annotations if annotation.words]
    assert paragraphs == [annotation.words for annotation in annotated]
    assert [text.split() for text in restored] == [text.split() for text in texts if text.split()]


@given(st.text(max_size=50), st.text(max_size=50))
def test_structures_are_well_formed(title: str, author: str) -> None:
    lines = lines_of(made(["One. Two.", "Three"], Document(title=title, author=author, url=title)))
    assert [line.split(" ")[0].rstrip(">") for line in lines if line.startswith("<") and line != "<g/>"] == (
        "<doc <p <s </s <s </s </p <p <s </s </p </doc".split()
    )
    attributes = attributes_of(lines[0])
    assert list(attributes) == list(DOC_ATTRIBUTES)
    shown = re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", " ", title)
    assert attributes["title"] == shown
    assert list(attributes_of(lines[1])) == list(P_ATTRIBUTES)


def test_lines_are_no_longer_than_managers_take() -> None:
    long = '"' * 100_000
    lines = lines_of(made(["x" * 100_000], Document(title=long, author=long, url=long, source=long, published=long)))
    assert max(len(line.encode()) for line in lines) < 65_000


def test_characters_that_are_none_do_not_break_lines() -> None:
    chosen = made(["a b"])
    chosen.annotations[0].words = ["a\u2028\tb", "\x00"]
    chosen.annotations[0].lemmas = ["a\nb", ""]
    rows = [line.split("\t") for line in lines_of(chosen) if not line.startswith("<")]
    assert rows == [["a\ufffd\ufffdb", "X", "a\ufffdb", "-"], ["\ufffd", "X", "-", "-"]]


@pytest.mark.parametrize(
    ("name", "vertical_line", "command"),
    [
        ("My Corpus.vert", 'VERTICAL "My Corpus.vert"', """cwb-encode -d "$data" -R "$registry/my_corpus" -c utf8"""),
        (
            "2x.vert.gz",
            'VERTICAL "| gzip -dc 2x.vert.gz"',
            """gzip -dc "$here"/2x.vert.gz | cwb-encode -d "$data" -R "$registry/corpus_2x" """,
        ),
        ("x.vertical.zst", 'VERTICAL "| zstd -dc x.vertical.zst"', 'zstd -dc "$here"/x.vertical.zst | cwb-encode'),
    ],
)
def test_what_managers_need(name: str, vertical_line: str, command: str) -> None:
    stem = name.partition(".")[0]
    files = companions(Path("folder") / name)
    assert list(files) == [Path("folder") / f"{stem}.registry", Path("folder") / f"{stem}.cwb.sh"]
    registry, script = files.values()
    assert vertical_line in registry.splitlines()
    assert command in script


def test_all_attributes_are_declared() -> None:
    registry, script = companions(Path("x.vert")).values()
    declared = re.findall(r"^ATTRIBUTE (\w+)", registry, re.MULTILINE)
    assert declared[: len(TOKEN_ATTRIBUTES)] == list(TOKEN_ATTRIBUTES)
    for structure, attributes in (("doc", list(DOC_ATTRIBUTES)), ("p", list(P_ATTRIBUTES))):
        (inner,) = re.findall(rf"^STRUCTURE {structure} {{\n([^}}]*)}}", registry, re.MULTILINE)
        assert re.findall(r"ATTRIBUTE (\w+)", inner) == attributes
    assert "STRUCTURE s\n" in registry
    encode = next(shlex.split(line) for line in script.splitlines() if line.startswith("cwb-encode"))
    options = list(pairwise(encode))
    assert [value for option, value in options if option == "-P"] == list(TOKEN_ATTRIBUTES[1:])
    assert [value for option, value in options if option == "-S"] == [
        "+".join(["doc:0", *DOC_ATTRIBUTES]),
        "+".join(["p:0", *P_ATTRIBUTES]),
        "s:0",
    ]
    assert ("-0", "g") in options
