"""`gristmill serve`: the web app of a corpus, or of a folder of corpora."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.cli.choices import one_of
from gristmill.cli.console import note, progress_bars
from gristmill.cli.opened import open_corpus
from gristmill.cli.options import Trust, Workers
from gristmill.errors import UsageError

if TYPE_CHECKING:
    from gristmill.web.security.access import Access
    from gristmill.web.shelf import Shelf

_SAMPLE = "sample"
_ROLES = ("reader", "annotator", "owner")
_TOKEN_VARIABLE = "GRISTMILL_TOKEN"  # noqa: S105 (the name of a variable)
_PASSWORD_VARIABLE = "GRISTMILL_PASSWORD"  # noqa: S105 (the name of a variable)
_MIN_TOKEN_CHARACTERS = 16


def serve(
    corpus: Annotated[
        str | None,
        typer.Argument(
            metavar="CORPUS", help="Folder of a corpus, or of several; or the word sample.", show_default=False
        ),
    ] = None,
    *,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="Where to listen; 0.0.0.0 is for all who reach this machine (--token or --users)."
        ),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", help="The port; 0 for any that is free.", min=0, max=65_535)] = 8080,
    name: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Another name that the server is asked by. Can be repeated."),
    ] = None,
    token: Annotated[
        bool, typer.Option("--token", help=f"Let in who knows a token: a new one, or that in ${_TOKEN_VARIABLE}.")
    ] = False,
    users: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Let in the users in this file: lines of name:role:hash.")
    ] = None,
    add_user: Annotated[
        str | None, typer.Option(metavar="NAME", help="Add a user to the file, or change one; asks for the password.")
    ] = None,
    role: Annotated[
        str,
        typer.Option(help="The role of that user: reader, annotator or owner.", autocompletion=one_of(_ROLES)),
    ] = "reader",
    open_browser: Annotated[
        bool | None, typer.Option("--open/--no-open", help="Open it in the browser [at a terminal].")
    ] = None,
    max_seconds: Annotated[
        float, typer.Option(metavar="S", help="The time that a question may take.", min=1, max=3600)
    ] = 30.0,
    workers: Workers = None,
    trust: Trust = False,
) -> None:
    """Open a corpus in the browser: look, correct, search.

    There are its report, its pages as they were judged, duplicates, searches, a place to annotate, and an API. It runs
    until Ctrl-C. Only this machine can ask it, unless --host says otherwise; then it lets in those who know a token
    (--token), or users with passwords (--users). A reader looks, an annotator judges blocks and duplicates, an owner
    may do all.

    GET /search?q=QUERY&page=1&count=10&lang=en gives the documents that have all words of QUERY, the best first (BM25),
    in the form of SearXNG's JSON. So a corpus can be what `gristmill bootstrap` searches (--provider
    gristmill:http://localhost:8080), or an engine of a SearXNG.

    \b
    Examples:
      gristmill serve sample
      gristmill serve corpus --port 8001
      gristmill serve corpora --host 0.0.0.0 --token
      gristmill serve --add-user ada --role annotator --users users.txt
      gristmill serve corpus --host 0.0.0.0 --users users.txt
      curl 'http://127.0.0.1:8080/search?q=(mill+OR+mills)+bread'
    """
    _check_installed()
    if add_user is not None:
        _add_user(users, add_user, role)
        return
    if corpus is None:
        raise UsageError("which corpus? Give its folder, or try `gristmill serve sample`")
    from gristmill.web.app import Site
    from gristmill.web.serving import address_of, listen, serve

    access = _access(host, name or [], users, with_token=token)
    with listen(host, port) as listening:  # before an index is made, in case that it can't be had
        site = Site(_shelf(corpus, trust=trust), workers=workers, max_seconds=max_seconds, access=access)
        address = address_of(listening) + (f"/login?token={access.token}" if access.token else "/")
        try:
            serve(site, listening, lambda: _is_ready(corpus, address, open_browser))
        except KeyboardInterrupt:
            note("ended")


def _check_installed() -> None:
    try:
        import jinja2
        import starlette
        import uvicorn
    except ImportError as error:
        raise UsageError(f"the web app needs {error.name}: pip install 'gristmill[web]'") from error
    del jinja2, starlette, uvicorn


def _shelf(given: str, *, trust: bool) -> Shelf:
    """Find the corpora; the index of a single one is made if there is none."""
    from gristmill.web.shelf import Shelf

    if given == _SAMPLE:
        return Shelf([_sample()])
    shelf = Shelf.of_folder(Path(given))
    for shelved in shelf:
        _prepare(shelved.folder, trust=trust, may_index=len(shelf) == 1)
    return shelf


def _sample() -> Path:
    from gristmill.pipeline.bundled import bundled_corpus, bundled_folder

    if Path(_SAMPLE).exists():
        note("showing the bundled sample; for the folder of that name say ./sample")
    with progress_bars() as progress:
        if not bundled_folder().exists():
            note(f"building the bundled sample in {bundled_folder()}, once ...")
        return bundled_corpus(progress=progress)


def _prepare(folder: Path, *, trust: bool, may_index: bool) -> None:
    """See to the index of a corpus: make it, or say that it is not that of the corpus as it is."""
    from gristmill.corpus import CorpusReader
    from gristmill.pipeline.indexing import index_state
    from gristmill.pipeline.telling import say_if_outdated

    reader = CorpusReader(folder, trust=trust)
    state = index_state(reader)
    if state != "missing":
        say_if_outdated(reader, note)
    if state == "missing" and may_index:
        open_corpus(folder, trust=trust)
    elif state == "missing":
        note(f"{folder} has no index, so it can't be searched: gristmill index {folder}")
    elif state == "stale":
        note(f"{folder} has changed since it was indexed, and is searched as it was: gristmill index {folder}")


def _access(host: str, names: list[str], users: Path | None, *, with_token: bool) -> Access:
    """Say who may enter; a server that other machines reach must not be open to all."""
    from gristmill.web.security.access import Access
    from gristmill.web.security.hosts import Names, is_local
    from gristmill.web.security.users import Users

    if not is_local(host) and not with_token and users is None:
        raise UsageError(
            f"{host} can be reached from other machines: give --token, so that only who knows it is let in, or --users"
        )
    token = os.environ.get(_TOKEN_VARIABLE, "") or secrets.token_urlsafe(24) if with_token else ""
    if with_token and len(token) < _MIN_TOKEN_CHARACTERS:
        raise UsageError(f"the token in ${_TOKEN_VARIABLE} must have at least {_MIN_TOKEN_CHARACTERS} characters")
    return Access(users=Users(users) if users else None, token=token, names=Names(host, names))


def _is_ready(corpus: str, address: str, open_browser: bool | None) -> None:
    note(f"{corpus} is at {address} (Ctrl-C ends it)")
    if _at_terminal() and sys.stderr.isatty() if open_browser is None else open_browser:
        import threading
        import webbrowser

        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def _at_terminal() -> bool:
    return sys.stdin.isatty()


def _add_user(users: Path | None, name: str, role: str) -> None:
    from gristmill.web.security.users import add_user

    if users is None:
        raise UsageError("give the file of users with --users")
    is_new = add_user(users, name, role, _password(name))
    note(f"{name} is {'added' if is_new else 'changed'}: {role}")


def _password(name: str) -> str:
    """Ask for a password twice; a script gives it in a variable, as what is in a command line can be seen by others."""
    if given := os.environ.get(_PASSWORD_VARIABLE):
        return given
    if not _at_terminal():
        raise UsageError(f"there is no terminal to ask for the password: set ${_PASSWORD_VARIABLE}")
    import getpass

    first = getpass.getpass(f"Password of {name}: ")
    if getpass.getpass("Once more: ") != first:
        raise UsageError("these were two different passwords; nothing was written")
    return first
