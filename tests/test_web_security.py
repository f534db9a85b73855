"""What the server promises: who may enter, what forged and foreign requests get, and what one client may take."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlencode, urlsplit

import pytest
from waiting import PATIENCE, settled, wait_until
from web_misbehaving import let_misbehave
from web_server import Client, Reply, served

import gristmill
from gristmill.errors import UsageError
from gristmill.web import connections, serving
from gristmill.web.app import Site
from gristmill.web.operations import operations
from gristmill.web.pages import pages
from gristmill.web.security import limits as limiting
from gristmill.web.security import sessions, users
from gristmill.web.security.access import Access
from gristmill.web.security.hosts import Names
from gristmill.web.security.limits import LOCAL, MAX_ADDRESS_BYTES, MAX_HEADER_BYTES, Limits, Rate, network_of
from gristmill.web.security.users import Users, add_user
from gristmill.web.serving import running
from gristmill.web.shelf import Shelf

PASSWORD = "correct horse"  # noqa: S105 (of nobody)
ABOUT = "/api/indexed/about"


@pytest.fixture(scope="module", autouse=True)
def quick_scrypt() -> Iterator[None]:
    """Hash passwords in a millisecond instead of a hundred."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(users, "_NOBODY", users._NOBODY.replace(str(users._N), "256", 1))
        patch.setattr(users, "_N", 2**8)
        yield


@pytest.fixture(scope="module")
def users_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("users") / "users.txt"
    for name, role in (("rita", "reader"), ("anna", "annotator"), ("Ömer", "owner")):
        add_user(path, name, role, PASSWORD)
    return path


@pytest.fixture(scope="module")
def client(indexed: gristmill.Corpus) -> Iterator[Client]:
    with served(indexed.folder) as found:
        yield found


@pytest.fixture(scope="module")
def guarded(indexed: gristmill.Corpus, users_file: Path) -> Iterator[Client]:
    access = Access(users=Users(users_file), token="t" * 20)
    with served(indexed.folder, access=access) as found:
        yield found


def log_in(client: Client, name: str, password: str = PASSWORD) -> Reply:
    return client.post("/login", {"name": name, "password": password})


def bearer(client: Client, name: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {log_in(client, name).json()['token']}"}


class Browser:
    """Keeps cookies and sends the headers of a browser, and forms as one does."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.cookies: dict[str, str] = {}

    def request(self, method: str, path: str, fields: dict[str, str] | None = None, **headers: str) -> Reply:
        sent = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())} if self.cookies else {}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        if fields is not None:
            sent |= {"Content-Type": "application/x-www-form-urlencoded"}
        found = self.client.request(method, path, urlencode(fields or {}).encode(), sent)
        if "set-cookie" in found.headers:
            name, _, value = found.headers["set-cookie"].partition(";")[0].partition("=")
            self.cookies[name] = value
        return found

    def token(self, path: str = "/login") -> str:
        found = re.search(r'name="csrf" (?:content|value)="(\w+)"', self.request("GET", path).text)
        assert found
        return found[1]

    def log_in(self, name: str, password: str = PASSWORD, **more: str) -> Reply:
        fields = {"csrf": self.token(), "name": name, "password": password, **more}
        return self.request("POST", "/login", fields, Origin=self.client.address)


# Names and origins


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "[2001:db8::1]", "", "192.168.1.5", "[::1", "localhost@evil", "[]:1"]
)
@pytest.mark.parametrize("path", [ABOUT, "/", "/static/app.js", "/search?q=mill"])
def test_pages_of_the_web_cannot_ask_by_a_name_of_their_own(client: Client, host: str, path: str) -> None:
    found = client.get(path, {"Host": host})
    assert found.status in {400, 403}
    assert "default-src 'none'" in found.headers["content-security-policy"]


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]:8080", "localhost."])
def test_this_machine_may_ask(client: Client, host: str) -> None:
    assert client.get(ABOUT, {"Host": host}).status == 200


def test_names_of_a_server_for_others() -> None:
    names = Names("0.0.0.0", ["Corpus.Example"])  # noqa: S104 (nothing listens)
    assert all(map(names.answers_to, ["192.168.1.5:80", "[2001:db8::1]:80", "corpus.example", "localhost"]))
    assert not any(map(names.answers_to, ["evil.example", "", "corpus.example.evil"]))


_FOREIGN = {"Sec-Fetch-Site": "cross-site", "Origin": "http://evil.example"}


@pytest.mark.parametrize("dest", ["image", "script", "iframe", "empty"])
@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_pages_of_others_get_nothing(client: Client, dest: str, site: str) -> None:
    mode = "navigate" if dest == "iframe" else "no-cors"
    headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Dest": dest, "Sec-Fetch-Mode": mode}
    assert client.get("/search?q=mill", headers).status == 403


def test_a_link_on_another_site_leads_here(client: Client) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate"}
    found = client.get("/search?q=mill", headers)
    assert found.status == 200
    assert "refresh" in found.text  # it is asked for again, then with the cookie
    assert "set-cookie" not in found.headers


# Headers


@pytest.mark.parametrize("path", ["/", "/nothing", ABOUT, "/static/style.css", "/static/none", "/login", "/api/none/x"])
def test_every_answer_has_the_headers(client: Client, path: str) -> None:
    headers = client.get(path).headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers
    assert "server" not in headers


def test_the_cookie_is_kept_from_scripts_and_others(client: Client) -> None:
    cookie = client.get("/nothing").headers["set-cookie"]
    port = urlsplit(client.address).port
    assert re.fullmatch(rf"gristmill_session_{port}=[\w-]{{32}}; Path=/; HttpOnly; SameSite=Strict", cookie)


# Users


def test_the_file_has_no_passwords(users_file: Path) -> None:
    text = users_file.read_text("utf-8")
    assert PASSWORD not in text
    assert len({line.rpartition(":")[2] for line in text.splitlines()}) == 3  # each has a salt of its own
    assert users_file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "line",
    [
        "ada",
        "ada:owner",
        "ada:boss:scrypt$256$8$1$AAAA$AAAA",
        "ada:owner:plain",
        f"ada:owner:scrypt${2**30}$8$1$AAAA${'A' * 43}=",
        f"ada:owner:scrypt$1000$8$1$AAAA${'A' * 43}=",
        f":owner:scrypt$256$8$1$AAAA${'A' * 43}=",
        "ada:owner:scrypt$²$8$1$AAAA$AAAA",
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "users"
    file.write_text(f"# users\n\n{line}\n", "utf-8")
    with pytest.raises(UsageError, match="line 3"):
        Users(file)


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--add-user"):
        Users(tmp_path / "nothing")
    (tmp_path / "empty").touch()
    with pytest.raises(UsageError, match="no users"):
        Users(tmp_path / "empty")


@pytest.mark.parametrize(("name", "role", "password"), [("a:b", "reader", PASSWORD), ("", "reader", PASSWORD)])
def test_names_that_cannot_be(tmp_path: Path, name: str, role: str, password: str) -> None:
    with pytest.raises(UsageError):
        add_user(tmp_path / "users", name, role, password)


def test_short_passwords_and_unknown_roles_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="8 to"):
        add_user(tmp_path / "users", "ada", "reader", "short")
    with pytest.raises(UsageError, match="role"):
        add_user(tmp_path / "users", "ada", "boss", PASSWORD)
    assert not (tmp_path / "users").exists()


def test_nobody_enters_without_logging_in(guarded: Client) -> None:
    for path in (ABOUT, "/api", "/api/openapi.json", "/search?q=mill", "/api/nothing/x"):
        assert guarded.get(path).status == 401
    for path in ("/", "/indexed", "/indexed/report", "/nothing"):
        found = guarded.get(path)
        assert (found.status, found.headers["location"].partition("?")[0]) == (303, "/login")
    assert guarded.get("/static/app.js").status == 200
    assert guarded.get(ABOUT, {"Authorization": "Bearer " + "x" * 32}).status == 401
    assert guarded.get(ABOUT, {"Authorization": "Basic " + "x" * 32}).status == 401


def test_a_program_logs_in(guarded: Client) -> None:
    assert guarded.get(ABOUT, bearer(guarded, "rita")).status == 200
    assert log_in(guarded, "rita", "wrong one").status == 403
    assert log_in(guarded, "nobody").status == 403
    assert guarded.get(ABOUT, {"Authorization": "bearer " + "t" * 20}).status == 200


def test_a_browser_logs_in_and_out(guarded: Client) -> None:
    browser = Browser(guarded)
    wrong = browser.log_in("Ömer", "wrong one")
    assert (wrong.status, "don&#39;t belong together" in wrong.text) == (403, True)
    before = dict(browser.cookies)
    found = browser.log_in("Ömer", next="/api/indexed/about?x=1")
    assert (found.status, found.headers["location"]) == (303, "/api/indexed/about?x=1")
    assert "HttpOnly; SameSite=Strict" in found.headers["set-cookie"]
    assert browser.cookies != before  # a new session: none that somebody else may have set
    assert browser.request("GET", ABOUT).status == 200
    assert "Ömer" in browser.request("GET", "/nothing").text
    token = browser.token("/nothing")
    assert browser.request("POST", "/logout", {"csrf": "0" * 64}, Origin=guarded.address).status == 403
    kept = dict(browser.cookies)
    assert browser.request("POST", "/logout", {"csrf": token}, Origin=guarded.address).status == 303
    browser.cookies = kept
    assert browser.request("GET", ABOUT).status == 401


@pytest.mark.parametrize(
    "then", ["//evil.example", "/\\evil.example", "http://evil.example", "/\r\nX: y", "/login?x", ""]
)
def test_one_is_not_led_elsewhere(guarded: Client, then: str) -> None:
    found = Browser(guarded).log_in("rita", next=then)
    assert (found.status, found.headers["location"]) == (303, "/")
    assert "x" not in found.headers


def test_the_token_opens_the_door_and_vanishes(guarded: Client) -> None:
    browser = Browser(guarded)
    found = browser.request("GET", "/login?token=" + "t" * 20)
    assert (found.status, found.headers["location"]) == (303, "/")
    assert browser.request("GET", ABOUT).status == 200
    assert Browser(guarded).request("GET", "/login?token=" + "t" * 19).status == 403
    assert Browser(guarded).request("GET", "/login?token=%FF%00").status == 403


def test_roles_hold_everywhere(guarded: Client) -> None:
    headers = {role: bearer(guarded, name) for name, role in (("rita", "reader"), ("anna", "annotator"))}
    order = ("reader", "annotator", "owner")
    for item in operations().values():
        for role, sent in headers.items():
            address = f"/api/indexed/{item.name}"
            if order.index(role) >= order.index(item.role):
                continue
            found = guarded.post(address, {}, sent) if item.writes else guarded.get(address, sent)
            assert found.status in {400, 403}, item.name  # 400: a parameter is missing
            assert found.status == 403 or "is missing" in found.json()["error"]
    for page in pages():
        if page.role == "reader":
            continue
        path = "/indexed/" + re.sub(r"{[^}]*}", "x", page.path)
        assert guarded.request(page.method, path, headers=headers["reader"]).status == 403, page.path


def test_who_is_removed_or_gets_another_password_is_out(indexed: gristmill.Corpus, tmp_path: Path) -> None:
    file = tmp_path / "users"
    add_user(file, "ada", "owner", PASSWORD)
    add_user(file, "bob", "reader", PASSWORD)
    with served(indexed.folder, access=Access(users=Users(file))) as client:
        ada, bob = bearer(client, "ada"), bearer(client, "bob")
        assert client.get(ABOUT, bob).status == 200
        add_user(file, "bob", "reader", "another one")
        assert client.get(ABOUT, bob).status == 401
        file.write_text("".join(line for line in file.read_text("utf-8").splitlines(True) if "ada" not in line))
        assert client.get(ABOUT, ada).status == 401
        file.write_text("damaged")  # those that are known stay
        assert log_in(client, "bob", "another one").status == 200


def test_sessions_end(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = sessions.Sessions()
    key = kept.begin("ada", "h")
    assert kept.get(key)
    monkeypatch.setattr(sessions, "IDLE_SECONDS", -1)
    assert kept.get(key) is None
    monkeypatch.undo()
    assert kept.get(key) is None
    key = kept.begin("ada", "h")
    monkeypatch.setattr(sessions, "MAX_SECONDS", -1)
    assert kept.get(key) is None
    monkeypatch.undo()
    keys = [kept.begin("ada", "h") for _ in range(150)]
    assert len(kept) == 100
    assert kept.get(keys[-1])
    assert not kept.get(keys[0])


def test_wrong_passwords_are_not_tried_for_long(indexed: gristmill.Corpus, users_file: Path) -> None:
    with served(indexed.folder, access=Access(users=Users(users_file))) as client:
        statuses = [log_in(client, "rita", f"wrong {number}").status for number in range(12)]
        assert statuses[:10] == [403] * 10
        assert statuses[10:] == [429] * 2
        assert int(log_in(client, "rita").headers["retry-after"]) > 0  # the right one, too
        assert log_in(client, "anna").status == 200  # others behind the same address can
        for number in range(60):
            log_in(client, f"guess {number}")
        assert log_in(client, "anna").status == 429


def test_right_passwords_are_not_counted(indexed: gristmill.Corpus, users_file: Path) -> None:
    with served(indexed.folder, access=Access(users=Users(users_file))) as client:
        assert [log_in(client, "rita").status for _ in range(90)] == [200] * 90


def test_an_unknown_name_takes_as_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(users, "_N", 2**15)
    monkeypatch.setattr(users, "_NOBODY", users._NOBODY.replace("256", str(2**15), 1))
    add_user(tmp_path / "users", "ada", "owner", PASSWORD)
    known = Users(tmp_path / "users")

    def seconds(name: str) -> float:
        begun = time.process_time()
        assert known.check(name, "wrong one") is None
        return time.process_time() - begun

    slow = min(seconds("ada") for _ in range(3))
    assert slow > 0.01
    assert all(min(seconds(name) for _ in range(3)) > slow / 2 for name in ("nobody", "a:b", "\0"))


# Forgery: logging out is the one thing that every server with users lets one do


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
def test_a_right_token_does_not_help_from_elsewhere(guarded: Client, headers: dict[str, str]) -> None:
    browser = Browser(guarded)
    browser.log_in("rita")
    sent = {name.replace("-", "_"): value for name, value in headers.items()}
    assert browser.request("POST", "/logout", {"csrf": browser.token("/nothing")}, **sent).status == 403
    assert browser.request("GET", ABOUT).status == 200


def test_tokens_of_others_are_refused(guarded: Client) -> None:
    browser, other = Browser(guarded), Browser(guarded)
    browser.log_in("rita")
    other.log_in("anna")
    for token in (other.token("/nothing"), "", "é", "0"):
        assert browser.request("POST", "/logout", {"csrf": token}, Origin=guarded.address).status == 403
    assert browser.request("POST", "/logout", {}).status == 403


def test_a_program_without_secret_sends_json_only(client: Client) -> None:
    found = client.request("POST", "/logout", b"{}", {"Content-Type": "text/plain"})
    assert found.status == 415
    assert (
        client.request("POST", "/logout", b"a=b", {"Content-Type": "application/x-www-form-urlencoded"}).status == 403
    )


# Limits


def test_too_many_requests_are_told_to_wait(indexed: gristmill.Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = Limits(Rate(60, 5), at_once=10, connections=100)
    now = 1000.0
    monkeypatch.setattr(limiting, "time", SimpleNamespace(monotonic=lambda: now))  # however long requests take
    with served(indexed.folder, access=Access(limits=limits)) as client:
        found = [client.get(ABOUT) for _ in range(8)]
        assert [reply.status for reply in found][:5] == [200] * 5
        assert found[7].status == 429
        assert found[7].headers["retry-after"] == "1"
        assert "default-src" in found[7].headers["content-security-policy"]
        assert client.get("/static/app.js").status == 200
        session = {"Cookie": f"gristmill_session_{urlsplit(client.address).port}={'a' * 32}"}
        assert client.get(ABOUT, session).status == 200  # somebody else behind the same address
        page = client.get("/nothing")
        assert (page.status, page.headers["content-type"].partition(";")[0]) == (429, "text/html")
        now += 1.1
        assert client.get(ABOUT).status == 200


@contextmanager
def misbehaving(folder: Path, max_seconds: float = 30.0, limits: Limits = LOCAL) -> Iterator[Client]:
    site = Site(Shelf([folder]), workers=1, max_seconds=max_seconds, access=Access(limits=limits))
    with running(let_misbehave(site, max_seconds=max_seconds)) as address:
        yield Client(address)


def test_too_many_at_once_are_told_to_wait(indexed: gristmill.Corpus, tmp_path: Path) -> None:
    note = tmp_path / "note"
    limits = Limits(Rate(6000, 100), at_once=2, connections=100)
    with misbehaving(indexed.folder, 3600, limits) as client, ExitStack() as held:
        for _ in range(2):
            connection = held.enter_context(_connected(client))
            connection.sendall(f"GET /search?q=slow+{note} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        wait_until(note.exists)
        assert [client.get("/search", q="mill").status for _ in range(3)] == [429, 429, 429]
        held.close()
        wait_until(lambda: client.get("/search", q="mill").status == 200)


def test_a_slow_question_is_stopped(indexed: gristmill.Corpus, tmp_path: Path) -> None:
    note = tmp_path / "note"
    with misbehaving(indexed.folder, max_seconds=1) as client:
        found = client.get("/search", q=f"slow {note}")
        assert found.status == 503
        assert "longer than" in found.json()["error"]
        settled(lambda: note.stat().st_size if note.exists() else 0)
        assert client.get("/search", q="mill").status == 200


def test_who_goes_away_stops_the_question(indexed: gristmill.Corpus, tmp_path: Path) -> None:
    note = tmp_path / "note"
    with misbehaving(indexed.folder, max_seconds=3600) as client:
        with _connected(client) as connection:
            connection.sendall(f"GET /search?q=slow+{note} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            wait_until(note.exists)
        settled(lambda: note.stat().st_size)
        assert client.get("/search", q="mill").status == 200
        assert note.stat().st_size < 600  # it was stopped


def test_a_worker_that_dies_is_replaced(indexed: gristmill.Corpus) -> None:
    with misbehaving(indexed.folder) as client:
        before = client.get("/search", q="pid").body
        assert client.get("/search", q="die").status == 503
        assert client.get("/search", q="pid").body != before
        assert client.get("/search", q="mill").status == 200


def test_too_much_memory_is_told(indexed: gristmill.Corpus) -> None:
    with misbehaving(indexed.folder) as client:
        found = client.get("/search", q="memory")
        assert (found.status, "memory" in found.json()["error"]) == (503, True)
        assert client.get("/search", q="mill").status == 200


def test_networks_stand_for_addresses() -> None:
    assert network_of("192.0.2.1") == "192.0.2.1"
    assert network_of("2001:db8::1:2") == network_of("2001:db8::9") == "2001:db8::/64"
    assert network_of("::ffff:192.0.2.1") == "192.0.2.1"
    assert network_of("fe80::1%eth0") == "fe80::/64"


# Connections


@contextmanager
def _connected(client: Client) -> Iterator[socket.socket]:
    target = urlsplit(client.address)
    with socket.create_connection((str(target.hostname), target.port), timeout=PATIENCE) as connection:
        yield connection


def _answer(client: Client, sent: bytes) -> bytes:
    with _connected(client) as connection:
        connection.sendall(sent)
        found = b""
        with suppress(TimeoutError, ConnectionError):
            while not found.partition(b"\r\n\r\n")[1]:
                data = connection.recv(65_536)
                if not data:
                    break
                found += data
    return found


@pytest.mark.parametrize(
    "sent",
    [
        b"\x00\xff\x00\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 70_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX:\x00\r\n\r\n",
        b"POST /logout HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
        b"POST /logout HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
)
def test_what_is_no_http_is_refused(client: Client, sent: bytes) -> None:
    found = _answer(client, sent)
    assert re.match(rb"HTTP/1.1 4\d\d ", found), found[:100]
    assert b"content-security-policy" in found.lower()


@pytest.mark.parametrize("length", [MAX_ADDRESS_BYTES + 1, 70_000, 300_000, 5_000_000])
def test_an_address_that_is_too_long_is_refused_in_words(client: Client, length: int) -> None:
    assert client.get("/search", q="a" * (MAX_ADDRESS_BYTES - len("/search?q="))).status < 414
    found = client.get("/" + "a" * (length - 1))  # all is sent before anything is read
    assert (found.status, found.json()) == (414, {"error": "an address may have 32,768 bytes"})
    assert "content-security-policy" in found.headers


@pytest.mark.parametrize("size", [MAX_HEADER_BYTES, 70_000, 5_000_000])
def test_headers_that_are_too_long_are_refused_in_words(client: Client, size: int) -> None:
    found = client.get(ABOUT, {"X": "a" * size})
    assert found.status == 431
    assert "too long" in found.json()["error"]


def test_a_client_that_is_refused_and_goes_on_is_cut_off(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    with _connected(client) as connection:
        connection.sendall(b"GET /" + b"a" * 70_000)
        while connection.recv(65_536):
            pass
        monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.3)
        wait_until(lambda: _is_reset(connection))


def _is_reset(connection: socket.socket) -> bool:
    try:
        connection.sendall(b"a")
    except ConnectionError:
        return True
    return False


@pytest.mark.parametrize(
    "line",
    [
        "GET /../../etc/passwd HTTP/1.1",
        "GET /static/../../../etc/passwd HTTP/1.1",
        "GET /static/%2e%2e%2f%2e%2e%2fapp.py HTTP/1.1",
        "GET /static/..%5capp.py HTTP/1.1",
        "GET /indexed%2f..%2f..%2fetc%2fpasswd HTTP/1.1",
        "GET /api/..%2findexed/about HTTP/1.1",
        "GET /api/indexed%00/about HTTP/1.1",
        "GET /%00 HTTP/1.1",
        "GET /%ff%fe HTTP/1.1",
        "GET //evil.example/ HTTP/1.1",
        "GET http://evil.example/ HTTP/1.1",
        "OPTIONS * HTTP/1.1",
        "OPTIONS /api/indexed/about HTTP/1.1",
        "TRACE / HTTP/1.1",
        "BREW /indexed HTTP/1.1",
        "CONNECT evil.example:443 HTTP/1.1",
        "DELETE /api/indexed/about HTTP/1.1",
        "POST /api/indexed/about HTTP/1.1",
        "POST /static/app.js HTTP/1.1",
        "PUT /login HTTP/1.1",
        "GET /api/indexed/about?%00=%00&a[]=1&&&=== HTTP/1.1",
        "GET /api/indexed/about?__proto__=1 HTTP/1.1",
    ],
)
def test_odd_requests_are_refused_without_a_crash(client: Client, line: str) -> None:
    found = _answer(client, f"{line}\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    assert re.match(rb"HTTP/1.1 (30[78]|4\d\d) ", found), found[:200]
    assert b"root:" not in found


def test_http_1_0(client: Client) -> None:
    assert _answer(client, f"GET {ABOUT} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode()).startswith(b"HTTP/1.1 200")
    assert _answer(client, f"GET {ABOUT} HTTP/1.0\r\n\r\n".encode()).startswith(b"HTTP/1.1 403")


def test_heads_without_bodies(client: Client) -> None:
    found = client.request("HEAD", ABOUT)
    assert (found.status, found.body) == (200, b"")


@pytest.mark.parametrize("body", [b"[1]", b"{", b'"\\ud800"', b"\xff", b"[" * 100_000, b'{"csrf": {"a": 1}}'])
def test_odd_bodies(client: Client, body: bytes) -> None:
    assert client.request("POST", "/logout", body, {"Content-Type": "application/json"}).status in {303, 400, 403}


def test_a_body_that_is_too_large(client: Client) -> None:
    with suppress(ConnectionError):
        body = json.dumps({"name": "x" * 2_000_000}).encode()
        assert client.request("POST", "/login", body, {"Content-Type": "application/json"}).status == 413
    assert client.get(ABOUT).status == 200


_HALF_A_BODY = (
    b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
)


def _is_cut(connection: socket.socket, send: bytes) -> bool:
    """Send a byte now and then, until the server has had enough."""
    connection.settimeout(0.05)
    for _ in range(2000):
        try:
            if send:
                connection.sendall(send)
            if connection.recv(100) == b"":
                return True
        except TimeoutError:
            continue
        except ConnectionError:
            return True
    return False


@pytest.mark.parametrize(
    ("begin", "then"),
    [
        (b"", b""),
        (b"", b"x"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"X: y\r\n"),
        (_HALF_A_BODY, b"x"),
        (b"GET /api/indexed/nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n", b"x"),
    ],
)
def test_slow_clients_are_cut_off(client: Client, monkeypatch: pytest.MonkeyPatch, begin: bytes, then: bytes) -> None:
    with _connected(client) as connection, monkeypatch.context() as patch:
        connection.sendall(begin)
        if begin.startswith(b"GET /api"):  # answered before it has come
            assert connection.recv(65_536)
        patch.setattr(connections, "REQUEST_SECONDS", 0.3)
        assert _is_cut(connection, then)
    assert client.get(ABOUT).status == 200


def test_who_does_not_read_is_cut_off(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    with _connected(client) as connection, monkeypatch.context() as patch:
        patch.setattr(connections, "STUCK_SECONDS", 0.5)
        request = b"GET /api/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
        connection.setblocking(False)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:  # asks on and on, and reads nothing
            try:
                connection.send(request * 20)
            except BlockingIOError:
                time.sleep(0.1)
            except ConnectionError:
                break
        assert time.monotonic() < end
    assert client.get(ABOUT).status == 200


def test_an_answer_is_sent_whole_to_who_reads_it_late(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    path = "/api/indexed/wordlist?n=3&min_frequency=1&limit=0"
    expected = len(client.get(path).body)
    assert expected > 1_000_000
    with _connected(client) as connection, monkeypatch.context() as patch:
        patch.setattr(serving, "_TICKS_BETWEEN_CHECKS", 10**9)  # the first look comes when the answer is on its way
        request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n".encode()
        connection.sendall((request + b"\r\n") * 14 + request + b"Connection: close\r\n\r\n")
        time.sleep(3)
        patch.undo()
        time.sleep(1)
        connection.settimeout(PATIENCE)
        received = 0
        while data := connection.recv(1 << 20):
            received += len(data)
        assert received > 15 * expected


def test_one_address_gets_only_so_many_connections(indexed: gristmill.Corpus) -> None:
    limits = Limits(Rate(6000, 100), at_once=10, connections=5)
    with served(indexed.folder, access=Access(limits=limits)) as client:
        target = urlsplit(client.address)
        held = [socket.create_connection((str(target.hostname), target.port)) for _ in range(5)]
        wait_until(lambda: client.get(ABOUT).status == 429)
        for connection in held:
            connection.close()
        wait_until(lambda: client.get(ABOUT).status == 200)
