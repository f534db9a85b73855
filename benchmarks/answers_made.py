"""Questions made of sentences of treebanks, by the inverse of what `gristmill ask` does with questions.

A sentence must begin with its subject, a noun or name, followed by its verb, and have an object or an oblique. The
subject becomes "Who" or "What" (in German "Wer" or "Was"); what is after the verb is kept up to the first clause or
coordination. Of an English sentence in the past with a year, a month or the name of a place after "in", a question with
"When did" or "Where did" is made.
"""

from __future__ import annotations

from calendar import month_name
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
from answers_gold import tokens_of

from gristmill.annotation import annotate
from gristmill.search import Index, PlainDocument, PlainParagraph, make_index

_OTHER_CLAUSES = frozenset("conj cc parataxis advcl ccomp acl appos list discourse dep punct".split())
_WORDS = {"en": ("Who", "What"), "de": ("Wer", "Was")}
_MONTHS = frozenset(month_name)
_MIN_WORDS, _MAX_WORDS = 3, 12
_SENTENCES_A_DOCUMENT = 20


@dataclass(frozen=True, slots=True)
class Tree:
    """A sentence with its gold tree; heads are places from 0, -1 for the root."""

    text: str
    words: Sequence[str]
    tags: Sequence[str]
    lemmas: Sequence[str]
    feats: Sequence[str]
    heads: Sequence[int]
    relations: Sequence[str]

    def below(self, at: int) -> list[int]:
        """All words that a word governs, with itself."""
        found, waiting = set(), [at]
        while waiting:
            place = waiting.pop()
            if place not in found:
                found.add(place)
                waiting += [other for other, head in enumerate(self.heads) if head == place]
        return sorted(found)

    def child(self, at: int, *relations: str) -> int | None:
        """The first word that a word governs by one of some relations."""
        pairs = zip(self.heads, self.relations, strict=True)
        return next((n for n, (head, name) in enumerate(pairs) if head == at and name in relations), None)


def trees(file: Path, lang: str) -> Iterator[Tree]:
    """Read the sentences of a language."""
    for row in pq.read_table(file, filters=[("lang", "==", lang)]).to_pylist():
        yield Tree(
            row["text"],
            row["tokens"],
            row["upos"],
            row["lemma"],
            row["feats"],
            [head - 1 for head in row["heads"]],
            row["deprel"],
        )


def made_questions(file: Path, lang: str, count: int) -> list[tuple[str, str]]:
    """Make questions, each with the sentence that answers it; every second kind is asked where both can be."""
    found: list[tuple[str, str]] = []
    for number, tree in enumerate(trees(file, lang)):
        kinds = (_about_place_or_time, _about_subject) if number % 2 else (_about_subject, _about_place_or_time)
        question = next(filter(None, (kind(tree, lang) for kind in kinds)), "")
        if question:
            found.append((question, " ".join(tree.text.split())))
    return found[:: max(len(found) // count, 1)][:count]


def sentences_index(file: Path, lang: str, folder: Path) -> Index:
    """Make an index of all sentences of a language, tagged as a corpus would be."""
    texts = [" ".join(tree.text.split()) for tree in trees(file, lang)]
    annotations = annotate([(text, lang) for text in texts])
    documents = []
    for first in range(0, len(texts), _SENTENCES_A_DOCUMENT):
        some = annotations[first : first + _SENTENCES_A_DOCUMENT]
        paragraphs = [PlainParagraph([tokens_of(annotation)], {}) for annotation in some]
        documents.append(PlainDocument(paragraphs, {"lang": lang, "id": str(first), "url": "", "title": ""}))
    return make_index(folder, documents)


def _about_subject(tree: Tree, lang: str) -> str:
    """Replace the subject by a question word."""
    root = tree.heads.index(-1) if -1 in tree.heads else -1
    subject = tree.child(root, "nsubj", "nsubj:pass") if root >= 0 else None
    if subject is None or tree.tags[root] != "VERB" or tree.tags[subject] not in {"NOUN", "PROPN"}:
        return ""
    before = tree.below(subject)
    if before != list(range(len(before))) or tree.tags[len(before)] not in {"VERB", "AUX"}:
        return ""
    rest = _main_clause(tree, root, set(before))
    if not _MIN_WORDS <= len(rest) <= _MAX_WORDS or tree.child(root, "obj", "obl", "obl:agent") is None:
        return ""
    who = _WORDS[lang][0 if tree.tags[subject] == "PROPN" else 1]
    return f"{who} {' '.join(tree.words[at] for at in rest)}?"


def _main_clause(tree: Tree, root: int, left_out: set[int]) -> list[int]:
    """The words of the main clause from the verb on, without other clauses."""
    outside = set(left_out)
    for at, relation in enumerate(tree.relations):
        if relation.partition(":")[0] in _OTHER_CLAUSES and at != root:
            outside.update(tree.below(at))
    return [at for at in tree.below(root) if at not in outside]


def _about_place_or_time(tree: Tree, lang: str) -> str:
    """Ask when or where something was, of an English sentence in the past."""
    root = tree.heads.index(-1) if -1 in tree.heads else -1
    if lang != "en" or root < 0 or tree.tags[root] != "VERB" or "Tense=Past" not in tree.feats[root]:
        return ""
    subject, auxiliary = tree.child(root, "nsubj", "nsubj:pass"), tree.child(root, "aux:pass", "aux")
    place = tree.child(root, "obl")
    if subject is None or place is None or tree.tags[subject] not in {"NOUN", "PROPN"}:
        return ""
    adposition = tree.child(place, "case")
    if adposition is None or tree.lemmas[adposition] != "in" or tree.tags[place] not in {"PROPN", "NUM"}:
        return ""
    is_time = any(tree.tags[at] == "NUM" or tree.words[at] in _MONTHS for at in tree.below(place))
    word = "When" if is_time else "Where"
    left_out = {*tree.below(subject), *tree.below(place), root}
    left_out |= {auxiliary} if auxiliary is not None else set()
    rest = [at for at in _main_clause(tree, root, left_out) if at > root]
    who = " ".join(tree.words[at] for at in tree.below(subject))
    verb = tree.words[root] if auxiliary is not None else tree.lemmas[root]
    helper = tree.words[auxiliary] if auxiliary is not None else "did"
    parts = [word, helper, who, verb, *(tree.words[at] for at in rest)]
    return f"{' '.join(parts)}?" if len(parts) <= _MAX_WORDS + 3 else ""
