"""Mail what standing queries found: one digest for each recipient, with all queries that are due, and nothing twice."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from gristmill.arguments import as_texts
from gristmill.consent import Named, Origin, allow, check
from gristmill.corpus import Manifest, folder_of
from gristmill.corpus.links import check_links
from gristmill.errors import GristmillError
from gristmill.pipeline.watching import MAIL_PERIOD, changing
from gristmill.search.watch.digest import Section, make_digest
from gristmill.search.watch.mail import Mail
from gristmill.search.watch.outbox import Covered, Outbox
from gristmill.search.watch.schedule import PERIODS, is_due
from gristmill.search.watch.smtp import MailServer, RefusedError
from gristmill.search.watch.watches import Watch, change_mail, find_watch, read_watches
from gristmill.shards import exclusive


class Unsent(NamedTuple):
    """A digest that could not be sent; the next run tries again."""

    recipient: str
    reason: str


@dataclass(frozen=True, slots=True)
class Mailing:
    """The digests of one run."""

    sent: tuple[str, ...] = ()
    """Their recipients."""
    unsent: tuple[Unsent, ...] = ()


def mail_watches(corpus: str | os.PathLike[str], *, now: float | None = None, trust: bool = False) -> Mailing:
    """Mail what standing queries found since the last mail, if there is something new and a digest is due.

    The server is that of the environment: GRISTMILL_SMTP, GRISTMILL_SMTP_PASSWORD, GRISTMILL_MAIL_FROM. What can't be
    sent stays for the next call. Recipients that only the files of the corpus name need `trust`. `now` is the time in
    seconds since 1970.
    """
    folder = folder_of(corpus)
    Manifest.read(folder)
    check_links(folder)
    watches = [watch for watch in read_watches(folder) if watch.mail.to]
    if not watches:
        return Mailing()
    with exclusive(folder), Outbox(folder) as outbox:
        named = recipients([watch.mail for watch in watches])
        if trust:
            allow(named, remember=False)
        check(named, Origin(str(folder)))
        moment = time.time() if now is None else now
        outbox.forget({item.what for item in named})
        for watch in watches:
            watch.give_out(moment)  # what waited until today
        due = _due(watches, outbox, moment)
        if not due and not outbox.pending():
            return Mailing()
        server = MailServer.from_environment()
        for recipient, asked in due.items():
            _put(folder, outbox, recipient, asked, server.domain, moment)
        return _send(server, outbox, moment)


def set_mail(corpus: str | os.PathLike[str], name: str, to: str | Sequence[str] = (), *, every: str = "") -> Watch:
    """Set who gets by mail what a standing query finds from now on; nobody if no address is given.

    `every` is `daily` or `weekly`: if it is not given, as the query itself has it, or else daily.
    """
    with changing(corpus) as folder:
        watch = find_watch(folder, name)
        period = every or (watch.every if watch.every in PERIODS else MAIL_PERIOD)
        mail = Mail.of(as_texts(to, "to"), period, watch.mail.first if watch.mail.to else _searched(watch))
        allow(recipients([mail]))
        return change_mail(folder, name, mail)


def recipients(mails: Sequence[Mail]) -> list[Named]:
    """Name the recipients of mails as things that the user allows."""
    return [Named("mail", address) for mail in mails for address in mail.to]


def _due(watches: Sequence[Watch], outbox: Outbox, now: float) -> dict[str, list[tuple[Watch, int]]]:
    """The queries that each recipient is to be told of, with the shard from which on.

    Nobody has two digests waiting.
    """
    waiting = {item.recipient for item in outbox.pending()}
    due: dict[str, list[tuple[Watch, int]]] = {}
    for watch in watches:
        for recipient in watch.mail.to:
            if recipient in waiting:
                continue
            shards, last = outbox.covered(recipient, watch.name, watch.query, watch.where)
            first = max(shards, watch.mail.first)
            if is_due(watch.mail.every, last, now) and any(watch.lines(first, _searched(watch))):
                due.setdefault(recipient, []).append((watch, first))
    return due


def _searched(watch: Watch) -> int:
    """The number after that of the last shard whose lines are complete."""
    runs = watch.runs()
    return runs[-1].end if runs else 0


def _put(
    folder: Path, outbox: Outbox, recipient: str, asked: Sequence[tuple[Watch, int]], domain: str, now: float
) -> None:
    """Store the digest of a recipient."""
    sections, covers = [], []
    for watch, first in asked:
        end = _searched(watch)
        lines, more = watch.showing.arrange(list(watch.lines(first, end)))
        sections.append(Section(watch.name, watch.query, watch.where, lines, more))
        covers.append(Covered(watch.name, watch.query, watch.where, end))
    outbox.put(recipient, domain, now, make_digest(folder.resolve().name, sections), covers)


def _send(server: MailServer, outbox: Outbox, now: float) -> Mailing:
    """Send what is stored; what the server refuses stays."""
    waiting = outbox.pending()
    sent: list[str] = []
    unsent: dict[str, Unsent] = {}
    try:
        with server.connect() as connection:
            for item in waiting:
                try:
                    server.send(connection, item)
                except RefusedError as error:
                    unsent[item.message_id] = Unsent(item.recipient, str(error))
                else:
                    outbox.mark_sent(item.message_id, now)
                    sent.append(item.recipient)
    except GristmillError as error:  # the connection is gone, and so are the chances of all others
        rest = [item for item in outbox.pending() if item.message_id not in unsent]
        return Mailing(tuple(sent), (*unsent.values(), *(Unsent(item.recipient, str(error)) for item in rest)))
    return Mailing(tuple(sent), tuple(unsent.values()))
