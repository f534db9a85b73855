"""Stored pages that attack, opened in a real browser: nothing runs, nothing is loaded or sent, nobody is led away."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import pytest
from attack_page import ATTACKS, HOSTILE_TITLE, HOSTILE_URL, LEAK, attack_archive, attack_page
from browser import check_access
from playwright.sync_api import Browser, Error, Frame, Page, Request, Route
from web_server import Client, served

import gristmill
from gristmill.engine import InlineEngine
from gristmill.web.rooms.pages import FRAME_HEADERS

_ELEMENTS = """() => [...document.querySelectorAll("*")].flatMap((element) => {
  const odd = [];
  const note = (what) => odd.push(`${what}: ${element.nodeName} ${element.outerHTML.slice(0, 200)}`);
  if (element.namespaceURI !== "http://www.w3.org/1999/xhtml") note("namespace");
  if (/^(SCRIPT|LINK|BASE|I?FRAME|OBJECT|EMBED|FORM|INPUT|BUTTON|SELECT|TEXTAREA)$/.test(element.nodeName)
      || /^(TEMPLATE|AUDIO|VIDEO|AREA|PORTAL|DIALOG)$/.test(element.nodeName)) note("element");
  if (element.nodeName === "META" && element.getAttribute("charset") !== "utf-8") note("meta");
  for (const { name, value } of element.attributes) {
    if (/^on|href|action|srcset|ping|target$|background|poster/.test(name)
        || /autofocus|popover|command|srcdoc|accesskey/.test(name)) note(name);
    if (name === "src" && !/^data:image\\/(png|gif|jpeg|webp);base64,/.test(value)) note("src");
    if (name === "style" && /url\\(|javascript|http/i.test(value)) note("style");
  }
  return odd;
})"""
_SEEN = (
    """() => ({hit: String(window.HIT), title: document.title, text: document.body ? document.body.innerText : ""})"""
)
_TOGETHER = 16
"""Pages that are looked at in one window, each in a frame."""
_UNSEEN_BY_POLICY = {"preload"}
"""Attacks that the policy alone does not see through: connections ahead of time are no requests."""


class Watched:
    """A page of the browser, and what happened in it that must not."""

    def __init__(self, page: Page, address: str, stopped: frozenset[str] = frozenset()) -> None:
        self.page = page
        self.stopped = stopped
        """How the browser may say that it did not send a request; without rewriting, it has to stop some."""
        self.address = address
        self.wrong: list[str] = []
        self.sent: list[Request] = []
        page.context.on("request", lambda request: self.sent.append(request))  # noqa: PLW0108 (it takes no builtin)
        page.context.on("page", lambda other: self.wrong.append(f"a window was opened: {other.url}"))
        page.on("dialog", lambda dialog: self.wrong.append(f"a dialog: {dialog.message}"))
        page.on("download", lambda download: self.wrong.append(f"a download: {download.url}"))
        page.on("pageerror", lambda error: self.wrong.append(f"an error of a script: {error}"))
        page.add_init_script("addEventListener('message', (event) => { window.HIT = event.data; })")

    def open(self, path: str) -> None:
        """Open an address of the server, and look whether anything ran or led away."""
        self.page.goto(path, wait_until="load")
        self.page.wait_for_timeout(20)
        self.check(path)

    def open_together(self, paths: Sequence[str], sandbox: str = "", **headers: str) -> Iterator[Frame]:
        """Open addresses of the server in frames of one page, look as above, and give the frames.

        The page has these headers, and the frames what is said of a sandbox: else the stored pages' own headers are
        all that is between them and the page.
        """
        frames = "".join(f'<iframe name="n{at}" {sandbox} src="{path}"></iframe>' for at, path in enumerate(paths))
        body = f"<!DOCTYPE html><title>holder</title>{frames}"
        headers = {"Content-Type": "text/html", **headers}
        self.page.context.route("**/holder", lambda route: route.fulfill(body=body, headers=headers))
        self.open("/holder")
        self.page.context.unroute("**/holder")
        for at, path in enumerate(paths):
            frame = self.page.frame(name=f"n{at}")
            assert frame is not None, path
            assert frame.url == self.address + path, (path, frame.url)
            yield frame

    def check(self, path: str) -> None:
        own = (
            self.address,
            "data:",
            "about:",
            *(["file:"] if self.stopped else []),
        )  # no page of a server may read files
        left = [sent for sent in self.sent if not sent.url.startswith(own) and sent.failure not in self.stopped]
        assert not left, (path, [(sent.url, sent.failure) for sent in left])
        assert not self.wrong, (path, self.wrong)
        assert self.page.url.startswith(self.address + path), (path, self.page.url)
        for frame in self.page.frames:
            if not frame.url.startswith(self.address):  # the browser loaded nothing into it, and can't be asked
                continue
            seen = frame.evaluate(_SEEN)
            assert "HIT" not in (seen["hit"], seen["title"].split(" ")[0]), (path, frame.url)


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> gristmill.Corpus:
    folder = tmp_path_factory.mktemp("attacks")
    (folder / "attacks.warc.gz").write_bytes(attack_archive())
    return gristmill.build([folder / "attacks.warc.gz"], folder / "evil", engine=InlineEngine())


@pytest.fixture(scope="module")
def client(attacked: gristmill.Corpus) -> Iterator[Client]:
    with served(attacked.folder) as found:
        yield found


@contextmanager
def _watched(chromium: Browser, address: str, stopped: frozenset[str] = frozenset()) -> Iterator[Watched]:
    context = chromium.new_context(base_url=address)
    try:
        page = context.new_page()
        page.set_default_timeout(120_000)
        yield Watched(page, address, stopped)
        page.goto("/static/icon.svg")
        assert page.evaluate("localStorage.length") == 0, "something was stored"
        assert all("HIT" not in cookie["name"].upper() for cookie in context.cookies())
    finally:
        context.close()


def _ids(corpus: gristmill.Corpus) -> list[str]:
    return [document.id for document in corpus.pages()]


def test_there_are_enough_attacks(attacked: gristmill.Corpus) -> None:
    assert len(ATTACKS) >= 80
    assert attacked.counts["pages"] == len(ATTACKS) + 2


def test_attacks_are_harmless_at_the_address_of_the_frame(
    chromium: Browser, client: Client, attacked: gristmill.Corpus
) -> None:
    """Each in a frame; some, among them the one that has nearly all attacks, also in a window by themselves."""
    paths = [f"/evil/pages/{identifier}/original" for identifier in _ids(attacked)]
    with _watched(chromium, client.address) as window:
        for start in range(0, len(paths), _TOGETHER):
            for number, frame in enumerate(window.open_together(paths[start : start + _TOGETHER]), start):
                _check_rewritten(frame, number)
        for number in (len(paths) - 2, *range(0, len(paths), 9)):
            window.open(paths[number])
            _check_rewritten(window.page.main_frame, number)


def _check_rewritten(frame: Frame, number: int) -> None:
    odd = frame.evaluate(_ELEMENTS)
    assert not odd, (list(ATTACKS)[number : number + 1], odd[:5])
    assert "mill by the river" in frame.evaluate(_SEEN)["text"] or number in _without_text()


def _without_text() -> set[int]:
    """Attacks that are no whole page, and have no text but their own."""
    return {number for number, attack in enumerate(ATTACKS.values()) if isinstance(attack, bytes)}


def test_attacks_are_harmless_in_the_inspector(chromium: Browser, client: Client, attacked: gristmill.Corpus) -> None:
    with _watched(chromium, client.address) as window:
        everything, hostile = _ids(attacked)[-2:]
        for identifier in (everything, hostile, *_ids(attacked)[:-2:20]):
            for query in ("", "?look=plain&colour=role&with=justext"):
                window.open(f"/evil/pages/{identifier}{query}")
                assert len(window.page.frames) == 2
                assert window.page.frames[1].evaluate("window.origin") == "null"
        for path in ("/evil/pages", "/evil/pages?reason=kept&text=mill", f"/evil/pages?url={'%22%3E%3Cscript%3E'}"):
            window.open(path)


def test_what_is_pressed_in_the_frame_leads_nowhere(
    chromium: Browser, client: Client, attacked: gristmill.Corpus
) -> None:
    path = f"/evil/pages/{_ids(attacked)[-2]}"
    with _watched(chromium, client.address) as window:
        window.open(path)
        frame = window.page.frames[1]
        for place in frame.query_selector_all(".gm-link, .gm-field, .gm-image")[:40]:
            if place.is_visible():
                place.click(force=True)
        window.page.keyboard.press("Tab")
        window.page.keyboard.press("Enter")
        window.page.wait_for_timeout(200)
        window.check(path)
        assert frame.url.startswith(client.address + path)


def test_hostile_titles_and_addresses_are_text(chromium: Browser, client: Client, attacked: gristmill.Corpus) -> None:
    with _watched(chromium, client.address) as window:
        window.open(f"/evil/pages/{_ids(attacked)[-1]}")
        assert window.page.inner_text("h1").startswith(HOSTILE_TITLE[:30])
        assert window.page.inner_text(".address bdi") == HOSTILE_URL
        check_access(window.page)
        window.open("/evil/pages?url=evil")
        assert HOSTILE_URL in window.page.inner_text(".results")


def test_the_attacks_would_work(chromium: Browser, client: Client) -> None:
    """Without the policy they get through: what the other tests look for is there to be seen."""
    bodies = {"script": attack_page(ATTACKS["script"]), "css": attack_page(ATTACKS["css url"])}
    # Not the image of the script: it is asked for after the page has been told to go elsewhere, and may come too late.
    expected = {"script": {f"{LEAK}/fetch", f"{LEAK}/top"}, "css": {f"{LEAK}/3"}}
    context = chromium.new_context(base_url=client.address)
    sent: list[str] = []
    context.on("request", lambda request: sent.append(request.url))
    context.route("**/open/*", lambda route: route.fulfill(body=bodies[route.request.url.rpartition("/")[2]]))
    context.route(f"{LEAK}/**", lambda route: route.abort())
    page = context.new_page()
    for name in bodies:
        with suppress(Error):  # it leads away
            page.goto(f"/open/{name}", wait_until="commit")
        end = time.monotonic() + 120
        while not expected[name] <= set(sent) and time.monotonic() < end:
            page.wait_for_timeout(20)
    context.close()
    assert set[str]().union(*expected.values()) <= set(sent)


def test_the_policy_alone_holds(chromium: Browser, client: Client) -> None:
    """The pages as they are, sent with our headers: what a fault of the rewriting would let through."""
    bodies = {
        f"/raw/{number}": attack_page(attack)
        for number, (name, attack) in enumerate(ATTACKS.items())
        if name not in _UNSEEN_BY_POLICY
    }
    paths = list(bodies)
    policy = client.get("/evil/pages").headers["content-security-policy"]

    def raw(route: Route) -> None:
        body = bodies[route.request.url.removeprefix(client.address)]
        route.fulfill(body=body, headers={"Content-Type": "text/html", **FRAME_HEADERS})

    with _watched(chromium, client.address, frozenset({"csp", "origin"})) as window:
        window.page.context.route("**/raw/*", raw)
        for start in range(0, len(paths), _TOGETHER):
            assert list(window.open_together(paths[start : start + _TOGETHER]))
        assert list(window.open_together(paths[::6], 'sandbox=""', **{"Content-Security-Policy": policy}))
        for path in paths[::6]:
            window.open(path)


def test_headers_of_the_stored_page(client: Client, attacked: gristmill.Corpus) -> None:
    reply = client.get(f"/evil/pages/{_ids(attacked)[0]}/original")
    policy = reply.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'")
    assert "allow-" not in policy
    assert reply.headers["x-frame-options"] == "SAMEORIGIN"
    assert "set-cookie" not in reply.headers
