"""Vertical text: what each corpus manager reads out of it, by its own rules, is what was put in."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from managers_reading import Encode, Loaded, Region, Registry, lower, read_by_cwb, read_by_manatee

from gristmill.annotation import Annotation, annotate, glued
from gristmill.corpus.attributes import DOC_ATTRIBUTES, LEMPOS_LETTERS, P_ATTRIBUTES
from gristmill.corpus.formats.dialects import DIALECTS
from gristmill.corpus.formats.managers import companions
from gristmill.corpus.formats.vertical import vertical, vertical_for
from gristmill.corpus.selecting import SelectedDocument
from gristmill.document import Block, Document
from gristmill.errors import UsageError

MANAGERS = ["sketchengine", "cwb"]


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


def with_tokens(rows: list[tuple[str, str, str, str]], document: Document | None = None) -> SelectedDocument:
    """A document with one sentence of these tokens: word, tag, lemma and xpos."""
    chosen = made([" ".join(row[0] for row in rows)], document)
    words, tags, lemmas, xpos = map(list, zip(*rows, strict=True))
    chosen.annotations = [Annotation(words, [9 * place for place in range(len(rows))], [len(rows)], lemmas, tags, xpos)]
    return chosen


def written(chosen: SelectedDocument, manager: str) -> tuple[str, Counter[str]]:
    dialect = DIALECTS[manager]()
    return "".join(vertical(chosen, dialect)), dialect.changed


def configuration(manager: str, name: str = "x.vert") -> str:
    (text,) = companions(Path(name), DIALECTS[manager]()).values()
    return text


def read(text: str, manager: str) -> Loaded:
    if manager == "cwb":
        return read_by_cwb(Encode.parse(configuration(manager)), text.encode())
    return read_by_manatee(Registry.parse(configuration(manager)), text.encode())


DOCUMENT = Document(
    id="1", url="http://A.example/?a=1&b=2", date="2024-05-01", lang="en", title='<"x\\"\n', encoding="utf-8", words=9
)


@pytest.mark.parametrize(
    ("manager", "url", "title", "less", "columns"),
    [
        ("sketchengine", "?a=1&b=2", r"<\"x\\\"", "<", ["{0}-x"]),
        ("cwb", "?a=1&amp;b=2", r"&lt;&quot;x\&quot; ", "&lt;", ["{0}", "{0}", "{0}-x"]),
    ],
)
def test_what_it_looks_like(manager: str, url: str, title: str, less: str, columns: list[str]) -> None:
    def line(word: str, tag: str, lemma: str) -> str:
        return "\t".join([word, tag, lemma, "", *(column.format(lemma) for column in columns)])

    assert written(made(['He said: "a<b". No?'], DOCUMENT), manager)[0].split("\n") == [
        (
            f'<doc id="1" url="http://A.example/{url}" host="a.example" lang="en" date="2024-05-01" '
            'published="" year="2024"'
            f' title="{title}" author="" site_name="" categories="" licence="" source="" encoding="utf-8"'
            ' words="9" page_kind=""'
            ' query="" round="" rank="" feed="" item="" version="" country="" badness="">'
        ),
        '<p kind="p" bpc="e" dup="0.13" lang="en" role="">',
        "<s>",
        line("He", "X", "he"),
        line("said", "X", "said"),
        "<g/>",
        line(":", "PUNCT", ":"),
        line('"', "PUNCT", '"'),
        "<g/>",
        line("a", "X", "a"),
        "<g/>",
        line(less, "PUNCT", less),
        "<g/>",
        line("b", "X", "b"),
        "<g/>",
        line('"', "PUNCT", '"'),
        "<g/>",
        line(".", "PUNCT", "."),
        "</s>",
        "<s>",
        line("No", "X", "no"),
        "<g/>",
        line("?", "PUNCT", "?"),
        "</s>",
        "</p>",
        "</doc>",
        "",
    ]


NASTY = [
    "<doc>",
    "<s>",
    "</s>",
    "<g/>",
    "<p kind=x",
    "<s >",
    "<!--",
    "<?x?>",
    "&lt;",
    "&amp;lt;",
    "&#39;",
    "\\",
    '\\"',
    "'",
    '"',
]
NASTY += [
    " a",
    "a ",
    " ",
    "",
    "-",
    "a b",
    "\t",
    "a\nb",
    "\x00",
    "\r",
    "\x85",
    "\u2028",
    "x\u0301",
    "<\u0338",
    "\u0301",
    "__UNDEF__",
]
NASTY += ["\ufeff", "===NONE===", ">", "/>", "=", "Ǆ", "İ", "ΣΑΣ", "😀", "字", "a|b", "&", "&;", "é", "x/"]
VALUE = st.sampled_from(NASTY) | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
TAG = st.sampled_from([*LEMPOS_LETTERS, "X", "PUNCT", ""])


def held(manager: str, value: str, *, column: bool) -> str:
    """What a manager can hold of a value."""
    value = unicodedata.normalize("NFC", value) if manager == "cwb" else value
    value = re.sub(r"[\x00\n\t]", "\ufffd", value) if column else re.sub(r"[\x00\n]", " ", value)
    return value.strip(" ") if manager == "sketchengine" else value


@pytest.mark.parametrize("manager", MANAGERS)
@settings(max_examples=80)
@given(rows=st.lists(st.tuples(VALUE, TAG, VALUE, VALUE), min_size=1, max_size=4), title=VALUE, author=VALUE)
@example([("<doc>", "", "", ""), ("<s a", "", "b>", ">"), ("<g/>", "X", "<g/>", "<g/>")], '"', "\\")
@example([(word, "NOUN", word, word) for word in NASTY], "a\\", '\\\\"')
def test_tokens_and_attributes_come_back(
    manager: str, rows: list[tuple[str, str, str, str]], title: str, author: str
) -> None:
    chosen = with_tokens(rows, Document(id="1", title=title, author=author))
    text, changed = written(chosen, manager)
    loaded = read(text, manager)
    plain = [
        {
            "word": word,
            "tag": tag,
            "lemma": lemma,
            "xpos": xpos,
            "lempos": f"{lemma}-{LEMPOS_LETTERS.get(tag, 'x')}",
            **({"lc": lower(word), "lemma_lc": lower(lemma)} if manager == "cwb" else {}),
        }
        for word, tag, lemma, xpos in rows
    ]
    expected = [{name: held(manager, value, column=True) for name, value in token.items()} for token in plain]
    if manager == "sketchengine":
        for token in expected:
            token |= {"lc": lower(token["word"]), "lemma_lc": lower(token["lemma"])}
    assert loaded.tokens == expected
    (document,) = loaded.structures["doc"]
    assert document.attributes == {
        name: held(manager, value(chosen.document), column=False) for name, value in DOC_ATTRIBUTES.items()
    }
    assert [region[:2] for name in ("doc", "p", "s") for region in loaded.structures[name]] == [(0, len(rows))] * 3
    differing = sum(held(manager, value, column=True) != value for token in plain for value in token.values())
    differing += sum(held(manager, value, column=False) != value for value in (title, author))
    assert changed.total() == differing


@pytest.mark.parametrize("manager", MANAGERS)
@settings(max_examples=60)
@given(
    texts=st.lists(
        st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=80)
        | st.sampled_from(["a<b>&amp; c", "-", "<s>", "x\u00a0y", "字字字。字", "One. Two. <p>"]),
        min_size=1,
        max_size=4,
    ),
    lang=st.sampled_from(["en", "ja", "th"]),
)
def test_structures_come_back(manager: str, texts: list[str], lang: str) -> None:
    chosen = made(texts, lang=lang)
    loaded = read(written(chosen, manager)[0], manager)
    annotated = [annotation for annotation in chosen.annotations if annotation.words]
    words = [word for annotation in annotated for word in annotation.words]
    assert [token["word"] for token in loaded.tokens] == [held(manager, word, column=True) for word in words]
    place, paragraphs, sentences, glue = 0, [], [], []
    for annotation in annotated:
        paragraphs.append((place, place + len(annotation.words)))
        glue += [place + number for number, is_glued in enumerate(glued(annotation)) if is_glued]
        for length in annotation.sentences:
            sentences.append((place, place + length))
            place += length
    assert [region[:2] for region in loaded.structures["p"]] == paragraphs
    assert [region[:2] for region in loaded.structures["s"]] == sentences
    for region in loaded.structures["p"]:
        assert region.attributes == {"kind": "p", "bpc": "e", "dup": "0.13", "lang": lang, "role": ""}
    if manager == "sketchengine":
        assert loaded.structures["g"] == [Region(at, at, {}) for at in glue]


@pytest.mark.parametrize("manager", MANAGERS)
@pytest.mark.parametrize("character", ["x", '"', "&", "字"])
def test_nothing_is_longer_than_managers_take(manager: str, character: str) -> None:
    long = character * 100_000
    chosen = with_tokens(
        [(long, "NOUN", long, long)], Document(title=long, author=long, url=long, source=long, licence=long)
    )
    text, changed = written(chosen, manager)
    loaded = read(text, manager)
    assert set(changed) == {"cut"}
    assert loaded.tokens[0]["lempos"].endswith(f"{character}-n") or manager == "cwb"
    assert len(loaded.tokens[0]["word"]) > 400
    assert len(loaded.structures["doc"][0].attributes["title"]) > 200


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
        ('"x".vert', "VERTICAL '\"x\".vert'", """ -f "$here"/'"x".vert'"""),
        ('it\'s "x".vert', 'VERTICAL "| cat it?s??x?.vert"', "cwb-encode"),
    ],
)
def test_what_managers_need(name: str, vertical_line: str, command: str) -> None:
    stem = name.partition(".")[0]
    registry = companions(Path("folder") / name, DIALECTS["sketchengine"]())
    script = companions(Path("folder") / name, DIALECTS["cwb"]())
    assert [*registry, *script] == [Path("folder") / f"{stem}.registry", Path("folder") / f"{stem}.cwb.sh"]
    assert vertical_line in registry[Path("folder") / f"{stem}.registry"].splitlines()
    assert command in script[Path("folder") / f"{stem}.cwb.sh"]
    Registry.parse(registry[Path("folder") / f"{stem}.registry"])


def test_all_attributes_are_declared() -> None:
    registry, encode = Registry.parse(configuration("sketchengine")), Encode.parse(configuration("cwb"))
    assert list(registry.attributes) == ["word", "tag", "lemma", "xpos", "lempos", "lc", "lemma_lc"]
    assert encode.columns == ["word", "tag", "lemma", "xpos", "lc", "lemma_lc", "lempos"]
    structures = {"doc": list(DOC_ATTRIBUTES), "p": list(P_ATTRIBUTES), "s": []}
    assert registry.structures == structures | {"g": []}
    assert (encode.structures, encode.ignored) == (structures, ["g"])
    assert registry.options["ENCODING"] == "UTF-8"


def test_the_name_of_the_file_tells_the_manager() -> None:
    for name, manager in (("x.vert", "sketchengine"), ("x.vrt", "cwb"), ("x.vrt.gz", "cwb"), ("-", "sketchengine")):
        assert vertical_for(None, name).dialect.name == manager
    assert vertical_for("cwb", "x.vert").suffixes[0] == ".vrt"
    with pytest.raises(UsageError, match="did you mean 'sketchengine'"):
        vertical_for("sketch-engine")


def test_chunks_are_structures(tmp_path: Path) -> None:
    chosen = with_tokens(
        [
            ("at", "ADP", "at", ""),
            ("the", "DET", "the", ""),
            ("mill", "NOUN", "mill", ""),
            ("grinds", "VERB", "grind", ""),
        ]
    )
    text = "".join(vertical(chosen, DIALECTS["sketchengine"](), chunks=True))
    tags = [line if line.startswith("<") else line.split("\t")[0] for line in text.splitlines()]
    assert tags[2:-2] == [
        "<s>",
        "<pc>",
        "at",
        "<nc>",
        "the",
        "mill",
        "</nc>",
        "</pc>",
        "<vc>",
        "grinds",
        "</vc>",
        "</s>",
    ]
    for manager, opening in (("sketchengine", "STRUCTURE nc\nSTRUCTURE vc"), ("cwb", "-S nc:0 -S vc:0 -S pc:0")):
        assert all(opening in text for text in vertical_for(manager, chunks=True).beside(tmp_path / "a.vert").values())
        assert not any(opening in text for text in vertical_for(manager).beside(tmp_path / "a.vert").values())
