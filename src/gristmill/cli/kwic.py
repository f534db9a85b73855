"""Concordance lines on a terminal and in plain text: key words in context.

Hits stand one below the other, with as much context as there is room for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.cells import cell_len, get_character_cell_size

from gristmill.cli.table import write_lines, write_styled
from gristmill.cli.terminal import safe as safe_text
from gristmill.cli.terminal import terminal_width
from gristmill.search.concordance.labelled import with_labels_written
from gristmill.search.concordance.lines import AlignedText, Line, cut_end, cut_start

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from gristmill.operations.search import SearchAsked
    from gristmill.search.concordance.shown import Lines

_ID_COLUMNS = 14
"""Columns of a document's id and the gap after it."""
_MAX_CHARACTERS = 1_000
_NODE_STYLE = "bold cyan"
_ID_STYLE = "dim"
_ALIGNED_STYLE = "italic"
_MARK_STYLE = "bold"
_NOTHING = "–"
"""Stands for what is not translated."""
_GAP_COLUMNS = 2
_BLOCK_END = " ¶ "
_MAX_WHOLE_WORD_CHARACTERS = 15
"""Words up to this length are shown whole or not at all."""
_MIN_COLUMNS_FOR_IDS = 60
"""Width of a terminal from which on the ids of documents are shown."""
_MIN_CONTEXT_COLUMNS = 10
"""Columns of context, however narrow the terminal is."""
_FROM_RIGHT, _END = "\u2067", "\u2069"
"""Unicode controls that isolate text which is read from the right."""


def fitted(asked: SearchAsked) -> SearchAsked:
    """Ask for as many characters as the terminal has room for, if nobody says how many."""
    width = terminal_width()
    if width is None or asked.context is not None or asked.tokens is not None:
        return asked
    return replace(asked, context=min(side_width(width, _ID_COLUMNS) + _ID_COLUMNS, _MAX_CHARACTERS))


def write(found: Lines) -> int:
    """Write lines to standard output; returns how many they are."""
    lines, width = list(map(with_labels_written, found.rows)), terminal_width()
    if width is None:
        write_lines(plain_sentences(lines) if found.view == "sentence" else plain_lines(lines))
    elif lines and found.view == "sentence":
        write_styled([sentence_table(lines)])
    else:
        write_styled(terminal_lines(lines, width))
    return len(lines)


def side_width(width: int, place: int) -> int:
    """Columns to the left of hits, so that these begin in the middle of what ids leave of the terminal."""
    return max((width - place) // 2 - 4, _MIN_CONTEXT_COLUMNS)


def terminal_lines(lines: Sequence[Line], width: int) -> Iterator[Text]:
    """Lay out each line in one row of the terminal, with the hit in bold.

    The id of the document stands before it only if there is room.
    """
    from rich.text import Text

    place = (
        max((cell_len(line.doc) for line in lines), default=0) + _GAP_COLUMNS if width >= _MIN_COLUMNS_FOR_IDS else 0
    )
    side = side_width(width, place)
    for line in lines:
        left, node, right = _columns(line, side, width - place - side)
        yield Text.assemble(
            (line.doc.ljust(place)[:place], _ID_STYLE), " " * (side - cell_len(left)) + left, (node, _NODE_STYLE), right
        )
        if line.aligned is not None:
            yield Text(" " * place) + _aligned_text(line.aligned, width - place)


def _columns(line: Line, left: int, right: int) -> tuple[str, str, str]:
    """Fit a line into so many columns to the left of the hit, and so many for the hit and what follows."""
    node = from_start(safe(line.node), max(right - _MIN_CONTEXT_COLUMNS, right // 2))
    right -= cell_len(node)
    if not line.from_right:
        return from_end(safe(line.left), left), node, from_start(safe(line.right), right)
    # Who reads so looks to the right for what comes before the hit. Each part is turned on its own, so that they stay
    # in their columns.
    parts = from_start(safe(line.right), left), node, from_end(safe(line.left), right)
    after, node, before = (f"{_FROM_RIGHT}{part}{_END}" if part else "" for part in parts)
    return after, node, before


def plain_lines(lines: Sequence[Line]) -> Iterator[str]:
    """Lay out lines for files and pipes: not cut, with two spaces around the hits."""
    rows = [(line.doc, safe(line.left).rstrip(), safe(line.node), safe(line.right).strip()) for line in lines]
    place, side = (max((cell_len(row[number]) for row in rows), default=0) for number in (0, 1))
    for line, (doc, left, node, right) in zip(lines, rows, strict=True):
        yield f"{doc.ljust(place)}  {' ' * (side - cell_len(left))}{left}  {node}  {right}".rstrip()
        if line.aligned is not None:
            yield f"{' ' * place}  {_marked(line.aligned)}".rstrip()


def sentence_table(lines: Sequence[Line]) -> Table:
    """Lay out sentences on a terminal, over as many rows as they need."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, _GAP_COLUMNS, 0, 0))
    table.add_column(style=_ID_STYLE, no_wrap=True)
    table.add_column()
    for line in lines:
        table.add_row(line.doc, Text.assemble(safe(line.left), (safe(line.node), _NODE_STYLE), safe(line.right)))
        if line.aligned is not None:
            table.add_row("", _aligned_text(line.aligned))
    return table


def plain_sentences(lines: Sequence[Line]) -> Iterator[str]:
    """Lay out a sentence a line, with the hit in angle brackets."""
    for line in lines:
        yield f"{line.doc}  {safe(line.left)}<{safe(line.node)}>{safe(line.right)}"
        if line.aligned is not None:
            yield f"{' ' * cell_len(line.doc)}  {_marked(line.aligned)}".rstrip()


def _marked(aligned: AlignedText) -> str:
    """Write what a hit is aligned with, with marks in angle brackets."""
    if not aligned.text:
        return f"{aligned.lang}: {_NOTHING}"
    return f"{aligned.lang}: " + "".join(f"<{safe(text)}>" if marked else safe(text) for text, marked in aligned.pieces)


def _aligned_text(aligned: AlignedText, width: int | None = None) -> Text:
    """Lay out what a hit is aligned with, of so many columns, with marks in bold."""
    from rich.text import Text

    found = Text(f"{aligned.lang}: {'' if aligned.text else _NOTHING}", style=_ALIGNED_STYLE)
    room = None if width is None else width - cell_len(found.plain)
    for text, marked in aligned.pieces:
        shown = safe(text) if room is None else from_start(safe(text), room)
        found.append(shown, _MARK_STYLE if marked else None)
        room = None if room is None else room - cell_len(shown)
        if shown != safe(text):
            break
    return found


def safe(text: str) -> str:
    """Make text fit to be shown in one line, with a pilcrow where a block ends."""
    return safe_text(text.replace("\n", _BLOCK_END))


def from_start(text: str, width: int) -> str:
    """Cut a text after so many columns; at the end of a word, if that is near."""
    cut = cut_end(text, _count(text, width))
    if len(cut) == len(text) or text[len(cut)] == " ":
        return cut
    last = cut.rfind(" ", len(cut) - _MAX_WHOLE_WORD_CHARACTERS)
    return cut if last < 0 else cut[:last]


def from_end(text: str, width: int) -> str:
    """Cut a text before its last so many columns; at the beginning of a word, if that is near."""
    cut = cut_start(text, _count(text[::-1], width))
    if len(cut) == len(text) or text[-len(cut) - 1] == " ":
        return cut
    first = cut.find(" ", 0, _MAX_WHOLE_WORD_CHARACTERS)
    return cut[first + 1 :]


def _count(text: str, width: int) -> int:
    """Number of characters that fit into so many columns: some take two columns, and accents none."""
    for number, character in enumerate(text):
        width -= get_character_cell_size(character)
        if width < 0:
            return number
    return len(text)
