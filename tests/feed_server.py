"""Feeds with days of their own, to be served on the loopback, and what is true of them.

A `Newsroom` publishes stories by a schedule in feeds of many kinds, broken ones among them. It shows stories again,
corrects them, moves feeds and gives them up. What a feed has on a day depends on the day alone, so that whoever reads
it may come back as often as he likes. `Newsroom.truth` says which texts there were, each once.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from email.utils import formatdate
from xml.sax.saxutils import escape

from loopback import Reply, Route

DAY_SECONDS = 86_400
START = 1_794_873_600
"""The first moment of the first day, in seconds since 1970."""
HOST = "news.example"
SITE = f"http://{HOST}"
_SHOWN = 8  # stories in a feed
_A_DAY = 2  # stories in a feed that are new each day


@dataclass(frozen=True, slots=True)
class Story:
    """A version of a story."""

    number: int
    version: int
    day: int
    """On which the story came."""
    title: str
    description: str

    @property
    def path(self) -> str:
        return f"/{self.number // 1000}/story-{self.number}"


class Newsroom:
    """What its feeds have on each day. Paths of feeds are in `feeds`, those to be subscribed to."""

    feeds = (
        "plain", "section", "atom", "json", "tracked", "one-guid", "site-guid", "new-guids", "ticker", "no-marks",
        "letters", "broken", "moving", "merging", "gone", "failing", "late",
    )  # fmt: skip

    def __init__(self, days: int = 30, seed: int = 7) -> None:
        self.days = days
        self._rng = random.Random(seed)
        self._words = [
            "".join(self._rng.choices("abdefgiklmnoprstu", k=self._rng.randrange(3, 9))) for _ in range(4000)
        ]
        self._stories: dict[str, list[list[Story]]] = {}
        """By feed, each with its versions: the second one comes the day after the first."""
        for at, name in enumerate(self.feeds):
            numbers = range(at * 1000, at * 1000 + days * _A_DAY)
            self._stories[name] = [self._versions(number, number % 1000 // _A_DAY) for number in numbers]
        for versions in self._stories["letters"]:
            versions[:] = [replace(versions[0], title="Letters", description="")]
        del self._stories["section"], self._stories["merging"]

    def _versions(self, number: int, day: int) -> list[Story]:
        first = Story(number, 1, day, self._text(7).capitalize(), self._text(20 + number % 20))
        if number % 5:
            return [first]
        kept, more = first.description, self._text(4)
        changed = (f"{first.title} {more}", kept) if number % 2 else (first.title, f"{kept[:-6].strip()} {more}")
        return [first, Story(number, 2, day, *changed)]

    def _text(self, words: int) -> str:
        return " ".join(self._rng.choices(self._words, k=words))

    def truth(self, days: int) -> list[tuple[str, str, int]]:
        """Say which texts were to be had up to a day: title, description, and the how-maniest text of its story."""
        found: dict[tuple[str, int], list[Story]] = {}
        for day in range(days):
            for name in self._stories:
                if not self._fails(name, day):
                    for story in self._shown(name, day):
                        versions = found.setdefault((name, story.number), [])
                        if story not in versions:
                            versions.append(story)
        for name, number in list(found):
            if name == "no-marks":  # a story with a new title can only be another one there
                found[name, -number - 1] = [story for story in found[name, number] if story.version == 2 and number % 2]
                found[name, number] = [story for story in found[name, number] if story.version == 1 or number % 2 == 0]
        texts = (enumerate(versions, 1) for versions in found.values())
        return sorted((story.title, story.description, count) for versions in texts for count, story in versions)

    @staticmethod
    def _fails(name: str, day: int) -> bool:
        return (name == "gone" and day >= 15) or (name == "failing" and day in {5, 6, 7, 20})

    @staticmethod
    def _shown_from(name: str, story: Story) -> int:
        first = story.day + story.version - 1
        return first + 3 - first % 4 if name == "late" else first

    def _shown(self, name: str, day: int) -> list[Story]:
        """Return the stories that a feed shows on a day, the newest first: also some from ten days ago."""
        stories = [
            [story for story in versions if self._shown_from(name, story) <= day][-1]
            for versions in self._stories[name]
            if self._shown_from(name, versions[0]) <= day
        ]
        stories.sort(key=lambda story: -story.number)
        again = [story for story in stories if story.day == day - 10 and story.number % 3 == 0]
        return again + stories[: 3 * _SHOWN if name in {"failing", "late"} else _SHOWN]

    def routes(self, today: Callable[[], int]) -> dict[str, Route]:
        """Return what is to be served, given what says which day it is."""

        def route(path: str) -> Route:
            return lambda headers: with_validators(self.answer(path, today()), headers)

        paths = [*(f"/{name}.xml" for name in self.feeds), "/moved/moving.xml"]
        return {f"{HOST}{path}": route(path) for path in paths}

    def answer(self, path: str, day: int) -> Reply:
        """Answer a request for a path on a day."""
        name = path.strip("/").partition(".")[0]
        if name == "merging" and day >= 12:
            return Reply(301, {"Location": "/plain.xml"})
        if name == "moving" and day >= 9 and path != "/moved/moving.xml":
            return Reply(308, {"Location": "/moved/moving.xml"})
        if name.startswith("moved/") and day >= 9:
            name = "moving"
        if self._fails(name, day):
            return Reply(410 if name == "gone" else 500 + 3 * (day % 2))
        if name not in self.feeds:
            return Reply(404)
        write = _WRITERS.get(name, rss)
        if name in {"section", "merging"}:
            stories = [story for story in self._shown("plain", day) if story.number % 2 or name == "merging"]
            return Reply(body=write(stories, day))
        return Reply(body=write(self._shown(name, day), day))


def rss(stories: list[Story], day: int, change: Callable[[Story], dict[str, str]] | None = None) -> bytes:
    """Write a feed in RSS; `change` says which elements are different."""
    items = []
    for story in stories:
        fields = {
            "guid": f"{SITE}{story.path}",
            "link": f"{SITE}{story.path}",
            "title": story.title,
            "description": f"<p>{story.description}</p>",
            "pubDate": formatdate(START + story.day * DAY_SECONDS, usegmt=True),
        }
        fields |= change(story) if change else {}
        items.append("".join(f"<{name}>{escape(text)}</{name}>" for name, text in fields.items() if text))
    built = formatdate(START + day * DAY_SECONDS, usegmt=True)
    head = f"<title>News</title><link>{SITE}/</link><lastBuildDate>{built}</lastBuildDate><ttl>1440</ttl>"
    text = f"<rss version='2.0'><channel>{head}{''.join(f'<item>{item}</item>' for item in items)}</channel></rss>"
    return text.encode()


def _section(stories: list[Story], day: int) -> bytes:
    """The same stories with other ids and less of the text."""
    return rss(stories, day, lambda story: {"guid": f"s-{story.number}", "description": story.description[:40]})


def _tracked(stories: list[Story], day: int) -> bytes:
    return rss(stories, day, lambda story: {"guid": "", "link": f"{SITE}{story.path}?utm_source=rss&utm_term={day}"})


def _new_guids(stories: list[Story], day: int) -> bytes:
    now = formatdate(START + day * DAY_SECONDS, usegmt=True)
    return rss(stories, day, lambda story: {"guid": f"{day}-{story.number}", "pubDate": now})


def _letters(stories: list[Story], day: int) -> bytes:
    return rss(stories, day, lambda story: {"guid": f"letters-{story.number}", "description": ""})


def _broken(stories: list[Story], day: int) -> bytes:
    text = rss(stories, day, lambda story: {"content:encoded": f"<p>{story.description} &nbsp; more</p>"})
    return b"<br/>Warning: x\n" + text.replace(b"&amp;", b"&").replace(b"</channel></rss>", b"<item><title>")[:-14]


def _atom(stories: list[Story], day: int) -> bytes:
    entries = "".join(
        f"<entry><id>tag:news.example,2026:{story.number}</id><title>{story.title}</title>"
        f"<link href='{SITE}{story.path}'/><updated>2026-12-{day + 1:02}T00:00:00Z</updated>"
        f"<summary>{story.description}</summary></entry>"
        for story in stories
    )
    return f"<feed xmlns='http://www.w3.org/2005/Atom'><title>Atom</title>{entries}</feed>".encode()


def _json(stories: list[Story], _: int) -> bytes:
    items = [
        {"id": story.number, "url": story.path, "title": story.title, "content_text": story.description}
        for story in stories
    ]
    return json.dumps({"version": "https://jsonfeed.org/version/1.1", "title": "JSON", "items": items}).encode()


def _same(**given: str) -> Callable[[list[Story], int], bytes]:
    return lambda stories, day: rss(stories, day, lambda _: given)


def _ticker(stories: list[Story], day: int) -> bytes:
    return rss(stories, day, lambda story: {"link": f"{SITE}/live", "guid": f"t-{story.number}"})


_WRITERS: dict[str, Callable[[list[Story], int], bytes]] = {
    "section": _section,
    "atom": _atom,
    "json": _json,
    "tracked": _tracked,
    "one-guid": _same(guid="1"),
    "site-guid": _same(guid=f"{SITE}/"),
    "new-guids": _new_guids,
    "ticker": _ticker,
    "no-marks": _same(guid="", link=""),
    "letters": _letters,
    "broken": _broken,
}


def with_validators(reply: Reply, headers: Mapping[str, str]) -> Reply:
    """Answer a conditional request as good servers do."""
    if reply.status != 200:
        return reply
    etag = f'"{hashlib.sha256(reply.body).hexdigest()[:16]}"'
    same = headers.get("if-none-match") == etag
    return Reply(304 if same else 200, {**reply.headers, "ETag": etag}, b"" if same else reply.body)
