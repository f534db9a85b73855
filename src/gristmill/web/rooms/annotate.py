"""The annotator: choose who judges and which pages, judge one, compare annotators, train on what was judged."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from starlette.responses import RedirectResponse, Response

from gristmill.errors import GristmillError
from gristmill.judgements.blocks.choosing import ORDERS
from gristmill.judgements.blocks.marks import MAX_NAME_CHARACTERS, VERDICTS, Mark, check_name, run_marks
from gristmill.operations.common import NoParameters
from gristmill.parameters import param, read
from gristmill.roles import ROLES
from gristmill.web.answers.annotate import (
    AgreementAsked,
    DisagreementsAsked,
    ListAsked,
    MarkAsked,
    NextAsked,
    PageAsked,
    TrainAsked,
)
from gristmill.web.pages import page
from gristmill.web.visit import Refused, Visit

COOKIE = "gristmill_annotator"
"""Remembers the name that was chosen on a server without users."""
_YEAR_SECONDS = 31_536_000
ROLE_KEYS = dict(zip(ROLES, "thxlacqiymeonf", strict=True))
"""The key of each role, after `r`."""
_NUMBER = re.compile("[1-9][0-9]{0,6}")
_ORDER_NAMES = {"unsure": "least sure first", "random": "in random order", "list": "from the owner's list"}


@dataclass(frozen=True, slots=True)
class Way:
    """How somebody works, which all addresses of this room carry along."""

    annotator: str = param("Who judges.", default="", max_characters=MAX_NAME_CHARACTERS)
    order: str = param("How pages are chosen.", default="unsure", choices=ORDERS)
    seed: int = param("Of the random order.", default=0, minimum=0)
    suggest: bool = param("Whether suggestions are shown.", default=False)

    def query(self, **changes: Any) -> dict[str, Any]:
        """Return what differs from the defaults, for links."""
        given = {"annotator": self.annotator, "order": self.order, "seed": self.seed, "suggest": int(self.suggest)}
        given |= changes
        defaults = {"annotator": "", "order": "unsure", "seed": 0, "suggest": 0}
        return {name: value for name, value in given.items() if value != defaults[name]}


def _way(visit: Visit, extra: tuple[str, ...] = ()) -> Way:
    given = {name: value for name, value in visit.given.items() if name not in extra}
    way = read(Way, given)
    name = visit.user.name or way.annotator or _remembered(visit)
    return Way(name, way.order, way.seed, way.suggest)


def _remembered(visit: Visit) -> str:
    try:
        return check_name(unquote(visit.request.cookies.get(COOKIE, "")))
    except GristmillError:  # none is remembered, or somebody has changed the cookie
        return ""


def _shown(visit: Visit, template: str, way: Way, **values: Any) -> Response:
    """Show a page of this room, and remember the name."""
    response = visit.page(template, way=way, orders=_ORDER_NAMES, **values)
    if way.annotator and not visit.user.name:
        response.set_cookie(
            COOKIE, quote(way.annotator, safe=""), max_age=_YEAR_SECONDS, httponly=True, samesite="strict"
        )
    return response


@page("annotate", room="annotate", role="annotator")
async def start(visit: Visit) -> Response:
    """Choose who judges and how pages are chosen; see how far everybody is."""
    way = _way(visit, ("done", "page"))
    found = await visit.ask("annotate-overview", NoParameters())
    return _shown(visit, "annotate.html", way, found=found, done="done" in visit.given, wanted=_wanted(visit))


def _wanted(visit: Visit) -> str:
    """The page that somebody wants to judge, who has to say first who it is."""
    return visit.given.get("page", [""])[0][:40]


@page("annotate/next", room="annotate", role="annotator")
async def go_on(visit: Visit) -> Response:
    """Go to the page that is next."""
    way = _way(visit, ("after", "page"))
    wanted = _wanted(visit)
    if not way.annotator:
        return RedirectResponse(visit.link("annotate", **way.query(), page=wanted), 303)
    if wanted:
        return RedirectResponse(visit.link(f"annotate/page/{wanted}", **way.query()), 303)
    after = visit.given.get("after", [""])[0][:40]
    chosen = await visit.ask("annotate-next", NextAsked(way.annotator, way.order, way.seed, after))
    if chosen["page"] is None:
        return RedirectResponse(visit.link("annotate", **way.query(), done=1), 303)
    return RedirectResponse(visit.link(f"annotate/page/{chosen['page']}", **way.query()), 303)


@page("annotate/page/{id}", room="annotate", role="annotator")
async def judge(visit: Visit) -> Response:
    """Show a page to be judged."""
    way = _way(visit)
    if not way.annotator:
        return RedirectResponse(visit.link("annotate", **way.query(), page=visit.request.path_params["id"]), 303)
    asked = PageAsked(visit.request.path_params["id"], way.annotator, way.suggest)
    found = await visit.ask("annotate-page", asked)
    return _shown(visit, "annotate_page.html", way, found=found, role_keys=ROLE_KEYS, verdicts=VERDICTS)


@page("annotate/page/{id}", room="annotate", role="annotator", method="POST")
async def judge_by_form(visit: Visit) -> Response:
    """Take what is judged without a script: blocks by their numbers as shown, from 1 on."""
    way = _way(visit)
    given = await visit.form()
    fields = {name: (values[0] if values else "") for name, values in given.items()}
    identifier = visit.request.path_params["id"]
    name = visit.user.name or way.annotator or fields.get("annotator", "")
    found = await visit.ask("annotate-page", PageAsked(identifier, name, way.suggest))
    finish = "finish" in fields
    marks = _rest(found["blocks"]) if finish else [_mark(fields)]
    asked = MarkAsked(found["page"], found["digest"], tuple(map(str, marks)), finish, way.suggest, name)
    await visit.ask("annotate-mark", asked)
    if finish:
        return visit.go(visit.link("annotate/next", **way.query(annotator=name)))
    place = min(int(fields["last"] or fields["first"]) + 1, len(found["blocks"]))
    return visit.go(visit.link(f"annotate/page/{found['page']}", **way.query(annotator=name)) + f"#b{place}")


def _mark(fields: dict[str, str]) -> Mark:
    first, last = fields.get("first", ""), fields.get("last", "") or fields.get("first", "")
    if not (_NUMBER.fullmatch(first) and _NUMBER.fullmatch(last) and int(first) <= int(last)):
        raise Refused(400, "say which blocks: the number of the first one, and of the last one if there are several")
    fields["last"] = last
    return Mark.parse(f"{int(first) - 1}-{int(last) - 1}:{fields.get('verdict', '')}:{fields.get('role', '')}")


def _rest(blocks: list[dict[str, Any]]) -> list[Mark]:
    """Judge what is not judged yet: as suggested where that is shown, and as bad where it is not (as Victor's tool)."""
    left = [block for block in blocks if not block["verdict"]]
    verdicts = ((block["number"], block.get("suggestion", {"verdict": "bad"})["verdict"]) for block in left)
    return list(run_marks(verdicts))


@page("annotate/list", room="annotate", role="owner", method="POST")
async def set_list(visit: Visit) -> Response:
    """Set the pages that everybody is to judge."""
    given = await visit.form()
    lines = "\n".join(given.get("pages", [])).splitlines()
    await visit.ask("annotate-list", read(ListAsked, {"pages": [line for line in lines if line.strip()]}))
    return visit.go(visit.link("annotate", **_way(visit).query()))


@dataclass(frozen=True, slots=True)
class AgreementQuery(Way):
    """What the page of agreement shows."""

    subject: str = param("On what they agree.", default="verdict", choices=("verdict", "role"))
    page: int = param("The page of disagreements.", default=1, minimum=1, maximum=100_000)


@page("annotate/agreement", room="annotate", role="annotator")
async def compare(visit: Visit) -> Response:
    """Show how far annotators agree, and where they don't."""
    asked = visit.read(AgreementQuery)
    way = _way(visit, ("subject", "page"))
    count = DisagreementsAsked().count
    first = (asked.page - 1) * count
    found = await visit.ask("annotate-agreement", AgreementAsked(asked.subject))
    dispute = await visit.ask("annotate-disagreements", DisagreementsAsked(asked.subject, first=first, count=count))
    pages = -(-dispute["total"] // count)
    return _shown(visit, "annotate_agreement.html", way, found=found, dispute=dispute, asked=asked, pages=pages)


@page("annotate/training", room="annotate", role="annotator")
async def train(visit: Visit) -> Response:
    """Show the gold standard to be downloaded, and how far the training on it is."""
    way = _way(visit)
    overview = await visit.ask("annotate-overview", NoParameters())
    found = await visit.ask("annotate-training", NoParameters())
    return _shown(visit, "annotate_training.html", way, found=found, overview=overview)


@page("annotate/training", room="annotate", role="owner", method="POST")
async def train_by_form(visit: Visit) -> Response:
    """Start or cancel a training."""
    given = await visit.form()
    if "cancel" in given:
        await visit.ask("annotate-cancel", NoParameters())
    else:
        await visit.ask("annotate-train", read(TrainAsked, {k: v for k, v in given.items() if any(v)}))
    return visit.go(visit.link("annotate/training", **_way(visit).query()))
