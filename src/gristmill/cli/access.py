"""Options that all commands have which fetch something: who asks, and which networks and names are used."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.crawling.config import MANNERS

if TYPE_CHECKING:
    from gristmill.fetching.access import Access

Contact = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS",
        envvar="GRISTMILL_CONTACT",
        help="E-mail or page by which owners of sites reach you. Without it only this machine is asked.",
        show_default=False,
        rich_help_panel=MANNERS,
    ),
]
AllowNetwork = Annotated[
    list[str] | None,
    typer.Option(metavar="NETWORK", help="Private network that may be asked: 127.0.0.0/8.", rich_help_panel=MANNERS),
]
Hosts = Annotated[
    Path | None,
    typer.Option(
        "--hosts",
        metavar="FILE",
        help="A file like /etc/hosts, in which names are looked up first.",
        rich_help_panel=MANNERS,
    ),
]


def access_of(contact: str, allow_network: list[str] | None, hosts: Path | None) -> Access:
    """Make of these options how requests reach the web, and check that somebody says who asks."""
    from gristmill.fetching.access import Access

    access = Access(contact, tuple(allow_network or ()), str(hosts or ""))
    access.check()
    return access
