"""A small corpus, annotated and indexed, for targets that need one."""

from __future__ import annotations

from pathlib import Path

import gristmill
from gristmill.engine import InlineEngine

_TEXT = (
    "The mill grinds slowly, but it grinds exceedingly fine. All that comes to the mill is flour in the end; nobody "
    "asks where it grew. "
)
_CZECH = (
    "Mlýn mele pomalu, ale mele jemně. Všechno, co přijde do mlýna, je nakonec mouka, a nikdo se neptá, kde to rostlo. "
)
_PAGES = {
    "en": f"<html lang=en><title>The mill</title><h1>The mill</h1><p>{_TEXT * 3}<p>{_TEXT}<ul><li>corn<li>rye</ul>",
    "copy": f"<title>A copy</title><p>{_TEXT * 3}",
    "cs": f"<title>Mlýn</title><p>{_CZECH * 3}",
    "empty": "<title>Nothing</title><p>Menu",
}
_MORE = f"<html lang=en><title>Bread</title><p>{'Bread is made of flour, water and salt, and of patience. ' * 5}"


def small_corpus(folder: Path) -> Path:
    """The corpus in a folder of its own, with an index of two segments, made if it is not there."""
    corpus = folder / "corpus"
    if not corpus.exists():
        pages = folder / "pages"
        pages.mkdir(exist_ok=True)
        for name, page in _PAGES.items():
            (pages / f"{name}.html").write_text(page, "utf-8")
        gristmill.build([pages], corpus, engine=InlineEngine())
        gristmill.index(corpus, engine=InlineEngine())
        more = folder / "more.html"
        more.write_text(_MORE, "utf-8")
        gristmill.add(corpus, [more], engine=InlineEngine())
        gristmill.index(corpus, engine=InlineEngine())
    return corpus
