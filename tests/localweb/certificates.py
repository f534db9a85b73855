"""Certificates for the names of the local web, made when it starts: good ones, and bad ones of three kinds."""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import trustme

_NAMES_A_CERTIFICATE = 100


class Certificates:
    """An authority of its own and the server's contexts, chosen by the name that a client asks for."""

    def __init__(self, names: Iterable[str], faulty: dict[str, str]) -> None:
        self.authority = trustme.CA()
        stranger = trustme.CA()
        past = datetime.now(UTC) - timedelta(days=3)
        self._by_name: dict[str, ssl.SSLContext] = {}
        good = [name for name in names if name not in faulty]
        for at in range(0, len(good), _NAMES_A_CERTIFICATE):
            part = good[at : at + _NAMES_A_CERTIFICATE]
            identities = [identity for name in part for identity in (name, f"*.{name}")]
            self._by_name |= dict.fromkeys(part, _context(self.authority.issue_cert(*identities)))
        bad = {
            "untrusted": _context(stranger.issue_cert(*faulty)) if faulty else None,
            "expired": _context(self.authority.issue_cert(*faulty, not_after=past)) if faulty else None,
            "name": _context(self.authority.issue_cert("another-name.invalid")),
        }
        for name, fault in faulty.items():
            context = bad[fault]
            assert context is not None
            self._by_name[name] = context
        self.context = _context(self.authority.issue_cert("localhost", "127.0.0.1"))
        self.context.sni_callback = self._choose

    @property
    def pem(self) -> bytes:
        """The authority's certificate, for clients to trust."""
        return self.authority.cert_pem.bytes()

    def _choose(self, connection: ssl.SSLObject, name: str | None, _context: ssl.SSLContext) -> None:
        name = (name or "").lower()
        chosen = self._by_name.get(name) or self._by_name.get(name.partition(".")[2])
        if chosen:
            connection.context = chosen


def _context(certificate: trustme.LeafCert) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return context


def client_context(pem: bytes) -> ssl.SSLContext:
    """A context for a client that trusts the authority of the local web, and checks names and dates."""
    return ssl.create_default_context(cadata=pem.decode())
