"""Single requests outside of crawls: redirects, safety, manners."""

from __future__ import annotations

import asyncio
import gzip
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from loopback import Loopback, Reply

from gristmill.errors import UsageError
from gristmill.fetching.access import CONTACT, Access
from gristmill.fetching.exchange import Failure
from gristmill.fetching.session import Answer, RobotsStore, Session

Ask = Callable[[Session], Awaitable[Any]]


@pytest.fixture
def web() -> Iterator[Loopback]:
    with Loopback() as served:
        yield served


def _ask(access: Access, ask: Ask, **options: Any) -> Any:
    async def run() -> Any:
        async with Session.open(access, **{"delay": 0.0, **options}) as session:
            return await ask(session)

    return asyncio.run(run())


def _get(web: Loopback, url: str, **options: Any) -> Answer | Failure:
    found: Answer | Failure = _ask(web.access(), lambda session: session.get(url, **options))
    return found


def _moved(status: int, location: str) -> Reply:
    return Reply(status, {"Location": location})


def test_a_body_comes_without_its_encodings(web: Loopback) -> None:
    web.routes["a.example/"] = Reply(200, {"Content-Encoding": "gzip", "ETag": '"7"'}, gzip.compress(b"hello"))
    answer = _get(web, "http://a.example", headers={"If-None-Match": '"6"'})
    assert isinstance(answer, Answer)
    assert (answer.url, answer.status, answer.body, answer.moved) == ("http://a.example/", 200, b"hello", "")
    assert answer.headers["etag"] == '"7"'
    assert web.log[0].headers["if-none-match"] == '"6"'
    assert "test@example.org" in web.log[0].headers["user-agent"]


def test_permanent_redirects_tell_the_new_address(web: Loopback) -> None:
    web.routes |= {
        "a.example/": _moved(301, "/b"),
        "a.example/b": _moved(308, "http://b.example/c"),
        "b.example/c": Reply(200, {}, b"here"),
        "a.example/t": _moved(302, "http://b.example/c"),
        "a.example/m": _moved(302, "/b"),
    }
    found = [_get(web, f"http://a.example/{path}") for path in ("", "t", "m")]
    assert [answer.body for answer in found if isinstance(answer, Answer)] == [b"here"] * 3
    assert [answer.moved for answer in found if isinstance(answer, Answer)] == ["http://b.example/c", "", ""]


def test_endless_redirects_end(web: Loopback) -> None:
    web.routes["a.example/"] = _moved(302, "/")
    answer = _get(web, "http://a.example/")
    assert isinstance(answer, Failure)
    assert answer.reason == "redirects"
    assert len(web.log) < 10


@pytest.mark.parametrize("target", ["javascript:alert(1)", "file:///etc/passwd", "http://", "ftp://a.example/"])
def test_redirects_to_what_is_no_page_are_answers_as_they_are(web: Loopback, target: str) -> None:
    web.routes["a.example/"] = _moved(302, target)
    answer = _get(web, "http://a.example/")
    assert isinstance(answer, Answer)
    assert answer.status == 302


@pytest.mark.parametrize("ip", ["10.0.0.1", "169.254.169.254", "192.168.1.1", "127.1.0.1", "::1", "0.0.0.1"])
def test_private_networks_are_refused_also_behind_redirects(web: Loopback, ip: str) -> None:
    web.names["inside.example"] = ip
    web.routes["a.example/"] = _moved(301, "http://inside.example/secret")
    for url in ("http://inside.example/secret", "http://a.example/"):
        answer = _get(web, url)
        assert isinstance(answer, Failure)
        assert answer.reason == "network"


def test_only_the_origin_that_the_user_typed_may_be_private(web: Loopback) -> None:
    web.routes |= {"search.example/": Reply(200, {}, b"found"), "search.example/r": _moved(302, "http://b.example/")}
    outside = Access("test@example.org", resolver=web)
    typed = f"http://search.example:{web.port}"
    options = {"trusted": [f"{typed}/?q=1"]}
    answer = _ask(outside, lambda session: session.get(f"{typed}/"), **options)
    assert answer.body == b"found"
    for url in (f"{typed}/r", "http://search.example/", "http://b.example/"):
        refused = _ask(outside, partial(Session.get, url=url), **options)
        assert isinstance(refused, Failure)
        assert refused.reason == "network"


def test_secrets_are_not_sent_to_another_origin(web: Loopback) -> None:
    web.routes |= {
        "a.example/": _moved(302, "/b"),
        "a.example/b": _moved(302, "http://b.example/c"),
        "b.example/c": Reply(),
    }
    _get(web, "http://a.example/", headers={"Authorization": "Bearer x", "X-Other": "1"})
    assert [asked.headers.get("authorization", "") for asked in web.log] == ["Bearer x", "Bearer x", ""]
    assert [asked.headers["x-other"] for asked in web.log] == ["1", "1", "1"]


def test_a_body_that_swells_is_refused(web: Loopback) -> None:
    web.routes["a.example/"] = Reply(200, {"Content-Encoding": "gzip"}, gzip.compress(bytes(5_000_000)))
    web.routes["a.example/long"] = Reply(200, {}, bytes(5_000_000))
    for url in ("http://a.example/", "http://a.example/long"):
        answer = _get(web, url, max_bytes=1_000_000)
        assert isinstance(answer, Failure)
        assert answer.reason == "too-long"


@pytest.mark.parametrize("url", ["", "javascript:x", "http://", "/a", "http://a b/", "mailto:a@b.example"])
def test_what_is_no_web_address_is_a_failure(web: Loopback, url: str) -> None:
    assert isinstance(_get(web, url), Failure)
    assert not web.log


def test_a_name_that_is_not_there_is_a_failure() -> None:
    class Nowhere:
        async def resolve(self, host: str, port: int) -> list[Any]:
            raise OSError(-2, f"no {host}:{port}")

    answer = _ask(Access("test@example.org", resolver=Nowhere()), lambda session: session.get("http://a.example/"))
    assert (answer.reason, "no a.example:80" in answer.detail) == ("dns", True)


def _meeting(parties: int) -> Callable[[Mapping[str, str]], Reply]:
    """Answer only when so many requests are there at the same time; fails if they never are."""
    barrier = threading.Barrier(parties)

    def reply(_: Mapping[str, str]) -> Reply:
        barrier.wait(120)
        return Reply()

    return reply


def _ask_for_all(web: Loopback, urls: list[str], **options: Any) -> None:
    async def ask(session: Session) -> list[Answer | Failure]:
        return await asyncio.gather(*(session.get(f"http://{url}") for url in urls))

    found = _ask(web.access(), ask, **options)
    assert [answer.status for answer in found] == [200] * len(urls)


def test_a_host_is_asked_one_at_a_time_and_hosts_side_by_side(web: Loopback) -> None:
    urls = [f"{host}.example/{number}" for host in "ab" for number in range(3)]
    web.routes |= {**dict.fromkeys(urls, Reply()), **dict.fromkeys(["a.example/0", "b.example/0"], _meeting(2))}
    _ask_for_all(web, urls, delay=0.02)
    for host in "ab":
        own = sorted((asked.begun, asked.ended) for asked in web.log if asked.host == f"{host}.example")
        assert all(ended + 0.015 <= begun for (_, ended), (begun, _) in pairwise(own))


def test_data_servers_may_be_asked_for_several_at_a_time(web: Loopback) -> None:
    urls = [f"a.example/{number}" for number in range(6)]
    web.routes |= dict.fromkeys(urls, _meeting(3))
    _ask_for_all(web, urls, parallel=3)
    assert max(sum(other.begun <= asked.begun < other.ended for other in web.log) for asked in web.log) <= 3


def test_robots_are_obeyed_and_kept(web: Loopback) -> None:
    web.routes |= {
        "a.example/robots.txt": Reply(200, {}, b"User-agent: *\nDisallow: /no"),
        "a.example/yes": _moved(302, "/no"),
        "a.example/other": Reply(200, {}, b"x"),
    }
    kept: RobotsStore = {}

    async def ask(session: Session) -> list[Answer | Failure]:
        return [await session.get(f"http://a.example/{path}", robots=True) for path in ("no", "yes", "other")]

    for _ in range(2):
        found = _ask(web.access(), ask, robots=kept)
        assert [answer.reason if isinstance(answer, Failure) else answer.status for answer in found] == [
            "robots",
            "robots",
            200,
        ]
    assert web.paths().count("a.example/robots.txt") == 1
    assert list(kept) == ["http://a.example"]
    assert "a.example/no" not in web.paths()


def test_why_robots_can_not_be_had(web: Loopback) -> None:
    web.names["inside.example"] = "10.0.0.1"
    web.routes["busy.example/robots.txt"] = Reply(503)

    async def ask(session: Session) -> list[Answer | Failure]:
        hosts = ("inside.example", "inside.example", "busy.example")
        return [await session.get(f"http://{host}/", robots=True) for host in hosts]

    kept: dict[str, tuple[float, bytes]] = {}
    found = _ask(web.access(), ask, robots=kept)
    assert list(kept) == ["http://busy.example"], "who did not answer at all is asked again next time"
    assert [(answer.reason, answer.url) for answer in found] == [
        ("network", "http://inside.example/"),
        ("network", "http://inside.example/"),
        ("robots", "http://busy.example/"),
    ]
    assert found[2].detail == "robots.txt could not be fetched"


def test_somebody_must_say_who_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CONTACT, raising=False)
    with pytest.raises(UsageError, match="GRISTMILL_CONTACT"):
        Access().check()
    Access(networks=("127.0.0.0/8",)).check()
    monkeypatch.setenv(CONTACT, "me@example.org")
    Access().check()
    assert "me@example.org" in Access().agent


def test_without_a_contact_only_this_machine_is_asked(web: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CONTACT, raising=False)
    web.names["far.example"] = "93.184.215.14"
    access = Access(networks=("127.0.0.0/8",), resolver=web)
    answer = _ask(access, lambda session: session.get("http://far.example/"))
    assert (answer.reason, "no contact" in answer.detail) == ("network", True)
    assert _ask(access, lambda session: session.get("http://a.example/")).status == 404
