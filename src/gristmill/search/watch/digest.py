"""A digest of what standing queries found, as the parts of a mail: a subject, plain text and HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from gristmill.search.concordance.lines import Line, cut_end, cut_start
from gristmill.wording import plural

_MAX_LINES = 1000
"""Lines of a query in a mail, also if it has no limit."""
_MAX_SIDE_CHARACTERS = 500
"""Characters to each side of a hit; what the web takes for a sentence can be a page."""
_MAX_FIELD_CHARACTERS = 300
"""Characters of titles, queries, addresses and names."""
_MAX_LINKED_CHARACTERS = 2000
_MAX_SUBJECT_CHARACTERS = 120
_MAX_CHARACTERS = 2_000_000
"""Characters of all lines in a mail together: servers refuse longer mails."""
_UNFIT = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+")
"""Line ends, control characters, changes of direction and halves of characters, which have no place in a line."""


class Section(NamedTuple):
    """What one query found."""

    name: str
    query: str
    where: str
    lines: Sequence[Line]
    """Those that are shown, in their order."""
    more: int
    """How many there are beside these."""


class Digest(NamedTuple):
    """The parts of a mail."""

    subject: str
    text: str
    html: str


def make_digest(corpus: str, sections: Sequence[Section]) -> Digest:
    """Put what several queries found together into a mail; texts from the web in it can do no harm."""
    count = sum(len(section.lines) + section.more for section in sections)
    names = ", ".join(section.name for section in sections)
    room = _MAX_CHARACTERS
    fitted = []
    for section in sections:
        fitted.append(_fitting(section, room))
        room -= sum(map(_length, fitted[-1].lines))
    return Digest(
        one_line(f"{plural(count, 'new line')} in {corpus}: {names}", _MAX_SUBJECT_CHARACTERS),
        "\n".join(line for section in fitted for line in _text(section)) + "\n",
        "\n".join(
            [
                "<!DOCTYPE html>",
                '<html><head><meta charset="utf-8"></head><body>',
                *map(_html, fitted),
                "</body></html>",
            ]
        )
        + "\n",
    )


def one_line(text: str, length: int = _MAX_FIELD_CHARACTERS) -> str:
    """Make any text fit for a line of a mail, or for a header: no line ends, no control characters, not too long."""
    line = " ".join(_UNFIT.sub(" ", text[: 2 * length]).split())
    return line if len(line) <= length else f"{cut_end(line, length - 1)}…"


def _fitting(section: Section, room: int) -> Section:
    """Leave out the lines that are too many for a mail."""
    lines = []
    for line in section.lines[:_MAX_LINES]:
        fitted = _shortened(line)
        room -= _length(fitted)
        if room < 0:
            break
        lines.append(fitted)
    return section._replace(lines=lines, more=section.more + len(section.lines) - len(lines))


def _shortened(line: Line) -> Line:
    return Line(
        _side(cut_start(line.left, _MAX_SIDE_CHARACTERS)),
        one_line(line.node),
        _side(cut_end(line.right, _MAX_SIDE_CHARACTERS)),
        line.doc,
        line.url if len(line.url) <= _MAX_LINKED_CHARACTERS and not _UNFIT.search(line.url) else "",
        one_line(line.host),
        one_line(line.date[:10]),
        None,
        0,
        title=one_line(line.title),
    )


def _side(text: str) -> str:
    """A context in one line, with the space at its end that divides it from the hit."""
    return re.sub(r"\s+", " ", _UNFIT.sub(" ", text))


def _length(line: Line) -> int:
    return len(line.left) + len(line.node) + len(line.right) + len(line.url) + len(line.title) + 50


def _heading(section: Section) -> str:
    """The query and how much it found; its name if that says more."""
    where = f" where {one_line(section.where)}" if section.where else ""
    count = plural(len(section.lines) + section.more, "new line")
    return f"{one_line(section.name)}: {one_line(section.query)}{where} ({count})"


def _more(section: Section) -> str:
    return f"{plural(section.more, 'more line')}: gristmill watch show CORPUS {one_line(section.name)}"


def _text(section: Section) -> Iterator[str]:
    heading = _heading(section)
    yield from (heading, "=" * min(len(heading), 72), "")
    for line in section.lines:
        yield f"{line.left}<{line.node}>{line.right}".strip()
        yield f"    {' | '.join(filter(None, [line.date, line.title or line.host, line.url]))}"
        yield ""
    if section.more:
        yield from (f"({_more(section)})", "")


def _html(section: Section) -> str:
    items = [_item(line) for line in section.lines]
    more = f"<p>{escape(_more(section))}</p>" if section.more else ""
    return "\n".join([f"<h2>{escape(_heading(section))}</h2>", "<ol>", *items, "</ol>", more])


def _item(line: Line) -> str:
    title = escape(line.title or line.host or line.doc)
    is_web = line.url.startswith(("http://", "https://"))
    source = f'<a href="{escape(line.url)}">{title}</a>' if is_web else title
    return (
        f'<li dir="auto">{escape(line.left)}<b>{escape(line.node)}</b>{escape(line.right)}<br>'
        f"<small>{escape(line.date)} {source}</small></li>"
    )
