"""`gristmill serve`: answer searches of a corpus over HTTP."""

from __future__ import annotations

from typing import Annotated

import typer

from gristmill.cli.console import note
from gristmill.cli.opened import open_corpus
from gristmill.cli.options import CorpusFolder, Trust


def serve(
    corpus: CorpusFolder,
    *,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where to listen; 0.0.0.0 is for everybody who reaches this machine.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", help="The port; 0 for any that is free.", min=0, max=65_535)] = 8080,
    trust: Trust = False,
) -> None:
    """Answer searches for documents over HTTP, in JSON.

    GET /search?q=QUERY&page=1&count=10&lang=en gives the documents that have all words of QUERY, the best first (BM25),
    in the form of SearXNG's JSON. In QUERY, (mill OR mills) is one word or another, and "corn mill" a phrase. So a
    corpus can be what `gristmill bootstrap` searches (--provider gristmill:http://localhost:8080), or an engine of a
    SearXNG. It runs until Ctrl-C. There is no log-in: only programs on this machine can ask, unless --host says
    otherwise.

    \b
    Examples:
      gristmill serve corpus
      gristmill serve corpus --port 8001
      curl 'http://127.0.0.1:8080/search?q=(mill+OR+mills)+bread'
    """
    from gristmill.search.documents import DocumentSearch
    from gristmill.search.http import SearchServer

    search = DocumentSearch(open_corpus(corpus, trust=trust).index)
    with SearchServer(search, host, port) as server:
        note(f"{corpus} is searched at {server.address}/search?q=... (Ctrl-C ends it)")
        try:
            server.serve_forever(poll_interval=0.1)
        except KeyboardInterrupt:
            note("ended")
