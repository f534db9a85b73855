"""CoNLL-U: valid by the rules of the format, and read back what was put in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from gristmill.annotation import Annotation, annotate
from gristmill.corpus.formats.conllu import conllu
from gristmill.corpus.selecting import SelectedDocument
from gristmill.document import Block, Document

_COLUMNS = 10


def made(texts: list[str], lang: str = "en") -> SelectedDocument:
    blocks = [Block(text, "p", "", 0, 0, 1, 0, 0, 0) for text in texts]
    annotations = annotate([(text, lang) for text in texts], ["forms"])
    numbers = [2 * number for number in range(len(texts))]
    return SelectedDocument(
        Document(id="0-1", lang=lang, url="u", title="a\nb", blocks=blocks), 0, numbers, [0.0] * len(texts), annotations
    )


def sentences(text: str) -> Iterator[tuple[dict[str, str], list[list[str]]]]:
    """Comments and rows of each sentence; what is not valid fails."""
    assert text == "" or text.endswith("\n\n")
    for part in text.split("\n\n")[:-1]:
        lines = part.split("\n")
        comments = [line for line in lines if line.startswith("# ")]
        rows = [line.split("\t") for line in lines[len(comments) :]]
        for number, row in enumerate(rows, 1):
            assert len(row) == _COLUMNS
            assert row[0] == str(number)
            assert all(row)
            assert not any(re.search(r"\s", row[column]) for column in (3, 4, 5))
            assert row[8] == "_"
        assert [row[6] for row in rows] == ["_"] * len(rows) or is_tree([int(row[6]) for row in rows])
        assert all((row[6] == "_") == (row[7] == "_") and (row[6] == "0") == (row[7] == "root") for row in rows)
        told = {key: value for line in comments for key, value in re.findall(r"^# (\w+(?: id)?) = (.*)$", line)}
        assert len(told) == len(comments)
        yield told, rows


def is_tree(heads: list[int]) -> bool:
    """Tell whether all heads of a sentence, numbered from 1 on, lead to the one root."""
    for start in range(1, len(heads) + 1):
        at = start
        for _ in heads:
            at = heads[at - 1] if at else 0
        if at:
            return False
    return heads.count(0) == 1


def test_what_it_looks_like() -> None:
    assert "".join(conllu(made(["Two (2). No?"]))) == (
        "# newdoc id = 0-1\n# url = u\n# title = a b\n# lang = en\n# newpar id = 0-1.0\n# kind = p\n"
        "# sent_id = 0-1.0.1\n# text = Two (2).\n"
        "1\tTwo\ttwo\tX\t_\t_\t_\t_\t_\t_\n"
        "2\t(\t(\tPUNCT\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
        "3\t2\t2\tNUM\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
        "4\t)\t)\tPUNCT\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
        "5\t.\t.\tPUNCT\t_\t_\t_\t_\t_\t_\n"
        "\n"
        "# sent_id = 0-1.0.2\n# text = No?\n"
        "1\tNo\tno\tX\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
        "2\t?\t?\tPUNCT\t_\t_\t_\t_\t_\t_\n"
        "\n"
    )


_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)


@given(
    st.lists(_TEXT | st.sampled_from(["a_b _ # x", "x\u00a0y. Z", "字字。字"]), max_size=4),
    st.sampled_from(["en", "ja", "th"]),
)
def test_read_back_it_is_what_was_put_in(texts: list[str], lang: str) -> None:
    chosen = made(texts, lang)
    found = list(sentences("".join(conllu(chosen))))
    lengths = [length for annotation in chosen.annotations for length in annotation.sentences]
    assert [len(rows) for _, rows in found] == lengths
    words = [word for annotation in chosen.annotations for word in annotation.words]
    for row, word in zip((row for _, rows in found for row in rows), words, strict=True):
        assert row[1] == (re.sub(r"[\s\x00-\x1f\x7f-\x9f]+", " ", word).strip() or "\ufffd")
    for comments, rows in found:
        text = "".join(row[1] + ("" if row[9] == "SpaceAfter=No" else " ") for row in rows)
        assert comments["text"] == text.rstrip(" ")
    names = [comments["sent_id"] for comments, _ in found]
    assert len(set(names)) == len(names)
    assert [comments["newdoc id"] for comments, _ in found if "newdoc id" in comments] == ["0-1"][: len(found)]
    with_words = [2 * number for number, annotation in enumerate(chosen.annotations) if annotation.words]
    assert [comments["newpar id"] for comments, _ in found if "newpar id" in comments] == [
        f"0-1.{number}" for number in with_words
    ]


def test_what_a_tagger_may_say() -> None:
    chosen = made(["x"])
    chosen.annotations = [Annotation(["x", "y"], [0, 1], [2], ["a b", ""], ["NOUN", ""], ["N,sg nom", "\t"])]
    chosen.annotations[0].feats[0] = "Case=Nom|Number=Sing"
    rows = [row for _, rows in sentences("".join(conllu(chosen))) for row in rows]
    assert [row[1:6] for row in rows] == [
        ["x", "a_b", "NOUN", "N,sg_nom", "Case=Nom|Number=Sing"],
        ["y", "_", "_", "_", "_"],
    ]


def test_relations() -> None:
    chosen = made(["The mill stands. So?"])
    annotation = chosen.annotations[0]
    annotation.heads, annotation.deprels = [1, 1, 0, -1, 0, 0], ["det", "nsubj", "root", "punct", "", ""]
    rows = [row[6:8] for _, rows in sentences("".join(conllu(chosen))) for row in rows]
    assert rows == [["2", "det"], ["3", "nsubj"], ["0", "root"], ["3", "punct"], ["_", "_"], ["_", "_"]]


@given(st.data())
def test_sentences_that_are_no_trees_are_still_valid(data: st.DataObject) -> None:
    chosen = made(["a b c d e. F g h!"])
    annotation = chosen.annotations[0]
    size = len(annotation.words)
    relations = st.sampled_from(["", "root", "dep", "obl:arg"])
    annotation.heads = data.draw(st.lists(st.integers(-4, 4), min_size=size, max_size=size))
    annotation.deprels = data.draw(st.lists(relations, min_size=size, max_size=size))
    found = list(sentences("".join(conllu(chosen))))
    assert [rows[0][6] != "_" for _, rows in found] == [any(annotation.deprels[:6]), any(annotation.deprels[6:])]
