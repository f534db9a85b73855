"""Relations by models of others: those of UDPipe, trained here, and of a pipeline of spaCy where it is installed."""

from __future__ import annotations

from pathlib import Path

import pytest
from invented import sentences, with_tree

from gristmill.annotation import annotate
from gristmill.annotation.relations import as_tree
from gristmill.annotation.tagger import tagger_for

LANG = "hsb"


def test_udpipe(tmp_path: Path) -> None:
    udpipe = pytest.importorskip("ufal.udpipe")
    made, trees = udpipe.Sentences(), list(map(with_tree, sentences(60)))
    for tree in trees:
        sentence = udpipe.Sentence()
        for token in tree.words:
            word = sentence.addWord(token.word)
            word.lemma, word.upostag, word.xpostag, word.feats = token.lemma, token.tag, token.xpos, token.feats
        for at, token in enumerate(tree.words, 1):
            sentence.setHead(at, at + token.head if token.head else 0, token.deprel)
        made.append(sentence)
    error = udpipe.ProcessingError()
    parser = "iterations=5;hidden_layer=20;embedding_upostag=10;embedding_form=0;embedding_deprel=10"
    trained = udpipe.Trainer.train(
        "morphodita_parsito", made, udpipe.Sentences(), udpipe.Trainer.NONE, "iterations=3", parser, error
    )
    assert not error.occurred(), error.message
    path = tmp_path / "x.udpipe"
    path.write_bytes(trained)
    choices = [f"{LANG}=udpipe:model={path}"]
    words = [token.word for token in trees[0].words]
    (annotation,) = annotate([(" ".join(words), LANG)], choices)
    assert annotation.heads == [token.head for token in trees[0].words]
    assert annotation.deprels == [token.deprel for token in trees[0].words]
    long = tagger_for(LANG, choices)[1].tag([words * 300, words])  # which it gets in parts
    ours = long.heads[: -len(words)], long.deprels[: -len(words)]
    assert as_tree(*ours) == ours
    assert long.heads[-len(words) :] == annotation.heads


def test_spacy() -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    from gristmill.annotation.taggers.spacy import SpacyTagger  # noqa: PLC0415 (needs spaCy)

    pipeline = spacy.blank("en")

    @spacy.Language.component("second_is_root")  # type: ignore[untyped-decorator]
    def second_is_root(doc: object) -> object:
        for token in doc:  # type: ignore[attr-defined]
            token.head = doc[min(1, len(doc) - 1)]  # type: ignore[index, arg-type]
            token.dep_ = "ROOT" if token.i == min(1, len(doc) - 1) else "dobj"  # type: ignore[arg-type]
        return doc

    pipeline.add_pipe("second_is_root")
    tagged = SpacyTagger(pipeline).tag([["a", "b", "c"], ["d"]])
    assert (tagged.heads, tagged.deprels) == ([1, 0, -1, 0], ["dobj", "root", "dobj", "root"])
    assert not any(SpacyTagger(spacy.blank("en")).tag([["a", "b"]]).deprels)
