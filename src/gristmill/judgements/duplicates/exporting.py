"""Judged pairs as files: documents with their clusters, which `gristmill evaluate dedup` reads, or a row for each."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from gristmill.corpus.reader import CorpusReader
from gristmill.dedup.documents.clustering import clusters
from gristmill.dedup.documents.sketches import Pairs
from gristmill.errors import GristmillError
from gristmill.judgements.duplicates.candidates import Candidates
from gristmill.judgements.duplicates.pair import texts_of
from gristmill.judgements.duplicates.store import Judged

_COLUMNS = ("first", "second", "score", "stratum", "found", "judge", "verdict")
_MAX_TEXT_CHARACTERS = 50_000_000


def rows(candidates: Candidates, judged: Judged) -> Iterator[dict[str, Any]]:
    """A row for each judgement: the pair, what de-duplication says of it, who judged it, and how."""
    for pair, verdicts in sorted(judged.verdicts.items()):
        candidate = candidates.find(pair)
        if candidate is None:
            continue
        for judge, verdict in sorted(verdicts.items()):
            values = (*pair, candidate.score, candidate.stratum, candidate.found, judge, verdict)
            yield dict(zip(_COLUMNS, values, strict=True))


def as_csv(candidates: Candidates, judged: Judged) -> str:
    """The rows as CSV; a name that a spreadsheet would take for a formula gets an apostrophe before it."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    for row in rows(candidates, judged):
        writer.writerow([f"'{value}" if _is_formula(value) else value for value in row.values()])
    return file.getvalue()


def _is_formula(value: Any) -> bool:
    return isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))


def as_json_lines(candidates: Candidates, judged: Judged) -> str:
    """The rows as lines of JSON."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows(candidates, judged))


def known_clusters(corpus: CorpusReader, judged: Judged, *, near_counts: bool = True) -> str:
    """The documents of judged pairs as lines of JSON with `id`, `text` and `cluster`: a truth for `evaluate dedup`.

    Documents are in one cluster if a chain of pairs that are duplicates links them. Two of which nobody said anything
    count as different there.
    """
    decided = judged.decided(near_counts=near_counts)
    ids = sorted({identifier for pair in decided for identifier in pair})
    if not ids:
        raise GristmillError("no pairs are judged yet")
    numbers = {identifier: number for number, identifier in enumerate(ids)}
    linked = np.array([(numbers[one], numbers[other]) for (one, other), same in decided.items() if same], np.int64)
    ends = linked.reshape(-1, 2)
    heads = clusters(len(ids), Pairs(ends[:, 0], ends[:, 1], np.ones(len(ends))))
    lines, size = [], 0
    for identifier, text in texts_of(corpus, ids).items():
        size += len(text)
        if size > _MAX_TEXT_CHARACTERS:
            raise GristmillError(f"the texts have more than {_MAX_TEXT_CHARACTERS:,} characters: ask for CSV")
        record = {"id": identifier, "text": text, "cluster": ids[int(heads[numbers[identifier]])]}
        lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    return "".join(lines)
