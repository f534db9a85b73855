"""A quick look at what of the literature no test of all parts of its kind tries: experiments on a corpus."""

from __future__ import annotations

import pytest

import gristmill
from gristmill.experiment import EXPERIMENTS


@pytest.mark.parametrize("name", list(EXPERIMENTS))
def test_each_experiment_runs_on_any_corpus(name: str, corpus: gristmill.Corpus) -> None:
    found = EXPERIMENTS[name].run(corpus.reader, workers=1, report=lambda _: None)
    assert found.name == name
    assert found.sections[0].rows
    assert bool(found.to_svg()) == EXPERIMENTS[name].draws
