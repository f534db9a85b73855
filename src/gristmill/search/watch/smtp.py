"""Send mail by the user's server, which the environment names: no corpus says by whom its mail is sent."""

from __future__ import annotations

import ipaddress
import os
import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from io import BufferedReader
from typing import Any
from urllib.parse import unquote, urlsplit

from gristmill.errors import GristmillError, UsageError
from gristmill.search.watch.address import mail_address
from gristmill.search.watch.digest import one_line
from gristmill.search.watch.outbox import Pending

SERVER = "GRISTMILL_SMTP"
PASSWORD = "GRISTMILL_SMTP_PASSWORD"  # noqa: S105 (the name of the variable)
SENDER = "GRISTMILL_MAIL_FROM"
_PORTS = {"smtp": 587, "smtps": 465}
_TIMEOUT_SECONDS = 30.0
_GREETING = "[127.0.0.1]"
"""What the server is told of this machine: nothing, as mail programs do; looking up its name can take long."""
_POLICY = SMTP.clone(cte_type="7bit")
"""Of messages: also servers that know ASCII alone can take them."""
_MAX_REPLY_CHARACTERS = 200
_MAX_REPLY_LINES = 1000


class _LimitedReply:
    """What a server says, of which an answer has only so many lines."""

    def __init__(self, file: BufferedReader) -> None:
        self._file = file
        self.lines = 0

    def readline(self, limit: int) -> bytes:
        """Read a line of an answer."""
        self.lines += 1
        if self.lines > _MAX_REPLY_LINES:
            raise OSError("its answer does not end")
        return self._file.readline(limit)

    def close(self) -> None:
        """Close the connection for reading."""
        self._file.close()


class _Plain(smtplib.SMTP):
    """A connection on which no answer is without end."""

    file: Any

    def getreply(self) -> tuple[int, bytes]:
        """Read an answer."""
        if self.file is None and self.sock is not None:
            self.file = _LimitedReply(self.sock.makefile("rb"))
        if self.file is not None:
            self.file.lines = 0
        return super().getreply()


class _Encrypted(_Plain, smtplib.SMTP_SSL):
    """The same, encrypted from its beginning."""


class RefusedError(GristmillError):
    """The error that a server does not take a message; it may take others."""


@dataclass(frozen=True, slots=True)
class MailServer:
    """A server that takes mail, and the address that it comes from."""

    host: str
    port: int
    sender: str
    user: str = ""
    password: str = field(default="", repr=False)
    encrypted: bool = False
    """Whether the connection is encrypted from its beginning (`smtps`); others are as soon as the server offers it."""

    @classmethod
    def from_environment(cls) -> MailServer:
        """Read the settings of the user; raise if there are none."""
        address, sender = os.environ.get(SERVER, ""), os.environ.get(SENDER, "")
        if not address or not sender:
            raise UsageError(
                f"there is mail to be sent: set {SERVER} to your server (smtp://user@mail.example.org:587 or "
                f"smtps://...), {PASSWORD} to its password, and {SENDER} to the address that mail comes from"
            )
        scheme, host, port, user = _parsed(address)
        password = os.environ.get(PASSWORD, "")
        if user and not password:
            raise UsageError(f"{SERVER} has a user: set {PASSWORD} to the password")
        return cls(host, port, mail_address(sender), user, password, scheme == "smtps")

    @property
    def domain(self) -> str:
        """The domain of the sender."""
        return self.sender.rpartition("@")[2]

    @contextmanager
    def connect(self) -> Iterator[smtplib.SMTP]:
        """Connect and log in, for some messages; certificates are verified."""
        context = ssl.create_default_context()
        try:
            with self._open(context) as connection:
                connection.ehlo_or_helo_if_needed()
                if not self.encrypted and connection.has_extn("starttls"):
                    connection.starttls(context=context)
                    connection.ehlo()
                elif not self.encrypted and self.user and not _is_loopback(self.host):
                    raise GristmillError(f"{self.host} does not encrypt: the password was not sent; try smtps://")
                if self.user:
                    connection.login(self.user, self.password)
                yield connection
        except UnicodeError as error:
            raise UsageError(f"the user of {SERVER} and {PASSWORD} must be ASCII") from error
        except smtplib.SMTPAuthenticationError as error:
            raise GristmillError(f"{self.host} does not accept the user and password: {_reply(error)}") from error
        except ssl.SSLCertVerificationError as error:
            raise GristmillError(
                f"the certificate of {self.host} is not valid ({error.verify_message}); if it is your own, name the "
                "file of your authority in SSL_CERT_FILE"
            ) from error
        except (smtplib.SMTPException, OSError) as error:
            raise GristmillError(f"can't send mail by {self.host}:{self.port}: {_reply(error)}") from error

    def send(self, connection: smtplib.SMTP, pending: Pending) -> None:
        """Send a digest; raise `RefusedError` if the server does not take it."""
        message = self.message(pending)
        try:
            connection.sendmail(self.sender, [pending.recipient], message.as_bytes(policy=_POLICY))
        except smtplib.SMTPRecipientsRefused as error:
            reply = next(iter(error.recipients.values()))
            raise RefusedError(f"{self.host} refuses the recipient: {_worded(*reply)}") from error
        except (smtplib.SMTPSenderRefused, smtplib.SMTPDataError) as error:
            raise RefusedError(f"{self.host} refuses the message: {_reply(error)}") from error

    def message(self, pending: Pending) -> EmailMessage:
        """Put a mail together; addresses and headers of one that was stored are checked again."""
        message = EmailMessage(_POLICY)
        message["From"] = self.sender
        message["To"] = mail_address(pending.recipient)
        message["Subject"] = one_line(pending.digest.subject)
        message["Date"] = format_datetime(datetime.fromtimestamp(pending.made, UTC))
        message["Message-ID"] = pending.message_id
        message["Auto-Submitted"] = "auto-generated"  # so that nobody's absence is announced to the sender
        message.set_content(_valid(pending.digest.text))
        message.add_alternative(_valid(pending.digest.html), subtype="html")
        message.set_boundary(pending.message_id[1:33])  # sent again, it is the same to the last byte
        return message

    def _open(self, context: ssl.SSLContext) -> smtplib.SMTP:
        if self.encrypted:
            return _Encrypted(self.host, self.port, _GREETING, timeout=_TIMEOUT_SECONDS, context=context)
        return _Plain(self.host, self.port, _GREETING, timeout=_TIMEOUT_SECONDS)


def _parsed(address: str) -> tuple[str, str, int, str]:
    """Take the address of a server apart: scheme, host, port and user."""
    try:
        parts = urlsplit(address)
        scheme, host, port = parts.scheme, parts.hostname or "", parts.port
    except ValueError:
        scheme, host, port = "", "", None
    if scheme not in _PORTS or not host or parts.path not in {"", "/"} or parts.query:
        raise UsageError(f"{SERVER} must be smtp://user@host:port or smtps://user@host:port, not {address!r}")
    if parts.password is not None:
        raise UsageError(f"{SERVER} must not have the password in it: set {PASSWORD}")
    return scheme, host, port or _PORTS[scheme], unquote(parts.username or "")


def _valid(text: str) -> str:
    """Replace what UTF-8 can't have."""
    return text.encode("utf-8", "replace").decode()


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _reply(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPResponseException):
        return _worded(error.smtp_code, error.smtp_error)
    return one_line(str(error) or type(error).__name__, _MAX_REPLY_CHARACTERS)


def _worded(code: int, text: bytes | str) -> str:
    """What a server replied."""
    said = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return one_line(f"{code} {said}", _MAX_REPLY_CHARACTERS)
