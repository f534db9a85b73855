"""Mail of standing queries, by a real server on loopback: what is new, once, and harmless whatever the web wrote."""

from __future__ import annotations

import base64
import email.utils
import shutil
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
import trustme
from command import run
from hypothesis import given, settings
from hypothesis import strategies as st
from mail_server import MailServer, mail_server

import gristmill
from gristmill import consent
from gristmill.engine import InlineEngine
from gristmill.errors import GristmillError, UsageError
from gristmill.pipeline import set_mail
from gristmill.search.concordance.lines import Line
from gristmill.search.watch.address import mail_address
from gristmill.search.watch.digest import Digest, Section, make_digest
from gristmill.search.watch.outbox import FILE, Outbox, Pending
from gristmill.search.watch.smtp import MailServer as Sender
from gristmill.search.watch.watches import read_watches

ENGINE = InlineEngine()
DAY = 86_400.0
START = 20_000 * DAY
ME, YOU = "me@example.org", "you@example.org"
HOSTILE = [
    "a@b.c\nBcc: x@y.z",
    "a@b.c\r\n",
    "a@b.c, x@y.z",
    "a@b.c;x@y.z",
    "Me <a@b.c>",
    "<a@b.c>",
    "a@b.c\x00",
    "a\ud800@b.c",
    "a@\ud800",
    f"{'a' * 10_000}@b.c",
    f"a@{'b' * 10_000}",
    f"{'a' * 65}@b.c",
    "ü@b.c",
    '"a b"@c.d',
    "a@b@c",
    "a@[127.0.0.1]",
    "@b.c",
    "a@",
    "",
]


def _page(folder: Path, subject: str, count: int = 8) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"{subject}.html"
    text = " ".join(
        f"In chapter {number} the {subject} stood by the river, a {subject} that every other {subject} was built after."
        for number in range(1, count + 1)
    )
    path.write_text(f"<html lang=en><title>{subject} & co</title><body><p>{text}</p></body></html>", "utf-8")
    return path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    return gristmill.build(_page(folder, "mill"), folder / "corpus", engine=ENGINE).folder


@pytest.fixture
def corpus(built: Path, tmp_path: Path) -> Path:
    return shutil.copytree(built, tmp_path / "corpus")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[MailServer]:
    with mail_server() as kept:
        monkeypatch.setenv("GRISTMILL_SMTP", f"smtp://127.0.0.1:{kept.port}")
        monkeypatch.setenv("GRISTMILL_MAIL_FROM", "corpus@example.org")
        yield kept


def _watch(corpus: Path, query: str, **options: Any) -> None:
    gristmill.watch(corpus, query, everything=True, **options)
    gristmill.run_watches(corpus, engine=ENGINE)


def _parts(message: EmailMessage) -> tuple[str, str]:
    plain, html = message.get_body(("plain",)), message.get_body(("html",))
    assert plain is not None
    assert html is not None
    return plain.get_content(), html.get_content()


def test_one_mail_a_recipient_with_all_queries(corpus: Path, server: MailServer) -> None:
    _watch(corpus, "mill that", name="mills", mail=[ME, YOU])
    _watch(corpus, "river", mail=ME, limit=3, sort="right")
    assert gristmill.mail_watches(corpus, now=START).sent == (ME, YOU)
    assert server.envelopes == [("corpus@example.org", [ME]), ("corpus@example.org", [YOU])]
    mine, yours = server.messages
    assert mine["To"] == ME
    assert mine["From"] == "corpus@example.org"
    assert mine["Subject"] == "16 new lines in corpus: mills, river"
    assert email.utils.parsedate_to_datetime(mine["Date"]).timestamp() == START
    assert mine["Auto-Submitted"] == "auto-generated"
    text, html = _parts(mine)
    assert text.count("<mill that>") == 8
    assert text.count("<river>") == 3
    assert "5 more lines: gristmill watch show CORPUS river" in text
    assert html.count("<b>mill that</b>") == 8
    assert "mill &amp; co" in html
    assert "<river>" not in _parts(yours)[0]
    assert mine.get_content_type() == "multipart/alternative"
    assert {part.get_content_charset() for part in mine.iter_parts()} == {"utf-8"}


def test_nothing_twice_and_nothing_if_nothing_is_new(corpus: Path, server: MailServer, tmp_path: Path) -> None:
    _watch(corpus, "that every", name="every", mail=ME)
    assert gristmill.mail_watches(corpus, now=START).sent == (ME,)
    assert gristmill.mail_watches(corpus, now=START + 5 * DAY).sent == ()
    gristmill.add(corpus, _page(tmp_path, "bridge"), engine=ENGINE)
    gristmill.mail_watches(corpus, now=START + 6 * DAY)
    gristmill.add(corpus, _page(tmp_path, "tower"), engine=ENGINE)
    gristmill.add(corpus, _page(tmp_path, "well"), engine=ENGINE)
    gristmill.mail_watches(corpus, now=START + 7 * DAY)
    found = [_parts(message)[0] for message in server.messages]
    assert [text.count("<that every>") for text in found] == [8, 8, 16]
    assert [
        sum(f"the {subject} stood" in text for text in found) for subject in ("mill", "bridge", "tower", "well")
    ] == [*[1] * 4]
    assert len({message["Message-ID"] for message in server.messages}) == 3


@pytest.mark.parametrize(("every", "days"), [("daily", 1), ("weekly", 7)])
def test_digests_are_due_by_days(corpus: Path, server: MailServer, tmp_path: Path, every: str, days: int) -> None:
    _watch(corpus, "river", mail=ME, every=every)
    assert gristmill.mail_watches(corpus, now=START + 100).sent == (ME,)
    gristmill.add(corpus, _page(tmp_path, "bridge"), engine=ENGINE)
    assert gristmill.mail_watches(corpus, now=START + days * DAY - 1).sent == ()
    assert gristmill.mail_watches(corpus, now=START + days * DAY + 90).sent == (ME,)  # some seconds earlier in the day
    assert len(server.messages) == 2


def test_only_what_is_found_from_now_on_is_mailed(corpus: Path, server: MailServer, tmp_path: Path) -> None:
    _watch(corpus, "river", name="river")
    set_mail(corpus, "river", ME, every="weekly")
    assert gristmill.mail_watches(corpus, now=START).sent == ()
    gristmill.add(corpus, _page(tmp_path, "bridge"), engine=ENGINE)
    assert gristmill.mail_watches(corpus, now=START).sent == (ME,)
    assert "the mill stood" not in _parts(server.messages[0])[0]
    set_mail(corpus, "river")
    gristmill.add(corpus, _page(tmp_path, "tower"), engine=ENGINE)
    assert gristmill.mail_watches(corpus, now=START + 30 * DAY).sent == ()


def test_killed_after_sending_it_is_the_same_message(
    corpus: Path, server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    _watch(corpus, "river", mail=[ME, YOU])

    def killed(_: Outbox, message_id: str, now: float) -> None:
        raise KeyboardInterrupt(message_id, now)

    with monkeypatch.context() as patch:
        patch.setattr(Outbox, "mark_sent", killed)
        with pytest.raises(KeyboardInterrupt):
            gristmill.mail_watches(corpus, now=START)
    assert [message["To"] for message in server.messages] == [ME]
    assert gristmill.mail_watches(corpus, now=START + 60).sent == (ME, YOU)
    first, second, other = server.messages
    assert first["Message-ID"] == second["Message-ID"] != other["Message-ID"]
    assert first.as_bytes() == second.as_bytes()
    assert gristmill.mail_watches(corpus, now=START + 9 * DAY).sent == ()


def test_what_is_refused_stays_for_the_next_run(corpus: Path, server: MailServer, tmp_path: Path) -> None:
    _watch(corpus, "river", mail=[ME, YOU])
    server.refused.add(ME)
    mailing = gristmill.mail_watches(corpus, now=START)
    assert mailing.sent == (YOU,)
    assert [(item.recipient, item.reason) for item in mailing.unsent] == [
        (ME, "127.0.0.1 refuses the recipient: 550 5.1.1 no such user here")
    ]
    gristmill.add(corpus, _page(tmp_path, "bridge"), engine=ENGINE)
    server.refused.clear()
    server.full = True
    assert [item.recipient for item in gristmill.mail_watches(corpus, now=START + DAY).unsent] == [ME, YOU]
    server.full = False
    assert gristmill.mail_watches(corpus, now=START + DAY).sent == (ME, YOU)
    assert gristmill.mail_watches(corpus, now=START + 2 * DAY).sent == (ME,)  # what came while the first was waiting
    mine = [_parts(message)[0] for message in server.messages if message["To"] == ME]
    assert ["the mill stood" in text for text in mine] == [True, False]
    assert ["the bridge stood" in text for text in mine] == [False, True]


def test_without_a_server_nothing_is_lost(corpus: Path, server: MailServer, monkeypatch: pytest.MonkeyPatch) -> None:
    _watch(corpus, "river", mail=ME)
    with monkeypatch.context() as patch:
        patch.delenv("GRISTMILL_SMTP")
        with pytest.raises(UsageError, match="set GRISTMILL_SMTP to your server"):
            gristmill.mail_watches(corpus, now=START)
    with monkeypatch.context() as patch:
        patch.setenv("GRISTMILL_SMTP", "smtp://127.0.0.1:1")
        mailing = gristmill.mail_watches(corpus, now=START)
    assert mailing.sent == ()
    assert "can't send mail by 127.0.0.1:1: " in mailing.unsent[0].reason
    assert gristmill.mail_watches(corpus, now=START + 1).sent == (ME,)
    assert len(server.messages) == 1


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("mail.example.org", "must be smtp://"),
        ("http://mail.example.org", "must be smtp://"),
        ("smtp://", "must be smtp://"),
        ("smtp://a:99999", "must be smtp://"),
        ("smtp://a/b", "must be smtp://"),
        ("smtp://me:secret@a", "must not have the password in it"),
        ("smtp://me@a", "set GRISTMILL_SMTP_PASSWORD"),
    ],
)
def test_wrong_settings(monkeypatch: pytest.MonkeyPatch, address: str, message: str) -> None:
    monkeypatch.setenv("GRISTMILL_SMTP", address)
    monkeypatch.setenv("GRISTMILL_MAIL_FROM", ME)
    with pytest.raises(UsageError, match=message):
        Sender.from_environment()
    monkeypatch.setenv("GRISTMILL_MAIL_FROM", "a@b\nBcc: c@d")
    monkeypatch.setenv("GRISTMILL_SMTP", "smtp://a")
    with pytest.raises(UsageError, match="is not an address"):
        Sender.from_environment()


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


def test_encryption_and_passwords(
    corpus: Path, authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _watch(corpus, "river", mail=ME)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(tls)
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    monkeypatch.setenv("GRISTMILL_MAIL_FROM", ME)
    with mail_server(tls, auth=True) as server:
        monkeypatch.setenv("GRISTMILL_SMTP", f"smtp://me%40here@127.0.0.1:{server.port}")
        monkeypatch.setenv("GRISTMILL_SMTP_PASSWORD", "wrong")
        (unknown,) = gristmill.mail_watches(corpus, now=START).unsent
        assert "the certificate of 127.0.0.1 is not valid" in unknown.reason
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
        (refused,) = gristmill.mail_watches(corpus, now=START).unsent
        assert "does not accept the user and password: 535" in refused.reason
        monkeypatch.setenv("GRISTMILL_SMTP_PASSWORD", "secret")
        assert gristmill.mail_watches(corpus, now=START).sent == (ME,)
        assert server.logins[-1] == (b"me@here", b"secret")
    assert "secret" not in repr(Sender.from_environment())


def test_a_password_goes_to_no_server_that_does_not_encrypt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gristmill.search.watch.smtp._is_loopback", lambda _: False)
    with (
        mail_server(auth=True) as server,
        pytest.raises(GristmillError, match="the password was not sent"),
        Sender("127.0.0.1", server.port, ME, "me", "secret").connect(),
    ):
        pass
    assert server.logins == []


@pytest.mark.parametrize("address", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_addresses_are_refused(corpus: Path, address: str) -> None:
    with pytest.raises(UsageError, match="is not an address of e-mail"):
        gristmill.watch(corpus, "river", mail=address)
    assert read_watches(corpus) == []


def test_addresses() -> None:
    assert mail_address("me+corpus@Example.ORG") == "me+corpus@example.org"
    assert mail_address("me@bücher.example") == "me@xn--bcher-kva.example"
    with pytest.raises(TypeError):
        mail_address(5)


_ANY = st.text(st.characters(codec=None), max_size=200) | st.sampled_from(
    ["\r\nBcc: x@y.z\r\n\r\n", "=?utf-8?q?=0aBcc:_x@y.z?=", "ü" * 10_000, "a" * 10_000, "\ud800", "\u2028\u202e", "<b>"]
)


@settings(max_examples=60, deadline=None)
@given(_ANY, _ANY, _ANY, _ANY)
def test_texts_of_the_web_can_do_no_harm(name: str, query: str, title: str, text: str) -> None:
    line = Line(text, text, text, "00000-000000", f"https://a.example/{text}", title, text, 0, 0, title=title)
    sections = [Section(name, query, text, [line], 3)]
    digest = make_digest(name, sections)
    message = Sender("a", 25, ME).message(Pending(f"<{0:032}@a>", YOU, START, digest))
    wire = message.as_bytes()
    wire.decode("ascii")
    assert max(map(len, wire.split(b"\r\n"))) <= 998
    headers, _, _ = wire.partition(b"\r\n\r\n")
    names = [header.split(b":")[0] for header in headers.split(b"\r\n") if header[:1] not in {b" ", b"\t"}]
    assert sorted(names) == sorted(
        [b"From", b"To", b"Subject", b"Date", b"Message-ID", b"Auto-Submitted", b"MIME-Version", b"Content-Type"]
    )
    assert len(digest.subject) <= 120


def test_stored_mail_is_checked_again(corpus: Path, server: MailServer) -> None:
    _watch(corpus, "river", mail=ME)
    with Outbox(corpus) as outbox:
        outbox.put(ME, "a\r\nBcc: x@y.z", START, Digest("a", "b", "c"), [])
    with pytest.raises(GristmillError, match=r"mail\.sqlite is damaged"):
        gristmill.mail_watches(corpus, now=START)
    (corpus / FILE).write_bytes(b"x" * 5000)
    with pytest.raises(GristmillError, match=r"can't use .*mail\.sqlite: file is not a database"):
        gristmill.mail_watches(corpus, now=START)
    (corpus / FILE).unlink()
    with Outbox(corpus) as outbox:
        outbox.put(YOU, "example.org", START, Digest("a", "b", "c"), [])  # nobody asks for mail to them
    assert gristmill.mail_watches(corpus, now=START).sent == (ME,)
    assert [message["To"] for message in server.messages] == [ME]


def test_a_corpus_from_elsewhere_sends_no_mail(
    corpus: Path, server: MailServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _watch(corpus, "river", mail=ME)
    monkeypatch.setenv("GRISTMILL_HOME", str(tmp_path / "elsewhere"))
    monkeypatch.setattr(consent, "_allowed", {})
    with pytest.raises(UsageError, match=rf"names what was not allowed here:\n  mail    {ME}\n"):
        gristmill.mail_watches(corpus, now=START)
    assert server.messages == []
    assert gristmill.mail_watches(corpus, now=START, trust=True).sent == (ME,)
    monkeypatch.setattr(consent, "_allowed", {})
    with pytest.raises(UsageError, match="not allowed"):
        gristmill.mail_watches(corpus, now=START)
    assert ME.encode() in run("trust", corpus, "--yes").stdout
    assert gristmill.mail_watches(corpus, now=START).sent == ()


@contextmanager
def says(*answers: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """Serve one connection with these answers, whatever comes; gives the port and what came."""
    heard: list[bytes] = []

    def talk() -> None:
        connection, _ = listening.accept()
        with connection, suppress(OSError):
            for answer in answers:
                connection.sendall(answer)
                heard.append(connection.recv(10_000))

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=talk)
        thread.start()
        yield listening.getsockname()[1], heard
        thread.join()


_HELLO = b"220 mail\r\n"
_OFFERS = b"250-mail\r\n250-AUTH PLAIN LOGIN\r\n250 STARTTLS\r\n"


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([b"220-" + b"x\r\n220-" * 100_000], "its answer does not end"),
        ([_HELLO, b"250-x\r\n" * 100_000], "its answer does not end"),
        ([b"220 " + b"x" * 100_000], "can't send mail"),
        ([b"\x1b[2J\xff\0\r\n"], "can't send mail"),
        ([b""], "can't send mail"),
        ([_HELLO, _OFFERS, b"454 not now\r\n"], "454 not now"),
        ([_HELLO, _OFFERS, b"220 go\r\n235 you are logged in\r\n250 fine\r\n"], "can't send mail"),
    ],
)
def test_servers_that_mean_ill_get_no_password(
    answers: list[bytes], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = 0.5 if message == "can't send mail" else 5  # most of them wait for more
    monkeypatch.setattr("gristmill.search.watch.smtp._TIMEOUT_SECONDS", seconds)
    with (
        says(*answers, b"") as (port, heard),
        pytest.raises(GristmillError, match=message) as raised,
        Sender("127.0.0.1", port, ME, "me", "geheim").connect(),
    ):
        pass
    assert str(raised.value).isprintable()
    secrets = (b"geheim", base64.b64encode(b"geheim"), base64.b64encode(b"\0me\0geheim"))
    assert not any(secret in b"".join(heard) for secret in secrets)
