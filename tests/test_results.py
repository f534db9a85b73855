"""Results as programs and pages take them: records, comma-separated values, and searches put together from parts."""

from __future__ import annotations

import csv
import io
import json

import pytest

import gristmill
from gristmill.corpus import CorpusReader
from gristmill.corpus.explain import Explained, explain
from gristmill.corpus.funnel import funnel
from gristmill.errors import UsageError
from gristmill.operations.searched import Ordered
from gristmill.search.concordance.lines import lines_csv
from gristmill.table import Table


@pytest.mark.parametrize(
    "ask",
    [
        lambda corpus: corpus.wordlist(limit=5),
        lambda corpus: corpus.wordlist(limit=5, dispersion=True),
        lambda corpus: corpus.wordlist(matching="xyzzy", dispersion=True),
        lambda corpus: corpus.wordlist(n=3, limit=5),
        lambda corpus: corpus.collocations("the", limit=5),
        lambda corpus: corpus.keywords(where='lang="en"', limit=5),
        lambda corpus: corpus.search('[tag="NOUN"]').frequency("lemma,host", limit=5),
    ],
)
def test_tables_have_the_same_columns_in_every_form(indexed: gristmill.Corpus, ask: object) -> None:
    assert callable(ask)
    result = ask(indexed)
    assert isinstance(result, Table)
    names = [column.name for column in result.columns]
    record = json.loads(json.dumps(result.to_json({"asked": 1})))
    assert next(iter(record)) == "asked"
    assert [list(row) for row in record["rows"]] == [names] * len(result.cells())
    header, *rows = csv.reader(io.StringIO(result.to_csv()))
    assert header == names
    assert len(rows) == len(result.cells())
    assert result.to_json(first=2)["rows"] == record["rows"][2:]


def test_n_is_a_fact_of_ngrams_only(indexed: gristmill.Corpus) -> None:
    assert indexed.wordlist(n=3).facts()["n"] == 3
    assert {"n", "dispersion", "rows"}.isdisjoint(indexed.wordlist(dispersion=True).facts())


def test_a_search_is_put_together_in_one_order(indexed: gristmill.Corpus) -> None:
    request = Ordered(
        '[tag="NOUN"]', where='lang="en"', having=('[tag="ADJ"]',), lacking=("the",), sample=5, sort="right", seed=1
    )
    request.check_together()
    everything = indexed.search(request.query, where=request.where)
    found = request.refine(everything)
    by_hand = everything.having('[tag="ADJ"]', 5).lacking("the", 5).sample(5, 1).sort("right")
    assert [line.position for line in found] == [line.position for line in by_hand]
    facts = found.counts().facts()
    assert facts["sample"] == 5
    assert facts["total"] == found.total
    with pytest.raises(UsageError):
        Ordered("mill", having=("[",)).check_together()


def test_lines_of_a_csv_are_hits(indexed: gristmill.Corpus) -> None:
    lines = indexed.search("[]{30}").page(1, 50)
    assert any("\n" in line.node for line in lines)
    assert len(lines_csv(lines).splitlines()) == 51


def test_a_funnel_adds_up(indexed: gristmill.Corpus) -> None:
    found = funnel(CorpusReader(indexed.folder))
    counts = {step.label: step.count for step in found.pages}
    after = found.pages[[step.label for step in found.pages].index("pages read") :]
    assert counts["pages read"] - sum(step.count for step in after if step.left_out) == counts["kept"] == 103
    assert all(step.share is not None for step in after if step.left_out)
    assert found.to_json()["counts"]["kept"] == 103


def test_an_explanation_says_what_each_stage_found(indexed: gristmill.Corpus) -> None:
    document = next(indexed.documents())
    found = explain(CorpusReader(indexed.folder), document.id)
    assert isinstance(found, Explained)
    facts = "id, address, title, fetched, attributes, metadata, decoded, language, page kind, cleaned, roles"
    assert list(found.facts()) == facts.split(", ")
    assert found.to_json()["document"]["id"] == document.id
    assert found.duplicates().endswith("words")
