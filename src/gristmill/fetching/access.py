"""How requests reach the web: who asks, and which networks and names are theirs to use."""

from __future__ import annotations

import os
import ssl
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gristmill.errors import UsageError
from gristmill.version import __version__

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from gristmill.fetching.resolver import Resolver

CONTACT = "GRISTMILL_CONTACT"
"""The environment variable that has the contact if none is given."""


@dataclass(frozen=True, slots=True)
class Access:
    """How requests reach the web. That is up to the user each time; no file of a corpus decides it."""

    contact: str = ""
    """An address of e-mail or of a page about the corpus; it is sent with every request. Also from the environment."""
    networks: tuple[str, ...] = ()
    """Networks that may be connected to though they are private or reserved: `127.0.0.0/8`."""
    hosts_file: str = ""
    """A file like /etc/hosts, also with ports, which names are looked up in first."""
    resolver: Resolver | None = None
    """What resolves names; the system if there is none."""
    ssl_context: ssl.SSLContext | None = None

    @property
    def who(self) -> str:
        """The contact that is given, or that of the environment."""
        return self.contact or os.environ.get(CONTACT, "")

    @property
    def agent(self) -> str:
        """What requests say of who sends them."""
        from gristmill.fetching.agent import PRODUCT, user_agent  # noqa: PLC0415 (needs the extra `crawl`)

        return user_agent(self.who) if self.who else f"{PRODUCT}/{__version__}"

    def check(self) -> None:
        """Raise if nobody says who asks, but for requests within networks that the user has named."""
        if not self.who and not self.networks:
            raise UsageError(
                "say who asks for pages: --contact with an e-mail address or the address of a page about the corpus, "
                f"which is sent with every request, so that the owner of a site can reach you; or set {CONTACT}. "
                "(Without one, only this machine is asked, with --allow-network 127.0.0.0/8.)"
            )

    @asynccontextmanager
    async def resolving(self) -> AsyncIterator[Resolver]:
        """Give the resolver of names for the time of some requests."""
        from gristmill.fetching.resolver import HostsFile, SystemResolver  # noqa: PLC0415

        async with SystemResolver() as system:
            found: Resolver = self.resolver or system
            yield HostsFile(self.hosts_file, found) if self.hosts_file else found
