"""Judging blocks: pages to be judged, clicks, agreement, the gold standard that comes of it, and training on it."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from typing import Any

from gristmill.corpus.lookup import find_document
from gristmill.errors import GristmillError, UsageError
from gristmill.judgements.blocks import training
from gristmill.judgements.blocks.agreement import agreement
from gristmill.judgements.blocks.choosing import ORDERS, choose
from gristmill.judgements.blocks.disagreement import disagreements
from gristmill.judgements.blocks.gold import Choice, gold_bytes
from gristmill.judgements.blocks.marks import MAX_NAME_CHARACTERS, Judgement, Mark, check_name
from gristmill.judgements.blocks.pages import JudgedPage, read_page, refresh
from gristmill.judgements.blocks.progress import work
from gristmill.judgements.blocks.store import BlockStore
from gristmill.operations.common import NoParameters
from gristmill.operations.declaration import File, operation
from gristmill.parameters import param
from gristmill.pipeline import Corpus

MAX_SHOWN_CHARACTERS = 4_000
"""Of the text of a block; more is not needed to judge it."""
_MAX_GOLD_PAGES = 2_000
"""Pages of a gold standard that is downloaded; the command writes larger ones."""
_ANNOTATOR = "Who judges: a name of one's choice. On a server with users it is the user, and need not be given."
_ANNOTATORS = "Only what these annotators say [all]."
_SUBJECT = "On what they agree: whether blocks are text, or their roles."


def _name(limit: int = MAX_NAME_CHARACTERS) -> Any:
    return param(_ANNOTATOR, default="", max_characters=limit)


def _many() -> Any:
    return param(_ANNOTATORS, default=(), max_characters=MAX_NAME_CHARACTERS)


def _subject() -> Any:
    return param(_SUBJECT, default="verdict", choices=("verdict", "role"))


def annotator_of(user: str, given: str) -> str:
    """Return who judges: the user, or on a server without users the name that is given."""
    if user and given and check_name(given) != check_name(user):
        raise UsageError(f"you are {user}, and can't judge as {given!r}")
    return check_name(user or given)


@operation(NoParameters, room="annotate", role="annotator", name="annotate-overview")
def overview(corpus: Corpus, asked: NoParameters) -> dict[str, Any]:
    """Say how far each annotator is, which pages the owner has listed, and which judgements are of changed text."""
    del asked
    with BlockStore(corpus.folder) as store:
        refresh(corpus.reader, store)
        changed = store.changed()
        return {
            "annotators": [asdict(item) for item in work(store)],
            "listed": store.listed(),
            "changed": [{"annotator": who, "page": page, "judgements": count} for who, page, count in changed[:100]],
            "changed_judgements": sum(count for _, _, count in changed),
            "models": training.models(corpus.folder),
        }


@dataclass(frozen=True, slots=True)
class NextAsked:
    """Which page is next."""

    annotator: str = _name()
    order: str = param(
        "The page that the method is least sure of, a random one, or the next of the owner's list.",
        default="unsure",
        choices=ORDERS,
    )
    seed: int = param("Another random order; the same seed gives all annotators the same one.", default=0, minimum=0)
    after: str = param(
        "A page that is not to be chosen again, such as one that is skipped.", default="", max_characters=40
    )


@operation(NextAsked, room="annotate", role="annotator", name="annotate-next")
def next_page(corpus: Corpus, asked: NextAsked, user: str) -> dict[str, Any]:
    """Choose a page that the annotator has not finished; it is null if there is none left."""
    who = annotator_of(user, asked.annotator)
    with BlockStore(corpus.folder) as store:
        page = choose(corpus.reader, store, who, asked.order, seed=asked.seed, but=asked.after)
    return {"page": page or None}


@dataclass(frozen=True, slots=True)
class PageAsked:
    """A page to be judged."""

    page: str = param(about="The page: its id, or its address.", max_characters=2_000)
    annotator: str = _name()
    suggest: bool = param("Whether to say what the method of the corpus thinks of each block.", default=False)


@operation(PageAsked, room="annotate", role="annotator", name="annotate-page")
def page_to_judge(corpus: Corpus, asked: PageAsked, user: str) -> dict[str, Any]:
    """Give the blocks of a page, with what the annotator has said of them so far.

    Blocks are numbered from 0. `digest` is what `annotate-mark` needs. Suggestions are there only if asked for.
    """
    who = annotator_of(user, asked.annotator)
    page = read_page(corpus.reader, asked.page)
    document = page.document
    with BlockStore(corpus.folder) as store:
        store.register(document.id, page.outline)
        own = store.of_page(document.id, page.outline, who).get(who, {})
        visits = {visit.page: visit for visit in store.visits(who)}
        changed = sum(number for name, at, number in store.changed() if (name, at) == (who, document.id))
    visit = visits.get(document.id)
    return {
        "page": document.id,
        "annotator": who,
        "url": document.url,
        "title": document.title,
        "lang": document.lang,
        "method": document.method,
        "digest": page.outline.digest,
        "finished": bool(visit and visit.finished),
        "pages_finished": sum(1 for one in visits.values() if one.finished),
        "changed": changed,
        "judged": sum(1 for item in own.values() if item.verdict),
        "blocks": _blocks(page, own, suggest=asked.suggest),
    }


def _blocks(page: JudgedPage, own: dict[int, Judgement], *, suggest: bool) -> list[dict[str, Any]]:
    suggested = page.suggested().tolist()
    paths: dict[str, int] = {}
    found = []
    for number, block in enumerate(page.document.blocks):
        judgement = own.get(number, Judgement())
        item: dict[str, Any] = {
            "number": number,
            "kind": block.kind,
            "text": block.text[:MAX_SHOWN_CHARACTERS],
            "cut": len(block.text) > MAX_SHOWN_CHARACTERS,
            "path": block.path,
            "same_path": paths.setdefault(block.path, len(paths)),
            "words": block.words,
            "lang": block.lang,
            "linked": round(block.link_density, 2),
            "verdict": judgement.verdict,
            "role": judgement.role,
        }
        if suggest:
            item["suggestion"] = {
                "verdict": "good" if suggested[number] else "bad",
                "score": round(block.score, 3),
                "role": block.role,
            }
        found.append(item)
    return found


@dataclass(frozen=True, slots=True)
class MarkAsked:
    """Clicks."""

    page: str = param(about="The id of the page.", max_characters=40)
    digest: str = param(about="The digest of the page as it was judged, from annotate-page.", max_characters=16)
    marks: tuple[str, ...] = param(
        "What is judged, in this order: FIRST-LAST:VERDICT or BLOCK:VERDICT, and :ROLE behind it if there is one. "
        "Verdicts are good, bad, undecided, and none, which takes one away; an empty one stays as it is.",
        default=(),
        max_characters=60,
    )
    finish: bool = param("Whether the page is done.", default=False)
    suggested: bool = param("Whether the annotator saw suggestions of the method.", default=False)
    annotator: str = _name()


@operation(MarkAsked, room="annotate", role="annotator", effect="writes", name="annotate-mark")
def mark(corpus: Corpus, asked: MarkAsked, user: str) -> dict[str, Any]:
    """Store clicks. When this is answered, they are on the disk."""
    who = annotator_of(user, asked.annotator)
    marks = [Mark.parse(text) for text in asked.marks]
    with BlockStore(corpus.folder) as store:
        found = store.mark(who, asked.page, asked.digest, marks, finish=asked.finish, suggested=asked.suggested)
    return {"judged": sum(1 for item in found.values() if item.verdict), "finished": asked.finish}


@dataclass(frozen=True, slots=True)
class StoredAsked:
    """What is stored of a page."""

    page: str = param(about="The id of the page.", max_characters=40)
    annotator: str = _name()


@operation(StoredAsked, room="annotate", role="annotator", name="annotate-stored")
def stored(corpus: Corpus, asked: StoredAsked, user: str) -> dict[str, Any]:
    """Say what the annotator has said of the blocks of a page, without their texts."""
    who = annotator_of(user, asked.annotator)
    with BlockStore(corpus.folder) as store:
        outline = store.outlines([asked.page]).get(asked.page)
        if outline is None:
            raise UsageError(f"nobody has opened a page {asked.page!r}")
        own = store.of_page(asked.page, outline, who).get(who, {})
    rows = [{"block": at, "verdict": item.verdict, "role": item.role} for at, item in sorted(own.items())]
    return {"digest": outline.digest, "judgements": rows}


@dataclass(frozen=True, slots=True)
class ListAsked:
    """The pages that everybody is to judge."""

    pages: tuple[str, ...] = param(
        "Ids or addresses, in order; none empties the list.", default=(), max_characters=2_000
    )


@operation(ListAsked, room="annotate", effect="writes", name="annotate-list")
def list_pages(corpus: Corpus, asked: ListAsked) -> dict[str, Any]:
    """Set the list of pages that everybody is to judge, for comparison."""
    pages = [find_document(corpus.reader, name.strip()) for name in asked.pages if name.strip()]
    with BlockStore(corpus.folder) as store:
        store.list_pages(pages)
        return {"listed": store.listed()}


@dataclass(frozen=True, slots=True)
class AgreementAsked:
    """Whose agreement, on what."""

    subject: str = _subject()
    annotators: tuple[str, ...] = _many()


@operation(AgreementAsked, room="annotate", role="annotator", name="annotate-agreement")
def agreement_of_annotators(corpus: Corpus, asked: AgreementAsked) -> dict[str, Any]:
    """Compute how far annotators agree: percent, Cohen's kappa of each two, Fleiss' kappa; by blocks and by words."""
    with BlockStore(corpus.folder) as store:
        refresh(corpus.reader, store)
        return asdict(agreement(store, asked.subject, asked.annotators))  # type: ignore[arg-type]  # one of the choices


@dataclass(frozen=True, slots=True)
class DisagreementsAsked:
    """Which disagreements."""

    subject: str = _subject()
    annotators: tuple[str, ...] = _many()
    first: int = param("How many to pass over.", default=0, minimum=0)
    count: int = param("How many to give.", default=30, minimum=1, maximum=200)


@operation(DisagreementsAsked, room="annotate", role="annotator", name="annotate-disagreements")
def blocks_in_dispute(corpus: Corpus, asked: DisagreementsAsked) -> dict[str, Any]:
    """List the blocks that annotators judged differently, with the most words first, side by side."""
    subject: Any = asked.subject
    with BlockStore(corpus.folder) as store:
        refresh(corpus.reader, store)
        total, rows = disagreements(corpus.reader, store, subject, asked.annotators, asked.first, asked.count)
    return {"total": total, "rows": [{**asdict(row), "text": row.text[:MAX_SHOWN_CHARACTERS]} for row in rows]}


@dataclass(frozen=True, slots=True)
class GoldAsked:
    """Which judgements go into a gold standard."""

    annotators: tuple[str, ...] = _many()
    min_agreement: int = param(
        "The share of annotators, in per cent, that must agree on a block; else it is undecided.",
        default=0,
        minimum=0,
        maximum=100,
    )
    min_annotators: int = param("How many must have finished a page.", default=1, minimum=1, maximum=100)

    def choice(self) -> Choice:
        """Return it as the export takes it."""
        return Choice(self.annotators, self.min_agreement, self.min_annotators)


@operation(
    GoldAsked,
    room="annotate",
    role="annotator",
    content_types=("application/vnd.apache.parquet",),
    name="annotate-gold",
)
def gold(corpus: Corpus, asked: GoldAsked) -> File:
    """Download the finished pages as a gold standard: a Parquet file for `gristmill evaluate` and `gristmill train`."""
    with BlockStore(corpus.folder) as store:
        if len({visit.page for visit in store.visits() if visit.finished}) > _MAX_GOLD_PAGES:
            raise GristmillError(
                f"more than {_MAX_GOLD_PAGES:,} pages are too many to download: "
                "use `gristmill judgements CORPUS -o gold.parquet`"
            )
        data, _ = gold_bytes(corpus.reader, store, asked.choice())
    return File(data, "application/vnd.apache.parquet", "judged.parquet")


@dataclass(frozen=True, slots=True)
class TrainAsked:
    """What to train on, and how the model is called."""

    name: str = param(about="The name of the model: letters, digits, - and _.", max_characters=60)
    annotators: tuple[str, ...] = _many()
    min_agreement: int = param("As for annotate-gold.", default=0, minimum=0, maximum=100)


@operation(TrainAsked, room="annotate", effect="writes", name="annotate-train")
def train(corpus: Corpus, asked: TrainAsked) -> dict[str, Any]:
    """Begin to train `mill` on the finished pages, in the background; the model comes into the folder of the corpus."""
    choice = Choice(asked.annotators, asked.min_agreement)
    return training.start(corpus.folder, asked.name, choice, server=os.getppid()).to_json()


@operation(NoParameters, room="annotate", effect="writes", name="annotate-cancel")
def cancel(corpus: Corpus, asked: NoParameters) -> dict[str, Any]:
    """End the training that is running."""
    del asked
    return training.cancel(corpus.folder).to_json()


@operation(NoParameters, room="annotate", role="annotator", name="annotate-training")
def training_status(corpus: Corpus, asked: NoParameters) -> dict[str, Any]:
    """Say how far the last training is: word F1 on pages left out, with the shipped model and with the trained one."""
    del asked
    found = training.status(corpus.folder)
    return {**found.to_json(), "models": training.models(corpus.folder), "next_name": training.free_name(corpus.folder)}
