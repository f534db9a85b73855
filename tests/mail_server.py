"""A mail server on loopback that keeps what it takes, and refuses what it is told to."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult


@dataclass
class MailServer:
    """What a server took, and what it refuses."""

    port: int = 0
    messages: list[EmailMessage] = field(default_factory=list)
    envelopes: list[tuple[str, list[str]]] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)
    """Recipients that it does not know."""
    logins: list[tuple[bytes, bytes]] = field(default_factory=list)
    full: bool = False

    async def handle_RCPT(  # noqa: N802 (the names of the protocol)
        self, server: Any, session: Any, envelope: Any, address: str, options: list[str]
    ) -> str:
        del server, session, options
        if address in self.refused:
            return "550 5.1.1 no such user here"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        del server, session
        if self.full:
            return "452 4.3.1 no space left"
        self.envelopes.append((envelope.mail_from, list(envelope.rcpt_tos)))
        message = message_from_bytes(envelope.original_content, policy=policy.SMTP)
        assert isinstance(message, EmailMessage)
        self.messages.append(message)
        return "250 OK"

    def authenticate(self, server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
        del server, session, envelope, mechanism
        self.logins.append((data.login, data.password))
        return AuthResult(success=data.password == b"secret", handled=False)


class _Controller(Controller):
    """A server in a thread that finds its port itself."""

    def _trigger_server(self) -> None:
        server: Any = self.server
        self.port = server.sockets[0].getsockname()[1]
        super()._trigger_server()  # type: ignore[no-untyped-call]


@contextmanager
def mail_server(tls: ssl.SSLContext | None = None, *, auth: bool = False) -> Iterator[MailServer]:
    """Run a server at a free port, with STARTTLS if there is a certificate."""
    kept = MailServer()
    settings: dict[str, Any] = {"authenticator": kept.authenticate, "auth_require_tls": tls is not None} if auth else {}
    if tls:
        settings |= {"tls_context": tls}
    controller = _Controller(kept, hostname="127.0.0.1", port=0, server_hostname="mail.example", **settings)
    controller.start()
    try:
        kept.port = controller.port
        yield kept
    finally:
        controller.stop()
