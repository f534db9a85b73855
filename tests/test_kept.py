"""Kept text has one definition, for objects and for columns."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gristmill.document import Block, Document, to_arrow
from gristmill.kept import block_columns, kept_flags

scores = st.sampled_from([0.0, 0.2, 0.5, 0.500001, 1.0])
reasons = st.sampled_from(["", "foreign"])
roles = st.sampled_from(["", "text", "comment", "caption", "of a later version"])
chosen = st.sampled_from(["", "text", "text,comment", "caption"])


def block(score: float, dropped: str, role: str) -> Block:
    return Block("words", "p", "p", 0, 5, 1, 0, 0, 0, score, dropped=dropped, role=role)


documents = st.builds(
    lambda dropped, limit, names, blocks: Document(
        dropped=dropped, max_boilerplate=limit, roles=names, blocks=blocks, digest=bytes(16)
    ),
    reasons,
    scores,
    chosen,
    st.lists(st.builds(block, scores, reasons, roles), max_size=4),
)


@given(st.lists(documents, max_size=5), st.data())
def test_columns_say_what_objects_say(made: list[Document], data: st.DataObject) -> None:
    batch = to_arrow(made)
    start = data.draw(st.integers(0, len(made)))
    skip = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(made) - start, max_size=len(made) - start)), np.bool_
    )
    columns = block_columns(batch.slice(start), skip)
    flags = [
        flag and not skipped
        for document, skipped in zip(made[start:], skip.tolist(), strict=True)
        for flag in kept_flags(document)
    ]
    assert columns.kept.tolist() == np.flatnonzero(flags).tolist()
    assert columns.count == len(flags)
    assert columns.wanted.tolist() == [
        not document.dropped and not skipped for document, skipped in zip(made[start:], skip.tolist(), strict=True)
    ]


@given(documents)
def test_a_document_keeps_what_its_flags_say(document: Document) -> None:
    flags = kept_flags(document)
    if not document.dropped:
        assert document.kept() == [block for block, flag in zip(document.blocks, flags, strict=True) if flag]
    else:
        assert not any(flags)


@given(documents)
def test_no_word_is_lost_from_the_counts(document: Document) -> None:
    document.measure(document.max_boilerplate)
    assert document.words == sum(block.words for block in document.kept())
    assert document.boilerplate_words == sum(
        block.words for block in document.blocks if not block.is_text(document.max_boilerplate, document.roles)
    )
    assert document.words + document.boilerplate_words + document.filtered_words == len(document.blocks)
