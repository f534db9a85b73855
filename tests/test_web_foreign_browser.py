"""A page of somebody else, in a real browser, tries to use the server: it neither reads nor writes anything.

Its host is another one for the browser (127.0.0.1 instead of localhost), or the same one with another port.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from web_server import Client, served

import gristmill
from gristmill.web.security.access import Access
from gristmill.web.security.users import Users, add_user

PASSWORD = "correct horse"  # noqa: S105 (of nobody)


class _Evil(BaseHTTPRequestHandler):
    """An empty page, in which scripts do their worst."""

    def do_GET(self) -> None:
        body = b"<!DOCTYPE html><title>evil</title><body>evil"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def evil() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Evil)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def client(indexed: gristmill.Corpus, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    file = tmp_path_factory.mktemp("users") / "users"
    add_user(file, "ada", "owner", PASSWORD)
    with served(indexed.folder, access=Access(users=Users(file))) as found:
        yield found


@pytest.fixture(scope="module")
def user(chromium: Browser, client: Client) -> Iterator[Page]:
    """Somebody who has logged in at localhost."""
    context = chromium.new_context()
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.goto(_local(client) + "/login")
    page.fill("input[name=name]", "ada")
    page.fill("input[name=password]", PASSWORD)
    page.click("button.primary")
    _check_in(page, client)
    yield page
    context.close()


@pytest.fixture(params=["127.0.0.1", "localhost"])
def victim(request: pytest.FixtureRequest, user: Page, client: Client, evil: int) -> Iterator[Page]:
    """The user, who looks at the page of somebody else."""
    user.goto(f"http://{request.param}:{evil}/")
    yield user
    _check_in(user, client)  # still logged in, whatever was tried


def _check_in(page: Page, client: Client) -> None:
    page.goto(_local(client) + "/api/indexed/about")
    assert '"tokens"' in page.inner_text("body")


def _local(client: Client) -> str:
    return client.address.replace("127.0.0.1", "localhost")


def test_scripts_read_nothing(victim: Page, client: Client) -> None:
    found = victim.evaluate(
        """async (address) => {
            const tried = [];
            for (const options of [{}, {mode: "no-cors", credentials: "include"}, {credentials: "include"}]) {
                try {
                    const reply = await fetch(address + "/api/indexed/about", options);
                    tried.push(reply.type + " " + (await reply.text()).length);
                } catch (error) { tried.push("failed"); }
            }
            return tried;
        }""",
        _local(client),
    )
    assert set(found) <= {"failed", "opaque 0"}


def test_scripts_write_nothing(victim: Page, client: Client) -> None:
    statuses: list[int] = []
    victim.on("response", lambda reply: statuses.append(reply.status) if "/logout" in reply.url else None)
    victim.evaluate(
        """async (address) => {
            const body = new URLSearchParams({csrf: "x"});
            for (const type of ["text/plain", "application/json", "application/x-www-form-urlencoded"]) {
                for (const mode of ["no-cors", "cors"]) {
                    const headers = {"Content-Type": type};
                    await fetch(address + "/logout", {method: "POST", mode, credentials: "include", headers, body})
                        .catch(() => null);
                }
            }
            navigator.sendBeacon(address + "/logout", body);
        }""",
        _local(client),
    )
    assert all(status in {403, 405} for status in statuses)


def test_forms_write_nothing(victim: Page, client: Client) -> None:
    with victim.expect_navigation():
        victim.evaluate(
            """(address) => {
                const form = document.createElement("form");
                form.method = "post";
                form.action = address + "/logout";
                document.body.append(form);
                form.submit();
            }""",
            _local(client),
        )
    assert "other sites" in victim.inner_text("body")


def test_frames_pictures_and_scripts_show_nothing(victim: Page, client: Client) -> None:
    found = victim.evaluate(
        """async (address) => {
            const tried = {};
            for (const [tag, path] of [["img", "/static/icon.svg"], ["script", "/static/app.js"]]) {
                const element = document.createElement(tag);
                tried[tag] = await new Promise((done) => {
                    element.onload = () => done("loaded");
                    element.onerror = () => done("refused");
                    element.src = address + path;
                    document.body.append(element);
                });
            }
            const frame = document.createElement("iframe");
            frame.src = address + "/api/indexed/about";
            document.body.append(frame);
            await new Promise((done) => { frame.onload = done; setTimeout(done, 3000); });
            try { tried.frame = frame.contentDocument.body.innerText; } catch (error) { tried.frame = "refused"; }
            return tried;
        }""",
        _local(client),
    )
    assert found["img"] == found["script"] == "refused"
    assert "tokens" not in (found["frame"] or "")


def test_a_link_to_us_works(victim: Page, client: Client) -> None:
    victim.evaluate(
        """(address) => {
            const link = document.createElement("a");
            link.href = address + "/api/indexed/about";
            link.textContent = "go";
            document.body.append(link);
        }""",
        _local(client),
    )
    victim.click("text=go")
    victim.wait_for_function("document.body.innerText.includes('tokens')")  # it was logged in all the time


def test_users_see_who_they_are(chromium: Browser, client: Client, tmp_path: Path) -> None:
    context = chromium.new_context()
    page = context.new_page()
    page.goto(client.address + "/login")
    page.fill("input[name=name]", "ada")
    page.fill("input[name=password]", "wrong one")
    page.keyboard.press("Enter")
    page.wait_for_selector("[role=alert]")
    assert page.input_value("input[name=name]") == "ada"
    page.fill("input[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Log out")
    page.screenshot(path=tmp_path / "in.png")
    page.click("text=Log out")
    assert page.inner_text("h1") == "Log in"
    context.close()
