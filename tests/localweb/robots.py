"""robots.txt of all kinds, each with what it forbids, written down by hand so that no parser is needed to know it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from localweb.answer import Answer, moved, not_found
from localweb.articles import ArticleSite
from localweb.site import Plan

PRIVATE = "/soukrome/"
_FOLDERS = ["clanky", "soukrome", "soukrome/verejne", "tisk"]
_PLAIN = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Rules:
    """A robots.txt, and which addresses it forbids."""

    answer: Answer
    forbids: Callable[[str], bool]


def _nothing(_target: str) -> bool:
    return False


def _everything(target: str) -> bool:
    return target != "/robots.txt"


def _private(target: str) -> bool:
    return target.startswith(PRIVATE)


def _private_but_public(target: str) -> bool:
    return target.startswith(PRIVATE) and not target.startswith("/soukrome/verejne/")


def _printed(target: str) -> bool:
    return target.startswith("/tisk/")


def _ends_in_3(target: str) -> bool:
    return target.endswith("3.html")


def _text(text: str | bytes, content_type: str = _PLAIN) -> Answer:
    body = text.encode() if isinstance(text, str) else text
    return Answer(body, content_type=content_type, kind="robots")


_BASIC = f"User-agent: *\nDisallow: {PRIVATE}\n"

KINDS: dict[str, Rules] = {
    "all": Rules(_text("User-agent: *\nDisallow: /\n"), _everything),
    "partial": Rules(_text(_BASIC), _private),
    "wildcard": Rules(_text("User-agent: *\nDisallow: /*rome/\n"), _private),
    "dollar": Rules(_text("User-agent: *\nDisallow: /*3.html$\n"), _ends_in_3),
    "allow": Rules(_text(_BASIC + "Allow: /soukrome/verejne/\n"), _private_but_public),
    "crawl-delay": Rules(_text("User-agent: *\nCrawl-delay: 2\nDisallow:\n"), _nothing),
    "404": Rules(not_found("robots"), _nothing),
    "403": Rules(Answer(b"no", 403, kind="robots"), _nothing),
    "500": Rules(Answer(b"oops", 500, kind="robots"), _everything),
    "503": Rules(Answer(b"later", 503, kind="robots"), _everything),
    "timeout": Rules(Answer(b"", kind="robots", behaviour="silence"), _everything),
    "reset": Rules(Answer(b"", kind="robots", behaviour="reset"), _everything),
    "loop": Rules(moved("/robots.txt", 302), _nothing),
    "long": Rules(_text(_BASIC + "# a comment of no use\n" * 60_000 + "Disallow: /clanky/\n"), _private),
    "utf-16": Rules(_text(_BASIC.encode("utf-16")), _nothing),
    "bom": Rules(_text(b"\xef\xbb\xbf" + _BASIC.encode()), _private),
    "html": Rules(_text("<!DOCTYPE html><h1>Disallow: /</h1>", "text/html"), _nothing),
    "agent": Rules(
        _text(f"User-agent: *\nDisallow: /clanky/\n\nUser-agent: Gristmill\nDisallow: {PRIVATE}\n"), _private
    ),
    "other-agent": Rules(_text("User-agent: otherbot\nDisallow: /\n\nUser-agent: *\nDisallow: /tisk/\n"), _printed),
    "empty": Rules(_text(""), _nothing),
    "careless": Rules(
        _text(f"# rules\r\nUSER-AGENT : *  \r\n\r\ndisallow:{PRIVATE} # not for you\r\nnonsense\r\n"), _private
    ),
    "binary": Rules(_text(bytes(range(256)) * 40, "application/octet-stream"), _nothing),
    "gzip": Rules(Answer(_BASIC.encode(), content_type=_PLAIN, coding="gzip", kind="robots"), _private),
}
"""By name. `other-host` is not here: its rules are those that the redirect leads to."""


class RobotsSite(ArticleSite):
    """Articles in four folders, of which some are forbidden by the kind of robots.txt that the site has."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.rules = KINDS[plan.variant or "partial"]

    @property
    def folders(self) -> list[str]:
        return _FOLDERS

    def path(self, number: int) -> str:
        # The number also ends the name, for the rule with a dollar.
        return f"/{self.folder(number)}/{number}-clanek-{number}.html"

    def page(self, target: str) -> Answer:
        head, _, tail = target.rpartition("/")
        number = tail.partition("-")[0]
        if (
            number.isdecimal()
            and head[1:] in _FOLDERS
            and int(number) < self.articles
            and target == self.path(int(number))
        ):
            return self.article(int(number))
        return super().page(target)

    def robots(self) -> Answer:
        return self.rules.answer

    def forbidden(self, target: str) -> str:
        return "robots" if self.rules.forbids(target) else ""


class ElsewhereRobotsSite(RobotsSite):
    """The same with a robots.txt that is redirected to another host, whose rules hold here."""

    elsewhere: str

    def robots(self) -> Answer:
        return moved(self.elsewhere)
